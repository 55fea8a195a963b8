"""Versions: what has been seen may be changed, what has changed since may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from accounts.models import User
from memoryapp.context import acting_for
from memoryapp.models import Fact
from tests.api import ANY, Frontend, personal, problem
from tests.remember import remember


@pytest.fixture
def frontend(owner: User) -> Frontend:
    return personal(owner)


@pytest.fixture
def fact_id(owner: User) -> UUID:
    return remember(owner, "editor", "Vim", vector=False)


def seen(frontend: Frontend, path: str) -> str:
    return str(frontend.get(path)["ETag"])


Call = Callable[..., Any]
CHANGES: list[tuple[str, str, dict[str, Any] | None]] = [
    ("PATCH", "/facts/{fact}", {"value": "Zed"}),
    ("PATCH", "/facts/{fact}", {"pinned": True}),
    ("DELETE", "/facts/{fact}", None),
    ("PATCH", "/settings", {"paused": True}),
    ("POST", "/review/{pending}/keep", {}),
    ("POST", "/review/{pending}/change", {"value": "hay fever"}),
    ("POST", "/review/{pending}/reject", {}),
]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_a_change_names_the_version_it_is_for(
    owner: User, frontend: Frontend, fact_id: UUID, method: str, path: str, body: Any
) -> None:
    pending = remember(owner, "health_condition", "asthma", vector=False)
    path = path.format(fact=fact_id, pending=pending)
    shown = path.removesuffix("/keep").removesuffix("/change").removesuffix("/reject")
    version = seen(frontend, shown)
    answer = problem(frontend.call(method, path, body), 428, "precondition-required")
    assert "If-Match" in answer["detail"]
    for other in ('"1"', f"W/{version}", "nonsense", ""):
        refused = frontend.call(method, path, body, **{"If-Match": other})
        problem(refused, 412, "precondition-failed")
    assert seen(frontend, shown) == version
    both = f'"1", {version}'
    assert frontend.call(method, path, body, **{"If-Match": both}).status_code == 200


def test_a_change_makes_a_new_version(frontend: Frontend, fact_id: UUID) -> None:
    path = f"/facts/{fact_id}"
    version = seen(frontend, path)
    assert frontend.get(path).json()["etag"] == version
    assert frontend.get("/facts").json()["items"][0]["etag"] == version
    changed = frontend.patch(path, {"pinned": True}, **{"If-Match": version})
    assert changed["ETag"] not in {version, ""}
    assert changed["ETag"] == seen(frontend, path)
    problem(
        frontend.patch(path, {"pinned": False}, **{"If-Match": version}),
        412,
        "precondition-failed",
    )
    assert frontend.get(path).json()["pinned"]


@pytest.mark.parametrize("path", ["/facts/{fact}", "/settings", "/review/{pending}"])
def test_what_one_has_is_not_sent_again(
    owner: User, frontend: Frontend, fact_id: UUID, path: str
) -> None:
    pending = remember(owner, "health_condition", "asthma", vector=False)
    path = path.format(fact=fact_id, pending=pending)
    version = seen(frontend, path)
    for known in (version, f"W/{version}", f'"x", {version}', "*"):
        response = frontend.get(path, **{"If-None-Match": known})
        assert (response.status_code, response.content) == (304, b"")
        assert response["ETag"] == version
        assert response["Cache-Control"] == "no-store"
        assert "RateLimit" in response
    for other in ('"x"', "", "nonsense"):
        assert frontend.get(path, **{"If-None-Match": other}).status_code == 200


def test_settings_make_a_new_version(frontend: Frontend) -> None:
    version = seen(frontend, "/settings")
    changed = frontend.patch("/settings", {"paused": True}, **{"If-Match": version})
    assert changed["ETag"] == seen(frontend, "/settings") != version
    assert frontend.patch("/settings", {"paused": False}, **ANY)["ETag"] == version


def test_of_two_changes_at_once_one_is_refused(committed_db: Any, owner: User) -> None:
    """The version is compared under the lock, where the other change is seen."""
    from concurrent.futures import ThreadPoolExecutor

    frontend = personal(owner)
    fact_id = remember(owner, "editor", "Vim", vector=False)
    version = seen(frontend, f"/facts/{fact_id}")

    def change(value: str) -> int:
        try:
            caller = Frontend()
            caller.headers = frontend.headers
            body = {"value": value, "supersession": "change"}
            return caller.patch(f"/facts/{fact_id}", body, **{"If-Match": version}).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        statuses = sorted(pool.map(change, ["Zed", "Emacs", "Helix", "Nano"]))
    assert statuses[0] == 200
    assert set(statuses[1:]) <= {409, 412}
    with acting_for(owner.pk):
        assert Fact.objects.filter(status="current").count() == 1
        assert Fact.objects.count() == 2
