"""The profile as resources: a text to read, the current facts as JSON by part of the user's
life, and each fact with its history."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any
from uuid import UUID

from django.utils import timezone, translation
from django.utils.translation import gettext as _
from mcp_types import (
    Annotations,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from memoryapp import store
from memoryapp.api.auth import Party
from memoryapp.api.facts import get_history
from memoryapp.api.mcp.caller import Call
from memoryapp.api.mcp.errors import protocol_error
from memoryapp.api.mcp.reading import shown
from memoryapp.api.mcp.schemas import Listed
from memoryapp.api.mcp.threads import in_thread
from memoryapp.api.problems import Problem
from memoryapp.api.rendering import note_reading
from memoryapp.api.schemas import HistoryOut, UserQuery
from memoryapp.context import acting_for
from memoryapp.ground import plain
from memoryapp.models import Fact
from memoryapp.web.dates import when
from memoryapp.web.wording import GROUPS

SCOPES = ("facts:read",)
PROFILE = "memory://profile"
FACTS = "memory://facts"
FACT = "memory://facts/{id}"
# More than a person tells a chat, and what a model can still read.
MOST = 500


def listings() -> list[Resource]:
    return [
        Resource(
            uri=PROFILE,
            name="profile",
            title=_("What is remembered about me"),
            description="What holds now, by part of the user's life, as text.",
            mime_type="text/markdown",
            annotations=Annotations(audience=["user", "assistant"], priority=0.8),
        ),
        Resource(
            uri=FACTS,
            name="facts",
            title=_("What is remembered about me, as data"),
            description="The current facts as JSON, by part of the user's life.",
            mime_type="application/json",
            annotations=Annotations(audience=["assistant"], priority=0.5),
        ),
    ]


def templates() -> list[ResourceTemplate]:
    return [
        ResourceTemplate(
            uri_template=FACT,
            name="fact",
            title=_("One memory, with its history"),
            description=(
                "A fact as JSON with the values before and after it, the user's own words "
                "behind it, and why it is believed."
            ),
            mime_type="application/json",
        )
    ]


async def read(call: Call, uri: str) -> ReadResourceResult:
    """Raises MCPError."""
    try:
        mime_type, text = await in_thread(lambda: _read(call, uri))
    except Exception as error:
        # Everything: the SDK would log the exception with its text.
        raise protocol_error(error) from None
    contents = TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return ReadResourceResult(contents=[contents])


def _read(call: Call, uri: str) -> tuple[str, str]:
    if uri == PROFILE:
        who = call.who(*SCOPES)
        with translation.override(who.user.language), timezone.override(who.user.time_zone):
            return "text/markdown", _profile(*_current(who))
    if uri == FACTS:
        return "application/json", _facts(*_current(call.who(*SCOPES)))
    call.demand(*SCOPES)
    history = get_history(call.request, _id(uri), UserQuery(user=call.end_user()))
    return "application/json", HistoryOut.model_validate(history).model_dump_json(indent=2)


def _id(uri: str) -> UUID:
    """Raises Problem for what is no address of a fact."""
    try:
        return UUID(uri.removeprefix(f"{FACTS}/")) if uri.startswith(f"{FACTS}/") else UUID("")
    except ValueError:
        pass  # the exception would hold what was asked for
    raise Problem(
        "not-found",
        _("There is no such resource. The ones there are: %(uris)s.")
        % {"uris": ", ".join((PROFILE, FACTS, FACT))},
    )


def _current(who: Party) -> tuple[dict[str, list[Listed]], bool]:
    """The current facts by area, in the page's order, the newest first; and whether there
    are more than ``MOST``."""
    with acting_for(who.user_id):
        rows = store.revised(
            Fact.objects.filter(user_id=who.user_id, status=Fact.Status.CURRENT, operation="state")
        ).order_by("-recorded_at", "-id")[: MOST + 1]
        found = list(rows)
        memories = shown(who.user_id, found[:MOST])
        note_reading(who, "facts.read", "facts", {"count": len(memories)})
    by_area: dict[str, list[Listed]] = defaultdict(list)
    for memory in memories:
        by_area[memory.area].append(memory)
    return {area: by_area[area] for area in GROUPS if area in by_area}, len(found) > MOST


def _profile(by_area: dict[str, list[Listed]], more: bool) -> str:
    # plain(): a value can't begin a heading or a line of its own.
    text = [f"# {_('What I remember about you')}", ""]
    if not by_area:
        return "\n".join([*text, _("Nothing yet.")])
    for area, memories in by_area.items():
        text += [f"## {GROUPS[area]}", ""]
        text += [
            f"- {plain(each.statement)} ({when(each.valid_from, each.precision)})"
            for each in memories
        ]
        text.append("")
    if more:
        text.append(_("There is more: ask for the list of memories."))
    return "\n".join(text).rstrip() + "\n"


def _facts(by_area: dict[str, list[Listed]], more: bool) -> str:
    areas: list[dict[str, Any]] = [
        {
            "area": area,
            "title": str(GROUPS[area]),
            "facts": [each.model_dump(mode="json") for each in memories],
        }
        for area, memories in by_area.items()
    ]
    return json.dumps({"areas": areas, "more": more}, ensure_ascii=False, indent=2)
