"""Correcting, undoing and asking why, in a real browser: with and without scripts, by
keyboard, and every state for everyone's eyes."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import User
from memoryapp import uses
from memoryapp.context import acting_for
from memoryapp.models import Fact, Message
from tests.api import application
from tests.browsing import Open, check, complaints, fact, open_page, page, scripts
from tests.notebook import delicate, facts, learn, moved

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["complaints", "open_page", "page", "scripts"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("committed_db")]
WINDOWS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 900}},
    "phone-dark": {"viewport": {"width": 375, "height": 812}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 320, "height": 640}},
}


def edit(page: Page, words: str) -> None:
    fact(page, words).get_by_role("link", name="Edit").click()
    page.get_by_label("What should it say?").wait_for()


def home(person: User) -> Fact:
    [row] = facts(person, attribute="home", status=Fact.Status.CURRENT)
    return row


def used(person: User, fact_id: UUID) -> None:
    """Chatty's answer, kept in its conversation, used the fact."""
    made, _secret = application(person, name="Chatty")
    with acting_for(person.pk):
        message = Message.objects.filter(user_id=person.pk).latest("sent_at")
        uses.note(
            user_id=person.pk,
            fact_ids=[fact_id],
            answer=uses.Answer(
                "chat", timezone.now(), made.pk, message.conversation_id, message.pk
            ),
        )


def test_a_change_and_its_undoing(owner: User, page: Page) -> None:
    moved(owner)
    page.goto("/")
    edit(page, "You live in Lisbon")
    page.get_by_label("What should it say?").fill("Coimbra")
    page.get_by_role("button", name="Keep this").click()
    page.get_by_text("Noted. What it said before is kept as the past.").wait_for()
    assert home(owner).value == "Coimbra"
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Taken back. All is as it was.").wait_for()
    expect(fact(page, "You live in Lisbon")).to_have_count(1)
    assert home(owner).value == "Lisbon"


def test_more_than_the_value(owner: User, page: Page) -> None:
    moved(owner)
    page.goto("/")
    edit(page, "You live in Lisbon")
    page.get_by_label("Year").fill("2025")
    page.get_by_text("Where it holds, how long").click()
    page.get_by_label("Where does it hold?").fill("At work")
    page.get_by_label("It matters a lot").check()
    page.get_by_label("Pin it").check()
    page.get_by_role("button", name="Keep this").click()
    page.get_by_text("Noted.").first.wait_for()
    [row] = facts(owner, attribute="home", status=Fact.Status.CURRENT, value="Lisbon")
    assert (row.scope, row.chosen_importance, row.pinned) == ("work", 0.9, True)
    assert (row.valid_from.year, row.precision) == (2025, "year")


def test_two_tabs_at_once(owner: User, page: Page, complaints: list[str]) -> None:
    moved(owner)
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto("/")
        edit(tab, "You live in Lisbon")
    for tab, value in ((other, "Faro"), (page, "Rome")):
        tab.get_by_label("What should it say?").fill(value)
        tab.get_by_role("button", name="Keep this").click()
        tab.get_by_text("Noted." if tab is other else "This changed while").first.wait_for()
    assert home(owner).value == "Faro"
    expect(page.get_by_label("What you wrote")).to_have_value("Rome")
    expect(page.get_by_text("You live in Faro.").first).to_be_visible()
    page.get_by_role("button", name="Keep mine instead").click()
    page.get_by_text("Noted.").first.wait_for()
    assert home(owner).value == "Rome"
    # A browser says on its console that the server answered 409: so it did.
    complaints[:] = [said for said in complaints if "409" not in said]


def test_why_says_which_answer_used_it(owner: User, page: Page) -> None:
    fact_id = moved(owner)
    used(owner, fact_id)
    page.goto("/")
    fact(page, "You live in Lisbon").get_by_role("link", name="Why").click()
    page.get_by_role("heading", name="Which answers used it").wait_for()
    page.get_by_text("Chatty used this for an answer today.").first.wait_for()
    page.get_by_role("link", name="See the answer").click()
    expect(page.locator("[id^=message-]:target")).to_be_visible()
    assert "#message-" in page.url


def test_what_was_done_by_hand_is_undone_on_the_page_why(owner: User, page: Page) -> None:
    fact_id = moved(owner)
    page.goto("/")
    edit(page, "You live in Lisbon")
    page.get_by_label("What should it say?").fill("Coimbra")
    page.get_by_role("button", name="Keep this").click()
    page.get_by_text("Noted.").first.wait_for()
    page.goto(f"/memories/{home(owner).pk}/")
    page.get_by_text("You changed this today.").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Taken back. All is as it was.").wait_for()
    assert home(owner).pk == fact_id


# -- With scripts, by keyboard -------------------------------------------------------------------


def test_all_by_keyboard(owner: User, open_page: Open) -> None:
    moved(owner)
    page = open_page()
    page.goto("/")
    fact(page, "You live in Lisbon").get_by_role("link", name="Edit").press("Enter")
    expect(page.get_by_label("What should it say?")).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Coimbra")
    page.keyboard.press("Enter")
    expect(page.locator(":focus")).to_contain_text("Noted.")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Undo")
    page.keyboard.press("Enter")
    expect(page.locator(":focus")).to_contain_text("Taken back.")
    assert home(owner).value == "Lisbon"


# -- Every state, for everyone's eyes ------------------------------------------------------------


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
def test_every_state(
    owner: User, open_page: Open, request: pytest.FixtureRequest, window: dict[str, Any],
    complaints: list[str],
) -> None:  # fmt: skip
    looks = request.node.callspec.id
    fact_id = moved(owner)
    used(owner, fact_id)
    covered = delicate(owner)
    page = open_page(**window)
    url = f"/memories/{fact_id}/"
    page.goto(url)
    check(page, f"why-{looks}")
    page.goto(f"/memories/{covered}/")
    check(page, f"why-covered-{looks}")
    page.goto(f"{url}edit/")
    page.get_by_text("Where it holds, how long").click()
    check(page, f"edit-{looks}")
    page.get_by_label("What should it say?").fill("...")
    page.get_by_label("Day").fill("3")
    page.get_by_label("Until when").fill((timezone.localdate() + timedelta(9)).isoformat())
    page.get_by_label("Pin it").check()
    page.get_by_role("button", name="Keep this").click()
    page.get_by_text("Write what it should say").wait_for()
    check(page, f"edit-refused-{looks}")
    page.goto(f"{url}edit/")
    learn(owner, "Now it is Faro.", "it is Faro", "city", "Faro", days=60)
    page.get_by_label("What should it say?").fill("Rome")
    page.get_by_role("button", name="Keep this").click()
    page.get_by_text("This changed while you were writing.").wait_for()
    check(page, f"edit-conflict-{looks}")
    page.get_by_role("button", name="Keep mine instead").click()
    page.get_by_text("Noted.").first.wait_for()
    check(page, f"edit-noted-{looks}")
    page.goto(f"/memories/{home(owner).pk}/")
    check(page, f"why-undo-{looks}")
    complaints[:] = [said for said in complaints if "409" not in said and "422" not in said]
