"""Everything that can be seen of a database, to compare before and after."""

from __future__ import annotations

from typing import Any

from zengram_py.engine import Database, Transaction
from zengram_py.engine.dml import present


def seen(t: Transaction) -> dict[str, Any]:
    """Return all that a transaction sees: tables, rows, and what each index finds for each key there is."""
    out: dict[str, Any] = {}
    for table in t.reader.catalog.tables():
        rows = list(t.scan(table.name))
        out[table.title] = (table, sorted(map(repr, rows)))
        assert t.count(table.name) == len(rows)
        if table.primary_key:
            for row in rows:
                assert repr(t.get(table.name, tuple(row[name] for name in table.primary_key))) == repr(row)
        for index in table.indexes:
            if index.kind not in ("hash", "ordered"):
                continue
            state = t.reader.stores[table.id].indexes[index.id]
            keys = {state.key(values.__getitem__) for _, values in t.reader.rows(table)}
            out[f"{table.title}.{index.name}"] = {
                key: sorted(
                    repr(present(table, values)) for _, values in t.reader.rows_of_key(table, index, key)
                )
                for key in keys
            }
            if index.kind == "ordered":
                assert sorted(map(repr, t.range(table.name, index.name))) == sorted(map(repr, rows))
    return out


def whole(db: Database) -> dict[str, Any]:
    """Return what all branches hold, and the counters and sizes; cached masks do not count."""
    sizes = {t: {p: n for p, n in parts.items() if p != "masks"} for t, parts in db.size().items()}
    branches: dict[str, Any] = {}
    for info in db.branches():
        with db.begin(branch=info.name) as t:
            branches[info.name] = seen(t)
    return {"sizes": sizes, "lsn": db.lsn, "timestamp": db.timestamp, "branches": branches}
