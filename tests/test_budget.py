"""Tokens a day, pauses and hours: work waits for its turn, visibly, and nothing is lost."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from memoryapp import budget, ingest, pacing, pipeline
from memoryapp.context import acting_for
from memoryapp.models import Outbox, TokenDay, TokenUse
from memoryapp.ports import ProviderError
from memoryapp.providers.openai_api import ModelServer, OpenAIChat
from memoryapp.records import ChatMessage
from tests.chat import current, deliver, read_all, said
from tests.conftest import FixedClock
from tests.honest_model import Patience, patience, shown, standing_clock
from tests.model_server import Reply, StandIn

__all__ = ["patience", "standing_clock"]
pytestmark = pytest.mark.usefixtures("committed_db")

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


def used(user: Any, day: datetime = NOON) -> int:
    with acting_for(user.pk):
        row = TokenUse.objects.filter(user_id=user.pk, day=day.date()).first()
    return row.tokens if row else 0


def everybody(day: datetime = NOON) -> int:
    row = TokenDay.objects.filter(day=day.date()).first()
    return row.tokens if row else 0


def reserve(user: Any, tokens: int, now: datetime = NOON) -> budget.Reservation:
    return budget.reserve(user_id=user.pk, tokens=tokens, now=now)


def work(user: Any) -> list[Outbox]:
    with acting_for(user.pk):
        return list(Outbox.objects.filter(user_id=user.pk).order_by("created_at", "id"))


# -- Counting ------------------------------------------------------------------------------------


def test_an_estimate_counts_until_the_servers_figure_takes_its_place(owner: Any) -> None:
    first = reserve(owner, 100)
    reserve(owner, 50)
    assert (used(owner), everybody()) == (150, 150)
    budget.settle(reservation=first, used=30)
    assert (used(owner), everybody()) == (80, 80)


def test_a_call_that_cost_more_counts_in_full(owner: Any, settings: Any) -> None:
    settings.TOKENS_PER_USER_DAY = 100
    budget.settle(reservation=reserve(owner, 90), used=500)
    assert used(owner) == 500
    with pytest.raises(budget.Spent):
        reserve(owner, 1)


def test_the_users_limit_is_their_own(owner: Any, other: Any, settings: Any) -> None:
    settings.TOKENS_PER_USER_DAY = 100
    reserve(owner, 60)
    with pytest.raises(budget.Spent):
        reserve(owner, 41)
    reserve(owner, 40)
    reserve(other, 100)
    assert (used(owner), used(other), everybody()) == (100, 100, 200)


def test_everybodys_limit_refuses_and_takes_nothing_of_the_users(
    owner: Any, other: Any, settings: Any
) -> None:
    settings.TOKENS_PER_DAY = 100
    reserve(owner, 60)
    with pytest.raises(budget.Spent):
        reserve(other, 50)
    assert (used(other), everybody()) == (0, 60)


def test_the_first_call_of_a_day_is_let_through_however_long(owner: Any, settings: Any) -> None:
    settings.TOKENS_PER_USER_DAY = settings.TOKENS_PER_DAY = 10
    reserve(owner, 5000)
    with pytest.raises(budget.Spent):
        reserve(owner, 1)
    reserve(owner, 5000, NOON + timedelta(days=1))


def test_days_are_utcs_and_old_ones_go(owner: Any, settings: Any) -> None:
    settings.TOKENS_PER_USER_DAY = 10
    late = datetime(2026, 1, 15, 23, 59, tzinfo=UTC)
    before = reserve(owner, 10, late)
    with pytest.raises(budget.Spent):
        reserve(owner, 1, late)
    assert budget.renewed(late) == datetime(2026, 1, 16, tzinfo=UTC)
    reserve(owner, 10, budget.renewed(late))
    budget.settle(reservation=before, used=3)  # on the day on which it was made
    assert (used(owner, late), used(owner, budget.renewed(late))) == (3, 10)
    reserve(owner, 1, late + timedelta(days=200))
    assert used(owner, late) == 0


def test_of_many_calls_at_once_only_those_within_the_limit_go(
    owner: Any, other: Any, settings: Any
) -> None:
    settings.TOKENS_PER_USER_DAY, settings.TOKENS_PER_DAY = 50, 80
    reserve(owner, 1)
    reserve(other, 1)
    start = threading.Barrier(8)
    refused: list[Any] = []

    def call(user: Any) -> None:
        start.wait()
        try:
            reserve(user, 10)
        except budget.Spent:
            refused.append(user)
        finally:
            connection.close()

    threads = [threading.Thread(target=call, args=(user,)) for user in [owner, other] * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (used(owner) + used(other), everybody()) == (72, 72)
    assert len(refused) == 1


def test_a_call_to_the_judge_is_paid_for_too(
    owner: Any, settings: Any, model_server: StandIn
) -> None:
    server = ModelServer(base_url=model_server.url, retries=0)
    model = budget.Paid(OpenAIChat("stand-in", server), user_id=owner.pk, now=NOON)
    asked = [ChatMessage("user", "Is tea the same as chai?")]
    answer = model.complete(asked)
    assert used(owner) == answer.tokens > 0
    model_server.script(Reply(finish_reason="length"))
    with pytest.raises(ProviderError, match="truncated"):
        model.complete(asked)
    assert used(owner) == 2 * answer.tokens
    settings.TOKENS_PER_USER_DAY = 1
    with pytest.raises(ProviderError, match="budget"):
        model.complete(asked)
    assert len(model_server.requests) == 2
    server.close()


# -- Work that waits for the budget --------------------------------------------------------------


def test_spent_means_tomorrow_and_nothing_is_dropped(
    owner: Any,
    settings: Any,
    patience: Patience,
    model_server: StandIn,
    standing_clock: FixedClock,
) -> None:
    settings.TOKENS_PER_USER_DAY = 100
    deliver(owner, [said("2026-01-10", "I live in Lisbon.")], "c1")
    assert read_all(owner) == 1  # the day's first, and more than the day has
    asked = len(model_server.requests)
    deliver(owner, [said("2026-01-10", "I work at Acme.")], "c2")
    deliver(owner, [said("2026-01-10", "I'm allergic to nuts.")], "c3")
    for _again in range(8):
        assert read_all(owner) == 0
    assert len(model_server.requests) == asked
    for row in work(owner)[1:]:
        assert (row.error, row.attempts, row.failed_at) == ("budget", 0, None)
        assert row.not_before == datetime(2026, 1, 16, tzinfo=UTC)
    with acting_for(owner.pk):
        assert ingest.status(user_id=owner.pk, conversation="c2") == ingest.Status(1, 0, 0)
    standing_clock.time = datetime(2026, 1, 15, 23, 59, 59, tzinfo=UTC)
    assert pipeline.sweep() == 0
    standing_clock.advance(seconds=1)
    assert pipeline.sweep() == 2
    settings.TOKENS_PER_USER_DAY = 100_000
    assert read_all(owner) == 2
    assert current(owner, "employer") == ["Acme"]
    assert used(owner, standing_clock.time) > 0


def test_what_a_day_allows_is_read_and_the_rest_the_day_after(
    owner: Any, settings: Any, patience: Patience, standing_clock: FixedClock
) -> None:
    # Two batches, of which the first uses the day up.
    settings.TOKENS_PER_DAY = 100
    deliver(owner, [said(f"2026-01-10T10:{n:02}", f"I like {n} things.") for n in range(41)])
    assert read_all(owner) == 40
    assert [row.error for row in work(owner)] == ["budget"]
    standing_clock.advance(days=1)
    assert read_all(owner) == 1
    assert work(owner)[0].done_at is not None


def test_the_local_extractor_has_no_budget(owner: Any, settings: Any) -> None:
    settings.TOKENS_PER_USER_DAY = settings.TOKENS_PER_DAY = 1
    for number in range(3):
        deliver(owner, [said("2026-01-10", "I live in Porto.")], f"c{number}")
    assert read_all(owner) == 3
    assert not TokenDay.objects.exists()


def test_the_page_says_that_reading_continues_tomorrow(
    owner: Any, settings: Any, patience: Patience
) -> None:
    settings.TOKENS_PER_USER_DAY = 1
    deliver(owner, [said("2026-01-10", "I live in Lisbon.")], "c1")
    read_all(owner)
    deliver(owner, [said("2026-01-10", "I work at Acme.")], "c2")
    client = Client()
    client.force_login(owner)
    reading = client.get(reverse("memories")).content.decode()
    assert "Reading your conversations" in reading
    assert "tomorrow" not in reading
    read_all(owner)
    waiting = client.get(reverse("memories")).content.decode()
    assert "reading continues tomorrow" in waiting
    assert "every 2s" not in waiting


# -- Pauses --------------------------------------------------------------------------------------


def test_messages_that_follow_quickly_are_read_together(
    owner: Any,
    settings: Any,
    patience: Patience,
    model_server: StandIn,
    standing_clock: FixedClock,
) -> None:
    settings.EXTRACTION_DEBOUNCE_SECONDS = 5
    for number in range(3):
        deliver(owner, [said(f"2026-01-10T10:0{number}", f"I like {number} things.")])
        assert read_all(owner) == 0  # a task that comes early
        assert pipeline.due() == []
        standing_clock.advance(seconds=4)
    (row,) = work(owner)
    assert (row.error, row.attempts) == ("debounce", 0)
    standing_clock.advance(seconds=1)
    assert pipeline.due() == [(owner.pk, row.id)]
    assert read_all(owner) == 3
    assert [len(shown(request.body)) for request in model_server.requests] == [3]


def test_a_conversation_without_a_pause_is_read_all_the_same(
    owner: Any, settings: Any, patience: Patience, standing_clock: FixedClock
) -> None:
    settings.EXTRACTION_DEBOUNCE_SECONDS = 5
    read = 0
    for number in range(20):
        deliver(owner, [said(f"2026-01-10T10:{number:02}", f"I like {number} things.")])
        if pipeline.due():
            read += read_all(owner)
        standing_clock.advance(seconds=4)
    assert read >= 10


def test_conversations_pause_by_themselves(
    owner: Any, settings: Any, patience: Patience, standing_clock: FixedClock
) -> None:
    settings.EXTRACTION_DEBOUNCE_SECONDS = 5
    deliver(owner, [said("2026-01-10", "I live in Lisbon.")], "c1")
    standing_clock.advance(seconds=5)
    deliver(owner, [said("2026-01-10", "I work at Acme.")], "c2")
    assert read_all(owner) == 1
    assert current(owner, "home") == ["Lisbon"]


# -- Hours ---------------------------------------------------------------------------------------


def test_outside_the_hours_work_waits_for_them(
    owner: Any, settings: Any, standing_clock: FixedClock
) -> None:
    settings.EXTRACTION_HOURS = "22-6"
    deliver(owner, [said("2026-01-10", "I live in Porto.")])
    assert read_all(owner) == 0
    (row,) = work(owner)
    assert (row.error, row.attempts) == ("hours", 0)
    assert row.not_before == datetime(2026, 1, 15, 22, tzinfo=UTC)
    standing_clock.time = datetime(2026, 1, 15, 21, 59, 59, tzinfo=UTC)
    assert pipeline.sweep() == 0
    standing_clock.advance(seconds=1)
    assert pipeline.sweep() == 1
    assert read_all(owner) == 1
    assert work(owner)[0].done_at is not None


def test_a_budget_that_is_renewed_outside_the_hours_waits_for_both(
    owner: Any, settings: Any, patience: Patience, standing_clock: FixedClock
) -> None:
    settings.EXTRACTION_HOURS, settings.TOKENS_PER_USER_DAY = "10-14", 1
    deliver(owner, [said("2026-01-10", "I live in Lisbon.")], "c1")
    deliver(owner, [said("2026-01-10", "I work at Acme.")], "c2")
    assert read_all(owner) == 1
    assert work(owner)[1].not_before == datetime(2026, 1, 16, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment", "opening"),
    [
        ("22-6", "2026-01-15T23:30", "2026-01-15T23:30"),
        ("22-6", "2026-01-15T05:59", "2026-01-15T05:59"),
        ("22-6", "2026-01-15T06:00", "2026-01-15T22:00"),
        ("1-5", "2026-01-15T00:30", "2026-01-15T01:00"),
        ("1-5", "2026-01-15T05:00", "2026-01-16T01:00"),
        ("20-24", "2026-01-15T23:59", "2026-01-15T23:59"),
        ("20-24", "2026-01-16T00:00", "2026-01-16T20:00"),
        ("0 – 6", "2026-01-15T03:00", "2026-01-15T03:00"),
    ],
)
def test_hours(text: str, moment: str, opening: str) -> None:
    hours = pacing.Hours.parse(text)
    assert hours is not None
    now = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    assert hours.opens(now) == datetime.fromisoformat(opening).replace(tzinfo=UTC)


@pytest.mark.parametrize("text", ["6", "6-6", "night", "22-25", "24-6", "22:00-6:00", "-1-6"])
def test_hours_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not two hours"):
        pacing.Hours.parse(text)


def test_no_hours_means_always() -> None:
    assert pacing.Hours.parse("") is None
