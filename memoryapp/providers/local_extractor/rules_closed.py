"""Slots that take one of a few things: told by the thing itself, wherever it stands in a
clause about oneself. For clauses in which the rules that read the grammar found nothing."""

from __future__ import annotations

import re

from memoryapp.records import Candidate

from .clauses import Clause
from .context import Context
from .learned_checks import about_others
from .lexicon import CONDITIONS, DIETS, MEDICATIONS, alternatives
from .predicate import Predicate
from .tools import attribute_of

_OWN = re.compile(r"\b(?:i|i'm|im|i've|ive|me|my|we|we're|we've|us|our)\b")
_STARTS = re.compile(r"(?:been|off|no|strictly|always|only|not|raised|born|gone|went|turned)\b")
_DENIED = re.compile(
    r"\b(?:no|not|never|\w+n't|dont|cant|without|stopped|quit|left|used to|last)\b"
)
_ASKED = re.compile(
    r"\b(?:recipes?|article|essay|paper|book|story|research|learn about|question|about|example"
    r"|tried|try|trying|want|need|looking|help|between|versus|vs|compare|for (?:him|her|them)"
    r"|error|bug|issue|problem|fails?|crash\w*|script|function|file|query|test|tests|task)\b"
)
_USED = re.compile(
    r"\b(?:use|using|type|typing|work in|work with|write|writing|run|running|live in|reach for|shop"
    r"|everything|every time|all my|go with|daily|swear by|stick with|stick to|build|based on"
    r"|person|user|fan|prefer|always|indent\w*|browse|code|coding|ships?|settled|moved)\b"
)
_TOOLS = frozenset(
    [
        "editor",
        "operating_system",
        "browser",
        "shell",
        "terminal",
        "keyboard_layout",
        "database",
        "framework",
        "programming_language",
        "theme",
        "indentation",
        "package_manager",
    ]
)
_ORDINARY = frozenset(
    [
        "go",
        "swift",
        "rider",
        "atom",
        "nano",
        "fish",
        "edge",
        "opera",
        "brave",
        "safari",
        "warp",
        "kitty",
        "cursor",
        "eclipse",
        "helix",
        "rust",
        "react",
        "spring",
        "rails",
        "phoenix",
        "dart",
        "julia",
        "perl",
        "ruby",
        "scala",
        "vue",
        "arch",
        "bash",
        "poetry",
        "yarn",
        "conda",
    ]
)
_WORDS = re.compile(r"[\w+#.]+(?:[ -][\w+#.]+)?")
_DIET = re.compile(
    r"\b(?P<v>"
    + alternatives(frozenset(diet for diet in DIETS if not diet.startswith("a ")))
    + r"|veggie)(?=$|,| (?:since|for|so|but|and|household|family|diet|here|now|btw|by|person|eater"
    r"|apart|except|only|because|as|at)\b)"
)
_OF_FOOD = re.compile(r"\b(?:it|it's|this|that|they|they're|which)\b")
_SIMPLE = tuple(
    (key, re.compile(pattern))
    for key, pattern in (
        ("time_zone", r"\b(?P<v>(?:utc|gmt) ?[+-] ?\d{1,2}(?::\d\d)?)(?=$|[ ,])"),
        (
            "units",
            r"\b(?:use|give me|think in|work in|prefer|in|want) (?P<v>metric|imperial|celsius"
            r"|fahrenheit)\b",
        ),
        ("date_format", r"\b(?P<v>(?:12|24)[- ]hour (?:time|clock|format))\b"),
        (
            "height",
            r"\b(?P<v>\d\.\d\d ?m?|\d{3} ?cm|\d'\d{1,2}\"?|\d (?:ft|foot)(?: \d{1,2})?) tall\b",
        ),
        (
            "weight",
            r"\bweigh(?:ing)? (?:about |around |in at )?(?P<v>\d{2,3}(?:\.\d)? ?(?:kg|kilos?"
            r"|pounds|lbs|stone)\b)",
        ),
        (
            "children",
            r"\b(?:have|got|with|raising|of|dad to|mum to|mom to|my|our) (?P<v>(?:two|three|four"
            r"|five|six|\d) (?:(?:little|small|young|teenage|grown-up|grown) )?(?:kids|children"
            r"|sons|daughters|boys|girls|toddlers|teenagers))\b",
        ),
        (
            "children",
            r"\b(?:have|got|with|raising) (?P<v>(?:two|three|four|five|six|\d) grand(?:children"
            r"|kids|sons|daughters))\b",
        ),
        (
            "marital_status",
            r"^(?:been |i've been |i am |i'm |im )?(?P<v>widowed|divorced|single|married"
            r"|separated)(?= since\b| for \w+ (?:years|months)\b| \w+ years\b)",
        ),
        (
            "employment_status",
            r"\b(?:i'm|im|i am|we're|being|now) (?:\w+ )?(?P<v>retired|unemployed|self-employed"
            r"|on (?:sabbatical|maternity leave|paternity leave|parental leave|sick leave))\b",
        ),
        (
            "employment_status",
            r"^(?P<v>on (?:sabbatical|(?:maternity|paternity|parental|sick) leave))\b",
        ),
        ("age", r"\bat (?P<v>[1-9]\d),? i\b"),
        (
            "birth_year",
            r"\b(?:i was|i'm|im) born (?:\w+ ){0,3}in (?P<v>(?:19|20)\d\d)(?=$|,)",
        ),
        ("union_membership", r"\bi(?:'m| am) in (?:the|a) (?P<v>(?:\w+ )?union)\b"),
    )
)


def closed(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """A diet, a condition, a tool, a count of children … of the user."""
    text = clause.text
    if said is not None and not said.about_user:
        return []
    own = _OWN.search(text) is not None
    if not (own or _STARTS.match(text)) or about_others(clause) or clause.sentence.question:
        return []
    for key, pattern in _SIMPLE:
        found = pattern.search(text)
        if found and not _DENIED.search(text, 0, found.start()):
            return context.fact(clause, key, found.span("v"), confidence=0.8)
    if _ASKED.search(text):
        return []
    out: list[Candidate] = []
    found = _DIET.search(text)
    if found and not _DENIED.search(text) and not _OF_FOOD.search(text, 0, found.start()):
        out += context.fact(clause, "diet", found.span("v"), confidence=0.75)
    for key, pattern in (("health_condition", CONDITIONS), ("medication", MEDICATIONS)):
        found = re.compile(r"(?<!for )(?<!about )\b" + pattern.pattern + r"\b(?! attack)").search(
            text
        )
        if found and not _DENIED.search(text) and re.search(r"\b(?:i|i'm|im|i've|my)\b", text):
            out += context.fact(clause, key, found.span(), confidence=0.75)
    return out or _tools(clause, context)


def _tools(clause: Clause, context: Context) -> list[Candidate]:
    text = clause.text
    if _DENIED.search(text) or not _USED.search(text):
        return []
    for found in _WORDS.finditer(text):
        for span in (found.span(), *_single(found)):
            value = text[slice(*span)]
            key = attribute_of(value)
            named = clause.original(*span)[:1].isupper() and span[0] > 0
            if key in _TOOLS and (value not in _ORDINARY or named):
                return context.fact(clause, key, span, confidence=0.75)
    return []


def _single(found: re.Match[str]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for word in re.finditer(r"[\w+#.]+", found[0]):
        spans.append((found.start() + word.start(), found.start() + word.end()))
    return spans
