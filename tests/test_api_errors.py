"""Who may call, and the one shape of every refusal."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from accounts.models import SCOPES, ApiKey, EndUser, User
from memoryapp import pipeline
from memoryapp.api.problems import PROBLEMS
from memoryapp.ports import ProviderError
from tests.api import Frontend, application, errors, personal, problem

QUESTION = {"query": "Which editor do I use?"}
IMPORTING = "facts:write messages:write"
NOBODYS = "019a0000-0000-7000-8000-000000000000"
CALLS: tuple[tuple[str, str, Any, str], ...] = (
    ("POST", "/messages", {"conversation": "c", "messages": []}, "messages:write"),
    ("GET", "/conversations/c/status", None, "messages:write"),
    ("GET", "/conversations", None, "messages:read"),
    ("GET", "/conversations/c", None, "messages:read"),
    ("GET", "/conversations/c/messages", None, "messages:read"),
    ("PATCH", "/conversations/c", {"learning": "off"}, "messages:write"),
    ("DELETE", "/conversations/c", None, "messages:write facts:write"),
    ("POST", "/recall", QUESTION, "recall:read"),
    ("POST", "/context", QUESTION, "recall:read"),
    ("POST", "/check", {"answer": "You live in Porto."}, "recall:read"),
    ("GET", "/facts", None, "facts:read"),
    ("GET", f"/facts/{NOBODYS}", None, "facts:read"),
    ("PATCH", f"/facts/{NOBODYS}", {"value": "x"}, "facts:write"),
    ("DELETE", f"/facts/{NOBODYS}", None, "facts:write"),
    ("GET", f"/facts/{NOBODYS}/history", None, "facts:read"),
    ("GET", f"/facts/{NOBODYS}/uses", None, "facts:read"),
    ("GET", "/review", None, "facts:read"),
    ("GET", f"/review/{NOBODYS}", None, "facts:read"),
    ("POST", f"/review/{NOBODYS}/keep", {}, "facts:write"),
    ("POST", f"/review/{NOBODYS}/change", {"value": "x"}, "facts:write"),
    ("POST", f"/review/{NOBODYS}/reject", {}, "facts:write"),
    ("GET", "/wishes", None, "facts:read"),
    ("POST", f"/wishes/{NOBODYS}/dismiss", {}, "facts:write"),
    ("POST", "/erasures", {"facts": [NOBODYS]}, "facts:write messages:write"),
    ("GET", "/erasures", None, "facts:read"),
    ("GET", f"/erasures/{NOBODYS}", None, "facts:read"),
    ("GET", "/settings", None, "settings:read"),
    ("PATCH", "/settings", {"paused": True}, "settings:write"),
    ("GET", "/export", None, "facts:read messages:read settings:read audit:read"),
    ("GET", "/audit", None, "audit:read"),
    ("GET", "/audit/verification", None, "audit:read"),
    ("POST", "/links", {}, "facts:write"),
    ("GET", "/events", None, "facts:read"),
    ("POST", f"/extractions/{NOBODYS}/undo", {}, "facts:write"),
    ("POST", f"/decisions/{NOBODYS}/undo", {}, "facts:write"),
    ("GET", "/webhooks", None, "webhooks:write"),
    ("POST", "/webhooks", {"url": "https://example.com/"}, "webhooks:write"),
    ("GET", f"/webhooks/{NOBODYS}", None, "webhooks:write"),
    ("PATCH", f"/webhooks/{NOBODYS}", {"enabled": False}, "webhooks:write"),
    ("DELETE", f"/webhooks/{NOBODYS}", None, "webhooks:write"),
    ("POST", f"/webhooks/{NOBODYS}/rotate", {}, "webhooks:write"),
    ("POST", f"/webhooks/{NOBODYS}/test", {}, "webhooks:write"),
    ("GET", f"/webhooks/{NOBODYS}/deliveries", None, "webhooks:write"),
    ("POST", f"/webhooks/{NOBODYS}/replay", {"deliveries": [NOBODYS]}, "webhooks:write"),
    ("GET", "/imports", None, IMPORTING),
    ("POST", "/imports", {}, IMPORTING),
    ("GET", f"/imports/{NOBODYS}", None, IMPORTING),
    ("DELETE", f"/imports/{NOBODYS}", None, IMPORTING),
    ("POST", f"/imports/{NOBODYS}/start", {}, IMPORTING),
)


@pytest.fixture
def frontend(owner: User) -> Frontend:
    return personal(owner)


@pytest.mark.parametrize(("method", "path", "body", "scope"), CALLS)
def test_every_call_needs_a_key_with_its_scope(
    owner: User, method: str, path: str, body: Any, scope: str
) -> None:
    response = Frontend().call(method, path, body)
    problem(response, 401, "unauthenticated")
    assert response["WWW-Authenticate"].startswith("Bearer")
    needed = scope.split()
    for missing in needed:
        others = [each for each in SCOPES if each != missing]
        refused = problem(personal(owner, *others).call(method, path, body), 403, "forbidden")
        assert missing in refused["detail"]
    assert personal(owner, *needed).call(method, path, body).status_code != 401


def test_the_list_above_is_complete(frontend: Frontend) -> None:
    paths = frontend.get("/openapi.json").json()["paths"]
    documented = {(m.upper(), path) for path, methods in paths.items() for m in methods}
    assert len(documented) == len(CALLS)


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Bearer mem_nothing", "Basic b3duZXI6eA==", "mem_abc", "Bearer \xe9"],
)
def test_what_is_no_key(db: None, header: str) -> None:
    caller = Frontend()
    caller.headers = {"Authorization": header}
    problem(caller.get("/facts"), 401, "unauthenticated")


def test_a_key_that_ended(owner: User) -> None:
    now = timezone.now()
    for change in ({"revoked_at": now}, {"expires_at": now - timedelta(seconds=1)}):
        key, secret = ApiKey.objects.issue(owner=owner, name="x")
        assert Frontend(secret).get("/facts").status_code == 200
        ApiKey.objects.filter(pk=key.pk).update(**change)
        problem(Frontend(secret).get("/facts"), 401, "unauthenticated")


def test_a_closed_end_user(owner: User) -> None:
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    User.objects.filter(pk=user.pk).update(is_active=False)
    problem(frontend.get("/facts?user=u1"), 403, "forbidden")


@pytest.mark.parametrize("user", ["", "a\nb", "x" * 201, " "])
def test_what_is_no_users_name(owner: User, user: str) -> None:
    _app, frontend = application(owner)
    assert list(errors(frontend.post("/recall", {**QUESTION, "user": user}))) == ["user"]
    assert not EndUser.objects.exists()


@pytest.mark.parametrize("path", ["/", "/nowhere", "/facts/", "/facts/7", "/messages/x/y"])
def test_an_unknown_address(frontend: Frontend, path: str) -> None:
    problem(frontend.get(path), 404, "not-found")


def test_a_wrong_method(frontend: Frontend) -> None:
    response = frontend.call("PUT", "/messages", {})
    problem(response, 405, "method-not-allowed")
    assert response["Allow"] == "POST"


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 100_000, b"{'a': 1}"])
def test_what_is_no_json(frontend: Frontend, body: bytes) -> None:
    problem(frontend.post("/recall", body), 400, "malformed")


def test_another_media_type(frontend: Frontend) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        response = frontend.call("POST", "/recall", b"query=x", content_type=kind)
        problem(response, 415, "media-type")
    typed = "application/json; charset=utf-8"
    assert frontend.call("POST", "/recall", QUESTION, content_type=typed).status_code == 200


def test_a_mebibyte_is_the_most(frontend: Frontend) -> None:
    message = {"role": "user", "content": "é" * 50_000, "sent_at": "2026-03-01T09:30:00Z"}
    body = json.dumps({"conversation": "c", "messages": [message] * 10}, ensure_ascii=False)
    fits = body.encode()
    assert len(fits) < 1024 * 1024
    assert frontend.post("/messages", fits).status_code == 202
    padded = fits + b" " * (1024 * 1024 + 1 - len(fits))
    problem(frontend.post("/messages", padded), 413, "too-large")
    problem(frontend.post("/messages", b" " * 3_000_000), 413, "too-large")


def test_a_body_in_chunks(frontend: Frontend) -> None:
    response = frontend.post("/recall", QUESTION, **{"Transfer-Encoding": "chunked"})
    problem(response, 411, "length-required")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (OperationalError("connection lost near 'my diary'"), 503, "unavailable"),
        (ProviderError("timeout"), 503, "unavailable"),
        (RuntimeError("my diary"), 500, "internal"),
    ],
)
def test_a_failure_tells_nobody_what_people_wrote(
    frontend: Frontend,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    status: int,
    code: str,
) -> None:
    def fail(**_arguments: Any) -> None:
        raise error

    monkeypatch.setattr(pipeline, "recall", fail)
    with caplog.at_level(logging.DEBUG):
        response = frontend.post("/recall", {"query": "my diary"})
    problem(response, status, code)
    assert b"diary" not in response.content
    assert "diary" not in caplog.text
    assert type(error).__name__ in caplog.text


def test_an_error_does_not_repeat_what_was_sent(frontend: Frontend) -> None:
    response = frontend.post("/recall", {"query": ["my diary"], "k": "my diary"})
    assert set(errors(response)) == {"query", "k"}
    assert b"diary" not in response.content


def test_every_problem_has_a_status_and_a_title() -> None:
    for status, title in PROBLEMS.values():
        assert 400 <= status < 600
        assert str(title)


def test_a_session_is_no_key(owner: User, frontend: Frontend) -> None:
    caller = Frontend()
    caller.client.force_login(owner)
    problem(caller.get("/facts"), 401, "unauthenticated")
