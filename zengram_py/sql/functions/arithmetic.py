"""Arithmetic of whole numbers: exact, with an error where a result does not fit its type.

Small types are computed in the next wider one and looked at afterwards. For ``int8`` there is none, so the bits of operands and result
tell: a sum is wrong if its sign differs from the signs of both operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import error
from ..signatures import Signature
from .guards import refuse
from .registry import Implementation, by_type, vector

Compute = Callable[[Any, Any], Any]
_DTYPES: dict[str, Any] = {"int2": np.int16, "int4": np.int32, "int8": np.int64}
_WIDER: dict[str, Any] = {"int2": np.int32, "int4": np.int64}
_PAIRS = " | ".join(f"{a} {b}" for a in _DTYPES for b in _DTYPES)
_SAME = "int2 int2 | int4 int4 | int8 int8"
_SINGLE = "int2 | int4 | int8"


def out_of_range(name: str) -> tuple[str, str]:
    """Return SQLSTATE and message of a number that a type of whole numbers does not hold."""
    title = {"int2": "smallint", "int4": "integer", "int8": "bigint"}[name]
    return "22003", f"{title} out of range"


def narrowed(found: Any, name: str, live: Any) -> Any:
    """Return whole numbers of a wider type as ``int2`` or ``int4``; 22003 for one that does not fit."""
    dtype = _DTYPES[name]
    limits = np.iinfo(dtype)
    if found.size and (found.max() > limits.max or found.min() < limits.min):
        refuse((found > limits.max) | (found < limits.min), live, *out_of_range(name))
    return found.astype(dtype)


_COMPUTE: dict[str, Any] = {"+": np.add, "-": np.subtract, "*": np.multiply}


@by_type(f"+ - *: {_PAIRS}")
def _plain(signature: Signature) -> Implementation:
    name = signature.result.name
    if name == "int8":
        return Implementation("vector", {"+": _add, "-": _subtract, "*": _multiply}[signature.name])
    compute, wider = _COMPUTE[signature.name], _WIDER[name]

    def run(a: Any, b: Any, live: Any) -> Any:
        return narrowed(compute(a, b, dtype=wider), name, live)

    return Implementation("vector", run)


def _add(a: Any, b: Any, live: Any) -> Any:
    found = np.add(a, b, dtype=np.int64)
    refuse(((a ^ found) & (b ^ found)) < 0, live, *out_of_range("int8"))
    return found


def _subtract(a: Any, b: Any, live: Any) -> Any:
    found = np.subtract(a, b, dtype=np.int64)
    refuse(((a ^ b) & (a ^ found)) < 0, live, *out_of_range("int8"))
    return found


def _multiply(a: Any, b: Any, live: Any) -> Any:
    found = np.multiply(a, b, dtype=np.int64)
    if found.size and _greatest(a) * _greatest(b) >= 1 << 63:
        divisor = np.where(a == 0, 1, a).astype(np.int64)
        least = np.iinfo(np.int64).min
        lost = (divisor == -1) & (b == least)  # the one division that overflows itself
        refuse(
            lost | (np.where(lost, 0, found) // divisor != np.where((a == 0) | lost, 0, b)),
            live,
            *out_of_range("int8"),
        )
    return found


def _greatest(values: Any) -> int:
    return max(abs(int(values.max())), abs(int(values.min())))


@by_type(f"/ : {_PAIRS}")
def _divide(signature: Signature) -> Implementation:
    name = signature.result.name
    dtype = _DTYPES[name]

    def run(a: Any, b: Any, live: Any) -> Any:
        a, b = a.astype(dtype), divisors(b.astype(dtype), live)
        refuse((b == -1) & (a == np.iinfo(dtype).min), live, *out_of_range(name))
        with np.errstate(over="ignore"):
            found = a // b
            # toward zero: the quotient that was rounded down is one more if the signs differ and something is left
            return found + ((found * b != a) & ((a ^ b) < 0))

    return Implementation("vector", run)


def divisors(values: Any, live: Any) -> Any:
    """Return divisors with 1 for those that are zero in rows that do not count; 22012 for others."""
    zero = values == 0
    if not zero.any():
        return values
    if live is None or (zero & live).any():
        raise error("22012", "division by zero")
    return np.where(zero, values.dtype.type(1), values)


@vector(f"% mod: {_SAME}")
def _remainder(a: Any, b: Any, live: Any) -> Any:
    b = divisors(b, live)
    return np.fmod(
        a, np.where(b == -1, b.dtype.type(1), b)
    )  # the sign is the dividend's; the least by -1 would overflow


@by_type(f"-: {_SINGLE}")
def _negative(signature: Signature) -> Implementation:
    name = signature.result.name

    def run(a: Any, live: Any) -> Any:
        refuse(a == np.iinfo(a.dtype).min, live, *out_of_range(name))
        return -a

    return Implementation("vector", run)


@by_type(f"@ abs: {_SINGLE}")
def _absolute(signature: Signature) -> Implementation:
    name = signature.result.name

    def run(a: Any, live: Any) -> Any:
        refuse(a == np.iinfo(a.dtype).min, live, *out_of_range(name))
        return np.abs(a)

    return Implementation("vector", run)


@vector("+: int2 | int4 | int8 | float4 | float8")
def _positive(a: Any, live: Any) -> Any:
    return a


# Bits.


@vector(f"&: {_SAME}")
def _and(a: Any, b: Any, live: Any) -> Any:
    return a & b


@vector(f"|: {_SAME}")
def _or(a: Any, b: Any, live: Any) -> Any:
    return a | b


@vector(f"#: {_SAME}")
def _exclusive_or(a: Any, b: Any, live: Any) -> Any:
    return a ^ b


@vector(f"~: {_SINGLE}")
def _not(a: Any, live: Any) -> Any:
    return ~a


def _shift(compute: Compute) -> Callable[..., Any]:
    def run(a: Any, b: Any, live: Any) -> Any:
        # only the last bits of a distance count, as on common processors; int2 moves in 32 bits
        wide = a if a.dtype == np.int64 else a.astype(np.int32)
        distance = b & (63 if wide.dtype == np.int64 else 31)
        return compute(wide, distance.astype(wide.dtype)).astype(a.dtype)

    return run


vector("<<: int2 int4 | int4 int4 | int8 int4")(_shift(np.left_shift))
vector(">>: int2 int4 | int4 int4 | int8 int4")(_shift(np.right_shift))
