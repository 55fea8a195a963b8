"""Making a database ready, and refusing one that isn't, on real servers and roles."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from io import StringIO
from typing import Any, TypedDict
from uuid import uuid4

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql
from psycopg.conninfo import make_conninfo

from memoryapp import checks, database
from tests.server import APP, OWNER, WorkerDatabase

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin_url(worker_database: WorkerDatabase) -> str:
    return make_conninfo(worker_database.admin_url, dbname="postgres")


class Names(TypedDict):
    database: str
    owner: str
    app: str


@pytest.fixture
def names(admin_url: str) -> Iterator[Names]:
    """Names for a database and two roles that nobody has made yet."""
    mark = uuid4().hex[:8]
    made = Names(database=f"d{mark}", owner=f"o{mark}", app=f"a{mark}")
    yield made
    with psycopg.connect(admin_url, autocommit=True) as admin:
        identifiers = {key: sql.Identifier(str(value)) for key, value in made.items()}
        admin.execute(
            sql.SQL("DROP DATABASE IF EXISTS {database} WITH (FORCE)").format(**identifiers)
        )
        for role in ("owner", "app"):
            admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(identifiers[role]))


@pytest.fixture
def connect() -> Iterator[Any]:
    """Django's connection to the worker's server as another role, or to another database."""
    opened: list[BaseDatabaseWrapper] = []

    def connect(*, user: str = APP, name: str = "", alias: str = "probe") -> BaseDatabaseWrapper:
        copy = connection.copy(alias)
        copy.settings_dict["USER"] = user
        copy.settings_dict["NAME"] = name or copy.settings_dict["NAME"]
        opened.append(copy)
        return copy

    yield connect
    for copy in opened:
        copy.close()


def test_the_tests_own_database_is_fit() -> None:
    assert database.problems(connection) == []


@pytest.mark.parametrize(
    ("user", "problem"),
    [
        ("postgres", r"superuser.*DATABASE_URL must name the application's role"),
        (OWNER, r"owns memoryapp's tables.*DATABASE_OWNER_URL"),
    ],
)
def test_a_role_that_rules_dont_bind_is_refused(connect: Any, user: str, problem: str) -> None:
    (found,) = database.role_problems(connect(user=user))
    assert re.search(problem, found)


def test_a_role_with_bypassrls_is_refused(connect: Any, admin_url: str, names: Names) -> None:
    with psycopg.connect(admin_url, autocommit=True) as admin:
        role = sql.Identifier(names["app"])
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN BYPASSRLS").format(role))
        (found,) = database.role_problems(connect(user=names["app"], name="postgres"))
        assert "BYPASSRLS" in found
        with pytest.raises(database.PrepareError, match="NOBYPASSRLS"):
            database.prepare(admin_url, **names)


def test_no_process_keeps_a_connection_of_such_a_role(
    connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks.guard, "passed", False)
    unsafe = connect(user="postgres", alias="default")
    for _ in range(2):
        with pytest.raises(ImproperlyConfigured, match="superuser"):
            unsafe.ensure_connection()
        assert unsafe.connection is None
    safe = connect(alias="default")
    safe.ensure_connection()
    assert checks.guard.passed


def test_a_database_without_pgvector_and_tables_is_refused(
    connect: Any, admin_url: str, names: Names
) -> None:
    database.prepare(admin_url, **names)
    bare = connect(user=names["app"], name=names["database"])
    (found,) = database.problems(bare)
    assert "migrate --database owner" in found
    with psycopg.connect(make_conninfo(admin_url, dbname=names["database"])) as admin:
        admin.execute("DROP EXTENSION vector")
    (found,) = database.server_problems(bare)
    assert "CREATE EXTENSION vector" in found


def test_a_database_in_another_encoding_is_refused(
    connect: Any, admin_url: str, names: Names
) -> None:
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute(
            sql.SQL(
                "CREATE DATABASE {} TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc"
                " LOCALE 'C'"
            ).format(sql.Identifier(names["database"]))
        )
    found = database.server_problems(connect(user="postgres", name=names["database"]))
    assert any("LATIN1" in problem for problem in found)


def test_many_may_prepare_at_once(admin_url: str, names: Names) -> None:
    failures: list[BaseException] = []
    together = threading.Barrier(6)
    # From two databases: their advisory locks don't know each other.
    urls = [admin_url, make_conninfo(admin_url, dbname="template1")]

    def prepare(url: str) -> None:
        try:
            together.wait(10)
            database.prepare(url, **names)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=prepare, args=(urls[n % 2],)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with psycopg.connect(make_conninfo(admin_url, dbname=names["database"])) as inside:
        row = inside.execute(
            "SELECT pg_get_userbyid(datdba), (SELECT count(*) FROM pg_extension"
            " WHERE extname = 'vector') FROM pg_database WHERE datname = current_database()"
        ).fetchone()
    assert row == (names["owner"], 1)


def test_setup_database_prints_addresses_that_work(admin_url: str, names: Names) -> None:
    def run(**options: Any) -> dict[str, str]:
        out = StringIO()
        call_command(
            "setup_database", admin_url=admin_url, stdout=out, stderr=StringIO(), **names, **options
        )
        return dict(line.split("=", 1) for line in out.getvalue().splitlines())

    first = run()
    assert first["DATABASE_APP_ROLE"] == names["app"]
    for variable, role in (
        ("DATABASE_URL", names["app"]),
        ("DATABASE_OWNER_URL", names["owner"]),
    ):
        with psycopg.connect(first[variable]) as session:
            assert session.info.user == role
            assert session.info.dbname == names["database"]
    # A second run tells no password that isn't so, and leaves the old ones alone.
    with psycopg.connect(admin_url) as admin:
        query = "SELECT rolpassword FROM pg_authid WHERE rolname = %s"
        before = admin.execute(query, [names["app"]]).fetchone()
        assert "THE-PASSWORD-IT-HAS" in run()["DATABASE_URL"]
        assert admin.execute(query, [names["app"]]).fetchone() == before
        assert "THE-PASSWORD-IT-HAS" not in run(new_passwords=True)["DATABASE_URL"]
        assert admin.execute(query, [names["app"]]).fetchone() != before


@pytest.mark.parametrize("url", ["", "not an address", "postgresql://nobody@127.0.0.1:1/none"])
def test_setup_database_says_what_is_wrong_with_an_address(url: str) -> None:
    with pytest.raises(CommandError, match=r"address|reached"):
        call_command("setup_database", admin_url=url, stdout=StringIO(), stderr=StringIO())


def test_an_ordinary_role_cant_prepare(worker_database: WorkerDatabase, names: Names) -> None:
    with pytest.raises(database.PrepareError, match="Give the address of an administrator"):
        database.prepare(worker_database.url, **names)
