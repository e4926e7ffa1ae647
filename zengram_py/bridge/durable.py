"""A database whose records the page stores: restored from what was stored, and drained of every record since.

A commit appends its record to a list here before it is published; the page is told of the first one, takes all of them as soon
as its script lets go of the thread, and writes them::

    commit ──► on_commit ──► records ──(told once)──► takeRecords ──► the page's log
                                                      exportNext  ──► the page's snapshot, a part at a time

Nothing waits for the page: how much it has stored, only the page knows. A database that may not be written (another tab has the
store) refuses each commit with the page's own words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .. import bridge
from ..engine import Database
from ..engine.container import gathered
from ..engine.log import Record, scan
from ..errors import ClosedError, StoreError
from ..memory import ZengramMemory
from .plain import view_of

_CHUNK = 1 << 20
_durables: dict[int, Durable] = {}
Method = Callable[[int, list[Any], Any], Any]


class Durable:
    """A database, its records that the page has not taken yet, and the export that is under way."""

    def __init__(self, database: Database) -> None:
        self.engine = database
        self.export: Iterator[bytes] | None = None
        self._records: list[bytes] = []
        self._tell: Callable[[str], object] | None = None
        self._refusal: tuple[str, str] | None = None

    def watch(self, tell: Callable[[str], object]) -> None:
        """Take every record from now on, and tell the page when there is one after there was none."""
        self._tell = tell
        self.engine.on_commit = self._note

    def refuse(self, code: str, message: str) -> None:
        """Let no commit succeed from now on."""
        self._refusal, self._tell = (code, message), None
        self.engine.on_commit = self._note

    def _note(self, record: bytes) -> None:
        if self._refusal is not None:
            code, message = self._refusal
            raise StoreError(message, code=code)
        self._records.append(record)
        if len(self._records) == 1 and self._tell is not None:
            self._tell("records")

    def take(self) -> bytes:
        """Return the records that came since the last call, one after the other."""
        taken, self._records = b"".join(self._records), []
        return taken

    def next_part(self) -> bytes:
        """Return the next part of the export; nothing at its end."""
        part = next(self.export, b"") if self.export is not None else b""
        if not part:
            self.export = None
        return part


def held() -> list[Durable]:
    """Return what has a handle."""
    return list(_durables.values())


def _find(handle: int) -> Durable:
    try:
        return _durables[handle]
    except KeyError:
        raise ClosedError("the store of this database is closed") from None


def _restore(handle: int, arguments: list[Any], buffer: Any) -> dict[str, int]:
    """Give the database of a snapshot, or an empty one that the log alone fills."""
    database = Database.open() if buffer is None else Database.restore(bridge.snapshot_of(buffer))
    made = bridge.next_handle()
    _durables[made] = Durable(database)
    return {"handle": made, "lsn": database.lsn}


def _replay(handle: int, arguments: list[Any], buffer: Any) -> dict[str, int]:
    """Apply a part of the log; ``end`` is the place behind the last record that is whole."""
    database = _find(handle).engine
    data = memoryview(view_of(buffer)).cast("B")
    if database.lsn == 0:  # without a snapshot, the first record says whose log it is
        first = next(scan(data), None)
        if isinstance(first, Record):
            database.id = first.database_id
    report = database.replay(data)
    end = len(data) if report.tail is None else report.tail.offset
    return {"applied": report.applied, "skipped": report.skipped, "end": end, "lsn": database.lsn}


def _memory(handle: int, arguments: list[Any], buffer: Any) -> int:
    return bridge.adopt(ZengramMemory.over_engine(_find(handle).engine, *arguments))


def _zeta(handle: int, arguments: list[Any], buffer: Any) -> int:
    from ..sql.zeta import ZetaDb
    from .sql import adopt

    return adopt(ZetaDb(_find(handle).engine))


def _refuse(handle: int, arguments: list[Any], buffer: Any) -> None:
    _find(handle).refuse(*arguments)


def _lsn(handle: int, arguments: list[Any], buffer: Any) -> int:
    return _find(handle).engine.lsn


def _export_begin(handle: int, arguments: list[Any], buffer: Any) -> int:
    """Pin a snapshot of this moment; return the last record that it covers."""
    durable = _find(handle)
    durable.export = gathered(durable.engine.export_chunks(_CHUNK), _CHUNK)
    return durable.engine.lsn


def _export_end(handle: int, arguments: list[Any], buffer: Any) -> None:
    _find(handle).export = None


def _free(handle: int, arguments: list[Any], buffer: Any) -> None:
    durable = _durables.pop(handle, None)
    if durable is not None:
        durable.export = None
        durable.refuse("STORE_CLOSED", "the store of this database was closed; open it again to write")
        bridge.close_unused(durable.engine)


METHODS: dict[str, Method] = {
    "durableRestore": _restore,
    "durableReplay": _replay,
    "durableMemory": _memory,
    "durableZeta": _zeta,
    "durableRefuse": _refuse,
    "durableLsn": _lsn,
    "durableExport": _export_begin,
    "durableExportEnd": _export_end,
    "durableFree": _free,
}
"""The methods that :func:`zengram_py.bridge.call` finds here, by their JavaScript name."""

BYTES: dict[str, Callable[[int], bytes]] = {
    "takeRecords": lambda handle: _find(handle).take(),
    "exportNext": lambda handle: _find(handle).next_part(),
}
"""Those that :func:`zengram_py.bridge.export_bytes` finds here."""


def set_journal(handle: int, tell: Callable[[str], object]) -> None:
    """Tell the page of records; see :meth:`Durable.watch`."""
    _find(handle).watch(tell)
