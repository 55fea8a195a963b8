"""Import and export, and the log, in a real browser: each journey with and without scripts,
and the files that are taken away, opened where they end up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from accounts.models import Application, User
from memoryapp import audit
from memoryapp.audit import Actor, Event
from memoryapp.context import acting_for
from memoryapp.models import Fact
from tests import imports
from tests.browsing import ARTEFACTS, Open, check, complaints, open_page, page, scripts
from tests.notebook import delicate, learn, log, moved
from tests.test_export_roundtrip import document, rich

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Download, Page, Route

__all__ = ["complaints", "open_page", "page", "scripts"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("committed_db", "uploads_folder"),
]
SIZES = {"1280": {"width": 1280, "height": 900}, "375": {"width": 375, "height": 800}}


def kept(download: Download, folder: Path) -> Path:
    path = folder / download.suggested_filename
    download.save_as(path)
    return path


def to_exports(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Import and export").click()
    page.get_by_role("heading", name="Import and export").wait_for()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Any]:
    """Opens a file as whoever finds it on a disk would; nothing may be asked of a network."""
    contexts = []

    def window(path: Path, **options: Any) -> Page:
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.goto(path.as_uri())
        return page

    yield window
    for context in contexts:
        context.close()


# -- Taking away -----------------------------------------------------------------------------


def test_the_page_is_taken_read_and_printed(
    owner: User, open_page: Open, opened: Any, tmp_path: Path
) -> None:
    rich(owner)
    owner.language = "en"
    owner.save()
    page = open_page(viewport=SIZES["1280"])
    to_exports(page)
    with page.expect_download() as got:
        page.get_by_role("link", name="Get the page").click()
    path = kept(got.value, tmp_path)
    assert path.suffix == ".html"
    for name, size in SIZES.items():
        for scheme in ("light", "dark"):
            file = opened(path, viewport=size, color_scheme=scheme)
            check(file, f"export-page-{name}-{scheme}")
            assert (
                file.get_by_text("Du lebst in Tavira", exact=False)
                .or_(file.get_by_text("You live in Tavira", exact=False))
                .count()
            )
    file.get_by_role("navigation").get_by_role("link").last.click()
    assert file.url.endswith("#settings")
    printed = tmp_path / "page.pdf"
    file.emulate_media(media="print")
    printed.write_bytes(file.pdf(prefer_css_page_size=True, format="A4"))
    pages = [one.extract_text() for one in PdfReader(printed).pages]
    words = " ".join(" ".join(pages).split())
    for said in ("Tavira", "Porto", "asthma", "Editors", "my divorce", "never Faro but Tavira"):
        assert said in words
    assert len(pages) >= 3  # what was, the conversations and the settings begin pages of their own
    assert all(f"{number} / {len(pages)}" in text for number, text in enumerate(pages, 1))


def test_the_page_in_arabic_reads_from_the_right(
    owner: User, open_page: Open, opened: Any, tmp_path: Path
) -> None:
    moved(owner)
    learn(owner, "أحب الشاي كثيرا.", "أحب الشاي", "likes", "الشاي")
    owner.language = "ar"
    owner.save()
    page = open_page(viewport=SIZES["375"], locale="ar")
    page.goto("/export/")
    with page.expect_download() as got:
        page.locator('a[href$="memories.html"]').click()
    file = opened(kept(got.value, tmp_path), viewport=SIZES["375"])
    assert file.locator("html").get_attribute("dir") == "rtl"
    check(file, "export-page-rtl")


def test_the_file_is_taken_and_brought_back(
    owner: User, other: User, page: Page, scripts: bool, tmp_path: Path
) -> None:
    """Taken from one account, brought into this one, looked at first, and undone."""
    moved(other)
    learn(other, "I love tea.", "I love tea", "likes", "tea")
    path = tmp_path / "memories.json"
    path.write_text(json.dumps(document(other)), encoding="utf-8")
    to_exports(page)
    with page.expect_download() as got:
        page.get_by_role("link", name="Get the file").click()
    assert json.loads(kept(got.value, tmp_path / "mine").read_text())["format"] == "memoryapp"
    page.get_by_role("link", name="Choose a file or a list").click()
    page.get_by_label("An export").set_input_files(path)
    page.get_by_role("button", name="Look what is in it").first.click()
    page.get_by_text("This would come in. Nothing is kept yet.").wait_for()
    if scripts:  # axe is one itself
        check(page, "export-preview")
    page.get_by_label("It is my own", exact=False).check()
    page.get_by_role("button", name="Bring it in").click()
    page.get_by_text("Taking it in").or_(page.get_by_text("I found")).first.wait_for()
    imports.work_on(owner)
    page.reload()
    page.get_by_text("I found 2 things about you.").wait_for()
    if scripts:
        check(page, "export-brought")
    page.goto("/")
    page.get_by_text("You live in Lisbon.").first.wait_for()
    page.go_back()
    page.get_by_role("link", name="Undo this import").click()
    page.get_by_role("button", name="Forget").click()
    page.get_by_text("You had me forget this import").wait_for()
    with acting_for(owner.pk):
        assert not Fact.objects.filter(user_id=owner.pk).exists()


# -- The log ---------------------------------------------------------------------------------


@pytest.fixture
def busy(committed_db: Any, owner: User, other: User) -> Application:
    app = Application.objects.create(name="Chatty", owner=other)
    moved(owner)
    delicate(owner)
    with acting_for(owner.pk):
        audit.record(
            user_id=owner.pk,
            by=Actor.application(app.pk),
            events=[Event("recall", "", {"facts": []})],
        )
        audit.record(
            user_id=owner.pk,
            by=Actor("admin", "1"),
            events=[Event("admin.reveal", "", {"reason": "A ticket of yours"})],
        )
    return app


def shown(page: Page) -> None:
    """With scripts a change is enough, and the button asks once more: what is opened before
    the second answer is there would be closed by it."""
    page.get_by_role("button", name="Show").click()
    page.locator(".sift:not(.htmx-request)").wait_for()


def test_the_log_is_sifted_opened_and_followed(page: Page, busy: Application) -> None:
    page.goto("/")
    page.get_by_role("link", name="Activity").click()
    page.get_by_text("Memories were looked up").wait_for()
    page.get_by_label("Who").select_option(label="Administrators")
    shown(page)
    expect(page.locator(".entry")).to_have_count(1)
    page.locator(".entry > summary").click()
    page.get_by_text("A ticket of yours").wait_for()
    page.get_by_label("Who").select_option(label="Anybody")
    page.get_by_label("What", exact=True).select_option(label="Noted or changed")
    shown(page)
    expect(page.locator(".entry")).to_have_count(3)
    page.locator(".entry > summary").filter(has_text="replaced").click()
    page.get_by_role("link", name="You live in Lisbon.").click()
    page.get_by_text("I moved to Lisbon!").first.wait_for()


def test_a_newer_choice_in_the_log_replaces_the_one_under_way(
    open_page: Open, busy: Application
) -> None:
    page = open_page()
    page.goto("/activity/")
    held: list[Route] = []
    page.route("**/activity/?*", lambda route: held.append(route), times=1)
    page.get_by_label("Who").select_option(label="Administrators")
    expect(page.locator("form.sift.htmx-request")).to_have_count(1)
    page.get_by_label("Who").select_option(label="Anybody")
    page.get_by_label("What", exact=True).select_option(label="Noted or changed")
    expect(page.locator(".entry")).to_have_count(3)
    assert len(held) == 1


def test_the_log_is_checked_and_noted(page: Page, busy: Application) -> None:
    page.goto("/activity/")
    page.get_by_role("link", name="Check that nothing was altered").click()
    page.get_by_text("Yes. I checked all 5 entries").wait_for()
    noted = page.locator(".fingerprint code").inner_text()
    page.get_by_label("A fingerprint from before").fill(noted)
    page.get_by_role("button", name="Look for it").click()
    page.get_by_text("It is there: it belongs to entry number 5.").wait_for()
    page.get_by_label("A fingerprint from before").fill("oops")
    page.get_by_role("button", name="Look for it").click()
    expect(page.get_by_label("A fingerprint from before")).to_have_attribute("aria-invalid", "true")


def test_the_log_is_taken_away(owner: User, page: Page, busy: Application, tmp_path: Path) -> None:
    page.goto("/activity/")
    for name, end in (("As a table (CSV)", ".csv"), ("To check by yourself", ".jsonl")):
        with page.expect_download() as got:
            page.get_by_role("link", name=name).click()
        path = kept(got.value, tmp_path)
        assert path.suffix == end
        assert "admin.reveal" in path.read_text() or "uncovered" in path.read_text()
    assert len(log(owner, "audit.read")) == 2


def test_the_log_with_the_keyboard_alone(open_page: Open, busy: Application) -> None:
    page = open_page()
    page.goto("/activity/")
    page.locator("#log-who").focus()
    page.keyboard.type("Admin")
    expect(page.locator(".entry")).to_have_count(1)
    page.locator(".entry > summary").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("A ticket of yours")).to_be_visible()


# -- For everyone's eyes -----------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(SIZES))
def test_each_page_and_state(
    owner: User, open_page: Open, busy: Application, size: str, scheme: str
) -> None:
    page = open_page(viewport=SIZES[size], color_scheme=scheme, has_touch=size == "375")
    for name, address in (
        ("exports", "/export/"),
        ("imports", "/import/"),
        ("activity", "/activity/"),
        ("activity-none", "/activity/?who=others"),
        ("activity-check", "/activity/check/"),
    ):
        page.goto(address)
        for entry in page.locator(".entry > summary").all()[:3]:
            entry.click()
        check(page, f"{name}-{size}-{scheme}")


def test_in_forced_colours_and_reduced_motion(open_page: Open, busy: Application) -> None:
    """The system's colours are not the page's, so only widths are held here; the picture is
    for people."""
    page = open_page(
        viewport={"width": 320, "height": 800}, forced_colors="active", reduced_motion="reduce"
    )
    ARTEFACTS.mkdir(exist_ok=True)
    for name in ("export", "activity", "activity/check"):
        page.goto(f"/{name}/")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
        page.screenshot(path=ARTEFACTS / f"{name.replace('/', '-')}-forced.png")


def test_in_german_and_arabic(owner: User, open_page: Open, busy: Application) -> None:
    for language in ("de", "ar"):
        owner.language = language
        owner.save()
        page = open_page(viewport=SIZES["375"])
        for name in ("export", "activity", "activity/check"):
            page.goto(f"/{name}/")
            check(page, f"{name.replace('/', '-')}-{language}")
