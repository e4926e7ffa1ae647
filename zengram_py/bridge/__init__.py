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
import sys
import traceback
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from .. import __version__
from ..engine import Database
from ..errors import (
    ClosedError,
    EmbedderError,
    InternalError,
    InvalidArgumentError,
    SnapshotError,
    SqlError,
    ZengramError,
)
from ..memory import ZengramMemory
from .memory import METHODS as MEMORY_METHODS
from .memory import Method as MemoryMethod
from .memory import in_javascript, roll_back_batch
from .plain import stored, vector_of, view_of
from .usage import PageFunction, usage_of

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


def set_function(method: str, handle: int, fn: Any, arguments: str) -> str:
    """Give a memory or a database a JavaScript function that it calls with a text. Answers like :func:`call`.

    The function gives nothing when it failed, and keeps the reason to itself: an exception must not cross into Python.

    Parameters
    ----------
    method : str
        A name in :data:`FUNCTIONS`.
    handle : int
        Whose it is.
    fn : JavaScript function or None
        What :data:`FUNCTIONS` says; None takes it away, where that can be.
    arguments : str
        A JSON array of what comes after the function.
    """
    keep = getattr(fn, "copy", None)  # a JsProxy argument lives as long as the call unless it is copied
    function = None if fn is None else PageFunction(fn if keep is None else keep())
    if method == "setJournal":
        return _answer(lambda: _durable().set_journal(handle, function))
    return _answer(lambda: FUNCTIONS[method](_owner(handle), function, *json.loads(arguments)))


def _set_embed_fn(owner: Any, function: Any, dim: Any) -> None:
    def embed(text: str) -> Any:
        vector = function(text)
        if vector is None:
            raise EmbedderError("the embedder failed")
        return vector_of(vector)

    owner.set_embed_fn(embed, dim)


def _set_token_counter(memory: ZengramMemory, function: Any, model_family: str | None = None) -> None:
    memory.set_token_counter(function, model_family=model_family)


def _set_entity_extractor(memory: ZengramMemory, function: Any) -> None:
    def extract(text: str) -> Any:
        names = function(text)
        return None if names is None else json.loads(names)

    memory.set_entity_extractor(None if function is None else extract)


FUNCTIONS: dict[str, Callable[..., None]] = {
    "setEmbedFn": _set_embed_fn,
    "setTokenCounter": _set_token_counter,
    "setEntityExtractor": _set_entity_extractor,
}
"""What :func:`set_function` sets: what gives a Float32Array, what gives a number, and what gives the JSON text of an array of names."""


def export_bytes(method: str, handle: int) -> Any:
    """Run one method whose result is bytes; return those, or the JSON text of an error.

    Parameters
    ----------
    method : str
        ``exportSnapshot``, or a name in :data:`zengram_py.bridge.durable.BYTES`.
    handle : int
        Whose.
    """
    try:
        if method == "exportSnapshot":
            return _owner(handle).export_snapshot()
        return _durable().BYTES[method](handle)
    except ZengramError as error:
        return _failure(error)
    except Exception as error:
        return _internal(error)


class Json(str):
    """A result that is the text of JSON already."""

    __slots__ = ()


def _method(name: str) -> Callable[[int, list[Any], Any], Any]:
    """Return a method by its JavaScript name; those of stores and of SQL are imported when they are called first."""
    found = METHODS.get(name)
    if found is not None:
        return found
    later: Method = (_durable() if name.startswith("durable") else _sql()).METHODS[name]
    return later


def _sql() -> Any:
    from . import sql

    return sql


def _durable() -> Any:
    from . import durable

    return durable


def _owner(handle: int) -> Any:
    """Return the memory or the database of a handle."""
    return memory_of(handle) if handle in _memories or not _has("sql") else _sql().find(handle)


def _has(part: str) -> bool:
    return f"{__name__}.{part}" in sys.modules


def _answer(work: Callable[[], Any]) -> str:
    try:
        found = work()
        if isinstance(found, Json):
            return f'{{"ok":{found}}}'
        return json.dumps(
            {"ok": found}, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=stored
        )
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
        message = in_javascript(message)
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


def snapshot_of(buffer: Any) -> Any:
    """Return the bytes of a snapshot."""
    if buffer is None:
        raise InvalidArgumentError("a snapshot is a Uint8Array")
    view = memoryview(view_of(buffer)).cast("B")
    if len(view) == 0:
        raise SnapshotError("the snapshot is empty", section="header")
    return view


def _open(handle: int, arguments: list[Any], buffer: Any) -> int:
    return adopt(ZengramMemory.open(*arguments))


def _open_from_snapshot(handle: int, arguments: list[Any], buffer: Any) -> int:
    return adopt(ZengramMemory.open_from_snapshot(snapshot_of(buffer), *arguments))


def _free(handle: int, arguments: list[Any], buffer: Any) -> None:
    memory = memory_of(handle)
    roll_back_batch(memory)
    memory.close()
    del _memories[handle]
    close_unused(memory.engine)


def close_unused(engine: Database) -> None:
    """Close a database if no handle stands on it any more: its tables go now, not when Python next collects its garbage."""
    if all(held.engine is not engine for held in _held()):
        engine.close()


def _held() -> list[Any]:
    others = [importer().held() for name, importer in (("sql", _sql), ("durable", _durable)) if _has(name)]
    return [*_memories.values(), *chain.from_iterable(others)]


def _stats(handle: int, arguments: list[Any], buffer: Any) -> dict[str, Any]:
    return usage_of(_owner(handle), _held(), *arguments)


def _version(handle: int, arguments: list[Any], buffer: Any) -> dict[str, str]:
    return {"zengram": __version__, "python": platform.python_version(), "numpy": np.__version__}


def _of_memory(run: MemoryMethod) -> Method:
    return lambda handle, arguments, buffer: run(memory_of(handle), arguments, buffer)


Method = Callable[[int, list[Any], Any], Any]

METHODS: dict[str, Method] = {
    "open": _open,
    "openFromSnapshot": _open_from_snapshot,
    "free": _free,
    "version": _version,
    "stats": _stats,
    **{name: _of_memory(run) for name, run in MEMORY_METHODS.items()},
}
"""The methods that :func:`call` runs, by their JavaScript name."""
