"""A conversation becomes facts, on the real parts: the demos, and deliveries gone wrong."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from memoryapp import audit, ingest, pipeline, providers
from memoryapp.context import acting_for
from memoryapp.models import ErasureRequest, Extraction, Fact, Message, Outbox
from memoryapp.ports import ProviderError
from memoryapp.records import Batch, ExtractionResult, RecallOptions
from tests.chat import at, current, deliver, facts, read_all, said, state, tell, values

pytestmark = pytest.mark.usefixtures("committed_db")


def recalled(user: Any, query: str, **options: Any) -> list[str]:
    result = pipeline.recall(
        user_id=user.pk,
        query=query,
        options=RecallOptions(**options),
        by=audit.Actor.user(user),
    )
    return [hit.fact["value"] for hit in result.hits]


# -- The demos --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "first", "second", "old", "new", "question"),
    [
        (
            "theme",
            "I use dark mode in my IDE.",
            "I've switched to light mode in my IDE.",
            "dark",
            "light",
            "Which theme do I use in my IDE?",
        ),
        (
            "editor",
            "I use Vim as my editor.",
            "I switched from Vim to VS Code.",
            "vim",
            "vs code",
            "Which editor do I use?",
        ),
        (
            "employer",
            "I'm a backend engineer at Stripe.",
            "I left Stripe and joined Vercel as a staff engineer.",
            "stripe",
            "vercel",
            "Where do I work?",
        ),
        (
            "job_title",
            "I'm a backend engineer at Stripe.",
            "I'm now a staff engineer at Vercel.",
            "backend engineer",
            "staff engineer",
            "What is my job title?",
        ),
        (
            "indentation",
            "I use tabs for indentation.",
            "Actually, I switched to spaces.",
            "tabs",
            "spaces",
            "Do I indent with tabs or spaces?",
        ),
        (
            "seat_preference",
            "I prefer a window seat.",
            "Aisle seats from now on.",
            "window",
            "aisle",
            "Which seat do I prefer?",
        ),
    ],
)
def test_a_newer_statement_takes_over_and_the_past_stays_answerable(
    owner: Any, attribute: str, first: str, second: str, old: str, new: str, question: str
) -> None:
    tell(owner, said("2026-01-10", first))
    tell(owner, said("2026-03-10", second), conversation="c2")

    (now,) = current(owner, attribute)
    assert new in now.lower()
    (before,) = [f for f in facts(owner, attribute) if f.status != "current"]
    assert old in before.value.lower()
    assert before.valid_from == at("2026-01-10")
    assert before.valid_to == at("2026-03-10")

    assert any(new in value.lower() for value in recalled(owner, question))
    assert not any(value.lower() == before.value.lower() for value in recalled(owner, question))
    then = recalled(owner, question, as_of=at("2026-02-01"))
    assert any(old in value.lower() for value in then)
    assert not any(value == now for value in then)


DARK_LIGHT_DARK = [
    said("2026-01-01", "I use dark mode in my IDE."),
    said("2026-02-01", "I've switched to light mode in my IDE."),
    said("2026-03-01", "I've switched back to dark mode in my IDE."),
]


def test_dark_light_dark_is_three_intervals_and_one_current(owner: Any) -> None:
    tell(owner, *DARK_LIGHT_DARK)
    rows = facts(owner, "theme")
    assert [(f.valid_from, f.valid_to, f.status) for f in rows] == [
        (at("2026-01-01"), at("2026-02-01"), "superseded"),
        (at("2026-02-01"), at("2026-03-01"), "superseded"),
        (at("2026-03-01"), None, "current"),
    ]
    assert rows[0].superseded_by_id == rows[1].id
    assert rows[1].superseded_by_id == rows[2].id


# -- Deliveries gone wrong ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_duplicated_deliveries_end_in_the_same_facts(
    owner: Any, other: Any, seed: int
) -> None:
    messages = [
        *DARK_LIGHT_DARK,
        said("2026-01-05", "I live in Porto and I'm allergic to peanuts."),
        said("2026-02-05", "I moved to Lyon."),
        said("2026-02-06", "I'm allergic to peanuts, remember."),
    ]
    tell(owner, *messages)
    expected = state(owner)
    assert expected

    shuffled = messages * 2
    random.Random(seed).shuffle(shuffled)
    for message in shuffled:
        tell(other, message)
    assert state(other) == expected


def test_a_repeated_delivery_stores_and_reads_nothing(owner: Any) -> None:
    by_id = said("2026-01-01", "I live in Porto.", id="m1")
    by_content = said("2026-01-02", "I have a cat called Pim.")
    deliver(owner, [by_id, by_content])
    assert read_all(owner) == 2
    again = deliver(owner, [by_id, by_content])
    assert (again.accepted, again.duplicates) == (0, 2)
    assert read_all(owner) == 0
    before = state(owner)
    # The same words under other ids prove the same fact, and make no second row.
    tell(owner, said("2026-01-01", "I live in Porto.", id="m2"))
    assert [s[:4] for s in state(owner)] == [s[:4] for s in before]


class Failing:
    """A real extractor in front of which a model fails as often as told."""

    name = "local"
    version = "1"

    def __init__(self, *errors: ProviderError) -> None:
        self.errors = list(errors)

    def extract(self, batch: Batch) -> ExtractionResult:
        if self.errors:
            raise self.errors.pop(0)
        from memoryapp.providers.local_extractor import LocalExtractor

        return LocalExtractor().extract(batch)


def test_a_failing_model_delays_and_loses_nothing(
    owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Failing(ProviderError("timeout"), ProviderError("rate_limited", retry_after=900))
    monkeypatch.setattr(providers, "extractor", lambda: failing)
    deliver(owner, [said("2026-01-01", "I live in Porto.")])
    assert read_all(owner) == 0
    assert read_all(owner) == 0
    with acting_for(owner.pk):
        row = Outbox.objects.get(user_id=owner.pk)
        assert row.error == "rate_limited"
        assert row.not_before - datetime.now(UTC) > timedelta(minutes=14)
        assert ingest.pending(user_id=owner.pk) == 1
    assert read_all(owner) == 1
    assert current(owner, "home") == ["Porto"] or current(owner, "location") == ["Porto"]
    with acting_for(owner.pk):
        outcomes = Extraction.objects.filter(user_id=owner.pk).order_by("started_at")
        assert [e.outcome for e in outcomes] == ["timeout", "rate_limited", "ok"]


def test_what_never_works_is_set_aside_visibly_and_can_be_retried(
    owner: Any, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.EXTRACTION_ATTEMPTS = 2
    failing = Failing(ProviderError("malformed"), ProviderError("malformed"))
    monkeypatch.setattr(providers, "extractor", lambda: failing)
    deliver(owner, [said("2026-01-01", "I live in Porto.")])
    read_all(owner)
    read_all(owner)
    with acting_for(owner.pk):
        assert ingest.status(user_id=owner.pk, conversation="c1") == ingest.Status(0, 0, 1)
    assert pipeline.retry_failed(user_id=owner.pk) == 1
    assert read_all(owner) == 1
    with acting_for(owner.pk):
        assert ingest.status(user_id=owner.pk, conversation="c1") == ingest.Status(0, 1, 0)


def test_a_message_that_kills_its_worker_is_set_aside(owner: Any, settings: Any) -> None:
    settings.EXTRACTION_ATTEMPTS = 3
    deliver(owner, [said("2026-01-01", "I live in Porto.")])
    with acting_for(owner.pk):
        # Three workers took it and never came back.
        Outbox.objects.filter(user_id=owner.pk).update(
            attempts=3, claimed_until=datetime.now(UTC) - timedelta(seconds=1)
        )
    assert read_all(owner) == 0
    with acting_for(owner.pk):
        assert Outbox.objects.get(user_id=owner.pk).error == "worker_lost"
        assert ingest.status(user_id=owner.pk, conversation="c1").failed == 1


def test_work_left_behind_by_a_killed_worker_is_swept_up(owner: Any) -> None:
    deliver(owner, [said("2026-01-01", "I live in Porto.")])
    past = datetime.now(UTC) - timedelta(hours=1)
    with acting_for(owner.pk):
        Outbox.objects.filter(user_id=owner.pk).update(
            attempts=1, claimed_until=past, not_before=past
        )
        (work,) = Outbox.objects.filter(user_id=owner.pk).values_list("user_id", "id")
    assert pipeline.due() == [work]
    assert pipeline.sweep() == 1
    assert pipeline.due() == []  # not again at once
    assert read_all(owner) == 1


def test_held_work_is_left_to_its_holder(owner: Any) -> None:
    deliver(owner, [said("2026-01-01", "I live in Porto.")])
    with acting_for(owner.pk):
        Outbox.objects.filter(user_id=owner.pk).update(
            claimed_until=datetime.now(UTC) + timedelta(minutes=1)
        )
    assert read_all(owner) == 0
    with acting_for(owner.pk):
        assert ingest.pending(user_id=owner.pk) == 1


def test_a_message_erased_while_it_was_read_teaches_nothing(
    owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Meanwhile(Failing):
        def extract(self, batch: Batch) -> ExtractionResult:
            found = super().extract(batch)
            with acting_for(owner.pk):
                Message.objects.filter(user_id=owner.pk).delete()
            return found

    monkeypatch.setattr(providers, "extractor", lambda: Meanwhile())
    tell(owner, said("2026-01-01", "I live in Porto."))
    assert facts(owner) == []


# -- Secrets, consent, forgetting ---------------------------------------------------------------


def test_a_secret_is_nowhere_in_the_database(owner: Any, owner_connection: Any) -> None:
    secret = "Tulip!4471"
    tell(owner, said("2026-01-01", f"My login for the portal is mila / {secret}, save that."))
    tables = owner_connection.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'memoryapp_%'"
    ).fetchall()
    for (table,) in tables:
        found = owner_connection.execute(
            f"SELECT count(*) FROM {table} t WHERE t::text LIKE %s", [f"%{secret}%"]
        ).fetchone()
        assert found == (0,), table
    with acting_for(owner.pk):
        assert Message.objects.get(user_id=owner.pk).redactions >= 1


def test_a_health_matter_waits_for_consent_and_approval_takes_it_in(owner: Any) -> None:
    tell(owner, said("2026-01-01", "I have type 2 diabetes."))
    (pending,) = facts(owner, status="pending")
    assert pending.sensitivity == "health"
    assert recalled(owner, "Do I have diabetes?") == []
    carrier = pipeline.approve(user_id=owner.pk, fact_id=pending.id, by=audit.Actor.user(owner))
    (fact,) = facts(owner, status="current")
    assert fact.id == carrier
    assert any("diabetes" in value for value in recalled(owner, "Do I have diabetes?"))


def test_what_was_refused_is_not_asked_again(owner: Any) -> None:
    tell(owner, said("2026-01-01", "I have type 2 diabetes."))
    (pending,) = facts(owner, status="pending")
    pipeline.reject(user_id=owner.pk, fact_id=pending.id, by=audit.Actor.user(owner))
    tell(owner, said("2026-02-01", "I have type 2 diabetes."))
    assert [f.status for f in facts(owner)] == ["rejected"]


def test_forget_that_erases_a_single_exact_match(owner: Any) -> None:
    tell(owner, said("2026-01-01", "My favourite food is ramen."))
    assert any("ramen" in f.value for f in facts(owner))
    tell(owner, said("2026-01-02", "Forget that my favourite food is ramen."))
    assert not any("ramen" in f.value for f in facts(owner))
    with acting_for(owner.pk):
        assert not any("ramen" in m.content for m in Message.objects.filter(user_id=owner.pk))
        status = ingest.status(user_id=owner.pk, conversation="c1")
    assert status.forget == (ingest.Wish("", "erased"),)


def test_forget_that_without_a_match_asks(owner: Any) -> None:
    tell(owner, said("2026-01-02", "Forget that I have a dog."))
    with acting_for(owner.pk):
        assert ErasureRequest.objects.filter(user_id=owner.pk, state="open").count() == 1
        status = ingest.status(user_id=owner.pk, conversation="c1")
    assert status.forget == (ingest.Wish("", "asked"),)


def test_do_not_forget_is_no_deletion(owner: Any) -> None:
    tell(owner, said("2026-01-01", "I live in Porto."))
    before = state(owner)
    tell(owner, said("2026-01-02", "Don't forget to remind me about Porto on Saturday."))
    assert [s for s in state(owner) if s in before] == before
    with acting_for(owner.pk):
        assert not ErasureRequest.objects.filter(user_id=owner.pk).exists()


# -- Editing, switching embedders, memory of the assistant ----------------------------------------


def test_an_edit_keeps_history(owner: Any) -> None:
    tell(owner, said("2026-01-01", "My name is Sam."))
    (fact,) = facts(owner, "name")
    now_current = pipeline.edit_fact(
        user_id=owner.pk,
        fact_id=fact.id,
        value="Samira",
        supersession="correction",
        by=audit.Actor.user(owner),
    )
    rows = facts(owner, "name")
    assert {(f.value, f.status) for f in rows} == {("Sam", "superseded"), ("Samira", "current")}
    new = next(f for f in rows if f.status == "current")
    old = next(f for f in rows if f.status == "superseded")
    assert new.id == now_current
    assert new.valid_from == at("2026-01-01")  # it was never otherwise
    assert old.retired_at is not None
    assert old.superseded_by_id == new.id


def test_an_edit_of_one_of_several_values_replaces_just_that_one(owner: Any) -> None:
    tell(owner, said("2026-01-01", "I'm allergic to peanuts and shellfish."))
    peanuts = next(f for f in facts(owner, "allergy") if f.value == "peanuts")
    pipeline.edit_fact(
        user_id=owner.pk,
        fact_id=peanuts.id,
        value="tree nuts",
        supersession="correction",
        by=audit.Actor.user(owner),
    )
    assert sorted(current(owner, "allergy")) == ["shellfish", "tree nuts"]
    # Re-reading old words doesn't bring the wrong value back.
    tell(owner, said("2026-01-01", "I'm allergic to peanuts and shellfish.", id="again"))
    assert sorted(current(owner, "allergy")) == ["shellfish", "tree nuts"]


def test_what_the_assistant_said_is_no_evidence(owner: Any) -> None:
    tell(
        owner,
        said("2026-01-01", "You live in Porto and work at Stripe.", role="assistant"),
        said("2026-01-01T00:01", "What's on my list for today?"),
    )
    assert facts(owner) == []


def test_facts_without_vectors_are_found_by_their_words_and_reembedded(owner: Any) -> None:
    tell(owner, said("2026-01-01", "I live in Porto."))
    with acting_for(owner.pk), connection.cursor() as cursor:
        cursor.execute("DELETE FROM memoryapp_factembedding WHERE user_id = %s", [owner.pk])
    assert recalled(owner, "Do I live in Porto?") == ["Porto"]
    assert sum(pipeline.reembed(user_id=owner.pk)) == len(facts(owner))
    assert sum(pipeline.reembed(user_id=owner.pk)) == 0


def test_the_example_conversation_teaches_facts(owner: Any) -> None:
    assert pipeline.load_example(user_id=owner.pk, by=audit.Actor.user(owner)) > 10
    read_all(owner)
    assert len(facts(owner, status="current")) >= 12
    assert pipeline.load_example(user_id=owner.pk, by=audit.Actor.user(owner)) == 0


def test_every_fact_has_evidence_and_every_change_is_in_the_log(owner: Any) -> None:
    tell(owner, *DARK_LIGHT_DARK)
    with acting_for(owner.pk):
        for fact in Fact.objects.filter(user_id=owner.pk):
            assert fact.evidence.filter(user_id=owner.pk).exists()
        report = audit.verify_chain(user_id=owner.pk)
    assert report.whole
    assert report.events >= 4
    assert values(owner, "theme")


def test_forget_that_erases_the_one_it_speaks_of(owner: Any) -> None:
    tell(owner, said("2026-01-01", "My favourite band is Kneecap. I love Kneecap."))
    assert len(facts(owner, status="current")) == 2
    tell(owner, said("2026-01-02", "Forget that my favourite band is Kneecap."))
    assert [f.attribute for f in facts(owner)] == ["likes"]


def test_a_wish_to_forget_takes_its_place_among_the_statements(owner: Any) -> None:
    tell(
        owner,
        said("2026-01-01", "My favourite band is Kneecap."),
        said("2026-01-02", "Forget that my favourite band is Kneecap."),
    )
    assert facts(owner) == []
    tell(
        owner,
        said("2026-02-01", "Forget that my favourite film is Alien.", role="user"),
        said("2026-02-02", "My favourite band is Kneecap."),
        conversation="c2",
    )
    # Said again after it was forgotten: it may be remembered again.
    assert current(owner, "favourite_band") == ["Kneecap"]


def test_switching_from_one_to_the_other_is_a_change(owner: Any) -> None:
    tell(owner, said("2026-01-10", "I use Vim."))
    tell(owner, said("2026-03-10", "I switched from Vim to VS Code."), conversation="c2")
    old, new = facts(owner, "editor")
    assert (old.value, old.status, old.supersession) == ("Vim", "superseded", "change")
    assert old.superseded_by_id == new.id
    assert (new.value, new.status) == ("VS Code", "current")
