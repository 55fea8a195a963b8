"""The only writer of facts.

Every function here needs ``acting_for(user_id)``, takes the user's lock, writes the
decision and the audit event in the same transaction, and names its actor (``by``).
"""

from .acts import TakenBack, last_act, undo_act
from .apply import DOUBTFUL, LEFT_OUT, UNCONSENTED, UNREAD, Decided, apply
from .by_hand import Weights, approve, reject, weigh
from .choosing import contradicted, never, replace
from .common import Conflict, NotFound, Stale, lock, locked_fact, revised
from .editing import Occupied, Since, TooEarly, edit
from .links import link
from .names import Names, Renamed, is_name, part, rename, statements
from .neighbours import neighbours
from .removal import remove
from .undo import NotUndoable, Undone, undo, undoable
from .upkeep import archive, expire, merge_duplicates, reexpire
from .wanted import Unwanted

__all__ = [
    "DOUBTFUL",
    "LEFT_OUT",
    "UNCONSENTED",
    "UNREAD",
    "Conflict",
    "Decided",
    "Names",
    "NotFound",
    "NotUndoable",
    "Occupied",
    "Renamed",
    "Since",
    "Stale",
    "TakenBack",
    "TooEarly",
    "Undone",
    "Unwanted",
    "Weights",
    "apply",
    "approve",
    "archive",
    "contradicted",
    "edit",
    "expire",
    "is_name",
    "last_act",
    "link",
    "lock",
    "locked_fact",
    "merge_duplicates",
    "neighbours",
    "never",
    "part",
    "reexpire",
    "reject",
    "remove",
    "rename",
    "replace",
    "revised",
    "statements",
    "undo",
    "undo_act",
    "undoable",
    "weigh",
]
