"""What a value that the reader marked must look like to stand under its attribute: the
few things that can be told from the words themselves."""

from __future__ import annotations

import re

from memoryapp.subjects import USER

from .clauses import Clause
from .doing import doing, is_told
from .lexicon import (
    DRINK,
    JOB_HEADS,
    LANGUAGES,
    NATIONALITIES,
    NO_PLACE,
    NOBODY,
    RELATIONS,
)
from .tools import attribute_of
from .values import Span

_TOOLS = frozenset((
    "uses", "editor", "operating_system", "browser", "programming_language", "framework",
    "database", "shell", "terminal", "package_manager",
))  # fmt: skip
USED = _TOOLS | {"owns", "computer", "phone_model"}
# Words that say nothing by themselves.
_VAGUE = re.compile(
    r"^(?:it|my|own|my own|lot|lots|bit|kind|sort|type|few|couple|new|good|great|best|same|first"
    r"|second|last|next|more|most|much|many|one|time|day|week|way|people|person|idea|question|help"
    r"|vibe|look"
    r"|that|this|them|not|no|yes|can|cannot|can't|and|or|of|in|at|with|during|having|\W+)$"
)
_ANY_TOOL = re.compile(
    r"(?:ide|editor|browser|apps?|phone|laptop|computer|tools?|software|programs?|website|terminal)$"
)
_AT_TABLE = re.compile(r"(?:\w+ )?(?:forks?|spoons?|knives|knife|chopsticks|plates?|napkins?)")
_NUMBER = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty"
    r"|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|grand|half)\b"
)
# What the value must speak of, where that is one of a few things.
_CLOSED = {
    key: re.compile(pattern)
    for key, pattern in {
        "age": _NUMBER + r"|\d0s|month|year|week|\w(?:ieth|ties)\b",
        "height": _NUMBER + r"|foot|feet",
        "weight": _NUMBER + r"|stone|kilo|pound",
        "budget": _NUMBER + r"|quid|bucks|shoestring|tight|small|modest",
        "marital_status": r"\b(?:married|divorc\w+|single|engaged|widow\w*|separated|split|newlywed"
        r"\w*|relationship|partner\w*|husband|wife|wed|bachelor\w*|dating|taken|unmarried|hitched"
        r"|together|fianc\w+|remarried|boyfriend|girlfriend)\b",
        "birthday": r"\d|january|february|march|april|may|june|july|august|september|october"
        r"|november|december|first|second|third|\w+th\b|eve|day",
        "birth_year": r"\d\d",
        "employment_status": r"retire|employed|freelanc|leave\b|student|between|out of work|pension"
        r"|sabbatical|furlough|carer|stay-at-home|disability|laid off|intern\b|apprentice|trainee"
        r"|part[- ]time|full[- ]time|signed off|contract|temp\b|homemaker|housewife|job"
        r"|career break",
        "date_format": r"\bday|\bdd|\d|\biso\b|american|european|british|\bu[sk]\b"
        r"|(?:month|year) first",
        "housing": r"hous|home|flat|apartment|condo|cottage|studio|room|bungalow|boat|caravan"
        r"|\bvan\b|farm|cabin|loft|villa|dorm|terrace|duplex|trailer|rent|mortgage"
        r"|shared?|council|bed|above|attic|basement|block|floor|barn|chalet|yurt|hostel|parents|build"
        r"|semi\b|detached|camper|mansion|tenement|maisonette|penthouse|annexe|balcony|garden",
        "blood_type": r"^(?:type )?(?:a|b|ab|o|0)\b|^rh",
        "sibling": r"brother|sister|sibling|\bsis\b|\bbro\b|twin|child|eldest|oldest|youngest"
        r"|middle|first|last|family|\d|two|three|four|five|six|seven|eight|nine|ten",
    }.items()
}


_VERSION = re.compile(r" v?\d[\d.]*$")  # "Java 17"


def renamed(attribute: str, value: str) -> str:
    """The attribute that the value itself tells: Vim, used, is an editor."""
    if attribute == "eats" and DRINK.search(value):
        return "drinks"
    if attribute in _TOOLS or attribute == "prefers":
        told = attribute_of(_VERSION.sub("", value))
        if told and (attribute in _TOOLS or told in ("theme", "seat_preference")):
            return told
    return attribute


_BRIEFLY = re.compile(
    r" (?:on|this|next|until|till|for (?:a|the|\w+))"
    r" (?:(?:mon|tues|wednes|thurs|fri|satur|sun)(?!days\b)|week"
    r"|days|nights)"
)
# A dose or a size by itself, and "I can't stand for more than ten minutes".
_MEASURE = re.compile(r"\d+(?:\.\d+)? ?(?:mg|mcg|ml|gb|tb|mb)")
_TOWARDS = re.compile(r"(?:for|to|with|at|by|from|of) ")
_DIGITS = re.compile(r"[\d.,:/-]+")
# "Stuck at 87.5": cut within its number, "1800 kcal": no weight.
_NUMBER_GOES_ON = re.compile(r"[.,/]\d| ?k?cal\b")
_WEIGHED = re.compile(r"(?:\b|\d)(?:kgs?|kilos?|kilograms?|lbs?|pounds?|stones?|st|g|grams?)\b")
_WEIGHS = re.compile(r"\bweigh\w*\b[^,;]{0,20}$")
# "Between three and four" is a time.
_CLOCK = re.compile(r"\b(?:between (?:\w+ and )?|until |till )$")
# Of these one letter is a value.
_LETTERS = frozenset(["programming_language", "blood_type", "name", "preferred_name", "size"])
_SIZED = re.compile(r"\d|\b(?:[smlx]{1,5}|small|medium|large|tall|petite|one size)\b")
# "My knees are gone at 44" is no size, "30 minutes" nothing that one goes to work by.
_OF_CLOTHES = re.compile(
    r"\b(?:sizes?|sized|shoes?|boots?|trainers|feet|foot|wear\w*|fits?|waist|chest|collar|inseam"
    r"|jeans|trousers|dress|bra|ring|gloves?|hat|helmet|uk|eu|us)\b"
)
_SO_LONG = re.compile(
    r"(?:(?:about|over|under|around|nearly|a|an|one|two|half an?|\S*\d\S*)[ -]?)+"
    r"(?:minutes?|mins?|hours?|hrs?|km|kms|kilometres?|miles?|each way)+(?: (?:walk|each way))?"
)
# "Rock climbing sounds fun", "a studio I go to", "the flat is sold", "Duolingo's telling me"
_SAID_OF_IT = re.compile(
    r" (?:sounds?|looks?|seems?)\b| (?:where )?(?:i|we) (?:go|went|train|visit)\b"
    r"| (?:is|was|has been|got) sold\b|'s (?:telling|saying|asking|reminding)\b"
)
_TASTES_OF = re.compile(r"(?:tastes?|smells?|feels?|looks?) (?:of|like) ")
# No employer and no home: "head of procurement", "my old area", "I play at the club".
_PART_OF = re.compile(
    r"\b(?:head|director|vp|president|chief) of $"
    r"|\bold (?:area|neighbou?rhood|place|town|street),? $|\bplay\w* [^.;]*\bat (?:the )?$"
)
# "I left school at fifteen": older since, unless that is of late.
_THEN = re.compile(
    r"^(?!.*\b(?:just|recently|now|finally|last (?:week|month))\b).*"
    r"\b(?:left|quit|dropped out|became|married|retired|diagnosed|finished|emigrated|died"
    r"|stopped|won)\b[^.,;!?]{0,60}\b(?<!and )(?:at|aged) (?:the age of )?$"
)
_NUMERIC = frozenset((
    "age", "birthday", "birth_year", "height", "weight", "size", "household", "children", "sibling",
    "budget", "favourite_number", "temperature", "contact", "time_zone", "date_format",
))  # fmt: skip
_EXPECTING = re.compile(
    r"\b(?:pregnan\w*|gestational|along|expecting|due|trimester|baby|birth|bump|twins|midwife)\b"
)
# "They just gave me amoxicillin"
_GIVEN = re.compile(r"\b(?:gave|given|giving|prescribed|put) (?:me|him|her|them|us)(?: on)? $")
# "It's codeine I'm allergic to, penicillin is fine"
_HARMLESS = re.compile(r"(?:'s| is| are) (?:fine|ok|okay|alright|all right|no problem)\b")
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b")
_AND_OF_WHAT = re.compile(r" (?:it|this|that|you|me|them)\b")
_COUNTED = re.compile(r",? (?:at (?:the )?last count|of (?:them|those|these)|in all|altogether)\b")
_OF_A_BABY = re.compile(r"\b(?:months?|weeks?|days?)\b")
_OF_A_BROWSER = re.compile(r"\b(?:sidebar|browser|chrome|firefox|safari|open(?:ed)?|clos\w+)\b")
# "We don't have children" says it all.
_WORDED_FREELY = frozenset(["housing", "employment_status"])
# Crohn's, Sainsbury's, a master's.
_POSSESSIVE = frozenset(["health_condition", "employer", "school", "education"])
# "Not allowed to drive", "not to have any more kids": what isn't is the value.
_OF_WHAT_ISNT = frozenset(["constraint", "decision", "fact"])
_A_DATE = re.compile(r"\d{1,2}[/.-]\d{1,2}")  # which of the two is the day?
_KIDS = re.compile(r"\b(?:kid|child|son|daughter|boy|girl|mum|mom|dad|parent|father|mother)")
VERB_HERE = re.compile(r"\b(?:i|we|he|she|they)(?: (?:also|just|mostly|mainly|usually))? $")
_ONLY_NUMBER = re.compile(rf"(?:{_NUMBER}|\d+)")
_MAKERS = frozenset(["favourite_author", "favourite_band"])  # others are made by these
_FORM = re.compile(r"(?:year|grade|class|form|ks|p) ?\d")
_CHILD = 8  # who writes for himself
_HAD_OR_NOT = frozenset(["children", "sibling", "medication"])
_ANY_DRUG = re.compile(r"(?:the |my )?(?:drugs?|pills?|tablets?|medicines?|meds|medications?|dose)")
# "Any vegetable except corn", "I refuse to give up chowder": the other way round.
_EXCEPT = re.compile(r"\b(?:except(?: for)?|besides|apart from|other than) $")
_KEEPS = re.compile(r"\b(?:refuse|not going|never|won't|can't)(?: to)? give up $")
_PASSES = re.compile(
    r"\b(?:thing|wedding|party|conference|event|meeting|gig|concert|festival|exam|marathon|match"
    r"|op|surgery|hotel|airbnb|layover|(?<!\ba )(?:nights?|days?|weeks?)|holiday|weekend"
    r"|arriv\w+) in $"
    r"|\bsame here,? $"
    r"|\b(?:visit\w*|fl(?:y|ying|ights?) to|trips? to|relocating to|moving to) $"
    r"|\b(?:visit|visiting|see|seeing) (?:my|our) \w+ in $"
)
_HOW_OFTEN = re.compile(r"(?:every|each|once|twice)(?: \w+)?")  # and nothing that is done
# Done on a day that is over, and not begun on it.
_LASTING = frozenset(["hobby", "sport", "habit"])
_ONE_DAY = re.compile(
    r"\b(?:yesterday|the other (?:day|night)"
    r"|last (?:night|weekend|mon|tues|wednes|thurs|fri|satur|sun)\w*)"
)
_SINCE = re.compile(
    r"\b(?:since|start\w*|began|join\w*|took up|taken up|sign\w* up|quit|gave up)\b"
)
_JUDGED = frozenset(["likes", "hobby", "sport", "business", "housing", "employer", "uses"])
# Cut off, or with its "not": no value.
_CUT = re.compile(r"^not\b|(?:\b(?:my|our|your|his|her|their|the|an?|some|any)|'s)$")
# Moods of a day are no traits.
_MOODS = re.compile(
    r"^feeling\b|\b(?:excited|motivated|inspired|scared|tired|exhausted|grateful|thankful"
    r"|proud|happy|sad|nervous|stressed|bored|lonely|overwhelmed|relieved|stuck|sorry|glad|worried|ready|lost"
    r"|confused|pumped|thrilled|amazed|determined|hopeful|curious|sure|busy|better|ok|okay|fine)$"
)
_NOT_CALLED = re.compile(r"(?:n't|\bnot|\bnever) (?:called |named )?$")
# "I have no allergies" names none.
_ANY_ALLERGY = re.compile(r"(?:(?:any|known|food|other) )*allerg(?:y|ies)(?: at all)?|anything")


def fits(
    attribute: str,
    clause: Clause,
    span: Span,
    subject: str,
    *,
    negated: bool = False,
    ended: bool = False,
    certain: bool = False,
    paid: bool = False,
) -> bool:
    """Whether the value may stand: an age is a number, a language a language. What the reader
    is ``certain`` of may be a child's age, or a home of unusual words; ``paid`` is a job that
    could be a hobby as well."""
    value, before = clause.text[slice(*span)], clause.text[: span[0]]
    if attribute == "pronouns":
        return "/" in value
    if attribute == "sport" and value == "track" and before.endswith("on "):
        return False
    if attribute == "health_condition" and value.endswith("'s"):
        return True
    whole = (attribute in _POSSESSIVE and value.endswith("'s")) or (
        certain and attribute in _OF_WHAT_ISNT and value.startswith("not ") and " " in value[4:]
    )
    if _CUT.search(value) and not whole:
        return False
    if value.replace(" ", "_") == attribute and not (negated and attribute in _HAD_OR_NOT):
        return False
    if attribute in ("vehicle", "owns") and clause.text.startswith("'s ", span[1]):
        return False  # "the Hilux's neighbour"
    if attribute == "habit" and _HOW_OFTEN.fullmatch(value):
        return False
    if attribute == "habit" and value in ("drink", "drinks"):
        return False  # no alcohol, which a rule reads
    if attribute == "personality" and _MOODS.search(value):
        return False
    if value[-1:].isdigit() and _NUMBER_GOES_ON.match(clause.text, span[1]):
        return False
    certain_of_it = certain and not ended  # not of "I taught Latin", which isn't bent so
    told = attribute == "job_title" and is_told(clause.text, span, certain=certain_of_it)
    if told and not doing(clause.text, span, paid=paid, certain=certain_of_it):
        return False
    around = f"{value} {clause.sentence.text}"
    if attribute == "job_title" and not told and VERB_HERE.search(before):
        return False  # "I fold paper"
    if attribute == "phone_model" and _ONLY_NUMBER.fullmatch(value):
        return False
    if attribute == "pregnancy" and not (certain or _EXPECTING.search(around)):
        return False
    if attribute == "allergy" and (
        _GIVEN.search(before) or (not negated and _HARMLESS.match(clause.text, span[1]))
    ):
        return False
    if attribute == "birthday" and _WEEKDAY.search(value):
        return False  # a birth that is told, of this week
    if attribute == "editor" and before.endswith("vs "):
        return False  # half of "VS Code"
    if attribute == "goal" and value.startswith("by "):
        return False
    if attribute == "prefers" and _AND_OF_WHAT.match(clause.text, span[1]):
        return False  # "I'd rather hear it from you"
    if attribute == "age" and _COUNTED.match(clause.text, span[1]):
        return False
    if attribute == "age" and subject == USER and _OF_A_BABY.search(value):
        return False
    if attribute == "job_title" and subject == USER and clause.text.startswith("'s ", span[1]):
        return False  # "parole officer's fine with it"
    if attribute == "indentation" and _OF_A_BROWSER.search(clause.text):
        return False
    if attribute == "size" and not (
        _SIZED.search(value) and (not value.isdigit() or _OF_CLOTHES.search(clause.sentence.text))
    ):
        return False
    if attribute == "commute" and _SO_LONG.fullmatch(value):
        return False
    if attribute in _JUDGED and _SAID_OF_IT.match(clause.text, span[1]):
        return False
    if attribute in ("home", "employer") and _PART_OF.search(before):
        return False
    unlisted = attribute in _CLOSED and not _CLOSED[attribute].search(value)
    if unlisted and not (certain and attribute in _WORDED_FREELY):
        return False
    if _VAGUE.search(value) and attribute not in ("age", "work_mode", "coffee_order"):
        return False
    if attribute == "home" and (
        _PASSES.search(before) or _BRIEFLY.match(clause.text, span[1]) or NO_PLACE.fullmatch(value)
    ):
        return False
    if attribute == "employer" and NO_PLACE.fullmatch(value) and before.endswith(("from ", " to ")):
        return False
    if attribute == "home" and before.endswith("live on ") and clause.original(*span).islower():
        return False  # "I live on sushi"
    if value == "nvm" and span[0] == 0:
        return False  # "never mind"
    if attribute == "employer" and _FORM.match(value):
        return False  # "a lesson for Year 4"
    if attribute == "uses" and (_ANY_TOOL.match(value) or _AT_TABLE.fullmatch(value)):
        return False
    if attribute == "mental_health" and value in ("mental", "mental health"):
        return False
    if attribute.startswith("favourite_") and before.endswith((" by ", '" by ')):
        return certain and attribute in _MAKERS
    if attribute in _LASTING and _ONE_DAY.search(clause.text) and not _SINCE.search(clause.text):
        return False
    if attribute == "employment_status" and value == "unemployment" and span[0] == 0:
        return False  # it has many
    if attribute == "pet" and (_NOT_CALLED.search(before) or value in NOBODY):
        return False
    if attribute == "allergy" and _ANY_ALLERGY.fullmatch(value):
        return False
    if _DIGITS.fullmatch(value) and attribute not in _NUMERIC:
        return False
    if attribute == "date_format" and (
        ("," in value and "year" not in value) or _A_DATE.fullmatch(value)
    ):
        return False
    if (
        attribute == "children"
        and _ONLY_NUMBER.fullmatch(value)
        and not _KIDS.search(clause.turn.content.lower())
    ):
        return False
    if attribute in USED and value.split()[0] in RELATIONS and not re.search(r"\d", value):
        return False
    if attribute == "likes" and (before.endswith("stand for ") or _TASTES_OF.match(value)):
        return False
    if attribute == "medication" and not negated and _ANY_DRUG.fullmatch(value):
        return False
    if _KEEPS.search(before) or (not negated and _EXCEPT.search(before)):
        return False
    if before.endswith(", not ") and not (negated or ended):
        return False
    if _MEASURE.fullmatch(value) or (attribute in ("likes", "dislikes") and _TOWARDS.match(value)):
        return False
    if len(value) == 1 and value.isalpha() and attribute not in _LETTERS:
        return False
    if attribute == "weight" and not (
        _WEIGHED.search(value)
        or _WEIGHS.search(before)
        or (certain and _WEIGHED.search(clause.sentence.text))
    ):
        return False
    if attribute == "age" and (_CLOCK.search(before) or _THEN.search(before)):
        return False
    if attribute == "age" and value.isdigit():
        counted = re.search(r"\b(?:i'm|im|i am|we're) at $", before) is not None
        return (
            int(value) < 120
            and not counted
            and (subject != USER or int(value) > (_CHILD if certain else 12))
        )
    return True


# A place is a home where somebody dwells; one works, studies and passes through others.
_DWELLS = re.compile(
    r"\b(?:liv(?:e|es|ed|ing)|based|home|house|flat|apartment|cottage|place|moved|moving|relocated"
    r"|settled|rent|here in|resident|ended up|wound up|stay(?:s|ing)?|reside[sd]?|from|in|near"
    r"|outside)\b"
)
_LEARNS = re.compile(
    r"\b(?:learn\w*|stud\w+|lessons?|course|class\w*|teach\w* myself|practi[cs]\w+|duolingo"
    r"|beginner|new to|getting into|pick\w* up|tak\w+ up|taught|exam|training|apprentic\w+"
    r"|try\w*)\b"
)
_ELSEWHERE = re.compile(r"\b(?:years? of renting|used to|trips?|holiday|residency|from \S+ to)\b")


# "Been a trucker for twenty years", "I work as a mudlogger".
_AS_A = re.compile(
    r"\b(?:(?:i'm|im|i am|been|i was) an?|work(?:s|ed|ing)?(?: \w+)? as(?: an?)?"
    r"|(?:keep|living|money|crust|bread) as an?) $"
)


_NO_TRADE = re.compile(
    r"(?:tenant|user|person|fan|owner|lover|parent|mum|mom|dad|man|woman|guy|girl|boy|member|patient)$"
)


# Words for those who do it ("fitter", "cooper", "herbalist"), but for those of no trade.
_BY_TRADE = re.compile(r"[a-z]{3,}(?:[^aeiou]er|smith|wright|keeper|maker|monger|[a-z]ist)")
_BY_NO_TRADE = RELATIONS | {
    "artist", "beginner", "believer", "carer", "center", "computer", "corner", "customer",
    "daughter", "dinner", "drinker", "eater", "father", "feminist", "finisher", "founder", "hater",
    "helper", "leader", "learner", "letter", "listener", "loser", "lover", "member", "mother",
    "never", "newcomer", "number", "optimist", "order", "over", "owner", "pensioner", "pessimist",
    "player", "poster", "printer", "reader", "runner", "sitter", "sleeper", "smoker", "starter",
    "summer", "swimmer", "teenager", "thinker", "timer", "under", "user", "walker", "water",
    "winner", "winter",
}  # fmt: skip


def listed(attribute: str, clause: Clause, span: Span) -> bool:
    """Whether the value is one of those that we know for the attribute, or the words around
    it are those of such a statement, where this can be told; True for all other attributes."""
    value = clause.text[slice(*span)]
    if attribute == "learning":
        return _LEARNS.search(clause.text) is not None
    if attribute in ("home", "country"):
        return _DWELLS.search(clause.text) is not None and not _ELSEWHERE.search(clause.text)
    if attribute in ("language", "native_language"):
        return value.split()[-1] in LANGUAGES
    if attribute == "nationality":
        return value in NATIONALITIES
    if attribute == "job_title":
        before = clause.text[: span[0]]
        if _AS_A.search(before) and not _NO_TRADE.search(value):
            return True
        if is_told(clause.text, span):
            return True
        head = value.partition(" of ")[0].split()[-1]
        return head in JOB_HEADS or (
            head not in _BY_NO_TRADE and _BY_TRADE.fullmatch(head) is not None
        )
    return True
