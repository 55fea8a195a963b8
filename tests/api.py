"""Calling the API as a chat frontend does, and the one check of what isn't a success."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.test import Client

from accounts.models import SCOPES, ApiKey, Application, User
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response


# Changes whatever is there by now.
ANY = {"If-Match": "*"}


class Frontend:
    """A caller with a key of its own."""

    def __init__(self, secret: str = "", client: Client | None = None) -> None:
        self.client = client or Client()
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Response:
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body)
        return self.client.generic(
            method,
            f"/api/v1{path}",
            data,
            content_type=headers.pop("content_type", "application/json"),
            headers={**self.headers, **headers},
        )

    def get(self, path: str, **headers: str) -> Response:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any, **headers: str) -> Response:
        return self.call("POST", path, body, **headers)

    def patch(self, path: str, body: Any, **headers: str) -> Response:
        return self.call("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Response:
        return self.call("DELETE", path, **headers)


def personal(user: User, *scopes: str) -> Frontend:
    return Frontend(ApiKey.objects.issue(owner=user, name="own", scopes=scopes or SCOPES)[1])


def application(owner: User, name: str = "Chatty") -> tuple[Application, Frontend]:
    made = Application.objects.create(owner=owner, name=name)
    _key, secret = ApiKey.objects.issue(owner=owner, name=name, application=made)
    return made, Frontend(secret)


def problem(response: Response, status: int, code: str) -> dict[str, Any]:
    """The body of an answer that has to be this problem; each of its errors has a cure."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    assert response["Cache-Control"] == "no-store"
    body: dict[str, Any] = json.loads(response.content)
    assert body["type"] == f"urn:memoryapp:problem:{code}"
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    for error in body.get("errors", ()):
        assert set(error) == {"field", "code", "detail", "hint"}
        assert all(error.values())
    return body


def errors(response: Response) -> dict[str, str]:
    """Field to code of an answer that has to be 422."""
    body = problem(response, 422, "invalid")
    return {error["field"]: error["code"] for error in body["errors"]}


def log(user: User) -> list[tuple[str, str, str]]:
    """Who did what to what, as the user's log has it."""
    with acting_for(user.pk):
        return list(AuditEvent.objects.order_by("seq").values_list("actor", "action", "object"))
