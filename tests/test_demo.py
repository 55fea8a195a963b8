"""The made-up year: what it holds, and that it is no danger to a real account."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.models import User
from memoryapp import audit
from memoryapp.context import acting_for
from memoryapp.management import demo
from memoryapp.models import (
    AuditEvent,
    Decision,
    ErasureReceipt,
    ErasureRequest,
    Fact,
    FactUsage,
    Import,
    MemoryUse,
    Message,
)
from memoryapp.web import cards, wording
from tests.notebook import facts, moved

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
# Sentences that somebody has read and found right, one a line.
RIGHT = Path(__file__).parent / "fixtures" / "demo_year.txt"


def sentences(user: User, *status: str) -> set[str]:
    known = cards.registry()
    return {
        wording.sentence(fact, known)
        for fact in facts(user, operation="state")
        if not status or fact.status in status
    }


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_year_of_one_life_is_understood(db: None) -> None:
    person = demo.load()["person"]
    user = demo.account(person["email"], person)
    played = demo.play(user, now=NOW)

    right = set(RIGHT.read_text(encoding="utf-8").splitlines())
    assert len(right) >= 120
    assert right - sentences(user, "current") == set()

    # Moves, a change of job, what was never so, what ran out, what waits.
    assert {"You live in Bristol.", "You live in Trieste.", "You work at Avon Rivers Trust."} <= (
        sentences(user, "superseded")
    )
    assert "Agnes is 74 years old." in sentences(user, "superseded")
    assert "Planned: Lošinj, 12 July 2026." in sentences(user, "expired")
    assert {"You have tendinitis.", "You don’t eat anchovies."} <= sentences(user, "pending")
    assert "You take sumatriptan." in sentences(user, "rejected")
    # What was forgotten is nowhere.
    assert not any("open-plan" in one or "baking" in one for one in sentences(user))

    with acting_for(user.pk):
        assert list(Import.objects.values_list("state", flat=True)) == ["done"]
        assert ErasureReceipt.objects.count() == 6
        assert set(ErasureRequest.objects.values_list("state", flat=True)) == {"done", "open"}
        assert Decision.objects.filter(outcome="conflict").count() == 1
        assert Fact.objects.filter(pinned=True).count() == 2
        assert FactUsage.objects.filter(recall_count__gt=3).count() > 5
        assert MemoryUse.objects.values("application_id").distinct().count() == 2
        assert not Message.objects.exclude(state="processed").exists()
        assert audit.verify_chain(user_id=user.pk).whole
        # Everything happened in its time.
        began, ended = NOW - timedelta(days=366), NOW
        for moments in (
            AuditEvent.objects.values_list("at", flat=True),
            Fact.objects.values_list("recorded_at", flat=True),
            Message.objects.values_list("received_at", flat=True),
        ):
            assert began < min(moments)
            assert max(moments) < ended

    text = " ".join(demo.made(user, played))
    assert "80 conversations" in text
    assert "forget conversation: 1" in text


@pytest.fixture
def short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A year of two conversations, so that it can be played again and again."""
    data = demo.load()
    talks = [step for step in data["steps"] if "turns" in step]
    data["steps"] = [talks[0], talks[1]]
    file = tmp_path / "year.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.setattr(demo, "DATA", file)


def run(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("demo", "--year", *arguments, stdout=out, **options)
    return out.getvalue()


def test_the_command_says_what_it_made_and_makes_the_same_again(db: None, short: None) -> None:
    said = run()
    assert "2 conversations" in said
    assert "signinlink --email demo@localhost" in said
    first = User.objects.get(email="demo@localhost")
    before = sentences(first)
    assert "You live in Bristol." in before

    with pytest.raises(CommandError, match="has memories already"):
        run()
    assert sentences(first) == before

    run("--reset")
    again = User.objects.get(email="demo@localhost")
    assert again.pk != first.pk
    assert again.display_name == first.display_name
    assert sentences(again) == before


def test_the_memories_of_a_real_account_are_left_alone(
    db: None, owner: User, admin: User, short: None
) -> None:
    for person in (owner, admin):
        moved(person)
        with pytest.raises(CommandError, match="has memories already"):
            run("--user", str(person.email))
    with pytest.raises(CommandError, match="may enter the admin"):
        run("--user", str(admin.email), "--reset")
    assert len(facts(owner)) == len(facts(admin)) == 2


def test_a_year_that_fails_leaves_nothing(
    db: None, owner: User, short: None, tmp_path: Path
) -> None:
    file = tmp_path / "year.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    data["steps"].append(
        {"day": 9, "time": "09:00", "do": "pin", "attribute": "home", "value": "Atlantis"}
    )
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(Fact.DoesNotExist):
        demo.play(owner, now=NOW)
    assert facts(owner) == []
    assert not demo.occupied(owner)
