"""Maintenance: vacuum, purge, tidying of indexes, and what all of it costs in bytes.

No call but these does such work: a commit appends, and what piles up (ended versions, small index runs) is dealt with when
somebody calls :meth:`Maintenance.maintain` with a budget, in steps that can be interrupted and go on at the next call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from ..clock import Clock
from ..errors import CatalogError, InvalidArgumentError
from .catalog import Catalog
from .definitions import Name, TableDef, full_name
from .keys import key_form
from .log import PURGE, VACUUM
from .purge import check_references, purge_rows, rows_ever_with
from .reader import Stores
from .vacuum import Retention, Vacuum
from .visibility import FOREVER

if TYPE_CHECKING:
    from .branch import BranchTree
    from .database import Database
    from .file_store import FileStore
    from .transaction import Transaction

VACUUM_SHARE = 0.2
VACUUM_AT_LEAST = 1000
VACUUM_DEFINITIONS = 100


@dataclass(frozen=True)
class VacuumReport:
    """What a vacuum did.

    Attributes
    ----------
    dropped : int
        Versions that were taken away.
    skipped : list of str
        Tables that were left because an open transaction works on them.
    horizon : int
        The earliest time that can still be read.
    """

    dropped: int
    skipped: list[str]
    horizon: int


class Maintenance:
    """The part of a database that tidies up."""

    catalog: Catalog
    stores: Stores
    tree: BranchTree
    clock: Clock
    timestamp: int
    horizon: int
    retention: Retention
    _store: FileStore | None

    def __init__(self) -> None:
        self._vacuum: Vacuum | None = None
        self._old_definitions = 0
        """How many definitions that are not in force any more the last vacuum left."""

    # -- vacuum and purge --------------------------------------------------------------------------------------------

    def vacuum(self, *, retention: Retention | None = None) -> VacuumReport:
        """Take away all versions that nobody can see any more, now (:meth:`maintain` does it bit by bit).

        Parameters
        ----------
        retention : Retention, optional
            How much of the past to keep; the database's own setting when left out.
        """
        self._check_open()
        self._vacuum = None  # one that is under way knows less
        usual = self.retention
        self.retention = usual if retention is None else retention
        try:
            work = self._new_vacuum()
            while not work.step(float("inf")):
                pass
            self._old_definitions = self._count_old_definitions()
        finally:
            self.retention = usual
        return VacuumReport(work.dropped, [self._title(n) for n in work.skipped], self.horizon)

    def purge(self, table: str | Name, key: Any) -> int:
        """Make a row gone on every branch and in history; return how many rows ever had the key.

        The next vacuum removes its values from memory, and a snapshot made after that does not hold them.

        Parameters
        ----------
        table : str
            The table's name on main.
        key : value or tuple of values
            The primary key.

        Raises
        ------
        ForeignKeyError
            If a row that stays refers to it, on any branch. Nothing is purged.
        """
        self._check_open()
        view = self.tree.view(0, self.timestamp)
        definition = self.catalog.at(view).table(full_name(table))
        parts = key if isinstance(key, tuple) else (key,)
        if not definition.primary_key:
            raise CatalogError(f"table {definition.title!r} has no primary key")
        if len(parts) != len(definition.primary_key):
            raise InvalidArgumentError(
                f"the primary key of {definition.title!r} has {len(definition.primary_key)} columns, not {len(parts)}"
            )
        columns = [definition.column(name) for name in definition.primary_key]
        wanted = tuple(key_form(c.type.check(part)) for c, part in zip(columns, parts, strict=True))
        store = self.stores[definition.id]
        rows = rows_ever_with(store, definition.indexes[0].id, wanted)
        if rows:
            check_references(cast("Database", self), definition.id, rows)
            at = max(self.timestamp + 1, self.clock.now())
            payload = {"table": definition.id, "rows": rows}
            with self.publishing() if definition.temporary else self.recorded(PURGE, 0, at, payload):
                purge_rows(cast("Database", self), definition.id, rows, at)
        return len(rows)

    # -- work in steps -----------------------------------------------------------------------------------------------

    def maintain(self, budget_ms: float = 8.0) -> bool:
        """Do pending work for about so many milliseconds; return whether there is more.

        Merges index runs, vacuums once a fifth of a table's versions (and a thousand) have ended, a hundred definitions were
        dropped or replaced, or something was purged, and makes a checkpoint of a database in a folder once its log is long.
        """
        self._check_open()
        until = perf_counter() + budget_ms / 1000

        def left() -> float:
            return max(0.0, (until - perf_counter()) * 1000)

        states = [state for store in self.stores.values() for state in store.indexes.values()]
        for structure in [s.structure for s in states if s.structure.is_untidy]:
            structure.maintain(left())  # one step at least, so that every call gets on
            if not left():
                return bool(self.pending())
        if self._vacuum is None and self._needs_vacuum():
            self._vacuum = self._new_vacuum()
        if self._vacuum is not None:
            work, self._vacuum = self._vacuum, None  # a step that fails is its last
            if work.step(left()):
                self._old_definitions = self._count_old_definitions()
            else:
                self._vacuum = work
            if not left():
                return bool(self.pending())
        store = self._store
        while store is not None and store.is_checkpoint_due:
            if store.step_checkpoint(cast("Database", self)) or not left():
                break
        return bool(self.pending())

    def pending(self) -> list[str]:
        """Return what :meth:`maintain` would work on: ``"merge index runs"``, ``"vacuum"``, ``"checkpoint"``."""
        out = []
        if any(s.structure.is_untidy for store in self.stores.values() for s in store.indexes.values()):
            out.append("merge index runs")
        if self._vacuum is not None or self._needs_vacuum():
            out.append("vacuum")
        if self._store is not None and self._store.is_checkpoint_due:
            out.append("checkpoint")
        return out

    def _needs_vacuum(self) -> bool:
        if self._count_old_definitions() > self._old_definitions + VACUUM_DEFINITIONS:
            return True  # dropped tables hold their rows
        return any(
            (store.has_purged or store.ended > max(VACUUM_AT_LEAST, VACUUM_SHARE * len(store)))
            and not self.is_busy(number)
            for number, store in self.stores.items()
        )

    def _count_old_definitions(self) -> int:
        return sum(entry.end < FOREVER for entry in self.catalog.entries)

    def _new_vacuum(self) -> Vacuum:
        def recorded(payload: dict[str, Any], buffers: Sequence[Any] = ()) -> AbstractContextManager[None]:
            return self.recorded(VACUUM, 0, self.timestamp, payload, buffers)

        return Vacuum(cast("Database", self), recorded)

    def is_busy(self, table: int) -> bool:
        """Return whether an open transaction holds on to slots of a table."""
        return any(transaction.works_on(table) for transaction in self.open_transactions())

    def has_open_changes(self) -> bool:
        """Return whether an open transaction wrote anything."""
        return any(t.has_changes() for t in self.open_transactions())

    # -- sizes -------------------------------------------------------------------------------------------------------

    def size(self) -> dict[str, dict[str, int]]:
        """Return bytes held: by table, and there by column, heap, index, entries, system columns and masks.

        Without what Python itself adds to each object.
        """
        self._check_open()
        definitions = self._newest_definitions()
        out = {}
        for number, store in sorted(self.stores.items()):
            table = definitions.get(number)
            names: dict[str, Mapping[int, str]] = {}
            if table is not None:
                columns = {c.id: c.name for c in table.columns}
                indexes = {i.id: i.name for i in table.indexes}
                names = {"column": columns, "heap": columns, "index": indexes, "entries": indexes}
            out[f"{self._title(number)}#{number}"] = {
                _named(part, names): size for part, size in store.sizes().items()
            }
        return out

    def bytes_held(self) -> tuple[int, int]:
        """Return the sum of :meth:`size` in two parts: the data with its indexes, and caches, here with decoded values too."""
        self._check_open()
        total = caches = decoded = 0
        for store in self.stores.values():
            sizes = store.sizes()
            total += sum(sizes.values())
            caches += sizes["masks"] + sum(state.structure.cache_bytes for state in store.indexes.values())
            decoded += store.decoded_bytes
        return total - caches, caches + decoded

    def _newest_definitions(self) -> dict[int, TableDef]:
        return {
            e.definition.id: e.definition for e in self.catalog.entries if isinstance(e.definition, TableDef)
        }

    def _title(self, table: int) -> str:
        found = self._newest_definitions().get(table)
        return "?" if found is None else found.title

    # -- what the database gives -------------------------------------------------------------------------------------

    def _check_open(self) -> None:
        raise NotImplementedError

    def open_transactions(self) -> list[Transaction]:
        """Return the transactions that are neither committed nor rolled back."""
        raise NotImplementedError

    def recorded(
        self, kind: int, branch: int, timestamp: int, payload: dict[str, Any], buffers: Sequence[Any] = ()
    ) -> AbstractContextManager[None]:
        """Hand a record to the log; the block then does what it says."""
        raise NotImplementedError

    def publishing(self) -> AbstractContextManager[None]:
        """Close the database if the block is interrupted; for what has no record."""
        raise NotImplementedError


def _named(part: str, names: Mapping[str, Mapping[int, str]]) -> str:
    kind, _, number = part.partition(" ")
    name = names.get(kind, {}).get(int(number)) if number else None
    return part if name is None else f"{kind} {name}"
