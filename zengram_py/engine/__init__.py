"""The engine: a log-centric, multi-version column store. It knows nothing of SQL text, memory or the browser.

Read in this order: types.py, growable.py, heap.py, column.py (how values lie), view.py and table.py (versions and who
sees them), index/ (how they are found), transaction.py and database.py (how they change), container.py and snapshot.py
(how they are kept).
"""

from .catalog import ColumnDef, IndexDef, TableDef
from .database import Database
from .transaction import Transaction
from .types import (
    BOOLEAN,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT16,
    INT32,
    INT64,
    JSON,
    TEXT,
    TIMESTAMP,
    vector,
)

__all__ = [
    "BOOLEAN",
    "BYTES",
    "FLOAT32",
    "FLOAT64",
    "INT16",
    "INT32",
    "INT64",
    "JSON",
    "TEXT",
    "TIMESTAMP",
    "ColumnDef",
    "Database",
    "IndexDef",
    "TableDef",
    "Transaction",
    "vector",
]
