"""Import and export on the page: the two files, what they hold, and what they can't do."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memoryapp import pipeline, preferences
from memoryapp.api.schemas import ExportOut
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Fact, MemorySettings
from tests import imports
from tests.notebook import delicate, learn, log, moved, text
from tests.test_export_roundtrip import document, rich

DOCS = Path(__file__).parent.parent / "docs"
pytestmark = pytest.mark.usefixtures("uploads_folder")


@pytest.fixture
def me(owner: User) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    return client


def taken(client: Client, name: str) -> str:
    response = client.get(reverse(name))
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]


class Seen(HTMLParser):
    """What a person reads, and every tag with what it would load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: set[str] = set()
        self.loads: list[str] = []
        self._hidden = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._hidden = tag in ("style", "title")
        self.loads += [
            f"{name}={value}" for name, value in attrs
            if name in ("src", "srcset", "action", "style") or name.startswith("on")
            or (name == "href" and not (value or "").startswith("#"))
        ]  # fmt: skip

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


# -- The file for programs -----------------------------------------------------------------------


def test_the_schema_is_written_down_served_and_kept(owner: User) -> None:
    schema = json.loads((DOCS / "export.schema.json").read_text(encoding="utf-8"))
    served = Client().get(reverse("export_schema")).json()
    assert served == ExportOut.model_json_schema()
    assert schema == served, "take the file anew from /export/schema.json"
    rich(owner)
    found = document(owner)
    jsonschema.Draft202012Validator(schema).validate(found)
    found["facts"][0].pop("value")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(found)


def test_each_field_is_documented() -> None:
    schema = ExportOut.model_json_schema()
    sections = {
        title.strip(): set(re.findall(r"`(\w+)`", " ".join(
            line.split("|")[1] for line in body.splitlines() if line.startswith("| `")
        )))
        for title, body in re.findall(
            r"^##+ (.+?)\n(.*?)(?=^##|\Z)",
            (DOCS / "export.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL,
        )
    }  # fmt: skip

    def walk(definition: dict[str, Any], title: str) -> None:
        properties = definition["properties"]
        assert sections[title] == set(properties), title
        for name, one in properties.items():
            many = one.get("items", {})
            if link := one.get("$ref") or many.get("$ref"):
                path = name if title == "The document" else f"{title}.{name}"
                walk(schema["$defs"][link.split("/")[-1]], path + ("[]" if many else ""))

    walk(schema, "The document")


def test_the_file_is_all_of_it_and_no_secret(me: Client, owner: User) -> None:
    rich(owner)
    response = me.get(reverse("export_json"))
    assert response["Content-Type"] == "application/json"
    assert re.fullmatch(
        r'attachment; filename="memories-\d{4}-\d\d-\d\d\.json"', response["Content-Disposition"]
    )
    assert "no-store" in response["Cache-Control"]
    found = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    assert len(json.loads(found)["facts"]) >= 14
    assert "password" not in found
    assert owner.password not in found
    assert [str(event.actor) for event in log(owner, "export")] == [f"user:{owner.pk}"]


# -- The file for people -------------------------------------------------------------------------


def test_the_page_says_everything_in_sentences(me: Client, owner: User) -> None:
    rich(owner)
    with acting_for(owner.pk):
        preferences.change(
            user=owner,
            changes={
                "language": "en",
                "never_remember": [preferences.TopicKey(words="my divorce")],
            },
            by=Actor.user(owner),
        )
    seen = Seen(taken(me, "export_page"))
    assert "You live in Tavira." in seen.text
    assert "never Faro but Tavira" in seen.text
    assert "You said so: 3 May 2026." in seen.text
    before = seen.text.index("Before Noted") if "Before Noted" in seen.text else 0
    assert "You live in Porto." in seen.text[before:]
    assert "From 3 March 2026 to" in seen.text
    assert "it was never so" in seen.text
    assert "Miriam" in seen.text
    assert "asthma" in seen.text
    assert "Editors" in seen.text
    assert "Never to be remembered: my divorce." in seen.text
    assert "Messages are kept for 30 days." in seen.text
    assert "measles" not in seen.text  # what was refused is no memory
    assert [event.object for event in log(owner, "export")] == ["page"]


def test_the_page_stands_alone_and_runs_nothing(me: Client, owner: User) -> None:
    hostile = '</style><script>alert(1)</script><img src=x onerror="alert(2)">'
    learn(owner, f"I love {hostile} so", f"I love {hostile} so", "likes", hostile)
    with acting_for(owner.pk):
        Conversation.objects.update(title=hostile)
    response = me.get(reverse("export_page"))
    page = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    seen = Seen(page)
    assert hostile in seen.text
    assert not seen.tags & {"script", "img", "iframe", "link", "form", "object", "base"}
    assert seen.loads == []
    assert response["Content-Disposition"].startswith("attachment; ")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert "default-src 'none'" in page  # wherever the file is opened later


def test_the_page_is_in_the_readers_language_and_time(me: Client, owner: User) -> None:
    moved(owner)
    owner.language, owner.time_zone = "ar", "Pacific/Auckland"
    owner.save()
    page = taken(me, "export_page")
    assert '<html lang="ar" dir="rtl">' in page


def test_the_page_of_an_empty_notebook(me: Client) -> None:
    assert "I remember 0 things about you." in Seen(taken(me, "export_page")).text


def test_the_page_is_made_in_pieces(
    me: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryapp.web.notebook_file.BATCH", 2)
    for number in range(5):
        learn(owner, f"I love tea{number}.", f"I love tea{number}", "likes", f"tea{number}",
              conversation=f"c{number}")  # fmt: skip
    seen = Seen(taken(me, "export_page"))
    assert all(f"tea{number}" in seen.text for number in range(5))
    assert seen.text.count("A conversation without a title") == 5


# -- The page ------------------------------------------------------------------------------------


def test_what_there_is_and_what_was_taken(me: Client, owner: User) -> None:
    moved(owner)
    page = text(me.get(reverse("exports")))
    assert "2 memories." in page
    assert "Nothing was taken away yet." in page
    taken(me, "export_json")
    page = " ".join(re.sub(r"<[^>]+>", " ", text(me.get(reverse("exports")))).split())
    assert "You last took everything away today" in page


@pytest.mark.parametrize("name", ["exports", "export_json", "export_page"])
def test_only_ones_own_and_only_signed_in(me: Client, other: User, name: str) -> None:
    moved(other)
    response = me.get(reverse(name))
    body = (
        b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[attr-defined]
    )
    assert b"Lisbon" not in body
    assert Client().get(reverse(name)).status_code == 302
    assert me.post(reverse(name)).status_code in (403, 405)


def test_an_own_export_is_brought_in_with_and_without_vouching(
    me: Client, owner: User, other: User
) -> None:
    yes = delicate(other)
    pipeline.approve(user_id=other.pk, fact_id=yes, by=Actor.user(other))
    with acting_for(other.pk):
        MemorySettings.objects.create(user_id=other.pk, retention_days=30)
    import_id = imports.upload(owner, document(other))
    url = reverse("import", args=[import_id])
    page = text(me.get(url))
    assert "It is my own" in page
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    me.post(f"{url}start/", {"csrfmiddlewaretoken": token[1], "mine": "yes"})
    imports.work_on(owner)
    with acting_for(owner.pk):
        assert Fact.objects.get(operation="state").status == "current"
        assert preferences.load(user=owner).retention_days == 30
    assert "I found 1 thing about you." in " ".join(text(me.get(url)).split())
