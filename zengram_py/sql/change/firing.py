"""Triggers, as changes meet them.

A table without triggers costs nothing here. Of one that has some, the rows that a change is about go to triggers.py as lists of stored values
in the order of the table's columns: before they are written, when a trigger may change a row or leave it out, and after.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from ...engine import TableDef
from ...engine.catalog import CatalogView
from ..execute.context import Context

Row = list[Any]

_with_triggers: WeakKeyDictionary[CatalogView, bool] = WeakKeyDictionary()


class Firing:
    """The triggers of a table for one event of one statement.

    Parameters
    ----------
    context : Context
        The statement.
    table : TableDef
        The table.
    event : str
        ``"insert"``, ``"update"``, ``"delete"`` or ``"truncate"``.
    columns : collection of str
        Of an update, the columns that it sets.
    """

    def __init__(
        self, context: Context, table: TableDef, event: str, columns: frozenset[str] = frozenset()
    ) -> None:
        self._about = (context, table, event, columns)

    def statement(self, timing: str) -> None:
        """Fire the triggers of the statement as a whole."""
        from ..triggers import fire_statement

        fire_statement(*self._about, timing)

    def before(self, old: Sequence[Row] | None, new: Sequence[Row] | None) -> list[Row | None]:
        """Fire the triggers before each row; return the rows to write (of a delete the old ones), None for one to leave out."""
        from ..triggers import fire_rows

        return fire_rows(*self._about, "before", old, new)

    def after(self, old: Sequence[Row] | None, new: Sequence[Row] | None) -> None:
        """Fire the triggers after each row."""
        from ..triggers import fire_rows

        fire_rows(*self._about, "after", old, new)


def firing(
    context: Context, table: TableDef, event: str, columns: frozenset[str] = frozenset()
) -> Firing | None:
    """Return the triggers of a table for an event; None if there are none."""
    view = context.transaction.reader.catalog
    known = _with_triggers.get(view)
    if known is None:
        known = _with_triggers[view] = any(d.kind == "trigger" for d in view.by_id.values())
    if not known:
        return None
    from ..triggers import has_triggers

    return Firing(context, table, event, columns) if has_triggers(context, table, event) else None
