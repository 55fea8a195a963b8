"""Near copies give way to what says something else."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Two texts whose vectors are closer than this begin to count as copies of one another.
NEAR = 0.85


def diverse(
    vectors: NDArray[Any], scores: NDArray[Any], k: int, *, near: float = NEAR
) -> list[int]:
    """The positions of ``k`` rows, best first, by maximal marginal relevance (Carbonell and
    Goldstein 1998) over near copies alone: a row's score is multiplied by 1 - (c - near) /
    (1 - near) for its largest cosine c to a row chosen before, if c > near. What resembles
    nothing keeps its place; copies come last and fill no place while others are left.
    ``vectors`` are unit rows, (n, dimension), NaN where there is none; scores are 0 or more.
    Fewer than ``k`` when there are fewer rows.
    """
    rows = np.nan_to_num(np.asarray(vectors, dtype=np.float64))
    left = np.asarray(scores, dtype=np.float64)
    taken = np.zeros(len(left), dtype=bool)
    novelty = np.ones(len(left))
    chosen: list[int] = []
    while len(chosen) < min(k, len(rows)):
        best = int(np.argmax(np.where(taken, -1.0, left * novelty)))
        chosen.append(best)
        taken[best] = True
        copies = np.clip((rows @ rows[best] - near) / (1 - near), 0, 1)
        novelty = np.minimum(novelty, 1 - copies)
    return chosen
