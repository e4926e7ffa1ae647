"""Conversion of a stored value from one column type to another, as ``ALTER COLUMN … TYPE`` does."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from ..errors import TypeMismatchError
from .composite import ArrayType, EnumType, NumericType
from .limited import LimitedTextType
from .types import BOOLEAN, ColumnType, FloatType, IntegerType, JsonType, TextType

_TRUE = {"t", "true", "y", "yes", "on", "1"}
_FALSE = {"f", "false", "n", "no", "off", "0"}


def convert(value: Any, old: ColumnType, new: ColumnType) -> Any:
    """Return a stored value of one type as a stored value of another; null stays null.

    Numbers convert to numbers (to whole ones by rounding half to even), anything to text and text to anything that it
    reads as, booleans to 0 and 1 and back.

    Raises
    ------
    TypeMismatchError
        If the value has no form in the new type.
    """
    if value is None or old == new:
        return value
    shown = old.present(value)
    try:
        return new.check(_change(shown, old, new))
    except (ValueError, ArithmeticError, TypeError):
        raise new.refuse(shown) from None


def _change(shown: Any, old: ColumnType, new: ColumnType) -> Any:
    if type(new) in (TextType, LimitedTextType):
        return _as_text(shown, old)
    if isinstance(shown, str) and not isinstance(old, JsonType):
        return _from_text(shown.strip(), new)
    if isinstance(new, IntegerType):
        if isinstance(shown, bool):
            return int(shown)
        if isinstance(shown, (float, Decimal)):
            return round(shown)
    if isinstance(new, (FloatType, NumericType)) and isinstance(shown, (bool, Decimal)):
        return (
            int(shown) if isinstance(shown, bool) else float(shown) if isinstance(new, FloatType) else shown
        )
    if new == BOOLEAN and isinstance(shown, int):
        return bool(shown)
    return shown


def _as_text(shown: Any, old: ColumnType) -> str:
    if isinstance(shown, str) and not isinstance(old, JsonType):
        return shown
    if isinstance(shown, bool):
        return "true" if shown else "false"
    if isinstance(old, (JsonType, ArrayType)):
        return json.dumps(shown, ensure_ascii=False, default=str)
    if isinstance(shown, bytes):
        return "\\x" + shown.hex()
    return str(shown)


def _from_text(text: str, new: ColumnType) -> Any:
    if isinstance(new, IntegerType):
        return int(text)
    if isinstance(new, FloatType):
        return float(text)
    if new == BOOLEAN:
        if text.lower() in _TRUE | _FALSE:
            return text.lower() in _TRUE
        raise TypeMismatchError(f"{text!r} is not a valid boolean")
    if isinstance(new, (JsonType, ArrayType)):
        return json.loads(text)
    if isinstance(new, (EnumType, NumericType, TextType)):
        return text
    return text
