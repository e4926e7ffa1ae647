"""Property graphs: patterns, and the rows that they find."""

import random
from collections.abc import Iterator

import pytest
from sql_answers import answer, session

from zengram_py.sql.session import Session

SETUP = [
    "create table person (id int primary key, name text, age int)",
    "create table city (id int primary key, title text)",
    "create table knows (id int primary key, a int references person, b int, since int)",
    "create table lives (p int references person(id), c int references city(id))",
    "insert into person values (1,'ann',30),(2,'bob',40),(3,'cat',50),(4,'dan',20),(5,'eve',60)",
    "insert into city values (1,'oslo'),(2,'rome')",
    "insert into knows values (1,1,2,2000),(2,2,3,2005),(3,3,4,2010),(4,4,1,2015),(5,1,5,2020),(6,5,5,2021)",
    "insert into lives values (1,1),(2,1),(3,2),(4,2)",
    "create property graph g vertex tables (person label p properties (id, name as nick, age), city) edge tables (knows source key (a) references person (id) destination key (b) references person (id) properties (since), lives source person destination city no properties)",
]
PATTERNS = [
    (
        "select * from graph_table (g match (x is p)-[k is knows]->(y is p) columns (x.nick as a, k.since, y.nick as b)) order by 2",
        "ann|2000|bob\nbob|2005|cat\ncat|2010|dan\ndan|2015|ann\nann|2020|eve\neve|2021|eve",
    ),
    (
        "select * from graph_table (g match (x is p where x.age > 35)-[k is knows]->(y is p) columns (x.nick as a, y.nick as b)) order by 1",
        "bob|cat\ncat|dan\neve|eve",
    ),
    (
        "select * from graph_table (g match (x is p)<-[k is knows]-(y is p) where x.nick = 'ann' columns (y.nick as b)) order by 1",
        "dan",
    ),
    (
        "select * from graph_table (g match (x is p)-[k is knows]-(y is p) where x.nick = 'ann' columns (y.nick as b)) order by 1",
        "bob\ndan\neve",
    ),
    (
        "select * from graph_table (g match (x is p)-[k is knows]-(y is p) where x.nick = 'eve' columns (y.nick as b)) order by 1",
        "ann\neve",
    ),
    (
        "select * from graph_table (g match (x is p)-[is knows]->(y)-[is knows]->(z) where x.nick = 'ann' columns (y.nick as b, z.nick as c)) order by 1,2",
        "bob|cat\neve|eve",
    ),
    (
        "select * from graph_table (g match (x is p)-[is knows]->{1,3}(y) where x.nick = 'ann' columns (y.nick as b)) order by 1",
        "bob\ncat\ndan\neve\neve\neve",
    ),
    (
        "select * from graph_table (g match (x is p)-[is knows]->{1,6}(y) where x.nick = 'ann' columns (y.nick as b)) order by 1",
        "ann\nbob\nbob\ncat\ncat\ndan\neve\neve\neve\neve\neve\neve\neve\neve",
    ),
    (
        "select * from graph_table (g match (x is p)-[is knows]->*(y) where x.nick = 'ann' columns (y.nick as b)) order by 1",
        "ann\nbob\ncat\ndan\neve",
    ),
    (
        "select * from graph_table (g match (x is p)-[is knows]->+(y) where x.nick = 'ann' columns (y.nick as b)) order by 1",
        "ann\nbob\ncat\ndan\neve",
    ),
    (
        "select * from graph_table (g match (x is p)-[is knows]->{2,}(y) where x.nick = 'ann' columns (y.nick as b)) order by 1",
        "ann\nbob\ncat\ndan\neve",
    ),
    (
        "select * from graph_table (g match (x is p)-[is knows]->{0,1}(y) where x.nick = 'ann' columns (y.nick as b)) order by 1",
        "ann\nbob\neve",
    ),
    (
        "select * from graph_table (g match (x is p)-[is knows]->*(y) where y.nick = 'cat' columns (x.nick as b)) order by 1",
        "ann\nbob\ncat\ndan",
    ),
    (
        "select * from graph_table (g match (x is p)-[k is knows where k.since < 2012]->{1,5}(y) where x.nick = 'ann' columns (y.nick as b)) order by 1",
        "bob\ncat\ndan",
    ),
    (
        "select * from graph_table (g match (x is p)-[is lives]->(c is city)<-[is lives]-(y is p) where x.id < y.id columns (x.nick as a, y.nick as b, c.title)) order by 1",
        "ann|bob|oslo\ncat|dan|rome",
    ),
    (
        "select * from graph_table (g match (x is p)-[]->(c) where x.nick='ann' columns (c.nick as a, c.title)) order by 1,2",
        "bob|NULL\neve|NULL\nNULL|oslo",
    ),
    (
        "select * from graph_table (g match (x is p)->(c) where x.nick='ann' columns (c.nick as a, c.title)) order by 1,2",
        "bob|NULL\neve|NULL\nNULL|oslo",
    ),
    (
        "select * from graph_table (g match (v is p|city) columns (v.*)) order by 1, 2, 4",
        "1|ann|30|NULL\n1|NULL|NULL|oslo\n2|bob|40|NULL\n2|NULL|NULL|rome\n3|cat|50|NULL\n4|dan|20|NULL\n5|eve|60|NULL",
    ),
    (
        "select * from graph_table (g match (x is p)-[is knows|lives]->(c) where x.nick='ann' columns (c.nick as a, c.title)) order by 1,2",
        "bob|NULL\neve|NULL\nNULL|oslo",
    ),
    (
        "select * from graph_table (g match (x is p)-[is knows]->(y is p), (y)-[is lives]->(c is city) columns (x.nick as a, y.nick as b, c.title)) order by 1",
        "ann|bob|oslo\nbob|cat|rome\ncat|dan|rome\ndan|ann|oslo",
    ),
    (
        "select t.nick, count(*) from graph_table (g match (x is p)-[is knows]->(y is p) columns (x.nick)) t group by 1 order by 1",
        "ann|2\nbob|1\ncat|1\ndan|1\neve|1",
    ),
    (
        "select p.name, gt.b from person p, graph_table (g match (x is p)-[is knows]->(y is p) where x.id = p.id columns (y.nick as b)) gt order by 1, 2",
        "ann|bob\nann|eve\nbob|cat\ncat|dan\ndan|ann\neve|eve",
    ),
    ("select * from graph_table (g match (x is nope) columns (x.id))", "42704"),
    ("select * from graph_table (g match (x is p) columns (x.name))", "42703"),
    ("select * from graph_table (nope match (x is p) columns (x.name))", "42P01"),
    ("select * from graph_table (g match (x is p)-[k is knows]->{1,2}(y) columns (k.since))", "0A000"),
    ("select count(*) from graph_table (g match (a is p)-[is knows]-{1,2}(b is p) columns (a.id))", "36"),
    (
        "select count(*) from graph_table (g match (a is p)-[is knows]-{1,4}(b is p) where a.id = 4 columns (b.id))",
        "42",
    ),
    ("select count(*) from graph_table (g match (a)-[]->{1,2}(b) columns (1 as one))", "21"),
    ("select count(*) from graph_table (g match (a)-[]->*(b) columns (1 as one))", "0A000"),
]
DEFINITIONS = [
    ("create property graph g vertex tables (person)", "42P07"),
    ("drop property graph g", ""),
    ("drop property graph g", "42704"),
    ("drop property graph if exists g", ""),
    ("create property graph h vertex tables (nope)", "42P01"),
    ("create property graph h vertex tables (lives)", "42P17"),
    (
        "create property graph h vertex tables (person) edge tables (knows source person destination person)",
        "",
    ),
    (
        "create property graph h vertex tables (person) edge tables (knows source key (zz) references person destination person)",
        "42P07",
    ),
    ("create property graph h vertex tables (person, person)", "42P07"),
    (
        "create property graph h vertex tables (person) edge tables (knows source key (a) references city destination person)",
        "42P07",
    ),
]


@pytest.fixture(scope="module")
def at() -> Session:
    made = session()
    for statement in SETUP:
        made.run(statement)
    return made


@pytest.mark.parametrize(("query", "expected"), PATTERNS)
def test_what_a_pattern_finds(at: Session, query: str, expected: str) -> None:
    assert answer(at, query) == expected


def test_graphs_are_defined_and_dropped() -> None:
    made = session()
    for statement in SETUP:
        made.run(statement)
    for statement, expected in DEFINITIONS:
        assert answer(made, statement) == expected, statement


def test_a_graph_needs_no_names_where_keys_say_enough(at: Session) -> None:
    at.run(
        "create property graph small vertex tables (person, city) edge tables (lives source person destination city)"
    )
    query = "select * from graph_table (small match (p is person)-[is lives]->(c) columns (p.name, c.title)) order by 1"
    assert answer(at, query) == "ann|oslo\nbob|oslo\ncat|rome\ndan|rome"


def test_a_graph_is_the_branchs_own(at: Session) -> None:
    at.run("create branch b")
    at.run("set branch = b")
    at.run("delete from knows where a = 1")
    query = "select count(*) from graph_table (g match (x is p)-[is knows]->(y is p) columns (x.id))"
    assert answer(at, query) == "4"
    at.run("drop property graph g")
    at.run("set branch = main")
    assert answer(at, query) == "6"
    at.run("drop branch b")


# Walks, compared with walking.

Edges = list[tuple[int, int]]


def steps(edges: Edges, direction: str, at: int) -> Iterator[int]:
    for one, other in edges:
        if direction in ("right", "any") and one == at:
            yield other
        if direction == "left" and other == at:
            yield one
        if direction == "any" and other == at and one != at:
            yield one


def walks(edges: Edges, direction: str, start: int, least: int, most: int) -> list[int]:
    found, here = [start] if not least else [], [start]
    for length in range(1, most + 1):
        here = [to for at in here for to in steps(edges, direction, at)]
        if length >= least:
            found += here
    return found


def reached(edges: Edges, direction: str, start: int, least: int) -> set[int]:
    here = {start}
    for _ in range(least):
        here = {to for at in here for to in steps(edges, direction, at)}
    found: set[int] = set()
    while here - found:
        found |= here
        here = {to for at in here for to in steps(edges, direction, at)}
    return found


@pytest.mark.parametrize("seed", range(6))
def test_walks_are_what_walking_finds(seed: int) -> None:
    chance = random.Random(seed)
    size = chance.randint(2, 6)
    edges = [(chance.randrange(size), chance.randrange(size)) for _ in range(chance.randint(1, 8))]
    made = session()
    made.run("create table v (id int primary key)")
    made.run("create table e (id int primary key, a int, b int)")
    made.run("insert into v values " + ", ".join(f"({i})" for i in range(size)))
    made.run("insert into e values " + ", ".join(f"({i}, {a}, {b})" for i, (a, b) in enumerate(edges)))
    made.run(
        "create property graph g vertex tables (v) edge tables "
        "(e source key (a) references v (id) destination key (b) references v (id))"
    )
    for arrow, direction in (("-[]->", "right"), ("<-[]-", "left"), ("-[]-", "any")):
        for least, most in ((1, 1), (0, 1), (1, 2), (2, 3), (1, 4), (0, 5), (3, 5)):
            for anchored in ("", "where y.id = 0"):
                expected = sorted(
                    (start, end)
                    for start in range(size)
                    for end in walks(edges, direction, start, least, most)
                    if not anchored or end == 0
                )
                query = f"select * from graph_table (g match (x){arrow}{{{least},{most}}}(y) {anchored} columns (x.id as a, y.id as b))"
                assert sorted(made.run(query).rows) == expected, query
        for sign, least in (("*", 0), ("+", 1), ("{2,}", 2)):
            pairs = sorted((s, end) for s in range(size) for end in reached(edges, direction, s, least))
            query = f"select * from graph_table (g match (x){arrow}{sign}(y) columns (x.id as a, y.id as b))"
            assert sorted(made.run(query).rows) == pairs, query


def test_keys_of_several_columns() -> None:
    made = session()
    made.run("create table v (a int, b int, primary key (a, b))")
    made.run("create table e (fa int, fb int, ta int, tb int)")
    made.run("insert into v values (1, 1), (1, 2), (2, 1)")
    made.run("insert into e values (1, 1, 1, 2), (1, 2, 2, 1)")
    made.run(
        "create property graph g vertex tables (v) edge tables "
        "(e source key (fa, fb) references v (a, b) destination key (ta, tb) references v (a, b))"
    )
    query = "select * from graph_table (g match (x)-[]->{quantifier}(y) where x.a = 1 and x.b = 1 columns (y.a, y.b)) order by 1, 2"
    assert answer(made, query.replace("{quantifier}", "{1,2}")) == "1|2\n2|1"
    assert answer(made, query.replace("{quantifier}", "{1,9}")) == "1|2\n2|1"
    assert answer(made, query.replace("{quantifier}", "*")) == "1|1\n1|2\n2|1"


def test_a_pattern_that_means_too_much_is_refused(at: Session) -> None:
    query = "select * from graph_table (g match (a)-[]-{1,3}(b)-[]-{1,3}(c)-[]-{1,3}(d) columns (a.id))"
    assert answer(at, query) == "54001"
