"""Recall: the bare SQL, and the whole HTTP request, over the same facts in the same run."""

from __future__ import annotations

import http.client
import json
import random
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import median, quantiles
from time import perf_counter
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

from accounts.models import ApiKey, Application
from benchmarks import facts as making
from benchmarks.services import Running
from memoryapp import providers, recall, sql
from memoryapp.pipeline.vectors import attributes_asked
from memoryapp.records import RecallOptions

WARM_UP = 20
ASKING = 100
Question = tuple[str, UUID, str]


def measure(running: Running, *, users: int, facts: int, messages: int, requests: int) -> None:
    """Prints a table: median and 95th percentile of each part, in milliseconds."""
    embedder = providers.embedder()
    started = perf_counter()
    application, people = making.people(users)
    each = {user: facts for _, user in people}
    count = making.load(running.admin_url, each, embedder, messages=messages)
    print(f"{count:,} facts of {users:,} users, written in {perf_counter() - started:.0f} s")

    chance = random.Random(11)  # noqa: S311
    asked: list[Question] = [
        (*chance.choice(people), chance.choice(making.QUESTIONS)) for _ in range(WARM_UP + requests)
    ]
    table: list[tuple[str, Sequence[float]]] = []
    for prepared in (False, True):
        name = "prepared" if prepared else "planned each time, as the app does"
        table.append((f"SQL, {name}", _bare(running.app_url, asked, prepared=prepared)))
    embedding = []
    for _, _, question in asked:
        began = perf_counter()
        embedder.query(question)
        embedding.append((perf_counter() - began) * 1000)
    table.append(("embedding the question", embedding))
    table += _over_http(running, application, asked)

    print(f"{requests} requests, one after the other, after {WARM_UP} to warm up")
    print(f"{'milliseconds':40}{'median':>9}{'p95':>9}")
    for name, times in table:
        kept = times[WARM_UP:]
        print(f"{name:40}{median(kept):9.2f}{quantiles(kept, n=20)[-1]:9.2f}")


def grow(
    running: Running, *, levels: Sequence[int], facts: int, others: int, requests: int
) -> None:
    """Prints, for each number of users, what the same people's questions take: the SQL as the
    app sends it. The first hundred users have ``facts`` facts, all others ``others``."""
    embedder = providers.embedder()
    chance = random.Random(11)  # noqa: S311
    asking: list[tuple[str, UUID]] = []
    there = 0
    print(f"{'users':>8}{'facts':>12}{'median ms':>12}{'p95 ms':>9}")
    total = 0
    for level in sorted(levels):
        _application, people = making.people(level - there, label=str(level))
        there = level
        if not asking:
            asking = people[:ASKING]
        asks = {user for _, user in asking}
        each = {user: facts if user in asks else others for _, user in people}
        total += making.load(running.admin_url, each, embedder)
        asked: list[Question] = [
            (*chance.choice(asking), chance.choice(making.QUESTIONS))
            for _ in range(WARM_UP + requests)
        ]
        kept = _bare(running.app_url, asked, prepared=False)[WARM_UP:]
        print(f"{level:8,}{total:12,}{median(kept):12.2f}{quantiles(kept, n=20)[-1]:9.2f}")


def _bare(url: str, asked: Sequence[Question], *, prepared: bool) -> list[float]:
    """The two statements about facts alone, as the application's role, in a transaction bound
    to the user."""
    embedder = providers.embedder()
    vectors = {question: embedder.query(question) for _, _, question in asked}
    near = {question: attributes_asked(question, vector) for question, vector in vectors.items()}
    kind = psycopg.Cursor if prepared else psycopg.ClientCursor
    options = RecallOptions()
    times: list[float] = []
    found = 0
    with psycopg.connect(url, cursor_factory=kind, row_factory=dict_row) as connection:
        for _, user_id, question in asked:
            values = recall.parameters(
                user_id=user_id,
                asked=recall.Asked(question, vectors[question], *near[question]),
                embedder=embedder,
                options=options,
                now=datetime.now(UTC),
            )
            with connection.transaction(), connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL app.user_id = '{user_id}'")
                began = perf_counter()
                cursor.execute(sql.load("recall"), values, prepare=prepared)
                rows = cursor.fetchall()[: options.k]
                shown = recall.shown_parameters(values, rows, options)
                cursor.execute(sql.load("recall_shown"), shown, prepare=prepared)
                found += len(cursor.fetchall())
                times.append((perf_counter() - began) * 1000)
    if not found:
        raise RuntimeError("nothing was found: this measures nothing")
    return times


def _over_http(
    running: Running, application: Application, asked: Sequence[Question]
) -> list[tuple[str, Sequence[float]]]:
    """The whole request on a connection that is kept open, and the parts that the server
    names in Server-Timing."""
    _key, secret = ApiKey.objects.issue(
        owner=application.owner, name="bench", application=application
    )
    port = running.web()
    times: list[float] = []
    parts: dict[str, list[float]] = {}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for name, _, question in asked:
        body = json.dumps({"user": name, "query": question})
        began = perf_counter()
        connection.request(
            "POST",
            "/api/v1/recall",
            body,
            {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
        )
        response = connection.getresponse()
        answer = response.read()
        times.append((perf_counter() - began) * 1000)
        if response.status != http.client.OK:
            raise RuntimeError(f"recall answered {response.status}: {answer.decode()}")
        timing = response.headers.get("Server-Timing", "")
        for part, milliseconds in re.findall(r"(\w+);dur=([\d.]+)", timing):
            parts.setdefault(part, []).append(float(milliseconds))
    connection.close()
    rows: list[tuple[str, Sequence[float]]] = [("HTTP request, whole", times)]
    rows += [(f"  of it {part}", values) for part, values in parts.items()]
    return rows
