"""What every test can ask for.

``db``: the database in a transaction that is rolled back. ``committed_db``: the same
database with real commits, which other connections, threads and processes see; emptied
afterwards. Both connect as the application's role.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from django.core.files.storage import storages
from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.db import connections
from django.utils import translation
from pytest_django.plugin import DjangoDbBlocker, blocking_manager_key

from tests.model_server import model_server
from tests.server import Servers, WorkerDatabase

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from accounts.models import User

__all__ = ["model_server"]

SERVERS = pytest.StashKey[Servers]()
SOCKETS = pytest.StashKey[str]()
CHROMIUM = Path("/usr/bin/chromium")
BROWSER_WAITS = 60_000  # milliseconds for what shall come: machines are shared, and models load


# -- The servers of the run ----------------------------------------------------------------------


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _sockets(config: pytest.Config) -> str:
    """The folder of Postgres's socket; the process that leads the run starts the server
    at the first need."""
    if _is_worker(config):
        return str(config.workerinput["sockets"])  # type: ignore[attr-defined]
    if SOCKETS not in config.stash:
        config.stash[SERVERS] = Servers()
        with config.stash[blocking_manager_key].unblock():
            config.stash[SOCKETS] = config.stash[SERVERS].start_postgres()
    return config.stash[SOCKETS]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Called by xdist in the leading process for each worker."""
    node.workerinput["sockets"] = _sockets(node.config)


def pytest_unconfigure(config: pytest.Config) -> None:
    if servers := config.stash.get(SERVERS, None):
        servers.stop()


@pytest.fixture(scope="session")
def worker_database(request: pytest.FixtureRequest, worker_id: str) -> Iterator[WorkerDatabase]:
    database = WorkerDatabase(_sockets(request.config), worker_id)
    yield database
    database.close()


@pytest.fixture(scope="session")
def django_db_setup(
    worker_database: WorkerDatabase, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Instead of pytest-django's: this role may not make databases."""
    with django_db_blocker.unblock():
        worker_database.connect_django()
    yield
    with django_db_blocker.unblock():
        connections.close_all()


@pytest.fixture
def committed_db(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    worker_database: WorkerDatabase,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[WorkerDatabase]:
    """Real commits. Threads of a test close their connections themselves."""
    if {"db", "transactional_db"} & set(request.fixturenames):
        raise pytest.UsageError("committed_db and db exclude each other")
    with django_db_blocker.unblock():
        yield worker_database
        connections.close_all()
    worker_database.empty()


@pytest.fixture
def owner_connection(
    django_db_setup: None, worker_database: WorkerDatabase
) -> Iterator[psycopg.Connection[Any]]:
    """A superuser's connection to this worker's database, for looking at the catalogue
    and for what only an operator may do."""
    with psycopg.connect(worker_database.admin_url, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def _broker() -> Iterator[str]:
    servers = Servers()
    yield servers.start_valkey()
    servers.stop()


@pytest.fixture
def broker_url(_broker: str) -> Iterator[str]:
    """A real broker, which the Celery app uses during the test; emptied afterwards."""
    import redis

    from memoryapp.celery import app

    before = app.conf.broker_url
    _use_broker(app, _broker)
    yield _broker
    _use_broker(app, before)
    with redis.Redis(unix_socket_path=_broker.removeprefix("redis+socket://")) as client:
        client.flushall()


def _use_broker(app: Any, url: str) -> None:
    from kombu import pools

    app.conf.broker_url = app.conf.broker_read_url = app.conf.broker_write_url = url
    # Connections to the broker before this one.
    pools.reset()  # type: ignore[no-untyped-call]
    app._pool = app.amqp._producer_pool = None


@pytest.fixture
def worker(committed_db: WorkerDatabase, broker_url: str) -> Iterator[None]:
    """A real Celery worker, in a thread of this process, on committed data."""
    from celery.contrib.testing.worker import start_worker

    from memoryapp.celery import app

    with start_worker(
        app, pool="solo", perform_ping_check=False, shutdown_timeout=30, loglevel="WARNING"
    ):
        yield


@pytest.fixture
def process_environ(committed_db: WorkerDatabase, broker_url: str) -> dict[str, str]:
    """The environment for a process of ours on this test's database and broker."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "memoryapp.settings",
        "DATABASE_URL": committed_db.url,
        "BROKER_URL": broker_url,
    }


# -- People and time -----------------------------------------------------------------------------


def _user(request: pytest.FixtureRequest, email: str, *, superuser: bool = False) -> User:
    if "committed_db" not in request.fixturenames:
        request.getfixturevalue("db")
    from accounts.models import User

    make = User.objects.create_superuser if superuser else User.objects.create_user
    return make(email=email, password="correct horse battery")


@pytest.fixture
def owner(request: pytest.FixtureRequest) -> User:
    """The user whose memories a test is about."""
    return _user(request, "owner@example.com")


@pytest.fixture
def other(request: pytest.FixtureRequest) -> User:
    """Somebody else, who must see and change nothing of the owner's."""
    return _user(request, "other@example.com")


@pytest.fixture
def admin(request: pytest.FixtureRequest) -> User:
    return _user(request, "admin@example.com", superuser=True)


@dataclass
class FixedClock:
    """A ports.Clock that stands still until it is moved."""

    time: datetime = field(default_factory=lambda: datetime(2026, 1, 15, 12, tzinfo=UTC))

    def now(self) -> datetime:
        return self.time

    def advance(self, **by: float) -> datetime:
        self.time += timedelta(**by)
        return self.time


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


# -- The site and the browser --------------------------------------------------------------------


class _QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        """Addresses of pages stay out of the tests' output."""


@dataclass(frozen=True)
class Site:
    url: str


@pytest.fixture
def site(committed_db: WorkerDatabase) -> Iterator[Site]:
    """The whole site on a loopback port, in threads of this process, on committed data."""
    application = WSGIHandler()
    server = ThreadedWSGIServer(("127.0.0.1", 0), _QuietHandler)
    server.daemon_threads = False  # so that server_close waits for the last answer
    server.set_app(application)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield Site(f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=BROWSER_WAITS)
    if not CHROMIUM.exists():
        message = "Chromium is missing: `apt-get install chromium` brings it."
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    # Playwright runs an event loop in this thread, which Django takes for an async view.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ],
        )
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """A fresh window on the site: ``page.goto("/")``."""
    context = browser.new_context(base_url=site.url, locale="en-GB")
    context.set_default_timeout(BROWSER_WAITS)
    yield context.new_page()
    context.close()


@pytest.fixture(autouse=True)
def _no_language_left() -> Iterator[None]:
    """What a page or a test has activated ends with the test."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def _empty_journal() -> Iterator[None]:
    """The storage beside the database is this process's memory, emptied after each test."""
    yield
    journal = storages["journal"]
    with suppress(FileNotFoundError):
        for folder in journal.listdir("")[0]:
            for name in journal.listdir(folder)[1]:
                journal.delete(f"{folder}/{name}")


@pytest.fixture
def uploads_folder(settings: Any, tmp_path: Path) -> Path:
    """Where uploads of imports are kept during the test."""
    folder = tmp_path / "imports"
    options = {**settings.IMPORT_STORAGE_OPTIONS, "location": str(folder)}
    settings.STORAGES = {
        **settings.STORAGES,
        "imports": {"BACKEND": settings.IMPORT_STORAGE, "OPTIONS": options},
    }
    return folder
