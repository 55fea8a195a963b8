"""What the user lets be remembered: pausing, topics never to remember, and conversations
that teach nothing. The ways in ask here; what they may not keep is left out and counted."""

from .learning import set_learning
from .pausing import pause_of, paused
from .topics import MAYBE, SURE, Said, Topic, Topics, Verdict, load, note_left_out, withhold

__all__ = [
    "MAYBE",
    "SURE",
    "Said",
    "Topic",
    "Topics",
    "Verdict",
    "load",
    "note_left_out",
    "pause_of",
    "paused",
    "set_learning",
    "withhold",
]
