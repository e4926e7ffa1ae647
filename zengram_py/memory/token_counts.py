"""Counting tokens: by an estimate, or by a counter of the application's.

What a model counts depends on its tokenizer, which the application has and this library has not. So there is an estimate (tokens.py), and a
place for a better counter. A counter that is named (by its model family) is asked once for each turn: what it said is kept in the table
``token_estimate`` and counts until the turn changes. Counts that were made while a window was assembled go out with the next write, like
the counts of recall (accesses.py): assembling a window writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine import Transaction
from ..errors import InvalidArgumentError
from .texts import text_of
from .tokens import estimate_tokens

TokenCounter = Callable[[str], Any]
TABLE = "token_estimate"
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
        self._new: dict[Entity, tuple[int, int]] = {}

    def count(self, text: str) -> int:
        """Return how many tokens a text has; 0 for the empty one.

        Raises
        ------
        InvalidArgumentError
            If the counter fails, or what it gives is no whole number of at least 0.
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
        if not isinstance(found, int) or isinstance(found, bool) or found < 0:
            raise InvalidArgumentError(
                f"the token counter must return a whole number of at least 0, not {found!r}"
            )
        return found

    def count_of(self, transaction: Transaction, entity: Entity, text: str, changed: int, now: int) -> int:
        """Return how many tokens the text of something has, from the table if that was counted since it changed last.

        Parameters
        ----------
        transaction : Transaction
            Who reads.
        entity : (str, str)
            What the text is of.
        text : str
            The text.
        changed : int
            When it changed last, microseconds.
        now : int
            Microseconds.
        """
        if self.family is None:
            return self.count(text)
        known = self._new.get(entity)
        if known is None:
            row = transaction.get(TABLE, (*entity, self.family))
            known = None if row is None else (row["token_count"], row["time_computed"])
        if known is not None and known[1] > changed:
            return known[0]
        found = self.count(text)
        self._new[entity] = found, now
        return found

    def write(self, transaction: Transaction) -> None:
        """Keep what was counted, as part of a transaction; :meth:`clear` forgets it when that is committed."""
        for (kind, number), (count, time) in self._new.items():
            key = (kind, number, self.family)
            row = {"token_count": count, "time_computed": time}
            if not transaction.update(TABLE, key, row):
                names = {"entity_type": kind, "entity_id": number, "model_family": self.family}
                transaction.insert(TABLE, {**names, **row})

    def clear(self) -> None:
        """Forget what was counted: it is in the table."""
        self._new.clear()
