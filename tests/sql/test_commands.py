"""Commands: branches, upkeep, remarks."""

import pytest
from sql_answers import answer, session

from zengram_py.sql.plan.statistics import table_statistics
from zengram_py.sql.session import Session


@pytest.fixture
def at() -> Session:
    made = session()
    made.run("create table t (id int primary key, a int, b text)")
    made.run("insert into t values (1, 10, 'one'), (2, 20, 'two'), (3, 30, 'three')")
    return made


def test_a_branch_is_forked_changed_and_merged(at: Session) -> None:
    assert answer(at, "create branch b") == ""
    at.run("set branch = b")
    at.run("insert into t values (4, 40, 'four')")
    at.run("delete from t where id = 1")
    at.run("set branch = main")
    assert answer(at, "select count(*) from t") == "3"
    assert answer(at, "merge branch b dry run").startswith("would merge|b|main|f|1|0|1|0|NULL")
    assert answer(at, "select count(*) from t") == "3"
    assert answer(at, "merge branch b").startswith("merged|b|main|t|1|0|1|0|NULL")
    assert answer(at, "select id from t order by id") == "2\n3\n4"
    assert [row[0] for row in at.run("show branches").rows] == ["main"]


def test_conflicts_are_rows_and_nothing_happens(at: Session) -> None:
    at.run("create branch b")
    at.run("update t set a = 11 where id = 1")
    at.run("update t set a = 22 where id = 2")
    at.run("set branch = b")
    at.run("update t set a = 12 where id = 1")
    at.run("delete from t where id = 2")
    at.run("set branch = main")
    found = at.run("merge branch b")
    names = [output.name for output in found.outputs]
    rows = [dict(zip(names, row, strict=True)) for row in found.rows]
    assert [(r["status"], r["dropped"], r["table_name"], r["key"]) for r in rows] == [
        ("conflict", False, "t", "1"),
        ("conflict", False, "t", "2"),
    ]
    assert rows[0]["base"] == '{"id":1,"a":10,"b":"one"}'
    assert rows[0]["ours"] == '{"id":1,"a":11,"b":"one"}'
    assert rows[0]["theirs"] == '{"id":1,"a":12,"b":"one"}'
    assert rows[1]["theirs"] is None
    assert answer(at, "select a from t order by id") == "11\n22\n30"
    assert answer(at, "merge branch b using theirs").startswith("merged|b|main|t|")
    assert answer(at, "select a from t order by id") == "12\n30"


def test_a_rebase_brings_what_the_parent_changed(at: Session) -> None:
    at.run("create branch b")
    at.run("insert into t values (4, 40, 'four')")
    assert answer(at, "alter branch b rebase dry run").startswith("would merge|main|b|f|1|")
    assert answer(at, "alter branch b rebase").startswith("merged|main|b|f|1|")
    assert answer(at, "alter branch b rebase").startswith("nothing to do|main|b|f|0|")
    at.run("set branch = b")
    assert answer(at, "select count(*) from t") == "4"


def test_a_branch_can_begin_in_the_past(at: Session) -> None:
    before = at.database.timestamp
    at.run("delete from t")
    at.run(f"create branch b from main as of timestamp {before}")
    at.run("set branch = b")
    assert answer(at, "select count(*) from t") == "3"


def test_the_list_of_branches(at: Session) -> None:
    at.run("create branch b")
    at.run("create branch c from b")
    at.run("set branch = c")
    at.run("delete from t")
    rows = at.run("show branches").rows
    assert [(name, parent, ahead, current) for name, parent, _, ahead, _, current in rows] == [
        ("main", None, 0, False),
        ("b", "main", 0, False),
        ("c", "b", 1, True),
    ]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("create branch main", "42710"),
        ("create branch if not exists main", ""),
        ("create branch b from nowhere", "42704"),
        ("create branch b as of timestamp null", "22004"),
        ("drop branch b", "42704"),
        ("drop branch if exists b", ""),
        ("drop branch main", "42809"),
        ("merge branch nowhere", "42704"),
        ("merge branch main", "22023"),
        ("merge branch main into nowhere", "42704"),
        ("alter branch main rebase", "42809"),
        ("alter branch nowhere rebase", "42704"),
        ("analyze", ""),
        ("analyze t", ""),
        ("analyze nothing", "42P01"),
        ("vacuum", ""),
        ("vacuum analyze t", ""),
        ("vacuum nothing", "42P01"),
        ("reindex table t", ""),
        ("reindex index t_pkey", ""),
        ("reindex index nothing", "42P01"),
        ("reindex schema nothing", "3F000"),
        ("comment on table t is 'a table'", ""),
        ("comment on table nothing is 'a table'", "42P01"),
        ("comment on column t.a is 'a number'", ""),
        ("comment on column t.z is 'a number'", "42703"),
        ("comment on index t_pkey is 'the key'", ""),
        ("comment on schema public is null", ""),
        ("comment on schema nothing is 'x'", "3F000"),
        ("comment on database nothing is 'x'", "3D000"),
        ("comment on type nothing is 'x'", "42704"),
    ],
)
def test_what_commands_say(at: Session, statement: str, expected: str) -> None:
    assert answer(at, statement) == expected


@pytest.mark.parametrize("statement", ["create branch b", "drop branch b", "merge branch b", "vacuum"])
def test_the_whole_database_does_not_change_inside_a_block(at: Session, statement: str) -> None:
    at.run("begin")
    assert answer(at, statement) == "25001"


@pytest.mark.parametrize("statement", ["create branch b", "drop branch b", "merge branch b", "vacuum"])
def test_the_whole_database_does_not_change_inside_a_function(at: Session, statement: str) -> None:
    assert answer(at, f"do $$ begin {statement}; end $$") == "25001"
    assert answer(at, "do $$ begin analyze t; end $$") == ""


def test_the_open_branch_is_not_dropped(at: Session) -> None:
    at.run("create branch b")
    at.run("set branch = b")
    assert answer(at, "drop branch b") == "55006"


def test_nothing_changes_in_the_past(at: Session) -> None:
    at.run(f"set as_of = '{at.database.timestamp}'")
    assert answer(at, "create branch b") == "25006"


def test_a_vacuum_takes_old_versions_away(at: Session) -> None:
    for i in range(5):
        at.run(f"update t set a = {i}")
    store = at.database.stores[at.tables()[0].id]
    assert len(store) == 18
    at.run("vacuum")
    assert len(store) == 3


def test_an_index_that_was_built_anew_finds_the_same(at: Session) -> None:
    at.run("create index on t (a)")
    at.run("reindex table t")
    assert answer(at, "select id from t where a = 20") == "2"
    assert answer(at, "select a from t where id = 3") == "30"


def test_statistics_know_how_values_spread(at: Session) -> None:
    for start in range(100, 1100, 100):
        rows = ", ".join(
            f"({i}, {i % 10}, {'null' if i % 4 == 0 else repr(str(i))})" for i in range(start, start + 100)
        )
        at.run(f"insert into t values {rows}")
    table = at.tables()[0]
    reader = at.database.begin().reader
    assert table_statistics(reader, table).columns == {}
    at.run("analyze t")
    found = table_statistics(at.database.begin().reader, table)
    assert found.rows == 1003
    assert [found.columns[place].distinct for place in range(3)] == [1003, 13, 753]
    assert found.columns[2].null_fraction == pytest.approx(250 / 1003)
    assert (found.columns[0].low, found.columns[0].high) == (1, 1099)
    assert found.columns[0].bounds == sorted(found.columns[0].bounds)
    at.run("insert into t values (5000, 1, 'x')")
    assert table_statistics(at.database.begin().reader, table).rows == 1004


def test_a_sample_tells_how_many_values_there_are(monkeypatch: pytest.MonkeyPatch, at: Session) -> None:
    monkeypatch.setattr("zengram_py.sql.plan.statistics.SAMPLE", 200)
    for start in range(100, 2100, 100):
        rows = ", ".join(f"({i}, {i % 7}, 'same')" for i in range(start, start + 100))
        at.run(f"insert into t values {rows}")
    at.run("analyze")
    found = table_statistics(at.database.begin().reader, at.tables()[0])
    assert found.columns[0].distinct == 2003
    assert 7 <= found.columns[1].distinct <= 12
