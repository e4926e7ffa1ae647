"""Property graphs: what paths give, beside the joins that say the same."""

from __future__ import annotations

from typing import Any

import pytest

from zengram_py.engine import Database
from zengram_py.errors import SqlError
from zengram_py.sql.session import Session

SETUP = """
create table person (id int primary key, name text, boss int);
create table town (id int primary key, name text, size int);
create table knows (a int, b int, since int);
create table lives (person int primary key, town int);
insert into person values (1, 'Ann', null), (2, 'Bob', 1), (3, 'Cid', 1), (4, 'Dee', 3);
insert into town values (1, 'Ulm', 7), (2, 'Bonn', 9);
insert into knows values (1, 2, 2001), (2, 3, 2002), (3, 1, 2003), (3, 3, 2004);
insert into lives values (1, 1), (2, 1), (3, 2);
create property graph g
    vertex tables (person, town properties (id, name, size))
    edge tables (
        knows key (a, b) source key (a) references person (id) destination key (b) references person (id) label knows,
        lives source key (person) references person (id) destination key (town) references town (id),
        person as led key (id) source key (boss) references person (id) destination key (id) references person (id) label leads
            properties (name as whom)
    )
"""


@pytest.fixture
def session() -> Session:
    found = Session(Database.open())
    found.run_script(SETUP)
    return found


def rows(session: Session, sql: str) -> list[tuple[Any, ...]]:
    return session.run(sql).rows


CASES = {
    "match (p is person)-[k is knows]->(q is person) columns (p.name as x, q.name as y, k.since)": (
        "select p.name, q.name, k.since from person p join knows k on k.a = p.id join person q on q.id = k.b"
    ),
    "match (q)<-[k is knows]-(p) columns (p.name as x, q.name as y)": (
        "select p.name, q.name from person p join knows k on k.a = p.id join person q on q.id = k.b"
    ),
    "match (p is person)-[k is knows]-(q is person) columns (p.id as x, q.id as y)": (
        "select k.a, k.b from knows k union all select k.b, k.a from knows k where k.a <> k.b"
    ),
    "match (p)-[is knows]->{2}(q) columns (p.id as x, q.id as y)": (
        "select k.a, l.b from knows k join knows l on l.a = k.b"
    ),
    "match (p is person)-[is knows]->{0,1}(q) columns (p.id as x, q.id as y)": (
        "select id, id from person union all select a, b from knows"
    ),
    "match (p)-[is leads|lives]->(q) columns (p.name as x, q.name as y, q.size)": (
        "select b.name, p.name, null from person p join person b on b.id = p.boss union all "
        "select p.name, t.name, t.size from person p join lives l on l.person = p.id join town t on t.id = l.town"
    ),
    "match (p)-[e is leads]->(q where q.id > 2) where p.name <> 'Bob' columns (p.id as x, e.whom as y)": (
        "select b.id, p.name from person p join person b on b.id = p.boss where p.id > 2 and b.name <> 'Bob'"
    ),
    "match (p)-[is lives]->(t), (q)-[is lives]->(t) where p.id < q.id columns (p.id as x, q.id as y, t.name)": (
        "select p.person, q.person, t.name from lives p join lives q on q.town = p.town join town t on t.id = p.town "
        "where p.person < q.person"
    ),
    "match (p is person) columns (p.id as x)": "select id from person",
    "match (t is town)-[is knows]->(q) columns (q.name as x)": "select name from person where false",
    "match (p)-[is knows]->(p) columns (p.id as x)": "select a from knows where a = b",
}


@pytest.mark.parametrize("pattern", CASES)
def test_paths_are_the_joins_that_they_stand_for(session: Session, pattern: str) -> None:
    found = rows(session, f"select * from graph_table (g {pattern})")
    assert sorted(found, key=repr) == sorted(rows(session, CASES[pattern]), key=repr)


def test_a_graph_is_a_source_like_others(session: Session) -> None:
    sql = (
        "select y, count(*) from graph_table (g match (p)-[is lives]->(t) columns (p.id as x, t.name as y)) as l "
        "join person on person.id = l.x group by y order by y"
    )
    assert rows(session, sql) == [("Bonn", 1), ("Ulm", 2)]


REFUSED = {
    "select * from graph_table (nothing match (p) columns (p.id))": "42P01",
    "select * from graph_table (g match (p is nobody) columns (p.id))": "42704",
    "select * from graph_table (g match (p is person) columns (p.size))": "42703",
    "select * from graph_table (g match (p) columns (*))": "42601",
    "select * from graph_table (g match (p)-[]->*(q) columns (q.name as x))": "0A000",
    "create property graph g vertex tables (person)": "42P07",
    "create property graph h vertex tables (nobody)": "42P01",
    "create property graph h vertex tables (knows)": "42P17",
    "create property graph h vertex tables (person, person)": "42712",
    "create property graph h vertex tables (person key (nope))": "42703",
    "create property graph h vertex tables (person) edge tables (lives source key (person) references town (id) "
    "destination key (town) references town (id))": "42704",
}


@pytest.mark.parametrize("sql", REFUSED)
def test_refused(session: Session, sql: str) -> None:
    with pytest.raises(SqlError) as caught:
        session.run(sql)
    assert caught.value.sqlstate == REFUSED[sql]


def test_graphs_belong_to_the_schema(session: Session) -> None:
    session.run("create property graph if not exists g vertex tables (person)")
    session.run("create branch b")
    session.run("drop property graph g")
    with pytest.raises(SqlError, match="does not exist"):
        session.run("select * from graph_table (g match (p) columns (p.id))")
    session.run("set branch = b")
    assert len(rows(session, "select * from graph_table (g match (p is person) columns (p.id))")) == 4
