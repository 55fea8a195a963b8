"""When a stored fact is the one that a data set expects. Pure.

Data sets name attributes in their own way. ``NAMES`` says which of our keys each name may
stand for; a name that isn't there is looked up as a key or alias of the registry; a name that
is nowhere allows any attribute, and the value decides. Values match by their content words,
never by a share of them. docs/evaluation.md says it in words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import cache

from memoryapp import registry
from memoryapp.evaluation.memory import Seen


def _listed(names: str) -> list[str]:
    return names.split()


ANY = frozenset({"*"})
_TASTES = _listed(
    "likes prefers theme editor seat_preference drinks eats hobby sport answer_style uses habit "
    "spice_level coffee_order temperature travel_style hotel_preference units indentation diet "
    "browser terminal shell operating_system programming_language framework airline instrument"
)
_TOOLS = _listed(
    "uses editor browser shell terminal operating_system programming_language framework "
    "database package_manager phone_model computer"
)
_STYLE = _listed("answer_length answer_style answer_language answer_tone answer_format emoji")
NAMES: Mapping[str, frozenset[str]] = {
    name: frozenset(keys)
    for name, keys in {
        "age": ["age", "birth_year"],
        "allergy": ["allergy", "intolerance"],
        "answer_style": _STYLE,
        "birthday": ["birthday"],
        "children": ["children", "relation", "household"],
        "diet": ["diet", "eats", "drinks", "intolerance", "allergy", "dislikes", "habit"],
        "dislikes": ["dislikes", "likes", "eats", "drinks"],
        "event": ["event", "plan", "deadline"],
        "favourite": ["favourite", "likes", "prefers"],
        "goal": ["goal", "learning", "plan"],
        "habit": ["habit", "smoking", "drinks", "eats", "sport", "hobby", "diet"],
        "health": [
            *("health_condition", "medication", "mental_health", "intolerance", "allergy"),
            *("accessibility", "pregnancy"),
        ],
        "job": ["job_title", "industry", "employment_status", "business"],
        "language": ["language", "native_language"],
        "learning": ["learning", "goal"],
        "likes": [*_TASTES, "favourite"],
        "location": ["home", "country", "address"],
        "medication": ["medication"],
        "name": ["name", "preferred_name"],
        "origin": ["origin", "birthplace", "nationality"],
        "owns": ["owns", "vehicle", "phone_model", "computer", "pet"],
        "pet": ["pet", "species", "name", "age"],
        "plan": ["plan", "event", "deadline", "goal"],
        "prefers": [*_TASTES, *_STYLE, "favourite"],
        "project": ["project"],
        "response_style": _STYLE,
        "uses": [*_TOOLS, "prefers"],
        "vehicle": ["vehicle", "owns"],
        "work_mode": ["work_mode", "habit"],
    }.items()
}
# Facts about people stand under their own subjects here; data sets put them under the user.
PEOPLE = frozenset({"family", "relation", "children", "sibling", "friend"})

_SAME = {
    **dict.fromkeys(("loves", "love", "luv", "enjoys", "enjoy", "like"), "likes"),
    **dict.fromkeys(("hates", "hate", "dislike"), "dislikes"),
    **dict.fromkeys(("favorite", "favorites", "favourites"), "favourite"),
    **dict.fromkeys(("color", "colors", "colours"), "colour"),
    **dict.fromkeys(("kid", "kids", "child", "children"), "child"),
    **dict.fromkeys(("meeting", "meet", "会", "议"), "meeting"),
    **dict.fromkeys(("café", "cafe", "kaffee", "咖", "啡"), "coffee"),
    **dict.fromkeys(("经", "理", "jefe", "chef"), "manager"),
    **dict.fromkeys(("nut", "nuts"), "nut"),
    **dict.fromkeys(("intolerant", "intolerances"), "intolerance"),
    **dict.fromkeys(("short", "brief", "concise"), "brief"),
    **{word: str(n) for n, word in enumerate(_listed("one two three four five six seven"), 1)},
}
_EMPTY = frozenset(
    _listed(
        "a an the my our your his her their its i you we me is are am be been was of in on at to "
        "for from with and or as by that this it have has had do does user s named called not t "
        "very really some any c degrees th st nd rd"
    )
)
DATES = frozenset(
    _listed(
        "january february march april may june july august september october november december "
        "monday tuesday wednesday thursday friday saturday sunday today tomorrow next this week "
        "month year last pm am spring summer autumn winter"
    )
)
_MONTHS = _listed(
    "January February March April May June July August September October November December"
)
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+")
_CJK = re.compile(r"([\u3040-\u30ff\u3400-\u9fff])")
_NOTHING = frozenset({"no", "none", "never"})


def words(text: str) -> frozenset[str]:
    """The content words: lower case, one spelling, no plural, numbers as figures, each
    Chinese or Japanese character a word of its own."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"(\d)(?=[a-z])", r"\1 ", _CJK.sub(r" \1 ", text))
    found = set()
    for word in _WORD.findall(text):
        word = _SAME.get(word, word)
        if word in _EMPTY:
            continue
        if len(word) > 3 and word.endswith("s") and not word.endswith("ss") and word.isascii():
            word = _SAME.get(word[:-1], word[:-1])
        found.add(word)
    return frozenset(found)


@cache
def _aliases() -> Mapping[str, str]:
    rows = registry.seeds()
    return {alias: row["key"] for row in rows for alias in [*row["aliases"], row["key"]]}


def keys_of(name: str) -> frozenset[str]:
    """The keys that one name of a data set may stand for; ``ANY`` when it says nothing."""
    if name in NAMES:
        return NAMES[name]
    if name in _aliases():
        key = _aliases()[name]
        return NAMES.get(key, frozenset({key}))
    return ANY


@dataclass(frozen=True, slots=True)
class Expected:
    """A statement that a data set expects, in our terms.

    ``subject`` is "user", "person:mira", or "" for anybody; ``scope`` None takes any;
    ``date`` is the beginning of an ISO time that ``valid_from`` must have.
    """

    subject: str
    keys: frozenset[str]
    words: frozenset[str]
    polarity: str = "affirmed"
    scope: str | None = None
    date: str = ""


def expected(item: Mapping[str, str]) -> Expected:
    """From ``{"attribute": …, "value": …}`` with any of ``scope``, ``polarity``,
    ``valid_from``. Attributes may be dotted and may start with a subject:
    ``person:Mira.home``, ``event:lease.date``, ``allergy.nuts``."""
    name, value = item["attribute"].strip(), item.get("value", "")
    polarity, date = item.get("polarity", "affirmed"), item.get("valid_from", "")
    scope = item.get("scope")
    subject, rest = "user", name
    kind, colon, tail = name.partition(":")
    if colon and kind in ("person", "pet"):
        who, _, rest = tail.partition(".")
        subject = f"{kind}:{who.casefold()}"
    elif colon and kind == "event":
        return Expected("user", NAMES["event"], frozenset(), polarity, scope, value or date)
    parts = [part for part in rest.split(".") if part]
    known = [keys_of(part) for part in parts]
    keys = frozenset().union(*(k for k in known if k != ANY)) or ANY
    told = words(value)
    if value.casefold() in _NOTHING and polarity == "negated":
        # "allergy.nuts" names an attribute first, "coffee.after_17:00" what it is about.
        keys = keys if keys == ANY else keys | NAMES["dislikes"] | {"habit", "constraint"}
        named = len(parts) > 1 and (parts[0] in NAMES or _aliases().get(parts[0]) == parts[0])
        told = frozenset().union(*(words(part) for part in (parts[1:] if named else parts[:1])))
    if scope is not None:
        scope = "" if scope == "global" else scope.casefold()
    return Expected(subject, keys, told, polarity, scope, date)


def about(fact: Seen, facts: Iterable[Seen]) -> frozenset[str]:
    """The words that belong to a fact beside its value: its key's, its subject's, and what
    else is known of the one it is about ("Pim" is a cat, "Anna" the wife)."""
    found = words(fact.attribute.replace("_", " ")) | words(fact.subject.partition(":")[2])
    value = words(fact.value)
    for other in facts:
        name = words(other.subject.partition(":")[2])
        if other.subject != "user" and (other.subject == fact.subject or (name and name <= value)):
            found |= name | words(other.subject.partition(":")[0])
            if other.attribute in ("relation", "species", "name", "pet"):
                found |= words(other.value)
        elif (
            other.subject == "user"
            and other.attribute in ("pet", "relation")
            and words(other.value) & words(fact.subject.partition(":")[2])
        ):
            found |= words(other.value)
    return found


def sign_of(fact: Seen) -> tuple[str, bool]:
    """The key's direction and whether the fact says yes: a dislike is a negated like."""
    yes = fact.polarity == "affirmed" and fact.operation == "state"
    return ("likes", not yes) if fact.attribute == "dislikes" else (fact.attribute, yes)


def _subject_fits(wanted: Expected, fact: Seen, facts: Sequence[Seen]) -> bool:
    if not wanted.subject or fact.subject == wanted.subject:
        return True
    kind, _, name = wanted.subject.partition(":")
    if kind == "user":
        return fact.subject.startswith("pet:") and "pet" in wanted.keys
    return fact.subject.startswith(f"{kind}:") and words(name) <= about(fact, facts)


def fits(wanted: Expected, fact: Seen, facts: Sequence[Seen], zone: tzinfo | None = None) -> bool:
    """Whether the fact says what is expected. ``facts`` are all there are, for what belongs
    to it; ``zone`` is where the expected date is meant."""
    if not _subject_fits(wanted, fact, facts):
        return False
    key = "likes" if fact.attribute.startswith("favourite") else fact.attribute
    if wanted.keys != ANY and not ({fact.attribute, key} & wanted.keys):
        relation = wanted.subject.startswith("person:") and fact.attribute == "relation"
        if not (relation and "name" in wanted.keys):
            return False
    if wanted.scope is not None:
        scope = words(fact.scope.replace(":", " "))
        if bool(wanted.scope) != bool(scope) or (scope and not scope & words(wanted.scope)):
            return False
    # "Dislikes chess" is what a negated "likes chess" says.
    negative = wanted.keys == NAMES["dislikes"]
    if sign_of(fact)[1] != ((wanted.polarity == "affirmed") != negative):
        return False
    if wanted.date and not _on(wanted.date, fact, zone):
        return False
    return wanted.words <= words(fact.value) | about(fact, facts)


def _on(date: str, fact: Seen, zone: tzinfo | None) -> bool:
    """Whether the fact holds from that time, or its value spells it out."""
    if date in fact.value or date.replace("T", " ") in fact.value:
        return True
    try:
        day = datetime.fromisoformat(date)
    except ValueError:
        day = None
    if day is not None and f"{day.day} {_MONTHS[day.month - 1]} {day.year}" in fact.value:
        return True
    if fact.valid_from is None:
        return False
    return fact.valid_from.astimezone(zone).isoformat().startswith(date)


def zone_of(moment: datetime) -> str:
    """A zone's name with the moment's offset: ``Etc/GMT-2`` is two hours east."""
    offset = moment.utcoffset() or timedelta()
    hours = round(offset / timedelta(hours=1))
    return f"Etc/GMT{-hours:+d}" if hours else "UTC"
