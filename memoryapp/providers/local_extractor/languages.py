"""Plain statements in Spanish, German, French, Hindi and Chinese: name, home, work,
likes, dislikes, diet, allergy. One clause, one pattern, one fact."""

from __future__ import annotations

import re

from memoryapp.records import Candidate, Polarity
from memoryapp.subjects import subject

from .clauses import Clause
from .context import Context
from .dates import Validity, find_chinese, validity
from .language_forms import FAVOURITES, FORMS, KIND_OF_FAVOURITE
from .predicate import Predicate
from .values import items, trim

_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘"
    "杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文欧阳"
)
# "是" may also say what somebody is: then only what looks like a full name is one.
_ZH_PERSON = re.compile(
    r"^(?:我的|我)(?P<rel>经理|老板|妻子|太太|老婆|丈夫|老公|妈妈|爸爸|姐姐|妹妹|哥哥|弟弟|儿子|女儿|朋友|同事|男朋友"
    r"|女朋友)(?:(?:叫|的名字(?:叫|是))(?P<name>[^，,的吗我你他她]{2,8})"
    rf"|是(?P<full>[{_SURNAMES}][^，,的吗我你他她]{{1,2}}(?<![人生师员家手者工童迷狂鬼星])))$"
)
_ZH_MEETING = re.compile(
    r"^(?P<what>(?:我的|我们的)?[^，,改在定我你他她想]{0,8}?(?:会议|例会|年会|晚会|家长会|音乐会|演唱会|同学会|聚会"
    r"|发布会|面试|考试|约会|航班|婚礼|手术))(?:改到|改在|定在|安排在|在|是)"
)
_ARTICLE = re.compile(
    r"(?:el|la|los|las|un|una|unos|unas|le|les|une|des|du|der|die|das|den|ein|eine|einen) |l'"
)
_POINTING = re.compile(
    r"^(?:eso|esto|ello|ça|cela|das|es|dies|यह|वह|ये|这|那|它|他|她|你|您)(?:\s|$)|^(?:这|那"
    r"|它|你|您|她|他)|que |dass |、?吗"
)
# A value with one of these in it says the opposite of what its start says, or goes on.
_DENIES = re.compile(
    r"(?:^|\s)(?:pas|jamais|rien|nicht|keine?n?|nie|weder|nunca|jamás|tampoco|नहीं|मत)(?:\s|$)"
    r"|^(?:cuando|si|que|donde|quand|lorsque|où|wenn|dass|ob|जब|कि)\s|的.*是"
    r"|\b(?:mais|pero|aber)$|(?:^|\s)(?:j'|je |ich |yo )|लेकिन|但是|因为|所以"
)
_HANGS = re.compile(
    r"(?:^|\s)(?:de|du|des|à|au|en|pour|avec|sans|et|ou|con|para|por|sin|y|o|a|mit|für|ohne|und|oder"
    r"|in|की|के|का|को|से|में|और|bien|très|aussi|muy|sehr)$|[的在和与跟把对给]$"
)
# No town's or firm's name: "the house", "the city", "the cloud".
_ZH_NO_NAME = re.compile(
    r"(?:城市|乡下|农村|郊区|市区|市中心|小镇|家|家里|国外|海边|云端|隔壁|附近|一起|旁边|学校|公司)$"
    r"|[里上中下内外]$|父母|房子"
)
# An activity, which carries what follows it: "lire des revues et des guides".
_ACTIVITY = re.compile(
    r"(?:[mst]'|me |se )?\w{2,}(?:er|ir|oir|re|ar)(?:me|se|lo|la|los|las)?\s"
    r"|[看玩吃喝听读打写做学去骑养弹种逛唱跳跑"
    r"游画拍烤煮炒买旅滑爬钓练在和与跟同到]|.*(?:ना|नी|ने)$"
)
_JOINED_FURTHER = re.compile(r"\s+(?:ni|noch)\s+(?:de |d'|du )?")


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
    for first, last in when.spans if when is not None else ():
        if start < first < end:
            if last < end and not text[start:end].isascii() and " " not in text[start:end]:
                return end  # "每年夏天去…": what follows would be lost
            lead = _BEFORE_DATE.search(text, start, first)
            return lead.start() if lead else first
    return end


def _parts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """What is listed, one by one; the whole where a part leans on the words of another."""
    spans: list[tuple[int, int]] = []
    position = start
    for join in _JOINED_FURTHER.finditer(text, start, end):
        spans += items(text, position, join.start())
        position = join.end()
    spans += items(text, position, end)
    pieces = [text[first:last] for first, last in spans]
    acts = [_ACTIVITY.match(f"{piece} " if piece.isascii() else piece) for piece in pieces]
    # The verb stands first; in Hindi it stands last.
    leads = acts and (acts[-1] if re.search("[\u0900-\u097f]", pieces[0]) else acts[0])
    leans = leads and not all(acts)
    if len(spans) > 1 and (leans or any(re.search("[的在]", p) for p in pieces)):
        return [trim(text, start, end)]
    if pieces and re.match("[和与跟同]", text[start:end]):
        return [(start, end)]
    return spans


def _favourite(clause: Clause, context: Context) -> list[Candidate]:
    """ "Mein Lieblingsessen ist Ramen", "我最喜欢的颜色是红色"."""
    for pattern in FAVOURITES:
        found = pattern.match(clause.text)
        if found is None:
            continue
        start, end = trim(clause.text, *found.span("v"))
        if article := _ARTICLE.match(clause.text, start, end):
            start = article.end()
        value, what = clause.original(start, end), found["what"].strip()
        folded = clause.text[start:end]
        if re.search(r"(?:^|\s)(?:qui|que)\s", folded):
            return []
        if not value or _POINTING.search(folded) or _DENIES.search(folded) or len(value) > 50:
            return []
        for key, kind in KIND_OF_FAVOURITE.items():
            if kind.fullmatch(what):
                return context.fact(clause, f"favourite_{key}", value, confidence=0.85)
        return context.fact(clause, "favourite", f"{value} ({what})", confidence=0.8)
    return []


def plain(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """The first form that the clause has, as its fact or facts."""
    text = clause.text
    if text.isascii() and not re.match(
        r"(?:hola|hallo|bonjour|salut|yo|me|mi|vivo|trabajo|soy|tengo|no|nunca|a m|odio"
        r"|[\w' ]{2,30} es mi \w+ (?:favorit|preferid)\w*"
        r"|ich|meine?|je|j'|mon|ma|mis|tampoco|también|pues|bueno|ja|also|oui|y|und|et|pero|aber|mais|ahora"
        r"|jetzt|resido)\b",
        text,
    ):
        return []
    if found := _ZH_PERSON.match(text):
        group = "name" if found["name"] else "full"
        who = subject("person", clause.original(*found.span(group)))
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
    if favourite := _favourite(clause, context):
        return favourite
    for form in FORMS:
        found = form.pattern.match(text[opening:])
        if found is None:
            continue
        named = "v" if found["v"] else "w"
        start, end = (place + opening for place in found.span(named))
        start, end = trim(clause.text, start, _undated(text, start, end, valid))
        polarity: Polarity = "negated" if form.negated else "affirmed"
        out: list[Candidate] = []
        for part in _parts(clause.text, start, end) if form.many else [(start, end)]:
            first, last = part
            if article := _ARTICLE.match(clause.text, first, last):
                first = article.end()
            value = clause.text[first:last]
            original = clause.original(first, last)
            if _POINTING.search(value) or len(value.split()) > 9:
                continue
            if _DENIES.search(value) or _HANGS.search(value):
                continue
            needs_capital = form.attribute in ("name", "home", "employer", "origin")
            if needs_capital and original[:1] != original[:1].upper():
                continue
            if form.attribute in ("home", "employer") and _ZH_NO_NAME.search(value):
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
