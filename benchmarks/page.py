"""The overview with ten, a thousand and ten thousand memories: the time of a whole request, and
what a browser loads at a first and at a second visit."""

from __future__ import annotations

import http.client
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from uuid import UUID

import psycopg
from django.test import Client

from accounts.models import User
from benchmarks import facts
from benchmarks.services import Running
from memoryapp import providers, static_files

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = Path("/usr/bin/chromium")
LINE = "{:<34}{:>10}{:>10}{:>10}{:>9}"
DAY = f"{facts.NOW:%Y}-{facts.NOW:%m}-01"


@dataclass(frozen=True, slots=True)
class Look:
    """A request: the address's query, or a search's words."""

    name: str
    query: str = ""
    search: str = ""


LOOKS = (
    Look("overview"),
    Look("part of a life", "?group=preferences"),
    Look("page 2 of it", "?group=preferences&page=2"),
    Look("most used first", "?sort=used"),
    Look("surest first", "?sort=surest"),
    Look("from A to Z", "?sort=alphabet"),
    Look("said in a chat", "?origin=said"),
    Look("from an application", "?app={app}"),
    Look("about somebody", "?subject={subject}"),
    Look("in a scope", "?scope={scope}"),
    Look("pinned", "?pinned=1"),
    Look("private", "?delicate=1"),
    Look("unused for 90 days", "?unused=1"),
    Look("what was replaced", "?status=past"),
    Look("as of a day", f"?on={DAY}"),
    Look("as I was told by then", f"?on={DAY}&told=1"),
    Look("search by meaning", search="What did I say about kayaking?"),
    Look("search by a word's beginning", search="kaya"),
    Look("search as of a day", f"?on={DAY}", search="kayaking"),
)


def measure(running: Running, *, sizes: Sequence[int], requests: int) -> None:
    static_files.gather()
    users = [User.objects.create_user(f"page{size}@example.com") for size in sizes]
    each = {user.pk: size for user, size in zip(users, sizes, strict=True)}
    print("Writing", ", ".join(f"{size:,}" for size in sizes), "memories …", flush=True)
    facts.load(running.admin_url, each, providers.embedder(), messages=20)
    ids = _varied(running.admin_url, list(each))
    port = running.web()
    for user, size in zip(users, sizes, strict=True):
        client = Client()
        client.force_login(user)
        session = client.cookies["sessionid"].value
        print(f"\n{size:,} memories")
        print(LINE.format("", "median", "p95", "processor", "kB"))
        with closing(_Browser(port, session)) as browser:
            for look in LOOKS:
                _print(look, browser, ids[user.pk], requests, running)
        if CHROMIUM.exists():
            _print_visits(port, session)
    if not CHROMIUM.exists():
        print("\nChromium isn't here: what a browser loads was not measured.")


def _print(
    look: Look, browser: _Browser, ids: Mapping[str, str], requests: int, running: Running
) -> None:
    query = look.query.format(**ids)
    send: Callable[[], int]
    if look.search:
        fields = dict(part.split("=") for part in query.lstrip("?").split("&") if part)
        body = {**fields, "query": look.search}
        send = lambda: browser.post("/search/", body)  # noqa: E731
    else:
        send = lambda: browser.get(f"/{query}")  # noqa: E731
    send()
    times, size = [], 0
    taken = running.cpu()
    for _ in range(requests):
        started = time.perf_counter()
        size = send()
        times.append((time.perf_counter() - started) * 1000)
    taken = (running.cpu() - taken) * 1000 / requests
    times.sort()
    print(
        LINE.format(
            look.name,
            f"{times[len(times) // 2]:.1f} ms",
            f"{times[int(len(times) * 0.95)]:.1f} ms",
            f"{taken:.0f} ms",
            f"{size / 1000:.1f}",
        ),
        flush=True,
    )


class _Browser:
    """One connection of somebody signed in, who takes compressed answers. What is asked must
    be answered with 200."""

    def __init__(self, port: int, session: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._session = session
        self._token, self._field = self._tokens()

    def _tokens(self) -> tuple[str, str]:
        self._connection.request("GET", "/", headers={"Cookie": f"sessionid={self._session}"})
        response = self._connection.getresponse()
        page = response.read().decode()
        cookies = " ".join(response.headers.get_all("Set-Cookie") or ())
        field = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        cookie = re.search(r"csrftoken=(\w+)", cookies)
        if field is None or cookie is None:
            raise RuntimeError("The overview has no search.")
        return cookie[1], field[1]

    def get(self, path: str) -> int:
        return self._read("GET", path, None, {})

    def post(self, path: str, fields: Mapping[str, str]) -> int:
        body = urlencode({**fields, "csrfmiddlewaretoken": self._field})
        return self._read(
            "POST",
            path,
            body,
            {"HX-Request": "true", "Content-Type": "application/x-www-form-urlencoded"},
        )

    def _read(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> int:
        cookies = f"sessionid={self._session}; csrftoken={self._token}"
        self._connection.request(
            method, path, body, {"Cookie": cookies, "Accept-Encoding": "gzip", **headers}
        )
        response = self._connection.getresponse()
        size = len(response.read())
        if response.status != 200:
            raise RuntimeError(f"{path} was answered with {response.status}.")
        return size

    def close(self) -> None:
        self._connection.close()


def _varied(admin_url: str, users: Sequence[UUID]) -> dict[UUID, dict[str, str]]:
    """Gives the users' memories what filters look for: scopes, people, pins, uses, what is
    private, an application. Returns the ids that name these in an address."""
    with psycopg.connect(admin_url, autocommit=True) as connection:
        app, _people = facts.people(0, "page")
        connection.execute("UPDATE memoryapp_conversation SET application_id = %s", [app.pk])
        connection.execute(
            "UPDATE memoryapp_evidence e SET conversation_id = c.id FROM memoryapp_conversation c"
            " WHERE c.user_id = e.user_id"
        )
        numbered = (
            "FROM (SELECT user_id, id, row_number() OVER (PARTITION BY user_id ORDER BY id) AS n"
            " FROM memoryapp_fact WHERE status = 'current') AS row"
            " WHERE row.user_id = f.user_id AND row.id = f.id"
        )
        for change, every in (
            ("subject = 'person:mira'", 9),
            ("scope = 'ide'", 7),
            ("pinned = true", 8),
            ("sensitivity = 'health'", 6),
        ):
            connection.execute(
                f"UPDATE memoryapp_fact f SET {change} {numbered} AND row.n %% %s = 1",  # noqa: S608
                [every],
            )
        connection.execute(
            "INSERT INTO memoryapp_factusage (id, user_id, fact_id, recall_count,"
            " last_recalled_at) SELECT gen_random_uuid(), user_id, id, row.n % 9 + 1, now()"
            " FROM (SELECT user_id, id, row_number() OVER (PARTITION BY user_id ORDER BY id) AS n"
            " FROM memoryapp_fact) AS row WHERE row.n % 3 = 0"
        )
        connection.execute(
            "INSERT INTO memoryapp_memoryuse (id, user_id, fact_id, at, application_id, via)"
            " SELECT gen_random_uuid(), user_id, fact_id, now(), %s, 'chat'"
            " FROM memoryapp_factusage, generate_series(1, 3)",
            [app.pk],
        )
        connection.execute("VACUUM ANALYZE")
        rows = connection.execute(
            "SELECT user_id, (array_agg(id::text) FILTER (WHERE scope = 'ide'))[1],"
            " (array_agg(id::text) FILTER (WHERE subject = 'person:mira'))[1]"
            " FROM memoryapp_fact WHERE user_id = ANY (%s) GROUP BY user_id",
            [list(users)],
        ).fetchall()
    return {
        user: {"scope": scope, "subject": subject, "app": str(app.pk)}
        for user, scope, subject in rows
    }


@contextmanager
def chromium() -> Iterator[Browser]:
    # Playwright's loop makes Django take this thread for an async one.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def _print_visits(port: int, session: str) -> None:
    """What Chromium loads for the overview, all of it, with headers: at a first visit, and at
    one with what the first has left."""
    address = f"http://127.0.0.1:{port}"
    with chromium() as browser:
        context = browser.new_context()
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
        for visit in ("first visit", "second visit"):
            page = context.new_page()
            loaded = _listen(context, page)
            page.goto(address, wait_until="load")
            page.wait_for_timeout(500)
            page.close()
            total = sum(loaded.values())
            print(f"{visit:<34}{len(loaded):>9} requests {total / 1000:>7.1f} kB")
            if visit == "first visit":
                for url, size in sorted(loaded.items(), key=lambda item: -item[1]):
                    name = re.sub(r"\.[0-9a-f]{12}\.", ".", url.removeprefix(address))
                    print(f"    {name:<40}{size / 1000:>8.1f} kB")


def _listen(context: Any, page: Any) -> dict[str, float]:
    """Fills with what came over the wire, by address. What came from the browser's cache isn't
    in it; nor is the stream of events, which never ends."""
    asked: dict[str, str] = {}
    cached: set[str] = set()
    loaded: dict[str, float] = {}
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.on(
        "Network.requestWillBeSent", lambda e: asked.update({e["requestId"]: e["request"]["url"]})
    )
    session.on("Network.requestServedFromCache", lambda e: cached.add(e["requestId"]))
    session.on(
        "Network.responseReceived",
        lambda e: cached.add(e["requestId"]) if e["response"].get("fromDiskCache") else None,
    )

    def finished(event: dict[str, Any]) -> None:
        if event["requestId"] in asked and event["requestId"] not in cached:
            loaded[asked[event["requestId"]]] = event["encodedDataLength"]

    session.on("Network.loadingFinished", finished)
    return loaded
