"""Merging: what one branch changed since two of them last were the same, brought into the other.

::

                    base ──────────▶ ours (target head)
                      └───────────▶ theirs (source head)        both are compared with the base, row by row

Rows are matched by primary key; those of a table without one by their hidden row id. A row that only the source changed
is taken as it is, values and vectors by reference. Changed on both sides:

- the same change on both sides joins;
- a delete wins over changes of columns that have a merge rule, and conflicts with any other change;
- columns with a rule are joined by it (``sum``: both differences are added; ``max``; ``newest``: the later change);
- other columns that both sides changed must have come out equal, else the row is a conflict.

The result must satisfy all constraints. If anything conflicts and no strategy decides it, nothing is applied, and the
report says what. Definitions merge by the same rule as rows. Rebase is the same from the parent into the branch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BranchError, ConstraintError, TypeMismatchError, ZengramError
from .constraints import (
    check_row,
    commit_violations,
    parent_violations,
    reference_faults,
    unique_violations,
)
from .ddl import source_function
from .definitions import TEMPORARY_SCHEMA, Definition, TableDef, namespace, show_name
from .diff import changed_slots, difference, row_key, same, show_row
from .expr import add, subtract
from .generated import generated_values
from .keys import key_form
from .table import NO_SLOT, RowWrite, TableStore, Values
from .view import View
from .visibility import FOREVER

if TYPE_CHECKING:
    from .database import Database
    from .transaction import Transaction

STRATEGIES = ("ours", "theirs", "newest")


@dataclass(frozen=True)
class MergeConflict:
    """Something that does not join.

    Attributes
    ----------
    table : str
        The table, or the name of another definition.
    key : object
        The row's key; None for a definition.
    reason : str
        Why.
    base, ours, theirs : dict or None
        The row at the base, on the target and on the source.
    """

    table: str
    key: Any
    reason: str
    base: dict[str, Any] | None = None
    ours: dict[str, Any] | None = None
    theirs: dict[str, Any] | None = None


@dataclass
class MergeReport:
    """What a merge did, or would do.

    Attributes
    ----------
    source, target : str
        From which branch into which.
    applied : bool
        Whether the target has it now.
    timestamp : int or None
        The commit that brought it; None when there was nothing to bring.
    added, changed, removed, definitions : int
        Rows and definitions of the target that it concerns.
    conflicts : list of MergeConflict
        What does not join; when there are any, nothing was applied.
    """

    source: str
    target: str
    applied: bool = False
    timestamp: int | None = None
    added: int = 0
    changed: int = 0
    removed: int = 0
    definitions: int = 0
    conflicts: list[MergeConflict] = field(default_factory=list)


class Merge:
    """One merge from a source branch into a target branch.

    Parameters
    ----------
    database : Database
        Where.
    transaction : Transaction
        A transaction on the target's head; the result becomes its writes.
    source : int
        The source branch.
    strategy : str or None
        What decides conflicts of rows and definitions: ``"ours"``, ``"theirs"``, ``"newest"``.
    choices : mapping
        Decisions for single rows, before the strategy: ``{(table, key): "ours" | "theirs" | "newest"}``.
    """

    def __init__(
        self,
        database: Database,
        transaction: Transaction,
        source: int,
        strategy: str | None,
        choices: Mapping[tuple[str, Any], str] | None,
    ) -> None:
        for chosen in [strategy, *(choices or {}).values()]:
            if chosen not in (None, *STRATEGIES):
                raise BranchError(f"a merge strategy is one of {', '.join(STRATEGIES)}, not {chosen!r}")
        self._database = database
        self._transaction = transaction
        self._strategy = strategy
        self._choices = dict(choices or {})
        target = transaction.view.branch
        tree = database.tree
        self.ours = transaction.view
        self.theirs = tree.view(source, database.timestamp)
        self.base = tree.base(source, target)
        self.report = MergeReport(tree.branches[source].name, tree.branches[target].name)

    def plan(self) -> MergeReport:
        """Put the result into the transaction's writes and changes; return the report."""
        self._merge_definitions()
        catalog = self._transaction.reader.catalog
        for table in list(catalog.tables()):
            if not table.temporary:
                self._merge_rows(table, self._database.stores[table.id])
        if not self.report.conflicts:
            self._check_result()
        return self.report

    # -- definitions -------------------------------------------------------------------------------------------------

    def _merge_definitions(self) -> None:
        catalog = self._database.catalog
        base, ours, theirs = (catalog.at(view).by_id for view in (self.base, self.ours, self.theirs))
        taken: dict[int, Definition | None] = {}
        for number in dict.fromkeys([*base, *theirs]):
            b, o, t = base.get(number), ours.get(number), theirs.get(number)
            known = t or b
            if known is None or known.name[1] == TEMPORARY_SCHEMA:
                continue
            dropped = (
                o is None and t == b and isinstance(b, TableDef) and self._has_changed(number, self.theirs)
            )
            if t in (b, o) and not dropped:
                continue
            if dropped or (
                t is None and o == b and isinstance(b, TableDef) and self._has_changed(number, self.ours)
            ):
                reason = "one side dropped the table, the other changed its rows"
                if self._decide(_title(b), None, reason, None, None, None):
                    taken[number] = t
                continue
            reason = "both sides changed this definition"
            if o != b and not self._decide(_title(t or b or o), None, reason, None, None, None):
                continue
            taken[number] = t
        merged = self._database.catalog.at(self.ours).with_changes(taken)
        places: dict[Any, int] = {}
        for definition in merged.by_id.values():
            other = places.setdefault((namespace(definition.kind), definition.name), definition.id)
            if other != definition.id:
                reason = f"both sides have a {definition.kind} of this name"
                self.report.conflicts.append(MergeConflict(_title(definition), None, reason))
        for table, _, fault in reference_faults(merged, taken):
            self.report.conflicts.append(MergeConflict(table.title, None, fault))
        self.report.definitions = len(taken)
        if not self.report.conflicts:
            self._transaction.adopt(taken)
            for table in merged.tables():
                for side, view, against in ((ours, self.ours, self.theirs), (theirs, self.theirs, self.ours)):
                    before = side.get(table.id)
                    if isinstance(before, TableDef):
                        self._fill_columns(table, before, view, against)

    def _has_changed(self, table: int, side: View) -> bool:
        store = self._database.stores[table]
        return bool(any(changed_slots(store, self.base, side)))

    def _fill_columns(self, table: TableDef, before: TableDef, side: View, other: View) -> None:
        """Compute columns that one side added for the rows that only the other side has, where they are not known."""
        known = {column.id for column in before.columns}
        added = [c for c in table.columns if c.id not in known and c.source is not None]
        if not added:
            return
        store = self._database.stores[table.id]
        known_slots = np.union1d(store.slots(side), store.slots(self.base))
        only_here = np.setdiff1d(known_slots, store.slots(other), assume_unique=True).tolist()
        for column in added:
            source = column.source
            assert source is not None
            is_default = source[0] is None and not source[2]
            compute = source_function(column, store, known, self._transaction.default_of)
            for slot in only_here:
                try:
                    value = store.columns[column.id].get(slot) if is_default else None
                    if value is None:  # else an earlier attempt drew it
                        value = compute(store.values(slot))
                except ZengramError as error:
                    row, key = show_row(before, store, slot), row_key(before, store, slot)
                    rows = {"ours" if side is self.ours else "theirs": row}
                    self.report.conflicts.append(MergeConflict(table.title, key, str(error), **rows))
                    continue
                self._transaction.fill_slot(store, column.id, slot, value)

    # -- rows --------------------------------------------------------------------------------------------------------

    def _merge_rows(self, table: TableDef, store: TableStore) -> None:
        by_row = self._key_has_changed(table)
        theirs = {k: (b, t) for k, b, t in difference(store, table, self.base, self.theirs, by_row=by_row)}
        if not theirs:
            return
        ours = {k: (b, o) for k, b, o in difference(store, table, self.base, self.ours, by_row=by_row)}
        # Where the base is a state of the source, the target may hold an equal row in a slot of its own.
        _, come = changed_slots(store, self.base, self.ours)
        held = {row_key(table, store, slot, by_row=by_row): slot for slot in come}
        puts: list[tuple[Any, int, int, Values]] = []
        for key, (base, their) in theirs.items():
            if key not in ours:
                self._take(table, held.get(key, base), their, puts, key)
                continue
            our = ours[key][1]
            merged = self._join(table, store, base, our, their)
            if merged is None:
                rows = [show_row(table, store, slot) for slot in (base, our, their)]
                reason = _reason(base, our, their)
                newest = self._changed_at(store, self.theirs, base, their) > self._changed_at(
                    store, self.ours, base, our
                )
                if self._decide(table.title, key, reason, *rows, newest=newest):
                    self._take(table, our, their, puts, key)
            elif merged != "ours":
                self._take(table, our, their if merged != "delete" else NO_SLOT, puts, key, merged)
        for key, our, their, values in puts:
            self._put(table, store, key, our, their, values)

    def _key_has_changed(self, table: TableDef) -> bool:
        """Return whether the key's columns are others than at the base: then rows are matched by their hidden id."""
        before = self._database.catalog.at(self.base).by_id.get(table.id)
        if not isinstance(before, TableDef):
            return False
        old, new = before.by_name, table.by_name
        return [old[n].id for n in before.primary_key] != [new[n].id for n in table.primary_key]

    def _take(
        self, table: TableDef, our: int, their: int, puts: list[Any], key: Any, values: Any = None
    ) -> None:
        """Bring a row over: count it; deletes at once, so that a row whose key moved is free when it is put."""
        if their == NO_SLOT:
            if our != NO_SLOT:
                store = self._database.stores[table.id]
                row = int(store.system["row"].view[our])
                self._transaction.writes_to(table).put(row, RowWrite(our, dead=True))
                self.report.removed += 1
            return
        if our == NO_SLOT:
            self.report.added += 1
        else:
            self.report.changed += 1
        puts.append((key, our, their, values if isinstance(values, dict) else {}))

    def _put(
        self, table: TableDef, store: TableStore, key: Any, our: int, their: int, values: Values
    ) -> None:
        writes = self._transaction.writes_to(table)
        rows = store.system["row"].view
        # What the source's row holds in columns that the target does not have is not brought over.
        known = {column.id for column in table.columns}
        values = {**{n: fill for n, fill in store.fills.items() if n not in known}, **values}
        if our != NO_SLOT:
            writes.put(int(rows[our]), RowWrite(our, their, values))
            return
        row = int(rows[their])
        here = writes.rows.get(row)
        seen = store.slot_of_row(self.ours, row)
        if here is not None and here.dead:
            writes.put(row, RowWrite(here.base, their, values))
        elif seen == NO_SLOT and here is None:
            writes.put(row, RowWrite(NO_SLOT, their, values))
        else:  # the target has this row under another key
            writes.insert(values, their)

    def _join(self, table: TableDef, store: TableStore, base: int, our: int, their: int) -> Any:
        """Return how both changes of a row join: ``"ours"``, ``"delete"``, values over theirs; None for a conflict."""
        if our == NO_SLOT and their == NO_SLOT:
            return "ours"
        b, o, t = (None if slot == NO_SLOT else store.values(slot) for slot in (base, our, their))
        ruled = {c.id: c.merge for c in table.columns if c.merge is not None}
        plain = [c.id for c in table.columns if c.merge is None and c.generated is None]
        if o is None or t is None:
            assert b is not None
            kept = t if o is None else o
            assert kept is not None
            if any(not same(kept[n], b[n]) for n in plain):
                return None
            return "delete"
        ours_changed = [n for n in plain if b is None or not same(o[n], b[n])]
        theirs_changed = [n for n in plain if b is None or not same(t[n], b[n])]
        both = {*ours_changed, *theirs_changed}
        if ours_changed and theirs_changed and any(not same(o[n], t[n]) for n in both):
            return None
        values: Values = {} if theirs_changed else {n: o[n] for n in plain if not same(o[n], t[n])}
        newer = store.system["begin"].view[their] > store.system["begin"].view[our]
        for number, rule in ruled.items():
            before = None if b is None else b[number]
            joined = _by_rule(str(rule), before, o[number], t[number], bool(newer))
            column = next(c for c in table.columns if c.id == number)
            try:
                values[number] = None if joined is None else column.type.check(column.type.present(joined))
            except TypeMismatchError:
                return None  # the sum is out of range
        if all(same({**t, **values}[n], o[n]) for n in (*plain, *ruled)):
            return "ours"
        return {**values, **generated_values(table, {**t, **values}, values)}

    def _changed_at(self, store: TableStore, view: View, base: int, now: int) -> int:
        """Return when a side made its row what it is."""
        if now != NO_SLOT:
            return int(store.system["begin"].view[now])
        own = int(store.system["branch"].view[base])
        for branch, _ in view.lineage:
            if branch == own:
                break
            overlay = store.visibility.overlays.get(branch)
            if overlay is not None and overlay.end_of(base) != FOREVER:
                return overlay.end_of(base)
        return int(store.system["end"].view[base])

    def _decide(
        self,
        table: str,
        key: Any,
        reason: str,
        base: dict[str, Any] | None,
        ours: dict[str, Any] | None,
        theirs: dict[str, Any] | None,
        *,
        newest: bool = True,
    ) -> bool:
        """Return whether a conflict is decided for the source's side; note it when nothing decides."""
        chosen = self._choices.get((table, key), self._strategy)
        if chosen is None:
            self.report.conflicts.append(MergeConflict(table, key, reason, base, ours, theirs))
            return False
        return chosen == "theirs" or (chosen == "newest" and newest)

    # -- the result --------------------------------------------------------------------------------------------------

    def _check_result(self) -> None:
        reader = self._transaction.reader
        found: list[ConstraintError] = []
        for table_id, writes in reader.writes.items():
            table = reader.catalog.by_id[table_id]
            assert isinstance(table, TableDef)
            for _, values in writes.living():
                try:
                    check_row(table, values)
                except ConstraintError as error:
                    found.append(error)
        if self.report.definitions:  # a new constraint must hold for rows that only the target has
            found += self._check_definitions()
        found += commit_violations(reader, others_committed=True)
        distinct = {(str(fault), repr(fault.value)): fault for fault in found}
        self.report.conflicts += [MergeConflict(f.table, f.value, str(f)) for f in distinct.values()]

    def _check_definitions(self) -> list[ConstraintError]:
        reader = self._transaction.reader
        found: list[ConstraintError] = []
        for definition in self._transaction.changes.values():
            if not isinstance(definition, TableDef):
                continue
            for row, values in reader.rows(definition):
                try:
                    check_row(definition, values)
                except ConstraintError as error:
                    found.append(error)
                found += unique_violations(reader, definition, row, values)
                found += parent_violations(reader, definition, values)
        return found


def _title(definition: Definition | None) -> str:
    return "?" if definition is None else show_name(definition.name)


def _reason(base: int, our: int, their: int) -> str:
    if base == NO_SLOT:
        return "both sides added a row with this key"
    if our == NO_SLOT or their == NO_SLOT:
        return "one side deleted the row, the other changed it"
    return "both sides changed the row"


def _by_rule(rule: str, base: Any, ours: Any, theirs: Any, newer: bool) -> Any:
    """Return a column's value by its merge rule; a side that left it alone yields to the other."""
    if same(ours, theirs) and rule != "sum":
        return ours
    if base is not None and rule != "sum":
        if same(ours, base):
            return theirs
        if same(theirs, base):
            return ours
    if rule == "sum" and not (ours is None and theirs is None):
        return subtract(add(ours or 0, theirs or 0), base or 0)
    if ours is None or theirs is None:
        return theirs if ours is None else ours
    if rule == "max":
        return ours if key_form(ours) >= key_form(theirs) else theirs
    return theirs if newer else ours
