"""Every message that the page can say, found in the code. Needs Babel, which only
development installs.

Words come from Python (``gettext`` and its kin), from templates (read by Django's own
``templatize``), from the registry's sentences, and from those texts of Django and allauth
that our pages show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_python
from django.conf import settings
from django.utils.translation.template import templatize

from memoryapp import registry
from memoryapp.web.wording import FACT

# The arguments of each function: a message, a plural, or (with "c") a context.
Spec = tuple[int | tuple[int, str], ...] | None
KEYWORDS: Mapping[str, Spec] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
# What only operators and developers read (commands, Django admin, the API's answers) stays
# English.
_ENGLISH = re.compile(
    r"(accounts|memoryapp)/((management|admin|migrations|models|api|evaluation|training|"
    r"local_services)/|(admin|admin_site|apps|checks|database|server|services)\.py)"
    r"|templates/(admin|api)/"
)
# Django and allauth bring translations of their own, which leave gaps and address people in
# another tone than ours: what of theirs shows here is translated here.
_DJANGO = (
    "forms/forms.py",
    "forms/fields.py",
    "core/validators.py",
    "contrib/auth/password_validation.py",
)
_ALLAUTH = ("account", "mfa", "usersessions")
_ALLAUTH_INTERNAL = re.compile(r"/(migrations|tests|admin|models|apps|checks|management)\b")
# Of theirs, what belongs to things that we don't have.
_NEVER_SHOWN = re.compile(
    r"phone|username|slug|IPv|domain name|separated by|%\(protocol\)s|step size|decimal"
    r"|digits? (in|before)|scalar|ManagementForm|third-party|social",
    re.IGNORECASE,
)


class Clash(Exception):
    """Catalogues know a message by its singular and its context alone."""


@cache
def words() -> Catalog:
    """Every message of the code, without translations, with the files it is found in. Raises
    Clash for two that a catalogue can't tell apart."""
    found = Catalog(domain="django", charset="utf-8")
    for name, messages in _sources():
        for spec, texts, comments in messages:
            _add(found, name, spec, texts, comments)
    return found


def _add(
    found: Catalog, name: str, spec: Spec, texts: Sequence[str | None], comments: Sequence[str]
) -> None:
    parts = [text or "" for text in texts]
    context = None
    if spec and isinstance(spec[0], tuple):
        context, *parts = parts
    plural = spec is not None and sum(isinstance(one, int) for one in spec) == 2
    identity = (parts[0], parts[1]) if plural else parts[0]
    known = found.get(identity, context)
    if known is not None and known.id != identity:
        where = known.locations[0][0]
        raise Clash(f"{name} and {where} say {parts[0]!r} with different plurals.")
    found.add(
        identity,
        locations=[(name, 1)],
        auto_comments=list(comments),
        context=context,
    )


Found = Iterator[tuple[Spec, Sequence[str | None], Sequence[str]]]


def _sources() -> Iterator[tuple[str, Found]]:
    root = Path(settings.BASE_DIR)
    for folder in ("accounts", "memoryapp", "templates"):
        for file in sorted((root / folder).rglob("*.*")):
            name = file.relative_to(root).as_posix()
            if not _ENGLISH.match(name):
                yield name, _read(file, name)
    yield "memoryapp/data/attributes.json", sentences()
    django = _home("django")
    for name in _DJANGO:
        yield f"django/{name}", _shown(_read(django / name, name))
    yield from _allauth(root / "templates")


def _read(file: Path, name: str) -> Found:
    if file.suffix == ".py":
        return python(file.read_bytes())
    if "templates/" in name:
        return template(file.read_text(encoding="utf-8"), name)
    return iter(())


def _home(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"{package} isn't installed")
    return Path(spec.origin).parent


def _shown(found: Found) -> Found:
    return (one for one in found if not any(_NEVER_SHOWN.search(text or "") for text in one[1]))


def python(source: bytes) -> Found:
    for _line, function, texts, comments in extract_python(
        BytesIO(source), KEYWORDS, ["Translators:"], {"encoding": "utf-8"}
    ):
        listed = list(texts) if isinstance(texts, (tuple, list)) else [texts]
        spec = KEYWORDS[str(function)]
        # An argument that isn't a plain string is nobody's to translate.
        if listed and all(listed[: len(spec) if spec else 1]):
            yield spec, listed, list(comments or ())


def template(source: str, name: str) -> Found:
    """Django turns everything but the messages into letters without a meaning; inside a
    bracket, Python doesn't mind how those are indented."""
    return python(f"(\n{templatize(source, origin=name)}\n)".encode())


def sentences() -> Found:
    """How the registry's attributes are said, each in the context that ``wording`` uses."""
    about = {"sentence": "about the user", "negated": "not so", "other": "about somebody else"}
    for row in registry.seeds():
        for field, comment in about.items():
            if row[field]:
                spec: Spec = ((1, "c"), 2)
                yield spec, [FACT, row[field]], [f"{row['key']}, {comment}"]


def _allauth(ours: Path) -> Iterator[tuple[str, Found]]:
    root = _home("allauth")
    for app in _ALLAUTH:
        if f"allauth.{app}" not in settings.INSTALLED_APPS:
            continue
        code = (root / app).rglob("*.py")
        # Of allauth's templates we use the messages and mails; its pages are our own.
        texts = (root / "templates" / app).glob("*/*.txt")
        for file in sorted([*code, *texts]):
            name = file.relative_to(root).as_posix()
            overridden = (ours / name.removeprefix("templates/")).exists()
            if not overridden and not _ALLAUTH_INTERNAL.search(name):
                yield f"allauth/{name}", _shown(_read(file, name))
