"""Signatures: the operators and functions that an expression can name, as tables of text that are read once.

operators.py    by symbol
functions.py    plain functions and those that give rows
aggregates.py   aggregates and window functions
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ..patterns import pattern
from ..types import RECORD, SqlType, named
from .aggregates import AGGREGATES, WINDOWS
from .functions import FUNCTIONS
from .operators import OPERATORS

_SEPARATOR = pattern(r",\s+(?![^(]*\))")


@dataclass(frozen=True, slots=True)
class Signature:
    """One meaning of a name.

    Attributes
    ----------
    name : str
        The operator or function.
    arguments : tuple of SqlType
        What it takes.
    result : SqlType
        What it gives.
    kind : str
        ``"operator"``, ``"function"``, ``"aggregate"``, ``"within"`` (an ordered-set aggregate), ``"hypothetical"`` or
        ``"window"``.
    gives_rows : bool
        Whether it gives any number of rows.
    variadic : bool
        Whether the last argument may come any number of times.
    optional : int
        How many arguments at the end may be left out.
    columns : tuple of (str, SqlType)
        Of a row, its columns.
    """

    name: str
    arguments: tuple[SqlType, ...]
    result: SqlType
    kind: str
    gives_rows: bool = False
    variadic: bool = False
    optional: int = 0
    columns: tuple[tuple[str, SqlType], ...] = ()


@cache
def operators() -> dict[str, tuple[Signature, ...]]:
    """Return all operators by symbol."""
    found: dict[str, list[Signature]] = {}
    names: list[str] = []
    for line in OPERATORS.strip().split("\n"):
        if not line.startswith(" "):
            names = line.split()
            continue
        for text in _SEPARATOR.split(line.strip().rstrip(",")):
            for name in names:
                found.setdefault(name, []).append(_read(name, text, "operator"))
    return {name: tuple(signatures) for name, signatures in found.items()}


@cache
def functions() -> dict[str, tuple[Signature, ...]]:
    """Return all functions by name; a name may be a function of several kinds."""
    found: dict[str, list[Signature]] = {}
    for table, kind in ((FUNCTIONS, "function"), (AGGREGATES, "aggregate"), (WINDOWS, "window")):
        for entry in re.split(r"\n(?! )", table.strip()):
            names, _, signatures = entry.partition(":")
            for text in _SEPARATOR.split(" ".join(signatures.split())):
                for name in names.split():
                    found.setdefault(name, []).append(_read(name, text.strip(), kind))
    return {name: tuple(signatures) for name, signatures in found.items()}


def _read(name: str, text: str, kind: str) -> Signature:
    first, _, rest = text.partition(" ")
    if first in ("within", "hypothetical"):
        kind, text = first, rest
    before, arrow, after = re.split(r"(>>|>)", text, maxsplit=1)
    words = before.split()
    optional = sum(word.startswith("=") for word in words)
    variadic = bool(words) and words[-1].startswith("*")
    arguments = tuple(named(word.lstrip("=*")) for word in words)
    result = after.strip()
    columns: tuple[tuple[str, SqlType], ...] = ()
    if result.startswith("("):
        pairs = [pair.split() for pair in result[1:-1].split(",")]
        columns = tuple((column, named(type_)) for column, type_ in pairs)
    return Signature(
        name,
        arguments,
        RECORD if columns else named(result),
        kind,
        arrow == ">>",
        variadic,
        optional,
        columns,
    )
