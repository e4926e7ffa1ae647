"""What may come in as JSON: the data of a part, the input of a tool call.

Callers hand over whatever their language makes of JSON. What is kept is a copy that JSON can say exactly, or nothing: an error names the
place of the fault, such as ``data['steps'][2]``.

===========================  =============================================================
comes in                     becomes
===========================  =============================================================
None, bool, int, str, float  itself; NaN and the infinities are refused
numpy numbers and booleans   Python's
dict, list, tuple            a dict with strings as keys, a list
half a surrogate pair        U+FFFD, as in every text (texts.py)
anything else                refused: sets, bytes, dates, arrays, objects
===========================  =============================================================
"""

from __future__ import annotations

import json
import math
from hashlib import sha256
from typing import Any

import numpy as np

from ..errors import InvalidArgumentError
from .texts import check_text

MAX_DEPTH = 200
"""How many lists and objects may lie in each other: whoever reads them (SQL, JavaScript, a snapshot) can do so without care."""


def check_json(value: Any, what: str) -> Any:
    """Return a copy of a JSON value, or say where it is none.

    Parameters
    ----------
    value : JSON value
        The value.
    what : str
        What it is, for the error message: ``"data"``.

    Raises
    ------
    InvalidArgumentError
        If JSON cannot hold it, it contains itself, or is nested more than 200 deep.
    """
    return _copy(value, what, (), set())


def json_text(value: Any) -> str:
    """Return a checked JSON value as text without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_hash(value: Any) -> str:
    """Return what equal JSON values share: SHA-256, in hexadecimal, of the text with the keys of each object sorted."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return sha256(text.encode()).hexdigest()


Path = tuple[str | int, ...]


def _copy(value: Any, what: str, path: Path, around: set[int]) -> Any:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return check_text(value, what, blank=True)
    if isinstance(value, (dict, list, tuple)):
        if id(value) in around:
            raise InvalidArgumentError(f"{_place(what, path)} contains itself; JSON has no cycles")
        if len(path) >= MAX_DEPTH:
            raise InvalidArgumentError(f"{what} is nested more than {MAX_DEPTH} deep")
        around.add(id(value))
        copied = (
            _copy_object(value, what, path, around)
            if isinstance(value, dict)
            else [_copy(item, what, (*path, at), around) for at, item in enumerate(value)]
        )
        around.remove(id(value))
        return copied
    return _scalar(value, what, path)


def _copy_object(value: dict[Any, Any], what: str, path: Path, around: set[int]) -> dict[str, Any]:
    copied: dict[str, Any] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise InvalidArgumentError(
                f"{_place(what, path)} has a key of type {type(key).__name__}; the keys of JSON are strings"
            )
        name = check_text(key, what, blank=True)
        if name in copied:
            raise InvalidArgumentError(
                f"{_place(what, path)} has keys that are both {name!r} once half surrogate pairs are replaced"
            )
        copied[name] = _copy(item, what, (*path, name), around)
    return copied


def _scalar(value: Any, what: str, path: Path) -> Any:
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        number = int(value)
        try:
            str(number)
        except ValueError:  # Python writes no more than 4300 digits
            raise InvalidArgumentError(f"{_place(what, path)} is a number of too many digits") from None
        return number
    if isinstance(value, (float, np.floating)):
        real = float(value)
        if not math.isfinite(real):
            raise InvalidArgumentError(f"{_place(what, path)} is {real}; JSON has no such number")
        return real
    raise InvalidArgumentError(f"{_place(what, path)} is a {type(value).__name__}, which JSON does not have")


def _place(what: str, path: Path) -> str:
    """Return how code would name a place in a value."""
    shown = [f"[{key!r}]" if len(repr(key)) <= 60 else f"[{repr(key)[:57]}...]" for key in path]
    if len(shown) > 12:
        shown = [*shown[:6], " ... ", *shown[-6:]]
    return what + "".join(shown)
