"""``python -m benchmarks [recall …]``: without a name, everything at a small size."""

from __future__ import annotations

import argparse
import sys


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = parser.add_subparsers(dest="name", metavar="name")
    recall = names.add_parser("recall", help="the bare SQL and the whole HTTP request")
    recall.add_argument("--users", type=int, default=2_000)
    recall.add_argument("--facts", type=int, default=100, help="of each user")
    recall.add_argument("--requests", type=int, default=300)
    options = parser.parse_args()

    # Django's settings are read once the services' addresses are in the environment.
    from benchmarks.services import services

    with services() as running:
        from benchmarks.recall import measure

        if options.name == "recall":
            measure(running, users=options.users, facts=options.facts, requests=options.requests)
        else:
            measure(running, users=50, facts=100, requests=50)
    return 0


if __name__ == "__main__":
    sys.exit(main())
