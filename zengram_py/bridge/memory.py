"""The calls of a memory, as a table of methods: what each of them takes is read from the method itself.

A call's JSON array holds the positional arguments of the method in their order and then, as one object, what it takes by keyword, with
the names that JavaScript has. ``null`` is "not given" wherever the method has a default::

    getTurns        ["ses_…", "brn_…", null, 20]             memory.get_turns("ses_…", "brn_…", offset=20)
    contradictions  ["/", {"sessionId": "ses_…"}]            memory.contradictions("/", session_id="ses_…")

A parameter ``vec`` is the buffer beside the array; of ``vectors`` the array has the lengths, and the buffer the numbers of all. Where null says
something (:data:`NULLS`) it is given. Nodes of code have JavaScript's names, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import cache
from inspect import Parameter, signature
from typing import Any, NamedTuple

from ..errors import InvalidArgumentError, TransactionError
from ..memory import ExtractionConfig, FactOptions, RecallConfig, RecallOptions, ZengramMemory
from ..memory.code_files import NODE_KEYS
from ..memory.code_graph import SOURCE_CHANGES
from ..memory.files import FILE_CHANGES
from ..memory.objects import CONCEPT_CHANGES
from ..memory.states import ENVIRONMENT_CHANGES
from ..memory.tasks import TASK_CHANGES
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
    "count_tokens",
    "assemble_context",
    "memory_branches",
    "fork_memory",
    "use_memory",
    "discard_memory",
    "diff_memory",
    "merge_memory",
    "configure_budget",
    "storage_budget",
    "enforce_budget",
    "delete_session",
    "add_task",
    "update_task",
    "set_task_status",
    "add_task_dependency",
    "remove_task_dependency",
    "add_task_file",
    "remove_task_file",
    "task",
    "tasks",
    "ready_tasks",
    "add_permission_rule",
    "remove_permission_rule",
    "record_permission",
    "check_permission",
    "permission_rule",
    "permission_rules",
    "add_reminder",
    "complete_reminder",
    "cancel_reminder",
    "due_reminders",
    "reminder",
    "reminders",
    "add_job",
    "job_done",
    "pause_job",
    "resume_job",
    "remove_job",
    "due_jobs",
    "job",
    "jobs",
    "start_subagent",
    "finish_subagent",
    "subagent",
    "subagents",
    "register_agent",
    "agents",
    "send_message",
    "claim_message",
    "complete_message",
    "release_message",
    "message",
    "messages",
    "new_messages",
    "unread_count",
    "advance_mailbox",
    "record_file_operation",
    "file_operations",
    "workspace_files",
    "set_workspace_file",
    "reserve_file",
    "release_file",
    "file_reservations",
    "add_code_source",
    "update_code_source",
    "remove_code_source",
    "code_sources",
    "put_code_file",
    "remove_code_file",
    "code_files",
    "code_nodes",
    "code_node",
    "find_code",
    "callers",
    "callees",
    "code_hubs",
    "add_bundle",
    "bundles",
    "remove_bundle",
    "add_concept",
    "update_concept",
    "remove_concept",
    "link_concepts",
    "unlink_concepts",
    "concept",
    "concepts",
    "related_concepts",
    "log_event",
    "events",
    "record_snapshot",
    "snapshots",
    "add_state_snapshot",
    "state_snapshots",
    "add_environment",
    "update_environment",
    "environments",
    "add_workspace",
    "workspaces",
)
"""The methods that JavaScript may call, under the name that it has for each."""

KEYWORDS: dict[str, Iterable[str]] = {
    "remember": FactOptions.__annotations__,
    "remember_with_vector": FactOptions.__annotations__,
    "recall": RecallOptions.__annotations__,
    "recall_with_vector": RecallOptions.__annotations__,
    "configure_recall": RecallConfig.__annotations__,
    "configure_extraction": ExtractionConfig.__annotations__,
    "update_task": TASK_CHANGES,
    "set_workspace_file": FILE_CHANGES,
    "update_code_source": SOURCE_CHANGES,
    "update_concept": CONCEPT_CHANGES,
    "update_environment": ENVIRONMENT_CHANGES,
}
"""What the methods take that say ``**options``, ``**settings`` or ``**changes``."""

NULLS = frozenset(
    [
        "update_task",
        "set_workspace_file",
        "update_code_source",
        "update_concept",
        "update_environment",
        "callers",
        "callees",
    ]
)
"""Methods for which null among the options says something: that a field is emptied, or that all kinds of edges count."""

POSITIONAL: dict[str, int] = {"facts": 1}
"""How many arguments come before the object, where JavaScript has more in the object than Python has by keyword only."""


class _Takes(NamedTuple):
    """What a method takes: its positional parameters, and the others by their JavaScript names."""

    arguments: tuple[Parameter, ...]
    options: dict[str, str]
    required: tuple[str, ...]
    """Those of the options that have no default."""
    vec: bool
    """Whether a vector is among the options."""


@cache
def _takes(name: str) -> _Takes:
    parameters = list(signature(getattr(ZengramMemory, name)).parameters.values())[1:]  # not self
    positional = [one for one in parameters if one.kind is Parameter.POSITIONAL_OR_KEYWORD]
    by_keyword = [one.name for one in parameters if one.kind is Parameter.KEYWORD_ONLY]
    end = POSITIONAL.get(name, len(positional))
    by_keyword += [one.name for one in positional[end:]]
    if name in KEYWORDS:
        by_keyword += KEYWORDS[name]
    required = [
        one.name
        for one in parameters
        if one.kind is Parameter.KEYWORD_ONLY and one.default is Parameter.empty
    ]
    options = {camel(one): one for one in by_keyword if one != "vec"}
    return _Takes(tuple(positional[:end]), options, tuple(required), "vec" in by_keyword)


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
    if takes.vec and buffer is not None:
        found["vec"] = vector_of(buffer)
    found |= _options(camel(name), list(given), takes.options, nulls=name in NULLS)
    if "nodes" in found:
        found["nodes"] = _with_python_keys(found["nodes"])
    return found


_NODE_NAMES = {camel(name): name for name in NODE_KEYS}


def _with_python_keys(nodes: Any) -> Any:
    """Return nodes of code with the keys that Python has; what is none is told by the method."""
    if not isinstance(nodes, list):
        return nodes
    return [
        {_NODE_NAMES.get(key, key): value for key, value in node.items()} if isinstance(node, dict) else node
        for node in nodes
    ]


def _options(method: str, given: list[Any], names: dict[str, str], *, nulls: bool) -> dict[str, Any]:
    """Return a call's last argument, if it has one, by Python's names; null is not given unless it says something."""
    if len(given) > 1 or (given and not isinstance(given[0], (dict, type(None)))):
        raise InvalidArgumentError(f"{method} takes its options as one object, as its last argument")
    found = (given[0] if given else None) or {}
    if not nulls:
        found = {name: value for name, value in found.items() if value is not None}
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
    names = {*NAMES, *NODE_KEYS, "set_embed_fn", "set_token_counter", "set_entity_extractor", "model_family"}
    for name in NAMES:
        takes = _takes(name)
        names |= {parameter.name for parameter in takes.arguments} | set(takes.options.values())
    return re.compile(rf"\b(?:{'|'.join(sorted(name for name in names if '_' in name))})\b")
