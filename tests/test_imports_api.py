"""Imports over the API."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest

from accounts.models import User
from memoryapp import uploads
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Import
from tests import chat, imports
from tests.api import Frontend, application, log, personal, problem
from tests.test_imports_pipeline import TALKS

pytestmark = pytest.mark.usefixtures("uploads_folder")


def upload(frontend: Frontend, content: Any, query: str = "") -> Any:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return frontend.call("POST", f"/imports{query}", body, content_type="application/octet-stream")


def test_upload_look_start_follow_undo(owner: User) -> None:
    frontend = personal(owner)
    answer = upload(frontend, TALKS)
    assert answer.status_code == 201
    held = answer.json()
    assert (held["state"], held["format"]) == ("ready", "claude")
    assert held["preview"] == {
        "conversations": 3,
        "messages": 6,
        "memories": 0,
        "skipped": {},
        "notes": {},
        "first_at": "2025-03-01T09:00:00Z",
        "last_at": "2025-05-01T09:01:00Z",
    }
    path = f"/imports/{held['id']}"
    assert frontend.post(f"{path}/start", {}).status_code == 202
    assert frontend.get(path).json()["state"] == "storing"
    problem(frontend.post(f"{path}/start", {}), 409, "conflict")
    imports.work_on(owner)
    held = frontend.get(path).json()
    assert held["state"] == "done"
    assert held["progress"] == {
        "read": 3,
        "total": 3,
        "found": 1,
        "to_review": 0,
        "unread": 0,
        "waits_for": "",
        "waits_until": None,
    }
    assert held["counts"] == {"conversations": 3, "messages": 6}

    receipt = frontend.delete(path).json()["receipt"]
    assert receipt["target"] == "import"
    assert receipt["counts"]["messages"] == 6
    assert chat.facts(owner) == []
    problem(frontend.delete(path), 409, "conflict")


def test_an_application_brings_in_for_its_own_user(owner: User) -> None:
    app, frontend = application(owner)
    held = upload(frontend, TALKS, "?user=ana").json()
    path = f"/imports/{held['id']}"
    problem(frontend.get(f"{path}?user=ben"), 404, "not-found")
    assert frontend.post(f"{path}/start?user=ana", {}).status_code == 202
    [ana] = [e.user for e in app.end_users.all() if e.external_id == "ana"]
    imports.work_on(ana)
    assert chat.current(ana, "home") == ["Lisbon"]
    assert chat.facts(owner) == []
    with acting_for(ana.pk):
        assert set(Conversation.objects.values_list("application_id", flat=True)) == {app.pk}
    assert (f"app:{app.pk}", "import.start", f"import:{held['id']}") in log(ana)


def test_pasted_words(owner: User) -> None:
    frontend = personal(owner)
    words = b"I moved to Lisbon last year. I work as a nurse."
    assert upload(frontend, words).json()["error"] == "unknown_format"
    held = upload(frontend, words, "?pasted=true").json()
    assert (held["state"], held["preview"]["memories"]) == ("ready", 2)


@pytest.mark.parametrize("missing", ["facts:write", "messages:write"])
def test_both_rights_are_needed(owner: User, missing: str) -> None:
    scopes = {"facts:write", "messages:write", "recall:read"} - {missing}
    body = problem(upload(personal(owner, *scopes), TALKS), 403, "forbidden")
    assert missing in body["detail"]


def test_too_large_a_file(owner: User, settings: Any) -> None:
    settings.IMPORT_MAX_MB = 1
    body = problem(upload(personal(owner), b"x" * (uploads.MIB + 1)), 413, "too-large")
    assert "1 MB" in body["detail"]
    with acting_for(owner.pk):
        assert not Import.objects.exists()


def test_no_file_and_no_such_import(owner: User, other: User) -> None:
    frontend = personal(owner)
    problem(upload(frontend, b""), 400, "malformed")
    theirs = imports.upload(other, TALKS)
    for wanted in (theirs, uuid4()):
        problem(frontend.get(f"/imports/{wanted}"), 404, "not-found")
        problem(frontend.post(f"/imports/{wanted}/start", {}), 404, "not-found")
        problem(frontend.delete(f"/imports/{wanted}"), 404, "not-found")
    assert imports.row(other, theirs).state == "ready"


def test_an_upload_larger_than_a_usual_request_is_taken(owner: User) -> None:
    rows = imports.memories(
        *[(str(n), "2025-01-01", f"Note {n} " + "x" * 9000) for n in range(150)]
    )
    held = upload(personal(owner), rows).json()
    assert held["preview"]["memories"] == 150
