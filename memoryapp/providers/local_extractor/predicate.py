"""Who a clause is about and where what it says of them begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from memoryapp.subjects import USER, subject

from .clauses import Clause
from .lexicon import ANIMAL, ELDERS, NOT_NAMES, RELATION, alternatives
from .values import name_end

Form = Literal["be", "have", "verb"]

_OPENER = re.compile(
    r"(?:(?:hi|hello|hey|hiya|greetings|good (?:morning|evening|afternoon)|nice to meet you)"
    r"(?:,? (?:there|all|again|everyone|everybody|folks|claude|chatgpt|assistant))?"
    r"|thanks(?: a lot| so much)?|thank you(?: so much)?|ok|okay|oh|well|so|yes"
    r"|yeah|yep|scratch that|no wait|(?:no|nope|nah)(?=\s*[,.!:—–-])|actually|btw|by the way"
    r"|fyi|also|and|but|plus|anyway|honestly|lol|haha|hmm|sure|cool|right"
    r"|just so you know|so you know"
    r"|for (?:context|the record|reference|info|your information)|some context"
    r"|(?:a bit |a little )?about me"
    r"|quick update|small correction|correction|typo|update|note|to be clear|to clarify"
    r"|one more thing"
    r"|(?:as|like) i (?:said|told you|mentioned)(?: before| earlier)?|please remember(?: that)?"
    r"|remember(?: that)?|(?:please )?note that|keep in mind(?: that)?|don't forget(?: that)?"
    r"|please|save that|(?:you should )?know that|i want you to (?:know|remember) that"
    r"|these days|nowadays|lately|currently|now|as of (?:today|now|this week|last week)"
    r"|from now on|starting today|in general|generally|usually|normally|because|since|as|then"
    r"|first of all|good news|big news|news|funny enough|turns out(?: that)?|it turns out(?: that)?"
    r"|in case it matters|if it helps|sorry|i mean|(?:i )?(?:forgot"
    r"|forgot) to (?:say|mention)(?: that)?"
    r"|(?:i )?should mention(?: that)?|for work|at work|at home|after all that"
    r"|finally|recently|i meant)"
    r"(?:\s*[,:!.—–-]+\s*|\s+)"
)
_GREETING = re.compile(
    r"(?:hi|hello|hey|hiya|greetings|good (?:morning|evening|afternoon)|nice to meet)"
)
_CORRECTING = re.compile(
    r"(?:scratch that|no|nope|correction|small correction|typo|i meant)\b|sorry"
)
_INSTEAD = re.compile(r", (?:and )?not [^,]+$")
_WRONG = re.compile(
    r"(?:no|nope|wrong|correction|that's (?:wrong|not right|incorrect|not (?:it|true|correct))"
    r"|that is (?:wrong|incorrect|not right)|you got (?:it|that|my \w+) wrong|not quite)"
)
_ADVERB = (
    r"(?:(?:also|really|just|now|currently|still|personally|usually|mostly"
    r"|generally|always|absolutely"
    r"|totally|definitely|truly|both|all|simply|only|recently|finally|officially"
    r"|honestly|kinda|quite"
    r"|actually|already|mainly|normally|typically|tend to|very much|particularly|especially|lately"
    r"|very|pretty|super|so|big|primarily|exclusively|strictly|happily|proudly"
    r"|fully|originally|do(?= (?:really |also )?(?:like|love|enjoy|prefer|hate|use|eat)\b))\s+)"
)
_ADVERBS = re.compile(_ADVERB + r"*")
_BE = re.compile(r"(?:i'm|im|i am|we're|we are)\b\s*")
_HAVE = re.compile(r"(?:i've|ive|i have|we've|we have)\b\s*(?:got\b\s*)?")
_I = re.compile(r"(?:i|we)(?=(?:'d|'ll)?\s)\s*")
_THEY = re.compile(r"(?:he|she|they)\b")
_RELATION = re.compile(
    r"(?P<my>my|our) (?P<rel>"
    + RELATION
    + r")\b(?P<gap>,? (?:called |named |is called |is named )?|(?='s\b(?! (?:\w+ )?(?:"
    + RELATION
    + r")\b)))"
)
_PET = re.compile(
    r"(?:my|our) (?P<animal>" + ANIMAL + r")\b(?P<gap>,? (?:called |named )?|(?='s\b))"
)
# "Grandpa Joe is 90" is about Joe, as "my grandpa Joe" is.
_NAMED = re.compile(
    r"(?:(?P<kin>" + alternatives(ELDERS) + r") )?"
    r"(?=[^\W\d_])(?P<name>[^\s,.'’]+(?: [^\s,.'’]+)?)(?=(?:'s| is| has| lives"
    r"| works| loves| likes| hates"
    r"| can't| prefers| speaks| moved| joined| left| turned| plays| was| doesn't) )"
)
_THIRD_BE = re.compile(r"\s*(?:'s|is|are|'re)\s+")
_THIRD_HAVE = re.compile(r"\s*(?:has|have|'ve|'s (?=been|got|just|moved))(?:\s+got)?\s+")
_NOT = re.compile(
    r"(?:(?P<ended>no longer|not anymore)|(?P<never>never|hardly ever|rarely|not|n't"
    r"|do not|don't|dont|does not|doesn't|doesnt|cannot|can't|cant|can not|won't"
    r"|haven't|am not|aren't"
    r"|isn't|is not|are not))\s+(?!stand\b|wait\b|been\b)"
)
_ANYMORE = re.compile(r"\b(?:anymore|any more|any longer)\b")


@dataclass(frozen=True, slots=True)
class Predicate:
    """``clause.text[pos:end]`` is what is said of ``subject``: after "am" or "is"
    (``be``), after "have" or "has" (``have``), or from the verb on."""

    clause: Clause
    subject: str
    form: Form
    pos: int
    end: int
    negated: bool
    ended: bool
    correction: bool
    greeting: bool
    relation: str = ""
    name: tuple[int, int] | None = None

    @property
    def text(self) -> str:
        return self.clause.text

    @property
    def about_user(self) -> bool:
        return self.subject == USER


def after_openers(clause: Clause) -> tuple[int, bool, bool]:
    """Where the clause begins in earnest, and whether it greets or corrects first."""
    position = clause.start - clause.shift
    if clause.shift < clause.start:
        position = 0  # a carried subject comes before any opener
    greeting = correction = False
    while found := _OPENER.match(clause.text, position):
        greeting |= _GREETING.match(found[0]) is not None
        correction |= _CORRECTING.match(found[0]) is not None
        position = found.end()
    correction |= _INSTEAD.search(clause.text) is not None
    correction |= _WRONG.fullmatch(clause.before.strip(" ,.!")) is not None
    return position, greeting, correction


def _third(text: str, position: int) -> tuple[Form, int]:
    if found := _THIRD_BE.match(text, position):
        return "be", found.end()
    if found := _THIRD_HAVE.match(text, position):
        return "have", found.end()
    while position < len(text) and text[position] in " ,":
        position += 1
    return "verb", position


def parse(clause: Clause, last: str, relatives: dict[str, str]) -> Predicate | None:
    """Who the clause speaks of, or None when it is nobody that we can tell. ``last`` is
    the person named last, for "he" and "she"; ``relatives`` maps "sister" to the one
    person known by that relation."""
    text = clause.text
    position, greeting, correction = after_openers(clause)
    who, relation, name = "", "", None
    form: Form
    if found := _BE.match(text, position):
        who, form, at = USER, "be", found.end()
    elif found := _HAVE.match(text, position):
        who, form, at = USER, "have", found.end()
    elif found := _I.match(text, position):
        who, form, at = USER, "verb", found.end()
    elif last and (found := _THEY.match(text, position)):
        who = last
        form, at = _third(text, found.end())
    elif found := _RELATION.match(text, position):
        relation, at = found["rel"], found.end()
        length = name_end(clause.original(at, len(text)), most=2) if found["gap"] else 0
        if length:
            name = (at, at + length)
            who = subject("person", clause.original(at, at + length))
            at += length
        else:
            who = relatives.get(relation, "") or subject("person", relation)
            at = found.end("rel")
        form, at = _third(text, at)
    elif found := _PET.match(text, position):
        length = name_end(clause.original(found.end(), len(text)), most=1) if found["gap"] else 0
        if not length:
            return None
        name = (found.end(), found.end() + length)
        who = subject("pet", clause.original(*name))
        form, at = _third(text, name[1])
    elif found := _NAMED.match(text, position):
        original = clause.original(*found.span("name"))
        first = original.split()[0]
        if name_end(original, most=2) != len(original) or first.lower() in NOT_NAMES:
            return None
        name, relation = found.span("name"), found["kin"] or ""
        who = subject("person", original)
        form, at = _third(text, found.end())
    else:
        return None
    if form == "have" and text.startswith("been ", at):
        form, at = "be", at + 5  # "I've been vegetarian for years" is still so
    at = _ADVERBS.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing at worst
    negated = ended = False
    if found := _NOT.match(text, at):
        negated, ended = True, found["ended"] is not None
        at = _ADVERBS.match(text, found.end()).end()  # type: ignore[union-attr]
        if form == "verb" and (found := re.compile(r"have (?:any |an? )?").match(text, at)):
            form, at = "have", found.end()
    ended |= negated and _ANYMORE.search(text, at) is not None
    return Predicate(
        clause, who, form, at, len(text), negated, ended, correction, greeting, relation, name
    )
