"""Cases, utterances and questions: statements with a known outcome."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from memoryapp.evaluation import datasets
from memoryapp.evaluation.datasets import Case, Question, Utterance
from memoryapp.evaluation.gold import found, right
from memoryapp.evaluation.matching import Expected, expected, fits, words, zone_of
from memoryapp.evaluation.memory import Answer, Memory, Person, Seen
from memoryapp.evaluation.metrics import Failure, Measure, Suite, Tally
from memoryapp.evaluation.options import Options

SAID_AT = datetime(2026, 3, 2, 10, tzinfo=UTC)
_ABSENT = re.compile(r"^(?P<name>[\w:. -]+?)=(?P<value>.+?)(?: (?:as current|for user))?$")
# What an assistant would answer, which no look at the memory decides.
_OF_ANSWERS = "answers "
PRECISION, RECALL, CURRENT = 0.97, 0.70, 0.75


# -- Cases -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Outcome:
    """What held of one case: for each check how many of how many, and what didn't."""

    case: Case
    held: dict[str, tuple[int, int]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    def check(self, name: str, checks: Sequence[tuple[str, bool]]) -> None:
        ok = sum(holds for _, holds in checks)
        before = self.held.get(name, (0, 0))
        self.held[name] = (before[0] + ok, before[1] + len(checks))
        self.failures += [
            Failure(f"{self.case.id} {name}: {what}", f"{self.case.category}: {name}: {what}")
            for what, holds in checks
            if not holds
        ]


def judge_case(case: Case, facts: Sequence[Seen], texts: Sequence[str], conflicts: int) -> Outcome:
    """What a case expects, held against what is stored."""
    outcome = Outcome(case)
    zone = case.turns[-1].at.tzinfo
    current = [fact for fact in facts if fact.status == "current"]
    wanted = [expected(item) for item in case.current]
    allowed = [*wanted, *(expected(item) for item in case.allow)]

    def any_fits(item: Expected, among: Sequence[Seen]) -> bool:
        return any(fits(item, fact, facts, zone) for fact in among)

    outcome.check(
        "current",
        [
            (f"{item['attribute']} = {item['value']}", any_fits(want, current))
            for item, want in zip(case.current, wanted, strict=True)
        ],
    )
    past = [fact for fact in facts if fact.status in ("superseded", "retracted", "archived")]
    outcome.check(
        "superseded",
        [
            (f"{item['attribute']} = {item['value']}", any_fits(expected(item), past))
            for item in case.superseded
        ],
    )
    others = [
        fact for fact in current if not any(fits(want, fact, facts, zone) for want in allowed)
    ]
    outcome.check("absent", list(_absent(case, others, facts, texts)))
    outcome.check("stored facts expected", [(str(fact), False) for fact in others])
    outcome.held["stored facts expected"] = (len(current) - len(others), len(current))
    joined = "\n".join(texts)
    outcome.check("redacted", [(kind, f"[redacted: {kind}]" in joined) for kind in case.redacted])
    pending = [fact for fact in facts if fact.status == "pending"]
    outcome.check("review", [(what, _in_review(what, pending, conflicts)) for what in case.review])
    return outcome


def _absent(
    case: Case, others: Sequence[Seen], facts: Sequence[Seen], texts: Sequence[str]
) -> Iterator[tuple[str, bool]]:
    """Whether each thing that must not be there isn't. Where nothing may be current, nothing
    is allowed that the words don't name either."""
    joined = "\n".join(texts)
    for number, text in enumerate(case.absent):
        if text.startswith(_OF_ANSWERS):
            continue
        parts = _ABSENT.match(text)
        if parts is not None:
            want = expected({"attribute": parts["name"], "value": parts["value"]})
            holds = not any(fits(want, fact, facts) for fact in others)
        else:
            told = words(text)
            users = re.search(r"\buser\b", text) is not None
            holds = not any(
                words(fact.value) <= told for fact in others if fact.subject == "user" or not users
            )
        secret = text.split()[0] if text.split() else ""
        if case.redacted and any(secret in turn.content for turn in case.turns):
            holds = holds and secret not in joined
        if not case.current and number == 0:
            holds = holds and not others
        yield text, holds


def _in_review(what: str, pending: Sequence[Seen], conflicts: int) -> bool:
    kind = what.partition(":")[0].strip().casefold()
    if kind.startswith("conflict"):
        return bool(conflicts or pending)
    return any(fact.sensitivity == kind for fact in pending)


def run_case(memory: Memory, case: Case) -> Outcome:
    with memory.person(zone_of(case.turns[-1].at)) as person:
        person.tell(case.turns)
        outcome = judge_case(case, person.facts(), person.texts(), person.conflicts())
        if case.ask:
            outcome.check("questions", [_asked(person, ask) for ask in case.ask])
    return outcome


def _asked(person: Person, ask: Question) -> tuple[str, bool]:
    answer = person.ask(ask.text, ask.as_of)
    if ask.answer is None:
        said = "; ".join(str(hit) for hit in answer.hits[:2])
        return f"“{ask.text}” is answered with {said}", answer.abstained
    return f"“{ask.text}” → {ask.answer}", holds_answer(ask.answer, answer, first=False)


def holds_answer(wanted: str, answer: Answer, *, first: bool) -> bool:
    """Whether a hit, or the first one, holds every content word of the answer."""
    hits = answer.hits[:1] if first else answer.hits
    return any(words(wanted) <= words(f"{hit.value} {hit.statement}") for hit in hits)


def cases(memory: Memory, options: Options) -> Suite:
    """Our seeds, and the data folder's cases where it has some."""
    sets = [("seeds", datasets.SEEDS / "cases.jsonl")]
    if options.data is not None:
        sets.append(("data", options.data / "cases.jsonl"))
    measures: list[Measure] = []
    failures: list[Failure] = []
    notes = []
    for label, path in sets:
        try:
            rows = options.some(datasets.cases(path))
        except datasets.Missing as missing:
            notes.append(f"{label}: {missing} isn't in the data folder")
            continue
        outcomes = [run_case(memory, case) for case in rows]
        notes += [
            f"{label}: {case.id}: not for a machine to check: {text}"
            for case in rows
            for text in case.absent
            if text.startswith(_OF_ANSWERS)
        ]
        measures += _case_measures(label, outcomes)
        failures += [failure for outcome in outcomes for failure in outcome.failures]
    return Suite("cases", measures, failures, notes=notes)


def _case_measures(label: str, outcomes: Sequence[Outcome]) -> Iterator[Measure]:
    targets = {"current": CURRENT, "absent": 1.0}
    checks = ("current", "superseded", "absent", "stored facts expected", "redacted", "review",
              "questions")  # fmt: skip
    for check in checks:
        held = [outcome.held.get(check, (0, 0)) for outcome in outcomes]
        total = sum(n for _, n in held)
        if total:
            yield Measure(
                f"{label}: {check}", sum(k for k, _ in held), total, target=targets.get(check)
            )
    groups: dict[str, list[bool]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.case.category].append(not outcome.failures)
    for name, passed in sorted(groups.items()):
        yield Measure(f"{label}: whole cases right: {name}", sum(passed), len(passed))
    whole = [not outcome.failures for outcome in outcomes]
    yield Measure(f"{label}: whole cases right", sum(whole), len(whole))


# -- Utterances --------------------------------------------------------------------------------


def judge_utterance(
    utterance: Utterance, facts: Sequence[Seen], forget: Sequence[str]
) -> tuple[Tally, list[Failure]]:
    """Precision and recall on one utterance, and what was wrong or missed."""
    golds = [*utterance.required, *utterance.optional]
    wrong = [str(fact) for fact in facts if not right(fact, golds, facts)]
    wrong += [
        f"forget {what}"
        for what in forget
        if not any(gold.op == "F" and words(gold.value) <= words(what) for gold in golds)
    ]
    missed = [gold for gold in utterance.required if not found(gold, facts, forget)]
    stored = len(facts) + len(forget)
    wanted = len(utterance.required)
    failures = [
        Failure(f"{utterance.id} wrong: {what}", f"wrong: {what} ← {utterance.text}")
        for what in wrong
    ] + [
        Failure(
            f"{utterance.id} missed: {gold.value}",
            f"missed: {'/'.join(gold.attributes)} {gold.op}{gold.value} ← {utterance.text}",
        )
        for gold in missed
    ]
    return Tally(stored - len(wrong), stored, wanted - len(missed), wanted), failures


def utterances(memory: Memory, options: Options) -> Suite:
    """The extractor alone on single utterances, each in a conversation of its own."""
    files: list[tuple[str, Path]] = [("seeds", datasets.SEEDS / "utterances.jsonl")]
    notes = []
    if options.data is not None:
        given = options.data / "utterances.json"
        if given.is_file():
            files.append(("data", given))
        else:
            notes.append(f"{given.name} isn't in the data folder")
    files += [(path.stem, path) for path in options.utterances]
    measures: list[Measure] = []
    failures: list[Failure] = []
    for label, path in files:
        groups: dict[str, Tally] = defaultdict(Tally)
        for utterance in options.some(datasets.utterances(path)):
            seen = memory.extract(utterance.text, SAID_AT)
            tally, faults = judge_utterance(utterance, seen.facts, seen.forget)
            groups[utterance.category] += tally
            failures += [Failure(f"{label} {fault.key}", fault.what) for fault in faults]
        measures += sum(groups.values(), Tally()).measures(
            f"{label}:", precision=PRECISION, recall=RECALL
        )
        for category, tally in sorted(groups.items()):
            precision, recall = tally.measures(f"{label}: {category}:")
            measures += [precision] if tally.stored else []
            measures += [recall] if tally.wanted else []
    return Suite("utterances", measures, failures, notes=notes)


# -- Questions ---------------------------------------------------------------------------------


def no_context(memory: Memory, options: Options) -> Suite:
    """Questions about things never said, among many that were: disclosed, not invented."""
    silent = asked = first = among = answerable = learned = 0
    failures: list[Failure] = []
    for case in datasets.cases(datasets.SEEDS / "questions.jsonl"):
        with memory.person() as person:
            person.tell(case.turns)
            known = Answer([f for f in person.facts() if f.status == "current"], False)
            for ask in options.some(case.ask):
                answer = person.ask(ask.text, ask.as_of)
                if ask.answer is None:
                    asked += 1
                    silent += answer.abstained
                    ok = answer.abstained
                    what = "answered with " + "; ".join(str(hit) for hit in answer.hits[:2])
                else:
                    answerable += 1
                    knows = holds_answer(ask.answer, known, first=False)
                    learned += knows
                    first += holds_answer(ask.answer, answer, first=True)
                    ok = holds_answer(ask.answer, answer, first=False)
                    among += ok
                    why = "not recalled" if knows else "never learned"
                    what = f"{why}: {ask.answer}"
                if not ok:
                    failures.append(Failure(f"{case.id} {ask.text}", f"{what} ← {ask.text}"))
    return Suite(
        "no_context",
        [
            Measure("never said: abstained", silent, asked),
            Measure("said: learned", learned, answerable),
            Measure("said: answered", among, answerable),
            Measure("said: answered by the first hit", first, answerable),
        ],
        failures,
    )
