"""Bringing exports in, as the page and the workers do."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from memoryapp import audit, import_pipeline, importing
from memoryapp.context import acting_for
from memoryapp.models import Import, Outbox
from tests.exports import EXPORTS


def upload(user: Any, content: Any, *, pasted: bool = False) -> UUID:
    """A file of the fixtures by its name, bytes, or anything as JSON; looked into."""
    if isinstance(content, str):
        content = (EXPORTS / content).read_bytes()
    elif not isinstance(content, bytes):
        content = json.dumps(content).encode()
    return import_pipeline.receive(
        user_id=user.pk, content=content, by=audit.Actor.user(user), pasted=pasted
    )


def paste(user: Any, *lines: str) -> Import:
    """Paste a list and have it read."""
    import_id = upload(user, "\n".join(lines).encode(), pasted=True)
    start(user, import_id)
    work_on(user)
    return row(user, import_id)


def start(user: Any, import_id: UUID) -> UUID:
    return import_pipeline.start(user_id=user.pk, import_id=import_id, by=audit.Actor.user(user))


def work_on(user: Any) -> int:
    """Step by step, what the workers would do; how many steps it took."""
    steps = 0
    while True:
        with acting_for(user.pk):
            waiting = Outbox.objects.filter(
                source_import__isnull=False, done_at__isnull=True, failed_at__isnull=True
            ).first()
        if waiting is None or not import_pipeline.step(user_id=user.pk, outbox_id=waiting.id):
            return steps
        steps += 1


def bring(user: Any, content: Any) -> Import:
    """Upload, say yes, and have all of it read."""
    import_id = upload(user, content)
    start(user, import_id)
    work_on(user)
    return row(user, import_id)


def undo(user: Any, import_id: UUID) -> Any:
    return import_pipeline.undo(user_id=user.pk, import_id=import_id, by=audit.Actor.user(user))


def row(user: Any, import_id: UUID) -> Import:
    with acting_for(user.pk):
        return importing.get(user_id=user.pk, import_id=import_id)


def progress(user: Any, found: Import) -> importing.Progress:
    with acting_for(user.pk):
        return importing.progress(row=found)


def chats(*talks: tuple[str, str, str]) -> list[dict[str, Any]]:
    """An export in Claude's shape: for each (id, date, words) one conversation in which the
    user says so and is answered."""
    return [
        {
            "uuid": id,
            "name": f"About {id}",
            "created_at": f"{date}T09:00:00Z",
            "updated_at": f"{date}T09:01:00Z",
            "account": {"uuid": "someone"},
            "chat_messages": [
                {
                    "uuid": f"{id}-{number}",
                    "sender": sender,
                    "text": text,
                    "content": [{"type": "text", "text": text}],
                    "created_at": f"{date}T09:0{number}:00Z",
                    "updated_at": f"{date}T09:0{number}:00Z",
                    "attachments": [],
                    "files": [],
                }
                for number, (sender, text) in enumerate(
                    (("human", words), ("assistant", "Noted. I live in Oslo myself."))
                )
            ],
        }
        for id, date, words in talks
    ]


def memories(*rows: tuple[str, str, str], **more: Any) -> list[dict[str, Any]]:
    """An export in mem0's shape of (id, date, text)."""
    return [
        {
            "id": id,
            "memory": text,
            "user_id": "someone",
            "hash": "h",
            "created_at": f"{date}T09:00:00Z",
            "updated_at": f"{date}T09:00:00Z",
            **more,
        }
        for id, date, text in rows
    ]
