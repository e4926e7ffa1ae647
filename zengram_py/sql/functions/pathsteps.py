"""Items of SQL/JSON paths: what chains begin with, the steps from there, and arithmetic. What they are given is told in pathrun.py."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from ...errors import SqlError
from ..errors import error
from . import numerics
from .jsonb import MISSING
from .jsonvalues import fields, negative, number, parts
from .pathids import object_number
from .pathmethods import METHODS, WHOLE
from .pathrun import STEPS, TESTS, Found, Run, Trouble, is_number
from .pathtree import EVERY, PREDICATES, Chain

_ARITHMETIC: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": numerics.add,
    "-": numerics.subtract,
    "*": numerics.multiply,
    "/": numerics.divide,
    "%": numerics.remainder,
}


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
        return run.each(chain, place, parts(value), found)
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
    is_leaf = value.__class__ is not dict and value.__class__ is not list
    any_found = False
    if first == 0:
        if run.throws or is_leaf:
            any_found = run.next(chain, place, value, found)
        else:  # what is below counts then, as in PostgreSQL
            any_found = run.quietly(lambda: run.next(chain, place, value, found)) or False
    if last > 0 and not is_leaf and not (any_found and found is None):
        any_found = _below(run, chain, place, value, found, 1, first, last) or any_found
    run.ignores = before
    return any_found


def _below(run: Run, chain: Chain, place: int, value: Any, found: Found, level: int, first: int, last: int) -> bool:  # fmt: skip
    """Go on with all that is in a value from one level to another; with the leaves if both are the last one."""
    any_found = False
    for part in parts(value):
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
    item = chain[place]
    if unwrap and value.__class__ is list and item.value not in WHOLE:
        return run.elements(chain, place, value, found)
    if item.value == "keyvalue":
        return _key_values(run, chain, place, value, found)
    result = METHODS[item.value](run, item, value)
    return False if result is MISSING else run.next(chain, place, result, found)


def _key_values(run: Run, chain: Chain, place: int, value: Any, found: Found) -> bool:
    """Go on with each field of an object as an object of its own."""
    if value.__class__ is not dict:
        raise Trouble("2203C", "jsonpath item method .keyvalue() can only be applied to an object")
    own = object_number(run.base, run.base_number, value)
    before = run.base, run.base_number
    any_found = False
    for key, item in fields(value):
        made = {"id": own, "key": key, "value": item}
        run.numbered += 1
        run.base, run.base_number = made, run.numbered
        any_found = run.next(chain, place, made, found) or any_found
        if any_found and found is None:
            break
    run.base, run.base_number = before
    return any_found


# Arithmetic.


def _arithmetic(run: Run, chain: Chain, place: int, value: Any, found: Found, unwrap: bool) -> bool:
    item = chain[place]
    sides = [run.sequence(operand) for operand in item.chains]
    for side, values in zip(("left", "right"), sides, strict=True):
        if len(values) != 1 or not is_number(values[0]):
            message = f"{side} operand of jsonpath operator {item.kind} is not a single numeric value"
            raise Trouble("22038", message)
    compute = _ARITHMETIC[item.kind]
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


STEPS |= {
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
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    **dict.fromkeys(("plus", "minus"), _signed),
    **dict.fromkeys(PREDICATES, _condition),
}
