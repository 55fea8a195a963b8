"""Two users with the same words: nothing crosses, as the application's own role."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.db import Error, IntegrityError, ProgrammingError, connection, models, transaction

from accounts.models import User
from memoryapp.context import WrongUser, acting_for, auditing, relaying
from memoryapp.models import (
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
    SubjectAlias,
    TokenUse,
    Tombstone,
    WebhookDelivery,
)
from memoryapp.models.base import Owned
from tests.memory import NOW, day, learn

OWNED: list[type[Owned]] = [
    model for model in apps.get_app_config("memoryapp").get_models() if issubclass(model, Owned)
]


def remember(user: User) -> None:
    """The same row in every table for whoever is given."""
    learn(user, "home", "Oslo", on=1, text="I live in Oslo.")
    mine: dict[str, Any] = {"user_id": user.pk}
    with acting_for(user.pk):
        chat, fact = Conversation.objects.get(), Fact.objects.get()
        message = Message.objects.get()
        vector = [0.5, 0.5, 0.5, 0.5]
        Extraction.objects.create(
            **mine, extractor="local", version="1", started_at=NOW, outcome="done"
        )
        FactEmbedding.objects.create(**mine, fact=fact, model="m", dimension=4, embedding=vector)
        MessageEmbedding.objects.create(
            **mine, message=message, model="m", dimension=4, embedding=vector
        )
        FactUsage.objects.create(**mine, fact=fact)
        MemoryUse.objects.create(
            **mine, fact=fact, at=NOW, via="chat", conversation=chat, message=message
        )
        HandAct.objects.create(**mine, act=uuid4(), fact=fact, kind="weigh", actor="x", at=NOW)
        EmbeddingCache.objects.create(**mine, key=b"k", model="m", embedding=vector, used_at=NOW)
        ErasureRequest.objects.create(**mine, what="Oslo", asked_at=NOW)
        ErasureReceipt.objects.create(**mine, target="facts", requested_at=NOW, completed_at=NOW)
        Tombstone.objects.create(**mine, hash=b"h", erased_at=NOW)
        Import.objects.create(**mine, actor="x", created_at=NOW)
        Outbox.objects.create(**mine, conversation=chat, created_at=NOW, not_before=NOW)
        IdempotencyKey.objects.create(
            **mine, key_hash=b"k", request_hash=b"r", status=202, body={}, created_at=NOW
        )
        MemorySettings.objects.create(**mine)
        NeverTopic.objects.create(**mine, words="my divorce", created_at=NOW)
        SubjectAlias.objects.create(
            **mine, alias="person:sister", subject="person:mira", made_at=NOW
        )
        TokenUse.objects.create(**mine, day=NOW.date())
        WebhookDelivery.objects.create(
            **mine, event=MemoryEvent.objects.get(), endpoint=uuid4(), created_at=NOW,
            not_before=NOW,
        )  # fmt: skip
    learn(user, "likes", "tea", on=2)
    with acting_for(user.pk):
        FactLink.objects.create(
            **mine, source=fact, target=Fact.objects.get(attribute="likes"), kind="follows_from",
            made_at=NOW,
        )  # fmt: skip


@pytest.fixture
def both(owner: User, other: User) -> tuple[User, User]:
    for user in (owner, other):
        remember(user)
    return owner, other


def users_seen(model: type[models.Model]) -> set[UUID]:
    return set(model._base_manager.values_list("user_id", flat=True))


# Each table is a loop's turn, not a test of its own: filling them all takes most of the time.


def test_each_user_reads_their_own_rows_only(both: tuple[User, User]) -> None:
    for user in both:
        with acting_for(user.pk):
            for model in OWNED:
                assert users_seen(model) == {user.pk}, model


def test_nobody_named_means_no_rows(both: tuple[User, User]) -> None:
    for model in OWNED:
        assert users_seen(model) == set(), model
        with transaction.atomic():
            assert users_seen(model) == set(), model


def test_another_users_row_can_not_be_changed_removed_taken_or_given(
    both: tuple[User, User],
) -> None:
    owner, other = both
    for model in OWNED:
        rows = model._base_manager
        with acting_for(other.pk):
            theirs = rows.filter(user_id=other.pk).first()
            assert theirs is not None, model
        with acting_for(owner.pk):
            mine = rows.filter(user_id=owner.pk).first()
            assert mine is not None, model
            for change in ({"user_id": other.pk}, {"user_id": owner.pk}, None):
                # Append-only tables refuse the statement, the others find no row.
                with contextlib.suppress(ProgrammingError), transaction.atomic():
                    found = rows.filter(pk=theirs.pk)
                    assert (found.update(**change) if change else found.delete()[0]) == 0, model
            with refused(model), transaction.atomic():
                rows.filter(pk=mine.pk).update(user_id=other.pk)
            theirs.pk = uuid4()
            with refused(model, "row-level security"), transaction.atomic():
                rows.bulk_create([theirs])
        for user in both:
            with acting_for(user.pk):
                assert rows.filter(user_id=user.pk).exists(), model


@contextlib.contextmanager
def refused(
    what: object, match: str = "", kind: type[Exception] = ProgrammingError
) -> Iterator[None]:
    """``pytest.raises``, which says of what in a loop."""
    try:
        yield
    except kind as error:
        if match not in str(error):
            raise
    else:
        pytest.fail(f"{what}: nothing was refused")


LINKS = [
    (model, field)
    for model in OWNED
    for field in model._meta.concrete_fields
    if isinstance(field, models.ForeignKey) and field.name != "user"
]


def test_no_row_can_point_at_another_users(both: tuple[User, User]) -> None:
    """Not even by somebody who knows the id: the same error as for one that is nowhere."""
    owner, other = both
    assert len(LINKS) > 20
    for model, field in LINKS:
        with acting_for(other.pk):
            theirs = field.related_model._base_manager.filter(user_id=other.pk).first()
            assert theirs is not None, field
        with acting_for(owner.pk):
            for target in (theirs.pk, uuid4()):
                with refused(field, "foreign key", IntegrityError), transaction.atomic():
                    model._base_manager.filter(user_id=owner.pk).update(**{field.attname: target})


def test_a_join_shows_nothing_of_others(both: tuple[User, User]) -> None:
    owner, _other = both
    with acting_for(owner.pk), connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT f.user_id FROM memoryapp_fact f, memoryapp_evidence e,"
            " memoryapp_message m, memoryapp_factembedding v"
        )
        assert cursor.fetchall() == [(owner.pk,)]


def test_partitions_are_no_way_in(both: tuple[User, User]) -> None:
    owner, _other = both
    with acting_for(owner.pk), connection.cursor() as cursor:
        for number in (0, 31):
            with pytest.raises(ProgrammingError, match="denied"), transaction.atomic():
                cursor.execute(f"SELECT 1 FROM memoryapp_fact_p{number:02}")


def test_the_same_names_are_no_hint_that_another_has_them(both: tuple[User, User]) -> None:
    # Both already have a conversation "chat", a hash b"h", a key b"k": nothing collided.
    for user in both:
        with acting_for(user.pk):
            assert Conversation.objects.get().external_id == "chat"
            assert bytes(Tombstone.objects.get().hash) == b"h"


# -- The session's user --------------------------------------------------------------------------


def test_a_transaction_acts_for_one_user(both: tuple[User, User]) -> None:
    owner, other = both
    with acting_for(owner.pk):
        with acting_for(owner.pk):
            assert users_seen(Fact) == {owner.pk}
        assert users_seen(Fact) == {owner.pk}
        with pytest.raises(WrongUser), acting_for(other.pk):
            raise AssertionError("unreachable")
        assert users_seen(Fact) == {owner.pk}


def test_the_user_is_forgotten_with_the_block_inside_an_outer_transaction(
    both: tuple[User, User],
) -> None:
    owner, other = both
    with transaction.atomic():
        for user in (owner, other):
            with acting_for(user.pk):
                assert users_seen(Fact) == {user.pk}
            assert users_seen(Fact) == set()
        with pytest.raises(RuntimeError, match="broken"), acting_for(owner.pk):
            raise RuntimeError("broken")
        assert users_seen(Fact) == set()


@pytest.mark.parametrize("value", ["", "none", "' OR true --", "00000000"])
def test_only_an_id_names_a_user(db: None, value: str) -> None:
    with pytest.raises(ValueError, match="badly formed"), acting_for(value):  # type: ignore[arg-type]
        raise AssertionError("unreachable")


@pytest.fixture
def pooled(committed_db: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Django's own pool with one connection, which every use gets again."""
    default: Any = connection
    default.close()
    monkeypatch.setitem(default.settings_dict["OPTIONS"], "pool", {"min_size": 1, "max_size": 1})
    yield
    default.close()
    default.close_pool()


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def test_a_pooled_connection_keeps_nobody(pooled: None, owner: User) -> None:
    learn(owner, "home", "Oslo", on=1)
    seen: list[object] = []

    def next_request() -> None:
        seen.extend((backend(), Fact.objects.count()))
        connection.close()

    with acting_for(owner.pk):
        assert Fact.objects.count() == 1
        mine = backend()
    connection.close()
    for interrupted in (False, True):
        if interrupted:
            with pytest.raises(Error), acting_for(owner.pk), connection.cursor() as cursor:
                cursor.execute("SELECT 1 / 0")
            connection.close()
        thread = threading.Thread(target=next_request)
        thread.start()
        thread.join()
    assert seen == [mine, 0, mine, 0]


# -- Those who see more --------------------------------------------------------------------------


def test_the_sweep_sees_work_of_all_and_nothing_else(both: tuple[User, User]) -> None:
    with relaying():
        for model in OWNED:
            relayed = model in (Outbox, MemoryEvent, WebhookDelivery)
            expected = {user.pk for user in both} if relayed else set()
            assert users_seen(model) == expected, model
        assert Outbox.objects.update(attempts=9) == 0
        with pytest.raises(ProgrammingError), transaction.atomic():
            Outbox.objects.create(
                user_id=both[0].pk, conversation_id=uuid4(), created_at=NOW, not_before=NOW
            )


def test_an_auditor_reads_all_and_writes_nothing(both: tuple[User, User], admin: User) -> None:
    with auditing(admin.pk):
        for model in OWNED:
            assert users_seen(model) == {user.pk for user in both}, model
        for model in (Fact, Message, Evidence, Decision):
            rows = model._base_manager
            assert rows.update(user_id=both[0].pk) == 0
            assert rows.all().delete()[0] == 0
        with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic():
            AuditEvent.objects.create(user_id=both[0].pk, at=NOW, actor="x", action="x")
    with auditing(admin.pk):
        assert Fact.objects.count() == 4


def test_only_active_staff_are_auditors(both: tuple[User, User], admin: User) -> None:
    owner, _other = both
    User.objects.filter(pk=admin.pk).update(is_active=False)
    for nobody in (owner.pk, admin.pk, uuid4()):
        with auditing(nobody):
            assert users_seen(Fact) == set()


def test_an_auditors_user_is_still_one_user(both: tuple[User, User], admin: User) -> None:
    """Writing to a user's log takes a transaction of that user, not the auditor's."""
    owner, _other = both
    with acting_for(owner.pk):
        assert users_seen(Fact) == {owner.pk}
        assert Fact.objects.get(attribute="home").valid_from == day(1)
