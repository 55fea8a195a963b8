"""The database before Django uses it: its roles, and what a start refuses.

Two roles: the owner, as which migrations run, and the application's, as which
everything else runs and which row-level security binds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import psycopg
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import gettext as _
from psycopg import errors, sql
from psycopg.conninfo import make_conninfo

OLDEST_POSTGRES = 15
OLDEST_VECTOR = (0, 8)
# One number for all who prepare databases on this cluster at the same time.
PREPARING = 7_365_041_192

T = TypeVar("T")
Admin = psycopg.Connection[Any]


class PrepareError(Exception):
    """Why the database can't be prepared, and the cure, in a sentence or two."""


def prepare(
    admin_url: str,
    *,
    database: str = "memoryapp",
    owner: str = "memoryapp_owner",
    app: str = "memoryapp_app",
    owner_password: str | None = None,
    app_password: str | None = None,
    keep_passwords: bool = False,
) -> frozenset[str]:
    """Makes the two roles, the database and the extension, where they are missing;
    sets the passwords that are given, with ``keep_passwords`` only those of new roles.
    Returns the roles it made. Safe to repeat and to run several times at once. Raises
    PrepareError."""
    made: set[str] = set()
    try:
        with psycopg.connect(admin_url, autocommit=True) as admin:
            # Serves those who connect to the same database; _twice serves the others.
            admin.execute("SELECT pg_advisory_lock(%s)", [PREPARING])
            for name, password in ((owner, owner_password), (app, app_password)):
                if _twice(partial(_make_role, admin, name)):
                    made.add(name)
                if password is not None and (name in made or not keep_passwords):
                    _set_password(admin, name, password)
            _check_app_role(admin, app)
            _twice(lambda: _prepare_database(admin, database, owner, app))
        target = make_conninfo(admin_url, dbname=database)
        with psycopg.connect(target, autocommit=True) as inside:
            _twice(lambda: _prepare_extension(inside))
    except errors.InsufficientPrivilege as error:
        raise PrepareError(
            _(
                "The role of this address may not make roles, databases and extensions "
                "({reason}). Give the address of an administrator."
            ).format(reason=_reason(error))
        ) from None
    except psycopg.OperationalError as error:
        raise PrepareError(
            _("Postgres can't be reached ({reason}).").format(reason=_reason(error))
        ) from None
    except psycopg.Error as error:
        raise PrepareError(
            _("Postgres refuses to make the database ({reason}).").format(reason=_reason(error))
        ) from None
    return frozenset(made)


def _twice(step: Callable[[], T]) -> T:
    """Once more when somebody else made the same thing at the same moment."""
    try:
        return step()
    except (errors.DuplicateObject, errors.DuplicateDatabase, errors.UniqueViolation):
        time.sleep(0.2)
        return step()


def _make_role(admin: Admin, name: str) -> bool:
    if admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone():
        return False
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(name)))
    return True


def _set_password(admin: Admin, name: str, password: str) -> None:
    # Hashed here, so that the server's log can't catch it.
    hashed = admin.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256")
    admin.execute(
        sql.SQL("ALTER ROLE {} PASSWORD {}").format(
            sql.Identifier(name), sql.Literal(hashed.decode())
        )
    )


def _check_app_role(admin: Admin, app: str) -> None:
    row = admin.execute(
        "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = %s", [app]
    ).fetchone()
    if row and row[0]:
        raise PrepareError(
            _(
                "The role {role} exists and bypasses row-level security. Run "
                "`ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS`, or choose another role."
            ).format(role=app)
        )


def _prepare_database(admin: Admin, database: str, owner: str, app: str) -> None:
    names = {
        "database": sql.Identifier(database),
        "owner": sql.Identifier(owner),
        "app": sql.Identifier(app),
    }
    if not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
        if not _is_superuser(admin):
            # Only a member may give a database to a role.
            admin.execute(sql.SQL("GRANT {owner} TO CURRENT_USER").format(**names))
        admin.execute(
            sql.SQL(
                "CREATE DATABASE {database} OWNER {owner} TEMPLATE template0 ENCODING 'UTF8'"
            ).format(**names)
        )
    admin.execute(sql.SQL("REVOKE ALL ON DATABASE {database} FROM PUBLIC").format(**names))
    admin.execute(sql.SQL("GRANT CONNECT ON DATABASE {database} TO {app}").format(**names))


def _is_superuser(admin: Admin) -> bool:
    row = admin.execute("SELECT rolsuper FROM pg_roles WHERE rolname = CURRENT_USER").fetchone()
    return bool(row and row[0])


def _prepare_extension(inside: Admin) -> None:
    try:
        inside.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (errors.FeatureNotSupported, errors.UndefinedFile):
        raise PrepareError(
            _(
                "This Postgres server doesn't have pgvector. Install it on the server (for "
                "instance Debian's package postgresql-18-pgvector), then run this again."
            )
        ) from None


def _reason(error: psycopg.Error) -> str:
    return error.diag.message_primary or str(error).strip().splitlines()[-1]


def problems(connection: BaseDatabaseWrapper) -> list[str]:
    """What a start must refuse about this database, each with its cure; empty when
    all is well. Raises django.db.OperationalError when it can't be reached."""
    return [*server_problems(connection), *role_problems(connection), *_unmigrated(connection)]


def server_problems(connection: BaseDatabaseWrapper) -> list[str]:
    """Its version, its encoding and pgvector."""
    found = []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version_num')::int / 10000,"
            " current_setting('server_encoding'), current_database(),"
            " (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        )
        version, encoding, database, vector = cursor.fetchone()
    if version < OLDEST_POSTGRES:
        found.append(
            _(
                "Postgres {version} is too old: use Postgres {oldest} or newer, with pgvector "
                "0.8 or newer."
            ).format(version=version, oldest=OLDEST_POSTGRES)
        )
    if encoding != "UTF8":
        found.append(
            _(
                "The database {database} stores text as {encoding}. Make one with the encoding "
                "UTF8: `manage.py setup_database` does."
            ).format(database=database, encoding=encoding)
        )
    if vector is None:
        found.append(
            _(
                "The database {database} lacks pgvector. As its administrator run "
                "`CREATE EXTENSION vector` in it, or `manage.py setup_database`."
            ).format(database=database)
        )
    elif _numbers(vector) < OLDEST_VECTOR:
        found.append(
            _(
                "pgvector {version} is too old. Install 0.8 or newer on the server and run "
                "`ALTER EXTENSION vector UPDATE`."
            ).format(version=vector)
        )
    return found


def role_problems(connection: BaseDatabaseWrapper) -> list[str]:
    """Whether this connection's role is one that row-level security binds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_user, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
        )
        role, is_superuser, bypasses = cursor.fetchone()
        cursor.execute(
            "SELECT count(*) FROM pg_class"
            " WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace"
            " AND relname LIKE 'memoryapp\\_%%' AND pg_has_role(relowner, 'USAGE')",
            [],
        )
        (owned,) = cursor.fetchone()
    if is_superuser:
        problem = _("The role {role} is a superuser, whom row-level security doesn't bind.")
    elif bypasses:
        problem = _("The role {role} bypasses row-level security (BYPASSRLS).")
    elif owned:
        problem = _("The role {role} owns memoryapp's tables, so it could lift their rules.")
    else:
        return []
    cure = _(
        "DATABASE_URL must name the application's role ({app}), and DATABASE_OWNER_URL the "
        "owner: `manage.py setup_database` makes both."
    )
    return [f"{problem} {cure}".format(role=role, app=settings.DATABASE_APP_ROLE)]


def _unmigrated(connection: BaseDatabaseWrapper) -> list[str]:
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return [
            _(
                "The database's tables are older than this code. Set DATABASE_OWNER_URL and run "
                "`manage.py migrate --database owner`."
            )
        ]
    return []


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
