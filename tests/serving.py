"""The web server of `make run`, in a thread of the tests' process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connections

from memoryapp.server import Server, config
from tests.conftest import Site
from tests.server import WorkerDatabase


@contextmanager
def serving(app: object) -> Iterator[Site]:
    """The application on a loopback port, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(config(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Site(f"http://127.0.0.1:{listener.getsockname()[1]}")
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def asgi_site(committed_db: WorkerDatabase) -> Iterator[Site]:
    """The whole site as it is served, on committed data."""
    from memoryapp.asgi import application

    with serving(application) as site:
        yield site


class Connections:
    """The site's connections to the database that weren't there when this was made: a thread
    of an earlier test may still hold one."""

    def __init__(self, database: WorkerDatabase) -> None:
        connections.close_all()  # this test's own
        self._url = database.admin_url
        self._before = self._now()

    def held(self) -> bool:
        return bool(self._now() - self._before)

    def _now(self) -> set[int]:
        with psycopg.connect(self._url, autocommit=True) as admin:
            rows = admin.execute(
                "SELECT pid FROM pg_stat_activity"
                " WHERE datname = current_database() AND usename = 'memoryapp_app'"
            )
            return {pid for (pid,) in rows}
