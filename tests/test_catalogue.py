"""What the database's own catalogue must say of every table that holds a user's data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.db import connection as django_connection
from django.db import models
from psycopg import sql

from tests.server import APP

Connection = psycopg.Connection[Any]

# Text and vectors: what a user said, or what was made of it. Postgres keeps no statistics.
CONTENT = {
    "conversation": {"title"},
    "message": {"content", "search"},
    "fact": {"subject", "scope", "value", "value_key", "statement", "search"},
    "evidence": {"quote"},
    "decision": {"subject", "scope", "value"},
    "factembedding": {"embedding"},
    "messageembedding": {"embedding"},
    "embeddingcache": {"embedding"},
    "erasurerequest": {"what"},
    "handact": {"before"},
    "nevertopic": {"words"},
    "subjectalias": {"alias", "subject"},
}
# Words and ids of ours or of the frontend's, counts, and keyed hashes.
NOT_CONTENT = {
    "conversation": {"external_id", "learning"},
    "message": {"external_id", "role", "content_hash", "state", "excerpt"},
    "extraction": {"extractor", "version", "outcome", "dropped"},
    "fact": {
        "attribute",
        "polarity",
        "operation",
        "kind",
        "sensitivity",
        "status",
        "precision",
        "supersession",
    },
    "evidence": {"source", "precision"},
    "decision": {"outcome", "judge", "reason", "scores", "attribute"},
    "factembedding": {"model"},
    "messageembedding": {"model"},
    "factlink": {"kind"},
    "embeddingcache": {"key", "model"},
    "erasurerequest": {"state"},
    "erasurereceipt": {"target", "counts", "fact_ids", "choice"},
    "tombstone": {"hash"},
    "auditevent": {"actor", "action", "object", "details", "previous_hash", "hash"},
    "import": {"format", "state", "actor", "file", "preview", "counts", "error"},
    "outbox": {"error"},
    "idempotencykey": {"key_hash", "request_hash", "body"},
    "memorysettings": {"sensitive_opt_in", "expiry"},
    "nevertopic": {"attribute", "area", "sensitivity"},
    "subjectalias": {"evidence"},
    "memoryevent": {"type", "data"},
    "webhookdelivery": {"state", "error", "log"},
    "memoryuse": {"via"},
    "handact": {"kind", "actor"},
}
# Tables of other apps that name a user. They are read before it is known who asks, or by
# Django itself, so the session's user can't guard them; none holds a memory.
ELSEWHERE = {
    "account_emailaddress": "allauth's: sign-in looks an address up",
    "accounts_enduser": "which account an application means by its own id",
    "accounts_pagelink": "a link is looked up by its hash, before anybody is signed in",
    "accounts_user_groups": "Django's rights of staff",
    "accounts_user_user_permissions": "Django's rights of staff",
    "django_admin_log": "Django's log of what staff changed",
    "mfa_authenticator": "allauth's: asked for before anybody is signed in",
    "usersessions_usersession": "allauth's: a session is looked up by its key",
}

OWNED = """
    SELECT c.oid, c.relname AS name, c.relispartition AS partition
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND c.relname LIKE 'memoryapp\\_%' AND EXISTS (
            SELECT FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attname = 'user_id' AND NOT a.attisdropped)
"""


def names(connection: Connection, query: str) -> list[str]:
    """The first column of the query, which may use ``owned``."""
    rows = connection.execute(f"WITH owned AS ({OWNED}) {query}")
    return sorted({str(name) for (name,) in rows})


def without_forced_row_security(connection: Connection) -> list[str]:
    return names(
        connection,
        "SELECT name FROM owned JOIN pg_class USING (oid)"
        " WHERE NOT (relrowsecurity AND relforcerowsecurity)",
    )


def without_a_policy_on_reads_and_writes(connection: Connection) -> list[str]:
    return names(
        connection,
        "SELECT name FROM owned WHERE NOT EXISTS (SELECT FROM pg_policy"
        " WHERE polrelid = owned.oid AND polcmd = '*' AND polroles = '{0}'"
        " AND pg_get_expr(polqual, polrelid) = pg_get_expr(polwithcheck, polrelid)"
        " AND pg_get_expr(polqual, polrelid) ~ 'user_id = .*app.user_id')",
    )


def with_another_policy_that_writes(connection: Connection) -> list[str]:
    """Policies are joined by "or": beside the one, others may only read, and only for
    auditors or, without content, for the sweep. The owner completes receipts."""
    return names(
        connection,
        "SELECT name FROM owned JOIN pg_policy ON polrelid = owned.oid"
        " JOIN pg_class ON pg_class.oid = owned.oid"
        " WHERE polname <> 'own_rows' AND NOT (polname = 'owner_completes'"
        " AND name = 'memoryapp_erasurereceipt' AND polroles = ARRAY[relowner]"
        f" AND NOT pg_has_role('{APP}', relowner, 'USAGE'))"
        " AND NOT (polcmd = 'r' AND ("
        " pg_get_expr(polqual, polrelid) ~ 'memoryapp_is_auditor'"
        " OR (polname = 'relay_reads' AND name IN ('memoryapp_outbox',"
        " 'memoryapp_memoryevent', 'memoryapp_webhookdelivery'))))",
    )


def without_the_users_primary_key(connection: Connection) -> list[str]:
    return names(
        connection,
        "SELECT name FROM owned WHERE NOT EXISTS (SELECT FROM pg_constraint"
        " WHERE conrelid = owned.oid AND contype = 'p'"
        " AND pg_get_constraintdef(pg_constraint.oid) = 'PRIMARY KEY (user_id, id)')",
    )


def with_a_link_that_could_cross_users(connection: Connection) -> list[str]:
    return names(
        connection,
        "SELECT name FROM owned JOIN pg_constraint ON conrelid = owned.oid WHERE contype = 'f'"
        " AND pg_get_constraintdef(pg_constraint.oid) !~"
        " '^FOREIGN KEY \\(user_id, \\w+\\) REFERENCES memoryapp_\\w+\\(user_id, id\\)'"
        " AND pg_get_constraintdef(pg_constraint.oid) !~"
        " '^FOREIGN KEY \\(user_id\\) REFERENCES accounts_user\\(id\\)'",
    )


def with_a_link_that_nothing_checks(connection: Connection) -> list[str]:
    """Columns named ``…_id`` without a foreign key, but for the application's: it is
    another app's, and may go while its conversations stay."""
    return names(
        connection,
        "SELECT name || '.' || attname FROM owned JOIN pg_attribute ON attrelid = oid"
        " WHERE attname ~ '_id$' AND attname NOT IN ('user_id', 'external_id', 'application_id')"
        " AND NOT attisdropped AND NOT EXISTS (SELECT FROM pg_constraint"
        " WHERE conrelid = owned.oid AND contype = 'f' AND attnum = ANY (conkey))",
    )


def with_a_unique_index_that_tells_of_others(connection: Connection) -> list[str]:
    return names(
        connection,
        "SELECT indexrelid::regclass::text FROM owned JOIN pg_index ON indrelid = oid"
        " JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]"
        " WHERE indisunique AND attname <> 'user_id'"
        " UNION SELECT indexrelid::regclass::text FROM owned JOIN pg_index ON indrelid = oid"
        " WHERE indisunique AND indkey[0] = 0",
    )


def with_partitions_that_the_application_reaches(connection: Connection) -> list[str]:
    return names(
        connection,
        "SELECT name FROM owned WHERE partition AND"
        f" has_table_privilege('{APP}', oid, 'SELECT, INSERT, UPDATE, DELETE')",
    )


def with_unsorted_columns(connection: Connection) -> list[str]:
    """Columns that can hold text, of which nobody has said whether it is content."""
    found = connection.execute(
        f"WITH owned AS ({OWNED}) SELECT name, attname FROM owned"
        " JOIN pg_attribute ON attrelid = oid JOIN pg_type t ON t.oid = atttypid"
        " WHERE NOT partition AND attnum > 0 AND NOT attisdropped AND ("
        " typcategory IN ('S', 'A') OR typname IN ('jsonb', 'bytea', 'tsvector', 'halfvec'))"
    ).fetchall()
    sorted_out: set[tuple[str, str]] = {
        (f"memoryapp_{table}", column)
        for group in (CONTENT, NOT_CONTENT)
        for table, columns in group.items()
        for column in columns
    }
    return sorted(f"{table}.{column}" for table, column in set(found) ^ sorted_out)


def with_statistics_on_content(connection: Connection) -> list[str]:
    """On the tables, their partitions, and indexes on expressions."""
    pairs = [
        f"(name ~ '^memoryapp_{table}(_p[0-9]+)?$' AND attname = '{column}')"
        for table, columns in CONTENT.items()
        for column in sorted(columns)
    ]
    return names(
        connection,
        "SELECT name || '.' || attname FROM owned JOIN pg_attribute ON attrelid = oid"
        f" WHERE coalesce(attstattarget, -1) <> 0 AND ({' OR '.join(pairs)})"
        " UNION SELECT indexrelid::regclass || '.' || a.attname FROM owned"
        " JOIN pg_index ON indrelid = oid JOIN pg_class c ON c.oid = indexrelid"
        " JOIN pg_attribute a ON a.attrelid = indexrelid"
        " WHERE c.relkind = 'i' AND indkey[a.attnum - 1] = 0"
        " AND coalesce(a.attstattarget, -1) <> 0",
    )


def what_the_application_owns(connection: Connection) -> list[str]:
    return names(
        connection,
        f"SELECT classid::regclass || ' ' || objid FROM pg_shdepend WHERE deptype = 'o'"
        f" AND refobjid = '{APP}'::regrole",
    )


def ways_around_the_policies(connection: Connection) -> list[str]:
    """Views that run as their owner, copies, functions that do."""
    return names(
        connection,
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND (relkind = 'm' OR (relkind = 'v'"
        " AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)))"
        " UNION SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
        " AND prosecdef",
    )


CHECKS: list[Callable[[Connection], list[str]]] = [
    without_forced_row_security,
    without_a_policy_on_reads_and_writes,
    with_another_policy_that_writes,
    without_the_users_primary_key,
    with_a_link_that_could_cross_users,
    with_a_link_that_nothing_checks,
    with_a_unique_index_that_tells_of_others,
    with_partitions_that_the_application_reaches,
    with_unsorted_columns,
    with_statistics_on_content,
    what_the_application_owns,
    ways_around_the_policies,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_no_table_is(
    check: Callable[[Connection], list[str]], owner_connection: Connection
) -> None:
    assert check(owner_connection) == []


TABLE = "CREATE TABLE memoryapp_new (id uuid, user_id uuid, PRIMARY KEY (user_id, id));"
RULES = (
    "ALTER TABLE memoryapp_new ENABLE ROW LEVEL SECURITY;"
    "ALTER TABLE memoryapp_new FORCE ROW LEVEL SECURITY;"
)


@pytest.mark.parametrize(
    ("check", "statement"),
    [
        (without_forced_row_security, TABLE),
        (without_forced_row_security, "ALTER TABLE memoryapp_fact_p07 NO FORCE ROW LEVEL SECURITY"),
        (without_a_policy_on_reads_and_writes, TABLE + RULES),
        (
            without_a_policy_on_reads_and_writes,
            TABLE + RULES + "CREATE POLICY own_rows ON memoryapp_new USING"
            " (user_id = current_setting('app.user_id')::uuid) WITH CHECK (true)",
        ),
        (with_another_policy_that_writes, "CREATE POLICY more ON memoryapp_fact USING (true)"),
        (
            without_the_users_primary_key,
            "CREATE TABLE memoryapp_new (id uuid PRIMARY KEY, user_id uuid)",
        ),
        (
            with_a_link_that_could_cross_users,
            "ALTER TABLE memoryapp_outbox ADD UNIQUE (id);"
            + TABLE
            + "ALTER TABLE memoryapp_new ADD work_id uuid REFERENCES memoryapp_outbox (id)",
        ),
        (with_a_link_that_nothing_checks, "ALTER TABLE memoryapp_outbox ADD fact_id uuid"),
        (
            with_a_unique_index_that_tells_of_others,
            "CREATE UNIQUE INDEX ON memoryapp_conversation (external_id)",
        ),
        (
            with_a_unique_index_that_tells_of_others,
            "CREATE UNIQUE INDEX ON memoryapp_conversation (lower(external_id), user_id)",
        ),
        (
            with_partitions_that_the_application_reaches,
            f"GRANT INSERT ON memoryapp_message_p00 TO {APP}",
        ),
        (with_unsorted_columns, "ALTER TABLE memoryapp_fact ADD note text"),
        (with_unsorted_columns, "ALTER TABLE memoryapp_fact DROP sensitivity"),
        (
            with_statistics_on_content,
            "ALTER TABLE memoryapp_message_p03 ALTER content SET STATISTICS 100",
        ),
        (with_statistics_on_content, "CREATE INDEX ON memoryapp_fact (lower(value))"),
        (what_the_application_owns, f"{TABLE} ALTER TABLE memoryapp_new OWNER TO {APP}"),
        (ways_around_the_policies, "CREATE VIEW spy AS SELECT * FROM memoryapp_fact"),
        (ways_around_the_policies, "CREATE MATERIALIZED VIEW spy AS SELECT 1 AS one"),
        (
            ways_around_the_policies,
            "CREATE FUNCTION spy() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
        ),
    ],
)
def test_each_check_sees_what_it_is_for(
    check: Callable[[Connection], list[str]], statement: str, owner_connection: Connection
) -> None:
    with owner_connection.transaction(force_rollback=True):
        owner_connection.execute(statement)
        assert check(owner_connection) != []


# -- The application's role ----------------------------------------------------------------------


def test_the_application_is_bound_by_the_rules(owner_connection: Connection) -> None:
    row = owner_connection.execute(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,"
        " EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid)"
        " FROM pg_roles WHERE rolname = %s",
        [APP],
    ).fetchone()
    assert row == (False, False, False, False, False)


def test_tests_connect_as_the_application(db: None) -> None:
    with django_connection.cursor() as cursor:
        cursor.execute("SELECT session_user, current_user")
        assert cursor.fetchone() == (APP, APP)


def privileges(connection: Connection, table: str) -> set[str]:
    kinds = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")
    return {
        kind
        for kind in kinds
        if connection.execute(
            "SELECT has_table_privilege(%s, %s, %s)", [APP, table, kind]
        ).fetchone()
        == (True,)
    }


@pytest.mark.parametrize(
    ("table", "allowed"),
    [
        ("memoryapp_fact", {"SELECT", "INSERT", "UPDATE", "DELETE"}),
        ("memoryapp_auditevent", {"SELECT", "INSERT"}),
        ("memoryapp_erasurereceipt", {"SELECT", "INSERT"}),
        ("memoryapp_idempotencykey", {"SELECT", "INSERT", "DELETE"}),
        ("memoryapp_memoryevent", {"SELECT", "INSERT", "DELETE"}),
        ("django_migrations", {"SELECT"}),
    ],
)
def test_what_the_application_may_do(
    owner_connection: Connection, table: str, allowed: set[str]
) -> None:
    assert privileges(owner_connection, table) == allowed


# -- Django and the database ---------------------------------------------------------------------

MODELS = list(apps.get_app_config("memoryapp").get_models())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.model_name)
def test_a_models_columns_are_the_tables(
    model: type[models.Model], owner_connection: Connection
) -> None:
    held = owner_connection.execute(
        "SELECT attname, format_type(atttypid, atttypmod), NOT attnotnull FROM pg_attribute"
        " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
        " AND attgenerated = ''",
        [model._meta.db_table],
    ).fetchall()
    wanted = {
        (
            field.column,
            str(field.db_type(django_connection)).replace("varchar", "character varying"),
            field.null,
        )
        for field in model._meta.concrete_fields
    }
    assert set(held) == wanted


def test_every_table_of_ours_has_a_model(owner_connection: Connection) -> None:
    tables = owner_connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relkind IN ('r', 'p') AND NOT relispartition AND relname LIKE 'memoryapp\\_%'"
    ).fetchall()
    assert {name for (name,) in tables} == {model._meta.db_table for model in MODELS}


def test_other_tables_that_name_a_user_are_known(owner_connection: Connection) -> None:
    tables = owner_connection.execute(
        "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public'"
        " AND column_name = 'user_id' AND table_name NOT LIKE 'memoryapp\\_%'"
    ).fetchall()
    assert {name for (name,) in tables} == set(ELSEWHERE)


def test_an_erasure_finds_a_users_rows_in_one_partition(owner_connection: Connection) -> None:
    """So that the pass after it rewrites one small table of each kind."""
    for table in (
        "message", "fact", "evidence", "decision", "factembedding", "messageembedding",
    ):  # fmt: skip
        (count,) = owner_connection.execute(
            sql.SQL("SELECT count(*) FROM pg_inherits WHERE inhparent = {}::regclass").format(
                sql.Literal(f"memoryapp_{table}")
            )
        ).fetchone() or (0,)
        assert count == 32, table
