"""Passages of past messages: which are found, which never show, what becomes of their vectors."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from accounts.models import User
from memoryapp import audit, erase, excerpts, pipeline, providers, ranking, store
from memoryapp.context import acting_for
from memoryapp.models import Conversation, MemorySettings, Message, MessageEmbedding
from memoryapp.ports import ProviderError
from memoryapp.records import Excerpt, RecallOptions
from tests.remember import day, remember, spoke


def find(
    user: User,
    question: str,
    *,
    now: Any = None,
    vector: bool = True,
    quotes: Any = (),
    **options: Any,
) -> list[Excerpt]:
    now = now or providers.clock().now()
    embedder = providers.embedder()
    with acting_for(user.pk):
        return list(
            excerpts.find(
                user_id=user.pk,
                question=ranking.read(
                    question, authors=("user", "assistant"), now=now, time_zone="UTC"
                ),
                query_vector=embedder.query(question) if vector else None,
                embedder=embedder,
                options=RecallOptions(**options),
                retention_days=90,
                now=now,
                quotes=quotes,
            ).excerpts
        )


def said(found: list[Excerpt]) -> list[tuple[str, str]]:
    return [(each.role, each.quote) for each in found]


RISOTTO = "I'd recommend a mushroom risotto with taleggio, and a lemon tart for dessert."
MARKET = "Great, I bought the mushrooms at the Saturday market near the river."


@pytest.fixture
def dinner(owner: User) -> User:
    start = day("2026-05-29")
    for number, (role, words) in enumerate(
        (
            ("user", "I'm planning a dinner for six. What could I cook?"),
            ("assistant", RISOTTO),
            ("user", MARKET),
            ("assistant", "Lovely! Chanterelles keep for three days in a paper bag."),
            ("system", "You are a cook. Always recommend a mushroom dessert."),
            ("user", "ok"),
        )
    ):
        spoke(owner, role, words, start + timedelta(minutes=number))
    return owner


def test_what_the_assistant_said_is_found_and_marked(dinner: User) -> None:
    assert said(find(dinner, "What dessert did you recommend?"))[0] == ("assistant", RISOTTO)


def test_what_the_user_said_is_found(dinner: User) -> None:
    assert said(find(dinner, "Where did I buy the mushrooms?"))[0] == ("user", MARKET)


def test_by_words_alone_when_there_is_no_vector(dinner: User) -> None:
    found = find(dinner, "Which market has mushrooms?", vector=False)
    assert said(found)[0] == ("user", MARKET)
    assert find(dinner, "Which supermarket sells mushrooms?", vector=False) == []


@pytest.mark.parametrize("question", ["What is my blood type?", "Which car do I drive?", "???"])
def test_what_was_never_said_is_not_found(dinner: User, question: str) -> None:
    assert find(dinner, question) == []


def test_only_what_may_answer_is_looked_at(dinner: User) -> None:
    with acting_for(dinner.pk):
        shown = dict(Message.objects.values_list("content", "excerpt"))
        assert MessageEmbedding.objects.count() == 4
    assert {words for words, shows in shown.items() if shows == "no"} == {
        "You are a cook. Always recommend a mushroom dessert.",
        "ok",
    }


def test_recalled_memory_is_no_excerpt(owner: User) -> None:
    block = "<memory>\nThe user's cello teacher is Mrs Ono.\n</memory>\n"
    spoke(owner, "user", block)
    spoke(owner, "user", block + "How do I hold the bow of my cello?")
    assert said(find(owner, "Who is my cello teacher?", floor=0.0)) == [
        ("user", "How do I hold the bow of my cello?")
    ]


def test_filters_of_time(dinner: User) -> None:
    question = "Where did I buy the mushrooms?"
    assert find(dinner, question, since=day("2026-05-30")) == []
    assert find(dinner, question, until=day("2026-05-29")) == []
    assert find(dinner, question, as_of=day("2026-05-28")) == []
    assert find(dinner, question, known_at=day("2026-05-28")) == []
    assert find(dinner, question, since=day("2026-05-29"), until=day("2026-05-30"))


def test_what_is_past_its_retention_is_out_before_the_nightly_run(dinner: User) -> None:
    question, now = "Where did I buy the mushrooms?", providers.clock().now()
    assert find(dinner, question, now=now + timedelta(days=89))
    assert find(dinner, question, now=now + timedelta(days=91)) == []
    with acting_for(dinner.pk):
        MemorySettings.objects.create(user_id=dinner.pk, retention_days=7)
    assert find(dinner, question, now=now + timedelta(days=8)) == []


def test_what_is_purged_leaves_no_vector(dinner: User) -> None:
    with acting_for(dinner.pk):
        Message.objects.update(content="")
        assert not MessageEmbedding.objects.exists()
        assert not Message.objects.exclude(excerpt="no").exists()


def test_what_was_erased_never_shows(owner: User) -> None:
    fact_id = remember(owner, "pet", "Rex", words="I have a dog called Rex.")
    spoke(owner, "assistant", "What a lovely name for a dog!", "2026-05-30")
    spoke(owner, "user", "Rex ate my shoes in the garden today.", conversation="another")
    spoke(owner, "user", "Their garden is an annexe of the Rexham museum.", conversation="another")
    question = "What did Rex eat in the garden?"
    assert said(find(owner, question))[0][1] == "Rex ate my shoes in the garden today."
    with acting_for(owner.pk):
        receipt = erase.erase_facts(
            user_id=owner.pk, fact_ids=[fact_id], by=audit.Actor.user(owner)
        )
        shown = Message.objects.filter(excerpt="yes").values_list("content", flat=True)
        # The answer to it goes too, whatever it says. Other words with its letters stay.
        assert list(shown) == ["Their garden is an annexe of the Rexham museum."]
        assert MessageEmbedding.objects.count() == 1
    assert receipt.counts["embeddings"] == 4
    assert find(owner, question) == []


def test_what_waits_for_the_users_word_or_was_refused_never_shows(owner: User) -> None:
    words = "I have had asthma since I was a child."
    fact_id = remember(owner, "health_condition", "asthma", words=words)
    spoke(
        owner, "assistant", "Sorry to hear about the asthma, does the inhaler help?", "2026-05-30"
    )
    question = "Do I have asthma?"
    assert find(owner, question, floor=0.0) == []
    with acting_for(owner.pk):
        store.reject(user_id=owner.pk, fact_id=fact_id, by=audit.Actor.user(owner))
    assert find(owner, question, floor=0.0) == []


def test_what_no_longer_holds_is_marked(owner: User) -> None:
    remember(owner, "home", "Lisbon", "2026-01-01", words="I live in Lisbon, near the castle.")
    with acting_for(owner.pk):
        Message.objects.update(received_at=providers.clock().now())
    pipeline.index_messages(user_id=owner.pk)
    question = "Where near the castle do I live?"
    assert [each.outdated for each in find(owner, question)] == [False]
    remember(owner, "home", "Porto", "2026-03-01", words="I moved to Porto last week.")
    assert [each.outdated for each in find(owner, question, until=day("2026-02-01"))] == [True]


def test_what_a_fact_quotes_is_not_told_twice(dinner: User) -> None:
    question = "Where did I buy the mushrooms?"
    assert ("user", MARKET) not in said(find(dinner, question, quotes=[MARKET]))
    assert ("user", MARKET) in said(find(dinner, question, quotes=["the Saturday market"]))


def test_near_copies_fill_no_places(owner: User) -> None:
    start = day("2026-05-29")
    for number in range(6):
        spoke(owner, "user", "I park the car on level three.", start + timedelta(days=number))
    spoke(owner, "user", "The parking ticket of my car costs nine euros.", start, conversation="b")
    found = find(owner, "Where and for how much do I park the car?", excerpts=2, floor=0.0)
    assert {each.quote for each in found} == {
        "I park the car on level three.",
        "The parking ticket of my car costs nine euros.",
    }


def test_other_peoples_messages_are_not_found(dinner: User, other: User) -> None:
    assert find(other, "Where did I buy the mushrooms?", floor=0.0) == []
    spoke(other, "user", "I bought the mushrooms at the harbour.")
    assert said(find(dinner, "Where did I buy the mushrooms?"))[0] == ("user", MARKET)


@pytest.mark.parametrize(
    "question", ["'; DROP TABLE x; --", "a\0b \ud800", "\\ ' : & | !", "x" * 9000]
)
def test_any_text_may_be_asked(dinner: User, question: str) -> None:
    find(dinner, question)


# -- The passage -------------------------------------------------------------------------------


def test_a_long_message_is_shown_where_it_answers() -> None:
    text = " ".join(f"This is sentence number {n} about nothing." for n in range(60))
    text = text + " The lemon tart wants six eggs. " + text
    shown = excerpts.passage(text, {"lemon", "tart", "eggs"})
    assert "The lemon tart wants six eggs." in shown
    assert len(shown) <= excerpts.PASSAGE + 4
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert excerpts.passage("short", set()) == "short"
    assert len(excerpts.passage("x" * 5000, set())) == excerpts.PASSAGE + 1


# -- Vectors -----------------------------------------------------------------------------------


class Broken:
    """An embedder that is down."""

    model, dimension, span, weight = "minilm-int8", 384, (0.0, 0.8), 0.5

    def documents(self, texts: Any) -> Any:
        raise ProviderError("unavailable")


def test_without_the_embedder_messages_are_found_by_words_and_embedded_later(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(providers, "embedder", Broken)
        spoke(owner, "user", MARKET)
    with acting_for(owner.pk):
        assert not MessageEmbedding.objects.exists()
    assert said(find(owner, "Which market has mushrooms?")) == [("user", MARKET)]
    assert not pipeline.index_messages(user_id=owner.pk)
    with acting_for(owner.pk):
        assert MessageEmbedding.objects.get().dimension == 384


def test_a_change_of_embedder_takes_the_messages_along(dinner: User) -> None:
    with acting_for(dinner.pk):
        MessageEmbedding.objects.update(model="of-before")
    assert said(find(dinner, "Which market has mushrooms?"))[0] == ("user", MARKET)
    assert sum(pipeline.reembed(user_id=dinner.pk)) == 4
    with acting_for(dinner.pk):
        models = MessageEmbedding.objects.values_list("model", flat=True)
        assert set(models) == {providers.embedder().model}


def test_many_messages_are_looked_at_some_at_a_time(owner: User) -> None:
    with acting_for(owner.pk):
        talk = Conversation.objects.create(
            user_id=owner.pk,
            external_id="long",
            created_at=day("2026-05-01"),
            last_message_at=day("2026-05-01"),
        )
        Message.objects.bulk_create(
            Message(
                user_id=owner.pk,
                conversation=talk,
                role="user",
                content=f"I counted {n} herons at the lake.",
                content_hash=owner.keyed_hash("message", str(n)),
                sent_at=day("2026-05-01") + timedelta(minutes=n),
                received_at=day("2026-05-01"),
                state=Message.State.PROCESSED if n else Message.State.PENDING,
            )
            for n in range(6)
        )
    assert pipeline.index_messages(user_id=owner.pk, batches=2, size=2)
    assert not pipeline.index_messages(user_id=owner.pk, batches=3, size=2)
    with acting_for(owner.pk):
        # What isn't read yet may hold a wish to forget.
        assert list(Message.objects.filter(excerpt="new").values_list("state", flat=True)) == [
            "pending"
        ]
        assert MessageEmbedding.objects.count() == 5
