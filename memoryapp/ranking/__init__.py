"""A question and many messages, to the messages that answer it. Pure: arrays in, row numbers
out, no database and no model. docs/retrieval.md has the formulae, and where each number was
chosen.

``read`` the question; embed and stem ``Question.text``; ``gather`` the candidates from what
is known of every message; ``settle`` their order from the texts of just those.
"""

from .answerable import ANSWERABLE, Signals
from .diversity import diverse
from .messages import First, Messages, Parts, Ranked, Ranking, gather, settle
from .question import Event, Question, Span, read

__all__ = [
    "ANSWERABLE",
    "Event",
    "First",
    "Messages",
    "Parts",
    "Question",
    "Ranked",
    "Ranking",
    "Signals",
    "Span",
    "diverse",
    "gather",
    "read",
    "settle",
]
