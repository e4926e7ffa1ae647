"""Sequences as a session sees them: what it drew itself, for ``currval`` and ``lastval``."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine import SequenceDef, Transaction
from ..errors import SequenceError
from .errors import error


class Drawn:
    """The numbers that a session drew last.

    Attributes
    ----------
    last : dict of int to int
        By the sequence's id.
    newest : int or None
        The sequence that was drawn from last.
    """

    def __init__(self) -> None:
        self.last: dict[int, int] = {}
        self.newest: int | None = None

    def note(self, sequence: int, value: int) -> None:
        """Note a number."""
        self.last[sequence] = value
        self.newest = sequence

    def note_value(self, sequence: int, value: int) -> None:
        """Note the number that a sequence was set to; what was drawn from last stays the same."""
        self.last[sequence] = value

    def draw(self, transaction: Transaction, sequence: SequenceDef, count: int = 1) -> Sequence[int]:
        """Draw numbers, and note the last.

        Raises
        ------
        SqlError
            2200H if there are none left.
        """
        try:
            found = transaction.draw(sequence, count)
        except SequenceError:
            up = sequence.increment > 0
            bound = f'maximum value of sequence "{sequence.name[2]}" ({sequence.most})'
            if not up:
                bound = f'minimum value of sequence "{sequence.name[2]}" ({sequence.least})'
            raise error("2200H", f"nextval: reached {bound}") from None
        if count:
            self.note(sequence.id, found[-1])
        return found
