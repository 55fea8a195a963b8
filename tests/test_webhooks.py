"""Webhooks to a real receiver on a socket: signed, tried again, given up, replayed."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core import mail
from django.db import transaction

from accounts.models import Application, EndUser, User
from memoryapp import audit, broker, erase, pipeline, registry, store, webhooks
from memoryapp.context import acting_for
from memoryapp.models import Fact, MemoryEvent, WebhookDelivery, WebhookEndpoint
from memoryapp.webhooks import addresses, deliveries, sending
from tests import api, chat
from tests.conftest import FixedClock
from tests.memory import NOW, TESTER, candidate, heard
from tests.receiver import Receiver, Reply, certificate, receiving, tls, verified

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LOOPBACK = [ipaddress.ip_network("127.0.0.0/8")]
BY = audit.Actor.system("test")


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOWED_NETWORKS = LOOPBACK
    with receiving() as found:
        yield found


@pytest.fixture
def app(owner: User) -> Application:
    return Application.objects.create(owner=owner, name="Chatty")


@pytest.fixture
def person(app: Application) -> User:
    """The application's user "customer-17"."""
    return EndUser.objects.resolve(application=app, external_id="customer-17")


@pytest.fixture
def hook(app: Application, receiver: Receiver) -> tuple[WebhookEndpoint, str]:
    return webhooks.create(application=app, url=receiver.url, by=BY, now=AT)


def learn(user: User, attribute: str = "home", value: str = "Oslo", **options: Any) -> UUID:
    said = heard(user, f"{attribute}: {value}", on=1)
    with acting_for(user.pk):
        [decided] = store.apply(
            user_id=user.pk, candidates=[candidate(said, attribute, value)],
            registry=registry.load(), by=TESTER, now=options.pop("now", NOW), **options,
        )  # fmt: skip
    assert decided.fact_id is not None
    return decided.fact_id


def rows(user: User, **filters: Any) -> list[WebhookDelivery]:
    with acting_for(user.pk):
        found = WebhookDelivery.objects.filter(user_id=user.pk, **filters)
        return list(found.select_related("event").order_by("id"))


def send(user: User, now: datetime = NOW) -> None:
    """What the workers would do with what is due."""
    for row in rows(user, state="pending"):
        webhooks.deliver(user_id=user.pk, delivery_id=row.id, now=now)


class TestWhatIsSent:
    def test_ids_only_signed(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        fact = learn(person, value="Oslo")
        send(person)
        [got] = receiver.requests
        assert got.json["type"] == "memory.created"
        assert got.json["data"]["user"] == "customer-17"
        assert got.json["data"]["facts"] == [str(fact)]
        assert b"Oslo" not in got.body
        assert got.path == "/hook"
        assert got.headers["content-type"] == "application/json"
        assert got.headers["webhook-timestamp"] == str(int(NOW.timestamp()))
        assert verified(got, hook[1])
        assert not verified(got, "whsec_" + "A" * 44)
        [row] = rows(person)
        assert (row.state, row.status, row.attempts) == ("delivered", 204, 1)
        assert got.id == webhooks.message_id(row.event_id)

    def test_a_fake_cannot_be_made_of_the_database(
        self, settings: Any, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        """Whoever has the rows, but another SECRET_KEY, signs nothing: the endpoint stops,
        and its owner hears why."""
        learn(person)
        settings.SECRET_KEY = "another"
        send(person)
        assert receiver.requests == []
        hook[0].refresh_from_db()
        assert hook[0].disabled_reason == "key_changed"
        assert [m.to for m in mail.outbox] == [["owner@example.com"]]
        secret = webhooks.rotate(row=hook[0], by=BY, now=NOW)
        webhooks.enable(row=hook[0], by=BY, now=NOW)
        learn(person, "sport", "chess")
        send(person)
        assert verified(receiver.requests[-1], secret)

    def test_two_secrets_while_one_is_rotated(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        row, old = hook
        new = webhooks.rotate(row=row, by=BY, now=NOW, overlap=timedelta(hours=1))
        learn(person)
        send(person)
        assert verified(receiver.requests[0], old)
        assert verified(receiver.requests[0], new)
        learn(person, "sport", "chess")
        send(person, NOW + timedelta(hours=1))
        assert verified(receiver.requests[1], new)
        assert not verified(receiver.requests[1], old)

    def test_only_the_types_that_are_wanted(
        self, app: Application, person: User, receiver: Receiver
    ) -> None:
        webhooks.create(application=app, url=receiver.url, events=["memory.erased"], by=BY, now=AT)
        fact = learn(person)
        assert rows(person) == []
        pipeline.erase_facts(user_id=person.pk, fact_ids=[fact], by=BY)
        send(person, datetime.now(UTC))
        assert [got.json["type"] for got in receiver.requests] == ["memory.erased"]
        assert receiver.requests[0].json["data"]["facts"] == [str(fact)]

    def test_only_to_the_application_whose_user_it_is(
        self, owner: User, person: User, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        elsewhere = Application.objects.create(owner=owner, name="Other")
        stranger = EndUser.objects.resolve(application=elsewhere, external_id="customer-17")
        learn(stranger)
        learn(owner)
        assert rows(stranger) == rows(owner) == []

    def test_nothing_of_a_user_who_shut_the_application_out(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        learn(person)
        EndUser.objects.filter(user=person).update(may_read=False)
        learn(person, "sport", "chess")
        [row] = rows(person)
        send(person)
        assert receiver.requests == []
        [row] = rows(person)
        assert (row.state, row.error) == ("failed", "denied_by_user")

    def test_nothing_of_what_was_rolled_back(
        self, person: User, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        with transaction.atomic():
            learn(person)
            transaction.set_rollback(True)
        assert rows(person) == []

    def test_by_the_workers(
        self, worker: None, owner: User, app: Application, person: User, receiver: Receiver
    ) -> None:
        webhooks.create(application=app, url=receiver.url, by=BY, now=AT)
        pipeline.accept(
            user_id=person.pk, conversation="c1",
            messages=[chat.said("2026-01-10", "I use dark mode in my IDE.")],
            by=audit.Actor.user(person),
        )  # fmt: skip
        deadline = datetime.now(UTC) + timedelta(seconds=60)
        while len(receiver.requests) < 2:
            assert datetime.now(UTC) < deadline
            receiver.stopping.wait(0.05)
        told = {got.json["type"]: got.json["data"] for got in receiver.requests}
        assert set(told) == {"memory.created", "conversation.read"}
        assert {each["conversation"] for each in told.values()} == {"c1"}


class TestWhatGoesWrong:
    @pytest.mark.parametrize(
        ("reply", "error", "status"),
        [
            (Reply(500), "status", 500),
            (Reply(404), "status", 404),
            (Reply(302, {"Location": "http://127.0.0.1:1/"}), "redirect", 302),
            (Reply(slam=True), "connection", None),
            (Reply(hang=True), "timeout", None),
            (Reply(drip=True), "timeout", None),
        ],
        ids=["500", "404", "redirect", "slam", "hang", "drip"],
    )
    def test_it_is_tried_again_later(
        self, settings: Any, person: User, receiver: Receiver,
        hook: tuple[WebhookEndpoint, str], reply: Reply, error: str, status: int | None,
    ) -> None:  # fmt: skip
        settings.WEBHOOK_TIMEOUT_SECONDS = 0.5
        receiver.script(reply)
        learn(person)
        send(person)
        [row] = rows(person)
        assert (row.state, row.error, row.status, row.claimed_until) == (
            "pending", error, status, None,
        )  # fmt: skip
        assert [(line["error"], line["status"]) for line in row.log] == [(error, status or 0)]
        assert NOW + timedelta(seconds=5) <= row.not_before <= NOW + timedelta(seconds=6.25)
        send(person, NOW + timedelta(seconds=4))
        assert len(receiver.requests) == 1
        send(person, NOW + timedelta(seconds=7))
        [row] = rows(person)
        assert row.state == "delivered"
        assert len({got.id for got in receiver.requests}) == 1
        assert len({got.body for got in receiver.requests}) == 1

    def test_of_what_is_answered_nothing_is_kept(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str],
        caplog: pytest.LogCaptureFixture,
    ) -> None:  # fmt: skip
        receiver.script(Reply(500, {"X-Diary": "dear diary"}, b"dear diary"))
        learn(person)
        with caplog.at_level(logging.DEBUG):
            send(person)
        assert "diary" not in f"{rows(person)[0].__dict__}{caplog.text}"
        assert receiver.url not in caplog.text

    def test_longer_each_time_for_more_than_a_day(self) -> None:
        least = [deliveries.wait(n) / 1.25 for n in range(1, deliveries.ATTEMPTS)]
        assert sum(least, timedelta()) > timedelta(days=1)
        assert all(deliveries.wait(n) <= timedelta(hours=7.5) for n in range(1, 100))
        assert deliveries.wait(1, 3600.0) == timedelta(hours=1)
        assert deliveries.wait(1, 10.0**9) == timedelta(days=1)
        assert len({deliveries.wait(5) for _ in range(5)}) > 1

    def test_the_receivers_own_time_counts(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        receiver.script(Reply(503, {"Retry-After": "120"}))
        learn(person)
        send(person)
        assert rows(person)[0].not_before == NOW + timedelta(seconds=120)

    def test_it_is_given_up_in_the_end(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        learn(person)
        now = NOW
        for _ in range(deliveries.ATTEMPTS):
            receiver.script(Reply(500))
            send(person, now)
            now = rows(person)[0].not_before
        [row] = rows(person)
        assert (row.state, len(row.log), len(receiver.requests)) == ("failed", 12, 12)
        send(person, now + timedelta(days=1))
        assert len(receiver.requests) == 12

    def test_after_days_of_failure_it_is_switched_off_and_the_owner_told(
        self, owner: User, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        receiver.script(Reply(500), Reply(500))
        learn(person)
        send(person)
        learn(person, "sport", "chess")
        with acting_for(person.pk):
            WebhookDelivery.objects.update(not_before=NOW)
        send(person, NOW + timedelta(days=5))
        hook[0].refresh_from_db()
        assert hook[0].disabled_reason == "failing"
        assert len(mail.outbox) == 1
        assert receiver.url not in mail.outbox[0].body
        assert ("webhook.disable", f"webhook:{hook[0].pk}") in [e[1:] for e in api.log(owner)]
        # What waited goes nowhere, and nothing new is queued.
        learn(person, "pet", "Pim")
        send(person, NOW + timedelta(days=6))
        assert {row.state for row in rows(person)} == {"failed"}
        assert len(receiver.requests) == 2

    def test_one_success_in_between_starts_the_days_anew(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        receiver.script(Reply(500))
        learn(person)
        send(person)
        send(person, NOW + timedelta(days=1))
        hook[0].refresh_from_db()
        assert hook[0].failing_since is None
        assert hook[0].last_success_at == NOW + timedelta(days=1)

    def test_a_receiver_that_is_gone_is_switched_off_at_once(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        receiver.script(Reply(410))
        learn(person)
        send(person)
        hook[0].refresh_from_db()
        assert hook[0].disabled_reason == "gone"

    def test_it_is_sent_once_however_many_workers_there_are(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        learn(person)
        with acting_for(person.pk):
            WebhookDelivery.objects.update(claimed_until=NOW + timedelta(seconds=1))
        send(person)
        assert receiver.requests == []
        # Its worker died: the claim runs out.
        send(person, NOW + timedelta(seconds=2))
        send(person, NOW + timedelta(seconds=2))
        assert len(receiver.requests) == 1

    def test_one_that_kills_its_workers_is_given_up(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        learn(person)
        with acting_for(person.pk):
            WebhookDelivery.objects.update(attempts=12, claimed_until=NOW)
        send(person, NOW + timedelta(seconds=1))
        [row] = rows(person)
        assert (row.state, row.error, receiver.requests) == ("failed", "worker_lost", [])

    def test_the_account_may_end_while_it_is_sent(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        learn(person)

        def post(*arguments: Any) -> Any:
            with acting_for(person.pk):
                erase.erase_account(user_id=person.pk, by=BY)
            return sending.post(*arguments)

        [row] = rows(person)
        monkeypatch.setattr(deliveries, "post", post)
        webhooks.deliver(user_id=row.user_id, delivery_id=row.id, now=NOW)
        assert len(receiver.requests) == 1
        assert rows(person) == []

    def test_a_slow_receiver_does_not_get_every_worker(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        for number in range(5):
            learn(person, f"thing_{number}", "x")
        with acting_for(person.pk):
            busy = list(WebhookDelivery.objects.values_list("id", flat=True)[:4])
            WebhookDelivery.objects.filter(id__in=busy).update(
                claimed_until=NOW + timedelta(minutes=1)
            )
        send(person)
        assert receiver.requests == []
        [waiting] = [row for row in rows(person) if row.id not in busy]
        assert (waiting.attempts, waiting.not_before > NOW) == (0, True)

    def test_the_sweep_finds_what_is_due(
        self, person: User, hook: tuple[WebhookEndpoint, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sent: list[tuple[str, ...]] = []

        def send_task(*arguments: str) -> bool:
            sent.append(arguments)
            return True

        monkeypatch.setattr(broker, "send", send_task)
        learn(person)
        [row] = rows(person)
        webhooks.sweep(now=NOW + timedelta(seconds=14))  # the fast path's time
        assert sent == []
        webhooks.sweep(now=NOW + timedelta(seconds=15))
        assert sent == [("memoryapp.tasks.deliver_webhook", str(person.pk), str(row.id))]


class TestWhere:
    """The guard of the operator's own networks."""

    @pytest.mark.parametrize(
        "host",
        [
            "127.0.0.1", "localhost", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1",
            "169.254.169.254", "100.64.0.1", "224.0.0.1", "192.0.2.1", "255.255.255.255",
            "2130706433", "0x7f.1", "127.1", "[::1]", "[::]", "[::ffff:127.0.0.1]",
            "[::ffff:169.254.169.254]", "[fe80::1]", "[fc00::1]", "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]", "[ff02::1]", "[::127.0.0.1]", "[2001:0:0:0:0:0:80ff:fffe]",
        ],
    )  # fmt: skip
    def test_nothing_goes_inside(self, host: str) -> None:
        answer = sending.post(f"https://{host}/", b"{}", {})
        assert answer.error == "forbidden_address"

    @pytest.mark.parametrize(
        "url",
        [
            "", "x", "ftp://example.com/", "https://", "https:///x", "https://u:p@example.com/",
            "https://u@example.com/", "https://example.com/#x", "https://example.com:99999/",
            "https://example.com:0/", "https://exam ple.com/", "https://example.com/\r\nX: y",
            "https://example.com/é", "javascript:alert(1)", "file:///etc/passwd",
        ],
    )  # fmt: skip
    def test_what_is_no_address(self, app: Application, url: str) -> None:
        with pytest.raises(webhooks.Refused) as refused:
            webhooks.create(application=app, url=url, by=BY, now=AT)
        assert refused.value.code == "url"

    def test_plain_http_is_for_the_operators_own_networks(
        self, settings: Any, app: Application
    ) -> None:
        with pytest.raises(webhooks.Refused, match="https"):
            webhooks.create(application=app, url="http://example.com/", by=BY, now=AT)
        settings.WEBHOOK_ALLOWED_NETWORKS = [ipaddress.ip_network("10.0.0.0/8")]
        assert sending.post("http://192.0.2.1/", b"", {}).error == "forbidden_address"
        assert sending.post("http://1.1.1.1/", b"", {}).error == "forbidden_address"

    def test_what_the_guard_lets_through(self) -> None:
        for text in ("1.1.1.1", "2606:4700::1111", "64:ff9b::101:101"):
            assert addresses.resolve(addresses.parse(f"https://{_host(text)}/")).compressed == text

    def test_a_name_is_looked_up_once_and_held_to(
        self, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A name that says "here" to the guard and "there" to the connection."""
        settings.WEBHOOK_ALLOWED_NETWORKS = LOOPBACK
        asked: list[str] = []

        def look_up(host: str, port: int, **_options: Any) -> list[Any]:
            asked.append(host)
            address = "127.0.0.1" if len(asked) == 1 else "127.0.0.2"
            return [(2, 1, 6, "", (address, port))]

        with receiving() as found:
            monkeypatch.setattr("memoryapp.webhooks.addresses.socket.getaddrinfo", look_up)
            url = found.url.replace("127.0.0.1", "receiver.example")
            assert sending.post(url, b"{}", {}).delivered
            assert found.requests[0].headers["host"].startswith("receiver.example:")
        assert asked == ["receiver.example"]

    def test_one_forbidden_address_of_several_is_enough(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = [(2, 1, 6, "", (each, 443)) for each in ("1.1.1.1", "127.0.0.1")]
        monkeypatch.setattr(
            "memoryapp.webhooks.addresses.socket.getaddrinfo", lambda *_a, **_k: found
        )
        assert sending.post("https://example.com/", b"", {}).error == "forbidden_address"

    def test_over_tls_with_a_certificate_that_fits(
        self, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.WEBHOOK_ALLOWED_NETWORKS = LOOPBACK
        with receiving(tls()) as found:
            assert sending.post(found.url, b"{}", {}).error == "tls"  # nobody vouches for it
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate()))
            assert sending.post(found.url, b"{}", {}).delivered
        with receiving(tls("192.0.2.1")) as found:
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate("192.0.2.1")))
            assert sending.post(found.url, b"{}", {}).error == "tls"  # another's
            assert found.requests == []
        with receiving() as found:
            url = found.url.replace("http:", "https:")
            assert sending.post(url, b"{}", {}).error == "tls"

    def test_nobody_there(self, settings: Any, receiver: Receiver) -> None:
        settings.WEBHOOK_ALLOWED_NETWORKS = LOOPBACK
        assert sending.post("http://127.0.0.1:1/", b"", {}).error == "connection"
        assert sending.post("https://nowhere.invalid/", b"", {}).error == "unknown_host"


def _host(text: str) -> str:
    return f"[{text}]" if ":" in text else text


class TestAgain:
    def test_one_delivery(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        learn(person)
        send(person)
        [row] = rows(person)
        done = webhooks.replay(endpoint=hook[0], delivery_ids=[row.id], now=NOW)
        assert done.queued == 1
        send(person)
        first, second = receiver.requests
        assert first.id == second.id
        assert first.body == second.body

    def test_what_was_missed_while_it_was_off(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        learn(person, "home", "Oslo", now=NOW)
        webhooks.disable(row=hook[0], by=BY, now=NOW)
        learn(person, "sport", "chess", now=NOW + timedelta(hours=1))
        learn(person, "pet", "Pim", now=NOW + timedelta(hours=2))
        webhooks.enable(row=hook[0], by=BY, now=NOW)
        done = webhooks.replay_range(
            endpoint=hook[0], since=NOW + timedelta(minutes=1), until=NOW + timedelta(hours=2),
            now=NOW + timedelta(hours=3),
        )  # fmt: skip
        assert (done.queued, done.more) == (1, None)
        again = webhooks.replay_range(
            endpoint=hook[0], since=NOW, until=NOW + timedelta(hours=3),
            now=NOW + timedelta(hours=3),
        )  # fmt: skip
        assert again.queued == 3
        assert len(rows(person)) == 3

    def test_too_many_for_once(
        self, person: User, hook: tuple[WebhookEndpoint, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(deliveries, "MOST_REPLAYED", 2)
        for number in range(5):
            learn(person, f"thing_{number}", "x", now=NOW + timedelta(minutes=number))
        since, queued = NOW, 0
        for _ in range(5):
            done = webhooks.replay_range(
                endpoint=hook[0], since=since, until=NOW + timedelta(days=1), now=NOW
            )
            queued += done.queued
            if done.more is None:
                break
            since = done.more
        assert queued == 5

    def test_old_ones_are_tidied_away_but_not_what_still_waits(
        self, person: User, receiver: Receiver, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        learn(person)
        assert webhooks.tidy(user_id=person.pk, now=NOW + timedelta(days=31)) == 0
        send(person)
        assert webhooks.tidy(user_id=person.pk, now=NOW + timedelta(days=29)) == 0
        assert webhooks.tidy(user_id=person.pk, now=NOW + timedelta(days=31)) == 1
        assert rows(person) == []
        with acting_for(person.pk):
            assert Fact.objects.filter(user_id=person.pk).exists()
            assert not MemoryEvent.objects.filter(user_id=person.pk).exists()


class TestTheApi:
    @pytest.fixture
    def frontend(self, owner: User) -> api.Frontend:
        return api.application(owner)[1]

    def test_its_whole_life(self, owner: User, frontend: api.Frontend, receiver: Receiver) -> None:
        made = frontend.post("/webhooks", {"url": receiver.url, "events": ["memory.created"]})
        assert made.status_code == 201
        secret = made.json()["secret"]
        assert secret.startswith("whsec_")
        path = f"/webhooks/{made.json()['id']}"
        assert "secret" not in frontend.get(path).json()
        assert frontend.get("/webhooks").json()["items"] == [frontend.get(path).json()]

        tried = frontend.post(f"{path}/test", {}).json()
        assert (tried["delivered"], tried["status"], tried["error"]) == (True, 204, "")
        assert receiver.requests[0].json["type"] == "webhook.test"
        assert verified(receiver.requests[0], secret)

        person = EndUser.objects.resolve(
            application=Application.objects.get(), external_id="customer-17"
        )
        learn(person)
        receiver.script(Reply(500))
        send(person)
        [one] = frontend.get(f"{path}/deliveries").json()["items"]
        assert (one["user"], one["type"], one["state"]) == (
            "customer-17", "memory.created", "pending",
        )  # fmt: skip
        assert [(a["status"], a["error"]) for a in one["attempts"]] == [(500, "status")]
        assert one["message"] == receiver.requests[1].id
        assert frontend.get(f"{path}/deliveries?state=failed").json()["items"] == []
        body = {"deliveries": [one["id"]]}
        assert frontend.post(f"{path}/replay", body).json() == {"queued": 1, "more": None}

        rotated = frontend.post(f"{path}/rotate", {"overlap_seconds": 0}).json()
        assert rotated["secret"] != secret
        assert rotated["previous_secret_until"] is None
        changed = frontend.patch(path, {"enabled": False, "description": "old"}).json()
        assert (changed["enabled"], changed["disabled_reason"], changed["description"]) == (
            False, "asked", "old",
        )  # fmt: skip
        api.problem(frontend.post(f"{path}/replay", body), 409, "conflict")
        assert frontend.patch(path, {"enabled": True}).json()["enabled"] is True
        assert frontend.delete(path).status_code == 204
        api.problem(frontend.get(path), 404, "not-found")
        assert [each[1] for each in api.log(owner)][:6] == [
            "webhook.create", "webhook.rotate", "webhook.change", "webhook.disable",
            "webhook.enable", "webhook.delete",
        ]  # fmt: skip

    def test_another_applications_is_not_there(
        self, owner: User, hook: tuple[WebhookEndpoint, str]
    ) -> None:
        other = api.application(owner, "Other")[1]
        since = {"since": "2026-01-01T00:00:00Z"}
        path = f"/webhooks/{hook[0].pk}"
        for call in (
            other.get(path), other.patch(path, {"enabled": False}), other.delete(path),
            other.post(f"{path}/rotate", {}), other.post(f"{path}/test", {}),
            other.get(f"{path}/deliveries"), other.post(f"{path}/replay", since),
        ):  # fmt: skip
            api.problem(call, 404, "not-found")
        assert other.get("/webhooks").json() == {"items": []}

    def test_a_personal_key_has_none(self, owner: User) -> None:
        api.problem(api.personal(owner).get("/webhooks"), 403, "forbidden")

    def test_what_is_refused(self, settings: Any, frontend: api.Frontend) -> None:
        settings.WEBHOOK_ALLOWED_NETWORKS = []
        assert api.errors(frontend.post("/webhooks", {"url": "http://example.com"})) == {
            "url": "https"
        }
        assert api.errors(frontend.post("/webhooks", {"url": "nothing"})) == {"url": "url"}
        wrong = {"url": "https://example.com", "events": ["memory.stolen"]}
        assert list(api.errors(frontend.post("/webhooks", wrong))) == ["events[0]"]
        url = {"url": "https://example.com"}
        made = [frontend.post("/webhooks", url).status_code for _ in range(21)]
        assert made == [201] * 20 + [409]
        path = f"/webhooks/{frontend.get('/webhooks').json()['items'][0]['id']}/replay"
        for body in ({}, {"deliveries": [], "until": "2026-01-01T00:00:00Z"}):
            assert frontend.post(path, body).status_code == 422


def test_an_accounts_end_takes_its_events_along(
    owner: User, person: User, hook: tuple[WebhookEndpoint, str], clock: FixedClock
) -> None:
    learn(person)
    with acting_for(person.pk):
        erase.erase_account(user_id=person.pk, by=BY, now=clock.now())
        assert not MemoryEvent.objects.filter(user_id=person.pk).exists()
        assert not WebhookDelivery.objects.filter(user_id=person.pk).exists()
