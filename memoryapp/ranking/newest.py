"""Of statements about one thing, the newest first."""

from __future__ import annotations

from .words import Bools, Floats

# How far below the best a newer statement may score, when the tense asks for the present
# and when a word does.
IMPLIED, SAID = 0.20, 0.35
# The share of the better one's question words, by rarity, that a newer one must hold.
ABOUT = 0.5
# How many places are put in order.
PLACES = 20


def newest_first(
    order: list[int], scores: Floats, has: Bools, heavy: Floats, sent_at: Floats, slack: float
) -> list[int]:
    """``order``, best first, with each message behind the newer ones that score at most
    ``slack`` of its own score less and are about the same: they hold ``ABOUT`` of the
    question's words that it holds. The arrays are indexed by the rows in ``order``."""
    left, settled = order[:PLACES], []
    while left:
        lead = left[0]
        floor = scores[lead] - slack * abs(scores[lead])
        held = has[lead] * heavy
        rivals = [
            row
            for row in left
            if row == lead
            or (scores[row] >= floor and held.any() and held @ has[row] >= ABOUT * held.sum())
        ]
        newest = max(rivals, key=lambda row: float(sent_at[row]))
        settled.append(newest)
        left.remove(newest)
    return settled + order[PLACES:]
