"""The engine: a log-centric, multi-version column store. It knows nothing of SQL text, memory or the browser.

Read in this order:

    types.py composite.py limited.py keys.py expr.py  what values are, how they compare, and small expressions over them
    growable.py heap.py column.py               how values lie
    definitions.py catalog.py                   what tables there are, with versions
    view.py visibility.py table.py              rows with their versions, and who sees which
    index/                                      how rows are found
    text_search.py vector_search.py             ranked search in texts, and near vectors
    gin_search.py                               candidates by what is inside JSON, arrays and documents
    writes.py reader.py constraints.py          what a transaction holds, sees and must satisfy
    dml.py stored_rows.py                       what it may write
    ddl.py ddl_objects.py                       what it may define
    transaction.py serializable.py commit.py    transactions and their end
    branch.py diff.py merge.py branching.py     branches
    database.py                                 the face
    container.py snapshot.py log.py replay.py   how it is kept
    file_store.py file_*.py                     how it is kept in a folder, on CPython
    vacuum.py purge.py maintenance.py           how it is kept small
"""

from .branching import BranchInfo
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
from .database import Database
from .ddl_keys import ForeignKey
from .definitions import CheckDef, ColumnDef, EnumDef, IndexDef, ObjectDef, SequenceDef, TableDef
from .diff import RowChange
from .expr import register_sql_compiler
from .maintenance import VacuumReport
from .merge import MergeConflict, MergeReport
from .replay import ReplayReport
from .text_search import TextHits, TextSearch
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
from .vacuum import Retention
from .vector_search import VectorHits, VectorSearch

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
    "ReplayReport",
    "Retention",
    "RowChange",
    "SequenceDef",
    "TableDef",
    "TextHits",
    "TextSearch",
    "Transaction",
    "VacuumReport",
    "VectorHits",
    "VectorSearch",
    "array",
    "register_sql_compiler",
    "vector",
]
