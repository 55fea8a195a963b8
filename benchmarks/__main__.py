"""``python -m benchmarks [recall …]``: without a name, recall at a small size."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = parser.add_subparsers(dest="name", metavar="name")
    recall = names.add_parser("recall", help="the bare SQL and the whole HTTP request")
    recall.add_argument("--users", type=int, default=2_000)
    recall.add_argument("--facts", type=int, default=100, help="of each user")
    recall.add_argument("--messages", type=int, default=0, help="of each user, findable")
    recall.add_argument("--requests", type=int, default=300)
    growth = names.add_parser("growth", help="recall for one user while others become more")
    growth.add_argument("--users", type=int, nargs="+", default=[100, 1_000, 10_000])
    growth.add_argument("--facts", type=int, default=1_000, help="of each user who asks")
    growth.add_argument("--others", type=int, default=20, help="facts of each of the others")
    growth.add_argument("--requests", type=int, default=200)
    page = names.add_parser("page", help="the overview: time of a request, what a browser loads")
    page.add_argument("--sizes", type=int, nargs="+", default=[10, 1_000, 10_000])
    page.add_argument("--requests", type=int, default=50, help="of each kind")
    forget = names.add_parser("forget", help="forgetting much at once: the look, and the work")
    forget.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    forget.add_argument("--messages", type=int, default=3, help="for each fact")
    gallery = names.add_parser("gallery", help="pictures of the pages, into docs/gallery")
    gallery.add_argument("--docs", type=Path, default=Path("docs"), help="the folder for them")
    options = parser.parse_args()

    # Django's settings are read once the services' addresses are in the environment.
    from benchmarks.services import services

    with services() as running:
        from benchmarks.recall import grow, measure

        if options.name == "recall":
            measure(
                running,
                users=options.users,
                facts=options.facts,
                messages=options.messages,
                requests=options.requests,
            )
        elif options.name == "growth":
            grow(
                running,
                levels=options.users,
                facts=options.facts,
                others=options.others,
                requests=options.requests,
            )
        elif options.name == "page":
            from benchmarks import page as pages

            pages.measure(running, sizes=options.sizes, requests=options.requests)
        elif options.name == "forget":
            from benchmarks import forget as forgetting

            forgetting.measure(running, sizes=options.sizes, messages=options.messages)
        elif options.name == "gallery":
            from benchmarks import gallery as pictures

            pictures.make(running, options.docs)
        else:
            measure(running, users=50, facts=100, messages=20, requests=50)
    return 0


if __name__ == "__main__":
    sys.exit(main())
