"""A pasted list of memories: bullets, "Name: Mira", dated lines as Claude's import prompt
asks for, or plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoryapp.importers.common import (
    Found,
    ImportedMemory,
    Item,
    Limits,
    Tally,
    content_id,
)
from memoryapp.importers.lists import Rejected, statements
from memoryapp.importers.streams import text_of
from memoryapp.records import normalise


def read(found: Sequence[Found], limits: Limits) -> Iterator[Item]:
    """A memory for each statement, then what was left out."""
    tally = Tally()
    for one in found:
        for statement in statements(text_of(one.document, limits)):
            if isinstance(statement, Rejected):
                tally.skip("memory", statement.reason)
                continue
            metadata = {"source": "paste"}
            if statement.section:
                metadata["section"] = statement.section
            yield ImportedMemory(
                f"paste:{content_id(normalise(statement.text))}",
                statement.text,
                statement.date,
                metadata=metadata,
            )
    yield from tally.items()
