"""Plans with a date, dated events, goals, projects, decisions and budgets."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from memoryapp.records import Candidate
from memoryapp.subjects import USER

from .clauses import Clause
from .context import Context
from .dates import When
from .predicate import Predicate, after_openers
from .values import Span, trim, usable

_NOUN = (
    r"(?:appointment|meeting|interview|exam|test|flight|trip|dinner|lunch|brunch"
    r"|breakfast|call|wedding|party|deadline"
    r"|class|concert|presentation|conference|marathon|race|half marathon|surgery"
    r"|operation|check-?up|reservation|booking|date|viewing"
    r"|match|game|holiday|vacation|visit|workshop|recital|gig|performance"
    r"|graduation|defen[cs]e|hearing|train|ceremony|barbecue|bbq"
    r"|reunion|retreat|due date|move|exhibition|audition|tournament|festival|review"
    r"|demo|launch|talk|lesson|session|move-in date)"
)
_DOING = re.compile(
    r"(?:(?:also |both |all |finally )*(?:flying|going|travell?ing|moving|heading"
    r"|leaving|visiting|getting (?:married|engaged|a \w+)|starting|meeting|seeing"
    r"|taking|running|hosting|driving|attending|giving|presenting|returning|coming"
    r"|joining|having|off to|due|getting back|celebrating|defending|retiring"
    r"|picking|training for|preparing for)\b)"
)
_WILL = re.compile(
    r"(?:going to|gonna|'ll|will|planning to|plan to|due to|set to|scheduled to"
    r"|about to) (?:be (?=\w+ing\b))?(?P<v>(?!not\b)\w.+)"
)
_HAVE_PLAN = re.compile(
    r"(?:got )?(?P<v>(?:(?:an? |my |our |the |another |two )(?:[\w'-]+ ){0,4}?)?" + _NOUN + r"\b.*)"
)
_MY_PLAN = re.compile(
    r"(?:my|our|the) (?P<v>(?:[\w'-]+ ){0,4}?"
    + _NOUN
    + r")(?P<with> (?:with|to|in|for|at) [\w' ]+?)?(?: is|'s| has been moved to"
    r"| was moved to| got moved to| is scheduled| is booked| is set)\b"
)
_BOOKED = re.compile(
    r"(?:booked|scheduled|signed up for|registered for|reserved|arranged"
    r"|got tickets (?:to|for)) (?P<v>.+)"
)
_DID = re.compile(
    r"(?:(?:just|finally|also) )*(?P<v>(?:signed|bought|sold|started|finished"
    r"|graduated|adopted|met|visited|ran|passed|completed|closed on|submitted"
    r"|launched"
    r"|published|attended|went (?:to|on)|got (?:married|engaged|divorced|promoted"
    r"|laid off|back from)|moved (?:in|out|into)|gave birth|broke|had (?:surgery"
    r"|a baby|an interview|an operation)"
    r"|celebrated|defended|won|joined|quit|booked|planted|ordered|returned from"
    r"|came back from|flew to|travell?ed to|hosted|took up|opened|handed in)\b.+)"
)
_GOAL = re.compile(
    r"(?:(?:want|wants|aim|aiming|determined|working) to (?=\w)|trying to (?=learn"
    r"|lose|save|get better|run a)) ?(?P<v>(?:learn (?!more)|become|get better at"
    r"|run a|save|lose|write a|read|start a|build|master|visit|retire|buy a|move to"
    r"|finish|climb|complete|travel)\b.+)"
)
_TO_BE = re.compile(
    r"wants? to (?P<how>be|become) (?P<v>an? (?!better|good|great|nice|more)[\w-]+(?: [\w-]+)?)$"
)
_GOAL_IS = re.compile(
    r"my (?:main |big |long-term |ultimate )?goal(?: for [\w ]+)? is (?:to )?(?P<v>.+)"
)
_TRAINING = re.compile(
    r"(?:training|saving up|saving|studying) for (?P<v>(?:an? |the |my |our )?.+)"
)
_WORKING_ON = re.compile(
    r"(?:been )?(?:currently |also )?(?:working on|building|developing|writing"
    r"|designing|renovating|restoring) (?P<v>(?:an? |my |our )(?!way\b|new skill"
    r"|this\b|letter|email|response|cover letter|report for|list\b|paper for).+)"
)
_PROJECT_IS = re.compile(
    r"(?:my|our) (?:current |new |side )?project is (?:called |named )?(?P<v>.+)"
)
_DECIDED = re.compile(
    r"(?:decided|have decided|agreed|chose|opted|settled) (?P<how>to|on|not to"
    r"|against|for) (?P<v>.+)"
)
_WENT_WITH = re.compile(
    r"(?:going with|went with|go with|sticking with) (?P<v>.+?)(?: for (?P<f>.+))?$"
)
_BUDGET = re.compile(
    r"(?:my|our) (?:total |max(?:imum)? |overall |monthly )?budget(?: for (?:the "
    r"|my |our |an? )?(?P<f>[\w ]+?))?(?: is|'s)(?: around| about| roughly| up to"
    r"| max(?:imum)?| at most| now)* (?P<v>[^,]*\d(?:[^,]|,(?=\d))*)"
)
_PLAN_STOP = re.compile(
    r",| (?:but|so|because|which|where|who)\b| and (?=\w+ed\b|had\b|got\b|made\b"
    r"|was\b|were\b|met\b|it\b|i\b|we\b)"
)
_BARE_PLAN = frozenset(
    [
        "going",
        "attended",
        "started",
        "finished",
        "meeting",
        "leaving",
        "starting",
        "running",
        "got",
        "visited",
    ]
)
# "Challenged myself" is cut to what says nothing; these say enough.
_ONLY_DONE = re.compile(
    r"(?!graduated|retired|divorced|separated|married|engaged|died)\w+ed|.* an?"
)
_SMALL = re.compile(
    r"(?:problem set|project|lot|skills?|something|assignment|homework|presentation|essay"
    r"|report|few)\b(?: \w+)?$"
)
_SOON = re.compile(
    r"\b(?:next|this|last) (?:week|month|year|\w+day|weekend)\b|\b(?:tomorrow|yesterday)\b"
)
_GOAL_STOP = re.compile(
    r",(?!\d)| with (?:my|our)\b| (?:but|because|so|since|and (?:i|we|need|want)|which|that"
    r"|any|what|can|before|if|while|however|this|using)\b"
)


def _dated(text: str, start: int, end: int, when: When) -> tuple[str, int]:
    """The words of a plan without its date: the longer side of it."""
    before = trim(text, start, min(end, when.start))
    after = trim(text, max(start, when.end), end)
    length = before[1] - before[0]
    if length >= 4 or length >= after[1] - after[0]:
        return text[slice(*before)], before[0]
    return text[slice(*after)], after[0]


def _emit(
    context: Context,
    clause: Clause,
    attribute: str,
    start: int,
    end: int,
    when: When,
    *,
    confidence: float,
    subject: str = USER,
) -> list[Candidate]:
    words, first = _dated(clause.text, start, end, when)
    words = re.sub(r" (?:about|around|before|again)$", "", _PLAN_STOP.split(words)[0].strip())
    if not usable(words) or words in _BARE_PLAN or _ONLY_DONE.fullmatch(words):
        return []
    thing = clause.original(*trim(clause.text, first, first + len(words)))
    value = f"{thing.replace(chr(34), '') if thing.count(chr(34)) % 2 else thing}, {when.label}"
    if attribute == "event":
        return context.fact(
            clause,
            attribute,
            value,
            subject=subject,
            valid_from=when.begin,
            precision=when.precision,
            confidence=confidence,
        )
    # A plan holds from when it was told until it is over.
    return context.fact(
        clause,
        attribute,
        value,
        subject=subject,
        valid_to=when.finish,
        precision=when.precision,
        confidence=confidence,
    )


_AT_ONCE = timedelta(hours=1)  # "in a minute" is over before it is of use


def _ahead(clause: Clause, when: When) -> bool:
    """Whether a plan can stand on the date: ahead, and more than a bare "in 2027"."""
    if when.finish <= clause.turn.sent_at:
        return False
    if when.precision == "instant" and when.begin - clause.turn.sent_at < _AT_ONCE:
        return False
    today = when.begin <= clause.turn.sent_at and when.finish - when.begin <= timedelta(days=1)
    if today and when.precision == "day":
        return False  # what is on today is over before it is of use
    return when.lead not in ("since", "until", "till", "from") and (
        when.precision != "year" or when.lead == "in"
    )


def planned(
    context: Context, clause: Clause, span: Span, when: When, subject: str
) -> list[Candidate]:
    """A plan whose words are known; empty when its date can't carry one."""
    from_then = when.lead == "from" and when.begin > clause.turn.sent_at
    if not _ahead(clause, replace(when, lead="") if from_then else when):
        return []
    return _emit(context, clause, "plan", *span, when, confidence=0.7, subject=subject)


def happened(
    context: Context, clause: Clause, span: Span, when: When, subject: str
) -> list[Candidate]:
    """An event whose words are known; empty when its date can't carry one."""
    if when.begin > clause.turn.sent_at:
        return []
    return _emit(context, clause, "event", *span, when, confidence=0.7, subject=subject)


def plans(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "I'm flying to Tokyo on March 14", "my dentist appointment is next Tuesday"."""
    text = clause.text
    when = context.when(clause, future=True)
    if when is None or not _ahead(clause, when):
        return []
    start, _, _ = after_openers(clause)
    if found := _MY_PLAN.match(text, start):
        return _emit(
            context,
            clause,
            "plan",
            found.start("v"),
            found.end("with") if found["with"] else found.end("v"),
            when,
            confidence=0.85,
        )
    if said is None or not said.about_user or said.negated:
        return []
    pos, end = said.pos, said.end
    if said.form == "be" and (found := _WILL.match(text, pos)):
        return _emit(context, clause, "plan", found.start("v"), end, when, confidence=0.75)
    if said.form == "be" and _DOING.match(text, pos):
        return _emit(context, clause, "plan", pos, end, when, confidence=0.85)
    if said.form == "have" and (found := _HAVE_PLAN.match(text, pos)):
        return _emit(context, clause, "plan", found.start("v"), end, when, confidence=0.85)
    if said.form == "verb" and (found := _WILL.match(text, pos)):
        return _emit(context, clause, "plan", found.start("v"), end, when, confidence=0.75)
    if found := _BOOKED.match(text, pos):
        return _emit(context, clause, "plan", found.start("v"), end, when, confidence=0.8)
    return []


def events(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "This morning I signed the lease": what happened, on its date."""
    text = clause.text
    when = context.when(clause, future=False)
    if when is None or when.begin > clause.turn.sent_at or when.precision == "year":
        return []
    if said is None:
        # The day may come first: "This morning I signed …".
        lead = re.compile(r"[^a-z]*(?:i|we) ").match(text, when.end)
        if lead is None or when.start > 3:
            return []
        pos = lead.end()
    elif said.about_user and said.form in ("verb", "have") and not said.negated:
        pos = said.pos
    else:
        return []
    if (found := _DID.match(text, pos)) is None:
        return []
    return _emit(context, clause, "event", found.start("v"), len(text), when, confidence=0.75)


def aims(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Goals, projects, decisions and budgets; they need no date."""
    text = clause.text
    start, _, correction = after_openers(clause)
    if found := _BUDGET.match(text, start):
        return context.fact(
            clause,
            "budget",
            found.span("v"),
            scope=(found["f"] or "").strip(),
            correction=correction,
            confidence=0.9,
        )
    for pattern, key in ((_GOAL_IS, "goal"), (_PROJECT_IS, "project")):
        if found := pattern.match(text, start):
            return context.fact(clause, key, found.span("v"))
    if said is not None and said.form == "verb" and not said.negated:
        found = _TO_BE.match(text, said.pos, said.end)
        others = said.subject.startswith("person:")
        if found and (others or (said.about_user and found["how"] == "be")):
            return context.fact(
                clause, "goal", found.span("v"), subject=said.subject, confidence=0.75
            )
    if said is None or not said.about_user or said.negated:
        return []
    pos, end = said.pos, said.end
    stop = _GOAL_STOP.search(text, pos, end)
    end = stop.start() if stop else end
    choices = (
        ("verb", _GOAL, "goal"),
        ("be", _GOAL, "goal"),
        ("be", _TRAINING, "goal"),
        ("have", _TRAINING, "goal"),
        ("be", _WORKING_ON, "project"),
        ("have", _WORKING_ON, "project"),
    )
    for form, pattern, key in choices:
        found = pattern.match(text, pos, end) if said.form == form else None
        if found and (
            _SOON.search(text) or _SMALL.search(text[slice(*trim(text, *found.span("v")))])
        ):
            return []
        if found and text[: found.start()].endswith("just "):
            return []  # "I just want to …" is about the moment
        if found and pattern is _TRAINING and context.when(clause, future=True):
            return []  # a plan, for the rules that need a date
        if found and len(found["v"].split()) >= 2:
            return context.fact(clause, key, found.span("v"), confidence=0.7)
    if said.form in ("verb", "have") and (found := _DECIDED.match(text, pos, end)):
        if _SOON.search(found["v"]):
            return []
        against = found["how"] in ("not to", "against")
        if len(found["v"].split()) >= 2 or found["how"] in ("on", "against", "for"):
            return context.fact(
                clause,
                "decision",
                found.span("v"),
                polarity="negated" if against else "affirmed",
                confidence=0.75,
            )
    if text.startswith(("we ", "we're", "we've"), start) and (
        found := _WENT_WITH.match(text, pos, end)
    ):
        value = clause.original(*trim(text, *found.span("v")))
        if usable(value) and value[:1].isupper():
            about = (found["f"] or "").strip()
            about = re.sub(r"^(?:the|our|my) ", "", about)
            return context.fact(
                clause, "decision", f"{value} for {about}" if about else value, confidence=0.75
            )
    return []
