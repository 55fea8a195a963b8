"""The page in every language: nothing left in English, nothing missing, nothing broken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core import mail
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import translation

from accounts.models import User
from memoryapp import registry
from memoryapp import settings as shipped
from memoryapp.management import catalogues, words
from memoryapp.web import dates, wording
from memoryapp.web import urls as web_urls
from memoryapp.web.lists import listed
from tests.notebook import delicate, learn, moved, talk_of, text

OFFERED = [code for code, _name in shipped.LANGUAGES if code != "en"]


@pytest.mark.parametrize("language", OFFERED)
def test_a_language_that_is_offered_says_everything_that_the_code_says(language: str) -> None:
    assert catalogues.complaints(language) == []


def test_every_offered_language_has_its_formats() -> None:
    for code, _name in shipped.LANGUAGES:
        assert (Path(shipped.LOCALE_PATHS[0]) / code / "formats.py").is_file()


# -- Finding the words ----------------------------------------------------------------------------


def _found(messages: words.Found) -> list[tuple[str | None, ...]]:
    return [tuple(texts) for _spec, texts, _comments in messages]


def test_words_are_found_in_python() -> None:
    source = b"""
label = gettext_lazy("Language")
_("one " "whole")
ngettext("%(n)s thing", "%(n)s things", n)
npgettext_lazy("list", "one", "many", n)
pgettext(FACT, template)
_(f"never {this}")
other("not this")
"""
    assert _found(words.python(source)) == [
        ("Language",),
        ("one whole",),
        ("%(n)s thing", "%(n)s things", None),
        ("list", "one", "many", None),
    ]


def test_words_are_found_in_templates() -> None:
    source = """{% load i18n %}
  <p title="{% translate "It’s (here)" %}">'" not this ( [ {{ x|default:_("nothing") }}</p>
{% if x %}{% blocktranslate count n=many trimmed %}
  {{ n }} thing, 100 % sure
    {% plural %}
  {{ n }} things
{% endblocktranslate %}{% endif %}
{% translate "May" context "month" %}{# {% translate "not this" %} #}"""
    assert _found(words.template(source, "made/up.html")) == [
        ("It’s (here)",),
        ("nothing",),
        ("%(n)s thing, 100 %% sure", "%(n)s things", None),
        ("month", "May"),
    ]


def test_two_plurals_of_one_singular_are_refused() -> None:
    found = Catalog()
    words._add(found, "a.py", (1, 2), ["One thing.", "%(n)s things."], [])
    words._add(found, "b.py", (1, 2), ["One thing.", "%(n)s things."], [])
    with pytest.raises(words.Clash, match=r"c\.py and a\.py say 'One thing\.'"):
        words._add(found, "c.py", (1, 2), ["One thing.", "%(total)s things."], [])


def test_the_registry_s_sentences_are_among_the_words() -> None:
    known = words.words()
    for row in registry.seeds():
        assert known.get(row["sentence"], wording.FACT) is not None


# -- What is wrong with a translation -------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "said", "wrong"),
    [
        ("%(n)s of {x}", "{x}: %(n)s", []),
        ("%(n)s of {x}", "{x}", ["has other placeholders ({x})"]),
        ("Keep", "", ["isn't translated"]),
        ("<b>Keep</b> it", "<i>Keep</i> it", ["has other tags"]),
        ("Keep\n", "Keep", ["begins or ends with other white space"]),
        (("%(n)s day", "%(n)s days"), ("un día", "%(n)s días"), []),
        (("One day", "%(n)s days"), ("un día", "días"), ["has other placeholders (none)"]),
        (("%(n)s day", "%(n)s days"), ("%(n)s día",), ["has the wrong number of forms"]),
    ],
)
def test_a_translation_must_keep_what_the_code_fills(
    source: Any, said: Any, wrong: list[str]
) -> None:
    assert list(catalogues.wrong(Message(source, said), catalogues.empty("es"))) == wrong


def test_arabic_may_leave_out_a_number_that_its_form_says() -> None:
    catalog = catalogues.empty("ar")
    source = ("%(n)s day", "%(n)s days")
    forms = ("لا أيام", "يوم", "يومان", "%(n)s أيام", "%(n)s يومًا", "%(n)s يوم")
    assert list(catalogues.wrong(Message(source, forms), catalog)) == []
    forms = (*forms[:3], "أيام", *forms[4:])
    assert list(catalogues.wrong(Message(source, forms), catalog)) == [
        "has other placeholders (none)"
    ]


def test_updating_keeps_translations_and_compiling_leaves_out_what_is_missing(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A language of which we have nothing.
    monkeypatch.setattr(catalogues, "PLURALS", {"it": catalogues.PLURALS["es"]})
    settings.LOCALE_PATHS = [tmp_path]
    with pytest.raises(CommandError, match="aren't complete"):
        call_command("messages", "--check", "--language", "it")
    call_command("messages", "--language", "it")
    file = catalogues.path("it")
    lines = file.read_text(encoding="utf-8")
    lines = lines.replace('msgid "Settings"\nmsgstr ""', 'msgid "Settings"\nmsgstr "Impostazioni"')
    file.write_text(lines + '\nmsgid "Long ago"\nmsgstr "Tempo fa"\n', encoding="utf-8")
    assert "django.mo isn't what" not in catalogues.complaints("it")

    call_command("messages", "--language", "it")
    held = catalogues.load("it")
    assert held is not None
    assert [one.string for one in held if one.id == "Settings"] == ["Impostazioni"]
    assert '#~ msgid "Long ago"' in file.read_text(encoding="utf-8")
    assert "is no longer said: 'Long ago'" not in catalogues.complaints("it")
    settings.LOCALE_PATHS = [tmp_path]  # read anew
    with translation.override("it"):
        assert translation.gettext("Settings") == "Impostazioni"
        assert translation.ngettext("%(n)s memory", "%(n)s memories", 2) == "%(n)s memories"

    call_command("messages", "--language", "it", "--prune")
    assert "Long ago" not in file.read_text(encoding="utf-8")


# -- In a language that is none -------------------------------------------------------------------


@pytest.fixture
def brackets(settings: Any, tmp_path: Path) -> str:
    """A language in which every message of ours stands between ⟦ and ⟧, so that what
    doesn't was never given to a translator. Its code is Esperanto's, of which we have nothing."""
    made = Catalog(locale="eo", charset="utf-8")
    for message in words.words():
        if message.id:
            said = (
                f"⟦{message.id}⟧"
                if isinstance(message.id, str)
                else tuple(f"⟦{one}⟧" for one in message.id)
            )
            made.add(message.id, said, context=message.context)
    stream = BytesIO()
    write_mo(stream, made)
    folder = tmp_path / "eo" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "django.mo").write_bytes(stream.getvalue())
    settings.LOCALE_PATHS = [tmp_path]
    settings.LANGUAGES = [*settings.LANGUAGES, ("eo", "Esperanto")]
    return "eo"


class _Words(HTMLParser):
    """What of a page people read or hear, but for dates, code and names."""

    UNREAD = frozenset({"script", "style", "time", "code", "pre", "kbd", "option", "svg"})
    HEARD = frozenset({"title", "aria-label", "placeholder", "alt", "hx-confirm"})

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.UNREAD:
            self._unread += 1
        elif not self._unread:
            # Scripts take their words from the page, in attributes.
            self.said += [
                value
                for name, value in attrs
                if value and (name in self.HEARD or (name.startswith("data-") and " " in value))
            ]

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in self.UNREAD

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.said.append(data)


# Said the same in every language; and Esperanto's dates, which Django knows.
_NAMES = re.compile(
    r"memoryapp|ChatGPT|Claude|Gemini|JSON|HTML|PDF|CSV|API|Markdown|OpenAI|MCP"
    r"|(?i:(\d+-a de )?\b(jan|feb|mar|apr|maj|jun|jul|aŭg|sep|okt|nov|dec)"
    r"((uar|ruar|t|il|i|ust|tembr|obr|embr)?o)?\b( de (?=\d))?)"
)


def left_in_english(html: str) -> list[str]:
    """What stands outside all brackets, which may hold elements and other brackets."""
    page = _Words()
    page.feed(html)
    rest = "\n".join(page.said)
    while rest != (rest := re.sub(r"⟦[^⟦⟧]*⟧", "", rest)):
        pass
    return [
        line.strip()
        for line in rest.split("\n")
        if re.search(r"[A-Za-z]{2,}", _NAMES.sub("", line))
    ]


def _patterns(patterns: Iterable[Any] = web_urls.urlpatterns) -> Iterator[URLPattern]:
    for one in patterns:
        if isinstance(one, URLPattern):
            yield one
        else:
            yield from _patterns(one.url_patterns)


def _addresses(ids: dict[str, UUID]) -> Iterator[str]:
    """Every page that a link can lead to: with the ids that there are."""
    for pattern in _patterns():
        takes = pattern.pattern.converters
        if pattern.name and pattern.name != "live" and set(takes) <= set(ids):
            yield reverse(pattern.name, kwargs={name: ids[name] for name in takes})


@pytest.fixture
def notebook(db: None, owner: User) -> dict[str, UUID]:
    """Facts and words in a script that no page of ours uses."""
    User.objects.filter(pk=owner.pk).update(email="1@2.3")
    learn(owner, "東京に住んでいます", "東京に住んでいます", "city", "東京")
    fact = learn(owner, "大阪に引っ越した", "大阪に引っ越した", "city", "大阪", days=40)
    learn(owner, "姉は京都にいる", "姉は京都", "city", "京都", subject="person:sister", days=50)
    learn(owner, "妹は恵美", "妹は恵美", "relation", "sister", subject="person:恵美", days=50)
    learn(owner, "暗い画面", "暗い画面", "theme", "暗い", scope="ide", days=51)
    learn(owner, "肩が痛い", "肩が痛い", "health_condition", "痛い", days=52)
    learn(owner, "猫がいる", "猫がいる", "pet", "猫", days=53)
    assert fact is not None
    return {"fact_id": fact, "conversation_id": talk_of(owner)}


def test_no_page_says_a_word_that_no_translator_was_given(
    brackets: str, owner: User, notebook: dict[str, UUID]
) -> None:
    User.objects.filter(pk=owner.pk).update(language=brackets)
    owner.refresh_from_db()
    client = Client()
    client.force_login(owner)
    names = ["account_email", "account_change_password", "mfa_index", "usersessions_list"]
    left, seen = {}, 0
    for address in [*_addresses(notebook), *map(reverse, names)]:
        response = client.get(address, follow=True)
        if response.status_code == 200 and "text/html" in response.headers["Content-Type"]:
            seen += 1
            if words_left := left_in_english(response.getvalue().decode()):
                left[address] = words_left
    assert left == {}
    assert seen > 12


def test_no_page_before_signing_in_says_a_word_that_no_translator_was_given(
    db: None, brackets: str
) -> None:
    visitor = Client(headers={"accept-language": brackets})
    for name in ["login", "signup", "reset_password", "request_login_code", "login"]:
        address = reverse(f"account_{name}")
        for response in (visitor.get(address), visitor.post(address, {"email": "1", "login": "1"})):
            assert left_in_english(text(response)) == [], name
    assert left_in_english(text(visitor.get("/nowhere/"))) == []


def test_the_test_above_finds_what_is_left() -> None:
    html = (
        '<title>⟦a⟧</title><p aria-label="Close">⟦You ⟦have⟧ 大⟧<b data-words="not yet">!</b></p>'
    )
    assert left_in_english(html) == ["Close", "not yet"]
    assert left_in_english("<p>Hello</p><time>3 March</time>") == ["Hello"]


# -- In the languages that are ---------------------------------------------------------------------


@pytest.mark.parametrize("language", OFFERED)
def test_pages_are_in_the_readers_language_and_direction(owner: User, language: str) -> None:
    moved(owner)
    delicate(owner)
    User.objects.filter(pk=owner.pk).update(language=language)
    owner.refresh_from_db()
    client = Client()
    client.force_login(owner)
    direction = "rtl" if language == "ar" else "ltr"
    for name in ("memories", "review", "activity", "settings", "conversations", "imports"):
        response = client.get(reverse(name))
        html = text(response)
        assert f'<html lang="{language}" dir="{direction}"' in html
        assert response.headers["Content-Language"] == language
        page = _Words()
        page.feed(html)
        shown = {re.sub(r"\s+", " ", one).strip() for one in page.said}
        english = {
            message.id
            for message in words.words()
            if isinstance(message.id, str)
            and message.id in shown
            and " " in message.id
            and _in(language, message) != message.id
        }
        assert english == set(), name


def _in(language: str, message: Message) -> str:
    with translation.override(language):
        return (
            translation.pgettext(message.context, message.id)  # type: ignore[arg-type]
            if message.context
            else translation.gettext(message.id)  # type: ignore[arg-type]
        )


@pytest.mark.parametrize("language", OFFERED)
def test_every_sentence_of_the_registry_says_its_value_in_every_language(
    language: str,
) -> None:
    for row in registry.seeds():
        with translation.override(language):
            for field in ("sentence", "negated", "other"):
                said = translation.pgettext(wording.FACT, row[field])
                assert said != row[field] or not row[field].strip("{}value. "), row["key"]
                assert ("{value}" in said) == ("{value}" in row[field])


def test_what_an_admin_wrote_stays_as_it_is(brackets: str) -> None:
    fact = _Fact()
    with translation.override(brackets):
        assert wording.sentence(fact, {"city": _Known("You live in {value}.")}) == (
            "⟦You live in 東京.⟧."
        )
        assert wording.sentence(fact, {"city": _Known("Home is {value}.")}) == "Home is 東京."


class _Fact:
    subject = "user"
    attribute = "city"
    scope = ""
    value = "東京"
    polarity = "affirmed"
    statement = ""


class _Known:
    group = "home"
    negated = ""
    other = ""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence


@pytest.mark.parametrize(
    ("language", "day", "month", "number"),
    [
        ("en", "3 March 2025", "March 2025", "1,234,567"),
        ("es", "3 de marzo de 2025", "marzo de 2025", "1\xa0234\xa0567"),
        ("de", "3. März 2025", "März 2025", "1.234.567"),
        ("hi", "3 मार्च 2025", "मार्च 2025", "12,34,567"),
        ("ar", "3 مارس 2025", "مارس 2025", "1,234,567"),
    ],
)
def test_dates_and_numbers_are_written_as_in_the_language(
    language: str, day: str, month: str, number: str
) -> None:
    moment = datetime(2025, 3, 3, 15, 4, tzinfo=UTC)
    with translation.override(language):
        assert dates.when(moment) == day
        assert dates.when(moment, "month") == month
        assert intcomma(1_234_567) == number
        assert dates.exact(moment).endswith("15:04 UTC")


def test_several_things_are_listed_as_the_language_does(brackets: str) -> None:
    assert [listed(some) for some in ([], ["a"], ["a", "b"], ["a", "b", "c", "d"])] == [
        "",
        "a",
        "a and b",
        "a, b, c and d",
    ]
    with translation.override(brackets):
        assert listed(["a", "b", "c"]) == "⟦⟦a, b⟧ and c⟧"


def test_a_mail_is_in_the_language_of_its_account_whatever_the_browser_asks_for(
    brackets: str, owner: User
) -> None:
    User.objects.filter(pk=owner.pk).update(language=brackets)
    visitor = Client(headers={"accept-language": "de"})
    visitor.post(reverse("account_request_login_code"), {"email": owner.email})
    assert "⟦" in mail.outbox[-1].subject
