"""The API's description: in the repository, complete, and right."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from accounts.models import SCOPES
from memoryapp.api import schemas
from memoryapp.api.schemas import ContextIn, FactChange, LinkIn, MessagesIn, RecallIn

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "openapi.json").read_text(encoding="utf-8")
)
OPERATIONS = [
    (f"{method.upper()} {path}", operation)
    for path, methods in SCHEMA["paths"].items()
    for method, operation in methods.items()
]


def test_the_file_is_what_the_code_says(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("openapi", "--check")
    call_command("openapi")
    assert json.loads(capsys.readouterr().out) == SCHEMA


def test_an_old_file_is_told_with_the_cure(tmp_path: Path) -> None:
    with override_settings(BASE_DIR=tmp_path):
        with pytest.raises(CommandError, match="openapi --write"):
            call_command("openapi", "--check")
        (tmp_path / "openapi.json").write_text("{}")
        with pytest.raises(CommandError, match="openapi --write"):
            call_command("openapi", "--check")
        call_command("openapi", "--write")
        call_command("openapi", "--check")


def test_the_site_serves_it(client: Any) -> None:
    assert client.get("/api/v1/openapi.json").json() == SCHEMA


@pytest.mark.parametrize(("name", "operation"), OPERATIONS)
def test_each_operation_is_described(name: str, operation: dict[str, Any]) -> None:
    assert operation["operationId"].isalnum()
    assert operation["summary"]
    assert operation["tags"]
    [security] = operation["security"]
    assert set(security["BearerKey"]) <= set(SCOPES)
    assert security["BearerKey"]
    assert {"401", "403", "422", "429"} < set(operation["responses"])
    for status, response in operation["responses"].items():
        kind = "application/json" if int(status) < 400 else "application/problem+json"
        if operation["operationId"] == "streamEvents" and status == "200":
            kind = "text/event-stream"
        bare = status in {"204", "304"}
        assert list(response.get("content", [])) == ([] if bare else [kind])


def test_names_are_unique_and_references_lead_somewhere() -> None:
    names = [operation["operationId"] for _, operation in OPERATIONS]
    assert len(names) == len(set(names))

    def references(node: Any) -> Any:
        if isinstance(node, dict):
            yield from ([node["$ref"]] if "$ref" in node else [])
            for value in node.values():
                yield from references(value)
        elif isinstance(node, list):
            for value in node:
                yield from references(value)

    for reference in references(SCHEMA):
        _root, components, kind, name = reference.split("/")
        assert name in SCHEMA[components][kind]


@pytest.mark.parametrize("model", [MessagesIn, RecallIn, ContextIn, FactChange, LinkIn])
def test_examples_are_accepted(model: Any) -> None:
    examples = SCHEMA["components"]["schemas"][model.__name__]["examples"]
    for example in examples:
        model.model_validate(example)


def test_no_two_schemas_have_one_name() -> None:
    """The later one would stand for both in the description."""
    named = Counter(
        each.__name__
        for module in vars(schemas).values()
        if inspect.ismodule(module)
        for each in vars(module).values()
        if inspect.isclass(each) and each.__module__ == module.__name__
    )
    assert named["AboutIn"] == named["TopicIn"] == 1
    assert [name for name, count in named.items() if count > 1] == []
