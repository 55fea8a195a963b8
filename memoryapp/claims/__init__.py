"""An assistant's answer held against memory: what it says of the user, and whether that is so.

``find`` the claims, ``load`` the facts near them, let a ``Judge`` decide by rules, and ``ask``
a model about what these leave open. All but ``load`` and ``ask`` are pure.
"""

from .asking import ask
from .finding import find
from .judging import Judge
from .loading import Near, load
from .loading import texts as searched
from .records import Checked, Claim, Held, Said, Verdict

__all__ = [
    "Checked",
    "Claim",
    "Held",
    "Judge",
    "Near",
    "Said",
    "Verdict",
    "ask",
    "find",
    "load",
    "searched",
]
