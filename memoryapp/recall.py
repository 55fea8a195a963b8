"""A question to the facts that matter for it (DESIGN section 6). Calls no model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from django.utils.translation import gettext as _
from numpy.typing import NDArray
from uuid_utils.compat import uuid7

from memoryapp import asking, ranking, sql
from memoryapp.ports import Embedder
from memoryapp.records import (
    EvidenceView,
    Hit,
    Link,
    RecallOptions,
    RecallResult,
    Related,
    ScoreParts,
)
from memoryapp.registry import HALF_LIFE_DAYS

MOST = 50
DEEPEST = 3
# How many rows of each list, by meaning and by words, are fused (FINDINGS).
DEPTH = 50
# So many more than asked for are looked at, so that near copies can give way.
SPARE = 20
# A fact below this is not about the question. ``support`` is how sure that is: logistic in
# the vector's similarity, the share of the question's words held, how near the question
# comes to the fact's attribute, and how much nearer it comes to another, which says that
# something else is asked for; less for a fact about somebody else than the question (cosine
# alone can't tell an answerable question from another, FINDINGS). Found with MiniLM on 49
# facts, 64 questions about them and 50 near ones about what isn't held ("my favourite
# restaurant" beside a favourite film): AUC .93; without the attributes .83. With the names of
# attributes and the ways people speak of them, 8 % of the answerable lose their fact, and
# 10 % of the others get one, most of them about the same thing. The weights were fitted to
# these questions: expect a little less.
FLOOR = 0.4
SUPPORT = {"constant": -4.5, "by_vector": 6.0, "by_words": 1.0, "by_attribute": 4.0, "by_gap": -6.0}
# The share of the weighted sum of vector and text in a fact's relevance; support has the
# rest. By the sum alone .81 of those questions had their fact first, so .88.
FUSED = 0.3
# What a fact gains that held or was spoken of at the time that the question names.
DURING = 0.3
# Of two facts closer than this one may be a copy of the other; a number or a name apart
# they still are not.
COPY = 0.93
# The words at the end of a long message are the question more often than not.
TEXT_CHARACTERS = 2_000
# A clause is resolved by a fact that holds this share of its words, and no other does.
CLEAR = 0.5
# A fact in JSON (DESIGN section 10); the statement's columns come under these names.
FACT_FIELDS = (
    "id",
    "subject",
    "attribute",
    "scope",
    "value",
    "polarity",
    "statement",
    "kind",
    "confidence",
    "importance",
    "status",
    "valid_from",
    "valid_to",
    "precision",
    "recorded_at",
    "retired_at",
    "superseded_by",
    "expires_at",
)
# Before everything.
FIRST = datetime(1, 1, 2, tzinfo=UTC)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its words, its vector (None when it can't be embedded), how near it comes
    to each attribute, the nearest first, the attributes that it calls by their names, and
    the time ``[since, until)`` that it names."""

    text: str
    vector: NDArray[Any] | None
    near: Mapping[str, float] = field(default_factory=dict)
    named: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None


def recall(
    *, user_id: UUID, asked: Asked, embedder: Embedder, options: RecallOptions, now: datetime
) -> RecallResult:
    """The user's facts about the question, best first; abstained when there is none.

    Needs ``acting_for(user_id)``. Without a vector the words alone count. Without ``as_of``
    and ``known_at``, what is current now, and what held at the time that the question
    names. ``as_of`` asks what was so at that time, as it is known today; ``known_at`` what
    was believed at that time; both together, what was believed then about a time. With
    ``since`` and ``until``, what held in that range, whether it still does or not.
    ``scopes`` are taken as they are: "" is the scope that holds everywhere. Near copies give
    way to what says something else. Raises ValueError for a ``k`` outside 1 to 50 and a
    ``depth`` outside 0 to 3.
    """
    if not 1 <= options.k <= MOST:
        raise ValueError(f"k must be from 1 to {MOST}")
    if not 0 <= options.depth <= DEEPEST:
        raise ValueError(f"depth must be from 0 to {DEEPEST}")
    started = perf_counter()
    values = parameters(user_id=user_id, asked=asked, embedder=embedder, options=options, now=now)
    with connection.cursor() as cursor:
        cursor.execute(sql.load("recall"), values)
        found = _rows(cursor)
        chosen = _without_copies(cursor, values, found, options.k)
        shown: dict[UUID, dict[str, Any]] = {}
        related: Mapping[UUID, Sequence[Related]] = {}
        if chosen:
            cursor.execute(sql.load("recall_shown"), shown_parameters(values, chosen, options))
            shown = {row["id"]: row for row in _rows(cursor)}
            related = _related(cursor, values, shown.values(), options)
    hits = [
        _hit(shown[row["id"]], row, related.get(row["id"], ()), asked)
        for row in chosen
        if row["id"] in shown
    ]
    return RecallResult(
        hits=hits,
        abstained=not hits,
        since=asked.since,
        until=asked.until,
        milliseconds={"db": (perf_counter() - started) * 1000},
    )


def parameters(
    *, user_id: UUID, asked: Asked, embedder: Embedder, options: RecallOptions, now: datetime
) -> Mapping[str, Any]:
    """What ``sql/recall.sql`` is executed with."""
    low, high = embedder.span
    about = asking.about(asked.text)
    # A range that the caller gives goes before the one that the question names, and a moment
    # before both.
    since, until = asked.since, asked.until
    if options.since or options.until:
        since, until = options.since, options.until
    named = None if options.as_of or options.known_at else since or until
    return {
        "user_id": str(user_id),
        "text": searchable(asked.text)[-TEXT_CHARACTERS:],
        "others": searchable(" ".join(about.others)),
        "relations": list(about.relations),
        "named": list(asked.named),
        "vector": None if asked.vector is None else literal(asked.vector),
        "model": embedder.model,
        "dimension": embedder.dimension if asked.vector is None else len(asked.vector),
        "low": low,
        "high": high,
        "weight": embedder.weight,
        "keys": list(asked.near),
        "nearness": list(asked.near.values()),
        "nearest": max(asked.near.values(), default=0.0),
        "kinds": list(options.kinds) or None,
        "scopes": None if options.scopes is None else list(options.scopes),
        "subjects": list(options.subjects) or None,
        "attributes": list(options.attributes) or None,
        "since": options.since,
        "until": options.until,
        "during_from": (since or FIRST) if named else None,
        "during_to": (until or now) if named else None,
        "during_bonus": DURING,
        "as_of": options.as_of,
        "known_at": options.known_at,
        "now": now,
        "time_weight": options.time_weight,
        "half_life_days": options.half_life_days,
        "half_lives": json.dumps(dict(HALF_LIFE_DAYS)),
        "fused": FUSED,
        **SUPPORT,
        "floor": FLOOR if options.floor is None else options.floor,
        "depth": DEPTH,
        "most": options.k + SPARE,
    }


def shown_parameters(
    values: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], options: RecallOptions
) -> Mapping[str, Any]:
    """What ``sql/recall_shown.sql`` is executed with, for rows of ``sql/recall.sql``."""
    return {
        "user_id": values["user_id"],
        "known_at": options.known_at,
        "ids": [str(row["id"]) for row in rows],
    }


def resolve(
    *, user_id: UUID, event: ranking.Event, now: datetime
) -> tuple[datetime | None, datetime | None] | None:
    """The time that "before I moved" means, ``(since, until)``, either open: by the user's
    own dated facts, when exactly one of them is meant; else None. Needs
    ``acting_for(user_id)``."""
    attributes = asking.happening(event.what)
    with connection.cursor() as cursor:
        cursor.execute(
            sql.load("recall_when"),
            {
                "user_id": str(user_id),
                "text": searchable(event.what)[-TEXT_CHARACTERS:],
                "attributes": list(attributes),
            },
        )
        rows = _rows(cursor)
    changed = [r for r in rows if r["attribute"] in attributes and r["began_by_change"]]
    meant = changed
    if not attributes:
        best = max((row["coverage"] for row in rows), default=0.0)
        meant = [row for row in rows if row["coverage"] == best and best >= CLEAR]
    if len({row["valid_from"] for row in meant}) != 1:
        return None
    begins, ends = meant[0]["valid_from"], meant[0]["valid_to"]
    if event.relation in ("before", "until"):
        return None, begins
    if event.relation == "when":
        return begins, ends or (begins + timedelta(days=1) if attributes else now)
    # After a trip is after its end; after a move is from its beginning.
    return (ends if ends and not attributes and event.relation == "after" else begins), now


def usage(*, user_id: UUID, fact_ids: Sequence[UUID], now: datetime) -> int:
    """Count one more recall of each fact; returns how many were counted. Facts that are gone
    meanwhile are left out. Needs ``acting_for(user_id)``."""
    ids = sorted({str(fact_id) for fact_id in fact_ids})
    with connection.cursor() as cursor:
        cursor.execute(
            sql.load("count_recall"),
            {
                "user_id": str(user_id),
                "ids": [str(uuid7()) for _ in ids],
                "fact_ids": ids,
                "now": now,
            },
        )
        return int(cursor.rowcount)


def searchable(text: str) -> str:
    """Without what Postgres can't take: NUL and half surrogate pairs."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def literal(vector: NDArray[Any]) -> str:
    """The vector as Postgres reads it."""
    return "[" + ",".join(f"{number:.6g}" for number in vector.tolist()) + "]"


def unpacked(sent: Any, dimension: int) -> NDArray[np.float64]:
    """A vector as ``halfvec_send`` gives it: two numbers of 16 bits, then the elements; NaN
    where there is none."""
    if sent is None:
        return np.full(dimension, np.nan)
    return np.frombuffer(sent, dtype=">f2", offset=4).astype(np.float64)


def _rows(cursor: Any) -> list[dict[str, Any]]:
    names = [column.name for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _without_copies(
    cursor: Any, values: Mapping[str, Any], rows: Sequence[dict[str, Any]], k: int
) -> Sequence[dict[str, Any]]:
    """The ``k`` rows that go out. Copies matter only where there isn't room for all."""
    if len(rows) <= k:
        return rows
    cursor.execute(sql.load("recall_vectors"), {**values, "ids": [str(row["id"]) for row in rows]})
    vectors = {fact_id: unpacked(sent, values["dimension"]) for fact_id, sent in cursor.fetchall()}
    lacking = unpacked(None, values["dimension"])
    chosen = ranking.diverse(
        np.array([vectors.get(row["id"], lacking) for row in rows]),
        np.array([row["score"] for row in rows]),
        k,
        near=COPY,
    )
    return [rows[n] for n in chosen]


def _related(
    cursor: Any,
    values: Mapping[str, Any],
    rows: Iterable[Mapping[str, Any]],
    options: RecallOptions,
) -> Mapping[UUID, Sequence[Related]]:
    # From what a fact replaced a second step may lead on.
    starts = [
        str(row["id"])
        for row in rows
        if row["linked"] or (options.depth > 1 and row["chain"] != "[]")
    ]
    if not options.depth or not starts:
        return {}
    cursor.execute(
        sql.load("recall_links"),
        {
            "user_id": values["user_id"],
            "known_at": options.known_at,
            "links": options.depth,
            "ids": starts,
        },
    )
    return {
        start: [
            Related(
                id=UUID(item["id"]),
                kind=item["kind"],
                depth=item["depth"],
                statement=item["statement"],
                status=item["status"],
                valid_from=_time(item["valid_from"]),
                valid_to=_time(item["valid_to"]),
            )
            for item in json.loads(items)
        ]
        for start, items in cursor.fetchall()
    }


def _hit(
    row: Mapping[str, Any],
    scored: Mapping[str, Any],
    related: Sequence[Related],
    asked: Asked,
) -> Hit:
    fact = {name: row[name] for name in FACT_FIELDS}
    for name in ("id", "superseded_by"):
        fact[name] = None if fact[name] is None else str(fact[name])
    evidence = json.loads(row["evidence"])
    return Hit(
        fact=fact,
        score=scored["score"],
        parts=ScoreParts(
            **{
                name: scored[name]
                for name in (
                    *("vector", "text", "relevance", "recency", "confidence", "importance"),
                    *("age_days", "stickiness", "support", "coverage", "attribute", "about"),
                )
            },
            during=DURING if scored["during"] else 0.0,
        ),
        evidence=[
            EvidenceView(
                quote=item["quote"],
                role="user",  # nobody else's words prove a fact
                sent_at=datetime.fromisoformat(item["sent_at"]),
                conversation=item["conversation"],
            )
            for item in evidence
        ],
        chain=[
            Link(
                id=UUID(item["id"]),
                value=item["value"],
                statement=item["statement"],
                valid_from=_time(item["valid_from"]),
                valid_to=_time(item["valid_to"]),
                supersession=item["supersession"],
            )
            for item in json.loads(row["chain"])
        ],
        related=related,
        reason=_reason(row, scored, asked),
    )


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _reason(row: Mapping[str, Any], scored: Mapping[str, Any], asked: Asked) -> str:
    """In words, what speaks for the fact, the strongest first."""
    said = f"{row['statement']} {row['attribute'].replace('_', ' ')}".casefold()
    held = {word[:5] for word in _WORD.findall(said)}
    words = [
        word
        for word in dict.fromkeys(_WORD.findall(asked.text))
        if len(word) > 2 and word.casefold()[:5] in held
    ]
    reasons = []
    if scored["coverage"] and words:
        reasons.append(_("has the words “%(words)s”") % {"words": " ".join(words[:6])})
    if scored["attribute"] >= 0.6 and scored["attribute"] >= max(asked.near.values()) - 0.1:
        reasons.append(_("is the kind of thing asked for"))
    if scored["vector"] >= 0.5:
        reasons.append(_("means much the same"))
    if scored["during"]:
        reasons.append(_("is from the time asked about"))
    if row["pinned"]:
        reasons.append(_("is pinned"))
    return "; ".join(reasons) or _("comes near in meaning")
