"""The log on the page: in words, sifted, paged, checked, and taken away."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Application, User
from memoryapp import audit, pipeline
from memoryapp.audit import Actor, Event
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent
from memoryapp.web import log_words, logbook
from tests.notebook import delicate, learn, log, moved, text

DOCS = Path(__file__).parent.parent / "docs"
HTMX: Any = {"HX-Request": "true"}


@pytest.fixture
def me(owner: User) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    return client


def note(user: User, by: Actor, *events: Event, days: int = 0) -> None:
    with acting_for(user.pk):
        audit.record(
            user_id=user.pk, by=by, events=events, now=timezone.now() - timedelta(days=days)
        )


def lines(client: Client, query: str = "") -> list[str]:
    """Each entry's summary as a person reads it."""
    page = text(client.get(reverse("activity") + query))
    found = re.findall(r"<summary>(.*?)</summary>", page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", one).split())[6:] for one in found]


def entry(client: Client, query: str = "") -> str:
    page = text(client.get(reverse("activity") + query))
    [found] = re.findall(r'<ul class="entry-each">(.*?)</ul>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", found).split())


@pytest.fixture
def busy(owner: User, other: User) -> Application:
    """A log with one of everyone."""
    app = Application.objects.create(name="Chatty", owner=other)
    moved(owner)
    note(owner, Actor.application(app.pk), Event("recall", "", {"facts": []}))
    note(owner, Actor("admin", str(uuid4())),
         Event("admin.reveal", f"fact:{uuid4()}", {"reason": "A ticket of yours"}))  # fmt: skip
    note(owner, Actor.user(other), Event("access.refused", f"fact:{uuid4()}"))
    note(owner, Actor.user(owner), Event("settings.change", "settings", {"changed": ["paused"]}))
    return app


# -- Words and sifting ---------------------------------------------------------------------------


def test_who_did_what_in_words(me: Client, busy: Application) -> None:
    assert lines(me) == [
        "Settings were changed · by you",
        "Something that isn’t here was asked for, and refused · by somebody else",
        "An administrator uncovered a text, and gave a reason · by an administrator",
        "Memories were looked up · by Chatty",
        "A memory was replaced by a newer one · by me",
        "A memory was noted · by me",
    ]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("who=me", ["Settings were changed"]),
        ("who=admin", ["An administrator uncovered a text, and gave a reason"]),
        ("who=others", ["Something that isn’t here was asked for, and refused"]),
        ("who=system", ["A memory was replaced by a newer one", "A memory was noted"]),
        ("who=app", ["Memories were looked up"]),
        ("what=used", ["Memories were looked up"]),
        ("what=settings", ["Settings were changed"]),
        ("what=changed&who=system", ["A memory was replaced by a newer one", "A memory was noted"]),
        ("what=forgotten", []),
        ("what=changed&who=me", []),
        ("since=2026-03-05&until=2026-04-30", ["A memory was replaced by a newer one"]),
        ("until=2026-03-03", ["A memory was noted"]),
        ("who=nobody&what=%22&since=soon", None),
    ],
)
def test_it_is_sifted(me: Client, busy: Application, query: str, found: list[str] | None) -> None:
    seen = lines(me, f"?{query.replace('who=app', f'who={busy.pk}')}")
    if found is None:  # what can't be read isn't asked for
        assert len(seen) == 6
    else:
        assert [one.split(" · ")[0] for one in seen] == found


def test_an_application_is_named_only_where_it_is_in_the_log(
    me: Client, busy: Application, other: User
) -> None:
    theirs = Application.objects.create(owner=other, name="Quietly")
    assert "Quietly" not in text(me.get(f"{reverse('activity')}?who={theirs.pk}"))
    assert "Chatty" in text(me.get(f"{reverse('activity')}?who={busy.pk}&until=2020-01-01"))


def test_every_action_is_of_one_kind_and_found_by_it(owner: User) -> None:
    note(owner, Actor.user(owner), *(Event(one, f"fact:{uuid4()}") for one in logbook.actions()))
    note(owner, Actor.user(owner), Event("something.new"))
    seen: list[str] = []
    with acting_for(owner.pk):
        for kind in log_words.KINDS:
            found = list(
                AuditEvent.objects.filter(log_words.of_kind(kind)).values_list("action", flat=True)
            )
            assert found, kind
            assert {log_words.kind_of(action) for action in found} == {kind}
            seen += found
    assert sorted(seen) == sorted([*logbook.actions(), "something.new"])


def test_an_entry_tells_its_details_and_leads_to_what_is_there(me: Client, owner: User) -> None:
    fact_id = delicate(owner)
    assert "Something about your health" in entry(me)  # covered, as on every page
    assert reverse("fact", args=[fact_id]) in text(me.get(reverse("activity")))
    pipeline.erase_facts(user_id=owner.pk, fact_ids=[fact_id], by=Actor.user(owner))
    page = text(me.get(reverse("activity")))
    assert "A memory that isn’t here any more" in page
    assert reverse("fact", args=[fact_id]) not in page
    note(owner, Actor("admin", "x"), Event("admin.reveal", "", {"reason": "A ticket"}))
    assert "The reason given A ticket" in entry(me, "?who=admin")
    note(owner, Actor.user(owner), Event("settings.change", "settings", {"changed": ["paused"]}))
    assert "What changed whether memory is paused" in entry(me, "?what=settings")


def test_the_page_holds_no_words_of_another(me: Client, other: User, owner: User) -> None:
    theirs = moved(other)
    note(owner, Actor.user(owner), Event("recall", f"fact:{theirs}", {"facts": [str(theirs)]}))
    page = text(me.get(reverse("activity")))
    assert "Lisbon" not in page
    assert "A memory that isn’t here any more" in page


# -- Paging --------------------------------------------------------------------------------------


def test_pages_go_by_number_both_ways_and_keep_what_was_asked(me: Client, owner: User) -> None:
    for number in range(120):
        note(owner, Actor.user(owner), Event("settings.change", "settings"), days=200 - number)
    note(owner, Actor("admin", "x"), Event("admin.view"))
    seen: list[str] = []
    query = "?who=me"
    pages = []
    while True:
        page = text(me.get(reverse("activity") + query))
        pages.append(query)
        seen += re.findall(r"Number (\d+),", page)
        older = re.search(r'rel="next" href="([^"]+)"', page)
        if older is None:
            break
        query = older[1].replace("&amp;", "&")
        assert "who=me" in query
    assert [int(one) for one in seen] == list(range(120, 0, -1))
    newer = re.search(r'rel="prev" href="([^"]+)"', page)
    assert newer
    back = re.findall(
        r"Number (\d+),", text(me.get(reverse("activity") + newer[1].replace("&amp;", "&")))
    )
    assert [int(one) for one in back] == list(range(70, 20, -1))


def test_a_page_asks_as_little_for_fifty_entries_as_for_one(me: Client, owner: User) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            me.get(reverse("activity"))
        return len(queries)

    learn(owner, "I love tea.", "I love tea", "likes", "tea")
    one = asked()
    for number in range(60):
        learn(owner, f"I love tea{number}.", f"I love tea{number}", "likes", f"tea{number}",
              days=number)  # fmt: skip
    assert len(lines(me)) == 50
    assert asked() <= one


def test_a_fragment_is_the_list_alone(me: Client, busy: Application) -> None:
    page = text(me.get(reverse("activity") + "?who=me", headers=HTMX))
    assert page.lstrip().startswith('<div id="log"')
    assert page.count("<summary>") == 1


def test_nothing_yet_and_nothing_like_that(me: Client) -> None:
    assert "Nothing has happened yet." in text(me.get(reverse("activity")))
    page = text(me.get(reverse("activity") + "?who=admin"))
    assert "Nothing like that has happened." in page
    assert "Show everything" in page


# -- Checking ------------------------------------------------------------------------------------


def check(client: Client, noted: str | None = None) -> str:
    url = reverse("activity_check")
    response = client.get(url)
    if noted is not None:
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text(response))
        assert token
        response = client.post(url, {"csrfmiddlewaretoken": token[1], "noted": noted})
    return " ".join(re.sub(r"<[^>]+>", " ", text(response)).split())


def test_the_log_is_checked_and_its_end_told(me: Client, owner: User, busy: Application) -> None:
    with acting_for(owner.pk):
        head = audit.verify_chain(user_id=owner.pk).head.hex()
    page = check(me)
    assert "Yes. I checked all 6 entries" in page
    grouped = " ".join(head[at : at + 4] for at in range(0, 64, 4))
    assert grouped in page
    assert "It is there: it belongs to entry number 6." in check(me, grouped.upper())
    assert "It is there: it belongs to entry number 6." in check(me, head[:16])
    assert "No entry has this fingerprint." in check(me, "ab" * 32)
    assert "A fingerprint has letters from a to f" in check(me, "hello")


def test_an_edit_shows(committed_db: Any, owner: User, owner_connection: Any) -> None:
    client = Client()
    client.force_login(owner)
    for _ in range(3):
        note(owner, Actor.user(owner), Event("settings.change", "settings"))
    owner_connection.execute("SET session_replication_role = replica")
    owner_connection.execute("UPDATE memoryapp_auditevent SET object = 'x' WHERE seq = 2")
    owner_connection.execute("SET session_replication_role = origin")
    page = text(client.get(reverse("activity_check")))
    assert "Entry number 2 isn’t as it was written" in page
    assert 'role="alert"' in page


def test_an_empty_log_has_nothing_to_check(me: Client) -> None:
    assert "the log is empty" in check(me)


# -- Files ---------------------------------------------------------------------------------------


def download(client: Client, form: str) -> str:
    response = client.get(reverse("activity_download", args=[form]))
    assert response["Content-Disposition"].startswith('attachment; filename="memory-log-')
    return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]


def snippet() -> str:
    [code] = re.findall(
        r"```python\n(.*?)```", (DOCS / "log.md").read_text(encoding="utf-8"), re.DOTALL
    )
    return str(code)


def test_the_file_is_checked_without_us(
    me: Client, owner: User, busy: Application, tmp_path: Path
) -> None:
    """With the program of the documentation, on details of every shape."""
    note(owner, Actor.user(owner), Event("recall", "ü „x“ \\ \" \n", {
        "zz": 1, "a": [True, None, {"bb": "é", "a": "日本"}], "ключ": -0.5, "e": {}, "l": [],
    }))  # fmt: skip
    found = download(me, "jsonl")
    with acting_for(owner.pk):
        report = audit.verify_chain(user_id=owner.pk)
    assert log(owner, "audit.read")  # taking it is in it
    program, file = tmp_path / "check.py", tmp_path / "log.jsonl"
    program.write_text(snippet(), encoding="utf-8")
    file.write_text(found, encoding="utf-8")

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(program), str(file)], capture_output=True, text=True, check=False
        )

    assert run().stdout.strip() == f"8 entries, the last is {report.head.hex()}"
    file.write_text(found.replace("A ticket of yours", "No ticket of yours"), encoding="utf-8")
    assert "entry 4 is not as it was written" in run().stderr
    rows = found.splitlines(keepends=True)
    file.write_text("".join([*rows[:2], *rows[3:]]), encoding="utf-8")
    assert "entry 4 is not as it was written" in run().stderr
    assert len(snippet().strip().splitlines()) <= 24


def test_the_table_is_safe_to_open(me: Client, owner: User, other: User) -> None:
    app = Application.objects.create(name="=HYPERLINK(1)", owner=other)
    note(owner, Actor.application(app.pk), Event("recall", "@SUM(1)", {"facts": []}))
    found = download(me, "csv")
    assert found.startswith("\ufeff")
    rows = list(csv.reader(io.StringIO(found.removeprefix("\ufeff"))))
    assert rows[0][:4] == ["Number", "Time", "What", "Who"]
    assert rows[1][4] == "'@SUM(1)"
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
    assert [row[0] for row in rows[1:]] == ["1", "2"]


@pytest.mark.parametrize("name", ["activity", "activity_check"])
def test_only_signed_in(name: str, db: None) -> None:
    assert Client().get(reverse(name)).status_code == 302


def test_no_other_file(me: Client) -> None:
    assert me.get(reverse("activity_download", args=["exe"])).status_code == 404
