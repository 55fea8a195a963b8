"""How the user wants to be answered, where it is said to hold beyond this one answer."""

from __future__ import annotations

import re

from memoryapp.records import Candidate

from .clauses import Clause
from .context import Context
from .lexicon import LANGUAGES, alternatives
from .predicate import Predicate, after_openers
from .values import trim
from .whose import EACH_TIME

_THING = (
    r"(?:answers?|responses?|repl(?:y|ies)|updates?|explanations?|summaries|messages|things|it)"
)
_LENGTH = (
    r"short|brief|concise|terse|succinct|to the point|short and (?:sweet|simple)"
    r"|brief and to the point|long|detailed|longer|shorter|thorough|in[- ]depth"
    r"|minimal"
)
_STYLE = (
    r"simple|casual|formal|friendly|direct|blunt|technical|plain|informal"
    r"|professional|polite|step[- ]by[- ]step|conversational"
)
_KEEP = re.compile(
    r"(?:always |please |i'd like you to |i want you to |can you "
    r"|could you )*(?:keep|make) (?:all )?(?:your |the |my )?(?:"
    + _THING
    + r") (?P<v>(?:"
    + _LENGTH
    + "|"
    + _STYLE
    + r")(?:(?:,| and|, and) (?:"
    + _LENGTH
    + "|"
    + _STYLE
    + r"))*)(?=$|,| in general| from now| please| always| and\b|\s)(?P<rest>.*)$"
)
_WANT = re.compile(
    r"(?:(?:prefer|like|want|love|appreciate|need)s? |'d (?:like|prefer) )(?:your "
    r"|the |all )?(?:(?:answers?|responses?|replies|explanations?) (?:to be "
    r"|that are )?)?"
    r"(?P<v>(?:"
    + _LENGTH
    + "|"
    + _STYLE
    + r")(?:(?:,| and|, and)? (?:"
    + _LENGTH
    + "|"
    + _STYLE
    + r"))*)(?: (?:answers|responses|replies|explanations|style))?(?=$|,| over| to\b"
    r"| rather| with| please| in general)"
)
_STYLE_IN = re.compile(r"(?:prefer|like|want|need) (?:the |an? )?(?P<v>[\w ,-]{3,40}) style$")
_SCOPE_FIRST = re.compile(
    r"(?:on|in|for) (?:the |my |our )?(?P<p>[\w ]{2,40}?) (?P<what>course|project"
    r"|class|team|repo),? (?=i\b|please|keep|use)"
)
_IN = re.compile(
    r"(?:please |always |from now on,? |i'd like you to )*(?:answer|reply|respond|explain things"
    r"|write to me|talk to me)(?: me)? in (?P<v>(?:"
    + _LENGTH
    + "|"
    + _STYLE
    + r") (?:sentences|paragraphs|words|language|english))(?=$|,| from now| please| always)"
)
_LANGUAGE = re.compile(
    r"(?:please |always |from now on,? |i'd like you to |can you "
    r"|could you )*(?:answer|reply|respond|write|talk"
    r"|speak)(?: to)?(?: me)? (?:only |always )?in (?P<v>(?:british |american )?(?:"
    + alternatives(LANGUAGES)
    + r"))(?P<rest>.*)$"
)
_EMOJI = re.compile(
    r"(?:please |and |also )*(?:(?:don't|do not|never|stop) (?:use|using|add"
    r"|include|put)(?: any)?|no(?: more)?|avoid|skip(?: the)?) emojis?(?= |$"
    r"|,)(?! in (?:this|the))"
)
_NO_STYLE = re.compile(
    r"(?:please )?(?:(?:don't|do not|never) (?:use|give me|add|include) "
    r"|no (?:more )?)(?P<v>bullet points|bulleted lists|tables|jargon|headings"
    r"|markdown|exclamation marks|disclaimers|small talk|apologies|filler)(?= |$"
    r"|,)(?! in (?:this|the))"
)
_ALWAYS_USE = re.compile(
    r"(?:please )?(?:always use|from now on,? use|always give me"
    r"|use) (?P<v>(?:the )?(?:metric|imperial)(?: units?| system)?|celsius"
    r"|fahrenheit|british (?:english|spelling)|american (?:english|spelling)"
    r"|bullet points|examples|type hints|markdown)(?P<rest>.*)$"
)
# "A letter to HR … keep it short": the letter, not the answers.
_A_TEXT = re.compile(
    r"\b(?:letters?|e-?mails?|messages?|texts?|speech|toast|bio|posts?|notes?|card|captions?|essay|blurb"
    r"|summary|stor(?:y|ies)|poems?|invitations?|paragraphs?|listing|reply|cv|ad|advert|review)\b"
)
_KEEPS_IT = re.compile(r"\b(?:keep|make) it\b")
_ONCE = re.compile(r"\b(?:for now|this time|for this|in this|for the following|here|today|now)\b")


def _key(value: str) -> str:
    return (
        "answer_length"
        if re.search(
            r"short|brief|concise|terse|succinct|point|long|detail|thorough|depth|minimal", value
        )
        else "answer_style"
    )


_SPELLING = re.compile(
    r"(?:please )?(?:use|write (?:in|with)|stick to|keep to|i (?:use|want|prefer)) (?:the )?"
    r"(?P<v>(?:british|american|uk|us|canadian|australian|indian) (?:english )?spelling)\b"
)


def answers(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "Please keep your answers short", "no emojis", "always use metric units"."""
    text = clause.text
    start, _, correction = after_openers(clause)
    scope = ""
    if found := _SCOPE_FIRST.match(text, start):
        scope = f"project:{found['p'].strip()}"
        start = found.end()
    if _ONCE.search(text.replace("from now on", "").replace("now on", "")):
        return []
    if found := _SPELLING.match(text, start):
        return context.fact(clause, "answer_style", found.span("v"), scope=scope, confidence=0.85)
    if found := _KEEP.match(text, start):
        rest = found["rest"].strip(" ,")
        of_a_text = _KEEPS_IT.search(found[0]) and _A_TEXT.search(context.own)
        if of_a_text and not EACH_TIME.search(text):
            return []
        if rest and not re.fullmatch(
            r"(?:in general|from now on|please|always|and .*|when you can|whenever possible"
            r"|thanks|thank you|too|by default)",
            rest,
        ):
            return []
        return context.fact(
            clause,
            _key(found["v"]),
            clause.original(*found.span("v")),
            scope=scope,
            confidence=0.9,
            importance=0.8,
        )
    if found := _IN.match(text, start):
        return context.fact(
            clause, "answer_style", found.span("v"), scope=scope, confidence=0.85, importance=0.8
        )
    if found := _LANGUAGE.match(text, start):
        rest = found["rest"].strip(" ,")
        whole = rest in ("", "from now on", "please", "always", "by default", "when you can")
        if whole and re.search(r"\b(?:from now on|always|by default|only)\b", text):
            return context.fact(
                clause, "answer_language", found.span("v"), confidence=0.8, importance=0.8
            )
        return []
    if _EMOJI.match(text, start):
        return context.fact(clause, "emoji", "none", confidence=0.85, importance=0.7)
    if found := _NO_STYLE.match(text, start):
        return context.fact(
            clause,
            "answer_format",
            found.span("v"),
            polarity="negated",
            confidence=0.8,
            importance=0.7,
        )
    if found := _ALWAYS_USE.match(text, start):
        durable = found[0].startswith(("always", "from now on", "please always", "please from"))
        if (
            not durable
            and "from now on" not in text
            and not text.startswith(("from now on", "please from now on"))
        ):
            return []
        key = (
            "units"
            if re.search(r"metric|imperial|celsius|fahrenheit", found["v"])
            else "answer_format"
        )
        return context.fact(clause, key, found.span("v"), confidence=0.85, importance=0.7)
    pos = said.pos if said and said.about_user and said.form == "verb" and not said.negated else -1
    if scope and (lead := re.compile(r"i (?:really |just )?").match(text, start)):
        pos = lead.end()
    if pos < 0:
        return []
    if found := _WANT.match(text, pos):
        named = re.search(r"answers?|responses?|replies|explanations?", text[pos:])
        if named:
            begin, end = trim(text, *found.span("v"))
            return context.fact(
                clause,
                _key(text[begin:end]),
                clause.original(begin, end),
                scope=scope,
                confidence=0.9,
                importance=0.8,
                correction=correction,
            )
    if scope and (found := _STYLE_IN.match(text, pos)):
        return context.fact(
            clause, "answer_style", found.span("v"), scope=scope, confidence=0.8, importance=0.7
        )
    return []
