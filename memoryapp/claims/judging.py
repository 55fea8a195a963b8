"""A claim and the facts near it, to a verdict. By rules; pure.

A fact supports a claim when it is about the same one, says the same of them, and every name,
number, time and denial in the claim is in the fact too. What the claim adds of its own is not
supported.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memoryapp.claims.facts import Fact, facts
from memoryapp.claims.reading import Reading, read
from memoryapp.claims.records import Checked, Claim, Held, Reason, Verdict
from memoryapp.claims.words import covers
from memoryapp.records import AttributeHint

TOGETHER = 3
MOST = 9
# Said of so many things that it doesn't tell what a claim is about.
_COMMON = frozenset({"us", "like", "do", "tak", "own", "want", "travel"})


@dataclass(frozen=True, slots=True)
class _Match:
    """How a claim stands to one fact. ``missing`` are the places of the claim's words that
    the fact doesn't hold; ``wrong`` is true when a time or number of the claim is against it."""

    fact: Fact
    touches: bool
    missing: frozenset[int]
    wrong: bool
    score: float


class Judge:
    """Judges claims against facts. ``held`` are those near any of the claims; ``hints`` the
    registry's attributes, whose names tell what a fact is about."""

    def __init__(
        self,
        held: Sequence[Held],
        hints: Sequence[AttributeHint],
        *,
        now: datetime,
        time_zone: str = "UTC",
    ) -> None:
        self.now, self.time_zone = now, time_zone
        self.by_id: Mapping[UUID, Held] = {fact.id: fact for fact in held}
        self.facts = facts(held, hints, now=now)
        self.by_word: dict[str, list[int]] = defaultdict(list)
        for place, fact in enumerate(self.facts):
            for word in fact.known | fact.topic | fact.before:
                self.by_word[word].append(place)

    def check(self, claims: Sequence[Claim], answer: str) -> list[Checked]:
        """The verdicts, in the order of the claims. A list is judged item by item when it
        isn't supported as a whole; what may be about anybody and isn't known of is left out."""
        return [one for claim in claims for one in self._checked(claim, answer)]

    def _checked(self, claim: Claim, answer: str) -> Iterator[Checked]:
        whole = self.verdict(claim)
        if whole.verdict == "supported" or not claim.items:
            if claim.sure or whole.reason != "unknown":
                yield whole
            return
        first, *others = claim.items
        head = answer[first[0] : first[1]]
        parts = [replace(claim, start=first[0], end=first[1], text=head, items=())]
        parts += [
            replace(
                claim, start=a, end=b, text=answer[a:b], context=f"{claim.text[: _verb_end(head)]}",
                items=(),
            )
            for a, b in others
        ]  # fmt: skip
        judged = [self.verdict(part) for part in parts]
        if all(one.reason == "unknown" for one in judged):
            # No item is known of by itself: the claim stays one.
            if claim.sure or whole.reason != "unknown":
                yield whole
            return
        yield from judged

    def verdict(self, claim: Claim) -> Checked:
        """What memory says to one claim."""
        reading = read(claim, now=self.now, time_zone=self.time_zone)
        words = reading.stems | reading.context
        near = sorted({place for word in words for place in self.by_word.get(word, ())})
        matches = [self._match(reading, self.facts[place]) for place in near]
        held = [m for m in matches if m.fact.held.holds(self.now)]
        past = [m for m in matches if not m.fact.held.holds(self.now)]
        if reading.ended:
            return self._no_longer(claim, reading, held, past)
        if not reading.past and (found := self._supporting(reading, held)):
            return Checked(claim, "supported", "stated", found)
        so = [m for m in past if not m.fact.held.retired]
        if found := self._supporting(reading, so, also=held):
            if reading.was or (reading.negated and found[0].polarity == "affirmed"):
                return Checked(claim, "supported", "stated", found)
            return self._outdated(claim, found)
        if reading.past and (found := self._supporting(reading, held)) and not claim.past:
            return Checked(claim, "supported", "stated", found)
        if reading.negated and (fact := self._other_value(reading, held)):
            return Checked(claim, "supported", "stated", (fact,))
        never = [m for m in past if m.fact.held.retired]
        if found := self._supporting(reading, never):
            return Checked(claim, "unsupported", "never_so", found, against=self._heir(found[0]))
        if against := self._contradicting(reading, (*held, *so), sure=claim.sure):
            return Checked(claim, "unsupported", "contradicted", against=against)
        return Checked(claim, "unsupported", "unknown")

    # -- What somebody else judged -------------------------------------------------------------

    def permits(self, claim: Claim, verdict: Verdict, held: Held) -> bool:
        """Whether a verdict that was found by meaning may stand: both speak of the same one,
        both affirm or both deny, the fact holds or is past as the verdict says, and every
        name, number and time of the claim is in the fact."""
        reading = read(claim, now=self.now, time_zone=self.time_zone)
        fact = next((f for f in self.facts if f.held.id == held.id), None)
        if fact is None or held.retired or verdict == "unsupported":
            return False
        holds = held.holds(self.now)
        if verdict == "outdated" and (holds or reading.was or reading.ended):
            return False
        if verdict == "supported" and holds == (reading.ended or reading.past):
            return False
        if verdict == "supported" and not holds and not (reading.was or reading.ended):
            return False
        if not reading.ended and reading.negated != fact.negated:
            return False
        match = self._match(reading, fact)
        return (
            self._same_one(reading, fact)
            and self._same_way(reading, fact)
            and not match.wrong
            and not any(reading.tokens[place].hard for place in match.missing)
        )

    def given(self, claim: Claim, verdict: Verdict, fact: Held) -> Checked:
        """The verdict with what belongs to it."""
        if verdict == "outdated":
            return self._outdated(claim, (fact,))
        return Checked(claim, "supported", "stated", (fact,))

    # -- Support -----------------------------------------------------------------------------

    def _supporting(
        self, reading: Reading, matches: Sequence[_Match], also: Sequence[_Match] = ()
    ) -> tuple[Held, ...]:
        """The fact that says all of the claim, else the few that do together, of ``also``
        only beside one of ``matches``; empty when something is left."""
        fitting = self._fitting(reading, matches)
        for match in fitting:
            if not match.wrong and reading.enough(match.missing):
                return (match.fact.held,)
        if not fitting:
            return ()
        # A time that one fact doesn't bear out may be another's: its words are missing here.
        chosen: list[_Match] = []
        left = frozenset(range(len(reading.tokens)))
        for match in (*fitting[:MOST], *self._fitting(reading, also)[:MOST]):
            if match.missing & left == left or len(chosen) == TOGETHER:
                continue
            others = {one.fact.held.subject for one in chosen}
            if not others or match.fact.held.subject in others or match.fact.relation:
                chosen.append(match)
                left &= match.missing
        if len(chosen) > 1 and reading.enough(left):
            return tuple(match.fact.held for match in chosen)
        return ()

    def _fitting(self, reading: Reading, matches: Sequence[_Match]) -> list[_Match]:
        """Those that agree with the claim as far as they go, the fullest first."""
        return sorted(
            (m for m in matches if m.touches and self._agrees(reading, m.fact)),
            key=lambda m: (len(m.missing), bool(reading.other) and m.fact.relation, -m.score),
        )

    def _agrees(self, reading: Reading, fact: Fact) -> bool:
        """Whether claim and fact both affirm or both deny; a denial agrees with what is past."""
        if reading.avoids and fact.held.attribute in ("allergy", "intolerance"):
            return not fact.negated
        if reading.negated == fact.negated:
            return True
        past = not fact.held.holds(self.now) and not fact.negated
        return reading.negated and not reading.never and past

    def _match(self, reading: Reading, fact: Fact) -> _Match:
        known = fact.known | fact.before if reading.moved else fact.known
        missing = {
            place for place, token in enumerate(reading.tokens) if not covers(known, token.stem)
        }
        wrong = False
        for span in reading.times:
            inside = span.places & missing
            if not inside:
                continue
            if span.fits(fact.held):
                missing -= span.places
            else:
                wrong = True
        words = reading.own & fact.value
        share = len(words) / len(fact.value) if fact.value else 0.0
        touches = self._same_one(reading, fact) and self._same_way(reading, fact)
        if reading.topic is not None and not (reading.topic & fact.known):
            touches = False
        if touches and fact.value:
            rest = {reading.tokens[place].stem for place in missing} - reading.context
            shown = bool(fact.topic & (reading.stems | reading.context))
            named = any(token.hard and token.stem in words for token in reading.tokens)
            touches = bool(words) and (
                share == 1
                or (shown and (share >= 0.34 or len(words) > 1))
                or (share >= 0.5 and (len(words) > 1 or (named and not rest)))
                or (fact.head in words and not rest and fact.held.kind != "event")
            )
        return _Match(fact, touches, frozenset(missing), wrong, share)

    def _same_one(self, reading: Reading, fact: Fact) -> bool:
        """Whether both speak of the same person."""
        if fact.held.subject == "user":
            return not reading.other or reading.other <= (fact.value | fact.statement)
        named = bool(fact.names & reading.stems)
        if reading.other:
            return named or bool(reading.other & fact.related)
        return named and fact.relation

    @staticmethod
    def _same_way(reading: Reading, fact: Fact) -> bool:
        """ "Tea over coffee" isn't "coffee over tea"; "from Porto to Leeds" isn't back."""
        if reading.over is not None:
            left, right = reading.over
            if fact.over is not None:
                return bool(left & fact.over[0]) and not left & fact.over[1]
            return bool(left & fact.value) and not right & fact.value
        if fact.over is not None:
            return not reading.stems & fact.over[1]
        if reading.moved is not None:
            old, new = reading.moved
            return bool(new & fact.value) and not (old & fact.value)
        return True

    # -- What is against it --------------------------------------------------------------------

    def _outdated(self, claim: Claim, found: tuple[Held, ...]) -> Checked:
        first = found[0]
        heir = self._heir(first)
        reason: Reason = "replaced" if heir else "ended"
        ended_at = first.valid_to
        if heir is None and first.status in ("current", "expired", "archived"):
            reason, ended_at = "expired", first.valid_to or first.expires_at
        return Checked(claim, "outdated", reason, found, against=heir, ended_at=ended_at)

    def _heir(self, fact: Held) -> Held | None:
        """What holds in the fact's place."""
        seen = {fact.id}
        heir = self.by_id.get(fact.heir) if fact.heir else None
        while heir is not None and not heir.holds(self.now) and heir.id not in seen:
            seen.add(heir.id)
            heir = self.by_id.get(heir.heir) if heir.heir else None
        if heir is not None:
            return heir
        key = (fact.subject, fact.attribute, fact.scope)
        return next(
            (
                other.held
                for other in self.facts
                if (other.held.subject, other.held.attribute, other.held.scope) == key
                and other.held.holds(self.now)
                and (other.held.single or other.held.value.casefold() == fact.value.casefold())
            ),
            None,
        )

    def _no_longer(
        self, claim: Claim, reading: Reading, held: Sequence[_Match], past: Sequence[_Match]
    ) -> Checked:
        """ "You no longer live in Leeds": so when Leeds is past, and denied by a home there."""
        still = [m for m in held if not m.fact.negated]
        gone = [m for m in past if not m.fact.held.retired]
        plain = replace(reading, negated=False)
        if found := self._supporting(plain, still):
            return Checked(claim, "unsupported", "contradicted", against=found[0])
        denied = [m for m in held if m.fact.negated]
        if found := self._supporting(replace(reading, negated=True), denied):
            return Checked(claim, "supported", "stated", found)
        if found := self._supporting(plain, gone):
            return Checked(claim, "supported", "stated", found)
        return Checked(claim, "unsupported", "unknown")

    def _other_value(self, reading: Reading, held: Sequence[_Match]) -> Held | None:
        """The one current value that makes a denial of another true."""
        for match in held:
            fact = match.fact
            if (
                fact.held.single
                and not fact.negated
                and self._same_one(reading, fact)
                and fact.topic & reading.own
                and not fact.value & reading.own
                and all(t.hard or t.stem in fact.known for t in reading.tokens)
            ):
                return fact.held
        return None

    def _contradicting(
        self, reading: Reading, matches: Sequence[_Match], *, sure: bool
    ) -> Held | None:
        """The fact about the same thing that says otherwise, the nearest first."""
        best: tuple[float, Held] | None = None
        for match in matches:
            fact = match.fact
            if not self._same_one(reading, fact) and not fact.names & reading.stems:
                continue
            topical = bool(fact.topic & (reading.own | reading.context) - _COMMON)
            if not fact.held.holds(self.now) or not (sure or reading.other):
                topical = False
            shared = bool(fact.value & reading.own)
            score = 0.0
            numbers = {t.stem for t in reading.tokens if t.sort == "number"}
            if shared and match.touches and not self._agrees(reading, fact):
                score = 3 + match.score  # the very thing, denied
            elif match.touches and match.wrong:
                score = 2.5 + match.score  # another date
            elif shared and numbers - fact.known and any(w.isdigit() for w in fact.value):
                score = 1.5 + match.score  # another number
            elif topical and (fact.held.single or shared) and match.score < 1:
                score = 1 + match.score + len(fact.topic & reading.own) / 10
                if reading.other and fact.held.subject != "user" and not fact.relation:
                    score += 0.5
            elif shared and not self._same_way(reading, fact):
                score = 2
            if score and (best is None or score > best[0]):
                best = (score, fact.held)
        return best[1] if best else None


def _verb_end(head: str) -> int:
    """Where the first item of a list begins: after "you speak"."""
    found = re.match(
        r"(?:.*?\byou(?:['’]re|['’]ve)?\s+)?(?:\w+\s+(?:to|in|at|with|of|for)?\s*)?", head, re.I
    )
    return found.end() if found else 0
