"""Whether a value that the reader marked is said of the user at all, rather than of the world, of
somebody else or to somebody."""

from __future__ import annotations

import re

from .clauses import Clause
from .learned_checks import USED
from .lexicon import NATIONALITIES, RELATION, THEIR
from .values import Span

_HAD = USED | {"vehicle", "pet", "home"}
_OWN = re.compile(
    r"\b(?:i|i'm|im|i've|ive|i'd|i'll|me|my|mine|myself|we|we're|we've|our|ours|us)\b"
)
# "Running can boost your mood", "life's hard": said of the world, though nobody says "I".
_GENERAL = re.compile(r"\b(?:can|could|will|is|are|was|were|you|your|has|have|had)\b|'s\b|'re\b")
_CALLED = re.compile(
    r"\b(?:call|called|names?|named|name's|i'm|im|i am|known as|goe?s? by|this is"
    r"|address|nick(?:name)?|surname|about me|this side|handle|sign(?:ed)?|hi|hello|hey|yo|from)\b"
)
_MISCALLED = re.compile(
    r"\b(?:(?:you|they|people|she|he|everyone)(?:'d|'ll)? (?:always )?(?:keeps?|kept)|stop|stopped"
    r"|quit|wrongly|not) (?:\w+ )?(?:call\w*|nam\w+) me $"
)
_VOCATIVE = re.compile(r"\b(?:you|thanks|too|that|it|this|yeah|same here|right),? $")
# Right before a trait: "I'm a bit of an introvert", not "it keeps me", "feeling".
_SELF = re.compile(
    r"\b(?:i'm|im|i am|i've always been|as an?|me an?|me|myself)"
    r"(?: (?!feeling|using|stay|keep)\S+){0,6} $"
)
# "Not a morning person", as a message of its own.
_BY_ITSELF = re.compile(r"(?:(?:not|never|always|definitely|very|such|quite|totally) )*(?:an? )?")
_PAST = re.compile(r"\b(?:was|were)\b")
# "Good phone for a kid? Mine is ten": the kid is. "Mine has a cracked back": the phone.
_OF_MINE = re.compile(r"(?:and |but |well,? )?(?:mine|ours)(?:'s| is| are| has| just)\b")
# "And now I've heartburn": it will pass.
_JUST_NOW = re.compile(r"now (?:i've|ive|i have)\b")
_TO_ANSWER = re.compile(
    r"\b(?:answers?|repl(?:y|ies)|respon\w+|expla\w+|write|tell|give|show|speak|talk|say|use|keep"
    r"|always|never|please|pls|no|don't|skip|want|like|prefer|hate|you|your|max|at most|or less"
    r"|tops|put|be|walk me|maximum|minimum|spare me|stop|for me|in general"
    r"|i (?:learn|process|read))\b"
)


_ONE_TASK = re.compile(r"(?:please )?don't forget to\b")
_DECIDES = re.compile(
    r"\b(?:decid\w+|decision|chose|chosen|choose|settled|going with|went with|opted|picked"
    r"|made up|resol\w+|agreed|from now on|we'll|i'll|gonna|going to)\b"
)
_HOUSED = re.compile(
    r"\b(?:liv\w+|stay\w*|household|home|house|flat|family of|of us|together|shar\w+|roof"
    r"|mov\w+ in|alone|by myself|adults?|empty nest\w*)\b"
)
# "My supervisor uses Stata", "down from a pack a day"
_USES = re.compile(rf"\b(?:my|our) (?:\w+ )?(?:{RELATION}) (?:uses|has|owns|prefers|runs) $")
_FROM = re.compile(r"\b(?:down|up) from (?:an? )?$")
_EARNS = re.compile(
    r"\b(?:salary|wages?|earn(?:s|ed|ing)?|income|paid|pays"
    r"|(?<!can )(?<!could )(?<!to )(?<!i'll )(?<!we'll )pay)\b"
)
# "Volunteering is a great way to meet people": said of the world.
_ALL_THE_SAME = re.compile(r"\w+ing (?:is|are|can)\b")
# "Dont have whatsapp": nobody commands that. "You asked what laptop: …"
_TOLD = re.compile(
    r"(?:don't|dont|do not|haven't|havent) (?:have|own|got)\b"
    r"|(?:since |as )?you(?:'re| are)? ask(?:ed|ing)?\b"
)
# "It's a Dell Vostro": what was asked about is one's own.
_IT_IS = re.compile(r"(?:it's|its|it is) an? $")
_APPLIES = re.compile(r"\b(?:interview\w*|appl(?:y|ied|ying)|application)\b[^;]*$")
# "I'd have to do the access course first": nobody does it.
_WOULD = re.compile(r"\b(?:i'd|we'd|i would|we would) (?:have|need) to\b[^.;]*$")
# "Could a tool like X be any use?"
_SUCH_AS = re.compile(r"(?<!\bi )(?<!\bwe )(?<!really )\b(?:like|such as) $")
_WEIGHS_UP = re.compile(r"(?:could|should|would)\b")
# "Every script assumes bash"
_EXPECTS = re.compile(r"\b(?:assumes?|requires?|expects?|supports?) (?:\w+ )?$")
# "The route I wrote in Flask works": one piece of work.
_A_PIECE = re.compile(
    r"\b(?:route|page|function|script|test|bug|feature|module|component|endpoint|query|class) "
    r"(?:that )?(?:i|we) \w+ (?:in|with) $"
)
_ANOTHERS = re.compile(
    rf" (?:is|are|was|were|belongs? to) (?:actually )?my (?:\w+ )?(?:{RELATION})(?:'s)?\b"
)
# "A card of her three pills": hers, where nobody says "I".
_THEIRS = re.compile(r"\b(?:her|his|their)\b")
_THANKS = re.compile(r"\b(?:thanks?|thank you|thx|cheers|grateful)(?: \w+){0,2} for\b[^.;!?]*$")
# "I'm deaf" gives no name.
_NOT_A_NAME = NATIONALITIES | frozenset((
    "deaf", "blind", "autistic", "gay", "lesbian", "trans", "queer", "bi", "disabled", "pregnant",
    "vegan", "vegetarian", "muslim", "jewish", "catholic", "hindu", "buddhist", "sikh",
))  # fmt: skip
# A compliment: "I love all the yellow leaves", "I love that theme".
_COMPLIMENT = re.compile(
    r"\b(?:love|like|adore|enjoy)d? (?:that|this|those|these|your|all the) (?:\S+ ){0,3}$"
)
# "She sounds like a handful, your Matilda", but "which of your answers", wished for.
_YOURS = re.compile(r"\byour (?:\w+ )?(?:\w+ as an? )?$")
# "Moving away with her two girls"
_HERS = re.compile(rf"(?<!named )(?<!called ){THEIR}$")
_OF_HERS = re.compile(r"(?:'s| is| was) (?:her|his|their) (?!name\b)")  # "Rex is her dog"
_EX = re.compile(r"\bex[ -]")
# "My friend came out to me as …"
_CAME_OUT = re.compile(r"\bc[ao]m(?:e|ing) out to (?:me|us)\b")
# "You have me down as allergic to shellfish": it's about to be corrected.
_WRITTEN_DOWN = re.compile(
    r"\byou(?:'ve|ve| have| had)? (?:put |got |have )?me down as\b[^.;]*$"
    r"|\byou (?:wrote|said|noted|typed)\b[^,;.]*$"
)
_EXPLAIN = re.compile(
    r"(?:(?:please|pls|can you|could you) )?(?:explain|describe|define|compare) $"
)
# "Me as a paramedic and him as a prison officer"
_AS_OTHERS = re.compile(r"\b(?:him|her|them|he|she|they) as an? $")
_IN = re.compile(r"\b(?:i'm|im|i am|we're|work(?:s|ing)?) in (?:the )?$")
_UNPAID = re.compile(r"\bvolunt\w+")
_ONCE = re.compile(r"\b(?:as an? (?:kid|child|teen\w*|boy|girl|student)|when i was|growing up)\b")
# How one wants to be answered: "tables please, when there is much" wishes, and supposes nothing.
WISHED = frozenset((
    "answer_language", "answer_length", "answer_format", "answer_style", "answer_tone", "emoji",
    "units", "date_format", "preferred_name", "pronouns",
))  # fmt: skip
# What is wished for this once.
_FOR_NOW = re.compile(
    r"\b(?:for now|for (?:the|a) (?:moment|time being)|this time|just (?:this )?once|for today"
    r"|(?:for|in|with) this (?:one|chat|task|answer|reply|text|message|question|conversation))\b"
)
# "A letter to HR … keep it short"
_OF_A_TEXT = re.compile(r"\b(?:keep|make) (?:it|this|that) $")
EACH_TIME = re.compile(
    r"\b(?:always|every|each|from now|in general|by default|whenever|generally|answers?)\b"
)
_FOR_GOOD = frozenset(["preferred_name", "pronouns"])
_TASK = re.compile(
    r"(?:compare|list|explain|give|write|turn|summari[sz]e|convert|describe|show|draft|find|make)\b"
)


# "Could it be sleep apnoea?", "what would an 18 year old use?"
_COULD_BE = re.compile(
    r"\b(?:could|can|might|may) (?:it|this|that|he|she|i) (?:be|have) (?:an? )?$"
)
_ANYBODY = re.compile(
    r"(?<!i'm )(?<!im )(?<!am )(?<!as )(?<!me )(?<!being )(?<!myself )(?<!i was )\ban? $"
)


def own(attribute: str, clause: Clause, span: Span, *, certain: bool = False) -> bool:
    """Whether the words speak of the user at all, rather than of the world or to somebody. Where
    the reader is ``certain``, the sentence need not say "I": "Is 58 too late to learn it?"."""
    before = clause.text[: span[0]]
    if attribute == "age" and (before.endswith("my ") or "technically" in clause.text):
        return False  # "like I'm my 81-year-old neighbour", born on a 29 February
    if attribute == "home" and before.endswith("here in "):
        return True  # "it's half past four here in Perth"
    if _COULD_BE.search(before) or (attribute == "age" and _ANYBODY.search(before)):
        return False
    if _WRITTEN_DOWN.search(before) or _EXPLAIN.fullmatch(before) or _AS_OTHERS.search(before):
        return False
    if attribute not in WISHED and _YOURS.search(before):
        return False
    if attribute in _HAD | {"children"} and _HERS.search(before):
        return False
    if attribute in ("name", "preferred_name"):
        if _MISCALLED.search(before) or _VOCATIVE.search(before):
            return False
        if clause.text[slice(*span)] in _NOT_A_NAME:
            return False
        return certain or _CALLED.search(clause.sentence.text) is not None
    if attribute == "personality":
        return _SELF.search(before) is not None or (
            certain and _BY_ITSELF.fullmatch(before) is not None
        )
    if attribute in ("age", "goal") and _PAST.search(_piece(clause, span)):
        return False
    if attribute == "budget" and _EARNS.search(clause.sentence.text):
        return False
    if attribute in ("budget", "pronouns"):
        return True
    if attribute == "contact" and not _OWN.search(clause.text):
        return False
    if attribute in ("sexuality", "gender_identity") and _CAME_OUT.search(before):
        return False
    if attribute in ("age", "health_condition") and _OF_MINE.match(clause.text):
        return False
    if attribute == "health_condition" and _JUST_NOW.match(clause.text):
        return False
    if attribute == "decision" and not certain and not _DECIDES.search(clause.sentence.text):
        return False
    if attribute == "team" and not (certain or "team" in clause.text or _IN.search(before)):
        return False
    if attribute == "household" and (
        not (certain or _HOUSED.search(clause.text))
        or before.endswith(("ex ", "ex-"))
        or _EX.search(clause.text[slice(*span)])
    ):
        return False
    if attribute in USED and (
        _SUCH_AS.search(before)
        or _WEIGHS_UP.match(clause.text)
        or _USES.search(before)
        or _EXPECTS.search(before)
        or _A_PIECE.search(before)
    ):
        return False
    if attribute in _HAD and _ANOTHERS.match(clause.text, span[1]):
        return False
    if attribute == "pet" and _OF_HERS.match(clause.text, span[1]):
        return False
    theirs = _THEIRS.search(clause.sentence.text) and not (certain and attribute == "pet")
    if theirs and not _OWN.search(clause.sentence.text):
        return False  # but "Bibi is her name"
    if _WOULD.search(before) or (attribute == "likes" and _COMPLIMENT.search(before)):
        return False
    if attribute in ("habit", "weight") and _FROM.search(before):
        return False
    if attribute == "employer" and _UNPAID.search(clause.text):
        return False
    if attribute in ("employer", "school", "education") and _APPLIES.search(before):
        return False
    if attribute in ("reading", "watching") and _ONCE.search(clause.text):
        return False
    if attribute in WISHED:
        if attribute not in _FOR_GOOD and _FOR_NOW.search(clause.sentence.text):
            return False
        if _OF_A_TEXT.search(before) and not EACH_TIME.search(clause.sentence.text):
            return False
        if _ONE_TASK.match(clause.text) or _THANKS.search(before):
            return False
        wished = certain or _TO_ANSWER.search(clause.sentence.text) is not None
        return wished or not attribute.startswith("answer_")
    if _TASK.match(clause.sentence.text) and not _OWN.search(clause.sentence.text):
        return False
    if _ALL_THE_SAME.match(clause.text) and not _OWN.search(clause.sentence.text):
        return False
    # "TikTok can help you reach them": used by anybody.
    told = attribute not in USED or _IT_IS.fullmatch(before) or _TOLD.match(clause.text)
    if (certain and told) or _OWN.search(clause.sentence.text):
        return True
    beside = _piece(clause, span).replace(clause.text[slice(*span)], "", 1)  # "Jehovah's Witness"
    return not _GENERAL.search(beside)


def _piece(clause: Clause, span: Span) -> str:
    """What stands between the commas around the value."""
    start = clause.text.rfind(",", 0, span[0]) + 1
    end = clause.text.find(",", span[1])
    return clause.text[start:] if end < 0 else clause.text[start:end]
