"""Forgetting in a real browser: each way, with and without scripts, and every state of it
under axe."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import Application, EndUser, PageLink, User
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Fact
from tests.browsing import Open, check, complaints, open_page
from tests.notebook import delicate, learn, moved, talk_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["complaints", "open_page"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("committed_db")]
PASSWORD = "correct horse battery"


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def page(request: pytest.FixtureRequest, open_page: Open) -> Page:
    return open_page(java_script_enabled=request.param)


def held(user: User) -> list[str]:
    with acting_for(user.pk):
        return sorted(
            Fact.objects.filter(user_id=user.pk, operation="state").values_list("value", flat=True)
        )


def notebook(user: User) -> Application:
    """A city with a past, a hobby proven twice, a sister, something delicate; the city came
    through an application."""
    moved(user)
    chess = ("I play chess", "hobby", "chess")
    learn(user, "I play chess in the park", *chess, conversation="elsewhere", days=2)
    learn(user, "I play chess with Mira", *chess, conversation="other", days=5)
    learn(user, "My sister is Mira", "My sister is Mira", "sister", "Mira", conversation="other")
    learn(user, "Mira paints", "Mira paints", "hobby", "painting", subject="person:mira",
          conversation="other", days=3)  # fmt: skip
    delicate(user, conversation="elsewhere")
    application = Application.objects.create(
        owner=User.objects.create_user("maker@example.com"), name="Chatty"
    )
    with acting_for(user.pk):
        Conversation.objects.filter(external_id__in=["talk", "elsewhere"]).update(
            application_id=application.pk
        )
    return application


def show_that_its_me(page: Page) -> None:
    page.get_by_role("link", name="Show that it’s me").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()


# -- The journeys ---------------------------------------------------------------------------------


def test_one_memory_and_its_receipt(owner: User, page: Page) -> None:
    moved(owner)
    page.goto("/")
    page.locator(".fact").get_by_role("link", name="Forget", exact=True).first.click()
    page.get_by_text("until 2 April 2026").wait_for()
    page.get_by_label("And never remember this again").check()
    page.get_by_role("button", name="Forget", exact=True).click()
    page.get_by_role("link", name="See the receipt").click()
    page.get_by_role("heading", name="What you chose was forgotten").wait_for()
    expect(page.get_by_text("2 memories")).to_be_visible()
    assert held(owner) == []


def test_a_topic(owner: User, page: Page) -> None:
    notebook(owner)
    page.goto("/forget/")
    page.get_by_role("link", name="A topic").click()
    page.get_by_role("searchbox", name="What is it about?").fill("Lisbon")
    page.get_by_role("button", name="Look").click()
    expect(page.get_by_label("You live in Lisbon.")).to_be_checked()
    page.get_by_label("You live in Porto.").uncheck()
    page.get_by_role("button", name="Forget what is ticked").click()
    page.get_by_role("heading", name="A topic was forgotten").wait_for()
    assert "Lisbon" not in page.url
    assert held(owner) == ["Mira", "Porto", "asthma", "chess", "painting"]


def test_somebody(owner: User, page: Page) -> None:
    notebook(owner)
    page.goto("/forget/")
    page.get_by_role("link", name="Somebody").click()
    page.get_by_role("button", name="Mira").click()
    page.get_by_role("heading", name="Forget everything about Mira?").wait_for()
    page.get_by_label("Mira paints.").or_(page.get_by_label("painting")).first.wait_for()
    page.get_by_role("button", name="Forget what is ticked").click()
    page.get_by_role("heading", name="A topic was forgotten").wait_for()
    assert held(owner) == ["Lisbon", "Porto", "asthma", "chess"]


def test_a_stretch_of_time(owner: User, page: Page) -> None:
    notebook(owner)
    page.goto("/forget/")
    page.get_by_role("link", name="A stretch of time").click()
    page.get_by_label("From").fill("2026-03-04")
    page.get_by_label("To", exact=True).fill("2026-04-30")
    page.get_by_role("button", name="Show what would go").click()
    expect(page.get_by_label("Let what you had said before hold again")).to_be_checked()
    page.get_by_role("button", name="Forget", exact=True).click()
    page.get_by_role("heading", name="What was said in a stretch of time").wait_for()
    assert held(owner) == ["Mira", "Porto"]


def test_what_an_application_brought(owner: User, page: Page) -> None:
    notebook(owner)
    page.goto("/forget/")
    page.get_by_role("link", name="What “Chatty” brought").click()
    page.get_by_text("This stays, because I know it from elsewhere, too:").wait_for()
    show_that_its_me(page)
    page.get_by_role("button", name="Forget", exact=True).click()
    page.get_by_role("heading", name="What an app had brought was forgotten").wait_for()
    assert held(owner) == ["Mira", "chess", "painting"]


def test_everything(owner: User, page: Page) -> None:
    notebook(owner)
    page.goto("/forget/")
    page.get_by_role("link", name=re.compile("^Everything")).click()
    show_that_its_me(page)
    page.get_by_role("button", name="Forget everything").click()
    page.get_by_role("heading", name="Everything was forgotten").wait_for()
    assert held(owner) == []


def test_the_account(owner: User, page: Page) -> None:
    moved(owner)
    page.goto("/forget/")
    page.get_by_role("link", name=re.compile("^Your account")).click()
    show_that_its_me(page)
    page.get_by_role("button", name="Close my account").click()
    page.get_by_role("heading", name="Everything is forgotten").wait_for()
    assert not User.objects.filter(pk=owner.pk).exists()
    page.goto("/")
    page.get_by_role("button", name="Sign in", exact=True).wait_for()


# -- With scripts ---------------------------------------------------------------------------------


def test_what_changed_meanwhile_is_shown_where_the_fact_stands(
    owner: User, open_page: Open, complaints: list[str]
) -> None:
    moved(owner)
    page = open_page()
    page.goto("/")
    page.locator(".fact").get_by_role("link", name="Forget", exact=True).first.press("Enter")
    page.get_by_text("until 2 April 2026").wait_for()
    learn(owner, "Before that, in Faro", "in Faro", "city", "Faro", days=-9)
    page.get_by_role("button", name="Forget", exact=True).press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Something changed")).to_be_visible()
    expect(page.locator(":focus")).to_have_text("Forget this?")
    assert all("409" in said for said in complaints)
    complaints.clear()
    page.get_by_role("button", name="Forget", exact=True).press("Enter")
    expect(page.locator(":focus")).to_contain_text("Forgotten for good")
    assert held(owner) == []


# -- For everyone ---------------------------------------------------------------------------------


def _application_session(application: Application, client: Client) -> None:
    user = EndUser.objects.resolve(application=application, external_id="someone")
    moved(user)
    _link, token = PageLink.objects.issue(user=user, application=application)
    client.post(reverse("accounts:enter", args=[token]))


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
def test_every_state_is_clean_for_axe_and_fits(
    owner: User, open_page: Open, complaints: list[str], scheme: Any, width: int
) -> None:
    application = notebook(owner)
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 800})

    def picture(name: str) -> None:
        check(page, f"forget-{name}-{scheme}-{width}")

    for name, address in {
        "ways": "/forget/",
        "topic": "/forget/topic/",
        "somebody": "/forget/somebody/",
        "dates": "/forget/dates/",
        "dates-wrong": "/forget/dates/?from=2026-05-01&to=2026-01-01",
        "dates-shown": "/forget/dates/?from=2026-03-04&to=2026-04-30",
        "application": f"/forget/apps/{application.pk}/",
        "conversation": reverse("conversation_forget", args=[talk_of(owner)]),
        "everything": "/forget/everything/",
        "account": "/forget/account/",
        "receipts-none": "/receipts/",
    }.items():
        page.goto(address)
        picture(name)
    # Days that are none are refused.
    assert all("422" in said for said in complaints)
    complaints.clear()
    page.goto("/forget/topic/")
    page.get_by_role("searchbox").fill("submarines")
    page.get_by_role("button", name="Look").click()
    picture("topic-none")
    page.get_by_role("searchbox").fill("Mira")
    page.get_by_role("button", name="Look").click()
    picture("topic-found")
    page.goto("/forget/everything/")
    show_that_its_me(page)
    picture("everything-asked")
    page.get_by_role("button", name="Forget everything").click()
    page.get_by_role("heading", name="Everything was forgotten").wait_for()
    picture("receipt")
    page.goto("/receipts/")
    picture("receipts")
    page.goto("/forget/everything/")
    picture("nothing")
    page.goto("/forget/account/")
    page.get_by_role("button", name="Close my account").click()
    page.get_by_role("heading", name="Everything is forgotten").wait_for()
    picture("last")


@pytest.mark.parametrize("fresh", [True, False])
def test_who_came_by_a_link_alone(owner: User, open_page: Open, site: Any, fresh: bool) -> None:
    client = Client()
    _application_session(Application.objects.create(owner=owner, name="Chatty"), client)
    if not fresh:
        session = client.session
        session["entered_by_link_at"] = 0
        session.save()
    page = open_page()
    page.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site.url}]
    )
    page.goto("/forget/everything/")
    if not fresh:
        page.get_by_text("by a fresh link").wait_for()
        assert page.get_by_role("button", name="Forget everything").count() == 0
        check(page, "forget-link-old")
        return
    check(page, "forget-link-fresh")
    page.get_by_label("To be sure, type “forget”.").fill("forget")
    page.get_by_role("button", name="Forget everything").click()
    page.get_by_role("heading", name="Everything was forgotten").wait_for()
