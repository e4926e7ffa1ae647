"""Answers: what a statement gave, as text, from either side; and how two are compared.

PostgreSQL has types that are others here (``timestamptz`` is ``timestamp``, ``json`` is ``jsonb``, ``name`` is ``text``): these count as
equal. Errors are equal if their SQLSTATEs are of one class.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

Row = tuple[str | None, ...]
_SAME_TYPES = {
    "timestamp with time zone": "timestamp without time zone",
    "time with time zone": "time without time zone",
    "json": "jsonb",
    "name": "text",
    "regclass": "text",
    "regtype": "text",
    "regconfig": "text",
    "oid": "bigint",
    '"char"': "text",
}
_COUNTED = ("INSERT", "UPDATE", "DELETE", "MERGE")
_SHOWN_ROWS = 8
_SHOWN_CHARACTERS = 300


@dataclass
class Answer:
    """What a statement gave.

    Attributes
    ----------
    columns, types : list of str
        Names; types as PostgreSQL titles them.
    rows : list of tuple
        The values as text, None for null.
    count : int
        How many rows a change changed.
    error : str
        The SQLSTATE, empty if all went well; ``crash`` for an exception that is no error of the database.
    message : str
        What went wrong.
    """

    columns: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    count: int = 0
    command: str = ""
    error: str = ""
    message: str = ""

    def show(self) -> str:
        """Return the answer as a few lines."""
        if self.error:
            return f"ERROR {self.error}: {self.message}"[:_SHOWN_CHARACTERS]
        if not self.columns and not self.rows:
            return f"{self.count} rows changed" if self.count else "no rows"
        heading = ", ".join(f"{n} {t}" for n, t in zip(self.columns, self.types, strict=False))
        lines = [f"[{heading}]"[:_SHOWN_CHARACTERS]]
        lines += [_show_row(row) for row in self.rows[:_SHOWN_ROWS]]
        if len(self.rows) > _SHOWN_ROWS:
            lines.append(f"… {len(self.rows)} rows")
        return "\n".join(lines)


def _show_row(row: Row) -> str:
    return " | ".join("NULL" if value is None else repr(value) for value in row)[:_SHOWN_CHARACTERS]


def from_postgres(found: dict[str, Any]) -> Answer:
    """Return the answer in what ``postgres.mjs`` wrote."""
    if "error" in found:
        return Answer(error=found["error"], message=found["message"])
    rows = [tuple(row) for row in found["rows"]]
    types = found["types"]
    for place, name in enumerate(types):
        base = name.removesuffix("[]")
        if base.endswith("with time zone"):
            rows = [_without_zone(row, place) for row in rows]
        types[place] = _SAME_TYPES.get(base, base) + name[len(base) :]
    return Answer(found["columns"], types, rows, found["count"], found["command"])


def _without_zone(row: Row, place: int) -> Row:
    value = row[place]
    if value is None:
        return row
    return (*row[:place], value.replace("+00", ""), *row[place + 1 :])


def difference(expected: Answer, given: Answer, mark: str = "") -> str:
    """Return in which way an answer is not the expected one, empty if it is.

    Parameters
    ----------
    expected, given : Answer
        PostgreSQL's and ours.
    mark : str
        How the statement wants its rows compared (:mod:`sql_script`).
    """
    if expected.error or given.error:
        same = expected.error[:2] == given.error[:2]
        return "" if same else "one is an error" if not (expected.error and given.error) else "other errors"
    if mark == "outcome":
        return ""
    if expected.columns != given.columns:
        return "columns"
    if expected.types != given.types:
        return "types"
    if len(expected.rows) != len(given.rows):
        return "number of rows"
    if mark == "unordered":
        if Counter(expected.rows) != Counter(given.rows):
            return "rows"
    elif mark != "shape" and expected.rows != given.rows:
        return "rows" if Counter(expected.rows) != Counter(given.rows) else "order of rows"
    if expected.command in _COUNTED and expected.count != given.count:
        return f"count: {expected.count} rows changed, not {given.count}"
    return ""


def report(title: str, expected: Answer, given: Answer, what: str) -> str:
    """Return a difference for people."""
    return f"{title}\n  differs in: {what}\n  PostgreSQL: {_indent(expected)}\n  ours:       {_indent(given)}"


def _indent(answer: Answer) -> str:
    return answer.show().replace("\n", "\n              ")
