"""Plain statements in Spanish, German, French, Hindi and Chinese: name, home, work,
likes, dislikes, diet, allergy. One clause, one pattern, one fact."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryapp.records import Candidate, Polarity
from memoryapp.subjects import subject

from .clauses import Clause
from .context import Context
from .dates import Validity, find_chinese, validity
from .predicate import Predicate
from .values import items, trim


@dataclass(frozen=True, slots=True)
class Form:
    attribute: str
    pattern: re.Pattern[str]
    negated: bool = False
    many: bool = False


def _form(attribute: str, pattern: str, *, negated: bool = False, many: bool = False) -> Form:
    return Form(attribute, re.compile(pattern), negated, many)


_HELLO = (
    r"^(?:(?:hola|buenos días|buenas|hallo|guten tag|moin|servus|bonjour|salut"
    r"|नमस्ते|你好|您好|嗨|大家好|pues|bueno"
    r"|also|ja|oui|y|und|et|और|pero|aber|mais|但是?|而且|其实|हाँ|ahora|jetzt|maintenant"
    r"|现在|我现在)[,，!. ]*)*"
)
_E = (
    r"(?=$|,| (?:y|pero|porque|desde|como|con|und|aber|weil|seit|als|mit|et|mais"
    r"|parce|depuis|comme|avec)\b)"
)
_ZH_TIME = (
    r"(?:去年|今年|前年|上个?月|上周|\d{4}年(?:\d{1,2}月)?"
    r"|[\d一二三四五六七八九十两]+(?:年|个月)前)"
)
_FORMS = tuple(
    _form(form[0], _HELLO + form[1], negated="-" in form[2], many="m" in form[2])
    for form in (
        # Spanish
        ("name", r"(?:me llamo|mi nombre es) (?P<v>[^\d,]{2,40}?)" + _E, ""),
        (
            "home",
            r"(?:yo )?(?:vivo|resido) (?:ahora |desde [\w ]{2,20}? )?en (?P<v>[^,]{2,40}?)" + _E,
            "",
        ),
        ("home", r"me (?:he mudado|mudé) a (?P<v>[^,]{2,40}?)" + _E, ""),
        ("origin", r"(?:yo )?soy de (?P<v>[^,]{2,40}?)" + _E, ""),
        (
            "employer",
            r"(?:yo )?trabajo (?:ahora |desde [\w ]{2,20}? )?(?:en|para) (?!casa|remoto|equipo"
            r"|una? |el |la "
            r"|un )(?P<v>[^,]{2,40}?)" + _E,
            "",
        ),
        ("job_title", r"(?:yo )?trabajo (?:como|de) (?P<v>[^,]{3,40}?)(?= en |$|,| para )", ""),
        (
            "job_title",
            r"(?:yo )?soy (?P<v>(?:ingenier[oa]|médic[oa]|enfermer[oa]|profesora?"
            r"|abogad[oa]|diseñadora?|programadora?|cociner[oa]|arquitect[oa]|periodista"
            r"|estudiante|desarrolladora?)(?: de [\w ]+)?)" + _E,
            "",
        ),
        ("dislikes", r"(?:a mí )?no me gustan? (?:nada )?(?P<v>[^,]{2,60}?)(?:$|,)", "m"),
        ("likes", r"(?:a mí )?me (?:gustan?|encantan?) (?:mucho )?(?P<v>[^,]{2,60}?)(?:$|,)", "m"),
        ("dislikes", r"(?:yo )?odio (?P<v>[^,]{2,40}?)" + _E, "m"),
        (
            "diet",
            r"(?:yo )?soy (?P<v>vegetarian[oa]|vegan[oa]|celíac[oa]|pescetarian[oa])" + _E,
            "",
        ),
        (
            "allergy",
            r"(?:yo )?(?:soy alérgic[oa]|tengo alergia) (?:a la |a los |a las |al "
            r"|a )(?P<v>[^,]{2,60}?)(?:$|,)",
            "m",
        ),
        ("drinks", r"(?:yo )?(?:nunca|no) (?:tomo|bebo) (?P<v>[^,]{2,60}?)(?:$|,)", "-"),
        ("eats", r"(?:yo )?(?:nunca|no) como (?P<v>[^,]{2,40}?)(?:$|,)", "-m"),
        # German
        ("name", r"(?:ich heiße|ich heisse|mein name ist) (?P<v>[^\d,]{2,40}?)" + _E, ""),
        (
            "home",
            r"(?:ich (?:wohne|lebe)|(?:wohne|lebe) ich) (?:jetzt |seit [\w. ]{2,24}? )?"
            r"in (?P<v>[^,]{2,40}?)" + _E,
            "",
        ),
        ("home", r"ich bin (?:[\w. ]{2,30}? )?nach (?P<v>[^,]{2,40}?) (?:um)?gezogen$", ""),
        ("origin", r"ich komme aus (?P<v>[^,]{2,40}?)" + _E, ""),
        (
            "employer",
            r"(?:ich arbeite|arbeite ich) (?:jetzt |seit [\w. ]{2,24}? )?(?:bei|für) (?:der |dem )?"
            r"(?P<v>[^,]{2,40}?)" + _E,
            "",
        ),
        (
            "job_title",
            r"(?:ich arbeite|arbeite ich) (?:seit [\w. ]{2,24}? )?als (?P<v>[^,]{3,40}?)"
            r"(?= bei |$|,| in | seit )",
            "",
        ),
        (
            "job_title",
            r"ich bin (?P<v>(?:[\w-]*(?:ingenieur|entwickler|lehrer|arzt|ärztin|pfleger"
            r"|krankenschwester|anwalt|anwältin|koch|köchin|student|architekt|designer"
            r"|bäcker|berater|techniker)(?:in)?))" + _E,
            "",
        ),
        (
            "dislikes",
            r"ich mag (?:keine?n? |(?P<w>[^,]{2,40}?) nicht$)(?P<v>[^,]{2,40}?)?" + _E,
            "m",
        ),
        (
            "likes",
            r"ich (?:mag|liebe) (?:sehr )?(?!keine?n?\b|es\b"
            r"|das\b)(?P<v>[^,]{2,60}?)(?: sehr| gern)?" + r"(?:$|,)",
            "m",
        ),
        ("dislikes", r"ich hasse (?!es\b|das\b)(?P<v>[^,]{2,40}?)" + _E, "m"),
        ("eats", r"ich esse keine?n? (?P<v>[^,]{2,40}?)(?: mehr)?" + _E, "-m"),
        ("drinks", r"ich trinke keine?n? (?P<v>[^,]{2,40}?)(?: mehr)?" + _E, "-m"),
        (
            "diet",
            r"ich (?:bin|lebe|ernähre mich) (?P<v>vegetarier(?:in)?|veganer(?:in)?|vegan"
            r"|vegetarisch)" + _E,
            "",
        ),
        (
            "allergy",
            r"ich (?:bin allergisch gegen|habe eine allergie gegen"
            r"|vertrage keine?n?) (?P<v>[^,]{2,60}?)(?:$|,)",
            "m",
        ),
        # French
        ("name", r"(?:je m'appelle|mon nom est|mon prénom est) (?P<v>[^\d,]{2,40}?)" + _E, ""),
        (
            "home",
            r"(?:j'habite|je vis|je réside) (?:maintenant |depuis [\w ]{2,20}? )?(?:à|au|en|aux"
            r"|dans) (?P<v>[^,]{2,40}?)" + _E,
            "",
        ),
        ("origin", r"je viens (?:de |du |d')(?P<v>[^,]{2,40}?)" + _E, ""),
        (
            "home",
            r"j'ai (?:emménagé|déménagé) (?:à|au|en|aux|dans) (?P<v>[^,]{2,40}?)" + _E,
            "",
        ),
        (
            "employer",
            r"je travaille (?:depuis [\w ]{2,20}? )?(?:chez|pour) (?P<v>[^,]{2,40}?)" + _E,
            "",
        ),
        ("job_title", r"je travaille comme (?P<v>[^,]{3,40}?)(?= chez |$|,)", ""),
        (
            "job_title",
            r"je suis (?P<v>(?:ingénieure?|médecin|infirmi(?:er|ère)|professeure?|avocate?"
            r"|développeu(?:r|se)|cuisini(?:er|ère)|architecte|journaliste|étudiante?"
            r"|boulang(?:er|ère))(?: [\w ]+?)?)(?= chez |$|,)",
            "",
        ),
        (
            "dislikes",
            r"je (?:n'aime pas|ne supporte pas|déteste) (?:le |la |les |l'|du "
            r"|de la )?(?P<v>[^,]{2,60}?)(?:$|,)",
            "m",
        ),
        (
            "likes",
            r"(?:j'aime|j'adore) (?:bien |beaucoup )?(?:le |la |les |l')?(?!pas\b|quand\b"
            r"|que\b)(?P<v>[^,]{2,60}?)(?:$|,)",
            "m",
        ),
        ("diet", r"je suis (?P<v>végétarienn?e?|végétalienn?e?|vegan|végane?)" + _E, ""),
        ("allergy", r"je suis allergique (?:à la |au |aux |à l'|à )(?P<v>[^,]{2,60}?)(?:$|,)", "m"),
        ("eats", r"je ne mange (?:pas|plus|jamais) (?:de |d'|du )(?P<v>[^,]{2,40}?)" + _E, "-m"),
        ("drinks", r"je ne bois (?:pas|plus|jamais) (?:de |d'|du )(?P<v>[^,]{2,40}?)" + _E, "-m"),
        # Hindi
        ("name", r"मेरा नाम (?P<v>[^,]{2,40}?) है$", ""),
        ("home", r"(?:मैं|हम) (?P<v>[^,]{2,40}?) में (?:रहता|रहती|रहते) (?:हूँ|हूं|हैं)$", ""),
        (
            "employer",
            r"(?:मैं|हम) (?P<v>[^,]{2,40}?) में (?:काम|नौकरी) (?:करता|करती|करते) (?:हूँ|हूं" r"|हैं)$",
            "",
        ),
        (
            "job_title",
            r"(?:मैं) (?:एक )?(?P<v>डॉक्टर|इंजीनियर|शिक्षक|शिक्षिका|वकील|नर्स|लेखक|छात्र"
            r"|छात्रा|डिज़ाइनर|प्रोग्रामर) (?:हूँ|हूं)$",
            "",
        ),
        (
            "dislikes",
            r"मुझे (?P<v>[^,]{2,40}?) (?:पसंद|अच्छा|अच्छी) नहीं (?:है|हैं|लगता|लगती" r"|लगते)?\s?(?:है)?$",
            "m",
        ),
        ("dislikes", r"मुझे (?P<v>[^,]{2,40}?) नापसंद (?:है|हैं)$", "m"),
        (
            "likes",
            r"मुझे (?P<v>(?:(?!नहीं)[^,]){2,40}?) (?:बहुत )?(?:पसंद (?:है|हैं)|(?:अच्छा"
            r"|अच्छी|अच्छे) (?:लगता|लगती|लगते) (?:है|हैं))$",
            "m",
        ),
        ("allergy", r"मुझे (?P<v>[^,]{2,40}?) से (?:एलर्जी|ऐलर्जी) है$", "m"),
        ("diet", r"(?:मैं) (?P<v>शाकाहारी|वीगन) (?:हूँ|हूं)$", ""),
        ("eats", r"(?:मैं) (?P<v>[^,]{2,30}?) नहीं (?:खाता|खाती)(?: (?:हूँ|हूं))?$", "-m"),
        # Chinese
        ("name", r"(?:我叫|我的名字(?:叫|是)|我姓名是)(?P<v>[^，,的了吗]{1,12})$", ""),
        (
            "home",
            r"我(?:现在|目前|(?:从|自)?" + _ZH_TIME + r"(?:起|开始)?(?:就)?)?"
            r"(?:住在|定居在|居住在|搬到了?|搬去了?)(?P<v>[^，,吗]{1,20}?)(?:了)?$",
            "",
        ),
        ("origin", r"我(?:来自|是从)(?P<v>[^，,吗]{1,15}?)(?:来的)?$", ""),
        ("employer", r"我(?:现在|目前)?在(?P<v>[^，,吗家]{1,20}?)(?:上班|工作|任职)(?:了)?$", ""),
        ("job_title", r"我是(?:一名|一个|一位|名|个)(?P<v>[^，,吗的]{2,12})$", ""),
        ("dislikes", r"我(?:很|最)?(?:不喜欢|讨厌|不爱)(?P<v>[^，,吗]{1,20})$", "m"),
        (
            "likes",
            r"我(?:很|最|非常|特别|也)?(?:喜欢|爱)(?!你|这|那|上了)(?P<v>[^，,吗]{1,20})$",
            "m",
        ),
        ("allergy", r"我对(?P<v>[^，,吗]{1,20}?)过敏$", "m"),
        ("diet", r"我(?:是|吃)(?P<v>素食者|纯素(?:食者)?|素|清真)$", ""),
        ("eats", r"我(?:从来)?不吃(?P<v>[^，,吗了]{1,12})$", "-m"),
    )
)
_ZH_PERSON = re.compile(
    r"^(?:我的|我)(?P<rel>经理|老板|妻子|太太|老婆|丈夫|老公|妈妈|爸爸|姐姐|妹妹|哥哥|弟弟|儿子|女儿|朋友|同事|男朋友"
    r"|女朋友)(?:叫|的名字(?:叫|是)|是)(?P<name>[^，,的吗]{2,8})$"
)
_ZH_MEETING = re.compile(
    r"^(?P<what>[^，,改在定]{0,10}?(?:会议|会|面试|考试|约会|航班|聚会|婚礼|手术))(?:改到|改在|定在|安排在|在|是)"
)
_ARTICLE = re.compile(
    r"(?:el|la|los|las|un|una|unos|unas|le|les|du|der|die|das|den|ein|eine|einen) |l'"
)
_POINTING = re.compile(
    r"^(?:eso|esto|ello|ça|cela|das|es|dies|यह|वह|ये|这|那|它|他|她|你|您)(?:\s|$)|^(?:这|那"
    r"|它|你|您|她|他)|que |dass |、?吗"
)


# Prepositions that lead a date: "Sevilla en | 2021".
_BEFORE_DATE = re.compile(r"\s+(?:(?:en|in|im|am|el|le|au|à|dans|desde|seit|depuis|ab)\s+)?$")


def _opening(text: str, when: Validity | None) -> int:
    """Where the statement begins behind a date that opens it: "Seit 2019 wohne ich …"."""
    if when is None or when.spans[0][0] > 3 or not text[: when.spans[0][0]].isascii():
        return 0
    start = when.spans[0][1]
    return start + len(text[start:]) - len(text[start:].lstrip(" ,"))


def _undated(text: str, start: int, end: int, when: Validity | None) -> int:
    """The end of a value that a date follows, without the date."""
    for first, _last in when.spans if when is not None else ():
        if start < first < end:
            lead = _BEFORE_DATE.search(text, start, first)
            return lead.start() if lead else first
    return end


def plain(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """The first form that the clause has, as its fact or facts."""
    text = clause.text
    if text.isascii() and not re.match(
        r"(?:hola|hallo|bonjour|salut|yo|me|mi|vivo|trabajo|soy|tengo|no|nunca|a m|odio"
        r"|ich|mein|je|j'|mon|pues|bueno|ja|also|oui|y|und|et|pero|aber|mais|ahora"
        r"|jetzt|resido)\b",
        text,
    ):
        return []
    if found := _ZH_PERSON.match(text):
        who = subject("person", clause.original(found.start("name"), found.end("name")))
        context.last = who
        return context.fact(
            clause, "relation", found["rel"], subject=who, confidence=0.85, importance=0.8
        )
    if (
        (found := _ZH_MEETING.match(text))
        and (when := find_chinese(text, clause.turn.sent_at, context.batch.time_zone))
        and when.finish > clause.turn.sent_at
    ):
        return context.fact(
            clause,
            "plan",
            f"{found['what']} {when.label}",
            valid_to=when.finish,
            precision=when.precision,
        )
    valid = validity(text, clause.turn.sent_at, context.batch.time_zone, context.batch.language)
    opening = _opening(text, valid)
    for form in _FORMS:
        found = form.pattern.match(text[opening:])
        if found is None:
            continue
        group = "v" if found["v"] else "w"
        start, end = (place + opening for place in found.span(group))
        start, end = trim(clause.text, start, _undated(text, start, end, valid))
        polarity: Polarity = "negated" if form.negated else "affirmed"
        out: list[Candidate] = []
        for part in items(clause.text, start, end) if form.many else [(start, end)]:
            first, last = part
            if article := _ARTICLE.match(clause.text, first, last):
                first = article.end()
            value = clause.text[first:last]
            original = clause.original(first, last)
            if _POINTING.search(value) or len(value.split()) > 7:
                continue
            needs_capital = form.attribute in ("name", "home", "employer", "origin")
            if needs_capital and original[:1] != original[:1].upper():
                continue
            out += context.fact(
                clause,
                form.attribute,
                original,
                polarity=polarity,
                valid_from=valid.valid_from if valid is not None else None,
                valid_to=valid.valid_to if valid is not None else None,
                precision=valid.precision if valid is not None else "instant",
                confidence=0.85,
                importance=0.95 if form.attribute == "name" else None,
            )
        return out
    return []
