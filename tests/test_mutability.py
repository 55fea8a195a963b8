"""Which rows may change. A new model must be put on one of these lists."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.db import ProgrammingError, models, transaction

from accounts.models import ApiKey, Application, EndUser, PageLink, User
from memoryapp.context import acting_for
from memoryapp.models import (
    Attribute,
    AuditEvent,
    Conversation,
    Decision,
    EmbeddingCache,
    ErasureReceipt,
    ErasureRequest,
    Evidence,
    Extraction,
    Fact,
    FactEmbedding,
    FactLink,
    FactUsage,
    HandAct,
    IdempotencyKey,
    Import,
    MemoryEvent,
    MemorySettings,
    MemoryUse,
    Message,
    MessageEmbedding,
    NeverTopic,
    Outbox,
    RateBucket,
    SubjectAlias,
    TokenDay,
    TokenUse,
    Tombstone,
    WebhookDelivery,
    WebhookEndpoint,
)
from tests.memory import NOW, learn

MUTABLE: set[type[models.Model]] = {
    ApiKey,
    Application,
    Attribute,
    Conversation,
    EmbeddingCache,
    EndUser,
    ErasureRequest,
    Fact,
    FactEmbedding,
    FactLink,
    FactUsage,
    Import,
    MemorySettings,
    MemoryUse,
    Message,
    MessageEmbedding,
    NeverTopic,
    Outbox,
    PageLink,
    RateBucket,
    SubjectAlias,
    TokenDay,
    TokenUse,
    User,
    WebhookDelivery,
    WebhookEndpoint,
}
APPEND_ONLY: set[type[models.Model]] = {AuditEvent, IdempotencyKey, MemoryEvent}
# What may change in an otherwise append-only row, and for what.
APPEND_ONLY_BUT: dict[type[models.Model], str] = {
    Decision: "its text and link go when it is erased; its link follows a merged fact",
    ErasureReceipt: "the storage pass fills in when it was done",
    Evidence: "its fact changes when timelines are rewritten; erasing masks its quote",
    Extraction: "it ends",
    HandAct: "it is undone",
    Tombstone: "erasing the same again moves its date on; a “never” that is taken back goes",
}


def test_every_model_is_listed_once_and_says_so_itself() -> None:
    ours = {
        model
        for label in ("memoryapp", "accounts")
        for model in apps.get_app_config(label).get_models()
    }
    append_only = APPEND_ONLY | set(APPEND_ONLY_BUT)
    assert ours == MUTABLE | append_only
    assert not MUTABLE & append_only
    for model in ours:
        word = "append-only" if model in append_only else "mutable"
        assert word in (model.__doc__ or "").lower(), model


@pytest.fixture
def rows(owner: User) -> dict[type[models.Model], models.Model]:
    """A row of each kind that the database itself guards."""
    learn(owner, "home", "Oslo", on=1)
    with acting_for(owner.pk):
        return {
            AuditEvent: AuditEvent.objects.get(),
            ErasureReceipt: ErasureReceipt.objects.create(
                user_id=owner.pk, target="facts", requested_at=NOW, completed_at=NOW
            ),
            IdempotencyKey: IdempotencyKey.objects.create(
                user_id=owner.pk, key_hash=b"", request_hash=b"", status=202, body={},
                created_at=NOW,
            ),
        }  # fmt: skip


REFUSED: list[tuple[type[models.Model], dict[str, Any] | None]] = [
    *[
        (AuditEvent, {name: value})
        for name, value in (("action", "x"), ("details", {}), ("seq", 9), ("hash", b""))
    ],
    (AuditEvent, None),
    *[
        (ErasureReceipt, {name: value})
        for name, value in (
            ("counts", {}),
            ("fact_ids", []),
            ("completed_at", NOW),
            ("storage_completed_at", NOW),
        )
    ],
    (ErasureReceipt, None),
    (IdempotencyKey, {"body": {}}),
]


@pytest.mark.parametrize(
    ("model", "change"),
    REFUSED,
    ids=[f"{m._meta.model_name}-{next(iter(c)) if c else 'delete'}" for m, c in REFUSED],
)
def test_the_database_refuses(
    rows: dict[type[models.Model], models.Model],
    owner: User,
    model: type[models.Model],
    change: dict[str, Any] | None,
) -> None:
    mine = model._base_manager.filter(pk=rows[model].pk)
    with acting_for(owner.pk):
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            mine.update(**change) if change is not None else mine.delete()
        assert mine.exists()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memoryapp_auditevent SET action = 'x'",
        "DELETE FROM memoryapp_auditevent",
        "TRUNCATE memoryapp_auditevent",
    ],
)
def test_even_a_superuser_must_lift_a_trigger_to_change_the_log(
    committed_db: object,
    owner: User,
    owner_connection: psycopg.Connection[Any],
    statement: str,
) -> None:
    learn(owner, "home", "Oslo", on=1)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="append-only"):
        owner_connection.execute(statement)
