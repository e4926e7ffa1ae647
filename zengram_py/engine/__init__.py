"""The engine: a log-centric, multi-version column store. It knows nothing of SQL text, memory or the browser.

Read in this order:

    types.py composite.py keys.py expr.py       what values are, how they compare, and small expressions over them
    growable.py heap.py column.py               how values lie
    catalog.py view.py visibility.py table.py   definitions and rows with their versions, and who sees which
    index/                                      how rows are found
    writes.py reader.py constraints.py ddl.py   what a transaction holds, sees, must satisfy and may define
    transaction.py serializable.py commit.py    transactions and their end
    branch.py merge.py                          branches
    database.py                                 the face
    container.py snapshot.py                    how it is kept
"""

from .catalog import CheckDef, ColumnDef, EnumDef, IndexDef, ObjectDef, SequenceDef, TableDef
from .composite import (
    DATERANGE,
    INT4RANGE,
    INT8RANGE,
    INTERVAL,
    NUMERIC,
    NUMRANGE,
    TSRANGE,
    TSVECTOR,
    Interval,
    Range,
    array,
)
from .database import BranchInfo, Database
from .ddl import ForeignKey
from .expr import register_sql_compiler
from .merge import MergeConflict, MergeReport, RowChange
from .transaction import Transaction
from .types import (
    BOOLEAN,
    BYTES,
    DATE,
    FLOAT32,
    FLOAT64,
    INT16,
    INT32,
    INT64,
    JSON,
    TEXT,
    TIME,
    TIMESTAMP,
    UUID,
    ColumnType,
    vector,
)

__all__ = [
    "BOOLEAN",
    "BYTES",
    "DATE",
    "DATERANGE",
    "FLOAT32",
    "FLOAT64",
    "INT4RANGE",
    "INT8RANGE",
    "INT16",
    "INT32",
    "INT64",
    "INTERVAL",
    "JSON",
    "NUMERIC",
    "NUMRANGE",
    "TEXT",
    "TIME",
    "TIMESTAMP",
    "TSRANGE",
    "TSVECTOR",
    "UUID",
    "BranchInfo",
    "CheckDef",
    "ColumnDef",
    "ColumnType",
    "Database",
    "EnumDef",
    "ForeignKey",
    "IndexDef",
    "Interval",
    "MergeConflict",
    "MergeReport",
    "ObjectDef",
    "Range",
    "RowChange",
    "SequenceDef",
    "TableDef",
    "Transaction",
    "array",
    "register_sql_compiler",
    "vector",
]
