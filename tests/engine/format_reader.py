"""Reads the rows of a snapshot, and the headers of a log, by docs/format.md alone: nothing of Zengram is imported."""

from __future__ import annotations

import json
import math
import struct
import zlib
from itertools import pairwise
from typing import Any

import numpy as np

FOREVER = 2**63 - 1
TEXTS = {"text", "uuid", "numeric"}


class Snapshot:
    """A snapshot's manifest and arrays, checked."""

    def __init__(self, data: bytes) -> None:
        magic, version, self.database_id, crc = struct.unpack("<8sI16s32xI", data[:64])
        assert (magic, version, crc) == (b"ZENGRAM\x01", 1, zlib.crc32(data[:60]))
        footer = struct.unpack("<8sQIQQIQ12xI", data[-64:])
        magic, self.lsn, self.record_crc, offset, length, manifest_crc, total, crc = footer
        assert (magic, total, crc) == (b"ZENGEND\x01", len(data), zlib.crc32(data[-64:-4]))
        assert offset + length + 64 == total
        raw = data[offset : offset + length]
        assert zlib.crc32(raw) == manifest_crc
        self.manifest: dict[str, Any] = json.loads(raw)
        self.sections: dict[str, Any] = {}
        for name, begin, size, dtype, shape, section_crc, *codec in self.manifest["sections"]:
            assert begin % 64 == 0
            found = data[begin : begin + size]
            assert zlib.crc32(found) == section_crc
            if codec == ["zlib"]:
                found = zlib.decompress(found)
            assert len(found) == math.prod(shape) * np.dtype(dtype).itemsize
            self.sections[name] = np.frombuffer(found, dtype).reshape(shape)

    def lineage(self, branch: str, time: int) -> list[tuple[int, int]]:
        """Return (branch, limit) pairs, from a branch up."""
        branches = self.manifest["branches"]
        number = next(i for i, b in enumerate(branches) if b[0] == branch and not b[3])
        out = [(number, time)]
        while branches[number][1] is not None:
            time = min(time, branches[number][2])
            number = branches[number][1]
            out.append((number, time))
        return out

    def tables(self, branch: str = "main", time: int | None = None) -> dict[str, Any]:
        """Return the definitions of the tables that a branch sees, by name."""
        lineage = self.lineage(branch, self.manifest["timestamp"] if time is None else time)
        overlays = {b: dict(ends) for b, ends in self.manifest["catalog_overlays"]}
        out = {}
        for place, (definition, own, begin, end) in enumerate(self.manifest["catalog"]):
            for level, (number, limit) in enumerate(lineage):
                ended = [overlays.get(b, {}).get(place, FOREVER) <= u for b, u in lineage[:level]]
                if (
                    own == number
                    and begin <= limit < end
                    and not any(ended)
                    and definition["kind"] == "table"
                ):
                    out[definition["name"][2]] = definition
        return out

    def rows(self, table: str, branch: str = "main", time: int | None = None) -> list[dict[str, Any]]:
        """Return the rows of a table that a branch sees, in the order of their slots."""
        time = self.manifest["timestamp"] if time is None else time
        definition = self.tables(branch, time)[table]
        here = f"t{definition['id']}/"
        if next(one for one in self.manifest["tables"] if one["id"] == definition["id"])["empty"]:
            return []
        begin, end, own = (self.sections[here + name] for name in ("begin", "end", "branch"))
        lineage = self.lineage(branch, time)
        visible = np.zeros(len(begin), bool)
        for level, (number, limit) in enumerate(lineage):
            mine = (own == number) & (begin <= limit) & (limit < end)
            for below, its_limit in lineage[:level]:
                slots = self.sections.get(f"{here}b{below}/slots")
                if slots is not None:
                    mine[slots[self.sections[f"{here}b{below}/ends"] <= its_limit]] = False
            visible |= mine
        columns = {c[0]: self.column(f"{here}c{c[7]}/", c[1]) for c in definition["columns"]}
        return [{name: column[i] for name, column in columns.items()} for i in np.flatnonzero(visible)]

    def column(self, here: str, kind: str) -> list[Any]:
        """Return the values of all slots."""
        sections = self.sections
        if here + "values" in sections:
            values = sections[here + "values"].tolist()
            nulls = sections.get(here + "nulls", np.zeros(len(values), bool))
            return [None if null else value for value, null in zip(values, nulls.tolist(), strict=True)]
        refs = sections[here + "refs"].tolist()
        if here + "matrix" in sections:
            matrix = sections[here + "matrix"].tolist()
            return [None if ref < 0 else matrix[ref] for ref in refs]
        offsets, raw = sections[here + "offsets"].tolist(), sections[here + "bytes"].tobytes()
        heap = [decode(kind, raw[a:b]) for a, b in pairwise(offsets)]
        return [None if ref < 0 else heap[ref] for ref in refs]


def decode(kind: str, raw: bytes) -> Any:
    """Return a value of a heap."""
    if kind == "bytes":
        return raw
    return raw.decode() if kind in TEXTS else json.loads(raw)


def read_log(data: bytes) -> list[tuple[int, int, int, dict[str, Any]]]:
    """Return (lsn, kind, time, payload) of each record of an intact log, with buffers in their places."""
    out: list[tuple[int, int, int, dict[str, Any]]] = []
    at = previous = 0
    while at < len(data):
        header = data[at : at + 64]
        magic, version, kind, _, lsn, time, _, before, length, crc, own = struct.unpack(
            "<4sHH16sQqiIII4xI", header
        )
        assert (magic, version, own, before) == (b"ZREC", 1, zlib.crc32(header[:60]), previous)
        payload = data[at + 64 : at + 64 + length]
        assert zlib.crc32(payload) == crc
        (size,) = struct.unpack("<I", payload[:4])
        content = json.loads(payload[4 : 4 + size])
        first = -(-(4 + size) // 8) * 8
        buffers = [
            np.frombuffer(payload, dtype, math.prod(shape), first + offset).reshape(shape)
            for offset, dtype, shape in content.pop("buffers")
        ]
        out.append((lsn, kind, time, filled(content, buffers)))
        at, previous = at + 64 + length, own
    return out


def filled(item: Any, buffers: list[Any]) -> Any:
    """Return JSON values with the buffers in place of what refers to them."""
    if isinstance(item, dict):
        if item.keys() == {"buffer"}:
            return buffers[item["buffer"]]
        return {key: filled(value, buffers) for key, value in item.items()}
    return [filled(value, buffers) for value in item] if isinstance(item, list) else item
