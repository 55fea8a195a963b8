"""The API for chat frontends, at ``/api/v1`` (DESIGN section 10)."""

from __future__ import annotations

from memoryapp.api import facts, imports, links, messages, problems, recalls
from memoryapp.api.site import Site

# The parts of the API: the router, the tag that its operations carry, and what the tag means.
PARTS = (
    (messages.router, "Messages", "What was said, on its way to become facts."),
    (recalls.router, "Recall", "The facts that matter for a question."),
    (facts.router, "Facts", "What is remembered: read, correct, erase."),
    (imports.router, "Imports", "Exports of other products, brought in."),
    (links.router, "Links", "The way to the user's own page."),
)

api = Site(
    title="memoryapp",
    version="1.0.0",
    description=(
        "The memory beside an AI chat: send conversation turns, ask for the facts that matter "
        "now, with the user's own words as proof. Every answer that isn't a success is "
        "`application/problem+json`; its `errors` name each field and the cure."
    ),
    urls_namespace="api-v1",
    docs_url=None,
    openapi_extra={
        "tags": [{"name": name, "description": meaning} for _router, name, meaning in PARTS]
    },
)
problems.register(api)
for router, name, _meaning in PARTS:
    api.add_router("", router, tags=[name])

__all__ = ["api"]
