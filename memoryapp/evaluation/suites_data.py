"""Suites on public data sets, where the data folder has them."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryapp.evaluation import datasets
from memoryapp.evaluation.datasets import Choice, Snippet, Update
from memoryapp.evaluation.matching import DATES, words
from memoryapp.evaluation.memory import Answer, Memory, Seen
from memoryapp.evaluation.metrics import Failure, Measure, Suite
from memoryapp.evaluation.options import Options

SAID_AT = datetime(2026, 3, 2, 10, tzinfo=UTC)
SEED = 514
LOCOMO_TURNS, SAMPLE = 1_500, 100
RIGHT = 0.90


# -- MemPalace ---------------------------------------------------------------------------------


def judge_snippet(snippet: Snippet, facts: Sequence[Seen]) -> tuple[int, int]:
    """How many of the labels a fact speaks of, and how many facts speak of some label: by
    half of the value's words or more."""
    told = [words(content) for _, content in snippet.memories]
    values = [words(fact.value) for fact in facts]
    met = sum(any(v and len(v & label) * 2 >= len(v) for v in values) for label in told)
    good = sum(any(v and len(v & label) * 2 >= len(v) for label in told) for v in values)
    return met, good


def mempalace(memory: Memory, options: Options) -> Suite:
    """An agent's diary: most of its memories are about its work, few about a person. Facts
    can be compared with the labels in English and Korean alone; elsewhere only whether
    something was stored."""
    measures: list[Measure] = []
    failures: list[Failure] = []
    for language, snippets in datasets.snippets(options.needed()):
        met = labels = good = stored = 0
        loud = labelled = 0
        for snippet in options.some(snippets):
            facts = memory.extract(snippet.text, SAID_AT).facts
            here, fit = judge_snippet(snippet, facts)
            met, labels = met + here, labels + len(snippet.memories)
            good, stored = good + fit, stored + len(facts)
            labelled += bool(snippet.memories)
            loud += bool(snippet.memories and facts)
            off = fit < len(facts) if language in ("en", "ko") else not snippet.memories
            if facts and off:
                said = "; ".join(map(str, facts))
                failures.append(
                    Failure(f"{language} {snippet.id}", f"{language}: {said} ← {snippet.text}")
                )
        measures.append(Measure(f"{language}: snippets with memories, some found", loud, labelled))
        if language in ("en", "ko"):
            measures.append(Measure(f"{language}: labels found", met, labels))
            measures.append(Measure(f"{language}: stored facts among the labels", good, stored))
        else:
            measures.append(Measure(f"{language}: facts stored", stored, labels, "count", ""))
    return Suite("mempalace", measures, failures)


# -- XPersona ----------------------------------------------------------------------------------

_NEGATORS: dict[str, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:not|never|no longer|no|nothing|\w+n['’ ]?t|hate|dislike|quit|stopped|gave up)\b"
    ),
    "fr": re.compile(r"\b(?:ne|pas|jamais|déteste|aucune?)\b|\bn['’]"),
    "it": re.compile(r"\b(?:non|mai|odio|nessun\w*)\b"),
    "id": re.compile(r"\b(?:tidak|bukan|belum|benci|tak|jangan|nggak)\b"),
    "zh": re.compile(r"[不没無无未]|讨厌|恨"),
    "jp": re.compile(r"ない|ません|嫌い|苦手|なかった|ず"),
    "ko": re.compile(r"않|못|안 |없|싫"),
}
# What a value can't begin with, or hold in between, unless it is a piece of a sentence.
_PIECES: dict[str, re.Pattern[str]] = {
    "en": re.compile(r"^(?:to|too|also|really|and|but|that)(?: \w+)?$|\bbut i\b"),
    "fr": re.compile(r"^(?:aussi|vraiment|mais|et|que)\b|\bmais j['’]"),
    "it": re.compile(r"^(?:anche|molto|ma|e|che)\b"),
    "zh": re.compile(r"^[的和也]|是"),
}


def sign_of_error(fact: Seen, sentence: str, language: str) -> str:
    """Why the fact can't be what the sentence says, as far as a machine can tell: its value
    isn't in it, it made a negation, it is a piece of a sentence. "" for none."""
    said = words(sentence)
    # A date that was worked out stands in the value and not in the sentence.
    value = frozenset(w for w in words(fact.value) - DATES if not w.isdigit())
    if not value <= said:
        return "value not in the sentence"
    negative = fact.polarity == "negated" or fact.operation == "end" or "dislike" in fact.attribute
    pattern = _NEGATORS.get(language)
    if negative and pattern is not None and not pattern.search(sentence.casefold()):
        return "negated without a negation"
    piece = _PIECES.get(language)
    if len(fact.value.split()) > 9 or (piece is not None and piece.search(fact.value.casefold())):
        return "a piece of a sentence as value"
    return ""


def xpersona(memory: Memory, options: Options) -> Suite:
    """Each sentence says something lasting about the speaker: how many give a fact, and how
    many of those show a sign of error. A sample is written for a person to judge."""
    measures: list[Measure] = []
    failures: list[Failure] = []
    sample: list[dict[str, Any]] = []
    chance = random.Random(SEED)  # noqa: S311
    for language, sentences in datasets.persona_sentences(options.needed()):
        chosen = options.some(chance.sample(sentences, min(600, len(sentences))))
        with_fact = stored = bad = 0
        rows = []
        for sentence in chosen:
            facts = memory.extract(sentence, SAID_AT).facts
            with_fact += bool(facts)
            stored += len(facts)
            for fact in facts:
                rows.append({"language": language, "text": sentence, "fact": str(fact)})
                if why := sign_of_error(fact, sentence, language):
                    bad += 1
                    failures.append(
                        Failure(f"{language} {sentence}", f"{language}: {why}: {fact} ← {sentence}")
                    )
        sample += chance.sample(rows, min(30, len(rows)))
        measures.append(Measure(f"{language}: sentences that give a fact", with_fact, len(chosen)))
        measures.append(
            Measure(f"{language}: facts with a sign of error", bad, stored, better="lower")
        )
    name = _write(options.out / "xpersona_sample.jsonl", sample)
    return Suite("xpersona", measures, failures, files=[name])


def _write(path: Path, items: Iterable[dict[str, Any]]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for item in items:
            file.write(json.dumps(item, ensure_ascii=False, default=str) + "\n")
    return path.name


# -- Questions over conversations --------------------------------------------------------------


def judge_update(update: Update, answer: Answer) -> tuple[bool, bool]:
    """Whether the first hit was said in the newest session, and whether it holds the
    answer: its words, or all its numbers when it has some."""
    if not answer.hits:
        return False, False
    hit = answer.hits[0]
    newest = update.sessions[-1][0].at
    said = words(f"{hit.value} {hit.statement} {hit.quote}")
    wanted = words(update.answer)
    numbers = frozenset(word for word in wanted if word[0].isdigit())
    return (
        hit.sent_at is not None and hit.sent_at >= newest,
        bool(wanted) and (numbers or wanted) <= said,
    )


def longmemeval(memory: Memory, options: Options) -> Suite:
    """Knowledge-update questions, from the turns that hold their answers."""
    updates = options.some(datasets.knowledge_updates(options.needed()))
    learned = newest = right = answered = 0
    failures = []
    for update in updates:
        with memory.person() as person:
            for number, turns in enumerate(update.sessions):
                if turns:
                    person.tell(turns, f"session-{number}")
            last = update.sessions[-1][0].at
            from_newest = any(
                fact.sent_at is not None and fact.sent_at >= last for fact in person.facts()
            )
            answer = person.ask(update.question)
        learned += from_newest
        answered += not answer.abstained
        is_newest, is_right = judge_update(update, answer)
        newest, right = newest + is_newest, right + is_right
        if not is_newest and not answer.abstained:
            failures.append(
                Failure(
                    update.id,
                    f"{update.question} → {answer.hits[0]} (the answer: {update.answer})",
                )
            )
    total = len(updates)
    return Suite(
        "longmemeval",
        [
            Measure("newest statement gave a fact", learned, total),
            Measure("answered at all", answered, total, better=""),
            Measure("first hit is of the newest session", newest, total),
            Measure("first hit is of the newest session, when answered", newest, answered),
            Measure("first hit holds the answer", right, total),
        ],
        failures,
    )


def choose(choice: Choice, answer: Answer) -> str:
    """The option that shares most words with what was recalled and the others lack; "" when
    none stands out."""
    known = frozenset[str]().union(*(words(f"{h.value} {h.attribute}") for h in answer.hits))
    options = {letter: words(text) for letter, text in choice.options.items()}
    scores = {
        letter: sum(1 / sum(word in other for other in options.values()) for word in told & known)
        for letter, told in options.items()
    }
    best = max(scores.values(), default=0.0)
    winners = [letter for letter, score in scores.items() if score == best]
    return winners[0] if best and len(winners) == 1 else ""


def personamem(memory: Memory, options: Options) -> Suite:
    """Four options a question; chance gets one in four of those it answers."""
    totals: Counter[str] = Counter()
    chosen: Counter[str] = Counter()
    right: Counter[str] = Counter()
    stored = 0
    people = options.some(datasets.personas(options.needed()))
    for persona in people:
        if not persona.questions:
            continue
        with memory.person() as person:
            for number, turns in enumerate(persona.documents):
                if turns:
                    person.tell(turns, f"document-{number}")
                for question in persona.questions:
                    if question.after != number:
                        continue
                    totals[question.kind] += 1
                    letter = choose(question, person.ask(question.question))
                    chosen[question.kind] += bool(letter)
                    right[question.kind] += letter == question.right
            stored += len(person.facts())
    return Suite(
        "personamem",
        [
            *(
                measure
                for kind, total in sorted(totals.items())
                for measure in (
                    Measure(f"{kind}: an option stands out", chosen[kind], total, better=""),
                    Measure(f"{kind}: right of those", right[kind], chosen[kind]),
                )
            ),
            Measure("facts stored", stored, len(people), "count", ""),
        ],
    )


# -- LoCoMo ------------------------------------------------------------------------------------


def locomo(memory: Memory, options: Options) -> Suite:
    """Facts stored from real-looking dialogue, a sample of them for a person to judge."""
    turns = options.count(LOCOMO_TURNS)
    stored: list[dict[str, Any]] = []
    messages = 0
    for number, talk in enumerate(datasets.dialogues(options.needed(), turns)):
        mine = [turn for turn in talk.turns if turn.role == "user"]
        messages += len(mine)
        said = {turn.at: turn.content for turn in mine}
        with memory.person() as person:
            for start, session in _by_session(talk.turns):
                person.tell(session, f"{number}-{start.isoformat()}")
            stored += [
                {
                    "dialogue": number,
                    "speaker": talk.speaker,
                    "fact": str(fact),
                    "statement": fact.statement,
                    "quote": fact.quote,
                    "text": said.get(fact.sent_at, "") if fact.sent_at else "",
                    "valid_from": fact.valid_from,
                    "status": fact.status,
                    "right": None,
                }
                for fact in person.facts()
            ]
    chance = random.Random(SEED)  # noqa: S311
    sample = chance.sample(stored, min(SAMPLE, len(stored)))
    measures = [Measure("facts stored", len(stored), messages, "count", "")]
    if options.judged is not None:
        verdicts = [
            row["right"] for row in datasets.rows(options.judged) if row["right"] is not None
        ]
        measures.append(
            Measure("judged right by a person", sum(verdicts), len(verdicts), target=RIGHT)
        )
    return Suite("locomo", measures, files=[_write(options.out / "locomo_sample.jsonl", sample)])


def _by_session(turns: Sequence[Any]) -> Iterable[tuple[datetime, list[Any]]]:
    """Turns that are less than six hours apart belong together."""
    session: list[Any] = []
    for turn in turns:
        if session and turn.at - session[-1].at > timedelta(hours=6):
            yield session[0].at, session
            session = []
        session.append(turn)
    if session:
        yield session[0].at, session
