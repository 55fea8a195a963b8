"""Taking back what was just learned."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from memoryapp import audit, providers, store
from memoryapp import registry as registries
from memoryapp.context import acting_for


def undo(
    *,
    user_id: UUID,
    by: audit.Actor,
    extraction_id: UUID | None = None,
    decision_id: UUID | None = None,
    inside: Callable[[store.Undone], None] | None = None,
) -> store.Undone:
    """Undo an extraction, or one decision; ``inside`` gets what came of it in the same
    transaction. Raises ``store.NotFound``, and ``store.NotUndoable`` with the reason."""
    with acting_for(user_id):
        undone = store.undo(
            user_id=user_id,
            registry=registries.load(),
            by=by,
            now=providers.clock().now(),
            extraction_id=extraction_id,
            decision_id=decision_id,
        )
        if inside is not None:
            inside(undone)
    return undone
