"""``python -m memoryapp.server --fd N``: the web server of `make run`, on a bound socket.

uvicorn in one process. Its own `--fd` takes every socket for a Unix one, which leaves Nagle's
algorithm on; and its access log holds addresses with their queries.
"""

from __future__ import annotations

import argparse
import os
import socket

import uvicorn

GRACE_SECONDS = 3
KEEP_ALIVE_SECONDS = 30


def config(app: object = "memoryapp.asgi:application") -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]  # typed more narrowly than ASGI is
        loop="asyncio",
        http="h11",  # bounds what a header may take
        ws="none",
        lifespan="on",
        log_config=None,  # Django's
        access_log=False,
        proxy_headers=False,  # Django's SECURE_PROXY_SSL_HEADER decides
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


class Server(uvicorn.Server):
    """Ends the streams of events when it stops: they would go on until they are cut off, and
    their readers come back to whoever is there by then."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        from memoryapp import streams  # once Django is set up

        streams.end()
        await super().shutdown(sockets)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m memoryapp.server", description=__doc__)
    parser.add_argument("--fd", type=int, required=True, help="the listening socket")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
    with socket.socket(fileno=options.fd) as listener:
        Server(config()).run(sockets=[listener])


if __name__ == "__main__":
    main()
