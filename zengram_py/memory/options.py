"""What remember and recall take beside their arguments, and the checks of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, TypedDict

import numpy as np

from ..engine.expr import fold
from ..errors import InvalidArgumentError
from .filters import STATUSES, RecallFilter
from .quantities import check_count, check_flag, check_number, check_time
from .recall_config import RecallConfig
from .texts import check_text

Time = int | str | date
"""Microseconds since 1970 UTC, ISO 8601 text, a date or a datetime; what names no zone is UTC."""
Labels = str | Iterable[str]

TOKENS_PER_FACT = 5
"""Few facts are shorter: about how many a budget of tokens can hold at most."""


class FactOptions(TypedDict, total=False):
    """What else a fact comes with.

    Attributes
    ----------
    entities : iterable of str
        The names that it mentions; those that the extractor finds when left out.
    categories, tags : iterable of str
        Labels to filter by.
    peer : str
        Whom it is about, or who said it. Facts of one subject about different peers do not supersede each other.
    importance : float
        0 to 1; 0.5 when left out.
    private : bool
        Whether recall leaves it out unless private facts are asked for.
    valid_from, valid_to : time
        When it holds: from now on when left out. ``valid_to`` itself is not part of it.
    expires : time
        From when on it is no answer any more.
    session_id, turn_id : str
        Where it was said. Facts of one session are linked (spread.py).
    tool_call_id : str
        The tool call that revealed it; its turn and session are where it was said.
    source_ids : iterable of str
        The facts that it was made from.
    """

    entities: Iterable[str] | None
    categories: Iterable[str] | None
    tags: Iterable[str] | None
    peer: str | None
    importance: float | None
    private: bool | None
    valid_from: Time | None
    valid_to: Time | None
    expires: Time | None
    session_id: str | None
    turn_id: str | None
    tool_call_id: str | None
    source_ids: Iterable[str] | None


class RecallOptions(TypedDict, total=False):
    """Which answers recall gives, and how.

    Attributes
    ----------
    limit : int
        Facts at most; the scope's ``limit_default`` (20) when left out, or with ``max_tokens`` as many as fit.
    max_tokens : int
        Tokens at most of all hits together: the best that fit (tokens.py has the estimate).
    min_score : float
        Least relevance, 0 to 1; the scope's ``score_threshold`` (0.15) when left out. Facts that share a name with the
        question are exempt.
    explain : bool
        Whether each hit is to say how its score came about.
    mmr : bool or float
        Whether hits are to differ from each other: True takes the scope's ``mmr_lambda`` (0.7), a number is one (1 is by
        score alone).
    preset : str
        The formula: ``"hybrid"``, ``"classical"`` or ``"rrf"`` (fusion.py); the scope's when left out.
    categories : str or iterable of str
        Only facts in one of them: none if there are none.
    tags : str or iterable of str
        Only facts with all of them.
    peers : str or iterable of str
        Only facts about one of them: none if there are none.
    status : str or iterable of str
        ``"active"`` or ``"superseded"``; only active facts when left out.
    since, until : time
        Only facts created in ``[since, until)``.
    as_of : time
        What was valid then, superseded since or not; ages are counted from then.
    include_private : bool
        Whether private facts may be answers.
    """

    limit: int | None
    max_tokens: int | None
    min_score: float | None
    explain: bool | None
    mmr: bool | float | None
    preset: str | None
    categories: Labels | None
    tags: Labels | None
    peers: Labels | None
    status: Labels | None
    since: Time | None
    until: Time | None
    as_of: Time | None
    include_private: bool | None


def tool_call_of(options: Mapping[str, Any]) -> str | None:
    """Return the tool call that a fact came from, if one was given."""
    return check_text(options["tool_call_id"], "tool_call_id") if "tool_call_id" in options else None


def given(method: str, options: Mapping[str, Any], kind: type) -> dict[str, Any]:
    """Return those options that are not None, or raise :class:`~zengram_py.errors.InvalidArgumentError`."""
    names = kind.__annotations__
    unknown = sorted(options.keys() - names.keys())
    if unknown:
        raise InvalidArgumentError(f"{method} has no option {unknown[0]!r}; it takes {', '.join(names)}")
    return {name: value for name, value in options.items() if value is not None}


def fact_columns(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what given options of remember (without entities and tool call) are in the table of facts."""
    columns: dict[str, Any] = {}
    for name in ("categories", "tags"):
        if name in options:
            columns[name] = check_labels(name, options[name])
    for name, column in (
        ("peer", "subject_peer"),
        ("session_id", "source_session"),
        ("turn_id", "source_turn"),
    ):
        if name in options:
            columns[column] = check_text(options[name], name)
    if "importance" in options:
        columns["importance"] = check_number("importance", options["importance"], most=1.0)
    if "private" in options:
        columns["private"] = check_flag("private", options["private"])
    for name in ("valid_from", "valid_to"):
        if name in options:
            columns[name] = check_time(name, options[name])
    if "expires" in options:
        columns["time_expires"] = check_time("expires", options["expires"])
    if "source_ids" in options:
        columns["consolidated_from"] = check_labels("source_ids", options["source_ids"])
    return columns


@dataclass(frozen=True)
class RecallPlan:
    """Options of recall, checked, with the settings of the scope in place of what was not given."""

    config: RecallConfig
    wanted: RecallFilter
    limit: int
    breadth: int
    """About how many facts that will be: how far the arms look."""
    max_tokens: int | None
    mmr_lambda: float | None
    explain: bool


def plan_recall(options: Mapping[str, Any], config: RecallConfig) -> RecallPlan:
    """Check given options of recall and join them with a scope's settings."""
    if "min_score" in options:
        threshold = check_number("min_score", options["min_score"], most=1.0)
        config = replace(config, score_threshold=threshold)
    if "preset" in options:
        config = config.changed({"preset": options["preset"]})
    max_tokens = check_count("max_tokens", options["max_tokens"]) if "max_tokens" in options else None
    limit = breadth = config.limit_default
    if "limit" in options:
        limit = breadth = check_count("limit", options["limit"])
    elif max_tokens is not None:
        limit, breadth = max(limit, max_tokens), max(limit, max_tokens // TOKENS_PER_FACT)
    mmr_lambda = None
    mmr = options.get("mmr", False)
    if not isinstance(mmr, (bool, np.bool_)):
        mmr_lambda = check_number("mmr", mmr, most=1.0)
    elif mmr:
        mmr_lambda = config.mmr_lambda
    explain = check_flag("explain", options.get("explain", False))
    return RecallPlan(config, _filter(options), limit, breadth, max_tokens, mmr_lambda, explain)


def _filter(options: Mapping[str, Any]) -> RecallFilter:
    def time(name: str) -> int | None:
        return check_time(name, options[name]) if name in options else None

    def labels(name: str) -> frozenset[str] | None:
        return frozenset(map(fold, check_labels(name, options[name]))) if name in options else None

    # What was valid then may have been superseded since.
    statuses: tuple[str, ...] = ("active", "superseded") if "as_of" in options else ("active",)
    if "status" in options:
        statuses = tuple(sorted(set(check_labels("status", options["status"]))))
        for status in statuses:
            if status not in STATUSES:
                raise InvalidArgumentError(f"status must be one of {', '.join(STATUSES)}, not {status!r}")
        if not statuses:
            raise InvalidArgumentError(f"status must be one or more of {', '.join(STATUSES)}")
    return RecallFilter(
        statuses=statuses,
        categories=labels("categories"),
        tags=labels("tags"),
        peers=labels("peers"),
        since=time("since"),
        until=time("until"),
        as_of=time("as_of"),
        include_private=check_flag("include_private", options.get("include_private", False)),
    )


def check_labels(name: str, value: Any) -> list[str]:
    """Return a text, or a list of texts, as a list without repeats."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Iterable) or isinstance(value, (bytes, bytearray, Mapping)):
        raise InvalidArgumentError(f"{name} must be a list of strings, not a {type(value).__name__}")
    return list(dict.fromkeys(check_text(one, f"each of {name}") for one in value))
