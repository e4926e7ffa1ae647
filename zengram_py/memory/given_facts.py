"""Facts as a caller's model gave them: a list of plain mappings, checked one by one before anything is stored.

A model is not to be trusted with the form of what it returns, so each entry is looked at as closely as the arguments of ``remember``,
and a message says which one is at fault and why. Names may be written as JavaScript has them, too: the list comes from JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidArgumentError, VectorError, VectorLengthError
from .entities import check_entities
from .options import fact_columns, tool_call_of
from .quantities import check_count
from .texts import check_text

_COMMON = ("subject", "content", "categories", "tags", "peer", "importance", "private", "entities")
EXTRACTED = (*_COMMON, "tool_call_id")
REFLECTED = (*_COMMON, "source_ids")
_JAVASCRIPT = {"sourceIds": "source_ids", "toolCallId": "tool_call_id"}
MOST = 1000
"""Facts in one call; more of them is no list that a model made."""


@dataclass(frozen=True)
class GivenFact:
    """One fact, checked.

    Attributes
    ----------
    subject, content : str
        What it is about and says.
    options : dict
        What else came with it, by the names of remember's options.
    columns : dict
        The same as columns of the table of facts.
    tool_call : str or None
        The tool call that revealed it.
    """

    subject: str
    content: str
    options: dict[str, Any]
    columns: dict[str, Any]
    tool_call: str | None


def check_facts(what: str, facts: Any, allowed: tuple[str, ...]) -> list[GivenFact]:
    """Return a list of facts, or raise :class:`~zengram_py.errors.InvalidArgumentError` that says which one is wrong."""
    if isinstance(facts, (str, bytes, Mapping)) or not isinstance(facts, Iterable):
        raise InvalidArgumentError(f"{what}s must be a list, not a {type(facts).__name__}")
    rows = list(facts)
    check_count(f"the number of {what}s", len(rows))
    if len(rows) > MOST:
        raise InvalidArgumentError(f"there are {len(rows)} {what}s; a call takes {MOST} at most")
    return [_check(f"{what} {at}", row, allowed) for at, row in enumerate(rows)]


def _check(where: str, row: Any, allowed: tuple[str, ...]) -> GivenFact:
    if not isinstance(row, Mapping):
        raise InvalidArgumentError(
            f"{where} must be an object with subject and content, not a {type(row).__name__}"
        )
    named: dict[str, Any] = {_JAVASCRIPT.get(str(name), str(name)): value for name, value in row.items()}
    unknown = [name for name in named if name not in allowed]
    if unknown:
        raise InvalidArgumentError(f"{where} has no field {unknown[0]!r}; it takes {', '.join(allowed)}")
    try:
        subject, content = (
            check_text(named.get("subject"), "subject"),
            check_text(named.get("content"), "content"),
        )
        options = {n: v for n, v in named.items() if v is not None and n not in ("subject", "content")}
        if "entities" in options:
            options["entities"] = check_entities(options["entities"])
        return GivenFact(subject, content, options, fact_columns(options), tool_call_of(options))
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{where}: {error}") from None


def check_vectors(what: str, vectors: Any, count: int, check: Any) -> list[Any]:
    """Return as many vectors as there are facts, or say which one is wrong.

    Parameters
    ----------
    what : str
        ``"fact"`` or ``"insight"``, for the error message.
    vectors : iterable of vectors, or array of shape (count, dimensions)
        What was given.
    count : int
        How many there must be.
    check : callable
        Checks one.
    """
    if isinstance(vectors, (str, bytes, Mapping)) or not isinstance(vectors, Iterable):
        raise InvalidArgumentError(f"vectors must be a list of vectors, not a {type(vectors).__name__}")
    given = list(vectors)
    if len(given) != count:
        raise VectorLengthError(f"there are {count} {what}s and {len(given)} vectors: one is needed for each")
    out = []
    for at, vector in enumerate(given):
        try:
            out.append(check(vector))
        except VectorError as error:
            raise type(error)(f"{what} {at}: {error}") from None
    return out
