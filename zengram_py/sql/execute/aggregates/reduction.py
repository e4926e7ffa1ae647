"""Reductions: which function computes an aggregate, and what is done to its rows before.

Most aggregates see only rows whose arguments are not null; ``array_agg`` and its kin see all. Where frames of a window repeat, as those of
peers do, each is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from ...errors import unsupported
from ...signatures import Signature
from ...types import SqlType
from ..column import Array, Column, Mask, dtype_of, joined_nulls, objects
from ..context import Context
from ..windows.frames import Frames
from .parts import Parts

_MODULES = ("counts", "sums", "floats", "spreads", "spans", "extremes", "lists", "ordered", "ranks")


@dataclass(frozen=True, slots=True)
class Call:
    """What an aggregate is called with, beside its rows.

    Attributes
    ----------
    context : Context
        The run.
    signature : Signature
        Its name and types.
    direct : tuple of Column
        Arguments before ``within group``, a value for each part.
    descending, nulls_first : tuple of bool
        The order of ``within group``, in which the rows come.
    """

    context: Context
    signature: Signature
    direct: tuple[Column, ...] = ()
    descending: tuple[bool, ...] = ()
    nulls_first: tuple[bool, ...] = ()

    @property
    def result(self) -> SqlType:
        """The type of its values."""
        return self.signature.result


Function = Callable[[Parts, Sequence[Column], Call], Column]


@dataclass(frozen=True, slots=True)
class Reduction:
    """One way to reduce parts.

    Attributes
    ----------
    function : callable
        It gets the parts, columns of arguments (none a constant but the second of ``string_agg``), and the call.
    keeps_nulls : int or None
        From which argument on nulls may come; None if rows with any are left out.
    ordered : bool
        Whether the order of the rows matters.
    """

    function: Function
    keeps_nulls: int | None = None
    ordered: bool = False


_found: dict[tuple[str, str], Reduction] = {}


def aggregate(
    names: str, types: str = "*", *, keeps_nulls: int | None = None, ordered: bool = False
) -> Callable[[Function], Function]:
    """Register a function for aggregates by their names and the types of their last argument (``*`` is any)."""

    def register(function: Function) -> Function:
        made = Reduction(function, keeps_nulls, ordered)
        for name in names.split():
            for each in types.split():
                _found[name, each] = made
        return function

    return register


@cache
def _load() -> None:
    for name in _MODULES:
        import_module(f".{name}", __package__)


def reduction(signature: Signature) -> Reduction:
    """Return the way to compute an aggregate.

    Raises
    ------
    SqlError
        0A000 if there is none.
    """
    _load()
    last = signature.arguments[-1].name if signature.arguments else "*"
    made = _found.get((signature.name, last)) or _found.get((signature.name, "*"))
    if made is None:
        shown = ", ".join(t.title for t in signature.arguments)
        raise unsupported(f"aggregate {signature.name}({shown})")
    return made


def reduce_parts(made: Reduction, parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    """Return an aggregate's value for each part.

    Parameters
    ----------
    made : Reduction
        The aggregate.
    parts : Parts
        Which rows belong together.
    columns : sequence of Column
        Its arguments for each row of the sequence; constants may only stand where nulls may.
    call : Call
        All else.
    """
    nulls = joined_nulls(columns if made.keeps_nulls is None else columns[: made.keeps_nulls])
    if nulls is not None and nulls.any():
        kept = ~nulls
        parts, columns = parts.where(kept), [c.take(kept) for c in columns]
    if isinstance(parts, Frames):
        different, back = parts.different()
        if back is not None:
            return made.function(different, columns, call).take(back)
    return made.function(parts, columns, call)


def finished(result: SqlType, values: Any, nulls: Mask | None) -> Column:
    """Return a column of a fixed type from numbers, or of another from a sequence of objects, with nulls."""
    if dtype_of(result) is not np.dtype(object):
        return Column(result, np.asarray(values).astype(dtype_of(result), copy=False), nulls)
    found: Array = values if isinstance(values, np.ndarray) else objects(values)
    if nulls is not None:
        found = found.copy()
        found[nulls] = None
    return Column(result, found, nulls)
