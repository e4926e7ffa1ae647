"""The catalogue: which definitions are in force, for whom and when.

Definitions (definitions.py) have versions by the same rule as rows: an entry carries (branch, begin, end), a branch that
replaces a definition which it inherited notes its end in an overlay of its own, and a reader sees those in force for its
view. Changing a table on a branch is therefore an ordinary commit there, and merges like a row.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..errors import CatalogError
from .composite import join_types
from .definitions import (
    Definition,
    ForeignKeyDef,
    IndexDef,
    Name,
    TableDef,
    full_name,
    namespace,
    show_name,
)
from .types import ColumnType
from .view import View
from .visibility import FOREVER


@dataclass
class CatalogEntry:
    """A definition and when it is in force."""

    definition: Definition
    branch: int
    begin: int
    end: int = FOREVER


Shape = tuple[dict[int, ColumnType], dict[int, tuple[IndexDef, TableDef]]]
"""Columns and indexes of a table, those of all versions of its definition, by number."""


def shapes(entries: list[CatalogEntry]) -> dict[int, Shape]:
    """Return the shape of each table that some entries define; a column of an enum has all labels that one of them gives it."""
    out: dict[int, Shape] = {}
    for entry in entries:
        table = entry.definition
        if isinstance(table, TableDef):
            columns, indexes = out.setdefault(table.id, ({}, {}))
            for column in table.columns:
                columns[column.id] = join_types(columns.get(column.id, column.type), column.type)
            indexes.update({index.id: (index, table) for index in table.indexes})
    return out


def _place(definition: Definition) -> tuple[str, Name]:
    """Return that in which definitions must differ."""
    return namespace(definition.kind), definition.name


class CatalogView:
    """The definitions that one reader sees. Immutable; :meth:`with_changes` gives another."""

    def __init__(
        self, by_id: dict[int, Definition], by_name: dict[tuple[str, Name], Definition] | None = None
    ) -> None:
        self.by_id = by_id
        self._by_name = {_place(d): d for d in by_id.values()} if by_name is None else by_name
        self._tables: dict[str | Name, TableDef] = {}  # as they were asked for
        self._referencing: dict[int, list[tuple[TableDef, ForeignKeyDef]]] | None = None

    def find(self, kind: str, name: str | Name) -> Definition | None:
        """Return the definition of a kind with a name, or None."""
        found = self._by_name.get((namespace(kind), full_name(name)))
        return found if found is not None and found.kind == kind else None

    def taken(self, kind: str, name: Name) -> Definition | None:
        """Return whatever has this name in the namespace of a kind."""
        return self._by_name.get((namespace(kind), name))

    def table(self, name: str | Name) -> TableDef:
        """Return a table by name, or raise :class:`~zengram_py.errors.CatalogError`."""
        known = self._tables.get(name)
        if known is not None:
            return known
        found = self.find("table", name)
        if not isinstance(found, TableDef):
            raise CatalogError(f"there is no table {show_name(full_name(name))!r}")
        self._tables[name] = found
        return found

    def tables(self) -> Iterator[TableDef]:
        """Yield the tables, by name."""
        tables = [d for d in self.by_id.values() if isinstance(d, TableDef)]
        yield from sorted(tables, key=lambda d: d.name)

    def referencing(self, table_id: int) -> list[tuple[TableDef, ForeignKeyDef]]:
        """Return the foreign keys that refer to a table, with the tables that have them."""
        if self._referencing is None:
            self._referencing = {}
            for table in self.tables():
                for key in table.foreign_keys:
                    self._referencing.setdefault(key.table, []).append((table, key))
        return self._referencing.get(table_id, [])

    @cached_property
    def has_deferred_keys(self) -> bool:
        """Whether some foreign key is checked at commit only."""
        return any(key.deferred for table in self.tables() for key in table.foreign_keys)

    def with_changes(self, changes: dict[int, Definition | None]) -> CatalogView:
        """Return a view in which some definitions are others, or gone."""
        if not changes:
            return self
        # Copied as they are and changed: a schema is a hundred changes, one after the other.
        by_id, by_name = dict(self.by_id), dict(self._by_name)
        for number, definition in changes.items():
            old = by_id.pop(number, None) if definition is None else by_id.get(number)
            if old is not None and by_name.get(_place(old)) is old:
                del by_name[_place(old)]
        for number, definition in changes.items():
            if definition is not None:
                by_id[number] = by_name[_place(definition)] = definition
        return CatalogView(by_id, by_name)


class Catalog:
    """All definitions of a database with their versions."""

    def __init__(self) -> None:
        self.entries: list[CatalogEntry] = []
        self.overlays: dict[
            int, dict[int, int]
        ] = {}  # branch -> position of an inherited entry -> its end there
        self.next_id = 1
        self._cache: dict[tuple[tuple[int, int], ...], CatalogView] = {}
        self._changes: dict[int, list[int]] = {}  # branch -> timestamps of its catalogue changes, ascending
        self._changed_at: dict[tuple[int, int], int] = {}  # (branch, id) -> when it was last changed there
        self._positions: dict[int, list[int]] = {}  # id -> positions of its entries

    def new_id(self) -> int:
        """Return a number for a new definition."""
        self.next_id += 1
        return self.next_id - 1

    def at(self, view: View) -> CatalogView:
        """Return the definitions that a view sees."""
        key = self._key(view)
        found = self._cache.get(key)
        if found is None:
            visible = (e.definition for i, e in enumerate(self.entries) if self._sees(view, i, e))
            found = self._remember(key, CatalogView({d.id: d for d in visible}))
        return found

    def _remember(self, key: tuple[tuple[int, int], ...], seen: CatalogView) -> CatalogView:
        if len(self._cache) > 64:
            self._cache.clear()
        self._cache[key] = seen
        return seen

    def _key(self, view: View) -> tuple[tuple[int, int], ...]:
        return tuple([(branch, self._last_change(branch, limit)) for branch, limit in view.lineage])

    def apply(self, view: View, changes: dict[int, Definition | None], timestamp: int) -> None:
        """Put new definitions in force on a view's branch, ending those of the same id that the view sees."""
        key, seen = self._key(view), self.at(view).with_changes(changes)
        for number, definition in changes.items():
            positions = self._positions.setdefault(number, [])
            for position in reversed(positions):
                if self._sees(view, position, self.entries[position]):
                    if self.entries[position].branch == view.branch:
                        self.entries[position].end = timestamp
                    else:
                        self.overlays.setdefault(view.branch, {})[position] = timestamp
                    break  # it sees one of each id
            if definition is not None:
                positions.append(len(self.entries))
                self.entries.append(CatalogEntry(definition, view.branch, timestamp))
            self._changed_at[view.branch, number] = timestamp
        self._changes.setdefault(view.branch, []).append(timestamp)
        self._remember(((view.branch, timestamp), *key[1:]), seen)

    def visible(self, view: View) -> list[CatalogEntry]:
        """Return the entries that a view sees."""
        return [entry for i, entry in enumerate(self.entries) if self._sees(view, i, entry)]

    def lasting(self) -> list[CatalogEntry]:
        """Return the entries that are kept: all but those of temporary tables."""
        return [
            e for e in self.entries if not (isinstance(e.definition, TableDef) and e.definition.temporary)
        ]

    def is_temporary(self, table: int) -> bool:
        """Return whether a table is temporary."""
        found = (e.definition for e in self.entries if e.definition.id == table)
        return any(isinstance(d, TableDef) and d.temporary for d in found)

    def remove(self, gone: set[int]) -> None:
        """Take entries away, given by ``id()``."""
        places: dict[int, int] = {}
        kept: list[CatalogEntry] = []
        for position, entry in enumerate(self.entries):
            if id(entry) not in gone:
                places[position] = len(kept)
                kept.append(entry)
        self.overlays = {
            branch: {places[p]: end for p, end in ends.items() if p in places}
            for branch, ends in self.overlays.items()
        }
        self.entries = kept
        self.restored()

    def changed_at(self, branch: int, number: int) -> int:
        """Return when a branch last changed a definition, -1 for never."""
        return self._changed_at.get((branch, number), -1)

    def restored(self) -> None:
        """Recompute what is derived, after the entries and overlays were loaded."""
        self._cache.clear()
        self._changes.clear()
        self._changed_at.clear()
        self._positions.clear()
        for position, entry in enumerate(self.entries):
            self._positions.setdefault(entry.definition.id, []).append(position)
        times: dict[int, set[int]] = {}
        for entry in self.entries:
            times.setdefault(entry.branch, set()).update({entry.begin, entry.end} - {FOREVER})
            number = entry.definition.id
            for at in {entry.begin, entry.end} - {FOREVER}:
                self._note_change(entry.branch, number, at)
        for branch, ends in self.overlays.items():
            times.setdefault(branch, set()).update(ends.values())
            for position, at in ends.items():
                self._note_change(branch, self.entries[position].definition.id, at)
        self._changes = {branch: sorted(found) for branch, found in times.items()}
        self.next_id = max([self.next_id, *(e.definition.id + 1 for e in self.entries)])

    def _note_change(self, branch: int, number: int, at: int) -> None:
        self._changed_at[branch, number] = max(at, self.changed_at(branch, number))

    def _last_change(self, branch: int, limit: int) -> int:
        times = self._changes.get(branch, ())
        if times and times[-1] <= limit:
            return times[-1]
        at = bisect_right(times, limit)
        return times[at - 1] if at else -1

    def _sees(self, view: View, position: int, entry: CatalogEntry) -> bool:
        for level, (branch, limit) in enumerate(view.lineage):
            if entry.branch == branch:
                ended = any(
                    self.overlays.get(below, {}).get(position, FOREVER) <= its_limit
                    for below, its_limit in view.lineage[:level]
                )
                return entry.begin <= limit < entry.end and not ended
        return False
