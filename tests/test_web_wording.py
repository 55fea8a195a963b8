"""Facts as sentences, dates as a person says them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.utils import timezone, translation

from memoryapp.web import dates, logbook, wording

NOW = datetime(2026, 3, 11, 12, tzinfo=UTC)  # a Wednesday


@dataclass
class Fact:
    subject: str = "user"
    attribute: str = "theme"
    scope: str = ""
    value: str = "dark mode"
    polarity: str = "affirmed"
    statement: str = "The user likes dark mode"


@dataclass
class Known:
    group: str = "preferences"
    sentence: str = "You use {value}."
    negated: str = "You don’t use {value}."
    other: str = "{subject} uses {value}."


REGISTRY = {"theme": Known()}


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (Fact(), "You use dark mode."),
        (Fact(polarity="negated"), "You don’t use dark mode."),
        (Fact(scope="ide"), "In your IDE, you use dark mode."),
        (Fact(scope="project:astronomy"), "For your project “astronomy”, you use dark mode."),
        (Fact(scope="side_gig"), "For side gig, you use dark mode."),
        (Fact(subject="person:mira-lee"), "Mira Lee uses dark mode."),
        (Fact(value="{subject} {0}"), "You use {subject} {0}."),
        (Fact(attribute="unheard_of"), "The user likes dark mode."),
        (Fact(attribute="unheard_of", statement="これだ。"), "これだ。"),
    ],
)
def test_sentence(fact: Fact, said: str) -> None:
    assert wording.sentence(fact, REGISTRY) == said


def test_a_template_that_cannot_be_filled_gives_way_to_the_statement() -> None:
    registry = {"theme": Known(sentence="You use {colour}.")}
    assert wording.sentence(Fact(), registry) == "The user likes dark mode."


def test_every_shipped_sentence_can_be_filled_and_has_a_place_on_the_page() -> None:
    from memoryapp.registry import seeds

    for row in seeds():
        known = Known(row["group"], row["sentence"], row["negated"], row["other"])
        for subject, polarity in [
            ("user", "affirmed"),
            ("user", "negated"),
            ("person:mira", "affirmed"),
        ]:
            fact = Fact(
                attribute=row["key"], subject=subject, polarity=polarity, value="X", statement=""
            )
            text = wording.sentence(fact, {row["key"]: known})
            assert "X" in text, row["key"]
            assert "{" not in text, row["key"]
        assert row["group"] in wording.GROUPS
        assert row["sensitive"] in {"", *wording.SENSITIVE}


def test_facts_about_others_stand_with_the_people() -> None:
    assert wording.group_of("pet:pim", "theme", "preference", REGISTRY) == "people"
    assert wording.group_of("user", "theme", "entity", REGISTRY) == "preferences"
    assert wording.group_of("user", "unheard_of", "project", {}) == "projects"


def test_a_sensitive_fact_is_covered_without_saying_it() -> None:
    assert wording.covered("health") == "Something about your health"
    assert wording.covered("something_new") == "Something private"
    assert wording.covered("") == ""


@pytest.mark.parametrize(
    ("moment", "precision", "when", "on"),
    [
        (datetime(2026, 3, 11, 1, tzinfo=UTC), "instant", "today", "today"),
        (datetime(2026, 3, 10, 23, tzinfo=UTC), "instant", "yesterday", "yesterday"),
        (datetime(2026, 3, 5, 9, tzinfo=UTC), "day", "last Thursday", "last Thursday"),
        (datetime(2026, 3, 4, 9, tzinfo=UTC), "day", "4 March 2026", "on 4 March 2026"),
        (datetime(2026, 3, 12, 9, tzinfo=UTC), "day", "12 March 2026", "on 12 March 2026"),
        (datetime(2026, 3, 1, tzinfo=UTC), "month", "March 2026", "in March 2026"),
        (datetime(2019, 1, 1, tzinfo=UTC), "year", "2019", "in 2019"),
    ],
)
def test_dates(
    monkeypatch: pytest.MonkeyPatch, moment: datetime, precision: str, when: str, on: str
) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    assert dates.when(moment, precision) == when
    assert dates.on(moment, precision) == on


def test_dates_follow_the_readers_time_zone_and_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    late = datetime(2026, 3, 10, 23, tzinfo=UTC)
    with timezone.override("Asia/Tokyo"):
        assert dates.when(late) == "today"
    with translation.override("de"):
        assert dates.when(datetime(2026, 1, 3, tzinfo=UTC)) == "3. Januar 2026"


def test_the_exact_time_is_in_the_title() -> None:
    html = Template("{% load page %}{{ at|when }}").render(
        Context({"at": datetime(2026, 1, 3, 7, 5, tzinfo=UTC)})
    )
    assert 'title="Saturday 3 January 2026, 07:05 UTC"' in html
    assert ">3 January 2026</time>" in html


def test_an_icon_is_drawn_in_place_and_an_unknown_one_is_refused() -> None:
    html = Template('{% load page %}{% icon "eraser" %}').render(Context())
    assert "<path" in html
    assert 'aria-hidden="true"' in html
    assert "style" not in html
    with pytest.raises(TemplateSyntaxError, match="no icon named"):
        Template('{% load page %}{% icon "../../etc/passwd" %}').render(Context())


def test_unknown_log_entries_are_still_said() -> None:
    assert logbook.action("moon.landing") == "Something else: moon.landing"
    assert logbook.decision("add", "a reason of tomorrow") == "I noted it."
    assert logbook.actor("user:1", "1", {}) == "by you"
    assert logbook.actor("user:2", "1", {}) == "by somebody else"
    assert logbook.actor("app:9", "1", {"9": "Chat"}) == "by Chat"
