"""The nightly work."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from memoryapp import registry
from memoryapp.consolidate import Report, consolidate
from memoryapp.context import acting_for
from memoryapp.models import (
    AuditEvent,
    Conversation,
    EmbeddingCache,
    Evidence,
    IdempotencyKey,
    MemorySettings,
    Message,
    Outbox,
)
from tests.memory import NOW, TESTER, day, facts, heard, learn


def night(user: User, **options: Any) -> Report:
    with acting_for(user.pk):
        return consolidate(
            **{
                "user_id": user.pk,
                "registry": registry.load(),
                "now": NOW,
                "by": TESTER,
                "archive_after": timedelta(days=50),
                "retention": timedelta(days=30),
                **options,
            }
        )


def test_each_kind_of_upkeep_is_done_once_and_logged(owner: User) -> None:
    learn(owner, "watching", "Severance", on=1, kind="entity", now=day(1))
    learn(owner, "hobby", "chess", on=2, now=day(2))
    learn(owner, "hobby", "go", on=55, now=day(55))
    with acting_for(owner.pk):
        chat = Conversation.objects.get()
        for hours in (25, 1):
            IdempotencyKey.objects.create(
                user_id=owner.pk,
                key_hash=bytes([hours]),
                request_hash=b"",
                status=202,
                body={},
                created_at=NOW - timedelta(hours=hours),
            )
        for done_at in (day(50), day(59), None):
            Outbox.objects.create(
                user_id=owner.pk,
                conversation=chat,
                created_at=day(1),
                not_before=day(1),
                done_at=done_at,
            )
        seen = AuditEvent.objects.count()
    assert night(owner) == Report(expired=1, archived=1, purged=2, tidied=2)
    assert night(owner) == Report()
    assert {(f.value, f.status) for f in facts(owner)} == {
        ("Severance", "expired"),
        ("chess", "archived"),
        ("go", "current"),
    }
    with acting_for(owner.pk):
        assert (IdempotencyKey.objects.count(), Outbox.objects.count()) == (1, 2)
        events = AuditEvent.objects.order_by("seq")[seen:]
        assert [(e.action, e.actor, e.details) for e in events] == [
            ("fact.expire", "system:test", {}),
            ("fact.archive", "system:test", {}),
            ("message.purge", "system:test", {"count": 2}),
            ("queue.tidy", "system:test", {"count": 2}),
        ]


def test_purging_keeps_the_proof_and_whatever_is_not_yet_read(owner: User) -> None:
    learn(owner, "pet", "dog", on=1, text="I have a dog.")
    for state in ("pending", "failed"):
        heard(owner, f"a {state} message", on=1, state=state)
    # Said long ago, brought in yesterday.
    heard(owner, "an imported message", on=-500, received_at=day(59))
    assert night(owner).purged == 1
    with acting_for(owner.pk):
        assert Evidence.objects.get().quote == "I have a dog."
        purged = Message.objects.get(content="")
        assert (purged.purged_at, bytes(purged.content_hash)) == (
            NOW,
            owner.keyed_hash("I have a dog."),
        )


@pytest.mark.parametrize(("chosen", "purged"), [(None, 1), (0, 2), (10, 1), (365, 0)])
def test_the_users_retention_overrides_the_servers(
    owner: User, chosen: int | None, purged: int
) -> None:
    with acting_for(owner.pk):
        MemorySettings.objects.create(user_id=owner.pk, retention_days=chosen)
    heard(owner, "old", on=1)
    heard(owner, "of today", on=60)
    assert night(owner).purged == purged


def test_the_command_works_for_everyone_or_for_one(owner: User, other: User) -> None:
    for user in (owner, other):
        learn(user, "watching", "Severance", on=1, kind="entity", now=day(1))
    out = StringIO()
    call_command("consolidate", user="OTHER@example.com", stdout=out)
    assert str(other.pk) in out.getvalue()
    assert str(owner.pk) not in out.getvalue()
    assert facts(other)[0].status == "expired"
    assert facts(owner)[0].status == "current"
    call_command("consolidate", stdout=out)
    assert facts(owner)[0].status == "expired"
    assert "Severance" not in out.getvalue()
    call_command("consolidate", user=str(owner.pk), stdout=out)
    with pytest.raises(CommandError):
        call_command("consolidate", user="nobody@example.com")


def test_vectors_of_old_questions_go_and_fresh_ones_stay(owner: User) -> None:
    with acting_for(owner.pk):
        for key, age in ((b"old", 31), (b"fresh", 29)):
            EmbeddingCache.objects.create(
                user_id=owner.pk,
                key=key,
                model="m",
                embedding=[1.0, 0.0],
                used_at=NOW - timedelta(days=age),
            )
    assert night(owner).tidied == 1
    with acting_for(owner.pk):
        (kept,) = EmbeddingCache.objects.filter(user_id=owner.pk)
    assert bytes(kept.key) == b"fresh"
