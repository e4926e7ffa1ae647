"""What JavaScript calls: JSON text and byte buffers in, JSON text and byte buffers out.

The shim never holds a Python object. It names a memory by a *handle*, a whole number; arguments come as one JSON array,
a vector or a snapshot as one typed array beside it; the answer is JSON text::

    call("remember", 3, '["drinks", "green tea", "/"]')       ->  '{"ok":"knw_01J…"}'
    call("rememberWithVector", 3, '["drinks", …]', vector)    ->  '{"error":{"name":"VectorZeroError","code":…}}'

So nothing needs to be destroyed on the JavaScript side but the bytes of an export, and an error is a value.
"""

from __future__ import annotations

import json
import platform
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, TypedDict

import numpy as np

from .. import __version__
from ..errors import (
    ClosedError,
    EmbedderError,
    InternalError,
    InvalidArgumentError,
    SnapshotError,
    SqlError,
    ZengramError,
)
from ..memory import FactOptions, Hit, RecallConfig, RecallOptions, ZengramMemory

_memories: dict[int, ZengramMemory] = {}
_last_handle = 0


def call(method: str, handle: int, arguments: str, buffer: Any = None) -> str:
    """Run one method and return its answer as JSON text: ``{"ok": …}`` or ``{"error": {name, code, message}}``.

    Parameters
    ----------
    method : str
        A name in :data:`METHODS`.
    handle : int
        The memory, as ``open`` answered it; 0 for methods that need none.
    arguments : str
        A JSON array.
    buffer : JavaScript typed array, or anything with the buffer protocol
        A vector (float32) or the bytes of a snapshot (uint8).
    """
    return _answer(lambda: _method(method)(handle, json.loads(arguments), buffer))


def set_embed_fn(handle: int, fn: Any, dim: Any) -> str:
    """Set a memory's embedder: a JavaScript function from a string to a Float32Array. Answers like :func:`call`.

    The function gives nothing when it failed, and keeps the reason to itself: an exception must not cross into Python.
    """
    keep = getattr(fn, "copy", None)  # a JsProxy argument lives as long as the call unless it is copied
    function = keep() if keep is not None else fn

    def embed(text: str) -> Any:
        vector = function(text)
        if vector is None:
            raise EmbedderError("the embedder failed")
        return _vector(vector)

    return _answer(lambda: _owner(handle).set_embed_fn(embed, dim))


def export_snapshot(handle: int) -> Any:
    """Return the snapshot of a memory, or of a database, as bytes, or the JSON text of an error."""
    try:
        return _owner(handle).export_snapshot()
    except ZengramError as error:
        return _failure(error)
    except Exception as error:
        return _internal(error)


class Json(str):
    """A result that is the text of JSON already."""

    __slots__ = ()


def _method(name: str) -> Callable[[int, list[Any], Any], Any]:
    """Return a method by its JavaScript name; those of SQL are imported when they are called first."""
    found = METHODS.get(name)
    return _sql().METHODS[name] if found is None else found


def _sql() -> Any:
    from . import sql

    return sql


def _owner(handle: int) -> Any:
    """Return the memory or the database of a handle."""
    return memory_of(handle) if handle in _memories or not _has_sql() else _sql().find(handle)


def _has_sql() -> bool:
    return f"{__name__}.sql" in sys.modules


def _answer(work: Callable[[], Any]) -> str:
    try:
        found = work()
        if isinstance(found, Json):
            return f'{{"ok":{found}}}'
        return json.dumps({"ok": found}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ZengramError as error:
        return _failure(error)
    except Exception as error:
        return _internal(error)


def _internal(error: Exception) -> str:
    """Answer with a fault of ours: the page gets an Error, the console the whole story."""
    traceback.print_exc()
    return _failure(InternalError(f"{type(error).__name__}: {error}"))


def _failure(error: ZengramError) -> str:
    message = str(error)
    if isinstance(error, InvalidArgumentError):
        # It names arguments as Python has them.
        message = _SNAKE.sub(lambda match: _camel(match[0]), message)
    described: dict[str, Any] = {"name": type(error).__name__, "code": error.code, "message": message}
    if isinstance(error, SqlError):
        for name in ("sqlstate", "position", "detail", "hint"):
            described[name] = getattr(error, name)
    return json.dumps({"error": described})


def memory_of(handle: int) -> ZengramMemory:
    """Return the memory of a handle."""
    try:
        return _memories[handle]
    except KeyError:
        raise ClosedError("the memory was freed") from None


def next_handle() -> int:
    """Return a handle that stands for nothing yet."""
    global _last_handle
    _last_handle += 1
    return _last_handle


def adopt(memory: ZengramMemory) -> int:
    """Return a new handle of a memory."""
    handle = next_handle()
    _memories[handle] = memory
    return handle


def _view(buffer: Any) -> Any:
    """Return a JavaScript typed array as a memoryview of a copy (one copy, its type kept)."""
    convert = getattr(buffer, "to_memoryview", None)
    return buffer if convert is None else convert()


def _vector(buffer: Any) -> Any:
    return buffer if buffer is None else np.asarray(_view(buffer))


def snapshot_of(buffer: Any) -> Any:
    """Return the bytes of a snapshot."""
    if buffer is None:
        raise InvalidArgumentError("a snapshot is a Uint8Array")
    view = memoryview(_view(buffer)).cast("B")
    if len(view) == 0:
        raise SnapshotError("the snapshot is empty", section="header")
    return view


def _open(handle: int, arguments: list[Any], buffer: Any) -> int:
    return adopt(ZengramMemory.open(*arguments))


def _open_from_snapshot(handle: int, arguments: list[Any], buffer: Any) -> int:
    return adopt(ZengramMemory.open_from_snapshot(snapshot_of(buffer), *arguments))


def _free(handle: int, arguments: list[Any], buffer: Any) -> None:
    memory_of(handle).close()
    del _memories[handle]


def _remember(handle: int, arguments: list[Any], buffer: Any) -> str:
    subject, content, scope, *options = arguments
    return memory_of(handle).remember(subject, content, scope, **_options("remember", options, FactOptions))


def _recall(handle: int, arguments: list[Any], buffer: Any) -> list[dict[str, Any]]:
    query, scope, *options = arguments
    given = _options("recall", options, RecallOptions)
    return [_hit(hit) for hit in memory_of(handle).recall(query, scope, **given)]


def _remember_with_vector(handle: int, arguments: list[Any], buffer: Any) -> str:
    subject, content, scope, *options = arguments
    given = _options("rememberWithVector", options, FactOptions)
    return memory_of(handle).remember_with_vector(subject, content, scope, _vector(buffer), **given)


def _recall_with_vector(handle: int, arguments: list[Any], buffer: Any) -> list[dict[str, Any]]:
    query, scope, *options = arguments
    given = _options("recallWithVector", options, RecallOptions)
    return [_hit(hit) for hit in memory_of(handle).recall_with_vector(query, scope, _vector(buffer), **given)]


def _facts(handle: int, arguments: list[Any], buffer: Any) -> list[dict[str, Any]]:
    scope, *options = arguments
    given = _options("facts", options, _Page)
    return [_plain(fact) for fact in memory_of(handle).facts(scope, **given)]


def _entity(handle: int, arguments: list[Any], buffer: Any) -> list[dict[str, Any]]:
    name, scope, *options = arguments
    given = _options("entity", options, _Limit)
    return [_plain(fact) for fact in memory_of(handle).entity(name, scope, **given)]


def _entities(handle: int, arguments: list[Any], buffer: Any) -> list[dict[str, Any]]:
    scope, *options = arguments
    given = _options("entities", options, _Limit)
    return [_plain(entity) for entity in memory_of(handle).entities(scope, **given)]


def _recall_config(handle: int, arguments: list[Any], buffer: Any) -> dict[str, Any]:
    return _plain(memory_of(handle).recall_config(*arguments))


def _configure_recall(handle: int, arguments: list[Any], buffer: Any) -> dict[str, Any]:
    scope, *settings = arguments
    return _plain(
        memory_of(handle).configure_recall(scope, **_options("configureRecall", settings, RecallConfig))
    )


def _maintain(handle: int, arguments: list[Any], buffer: Any) -> bool:
    return memory_of(handle).maintain(*arguments)


class _Limit(TypedDict, total=False):
    limit: int


class _Page(_Limit, total=False):
    offset: int


def _options(method: str, given: list[Any], kind: type) -> dict[str, Any]:
    """Return a call's last argument, if it has one, as keyword arguments of a kind; null is not given."""
    if len(given) > 1 or (given and not isinstance(given[0], (dict, type(None)))):
        raise InvalidArgumentError(f"{method} takes its options as one object, as its last argument")
    names = {_camel(name): name for name in kind.__annotations__}
    found = {
        name: value for name, value in ((given[0] if given else None) or {}).items() if value is not None
    }
    unknown = sorted(found.keys() - names.keys())
    if unknown:
        raise InvalidArgumentError(f"{method} has no option {unknown[0]!r}; it takes {', '.join(names)}")
    return {names[name]: value for name, value in found.items()}


_SNAKE = re.compile(
    rf"\b(?:{'|'.join(n for k in (FactOptions, RecallOptions, RecallConfig) for n in k.__annotations__ if '_' in n)})\b"
)


@cache
def _camel(name: str) -> str:
    """Return a Python name as JavaScript has it: ``min_score`` as ``minScore``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@cache
def _fields(kind: Any) -> list[tuple[str, str]]:
    return [(_camel(field.name), field.name) for field in fields(kind)]


def _plain(result: Any) -> dict[str, Any]:
    """Return a result as JavaScript has it: a plain object with its names."""
    return {name: getattr(result, attribute) for name, attribute in _fields(result.__class__)}


def _version(handle: int, arguments: list[Any], buffer: Any) -> dict[str, str]:
    return {"zengram": __version__, "python": platform.python_version(), "numpy": np.__version__}


def _hit(hit: Hit) -> dict[str, Any]:
    found = _plain(hit)
    if hit.explanation is None:
        del found["explanation"]
    else:
        found["explanation"] = _plain(hit.explanation)
    return found


METHODS: dict[str, Callable[[int, list[Any], Any], Any]] = {
    "open": _open,
    "openFromSnapshot": _open_from_snapshot,
    "free": _free,
    "remember": _remember,
    "recall": _recall,
    "rememberWithVector": _remember_with_vector,
    "recallWithVector": _recall_with_vector,
    "recallConfig": _recall_config,
    "configureRecall": _configure_recall,
    "maintain": _maintain,
    "facts": _facts,
    "entity": _entity,
    "entities": _entities,
    "version": _version,
}
"""The methods that :func:`call` runs, by their JavaScript name."""
