"""The page "Import": choose, look, say yes, follow, undo; all without scripts."""

from __future__ import annotations

import json
import re
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memoryapp import importers, importing, uploads
from memoryapp.context import acting_for
from memoryapp.models import Import, MemorySettings
from memoryapp.web import import_wording
from tests import chat, imports
from tests.notebook import log, text
from tests.test_imports_pipeline import TALKS

pytestmark = pytest.mark.usefixtures("uploads_folder")
HTMX: Any = {"HX-Request": "true"}


@pytest.fixture
def me(owner: User) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    return client


def token(client: Client, url: str) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text(client.get(url)))
    assert found is not None
    return found[1]


def send(client: Client, url: str, **data: Any) -> Any:
    page = reverse("imports")
    return client.post(url, {"csrfmiddlewaretoken": token(client, page), **data})


def upload(client: Client, content: Any, name: str = "my secret diary.json") -> Any:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return send(client, reverse("imports"), file=SimpleUploadedFile(name, body))


def plain(response: Any) -> str:
    """What a person reads."""
    return " ".join(re.sub(r"<[^>]+>", " ", text(response)).split())


def test_a_file_is_shown_before_anything_is_kept_then_brought_in_and_undone(
    me: Client, owner: User
) -> None:
    answer = upload(me, TALKS)
    assert answer.status_code == 302
    url = answer["Location"]
    page = plain(me.get(url))
    assert "Claude" in page
    assert "Conversations 3 Messages 6 From 1 March 2025 To 1 May 2025" in page
    assert "Nothing is kept yet." in page
    assert chat.facts(owner) == []

    assert send(me, f"{url}start/").status_code == 302
    page = plain(me.get(url))
    assert "Taking it in: 0 of 3." in page
    imports.work_on(owner)
    page = plain(me.get(url))
    assert "I found 1 thing about you." in page
    assert "Undo this import" in page
    assert "3 conversations" in plain(me.get(reverse("imports")))

    page = plain(me.get(f"{url}forget/"))
    assert "Gone for good" in page
    assert "What it taught me: 1 memory" in page
    assert "The same file would bring nothing of it back." in page
    assert send(me, f"{url}forget/").status_code == 302
    assert "You had me forget this import" in plain(me.get(url))
    assert chat.facts(owner) == []
    assert "An import was undone" in plain(me.get(reverse("activity")))


def test_progress_is_real_and_asks_again_by_itself(
    me: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryapp.import_pipeline.reading.SLICE_SECONDS", 0.0)
    import_id = imports.upload(owner, TALKS)
    work = imports.start(owner, import_id)
    status = reverse("import_status", args=[import_id])
    seen = []
    while True:
        body = text(me.get(status, headers=HTMX))
        found = re.search(r"[A-Z][a-z ]+: (\d) of 3\. (\d) things? found", " ".join(body.split()))
        if found is None:
            break
        seen.append((found[1], found[2]))
        assert f'hx-get="{status}"' in body
        from memoryapp import import_pipeline

        import_pipeline.step(user_id=owner.pk, outbox_id=work)
    assert seen[:4] == [("0", "0"), ("1", "0"), ("2", "0"), ("3", "0")]
    assert ("1", "1") in seen  # the oldest conversation is read
    assert "hx-get" not in body
    assert me.get(status).status_code == 302  # without scripts the page itself says it


def test_a_pasted_list_needs_no_file(me: Client, owner: User) -> None:
    answer = send(me, reverse("imports"), text="Lives in Porto\nZorbly frumious", file="")
    page = plain(me.get(answer["Location"]))
    assert "A list" in page
    assert "Memories kept there 2" in page
    send(me, answer["Location"] + "start/")
    imports.work_on(owner)
    page = plain(me.get(answer["Location"]))
    assert "I found 2 things about you. 1 waits for your eye." in page
    assert "Not understood: in Review, word for word 1" in page
    assert "Zorbly frumious" in plain(me.get(reverse("review")))


def test_warnings_come_first(me: Client) -> None:
    rows = imports.memories(("1", "2025-01-01", "User lives in Porto"))
    rows += imports.memories(("2", "2025-01-01", "User lives in Oslo"), user_id="another")
    page = plain(me.get(upload(me, rows)["Location"]))
    assert "memories of 2 people" in page
    assert page.index("2 people") < page.index("Bring it in")


def test_what_cannot_be_read_is_told_with_what_can(me: Client) -> None:
    page = plain(me.get(upload(me, {"invoices": []})["Location"]))
    assert "I don’t know this kind of file." in page
    assert "ChatGPT" in page
    assert "Nothing was kept." in page
    assert "Bring it in" not in page


def test_nothing_chosen_is_told(me: Client) -> None:
    answer = send(me, reverse("imports"), text="  ")
    assert answer.status_code == 422
    assert "Choose a file, or paste a list." in plain(answer)


@pytest.mark.parametrize("declared", [False, True])
def test_too_large_a_file_is_told(me: Client, owner: User, settings: Any, declared: bool) -> None:
    settings.IMPORT_MAX_MB = 1
    more = 70 * 1024 if declared else 1  # beyond what the form around the file takes, or within
    answer = upload(me, b"x" * (uploads.MIB + more))
    assert answer.status_code == 413
    assert "The file is too large: 1 MB at most. Nothing of it was kept." in plain(answer)
    with acting_for(owner.pk):
        assert not Import.objects.exists()


def test_too_long_a_list_is_told(me: Client) -> None:
    answer = send(me, reverse("imports"), text="x" * (2 * uploads.MIB + 1))
    assert answer.status_code == 413
    assert "Save it as a file" in plain(answer)


def test_an_upload_needs_the_forms_token(owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    body = {"file": SimpleUploadedFile("a.json", json.dumps(TALKS).encode())}
    assert client.post(reverse("imports"), body).status_code == 403
    with acting_for(owner.pk):
        assert not Import.objects.exists()


def test_an_upload_of_a_stranger_is_not_read(db: None) -> None:
    answer = Client().post(reverse("imports"), {"file": SimpleUploadedFile("a.json", b"[]")})
    assert answer.status_code == 302
    assert reverse("account_login") in answer["Location"]


def test_a_paused_memory_says_so(me: Client, owner: User) -> None:
    url = upload(me, TALKS)["Location"]
    with acting_for(owner.pk):
        MemorySettings.objects.create(user_id=owner.pk, paused=True)
    send(me, f"{url}start/")
    assert "Memory is paused." in plain(me.get(url))


@pytest.mark.parametrize(
    ("name", "method"),
    [("import", "get"), ("import_start", "post"), ("import_forget", "post"),
     ("import_forget", "get")],
)  # fmt: skip
def test_another_users_import_is_not_there_and_the_attempt_is_noted(
    owner: User, other: User, name: str, method: str
) -> None:
    import_id = imports.upload(owner, TALKS)
    client = Client()
    client.force_login(other)
    for wanted in (import_id, uuid4()):
        response = getattr(client, method)(reverse(name, args=[wanted]))
        assert response.status_code == 404
    assert log(other, "access.refused")[0].object == f"import:{import_id}"


def test_neither_name_nor_words_of_the_file_are_kept_beside_the_messages(
    me: Client, owner: User, uploads_folder: Any
) -> None:
    upload(me, TALKS)
    [kept] = uploads_folder.iterdir()
    assert "diary" not in kept.name
    with acting_for(owner.pk):
        row = Import.objects.get()
    held = str({field.name: getattr(row, field.attname) for field in row._meta.fields})
    assert "diary" not in held
    assert "Porto" not in held


def test_every_reason_that_an_importer_gives_has_words() -> None:
    """Found in their code, so that a new one can't be forgotten."""
    from pathlib import Path

    source = "\n".join(path.read_text() for path in Path(importers.__file__).parent.glob("*.py"))
    skipped = set(re.findall(r'(?:skip|Skipped)\(\s*"\w+", "(\w+)"', source))
    skipped |= set(re.findall(r'(?:Unreadable|Rejected)\("(\w+)"\)', source))
    noted = set(re.findall(r'(?:note|Noted)\(\s*"\w+", "(\w+)"', source))
    refused = set(re.findall(r'ImportRefused\(\s*"(\w+)"', source))
    assert len(skipped) > 15
    assert len(noted) > 3
    assert len(refused) > 5
    assert not any("don’t know" in line for key in skipped - {"unknown_content", "unknown_state"}
                   for line in import_wording.skipped({key: 1}))  # fmt: skip
    assert all(import_wording.notes({key: 2}) or import_wording.warnings({key: 2}) for key in noted)
    other = import_wording.refused("something else")
    assert all(import_wording.refused(code) != other for code in refused)
    assert set(importing.PRODUCTS) == set(importers.FORMATS) - {"paste"}
