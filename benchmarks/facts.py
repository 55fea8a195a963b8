"""Made-up people with made-up facts, written fast."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
from uuid_utils.compat import uuid7

from accounts.models import Application, EndUser, User
from memoryapp.ports import Embedder

THINGS = (
    *("jazz records", "sourdough bread", "mountain huts", "crosswords", "black coffee"),
    *("green tea", "chess openings", "wool socks", "old maps", "film cameras", "night trains"),
    *("botanical gardens", "ramen", "pickled onions", "kayaking", "table tennis"),
    *("fountain pens", "mystery novels", "radio plays", "street markets", "rye bread"),
    *("swimming in lakes", "bird watching", "cheap flights", "quiet hotels", "window seats"),
    *("tabs", "dark mode", "vim", "mechanical keyboards"),
)
SAID = (
    ("likes", "preference", "You like {}."),
    ("dislikes", "preference", "You don’t like {}."),
    ("prefers", "preference", "You prefer {}."),
    ("project", "project", "You are working on {}."),
    ("goal", "project", "A goal of yours: {}."),
    ("constraint", "constraint", "A limit of yours: {}."),
    ("owns", "personal", "You own {}."),
    ("mentioned", "entity", "You mentioned {}."),
    ("decision", "decision", "You decided: {}."),
    ("uses", "preference", "You use {}."),
)
# With these behind them there are more than a thousand different statements.
WHEN = ("", " on Sundays", " at work", " in winter", " with friends")
QUESTIONS = tuple(
    question.format(thing)
    for thing in THINGS
    for question in ("Do I like {}?", "What did I say about {}?", "Help me to find {}, please")
)
NOW = datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Phrase:
    attribute: str
    kind: str
    value: str
    statement: str
    vector: str


def phrases(embedder: Embedder) -> list[Phrase]:
    said = [
        (attribute, kind, thing + when, sentence.format(thing + when))
        for when in WHEN
        for thing in THINGS
        for attribute, kind, sentence in SAID
    ]
    vectors = embedder.documents([statement for *_, statement in said])
    return [
        Phrase(*words, vector="[" + ",".join(f"{x:.5g}" for x in vector.tolist()) + "]")
        for words, vector in zip(said, vectors, strict=True)
    ]


def people(count: int, label: str = "") -> tuple[Application, list[tuple[str, UUID]]]:
    """An application with so many users: their external ids and ids. ``label`` tells one
    from another."""
    owner = User.objects.create_user(f"bench{label}@example.com")
    app = Application.objects.create(owner=owner, name="bench")
    users = [User(password="!") for _ in range(count)]  # noqa: S106  # nobody signs in
    User.objects.bulk_create(users, batch_size=1000)
    EndUser.objects.bulk_create(
        [
            EndUser(application=app, external_id=f"user-{number}", user=user)
            for number, user in enumerate(users)
        ],
        batch_size=1000,
    )
    return app, [(f"user-{number}", user.pk) for number, user in enumerate(users)]


def load(
    admin_url: str,
    each: Mapping[UUID, int],
    embedder: Embedder,
    *,
    messages: int = 0,
    seed: int = 7,
) -> int:
    """Gives each user so many facts, nine in ten of them current, each with a quote and a
    vector, and so many messages, findable and with vectors. A user's rows are scattered over
    the tables, as they are when people write by turns. Returns how many facts were written."""
    chance = random.Random(seed)  # noqa: S311
    known = phrases(embedder)
    most = max(each.values())
    # Beyond the different things that are said, the same are said of one's further years.
    known += [
        replace(
            phrase,
            value=f"{phrase.value} ({year})",
            statement=f"{phrase.statement.removesuffix('.')} ({year}).",
        )
        for year in range(1, -(-most // len(known)))
        for phrase in known
    ]
    mine = {user: chance.sample(known, count) for user, count in each.items()}
    rows = [
        (uuid7(), user, mine[user][number], number)
        for number in range(most)
        for user, count in each.items()
        if number < count
    ]
    ids = {(user, number): fact_id for fact_id, user, _, number in rows}
    with psycopg.connect(admin_url) as connection, connection.cursor() as cursor:
        # The ids are ours: checking each link again would take longer than writing.
        cursor.execute("SET session_replication_role = replica")
        for table, columns, lines in (
            ("fact", FACT, _facts(rows, ids, chance)),
            ("evidence", EVIDENCE, _evidence(rows)),
            ("factembedding", EMBEDDING, _embeddings(rows, embedder)),
            *_talk(list(each), known, messages, embedder),
        ):
            with cursor.copy(f"COPY memoryapp_{table} ({columns}) FROM STDIN") as copy:
                for line in lines:
                    copy.write_row(line)
    with psycopg.connect(admin_url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return len(rows)


def _talk(
    users: Sequence[UUID], known: Sequence[Phrase], messages: int, embedder: Embedder
) -> Iterator[tuple[str, str, Iterator[Sequence[Any]]]]:
    """The tables of a conversation a user, with their columns and rows."""
    if not messages:
        return
    talks = {user: uuid7() for user in users}
    ids = {(user, number): uuid7() for number in range(messages) for user in users}
    yield (
        "conversation",
        "id, user_id, external_id, title, created_at, last_message_at, learning",
        ((talk, user, "talk", "", NOW, NOW, "on") for user, talk in talks.items()),
    )
    yield (
        "message",
        "id, user_id, conversation_id, external_id, role, content, content_hash, sent_at,"
        " received_at, state, redactions, excerpt",
        (
            (
                message_id, user, talks[user], str(number), ("user", "assistant")[number % 2],
                f"By the way: {known[number % len(known)].statement} What do you think of it?",
                b"", NOW - timedelta(minutes=messages - number), NOW, "processed", 0, "yes",
            )
            for (user, number), message_id in ids.items()
        ),
    )  # fmt: skip
    yield (
        "messageembedding",
        "id, user_id, message_id, model, dimension, embedding",
        (
            (
                uuid7(), user, message_id, embedder.model, embedder.dimension,
                known[number % len(known)].vector,
            )
            for (user, number), message_id in ids.items()
        ),
    )  # fmt: skip


Row = tuple[UUID, UUID, Phrase, int]
FACT = (
    "id, user_id, subject, attribute, scope, value, value_key, polarity, operation, statement,"
    " kind, single, confidence, importance, sensitivity, status, valid_from, valid_to, precision,"
    " recorded_at, closed_at, superseded_by_id, supersession, last_stated_at, pinned,"
    " expiry_chosen"
)
EVIDENCE = (
    'id, user_id, fact_id, source, start, "end", quote, sent_at, precision, correction,'
    " confidence, importance, recorded_at"
)
EMBEDDING = "id, user_id, fact_id, model, dimension, embedding"


def _facts(
    rows: Sequence[Row], ids: dict[tuple[UUID, int], UUID], chance: random.Random
) -> Iterator[Sequence[Any]]:
    for fact_id, user, phrase, number in rows:
        at = NOW - timedelta(days=chance.random() * 700)
        replaced = number % 10 == 9
        yield (
            fact_id, user, "user", phrase.attribute, "", phrase.value, phrase.value, "affirmed",
            "state", phrase.statement, phrase.kind, False, 0.8, 0.5, "",
            "superseded" if replaced else "current", at, NOW if replaced else None, "day", at,
            NOW if replaced else None, ids[user, number - 1] if replaced else None,
            "change" if replaced else "", at, False, False,
        )  # fmt: skip


def _evidence(rows: Sequence[Row]) -> Iterator[Sequence[Any]]:
    for fact_id, user, phrase, _ in rows:
        quote = f"By the way: {phrase.value}, that matters to me."
        yield (
            uuid7(), user, fact_id, "message", 0, len(quote), quote, NOW, "instant", False, 0.8,
            0.5, NOW,
        )  # fmt: skip


def _embeddings(rows: Sequence[Row], embedder: Embedder) -> Iterator[Sequence[Any]]:
    for fact_id, user, phrase, _ in rows:
        yield uuid7(), user, fact_id, embedder.model, embedder.dimension, phrase.vector
