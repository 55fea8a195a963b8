"""`manage.py tour FILE`: conversations through the API, as a chat frontend would send them."""

from __future__ import annotations

import argparse
import http.client
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

BATCH = 100  # the API's most
BATCH_BYTES = 900_000  # under its 1 MiB


@dataclass(frozen=True, slots=True)
class Talk:
    user: str
    conversation: str
    messages: Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Question:
    user: str
    text: str
    answer: str


class Api:
    """A client of a few lines: JSON over one kept-alive connection."""

    def __init__(self, base_url: str, key: str) -> None:
        address = urlsplit(base_url)
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise CommandError("--base-url must look like http://127.0.0.1:8000")
        make = (
            http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        )
        self._connection = make(address.hostname, address.port, timeout=60)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of a 2xx answer; anything else ends the command with its problem text."""
        payload = None if body is None else json.dumps(body).encode()
        while True:
            try:
                self._connection.request(method, f"/api/v1{path}", payload, self._headers)
                answer = self._connection.getresponse()
                text = answer.read()
            except OSError as error:
                raise CommandError(f"The app doesn't answer ({error}). Is `make run` on?") from None
            if answer.status != http.client.TOO_MANY_REQUESTS:
                break
            time.sleep(int(answer.headers["Retry-After"]))
        if not 200 <= answer.status < 300:
            raise CommandError(f"{method} {path}: {answer.status} {text.decode()[:500]}")
        return json.loads(text)


def read_talks(rows: Sequence[Mapping[str, Any]]) -> Iterator[Talk]:
    """Conversations of a LongMemEval-shaped file, or of one shaped like our own example
    (``conversation``, ``messages``). A session's turns are taken to be a minute apart."""
    for row in rows:
        if "messages" in row:
            user = str(row.get("user", "tour"))
            yield Talk(user, str(row["conversation"]), row["messages"])
            continue
        sessions = row["haystack_sessions"]
        # Some copies of the data set leave out the sessions' names or dates.
        names = row.get("haystack_session_ids") or range(len(sessions))
        dates = row.get("haystack_dates") or [row["question_date"]] * len(sessions)
        for number, (given, date, turns) in enumerate(zip(names, dates, sessions, strict=True)):
            start = datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
            # Within one user's conversations a name may stand twice.
            name = f"{number}-{given}"
            messages = [
                {
                    "id": f"{name}-{place}",
                    "role": turn["role"],
                    "content": turn["content"],
                    "sent_at": (start + timedelta(minutes=place)).isoformat(),
                }
                for place, turn in enumerate(turns)
            ]
            yield Talk(row["question_id"], name, messages)


def batches(messages: Sequence[Mapping[str, str]]) -> Iterator[list[Mapping[str, str]]]:
    """Pieces within the API's limits."""
    batch: list[Mapping[str, str]] = []
    size = 0
    for message in messages:
        length = len(json.dumps(message))
        if batch and (len(batch) == BATCH or size + length > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += length
    if batch:
        yield batch


class Command(BaseCommand):
    help = "Send conversations through the API, wait until they are read, and ask about them."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="JSON: LongMemEval's shape, or the example's")
        parser.add_argument(
            "--key", required=True, help="an application's key: manage.py createkey --application"
        )
        parser.add_argument("--base-url", default=settings.SITE_URL)
        parser.add_argument("--wait", type=int, default=1800, help="seconds to wait for reading")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rows = json.loads(options["file"].read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CommandError(f"The file can't be read: {error}") from None
        api = Api(options["base_url"], options["key"])
        talks = list(read_talks(rows))
        started = time.monotonic()
        accepted = duplicates = 0
        for talk in talks:
            for batch in batches(talk.messages):
                body = {
                    "user": talk.user,
                    "conversation": talk.conversation,
                    "messages": batch,
                }
                answer = api.call("POST", "/messages", body)
                accepted += answer["accepted"]
                duplicates += answer["duplicates"]
        sent = time.monotonic() - started
        total = sum(len(talk.messages) for talk in talks)
        self.stdout.write(
            f"{total} messages in {len(talks)} conversations sent in {sent:.1f} s: "
            f"{accepted} accepted, {duplicates} known already"
        )
        counts = self._wait(api, talks, options["wait"])
        read = time.monotonic() - started
        self.stdout.write(
            f"{counts['processed']} read, {counts['failed']} failed, {counts['pending']} waiting; "
            f"{accepted / read:.1f} messages a second from the first sent to the last read"
        )
        for question in _questions(rows):
            self._ask(api, question)
        if counts["failed"] or counts["pending"]:
            raise CommandError("Not every message was read.")

    def _wait(self, api: Api, talks: Sequence[Talk], seconds: int) -> dict[str, int]:
        until = time.monotonic() + seconds
        waiting = {(talk.user, talk.conversation) for talk in talks}
        done: dict[tuple[str, str], dict[str, int]] = {}
        while waiting:
            for user, conversation in sorted(waiting):
                path = f"/conversations/{quote(conversation, safe='')}/status?user={quote(user)}"
                done[user, conversation] = status = api.call("GET", path)
                if not status["pending"]:
                    waiting.discard((user, conversation))
                else:
                    break  # they are read in about this order
            if time.monotonic() > until:
                break
            time.sleep(0.2 if waiting else 0)
        return {
            name: sum(status[name] for status in done.values())
            for name in ("pending", "processed", "failed")
        }

    def _ask(self, api: Api, question: Question) -> None:
        found = api.call("POST", "/recall", {"user": question.user, "query": question.text})
        self.stdout.write(f"\nQ  {question.text}\n   (answer by the data set: {question.answer})")
        if found["abstained"]:
            self.stdout.write("   not found")
        for hit in found["hits"][:3]:
            quoted = hit["evidence"][0]["quote"] if hit["evidence"] else ""
            self.stdout.write(f'   {hit["score"]:.2f}  {hit["fact"]["statement"]}  "{quoted}"')


def _questions(rows: Sequence[Mapping[str, Any]]) -> Iterator[Question]:
    for row in rows:
        if "question" in row:
            yield Question(row["question_id"], row["question"], str(row["answer"]))
