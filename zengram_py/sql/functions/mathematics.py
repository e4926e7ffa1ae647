"""Functions of floats and whole numbers: rounding, exponentials, angles in radians, errors and gamma, divisors, buckets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from decimal import Decimal
from math import lcm
from typing import Any

import numpy as np

from ..errors import error
from ..execute.ordering import key_of
from ..signatures import Signature
from .arithmetic import out_of_range
from .floats import OVERFLOW, UNDERFLOW, check_finite, check_overflow, divide, quiet
from .guards import refuse
from .numerics import EXACT
from .registry import Implementation, by_type, scalar, vector

_INPUT = "22003", "input is out of range"
RADIANS_PER_DEGREE = 0.0174532925199432957692

# Rounding.


@vector("ceil ceiling: float8")
def _ceiling(a: Any, live: Any) -> Any:
    return np.ceil(a)


@vector("floor: float8")
def _floor(a: Any, live: Any) -> Any:
    return np.floor(a)


@vector("round: float8")
def _round(a: Any, live: Any) -> Any:
    return np.rint(a)  # half to even, other than that of numerics


@vector("trunc: float8")
def _truncate(a: Any, live: Any) -> Any:
    return np.trunc(a)


@vector("sign: float8")
def _sign(a: Any, live: Any) -> Any:
    return np.where(a > 0, 1.0, np.where(a < 0, -1.0, 0.0))


# Exponentials and logarithms.


@vector("exp: float8")
@quiet
def _exponential(a: Any, live: Any) -> Any:
    found = np.exp(a)
    check_overflow(found, live, a)
    refuse((found == 0) & ~np.isinf(a), live, *UNDERFLOW)
    return found


def _logarithm(compute: Callable[[Any], Any]) -> Callable[..., Any]:
    @quiet
    def run(a: Any, live: Any) -> Any:
        refuse(a == 0, live, "2201E", "cannot take logarithm of zero")
        refuse(a < 0, live, "2201E", "cannot take logarithm of a negative number")
        return compute(a)

    return run


vector("ln: float8")(_logarithm(np.log))
vector("log log10: float8")(_logarithm(np.log10))

# Angles in radians, and hyperbolas.


def _anywhere(name: str, compute: Callable[..., Any]) -> None:
    vector(name)(quiet(lambda *arguments: compute(*arguments[:-1])))


for _name, _compute in (
    ("atan", np.arctan),
    ("sinh", np.sinh),
    ("cosh", np.cosh),
    ("tanh", np.tanh),
    ("asinh", np.arcsinh),
):
    _anywhere(f"{_name}: float8", _compute)
_anywhere("atan2: float8 float8", np.arctan2)


def _of_finite(compute: Callable[[Any], Any]) -> Callable[..., Any]:
    @quiet
    def run(a: Any, live: Any) -> Any:
        check_finite(a, live)
        return compute(a)

    return run


vector("cos: float8")(_of_finite(np.cos))
vector("sin: float8")(_of_finite(np.sin))
vector("tan: float8")(_of_finite(np.tan))
vector("cot: float8")(_of_finite(lambda a: 1.0 / np.tan(a)))


def _within(compute: Callable[[Any], Any], least: float, most: float) -> Callable[..., Any]:
    @quiet
    def run(a: Any, live: Any) -> Any:
        refuse((a < least) | (a > most), live, *_INPUT)
        return compute(a)

    return run


vector("acos: float8")(_within(np.arccos, -1, 1))
vector("asin: float8")(_within(np.arcsin, -1, 1))
vector("atanh: float8")(_within(np.arctanh, -1, 1))
vector("acosh: float8")(_within(np.arccosh, 1, np.inf))


@vector("degrees: float8")
@quiet
def _degrees(a: Any, live: Any) -> Any:
    return divide(a, np.float64(RADIANS_PER_DEGREE), live)


@vector("radians: float8")
@quiet
def _radians(a: Any, live: Any) -> Any:
    found = a * RADIANS_PER_DEGREE
    refuse((found == 0) & (a != 0), live, *UNDERFLOW)
    return found


@scalar("pi:")
def _pi() -> float:
    return np.pi


# Errors and gamma, which numpy has not.


@scalar("erf: float8")
def _error_function(a: float) -> float:
    from math import erf

    return erf(a)


@scalar("erfc: float8")
def _complementary_error_function(a: float) -> float:
    from math import erfc

    return erfc(a)


def _gamma_like(name: str, function: str) -> None:
    @scalar(f"{name}: float8")
    def run(a: float) -> float:
        import math

        if math.isinf(a) and a < 0 and name == "gamma":
            raise error(*OVERFLOW)
        try:
            found: float = getattr(math, function)(a)
        except (OverflowError, ValueError):  # also at the poles: zero and below it the whole numbers
            raise error(*OVERFLOW) from None
        if found == 0 and name == "gamma":
            raise error(*UNDERFLOW)
        return found


_gamma_like("gamma", "gamma")
_gamma_like("lgamma", "lgamma")

# Divisors and multiples of whole numbers.


@by_type("gcd lcm: int4 int4 | int8 int8")
def _together(signature: Signature) -> Implementation:
    name = signature.result.name
    compute = _gcd if signature.name == "gcd" else _lcm

    def run(a: Any, b: Any, live: Any) -> Any:
        found, bad = compute(a, b)
        refuse(bad, live, *out_of_range(name))
        return found

    return Implementation("vector", run)


def _gcd(a: Any, b: Any) -> tuple[Any, Any]:
    """Return greatest common divisors, and where these do not fit."""
    least = np.iinfo(a.dtype).min
    unusual = (a == least) | (b == least)  # its absolute value does not fit
    if not unusual.any():
        return np.gcd(a, b), unusual
    found = np.gcd(a.astype(object), b.astype(object))
    bad = found > np.iinfo(a.dtype).max
    return np.where(bad, 0, found).astype(a.dtype), bad


def _lcm(a: Any, b: Any) -> tuple[Any, Any]:
    """Return least common multiples, and where these do not fit."""
    most = np.iinfo(a.dtype).max
    wide = a.dtype == np.int32 or not a.size or max(int(np.abs(x).max()) for x in (a, b)) < 1 << 31
    unusual = (a == -most - 1) | (b == -most - 1)
    if wide and not unusual.any():
        found = np.lcm(a.astype(np.int64), b.astype(np.int64))
    else:
        found = np.frompyfunc(lcm, 2, 1)(a.astype(object), b.astype(object))
    bad = (found > most).astype(bool)
    return np.where(bad, 0, found).astype(a.dtype), bad


# Buckets.

_BUCKETS = "2201G"


@vector("width_bucket: float8 float8 float8 int4")
@quiet
def _width_bucket(a: Any, low: Any, high: Any, count: Any, live: Any) -> Any:
    refuse(count <= 0, live, _BUCKETS, "count must be greater than zero")
    nan = np.isnan(a) | np.isnan(low) | np.isnan(high)
    refuse(nan, live, _BUCKETS, "operand, lower bound, and upper bound cannot be NaN")
    refuse(np.isinf(low) | np.isinf(high), live, _BUCKETS, "lower and upper bounds must be finite")
    refuse(low == high, live, _BUCKETS, "lower bound cannot equal upper bound")
    wide = count.astype(np.int64)
    sign = np.where(low < high, 1.0, -1.0)
    # halves, since the distance of two floats may be none
    place = wide * ((a / 2 - low / 2) / (high / 2 - low / 2))
    inside = np.minimum(np.where(np.isfinite(place), place, 0).astype(np.int64), wide - 1) + 1
    found = np.where(a * sign < low * sign, 0, np.where(a * sign >= high * sign, wide + 1, inside))
    refuse(found >= 1 << 31, live, *out_of_range("int4"))
    return found.astype(np.int32)


@scalar("width_bucket: numeric numeric numeric int4")
def _exact_width_bucket(a: Decimal, low: Decimal, high: Decimal, count: int) -> int:
    if count <= 0:
        raise error(_BUCKETS, "count must be greater than zero")
    if a.is_nan() or low.is_nan() or high.is_nan():
        raise error(_BUCKETS, "operand, lower bound, and upper bound cannot be NaN")
    if low.is_infinite() or high.is_infinite():
        raise error(_BUCKETS, "lower and upper bounds must be finite")
    if low == high:
        raise error(_BUCKETS, "lower bound cannot equal upper bound")
    if low > high:
        a, low, high = a.copy_negate(), low.copy_negate(), high.copy_negate()
    if a < low:
        return 0
    if a >= high:
        if count == (1 << 31) - 1:
            raise error(*out_of_range("int4"))
        return count + 1
    place = EXACT.multiply(EXACT.subtract(a, low), Decimal(count))
    return int(EXACT.divide_int(place, EXACT.subtract(high, low))) + 1


@by_type("width_bucket: anycompatible anycompatiblearray")
def _bucket_of(signature: Signature) -> Implementation:
    """Return the number of thresholds in a sorted array that are not above a value."""
    key = key_of(signature.arguments[0])

    def run(a: Any, thresholds: tuple[Any, ...]) -> int:
        if any(type(t) is tuple for t in thresholds):
            raise error("2202E", "thresholds must be one-dimensional array")
        if None in thresholds:
            raise error("22004", "thresholds array must not contain NULLs")
        return bisect_right(thresholds, a if key is None else key(a), key=key)

    return Implementation("scalar", run)
