"""Suites on made-up material: noise, secrets, speed."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

from memoryapp.evaluation import datasets, hidden
from memoryapp.evaluation import noise as made
from memoryapp.evaluation.memory import Memory, Turn
from memoryapp.evaluation.metrics import Failure, Measure, Suite
from memoryapp.evaluation.options import Options
from memoryapp.redact import redact

BEGIN = datetime(2026, 2, 2, 9, tzinfo=UTC)
NOISE, NOISE_FACTS = 10_000, 5
SECRETS, CAUGHT = 360, 0.99
HARMLESS, TOUCHED = 1_000, 0.01
CHAT, WRITTEN = 2_000, 600
PER_SECOND, WRITTEN_PER_SECOND = 200, 50
TALK = 100


def _turns(texts: list[str]) -> Iterator[list[Turn]]:
    """Conversations of a hundred messages, a minute apart."""
    for start in range(0, len(texts), TALK):
        yield [
            Turn("user", text, BEGIN + timedelta(minutes=start + place))
            for place, text in enumerate(texts[start : start + TALK])
        ]


def noise(memory: Memory, options: Options) -> Suite:
    """Nothing in these messages is worth keeping."""
    messages = list(made.noise(options.count(NOISE)))
    kind_of = {text: kind for kind, text in messages}
    with memory.person() as person:
        for number, turns in enumerate(_turns([text for _, text in messages])):
            person.tell(turns, f"noise-{number}")
        facts = [fact for fact in person.facts() if fact.status != "rejected"]
    kinds = Counter(
        next((kind for text, kind in kind_of.items() if fact.quote in text), "?") for fact in facts
    )
    return Suite(
        "noise",
        [
            Measure(
                "facts stored", len(facts), len(messages), "count", "lower", target=NOISE_FACTS
            ),
            *(
                Measure(f"facts stored from {kind}", kinds[kind], total, "count", "lower")
                for kind, total in sorted(Counter(kind for kind, _ in messages).items())
            ),
        ],
        [Failure(str(fact), f"{fact} ← “{fact.quote}”") for fact in facts],
    )


# -- Redaction ---------------------------------------------------------------------------------


def redaction(_memory: Memory, options: Options) -> Suite:
    """Secrets among neighbours of every sort, and sentences that only look a little so."""
    caught: Counter[str] = Counter()
    total: Counter[str] = Counter()
    failures = []
    for item in hidden.secrets(options.count(SECRETS)):
        total[item.kind] += 1
        if hidden.leaks(item.secret, redact(item.text).text):
            failures.append(Failure(f"kept: {item.text}", f"not caught: {item.kind}: {item.text}"))
        else:
            caught[item.kind] += 1
    sentences, notes = harmless(options)
    touched = [text for text in sentences if redact(text).spans]
    failures += [Failure(f"touched: {text}", f"harmless, touched: {text}") for text in touched]
    return Suite(
        "redaction",
        [
            Measure("secrets caught", caught.total(), total.total(), target=CAUGHT),
            *(
                Measure(f"secrets caught: {kind}", caught[kind], count)
                for kind, count in sorted(total.items())
            ),
            Measure(
                "harmless sentences touched",
                len(touched),
                len(sentences),
                better="lower",
                target=TOUCHED,
            ),
        ],
        failures,
        notes=notes,
    )


def harmless(options: Options) -> tuple[list[str], list[str]]:
    """A thousand sentences: half of them ours, the rest from the data folder where it has
    conversations; and notes on what it lacks."""
    wanted = options.count(HARMLESS)
    notes = []
    corpus: list[str] = []
    if options.data is not None:
        for read in (_locomo_sentences, _persona_sentences):
            try:
                corpus += read(options)
            except datasets.Missing as missing:
                notes.append(f"{missing} isn't in the data folder")
    chance = random.Random(hidden.SEED)  # noqa: S311
    taken = chance.sample(corpus, min(wanted // 2, len(corpus)))
    return [*islice(hidden.harmless(wanted), wanted - len(taken)), *taken], notes


def _locomo_sentences(options: Options) -> list[str]:
    talks = datasets.dialogues(options.needed(), 2_000)
    return [turn.content for talk in talks[::2] for turn in talk.turns]


def _persona_sentences(options: Options) -> list[str]:
    return [text for _, said in datasets.persona_sentences(options.needed()) for text in said]


# -- Speed -------------------------------------------------------------------------------------


def speed(memory: Memory, options: Options) -> Suite:
    """Messages a second in this one process; what else the machine does counts in."""
    messages = made.chat(options.count(CHAT))
    memory.extract("I live in Riga.", BEGIN)  # whatever is loaded at first use
    started = time.perf_counter()
    for text in messages:
        memory.extract(text, BEGIN)
    alone = time.perf_counter() - started
    written = made.chat(options.count(WRITTEN), made.SEED + 1)
    with memory.person() as person:
        person.tell([Turn("user", "I live in Riga.", BEGIN)], "warm-up")
        started = time.perf_counter()
        for number, turns in enumerate(_turns(written)):
            person.tell(turns, f"batches-{number}")
        in_batches = time.perf_counter() - started
        started = time.perf_counter()
        singly = written[: len(written) // 3]
        for place, text in enumerate(singly):
            at = BEGIN + timedelta(days=1, minutes=place)
            person.tell([Turn("user", text, at)], "singly")
        one_by_one = time.perf_counter() - started
    return Suite(
        "speed",
        [
            Measure("extractor alone", len(messages), alone, "rate", target=PER_SECOND),
            Measure(
                "write path, a hundred messages at once",
                len(written),
                in_batches,
                "rate",
                target=WRITTEN_PER_SECOND,
            ),
            Measure("write path, message by message", len(singly), one_by_one, "rate"),
        ],
        notes=[f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"],
    )
