"""The web server of `make run`, in a thread of the tests' process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

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


def connections_held(database: WorkerDatabase) -> int:
    """How many connections the site has open to the database, this test's own not counted."""
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        row = admin.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND usename = 'memoryapp_app'"
        ).fetchone()
    assert row is not None
    return int(row[0])
