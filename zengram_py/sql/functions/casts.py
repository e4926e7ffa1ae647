"""Casts between two types: numbers and their ranges, times, JSON, bytes.

Numbers are rounded as PostgreSQL rounds them: a float to the nearest whole number, halves to the even one; a numeric with halves away
from zero. What does not fit is 22003. A float becomes a numeric of the digits that are sure (15, or 6 of a ``real``).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from ...engine import Interval
from ..errors import error
from ..fitting import fit_vector
from ..types import BY_NAME, VECTOR
from .jsonvalues import parse
from .output import numeric_text
from .registry import cast

_BITS = {"int2": 16, "int4": 32, "int8": 64}
_DTYPES: dict[str, Any] = {
    "int2": np.int16,
    "int4": np.int32,
    "int8": np.int64,
    "float4": np.float32,
    "float8": np.float64,
}
_DAY = 86_400_000_000
_INT4, _INT8 = np.iinfo(np.int32), np.iinfo(np.int64)


def _title(name: str) -> str:
    return BY_NAME[name].title


def refuse_where(outside: Any, live: Any, sqlstate: str, message: str) -> None:
    """Raise an error if any row that counts is outside."""
    if outside.any() and (outside if live is None else outside & live).any():
        raise error(sqlstate, message)


# Whole numbers and floats.


def _to_integer(target: str) -> Callable[..., Any]:
    dtype, limit = _DTYPES[target], 1 << (_BITS[target] - 1)
    message = f"{_title(target)} out of range"

    def run(values: Any, live: Any) -> Any:
        if values.dtype.kind != "f":
            outside = (values < -limit) | (values > limit - 1)
            refuse_where(outside, live, "22003", message)
            return values.astype(dtype)
        rounded = np.rint(values.astype(np.float64))
        inside = (rounded >= -float(limit)) & (rounded < float(limit))  # false for NaN
        refuse_where(~inside, live, "22003", message)
        return np.where(inside, rounded, 0).astype(dtype)

    return run


def _widened(target: str) -> Callable[..., Any]:
    dtype = _DTYPES[target]
    return lambda values, live: values.astype(dtype)


for _target in _BITS:
    cast(f"float4 float8 > {_target}", "vector")(_to_integer(_target))
cast("int4 int8 > int2", "vector")(_to_integer("int2"))
cast("int8 > int4", "vector")(_to_integer("int4"))
cast("int2 > int4", "vector")(_widened("int4"))
cast("int2 int4 > int8", "vector")(_widened("int8"))
cast("int2 int4 int8 > float4", "vector")(_widened("float4"))
cast("int2 int4 int8 float4 > float8", "vector")(_widened("float8"))


@cast("float8 > float4", "vector")
def _float8_to_float4(values: Any, live: Any) -> Any:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        found = values.astype(np.float32)
    refuse_where(np.isinf(found) & ~np.isinf(values), live, "22003", "value out of range: overflow")
    refuse_where((found == 0) & (values != 0), live, "22003", "value out of range: underflow")
    return found


@cast("bool > int4", "vector")
def _bool_to_int4(values: Any, live: Any) -> Any:
    return values.astype(np.int32)


@cast("int4 > bool", "vector")
def _int4_to_bool(values: Any, live: Any) -> Any:
    return values != 0


# Numerics.


cast("int2 int4 int8 > numeric")(Decimal)


def _float_to_numeric(digits: int) -> Callable[[float], Decimal]:
    def run(value: float) -> Decimal:
        found = Decimal(format(value, f".{digits}g"))
        exponent = found.as_tuple().exponent
        return Decimal(int(found)) if isinstance(exponent, int) and exponent > 0 else found

    return run


cast("float4 > numeric")(_float_to_numeric(6))
cast("float8 > numeric")(_float_to_numeric(15))


def numeric_to_integer(target: str) -> Callable[[Decimal], int]:
    """Return the function that rounds a numeric to a whole number, halves away from zero."""
    limit = 1 << (_BITS[target] - 1)

    def run(value: Decimal) -> int:
        if not value.is_finite():
            what = "NaN" if value.is_nan() else "infinity"
            raise error("0A000", f"cannot convert {what} to {_title(target)}")
        if value.adjusted() <= 20:
            found = int(value.to_integral_value(rounding=ROUND_HALF_UP))
            if -limit <= found < limit:
                return found
        raise error("22003", f"{_title(target)} out of range")

    return run


def numeric_to_float(target: str) -> Callable[[Decimal], float]:
    """Return the function that gives the float next to a numeric."""

    def run(value: Decimal) -> float:
        found = float(value)
        if target == "float4" and value.is_finite():
            with np.errstate(over="ignore", under="ignore"):
                found = float(np.float32(found))
        if value.is_finite() and (abs(found) == float("inf") or (found == 0 and value)):
            raise error("22003", f'"{numeric_text(value)}" is out of range for type {_title(target)}')
        return found

    return run


_FROM_NUMERIC: dict[str, Callable[[Decimal], Any]] = {
    **{name: numeric_to_integer(name) for name in _BITS},
    **{name: numeric_to_float(name) for name in ("float4", "float8")},
}
for _name, _function in _FROM_NUMERIC.items():
    cast(f"numeric > {_name}")(_function)


# JSON.


def _from_json(target: str) -> Callable[[str], Any]:
    convert = _FROM_NUMERIC.get(target)

    def run(stored: str) -> Any:
        value = parse(stored)
        if value is None:
            return None
        kind = _json_kind(value)
        if kind != ("boolean" if target == "bool" else "numeric"):
            raise error("22023", f"cannot cast jsonb {kind} to type {_title(target)}")
        if target == "bool":
            return value
        number = Decimal(value)
        return number if convert is None else convert(number)

    return run


def _json_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (dict, list)):
        return "array" if isinstance(value, list) else "object"
    return "string" if isinstance(value, str) else "numeric"


for _target in ("bool", "numeric", *_FROM_NUMERIC):
    cast(f"jsonb > {_target}")(_from_json(_target))


# Bytes.


def _to_bytes(size: int) -> Callable[[int], bytes]:
    return lambda value: value.to_bytes(size, "big", signed=True)


def _from_bytes(target: str) -> Callable[[bytes], int]:
    size = _BITS[target] // 8

    def run(value: bytes) -> int:
        if len(value) > size:
            raise error("22003", f"{_title(target)} out of range")
        # fewer bytes are the last ones, of a number that is not negative
        return int.from_bytes(value, "big", signed=len(value) == size)

    return run


for _target, _bits in _BITS.items():
    cast(f"{_target} > bytea")(_to_bytes(_bits // 8))
    cast(f"bytea > {_target}")(_from_bytes(_target))


# Times.


@cast("date > timestamp", "vector")
def _date_to_timestamp(values: Any, live: Any) -> Any:
    days = values.astype(np.int64)
    infinite = (days == _INT4.max) | (days == _INT4.min)
    outside = (np.abs(days) > _INT8.max // _DAY) & ~infinite
    refuse_where(outside, live, "22008", "date out of range for timestamp")
    found = np.where(outside | infinite, 0, days) * _DAY
    edge = np.where(
        days > 0, np.int64(_INT8.max), np.int64(_INT8.min)
    )  # plain ints would be cut to 32 bits in a tab
    return np.where(infinite, edge, found)


@cast("timestamp > date", "vector")
def _timestamp_to_date(values: Any, live: Any) -> Any:
    infinite = (values == _INT8.max) | (values == _INT8.min)
    edge = np.where(values > 0, _INT4.max, _INT4.min)
    return np.where(infinite, edge, values // _DAY).astype(np.int32)


@cast("timestamp > time")
def _timestamp_to_time(value: int) -> int | None:
    return None if value in (_INT8.max, _INT8.min) else value % _DAY


@cast("time > interval")
def _time_to_interval(value: int) -> Interval:
    return Interval(0, 0, value)


@cast("interval > time")
def _interval_to_time(value: Interval) -> int:
    if abs(value.microseconds) >= _INT8.max and abs(value.months) >= _INT4.max:
        raise error("22008", "cannot convert infinite interval to time")
    return value.microseconds % _DAY


# Vectors.


@cast("vector > float4[]")
def _vector_to_array(value: Any) -> tuple[float, ...]:
    return tuple(value.tolist())


@cast("int4[] float4[] float8[] numeric[] > vector")
def _array_to_vector(value: tuple[Any, ...]) -> Any:
    if value and type(value[0]) is tuple:
        raise error("22000", "array must be 1-D")
    if None in value:
        raise error("22004", "array must not contain nulls")
    return np.array(fit_vector([float(item) for item in value], VECTOR), np.float32)
