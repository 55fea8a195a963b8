"""An answer to the claims about the user in it. English; pure, in time proportional to the text.

Questions, advice, conditions, general knowledge and "I don't have that" claim nothing. What is
taken for granted does: "since your move to Porto", "your sister Ana".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryapp.claims.pieces import VERBS, Piece, pieces
from memoryapp.claims.records import Claim
from memoryapp.claims.words import tokens

RELATIONS = (
    "sister|brother|mother|mum|mom|father|dad|parents?|wife|husband|partner|spouse|girlfriend"
    "|boyfriend|fianc[eé]e?|son|daughter|child|children|kids?|twins?|aunt|uncle|cousin|niece|nephew"
    "|grand(?:mother|father|ma|pa|parents|son|daughter)|friend|flatmate|roommate|housemate"
    "|colleague|boss|manager|neighbou?r|teacher|coach|therapist|doctor|dentist"
    "|dog|cat|puppy|kitten|pet|rabbit|parrot|horse|hamster|tortoise"
)
_NOUNS = (
    RELATIONS + r"|allerg(?:y|ies)|intolerance|diet|job|employer|company|team|role|career|business"
    "|home|house|flat|apartment|address|city|hometown|move|commute|name|nickname|age|birthday"
    "|wedding|anniversary|trip|flight|holiday|vacation|visit|appointment|interview|exam|deadline"
    "|marathon|race|surgery|operation|diabetes|asthma|medication|condition|pronouns|nationality"
    "|religion|degree|thesis|university|school|major|hobby|hobbies|sport|instrument|car|bike"
    "|motorbike|phone|laptop|editor|ide|browser|shell|budget|goal|plan|plans|project|decision"
    "|preference|favou?rite|salary|height|weight|size|time zone|timezone|airport|airline|seat"
    "|blood type|keyboard layout|operating system|theme|novel|band|startup|shop|bakery|garden"
    "|retirement|pregnancy|baby|divorce|marriage|engagement|language|coffee|restaurant|currency"
    "|units|package manager|terminal|computer|working hours|indentation|gift idea|limit|habit"
    "|vehicle"
)
_DISCLOSES = re.compile(
    r"\bI (?:don['’]t|do not|can['’]t|cannot|couldn['’]t|didn['’]t|haven['’]t|have no|am not"
    r"|never)\b"
    r"|\bI['’]m (?:not|afraid|sorry)\b|\byou (?:haven['’]t|have not|didn['’]t|did not|never"
    r"|have never) (?:yet )?(?:told|mention|mentioned|said|say|share|shared|tell)\b"
    r"|\bnot sure\b|\bno (?:record|memory|information)\b|\bnothing (?:you|I)\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\byou(?:['’]ve| have| had)?(?: also| once| just| already| previously)? (?:told|said|mentioned"
    r"|shared|noted|wrote|confirmed|let me know|asked me to remember|explained|described)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^(?:and |but |or |so |even |only |especially |just )?(?:(?:if|unless|whether|in case|suppose"
    r"|imagine|assuming|whenever|as long as|as soon as|should you|by the time|every time"
    r"|the (?:first|next) time|let['’]s say|say)\b"
    r"|(?:when|once|until|before|after|while) (?:you|I|it|the|your|we|they|this|that|an?"
    r"|[a-z]+ing)\b)",
    re.IGNORECASE,
)
_PAST_CONDITION = re.compile(
    r"^(?:and |but |even )?(?:when|after|before|while|until|once) you (?:were|had|lived|left|told"
    r"|got|took|went|came|ran|ate|drank|spoke|bought|met|taught|\w+ed)\b",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\byou(?:['’]ll|['’]d)\b|\byou (?:can|could|should|may|might|must|will|would|shall|ought"
    r"|need to"
    r"|have to|cannot|can['’]t|won['’]t|shouldn['’]t|couldn['’]t|probably|wish"
    r"|don['’]t (?:need|have|want) to|do not (?:need|have) to)\b",
    re.IGNORECASE,
)
_CANT = re.compile(
    r"\byou (?:can['’]t|cannot) (?:eat|drink|tolerate|stand|have|drive|swim|hear|see|fly|walk"
    r"|ride)\b",
    re.IGNORECASE,
)
_YOU = re.compile(
    r"(?<!\bfor )(?<!\bto )(?<!\bwith )(?<!\bof )(?<!\bhelp )(?<!\bgive )(?<!\bget )(?<!\blet )"
    r"(?<!\btell )(?<!\bshow )(?<!\bsend )(?<!\bmake )(?<!\bthank )(?<!\babout )(?<!\bfrom )"
    r"(?<!\bwish )(?<!\bsee )(?<!\bask )(?<!\bremind )(?<!\bsuit )(?<!\bthan )(?<!\bfind )"
    r"\b[Yy]ou(?P<is>['’]re|['’]ve)?(?: and your \w+(?: [A-Z]\w+)?)? (?:(?:also|still|now"
    r"|currently|both|already|really|usually"
    r"|often|always|just|only|first|previously|recently|actually|never|no longer|originally"
    r"|once|then) )*(?P<verb>[a-z]+(?:['’]t)?)(?P<rest>[^\n]*)"
)
_PERSONAL = frozenset(
    """live lived moved work worked like liked love loved enjoy enjoyed prefer preferred hate hated
    dislike own owned drive drove speak spoke play played study studied eat ate drink drank smoke
    smoked grew come came were was married adopted bought switched quit used collect collected ride
    sing swim visited travelled traveled teach taught avoid weigh planned decided volunteer
    practise practice suffer met lost retired graduated finished joined left booked chose had
    have are aren't weren't hadn't haven't don't didn't do did stopped started got gave
    resided reside settled stayed program programmed code knit climb cycle hike
    flew went swam sang ran won celebrated hiked climbed cycled sailed trained studied graduated
    support manage lead became proposed broke divorced earned signed rent rented sold lack mind
    commute follow own owe wear carry identify celebrate worship vote voted attend attended
    """.split()  # noqa: SIM905
)
# "You take the root" is general; "since you take insulin" isn't.
_PERSONAL_WHEN_GIVEN = frozenset(["take", "use", "run", "watch", "read", "write", "keep", "need"])
_GIVEN = re.compile(
    r"(?:and |but )?(?:since|as|because|given that|now that|considering)\b", re.IGNORECASE
)
# "You like it": of what, the words don't say.
_IT = re.compile(r"\b(?:it|them|that|this|one)$", re.IGNORECASE)
_NOT_PERSONAL_ARE = re.compile(
    r"^\s*(?:absolutely |quite |totally |very |most |so |all |completely |not )?(?:right|welcome"
    r"|correct|going to|free to|able|done|set|ready|good to go|alone|the (?:user|best|one)|saying"
    r"|referring|supposed|better off|likely|bound|about to|more than|doing great|mistaken|wrong)\b",
    re.IGNORECASE,
)
# What somebody is in this very chat.
_MOOD = re.compile(
    r"^\s*(?:\w+ly |so |also |still |not )?(?:excited|interested|enjoying|happy|glad|thrilled"
    r"|curious"
    r"|considering|thinking|struggling|feeling|having|looking|in|on|at|up|off|out|likely|finding"
    r"|proud|stressed|passionate|committed|sure|unsure|aware|open|familiar|comfortable|concerned"
    r"|worried|new to|busy|tired|using|asking|the|one of)\b",
    re.IGNORECASE,
)
_DOING = re.compile(r"^\s*(?:not |currently |now |also |still )?(\w+ing)\b", re.IGNORECASE)
_PERSONAL_DOING = frozenset(
    """living working learning planning studying training reading watching taking allergic moving
    raising expecting dating flying getting writing saving caring renting building recovering
    """.split()  # noqa: SIM905
)
_GENERIC_OBJECT = re.compile(
    r"\b(?:options?|choices?|ways?|questions?|bugs?|errors?|typos?|a point|the right|files?"
    r"|variables?"
    r"|functions?|query|queries|access|permissions?|issues?|problems?|a chance|the chance|plenty"
    r"|everything|what you need|got this|this (?:in|under)|it covered|nothing to)\b",
    re.IGNORECASE,
)
_YOUR_IS = re.compile(
    rf"\byour (?:[\w’'-]+ ){{0,3}}?(?:(?P<noun>{_NOUNS})(?:['’]s(?: \w+){{1,3}})?|\w+)"
    r"(?:,? (?-i:[A-Z])[\w’'-]+,?| (?:in|for|to|at|on|with|from) [\w’' -]{1,30}?)?"
    r"(?:['’]s (?:an?|the|not|now|called|named)|,? (?:is|are|was|were|isn['’]t|aren['’]t"
    r"|wasn['’]t|has|have|had|lives?|lived|works?"
    r"|worked|starts?|started|begins?|ends?|ended|leaves?|likes?|loves?|hates?|plays?|studies"
    r"|studied|turns?|turned|moved|speaks?|takes? place|got|runs?|comes?|costs?|went|became"
    r"|took|bought|used to|no longer|\w+ed))\b",
    re.IGNORECASE,
)
_IS_YOUR = re.compile(
    r"\b(?:is|are|was|were|isn['’]t|['’]s) (?:also |still |now )?(?:(?:one|some|part) of )?"
    rf"your (?:[\w’'-]+ ){{0,2}}?(?:{_NOUNS})\b",
    re.IGNORECASE,
)
_TAKEN = re.compile(
    rf"\byour (?:(?!(?:{_NOUNS})\b)[\w’'-]+ ){{0,3}}?(?P<noun>{_NOUNS})\b(?!['’]s)"
    r"(?P<more>(?: (?:to|at|in|for|with|on|from|of|near) (?:the |a )?(?:(?-i:[A-Z])[\w’'-]*|\d+)"
    r"(?: (?:(?-i:[A-Z])[\w’'-]*|\d+))*){0,3})(?P<name>,? (?-i:[A-Z])[\w’'-]+)?",
    re.IGNORECASE,
)
_THIRD = re.compile(
    r"^(?:and |also |so )?(?:(?P<pronoun>[Ss]he|[Hh]e|[Tt]hey)"
    r"|(?P<name>[A-Z][\w’-]+))(?:, your [\w’ -]+,)?"
    r"(?:['’]s| (?:is|was|has|had|lives?|lived|works?|worked|likes?|loves?|hates?|plays?|studies"
    r"|studied|speaks?|moved|turned|turns|prefers?|teaches|runs?|got|are|were|have|used to"
    r"|no longer|\w+ed))\b"
)
_NAMED = re.compile(
    rf"\b(?:{RELATIONS})(?: is)?(?: called| named)?,? (?P<name>(?-i:[A-Z])[\w’-]+)", re.I
)
_LISTED = re.compile(
    r"(?P<one>[\w’'/+#-]+(?: [\w’'/+#-]+){0,2})(?P<more>(?:, [\w’'/+#-]+(?:"
    r" [\w’'/+#-]+){0,2})*),? and "
    r"(?P<last>[\w’'/+#-]+(?: [\w’'/+#-]+){0,2})$"
)
_ABOUT_ME = re.compile(
    r"\b(?i:do|did|am|was|were|have|had) I\b|(?:\b(?i:is|are|was|were|does|did|do|which|whose)"
    r"|['’]s)"
    r" (?:my|our|mine)\b|\babout (?:me|my)\b|\b(?:[Rr]emind me|[Tt]ell me) (?:where|who|what"
    r"|when) I\b"
    r"|\b[Mm]y(?: [\w’'-]+){1,4}\?"
)
# What asks for advice or work is no question about the user, whatever it says of them.
_WANTS = re.compile(
    r"\b(?:should|could|would|can|may) (?:I|we|you)\b|\bhow (?:do|can|to)\b|\bbest\b|\brecommend"
    r"|\bsuggest|\bhelp me\b|\b(?:write|explain|give|show|plan|draft|make|find|translate) (?:me"
    r"|a|an|my|the)\b"
    r"|\bdo I (?:need|have to|get|make|fix|do|start|choose|find|go about)\b"
    r"|\bideas?\b|\badvice\b|\btips?\b",
    re.IGNORECASE,
)
# A longer text isn't a question alone.
_LONGEST_QUESTION = 200
_YES_NO = re.compile(
    r"^(?:yes|yep|yeah|correct|no|nope)\b(?:,? (?:you|it|that)(?:['’]re| (?:do|are|have|did|were"
    r"|is)(?:n['’]t"
    r"| not)?)?)?$",
    re.IGNORECASE,
)
# "… and work at Acme" goes on from "you live in Porto".
_VERB = re.compile(rf"(?:also |now |currently )?(?:{VERBS})\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"^(?:and |but )?(?:before (?:that|then)|previously|earlier|formerly)\b", re.IGNORECASE
)
_NOUN = re.compile(rf"\b(?:{_NOUNS})\b", re.IGNORECASE)
_ORDERS = re.compile(
    r"(?:please |just |also |and |then |so )*(?:make sure|remember|check|keep|feed|give|take"
    r"|do(?:n['’]t)?"
    r"|let|ask|call|tell|try|use|bring|book|consider|add|avoid|put|set|go|see|look|note|be|ensure"
    r"|double-check|leave|pack|start|stop|buy|send|write|talk|visit|show|find|get|open|click)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:and|but|so|also|then|well|yes|no|not only|since|as|because|given that|now that|although"
    r"|though|even though|while|whereas|considering|when|after|before|until|once|that|currently|now"
    r"|today|previously|formerly|originally|apparently|earlier|these days|at the moment"
    r"|from what you"
    r"|from what I (?:know|remember|have)|I (?:also |still )?(?:recall|remember|know|see|have"
    r"|believe"
    r"|think|note|understand|noted)|it (?:looks|seems|sounds) like|according to|based on|memory)\b"
    r"|(?:in|on|at|from|as of|back in|by|during|for|until|since) [^,;]{1,60}",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(r"(?:and |but )?not\b", re.IGNORECASE)
_NO_STATEMENT = re.compile(
    r"^(?:I|I['’]\w+|you|you['’]\w+|let|here|this|that['’]s|these|those|please|try|would|could"
    r"|shall|maybe|sorry"
    r"|thanks?|sure|great|of course|note|based on|according|hope|feel free|enjoy|happy|glad"
    r"|good)\b",
    re.IGNORECASE,
)


def find(answer: str, *, question: str = "") -> list[Claim]:
    """The claims in the order of the answer; an empty list when it says nothing of the user.
    ``question`` is what the user had asked: a bare "Porto." answers it."""
    about_me = len(question) <= _LONGEST_QUESTION and _ABOUT_ME.search(question)
    asked = question if about_me and not _WANTS.search(question) else ""
    found: list[Claim] = []
    about, before, sentence = "", "", -1
    for piece in pieces(answer):
        if sentence == piece.sentence and piece.joined and _VERB.match(piece.text):
            made = [_claim(piece, sure=found[-1].sure, about=found[-1].about)]
        else:
            made = [
                claim
                for claim in _claims(piece, asked, about, before)
                if tokens(claim.text) or _YES_NO.match(claim.text)
            ]
        found += made
        if named := _NAMED.search(piece.text):
            about = named["name"]
        elif (third := _THIRD.match(piece.text)) and third["name"]:
            about = third["name"]
        if any(claim.text == piece.text for claim in made) and not made[0].past:
            before = piece.text
        whole = bool(made) and made[-1].end == piece.end and made[-1].start == piece.start
        sentence = piece.sentence if whole else -1
    return found


def _claims(piece: Piece, asked: str, about: str, before: str) -> Iterator[Claim]:
    text = piece.text
    if _DISCLOSES.search(text):
        return
    if asked and _YES_NO.match(text):
        yield _claim(piece, context=asked)
        return
    told = _TELLS.search(text)
    opens = _GIVEN.match(text)
    if piece.question and not told and not opens:
        yield from _taken_for_granted(piece)
        return
    if _CONDITION.match(text) and not _PAST_CONDITION.match(text) and not _BEFORE.match(text):
        yield from _taken_for_granted(piece)
        return
    if _BEFORE.match(text) and before and not re.search(r"\byou \w", text):
        yield _claim(piece, context=before, past=True)
        return
    if _NOT_BUT.match(text) and before and not piece.opens:
        yield _claim(piece, context=before)
        return
    sure = _says_of_user(text, told is not None)
    if sure is not None:
        if _IT.search(text) or (_GIVEN.match(text) and len(tokens(text)) < 2):
            sure = False
        past = _BEFORE.match(text) is not None
        yield _claim(piece, sure=sure, about=about if _pronoun(text) else "", past=past)
        return
    if _MODAL.search(text) and re.search(r"\byou\b", text, re.IGNORECASE):
        yield from _taken_for_granted(piece)
        return
    if third := _THIRD.match(text):
        yield _claim(piece, sure=False, about=about if third["pronoun"] else "")
        return
    if asked and (fragment := _fragment(piece, asked)) is not None:
        yield fragment
        return
    yield from _taken_for_granted(piece)


def _says_of_user(text: str, told: bool) -> bool | None:
    """Whether the clause speaks of the user for sure, perhaps, or (None) not at all."""
    if told:
        return True
    found = _YOUR_IS.search(text)
    if found and not _MODAL.search(text) and not _ORDERS.match(text):
        return _NOUN.search(found[0]) is not None and _leads(text[: found.start()])
    if _IS_YOUR.search(text):
        return True
    if _CANT.search(text):
        return True
    if (you := _YOU.search(text)) is None or _MODAL.search(text):
        return None
    if not _leads(text[: you.start()]):
        return False
    verb, rest = you["verb"].replace("’", "'"), you["rest"]
    if you["is"] and "re" in you["is"]:
        verb, rest = "are", f" {you['verb']}{rest}"
    elif you["is"]:
        return verb in _PERSONAL or verb in ("lived", "been", "settled", "never", "taken")
    if verb in ("are", "were", "aren't"):
        if _NOT_PERSONAL_ARE.match(rest):
            return None
        if _MOOD.match(rest):
            return False
        doing = _DOING.match(rest)
        return doing is None or doing[1].lower() in _PERSONAL_DOING
    if verb in ("have", "had", "haven't", "do", "don't", "did", "didn't", "got"):
        if re.match(r"\s*(?:to|not to)\b", rest):
            return None
        return not _GENERIC_OBJECT.search(rest)
    return verb in _PERSONAL or (verb in _PERSONAL_WHEN_GIVEN and _GIVEN.match(text) is not None)


def _leads(head: str) -> bool:
    """Whether the words before "you" only lead up to it: "since", "I remember that", "in
    2024". After others ("great to hear that") the clause is about something else."""
    while head := head.lstrip(" ,:"):
        lead = _LEAD.match(head)
        if lead is None:
            return False
        head = head[lead.end() :]
    return True


def _fragment(piece: Piece, asked: str) -> Claim | None:
    """A bare statement that answers a question about the user."""
    text = piece.text
    content = tokens(text)
    if not content or _NO_STATEMENT.match(text) or text.endswith(":"):
        return None
    if not piece.item and piece.sentence > 1:
        return None
    short = len(text.split()) <= 6 and not re.search(r"\b(?:is|are|can|means)\b", text)
    return _claim(piece, context=asked, sure=short and (piece.sentence == 0 or piece.item))


def _taken_for_granted(piece: Piece) -> Iterator[Claim]:
    """ "For your sister Ana", "since your move to Porto": stated in passing."""
    for found in _TAKEN.finditer(piece.text):
        text = found[0]
        content = tokens(text)
        named = found["name"] is not None or bool(found["more"])
        if found["name"] is not None and not re.fullmatch(RELATIONS, found["noun"], re.IGNORECASE):
            text = text[: len(text) - len(found["name"])]
            named = bool(found["more"])
        if not content:
            continue
        start = piece.start + found.start()
        yield Claim(
            start,
            start + len(text),
            text,
            sure=named
            or (len(content) > 1 and found["noun"].lower().startswith(("allerg", "diet"))),
        )


def _pronoun(text: str) -> bool:
    return re.search(r"\b(?:she|he|her|his|him|they|their)\b", text, re.IGNORECASE) is not None


def _claim(
    piece: Piece, *, context: str = "", past: bool = False, sure: bool = True, about: str = ""
) -> Claim:
    return Claim(
        piece.start, piece.end, piece.text, context, past, sure, about, tuple(_items(piece))
    )


def _items(piece: Piece) -> Iterator[tuple[int, int]]:
    """The places of "A", "B" and "C" in "you speak A, B and C"; none without such a list."""
    found = _LISTED.search(piece.text)
    if found is None:
        return
    # The first runs back to the clause's beginning, so that it has the verb.
    yield piece.start, piece.start + found.end("one")
    for more in re.finditer(r"[^,]+", found["more"]):
        if more[0].strip():
            begin = found.start("more") + more.start() + len(more[0]) - len(more[0].lstrip())
            yield piece.start + begin, piece.start + found.start("more") + more.end()
    yield piece.start + found.start("last"), piece.end
