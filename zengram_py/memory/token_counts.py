"""Counting tokens: by an estimate, or by a counter of the application's.

What a model counts depends on its tokenizer, which the application has and this library has not. So there is an estimate (tokens.py), and a
place for a better counter. A counter that is named (by its model family) is asked once for each turn: what it said is kept in the table
``token_estimate`` with the digest of the text, and counts for that text alone: times would not tell what a merge, SQL or a batch that failed did to a turn.
Counts that were made while a window was assembled go out with the next write, like
the counts of recall (accesses.py): assembling a window writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from ..engine import Transaction
from ..errors import InvalidArgumentError
from .quantities import shown
from .texts import text_of
from .tokens import estimate_tokens

TokenCounter = Callable[[str], Any]
TABLE = "token_estimate"
MOST = 2**63 - 1
"""What the table holds."""
Entity = tuple[str, str]
"""A kind (``"turn"``) and an id."""


class TokenCounts:
    """Counts tokens, and remembers what a named counter said.

    Parameters
    ----------
    counter : callable or None
        ``text -> whole number of tokens``; None for the estimate.
    family : str or None
        The name under which counts are kept; None keeps none.
    """

    def __init__(self, counter: TokenCounter | None = None, family: str | None = None) -> None:
        self._counter, self.family = counter, family
        self._new: dict[Entity, tuple[int, int, str]] = {}

    def count(self, text: str) -> int:
        """Return how many tokens a text has; 0 for the empty one.

        Raises
        ------
        InvalidArgumentError
            If the counter fails, or what it gives is no whole number of at least 0 and at most 2^63 - 1.
        """
        if not text:
            return 0
        if self._counter is None:
            return estimate_tokens(text)
        try:
            found = self._counter(text)
        except Exception as error:
            raise InvalidArgumentError(f"the token counter failed: {text_of(error)}") from error
        if isinstance(found, float) and found.is_integer():
            found = int(found)  # JavaScript has no other numbers
        if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= MOST:
            raise InvalidArgumentError(
                f"the token counter must return a whole number of at least 0, not {shown(found)}"
            )
        return found

    def count_of(self, transaction: Transaction, entity: Entity, text: str, now: int) -> int:
        """Return how many tokens the text of something has, from the table if that very text was counted.

        Parameters
        ----------
        transaction : Transaction
            Who reads.
        entity : (str, str)
            What the text is of.
        text : str
            The text.
        now : int
            Microseconds.
        """
        if self.family is None:
            return self.count(text)
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        known = self._new.get(entity)
        if known is not None and known[2] == digest:
            return known[0]
        row = transaction.get(TABLE, (*entity, self.family))
        if row is not None and row["text_digest"] == digest:
            return int(row["token_count"])
        found = self.count(text)
        self._new[entity] = found, now, digest
        return found

    def write(self, transaction: Transaction) -> None:
        """Keep what was counted, as part of a transaction; :meth:`clear` forgets it when that is committed."""
        for (kind, number), (count, time, digest) in self._new.items():
            if transaction.get(kind, number) is None:  # it is deleted, or of another memory branch
                continue
            key = (kind, number, self.family)
            row = {"token_count": count, "time_computed": time, "text_digest": digest}
            if not transaction.update(TABLE, key, row):
                names = {"entity_type": kind, "entity_id": number, "model_family": self.family}
                transaction.insert(TABLE, {**names, **row})

    def clear(self) -> None:
        """Forget what was counted: it is in the table."""
        self._new.clear()
