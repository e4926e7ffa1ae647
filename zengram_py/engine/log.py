"""The log: every change of a database as a record, in the order in which they happened.

A record has a header, a payload of JSON values, and raw buffers that the JSON refers to (vectors and numeric columns)::

    header, 64 bytes                              payload
    offset  0  magic "ZREC"                       uint32 length of the JSON text
            4  format version, uint16             the JSON text, UTF-8
            6  kind, uint16                       zeros to a multiple of 8
            8  database id, 16 bytes              the buffers, each padded to a multiple of 8
           24  lsn, uint64
           32  timestamp, int64
           40  branch, int32
           44  CRC of the record before, uint32
           48  length of the payload, uint32
           52  CRC of the payload, uint32
           56  zeros
           60  CRC of the header, uint32

Numbers are little-endian, CRCs are zlib's CRC-32. The lsn is dense: each record's is one more than that of the record
before it, whose CRC it repeats, so a missing, foreign or replaced record cannot go unnoticed. Only the last record of a
log may be incomplete, when the process died while it was written: it is cut off and reported. A bad record that good ones
follow is damage, and an error.

What a record says, and how it is made and applied, is replay.py's matter.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import LogError

FORMAT_VERSION = 1
COMMIT, BRANCH, VACUUM, PURGE = 1, 2, 3, 4

_MAGIC = b"ZREC"
_HEADER = struct.Struct("<4sHH16sQqiIII4xI")
HEADER_SIZE = _HEADER.size
_ALIGNMENT = 8
_BUFFER_DTYPES = {"|b1", "|u1", "<i2", "<i4", "<i8", "<u8", "<f4", "<f8"}


@dataclass(frozen=True)
class Record:
    """One record.

    Attributes
    ----------
    kind : int
        ``COMMIT``, ``BRANCH``, ``VACUUM`` or ``PURGE``.
    database_id : bytes
        16 bytes.
    lsn : int
        Its number.
    timestamp : int
        Of the commit, microseconds since the epoch, UTC.
    branch : int
        The branch that it changes.
    previous : int
        CRC of the record before it, 0 when that is not known.
    payload : dict
        JSON values.
    buffers : list of numpy arrays
        What the payload refers to.
    crc : int
        CRC of the record's header, which covers that of its payload.
    """

    kind: int
    database_id: bytes
    lsn: int
    timestamp: int
    branch: int
    previous: int
    payload: dict[str, Any]
    buffers: list[NDArray[Any]]
    crc: int = 0


@dataclass(frozen=True)
class Tail:
    """What was cut off at the end of a log.

    Attributes
    ----------
    offset : int
        Length of the intact part, in bytes.
    length : int
        Bytes that were cut off.
    """

    offset: int
    length: int


def encode(record: Record) -> bytes:
    """Return the bytes of a record; its last four are the record's CRC in the header (see :func:`crc_of`)."""
    places, parts, position = [], [], 0
    for buffer in record.buffers:
        raw = np.ascontiguousarray(buffer)
        data = raw.reshape(-1).view(np.uint8).tobytes() if raw.size else b""
        places.append([position, raw.dtype.str, list(raw.shape)])
        padded = data + bytes(-len(data) % _ALIGNMENT)
        parts.append(padded)
        position += len(padded)
    text = json.dumps(
        {**record.payload, "buffers": places}, ensure_ascii=False, separators=(",", ":")
    ).encode()
    payload = b"".join([struct.pack("<I", len(text)), text, bytes(-(len(text) + 4) % _ALIGNMENT), *parts])
    header = _HEADER.pack(
        _MAGIC,
        FORMAT_VERSION,
        record.kind,
        record.database_id,
        record.lsn,
        record.timestamp,
        record.branch,
        record.previous,
        len(payload),
        zlib.crc32(payload),
        0,
    )
    return header[:-4] + struct.pack("<I", zlib.crc32(header[:-4])) + payload


def crc_of(encoded: bytes) -> int:
    """Return the CRC by which the next record refers to an encoded one."""
    crc: int = struct.unpack_from("<I", encoded, HEADER_SIZE - 4)[0]
    return crc


def scan(records: Iterable[bytes] | bytes | bytearray | memoryview) -> Iterator[Record | Tail]:
    """Yield the records of a log, which is one buffer or a sequence of them, and at the end what was cut off there.

    Raises
    ------
    LogError
        After the records before it, if one is damaged and intact ones follow it, or has a format that this version does
        not read.
    """
    if not isinstance(records, (bytes, bytearray, memoryview)):
        records = b"".join(records)
    view = memoryview(records).cast("B").toreadonly()
    offset = 0
    last: Record | None = None
    while offset < len(view):
        found = _read_at(view, offset)
        if found is None:
            if _continues_after(view, offset + 1, last):
                lsn = None if last is None else last.lsn + 1
                raise LogError(f"the log is damaged at byte {offset}, and intact records follow", lsn=lsn)
            yield Tail(offset, len(view) - offset)
            return
        last, offset = found
        yield last


def read_records(
    records: Iterable[bytes] | bytes | bytearray | memoryview,
) -> tuple[list[Record], Tail | None]:
    """Return all that :func:`scan` gives: the records, and what was cut off."""
    out: list[Record] = []
    for found in scan(records):
        if isinstance(found, Tail):
            return out, found
        out.append(found)
    return out, None


def _read_at(view: memoryview, offset: int) -> tuple[Record, int] | None:
    """Return the record at an offset and where the next begins, or None if there is no intact one."""
    header = _header_at(view, offset)
    if header is None:
        return None
    _, version, kind, database_id, lsn, timestamp, branch, previous, length, crc, own = header
    if version != FORMAT_VERSION:
        raise LogError(
            f"log record {lsn} has format version {version}; this Zengram reads {FORMAT_VERSION}",
            lsn=lsn,
            code="LOG_VERSION",
        )
    start, end = offset + HEADER_SIZE, offset + HEADER_SIZE + length
    if end > len(view) or zlib.crc32(view[start:end]) != crc:
        return None
    payload, buffers = _read_payload(view[start:end], lsn)
    return Record(kind, database_id, lsn, timestamp, branch, previous, payload, buffers, own), end


def _header_at(view: memoryview, offset: int) -> tuple[Any, ...] | None:
    if offset + HEADER_SIZE > len(view) or view[offset : offset + 4] != _MAGIC:
        return None
    header = _HEADER.unpack_from(view, offset)
    return header if zlib.crc32(view[offset : offset + HEADER_SIZE - 4]) == header[-1] else None


def _continues_after(view: memoryview, offset: int, last: Record | None) -> bool:
    """Return whether an intact record of the same log begins anywhere from an offset on.

    A value within the record that was cut may look like a record, but hardly like a later one of this database.
    """
    data = bytes(view[offset:])
    at = data.find(_MAGIC)
    while at >= 0:
        header = _header_at(view, offset + at)
        if header is not None and (last is None or (header[3] == last.database_id and header[4] > last.lsn)):
            start = offset + at + HEADER_SIZE
            end = start + header[8]
            if end <= len(view) and zlib.crc32(view[start:end]) == header[9]:
                return True
        at = data.find(_MAGIC, at + 1)
    return False


def _read_payload(view: memoryview, lsn: int) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    try:
        (length,) = struct.unpack_from("<I", view)
        payload = json.loads(bytes(view[4 : 4 + length]))
        first = 4 + length + -(4 + length) % _ALIGNMENT
        buffers = [_buffer(view[first:], *place) for place in payload.pop("buffers")]
    except (ValueError, TypeError, KeyError, AttributeError, struct.error, RecursionError) as error:
        raise LogError(f"log record {lsn} cannot be read: {error}", lsn=lsn) from error
    return payload, buffers


def _buffer(view: memoryview, offset: int, dtype: str, shape: list[int]) -> NDArray[Any]:
    if dtype not in _BUFFER_DTYPES or any(n < 0 for n in shape):
        raise ValueError("a buffer has an unknown type or shape")
    count = 1
    for n in shape:
        count *= n
    kind = np.dtype(dtype)
    if not 0 <= offset <= offset + count * kind.itemsize <= len(view):
        raise ValueError("a buffer lies outside the record")
    array: NDArray[Any] = np.frombuffer(view, kind, count, offset).reshape(shape)
    return array


def split(data: bytes) -> Iterator[bytes]:
    """Yield the bytes of each record of an intact log."""
    view, offset = memoryview(data), 0
    while offset < len(view):
        header = _header_at(view, offset)
        if header is None:
            raise LogError(f"there is no record at byte {offset}")
        end = offset + HEADER_SIZE + header[8]
        yield data[offset:end]
        offset = end
