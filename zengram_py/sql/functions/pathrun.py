"""Running SQL/JSON paths: what a path finds in a value.

Each kind of item is a function of (run, chain, place of the item, value, found, unwrap): it finds values, and for each of them goes on with the
next item of the chain. At the end of the chain a value goes into ``found``; if that is None, only whether there is any value counts, and the
search ends with the first. ``unwrap`` says that an array stands for its elements where an object, a number or a filter's subject is wanted:
so it is in lax mode, but not for the elements themselves.

What may be left out of account in a condition, or if the caller is silent, is :class:`Trouble`; all other errors are final.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, TypeVar

from ..errors import error
from .pathtree import Chain, Item, Path

Found = list[Any] | None
Result = TypeVar("Result")
Step = Callable[["Run", Chain, int, Any, Found, bool], bool]
Test = Callable[["Run", Item], bool | None]
STEPS: dict[str, Step] = {}
"""What each kind of item does; filled by pathsteps.py."""
TESTS: dict[str, Test] = {}
"""What each kind of condition does; filled by pathpredicates.py."""


class Trouble(Exception):  # noqa: N818
    """A value does not fit a path; a condition in which that happens is unknown."""

    def __init__(self, sqlstate: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.error = error(sqlstate, message, hint=hint)


class Run:
    """One look along a path.

    Parameters
    ----------
    path : Path
        The path.
    root : object
        The JSON value.
    variables : dict
        Values of ``$name``.
    zoned : bool
        Whether times with and without a zone compare.
    """

    def __init__(self, path: Path, root: Any, variables: dict[str, Any], zoned: bool) -> None:
        self.chain = path.chain
        self.lax = path.lax
        self.ignores = path.lax
        """Whether a step to something that is not there just finds nothing."""
        self.throws = True
        """Whether somebody hears of trouble."""
        self.root = root
        self.current = root
        self.size = 0
        """Of the array whose places are looked at: what ``last`` means."""
        self.variables = variables
        self.zoned = zoned
        self.base: Any = root
        """The value that numbers of objects count in (see pathids.py), and its own number: 0 for the root, 1 for the variables."""
        self.base_number = 0
        self.numbered = 1

    def start(self, chain: Chain, found: Found) -> bool:
        """Go along a chain from its beginning."""
        return STEPS[chain[0].kind](self, chain, 0, None, found, self.lax)

    def next(self, chain: Chain, place: int, value: Any, found: Found) -> bool:
        """Go on with a value behind an item of a chain."""
        place += 1
        if place < len(chain):
            return STEPS[chain[place].kind](self, chain, place, value, found, self.lax)
        if found is not None:
            found.append(value)
        return True

    def each(self, chain: Chain, place: int, values: Iterable[Any], found: Found) -> bool:
        """Go on with each of some values behind an item of a chain."""
        any_found = False
        for value in values:
            any_found = self.next(chain, place, value, found) or any_found
            if any_found and found is None:
                return True
        return any_found

    def elements(self, chain: Chain, place: int, array: list[Any], found: Found) -> bool:
        """Apply an item to each element of an array, arrays among them as they are."""
        step = STEPS[chain[place].kind]
        any_found = False
        for value in array:
            any_found = step(self, chain, place, value, found, False) or any_found
            if any_found and found is None:
                return True
        return any_found

    def sequence(self, chain: Chain, unwrap: bool = True) -> list[Any]:
        """Return what a chain finds, in lax mode with the elements of arrays in place of these if that is wanted."""
        found: list[Any] = []
        if len(chain) == 1 and chain[0].kind == "literal":
            return [chain[0].value]
        self.start(chain, found)
        if not (unwrap and self.lax and list in map(type, found)):
            return found
        return [item for value in found for item in (value if value.__class__ is list else (value,))]

    def quietly(self, look: Callable[[], Result]) -> Result | None:
        """Return what a function returns; None if there is trouble in it, of which nobody hears."""
        state = self.ignores, self.current, self.size, self.base, self.base_number
        before, self.throws = self.throws, False
        try:
            return look()
        except Trouble:
            self.ignores, self.current, self.size, self.base, self.base_number = state
            return None
        finally:
            self.throws = before

    def test(self, chain: Chain) -> bool | None:
        """Return whether a condition is true; None if that is unknown."""
        item = chain[0]
        return TESTS[item.kind](self, item)


def is_number(value: Any) -> bool:
    """Return whether a JSON value is a number."""
    return value.__class__ is int or value.__class__ is Decimal
