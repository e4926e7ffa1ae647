"""Items: what a GIN index keeps of a value, and what an operator asks for.

A value is taken apart as PostgreSQL's operator classes do it, and each part becomes an *item*, a number of 32 bits::

    {"a": [1, "x"]}    jsonb_ops         key a    number 1    key x          (a text in an array counts as a key, for ?)
                       jsonb_path_ops    a → 1    a → "x"                    (where each scalar lies; arrays are no step)
    {1, 2, null}       array_ops         1    2    null
    'cat':3 'fat':2    tsvector_ops      cat    fat

An operator becomes a *condition* over items, which every value that satisfies it meets::

    j @> '{"a": [1]}'       AllOf(key a, number 1)                j ?| array['a', 'b']     AnyOf(key a, key b)

Others may meet it too: items are hashes, and know nothing of what lies in what. Whoever asks compares the values. Hashes do not
depend on the process, because they are kept in snapshots.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ..keys import DEEPER, NULL, hash_value, key_form

OPERATORS: dict[str, tuple[str, ...]] = {
    "jsonb_ops": ("@>", "?", "?|", "?&"),
    "jsonb_path_ops": ("@>",),
    "array_ops": ("@>", "<@", "&&", "="),
    "tsvector_ops": ("@@",),
}
"""The operators that an index answers, by its operator class."""
_PLAIN_DIGITS = 18  # a whole number with more is kept as a decimal


@dataclass(frozen=True)
class AllOf:
    """All of some conditions; of none, everything satisfies it."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one of some conditions; of none, nothing satisfies it."""

    parts: tuple[Condition, ...]


Condition = int | AllOf | AnyOf
"""An item, or a condition over conditions."""


def items_of(operator_class: str, form: Any, seed: int = 0) -> set[int]:
    """Return the items of a value.

    Parameters
    ----------
    operator_class : str
        One of :data:`OPERATORS`.
    form : object
        The value, in the form of a key (keys.py); not null.
    seed : int
        What keeps the items of one key of an index apart from those of another.
    """
    return _ITEMS[operator_class](form, seed)


def condition_of(operator_class: str, operator: str, operand: Any, seed: int = 0) -> Condition:
    """Return what the values meet for which ``value operator operand`` is true.

    Parameters
    ----------
    operator_class, operator : str
        See :data:`OPERATORS`.
    operand : object
        The right side in stored form, not null: of ``?`` a text, of ``?|`` and ``?&`` a tuple of texts, of ``@@`` a tree of lexemes
        (a text; ``("&", trees)``; ``("|", trees)``; None for what any document may satisfy), else a value of the column's type.

    Raises
    ------
    ValueError
        If the operator class does not have the operator.
    """
    if operator not in OPERATORS.get(operator_class, ()):
        raise ValueError(f"a GIN index of {operator_class} does not answer {operator}")
    if operator_class == "array_ops":
        return _array_condition(operator, key_form(operand), seed)
    if operator_class == "tsvector_ops":
        return _lexeme_condition(operand, seed)
    if operator == "@>":
        return AllOf(tuple(sorted(items_of(operator_class, operand, seed))))
    if operator == "?":
        return _text(b"k", operand, seed)
    keys = tuple(_text(b"k", key, seed) for key in operand if key is not None)
    return AnyOf(keys) if operator == "?|" else AllOf(keys)


# -- JSON --------------------------------------------------------------------------------------------------------------


def _json_items(text: str, seed: int) -> set[int]:
    found: set[int] = set()
    waiting = [_parsed(text)]
    if type(waiting[0]) not in (dict, list):
        waiting = [waiting]  # a scalar alone counts as an element
    while waiting:
        value = waiting.pop()
        if type(value) is dict:
            found.update([_text(b"k", key, seed) for key in value])
            parts, mark = value.values(), b"s"
        else:
            parts, mark = value, b"k"
        for part in parts:
            if type(part) is str:
                found.add(_text(mark, part, seed))
            elif type(part) is dict or type(part) is list:
                waiting.append(part)
            else:
                found.add(zlib.crc32(_scalar(part), seed))
    return found


def _json_paths(text: str, seed: int) -> set[int]:
    found: set[int] = set()
    waiting = [(_parsed(text), seed)]
    while waiting:
        value, path = waiting.pop()
        if type(value) is dict:
            waiting += [(part, _text(b"k", key, path)) for key, part in value.items()]
        elif type(value) is list:
            waiting += [(part, path) for part in value]
        elif type(value) is str:
            found.add(_text(b"s", value, path))
        else:
            found.add(zlib.crc32(_scalar(value), path))
    return found


def _text(mark: bytes, text: str, seed: int) -> int:
    return zlib.crc32(mark + text.encode(), seed)


def _scalar(value: Any) -> bytes:
    """Return the bytes of a number, a boolean or null; those of equal numbers are equal, however they are written."""
    if isinstance(value, Decimal):
        if value.adjusted() < _PLAIN_DIGITS and value == value.to_integral_value():
            value = int(value)
        else:
            sign, digits, exponent = value.as_tuple()
            significant = "".join(map(str, digits)).rstrip("0")
            assert isinstance(exponent, int)
            return f"n{sign}{significant}e{exponent + len(digits) - len(significant)}".encode()
    return b"n" + repr(value).encode()


def _whole(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= _PLAIN_DIGITS else Decimal(digits)


def _parsed(text: str) -> Any:
    return json.loads(text, parse_float=Decimal, parse_int=_whole)


# -- arrays and lexemes ------------------------------------------------------------------------------------------------


def _array_items(form: Any, seed: int) -> set[int]:
    found = {_element(element, seed) for element in _elements(form)}
    return found or {_mark(b"empty", seed)}


def _elements(form: Any) -> Iterator[Any]:
    """Yield the elements of an array, given as a key, whatever its dimensions."""
    waiting = [form]
    while waiting:
        part = waiting.pop()
        if part and part[0] is DEEPER:
            waiting += part[1:]
        else:
            yield from part


def _element(form: Any, seed: int) -> int:
    if form is NULL:
        return _mark(b"null", seed)
    if isinstance(form, str):
        return _text(b"", form, seed)
    hashed = hash_value(form)
    return (hashed ^ hashed >> 32 ^ seed) & 0xFFFFFFFF


def _mark(name: bytes, seed: int) -> int:
    return zlib.crc32(b"\0" + name, seed)


def _array_condition(operator: str, form: Any, seed: int) -> Condition:
    elements = list(_elements(form))
    items = tuple(sorted({_element(e, seed) for e in elements if e is not NULL}))
    if operator == "&&":
        return AnyOf(items)
    if operator == "<@":
        return AnyOf((*items, _mark(b"empty", seed)))
    if operator == "=":
        return AllOf(tuple(sorted(_array_items(form, seed))))
    return AnyOf(()) if NULL in elements else AllOf(items)  # nothing contains a null


def _lexemes(form: Any, seed: int) -> set[int]:
    """Return the items of a document, given as a key: ``(DEEPER, (DEEPER, lexeme, positions), …)``."""
    return {_text(b"", lexeme[1], seed) for lexeme in form[1:]}


def _lexeme_condition(tree: Any, seed: int) -> Condition:
    if tree is None:
        return AllOf(())
    if isinstance(tree, str):
        return _text(b"", tree, seed)
    operator, parts = tree
    return (AllOf if operator == "&" else AnyOf)(tuple(_lexeme_condition(part, seed) for part in parts))


_ITEMS: dict[str, Callable[[Any, int], set[int]]] = {
    "jsonb_ops": _json_items,
    "jsonb_path_ops": _json_paths,
    "array_ops": _array_items,
    "tsvector_ops": _lexemes,
}
