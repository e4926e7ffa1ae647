"""The registry: which code computes an operator, a function or a cast.

A signature (signatures/) says that there is ``lower(text)``; an implementation says what it does::

    @scalar("lower: text")
    def _lower(text: str) -> str: ...

The text before the colon is a list of names, after it come the types of the arguments; ``|`` separates several lists of them. Types may be
polymorphic (``anyarray``, ``any``, …): then they match every concrete type of that kind, after exact ones. A list ``any*`` takes any number
of any types; ``variadic concat: any`` is the call whose last argument is an array for all the rest. There are four ways to write one:

    scalar      a function of one row's values (stored form, none of them null) giving a value or None
    nullable    the same, called with nulls too (None)
    vector      a function of numpy arrays that broadcast, one for each argument, giving an array; and, last, ``live``: a mask of the rows
                that count (None: all), since what stands in the arrays where a value is null is anything. Only errors need to look at it
    columns     a function of (context, columns, count) giving a :class:`Column`: everything else

Each of these may be ``volatile`` (computed anew for every row and never folded) or get the ``context`` as a first argument.
:func:`by_type` registers a function of the concrete signature that gives such an implementation, for code that depends on types.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np

from ..errors import unsupported
from ..execute.column import Column, joined_nulls
from ..signatures import Signature
from ..types import SqlType

if TYPE_CHECKING:
    from ..execute.context import Context

Kind = Literal["scalar", "nullable", "vector", "columns", "rows"]
Function = Callable[..., Any]
Given = TypeVar("Given", bound=Function)

_MODULES = """
    arithmetic
    arrays
    arraysearch
    bytes_
    casts
    clock
    comparison
    concatenation
    describing
    degrees
    encodings
    enums
    fields
    floats
    formatting
    fulltext
    jsonb
    jsonchanges
    jsonmaking
    jsonpath
    jsonrows
    making
    mathematics
    moments
    nulls
    numerics
    patterns
    powers
    quoting
    random_
    ranges
    regexps
    similar
    series
    spans
    splitting
    strings
    system
    truncation
    uuids
    vectors
    zones
"""
"""Modules with implementations, beside this one; index.py says which of them has what, so that a statement imports what it needs."""


@dataclass(frozen=True, slots=True)
class Implementation:
    """Code for one signature.

    Attributes
    ----------
    kind : str
        How it is called; ``"rows"`` gives any number of rows: a function of one row's values (with nulls) that gives an iterable of
        values, or of tuples if its signature has columns.
    function : callable
        What to call.
    volatile : bool
        Whether it has to be called for every row, also with constants.
    contextual : bool
        Whether it takes the context first.
    """

    kind: Kind
    function: Function
    volatile: bool = False
    contextual: bool = False


Factory = Callable[[Signature], Implementation]
_exact: dict[tuple[str, tuple[str, ...]], Implementation | Factory] = {}
_generic: dict[str, list[tuple[tuple[str, ...], Implementation | Factory]]] = {}
_casts: dict[tuple[str, str], Implementation] = {}
_watchers: list[Callable[[str], None]] = []
"""Are told each name that is registered."""


def _register(text: str, made: Implementation | Factory) -> None:
    names, _, lists = text.partition(":")
    whole = "variadic " if names.startswith("variadic ") else ""
    for arguments in lists.split("|"):
        types = tuple(arguments.split())
        for name in [whole + name for name in names.removeprefix(whole).split()]:
            for watcher in _watchers:
                watcher(name)
            if any(t.startswith("any") for t in types):
                _generic.setdefault(name, []).append((types, made))
            else:
                _exact[name, types] = made


class _Registering(Protocol):
    def __call__(
        self, text: str, *, volatile: bool = False, context: bool = False
    ) -> Callable[[Given], Given]: ...


def _registering(kind: Kind) -> _Registering:
    def decorator(text: str, *, volatile: bool = False, context: bool = False) -> Callable[[Given], Given]:
        def register(function: Given) -> Given:
            _register(text, Implementation(kind, function, volatile, context))
            return function

        return register

    return decorator


scalar = _registering("scalar")
nullable = _registering("nullable")
vector = _registering("vector")
columns = _registering("columns")
rows = _registering("rows")


def by_type(text: str) -> Callable[[Factory], Factory]:
    """Register a function that gives the implementation of a concrete signature."""

    def register(factory: Factory) -> Factory:
        _register(text, factory)
        return factory

    return register


def cast(text: str, kind: Kind = "scalar") -> Callable[[Given], Given]:
    """Register a cast, ``"int4 int8 > float8"``; kinds are those of functions, without a context."""

    def register(function: Given) -> Given:
        sources, _, targets = text.partition(">")
        for source in sources.split():
            for target in targets.split():
                for watcher in _watchers:
                    watcher(f"{source}>{target}")
                _casts[source, target] = Implementation(kind, function)
        return function

    return register


def known_cast(source: str, target: str) -> Implementation | None:
    """Return a registered cast by short names of types."""
    for module in _index().get(f"{source}>{target}", ()):
        import_module(f".{module}", __package__)
    found = _casts.get((source, target))
    if found is None and not _load_all():
        found = _casts.get((source, target))
    return found


def implementation(signature: Signature) -> Implementation:
    """Return the code for a concrete signature.

    Raises
    ------
    SqlError
        0A000 if there is none.
    """
    if "routine" in signature.kind:  # one of the user's
        return _routine(signature)
    return _find(signature.name, signature, _enums(signature))


def _enums(signature: Signature) -> tuple[str, ...]:
    """Return what the enums of a signature are: types of one name are equal, but their labels may change."""
    types = [*signature.arguments, *(t for _, t in signature.columns)]
    known = [t if t.element is None else t.element for t in types]
    return tuple([t.column.name for t in known if t.category == "E" and t.column is not None])


@lru_cache(64)
def _routine(signature: Signature) -> Implementation:
    """Return what runs a function of the user's; only so many are kept, for they may be replaced time and again."""
    routine: Implementation = import_module("..routines", __package__).implementation_of(signature)
    return routine


@lru_cache(1024)  # types of the user's are among the arguments
def _find(name: str, signature: Signature, enums: tuple[str, ...]) -> Implementation:
    types = tuple(t.name for t in signature.arguments)
    for module in _index().get(name, ()):
        import_module(f".{module}", __package__)
        if (name, types) in _exact:
            break
    found = _known(name, signature)
    if found is None and not _load_all():
        found = _known(name, signature)
    if found is None:
        shown = ", ".join(t.title for t in signature.arguments)
        raise unsupported(f"{signature.kind} {name}({shown})")
    return found if isinstance(found, Implementation) else found(signature)


def _known(name: str, signature: Signature) -> Implementation | Factory | None:
    """Return what is registered for a signature by the modules that are imported: its very types, or types of their kind."""
    types = tuple(t.name for t in signature.arguments)
    found = _exact.get((name, types))
    if found is None:
        for wanted, made in _generic.get(name, ()):
            if len(wanted) == len(types) and all(
                _fits(w, t) for w, t in zip(wanted, signature.arguments, strict=True)
            ):
                found = made
                break
    if found is None and signature.variadic:
        found = next((m for w, m in _generic.get(name, ()) if w == ("any*",)), None)
    return found


def _fits(wanted: str, given: SqlType) -> bool:
    if not wanted.startswith("any"):
        return wanted == given.name
    return {
        "anyarray": given.category == "A",
        "anycompatiblearray": given.category == "A",
        "anyrange": given.category == "R",
        "anyenum": given.category == "E",
        "anynonarray": given.category != "A",
        "anycompatiblenonarray": given.category != "A",
    }.get(wanted, wanted != "any*")


@cache
def _index() -> dict[str, list[str]]:
    """Return the modules that register each name; casts are ``source>target``."""
    from .index import INDEX

    found: dict[str, list[str]] = {}
    for line in INDEX.strip().split("\n"):
        module, _, names = line.partition(": ")
        for name in names.split("  "):
            found.setdefault(name, []).append(module)
    return found


_loaded: list[bool] = []


def _load_all() -> bool:
    """Import all modules, for a name that the index does not know; return whether they were imported before."""
    if _loaded:
        return True
    for name in _MODULES.split():
        import_module(f".{name}", __package__)
    _loaded.append(True)
    return False


def registered() -> dict[str, list[str]]:
    """Return by module the names that it registers, noted while all of them are imported: what index.py holds."""
    found: dict[str, set[str]] = {}

    def note(name: str) -> None:
        frame = sys._getframe()
        while frame.f_code.co_name != "<module>":  # the module whose body runs
            assert frame.f_back is not None
            frame = frame.f_back
        found.setdefault(frame.f_globals["__name__"].rpartition(".")[2], set()).add(name)

    def known(name: str, made: Implementation | Factory) -> None:  # imported before: by where its code is
        module = made.function.__module__ if isinstance(made, Implementation) else made.__module__
        found.setdefault(module.rpartition(".")[2], set()).add(name)

    for (name, _), exact in _exact.items():
        known(name, exact)
    for name, lists in _generic.items():
        for _, generic in lists:
            known(name, generic)
    for (source, target), cast_made in _casts.items():
        known(f"{source}>{target}", cast_made)
    _watchers.append(note)
    for module in _MODULES.split():
        import_module(f".{module}", __package__)
    _watchers.clear()
    return {module: sorted(names) for module, names in found.items()}


def call(
    made: Implementation, context: Context, result: SqlType, arguments: Sequence[Column], count: int
) -> Column:
    """Return an implementation's column for columns of arguments; a constant if all of these are and it is not volatile."""
    if made.kind == "columns":
        found: Column = made.function(context, arguments, count)
        return found
    constant = not made.volatile and all(a.is_constant for a in arguments)
    first = (context,) if made.contextual else ()
    if made.kind == "vector":
        nulls = joined_nulls(arguments)
        live = None if nulls is None else ~nulls
        values = made.function(*first, *(a.values for a in arguments), live)
        if nulls is not None and len(nulls) != len(values):
            nulls = np.broadcast_to(nulls, values.shape)
        return Column(result, values, nulls, is_constant=constant)
    function = made.function
    if made.contextual:
        contextual = made.function

        def function(*values: Any) -> Any:
            return contextual(context, *values)

    if made.kind == "scalar" and arguments and not made.volatile:
        if any(a.is_constant and a.nulls is not None for a in arguments):
            return Column.constant(result, None)
        varying = [i for i, a in enumerate(arguments) if not a.is_constant]
        if len(varying) == 1:
            at = varying[0]
            fixed = [a.tolist()[0] if a.is_constant else None for a in arguments]
            before, after = fixed[:at], fixed[at + 1 :]
            if len(arguments) == 1:
                return arguments[at].map(function, result)
            return arguments[at].map(lambda value: function(*before, value, *after), result)
    size = 1 if constant else count
    lists = [a.tolist() * size if a.is_constant and size != 1 else a.tolist() for a in arguments]
    given = zip(*lists, strict=True) if lists else [()] * size
    if lists and (made.kind == "nullable" or all(a.nulls is None for a in arguments)):
        out = list(map(function, *lists))
    elif made.kind == "nullable":
        out = [function(*row) for row in given]
    else:
        out = [None if any(v is None for v in row) else function(*row) for row in given]
    found = Column.of(result, out)
    found.is_constant = constant
    return found
