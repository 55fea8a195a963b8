"""Which of the registry, and which of the user's facts, a model is told of for a batch: what
its words are about, and a few attributes that everybody's conversations touch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memoryapp.providers.openai_words import content, words
from memoryapp.records import AttributeHint, Batch, KnownFact

ATTRIBUTES = 40
FACTS = 40
_CORE = (
    "name",
    "home",
    "job_title",
    "employer",
    "relation",
    "pet",
    "diet",
    "allergy",
    "likes",
    "dislikes",
    "prefers",
    "uses",
    "project",
    "plan",
    "goal",
    "answer_style",
)


@lru_cache(maxsize=1024)
def _about(hint: AttributeHint) -> frozenset[str]:
    names = " ".join((hint.key, *hint.names)).replace("_", " ")
    return frozenset(_stem(word) for word in content(f"{names} {hint.sentence}")) - {"value"}


def _stem(word: str) -> str:
    """Crude, and the same on both sides: "allergic" and "allergy" meet."""
    return word[:5] if len(word) > 5 else word.removesuffix("s")


def chosen(batch: Batch) -> tuple[list[AttributeHint], list[KnownFact]]:
    """At most ``ATTRIBUTES`` attributes and ``FACTS`` facts: facts with a word of the text in
    their value or subject, attributes by the words they share with the text or because a
    chosen fact stands under them, then other facts under the chosen attributes."""
    text = {
        _stem(word)
        for turn in (*batch.context, *batch.turns)
        if turn.role in ("user", "assistant")
        for word in words(turn.content)
    }
    spoken = [fact for fact in batch.known if _mentioned(fact, text)][:FACTS]
    held = {fact.attribute for fact in spoken}
    core = {key: len(_CORE) - place for place, key in enumerate(_CORE)}

    def weight(hint: AttributeHint) -> float:
        return (
            10.0 * (hint.key in held)
            + len(_about(hint) & text)
            + (1.0 + core[hint.key] / 100 if hint.key in core else 0.0)
        )

    weighed = sorted(((weight(hint), hint) for hint in batch.attributes), key=lambda p: -p[0])
    attributes = [hint for value, hint in weighed[:ATTRIBUTES] if value > 0]
    keys = held | {hint.key for hint in attributes}
    facts = [*spoken, *(f for f in batch.known if f not in spoken and _under(f, keys, attributes))]
    return attributes, facts[:FACTS]


def _mentioned(fact: KnownFact, text: set[str]) -> bool:
    about = f"{fact.value} {fact.subject.partition(':')[2]}"
    return any(_stem(word) in text for word in content(about))


def _under(fact: KnownFact, keys: set[str], attributes: Sequence[AttributeHint]) -> bool:
    # With no registry given nothing can be chosen by it.
    return not attributes or fact.attribute in keys
