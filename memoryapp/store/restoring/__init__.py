"""Facts of an own export, brought back.

The usual path reads words and begins a history now; an export already has its history: what
was replaced when, what was corrected, approved, refused, pinned. So where the account knows
nothing under a key, its rows are written as they stood, and then held to the usual rules all
the same: what was erased here stays erased, proofs must stand in their messages, delicate
facts wait for consent, and the key's timeline is computed anew from its proofs, which puts
right whatever the rows claimed. Where the key is known, the proofs alone go into its timeline,
as from any import. Every proof is marked with the import that brought it.
"""

from .common import Identity, Restored, candidate_of, identity, statement_of
from .facts import restore
from .linking import restore_links, restore_name

__all__ = [
    "Identity",
    "Restored",
    "candidate_of",
    "identity",
    "restore",
    "restore_links",
    "restore_name",
    "statement_of",
]
