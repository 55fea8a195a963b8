"""The review and the rules in a real browser: by keyboard, with and without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from accounts.models import User
from memoryapp.context import acting_for
from memoryapp.models import Fact, MemorySettings, NeverTopic
from tests.browsing import Open, check, complaints, open_page, page, scripts
from tests.notebook import delicate, moved
from tests.waiting import both, note, notes

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["complaints", "open_page", "page", "scripts"]

# A hundred answers are a hundred requests; how long they take is measured elsewhere.
PATIENCE = 300_000
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("committed_db")]


def counts(user: User) -> dict[str, int]:
    with acting_for(user.pk):
        found: dict[str, int] = {}
        for status in Fact.objects.filter(user_id=user.pk, operation="state").values_list(
            "status", flat=True
        ):
            found[status] = found.get(status, 0) + 1
    return found


@pytest.mark.timeout(600)
def test_a_hundred_by_keyboard(owner: User, open_page: Open) -> None:
    notes(owner, 100)
    page = open_page()
    page.goto("/review/", timeout=PATIENCE)
    first = page.locator("#inbox .fact.asking").first
    first.focus()
    for number in range(100):
        # The fifty-first comes from the server.
        open_one = page.locator("#inbox .fact.asking:not([aria-busy]):focus")
        expect(open_one).to_have_count(1, timeout=PATIENCE)
        page.keyboard.press("y" if number % 2 else "n")
    expect(page.locator("#inbox .fact.settled")).to_have_count(100, timeout=PATIENCE)
    expect(page.locator("#review-count")).to_be_empty(timeout=PATIENCE)
    assert counts(owner) == {"current": 50, "rejected": 50}


def test_every_key_does_what_the_list_says(owner: User, open_page: Open) -> None:
    for number in range(4):
        note(owner, f"Remark {number}.", on=1 + number)
    delicate(owner)
    page = open_page()
    page.goto("/review/", timeout=PATIENCE)
    items = page.locator("#inbox .fact")
    items.first.focus()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_have_attribute("open", "")
    page.keyboard.press("s")
    expect(page.get_by_text("asthma").first).to_be_visible()
    page.keyboard.press("j")
    expect(items.nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(items.nth(2)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("ArrowUp")
    expect(items.nth(0)).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.get_by_text("I’ll never remember this").first.wait_for()
    expect(items.nth(2)).to_be_focused()
    page.keyboard.press("u")
    expect(page.locator("#inbox .fact.settled")).to_have_count(0)
    expect(items.nth(1)).to_be_focused()
    assert counts(owner) == {"pending": 5}
    page.keyboard.press("e")
    page.get_by_role("button", name="Keep this").wait_for()


def test_keys_work_in_the_list_alone_and_can_be_switched_off(owner: User, open_page: Open) -> None:
    note(owner, "A remark.")
    page = open_page()
    page.goto("/review/", timeout=PATIENCE)
    page.keyboard.press("y")
    page.locator("#keys summary").click()
    page.keyboard.press("n")
    page.get_by_role("button", name="Switch the keys off").click()
    page.locator("#inbox .fact").first.focus()
    page.keyboard.press("y")
    page.locator("#keys summary").click()
    page.get_by_role("button", name="Switch the keys on").wait_for()
    assert counts(owner) == {"pending": 1}


@pytest.mark.timeout(600)
def test_the_next_page_comes_by_itself(owner: User, open_page: Open) -> None:
    notes(owner, 51)
    page = open_page()
    page.goto("/review/", timeout=PATIENCE)
    page.locator("#inbox .fact.asking").first.focus()
    for _number in range(50):
        page.keyboard.press("y")
    last = page.locator("#inbox .fact.asking:focus")
    expect(last).to_contain_text("Remark number 0", timeout=PATIENCE)
    page.keyboard.press("y")
    expect(page.locator("#inbox .fact.settled")).to_have_count(51, timeout=PATIENCE)
    assert counts(owner) == {"current": 51}


def test_an_undo_waits_until_its_answer_is_settled(owner: User, open_page: Open) -> None:
    """htmx shows what comes back with the question's own marks until it has settled."""
    notes(owner, 3)
    page = open_page()
    page.goto("/review/", timeout=PATIENCE)
    page.evaluate("window.htmx.config.defaultSettleDelay = 1500; window.stays = true")
    items = page.locator("#inbox .fact")
    items.first.focus()
    page.keyboard.press("x")
    told = page.locator("#inbox").get_by_text("I’ll never remember this")
    told.wait_for()
    page.keyboard.press("u")
    expect(told).to_have_count(0, timeout=PATIENCE)
    expect(items.first).to_be_focused(timeout=PATIENCE)
    assert page.evaluate("window.stays")
    assert counts(owner) == {"pending": 3}


@pytest.mark.timeout(600)
def test_an_answer_waits_until_the_question_is_ready(owner: User, open_page: Open) -> None:
    """What htmx hasn't taken up yet would leave as a plain form, and load the page anew."""
    notes(owner, 52)
    page = open_page()
    page.goto("/review/", timeout=PATIENCE)
    page.evaluate("window.htmx.config.defaultSettleDelay = 1500; window.stays = true")
    page.locator("#inbox .fact.asking").first.focus()
    for _number in range(50):
        page.keyboard.press("y")
    for number in (1, 0):
        focused = page.locator("#inbox .fact.asking:not([aria-busy]):focus")
        expect(focused).to_contain_text(f"Remark number {number}", timeout=PATIENCE)
        page.keyboard.press("y")
    expect(page.locator("#inbox .fact.settled")).to_have_count(52, timeout=PATIENCE)
    assert page.evaluate("window.stays")
    assert counts(owner) == {"current": 52}


@pytest.mark.parametrize(
    ("answer", "holds"),
    [("The first", ["no rice"]), ("The second", ["rice"]), ("Both", ["no rice", "rice"])],
)
def test_which_of_two_holds(owner: User, page: Page, answer: str, holds: list[str]) -> None:
    both(owner)
    page.goto("/review/", timeout=PATIENCE)
    page.get_by_text("You said both. Which holds?").wait_for()
    page.get_by_role("button", name=answer, exact=True).click()
    page.get_by_role("button", name="Undo").first.wait_for()
    with acting_for(owner.pk):
        current = Fact.objects.filter(user_id=owner.pk, status="current", operation="state")
        assert sorted(current.values_list("value", flat=True)) == holds
    page.get_by_role("button", name="Undo").first.click()
    page.get_by_text("Taken back").first.wait_for()
    page.goto("/review/", timeout=PATIENCE)
    page.get_by_text("You said both. Which holds?").wait_for()
    assert counts(owner) == {"current": 1, "pending": 1}


def test_never_and_back(owner: User, page: Page) -> None:
    note(owner, "A remark.")
    page.goto("/review/", timeout=PATIENCE)
    page.get_by_role("button", name="Never remember this").click()
    page.get_by_role("button", name="Undo").first.click()
    page.get_by_role("button", name="Never remember this").wait_for()
    assert counts(owner) == {"pending": 1}


def test_yes_to_all_and_back(owner: User, page: Page) -> None:
    notes(owner, 3)
    delicate(owner)
    page.goto("/review/?sort=unclear", timeout=PATIENCE)
    page.get_by_role("link", name="Yes to all of these").click()
    page.get_by_label("Remark number 1 of many.").uncheck()
    page.get_by_role("button", name="Yes, keep these").click()
    page.get_by_text("Kept 2 things.").wait_for()
    assert counts(owner) == {"current": 2, "pending": 2}
    page.get_by_role("button", name="Undo").first.click()
    page.get_by_text("2 of them are as they were").wait_for()
    assert counts(owner) == {"pending": 4}


def test_pausing_shows_on_every_page_until_it_goes_on(owner: User, page: Page) -> None:
    moved(owner)
    page.goto("/settings/", timeout=PATIENCE)
    page.get_by_label("For a week").check()
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Paused. I keep and learn nothing").wait_for()
    page.goto("/timeline/", timeout=PATIENCE)
    page.get_by_text("I’m not remembering anything new").wait_for()
    page.get_by_role("button", name="Go on remembering").click()
    page.wait_for_url("**/timeline/")
    expect(page.get_by_text("I’m not remembering anything new")).to_have_count(0)
    with acting_for(owner.pk):
        assert not MemorySettings.objects.get(user_id=owner.pk).paused


def test_a_topic_and_what_is_held_about_it(owner: User, page: Page) -> None:
    moved(owner)
    page.goto("/settings/", timeout=PATIENCE)
    page.get_by_label("In your own words").fill("Lisbon")
    page.get_by_role("button", name="Never remember this", exact=True).click()
    page.get_by_text("I won’t remember anything about this").wait_for()
    assert "Lisbon" not in page.url
    page.get_by_role("button", name="See what I hold about it").click()
    page.get_by_text("You live in Lisbon").first.wait_for()
    page.goto("/settings/", timeout=PATIENCE)
    page.get_by_role("button", name="Remove the rule").click()
    page.get_by_text("I may remember it again").wait_for()
    with acting_for(owner.pk):
        assert not NeverTopic.objects.filter(user_id=owner.pk).exists()


# -- For everyone ---------------------------------------------------------------------------------


def _all(user: User) -> None:
    delicate(user)
    both(user)
    note(user, "I once wrote a note that nobody understood, and it went on for a while.")
    note(user, "名前は田中です。", on=3)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_every_state_is_clean_for_axe_and_fits(
    owner: User, open_page: Open, complaints: list[str], scheme: Any, width: int
) -> None:
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.goto("/review/", timeout=PATIENCE)
    check(page, f"review-empty-{scheme}-{width}")
    _all(owner)
    page.goto("/review/", timeout=PATIENCE)
    page.locator("#inbox .fact").first.focus()
    page.keyboard.press("?")
    check(page, f"review-keys-{scheme}-{width}")
    page.keyboard.press("n")
    page.keyboard.press("x")
    page.get_by_text("I’ll never remember this").first.wait_for()
    check(page, f"review-answered-{scheme}-{width}")
    page.goto("/review/all/?sort=unclear", timeout=PATIENCE)
    check(page, f"review-all-{scheme}-{width}")
    page.goto("/settings/", timeout=PATIENCE)
    page.get_by_label("In your own words").fill("my divorce")
    page.get_by_role("button", name="Never remember this", exact=True).click()
    page.get_by_text("I won’t remember anything about this").wait_for()
    check(page, f"settings-topic-{scheme}-{width}")
    page.get_by_label("Until a day that I choose").check()
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Choose the day.").wait_for()
    check(page, f"settings-refused-{scheme}-{width}")
    complaints.clear()  # the browser notes the refusal
    page.get_by_label("Until tomorrow").check()
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Paused. I keep and learn nothing").wait_for()
    check(page, f"settings-paused-{scheme}-{width}")


@pytest.mark.parametrize("address", ["/review/", "/settings/"])
def test_from_right_to_left_on_a_narrow_screen(owner: User, open_page: Open, address: str) -> None:
    owner.language = "ar"
    owner.save(update_fields=["language"])
    _all(owner)
    page = open_page(viewport={"width": 320, "height": 640})
    page.goto(address, timeout=PATIENCE)
    check(page, f"rules-rtl-{address.strip('/')}")
