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
from typing import Any

from ...errors import SqlError
from ..errors import error
from .jsonb import MISSING
from .jsonvalues import negative, number
from .pathtree import EVERY, Chain, Item, Path

Found = list[Any] | None
Step = Callable[["Run", Chain, int, Any, Found, bool], bool]


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
        self.lax = path.lax
        self.ignores = path.lax
        """Whether a step to something that is not there just finds nothing."""
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
        self.start(chain, found)
        if not (unwrap and self.lax):
            return found
        return [item for value in found for item in (value if value.__class__ is list else (value,))]

    def test(self, chain: Chain) -> bool | None:
        """Return whether a condition is true; None if that is unknown."""
        item = chain[0]
        return TESTS[item.kind](self, item)


# Beginnings.


def _literal(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    return run.next(chain, place, chain[place].value, found)


def _root(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    before, run.base, run.base_number = (run.base, run.base_number), run.root, 0
    any_found = run.next(chain, place, run.root, found)
    run.base, run.base_number = before
    return any_found


def _current(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    return run.next(chain, place, run.current, found)


def _variable(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    name = chain[place].value
    if name not in run.variables:
        raise error("42704", f'could not find jsonpath variable "{name}"')
    before, run.base, run.base_number = (run.base, run.base_number), run.variables, 1
    any_found = run.next(chain, place, run.variables[name], found)
    run.base, run.base_number = before
    return any_found


def _last(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    return run.next(chain, place, run.size - 1, found)


def _condition(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    return run.next(chain, place, TESTS[chain[place].kind](run, chain[place]), found)


# Steps.


def _key(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    if value.__class__ is dict:
        there = value.get(chain[place].value, MISSING)
        if there is not MISSING:
            return run.next(chain, place, there, found)
        if not run.ignores:
            raise Trouble("2203A", f'JSON object does not contain key "{chain[place].value}"')
        return False
    if unwrap and value.__class__ is list:
        return run.elements(chain, place, value, found)
    if not run.ignores:
        raise Trouble("2203A", "jsonpath member accessor can only be applied to an object")
    return False


def _any_key(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    if value.__class__ is dict:
        return run.each(chain, place, value.values(), found)
    if unwrap and value.__class__ is list:
        return run.elements(chain, place, value, found)
    if not run.ignores:
        raise Trouble("2203C", "jsonpath wildcard member accessor can only be applied to an object")
    return False


def _any_place(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    if value.__class__ is list:
        return run.each(chain, place, value, found)
    if run.lax:
        return run.next(chain, place, value, found)
    if not run.ignores:
        raise Trouble("22039", "jsonpath wildcard array accessor can only be applied to an array")
    return False


def _places(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    if value.__class__ is not list:
        if not run.lax:
            if run.ignores:
                return False
            raise Trouble("22039", "jsonpath array accessor can only be applied to an array")
        value = [value]
    before, run.size = run.size, len(value)
    any_found = False
    for low, high in chain[place].chains:
        first = _subscript(run, low)
        last = first if high is None else _subscript(run, high)
        if not run.ignores and not 0 <= first <= last < len(value):
            raise Trouble("22033", "jsonpath array subscript is out of bounds")
        any_found = run.each(chain, place, value[max(first, 0) : max(last + 1, 0)], found) or any_found
        if any_found and found is None:
            break
    run.size = before
    return any_found


def _subscript(run: Run, chain: Chain) -> int:
    found: list[Any] = []
    run.start(chain, found)
    if len(found) != 1 or not is_number(found[0]):
        raise Trouble("22033", "jsonpath array subscript is not a single numeric value")
    place = int(found[0])
    if not -(1 << 31) <= place < 1 << 31:
        raise Trouble("22033", "jsonpath array subscript is out of integer range")
    return place


def _levels(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    first, last = chain[place].value
    before, run.ignores = run.ignores, True
    any_found = first == 0 and run.next(chain, place, value, found)
    if last > 0 and not (any_found and found is None) and value.__class__ in (dict, list):
        any_found = _below(run, chain, place, value, found, 1, first, last) or any_found
    run.ignores = before
    return any_found


def _below(run: Run, chain: Chain, place: int, value: Any, found: Found, level: int, first: int, last: int) -> bool:  # fmt: skip
    """Go on with all that is in a value from one level to another; with the leaves if both are the last one."""
    any_found = False
    for part in value.values() if value.__class__ is dict else value:
        is_leaf = part.__class__ is not dict and part.__class__ is not list
        if level >= first or (first == last == EVERY and is_leaf):
            any_found = run.next(chain, place, part, found) or any_found
        if not is_leaf and level < last and not (any_found and found is None):
            any_found = _below(run, chain, place, part, found, level + 1, first, last) or any_found
        if any_found and found is None:
            return True
    return any_found


def _filter(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    if unwrap and value.__class__ is list:
        return run.elements(chain, place, value, found)
    before, run.current = run.current, value
    is_true = run.test(chain[place].chains[0])
    run.current = before
    return run.next(chain, place, value, found) if is_true else False


def _method(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    from .pathmethods import METHODS, WHOLE

    item = chain[place]
    if unwrap and value.__class__ is list and item.value not in WHOLE:
        return run.elements(chain, place, value, found)
    if item.value == "keyvalue":
        return _key_values(run, chain, place, value, found)
    result = METHODS[item.value](run, item, value)
    return False if result is MISSING else run.next(chain, place, result, found)


def _key_values(run: Run, chain: Chain, place: int, value: Any, found: Found) -> bool:
    """Go on with each field of an object as an object of its own."""
    from .pathids import object_number

    if value.__class__ is not dict:
        raise Trouble("2203C", "jsonpath item method .keyvalue() can only be applied to an object")
    own = object_number(run.base, run.base_number, value)
    before = run.base, run.base_number
    any_found = False
    for key, item in value.items():
        made = {"id": own, "key": key, "value": item}
        run.numbered += 1
        run.base, run.base_number = made, run.numbered
        any_found = run.next(chain, place, made, found) or any_found
        if any_found and found is None:
            break
    run.base, run.base_number = before
    return any_found


# Arithmetic.


def is_number(value: Any) -> bool:
    """Return whether a JSON value is a number."""
    return value.__class__ is int or value.__class__ is Decimal


def _arithmetic(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    from . import numerics

    item = chain[place]
    sides = [run.sequence(operand) for operand in item.chains]
    for side, values in zip(("left", "right"), sides, strict=True):
        if len(values) != 1 or not is_number(values[0]):
            message = f"{side} operand of jsonpath operator {item.kind} is not a single numeric value"
            raise Trouble("22038", message)
    compute = {
        "+": numerics.add,
        "-": numerics.subtract,
        "*": numerics.multiply,
        "/": numerics.divide,
        "%": numerics.remainder,
    }[item.kind]
    try:
        result = number(compute(Decimal(sides[0][0]), Decimal(sides[1][0])))
    except SqlError as failure:
        raise Trouble(failure.sqlstate, str(failure)) from None
    return run.next(chain, place, result, found)


def _signed(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    item = chain[place]
    any_found = False
    for operand in run.sequence(item.chains[0]):
        if not is_number(operand):
            if found is None and place + 1 == len(chain):
                continue
            sign = "+" if item.kind == "plus" else "-"
            raise Trouble("2203B", f"operand of unary jsonpath operator {sign} is not a numeric value")
        result = operand if item.kind == "plus" else negative(operand)
        any_found = run.next(chain, place, result, found) or any_found
        if any_found and found is None:
            return True
    return any_found


# Conditions.


def _both(run: Run, item: Item) -> bool | None:
    left = run.test(item.chains[0])
    if left is False:
        return False
    right = run.test(item.chains[1])
    return left if right is True else right


def _either(run: Run, item: Item) -> bool | None:
    left = run.test(item.chains[0])
    if left is True:
        return True
    right = run.test(item.chains[1])
    return left if right is False else right


def _not(run: Run, item: Item) -> bool | None:
    found = run.test(item.chains[0])
    return None if found is None else not found


def _unknown(run: Run, item: Item) -> bool | None:
    return run.test(item.chains[0]) is None


def _exists(run: Run, item: Item) -> bool | None:
    state = run.ignores, run.current, run.size
    try:
        return run.start(item.chains[0], None if run.lax else [])
    except Trouble:
        run.ignores, run.current, run.size = state
        return None


def _predicate(run: Run, item: Item) -> bool | None:
    """Return whether any pair of what its operands find fulfils a predicate."""
    from .pathpredicates import PREDICATES

    state = run.ignores, run.current, run.size
    try:
        left = run.sequence(item.chains[0])
        right = run.sequence(item.chains[1], item.kind != "starts with") if len(item.chains) > 1 else (None,)
    except Trouble:
        run.ignores, run.current, run.size = state
        return None
    fulfils = PREDICATES[item.kind]
    is_true = is_unknown = False
    for one in left:
        for other in right:
            answer = fulfils(run, item, one, other)
            if answer is None:
                if not run.lax:
                    return None
                is_unknown = True
            elif answer:
                if run.lax:
                    return True
                is_true = True
    return True if is_true else None if is_unknown else False


TESTS: dict[str, Callable[[Run, Item], bool | None]] = {
    "&&": _both,
    "||": _either,
    "not": _not,
    "unknown": _unknown,
    "exists": _exists,
    **dict.fromkeys(("==", "!=", "<", ">", "<=", ">=", "starts with", "like_regex"), _predicate),
}
STEPS: dict[str, Step] = {
    "literal": _literal,
    "root": _root,
    "current": _current,
    "variable": _variable,
    "last": _last,
    "key": _key,
    ".*": _any_key,
    "[*]": _any_place,
    "places": _places,
    "levels": _levels,
    "filter": _filter,
    "method": _method,
    **dict.fromkeys("+-*/%", _arithmetic),
    **dict.fromkeys(("plus", "minus"), _signed),
    **dict.fromkeys(TESTS, _condition),
}
