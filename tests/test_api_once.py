"""Requests that are sent again are carried out once, imports too."""

from __future__ import annotations

import json
from typing import Any

import pytest

from accounts.models import User
from memoryapp.context import acting_for
from memoryapp.models import IdempotencyKey, Import, Outbox
from tests.api import Frontend, errors, personal, problem
from tests.test_imports_pipeline import TALKS

pytestmark = pytest.mark.usefixtures("uploads_folder")
KEY = {"Idempotency-Key": "k1"}


@pytest.fixture
def frontend(owner: User) -> Frontend:
    return personal(owner)


def upload(frontend: Frontend, content: bytes, **headers: str) -> Any:
    return frontend.call(
        "POST", "/imports", content, content_type="application/octet-stream", **headers
    )


def test_an_upload(owner: User, frontend: Frontend) -> None:
    body = json.dumps(TALKS).encode()
    first = upload(frontend, body, **KEY)
    again = upload(frontend, body, **KEY)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again["Idempotency-Replayed"] == "true"
    problem(upload(frontend, body + b" ", **KEY), 422, "key-reused")
    assert errors(upload(frontend, body, **{"Idempotency-Key": "é"})) == {
        "Idempotency-Key": "idempotency_key"
    }
    with acting_for(owner.pk):
        assert Import.objects.count() == 1
        assert IdempotencyKey.objects.get().body == {"import": first.json()["id"]}
    [listed] = frontend.get("/imports").json()["items"]
    assert listed == first.json()


def test_a_start(owner: User, frontend: Frontend) -> None:
    held = upload(frontend, json.dumps(TALKS).encode()).json()
    with acting_for(owner.pk):
        before = Outbox.objects.count()
    path = f"/imports/{held['id']}/start"
    for _ in range(2):
        assert frontend.post(path, {}, **KEY).status_code == 202
    problem(frontend.post(path, {}), 409, "conflict")
    with acting_for(owner.pk):
        assert Outbox.objects.count() <= before + 1


def test_one_key_for_two_addresses(frontend: Frontend) -> None:
    upload(frontend, json.dumps(TALKS).encode(), **KEY)
    message = {"role": "user", "content": "Hi.", "sent_at": "2026-03-01T09:30:00Z"}
    body = {"conversation": "c", "messages": [message]}
    problem(frontend.post("/messages", body, **KEY), 422, "key-reused")
