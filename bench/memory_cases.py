"""What bench/memory.py measures, on CPython and, the same file, inside Pyodide: the calls of an agent's memory."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock

FACTS = 20_000
DIMENSIONS = 384
CALLS = 50

Result = dict[str, Any]


def milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


def median(work: Callable[[], object], runs: int) -> float:
    return statistics.median(milliseconds(work) for _ in range(runs))


def each(work: Callable[[int], object], calls: int = CALLS) -> float:
    """Return the median time of one of some calls, each with its number."""
    return statistics.median(milliseconds(lambda n=n: work(n)) for n in range(calls))


def filled(clock: ManualClock, facts: int) -> tuple[ZengramMemory, Any, float]:
    """Return a memory with facts, more vectors of their kind, and the milliseconds that each fact took in batches."""
    rng = np.random.default_rng(11)
    vectors = rng.standard_normal((facts + 40 * CALLS, DIMENSIONS), np.float32)
    memory = ZengramMemory.open(DIMENSIONS, clock=clock)
    words = [f"word{i}" for i in range(5000)]

    def fill(start: int) -> None:
        with memory.batch():
            for i in range(start, start + 500):
                content = " ".join(words[(i * step) % 5000] for step in (1, 7, 31, 101, 211, 499, 997, 1999))
                memory.remember_with_vector(
                    f"subject {i}", content, f"/{i % 4}", vectors[i], importance=(i % 97) / 97
                )

    spent = sum(milliseconds(lambda s=start: fill(s)) for start in range(0, facts, 500))
    while memory.maintain(1000):
        pass
    return memory, vectors[facts:], spent / facts


def sizes(memory: ZengramMemory) -> dict[str, int]:
    """Return the bytes of heaps and indexes of facts and their vectors."""
    found = {}
    for table, parts in memory._database.size().items():
        name = table.partition("#")[0]
        if name in ("knowledge", "embedding"):
            kept = {part: size for part, size in parts.items() if part.startswith(("heap", "index"))}
            found.update({f"{name}: {part}": size for part, size in kept.items()})
    return found


def contexts() -> dict[str, float]:
    """Return what assembling a context costs over 1,000 turns and 1,000 facts, by budget and by what changed before."""
    clock = ManualClock()
    rng = np.random.default_rng(4)
    memory = ZengramMemory.open(DIMENSIONS, clock=clock)
    made = memory.create_session("site")
    vectors = rng.standard_normal((1100, DIMENSIONS), np.float32)
    words = [f"word{i}" for i in range(3000)]

    def text(count: int) -> str:
        return " ".join(words[i] for i in rng.integers(0, len(words), count))

    def say(number: int) -> None:
        turn = memory.append_turn(made.session_id, made.branch_id, "assistant" if number % 2 else "user")
        memory.add_part(turn, made.session_id, "text", {"text": text(36)}, 0)

    with memory.batch():
        for i in range(1000):
            memory.remember_with_vector(f"subject {i}", text(8), "/project/site", vectors[i])
            say(i)
    while memory.maintain(1000):
        pass
    out = {}
    for budget in (4000, 32_000, 128_000):

        def assemble(n: int = 0, budget: int = budget) -> None:
            memory.assemble_context(made.session_id, made.branch_id, budget, vec=vectors[1000 + n])

        assemble()
        out[f"assembleContext, {budget:,} tokens"] = each(assemble)
        again = []
        for n in range(10):
            say(n)
            memory.remember_with_vector(f"new {n}", text(8), "/project/site", vectors[1050 + n])
            again.append(milliseconds(lambda n=n: assemble(n)))
        out[f"the same after another turn and fact, {budget:,}"] = statistics.median(again)
    return out


def measure(runs: int) -> Result:
    """Measure everything; return medians in milliseconds, and what decay changed."""
    clock = ManualClock()
    first = milliseconds(lambda: ZengramMemory.open(DIMENSIONS))
    out: dict[str, float] = {
        "open, the first": first,
        "open": median(lambda: ZengramMemory.open(DIMENSIONS), runs),
    }
    small = ZengramMemory.open(DIMENSIONS, clock=clock)
    unit = np.ones(DIMENSIONS, np.float32)
    out["remember, an empty memory"] = each(
        lambda n: small.remember_with_vector(f"s{n}", f"said {n}", "/", unit)
    )
    memory, more, out["remember in batches, a fact"] = filled(clock, FACTS)
    out["remember"] = each(lambda n: memory.remember_with_vector(f"new {n}", f"said {n}", "/0", more[n]))
    out["remember what is known"] = each(
        lambda n: memory.remember_with_vector(f"new {n}", f"said {n}", "/0", more[n])
    )
    out["remember, superseding"] = each(
        lambda n: memory.remember_with_vector(f"new {n}", f"said anew {n}", "/0", more[n])
    )
    ids = [fact.id for fact in memory.facts("/1", limit=CALLS)]
    out["confirm"] = each(lambda n: memory.confirm(ids[n]))
    while memory.maintain(1000):
        pass
    memory.recall_with_vector("word7 word49", "/0", more[0])
    out["recall"] = each(lambda n: memory.recall_with_vector(f"word{n} word{7 * n}", "/0", more[n]))
    out["history"] = each(lambda n: memory.history(f"subject {n}", "/1"))
    out["collisions"] = each(lambda n: memory.collisions(ids[n]))
    before = sizes(memory)
    decays = []
    for _ in range(runs):
        clock.advance(days=1)
        decays.append(milliseconds(lambda: memory.decay(30)))
    after = sizes(memory)
    out["decay of 20,000 facts, the first"] = decays[0]
    out["decay of 20,000 facts"] = statistics.median(decays)
    session = memory.create_session("site", title="bench")
    turns = []

    def turn(n: int) -> None:
        turns.append(
            memory.append_turn(session.session_id, session.branch_id, "user" if n % 2 else "assistant")
        )

    out["append a turn"] = each(turn)
    out["add a part"] = each(
        lambda n: memory.add_part(turns[n], session.session_id, "text", {"text": f"said {n}"}, 0)
    )
    out["complete a turn"] = each(lambda n: memory.complete_turn(turns[n], 10, 20, 0.001, "stop"))

    def tool(n: int) -> None:
        call = memory.record_tool_call(turn_id=turns[n], session_id=session.session_id, tool_id="read")
        memory.start_tool_call(call)
        memory.complete_tool_call(call, output="done")

    out["a tool call, from pending to completed"] = each(tool)
    out["the last 50 turns"] = each(lambda n: memory.get_turns(session.session_id, session.branch_id))
    found = iter(range(10**6))

    def extract(n: int) -> None:
        facts = [{"subject": f"found {next(found)}", "content": f"found {n} {i}"} for i in range(5)]
        memory.extract_with_facts_with_vectors(
            "text", "/0", session.session_id, turns[n], facts, more[5 * n : 5 * n + 5]
        )

    out["extract 5 facts"] = each(extract)
    out.update(contexts())
    clock.advance(days=1)
    data = memory.export_snapshot()
    out["open from a snapshot of 20,000 facts"] = median(
        lambda: ZengramMemory.open_from_snapshot(data, DIMENSIONS, clock=clock), runs
    )
    changed = {name: [before.get(name, 0), size] for name, size in after.items() if size != before.get(name)}
    return {"medians": out, "changed": changed, "decays": runs, "snapshot_bytes": len(data)}
