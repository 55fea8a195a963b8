"""Erasing: gone means gone (DESIGN section 7).

Every function here needs ``acting_for(user_id)``, works in that one transaction under
the user's lock, and leaves a receipt, tombstones and audit events without content.
Ids that aren't the user's raise ``store.NotFound``, and nothing is erased then.
"""

from . import journal
from .account import erase_account, holdings
from .choice import Choice, Going, Staying
from .conversation import erase_conversation, erase_import, erase_messages
from .facts import erase_facts
from .looking import carry_out, look
from .plan import Plan, PlannedFact, chain, plan
from .replaying import replay
from .through import erase_everything
from .wishes import dismiss

__all__ = [
    "Choice",
    "Going",
    "Plan",
    "PlannedFact",
    "Staying",
    "carry_out",
    "chain",
    "dismiss",
    "erase_account",
    "erase_conversation",
    "erase_everything",
    "erase_facts",
    "erase_import",
    "erase_messages",
    "holdings",
    "journal",
    "look",
    "plan",
    "replay",
]
