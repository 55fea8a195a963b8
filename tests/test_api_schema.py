"""The API held to its own description, with made-up requests, right ones and wrong ones."""

from __future__ import annotations

import os
import random
from typing import Any
from uuid import uuid4

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from hypothesis import HealthCheck, Phase, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from accounts.models import EndUser, User
from memoryapp.api import api
from tests.api import application
from tests.remember import remember

EXAMPLES = 4
# How many of the requests that come from the description's bounds are sent in one run: all of
# them take minutes. Which ones changes from run to run; SCHEMA_SHARE=1 sends all.
SHARE = float(os.environ.get("SCHEMA_SHARE", "0.3"))
# Hypothesis resets the module's own generator before each request.
CHANCE = random.Random()


def _without_large_bounds(node: Any) -> Any:
    """Texts of 100,000 characters take long to make up; other tests have them."""
    if isinstance(node, dict):
        large = {"maxLength": 500, "maxItems": 20}
        return {
            name: _without_large_bounds(value)
            for name, value in node.items()
            if not (name in large and isinstance(value, int) and value > large[name])
        }
    return [_without_large_bounds(value) for value in node] if isinstance(node, list) else node


DESCRIPTION: dict[str, Any] = _without_large_bounds(dict(api.get_openapi_schema()))
schema = schemathesis.openapi.from_dict(
    DESCRIPTION,
    config=SchemathesisConfig.from_dict(
        {
            # The key is the test's own.
            "generation": {"with-security-parameters": False},
            "checks": {
                # 412 and 428: an erasure that nobody has looked at before.
                "positive_data_acceptance": {
                    "expected-statuses": ["2xx", "304", "403", "404", "409", "412", "428"]
                },
                "missing_required_header": {
                    "expected-statuses": ["401", "403", "404", "422", "428"]
                },
            },
        }
    ),
)
schema.app = WSGIHandler()
FORMS = DESCRIPTION["components"]["schemas"]
# What no schema can say: which words are a language, a zone or a topic, and which time has been
# or is to come.
KNOWN: dict[str, Any] = {
    "language": "en",
    "time_zone": "Europe/Lisbon",
    "sent_at": "2026-03-01T09:30:00Z",
    "expires_at": "2999-01-01T00:00:00Z",
    "paused_until": "2999-01-01T00:00:00Z",
    "never_remember": [{"words": "my divorce"}, {"area": "plans"}],
    "url": "https://chat.example.com/hooks/memory",
}
# Nor which of two is meant.
BODIES = {"replayWebhook": {"since": "2026-03-01T00:00:00Z"}}


@pytest.fixture
def there(committed_db: Any, owner: User) -> dict[str, str]:
    """An application's key, and the ids of what its user has."""
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    fact = remember(user, "editor", "Vim", vector=False)
    pending = remember(user, "health_condition", "asthma", vector=False)
    return {**frontend.headers, "fact": str(fact), "pending": str(pending)}


def _fill_in(node: Any) -> None:
    if isinstance(node, dict):
        node |= {name: value for name, value in KNOWN.items() if name in node}
        for value in node.values():
            _fill_in(value)
    elif isinstance(node, list):
        for value in node:
            _fill_in(value)


def _names_its_user(operation: Any) -> tuple[bool, bool]:
    """Whether in the query, and whether in the body."""
    content = operation.get("requestBody", {}).get("content", {})
    form = content.get("application/json", {}).get("schema", {}).get("$ref", "/")
    properties = FORMS.get(form.rpartition("/")[2], {}).get("properties", {})
    return "user" in {each["name"] for each in operation["parameters"]}, "user" in properties


def _name_one(body: dict[str, Any]) -> None:
    """One thing to erase: the description can't say that there is exactly one."""
    ways = ("facts", "search", "topic", "messages", "said", "memory", "everything")
    named = [name for name in ways if body.get(name)]
    for name in (*ways, "application"):
        if name not in named[:1]:
            body.pop(name, None)
    if not named:
        body["everything"] = True


def _without_a_frame(body: dict[str, Any]) -> None:
    """A theme is for a frame, and a frame for an application that named its sites."""
    body.pop("theme", None)
    body.pop("embed", None)


def _make_right(case: Any, there: dict[str, str]) -> None:
    """What a caller knows: their user, the ids of what is there, a key of their own."""
    operation = DESCRIPTION["paths"][case.path][case.method.lower()]
    if operation["operationId"] in BODIES:
        case.body = dict(BODIES[operation["operationId"]])
    in_query, in_body = _names_its_user(operation)
    if in_query:
        case.query["user"] = "u1"
    if isinstance(case.body, dict):
        case.body |= {"user": "u1"} if in_body else {}
        _fill_in(case.body)
        if case.path.endswith("/erasures"):
            _name_one(case.body)
        if case.path.endswith("/facts/{fact_id}") and "since" in case.body:
            case.body["since"] = "2026-03-03"
        if case.path.endswith("/links"):
            _without_a_frame(case.body)
    case.query.pop("cursor", None)
    if "fact_id" in case.path_parameters:
        case.path_parameters["fact_id"] = there["pending" if "/review/" in case.path else "fact"]
    if "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid4())


def _streams(operation: Any) -> bool:
    answers = operation["responses"].values()
    return any("text/event-stream" in answer.get("content", {}) for answer in answers)


# Streams that don't end by themselves have tests of their own.
ENDLESS = [
    operation["operationId"]
    for methods in DESCRIPTION["paths"].values()
    for operation in methods.values()
    if _streams(operation)
]


@pytest.mark.slow
@pytest.mark.timeout(300)
@schema.exclude(operation_id=ENDLESS).parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_each_operation(case: Any, there: dict[str, str]) -> None:
    if case.meta.phase.name == "coverage" and CHANCE.random() > SHARE:
        return
    if case.meta.generation.mode == GenerationMode.POSITIVE:
        _make_right(case, there)
    case.call_and_validate(headers={"Authorization": there["Authorization"], "Host": "localhost"})
