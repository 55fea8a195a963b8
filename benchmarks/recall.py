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

from accounts.models import ApiKey, Application
from benchmarks import facts as making
from benchmarks.services import Running
from memoryapp import providers, recall, sql
from memoryapp.records import RecallOptions

WARM_UP = 20
Question = tuple[str, UUID, str]


def measure(running: Running, *, users: int, facts: int, requests: int) -> None:
    """Prints a table: median and 95th percentile of each part, in milliseconds."""
    embedder = providers.embedder()
    started = perf_counter()
    application, people = making.people(users)
    count = making.load(running.admin_url, [user for _, user in people], facts, embedder)
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


def _bare(url: str, asked: Sequence[Question], *, prepared: bool) -> list[float]:
    """The statement alone, as the application's role, in a transaction bound to the user."""
    embedder = providers.embedder()
    vectors = {question: embedder.query(question) for _, _, question in asked}
    kind = psycopg.Cursor if prepared else psycopg.ClientCursor
    times: list[float] = []
    found = 0
    with psycopg.connect(url, cursor_factory=kind) as connection:
        for _, user_id, question in asked:
            values = recall.parameters(
                user_id=user_id,
                query_text=question,
                query_vector=vectors[question],
                embedder=embedder,
                options=RecallOptions(),
                now=datetime.now(UTC),
            )
            with connection.transaction(), connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL app.user_id = '{user_id}'")
                began = perf_counter()
                cursor.execute(sql.load("recall"), values, prepare=prepared)
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
