"""Diet, allergies, health, and what somebody eats and drinks."""

from __future__ import annotations

import re

from memoryapp.records import Candidate, Polarity

from .clauses import Clause
from .context import Context
from .lexicon import ACCESS, CONDITIONS, DIETS, DRINK, MEDICATIONS, alternatives
from .predicate import Predicate
from .values import Span, items, states, trim

_DIET = re.compile(
    r"(?:an? |strictly |mostly |fully |practising )*(?P<v>"
    + alternatives(DIETS)
    + r")\b(?! (?:food|restaurant|option|recipe|leather|shoe|meal|dish|version|soap|cooking)s?)"
)
_ON_DIET = re.compile(
    r"(?:on|follow(?:s|ing)?|keep(?:s|ing)?|stick(?:ing)? to|eat(?:s|ing)?|went"
    r"|gone|go|become|became"
    r"|turned|turning) (?:an? |the )?(?P<v>" + alternatives(DIETS) + r")\b"
)
_ALLERGIC = re.compile(r"(?:severely |deathly |very |mildly |also |badly |highly )*allergic to ")
_HAS_ALLERGY = re.compile(
    r"(?:developed |got )?(?:an?y? |a severe |a mild |a bad |severe "
    r"|no )*(?P<v>[\w' -]{2,40}?) allerg(?:y|ies)(?=$|,| and\b| so\b)"
)
_NO = re.compile(r"(?:no|not any) ")
_INTOLERANT = re.compile(
    r"(?P<v>lactose|gluten|fructose|histamine|dairy|caffeine|alcohol)[ -]intolerant"
    r"|intolerant to (?P<w>[\w ]+)"
)
_INTOLERANCE = re.compile(r"(?:an? )?(?P<v>lactose|gluten|fructose|histamine|dairy) intolerance")
_EAT = re.compile(r"(?:eat|eats|have|touch)\s+(?:any |much )?")
_CANT_EAT = re.compile(r"\b(?:can't|cannot|can not|cant) (?:eat|have|tolerate|digest)\s+(?:any )?")
_DRINK = re.compile(r"drinks?\b\s*(?:any |much )?")
_COFFEE = re.compile(
    r"(?:take|drink|like|have|prefer)s? my (?:coffee|tea) (?P<v>(?:black|white"
    r"|with [\w ]{2,30}|strong|weak|sweet|decaf))$"
)
_ONLY = re.compile(r"\b(?:only|mostly|mainly|always|exclusively) $")
_SMOKE = re.compile(r"smokes?\b(?=$| anymore| any more| cigarettes)")
_QUIT = re.compile(
    r"(?:quit|stopped|gave up|given up|kicked|stop) (?P<v>(?:eating|drinking"
    r"|smoking) ?(?P<o>[\w ]{0,30}?)"
    r"|alcohol|meat|dairy|sugar|coffee|caffeine|gluten)(?=$|,| in\b| last\b| for\b"
    r"| a\b| \w+ \w+ ago)"
)
# "I don't eat pork or drink alcohol": the second is another verb's.
_ANOTHER = re.compile(r"(?:eat|drink|smoke|take|touch|cook)s?\b")
_BUT_THIS = re.compile(
    r", (?:but )?(?:only|just) (?!(?:on|in|at|when|if|for|because|with|some\w*|a)\b)(?P<v>[\w ]+)$"
)
_OR_DRINK = re.compile(r"\b(?:or|and|nor) drink (?:any )?")
_FOOD_STOP = re.compile(
    r",? only\b| ?\(|,(?! (?:and |or )?[\w ]+(?:$|,))| (?:for|since|because|with|at|in"
    r"|on|after|before|during|when"
    r"|every|anymore|any more|except|unless|but|so|that|as|due|a lot|much|more|less"
    r"|together|just)\b"
)
# "I can't have" says something of food only when food follows.
_FOOD = re.compile(
    r"(?:dairy|gluten|\w*nuts?|eggs?|milk|lactose|soya?|shellfish|fish|seafood|wheat|sugar|alcohol"
    r"|caffeine|coffee|meat|pork|beef|cheese|bread|chocolate|spicy food|prawns|sesame|grapefruit)\b"
)
_NOT_FOOD = re.compile(
    r"(?:time|money|experience|idea|clue|access|problem|plans?|patience|energy|much"
    r"|enough|kids|children"
    r"|fun|trouble|meetings?|lunch|dinner|breakfast|food|out|healthy|well|it"
    r"|a \w+ (?:card|account))\b"
)
_PREGNANT = re.compile(r"(?:(?:\w+ (?:weeks|months) )?pregnant|expecting (?:a baby|twins))")
_DIAGNOSED = re.compile(r"(?:was |been |were )?(?:recently )?diagnosed with ")
_SUFFER = re.compile(r"(?:suffer(?:s|ing)? from|live with|lives with|have|has) ")
_TAKE = re.compile(r"(?:take|takes|taking|on|prescribed|was prescribed) ")


def _list(
    context: Context,
    clause: Clause,
    said: Predicate,
    attribute: str,
    span: Span,
    *,
    polarity: Polarity = "affirmed",
    ended: bool = False,
    confidence: float = 0.85,
) -> list[Candidate]:
    stop = _FOOD_STOP.search(clause.text, span[0], span[1])
    out: list[Candidate] = []
    for number, part in enumerate(items(clause.text, span[0], stop.start() if stop else span[1])):
        if number and (states(clause.text[slice(*part)]) or _ANOTHER.match(clause.text, part[0])):
            break
        drunk = attribute == "eats" and DRINK.search(clause.text[slice(*part)])
        out += context.fact(
            clause,
            "drinks" if drunk else attribute,
            part,
            subject=said.subject,
            polarity="affirmed" if ended else polarity,
            operation="end" if ended else "state",
            correction=said.correction,
            confidence=confidence,
        )
    return out


def food(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Allergies, intolerances, diets, and what is not eaten or drunk."""
    if said is None:
        return []
    text, pos, end = clause.text, said.pos, said.end
    polarity: Polarity = "negated" if said.negated else "affirmed"
    if said.form == "be":
        if found := _ALLERGIC.match(text, pos):
            return _list(
                context,
                clause,
                said,
                "allergy",
                (found.end(), end),
                polarity=polarity,
                ended=said.ended,
                confidence=0.9,
            )
        if found := _INTOLERANT.match(text, pos):
            span = found.span("v") if found["v"] else found.span("w")
            return _list(context, clause, said, "intolerance", span, polarity=polarity)
    if found := _DIET.match(text, pos) if said.form == "be" else _ON_DIET.match(text, pos):
        return context.fact(
            clause,
            "diet",
            clause.original(*found.span("v")).removeprefix("a "),
            subject=said.subject,
            polarity="affirmed" if said.ended else polarity,
            operation="end" if said.ended else "state",
            correction=said.correction,
            confidence=0.9,
        )
    if said.form == "be" and (found := _ON_DIET.match(text, pos)):
        return context.fact(
            clause, "diet", found.span("v"), subject=said.subject, polarity=polarity
        )
    if said.form == "have":
        if found := _INTOLERANCE.match(text, pos):
            return _list(context, clause, said, "intolerance", found.span("v"), polarity=polarity)
        if found := _HAS_ALLERGY.match(text, pos):
            denied = said.negated or _NO.match(text, pos) is not None
            span = found.span("v")
            if gone := _NO.match(text, span[0]):
                span = (gone.end(), span[1])
            if text[slice(*span)] not in ("food", "any", "an", "no", "bad", "severe", "known"):
                return _list(
                    context,
                    clause,
                    said,
                    "allergy",
                    span,
                    polarity="negated" if denied else "affirmed",
                    confidence=0.9,
                )
            return []
    if found := _CANT_EAT.search(text, max(0, pos - 14)):
        edible = " have" not in found[0] or _FOOD.match(text, found.end())
        if found.start() <= pos and edible and not _NOT_FOOD.match(text, found.end()):
            return _list(context, clause, said, "eats", (found.end(), end), polarity="negated")
        return []
    if said.form != "verb":
        return []
    if found := _QUIT.match(text, pos):
        value = found["v"].strip()
        attribute = "eats" if value in ("meat", "dairy", "sugar", "gluten") else "drinks"
        start = found.start("v")
        if value.startswith(("eating ", "drinking ")):
            attribute = "eats" if value.startswith("eating") else "drinks"
            start = found.start("o")
        elif value.startswith(("smoking", "drinking", "eating")):
            return context.fact(
                clause,
                "habit",
                value.split()[0],
                subject=said.subject,
                polarity="negated",
                since=context.when(clause, future=False),
            )
        return context.fact(
            clause,
            attribute,
            (start, found.end("v")),
            subject=said.subject,
            polarity="negated",
            since=context.when(clause, future=False),
        )
    if found := _COFFEE.match(text, pos):
        return context.fact(clause, "coffee_order", found.span("v"), subject=said.subject)
    if not said.negated and _ONLY.search(text, 0, pos):
        for pattern, attribute in ((_EAT, "eats"), (_DRINK, "drinks")):
            found = pattern.match(text, pos)
            if (
                found
                and not text.startswith("have", pos)
                and not _NOT_FOOD.match(text, found.end())
            ):
                return _list(context, clause, said, attribute, (found.end(), end))
    if said.negated:
        if _SMOKE.match(text, pos):
            return context.fact(
                clause, "habit", "smoking", subject=said.subject, polarity="negated"
            )
        for pattern, attribute in ((_EAT, "eats"), (_DRINK, "drinks")):
            found = pattern.match(text, pos)
            if found and not (text.startswith("have", pos) or _NOT_FOOD.match(text, found.end())):
                # Nothing, or no more than "myself", behind the verb.
                if attribute == "drinks" and trim(text, found.start(), end)[1] <= found.end():
                    return context.fact(
                        clause, "drinks", "alcohol", subject=said.subject, polarity="negated"
                    )
                out = _list(
                    context, clause, said, attribute, (found.end(), end), polarity="negated"
                )
                if other := _BUT_THIS.search(text, found.end(), end):
                    out += _list(context, clause, said, attribute, other.span("v"))
                if attribute == "eats" and (more := _OR_DRINK.search(text, found.end(), end)):
                    out += _list(
                        context, clause, said, "drinks", (more.end(), end), polarity="negated"
                    )
                return out
    return []


def health(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Conditions, medication, disability: all marked sensitive by the registry."""
    if said is None:
        return []
    text, pos = clause.text, said.pos
    polarity: Polarity = "negated" if said.negated else "affirmed"
    at = pos
    for pattern in (_DIAGNOSED, _SUFFER):
        if found := pattern.match(text, at):
            at = found.end()
    if said.form in ("be", "have") or at > pos:
        begin = re.compile(r"(?:an? |severe |mild |chronic |been )*").match(text, at)
        at = begin.end() if begin else at
        if (found := CONDITIONS.match(text, at)) and re.match(r"$|,| \w+", text[found.end() :]):
            return context.fact(
                clause, "health_condition", found.span(), subject=said.subject, polarity=polarity
            )
        if said.form == "be" and (found := _PREGNANT.match(text, pos)):
            return context.fact(
                clause, "pregnancy", found.span(), subject=said.subject, polarity=polarity
            )
        end = trim(text, pos, said.end)[1]
        if said.form == "be" and text[pos:end] in ACCESS:
            return context.fact(
                clause, "accessibility", (pos, end), subject=said.subject, polarity=polarity
            )
    if found := _TAKE.match(text, pos):
        dose = re.compile(
            r"(?:(?:an? )?(?:low|high|small|daily) dose of |\d+ ?m?g (?:of )?)?"
        ).match(text, found.end())
        drug = MEDICATIONS.match(text, dose.end() if dose else found.end())
        if drug:
            return context.fact(
                clause, "medication", drug.span(), subject=said.subject, polarity=polarity
            )
    if said.form == "verb" and (
        found := re.compile(
            r"uses? (?P<v>(?:an? )?(?:wheelchair|screen reader|hearing aids?|walking stick"
            r"|cane))"
        ).match(text, pos)
    ):
        return context.fact(
            clause, "accessibility", found.span("v"), subject=said.subject, polarity=polarity
        )
    return []
