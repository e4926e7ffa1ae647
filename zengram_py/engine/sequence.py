"""Sequences: numbers that are given out once.

A sequence's value is outside of transactions and branches: a number that was drawn stays drawn when the transaction
rolls back, and two branches never draw the same one, so that their rows do not collide when they merge.
"""

from __future__ import annotations

from ..errors import SequenceError
from .definitions import SequenceDef, show_name


class Sequences:
    """The values of all sequences, by id."""

    def __init__(self) -> None:
        self.last: dict[int, int] = {}
        self.drawn: set[int] = set()
        """Sequences whose value is not in the log yet."""

    def next(self, sequence: SequenceDef) -> int:
        """Draw the next number.

        Raises
        ------
        SequenceError
            If the sequence is at its end and does not cycle.
        """
        last = self.last.get(sequence.id)
        value = sequence.start if last is None else last + sequence.increment
        if not sequence.least <= value <= sequence.most:
            if not sequence.cycle:
                raise SequenceError(f"sequence {show_name(sequence.name)!r} is at its end ({last})")
            value = sequence.least if sequence.increment > 0 else sequence.most
        self.last[sequence.id] = value
        self.drawn.add(sequence.id)
        return value

    def draw(self, sequence: SequenceDef, count: int) -> range:
        """Draw many numbers at once; gives them in order.

        Raises
        ------
        SequenceError
            If there are not so many left; then none is drawn.
        """
        first = self.last.get(sequence.id)
        first = sequence.start if first is None else first + sequence.increment
        numbers = range(first, first + count * sequence.increment, sequence.increment)
        if count and not (
            sequence.least <= numbers[-1] <= sequence.most and sequence.least <= first <= sequence.most
        ):
            raise SequenceError(f"sequence {show_name(sequence.name)!r} has not {count} numbers left")
        if count:
            self.last[sequence.id] = numbers[-1]
            self.drawn.add(sequence.id)
        return numbers

    def current(self, sequence: SequenceDef) -> int:
        """Return the number that was drawn last.

        Raises
        ------
        SequenceError
            If none was.
        """
        if sequence.id not in self.last:
            raise SequenceError(f"sequence {show_name(sequence.name)!r} was not drawn from yet")
        return self.last[sequence.id]

    def set(self, sequence: SequenceDef, value: int) -> None:
        """Make the next number the one after ``value``."""
        if not sequence.least <= value <= sequence.most:
            raise SequenceError(f"{value} is outside of sequence {show_name(sequence.name)!r}")
        self.last[sequence.id] = value
        self.drawn.add(sequence.id)

    def set_next(self, sequence: SequenceDef, value: int) -> None:
        """Make ``value`` the next number."""
        if not sequence.least <= value <= sequence.most:
            raise SequenceError(f"{value} is outside of sequence {show_name(sequence.name)!r}")
        self.last[sequence.id] = value - sequence.increment
        self.drawn.add(sequence.id)

    def forget(self, number: int) -> None:
        """Drop the value of a sequence that is no more."""
        self.last.pop(number, None)
        self.drawn.discard(number)
