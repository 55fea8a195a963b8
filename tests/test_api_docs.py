"""The API's documentation page: complete, from our own host, readable by everybody."""

from __future__ import annotations

import json
import re
from html import escape
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client

from memoryapp.api import api

if TYPE_CHECKING:
    from playwright.sync_api import Page


class Found(HTMLParser):
    """The ids and addresses of a page, and whatever a strict policy would refuse."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.inline: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        if tag == "a":
            self.links.append(given.get("href") or "")
        self.sources += [given[name] or "" for name in ("src",) if name in given]
        if tag == "link":
            self.sources.append(given["href"] or "")
        self.inline += [name for name in given if name == "style" or name.startswith("on")]
        self.inline += [tag] if tag in {"style", "script"} else []


@pytest.fixture
def text(client: Client) -> str:
    response = client.get("/api/v1/docs")
    assert response.status_code == 200
    return response.content.decode()


def test_everything_is_described(text: str) -> None:
    found = Found(text)
    schema = api.get_openapi_schema()
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            assert operation["operationId"] in found.ids
            assert escape(operation["summary"]) in text
        assert path in text
    for name in schema["components"]["schemas"]:
        assert f"form-{name}" in found.ids
    assert len(found.ids) == len(set(found.ids))


def test_every_link_within_leads_somewhere(text: str, client: Client) -> None:
    found = Found(text)
    assert {link[1:] for link in found.links if link.startswith("#")} <= set(found.ids)
    assert "/api/v1/openapi.json" in found.links


def test_nothing_is_inline_and_nothing_from_elsewhere(text: str) -> None:
    found = Found(text)
    assert found.inline == []
    assert found.sources
    assert all(source.startswith("/static/") for source in found.sources)


def test_its_calls_are_valid_json(text: str) -> None:
    bodies = re.findall(r"-d &#x27;(\{.*?\})&#x27;", text)
    assert len(bodies) > 5
    for body in bodies:
        json.loads(body.replace("&quot;", '"').replace("&#x27;", "'"))


def test_only_reading(client: Client) -> None:
    assert client.post("/api/v1/docs").status_code == 405


@pytest.mark.slow
def test_in_a_browser(page: Page) -> None:
    from axe_playwright_python.sync_playwright import Axe

    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    elsewhere: list[str] = []
    page.on("request", lambda request: elsewhere.append(request.url))
    for width in (375, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto("/api/v1/docs")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width
    result: Any = Axe().run(page)
    assert result.violations_count == 0, result.generate_report()
    page.get_by_role("link", name="Erase a fact", exact=True).first.click()
    assert page.url.endswith("#eraseFact")
    assert told == []
    assert all(url.startswith(page.url.partition("/api")[0]) for url in elsewhere)
