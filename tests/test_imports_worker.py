"""An import through a real worker and broker, seen in a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import expect

from accounts.models import User
from tests import chat
from tests.conftest import Site
from tests.test_imports_pipeline import TALKS

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("committed_db", "uploads_folder", "worker"),
]


def test_a_file_is_brought_in_and_undone_in_the_browser(
    page: Page, site: Site, owner: User, tmp_path: Path, uploads_folder: Path
) -> None:
    client = Client()
    client.force_login(owner)
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(TALKS))

    page.goto("/import/")
    assert Axe().run(page).violations_count == 0
    page.set_input_files("#import-file", file)
    page.get_by_role("button", name="Look what is in it").first.click()
    expect(page.get_by_text("Nothing is kept yet.")).to_be_visible()
    assert Axe().run(page).violations_count == 0
    page.get_by_role("button", name="Bring it in").click()
    # The page asks again by itself while the worker goes on.
    expect(page.get_by_text("I found 1 thing about you.")).to_be_visible(timeout=60_000)
    assert Axe().run(page).violations_count == 0
    assert chat.current(owner, "home") == ["Lisbon"]
    assert list(uploads_folder.iterdir()) == []

    page.get_by_role("link", name="Undo this import").click()
    page.get_by_role("button", name="Forget").click()
    expect(page.get_by_text("You had me forget this import")).to_be_visible()
    assert chat.facts(owner) == []
