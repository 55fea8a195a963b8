"""The words of the page in other languages: kept in ``.po`` files, compiled to ``.mo``.
Needs Babel, which only development installs: a server reads the compiled files alone.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings

from memoryapp.management.words import words

# GNU gettext's rules: how many forms a noun takes beside a number, and which number takes which.
# A singular that says "one" in words must stand for 1 alone, so Hindi's 0 takes the plural.
PLURALS: Mapping[str, tuple[int, str]] = {
    "es": (2, "(n != 1)"),
    "de": (2, "(n != 1)"),
    "hi": (2, "(n != 1)"),
    "ar": (
        6,
        "(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5)",
    ),
}
Key = tuple[str, str]
# A date in every file would make every run a difference.
_NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)


def path(language: str) -> Path:
    return Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES" / "django.po"


def offered() -> list[str]:
    """The languages that settings offer and that need a catalogue."""
    return [code for code, _name in settings.LANGUAGES if code != "en"]


def key(message: Message) -> Key:
    return (message.context or "", _singular(message))


def _singular(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def update(language: str, *, prune: bool = False) -> Catalog:
    """The language's catalogue as the code has it now, with the translations it had. Those
    that nothing asks for any more stay at its end, in case that the code says so again;
    ``prune`` drops them."""
    held = load(language)
    had = {key(message): message for message in _translated(held)} if held else {}
    made = empty(language)
    for message in _sorted(words()):
        old = had.pop(key(message), None)
        kept = forms(old) if old else ()
        made.add(
            message.id,
            (kept[0] if kept else "")
            if isinstance(message.id, str)
            else tuple([*kept, *[""] * made.num_plurals][: made.num_plurals]),
            locations=message.locations,
            auto_comments=message.auto_comments,
            user_comments=old.user_comments if old else (),
            context=message.context,
        )
    if not prune:
        made.obsolete.update({str(one): had[one] for one in sorted(had)})
    return made


def _translated(held: Catalog) -> list[Message]:
    """Those not in use first, so that those in use win."""
    listed = [*held.obsolete.values(), *(message for message in held if message.id)]
    return [message for message in listed if translated(message)]


def empty(language: str) -> Catalog:
    """A catalogue without messages, with the language's plural rule."""
    made = Catalog(
        locale=language,
        charset="utf-8",
        creation_date=_NO_DATE,
        revision_date=_NO_DATE,
        fuzzy=False,
    )
    count, rule = PLURALS[language]
    made.mime_headers = [("Plural-Forms", f"nplurals={count}; plural={rule};")]
    return made


def _sorted(catalog: Catalog) -> list[Message]:
    """By the file that a message is first found in, so that neighbours stay neighbours."""
    return sorted(
        (message for message in catalog if message.id),
        key=lambda message: (message.locations[0][0], *key(message)),
    )


def load(language: str) -> Catalog | None:
    """The language's ``.po`` file; None when there is none yet. Raises PoFileError for a
    file that is none."""
    file = path(language)
    if not file.exists():
        return None
    with file.open("rb") as stream:
        return read_po(stream, locale=language, abort_invalid=True)


def save(language: str, catalog: Catalog) -> None:
    """Write the ``.po`` file and, from it, the ``.mo`` file that the server reads. Without
    dates, names and line numbers: what hasn't changed makes no difference to look at."""
    count, rule = PLURALS[language]
    header = (
        'msgid ""\nmsgstr ""\n'
        f'"Language: {language}\\n"\n'
        '"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n'
        '"Content-Transfer-Encoding: 8bit\\n"\n'
        f'"Plural-Forms: nplurals={count}; plural={rule};\\n"\n\n'
    )
    body = BytesIO()
    write_po(body, catalog, width=0, omit_header=True, include_lineno=False)
    file = path(language)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(header.encode() + body.getvalue())
    file.with_suffix(".mo").write_bytes(compiled(language, catalog))


def compiled(language: str, catalog: Catalog) -> bytes:
    """The ``.mo`` file: what is translated wholly, so that the rest shows in English."""
    made = empty(language)
    for message in catalog:
        if message.id and translated(message) and not message.fuzzy:
            made.add(message.id, message.string, context=message.context)
    stream = BytesIO()
    write_mo(stream, made)
    return stream.getvalue()


def complaints(language: str) -> list[str]:
    """What keeps the language from being offered, a line for each thing; empty when its
    catalogue says everything that the code says, and the compiled file says the same."""
    held = load(language)
    if held is None:
        return ["there is no catalogue"]
    wanted = {(key(message), message.id) for message in words() if message.id}
    has = {(key(message), message.id) for message in held if message.id}
    found = [
        f"isn't in the catalogue: {shortened(one[0])}" for one in sorted(wanted - has, key=str)
    ]
    found += [f"is no longer said: {shortened(one[0])}" for one in sorted(has - wanted, key=str)]
    count, rule = PLURALS[language]
    if held.num_plurals != count or held.plural_expr != rule:
        found.append(f"Plural-Forms isn't nplurals={count}; plural={rule};")
    for message in held:
        if message.id:
            found += [f"{why}: {shortened(key(message))}" for why in wrong(message, held)]
    if not found and not _compiled_alike(language, held):
        found.append("django.mo isn't what django.po says")
    return found


def shortened(key: Key) -> str:
    context, text = key
    text = text if len(text) <= 70 else f"{text[:69]}…"
    return f"{text!r}" + (f" ({context})" if context else "")


def forms(message: Message) -> tuple[str, ...]:
    """The translation, or the translations of a plural; empty strings where one is missing."""
    string: Any = message.string
    return (string,) if isinstance(string, str) else tuple(one or "" for one in string or ())


def translated(message: Message) -> bool:
    return bool(forms(message)) and all(forms(message))


def wrong(message: Message, catalog: Catalog) -> Iterator[str]:
    """What is wrong with one translation."""
    strings = forms(message)
    plural = not isinstance(message.id, str)
    if message.fuzzy:
        yield "is marked fuzzy"
    if len(strings) != (catalog.num_plurals if plural else 1):
        yield "has the wrong number of forms"
    elif not translated(message):
        yield "isn't translated"
    else:
        source = message.id if isinstance(message.id, str) else message.id[-1]
        takes = plural_of(catalog.plural_expr)
        for index, text in enumerate(strings):
            # A form for one number alone may say it in words.
            spoken = plural and sum(takes(n) == index for n in range(1000)) == 1
            yield from _unlike(source, text, may_leave_out=spoken)


_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|%%|\{\w*\}")
_TAG = re.compile(r"</?[a-z]+[^>]*>")
_EDGE = re.compile(r"^(\s*).*?(\s*)$", re.DOTALL)


def _unlike(source: str, text: str, *, may_leave_out: bool) -> Iterator[str]:
    wanted, has = (sorted(_PLACEHOLDER.findall(one)) for one in (source, text))
    if set(has) - set(wanted) if may_leave_out else set(has) != set(wanted):
        yield f"has other placeholders ({', '.join(has) or 'none'})"
    if sorted(_TAG.findall(source)) != sorted(_TAG.findall(text)):
        yield "has other tags"
    edges, ours = _EDGE.match(source), _EDGE.match(text)
    if edges and ours and edges.groups() != ours.groups():
        yield "begins or ends with other white space"


def plural_of(rule: str) -> Callable[[int], int]:
    """The rule of a Plural-Forms header as a function from a number to its form."""
    return gettext.c2py(rule)


def _compiled_alike(language: str, held: Catalog) -> bool:
    file = path(language).with_suffix(".mo")
    if not file.exists():
        return False
    made = read_mo(BytesIO(compiled(language, held)))
    return _strings(read_mo(BytesIO(file.read_bytes()))) == _strings(made)


def _strings(catalog: Catalog) -> dict[Key, Any]:
    return {key(message): message.string for message in catalog if message.id}
