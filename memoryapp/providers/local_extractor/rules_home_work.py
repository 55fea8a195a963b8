"""Where somebody lives and what they do for a living."""

from __future__ import annotations

import re

from memoryapp.records import Candidate, Polarity
from memoryapp.subjects import USER

from .clauses import Clause
from .context import Context
from .lexicon import NO_PLACE, RELATION
from .named import job_in, organisation, place
from .predicate import Predicate, after_openers
from .tools import attribute_of
from .values import items, name_end, trim

_LIVE = re.compile(
    r"(?:live|lives|living|reside|resides|based|settled|been living|been based"
    r"|lived) (?P<how>in|at|near|on)\s+"
)
_ON_A = re.compile(r"(?:the|an?|my|our) ")
_ADDRESS = re.compile(
    r"(?:my|our) (?:new |home |current |postal )?address(?: is|:|'s)(?: now)? (?P<v>[^?]*\d[^?]*)$"
)
_MOVED = re.compile(
    r"(?:moved|relocated|moving|emigrated|have moved|moved back"
    r"|been relocated)\s+(?:back |out |down |up |over )?"
    r"(?:here )?(?:from (?P<old>.+?) )?(?P<to>to|into)\s+(?P<new>.+)"
)
_LEFT_HOME = re.compile(r"moved (?:away from|out of|from) (?P<old>.+)")
_WORK_AS = re.compile(r"(?:work|works|working|employed|been working) as (?:an? |the )?")
_WORK_AT = re.compile(
    r"(?:work|works|worked(?! for (?:a|\d))|working|employed|been working|teach"
    r"|teaches) (?:full[- ]time "
    r"|part[- ]time |remotely )?(?:at|for|by)\s+"
)
_WORK_IN = re.compile(
    r"(?:work|works|working|been working) in (?:the )?(?P<v>[a-z][a-z &-]+?)(?:"
    r" industry| sector| business| field)?(?=$|,| for\b| since\b| with\b| at\b)"
)
# "In the Ministry of Education" one is employed; "in education" one works.
_INSTITUTION = re.compile(
    r"(?:ministry|department|office|embassy|municipality|council|bank|university|school|hospital"
    r"|parliament|senate|city) of\b"
)
_JOB_IS = re.compile(
    r"my (?:current |new |day )?(?:job(?: title)?|role|occupation|profession)(?: is"
    r"|'s)(?: now)? (?:that of )?(?:as )?(?:an? |the )?"
)
_EMPLOYER_IS = re.compile(
    r"my (?:current |new )?(?:employer|company|workplace)(?: is|'s)(?: now)?(?: called)? "
)
_JOINED = re.compile(
    r"(?:joined|start(?:ed|ing) (?:a|my)(?: new)? (?:job|role|position) (?:at|with)"
    r"|started (?:work(?:ing)? )?(?:at|with)|start(?:ing)? at|got (?:a|the"
    r"|my)(?: new)? job (?:at|with)|got hired (?:at|by)"
    r"|accepted (?:a|the) (?:job|offer|position|role) (?:at|from|with)"
    r"|took a (?:job|position|role) (?:at|with)"
    r"|switched jobs to|moved (?:over )?to work (?:at|for)|hired by|been hired by)\s+"
)
_NEW_ROLE = re.compile(
    r"(?:started|starting|got|accepted|took|begun|began) (?:a |my "
    r"|the )?(?:new )?(?:job|role|position|work)?\s?as (?:an? |the )?"
    r"|(?:just |been |was |got )*promoted to (?:an? |the )?|became (?:an? |the )?"
    r"|(?:been )?retrain(?:ed|ing) as (?:an? )?"
)
_LEFT = re.compile(
    r"(?:left|quit|leaving|resigned from|retired from|was laid off (?:from|by)"
    r"|got laid off (?:from|by)|been laid off (?:from|by)|stopped working (?:at"
    r"|for)|used to work (?:at|for)"
    r"|work(?:ing)? (?:at|for))\s+(?:my (?:job|role|position) (?:at|with) )?"
)
_FIRST_DAY = re.compile(
    r"(?:my |just (?:finished|had|did|completed) (?:my |the )?)?(?:first"
    r"|1st) (?:day|week|month)(?: (?:done|finished|over|completed|behind me))?"
    r" (?:at|with)\s+"
)
_MODE = re.compile(
    r"(?:work|works|working) (?P<v>from home|remotely|hybrid|fully remote|remote"
    r"|from the office|on[- ]site|in the office"
    r"|night shifts|nights|part[- ]time|full[- ]time|freelance|three days a week"
    r"|four days a week)(?=$|,| and| most| on| now| for)"
)
_STATUS = re.compile(
    r"(?P<v>retired|self-employed|freelancing|unemployed|between jobs"
    r"|on parental leave|on maternity leave|on paternity leave"
    r"|a freelancer|freelance|semi-retired|a stay-at-home (?:mum|mom|dad"
    r"|parent))(?=$|,| now| and| since)"
)
_RUN = re.compile(
    r"(?:run|runs|own|owns|founded|started|co-founded) (?P<v>(?:an? "
    r"|my own )(?:\w+ ){0,4}(?:business|company|startup|start-up|shop|bakery"
    r"|restaurant|café|cafe|studio|agency|farm|store|firm|practice|salon|charity"
    r"|nonprofit|bookshop|blog|podcast))\b"
)
_LIVING = re.compile(r"\b(?:living|based|residing) in (?P<v>.+)")
_WITH = re.compile(
    r"(?:live|lives|living) with (?P<v>(?:my |our |an? |two |three |four "
    r"|\d )[^,]+?)(?=$|,| in\b| and (?:my|our|we|i)\b)"
)


_HERE = re.compile(r"\bhere in ")
_AWAY = re.compile(
    r"\b(?:holiday|vacation|visit\w*|trip|tour\w*|conference|festival|stopover|layover|landed"
    r"|arrived|hotel|hostel|airbnb|until|till|for (?:a|the|one|two|three) \w+|passing through"
    r"|section|chapter|today|tonight)\b"
)


def here(clause: Clause, context: Context) -> list[Candidate]:
    """ "What's the time in Manila when it's nine here in Calgary?": so one says where one
    lives, in a question as well, but for a guest. Nothing when it is known: "here in Canada"
    says less."""
    found = _HERE.search(clause.text)
    if found is None or _AWAY.search(clause.sentence.text):
        return []
    if any(
        fact.subject == USER and fact.attribute in ("home", "country") for fact in context.known
    ):
        return []
    end = name_end(clause.original(found.end(), len(clause.text)))
    if not end:
        return []
    return context.fact(clause, "home", (found.end(), found.end() + end), confidence=0.7)


def home(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Living in, moving to, being based in; a former home is closed."""
    if found := _ADDRESS.match(clause.text, after_openers(clause)[0]):
        return context.fact(clause, "address", found.span("v"), confidence=0.9)
    if said is None:
        return []
    text, pos, end, who = clause.text, said.pos, said.end, said.subject
    past = context.when(clause, future=False)
    since = past if past and past.begin <= clause.turn.sent_at else None
    if found := _MOVED.match(text, pos):
        if (
            said.negated
            or said.form == "be"
            or attribute_of(text[trim(text, *found.span("new"))[0] : end])
            or any(NO_PLACE.match(found[part] or "") for part in ("old", "new"))
        ):
            return []
        out: list[Candidate] = []
        if found["old"] and (old := place(clause, *found.span("old"))):
            out += context.fact(clause, "home", old, subject=who, operation="end", since=since)
        if (new := place(clause, *found.span("new"))) and not re.match(
            r"(?:work|a new (?:role|job|team))", text[new[0] :]
        ):
            out += context.fact(
                clause,
                "home",
                new,
                subject=who,
                since=since,
                confidence=0.9,
                correction=said.correction,
            )
        return out
    used = re.compile(r"used to ").match(text, pos)
    at = used.end() if used else pos
    found = _LIVE.match(text, at)
    if found is None and said.form == "be":
        found = _LIVING.search(text, pos)
        span = place(clause, *found.span("v")) if found else None
        return context.fact(clause, "home", span, subject=who) if span and not said.negated else []
    if found is None:
        mate = _WITH.match(text, pos)
        if mate and not said.negated:
            return context.fact(clause, "household", clause.original(*mate.span("v")), subject=who)
        return []
    if text.startswith("lived", at) and said.form != "have":
        return []
    if said.form == "be" and text[at : at + 4] == "live":
        return []
    if found["how"] == "on" and not (
        clause.original(found.end(), end)[:1].isupper() or _ON_A.match(text, found.end())
    ):
        return []  # "I live on sushi"
    span = place(clause, found.end(), end)
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
    mate = re.compile(
        r" with (?P<v>my (?:parents|family|grandparents|" + RELATION + r")s?)(?=$|,| and| in)"
    ).search(text, found.end())
    if mate and not gone and mate["v"] in ("my parents", "my family", "my grandparents"):
        out += context.fact(clause, "household", clause.original(*mate.span("v")), subject=who)
    return out


def _joined(clause: Clause, said: Predicate, context: Context, start: int) -> list[Candidate]:
    since = context.when(clause, future=False)
    out: list[Candidate] = []
    span = organisation(clause, start, said.end)
    if span:
        out += context.fact(
            clause,
            "employer",
            span,
            subject=said.subject,
            since=since,
            correction=said.correction,
            confidence=0.85,
        )
        role = re.compile(r"\bas (?:an? |the (?:new )?)?").search(clause.text, span[1])
        if role and (job := job_in(clause, role.end(), said.end, sure=True)):
            out += context.fact(
                clause,
                "job_title",
                job,
                subject=said.subject,
                since=since,
                correction=said.correction,
                confidence=0.85,
            )
    return out


_TO_WORK = re.compile(
    r"(?:(?:go|goes|get|gets|come|comes) to (?:work|the office)|commutes?(?: to \w+)?) (?:by|on) "
    r"(?P<v>bike|bicycle|e-bike|car|bus|train|tram|metro|tube|subway|ferry|foot|motorbike|scooter)\b"
)


def work(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Job, employer, how and in what field; what was left is closed."""
    text = clause.text
    start, _, correction = after_openers(clause)
    if found := _FIRST_DAY.match(text, start):
        span = organisation(clause, found.end(), len(text))
        return context.fact(clause, "employer", span, confidence=0.8) if span else []
    if found := _JOB_IS.match(text, start):
        job = job_in(clause, found.end(), len(text), sure=False)
        return context.fact(clause, "job_title", job, correction=correction) if job else []
    if found := _EMPLOYER_IS.match(text, start):
        span = organisation(clause, found.end(), len(text))
        return context.fact(clause, "employer", span, correction=correction) if span else []
    if said is None or said.subject.startswith("pet:"):
        return []
    pos, end, who = said.pos, said.end, said.subject
    polarity: Polarity = "negated" if said.negated else "affirmed"
    if not said.negated and (found := _TO_WORK.match(text, pos)):
        return context.fact(clause, "commute", found.span("v"), subject=who)
    left = _LEFT.match(text, pos)
    if left and (said.ended or said.negated or not text.startswith("work", pos)):
        if said.negated and not said.ended and not text.startswith("work", pos):
            return []
        span = organisation(clause, left.end(), end)
        value = clause.original(*span) if span else ""
        known = context.named(value, "employer", subject=who) if value else None
        # "I left Acme" may be a party; "I quit my job at Acme" is not.
        sure = re.match(r"(?:resigned|retired|used|work|stopped)|\w+ my job", text[pos:])
        if span and (known is not None or sure):
            return context.fact(
                clause, "employer", known.value if known else value, subject=who, operation="end",
                since=context.when(clause, future=False), confidence=0.85,
            )  # fmt: skip
        return []
    if said.ended:
        return []
    if found := _MODE.match(text, pos):
        return context.fact(
            clause, "work_mode", clause.original(*found.span("v")), subject=who, polarity=polarity
        )
    if said.form == "be" and (found := _STATUS.match(text, pos)):
        return context.fact(
            clause, "employment_status", found.span("v"), subject=who, polarity=polarity
        )
    if said.form != "be" and not said.negated and (found := _RUN.match(text, pos)):
        return context.fact(clause, "business", clause.original(*found.span("v")), subject=who)
    if not said.negated:
        if found := _JOINED.match(text, pos):
            return _joined(clause, said, context, found.end())
        if found := _NEW_ROLE.match(text, pos):
            job = job_in(clause, found.end(), end, sure="promoted" in found[0])
            if job is None:
                return []
            since = context.when(clause, future=False)
            out = context.fact(clause, "job_title", job, subject=who, since=since, confidence=0.85)
            return out + _employer_after(clause, said, context, job[1])
        if found := _WORK_AS.match(text, pos):
            job = job_in(clause, found.end(), end, sure=True)
            out = (
                context.fact(clause, "job_title", job, subject=who, correction=said.correction)
                if job
                else []
            )
            return out + _employer_after(clause, said, context, found.end())
        found = _WORK_AT.match(text, pos)
        if found and (said.form == "have" or not text.startswith("worked", pos)):
            return _joined(clause, said, context, found.end())
        if (found := _WORK_IN.match(text, pos)) and found["v"] not in (
            "office",
            "general",
            "teams",
            "a team",
        ):
            key = "employer" if _INSTITUTION.match(found["v"]) else "industry"
            out = context.fact(clause, key, found.span("v"), subject=who)
            return out + _employer_after(clause, said, context, found.end("v"))
    if said.form != "be":
        return []
    return _is_a(clause, said, context, polarity)


def _employer_after(
    clause: Clause, said: Predicate, context: Context, start: int
) -> list[Candidate]:
    found = re.compile(r"\b(?:at|for|with)\s+").search(clause.text, start, said.end)
    span = organisation(clause, found.end(), said.end) if found else None
    if span is None:
        return []
    return context.fact(clause, "employer", span, subject=said.subject, correction=said.correction)


_GOES_ON = re.compile(
    r" (?:and|but|so) (?:i |we )?(?:need|want|have|am|was|would|must|love|like)\b"
)


def _is_a(clause: Clause, said: Predicate, context: Context, polarity: Polarity) -> list[Candidate]:
    """ "I'm a backend engineer at Stripe", "we're both nurses" is left alone."""
    text = clause.text
    article = re.compile(
        r"(?:now |currently )*(?:an? |the (?=head|director|lead|owner|founder|manager"
        r"|ceo|cto)|(?=(?:ceo|cto|head of|director of|manager of)\b))"
    ).match(text, said.pos)
    if article is None:
        return []
    start = article.end()
    # "a vegan software engineer" says two things.
    out: list[Candidate] = []
    diet = re.compile(r"(?:vegan|vegetarian|pescatarian) (?=\w+)").match(text, start)
    at = re.compile(r"\b(?:at|for)\s+").search(text, start, said.end)
    # "I'm a teacher and need a lesson for Year 4": what is for somebody else.
    another = at is not None and _GOES_ON.search(text, start, at.start()) is not None
    org = organisation(clause, at.end(), said.end) if at and not another else None
    job = job_in(clause, start, said.end, sure=org is not None and org[0] - start < 60)
    if job is None:
        return []
    if diet and not said.negated:
        out += context.fact(
            clause, "diet", (start, diet.end() - 1), subject=said.subject, confidence=0.9
        )
    if text[slice(*job)].endswith(("student", "undergraduate")) and org:
        return out + context.fact(clause, "school", org, subject=said.subject)
    spans = items(text, *job) if polarity == "affirmed" else [job]
    out += context.fact(
        clause,
        "job_title",
        spans[0],
        subject=said.subject,
        polarity=polarity,
        correction=said.correction,
    )
    if org and polarity == "affirmed":
        out += context.fact(
            clause, "employer", org, subject=said.subject, correction=said.correction
        )
    return out
