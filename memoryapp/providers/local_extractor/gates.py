"""What is refused before any rule looks at it. Precision comes from here."""

from __future__ import annotations

import re

from .clauses import Clause, Sentence

# Nothing about a person can be said without one of these, in the languages that we read.
_WORD = re.compile(r"[^\W_]+")
_OF_ONESELF = frozenset(
    [
        "i",
        "im",
        "ive",
        "my",
        "me",
        "we",
        "our",
        "us",
        "yo",
        "mi",
        "mis",
        "soy",
        "vivo",
        "trabajo",
        "tengo",
        "nunca",
        "ich",
        "mein",
        "meine",
        "mir",
        "je",
        "j",
        "mon",
        "ma",
        "mes",
    ]
)
_OF_OTHERS = frozenset(
    [
        "is",
        "s",
        "has",
        "lives",
        "works",
        "loves",
        "moved",
        "first",
        "switched",
        "back",
        "call",
        "forget",
        "answer",
        "answers",
        "reply",
        "replies",
        "response",
        "responses",
        "updates",
        "always",
        "never",
        "list",
        "seat",
        "seats",
        "now",
        "no",
        "use",
        "keep",
        "don",
    ]
)
# Of one who leaves out the "I": "been single since 2015", "off the beer".
_OPENS = re.compile(
    r"(?:^|[.!?,\n]\s*)(?:been|got|used to|starting|doing|off|gonna|born|raised|living|based|big"
    r"|huge|strictly|allergic|married|divorced|retired|hate|love|can't|cant|always|only|two|three"
    r"|four|mostly|studying|working|not|running|driving|hosting|work|never|no|trying|moving)\s"
    r"|\b(?:she|he|they|xe|ze)/(?:her|him|they|them|xem|zir)\b"
)
_OTHER_SCRIPTS = re.compile(r"[\u0900-\u097f]|我|俺|会议")
# A wish for something made up: what is said before it may be true.
_MADE_UP = re.compile(
    r"\b(?:write|draft|compose|generate|create|make|give|tell|invent)(?: me| us)?(?: up)?"
    r"(?: (?:a|an|the|some|my|\d+))?(?: \S+){0,4}? (?:story|poem|dialogue|monologue|song|lyrics"
    r"|scene|script|limerick|haiku|joke|rap|conversation)\b"
)
# Parts are played: what is said before they are dealt out may be true.
_PLAYED = re.compile(r"\b(?:pretend|act as|role-?play|roleplay|in the style of|in character)\b")
_MESSAGE = re.compile(
    r"\b(?:ignore|disregard|forget|override) (?:all|any|the|your|my|previous|prior|above|every)\b"
    r".{0,40}\b(?:instructions?|prompts?|rules?|messages?)\b"
    r"|\bsystem prompt\b|\bdeveloper mode\b|\bjailbreak\b|\bremember this rule\b"
    r"|\b(?:pretend|act as|role-?play|roleplay|imagine (?:you|i|that|a|we)"
    r"|you are (?:a|an|my|the|now|no)"
    r"|you're (?:a|an|now) |you will act|from the perspective of|in the voice of|in the style of"
    r"|in character|my (?:character|sims?|oc|npc|avatar|paladin|druid|rogue|wizard|warlock|bard|elf"
    r"|dwarf)|as a character|the narrator|protagonist|main character|persona)\b"
    r"|\bfor (?:the|my|a|our|this) (?:script|story|novel|screenplay|play|role-?play|campaign|sketch"
    r"|short story|scene|fanfic\w*|character|book i'm writing)\b"
    rf"|{_MADE_UP.pattern}"
    r"|^you are [\w' ]{2,40}, an? "
    r"|^(?:(?:song )?lyrics|(?:short )?story|poem|haiku|limerick|rap)(?:[,:]| about\b| for\b)"
    # Somebody's text, but for one's own that isn't there: "rewrite my headline".
    r"|(?<!don't )(?<!do not )\b(?:translate|proofread|paraphrase|rewrite|rephrase)\b"
    r"(?! my (?:\w+ )?(?:headline|cv|resume|bio|profile|summary|cover letter)\b(?!.*[.!?:\n]\s*\S)"
    r"| (?:the|that|your) (?:\w+ )?(?:plan|list|itinerary|recipe|schedule|menu|routine|loop|code"
    r"|function|query|class|test)\b(?![^.!?]*[:\n]))"
    r"|\bsample (?:sentence|answer)s?\b"
    # What others wrote, pasted behind the wish.
    r"|\b(?:notes|transcript|minutes|texts?|e?mails?|article|thread|chat|log)(?: \w+)? below\b"
    r"|\bturn (?:these|this|the|those) (?:\w+ )?(?:notes|texts?|lists?|points|minutes)\b"
    r"|\bexample sentences?\b"
    r"|\blet'?s (?:say|pretend|imagine|assume)\b|\bhypothetical"
    # A game, an exercise, a chat that was exported.
    r"|\bgame where (?:i|you|we)\b|\b(?:passive|active) voice\b"
    r"|\[\d{1,2}:\d\d\].{3,300}\[\d{1,2}:\d\d\]"
    r"|\b(?:interview|exam|quiz) question\b"
    # "Oh wonderful, another delayed train": what follows means its opposite too.
    r"|\b(?:oh|ah|wow|ugh|well),? (?:great|brilliant|wonderful|fantastic|joy|lovely|perfect|super"
    r"|marvellous|awesome),? (?:another|yet another|one more|more|just what)\b",
    re.DOTALL,
)
# A text that is wanted for somebody: what is said around the wish is mostly true, what the text
# shall say need not be.
_WRITES = re.compile(
    r"\b(?:write|draft|compose|generate|create|make)(?: me| us)?(?: up)? (?:a|an|the|some|my|\d+)"
    r"(?: \S+){0,4}? (?:speech|letter|e-?mail|essay|bio|profile|tweet|post|blog|statement)\b"
    r"|\bhow (?:do|would|can) (?:i|you) say\b"
)
_SENTENCE = re.compile(
    r"\b(?:if (?:i|we|only|you|my|he|she|they|it)|(?<!you can )imagine|suppose|supposing|what if"
    r"|wish(?:ed)?(?! (?:to|me|you|us|him|her|them)\b)"
    r"|as if|as though|would have|would've|would be|'d be|dream(?:t|ed|ing)?"
    r"|someday|some day|one day"
    r"|right now|for now|at the moment|for the moment|this time|just (?:this )?once|temporarily"
    r"|had (?:i|we) (?:\w+ed|been|known|gone|had|taken|done|become|chosen)"
    r"|for the time being|today only|just for today|for this (?:task|chat|one"
    r"|question|answer|session"
    r"|conversation|message)|in this (?:chat|conversation|answer|reply|message|session)"
    r"|whether|hypothetical\w*|joking|kidding|sarcas\w*|not really|just pretend"
    r"|(?<!\ba )(?<!\bthe )quote|quoting)\b"
    r"|^(?:oh|ah|wow|ugh|well),? (?:great|brilliant|wonderful|fantastic|joy|lovely"
    r"|perfect|yay|super|sure,? i (?:just )?(?:love|adore|enjoy)"
    r"|good|nice|awesome|marvellous)\b|\b(?:i |we )?just (?:love|adore) (?:it when"
    r"|when|how|\w+ing)\b"
    r"|^assum(?:e|ing)\b|\bwhat i (?:live for|needed|always wanted)\b|\byeah,? right\b"
    r"|\blucky me\b|(?:^|\s)/s\b"
    r"|\bthanks a lot\b|\bhow lovely\b|\bbecause who doesn't\b|🙄"
)
_CLAUSE = re.compile(
    r"\b(?:might|maybe|perhaps|possibly|probably|presumably|supposedly|apparently|allegedly"
    r"|not sure|unsure|thinking (?:of|about)|think|guess|suppose|hope|hoping|wonder\w*|considering"
    r"|could|should|would (?!rather|prefer|like you)|(?:i|we|he|she|they|it) may"
    r"|seems?|almost|nearly|toying|tempted"
    r"|feel like|sort of|said|says?|saying|told|tells|asks?|asked|thinks|claims?|claimed|replied"
    r"|wrote|mentions|heard|reckons|believes|insists|according to|call(?:s|ed)? me an?"
    r"|used to think|pretend\w*|today|tonight|this (?:morning|afternoon|evening|week)|a bit)\b"
)
# Words of saying and of the day that a clause may hold without harm.
_TELLING = re.compile(
    r"^as of (?:this week|today|this month),?|^(?:as|like) i (?:said|told you"
    r"|mentioned)(?: before| earlier)?,?\s*"
)
_DEPENDENT = frozenset(
    [
        "if",
        "when",
        "whenever",
        "unless",
        "until",
        "while",
        "whether",
        "which",
        "who",
        "whom",
        "whose",
        "where",
        "as-if",
        "before",
        "after",
    ]
) | {"as if", "as though"}
_INTERROGATIVE = re.compile(
    r"^(?:(?:so|and|but|ok|okay|hey|hi|hello|well|also|please),?\s+)?(?:do|does|did"
    r"|is|are|am|was|were"
    r"|can|could|should|would|will|shall|what|what's|whats|how|how's|why|where|when|who|who's|which"
    r"|whose|whom|isn't|aren't|don't (?:i|you|we)|have (?:i|you|we)|has (?:he|she|it|my))\b"
    r"(?!\s+not\s+(?:use|add|give|include))"
)
_TAG = re.compile(
    r"^(?:right|correct|no|yes|ok|okay|eh|huh|(?:do|don't|am|aren't|isn't|is|did"
    r"|didn't|have|haven't"
    r"|can|can't|was|wasn't)(?:n't)? (?:i|it|we|you|he|she|they|that))$"
)
_FOREIGN_HEDGE = re.compile(
    r"^(?:si|quizás?|tal vez|ojalá|imagina|wenn|falls|vielleicht|stell dir|angenommen|si|peut-être"
    r"|imagine|supposons|agar|अगर|यदि|शायद|如果|要是|假如|也许|可能|假设)(?=\s|\b|[\u0900-\u097f\u4e00-\u9fff])"
    r"|吗$|呢$|^(?:क्या|कौन|कब|कैसे)\s|(?:vielleicht|peut-être|quizás|tal vez"
    r"|creo que|je crois|ich glaube"
    r"|ich denke|可能|也许|शायद)"
)


def may_state(folded: str) -> bool:
    """Whether there is any word by which a message could state a fact."""
    words = frozenset(_WORD.findall(folded))
    if not words.isdisjoint(_OF_ONESELF) or _OTHER_SCRIPTS.search(folded):
        return True
    if _OPENS.search(folded):
        return True
    return not folded.rstrip().endswith("?") and not words.isdisjoint(_OF_OTHERS)


def refuses_message(folded: str) -> bool:
    """Whether nothing in the message may be believed: fiction, role play, injection,
    somebody else's text."""
    return _MESSAGE.search(folded) is not None


def invents_from(folded: str) -> int:
    """Where the wish for a poem, a part to be played or the like begins that is all that a
    message is refused for: what stands in the sentences before it may be true. 0 when there is
    another reason."""
    found = _MADE_UP.search(folded) or _PLAYED.search(folded)
    if found is None or _MESSAGE.search(folded.replace(found[0], " ", 1)) is not None:
        return 0
    return found.start()


def wants_a_text(folded: str) -> bool:
    """Whether a letter or the like is to be written: all of the message is doubted then."""
    return _WRITES.search(folded) is not None


def refuses_sentence(sentence: Sentence) -> bool:
    """Hypotheticals, wishes, irony, passing states, and questions as a whole."""
    if _SENTENCE.search(sentence.text) or _FOREIGN_HEDGE.search(sentence.text):
        return True
    return _INTERROGATIVE.match(sentence.text) is not None


def asks(clause: Clause) -> bool:
    """Whether the clause by itself is a question, wants a text or imagines something."""
    text = _words_of(clause)
    return (
        clause.lead == "?"
        or depends(clause)
        or _INTERROGATIVE.match(text) is not None
        or _WRITES.search(text) is not None
        or imagines(clause)
    )


def depends(clause: Clause) -> bool:
    """Whether the clause hangs on another by "if", "when", "who" and the like."""
    return clause.lead in _DEPENDENT


# Here the fact itself is what is asked for.
_OF_THE_FACT = re.compile(
    r"(?:so |and |wait,? )?(?:is it true|am i|are we|do (?:i|we)"
    r"(?! (?:get|need|have to|qualify|still|pay|owe|say)\b)|did i|did we|was i|were we|have i"
    r"|had i|would i|will i|does (?:my|our)|did (?:my|our)|do you (?:think|know|remember|recall)"
    r"|did you know|can you (?:guess|remember|tell)|guess|what if|does (?:this|that) mean)\b"
)


def asks_for_it(clause: Clause) -> bool:
    """Whether a question asks for the fact itself, "am I vegan?", rather than taking it for
    granted: "what can I cook, vegan as I am?"."""
    return _OF_THE_FACT.match(_words_of(clause)) is not None


_ASKED = re.compile(r"\b(?:asks?|asked|wonders?|wondered|wants? to know|wanted to know)(?: \w+)?$")


def asked_of_one(clause: Clause) -> bool:
    """Whether somebody asked it: "he asked me if I work at Shell"."""
    before = clause.sentence.text[: clause.start - clause.sentence.start].rstrip()
    return _ASKED.search(before.removesuffix(clause.lead).rstrip()) is not None


def imagines(clause: Clause) -> bool:
    """Whether the clause by itself is hypothetical, a wish, irony or of the moment."""
    text = _words_of(clause)
    return _SENTENCE.search(text) is not None or _FOREIGN_HEDGE.search(text) is not None


def _words_of(clause: Clause) -> str:
    """Its own words, without a subject that it shares."""
    return clause.text[clause.start - clause.shift :]


def questions(pieces: list[Clause]) -> int:
    """How many leading clauses of a question still state something: "I take X, does it
    clash with Y?" states the first. 0 when all of it asks."""
    for index, clause in enumerate(pieces):
        text = _words_of(clause)
        asks = clause.lead == "?" or _INTERROGATIVE.match(text) is not None
        if asks and index:
            return 0 if _TAG.match(text) else index
    return 0


def refuses_clause(clause: Clause, *, dated: bool) -> bool:
    """Dependent and hedged clauses, and what others say. With ``dated``, words for
    the day itself are let through: only rules that need a date will look."""
    if depends(clause):
        return True
    text = _TELLING.sub("", clause.text)
    for found in _CLAUSE.finditer(text):
        word = found[0]
        if dated and word in ("today", "tonight", "this morning", "this afternoon", "this evening",
                              "this week"):  # fmt: skip
            continue
        return True
    return False


_COURTESY = re.compile(
    r"(?:you(?:'re| are) (?:wondering|curious|asking|interested)"
    r"|\w+ (?:helps?|matters?|makes? (?:a|any) difference)\b|there(?:'s| is) (?:a|any) difference"
    r"|you (?:must|want to|need to) know|it comes to|possible|need be|only"
    r"|you (?:please|don't mind|need (?:it|them|that)|like$|want$|(?:ever )?write \w+ about me))\b"
)


# "I live in Bath, when should I plant?" asks; "I eat no pork when you plan" says for whom.
_NO_CONDITION = re.compile(
    r"(?:do|does|did|is|are|am|was|were|can|could|should|would|will|shall|have|has|you)\b"
)


# "Only halal, so check if these are": it asks whether.
_LOOKS = re.compile(r"\b(?:check|see|know|sure|ask|tell me|find out|wonder(?:ed|ing)?)$")


def conditional(clause: Clause, following: Clause | None) -> bool:
    """Whether the next clause of the same sentence makes this one depend on it."""
    return (
        following is not None
        and following.sentence is clause.sentence
        and _COURTESY.match(following.text) is None
        and not (following.lead == "when" and _NO_CONDITION.match(following.text))
        and not clause.text.endswith(" even")
        and not (following.lead == "if" and _LOOKS.search(clause.text))
        and following.lead in ("if", "when", "whenever", "unless", "whether", "as if", "as though")
    )


_TELLING_OTHERS = re.compile(
    r"\b(?:(?<!back )(?<!body )(?<!knees )(?<!gut )said|says|(?<!this )(?<!\ba )saying"
    r"|(?<!was )(?<!been )(?<!were )(?<!got )(?<!\byou )told|tells"
    r"|(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bto )asks?"
    r"|(?<!got )(?<!was )(?<!been )(?<!\byou )asked|thinks|claims?|claimed|replied"
    r"|wrote|heard|reckons|believes|insists|according to)\b"
)


# "I know I told you I use Windows, but …": the user's own words, taken back as often as not.
_OWN_TELLING = re.compile(
    r"\bi(?:'ve| have)?(?: already| just)? (?:said|wrote|asked|(?:told|mentioned to) you)\b"
)


_GUESSES = re.compile(
    r"\bi (?:think|guess|suppose|assume) (?:that )?(?:i|we|my|our|it|he|she|they)\b"
    r"|\b(?:maybe|perhaps|probably|might|not sure|unsure)\b"
)


def guesses(clause: Clause) -> bool:
    """Whether the user isn't sure of it."""
    return _GUESSES.search(clause.text) is not None


def tells_again(clause: Clause) -> bool:
    """Whether the clause repeats what the user has said before: nothing is read in it."""
    text = _TELLING.sub("", clause.text)
    return (
        _OWN_TELLING.search(text) is not None
        and _TELLING_OTHERS.search(_OWN_TELLING.sub("", text)) is None
    )


_CARES = re.compile(
    r"\b(?:doctor|doc|gp|therapist|psychiatrist|psychologist|specialist|cardiologist|neurologist"
    r"|dermatologist|dentist|physio|optician|nurse|midwife|allergist|hospital|clinic)s? "
    r"(?:just |now |also |finally )?(?:says|said|told|thinks|reckons)\b"
)


def own_until(clause: Clause) -> int:
    """Where what somebody else said begins in a clause that tells of it: "I can't drive at
    thirty, my instructor says" states the first. 0 when all of it is theirs."""
    found = _TELLING_OTHERS.search(clause.text)
    if found is None:
        return 0
    joints = (clause.text.rfind(joint, 0, found.start()) for joint in (",", " and ", " but "))
    return max(0, *joints)


def told_from(clause: Clause) -> int:
    """Where somebody else's words begin: "my wife says" is one's own up to the "says"."""
    found = _TELLING_OTHERS.search(clause.text)
    return found.start() if found and tells_of_another(clause) else len(clause.text)


def diagnoses(clause: Clause) -> bool:
    """Whether those who care for somebody's health tell of it."""
    return _CARES.search(clause.text) is not None


def tells_of_another(clause: Clause) -> bool:
    """Whether the clause opens what somebody else said; the rest of its sentence is theirs."""
    return _TELLING_OTHERS.search(_TELLING.sub("", clause.text)) is not None
