"""Maximal marginal relevance: a list without two facts that say the same [1].

Facts are chosen one by one, each time the one with the most of

    lambda * score / best score  -  (1 - lambda) * greatest cosine with a fact chosen before

so a second wording of what is listed already has to be much better than something else. Scores are untouched, only the order is
another. Cosines are rounded to six digits: where two facts are equally good, the order in which they came decides, not the
last digit of a product.

[1] Carbonell, Goldstein: The use of MMR, diversity-based reranking for reordering documents and producing summaries,
    SIGIR 1998.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def diversify(
    scores: NDArray[np.float64], vectors: NDArray[np.float32], weight: float, k: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Choose k of n facts.

    Parameters
    ----------
    scores : float64 array of shape (n,)
        Of the facts, best first.
    vectors : float32 array of shape (n, dimensions)
        Theirs; zeros for a fact without one, which is like no other.
    weight : float
        Lambda, 0..1.
    k : int
        How many at most.

    Returns
    -------
    chosen : intp array of shape (m,), m <= k
        Positions in the order of choice.
    redundancy : float64 array of shape (m,)
        The greatest cosine of each with one chosen before it, 0 for the first.
    """
    count = min(k, len(scores))
    rows = vectors.astype(np.float64)
    norms = np.sqrt(np.square(rows).sum(axis=1))
    rows /= np.where(norms > 0, norms, 1.0)[:, None]
    worth = weight * scores / max(float(scores.max(initial=0.0)), 1e-300)
    nearest = np.zeros(len(scores))
    left = np.ones(len(scores), bool)
    chosen = np.empty(count, np.intp)
    redundancy = np.empty(count)
    for i in range(count):
        value = np.where(left, worth - (1 - weight) * nearest, -np.inf)
        best = int(value.argmax())  # the first of equals
        chosen[i], redundancy[i] = best, nearest[best]
        left[best] = False
        nearest = np.maximum(nearest, np.round(rows @ rows[best], 6))
    return chosen, redundancy
