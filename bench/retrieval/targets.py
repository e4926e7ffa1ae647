"""What is to be reached, and whether this run did.

A target is an upper or a lower bound, most of them a figure of a peer in the same run. One whose figures are missing (a part
that was not run, a peer that failed) is told as not measured.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import subjects

Result = dict[str, Any]
Row = list[str]
SCANS = ("scan", "orama")
"""Peers that scan vectors in JavaScript."""
RECALL, HYBRID_HIT = 0.99, 0.99
RESTORE_MS, INDEX_SHARE, STACK_MS = 150.0, 0.15, 5.0
BUILD_TIMES_FTS5, QUERY_TIMES_AT_10K = 8.0, 1.5


class Figures:
    """One set of a run: what was measured of whom."""

    def __init__(self, sets: Iterable[Result], case: str, count: int | None = None) -> None:
        fitting = (
            one for one in sets if one["case"] == case and (count is None or one["title"] == f"{count:,}")
        )
        rows: dict[str, Result] = next((one["rows"] for one in fitting), {})
        self.rows: dict[str, Result] = {name: row for name, row in rows.items() if "error" not in row}

    def get(self, subject: str, *path: str) -> float | None:
        value: Any = self.rows.get(subject)
        for name in path:
            value = None if value is None else value.get(name)
        return None if value is None else float(value)

    def ours(self, *path: str) -> float | None:
        return self.get(subjects.OURS, *path)

    def peers(self, *path: str) -> list[float]:
        """Return a figure of all peers that have it."""
        found = [self.get(name, *path) for name in self.rows if name != subjects.OURS]
        return [value for value in found if value is not None]

    def ways(self, subject: str) -> dict[str, Result]:
        found: dict[str, Result] = self.rows.get(subject, {}).get("ways", {})
        return found


def at_most(
    title: str, ours: float | None, bound: float | None, unit: str = "ms", *, below: bool = False
) -> Row:
    sign = "<" if below else "≤"
    if ours is None or bound is None:
        return [
            title,
            _show(ours, unit),
            "-" if bound is None else f"{sign} {_show(bound, unit)}",
            "not measured",
        ]
    reached = ours < bound if below else ours <= bound
    return [title, _show(ours, unit), f"{sign} {_show(bound, unit)}", _verdict(reached)]


def at_least(title: str, ours: float | None, bound: float | None) -> Row:
    if ours is None or bound is None:
        return [title, _show(ours, ""), "-" if bound is None else f"≥ {bound:.3f}", "not measured"]
    return [title, _show(ours, ""), f"≥ {bound:.3f}", _verdict(ours >= bound)]


def _verdict(reached: bool) -> str:
    return "met" if reached else "**missed**"


def _show(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit in ("ms", "s"):
        value *= 1e3 if unit == "ms" else 1
        return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    return f"{value:.1%}" if unit == "%" else f"{value:.3f}"


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def rows(sets: list[Result]) -> list[Row]:
    """Return the rows of the table: target, ours, bound, verdict."""
    cases = {one["case"] for one in sets}
    out: list[Row] = []
    if "vectors" in cases:
        out += _vectors(sets)
    if "text" in cases:
        out += _text(Figures(sets, "text"))
    if "hybrid" in cases:
        out += _hybrid(Figures(sets, "hybrid"))
    if "stack" in cases:
        p50 = Figures(sets, "stack").ours("query", "p50")
        out.append(at_most("`recallWithVector` in JavaScript, p50", p50, STACK_MS / 1e3, below=True))
    return out


def _vectors(sets: list[Result]) -> Iterator[Row]:
    few, some, many = (Figures(sets, "vectors", count) for count in (1000, 10_000, 50_000))
    peer = "hnswlib"
    yield at_most(
        "query of 50,000 vectors, p50, to hnswlib-wasm's",
        many.ours("query", "p50"),
        many.get(peer, "query", "p50"),
    )
    yield at_least("its recall@10", many.ours("recall"), RECALL)
    yield at_most(
        f"query of 10,000, p50, to {QUERY_TIMES_AT_10K} times hnswlib-wasm's",
        some.ours("query", "p50"),
        _times(some.get(peer, "query", "p50"), QUERY_TIMES_AT_10K),
    )
    scans = [value for name in SCANS if (value := few.get(name, "query", "p50")) is not None]
    yield at_most(
        "query of 1,000, p50, to the quickest scan in JavaScript",
        few.ours("query", "p50"),
        min(scans, default=None),
        below=True,
    )
    for title, figures in (("50,000", many), ("10,000", some)):
        yield at_most(
            f"build of {title}, to hnswlib-wasm's",
            figures.ours("build"),
            figures.get(peer, "build"),
            "s",
            below=True,
        )
    for title, figures in (("50,000", many), ("10,000", some)):
        yield at_most(
            f"insert one into {title}, to hnswlib-wasm's", figures.ours("insert"), figures.get(peer, "insert")
        )
    yield at_most("restore of 50,000", many.ours("restore"), RESTORE_MS / 1e3, below=True)
    yield at_most(
        "index in the snapshot, of the vectors' bytes, 50,000", many.ours("share_of_raw"), INDEX_SHARE, "%"
    )


def _text(text: Figures) -> Iterator[Row]:
    yield at_most(
        "text query, p50, to MiniSearch's", text.ours("query", "p50"), text.get("minisearch", "query", "p50")
    )
    yield at_least("its hit@1, to the best peer's", text.ours("hit1"), max(text.peers("hit1"), default=None))
    yield at_least(
        "its hit@10, to the best peer's", text.ours("recall"), max(text.peers("recall"), default=None)
    )
    stemming, index = text.ours("stemming"), text.ours("index_seconds")
    of_it = "" if stemming is None or not index else f" (stemming: {stemming / index:.0%} of ours)"
    yield at_most(
        f"text index, build, to {BUILD_TIMES_FTS5:.0f} times FTS5's{of_it}",
        index,
        _times(text.get("fts5", "build"), BUILD_TIMES_FTS5),
        "s",
    )


def _hybrid(hybrid: Figures) -> Iterator[Row]:
    glued = [way["query"]["p50"] for way in hybrid.ways("glued").values()]
    for way, found in hybrid.ways(subjects.OURS).items():
        yield at_most(
            f"hybrid query ({way}), p50, to the quickest glued one",
            found["query"]["p50"],
            min(glued, default=None),
        )
        yield at_least("its hit@1", found["hit1"], HYBRID_HIT)
