"""What overlapping transactions may do to each other: the anomalies of Adya (1999) and Berenson et al. (1995), as scripts.

Each is absent, or, for write skew under snapshot isolation, present and caught by ``isolation="serializable"``. The
language of the scripts is explained in script.py.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.script import COMPARE, Script, condition, make_database, outcome
from zengram_py.engine import INT64, ColumnDef, Transaction
from zengram_py.errors import ZengramError

SNAPSHOT, SERIALIZABLE = "snapshot", "serializable"
BOTH = pytest.mark.parametrize("isolation", [SNAPSHOT, SERIALIZABLE])

ABSENT = {
    "G0 dirty write: the writes of two transactions never mix": """
        setup: x=10 y=20
        T1: write x 11
        T2: write x 12
        T1: write y 21
        T1: commit
        T2: write y 22
        T2: commit -> conflict
        end: x=11 y=21
    """,
    "G1a aborted read: nobody sees what was rolled back": """
        setup: x=10
        T1: write x 99
        T1: insert z 99
        T2: read x -> 10
        T2: scan v > 50 -> nothing
        T1: abort
        T2: read x -> 10
        T2: commit
        end: x=10
    """,
    "G1b intermediate read: nobody sees a value that was overwritten before the commit": """
        setup: x=10
        T1: write x 50
        T2: read x -> 10
        T1: write x 11
        T1: commit
        T2: read x -> 10
        T3: read x -> 11
        end: x=11
    """,
    "G1c circular information flow: two transactions never see each other": """
        setup: x=10 y=20
        T1: write x 11
        T2: write y 22
        T1: read y -> 20
        T2: read x -> 10
        T1: abort
        T2: commit
        end: x=10 y=22
    """,
    "P4 lost update: of two that read and write one row, the second to commit is refused": """
        setup: x=10
        T1: read x -> 10
        T2: read x -> 10
        T1: write x 15        -- 10 + 5
        T2: write x 13        -- 10 + 3
        T1: commit
        T2: commit -> conflict
        T3: read x -> 15      -- so it tries again
        T3: write x 18
        T3: commit
        end: x=18
    """,
    "P4 with a delete: an update of a row that another deleted is refused": """
        setup: x=10
        T1: delete x
        T2: write x 11
        T1: commit
        T2: commit -> conflict
        end:
    """,
    "P4 with an insert: of two that insert one key, the second is refused": """
        T1: insert x 1
        T2: insert y 5
        T2: insert x 2
        T1: commit
        T3: insert x 3 -> unique
        end: x=1
    """,
    "G-single read skew: a transaction sees all of another, or nothing": """
        setup: x=50 y=50
        T1: read x -> 50
        T2: write x 25
        T2: write y 75
        T2: commit
        T1: read y -> 50
        T1: count v > 60 -> 0
        T1: commit
        end: x=25 y=75
    """,
    "PMP phantom: a condition selects the same rows again": """
        setup: x=10 y=20
        T1: scan v > 15 -> y
        T1: range 5 25 -> x y
        T2: insert z 22
        T2: delete y
        T2: write x 16
        T2: commit
        T1: scan v > 15 -> y
        T1: range 5 25 -> x y
        T1: count -> 2
        T3: scan v > 15 -> x z
        T1: commit
        end: x=16 z=22
    """,
    "own writes are seen in every way of reading": """
        setup: x=10 y=20
        T1: write x 30
        T1: delete y
        T1: insert z 40
        T1: read x -> 30
        T1: read y -> none
        T1: scan v > 15 -> x z
        T1: range 30 30 -> x
        T1: raise v > 35 by 1
        T1: read z -> 41
        T2: scan -> x y
        T1: commit
        end: x=30 z=41
    """,
    "a write that follows a phantom meets the row's first committer": """
        setup: x=10 y=20
        T1: raise v > 15 by 100
        T2: raise v > 5 by 1
        T2: commit
        T1: commit -> conflict
        end: x=11 y=21
    """,
}


@BOTH
@pytest.mark.parametrize("script", ABSENT.values(), ids=[name.split(":")[0] for name in ABSENT])
def test_this_anomaly_is_absent(script: str, isolation: str) -> None:
    Script(isolation).play(script)


WRITE_SKEW = {
    "G2-item: each reads both rows and changes the other one": """
        setup: x=30 y=30                 -- the sum must stay above 0
        T1: read x -> 30
        T1: read y -> 30
        T2: read x -> 30
        T2: read y -> 30
        T1: write x -20
        T2: write y -20
        T1: commit
        T2: commit -> serialization
    """,
    "G2: each counts and adds a row": """
        setup: x=10                      -- at most two rows above 5
        T1: count v > 5 -> 1
        T2: count v > 5 -> 1
        T1: insert y 10
        T2: insert z 10
        T1: commit
        T2: commit -> serialization
    """,
    "G2 by an ordered index": """
        setup: x=10
        T1: range 5 15 -> x
        T2: range 5 15 -> x
        T1: insert y 10
        T2: insert z 10
        T1: commit
        T2: commit -> serialization
    """,
    "a row that was not there is read too": """
        T1: read x -> none
        T2: read y -> none
        T1: insert y 1
        T2: insert x 1
        T1: commit
        T2: commit -> serialization
    """,
    "a row that moves into a condition": """
        setup: x=1 y=1
        T1: scan v > 5 -> nothing
        T2: scan v > 5 -> nothing
        T1: write x 10
        T2: write y 10
        T1: commit
        T2: commit -> serialization
    """,
    "a row that leaves a condition": """
        setup: x=10 y=10
        T1: count v > 5 -> 2
        T2: count v > 5 -> 2
        T1: delete x
        T2: delete y
        T1: commit
        T2: commit -> serialization
    """,
}


@pytest.mark.parametrize("script", WRITE_SKEW.values(), ids=WRITE_SKEW)
def test_write_skew_passes_under_snapshot_isolation_and_is_caught_when_serializable(script: str) -> None:
    Script(SERIALIZABLE).play(script)
    Script(SNAPSHOT).play(script.replace("-> serialization", ""))


FREE = {
    "changes beside what was read are no conflict": """
        setup: x=10 y=20
        T1: scan v > 15 -> y
        T1: read y -> 20
        T2: write x 11
        T2: insert z 1
        T2: commit
        T1: write y 21
        T1: commit
        end: x=11 y=21 z=1
    """,
    "who only read is never refused: it ran when it began": """
        setup: x=10
        T1: read x -> 10
        T2: write x 11
        T2: commit
        T1: scan -> x
        T1: commit
    """,
    "a change that was taken back is no change": """
        setup: x=10
        T1: read x -> 10
        T1: insert y 1
        T2: insert q 1
        T2: delete q
        T2: commit
        T1: commit
        end: x=10 y=1
    """,
}


@pytest.mark.parametrize("script", FREE.values(), ids=FREE)
def test_a_serializable_transaction_is_not_refused_without_need(script: str) -> None:
    Script(SERIALIZABLE).play(script)


def test_reading_a_table_as_arrays_counts_as_a_read() -> None:
    db = make_database()
    one, two = db.begin(isolation=SERIALIZABLE), db.begin(isolation=SERIALIZABLE)
    assert len(one.seen("t").slots) == len(two.seen("t").slots) == 0
    one.insert("t", {"k": "x", "v": 1})
    two.insert("t", {"k": "y", "v": 1})
    one.commit()
    with pytest.raises(ZengramError) as caught:
        two.commit()
    assert outcome(caught.value) == "serialization"


@pytest.mark.parametrize("read", [lambda t: t.get("t", "x"), lambda t: t.count("t")], ids=["get", "count"])
def test_a_definition_that_changed_counts_as_a_change_of_what_was_read(read: Any) -> None:
    db = make_database()
    db.create_table("other", [ColumnDef("k", INT64)])
    reader, changer = db.begin(isolation=SERIALIZABLE), db.begin(isolation=SERIALIZABLE)
    read(reader)
    changer.count("other")
    reader.insert("other", {"k": 1})
    changer.drop_table("t")
    changer.commit()
    with pytest.raises(ZengramError) as caught:
        reader.commit()
    assert outcome(caught.value) == "serialization"


# -- random schedules ----------------------------------------------------------------------------------------------------

KEYS = "abcd"
Action = tuple[int, int, int, int]


class Plain:
    """The same actions on a dictionary."""

    def __init__(self, rows: dict[str, int]) -> None:
        self.rows = rows
        self.last = 0

    def get(self, k: str) -> Any:
        return self.rows.get(k)

    def where(self, words: tuple[str, ...]) -> list[str]:
        return sorted(k for k, v in self.rows.items() if COMPARE[words[1]](v, int(words[2])))

    def put(self, k: str, v: int) -> bool:
        return k in self.rows and self.rows.update({k: v}) is None

    def insert(self, k: str, v: int) -> Any:
        return "unique" if k in self.rows else self.rows.update({k: v})

    def delete(self, k: str) -> bool:
        return self.rows.pop(k, None) is not None

    def increase(self, words: tuple[str, ...]) -> int:
        found = self.where(words)
        self.rows.update({k: self.rows[k] + 1 for k in found})
        return len(found)


class Real:
    """The actions in a transaction."""

    def __init__(self, t: Transaction) -> None:
        self.t = t
        self.last = 0

    def get(self, k: str) -> Any:
        row = self.t.get("t", k)
        return None if row is None else row["v"]

    def where(self, words: tuple[str, ...]) -> list[str]:
        value = int(words[2])
        if words[1] == "=":
            return sorted(row["k"] for row in self.t.lookup("t", "of_v", value))
        if words[1] == "<=":
            return sorted(row["k"] for row in self.t.range("t", "by_v", None, value))
        return sorted(row["k"] for row in self.t.scan("t", where=condition(words)))

    def put(self, k: str, v: int) -> bool:
        return self.t.update("t", k, {"v": v})

    def insert(self, k: str, v: int) -> Any:
        try:
            self.t.insert("t", {"k": k, "v": v})
        except ZengramError as error:
            return outcome(error)
        return None

    def delete(self, k: str) -> bool:
        return self.t.delete("t", k)

    def increase(self, words: tuple[str, ...]) -> int:
        return self.t.update_where("t", condition(words), {"v": {"expr": ["+", ["col", "v"], ["lit", 1]]}})


def act(side: Any, action: Action) -> Any:
    """Do one action and return what it gave; ``last`` is the sum of what was read, for writes that depend on it."""
    _, kind, x, y = action
    k, words = KEYS[x % len(KEYS)], ("v", ["<", ">", "=", "<=", ">="][x % 5], str(y % 6))
    if kind == 0:
        got = side.get(k)
        side.last += got or 0
        return got
    if kind == 1:
        found = side.where(words)
        side.last += len(found)
        return found
    if kind == 2:
        return side.put(k, side.last % 6)
    if kind == 3:
        return side.insert(k, (side.last + y) % 6)
    return side.delete(k) if kind == 4 else side.increase(words)


actions = st.tuples(st.integers(0, 3), st.integers(0, 6), st.integers(0, 19), st.integers(0, 5))


@given(st.lists(actions, min_size=6, max_size=40), st.integers(0, 15))
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_serializable_transactions_are_as_if_run_one_after_the_other(
    schedule: list[Action], some: int
) -> None:
    db = make_database()
    start = {k: i for i, k in enumerate(KEYS) if some >> i & 1}
    with db.begin() as t:
        for k, v in start.items():
            t.insert("t", {"k": k, "v": v})
    running: dict[int, tuple[Real, list[tuple[Action, Any]]]] = {}
    committed: list[tuple[int, int, list[tuple[Action, Any]]]] = []

    def finish(number: int) -> None:
        real, log = running.pop(number)
        lsn = db.lsn
        try:
            at = real.t.commit()
        except ZengramError as error:
            outcome(error)
            return
        # One that only read ran at its snapshot: behind the commit of that time.
        committed.append((at, 0 if db.lsn > lsn else 1, log))

    for action in schedule:
        number, kind = action[:2]
        if kind == 6:
            if number in running:
                finish(number)
            continue
        if number not in running:
            running[number] = (Real(db.begin(isolation=SERIALIZABLE)), [])
        real, log = running[number]
        log.append((action, act(real, action)))
    for number in list(running):
        finish(number)

    rows = dict(start)
    for _, _, log in sorted(committed, key=lambda item: item[:2]):
        plain = Plain(rows)
        for action, got in log:
            assert act(plain, action) == got
    with db.begin() as t:
        assert {row["k"]: row["v"] for row in t.scan("t")} == rows
