"""The part of the bridge that speaks SQL; imported by the first call that needs it, since a page that only remembers never does.

Databases, transactions and cursors are handles like memories are. Parameters come as pairs of a kind and a value that JSON has, since JSON
has neither dates nor whole numbers of more than 53 bits::

    ["json", {"a": 1}]   ["date", 1700000000000000]   ["integer", "9007199254740993"]   ["float", "NaN"]
    ["vector", [1, 0]]   ["bytes", [255, 0]]          ["list", [["date", …], …]]

Rows go out as one text (sql/values.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from .. import bridge
from ..errors import ClosedError, InvalidArgumentError
from ..memory import ZengramMemory
from ..sql.values import names_of, to_json
from ..sql.zeta import ZetaCursor, ZetaDb, ZetaTxn

_EPOCH = datetime(1970, 1, 1)
_objects: dict[int, ZetaDb | ZetaTxn | ZetaCursor] = {}
Method = Callable[[int, list[Any], Any], Any]


def find(handle: int) -> Any:
    """Return what a handle stands for.

    Raises
    ------
    ClosedError
        If it was freed.
    """
    try:
        return _objects[handle]
    except KeyError:
        raise ClosedError("it was freed") from None


def held() -> list[ZetaDb | ZetaTxn | ZetaCursor]:
    """Return what has a handle."""
    return list(_objects.values())


def adopt(made: ZetaDb | ZetaTxn | ZetaCursor) -> int:
    """Return a new handle of an object."""
    handle = bridge.next_handle()
    _objects[handle] = made
    return handle


def _free(handle: int, arguments: list[Any], buffer: Any) -> None:
    found = _objects.pop(handle, None)
    if isinstance(found, ZetaCursor):
        found.free()
    elif isinstance(found, ZetaTxn) and found.is_open:
        found.rollback()
    if found is not None:
        bridge.close_unused(found.engine)


# -- values ------------------------------------------------------------------------------------------------------------


def _value(given: list[Any]) -> Any:
    """Return a parameter."""
    kind, value = given
    if kind == "json":
        return value
    if kind == "integer":
        return int(value)
    if kind == "float":
        return float(value)
    if kind == "date":
        return _EPOCH + timedelta(microseconds=value)
    if kind == "vector":
        return np.array(value, np.float64)
    if kind == "bytes":
        return bytes(value)
    if kind == "list":
        return [_value(item) for item in value]
    raise InvalidArgumentError(f"there is no kind of parameter {kind!r}")


def _asked(arguments: list[Any]) -> tuple[str, list[Any]]:
    sql, parameters = arguments
    return sql, [_value(given) for given in parameters]


def _rows(result: Any) -> bridge.Json:
    """Return a result as the text of ``{columns, rows}``."""
    columns = json.dumps(names_of(result.outputs), ensure_ascii=False)
    return bridge.Json(f'{{"columns":{columns},"rows":{to_json(result.outputs, result.rows)}}}')


# -- methods -----------------------------------------------------------------------------------------------------------


def _open_snapshot(handle: int, arguments: list[Any], buffer: Any) -> int:
    return adopt(ZetaDb.open_from_snapshot(bridge.snapshot_of(buffer)))


def _query(handle: int, arguments: list[Any], buffer: Any) -> bridge.Json:
    return _rows(find(handle).run(*_asked(arguments)))


def _exec_mut(handle: int, arguments: list[Any], buffer: Any) -> int:
    count: int = find(handle).exec_mut(*_asked(arguments))
    return count


def _exec_ddl(handle: int, arguments: list[Any], buffer: Any) -> None:
    find(handle).exec_ddl(*_asked(arguments))


def _fetch(handle: int, arguments: list[Any], buffer: Any) -> bridge.Json:
    """Give the next rows of a cursor; none at its end."""
    cursor = find(handle)
    return bridge.Json(to_json(cursor.outputs, cursor.fetch()))


def _maintain(handle: int, arguments: list[Any], buffer: Any) -> bool:
    more: bool = find(handle).engine.maintain(*arguments)
    return more


def _over_engine(handle: int, arguments: list[Any], buffer: Any) -> int:
    return bridge.adopt(ZengramMemory.over_engine(find(handle), *arguments))


def _memory_query(handle: int, arguments: list[Any], buffer: Any) -> bridge.Json:
    return _rows(bridge.memory_of(handle).sql().run(*_asked(arguments)))


def _calling(name: str) -> Method:
    """Return the method that calls one of what the handle stands for, with its arguments, and gives what JSON has."""

    def run(handle: int, arguments: list[Any], buffer: Any) -> Any:
        return getattr(find(handle), name)(*arguments)

    return run


METHODS: dict[str, Method] = {
    "zetaOpen": lambda handle, arguments, buffer: adopt(ZetaDb.open()),
    "zetaOpenFromSnapshot": _open_snapshot,
    "zetaFree": _free,
    "zetaQuery": _query,
    "zetaExecMut": _exec_mut,
    "zetaExecDdl": _exec_ddl,
    "zetaBegin": lambda handle, arguments, buffer: adopt(find(handle).begin()),
    "zetaStream": lambda handle, arguments, buffer: adopt(find(handle).stream(*_asked(arguments))),
    "zetaFetch": _fetch,
    "zetaMaintain": _maintain,
    "overEngine": _over_engine,
    "query": _memory_query,
    **{
        f"zeta{name}": _calling(method)
        for name, method in {
            "Columns": "columns",
            "Databases": "databases",
            "Database": "database",
            "SetDatabase": "set_database",
            "Branch": "branch",
            "SetBranch": "set_branch",
            "Schema": "schema",
            "Commit": "commit",
            "Rollback": "rollback",
            "Savepoint": "savepoint",
            "RollbackToSavepoint": "rollback_to_savepoint",
            "ReleaseSavepoint": "release_savepoint",
        }.items()
    },
}
"""The methods that :func:`zengram_py.bridge.call` finds here, by their JavaScript name."""
