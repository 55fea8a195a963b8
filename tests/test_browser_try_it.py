"""The chat beside the memory in a real browser: with and without scripts, by keyboard, on
wide and narrow screens, and under the site's own strict policy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from accounts.models import User
from memoryapp.context import acting_for
from memoryapp.models import Message
from tests.browsing import Open, check, complaints, open_page, scripts
from tests.notebook import learn, moved

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["complaints", "open_page", "scripts"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("committed_db")]
WIDTHS = [1280, 375]


def say(page: Page, words: str) -> None:
    page.get_by_label("Your message").fill(words)
    page.get_by_role("button", name="Send").click()


def latest(page: Page) -> Any:
    return page.locator("#latest")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_question_is_answered_with_its_memories_beside_it(
    owner: User, open_page: Open, scripts: bool, width: int
) -> None:
    moved(owner)
    page = open_page(java_script_enabled=scripts, viewport={"width": width, "height": 800})
    page.goto("/try/")
    say(page, "Where do I live?")
    expect(latest(page).locator(".try-answer")).to_contain_text("You live in Lisbon")
    latest(page).get_by_text("Score").first.click()
    expect(latest(page).locator("meter").first).to_be_visible()
    latest(page).get_by_text("What a model would be given").click()
    expect(latest(page).get_by_text("===== MEMORY")).to_be_visible()
    expect(latest(page).get_by_text("Before that:")).to_be_visible()
    assert "Lisbon" not in page.url
    assert re.fullmatch(r"/try/(#latest)?", page.evaluate("location.pathname + location.hash"))
    answer, notes = (latest(page).locator(name).bounding_box() for name in
                     (".try-answer", ".try-notes"))  # fmt: skip
    assert answer is not None
    assert notes is not None
    beside = notes["x"] >= answer["x"] + answer["width"]
    assert beside if width == 1280 else notes["y"] >= answer["y"] + answer["height"]


def test_the_first_words_are_there_to_be_sent(owner: User, open_page: Open, scripts: bool) -> None:
    page = open_page(java_script_enabled=scripts)
    page.goto("/try/")
    page.get_by_role("button", name="Where do I live?").click()
    expect(latest(page).locator(".try-said")).to_have_text("Where do I live?")
    expect(latest(page).locator(".try-answer")).to_contain_text("I don’t have that.")
    expect(page.locator(".try-empty")).to_have_count(0)


def test_a_temporary_turn_and_an_earlier_day(owner: User, open_page: Open, scripts: bool) -> None:
    moved(owner)
    page = open_page(java_script_enabled=scripts)
    page.goto("/try/")
    page.get_by_label("Temporary").check()
    page.get_by_label("As of").fill("2026-03-20")
    say(page, "Where do I live?")
    expect(latest(page).locator(".try-marks")).to_contain_text("Temporary: not kept")
    expect(latest(page).locator(".try-answer")).to_contain_text("Porto")
    expect(page.get_by_label("Temporary")).to_be_checked()
    expect(page.get_by_label("As of")).to_have_value("2026-03-20")
    with acting_for(owner.pk):
        kept = Message.objects.filter(user_id=owner.pk, conversation__external_id="try-it").exists()
    assert not kept


def test_what_is_learned_appears_and_can_be_taken_back(
    worker: None, owner: User, open_page: Open
) -> None:
    page = open_page()
    page.goto("/try/")
    say(page, "I live in Porto.")
    fact = latest(page).get_by_role("link", name="You live in Porto.")
    fact.wait_for()
    expect(page.locator("#try-learned")).to_contain_text("New: You live in Porto.")
    expect(page.get_by_label("Your message")).to_be_focused()
    expect(page.locator(".try-learned[hx-trigger]")).to_have_count(0)
    latest(page).get_by_role("button", name="Undo").press("Enter")
    expect(page.locator(":focus")).to_have_text("Taken back.")
    expect(latest(page).get_by_role("button", name="Undo")).to_have_count(0)


# -- With scripts ---------------------------------------------------------------------------------


def test_one_writes_on_without_leaving_the_keyboard(owner: User, open_page: Open) -> None:
    moved(owner)
    page = open_page()
    page.goto("/try/")
    box = page.get_by_label("Your message")
    box.focus()
    page.keyboard.type("Where do")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("I live?")
    expect(box).to_have_value("Where do\nI live?")
    page.keyboard.press("Enter")
    expect(page.locator("#try-heard")).to_contain_text("You live in Lisbon")
    expect(box).to_be_focused()
    expect(box).to_have_value("")
    page.keyboard.type("What is my dentist called?")
    page.keyboard.press("Enter")
    expect(page.locator("#try-heard")).to_contain_text("I don’t have that.")
    expect(page.locator(".try-turn")).to_have_count(2)
    expect(page.locator("#latest")).to_have_count(1)
    expect(latest(page)).to_contain_text("I recalled nothing")
    latest_box, form = latest(page).bounding_box(), page.locator("#try-form").bounding_box()
    assert latest_box is not None
    assert form is not None
    assert latest_box["y"] < form["y"]


def test_what_one_wrote_comes_back_when_it_couldnt_be_sent(
    owner: User, open_page: Open, complaints: list[str]
) -> None:
    page = open_page()
    page.goto("/try/")
    page.route("**/try/", lambda route: route.abort())
    say(page, "Where do I live?")
    page.get_by_role("alert").filter(has_text="I couldn’t reach the server").wait_for()
    expect(page.get_by_label("Your message")).to_have_value("Where do I live?")
    expect(page.locator(".try-turn")).to_have_count(0)
    assert all("ERR_FAILED" in said or said.startswith("htmx:") for said in complaints)
    complaints.clear()
    page.unroute("**/try/")
    page.get_by_role("button", name="Send").click()
    expect(latest(page).locator(".try-answer")).to_contain_text("I don’t have that.")


def test_a_refused_day_is_told_and_the_words_stay(
    owner: User, open_page: Open, complaints: list[str]
) -> None:
    page = open_page()
    page.goto("/try/")
    page.get_by_label("As of").fill("1800-01-01")
    say(page, "Where do I live?")
    page.get_by_role("alert").filter(has_text="Choose a day up to today").wait_for()
    assert all("422" in said for said in complaints)
    complaints.clear()
    expect(page.get_by_label("Your message")).to_have_value("Where do I live?")
    page.get_by_label("As of").fill("")
    page.get_by_role("button", name="Send").click()
    expect(latest(page).locator(".try-answer")).to_contain_text("I don’t have that.")
    expect(page.locator("#try-errors")).to_be_empty()


# -- For everyone ---------------------------------------------------------------------------------


def _talk(user: User, page: Page) -> None:
    moved(user)
    learn(user, "I work as a nurse at the hospital", "I work as a nurse", "occupation", "nurse")
    page.goto("/try/")
    page.locator("#try-text").fill("I play the cello.")
    page.locator("#try-form button[type=submit]").click()
    page.locator("#latest .try-given").wait_for()
    page.locator("#try-text").fill("Where do I live?")
    page.locator("#try-form button[type=submit]").click()
    page.locator(".try-turn:nth-child(2)#latest").wait_for()
    page.locator("#latest .try-score summary").first.click()
    page.locator("#latest .try-given summary").click()


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 375), ("dark", 375)]
)
def test_the_page_is_clean_for_axe_and_fits(
    owner: User, open_page: Open, scheme: Any, width: int
) -> None:
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    page.goto("/try/")
    check(page, f"try-empty-{scheme}-{width}")
    _talk(owner, page)
    check(page, f"try-{scheme}-{width}")
    # A fresh page: what looks at this one leaves styles there, which the policy then refuses.
    page.goto("/try/")
    say(page, "What is the name of my dentist?")
    page.get_by_text("I recalled nothing").wait_for()
    expect(page.locator("#try-form.htmx-request")).to_have_count(0)
    check(page, f"try-nothing-{scheme}-{width}")


def test_from_right_to_left_on_a_narrow_screen(owner: User, open_page: Open) -> None:
    owner.language = "ar"
    owner.save(update_fields=["language"])
    page = open_page(viewport={"width": 320, "height": 640})
    _talk(owner, page)
    check(page, "try-rtl-320")


def test_targets_are_large_enough_for_a_finger(owner: User, open_page: Open) -> None:
    page = open_page(viewport={"width": 375, "height": 800}, has_touch=True, is_mobile=True)
    _talk(owner, page)
    small = page.evaluate(
        """() => [...document.querySelectorAll(
                '.try button, .try summary, .try-more a, .try-tools a, .try-options label, nav a')]
            .filter(e => e.offsetParent && e.getBoundingClientRect().height < 44)
            .map(e => e.outerHTML)"""
    )
    assert small == []
