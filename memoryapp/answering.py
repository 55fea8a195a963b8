"""An answer from memory alone, in its own words and with its citations: what is said when no
model is configured. Pure: the same facts and the same moment give the same text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import formats, translation
from django.utils.translation import gettext as _

from memoryapp.ground import plain
from memoryapp.records import (
    Citation,
    EvidenceView,
    Excerpt,
    Hit,
    Link,
    PassageCitation,
    RecallResult,
)
from memoryapp.second_person import in_the_past
from memoryapp.timewords import find

LONGEST_QUOTE = 200
# A fact this near the best one is a part of the answer to a question that asks for one thing.
NEAR = 0.85
EARLIER = 2
PASSAGES = 3

_ASKS = re.compile(
    r"[?？؟;՞]|^\W*(?:who|whom|whose|what|when|where|which|why|how|do|does|did|am|is|are|was|were"
    r"|have|has|had|can|could|will|would|should|list|show|remind|tell|give|summari[sz]e)\b"
    r"|\b(?:remind|tell) me\b|\b(?:know|remember|wonder|recall|forgot(?:ten)?)\b",
    re.IGNORECASE,
)
# Greetings and statements of English; in other languages whatever comes counts as a question.
_TELLS = re.compile(
    r"^\W*(?:hi|hello|hey|thanks|thank you|good (?:morning|afternoon|evening|night)|bye|ok(?:ay)?"
    r"|yes|no|actually|by the way|i|i['’]\w+|my|we|we['’]\w+|our)\b",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"\b(?:which (?:\w+ )?\w+s|list|all|every|everything|anything|how many"
    r"|what (?:are|were|else|do you)|who are"
    r"|know about|remember about|tell me about|summari[sz]e)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\bhow many\b", re.IGNORECASE)
_EARLIER = re.compile(
    r"\b(?:before(?: that)?|previous(?:ly)?|used to|former(?:ly)?|in the past|once)\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    r"^\W*(?:so,? )?(?:do|am|is|are|have|has|can|did|was|were) (?:i|my|we|our)\b", re.IGNORECASE
)
_OPEN = re.compile(r"\b(?:or|not|never|what|who|where|which|when|how)\b|n['’]t\b", re.IGNORECASE)
_EMPTY_WORDS = frozenset((
    "you", "your", "yours", "i", "my", "me", "am", "is", "are", "was", "were", "do", "does",
    "did", "have", "has", "had", "a", "an", "the", "to", "in", "at", "of", "on", "with",
    "and", "for", "be", "been",
))  # fmt: skip
_PREPOSITION = re.compile(r"\b(in|at|with|by|as|from)$")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NUMBER = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """``text`` names its sources as [n], the numbers of ``citations`` and ``passages``.
    ``abstained``: memory doesn't hold what was asked; the text says so, and may still say
    what it does hold."""

    text: str
    citations: Sequence[Citation]
    abstained: bool
    passages: Sequence[PassageCitation] = ()


def answer(question: str, result: RecallResult, now: datetime, *, time_zone: str = "UTC") -> Answer:
    """The answer to ``question`` out of what recall found for it, and nothing else.

    Dates stand in ``time_zone`` (UTC's when the zone is unknown), words in the active
    language. A time that the question names is answered with what held then, "before" with
    what was replaced. What is no question gets a hint what to ask.
    """
    if not asks(question):
        text = _("I answer only from what you have told me. Ask me something about yourself.")
        return Answer(text, (), abstained=True)
    writing = _Writing(question, now, _zone(time_zone))
    if result.hits:
        return writing.from_facts(_chosen(question, result.hits))
    if result.excerpts and not result.abstained:
        return writing.from_excerpts(result.excerpts)
    return Answer(nothing(), (), abstained=True)


def asks(text: str) -> bool:
    """Whether the text is a question, as far as its words tell."""
    return _ASKS.search(text) is not None or _TELLS.match(text) is None


def nothing() -> str:
    """What is said when memory holds no answer."""
    return _("I don’t have that. Nothing you have told me answers it.")


def _chosen(question: str, hits: Sequence[Hit]) -> Sequence[Hit]:
    """All hits for a question that asks for several things; else the best, its equals, and
    the other values under its key."""
    if _MANY.search(question):
        return hits
    best = hits[0]
    near = NEAR * max(hit.parts.relevance for hit in hits)
    return [
        hit for hit in hits if hit is best or _key(hit) == _key(best) or hit.parts.relevance >= near
    ]


def _key(hit: Hit) -> tuple[Any, ...]:
    return (hit.fact.get("subject"), hit.fact.get("attribute"))


@dataclass(frozen=True, slots=True)
class _Period:
    since: datetime
    until: datetime

    def touches(self, start: datetime | None, end: datetime | None) -> bool:
        return (start is None or start < self.until) and (end is None or end > self.since)


class _Writing:
    def __init__(self, question: str, now: datetime, zone: ZoneInfo) -> None:
        self.question, self.now, self.zone = question, now, zone
        self.period = self._period()
        self.earlier = self.period is None and _EARLIER.search(question) is not None
        self.citations: list[Citation] = []

    # -- What is said ------------------------------------------------------------------------

    def from_facts(self, hits: Sequence[Hit]) -> Answer:
        found = {str(hit.fact["id"]) for hit in hits}
        # A fact that was replaced is told once: by itself when it was found by itself.
        hits = [
            hit
            for hit in hits
            if (link := self._asked_for(hit)) is None or str(link.id) not in found
        ]
        if fitting := [hit for hit in hits if self._fits(hit)]:
            hits, lead = fitting, self._lead(fitting)
        elif self.earlier:
            lead = _("I don’t have what was before. What I have:")
        else:
            lead = _("I don’t have that for then. What I have:")
        lines = [self._told(hit) for hit in hits]
        if len(lines) == 1:
            text = f"{lead} {lines[0]}" if lead else lines[0]
        else:
            text = "\n".join((*([lead] if lead else ()), *(f"- {line}" for line in lines)))
        return Answer(text, tuple(self.citations), abstained=not fitting)

    def from_excerpts(self, excerpts: Sequence[Excerpt]) -> Answer:
        """What was said in a conversation but is no fact about the user."""
        passages = [
            PassageCitation(number, one.message, one.role, one.quote, one.sent_at, one.conversation)
            for number, one in enumerate(excerpts[:PASSAGES], 1)
        ]
        told = [self._passage(one) for one in excerpts[:PASSAGES]]
        lines = [f"- {text} [{number}]" for number, text in enumerate(told, 1)]
        text = "\n".join((_("I found this in our conversations."), *lines))
        return Answer(text, (), abstained=False, passages=tuple(passages))

    def _passage(self, excerpt: Excerpt) -> str:
        words = {"date": self._on(excerpt.sent_at), "quote": _short(excerpt.quote)}
        if excerpt.role != "user":
            return _("I wrote %(date)s: “%(quote)s”") % words
        if excerpt.outdated:
            return _("You wrote %(date)s, and it no longer holds: “%(quote)s”") % words
        return _("You wrote %(date)s: “%(quote)s”") % words

    def _lead(self, hits: Sequence[Hit]) -> str:
        if _COUNT.search(self.question):
            values = [str(hit.fact.get("value", "")) for hit in hits]
            alike = len({_key(hit) for hit in hits}) == 1
            if len(hits) > 1 and alike and not any(_NUMBER.search(value) for value in values):
                return _("I know of %(count)d:") % {"count": len(hits)}
            return ""
        if len(hits) != 1 or not _YES_NO.match(self.question) or self.period or self.earlier:
            return ""
        if _OPEN.search(self.question):
            return ""
        asked, hit = _words(self.question), hits[0]
        if hit.fact.get("scope") or not self._holds(hit.fact):
            return ""
        affirmed = hit.fact.get("polarity", "affirmed") == "affirmed"
        if affirmed and _words(str(hit.fact["statement"])) <= asked:
            return _("Yes.")
        value = _words(str(hit.fact.get("value", "")))
        verb = _words(str(hit.fact["statement"])) - value - {"don’t", "not", "longer", "can’t"}
        if not affirmed and value and value <= asked and verb <= asked:
            return _("No.")
        if any(_words(link.statement) <= asked for link in _replaced(hit)):
            return _("Not any more.")
        return ""

    # -- One fact ----------------------------------------------------------------------------

    def _told(self, hit: Hit) -> str:
        link = self._asked_for(hit)
        return self._present(hit) if link is None else self._past_of(hit, link)

    def _fits(self, hit: Hit) -> bool:
        """Whether the fact, or one that it replaced, is of the time that the question asks."""
        if self._asked_for(hit) is not None:
            return True
        if self.earlier:
            return not self._holds(hit.fact)
        return self.period is None or self._in_period(hit, self.period)

    def _asked_for(self, hit: Hit) -> Link | None:
        """The replaced fact that the question's time asks for; None when it asks for the hit."""
        links = _replaced(hit)
        if self.earlier:
            return links[0] if links else None
        if self.period is None or self._in_period(hit, self.period):
            return None
        held = (n for n in links if self.period.touches(n.valid_from, n.valid_to))
        return next(held, None)

    @staticmethod
    def _in_period(hit: Hit, period: _Period) -> bool:
        return period.touches(hit.fact["valid_from"], hit.fact["valid_to"]) or any(
            period.since <= proof.sent_at < period.until for proof in hit.evidence
        )

    def _present(self, hit: Hit) -> str:
        newest = hit.evidence[0] if hit.evidence else None
        number = self._cite(UUID(str(hit.fact["id"])), newest)
        parts = [self._sentence(hit)]
        if newest is not None and newest.quote.strip():
            parts.append(
                _("You told me %(date)s: “%(quote)s”")
                % {"date": self._on(newest.sent_at), "quote": _short(newest.quote)}
            )
        else:
            parts.append(_("You entered this yourself."))
        return f"{' '.join(parts)} [{number}]"

    def _past_of(self, hit: Hit, link: Link) -> str:
        """What the fact replaced, then the fact."""
        number = self._cite(link.id, None)
        until = self._until(link.valid_from, link.valid_to, "day")
        told = _dated(_past(_ended(plain(link.statement))), until)
        return f"{told} [{number}] {self._then(hit)}"

    def _then(self, hit: Hit) -> str:
        present = self._present(hit)
        if present.startswith(("You ", "Your ")) and self._holds(hit.fact):
            return _("Now %(sentence)s") % {"sentence": present[0].lower() + present[1:]}
        return present

    def _sentence(self, hit: Hit) -> str:
        fact = hit.fact
        text = _ended(plain(str(fact["statement"])))
        precision = str(fact.get("precision", "instant"))
        if fact.get("kind") == "event":
            when = "" if precision == "instant" else self._on(fact["valid_from"], precision)
            return _dated(text, when)
        if not self._holds(fact):
            since = fact["valid_from"] if precision != "instant" else None
            return _dated(_past(text), self._until(since, fact["valid_to"], precision))
        notes = []
        if precision != "instant":
            since = self._date(fact["valid_from"], precision)
            notes.append(_("since %(date)s") % {"date": since})
        if fact["valid_to"] is not None:
            notes.append(_("until %(date)s") % {"date": self._date(fact["valid_to"])})
        if before := _before(hit):
            notes.append(_("before that %(values)s") % {"values": before})
        return _dated(text, "; ".join(notes))

    def _holds(self, fact: Mapping[str, Any]) -> bool:
        end = fact["valid_to"]
        return fact["status"] == "current" and (end is None or end > self.now)

    def _cite(self, fact_id: UUID, proof: EvidenceView | None) -> int:
        number = len(self.citations) + 1
        quote, sent_at = (proof.quote, proof.sent_at) if proof else ("", None)
        self.citations.append(Citation(number, fact_id, quote, sent_at))
        return number

    # -- Times -------------------------------------------------------------------------------

    def _period(self) -> _Period | None:
        """The past time that the question names; None when it names none. One that runs up
        to the present ("this year") asks for the present too."""
        for time in find(self.question, now=self.now, time_zone=self.zone.key, prefer="past"):
            if time.kind not in ("date", "datetime", "range") or time.from_ is None:
                continue
            until = time.to or time.from_ + timedelta(days=1)
            if time.from_ < self.now and until <= self.now:
                return _Period(time.from_, until)
        return None

    def _until(self, since: datetime | None, until: datetime | None, precision: str) -> str:
        if since is not None and until is not None:
            start, end = self._date(since, precision), self._date(until)
            return _("from %(start)s to %(end)s") % {"start": start, "end": end}
        if until is not None:
            return _("until %(date)s") % {"date": self._date(until)}
        return _("no longer so")

    def _date(self, moment: datetime, precision: str = "day") -> str:
        english = (translation.get_language() or "en").startswith("en")
        local = moment.astimezone(self.zone)
        if precision == "year":
            return formats.date_format(local, "Y")
        if precision == "month":
            return formats.date_format(local, "F Y" if english else "YEAR_MONTH_FORMAT")
        return formats.date_format(local, "j F Y" if english else "DATE_FORMAT")

    def _on(self, moment: datetime, precision: str = "day") -> str:
        date = {"date": self._date(moment, precision)}
        return (
            _("in %(date)s") % date if precision in ("month", "year") else _("on %(date)s") % date
        )


# -- Words ---------------------------------------------------------------------------------------


def _replaced(hit: Hit) -> list[Link]:
    """What was so before, newest first; not what was never so."""
    return [link for link in hit.chain if link.supersession != "correction"]


def _before(hit: Hit) -> str:
    """ "in Leeds, in Rome": the values before, with the preposition of the sentence."""
    value, statement = str(hit.fact.get("value", "")), str(hit.fact["statement"])
    place = statement.find(value) if value else -1
    found = _PREPOSITION.search(statement[:place].rstrip()) if place > 0 else None
    before = f"{found[1]} " if found else ""
    seen: list[str] = []
    for link in _replaced(hit):
        named = before + _short(link.value)
        if link.value.casefold() != value.casefold() and named not in seen:
            seen.append(named)
    return ", ".join(seen[:EARLIER])


def _past(sentence: str) -> str:
    return in_the_past(sentence) or sentence


def _dated(sentence: str, note: str) -> str:
    """ "You live in Porto (since March 2026)." """
    if not note:
        return sentence
    end = sentence[-1] if sentence[-1] in ".!?。؟" else ""
    return f"{sentence[: len(sentence) - len(end)]} ({note}){end or '.'}"


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。", "؟", "…", "۔", "।")) else text + "."


def _short(text: str) -> str:
    """On one line, no longer than a quotation should be, and no link or picture to load."""
    text = re.sub(r"\]\s*\(", "] (", plain(text).replace("<", "‹").replace(">", "›"))
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1].rstrip() + "…"


def _words(text: str) -> set[str]:
    found = {word.replace("'", "’") for word in _WORD.findall(text.casefold())}
    return found - _EMPTY_WORDS


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
