"""Plans answer what the query says: the planner's own against the plainest, over queries made at random, and faults that these found."""

import random

import pytest
from queries_at_random import Maker, counted, filled, plainly
from sql_answers import answer, session

from zengram_py.sql.plan import subplans
from zengram_py.sql.session import Session


@pytest.mark.parametrize("seed", range(24))
def test_a_plan_answers_what_the_plainest_answers(seed, monkeypatch):
    chance = random.Random(seed)
    made = filled(chance)
    for _ in range(6):
        text, _ = Maker(chance).query(2)
        with plainly():
            plain = counted(Session(made.database), text)
        for few in (0, 8, 10**9):
            monkeypatch.setattr(subplans, "FEW", few)
            assert counted(Session(made.database), text) == plain, text


FOUND = [
    # what a subquery computes is null in the rows that an outer join adds
    ("select a.k, q.c from a left join (select 'x' c, k from b) q on q.k = a.k order by 1", "1|NULL\n2|x"),
    (
        "select q.c, b.k from (select coalesce(v, 0) c, k from a) q right join b on q.k = b.k order by 2",
        "20|2\nNULL|3",
    ),
    (
        "select q.d, b.k from (select c d, k from (select 'x' c, k from a) p) q full join b on q.k = b.k order by 2, 1",
        "x|2\nNULL|3\nx|NULL",
    ),
    (
        "select a.k, q.c from a left join lateral (select a.v c, b.k from b) q on q.k = a.k order by 1",
        "1|NULL\n2|20",
    ),
    # a condition on what is opened below an outer join goes where its columns are
    (
        "select a.k, c.k from a left join (select k x, k + 1 y from b) q on q.x = a.k join b c on c.k = q.x",
        "2|2",
    ),
    (
        "select q.k, c.k from a left join (select k from b) q on q.k = a.k join b c on exists (select from a d where d.k = q.k) order by 1, 2",
        "2|2\n2|3",
    ),
    # a condition on an aggregate behind an opened subquery stays above the groups
    (
        "select n from (select n from (select count(*) n, v from a group by v) p group by n) q where n > 1",
        "",
    ),
    # the order of a subquery is that of what is gathered from it
    ("select array_agg(k) from (select k from b order by k desc) q", "{3,2}"),
    ("select k from (select * from b order by k desc) q", "3\n2"),
    # lateral and a query that begins with parentheses
    ("select x from a cross join lateral ((select a.k) union all (select 0)) q (x) order by 1", "0\n0\n1\n2"),
]


@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_what_was_found(text, expected):
    made = session()
    made.run("create table a (k int primary key, v int)")
    made.run("insert into a values (1, 10), (2, 20)")
    made.run("create table b (k int primary key)")
    made.run("insert into b values (2), (3)")
    assert answer(made, text) == expected


@pytest.mark.parametrize("batch_rows", [1, 2, 7])
def test_rows_come_in_batches_of_any_size(batch_rows, monkeypatch):
    chance = random.Random(batch_rows)
    made = filled(chance)
    texts = [Maker(chance).query(2)[0] for _ in range(25)]
    whole = [counted(Session(made.database), text) for text in texts]
    monkeypatch.setattr(
        "zengram_py.sql.execute.context.Context.__init__.__kwdefaults__",
        {"batch_rows": batch_rows, "deadline": None},
    )
    assert [counted(Session(made.database), text) for text in texts] == whole
