"""The API for chat frontends, at ``/api/v1`` (DESIGN section 10)."""

from __future__ import annotations

from memoryapp.api import (
    check,
    conversations,
    erasures,
    events,
    export,
    facts,
    imports,
    links,
    log,
    messages,
    problems,
    recalls,
    review,
    settings,
    undo,
    webhooks,
)
from memoryapp.api.site import Site

# The parts of the API: the router, the tag that its operations carry, and what the tag means.
PARTS = (
    (messages.router, "Messages", "What was said, on its way to become facts."),
    (recalls.router, "Recall", "The facts that matter for a question."),
    (check.router, "Check", "What an answer claims about the user, and whether it is so."),
    (facts.router, "Facts", "What is remembered: read, correct, weigh, erase."),
    (review.router, "Review", "What waits for the user's word."),
    (undo.router, "Undo", "What was just learned, taken back."),
    (events.router, "Events", "What happens, as it happens."),
    (webhooks.router, "Webhooks", "What happens, posted to the application."),
    (conversations.router, "Conversations", "What was said, read back and erased."),
    (erasures.router, "Erasures", "Several things erased at once, and the receipts."),
    (settings.router, "Settings", "What the user chose."),
    (export.router, "Export", "Everything of one user, to take away."),
    (imports.router, "Imports", "Exports of other products, brought in."),
    (log.router, "Audit", "Who did what, and whether the log is whole."),
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
