"""Arithmetic of floats: IEEE's, but what leaves the finite numbers or falls to zero is an error, as is dividing by zero.

Infinities and NaN that are there already go on as IEEE says. ``float4`` with ``float8`` is computed in ``float8``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .guards import refuse
from .registry import vector

OVERFLOW = "22003", "value out of range: overflow"
UNDERFLOW = "22003", "value out of range: underflow"
_PAIRS = "float4 float4 | float4 float8 | float8 float4 | float8 float8"


def quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that computes without numpy's warnings: what they warn of is looked at here."""

    def run(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    return run


def check_overflow(found: Any, live: Any, *operands: Any) -> None:
    """Refuse an infinite result of operands that are all finite."""
    infinite = np.isinf(found)
    if infinite.any():
        for operand in operands:
            infinite = infinite & ~np.isinf(operand)
        refuse(infinite, live, *OVERFLOW)


@vector(f"+: {_PAIRS}")
@quiet
def _add(a: Any, b: Any, live: Any) -> Any:
    found = a + b
    check_overflow(found, live, a, b)
    return found


@vector(f"-: {_PAIRS}")
@quiet
def _subtract(a: Any, b: Any, live: Any) -> Any:
    found = a - b
    check_overflow(found, live, a, b)
    return found


@vector(f"*: {_PAIRS}")
@quiet
def _multiply(a: Any, b: Any, live: Any) -> Any:
    found = a * b
    check_overflow(found, live, a, b)
    zero = found == 0
    if zero.any():
        refuse(zero & (a != 0) & (b != 0), live, *UNDERFLOW)
    return found


@vector(f"/: {_PAIRS}")
@quiet
def divide(a: Any, b: Any, live: Any) -> Any:
    """Return quotients; 22012 for a division of anything but NaN by zero."""
    refuse((b == 0) & ~np.isnan(a), live, "22012", "division by zero")
    found = a / b
    check_overflow(found, live, a)
    zero = found == 0
    if zero.any():
        refuse(zero & (a != 0) & ~np.isinf(b), live, *UNDERFLOW)
    return found


@vector("-: float4 | float8")
def _negative(a: Any, live: Any) -> Any:
    return -a


@vector("@ abs: float4 | float8")
def _absolute(a: Any, live: Any) -> Any:
    return np.abs(a)


@vector("|/ sqrt: float8")
@quiet
def _square_root(a: Any, live: Any) -> Any:
    refuse(a < 0, live, "2201F", "cannot take square root of a negative number")
    return np.sqrt(a)


@vector("||/ cbrt: float8")
def _cube_root(a: Any, live: Any) -> Any:
    return np.cbrt(a)


@vector("^ power: float8 float8")
@quiet
def _power(a: Any, b: Any, live: Any) -> Any:
    refuse((a == 0) & (b < 0), live, "2201F", "zero raised to a negative power is undefined")
    if (a < 0).any():
        fraction = np.isfinite(b) & (np.floor(b) != b)
        complex_result = "a negative number raised to a non-integer power yields a complex result"
        refuse((a < 0) & fraction, live, "2201F", complex_result)
    found = np.power(a, b)
    check_overflow(found, live, a, b)
    zero = found == 0
    if zero.any():
        refuse(zero & (a != 0) & ~np.isinf(a) & ~np.isinf(b), live, *UNDERFLOW)
    return found


def check_finite(a: Any, live: Any) -> None:
    """Refuse infinite arguments of functions that have no value there (22003)."""
    refuse(np.isinf(a), live, "22003", "input is out of range")
