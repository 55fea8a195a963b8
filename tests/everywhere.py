"""Looking for erased words in every table, as a superuser sees them."""

from __future__ import annotations

from typing import Any

import psycopg

WORDS = "zanzibar"  # stands in every text that an erasure must remove


def everywhere(connection: psycopg.Connection[Any]) -> list[str]:
    """The tables in which a row's text contains the words, the log's own included."""
    tables = connection.execute(
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition"
        " AND relnamespace = 'public'::regnamespace"
    ).fetchall()
    return [
        name
        for (name,) in tables
        if connection.execute(
            f"SELECT EXISTS (SELECT FROM {name} AS t WHERE t::text ILIKE %s)",
            [f"%{WORDS}%"],
        ).fetchone()
        == (True,)
    ]
