"""What the user lets be remembered: each rule, on each way in."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts.models import EndUser, User
from memoryapp import audit, pipeline, preferences, providers, registry, rules, store
from memoryapp.context import acting_for
from memoryapp.models import (
    AuditEvent,
    Conversation,
    Decision,
    Extraction,
    Fact,
    Message,
    NeverTopic,
    Outbox,
)
from memoryapp.preferences import Changes, TopicKey
from memoryapp.rules import topics
from memoryapp.rules.words import core, meant, named
from tests import imports
from tests.api import ANY, application, personal
from tests.chat import deliver, facts, read_all, said, tell, values
from tests.memory import NOW, apply, candidate, day, heard, learn, told
from tests.notebook import delicate
from tests.waiting import note

pytestmark = pytest.mark.usefixtures("uploads_folder")
CASES = json.loads((Path(__file__).parent / "fixtures" / "topics.json").read_text("utf-8"))
WORK = "I work at Siemens."


def choose(user: User, **changes: Any) -> preferences.Preferences:
    with acting_for(user.pk):
        return preferences.change(user=user, changes=Changes(**changes), by=audit.Actor.user(user))  # type: ignore[typeddict-item]


def never(user: User, *wanted: str | TopicKey) -> None:
    keys = [one if isinstance(one, TopicKey) else TopicKey(words=one) for one in wanted]
    choose(user, never_remember=keys)


def left_out(user: User) -> int:
    with acting_for(user.pk):
        return sum(NeverTopic.objects.filter(user_id=user.pk).values_list("left_out", flat=True))


# -- Every way in ---------------------------------------------------------------------------------


def chat(user: User, text: str) -> None:
    tell(user, said("2026-03-01", text))


def api(user: User, text: str) -> None:
    body = {
        "conversation": "c",
        "messages": [{"role": "user", "content": text, "sent_at": "2026-03-01T09:00:00Z"}],
    }
    assert personal(user).post("/messages", body).status_code == 202
    read_all(user)


def backfill(user: User, text: str) -> None:
    """Set aside before the rule was made, and read again after it."""
    deliver(user, [said("2026-03-01", text)])
    with acting_for(user.pk):
        Message.objects.filter(user_id=user.pk).update(state=Message.State.FAILED)
        Outbox.objects.filter(user_id=user.pk).delete()
    pipeline.retry_failed(user_id=user.pk)
    read_all(user)


def import_of_chats(user: User, text: str) -> None:
    imports.bring(user, imports.chats(("One", "2026-03-01", text)))


def import_of_memories(user: User, text: str) -> None:
    imports.paste(user, text)


WAYS: dict[str, Callable[[User, str], None]] = {
    "chat": chat,
    "api": api,
    "backfill": backfill,
    "import of chats": import_of_chats,
    "import of memories": import_of_memories,
}


@pytest.mark.parametrize("way", WAYS)
def test_without_a_rule_it_is_remembered(committed_db: None, owner: User, way: str) -> None:
    WAYS[way](owner, WORK)
    assert values(owner, "employer") == ["Siemens"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "topic",
    [
        "anything about work",
        "Siemens",
        "my job",
        TopicKey(area="work"),
        TopicKey(attribute="employer"),
    ],
    ids=["an area's word", "a word in it", "by meaning", "an area", "an attribute"],
)
def test_a_topic_holds_for_every_way_in(
    committed_db: None, owner: User, way: str, topic: str | TopicKey
) -> None:
    never(owner, topic)
    WAYS[way](owner, WORK)
    assert facts(owner, "employer") == []
    assert left_out(owner) >= 1
    with acting_for(owner.pk):
        # Counted and said, and nothing of its content is left but the message itself.
        assert not Decision.objects.filter(user_id=owner.pk, attribute="employer").exists()
        events = AuditEvent.objects.filter(user_id=owner.pk, action="topic.left_out")
        assert events.count() >= 1
        assert all(set(event.details) == {"count"} for event in events)
        dropped = [row.dropped for row in Extraction.objects.filter(user_id=owner.pk)]
        assert any(store.LEFT_OUT in each for each in dropped)


def test_an_import_says_how_much_was_left_out(committed_db: None, owner: User) -> None:
    never(owner, "anything about work")
    found = imports.paste(owner, WORK, "I have a dog called Pim.")
    assert found.counts["left_out"] == 1


def test_by_hand_it_is_refused(owner: User) -> None:
    decided = learn(owner, "likes", "tea", on=1)
    never(owner, "coffee")
    assert decided.fact_id
    with pytest.raises(store.Unwanted):
        pipeline.edit_fact(
            user_id=owner.pk,
            fact_id=decided.fact_id,
            value="coffee",
            supersession="change",
            by=audit.Actor.user(owner),
        )
    assert values(owner, "likes") == ["tea"]


def test_a_kind_of_delicate_thing(owner: User) -> None:
    never(owner, TopicKey(sensitivity="health"))
    message = heard(owner, "I have asthma", on=1)
    assert apply(owner, candidate(message, "health_condition", "asthma")) == []
    assert left_out(owner) == 1


def test_what_may_be_about_it_is_asked(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "SURE", 0.99)
    never(owner, "gambling")
    learn(owner, "hobby", "slot machines in casinos", on=1)
    learn(owner, "home", "Lisbon", on=1)
    [asked] = facts(owner, "hobby")
    assert asked.status == Fact.Status.PENDING
    assert told(owner, "home") == [("Lisbon", "current")]
    with acting_for(owner.pk):
        [decision] = Decision.objects.filter(user_id=owner.pk, fact_id=asked.id)
    assert decision.reason == store.DOUBTFUL
    assert left_out(owner) == 0


def test_a_new_topic_takes_what_waits_out_of_the_review(owner: User) -> None:
    waits = note(owner, "My divorce was hard.")
    never(owner, "my divorce")
    with acting_for(owner.pk):
        assert Fact.objects.get(user_id=owner.pk, id=waits).status == Fact.Status.REJECTED


def test_messages_about_a_topic_are_no_excerpts(committed_db: None, owner: User) -> None:
    chat(owner, "The gardeners came yesterday and planted twelve rose bushes behind the shed.")
    pipeline.index_messages(user_id=owner.pk)
    with acting_for(owner.pk):
        assert Message.objects.get(user_id=owner.pk).excerpt == Message.Excerpt.YES
    never(owner, "rose bushes", "the dentist")
    tell(owner, said("2026-03-02", "The dentist had a long look and was not amused at all."))
    pipeline.index_messages(user_id=owner.pk)
    with acting_for(owner.pk):
        shown = Message.objects.filter(user_id=owner.pk, excerpt=Message.Excerpt.YES)
        assert not shown.exists()


def test_removed_it_holds_no_longer(committed_db: None, owner: User) -> None:
    never(owner, "anything about work")
    never(owner)
    chat(owner, WORK)
    assert values(owner, "employer") == ["Siemens"]


def test_the_same_topic_keeps_its_count(owner: User) -> None:
    never(owner, "my divorce")
    with acting_for(owner.pk):
        NeverTopic.objects.filter(user_id=owner.pk).update(left_out=3)
    never(owner, "My  Divorce", TopicKey(area="work"))
    assert left_out(owner) == 3
    with acting_for(owner.pk):
        assert NeverTopic.objects.filter(user_id=owner.pk).count() == 2


def test_one_users_topics_are_not_anothers(owner: User, other: User) -> None:
    never(owner, "tea")
    learn(other, "likes", "tea", on=1)
    assert values(other, "likes") == ["tea"]


# -- How well topics are told ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topic", "text", "is_named"),
    [
        ("my divorce", "You are divorced.", True),
        ("anything about work", "You like working late.", True),
        ("my brother's wedding", "Your brother lives in Graz.", False),
        ("my brother's wedding", "The wedding of your brother is in June.", True),
        ("mi divorcio", "Estoy en pleno divorcio.", True),
        ("meine Arbeit", "Meine Arbeiten liegen im Keller.", True),
        ("离婚", "我去年离婚了。", True),
        ("طلاق", "كان الطلاق صعبا.", True),
        ("my mother", "Your motherboard is an Asus.", False),
    ],
)
def test_words_are_known_in_their_forms(topic: str, text: str, is_named: bool) -> None:
    assert named(core(topic), text) == is_named


def test_a_word_may_mean_a_part_of_life(db: None) -> None:
    names = registry.load().names()
    assert meant("anything about work", names).area == "work"
    assert meant("my health", names).sensitivity == "health"
    assert "employer" in meant("my company", names).attributes
    assert meant("work with Tom", names).area == ""


def scored(part: str) -> tuple[float, float, float]:
    """Of what is about a topic, the shares left out for sure and at least asked about; of
    what lies near it and isn't, the share left out."""
    sure = asked = about = wrong = other = 0
    for topic, texts in CASES[part].items():
        held = rules.Topics([rules.Topic(NOW, words=topic, core=core(topic))])  # type: ignore[arg-type]
        held.learn([*texts["about"], *texts["other"]])
        for text in texts["about"]:
            verdict = held.judge(rules.Said("user", "", "", "", [text]))
            about, asked = about + 1, asked + (verdict is not None)
            sure += verdict is not None and verdict.sure
        for text in texts["other"]:
            verdict = held.judge(rules.Said("user", "", "", "", [text]))
            other, wrong = other + 1, wrong + (verdict is not None and verdict.sure)
    return sure / about, asked / about, wrong / other


@pytest.mark.parametrize(
    ("part", "sure", "asked", "wrong"), [("tuned", 0.55, 0.78, 0.05), ("held_out", 0.7, 0.88, 0.13)]
)
def test_meaning_tells_topics(part: str, sure: float, asked: float, wrong: float) -> None:
    """The figures of ``docs/rules.md``, less a little."""
    found = scored(part)
    assert found[0] >= sure
    assert found[1] >= asked
    assert found[2] <= wrong


# -- Pausing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["chat", "api"])
def test_a_pause_keeps_nothing(committed_db: None, owner: User, way: str) -> None:
    choose(owner, paused=True)
    WAYS[way](owner, WORK)
    with acting_for(owner.pk):
        assert not Message.objects.filter(user_id=owner.pk).exists()


def test_a_pause_lets_no_import_begin(committed_db: None, owner: User) -> None:
    choose(owner, paused=True)
    with pytest.raises(Exception, match="paused"):
        imports.paste(owner, WORK)


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_pause_ends_by_itself(committed_db: None, owner: User, hours: int) -> None:
    until = providers.clock().now() + timedelta(hours=hours)
    held = choose(owner, paused=True, paused_until=until)
    assert held.paused == (hours > 0)
    assert deliver(owner, [said("2026-03-01", WORK)]).paused == (hours > 0)


def test_what_waited_is_read_after_the_pause(committed_db: None, owner: User) -> None:
    deliver(owner, [said("2026-03-01", WORK)])
    choose(owner, paused=True)
    assert read_all(owner) == 0
    with acting_for(owner.pk):
        [row] = Outbox.objects.filter(user_id=owner.pk)
        assert (row.error, row.attempts) == ("paused", 0)
    choose(owner, paused=False)
    assert read_all(owner) == 1
    assert values(owner, "employer") == ["Siemens"]


def test_an_application_may_be_kept_from_writing(owner: User) -> None:
    app, frontend = application(owner)
    body = {
        "user": "u1",
        "conversation": "c",
        "messages": [{"role": "user", "content": WORK, "sent_at": "2026-03-01T09:00:00Z"}],
    }
    assert frontend.post("/messages", body).status_code == 202
    EndUser.objects.filter(application=app).update(may_write=False)
    assert frontend.post("/messages", body).status_code == 403


# -- Conversations --------------------------------------------------------------------------------


@pytest.mark.parametrize(("learning", "kept"), [("off", 1), ("temporary", 0)])
def test_a_conversation_that_teaches_nothing(
    committed_db: None, owner: User, learning: Any, kept: int
) -> None:
    accepted = pipeline.accept(
        user_id=owner.pk,
        conversation="c1",
        messages=[said("2026-03-01", WORK)],
        by=audit.Actor.user(owner),
        learning=learning,
    )
    assert accepted.temporary == (learning == "temporary")
    # A later delivery that says nothing of it changes nothing.
    tell(owner, said("2026-03-02", "I have a dog called Pim."))
    assert facts(owner) == []
    with acting_for(owner.pk):
        rows = Message.objects.filter(user_id=owner.pk)
        assert rows.count() == kept * 2
        assert not rows.exclude(excerpt=Message.Excerpt.NO).exists()
        assert not Outbox.objects.filter(user_id=owner.pk).exists()


def test_a_conversation_switched_off_before_it_is_read(committed_db: None, owner: User) -> None:
    deliver(owner, [said("2026-03-01", WORK)])
    with acting_for(owner.pk):
        talk = Conversation.objects.get(user_id=owner.pk)
        by, now = audit.Actor.user(owner), day(1)
        for learning in ("off", "on"):
            assert rules.set_learning(
                user_id=owner.pk, conversation_id=talk.id, learning=learning, by=by, now=now
            )
    read_all(owner)
    assert facts(owner) == []
    tell(owner, said("2026-03-02", "I work at Bosch."))
    assert values(owner, "employer") == ["Bosch"]


def test_the_api_takes_a_temporary_conversation(owner: User) -> None:
    body = {
        "conversation": "c",
        "learning": "temporary",
        "messages": [{"role": "user", "content": WORK, "sent_at": "2026-03-01T09:00:00Z"}],
    }
    answer = personal(owner).post("/messages", body).json()
    assert (answer["accepted"], answer["temporary"]) == (0, True)


def test_the_api_makes_a_conversation_stricter_and_the_user_looser(owner: User) -> None:
    app, frontend = application(owner)
    body = {
        "user": "u1",
        "conversation": "c",
        "messages": [{"role": "user", "content": WORK, "sent_at": "2026-03-01T09:00:00Z"}],
    }
    frontend.post("/messages", body)
    off = {"user": "u1", "learning": "off"}
    assert frontend.patch("/conversations/c", off).json()["learning"] == "off"
    assert frontend.patch("/conversations/c", {**off, "learning": "on"}).status_code == 403
    assert frontend.get("/conversations/c?user=u1").json()["learning"] == "off"
    user = EndUser.objects.get(application=app).user
    answer = personal(user).patch("/conversations/c", {"learning": "on"})
    assert answer.json()["learning"] == "on"


# -- How long -------------------------------------------------------------------------------------


def test_days_by_kind(owner: User) -> None:
    old = learn(owner, "decision", "buy a bike", on=1, kind="decision")
    choose(owner, expiry={"decision": 7})
    new = learn(owner, "decision", "sell the car", on=2, kind="decision", now=day(2))
    with acting_for(owner.pk):
        rows = {row.id: row for row in Fact.objects.filter(user_id=owner.pk)}
        assert old.fact_id
        assert new.fact_id
        assert rows[new.fact_id].expires_at == day(2) + timedelta(days=7)
        assert rows[old.fact_id].expires_at == day(1) + timedelta(days=90)
        count = preferences.apply_expiry(user=owner, by=audit.Actor.user(owner))
        assert count == 1
        moved = Fact.objects.get(user_id=owner.pk, id=old.fact_id)
        assert moved.expires_at == day(1) + timedelta(days=7)


def test_a_kind_may_keep_for_ever(owner: User) -> None:
    choose(owner, expiry={"decision": None})
    learn(owner, "decision", "buy a bike", on=1, kind="decision")
    [fact] = facts(owner)
    assert fact.expires_at is None


def test_a_fact_that_is_approved_keeps_for_the_days_chosen(owner: User) -> None:
    choose(owner, expiry={"personal": 30})
    waits = delicate(owner)
    pipeline.approve(user_id=owner.pk, fact_id=waits, by=audit.Actor.user(owner))
    [fact] = facts(owner, "health_condition")
    assert fact.expires_at == fact.last_stated_at + timedelta(days=30)


# -- In the API -----------------------------------------------------------------------------------


def test_the_api_has_all_rules(owner: User) -> None:
    mine = personal(owner)
    answer = mine.patch(
        "/settings",
        {
            "paused": True,
            "paused_until": "2030-01-01T00:00:00Z",
            "expiry": {"decision": 7, "event": None},
            "never_remember": [{"words": " my  divorce "}, {"area": "work"}],
            "review_keys": False,
        },
        **ANY,
    ).json()
    assert (answer["paused"], answer["paused_until"][:4]) == (True, "2030")
    assert answer["expiry"] == {"decision": 7, "event": None}
    assert [one["words"] or one["area"] for one in answer["never_remember"]] == [
        "my divorce",
        "work",
    ]
    assert answer["review_keys"] is False
    with acting_for(owner.pk):
        event = AuditEvent.objects.filter(user_id=owner.pk, action="settings.change").last()
        assert event is not None
        assert "divorce" not in json.dumps(event.details)


@pytest.mark.parametrize(
    "wanted", [[{}], [{"words": "a", "area": "work"}], [{"words": "..."}], [{"area": "space"}]]
)
def test_a_topic_is_one_of_four(owner: User, wanted: Any) -> None:
    answer = personal(owner).patch("/settings", {"never_remember": wanted}, **ANY)
    assert answer.status_code == 422


def test_an_application_neither_sees_the_words_nor_changes_topics(owner: User) -> None:
    app, frontend = application(owner)
    frontend.post(
        "/messages",
        {
            "user": "u1",
            "conversation": "c",
            "messages": [{"role": "user", "content": "Hi.", "sent_at": "2026-03-01T09:00:00Z"}],
        },
    )
    user = EndUser.objects.get(application=app).user
    never(user, "my divorce", TopicKey(area="work"))
    held = frontend.get("/settings?user=u1").json()["never_remember"]
    assert [(one["words"], one["area"]) for one in held] == [(None, ""), ("", "work")]
    answer = frontend.patch("/settings", {"user": "u1", "never_remember": []}, **ANY)
    assert answer.status_code == 403
