"""Angles in degrees, exact where they are exact: ``sind(30)`` is a half, ``cosd(60)`` too, ``tand(45)`` one.

An angle is moved into the first quadrant, in which whole degrees are exact floats. There sines up to 30 and cosines up to 60 degrees are
scaled by what the library computes for 30 and 60, so that these come out even.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .floats import check_finite, quiet
from .guards import refuse
from .mathematics import RADIANS_PER_DEGREE
from .registry import vector

_SINE_30 = float(np.sin(30.0 * RADIANS_PER_DEGREE))
_VERSED_60 = 1.0 - float(np.cos(60.0 * RADIANS_PER_DEGREE))
_ARCSINE_HALF = float(np.arcsin(0.5))
_ARCCOSINE_HALF = float(np.arccos(0.5))
_ARCTANGENT_ONE = float(np.arctan(1.0))


def _low_sine(a: Any) -> Any:
    """Return sines of 0 to 30 degrees."""
    return np.sin(a * RADIANS_PER_DEGREE) / _SINE_30 / 2.0


def _low_cosine(a: Any) -> Any:
    """Return cosines of 0 to 60 degrees."""
    return 1.0 - (1.0 - np.cos(a * RADIANS_PER_DEGREE)) / _VERSED_60 / 2.0


def _sine(a: Any) -> Any:
    """Return sines of 0 to 90 degrees."""
    return np.where(a <= 30.0, _low_sine(a), _low_cosine(90.0 - a))


def _cosine(a: Any) -> Any:
    """Return cosines of 0 to 90 degrees."""
    return np.where(a <= 60.0, _low_cosine(a), _low_sine(90.0 - a))


_TANGENT_45 = float(_sine(np.float64(45)) / _cosine(np.float64(45)))
_COTANGENT_45 = float(_cosine(np.float64(45)) / _sine(np.float64(45)))


def _folded(a: Any) -> tuple[Any, Any, Any]:
    """Return angles in the first quadrant, whether they were negative, and in which quadrant they were."""
    a = np.fmod(a, 360.0)
    negative = a < 0
    a = np.where(negative, -a, a)  # a zero keeps its sign
    over = a > 180.0
    a = np.where(over, 360.0 - a, a)
    obtuse = a > 90.0
    return np.where(obtuse, 180.0 - a, a), negative ^ over, obtuse


def _signed(found: Any, negative: Any) -> Any:
    return np.where(negative, -found, found)


def _of_angle(name: str) -> Callable[..., Any]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @vector(f"{name}: float8")
        @quiet
        def run(a: Any, live: Any) -> Any:
            check_finite(a, live)
            return function(*_folded(a))

        return function

    return register


@_of_angle("sind")
def _sine_of(a: Any, negative: Any, obtuse: Any) -> Any:
    return _signed(_sine(a), negative)


@_of_angle("cosd")
def _cosine_of(a: Any, negative: Any, obtuse: Any) -> Any:
    return _signed(_cosine(a), obtuse)


@_of_angle("tand")
def _tangent_of(a: Any, negative: Any, obtuse: Any) -> Any:
    found = _signed(_sine(a) / _cosine(a) / _TANGENT_45, negative ^ obtuse)
    return np.where(found == 0, 0.0, found)  # never with a sign


@_of_angle("cotd")
def _cotangent_of(a: Any, negative: Any, obtuse: Any) -> Any:
    found = _signed(_cosine(a) / _sine(a) / _COTANGENT_45, negative ^ obtuse)
    return np.where(found == 0, 0.0, found)


def _arcsine(a: Any) -> Any:
    """Return the angles of sines of 0 to 1."""
    low = np.arcsin(a) / _ARCSINE_HALF * 30.0
    return np.where(a <= 0.5, low, 90.0 - np.arccos(a) / _ARCCOSINE_HALF * 60.0)


def _arccosine(a: Any) -> Any:
    """Return the angles of cosines of 0 to 1."""
    low = 90.0 - np.arcsin(a) / _ARCSINE_HALF * 30.0
    return np.where(a <= 0.5, low, np.arccos(a) / _ARCCOSINE_HALF * 60.0)


@vector("asind: float8")
@quiet
def _arcsine_of(a: Any, live: Any) -> Any:
    refuse(np.abs(a) > 1, live, "22003", "input is out of range")
    return _signed(_arcsine(np.where(a < 0, -a, a)), a < 0)


@vector("acosd: float8")
@quiet
def _arccosine_of(a: Any, live: Any) -> Any:
    refuse(np.abs(a) > 1, live, "22003", "input is out of range")
    return np.where(a >= 0, _arccosine(np.abs(a)), 90.0 + _arcsine(np.abs(a)))


@vector("atand: float8")
@quiet
def _arctangent_of(a: Any, live: Any) -> Any:
    return np.arctan(a) / _ARCTANGENT_ONE * 45.0


@vector("atan2d: float8 float8")
@quiet
def _arctangent_of_two(a: Any, b: Any, live: Any) -> Any:
    return np.arctan2(a, b) / _ARCTANGENT_ONE * 45.0
