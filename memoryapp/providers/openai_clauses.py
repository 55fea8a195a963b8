"""What English grammar says against a quote as evidence: questions, hypotheticals, commands,
other people's traits, polarity. Rules of thumb, on the side of refusing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryapp.records import Candidate

_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟।])[\"'”’)]*\s+|(?<=[。！？।])|\n+")
_CLAUSE_END = re.compile(
    r"[,;:—–]\s*|\s-\s|\s(?:and|but|so|because|since|although|though|while|whereas|or)\s",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"\b(?:given that|because|since|now that|as|considering(?: that)?)\s*$", re.I)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: the sentences that it touches, the clause it begins in as far as
    its own end, and what comes before and after it in its sentence."""

    quote: str
    sentence: str
    lead: str
    clause: str
    after: str
    previous: str

    @classmethod
    def of(cls, text: str, start: int, end: int) -> Place:
        breaks = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
        first = max(mark for mark in breaks if mark <= start)
        last = min(mark for mark in breaks if mark >= end)
        earlier = [mark for mark in breaks if mark < first]
        lead = text[first:start]
        cuts = [found.end() for found in _CLAUSE_END.finditer(lead)]
        return cls(
            quote=text[start:end],
            sentence=text[first:last].strip(),
            lead=lead,
            clause=text[first + (cuts[-1] if cuts else 0) : end],
            after=text[end:last],
            previous=text[earlier[-1] if earlier else first : first],
        )

    @property
    def message_before(self) -> str:
        """The sentence before, and this one."""
        return f"{self.previous} {self.sentence}"


_YES = re.compile(
    r"\W*(?:yes|yeah|yep|yup|correct|right|exactly|sure|indeed|true|still|absolutely|of course"
    r"|that['’]s (?:right|correct|true)|it is|i (?:do|am|did|have|still do)|we (?:do|are)|s[ií]"
    r"|ja|jawohl|genau|stimmt|oui|exact\w*|sim|da|tak|evet|hai)\b"
    r"|\W*(?:是|对|對|嗯|没错|はい|うん|ええ|네|예|да|हाँ|हां|जी|نعم)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\W*(?:no|nope|nah|not (?:any ?more|at all|really)|never"
    r"|i (?:don['’]t|do not|didn['’]t|am not)|i['’]m not|nein|nicht mehr|non"
    r"|plus maintenant|ya no|não|niet|hayır)\b"
    r"|\W*(?:不|没有|いいえ|아니|нет|नहीं|لا)",
    re.IGNORECASE,
)


def affirms(quote: str) -> bool:
    """Whether the quote says yes to a question."""
    return _YES.match(quote) is not None


def denies(quote: str) -> bool:
    """Whether the quote says no to a question."""
    return _NO.match(quote) is not None


_ASKS = re.compile(
    r"\W*(?:(?:so|and|but|ok|okay|hey|hi|hello|well|also|please|then)\W+)*(?:do|does|did|is|are|am"
    r"|was|were|can|could|should|would|will|shall|may|might|have|has|had|what|what['’]s|how|why"
    r"|where|when|who|which|whose|isn['’]t|aren['’]t|don['’]t|didn['’]t|won['’]t|can['’]t)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"\W*(?:right|correct|no|yes|ok|okay|eh|huh|true|am i|do i|did i|don['’]t i|aren['’]t i"
    r"|isn['’]t (?:it|that|she|he)|does(?:n['’]t)? (?:it|she|he)|or (?:not|no|what|do i|am i))\W*",
    re.IGNORECASE,
)
_IF = re.compile(
    r"\b(?:if (?:i|we|my|our|only|you were)\b(?! (?:recall|remember)|['’]m (?:honest|not mistaken))"
    r"|imagine|suppose|supposing|what if|i wish|as if|as though|let['’]s (?:say|pretend|assume)"
    r"|hypothetical\w*|in theory|dream(?:t|ed|ing)? (?:of|about|that))",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\b(?:might|maybe|perhaps|possibly|could(?!n['’]t)|may(?= (?:be|have|move|go|get|try|want))"
    r"|not sure|unsure|thinking (?:of|about)|considering|would (?!rather|prefer|like)|i['’]d be"
    r"|tempted|wonder(?:ing)?)\b",
    re.IGNORECASE,
)
_FICTION = re.compile(
    r"\b(?:my (?:character|protagonist|narrator|hero(?:ine)?)|the (?:narrator|protagonist)"
    r"|role-?play\w*|pretend(?:ing)?|act(?:ing)? as|you are now|in (?:my|the|this|a) (?:story|novel"
    r"|screenplay|book|game|campaign|script|scene|film|movie|play)|for (?:the|my|a|this) (?:script"
    r"|story|novel|screenplay|play|sketch|scene|campaign)|once upon a time|fictional|fan ?fic\w*"
    r"|write (?:me )?an? [^.!?\n]{0,40}(?:story|poem|monologue|dialogue|song"
    r"|scene|letter|speech))\b",
    re.IGNORECASE,
)
_IRONY = re.compile(
    r"(?:^|\s)/s\b|🙄|\byeah,? right\b|\b(?:just )?(?:kidding|joking)\b|\blucky me\b"
    r"|^\W*(?:oh|ah|wow|well),? (?:great|brilliant|wonderful|fantastic|joy|lovely|perfect|yay)\b"
    r"|\bexactly what i (?:live for|needed|always wanted)\b|\bjust what i (?:needed|wanted)\b",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:right now|at the moment|for the moment|as we speak|for now|just (?:for )?(?:today|this"
    r" once|now)|this time|temporarily|for the time being)\b"
    r"|\bI(?:['’]m| am| feel)(?: (?:so|really|very|pretty|a bit|quite|too|just|all))*"
    r" (?:hungry|thirsty|tired|sleepy|exhausted|bored|stuck|busy|late|freezing|dizzy|annoyed|upset"
    r"|confused|in a (?:hurry|rush|meeting)|on (?:my way|the (?:bus|train|phone)|hold))\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:liv\w+|work\w*|resid\w+|study\w*|learn\w*|employ\w+|build\w*|read\w*|us(?:e|ing)|training"
    r"|sav(?:e|ing)|writ\w+|plan\w*|teach\w*|rent\w*)\b",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"\W*(?:(?:please|pls|now|then|ok|okay|hey|can you|could you|would you|will you|i (?:want|need)"
    r" you to|help me(?: to)?)\W+)*(?:write|draft|compose|translate|summari[sz]e|rewrite|rephrase"
    r"|proofread|generate|create|explain|describe|fix|debug|look up|tell|recommend|suggest|convert"
    r"|calculate|compare|analy[sz]e|ignore|disregard|brainstorm|outline|(?:book|order|send|e-?mail"
    r"|search|show|list|draw|sing|make|design|give)(?= (?:me|us|an?|the|this|for|all"
    r"|some)\b(?! (?:\w+ ){0,2}(?:answers?|repl(?:y|ies)|responses?|summar\w+)\b)))\b",
    re.IGNORECASE,
)
_PEOPLE = (
    r"mother|mum|mom|mama|father|dad|papa|parents?|sister|brother|siblings?|wife|husband|partner"
    r"|spouse|girlfriend|boyfriend|fianc[eé]e?|son|daughter|kids?|child(?:ren)?|baby|twins?|aunt"
    r"|uncle|cousin|niece|nephew|grand(?:mother|father|ma|pa|parents?|son|daughter)|gran|nan"
    r"|mother-in-law|father-in-law|friends?|flatmates?|room-?mates?|housemates?|neighbou?rs?"
    r"|colleagues?|co-?workers?|boss|manager|team-?mates?|teacher|doctor|dentist|therapist|coach"
    r"|client|customer|guest|student|dog|puppy|cat|kitten|hamster|rabbit|parrot|horse|pet"
)
_NP = (
    rf"(?:my|our|his|her|their|the|a|an|this|that)\s+(?:[\w-]+\s+){{0,2}}?(?:{_PEOPLE})"
    r"(?:['’]s\s+[\w-]+(?:\s+[\w-]+)?)?"
)
_VERB = (
    r"(?:is|are|was|were|has|have|had|does|do|did|can|can['’]t|will|would|isn['’]t|aren['’]t"
    r"|doesn['’]t|don['’]t|never|always|also|just|really|lives?|works?|loves?|likes?|hates?|eats?"
    r"|prefers?|uses?|moved|wants?|needs?|plays?|drinks?|speaks?|studies|teaches|owns?|said|says"
    r"|thinks?|got|started|quit|left|joined|enjoys?|avoids?|takes?|goes|drives?|runs?|reads?"
    r"|switched|bought|made|became|turned|wears?|plans?|suffers?)"
)
_OTHER = re.compile(
    rf"\b(?i:{_NP})(?:\s+[A-Z][\w'’-]+)?(?:(?:\s+|['’]s\s+|,\s+){_VERB}\b"
    rf"|['’]s\s+(?:an?|the|not|from|in|allergic|vegan)\b)"
    rf"|\b(?i:he|she|they)(?:\s+{_VERB}\b|['’](?:s|re|ve|d|ll)\b|\s+\w+(?:s|ed)\b)"
    rf"|(?:^|(?<=[.!?,;]\s)|(?<=\band\s)|(?<=\bthat\s)|(?<=\bbut\s))"
    rf"(?!I\b|My\b|We\b|Our\b|It\b|This\b|That\b|There\b|Here\b|What\b|The\b|Everything\b)"
    rf"[A-Z][\w'’-]+(?:\s[A-Z][\w'’-]+)?\s+{_VERB}\b",
)
_SELF = re.compile(r"\b(?:I|[Ii]['’](?:m|ve|d|ll)|[Mm]yself|[Ww]e|[Ww]e['’](?:re|ve|d|ll))\b|\bi\b")
_OF_ONESELF = re.compile(
    r"\b(?:call(?:s|ed)?|nam(?:e|ed)|gave|made|hired|promoted|told|got|bought|pays?|diagnosed"
    r"|taught|knows?) (?:me|us)\b|\b(?:is|are|was|were|['’]s|['’]re) (?:my|our|mine)\b"
    r"|\bme and\b|\band me\b",
    re.IGNORECASE,
)
# The user's own ties to others: "my sister is called Ana" states the user's sister.
_TIES = re.compile(
    r"relation|relationship|sibling|children|pet|partner|spouse|parent|relative|family|household"
    r"|friend|colleague|manager|marital_status|mentioned|anniversary|gift_idea|event|contact"
)
_REPORTED = re.compile(
    r"\b(?:said|says|saying|thinks?|claim(?:s|ed)|told|believes?|reckons?|insists?|according to"
    r"|wrote|heard|replied|asked|they say|people say)\b",
    re.IGNORECASE,
)
_I_REPORT = re.compile(r"\b(?:i|we)(?:['’]ve)? (?:just |already |also )?(?:said|told|think|believe"
                       r"|heard|wrote|asked)\b", re.IGNORECASE)  # fmt: skip
_EXPERT = re.compile(r"\b(?:doctor|dentist|gp|physician|therapist|optician)\b", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|nothing|neither|nor|without|hate|hates|dislike\w*|avoid\w*|can['’]?t"
    r"|cannot|stopped|quit|refuse\w*|loathe|despise|detest|hardly|allerg\w+|intoleran\w+|nope"
    r"|instead of|less|except|over)\b|n['’]t\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:(?:do|does|did|am|is|are|was|were|have|has|can|could|would|will)(?:n['’]t| not)"
    r"|can['’]?t|cannot|never|no longer|['’]m not|['’]re not|hate|dislike|detest|loathe)\b"
    r"(?! (?:only|just|forget|mind)\b)",
    re.IGNORECASE,
)
_DENYING_KEYS = re.compile(
    r"dislike|avoid|allerg|intoleran|constraint|hate|aversion|restrict|exclu|not_|no_|diet"
    r"|accessib|fear|habit|health|without|limit"
)
_ENDS = re.compile(
    r"\b(?:left|leav\w+|quit|no longer|any ?more|stop\w*|used to|end(?:s|ed)?|switch\w*"
    r"|mov(?:e|ed|ing)|sold|broke up|divorc\w+|separated|remove|take|took|drop\w*|delete|gave up"
    r"|giv(?:e|en|ing) up|finish\w*|cancel\w*|instead|former|ex|died|passed away|lost|gone"
    r"|retir\w+|resign\w*|fired"
    r"|laid off|from|changed?|replac\w+|over|not|never|don['’]t|isn['’]t|aren['’]t|haven['’]t|scrap"
    r"|forget|without|out of|off|until|done|expired|ditch\w*|swapp?\w*|back)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"\b(?:I|I['’]\w+|my|the|is|are|was|have|we|you|don['’]t|not|it|and|of|at|with)\b",
    re.IGNORECASE,
)


def fault(candidate: Candidate, place: Place, attribute: str) -> str:
    """The rule that the quote's own grammar breaks for this candidate; empty when none."""
    if _question(place):
        return "question"
    around = f"{place.lead}{place.quote}"
    if _IF.search(around) or _MAYBE.search(place.clause):
        return "hypothetical"
    if _FICTION.search(place.message_before):
        return "fiction"
    if _IRONY.search(place.sentence):
        return "irony"
    if _PASSING.search(place.sentence) and not _LASTING.search(place.clause):
        return "passing"
    if _COMMAND.match(place.clause):
        return "command"
    if candidate.subject == "user" and (rule := _of_another(place, attribute, candidate.value)):
        return rule
    if _ENGLISH.search(place.sentence):
        return _polarity(candidate, place, attribute)
    return ""


def _question(place: Place) -> bool:
    """Whether the quote is asked, not said: "I take X, does it clash with Y?" says the first
    part. What follows "because" is said even inside a question."""
    if not re.search(r"[?？؟]\W*\Z", place.sentence):
        return False
    if re.search(r"[?？؟]", place.quote) or _ASKS.match(place.quote):
        return True
    if _BECAUSE.search(place.lead) or re.match(
        r"\W*(?:given that|because|since|now that|as)\s+(?:i|we|my)\b", place.quote, re.IGNORECASE
    ):
        return False
    rest = _CLAUSE_END.search(place.after)
    if rest is None or _TAG.fullmatch(place.after[rest.end() :]):
        return True
    return _ASKS.match(place.clause) is not None


def _of_another(place: Place, attribute: str, value: str) -> str:
    """Whether the words that lead to the value speak of somebody else."""
    at = place.clause.lower().rfind(value.lower())
    upto = place.clause[:at] if at > 0 else place.clause
    others = list(_OTHER.finditer(place.clause))
    selves = [found.start() for found in _SELF.finditer(upto)]
    last_self = max(selves, default=-1)
    # Whose words they are: "my sister says I am shy" is hers.
    at = place.quote.lower().rfind(value.lower())
    told = place.lead + (place.quote[:at] if at > 0 else "")
    if _REPORTED.search(told) and not (_I_REPORT.search(told) or _EXPERT.search(told)):
        return "reported"
    before = [found for found in others if found.start() <= max(len(upto) - 1, 0)]
    if not before or last_self > before[-1].start():
        return ""
    if _TIES.fullmatch(attribute) or _OF_ONESELF.search(place.clause):
        return ""
    return "other_person"


def _polarity(candidate: Candidate, place: Place, attribute: str) -> str:
    said = f"{place.previous if affirms(place.quote) or denies(place.quote) else ''}{place.clause}"
    if candidate.operation == "end":
        return "" if _ENDS.search(place.sentence) or denies(place.quote) else "operation"
    if candidate.polarity == "negated":
        return "" if _NEGATION.search(place.sentence) else "polarity"
    at = said.lower().rfind(candidate.value.lower())
    before = said[:at] if at > 0 else ""
    if (
        _DENIED.search(before)
        and not _NEGATION.search(candidate.value)
        and not _DENYING_KEYS.search(attribute)
    ):
        return "polarity"
    return ""
