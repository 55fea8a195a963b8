"""What happens in a memory, told as ids: what is told of which change, and over a stream."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.db import connection

from accounts.models import ApiKey, Application, EndUser, User
from memoryapp import audit, erase, pipeline, registry, store, wakeups
from memoryapp.asgi import application
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Fact, MemoryEvent
from memoryapp.streams import hub, responding
from tests import api
from tests.chat import facts, said, tell
from tests.conftest import Site
from tests.memory import NOW, TESTER, candidate, heard
from tests.server import WorkerDatabase
from tests.serving import Connections, asgi_site, serving

__all__ = ["asgi_site"]

BY = audit.Actor.system("test")


def told(user: User) -> list[tuple[str, dict[str, Any]]]:
    with acting_for(user.pk):
        rows = MemoryEvent.objects.filter(user_id=user.pk).order_by("seq")
        return [(row.type, row.data) for row in rows]


def learn(user: User, attribute: str, value: str, on: float = 1, **fields: Any) -> UUID:
    said = heard(user, f"{attribute} is {value}", on=on)
    with acting_for(user.pk):
        [decided] = store.apply(
            user_id=user.pk, candidates=[candidate(said, attribute, value, **fields)],
            registry=registry.load(), by=TESTER, now=NOW,
        )  # fmt: skip
    assert decided.fact_id is not None
    return decided.fact_id


class TestWhatIsTold:
    def test_of_what_is_said(self, owner: User) -> None:
        tell(owner, said("2026-01-10", "I use dark mode in my IDE."))
        tell(owner, said("2026-03-10", "I have switched to light mode in my IDE."))
        new, old = (
            next(f for f in facts(owner) if f.status == status)
            for status in ("current", "superseded")
        )
        found = told(owner)
        assert [kind for kind, _ in found] == [
            "memory.created", "conversation.read", "memory.updated", "conversation.read",
        ]  # fmt: skip
        created, read, updated, _ = [data for _, data in found]
        assert created["facts"] == [str(old.id)]
        assert created["conversation"] == read["conversation"] == "c1"
        assert updated["facts"] == [str(new.id)]
        assert updated["replaced"] == [str(old.id)]
        assert updated["change"] == "superseded"
        assert created["extraction"] != updated["extraction"]
        assert len(updated["decisions"]) == 1
        assert "mode" not in json.dumps(found)

    def test_of_a_correction(self, owner: User) -> None:
        learn(owner, "home", "Oslo")
        learn(owner, "home", "Bergen", on=2, correction=True)
        assert told(owner)[-1][1]["change"] == "corrected"

    def test_of_an_end(self, owner: User) -> None:
        fact = learn(owner, "sport", "cricket")
        learn(owner, "sport", "cricket", on=2, operation="end", polarity="negated")
        kind, data = told(owner)[-1]
        assert (kind, data["change"], data["facts"]) == ("memory.updated", "ended", [str(fact)])

    def test_of_what_waits_and_is_then_kept(self, owner: User) -> None:
        fact = learn(owner, "health_condition", "asthma")
        pipeline.approve(user_id=owner.pk, fact_id=fact, by=BY)
        assert [(kind, data["facts"]) for kind, data in told(owner)] == [
            ("review.waiting", [str(fact)]), ("memory.created", [str(fact)]),
        ]  # fmt: skip

    def test_of_the_users_hand(self, owner: User) -> None:
        fact = learn(owner, "home", "Oslo")
        pipeline.weigh_fact(user_id=owner.pk, fact_id=fact, weights={"pinned": True}, by=BY)
        pipeline.edit_fact(
            user_id=owner.pk, fact_id=fact, value="Bergen", supersession="change", by=BY
        )
        changes = [data.get("change") for _, data in told(owner)]
        assert changes == [None, "weighed", "superseded"]

    def test_of_what_is_erased(self, owner: User) -> None:
        tell(owner, said("2026-01-10", "I use dark mode in my IDE."))
        [fact] = facts(owner)
        pipeline.erase_conversation(
            user_id=owner.pk, conversation_id=told_conversation(owner), by=BY
        )
        assert told(owner)[-1] == (
            "memory.erased", {"facts": [str(fact.id)], "conversation": "c1"},
        )  # fmt: skip

    def test_of_the_nights_work(self, owner: User) -> None:
        fact = learn(owner, "home", "Oslo")
        with acting_for(owner.pk):
            Fact.objects.filter(id=fact).update(expires_at=NOW)
            store.expire(user_id=owner.pk, by=BY, now=NOW)
        assert told(owner)[-1][1]["change"] == "expired"

    def test_not_of_a_repetition(self, owner: User) -> None:
        learn(owner, "home", "Oslo")
        learn(owner, "home", "Oslo", on=2)
        assert len(told(owner)) == 1

    def test_of_an_import(self, owner: User) -> None:
        for action, outcome in (("import.end", "done"), ("import.fail", "failed")):
            with acting_for(owner.pk):
                event = audit.Event(action, f"import:{owner.pk}")
                audit.record(user_id=owner.pk, by=BY, events=[event])
            assert told(owner)[-1] == (
                "import.finished", {"import": str(owner.pk), "outcome": outcome},
            )  # fmt: skip

    def test_many_facts_are_told_in_parts(self, owner: User) -> None:
        ids = [learn(owner, f"thing_{n}", "x", on=n / 10) for n in range(101)]
        pipeline.erase_facts(user_id=owner.pk, fact_ids=ids, by=BY)
        parts = [data["facts"] for kind, data in told(owner) if kind == "memory.erased"]
        assert [len(each) for each in parts] == [100, 1]
        assert {id for each in parts for id in each} == {str(id) for id in ids}

    def test_an_accounts_own_end_is_told_to_nobody(self, owner: User) -> None:
        learn(owner, "home", "Oslo")
        with acting_for(owner.pk):
            erase.erase_account(user_id=owner.pk, by=BY)
        assert told(owner) == []

    def test_the_numbers_are_in_the_order_of_the_commits(
        self, committed_db: WorkerDatabase, owner: User
    ) -> None:
        """Eight writers at once: whoever has seen a number has seen all below it."""
        seen: list[int] = []
        wrong: list[tuple[int, int]] = []
        done = threading.Event()

        def write(number: int) -> None:
            try:
                for turn in range(5):
                    learn(owner, f"thing_{number}_{turn}", "x")
            finally:
                connection.close()

        def watch() -> None:
            try:
                while not done.is_set() or not seen or len(seen) < 40:
                    with acting_for(owner.pk):
                        rows = MemoryEvent.objects.filter(user_id=owner.pk)
                        new = sorted(set(rows.values_list("seq", flat=True)) - set(seen))
                    wrong.extend((each, seen[-1]) for each in new if seen and each < seen[-1])
                    seen.extend(new)
            finally:
                connection.close()

        watcher = threading.Thread(target=watch)
        writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for thread in (watcher, *writers):
            thread.start()
        for thread in writers:
            thread.join()
        done.set()
        watcher.join()
        assert (len(seen), wrong) == (40, [])


def told_conversation(user: User) -> UUID:
    with acting_for(user.pk):
        return Conversation.objects.get(user_id=user.pk).id


# -- The stream ----------------------------------------------------------------------------------


class Stream:
    """An open stream and what came on it so far."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response

    def next(self) -> dict[str, str]:
        """The fields of the next event or comment (``""``)."""
        fields: dict[str, str] = {}
        while line := self.response.readline().decode().rstrip("\n"):
            name, _colon, value = line.partition(":")
            fields[name] = value.strip()
        return fields

    def event(self) -> dict[str, str]:
        while "event" not in (found := self.next()):
            assert found, "the stream ended"
        return found


@contextmanager
def streaming(site: Site, secret: str, query: str = "", **headers: str) -> Iterator[Stream]:
    caller = http.client.HTTPConnection(urlsplit(site.url).netloc, timeout=60)
    caller.request(
        "GET", f"/api/v1/events{query}", headers={"Authorization": f"Bearer {secret}", **headers}
    )
    response = caller.getresponse()
    assert response.status == 200, response.read()
    assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    try:
        yield Stream(response)
    finally:
        response.close()
        caller.close()


@pytest.fixture
def secret(asgi_site: Site, owner: User) -> str:
    return ApiKey.objects.issue(owner=owner, name="own")[1]


class TestTheStream:
    def test_events_come_as_they_happen(
        self, asgi_site: Site, broker_url: str, owner: User, secret: str
    ) -> None:
        with streaming(asgi_site, secret) as stream:
            assert stream.event()["event"] == "ready"
            for number in range(3):
                fact = learn(owner, f"thing_{number}", "x")
                found = stream.event()
                assert found["event"] == "memory.created"
                body = json.loads(found["data"])
                assert body["type"] == "memory.created"
                assert body["data"]["facts"] == [str(fact)]
                assert "user" not in body["data"]

    def test_nothing_of_others(
        self, asgi_site: Site, broker_url: str, owner: User, other: User, secret: str
    ) -> None:
        with streaming(asgi_site, secret) as stream:
            stream.event()
            learn(other, "home", "Oslo")
            fact = learn(owner, "home", "Oslo")
            assert json.loads(stream.event()["data"])["data"]["facts"] == [str(fact)]

    def test_it_goes_on_where_it_was_cut(
        self, asgi_site: Site, broker_url: str, owner: User, secret: str
    ) -> None:
        with streaming(asgi_site, secret) as stream:
            first = stream.event()["id"]
        one, two = learn(owner, "home", "Oslo"), learn(owner, "sport", "chess")
        with streaming(asgi_site, secret, **{"Last-Event-ID": first}) as stream:
            stream.event()
            found = [stream.event() for _ in range(2)]
            assert [json.loads(each["data"])["data"]["facts"] for each in found] == [
                [str(one)], [str(two)],
            ]  # fmt: skip
        with streaming(asgi_site, secret, **{"Last-Event-ID": found[0]["id"]}) as stream:
            stream.event()
            assert json.loads(stream.event()["data"])["data"]["facts"] == [str(two)]

    def test_what_is_gone_is_said_to_be(
        self, asgi_site: Site, owner: User, other: User, secret: str
    ) -> None:
        learn(other, "home", "Oslo")
        with acting_for(other.pk):
            foreign = str(MemoryEvent.objects.get(user_id=other.pk).id)
        for last in (foreign, "nonsense"):
            with streaming(asgi_site, secret, **{"Last-Event-ID": last}) as stream:
                assert stream.event()["event"] == "resync"

    def test_without_the_broker_it_looks_for_itself(
        self, asgi_site: Site, owner: User, secret: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(hub, "LOOK", 0.1)
        assert wakeups.address() is None
        with streaming(asgi_site, secret) as stream:
            stream.event()
            fact = learn(owner, "home", "Oslo")
            assert json.loads(stream.event()["data"])["data"]["facts"] == [str(fact)]

    def test_a_heartbeat_comes_when_nothing_happens(
        self, asgi_site: Site, secret: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(responding, "HEARTBEAT", 0.05)
        with streaming(asgi_site, secret) as stream:
            stream.event()
            assert [stream.next(), stream.next()] == [{"": ""}, {"": ""}]

    def test_it_ends_with_the_key(
        self, asgi_site: Site, broker_url: str, owner: User, secret: str
    ) -> None:
        with streaming(asgi_site, secret) as stream:
            stream.event()
            ApiKey.objects.update(revoked_at=NOW)
            learn(owner, "home", "Oslo")
            while stream.next():
                pass  # a heartbeat, perhaps
            assert stream.response.read() == b""

    def test_it_ends_when_the_user_shuts_the_application_out(
        self, asgi_site: Site, broker_url: str, owner: User
    ) -> None:
        app = Application.objects.create(owner=owner, name="Chatty")
        key = ApiKey.objects.issue(owner=owner, name="x", application=app)[1]
        person = EndUser.objects.resolve(application=app, external_id="u1")
        with streaming(asgi_site, key, "?user=u1") as stream:
            stream.event()
            learn(person, "home", "Oslo")
            assert json.loads(stream.event()["data"])["data"]["user"] == "u1"
            EndUser.objects.update(may_read=False)
            learn(person, "sport", "chess")
            while stream.next():
                pass
            assert stream.response.read() == b""

    def test_many_hold_no_connection(
        self, committed_db: WorkerDatabase, asgi_site: Site, broker_url: str, owner: User,
        secret: str,
    ) -> None:  # fmt: skip
        to_database = Connections(committed_db)
        opened = [streaming(asgi_site, secret) for _ in range(20)]
        streams = [each.__enter__() for each in opened]
        for stream in streams:
            stream.event()
        deadline = time.monotonic() + 30
        while to_database.held():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        fact = learn(owner, "home", "Oslo")
        for stream in streams:
            assert json.loads(stream.event()["data"])["data"]["facts"] == [str(fact)]
        for each in opened:
            each.__exit__(None, None, None)

    def test_it_ends_whole_when_the_server_stops(
        self, committed_db: WorkerDatabase, owner: User, caplog: pytest.LogCaptureFixture
    ) -> None:
        key = ApiKey.objects.issue(owner=owner, name="own")[1]
        with ExitStack() as opened:
            with serving(application) as site:
                stream = opened.enter_context(streaming(site, key))
                stream.event()
            assert stream.response.read() == b""  # to its proper end, not cut off
        assert [each for each in caplog.records if each.levelname == "ERROR"] == []

    @pytest.mark.parametrize("limit", ["MOST_STREAMS", "MOST_OF_A_USER"])
    def test_one_too_many_comes_back_later(
        self, asgi_site: Site, owner: User, secret: str, monkeypatch: pytest.MonkeyPatch,
        limit: str,
    ) -> None:  # fmt: skip
        monkeypatch.setattr(hub, limit, 0)
        learn(owner, "home", "Oslo")
        with streaming(asgi_site, secret, **{"Last-Event-ID": "0"}) as stream:
            text = stream.response.read().decode()
        assert text.startswith("retry: 10000\n")
        assert "event: memory.created" in text


def test_a_server_without_an_event_loop_sends_what_there_is(owner: User) -> None:
    frontend = api.personal(owner)
    learn(owner, "home", "Oslo")
    response: Any = frontend.get("/events", **{"Last-Event-ID": "0"})
    assert response["Content-Type"].startswith("text/event-stream")
    text = b"".join(response).decode()
    assert text.startswith("retry: 10000\n")
    assert text.count("event: memory.created") == 1
