"""The calls of a memory, as a table of methods: what each of them takes is read from the method itself.

A call's JSON array holds the positional arguments of the method in their order and then, as one object, what it takes by keyword, with
the names that JavaScript has. ``null`` is "not given" wherever the method has a default::

    getTurns        ["ses_…", "brn_…", null, 20]             memory.get_turns("ses_…", "brn_…", offset=20)
    contradictions  ["/", {"sessionId": "ses_…"}]            memory.contradictions("/", session_id="ses_…")

A parameter ``vec`` is the buffer beside the array; of ``vectors`` the array has the lengths, and the buffer the numbers of all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from inspect import Parameter, signature
from typing import Any, NamedTuple

from ..errors import InvalidArgumentError, TransactionError
from ..memory import ExtractionConfig, FactOptions, RecallConfig, RecallOptions, ZengramMemory
from .plain import camel, plain, vector_of, vectors_of

Method = Callable[[ZengramMemory, list[Any], Any], Any]

NAMES = (
    "remember",
    "remember_with_vector",
    "recall",
    "recall_with_vector",
    "recall_config",
    "configure_recall",
    "facts",
    "entity",
    "entities",
    "maintain",
    "ensure_project",
    "fact",
    "history",
    "collisions",
    "facts_about_peer",
    "confirm",
    "contradict",
    "forget",
    "purge",
    "decay",
    "merge_facts",
    "trace_back",
    "trace_forward",
    "contradictions",
    "create_session",
    "fork_session",
    "end_session",
    "session",
    "sessions",
    "session_branches",
    "session_timeline",
    "session_totals",
    "set_system_instructions",
    "system_instructions",
    "append_turn",
    "add_part",
    "complete_turn",
    "summarize_turn",
    "get_turns",
    "turn",
    "get_parts",
    "turns_since",
    "record_tool_call",
    "start_tool_call",
    "complete_tool_call",
    "tool_call",
    "query_tool_calls",
    "extract_with_facts",
    "extract_with_facts_with_vectors",
    "reflect_with_insights",
    "reflect_with_insights_with_vectors",
    "extraction_config",
    "configure_extraction",
)
"""The methods that JavaScript may call, under the name that it has for each."""

KEYWORDS: dict[str, type] = {
    "remember": FactOptions,
    "remember_with_vector": FactOptions,
    "recall": RecallOptions,
    "recall_with_vector": RecallOptions,
    "configure_recall": RecallConfig,
    "configure_extraction": ExtractionConfig,
}
"""What the methods take that say ``**options``."""

POSITIONAL: dict[str, int] = {"facts": 1}
"""How many arguments come before the object, where JavaScript has more in the object than Python has by keyword only."""


class _Takes(NamedTuple):
    """What a method takes: its positional parameters, and the others by their JavaScript names."""

    arguments: tuple[Parameter, ...]
    options: dict[str, str]
    required: tuple[str, ...]
    """Those of the options that have no default."""


@cache
def _takes(name: str) -> _Takes:
    parameters = list(signature(getattr(ZengramMemory, name)).parameters.values())[1:]  # not self
    positional = [one for one in parameters if one.kind is Parameter.POSITIONAL_OR_KEYWORD]
    by_keyword = [one.name for one in parameters if one.kind is Parameter.KEYWORD_ONLY]
    end = POSITIONAL.get(name, len(positional))
    by_keyword += [one.name for one in positional[end:]]
    if name in KEYWORDS:
        by_keyword += KEYWORDS[name].__annotations__
    required = [
        one.name
        for one in parameters
        if one.kind is Parameter.KEYWORD_ONLY and one.default is Parameter.empty
    ]
    return _Takes(tuple(positional[:end]), {camel(one): one for one in by_keyword}, tuple(required))


def _calling(name: str) -> Method:
    def run(memory: ZengramMemory, arguments: list[Any], buffer: Any) -> Any:
        return plain(getattr(memory, name)(**_keywords(name, arguments, buffer)))

    return run


def _keywords(name: str, arguments: list[Any], buffer: Any) -> dict[str, Any]:
    """Return the arguments of a call by the names that the method has for them."""
    given = iter(arguments)
    found: dict[str, Any] = {}
    takes = _takes(name)
    for parameter in takes.arguments:
        if parameter.name == "vec":
            found["vec"] = vector_of(buffer)
            continue
        value = next(given, None)
        if parameter.name == "vectors":
            value = vectors_of(buffer, value or [])
        if value is not None or parameter.default is Parameter.empty:
            found[parameter.name] = value
    found.update(dict.fromkeys(takes.required))  # what is missing is told by the method
    return found | _options(camel(name), list(given), takes.options)


def _options(method: str, given: list[Any], names: dict[str, str]) -> dict[str, Any]:
    """Return a call's last argument, if it has one, by Python's names; null is not given."""
    if len(given) > 1 or (given and not isinstance(given[0], (dict, type(None)))):
        raise InvalidArgumentError(f"{method} takes its options as one object, as its last argument")
    found = {
        name: value for name, value in ((given[0] if given else None) or {}).items() if value is not None
    }
    unknown = sorted(found.keys() - names.keys())
    if unknown:
        raise InvalidArgumentError(f"{method} has no option {unknown[0]!r}; it takes {', '.join(names)}")
    return {names[name]: value for name, value in found.items()}


# -- batches: a block in Python, two calls from JavaScript -------------------------------------------------------------

_batches: dict[ZengramMemory, AbstractContextManager[None]] = {}


class _RolledBackError(Exception):
    """Leaves a batch without its changes."""


def _begin_batch(memory: ZengramMemory, arguments: list[Any], buffer: Any) -> None:
    batch = memory.batch()
    batch.__enter__()
    _batches[memory] = batch


def _commit_batch(memory: ZengramMemory, arguments: list[Any], buffer: Any) -> None:
    batch = _batches.pop(memory, None)
    if batch is None:
        raise TransactionError("there is no batch to commit")
    batch.__exit__(None, None, None)


def roll_back_batch(memory: ZengramMemory) -> None:
    """Give up the batch of a memory, if one is open."""
    batch = _batches.pop(memory, None)
    if batch is not None:
        batch.__exit__(_RolledBackError, _RolledBackError(), None)


METHODS: dict[str, Method] = {
    **{camel(name): _calling(name) for name in NAMES},
    "batchBegin": _begin_batch,
    "batchCommit": _commit_batch,
    "batchRollback": lambda memory, arguments, buffer: roll_back_batch(memory),
}
"""What :func:`zengram_py.bridge.call` runs on a memory, by its JavaScript name."""


# -- messages ----------------------------------------------------------------------------------------------------------


def in_javascript(message: str) -> str:
    """Return a message that names methods and arguments as Python has them with JavaScript's names."""
    return _python_names().sub(lambda match: camel(match[0]), message)


@cache
def _python_names() -> re.Pattern[str]:
    names = set(NAMES) | {"set_embed_fn"}
    for name in NAMES:
        takes = _takes(name)
        names |= {parameter.name for parameter in takes.arguments} | set(takes.options.values())
    return re.compile(rf"\b(?:{'|'.join(sorted(name for name in names if '_' in name))})\b")
