"""Methods of SQL/JSON paths: functions of (run, item, value) that give a value."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Any

from ...errors import SqlError
from ..errors import error
from ..fitting import fit_number
from ..literals import read
from ..types import BOOL, FLOAT8, INT4, INT8, NUMBER, SqlType
from .jsonb import MISSING, kind_of
from .jsonvalues import number, number_text
from .pathmoments import TITLES, Moment, read_as, read_moment, rounded
from .pathrun import Run, Trouble, is_number
from .pathtemplates import read_template
from .pathtree import Item

WHOLE = ("type", "size")
"""Methods of an array itself, in lax mode too."""


def _refuse(item: Item, wanted: str, sqlstate: str = "22036") -> Trouble:
    return Trouble(sqlstate, f"jsonpath item method .{item.value}() can only be applied to {wanted}")


def _type(run: Run, item: Item, value: Any) -> str:
    return TITLES[value.kind] if value.__class__ is Moment else kind_of(value)


def _size(run: Run, item: Item, value: Any) -> Any:
    if value.__class__ is list:
        return len(value)
    if run.lax:
        return 1
    if run.ignores:
        return MISSING
    raise _refuse(item, "an array", "22039")


def _of_number(compute: Callable[[Any], Any]) -> Callable[[Run, Item, Any], Any]:
    def run(run: Run, item: Item, value: Any) -> Any:
        if not is_number(value):
            raise _refuse(item, "a numeric value")
        return compute(value)

    return run


def _absolute(value: Any) -> Any:
    return value.copy_abs() if value.__class__ is Decimal else abs(value)


def _whole(rounding: str) -> Callable[[Any], Any]:
    return lambda value: number(value.to_integral_value(rounding)) if value.__class__ is Decimal else value


def _text(value: Any) -> str:
    return value if value.__class__ is str else number_text(value)


def _read(item: Item, value: Any, target: SqlType) -> Any:
    """Return a string or number as a value of a type, read from its text."""
    if value.__class__ is not str and not is_number(value):
        raise _refuse(item, "a string or numeric value")
    text = _text(value)
    try:
        return read(text, target)
    except SqlError:
        message = (
            f'argument "{text}" of jsonpath item method .{item.value}() is invalid for type {target.title}'
        )
        raise Trouble("22036", message) from None


def _double(run: Run, item: Item, value: Any) -> Any:
    found = _hexadecimal(value)
    if found is None:
        found = _read(item, value, FLOAT8)
    if not math.isfinite(found):
        raise Trouble("22036", f"NaN or Infinity is not allowed for jsonpath item method .{item.value}()")
    return value if is_number(value) else number(Decimal(format(found, ".15g")))


def _hexadecimal(value: Any) -> float | None:
    if value.__class__ is not str or "x" not in value.lower():
        return None
    try:
        return float.fromhex(value)
    except (ValueError, OverflowError):
        return None


def _integer(target: SqlType) -> Callable[[Run, Item, Any], int]:
    def run(run: Run, item: Item, value: Any) -> int:
        if value.__class__ is Decimal:
            value = int(value.to_integral_value(ROUND_HALF_UP))
        return int(_read(item, value, target))

    return run


def _number(run: Run, item: Item, value: Any) -> Any:
    found: Decimal = _read(item, value, NUMBER)
    if not found.is_finite():
        raise Trouble("22036", f"NaN or Infinity is not allowed for jsonpath item method .{item.value}()")
    return number(found)


def _decimal(run: Run, item: Item, value: Any) -> Any:
    found = _number(run, item, value)
    if not item.chains:
        return found
    arguments = [chain[0].value for chain in item.chains]
    for argument, what in zip(arguments, ("precision", "scale"), strict=False):
        if not -(1 << 31) <= argument < 1 << 31:
            message = f"{what} of jsonpath item method .decimal() is out of range for type integer"
            raise Trouble("22036", message)
    precision, scale = arguments[0], arguments[1] if len(arguments) > 1 else 0
    if not 1 <= precision <= 1000:
        raise error("22023", f"NUMERIC precision {precision} must be between 1 and 1000")
    if not -1000 <= scale <= 1000:
        raise error("22023", f"NUMERIC scale {scale} must be between -1000 and 1000")
    try:
        return number(fit_number(Decimal(found), (precision, scale)))
    except SqlError:
        message = f'argument "{_text(value)}" of jsonpath item method .decimal() is invalid for type numeric'
        raise Trouble("22036", message) from None


def _boolean(run: Run, item: Item, value: Any) -> bool:
    if value.__class__ is bool:
        return bool(value)
    if value.__class__ is not str and not is_number(value):
        raise _refuse(item, "a boolean, string, or numeric value")
    try:
        if value.__class__ is str:
            if value != value.strip():
                raise error("22P02", value)
            return bool(read(value, BOOL))
        return bool(read(number_text(value), INT4))
    except SqlError:
        message = f'argument "{_text(value)}" of jsonpath item method .boolean() is invalid for type boolean'
        raise Trouble("22036", message) from None


def _string(run: Run, item: Item, value: Any) -> str:
    if value.__class__ is Moment:
        return str(value.text)
    if value.__class__ is bool:
        return "true" if value else "false"
    if value.__class__ is str or is_number(value):
        return _text(value)
    raise _refuse(item, "a boolean, string, numeric, or datetime value")


# Dates and times.

_TARGETS = {"date": "date", "time": "time", "time_tz": "timetz", "timestamp": "timestamp", "timestamp_tz": "timestamptz"}  # fmt: skip


def _datetime(run: Run, item: Item, value: Any) -> Moment:
    if value.__class__ is not str:
        raise _refuse(item, "a string", "22031")
    if item.chains:
        return read_template(value, item.chains[0][0].value)
    found = read_moment(value)
    if found is None:
        hint = "Use a datetime template argument to specify the input data format."
        raise Trouble("22031", f'datetime format is not recognized: "{value}"', hint)
    return found


def _moment(run: Run, item: Item, value: Any) -> Moment:
    if value.__class__ is not str:
        raise _refuse(item, "a string", "22031")
    digits = item.chains[0][0].value if item.chains else 6
    if digits >= 1 << 31:
        message = f"time precision of jsonpath item method .{item.value}() is out of range for type integer"
        raise Trouble("22031", message)
    found = read_as(value, _TARGETS[item.value], item.value, run.zoned)
    return found if digits >= 6 else rounded(found, digits)


METHODS: dict[str, Callable[[Run, Item, Any], Any]] = {
    "type": _type,
    "size": _size,
    "abs": _of_number(_absolute),
    "floor": _of_number(_whole(ROUND_FLOOR)),
    "ceiling": _of_number(_whole(ROUND_CEILING)),
    "double": _double,
    "bigint": _integer(INT8),
    "integer": _integer(INT4),
    "number": _number,
    "decimal": _decimal,
    "boolean": _boolean,
    "string": _string,
    "datetime": _datetime,
    **dict.fromkeys(_TARGETS, _moment),
}
