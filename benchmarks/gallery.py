"""Pictures of the pages with a year of memories, wide and narrow, light and dark:
``python -m benchmarks gallery`` writes docs/gallery/ and docs/gallery.md anew."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from benchmarks.page import chromium
from benchmarks.services import Running
from memoryapp import static_files
from memoryapp.context import acting_for
from memoryapp.management import demo
from memoryapp.models import Conversation, ErasureReceipt, Fact, Import
from memoryapp.web.people import key_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MOST_BYTES = 80_000
QUALITIES = (82, 70, 58, 46, 34, 22)
SIZES = {"wide": (1280, 900), "narrow": (375, 812)}
THEMES = ("light", "dark")


class Ids:
    """What the addresses of some pages need, of the year's own things."""

    def __init__(self, user: User) -> None:
        self._user = user

    def fact(self, attribute: str, *, subject: str = "user") -> dict[str, UUID]:
        facts = Fact.objects.filter(
            user_id=self._user.pk, status="current", attribute=attribute, subject=subject
        )
        return {"fact_id": facts.get().pk}

    def conversation(self, name: str) -> dict[str, UUID]:
        talks = Conversation.objects.filter(user_id=self._user.pk, external_id=name)
        return {"conversation_id": talks.get().pk}

    def receipt(self) -> dict[str, UUID]:
        receipts = ErasureReceipt.objects.filter(user_id=self._user.pk)
        return {"receipt_id": receipts.latest("requested_at").pk}

    def imported(self) -> dict[str, UUID]:
        return {"import_id": Import.objects.filter(user_id=self._user.pk).get().pk}

    def person(self, subject: str) -> dict[str, str]:
        return {"key": key_of(self._user, subject)}


@dataclass(frozen=True, slots=True)
class Picture:
    """A page by the name of its address. ``ids`` gives the address's parts, ``first`` does
    what a person would do there before the picture is taken."""

    name: str
    url: str
    title: str
    ids: Callable[[Ids], dict[str, Any]] | None = None
    first: Callable[[Page], None] | None = None
    download: bool = False
    signed_in: bool = True
    language: str = "en"

    def address(self, user: User) -> str:
        """Needs ``acting_for(user.pk)``."""
        return reverse(self.url, kwargs=self.ids(Ids(user)) if self.ids else None)


def _search(words: str) -> Callable[[Page], None]:
    def search(page: Page) -> None:
        with page.expect_response(lambda response: response.url.endswith(reverse("search"))):
            page.get_by_role("searchbox").fill(words)

    return search


def _why(page: Page) -> None:
    page.locator(".fact .controls a").first.click()
    page.locator("#drawer[open]").wait_for()


# Add a page here, and it is in the gallery.
PICTURES: Sequence[Picture] = (
    Picture("overview", "memories", "What I remember about you"),
    Picture("search", "memories", "Search, by meaning, as one types", first=_search("allergic to")),
    Picture("why", "memories", "Why I remember it", first=_why),
    Picture("fact", "fact", "One memory, with its past", lambda ids: ids.fact("home")),
    Picture("edit", "fact_edit", "Correct it", lambda ids: ids.fact("seat_preference")),
    Picture("review", "review", "What waits for a yes"),
    Picture("timeline", "timeline", "What changed when"),
    Picture("figures", "figures", "The same in figures"),
    Picture("people", "people", "People and pets"),
    Picture("person", "person", "One of them", lambda ids: ids.person("person:juno")),
    Picture("forget-one", "fact_forget", "Forget", lambda ids: ids.fact("address")),
    Picture("forget", "forgetting", "Every way to have something forgotten"),
    Picture("receipt", "receipt", "What was forgotten, in words", lambda ids: ids.receipt()),
    Picture("receipts", "receipts", "All receipts"),
    Picture("try", "try_it", "Try it"),
    Picture("chats", "conversations", "Chats"),
    Picture("chat", "conversation", "One chat", lambda ids: ids.conversation("A year on")),
    Picture("activity", "activity", "Who read, used or changed what"),
    Picture("activity-check", "activity_check", "The log, checked"),
    Picture("import", "imports", "Import"),
    Picture("import-one", "import", "What an import brought", lambda ids: ids.imported()),
    Picture("export", "exports", "Take it away"),
    Picture("export-page", "export_page", "The memories as a page to keep", download=True),
    Picture("apps", "apps", "Apps and keys"),
    Picture("settings", "settings", "Settings"),
    Picture("devices", "usersessions_list", "Where you are signed in"),
    Picture("second-step", "mfa_index", "Passkeys and the second step"),
    Picture("sign-in", "account_login", "Sign in", signed_in=False),
    Picture("spanish", "memories", "In Spanish", language="es"),
    Picture("german", "memories", "In German", language="de"),
    Picture("hindi", "memories", "In Hindi", language="hi"),
    Picture("arabic", "memories", "In Arabic, from right to left", language="ar"),
)


def file_of(picture: Picture, size: str, theme: str) -> str:
    return f"{picture.name}-{size}-{theme}.webp"


def index() -> str:
    """docs/gallery.md: the pages with their pictures."""
    lines = [
        "# Gallery",
        "",
        "The pages with a made-up year of memories (`python manage.py demo --year`), in windows",
        "of 1280 and 375 pixels, light and dark. Made by `python -m benchmarks gallery`.",
    ]
    for picture in PICTURES:
        lines += ["", f"## {picture.title}", ""]
        for size, (width, _height) in SIZES.items():
            lines.append(
                " ".join(
                    f'<img src="gallery/{file_of(picture, size, theme)}" '
                    f'alt="{picture.title}, {width} pixels wide, {theme}" '
                    f'width="{420 if size == "wide" else 240}">'
                    for theme in THEMES
                )
            )
            lines.append("")
        lines.pop()
    return "\n".join(lines) + "\n"


def make(running: Running, docs: Path) -> None:
    """Needs an empty, migrated database. What was in the folder's gallery before goes."""
    static_files.gather()
    person = demo.load()["person"]
    user = demo.account(person["email"], person)
    print("Letting a year happen …", flush=True)
    demo.play(user, now=timezone.now())
    folder = docs / "gallery"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    address = f"http://127.0.0.1:{running.web()}"
    client = Client()
    client.force_login(user)
    session = client.cookies["sessionid"].value
    with chromium() as browser:
        for picture in PICTURES:
            for size in SIZES:
                for theme in THEMES:
                    data = _taken(browser, address, session, picture, user, size, theme)
                    (folder / file_of(picture, size, theme)).write_bytes(data)
            print(picture.name, flush=True)
    (docs / "gallery.md").write_text(index(), encoding="utf-8")
    sizes = [file.stat().st_size for file in folder.iterdir()]
    print(f"{len(sizes)} pictures, {sum(sizes) / 1_000_000:.1f} MB")


def _taken(
    browser: Browser,
    address: str,
    session: str,
    picture: Picture,
    user: User,
    size: str,
    theme: str,
) -> bytes:
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        device_scale_factor=1 if size == "wide" else 2,
        reduced_motion="reduce",
        locale="en-GB",
    )
    User.objects.filter(pk=user.pk).update(language=picture.language)
    if picture.signed_in:
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
    page = context.new_page()
    with acting_for(user.pk):
        path = picture.address(user)
    answer = page.request.get(f"{address}{path}")
    if not answer.ok:
        raise RuntimeError(f"{picture.name} was not answered with a page.")
    if picture.download:
        page.set_content(answer.text())
    else:
        page.goto(f"{address}{path}", wait_until="load")
    if picture.first is not None:
        picture.first(page)
    page.wait_for_timeout(300)
    data = _small(context.new_cdp_session(page))
    context.close()
    return data


def _small(session: Any) -> bytes:
    """The window as WebP of at most ``MOST_BYTES``. Raises RuntimeError when it can't be had."""
    for quality in QUALITIES:
        taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": quality})
        data = base64.b64decode(taken["data"])
        if len(data) <= MOST_BYTES:
            return data
    raise RuntimeError("A picture can't be made small enough.")
