"""The only writer of facts.

Every function here needs ``acting_for(user_id)``, takes the user's lock, writes the
decision and the audit event in the same transaction, and names its actor (``by``).
"""

from .apply import Decided, apply
from .by_hand import approve, edit, reject
from .common import Conflict, NotFound, lock
from .neighbours import neighbours
from .removal import remove
from .upkeep import archive, expire, merge_duplicates

__all__ = [
    "Conflict",
    "Decided",
    "NotFound",
    "apply",
    "approve",
    "archive",
    "edit",
    "expire",
    "lock",
    "merge_duplicates",
    "neighbours",
    "reject",
    "remove",
]
