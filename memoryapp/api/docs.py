"""The API's documentation as a page: the OpenAPI description, laid out for people. Without a
script, so that it works under the site's Content-Security-Policy and prints well."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from memoryapp.api import api
from memoryapp.api.problems import PROBLEMS

SERVER = "http://127.0.0.1:8000"
_LIMITS = (
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minimum", "from {}"),
    ("exclusiveMinimum", "above {}"),
    ("maximum", "to {}"),
    ("minItems", "at least {}"),
    ("maxItems", "at most {}"),
)


@dataclass(frozen=True, slots=True)
class Field:
    """``kind`` is its type, with a link where it has a form of its own."""

    name: str
    kind: SafeString
    required: bool
    description: SafeString
    where: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    status: str
    meaning: str
    kind: SafeString


@dataclass(frozen=True, slots=True)
class Operation:
    id: str
    method: str
    path: str
    summary: str
    description: SafeString
    scopes: Sequence[str]
    parameters: Sequence[Field]
    body: SafeString
    fields: Sequence[Field]
    answers: Sequence[Answer]
    refusals: Sequence[str]
    curl: str


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    description: str
    operations: Sequence[Operation]


@dataclass(frozen=True, slots=True)
class Form:
    """A schema with a name."""

    name: str
    description: SafeString
    fields: Sequence[Field]
    example: str


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The page. It is for everybody: it says nothing about anybody."""
    return render(request, "api/docs.html", dict(_context()))


@cache
def _context() -> Mapping[str, Any]:
    schema = api.get_openapi_schema()
    return {
        "title": schema["info"]["title"],
        "version": schema["info"]["version"],
        "description": _words(schema["info"]["description"]),
        "server": SERVER,
        "groups": list(_groups(schema)),
        "forms": list(_forms(schema["components"]["schemas"])),
        "problems": [(code, status, title) for code, (status, title) in PROBLEMS.items()],
    }


def _groups(schema: Mapping[str, Any]) -> Iterator[Group]:
    for tag in schema["tags"]:
        operations = [
            _operation(path, method, operation, schema["components"]["schemas"])
            for path, methods in schema["paths"].items()
            for method, operation in methods.items()
            if operation["tags"] == [tag["name"]]
        ]
        yield Group(tag["name"], tag["description"], operations)


def _operation(
    path: str, method: str, operation: Mapping[str, Any], forms: Mapping[str, Any]
) -> Operation:
    content = operation.get("requestBody", {}).get("content", {})
    named = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    form = forms.get(named.rpartition("/")[2], {})
    [security] = operation["security"]
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=_words(operation.get("description", "")),
        scopes=security["BearerKey"],
        parameters=[
            _field(each["name"], each["schema"], each["required"], where=each["in"])
            for each in operation["parameters"]
        ],
        body=_kind(next(iter(content.values()))["schema"]) if content else SafeString(""),
        fields=_fields(form) if form else [],
        answers=[
            Answer(status, answer["description"], _answer_kind(answer))
            for status, answer in operation["responses"].items()
            if int(status) < HTTPStatus.BAD_REQUEST
        ],
        refusals=[
            status for status in operation["responses"] if int(status) >= HTTPStatus.BAD_REQUEST
        ],
        curl=_curl(path, method, operation, content, form),
    )


def _answer_kind(answer: Mapping[str, Any]) -> SafeString:
    content = answer.get("content")
    return _kind(next(iter(content.values()))["schema"]) if content else SafeString("")


def _curl(
    path: str,
    method: str,
    operation: Mapping[str, Any],
    content: Mapping[str, Any],
    form: Mapping[str, Any],
) -> str:
    filled = re.sub(r"\{(\w+)\}", lambda name: name.group(1).upper(), path)
    verb = "" if method == "get" else f" -X {method.upper()}"
    lines = [f"curl{verb} {SERVER}{filled}", '-H "Authorization: Bearer $KEY"']
    if any(each["name"] == "If-Match" for each in operation["parameters"]):
        lines.append("-H 'If-Match: \"7351\"'")
    if "application/octet-stream" in content:
        lines.append("-H 'Content-Type: application/octet-stream' --data-binary @export.zip")
    elif content:
        body = form.get("examples", [{}])[0]
        lines.append("-H 'Content-Type: application/json'")
        lines.append(f"-d '{json.dumps(body, ensure_ascii=False)}'")
    return " \\\n  ".join(lines)


def _forms(schemas: Mapping[str, Any]) -> Iterator[Form]:
    for name, schema in sorted(schemas.items()):
        examples = schema.get("examples")
        yield Form(
            name=name,
            description=_words(schema.get("description", "")),
            fields=_fields(schema),
            example=json.dumps(examples[0], indent=2, ensure_ascii=False) if examples else "",
        )


def _fields(schema: Mapping[str, Any]) -> list[Field]:
    required = schema.get("required", ())
    return [
        _field(name, each, name in required) for name, each in schema.get("properties", {}).items()
    ]


def _field(name: str, schema: Mapping[str, Any], required: bool, where: str = "") -> Field:
    notes = [schema.get("description", "")]
    notes += [text.format(schema[key]) for key, text in _LIMITS if key in schema]
    default = schema.get("default")
    if default not in (None, "", []):
        notes.append(f"default `{json.dumps(default)}`")
    text = "; ".join(note.removesuffix(".") for note in notes if note)
    return Field(name, _kind(schema), required, _words(text), where)


def _kind(schema: Mapping[str, Any]) -> SafeString:
    """A schema in a few words: ``string``, ``list of FactOut``, ``date-time or null``."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return format_html('<a href="#form-{}">{}</a>', name, name)
    if "anyOf" in schema:
        kinds = dict.fromkeys(_kind(each) for each in schema["anyOf"])
        return format_html_join(" or ", "{}", ((kind,) for kind in kinds))
    if "enum" in schema or "const" in schema:
        values = schema.get("enum") or [schema["const"]]
        return escape(" | ".join(json.dumps(value) for value in values))
    if schema.get("type") == "array":
        return format_html("list of {}", _kind(schema["items"]))
    return escape(schema.get("format") or schema.get("type") or "any JSON")


def _words(text: str) -> SafeString:
    """Text with `code` between backticks."""
    return format_html_join(
        "",
        "{}",
        (
            (format_html("<code>{}</code>", piece) if number % 2 else piece,)
            for number, piece in enumerate(text.split("`"))
        ),
    )
