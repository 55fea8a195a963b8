"""Where somebody lives and what they do for a living."""

from __future__ import annotations

import re

from memoryapp.records import Candidate, Polarity

from .clauses import Clause
from .context import Context
from .lexicon import JOB_HEADS, NATIONALITIES, NOT_A_JOB, PLACES_NOT, RELATION
from .predicate import Predicate, after_openers
from .tools import attribute_of
from .values import Span, is_cased, items, trim

_LIVE = re.compile(r"(?:live|lives|living|reside|resides|based|settled|been living|been based|lived) (?P<how>in|at|near|on)\s+")
_MOVED = re.compile(
    r"(?:moved|relocated|moving|emigrated|have moved|moved back|been relocated)\s+(?:back |out |down |up |over )?"
    r"(?:here )?(?:from (?P<old>.+?) )?(?P<to>to|into)\s+(?P<new>.+)"
)
_LEFT_HOME = re.compile(r"moved (?:away from|out of|from) (?P<old>.+)")
_PLACE_STOP = re.compile(
    r",(?! \w+(?: \w+)?$)| (?:with|since|for|because|about|after|during|when|as|where|but|and|so|to|from"
    r"|until|last|this|next|in (?:\d{4}|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|the (?:spring|summer|autumn|fall|winter))|\w+ (?:days|weeks|months|years) ago"
    r"|a (?:week|month|year|few|couple|while|decade)\b|two|three|right|full|part|at|on|back|again|now"
    r"|just|permanently|temporarily|yesterday|recently|rn|btw|by the way|these days)\b"
)
_WORK_AS = re.compile(r"(?:work|works|working|employed|been working) as (?:an? |the )?")
_WORK_AT = re.compile(r"(?:work|works|working|employed|been working|teach|teaches) (?:full[- ]time |part[- ]time |remotely )?(?:at|for|by)\s+")
_WORK_IN = re.compile(r"(?:work|works|working|been working) in (?:the )?(?P<v>[a-z][a-z &-]+?)(?: industry| sector| business| field)?(?=$|,)")
_JOB_IS = re.compile(r"my (?:current |new |day )?(?:job(?: title)?|role|occupation|profession)(?: is|'s)(?: now)? (?:that of )?(?:as )?(?:an? |the )?")
_EMPLOYER_IS = re.compile(r"my (?:current |new )?(?:employer|company|workplace)(?: is|'s)(?: now)?(?: called)? ")
_JOINED = re.compile(
    r"(?:joined|started (?:work(?:ing)? )?(?:at|with)|start(?:ing)? at|got (?:a|the|my)(?: new)? job (?:at|with)|got hired (?:at|by)"
    r"|accepted (?:a|the) (?:job|offer|position|role) (?:at|from|with)|took a (?:job|position|role) (?:at|with)"
    r"|switched jobs to|moved (?:over )?to work (?:at|for)|hired by|been hired by)\s+"
)
_NEW_ROLE = re.compile(
    r"(?:started|starting|got|accepted|took|begun|began) (?:a |my |the )?(?:new )?(?:job|role|position|work)?\s?as (?:an? |the )?"
    r"|(?:just |been |was |got )*promoted to (?:an? |the )?|became (?:an? |the )?|(?:been )?retrain(?:ed|ing) as (?:an? )?"
)
_LEFT = re.compile(
    r"(?:left|quit|leaving|resigned from|retired from|was laid off (?:from|by)|got laid off (?:from|by)|been laid off (?:from|by)|stopped working (?:at|for)|used to work (?:at|for)"
    r"|work(?:ing)? (?:at|for))\s+(?:my (?:job|role|position) (?:at|with) )?"
)
_FIRST_DAY = re.compile(
    r"(?:my |just (?:finished|had|did|completed) (?:my |the )?)?(?:first|1st) (?:day|week|month)(?: (?:done|finished|over|completed|behind me))?"
    r" (?:at|with)\s+"
)
_MODE = re.compile(
    r"(?:work|works|working) (?P<v>from home|remotely|hybrid|fully remote|remote|from the office|on[- ]site|in the office"
    r"|night shifts|nights|part[- ]time|full[- ]time|freelance|three days a week|four days a week)(?=$|,| and| most| on| now| for)"
)
_STATUS = re.compile(
    r"(?P<v>retired|self-employed|freelancing|unemployed|between jobs|on parental leave|on maternity leave|on paternity leave"
    r"|a freelancer|freelance|semi-retired|a stay-at-home (?:mum|mom|dad|parent))(?=$|,| now| and| since)"
)
_RUN = re.compile(r"(?:run|runs|own|owns|founded|started|co-founded) (?P<v>(?:an? |my own )(?:\w+ ){0,4}(?:business|company|startup|start-up|shop|bakery|restaurant|café|cafe|studio|agency|farm|store|firm|practice|salon|charity|nonprofit|bookshop|blog|podcast))\b")
_JOB_STOP = re.compile(
    r",| (?:at|for|with|in|from|and|but|who|based|living|working|specialis|specializ|since|by|on|now|so|where|near|these|because|to|as|here|over|focus|currently|these days|turned|instead)\b"
)
_LIVING = re.compile(r"\b(?:living|based|residing) in (?P<v>.+)")
_WITH = re.compile(r"(?:live|lives|living) with (?P<v>(?:my |our |an? |two |three |four |\d )[^,]+?)(?=$|,| in\b| and (?:my|our|we|i)\b)")
_BAD_ORG = re.compile(
    r"(?:home|night|nights|it|the moment|weekends?|myself|him|her|them|least|my (?:best|hardest|desk|pace)|a living|a while|(?:an? )?\w+ (?:years?|months?|weeks?|hours?)|\d.*|money|free|fun|"
    r"school|work|the weekend|the gym|once|last|first|all|and|the same|that|this|now|the house|the party|early|late|today|yesterday|in|on|at|to|the (?:room|restaurant|table|hotel|airport|station))"
)


def _place(clause: Clause, start: int, end: int) -> Span | None:
    """The place that opens a span, or None when it can't be one."""
    text = clause.text
    stop = _PLACE_STOP.search(text, start, end)
    start, end = trim(text, start, stop.start() if stop else end)
    value = text[start:end]
    if not value or value in PLACES_NOT or len(value.split()) > 7:
        return None
    written = clause.turn.content
    lower_message = written == written.lower()
    original = clause.original(start, end)
    named = any(not is_cased(char) or char.isupper() for char in original if char.isalpha())
    generic = re.match(
        r"(?:small|big|quiet|tiny|little|large|village|town|city|flat|apartment|house|suburb|countryside|cottage|\w+ (?:village|town|city|flat|apartment|house|suburb|cottage))\b",
        value,
    )
    if named or generic or (lower_message and len(value.split()) <= 3):
        return start, end
    return None


def _organisation(clause: Clause, start: int, end: int) -> Span | None:
    """The employer that opens a span, or None when it can't be one."""
    text = clause.text
    stop = re.compile(
        r",| (?:as|in|since|for|from|and|but|on|now|full|part|where|because|with|doing|until|last|this|next|to|when|which|after|these|right|over|so|again|yet|already|currently|btw|instead|today|yesterday|remotely|by|about|a (?:week|month|year|few|couple)|\w+ (?:weeks|months|years) ago|—|–)\b"
    ).search(text, start, end)
    end = stop.start() if stop else end
    article = re.match(r"(?:an? |the )", text[start:end])
    span = trim(text, start, end)
    value, original = text[slice(*span)], clause.original(*span)
    if not value or _BAD_ORG.fullmatch(value) or attribute_of(value) or len(value.split()) > 5:
        return None
    if original[:1].isupper() or not is_cased(original[:1]) or any(c.isupper() for c in original):
        return span
    if article and re.search(
        r"(?:hospital|school|bank|university|company|startup|start-up|agency|firm|lab|clinic|bakery|restaurant|shop|library|museum|charity|nonprofit|factory|farm|studio|hotel|supermarket|practice|warehouse|café|cafe|garage|brewery|bookshop|newspaper)$",
        value,
    ):
        return start, span[1]
    written = clause.turn.content
    return span if written == written.lower() and len(value.split()) == 1 else None


def _job(clause: Clause, start: int, end: int, *, sure: bool) -> Span | None:
    """The job that opens a span. Unless ``sure``, its last word must be one that we know."""
    stop = _JOB_STOP.search(clause.text, start, end)
    start, end = trim(clause.text, start, stop.start() if stop else end)
    words = clause.text[start:end].split()
    if not words or len(words) > 6 or any(word in NOT_A_JOB for word in words[:-1] or words):
        return None
    while len(words) > 1 and words[0] in NATIONALITIES | {"vegan", "vegetarian", "proud", "married", "single"}:
        start += len(words[0]) + 1
        words = words[1:]
    known = words[-1] in JOB_HEADS or " ".join(words[-2:]) in JOB_HEADS
    return (start, end) if known or sure else None


def home(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Living in, moving to, being based in; a former home is closed."""
    if said is None:
        return []
    text, pos, end, who = clause.text, said.pos, said.end, said.subject
    past = context.when(clause, future=False)
    since = past if past and (past.lead in ("since", "in", "on", "back in") or past.precision != "year") else None
    if found := _MOVED.match(text, pos):
        if said.negated or said.form == "be" or attribute_of(text[trim(text, *found.span("new"))[0] : end]):
            return []
        out: list[Candidate] = []
        if found["old"] and (old := _place(clause, *found.span("old"))):
            out += context.fact(clause, "home", old, subject=who, operation="end", since=since)
        if (new := _place(clause, *found.span("new"))) and not re.match(r"(?:work|a new (?:role|job|team))", text[new[0] :]):
            out += context.fact(
                clause, "home", new, subject=who, since=since, confidence=0.9, correction=said.correction
            )
        return out
    used = re.compile(r"used to ").match(text, pos)
    at = used.end() if used else pos
    found = _LIVE.match(text, at)
    if found is None and said.form == "be":
        found = _LIVING.search(text, pos)
        span = _place(clause, *found.span("v")) if found else None
        return context.fact(clause, "home", span, subject=who) if span and not said.negated else []
    if found is None:
        mate = _WITH.match(text, pos)
        if mate and not said.negated:
            return context.fact(clause, "household", mate.span("v"), subject=who)
        return []
    if text.startswith("lived", at) and said.form != "have":
        return []
    if said.form == "be" and text[at : at + 4] == "live":
        return []
    span = _place(clause, found.end(), end)
    if span is None:
        return []
    gone = used is not None or said.negated
    out = context.fact(
        clause,
        "home",
        span,
        subject=who,
        operation="end" if gone else "state",
        since=None if gone else since,
        correction=said.correction,
        confidence=0.9,
    )
    mate = re.compile(r" with (?P<v>my (?:parents|family|grandparents|" + RELATION + r")s?)(?=$|,| and| in)").search(text, found.end())
    if mate and not gone and mate["v"] in ("my parents", "my family", "my grandparents"):
        out += context.fact(clause, "household", clause.original(*mate.span("v")), subject=who)
    return out


def _joined(clause: Clause, said: Predicate, context: Context, start: int) -> list[Candidate]:
    since = context.when(clause, future=False)
    out: list[Candidate] = []
    span = _organisation(clause, start, said.end)
    if span:
        out += context.fact(clause, "employer", span, subject=said.subject, since=since, confidence=0.85)
        role = re.compile(r"\bas (?:an? |the (?:new )?)?").search(clause.text, span[1])
        if role and (job := _job(clause, role.end(), said.end, sure=True)):
            out += context.fact(clause, "job_title", job, subject=said.subject, since=since, confidence=0.85)
    return out


def work(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Job, employer, how and in what field; what was left is closed."""
    text = clause.text
    start, _, correction = after_openers(clause)
    if found := _FIRST_DAY.match(text, start):
        span = _organisation(clause, found.end(), len(text))
        return context.fact(clause, "employer", span, confidence=0.8) if span else []
    if found := _JOB_IS.match(text, start):
        job = _job(clause, found.end(), len(text), sure=False)
        return context.fact(clause, "job_title", job, correction=correction) if job else []
    if found := _EMPLOYER_IS.match(text, start):
        span = _organisation(clause, found.end(), len(text))
        return context.fact(clause, "employer", span, correction=correction) if span else []
    if said is None or said.subject.startswith("pet:"):
        return []
    pos, end, who = said.pos, said.end, said.subject
    polarity: Polarity = "negated" if said.negated else "affirmed"
    left = _LEFT.match(text, pos)
    if left and (said.ended or said.negated or not text.startswith("work", pos)):
        if said.negated and not said.ended and not text.startswith("work", pos):
            return []
        span = _organisation(clause, left.end(), end)
        value = clause.original(*span) if span else ""
        known = context.named(value, "employer", subject=who) if value else None
        sure = known is not None or re.match(r"(?:resigned|retired|used|work|stopped)", text[pos:])
        if span and (sure or (value[:1].isupper() and value.lower() not in _homes(context))):
            return context.fact(
                clause, "employer", known.value if known else value, subject=who, operation="end",
                since=context.when(clause, future=False), confidence=0.85,
            )  # fmt: skip
        return []
    if said.ended:
        return []
    if found := _MODE.match(text, pos):
        return context.fact(clause, "work_mode", clause.original(*found.span("v")), subject=who, polarity=polarity)
    if said.form == "be" and (found := _STATUS.match(text, pos)):
        return context.fact(clause, "employment_status", found.span("v"), subject=who, polarity=polarity)
    if said.form != "be" and not said.negated and (found := _RUN.match(text, pos)):
        return context.fact(clause, "business", clause.original(*found.span("v")), subject=who)
    if not said.negated:
        if found := _JOINED.match(text, pos):
            return _joined(clause, said, context, found.end())
        if found := _NEW_ROLE.match(text, pos):
            job = _job(clause, found.end(), end, sure="promoted" in found[0])
            if job is None:
                return []
            since = context.when(clause, future=False)
            out = context.fact(clause, "job_title", job, subject=who, since=since, confidence=0.85)
            return out + _employer_after(clause, said, context, job[1])
        if found := _WORK_AS.match(text, pos):
            job = _job(clause, found.end(), end, sure=True)
            out = context.fact(clause, "job_title", job, subject=who, correction=said.correction) if job else []
            return out + _employer_after(clause, said, context, found.end())
        if found := _WORK_AT.match(text, pos):
            return _joined(clause, said, context, found.end())
        if (found := _WORK_IN.match(text, pos)) and found["v"] not in ("office", "general", "teams", "a team"):
            return context.fact(clause, "industry", found.span("v"), subject=who)
    if said.form != "be":
        return []
    return _is_a(clause, said, context, polarity)


def _homes(context: Context) -> set[str]:
    return {fact.value.lower() for fact in context.known if fact.attribute == "home"}


def _employer_after(clause: Clause, said: Predicate, context: Context, start: int) -> list[Candidate]:
    found = re.compile(r"\b(?:at|for|with)\s+").search(clause.text, start, said.end)
    span = _organisation(clause, found.end(), said.end) if found else None
    if span is None:
        return []
    return context.fact(clause, "employer", span, subject=said.subject, correction=said.correction)


def _is_a(clause: Clause, said: Predicate, context: Context, polarity: Polarity) -> list[Candidate]:
    """ "I'm a backend engineer at Stripe", "we're both nurses" is left alone."""
    text = clause.text
    article = re.compile(r"(?:now |currently )*(?:an? |the (?=head|director|lead|owner|founder|manager|ceo|cto)|(?=(?:ceo|cto|head of|director of|manager of)\b))").match(text, said.pos)
    if article is None:
        return []
    start = article.end()
    # "a vegan software engineer" says two things.
    out: list[Candidate] = []
    diet = re.compile(r"(?:vegan|vegetarian|pescatarian) (?=\w+)").match(text, start)
    at = re.compile(r"\b(?:at|for|with)\s+").search(text, start, said.end)
    org = _organisation(clause, at.end(), said.end) if at else None
    job = _job(clause, start, said.end, sure=org is not None and org[0] - start < 60)
    if job is None:
        return []
    if diet and not said.negated:
        out += context.fact(clause, "diet", (start, diet.end() - 1), subject=said.subject, confidence=0.9)
    spans = items(text, *job) if polarity == "affirmed" else [job]
    out += context.fact(
        clause, "job_title", spans[0], subject=said.subject, polarity=polarity, correction=said.correction
    )
    if org and polarity == "affirmed":
        out += context.fact(clause, "employer", org, subject=said.subject, correction=said.correction)
    return out
