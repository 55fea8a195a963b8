"""The API for chat frontends, at ``/api/v1`` (DESIGN section 10)."""

from __future__ import annotations

from memoryapp.api import facts, imports, links, messages, problems, recalls
from memoryapp.api.site import Site

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
        "tags": [
            {"name": "Messages", "description": "What was said, on its way to become facts."},
            {"name": "Recall", "description": "The facts that matter for a question."},
            {"name": "Facts", "description": "What is remembered: read, correct, erase."},
            {"name": "Imports", "description": "Exports of other products, brought in."},
            {"name": "Links", "description": "The way to the user's own page."},
        ]
    },
)
problems.register(api)
for module in (messages, recalls, facts, imports, links):
    api.add_router("", module.router)

__all__ = ["api"]
