"""Differences: which rows are not the same for two readers.

Rows are matched by primary key; those of a table without one by their hidden row id. Only slots that one of the two
readers sees and the other does not are looked at, so a difference costs what changed (and two masks).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .constraints import key_of
from .definitions import TableDef
from .keys import key_form
from .table import NO_SLOT, TableStore, Values
from .view import View


@dataclass(frozen=True)
class RowChange:
    """One row of a difference.

    Attributes
    ----------
    table : str
        The table.
    key : object
        The primary key as a tuple, or the hidden row id.
    kind : str
        ``"added"``, ``"changed"`` or ``"removed"``.
    before, after : dict or None
        The row on both sides.
    """

    table: str
    key: Any
    kind: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


def changed_slots(store: TableStore, before: View, after: View) -> tuple[list[int], list[int]]:
    """Return the slots that only the first view sees, and those that only the second sees."""
    if store.visibility.state(before) == store.visibility.state(after):
        return [], []
    one, other = store.slots(before), store.slots(after)
    gone: list[int] = np.setdiff1d(one, other, assume_unique=True).tolist()
    come: list[int] = np.setdiff1d(other, one, assume_unique=True).tolist()
    return gone, come


def row_key(table: TableDef, store: TableStore, slot: int, *, by_row: bool = False) -> Any:
    """Return by what a row is matched: its primary key, or its hidden row id."""
    if table.primary_key and not by_row:
        return key_of(table, table.primary_key, store.values(slot))
    return int(store.system["row"].view[slot])


def difference(
    store: TableStore, table: TableDef, before: View, after: View, *, by_row: bool = False
) -> Iterator[tuple[Any, int, int]]:
    """Yield (key, slot before, slot after) of the rows that differ between two views; ``NO_SLOT`` where there is none."""
    gone, come = changed_slots(store, before, after)
    old = {row_key(table, store, slot, by_row=by_row): slot for slot in gone}
    new = {row_key(table, store, slot, by_row=by_row): slot for slot in come}
    for key in dict.fromkeys([*old, *new]):
        one, other = old.get(key, NO_SLOT), new.get(key, NO_SLOT)
        if one == NO_SLOT or other == NO_SLOT or not equal(table, store.values(one), store.values(other)):
            yield key, one, other


def show_row(table: TableDef, store: TableStore, slot: int) -> dict[str, Any] | None:
    """Return a slot's row as callers see it."""
    if slot == NO_SLOT:
        return None
    values = store.values(slot)
    return {c.name: c.type.present(values.get(c.id)) for c in table.columns}


def same(one: Any, other: Any) -> bool:
    """Return whether two stored values are equal; null is equal to null."""
    if one is None or other is None:
        return one is other
    return bool(key_form(one) == key_form(other))


def equal(table: TableDef, one: Values, other: Values) -> bool:
    """Return whether two rows are equal in all columns of a table."""
    return all(same(one.get(c.id), other.get(c.id)) for c in table.columns)
