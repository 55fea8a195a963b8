"""The page in a real browser: the main journeys with and without scripts, by keyboard,
for everyone's eyes, and under the site's own strict policy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from accounts.models import User
from memoryapp.context import acting_for
from memoryapp.models import Fact
from tests.browsing import Open, check, complaints, fact, open_page, page, scripts
from tests.notebook import delicate, learn, moved

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["complaints", "open_page", "page", "scripts"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("committed_db")]
PAGES = ["/", "/?choose=1", "/review/", "/conversations/", "/activity/", "/settings/"]


def current(user: User) -> list[str]:
    with acting_for(user.pk):
        return list(
            Fact.objects.filter(user_id=user.pk, status=Fact.Status.CURRENT)
            .order_by("value")
            .values_list("value", flat=True)
        )


def test_edit(owner: User, page: Page) -> None:
    moved(owner)
    page.goto("/")
    fact(page, "You live in Lisbon").get_by_role("link", name="Edit").click()
    page.get_by_label("What should it say?").fill("Coimbra")
    page.get_by_label("It has changed").check()
    page.get_by_role("button", name="Keep this").click()
    page.get_by_text("You live in Coimbra.").first.wait_for()
    assert current(owner) == ["Coimbra"]


def test_forget(owner: User, page: Page) -> None:
    moved(owner)
    page.goto("/")
    fact(page, "You live in Lisbon").get_by_role("link", name="Forget", exact=True).click()
    page.get_by_text("Gone for good, here and in everything").wait_for()
    page.get_by_role("button", name="Forget").click()
    page.get_by_text("Forgotten for good").first.wait_for()
    assert "Lisbon" not in page.content()
    assert "Porto" not in page.content()
    assert current(owner) == []
    page.goto("/conversations/")
    page.locator(".rows a").first.click()
    assert "Lisbon" not in page.content()


def test_forget_several(owner: User, page: Page) -> None:
    moved(owner)
    learn(owner, "I play chess", "I play chess", "hobby", "chess")
    page.goto("/")
    page.get_by_role("link", name="Choose several to forget").click()
    page.get_by_label("You live in Lisbon.").check()
    page.get_by_role("button", name="Forget the chosen ones").click()
    page.get_by_role("heading", name="Forget these?").wait_for()
    page.get_by_role("button", name="Forget").click()
    page.get_by_text("Forgotten for good").first.wait_for()
    assert current(owner) == ["chess"]


@pytest.mark.parametrize(("answer", "left"), [("Yes", ["asthma"]), ("No", [])])
def test_review(owner: User, page: Page, answer: str, left: list[str]) -> None:
    delicate(owner)
    page.goto("/review/")
    page.get_by_role("button", name=answer).click()
    said = "You find it in the overview" if left else "I won’t ask again"
    page.get_by_text(said).first.wait_for(state="attached")
    assert current(owner) == left


def test_a_delicate_fact_stays_covered_until_touched(owner: User, page: Page) -> None:
    delicate(owner)
    page.goto("/review/")
    sentence = page.get_by_text("asthma").first
    expect(sentence).to_be_hidden()
    page.get_by_text("Something about your health").click()
    expect(sentence).to_be_visible()


def test_search(owner: User, page: Page) -> None:
    moved(owner)
    learn(owner, "I play the cello", "I play the cello", "hobby", "playing the cello")
    page.goto("/")
    page.get_by_role("searchbox").fill("Lisbon")
    page.get_by_role("searchbox").press("Enter")
    page.get_by_role("heading", name="Found").wait_for()
    expect(fact(page, "You live in Lisbon")).to_have_count(1)
    assert "Lisbon" not in page.url


def test_why(owner: User, page: Page) -> None:
    moved(owner)
    page.goto("/")
    fact(page, "You live in Lisbon").get_by_role("link", name="Why").click()
    page.get_by_role("heading", name="Why I remember this").wait_for()
    expect(page.locator("mark")).to_have_text("I moved to Lisbon")


# -- With scripts ---------------------------------------------------------------------------------


def test_the_focus_follows_what_happens(owner: User, open_page: Open) -> None:
    moved(owner)
    page = open_page()
    page.goto("/")
    edit = fact(page, "You live in Lisbon").get_by_role("link", name="Edit")
    edit.focus()
    page.keyboard.press("Enter")
    page.get_by_label("What should it say?").wait_for()
    expect(page.get_by_label("What should it say?")).to_be_focused()
    page.get_by_role("link", name="Leave it as it is").press("Enter")
    expect(page.locator(":focus")).to_have_text("Edit")

    page.get_by_role("link", name="Forget", exact=True).press("Enter")
    expect(page.locator(":focus")).to_have_text("Forget this?")
    page.get_by_role("button", name="Forget").press("Enter")
    expect(page.locator(":focus")).to_contain_text("Forgotten for good")
    expect(page.locator("#lede")).to_have_text("I remember nothing about you yet.")


def test_the_drawer_gives_the_focus_back_and_keeps_nothing(owner: User, open_page: Open) -> None:
    moved(owner)
    page = open_page()
    page.goto("/")
    page.get_by_role("link", name="Why").press("Enter")
    expect(page.locator("#drawer-title")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(":focus")).to_have_text("Why")
    expect(page.locator("#drawer-body")).to_be_empty()


def test_search_finds_while_one_types(owner: User, open_page: Open) -> None:
    moved(owner)
    page = open_page()
    page.goto("/")
    page.get_by_role("searchbox").press_sequentially("Lisbon", delay=20)
    page.get_by_role("heading", name="Found").wait_for()
    page.get_by_role("searchbox").fill("")
    page.get_by_role("heading", name="Home").wait_for()


def test_a_server_out_of_reach_is_said_and_nothing_is_lost(
    owner: User, open_page: Open, complaints: list[str]
) -> None:
    moved(owner)
    page = open_page()
    page.goto("/")
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("What should it say?").fill("Coimbra")
    page.route("**/edit/", lambda route: route.abort())
    page.get_by_role("button", name="Keep this").click()
    page.get_by_role("alert").filter(has_text="I couldn’t reach the server").wait_for()
    assert page.get_by_label("What should it say?").input_value() == "Coimbra"
    assert all("ERR_FAILED" in said or said.startswith("htmx:") for said in complaints)
    complaints.clear()

    page.unroute("**/edit/")
    page.get_by_role("button", name="Keep this").click()
    page.get_by_text("You live in Coimbra.").first.wait_for()
    expect(page.get_by_role("alert")).to_be_hidden()
    assert current(owner) == ["Coimbra"]


def test_htmx_runs_nothing_it_was_sent(owner: User, open_page: Open) -> None:
    page = open_page()
    page.goto("/")
    config = page.evaluate("htmx.config")
    assert config["allowEval"] is False
    assert config["allowScriptTags"] is False
    assert config["historyCacheSize"] == 0
    # htmx notes the page's path in the session; no page of it may be kept.
    kept = page.evaluate("Object.keys(localStorage).concat(Object.keys(sessionStorage))")
    assert set(kept) <= {"htmx-current-path-for-history"}


def test_the_example_is_read_while_one_watches(worker: None, owner: User, open_page: Open) -> None:
    page = open_page()
    page.goto("/")
    page.get_by_role("button", name="Try an example conversation").click()
    page.locator("#list .fact").first.wait_for()
    expect(page.locator("#status [hx-trigger], #status[hx-trigger]")).to_have_count(0)
    expect(page.locator("#lede")).to_contain_text(f"I remember {len(current(owner))} things")


# -- For everyone ---------------------------------------------------------------------------------


def _notebook(user: User) -> None:
    moved(user)
    delicate(user)
    learn(user, "我的朋友叫王小明", "我的朋友叫王小明", "friend", "王小明")
    long = "no tables, no summaries, " * 18
    learn(user, long, long.strip(), "answer_format", long.strip()[:480])
    unbroken = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    learn(user, f"I work at {unbroken}", f"I work at {unbroken}", "employer", unbroken)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_every_page_is_clean_for_axe_and_fits(
    owner: User, open_page: Open, scheme: Any, width: int
) -> None:
    _notebook(owner)
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    for address in PAGES:
        page.goto(address)
        check(page, f"{re.sub(r'[^a-z]', '', address) or 'memories'}-{scheme}-{width}")
    page.goto("/")
    page.get_by_role("link", name="Edit").first.click()
    page.get_by_label("What should it say?").wait_for()
    page.get_by_role("link", name="Forget", exact=True).first.click()
    page.get_by_text("Gone for good").wait_for()
    check(page, f"panels-{scheme}-{width}")
    page.get_by_role("link", name="Why").first.click()
    page.get_by_role("heading", name="Why I remember this").wait_for()
    check(page, f"why-{scheme}-{width}")


def test_from_right_to_left_on_a_narrow_screen(owner: User, open_page: Open) -> None:
    owner.language = "ar"
    owner.save(update_fields=["language"])
    _notebook(owner)
    page = open_page(viewport={"width": 320, "height": 640})
    for address in PAGES:
        page.goto(address)
        check(page, f"rtl-{re.sub(r'[^a-z]', '', address) or 'memories'}")


def test_targets_are_large_enough_for_a_finger(owner: User, open_page: Open) -> None:
    _notebook(owner)
    page = open_page(viewport={"width": 375, "height": 800}, has_touch=True, is_mobile=True)
    page.goto("/")
    small = page.evaluate(
        """() => [...document.querySelectorAll('.controls a, button, nav a, summary')]
            .filter(e => e.offsetParent && e.getBoundingClientRect().height < 44)
            .map(e => e.outerHTML)"""
    )
    assert small == []
