"""Statements that another product kept about its user, as the user would say them:
"Lives in Porto", "User prefers tea", "Name: Mira". Pure; English only, other languages
come back as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_KEYED = re.compile(r"(?P<key>[A-Za-z][A-Za-z /_-]{0,40}?)\s*[:：]\s*(?P<value>\S.*)", re.DOTALL)
_KEYS = {
    "My name is {}.": "name, full name, first name, user name",
    "Call me {}.": "preferred name, nickname, goes by, preferred form of address",
    "I live in {}.": "location, city, home, lives in, residence, home city, current city,"
    " current location, lives, based in, place of residence, home town, where i live",
    "I am from {}.": "hometown, origin, from, originally from",
    "I work as {}.": "job, occupation, profession, role, job title, title, position, works as,"
    " current role, current job, career",
    "I work at {}.": "employer, company, works at, workplace, works for, current employer",
    "I am {} years old.": "age",
    "My birthday is {}.": "birthday, date of birth, birth date, dob, born",
    "My pronouns are {}.": "pronouns",
    "I speak {}.": "language, languages, speaks, spoken languages",
    "My native language is {}.": "native language, mother tongue, first language",
    "I am allergic to {}.": "allergy, allergies, allergic to, food allergies",
    "I am {}.": "diet, dietary preference, dietary restrictions, marital status, relationship"
    " status, dietary restriction",
    "I like {}.": "likes, loves, enjoys, interests, hobbies, interest, hobby",
    "I don't like {}.": "dislikes, hates",
    "I prefer {}.": "prefers, preference, preferences",
    "I use {}.": "uses, tools, stack, tech stack, editor, ide, operating system, os",
    "I am working on {}.": "project, current project, projects, working on, current projects",
    "I am learning {}.": "learning, is learning, currently learning",
    "My time zone is {}.": "time zone, timezone",
    "My goal is to {}.": "goal",
    "I drive {}.": "car, vehicle, drives",
}
_TEMPLATE = {key.strip(): template for template, keys in _KEYS.items() for key in keys.split(",")}
# Their value is a person's or pet's name.
_RELATIONS = frozenset(
    [
        "wife",
        "husband",
        "partner",
        "spouse",
        "girlfriend",
        "boyfriend",
        "mother",
        "father",
        "mom",
        "mum",
        "dad",
        "sister",
        "brother",
        "son",
        "daughter",
        "dog",
        "cat",
        "manager",
        "boss",
    ]
)
_VERBS = frozenset(
    [
        "attends",
        "avoids",
        "believes",
        "builds",
        "buys",
        "collects",
        "commutes",
        "cooks",
        "dislikes",
        "does",
        "drinks",
        "drives",
        "eats",
        "enjoys",
        "expects",
        "feels",
        "follows",
        "goes",
        "grows",
        "has",
        "hates",
        "hopes",
        "identifies",
        "intends",
        "is",
        "keeps",
        "knows",
        "learns",
        "leads",
        "likes",
        "listens",
        "lives",
        "loves",
        "maintains",
        "makes",
        "manages",
        "meditates",
        "needs",
        "owns",
        "paints",
        "plans",
        "plays",
        "practices",
        "practises",
        "prefers",
        "reads",
        "rents",
        "rides",
        "runs",
        "shares",
        "sings",
        "sleeps",
        "smokes",
        "speaks",
        "spends",
        "starts",
        "studies",
        "suffers",
        "supports",
        "swims",
        "takes",
        "teaches",
        "travels",
        "trains",
        "tries",
        "uses",
        "values",
        "volunteers",
        "walks",
        "wants",
        "was",
        "watches",
        "wears",
        "works",
        "writes",
    ]
)
_PAST = [
    "moved",
    "switched",
    "started",
    "graduated",
    "adopted",
    "bought",
    "changed",
    "quit",
    "stopped",
    "joined",
    "got",
    "married",
    "studied",
    "worked",
    "lived",
    "grew",
    "recently",
]
_PLAIN = {
    "name is": "My name is",
    "name's": "My name's",
    "born in": "I was born in",
    "born on": "I was born on",
    "based in": "I am based in",
    "married to": "I am married to",
    "allergic to": "I am allergic to",
    "interested in": "I am interested in",
    "fluent in": "I am fluent in",
    "not": "I am not",
    "favourite": "My favourite",
    "favorite": "My favorite",
    "currently": "I am currently",
    "can't": "I can't",
    "cannot": "I cannot",
    "can": "I can",
    "would": "I would",
    "vegetarian": "I am vegetarian",
    "vegan": "I am vegan",
    "lactose": "I am lactose",
}
_GERUNDS = frozenset(
    [
        "living",
        "working",
        "learning",
        "planning",
        "studying",
        "moving",
        "looking",
        "training",
        "preparing",
        "building",
        "writing",
        "considering",
        "saving",
        "trying",
    ]
)
_ADVERB = (
    r"(?:(?:also|currently|recently|really|strongly|generally|usually|often|always|never|still"
    r"|now|just|mostly|mainly|typically|regularly|sometimes|previously|already|no longer)\s+)*"
)
_NEGATED = re.compile(rf"({_ADVERB})(does(?:n['’]t| not)|is(?:n['’]t| not)|has(?:n['’]t| not)"
                      r"|was(?:n['’]t| not)|did(?:n['’]t| not))\b", re.IGNORECASE)  # fmt: skip
_VERB = re.compile(rf"({_ADVERB})([A-Za-z]+)\b", re.IGNORECASE)
_ALSO = re.compile(rf"\b((?:and|but|or|who|,)\s+{_ADVERB})([a-z]+s)\b")
_SUBJECT = re.compile(r"(?:[Tt]he )?[Uu]ser(?P<own>['’]s)?\s+")
_INNER = re.compile(r"\bthe user(['’]s)?(?!\w)|\buser['’]s\b", re.IGNORECASE)
_FIRST = re.compile(r"(?:I|I['’]\w+|My|Me|We|Our)\b")
# The statement's time is the memory's own.
_AS_OF = re.compile(r"As of [^,.]{3,30},\s+", re.IGNORECASE)
_STOP = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def first_person(text: str, *, names: Collection[str] = ()) -> str:
    """The text with its subject brought to "I", sentence by sentence. ``names`` are what
    the user is called: "Mira lives in Porto" speaks of them too."""
    keyed = _from_key(text.strip())
    if keyed:
        return keyed
    return " ".join(_sentence(part, names) for part in _STOP.split(text.strip()))


def _from_key(text: str) -> str:
    match = _KEYED.fullmatch(text)
    if match is None or _FIRST.match(text):
        return ""
    key = re.sub(r"[\s_-]+", " ", match["key"]).strip().lower()
    key = re.sub(r"^(?:the )?user(?:['’]s)? ", "", key)
    value = match["value"].strip().rstrip(".")
    template = _TEMPLATE.get(key)
    if template is None and key in _RELATIONS and re.fullmatch(r"[A-Z][\w'’-]+", value):
        return f"My {key}'s name is {value}."
    if template is None:
        return f"My {key} is {value}." if re.match(r"favou?rite \w", key) else ""
    if template == "I work as {}." and not re.match(r"(?:an?|the)\s", value, re.IGNORECASE):
        value = f"{'an' if value[0].lower() in 'aeiou' else 'a'} {value}"
    return template.format(value)


def _sentence(text: str, names: Collection[str]) -> str:
    text = _AS_OF.sub("", text)
    if _FIRST.match(text):
        return text
    for name in names:
        found = re.match(rf"{re.escape(name)}(?P<own>['’]s)?\s+", text, re.IGNORECASE)
        if found:
            return _spoken(text[found.end() :], own=bool(found["own"]), whole=text)
    found = _SUBJECT.match(text)
    if found:
        return _spoken(text[found.end() :], own=bool(found["own"]), whole=text)
    return _bare(text)


def _spoken(rest: str, *, own: bool, whole: str) -> str:
    """What follows "User" or "User's"."""
    if own:
        return "My " + _mine(rest)
    said = _conjugated(rest)
    if said is None:
        return whole
    return "I " + _mine(_coordinated(said))


def _bare(text: str) -> str:
    """A sentence that leaves its subject out."""
    lowered = text[0].lower() + text[1:] if text else ""
    first = re.match(r"[\w'’]+", lowered)
    if first is None:
        return text
    word = first[0].lower()
    if word in _GERUNDS:
        return f"I am {_mine(lowered)}"
    said = _conjugated(lowered, strict=True)
    if said is not None:
        return "I " + _mine(_coordinated(said))
    for plain, spoken in _PLAIN.items():
        if re.match(rf"{re.escape(plain)}\b", lowered):
            return spoken + _mine(lowered[len(plain) :])
    return text


def _conjugated(text: str, *, strict: bool = False) -> str | None:
    """The text with its first verb as "I" has it; None when it begins with none that is
    known. ``strict`` for a sentence without a subject, which might begin with a noun."""
    negated = _NEGATED.match(text)
    if negated:
        verb = re.sub(r"^does", "do", negated[2], flags=re.IGNORECASE)
        verb = re.sub(r"^isn['’]t|^is not", "am not", verb, flags=re.IGNORECASE)
        verb = re.sub(r"^has", "have", verb, flags=re.IGNORECASE)
        return negated[1] + verb + text[negated.end() :]
    match = _VERB.match(text)
    if match is None:
        return None
    verb = match[2].lower()
    if verb in _VERBS:
        return match[1] + _base(verb) + text[match.end() :]
    if verb in _PAST or (not strict and (verb.endswith("ed") or verb in ("can", "cannot"))):
        return text
    if not strict and verb.endswith("s") and not verb.endswith("ss"):
        return match[1] + _base(verb) + text[match.end() :]
    return text if not strict and verb in ("would", "will", "could", "might", "once") else None


def _coordinated(text: str) -> str:
    return _ALSO.sub(
        lambda m: m[1] + (_base(m[2]) if m[2] in _VERBS and m[2] != "was" else m[2]), text
    )


def _base(verb: str) -> str:
    irregular = {"is": "am", "has": "have", "does": "do", "goes": "go", "was": "was"}
    if verb in irregular:
        return irregular[verb]
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith(("ches", "shes", "sses", "xes", "zes")):
        return verb[:-2]
    return verb[:-1]


def _mine(text: str) -> str:
    text = re.sub(r"\b(their)\b", "my", text)
    text = re.sub(r"\bthemsel(?:ves|f)\b", "myself", text)
    return _INNER.sub(lambda m: "my" if m[0].lower().endswith("s") else "me", text)
