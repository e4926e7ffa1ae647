"""The tables of bench/retrieval/run.py, as Markdown."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import engine  # bench/engine.py: what it says of the machine
import subjects
import targets
from tables import table

Result = dict[str, Any]
Cell = Callable[[Result], str]


def number(value: float | None, factor: float = 1.0) -> str:
    """Show three digits; nothing for what was not measured."""
    if value is None:
        return "-"
    value *= factor
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def milliseconds(name: str) -> Cell:
    return lambda row: number(row.get(name), 1e3)


def quantile(name: str) -> Cell:
    return lambda row: number(row.get("query", {}).get(name), 1e3)


def share(name: str) -> Cell:
    return lambda row: f"{row[name]:.4f}".removesuffix("0") if name in row else "-"


BUILD: tuple[str, Cell] = ("build s", lambda row: number(row.get("build")))
INSERT: tuple[str, Cell] = ("insert one ms", milliseconds("insert"))
QUERY: tuple[tuple[str, Cell], ...] = (("query p50 ms", quantile("p50")), ("p95 ms", quantile("p95")))
KEPT: tuple[tuple[str, Cell], ...] = (
    ("snapshot MB", lambda row: number(row.get("bytes"), 1e-6)),
    ("save ms", milliseconds("save")),
    ("restore ms", milliseconds("restore")),
)
MEMORY: tuple[str, Cell] = ("memory MB", lambda row: number(row.get("memory"), 1e-6))
HITS: tuple[tuple[str, Cell], ...] = (("hit@1", share("hit1")), ("hit@10", share("recall")))

COLUMNS: dict[str, tuple[tuple[str, Cell], ...]] = {
    "vectors": (BUILD, INSERT, *QUERY, ("recall@10", share("recall")), *KEPT, MEMORY),
    "text": (BUILD, INSERT, *QUERY, *HITS, *KEPT, MEMORY),
    "hybrid": (BUILD, *QUERY, *HITS, MEMORY),
    "stack": (BUILD, INSERT, *QUERY, *HITS, *KEPT, MEMORY),
    "maintenance": (
        ("calls", lambda row: number(row.get("calls"))),
        ("together s", lambda row: number(row.get("total"))),
        ("median ms", milliseconds("p50")),
        ("99 % within ms", milliseconds("p99")),
        ("longest ms", milliseconds("longest")),
        ("calls over 50 ms", lambda row: number(row.get("over_50_ms"))),
        ("query between them p50 ms", quantile("p50")),
        ("p95 ms", quantile("p95")),
    ),
}
TITLES = {
    "vectors": "{} vectors",
    "text": "{}",
    "hybrid": "{} with a vector each",
    "stack": "whole stack, {} as facts",
    "maintenance": "`maintain`, {} vectors, 30 % deleted, 1,500 arriving",
}


def report(result: Result) -> Iterator[str]:
    """Yield the lines of all tables."""
    load = f", load average {result['load'][0]:.1f} to {result['load'][1]:.1f}" if result["load"] else ""
    names = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    yield f"{result['place']}; {engine.processor()}, {os.cpu_count()} cores{load}; {names}."
    yield ""
    for one in result["sets"]:
        yield from case_table(one)
    yield from table(["speed to reach", "ours", "to reach", ""], targets.rows(result["sets"]))


def case_table(one: Result) -> Iterator[str]:
    columns = COLUMNS[one["case"]]
    rows, missing = [], []
    for name, found in one["rows"].items():
        title = title_of(name)
        if "error" in found:
            missing.append(f"{title.strip('*')} ({found['error']})")
            continue
        rows += [[shown, *(cell(row) for _, cell in columns)] for shown, row in ways(title, found)]
        kept = "restore" if "bytes" in found else "save and restore"
        missing += [f"{title.strip('*')}'s {kept} ({found['keepError']})"] if "keepError" in found else []
    if rows:
        heads = [TITLES[one["case"]].format(one["title"]), *(head for head, _ in columns)]
        yield from table(heads, rows)
    if missing:
        yield f"Left out of {TITLES[one['case']].format(one['title'])}: {'; '.join(missing)}."
        yield ""
    yield from notes(one)


def title_of(name: str) -> str:
    return next(subject.title for subject in subjects.SUBJECTS if subject.name == name)


def ways(title: str, found: Result) -> Iterator[tuple[str, Result]]:
    """Yield the rows of a subject: one, or one for each way that it has; what it has in common stands in the first."""
    if "ways" not in found:
        yield title, found
        return
    common = {name: value for name, value in found.items() if name != "ways"}
    for way, row in found["ways"].items():
        yield f"{title}: {way}", common | row
        common = {}


def notes(one: Result) -> Iterator[str]:
    """Yield what the table has no columns for."""
    ours = one["rows"].get(subjects.OURS, {})
    if "share_of_raw" in ours:
        yield (
            f"Zengram's index is {ours['share_of_raw']:.1%} of the vectors' bytes; of its build {number(ours['index_seconds'])} s "
            f"are the index; the first query after a restore takes {number(ours['firstQuery'], 1e3)} ms. "
            f"With ef_search {ours['quicker']['ef']} a query takes {number(ours['quicker']['p50'], 1e3)} ms, recall "
            f"{ours['quicker']['recall']:.4f}."
        )
        yield ""
    if "stemming" in ours:
        yield (
            f"Of Zengram's build {number(ours['index_seconds'])} s are the index; stemming its {ours['words']:,} different words "
            f"takes {number(ours['stemming'])} s. A query after a new row takes {number(ours['after_insert'], 1e3)} ms."
        )
        yield ""
    if "afterRemember" in ours:
        yield (
            f"The first recall takes {number(ours['first'], 1e3)} ms, one after each new fact {number(ours['afterRemember'], 1e3)} ms, "
            f"the first after a restore {number(ours['firstQuery'], 1e3)} ms."
        )
        yield ""
