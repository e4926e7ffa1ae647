"""A year of an agent's memory in a minute: what bench/memory.py measures of its first and its last month.

2,000 sessions tell 20,000 facts on 2,000 subjects, so that as many facts are live in the first month as in the last; every week importance decays, every
month old sessions are pruned, a memory branch is made and merged, and the memory is exported and restored.
"""

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock

MONTHS, SESSIONS, FACTS, SUBJECTS = 12, 2000, 20_000, 2000
DIMENSIONS, TURNS = 384, 6
QUESTIONS = 60
SCOPE = "/project/site"

Result = dict[str, Any]


class Year:
    """One simulated year."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.random = random.Random(5)
        self.numbers = np.random.default_rng(5)
        self.vectors = self.numbers.standard_normal((SUBJECTS, DIMENSIONS), np.float32)
        self.memory = ZengramMemory.open(DIMENSIONS, clock=self.clock)
        self.memory.configure_budget(SCOPE, max_bytes=2_000_000, high_water_bytes=1_500_000)
        self.told = 0
        self.session = self.memory.create_session("site")

    def fact(self, subject: int) -> tuple[dict[str, str], Any]:
        self.told += 1
        words = " ".join(f"word{self.random.randrange(3000)}" for _ in range(8))
        vector = self.vectors[subject] + 0.3 * self.numbers.standard_normal(DIMENSIONS).astype(np.float32)
        return {"subject": f"subject {subject}", "content": f"{words} {self.told}"}, vector

    def fill(self) -> None:
        """Tell a fact on every subject, so that all months have as many live ones."""
        with self.memory.batch():
            for subject in range(SUBJECTS):
                fact, vector = self.fact(subject)
                self.memory.remember_with_vector(fact["subject"], fact["content"], SCOPE, vector)

    def talk(self, facts: int) -> None:
        """Have one session: turns, a tool call, facts found in it."""
        memory, clock = self.memory, self.clock
        self.session = memory.create_session("site", title="talk")
        session, branch = self.session.session_id, self.session.branch_id
        with memory.batch():
            for number in range(TURNS):
                clock.advance(seconds=20)
                turn = memory.append_turn(session, branch, "user" if number % 2 == 0 else "assistant")
                text = " ".join(f"word{self.random.randrange(3000)}" for _ in range(30))
                memory.add_part(turn, session, "text", {"text": text}, 0)
                memory.complete_turn(turn, 100, 50, 0.001, "stop")
            call = memory.record_tool_call(turn_id=turn, session_id=session, tool_id="read")
            memory.complete_tool_call(call, output="x" * 200)
        found = [self.fact(self.random.randrange(SUBJECTS)) for _ in range(facts)]
        memory.extract_with_facts_with_vectors(
            "text", SCOPE, session, turn, [fact for fact, _ in found], [vector for _, vector in found]
        )
        memory.maintain(8)

    def month(self) -> None:
        """Live through a month."""
        sessions = SESSIONS // MONTHS
        facts = (FACTS - SUBJECTS) // SESSIONS
        for number in range(sessions):
            self.clock.advance(days=30 / sessions)
            self.talk(facts)
            if number % (sessions // 4) == 0:
                self.memory.decay(30)
        self.memory.fork_memory("idea")
        self.memory.use_memory("idea")
        self.talk(facts)
        self.memory.use_memory(None)
        self.memory.merge_memory("idea", strategy="newest")
        self.memory.discard_memory("idea")
        self.memory.enforce_budget(SCOPE)
        data = self.memory.export_snapshot()
        self.memory.close()
        self.memory = ZengramMemory.open_from_snapshot(data, DIMENSIONS, clock=self.clock)
        self.memory._database.vacuum()
        while self.memory.maintain(1000):
            pass

    def look(self) -> Result:
        """Measure recall and the assembling of contexts, and what is kept."""
        memory = self.memory
        session, branch = self.session.session_id, self.session.branch_id
        asked = self.vectors[self.numbers.integers(0, SUBJECTS, QUESTIONS)]
        memory.recall_with_vector("word1", SCOPE, asked[0])
        recalls = [
            milliseconds(
                lambda v=vector, n=number: memory.recall_with_vector(f"word{n} word{n * 7}", SCOPE, v)
            )
            for number, vector in enumerate(asked)
        ]
        memory.assemble_context(session, branch, 4000, vec=asked[0])
        contexts = [
            milliseconds(lambda v=vector: memory.assemble_context(session, branch, 4000, vec=v))
            for vector in asked
        ]
        with memory._database.begin(read_only=True) as transaction:
            live = sum(live_bytes(transaction, table.title) for table in memory._database.tables())
        sizes = memory._database.size().values()
        held = sum(size for parts in sizes for part, size in parts.items() if part != "masks")
        return {
            "live facts": len(memory.facts(SCOPE, limit=100_000)),
            "facts in all": self.told,
            "sessions": memory._database.begin(read_only=True).count("session"),
            "recall p95, ms": float(np.percentile(recalls, 95)),
            "assembleContext p50, ms": statistics.median(contexts),
            "bytes": held,
            "live bytes": live,
        }


def milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


def live_bytes(transaction: Any, table: str) -> int:
    """Return the bytes of the rows of a table that are seen: numbers at their width, texts in UTF-8, vectors."""
    seen = transaction.seen(table)
    total = 0
    for name, column in seen.definition.by_name.items():
        stored = seen.column(name)
        if column.type.storage == "fixed":
            total += np.dtype(column.type.dtype).itemsize * len(seen.slots)
            continue
        for value in stored.take(seen.slots):
            if value is not None:
                total += len(value.encode()) if isinstance(value, str) else memoryview(value).nbytes
    return total


def measure(runs: int) -> Result:
    """Live through the year; return what the first and the last month were like."""
    year = Year()
    year.fill()
    looks = []
    start = time.perf_counter()
    for number in range(MONTHS):
        year.month()
        if number in (0, MONTHS - 1):
            looks.append(year.look())
    return {"first": looks[0], "last": looks[1], "seconds": time.perf_counter() - start}
