"""Sequences inside a transaction, also those from which the columns of a table draw.

A sequence's value is outside of transactions (sequence.py). To begin anew is not: a restarted sequence is another one under the same
name, with a value of its own, and columns draw from it from then on. So rolling back restores the old one, and a branch that restarts
draws numbers of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import CatalogError
from .ddl_objects import ObjectChanges, whole_change
from .definitions import ColumnDef, Name, SequenceDef, TableDef, full_name, show_name
from .types import INT64

KEEP: Any = object()
"""Stands for what a change leaves as it is, where None means something."""

Settings = Mapping[str, Any]
_LIMIT = 1 << 63


class SequenceChanges(ObjectChanges):
    """The part of a transaction that changes sequences."""

    @whole_change
    def create_sequence(
        self, name: str | Name, *, owner: tuple[str | Name, str] | None = None, **settings: Any
    ) -> SequenceDef:
        """Create a sequence.

        Parameters
        ----------
        name : str
            Its name.
        owner : (table, column), optional
            A column with which it is dropped.
        **settings
            ``start, increment, least, most, cycle``.
        """
        self._check_writable()
        where = full_name(name)
        self._check_free("sequence", where)
        increment = settings.get("increment", 1)
        least = settings.setdefault("least", 1 if increment > 0 else -_LIMIT)
        most = settings.setdefault("most", _LIMIT - 1 if increment > 0 else -1)
        settings.setdefault("start", least if increment > 0 else most)
        number = self._database.catalog.new_id()
        sequence = SequenceDef(number, where, **settings, owner=self._owner(owner))
        _check(sequence)
        self._put(sequence)
        return sequence

    @whole_change
    def alter_sequence(
        self, name: str | Name, *, owner: Any = KEEP, restart: int | None = KEEP, **settings: Any
    ) -> None:
        """Change the settings of a sequence; what is left out stays.

        Parameters
        ----------
        name : str
            The sequence.
        owner : (table, column) or None
            The column with which it is dropped.
        restart : int or None
            The number that comes next; None is its start.
        **settings
            As for :meth:`create_sequence`.
        """
        self._check_writable()
        found = self._existing("sequence", name)
        assert isinstance(found, SequenceDef)
        if owner is not KEEP:
            settings["owner"] = self._owner(owner)
        changed = replace(found, **settings)
        _check(changed)
        self._put(changed)
        if restart is not KEEP:
            self._restart(changed, changed.start if restart is None else restart)

    @whole_change
    def restart_identities(self, name: str | Name) -> None:
        """Let the sequences that belong to a table begin anew."""
        self._check_writable()
        table = self.reader.catalog.table(name)
        for found in self._owned(table):
            self._restart(found, found.start)

    @whole_change
    def alter_identity(
        self, name: str | Name, column: str, identity: Any = KEEP, *, restart: Any = KEEP, **settings: Any
    ) -> None:
        """Make a column an identity column, or another one, or a plain one.

        Parameters
        ----------
        name, column : str
            Table and column.
        identity : str or None
            ``"always"``, ``"default"``, or None for a plain column.
        restart, **settings
            Of its sequence, as for :meth:`alter_sequence`.
        """
        self._check_writable()
        table = self.reader.catalog.table(name)
        old = table.column(column)
        if identity is None:
            if old.identity is not None:
                self._drop(self._drawn(old).id)
                self._put(_with_column(table, replace(old, identity=None, default=None)))
            return
        if old.identity is None:
            if identity is KEEP:
                raise CatalogError(f"column {column!r} of table {table.title!r} is no identity column")
            if old.nullable or old.default is not None or old.generated is not None:
                raise CatalogError(
                    f"column {column!r} of table {table.title!r} has a default, or may be null"
                )
            asked = replace(old, identity=identity)
            made = self._with_identity(table.name, (table.id, old.id), asked, settings)
            self._put(_with_column(table, made))
            return
        if identity is not KEEP:
            self._put(_with_column(table, replace(old, identity=identity)))
        if settings or restart is not KEEP:
            self.alter_sequence(self._drawn(old).name, restart=restart, **settings)

    # -- parts -------------------------------------------------------------------------------------------------------

    def _owner(self, owner: tuple[str | Name, str] | None) -> tuple[int, ...]:
        if owner is None:
            return ()
        table = self.reader.catalog.table(owner[0])
        return table.id, table.column(owner[1]).id

    def _restart(self, sequence: SequenceDef, value: int) -> None:
        """Put a sequence in the place of another, which gives a value next."""
        if not sequence.least <= value <= sequence.most:
            raise CatalogError(f"{value} is outside of sequence {show_name(sequence.name)!r}")
        number = self._database.catalog.new_id()
        fresh = replace(sequence, id=number)
        self._drop(sequence.id)
        self._put(fresh)
        self._database.sequences.set_next(fresh, value)
        self._undo.append(lambda: self._database.sequences.forget(number))
        for table in list(self.reader.catalog.tables()):
            columns = tuple(
                replace(c, default=["nextval", number]) if c.default == ["nextval", sequence.id] else c
                for c in table.columns
            )
            if columns != table.columns:
                self._put(replace(table, columns=columns))

    def _with_identity(
        self, table: Name, owner: tuple[int, int], column: ColumnDef, settings: Settings | None = None
    ) -> ColumnDef:
        """Return a column with the sequence that it draws from, which is made if it is to have one."""
        if column.identity is None or column.default is not None:
            return column
        if column.type.storage != "fixed" or not hasattr(column.type, "bounds"):
            raise CatalogError(f"identity column {column.name!r} must hold whole numbers")
        given = dict(settings or {})
        if given.get("increment", 1) > 0:
            given.setdefault("most", min(column.type.bounds[1], INT64.bounds[1]))
        else:
            given.setdefault("least", max(column.type.bounds[0], INT64.bounds[0]))
        name = base = (table[0], table[1], f"{table[2]}_{column.name}_seq")
        number = 0
        while self.reader.catalog.taken("sequence", name) is not None:
            number += 1
            name = (*base[:2], f"{base[2]}{number}")
        sequence = replace(self.create_sequence(given.pop("name", name), **given), owner=owner)
        self._put(sequence)
        identity = None if column.identity == "serial" else column.identity
        return replace(column, nullable=False, default=["nextval", sequence.id], identity=identity)

    def _drop_owned(self, table: TableDef, columns: set[int]) -> None:
        """Drop the sequences that belong to columns that are gone."""
        for found in self._owned(table):
            if found.owner[1] in columns:
                self._drop(found.id)

    def _owned(self, table: TableDef) -> list[SequenceDef]:
        """Return the sequences that belong to columns of a table."""
        sequences = [d for d in self.reader.catalog.by_id.values() if isinstance(d, SequenceDef)]
        return [found for found in sequences if found.owner[:1] == (table.id,)]

    def _drawn(self, column: ColumnDef) -> SequenceDef:
        """Return the sequence of an identity column."""
        number: Any = column.default[1] if isinstance(column.default, list) else None
        found = self.reader.catalog.by_id.get(number)
        if not isinstance(found, SequenceDef):
            raise CatalogError(f"column {column.name!r} draws from no sequence")
        return found


def _with_column(table: TableDef, column: ColumnDef) -> TableDef:
    return replace(table, columns=tuple(column if c.id == column.id else c for c in table.columns))


def _check(sequence: SequenceDef) -> None:
    fits = (
        sequence.increment
        and sequence.least < sequence.most
        and sequence.least <= sequence.start <= sequence.most
    )
    if not fits or not -_LIMIT <= sequence.least < _LIMIT or not -_LIMIT <= sequence.most < _LIMIT:
        raise CatalogError(f"sequence {show_name(sequence.name)!r}: its settings do not fit together")
