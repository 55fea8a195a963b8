"""What a value found by the learned heads must look like to stand under its attribute."""

from __future__ import annotations

import re

from memoryapp.subjects import USER

from . import named
from .clauses import Clause
from .lexicon import JOB_HEADS, LANGUAGES, NATIONALITIES, NOT_A_JOB
from .tools import attribute_of
from .values import Span

# About the user alone: of others it would be gossip, or is read by rules.
_USER_ONLY = frozenset(
    [
        "answer_style",
        "answer_format",
        "answer_language",
        "answer_length",
        "budget",
        "decision",
        "goal",
        "project",
        "uses",
        "prefers",
        "owns",
        "editor",
        "operating_system",
        "browser",
        "programming_language",
        "framework",
        "database",
        "phone_model",
        "computer",
        "habit",
        "household",
        "housing",
        "commute",
        "working_hours",
        "work_mode",
        "team",
        "skill",
        "religion",
        "coffee_order",
        "visited",
        "experience",
        "work_experience",
        "children",
        "sibling",
        "pet",
        "theme",
        "units",
        "currency",
        "time_zone",
        "political_view",
    ]
)
_PLACES = frozenset(["home", "origin", "birthplace"])
_TOOLS = frozenset(
    [
        "uses",
        "editor",
        "operating_system",
        "browser",
        "programming_language",
        "framework",
        "database",
    ]
)
_VAGUE = re.compile(
    r"^(?:it|my|own|my own|lot|bit|kind|sort|type|few|couple|\w+ing (?:it|this|that|them)|new"
    r"|good|great|best"
    r"|same|first|second|last|next|more|most|much|many|one|two|time|day|week|way|work|job|home"
    r"|people|person|idea|ideas|question|help|tips|advice|recommendations?|suggestions?|options?"
    r"|information|details?|list|plan|trip|project|team|friends?|family|guys?|kids?|love|life"
    r"|progress|community|faith|normal|business|antibiotics|painkillers|\w+ly|engaging|equipment"
    r"|goals|cold|flu|\w+ infection|health"
    r"|mental health"
    r"|relationships?|closet|knees?|divorce"
    r"|experience|skills?|place|places|area|\d+)$"
)
_NEW = re.compile(
    r"^(?:new|good|great|nice|other|different|various|similar|several|some|any|more|specific"
    r"|certain|following|right|better|best|perfect)\b"
)


_OTHERS = re.compile(
    r"\b(?:your?|yours|their|theirs|his|he|she|they|friends?|neighbou?rs?|clients?|customers?"
    r"|patients?|students?|guests?|once|nearly|almost)\b"
)
_ASKS = re.compile(
    r"(?:please )?(?:give|tell|show|find|send|suggest|recommend|help|teach) (?:me|us)\b"
)
_THIRD = re.compile(
    r"^(?:my|our|the) (?!.*\band i\b)[\w' -]+? (?:works|lives|plays|loves|hates|speaks|studies"
    r"|likes|drives|teaches|eats|drinks|moved)\b"
)
_UNDECIDED = re.compile(r"\b(?:debating|considering|thinking|wondering|tempted|weighing)\b")
_PASSING = re.compile(
    r"\b(?:soon|trip|visit\w*|holiday|vacation|weekend|hotel|resort|stay(?:ed|ing) at"
    r"|moving to|going to|want to|planning|want|flight|travel\w*|tour)\b"
)
_STUDIED = re.compile(
    r"\b(?:stud\w+|graduat\w+|degree|alumn\w+|enrolled|attend(?:ed|s|ing)? (?!a\b|my\b|an\b|the\b)"
    r"|uni|year|phd|master'?s|major\w*|went|dropped|bachelor'?s|doing|reading|read|undergrad"
    r"|freshman|sophomore|trained|student|term|course)\b"
)
_DWELLS = re.compile(
    r"\b(?:liv(?:e|es|ed|ing)|based|home|house|flat|apartment|cottage|bungalow|place|moved|moving"
    r"|relocated|settled|rent\w*|here|resident|out in|over in|up in|down in|up near|ended up"
    r"|wound up|roots|stay|years|city|town|village|outside|near|street|located|tucked|came"
    r"|call|new to|back in|writing from|greetings|reside[sd]?|postcode|traded)\b"
)
_PENDULUM = re.compile(r"\b(?:moved|relocated|left|writing|greetings|commute|train)\b")
_FORMER = re.compile(r"\b(?:previous|former|past|ex|old) (?:role|job|position|employer|work)\b")
_ROOTS = re.compile(
    r"\b(?:from|grew|grow|raised|born|bred|hometown|roots|hail|native|local|comes?|came|coming|fled"
    r"|emigrated|childhood|back home|people|boy|girl|kid|family)\b"
)
_TO_ANSWER = re.compile(
    r"\b(?:always|never|from now on|in general|please|pls|when(?:ever)? you|answers?|repl(?:y|ies)"
    r"|responses?|respond|respond to|explanations?|i (?:like|prefer|need|want|hate|find|learn)"
    r"|work best|so|should)\b"
)


def about_others(clause: Clause) -> bool:
    """Whether words of the clause point at somebody else, or at a time that is over."""
    return any(
        pattern.search(clause.text) is not None for pattern in (_OTHERS, _ASKS, _THIRD, _UNDECIDED)
    )


# What the value must speak of, where that is one of a few things.
_CLOSED = {
    key: re.compile(pattern)
    for key, pattern in {
        "marital_status": r"\b(?:married|divorced?|single|engaged|widow(?:ed|er)?|separated|split"
        r"|newlyweds?|broke up|fianc\w+)\b",
        "employment_status": r"retire|employ|freelanc|leave\b|student|between jobs|out of work"
        r"|pension|sabbatical|furlough|carer|stay-at-home|disability|laid off",
        "diet": r"vegan|vegetarian|veggie|\bveg\b|pescatarian|flexitarian|keto|paleo|halal|kosher"
        r"|gluten|dairy|carb|salt|sodium|macros|plant|protein|fodmap|mediterranean|sugar-free"
        r"|\bgf\b",
        "religion": r"muslim|islam|christian|catholic|protestant|jewish|jew\b|hindu|buddhis|sikh"
        r"|atheist|agnostic|mormon|orthodox|quaker|baptist|methodist|anglican|church|chapel|mosque"
        r"|synagogue|temple|\bmass\b|pray|religious|jehovah|witness|faith|gurdwara",
        "sibling": r"sister|brother|sibling|only child|youngest|oldest|eldest|middle|twin|one of"
        r"|baby of|of (?:three|four|five|six)",
        "children": r"kid|child|\bsons?\b|daughter|boys?\b|girls?\b|twin|baby|toddler|teen|newborn"
        r"|parent|\bmum\b|\bmom\b|\bdad\b|mother|father|little one|lads?\b|year-old|nippers",
        "pet": r"dog|cats?\b|pup|kitten|rabbit|bunn|hamster|parrot|budgie|fish|koi|tortoise|turtle"
        r"|snake|lizard|gecko|horse|pon(?:y|ies)|ferret|rat\b|rats\b|chickens?|hens?\b|ducks?\b"
        r"|goats?|sheep|alpaca|hedgehog|guinea|terrier|hound|retriever|labrador|collie|poodle"
        r"|beagle"
        r"|pug\b|whippet|lurcher|spaniel|bees\b|pigeons|geese|canar|cockat|stick insects|tabby"
        r"|siamese|dachshund|donkey",
        "housing": r"house|flat|apartment|studio|bungalow|cottage|cabin|farm|loft|condo|boat"
        r"|caravan"
        r"|trailer|terrace|tower|barn|room|home|walk-up|semi\b|housing",
        "accessibility": r"wheelchair|cane|stick|hearing|screen reader|deaf|blind|sighted|sight|dog"
        r"|walk|step|print|caption|subtitle|left-handed|dyslex|climb|stand|see|read|hear|crutch"
        r"|leg|quiet|contrast|red|eyes?|magnifier",
        "commute": r"bike|train|bus|car|ferry|metro|tram|foot|cycl|walk|driv|minute|hour|subway"
        r"|boat",
        "work_mode": r"home|remote|night|part|full|weekend|hybrid|days|freelance|cowork|shift"
        r"|kitchen"
        r"|bedroom|van|share|office",
        "working_hours": r"day|hour|shift|\d|morning|night|evening|nights|on,",
        "coffee_order": r"black|milk|sugar|strong|cream|decaf|white",
        "business": r"baker|shop|store|company|business|agency|studio|restaurant|caf|salon|farm"
        r"|firm|practice|truck|stall|brewery|bed and breakfast|guest ?house|consult|tutor|nursery"
        r"|stand"
        r"|school|kennel|vineyard|podcast|blog|channel|bistro|pub\b|bar\b|garage",
        "height": r"\d|foot",
        "weight": r"\d|stone|kilo|pounds",
        "budget": r"\d|grand|thousand|hundred|quid|bucks",
        "units": r"metric|imperial|celsius|fahrenheit|mile|kilo|feet|pound|\bc\b|\bf\b",
        "political_view": r"labour|democrat|republican|green|social|conservative|left|right|liberal"
        r"|tory|tories|snp|libertarian|anarch",
        "education": r"degree|master|phd|mba|bachelor|diploma|bsc|msc|law|first in|licen[cs]e"
        r"|certif"
        r"|university|college|school|a levels|apprentice|course|doctorate|undergrad",
    }.items()
}
# Words without which the clause can't say it, whatever the heads make of it.
_CUES = {
    key: re.compile(r"\b(?:" + pattern + r")")
    for key, pattern in {
        "employer": r"work|job|employ|hire|company|join|contract|pa(?:y|id)|salary|shift|start|left"
        r"|quit|role|position|hours|desk|clean|drive|teach|team|badge|intern"
        r"|resign|retired|notice|promot|signed on|back to|back at|i'm with|i'm at|clock in|as an?\b"
        r"|phones|laid off|redundant|bank\b|shelve|serve|cook|nurse",
        "dislikes": r"hate|not\b|never|no\b|\w+n't|dont|cant|drives?\b|makes? me|bore|dread|scared"
        r"|afraid|terrified|avoid|sick of|dislike|despise|loathe|detest|anxious|fear|worst|creeps"
        r"|puts? me off|gone off|rather|nervous|idea of hell|pet hate",
        "drinks": r"drink|cups?\b|morning|run on|live on|never|gave|give|quit|off\b|stop|sober|only"
        r"|start|without|no\b|not\b|\w+n't|cut|get through|person|touch|teetotal|dry|drop of"
        r"|switch|haven't|alcohol",
        "allergy": r"allerg|react|hives|swell|can't|can not|break out|throat|itch|kill|epi|pen\b"
        r"|sneeze"
        r"|hospital|a&e|rash|bite|near|closes|stay away",
        "budget": r"budget|spend|afford|limit|max|under|set aside|agreed|keep it|can pay|more than",
        "goal": r"goal|aim|ambition|hop(?:e|ing)|plan to|train|sav|determined|dream|set my"
        r"|set myself"
        r"|shooting|promise|studying|preparing|want to|trying to|by\b|this year|resolution|target",
        "project": r"work|writ|build|mak(?:e|ing)|develop|project|renovat|redo|turn|thesis|research"
        r"|doing up|putting together|side|dissertation",
        "religion": r"i'm|im\b|am\b|we're|are\b|is\b|go\b|goes|attend|pray|volunteer|raised|family"
        r"|as an?\b|fast\b",
    }.items()
}
_UNLIKELY = re.compile(r"\b(?:no idea|want|include|including|need|looking|never really|realized)\b")
_ACTIVE = re.compile(
    r"\b\w+ing\b|yoga|pottery|crochet|chess|photograph|poetry|games?\b|karaoke|improv|theatre"
    r"|theater|choir|club|class|ballet|origami|calligraph|astronom|stand-up|comedy|crossword"
    r"|parkrun"
    r"|group|team|league|garden|golf|origami|falconry|tai chi|pilates|ceramics|embroider|carpentry"
    r"|woodwork|genealog|band\b|community|council|dragons|dance|drama|ham radio|jigsaw|hike|swim"
    r"|bake"
    r"|paint|knit|sew\b|draw|write\b|brew|sing\b|make\b|grow|restore|ski\b|surf|sail|row\b|fish\b"
    r"|jam\b|cider|vegetables|tomatoes|quilt|candles|soap|models?\b|football|hockey|judo|committee"
)
_TRIED = re.compile(
    r"\b(?:tried|try|trying out|heard|looked|considering|compar\w+|used to|before|instead)\b"
)


def certain(attribute: str) -> bool:
    """Whether the value itself must prove the attribute, so that the heads may be less sure."""
    return attribute in _CLOSED or attribute in (
        "language",
        "native_language",
        "nationality",
        "age",
    )


def _is_job(clause: Clause) -> bool:
    """ "A welder in Ghent": where somebody works is where they are."""
    return any(word.strip(",.") in JOB_HEADS for word in clause.text.split())


def left(clause: Clause, span: Span) -> bool:
    """Whether the value is what somebody went over from, or the job that is gone: "from
    Excel to Numbers", "lost my job at Ford"."""
    if re.search(r"\b(?:lost my job|fired|laid off|redundant|let go)\b", clause.text):
        return True
    before = clause.text[: span[0]]
    return (
        before.endswith("from ")
        and re.search(r"\b(?:mov|switch|migrat|chang)\w+ ", before) is not None
    )


def renamed(attribute: str, value: str) -> str:
    """The attribute that the value itself tells: Vim, used, is an editor."""
    if attribute in _TOOLS or attribute in ("likes", "prefers"):
        told = attribute_of(value)
        if told and (attribute in _TOOLS or told in ("theme", "seat_preference")):
            return told
    return attribute


def fits(attribute: str, clause: Clause, span: Span, subject: str) -> bool:
    """Whether the value may stand: a home is a place, a language a language."""
    value, original = clause.text[slice(*span)], clause.original(*span)
    if subject != USER and attribute in _USER_ONLY:
        return False
    if _VAGUE.search(value) and attribute not in ("age", "work_mode", "weight"):
        return False
    if attribute == "health_condition" and re.search(r"\bkilling me\b", clause.text):
        return False
    if attribute in _CLOSED and not _CLOSED[attribute].search(value):
        return False
    if re.search(r"\bused to\b", clause.text) and attribute != "work_experience":
        return False
    if attribute in _CUES and not _CUES[attribute].search(clause.text):
        return False
    after = clause.text[span[1] :].strip()
    if attribute == "hobby" and (after.startswith("up ") or clause.text[: span[0]].endswith(" a ")):
        return bool(re.search(r"\b(?:club|group|class|team|choir|league|band|gym)$", value))
    if attribute == "habit" and re.search(r"\bin a row\b|^\w+ days?$", clause.text[span[0] :]):
        return False
    if attribute in ("likes", "hobby", "drinks", "owns") and _UNLIKELY.search(clause.text):
        return False
    if attribute == "hobby" and not _ACTIVE.search(value):
        return False
    if attribute in ("uses", "owns") and _TRIED.search(clause.text):
        return False
    before = clause.text[: span[0]]
    if attribute in _PLACES:
        if attribute == "home" and (
            _PASSING.search(clause.text)
            or (before.endswith("from ") and not _PENDULUM.search(clause.text))
            or not (_DWELLS.search(clause.text) or _is_job(clause))
        ):
            return False
        if attribute != "home" and (
            not _ROOTS.search(clause.text) or re.search(r"\badopt", clause.text)
        ):
            return False
        if attribute_of(value):
            return False  # one can live in Vim
        return named.place(clause, *span) is not None
    if attribute in ("answer_style", "answer_format", "answer_length", "answer_language"):
        return _TO_ANSWER.search(clause.text) is not None and not value[0].isdigit()
    if attribute == "school" and not _STUDIED.search(clause.text):
        return False
    if attribute in ("employer", "school"):
        return original != original.lower() or clause.turn.content.islower()
    if attribute in ("language", "native_language"):
        return value.split()[-1] in LANGUAGES
    if attribute == "nationality":
        return value in NATIONALITIES
    if attribute == "age":
        return value.isdigit() and (subject != USER or 13 < int(value) < 111)
    if attribute in ("job_title", "employer") and _FORMER.search(clause.text):
        return False
    if attribute == "job_title":
        return not any(word in NOT_A_JOB for word in value.split())
    if attribute in ("likes", "dislikes", "hobby", "owns", "uses", "goal", "project"):
        return _NEW.match(value) is None
    return True
