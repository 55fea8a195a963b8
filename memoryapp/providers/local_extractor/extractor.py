"""The local extractor: gates that refuse, then finders for each clause."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoryapp.records import Batch, Candidate, ExtractionResult, Turn

from . import (
    gates,
    languages,
    replans,
    rules_answers,
    rules_body,
    rules_changes,
    rules_home_work,
    rules_people,
    rules_person,
    rules_plans,
    rules_preferences,
    rules_tools,
)
from .beside import beside
from .clauses import MAX_SENTENCE, Clause, clauses, fold, own_words
from .context import Context
from .kin import kin, untold
from .learned import learned, presupposed, told
from .passages import promising
from .predicate import Predicate, parse
from .thresholds import ASKED, CERTAIN, NEVER

# A finder looks at one clause that the gates let through, and at who it speaks of (None
# when nobody that we can tell). A learned finder is one more of these.
Finder = Callable[[Clause, Predicate | None, Context], list[Candidate]]

RULES: tuple[Finder, ...] = (
    rules_person.names,
    rules_people.relations,
    rules_people.pets,
    rules_people.assignments,
    rules_person.origins,
    rules_person.languages,
    rules_person.status,
    rules_body.food,
    rules_body.health,
    rules_home_work.home,
    rules_home_work.work,
    rules_tools.switched,
    rules_tools.used,
    rules_answers.answers,
    rules_preferences.favourites,
    rules_preferences.preferences,
    rules_preferences.tastes,
    rules_preferences.activities,
    rules_plans.aims,
    rules_people.misnamed,
    rules_changes.removals,
    rules_changes.stopped,
    replans.dropped,
    languages.plain,
)
# Finders that stand on a date, for clauses in which the others found nothing.
DATED: tuple[Finder, ...] = (rules_plans.plans, rules_plans.events)
# Adds to what these found; the only one that looks at a clause that a gate doubts.
LEARNED: tuple[Finder, ...] = (learned,)

MAX_LENGTH = 20_000

# "My landlord says no pets, but I've had my budgie for years": one's own words again.
_AGAINST = frozenset(["but", "although", "though", "even though", "so"])
# "I'd keep bees if I had a garden": what stands before supposes too, other than before "when".
_SUPPOSES = frozenset(["if", "whether", "as if", "as though"])
# Told in passing: a clause that says no more than these may hold a date as well, and one
# that names a relative may say more of them.
_ASIDE = frozenset(["relation", "pet"])


class LocalExtractor:
    """No network, no model, no randomness: the same batch gives the same answer.
    Precision goes before recall: what a gate doubts is not looked at."""

    name = "local"
    version = "2"

    def __init__(
        self,
        finders: Sequence[Finder] = RULES,
        dated: Sequence[Finder] = DATED,
        last: Sequence[Finder] = LEARNED,
    ) -> None:
        self._finders = tuple(finders)
        self._dated = tuple(dated)
        self._last = tuple(last)

    def extract(self, batch: Batch) -> ExtractionResult:
        """Candidates in the order of the text; empty when nothing is stated."""
        context = Context(batch, known=list(batch.known))
        found: list[Candidate] = []
        for turn in batch.turns:
            if turn.role != "user":
                continue
            fresh = self._read(turn, context)
            context.learn(fresh)
            found += fresh
        return ExtractionResult(candidates=tuple(found), forget=tuple(context.forget))

    def _read(self, turn: Turn, context: Context) -> list[Candidate]:
        if len(turn.content) > MAX_LENGTH:
            return []  # so much text is not conversation but a document
        if not gates.may_state(fold(turn.content)) and not (self._last and promising(turn.content)):
            return []
        folded = own_words(turn.content)
        believed = len(folded)
        if gates.refuses_message(folded):
            believed = gates.invents_from(folded)
            if not believed:
                return []
        context.last, context.own, context.read = "", folded, False
        wanted = gates.wants_a_text(folded)
        pieces = list(clauses(turn, folded))
        found: list[Candidate] = []
        relatives: list[Candidate] = []
        quoted, forgotten, refused, sentence = "", "", False, None
        for index, clause in enumerate(pieces):
            if believed < len(folded):
                if clause.sentence.end <= believed:
                    found += self._in_passing(clause, context, granted=CERTAIN)
                continue
            following = pieces[index + 1] if index + 1 < len(pieces) else None
            request = rules_changes.forget_request(clause)
            if request is not None:
                made = rules_changes.replaced(clause, request, following, context)
                if made:
                    found += made
                else:
                    context.forget.append(request)
                forgotten = clause.sentence.text
                continue
            if clause.sentence is not sentence:
                sentence = clause.sentence
                refused = gates.refuses_sentence(sentence)
            if clause.sentence.text == forgotten and clause.lead not in _AGAINST:
                continue
            forgotten = ""
            if clause.sentence.text == quoted and clause.lead not in _AGAINST:
                found += self._in_passing(clause, context, granted=CERTAIN)
                continue
            quoted = ""
            relatives += kin(clause, context, until=gates.told_from(clause))
            doubted = refused or wanted
            if clause.sentence.question:
                near = pieces[max(0, index - MAX_SENTENCE) : index + MAX_SENTENCE]
                same = [piece for piece in near if piece.sentence is clause.sentence]
                doubted |= same.index(clause) >= gates.questions(same)
            if doubted and gates.asks(clause):
                passing = self._in_passing(clause, context, granted=_granted(clause))
                found += passing + beside(passing, rules_home_work.here(clause, context))
                continue
            if gates.conditional(clause, following):
                depends = following is not None and following.lead not in _SUPPOSES
                found += self._in_passing(clause, context, granted=CERTAIN, depends=depends)
                continue
            if gates.tells_again(clause):
                found += self._in_passing(clause, context)
                continue
            if gates.tells_of_another(clause):
                found += self._in_passing(clause, context)
                if self._last:
                    found += told(clause, context)
                quoted = clause.sentence.text
                continue
            fresh = self._find(clause, context, doubted)
            found += fresh
            context.learn(fresh)
        return _settled([*found, *untold(relatives, found)])

    def _in_passing(
        self, clause: Clause, context: Context, *, granted: float = NEVER, depends: bool = False
    ) -> list[Candidate]:
        if not self._last:
            return []
        return presupposed(clause, context, granted=granted, depends=depends)

    def _find(self, clause: Clause, context: Context, doubted: bool) -> list[Candidate]:
        """``doubted``: a part of the clause's sentence asks or imagines something."""
        said = parse(clause, context.last, context.relatives)
        if said is not None and said.subject.startswith("person:"):
            context.last = said.subject
        found: list[Candidate] = []
        context.doubted = doubted or gates.refuses_clause(clause, dated=False)
        if not context.doubted:
            for finder in self._finders:
                found += finder(clause, said, context)
        undated = doubted or gates.refuses_clause(clause, dated=True)
        for finder in () if undated else self._dated:
            if any(fact.attribute not in _ASIDE for fact in found):
                break
            found += finder(clause, said, context)
        for finder in self._last:
            found += beside(found, finder(clause, said, context))
        found += beside(found, rules_home_work.here(clause, context))
        found += replans.moved(found, clause, context)
        seen: set[tuple[str, str, str, str]] = set()
        kept: list[Candidate] = []
        for fact in found:
            key = (fact.subject, fact.attribute, fact.value.lower(), fact.operation)
            if key not in seen:
                seen.add(key)
                kept.append(fact)
        return kept


def _granted(clause: Clause) -> float:
    """From which score on the reader is believed in a clause that asks."""
    if gates.asks_for_it(clause) or gates.asked_of_one(clause):
        return NEVER
    return CERTAIN if gates.depends(clause) else ASKED


def _settled(found: list[Candidate]) -> list[Candidate]:
    """Without what the same message took back: "we got a cat, her name is Pim" first
    found a cat, then Pim; the nameless one was never a fact of its own."""
    stated = {
        (fact.subject, fact.attribute, fact.value) for fact in found if fact.operation == "state"
    }
    taken = {
        (fact.subject, fact.attribute, fact.value)
        for fact in found
        if fact.operation == "end" and fact.correction
    } & stated
    return (
        [fact for fact in found if (fact.subject, fact.attribute, fact.value) not in taken]
        if taken
        else found
    )
