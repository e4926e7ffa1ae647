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
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from . import __version__
from .errors import (
    ClosedError,
    EmbedderError,
    InternalError,
    InvalidArgumentError,
    SnapshotError,
    ZengramError,
)
from .memory import Explanation, Fact, Hit, ZengramMemory

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
    return _answer(lambda: METHODS[method](handle, json.loads(arguments), buffer))


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

    return _answer(lambda: _memory(handle).set_embed_fn(embed, dim))


def export_snapshot(handle: int) -> Any:
    """Return a memory's snapshot as bytes, or the JSON text of an error."""
    try:
        return _memory(handle).export_snapshot()
    except ZengramError as error:
        return _failure(error)
    except Exception as error:
        return _internal(error)


def _answer(work: Callable[[], Any]) -> str:
    try:
        return json.dumps({"ok": work()}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ZengramError as error:
        return _failure(error)
    except Exception as error:
        return _internal(error)


def _internal(error: Exception) -> str:
    """Answer with a fault of ours: the page gets an Error, the console the whole story."""
    traceback.print_exc()
    return _failure(InternalError(f"{type(error).__name__}: {error}"))


def _failure(error: ZengramError) -> str:
    described = {"name": type(error).__name__, "code": error.code, "message": str(error)}
    return json.dumps({"error": described})


def _memory(handle: int) -> ZengramMemory:
    try:
        return _memories[handle]
    except KeyError:
        raise ClosedError("the memory was freed") from None


def _adopt(memory: ZengramMemory) -> int:
    global _last_handle
    _last_handle += 1
    _memories[_last_handle] = memory
    return _last_handle


def _view(buffer: Any) -> Any:
    """Return a JavaScript typed array as a memoryview of a copy (one copy, its type kept)."""
    convert = getattr(buffer, "to_memoryview", None)
    return buffer if convert is None else convert()


def _vector(buffer: Any) -> Any:
    return buffer if buffer is None else np.asarray(_view(buffer))


def _snapshot(buffer: Any) -> Any:
    if buffer is None:
        raise InvalidArgumentError("a snapshot is a Uint8Array")
    view = memoryview(_view(buffer)).cast("B")
    if len(view) == 0:
        raise SnapshotError("the snapshot is empty", section="header")
    return view


def _open(handle: int, arguments: list[Any], buffer: Any) -> int:
    return _adopt(ZengramMemory.open(*arguments))


def _open_from_snapshot(handle: int, arguments: list[Any], buffer: Any) -> int:
    return _adopt(ZengramMemory.open_from_snapshot(_snapshot(buffer), *arguments))


def _free(handle: int, arguments: list[Any], buffer: Any) -> None:
    _memory(handle).close()
    del _memories[handle]


def _remember(handle: int, arguments: list[Any], buffer: Any) -> str:
    subject, content, scope, *options = arguments
    return _memory(handle).remember(subject, content, scope, **_options("remember", options, _REMEMBER))


def _recall(handle: int, arguments: list[Any], buffer: Any) -> list[dict[str, Any]]:
    query, scope, *options = arguments
    given = _options("recall", options, _RECALL)
    return [_hit(hit) for hit in _memory(handle).recall(query, scope, **given)]


def _remember_with_vector(handle: int, arguments: list[Any], buffer: Any) -> str:
    subject, content, scope, *options = arguments
    given = _options("rememberWithVector", options, _REMEMBER)
    return _memory(handle).remember_with_vector(subject, content, scope, _vector(buffer), **given)


def _recall_with_vector(handle: int, arguments: list[Any], buffer: Any) -> list[dict[str, Any]]:
    query, scope, *options = arguments
    given = _options("recallWithVector", options, _RECALL)
    return [_hit(hit) for hit in _memory(handle).recall_with_vector(query, scope, _vector(buffer), **given)]


def _facts(handle: int, arguments: list[Any], buffer: Any) -> list[dict[str, Any]]:
    scope, *options = arguments
    given = _options("facts", options, {"limit": "limit", "offset": "offset"})
    return [_fact(fact) for fact in _memory(handle).facts(scope, **given)]


def _entity(handle: int, arguments: list[Any], buffer: Any) -> list[dict[str, Any]]:
    name, scope, *options = arguments
    given = _options("entity", options, {"limit": "limit"})
    return [_fact(fact) for fact in _memory(handle).entity(name, scope, **given)]


def _entities(handle: int, arguments: list[Any], buffer: Any) -> list[dict[str, Any]]:
    scope, *options = arguments
    given = _options("entities", options, {"limit": "limit"})
    return [{"name": e.name, "facts": e.facts} for e in _memory(handle).entities(scope, **given)]


_REMEMBER = {"entities": "entities"}
_RECALL = {"limit": "limit", "minScore": "min_score", "explain": "explain"}


def _options(method: str, given: list[Any], names: dict[str, str]) -> dict[str, Any]:
    """Return a call's last argument, if it has one, as keyword arguments; null is not given."""
    if len(given) > 1 or (given and not isinstance(given[0], (dict, type(None)))):
        raise InvalidArgumentError(f"{method} takes its options as one object, as its last argument")
    found = {
        name: value for name, value in ((given[0] if given else None) or {}).items() if value is not None
    }
    unknown = sorted(found.keys() - names.keys())
    if unknown:
        raise InvalidArgumentError(f"{method} has no option {unknown[0]!r}; it takes {', '.join(names)}")
    return {names[name]: value for name, value in found.items()}


def _version(handle: int, arguments: list[Any], buffer: Any) -> dict[str, str]:
    return {"zengram": __version__, "python": platform.python_version(), "numpy": np.__version__}


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "knowledgeId": hit.knowledge_id,
        "subject": hit.subject,
        "content": hit.content,
        "score": hit.score,
        "similarity": hit.similarity,
        "importance": hit.importance,
        **({} if hit.explanation is None else {"explanation": _explanation(hit.explanation)}),
    }


def _explanation(explanation: Explanation) -> dict[str, Any]:
    return {
        "vector": explanation.vector,
        "text": explanation.text,
        "textScore": explanation.text_score,
        "shared": explanation.shared,
        "relevance": explanation.relevance,
        "ageDays": explanation.age_days,
        "relevancePart": explanation.relevance_part,
        "recencyPart": explanation.recency_part,
        "importancePart": explanation.importance_part,
    }


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.id,
        "scope": fact.scope,
        "subject": fact.subject,
        "content": fact.content,
        "importance": fact.importance,
        "confidence": fact.confidence,
        "timeCreated": fact.time_created,
    }


METHODS: dict[str, Callable[[int, list[Any], Any], Any]] = {
    "open": _open,
    "openFromSnapshot": _open_from_snapshot,
    "free": _free,
    "remember": _remember,
    "recall": _recall,
    "rememberWithVector": _remember_with_vector,
    "recallWithVector": _recall_with_vector,
    "facts": _facts,
    "entity": _entity,
    "entities": _entities,
    "version": _version,
}
"""The methods that :func:`call` runs, by their JavaScript name."""
