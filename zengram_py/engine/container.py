"""The snapshot container: named arrays and a JSON manifest in one checked file.

::

    offset 0    header, 64 bytes     magic, format version, database id, CRC
           64   section              raw bytes of one array, zero-padded to a multiple of 64
           ...  section
                manifest             JSON: what the sections are, with offset, length, type, shape, CRC (and codec)
                footer, 64 bytes     magic, lsn, CRC of the last log record, manifest's place and CRC, own CRC

All numbers are little-endian; every CRC is the CRC-32 of zlib. Sections begin at multiples of 64 bytes, so that an
array is used where it lies (``numpy.frombuffer``), without a copy and without work for each row. The footer comes last
and says how long the file is: a file that was cut has none. Reading checks everything before it gives anything.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SnapshotError

FORMAT_VERSION = 1
ALIGNMENT = 64
_COMPRESSED_FROM = 512  # bytes; smaller sections stay as they are
_COMPRESSION_LEVEL = 1
_LARGEST_RATIO = 1100  # deflate cannot do better than 1032 to 1
_HEADER = struct.Struct("<8sI16s32xI")  # magic, version, database id, CRC of the bytes before it
_FOOTER = struct.Struct(
    "<8sQIQQIQ12xI"
)  # magic, lsn, record CRC, manifest offset, length, CRC, file length, own CRC
_MAGIC_HEADER = b"ZENGRAM\x01"
_MAGIC_FOOTER = b"ZENGEND\x01"
_DTYPES = {"|b1", "|u1", "<u2", "<u4", "<u8", "<i2", "<i4", "<i8", "<f4", "<f8"}


@dataclass(frozen=True)
class Container:
    """What a file holds.

    Attributes
    ----------
    database_id : bytes
        16 bytes that name the database.
    lsn : int
        Log sequence number of the last commit that the file covers.
    record_crc : int
        CRC-32 of that commit's log record, 0 when there is none.
    manifest : dict
        JSON values: everything but the arrays.
    sections : dict of str to numpy array
        The arrays, read-only when they come from a file.
    """

    database_id: bytes
    lsn: int
    record_crc: int
    manifest: dict[str, Any]
    sections: dict[str, NDArray[Any]]


def write(container: Container) -> bytes:
    """Return the bytes of a file that holds this."""
    return b"".join(write_chunks(container))


def write_chunks(
    container: Container, chunk_bytes: int = 1 << 62, *, compress: bool = False
) -> Iterator[bytes | memoryview]:
    """Yield the bytes of a file that holds this, in parts of at most ``chunk_bytes``.

    The arrays are read as the parts are asked for: they must not change in the meantime. With ``compress``, sections
    that zlib makes at least a tenth smaller are stored deflated; floats, which it does not, stay as they are.
    """
    yield _with_crc(_HEADER, _MAGIC_HEADER, FORMAT_VERSION, container.database_id)
    position = _HEADER.size
    described = []
    for name, array in container.sections.items():
        data = np.ascontiguousarray(array)
        raw = data.reshape(-1).view(np.uint8).data if data.size else memoryview(b"")
        full_length = len(raw)
        if compress and data.dtype.kind != "f" and full_length >= _COMPRESSED_FROM:
            deflated = zlib.compress(raw, _COMPRESSION_LEVEL)
            raw = memoryview(deflated) if len(deflated) <= 0.9 * full_length else raw
        crc = 0
        for start in range(0, len(raw), chunk_bytes):
            part = raw[start : start + chunk_bytes]
            crc = zlib.crc32(part, crc)
            yield part
        described.append([name, position, len(raw), data.dtype.str, list(data.shape), crc])
        if len(raw) != full_length:
            described[-1].append("zlib")
        padding = -len(raw) % ALIGNMENT
        if padding:
            yield bytes(padding)
        position += len(raw) + padding
    manifest = json.dumps({**container.manifest, "sections": described}, separators=(",", ":")).encode()
    for start in range(0, len(manifest), chunk_bytes):
        yield manifest[start : start + chunk_bytes]
    total = position + len(manifest) + _FOOTER.size
    place = (position, len(manifest), zlib.crc32(manifest), total)
    yield _with_crc(_FOOTER, _MAGIC_FOOTER, container.lsn, container.record_crc, *place)


def gathered(chunks: Iterator[bytes | memoryview], chunk_bytes: int) -> Iterator[bytes]:
    """Yield parts of about ``chunk_bytes``: sections may be small, and one call of whoever writes takes many."""
    waiting: list[bytes | memoryview] = []
    size = 0
    for chunk in chunks:
        waiting.append(chunk)
        size += len(chunk)
        if size >= chunk_bytes:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def read(data: bytes | bytearray | memoryview) -> Container:
    """Check a file and return what it holds; the arrays are views of ``data``.

    Raises
    ------
    SnapshotError
        If anything is not as :func:`write` makes it; it names the part that is at fault.
    """
    view = memoryview(data).cast("B").toreadonly()
    if len(view) < _HEADER.size + _FOOTER.size:
        raise SnapshotError(
            f"a snapshot is longer than {len(view)} bytes: the file was cut", section="header"
        )
    magic, version, database_id = _checked(_HEADER, view[: _HEADER.size], "header", _MAGIC_HEADER)
    del magic
    if version != FORMAT_VERSION:
        raise SnapshotError(
            f"the snapshot has format version {version}; this Zengram reads version {FORMAT_VERSION}",
            section="header",
            code="SNAPSHOT_VERSION",
        )
    footer = _checked(_FOOTER, view[-_FOOTER.size :], "footer", _MAGIC_FOOTER)
    _, lsn, record_crc, offset, length, crc, total = footer
    if total != len(view) or offset + length + _FOOTER.size != total or offset < _HEADER.size:
        raise SnapshotError("the snapshot is not as long as it says", section="footer")
    raw = view[offset : offset + length]
    if zlib.crc32(raw) != crc:
        raise SnapshotError("the manifest's checksum is wrong", section="manifest")
    try:
        manifest = json.loads(bytes(raw))
        described = manifest.pop("sections")
        sections = {name: _section(view[:offset], name, *rest) for name, *rest in described}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise SnapshotError(f"the manifest cannot be read: {error}", section="manifest") from error
    return Container(database_id, lsn, record_crc, manifest, sections)


def _section(
    view: memoryview,
    name: str,
    offset: int,
    length: int,
    dtype: str,
    shape: list[int],
    crc: int,
    codec: str | None = None,
) -> NDArray[Any]:
    end = offset + length
    padded = end + -length % ALIGNMENT
    if not (_HEADER.size <= offset <= end <= padded <= len(view)) or offset % ALIGNMENT:
        raise SnapshotError(f"section {name!r} lies outside the file", section=name)
    raw = view[offset:end]
    if zlib.crc32(raw) != crc or any(view[end:padded]):
        raise SnapshotError(f"section {name!r}: its checksum is wrong", section=name)
    if dtype not in _DTYPES or any(n < 0 for n in shape):
        raise SnapshotError(f"section {name!r} has an unknown type or shape", section=name)
    kind = np.dtype(dtype)
    wanted = math.prod(shape) * kind.itemsize
    if codec == "zlib":
        raw = _inflate(raw, wanted, name)
    elif codec is not None:
        raise SnapshotError(f"section {name!r} has an unknown codec", section=name)
    if wanted != len(raw):
        raise SnapshotError(f"section {name!r} is not as long as its shape says", section=name)
    array: NDArray[Any] = np.frombuffer(raw, kind).reshape(shape)
    if kind == np.bool_ and (np.frombuffer(raw, np.uint8) > 1).any():
        raise SnapshotError(f"section {name!r} holds a boolean that is neither 0 nor 1", section=name)
    return array


def _inflate(raw: memoryview, length: int, name: str) -> memoryview:
    """Return the bytes that were deflated: as many as the shape says, never more, whatever the data claim."""
    if length > len(raw) * _LARGEST_RATIO:
        raise SnapshotError(f"section {name!r} is not as long as its shape says", section=name)
    inflater = zlib.decompressobj()
    try:
        data = inflater.decompress(raw, length + 1)
    except zlib.error as error:
        raise SnapshotError(f"section {name!r} cannot be decompressed: {error}", section=name) from error
    if len(data) != length or not inflater.eof:
        raise SnapshotError(f"section {name!r} is not as long as its shape says", section=name)
    return memoryview(data)


def _with_crc(layout: struct.Struct, *fields: Any) -> bytes:
    packed = layout.pack(*fields, 0)
    return packed[:-4] + struct.pack("<I", zlib.crc32(packed[:-4]))


def _checked(layout: struct.Struct, raw: memoryview, part: str, magic: bytes) -> tuple[Any, ...]:
    *fields, crc = layout.unpack(raw)
    if fields[0] != magic:
        raise SnapshotError(f"this is not a Zengram snapshot, or it was cut (no {part})", section=part)
    if zlib.crc32(raw[:-4]) != crc:
        raise SnapshotError(f"the {part}'s checksum is wrong", section=part)
    return tuple(fields)
