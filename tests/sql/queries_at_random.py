"""Queries made at random over three small tables full of nulls and ties, and two plans for each: the planner's own, and the plainest there is.

The plain planner opens no subquery, pushes nothing down, simplifies no outer join, uses no index and runs a correlated subquery for each row. What it
answers is what the query says, so both must give the same rows.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from sql_answers import session

from zengram_py.errors import ZengramError
from zengram_py.sql.errors import sqlstate_of
from zengram_py.sql.plan import joining, planner, subplans, tables
from zengram_py.sql.session import Session

COLUMNS = {"id": "i", "x": "i", "y": "i", "s": "s", "f": "f"}
TABLES = ("ta", "tb", "tc")
INDEXES = [
    "create index on ta (x)",
    "create index on ta (s, y)",
    "create index on tb (x, y)",
    "create index on tb (y) where x > 0",
    "create index on tb (f)",
    "create unique index on tc (x, id)",
    "create index on tc (lower(s))",
    "create index on tc (s)",
]


def value(chance: random.Random, kind: str, nulls: float = 0.3) -> str:
    """Return a constant as SQL."""
    if chance.random() < nulls:
        return {"i": "null::int", "s": "null::text", "f": "null::float8"}[kind]
    if kind == "i":
        return str(chance.randint(-1, 4))
    if kind == "s":
        return chance.choice(["''", "'a'", "'b'", "'A'", "'ab'"])
    return chance.choice(["0.5::float8", "1::float8", "'NaN'::float8", "'-0'::float8", "2::float8"])


def filled(chance: random.Random, rows: int = 9, *, indexes: bool = True) -> Session:
    """Return a session on a database with the tables."""
    made = session()
    for number, table in enumerate(TABLES):
        made.run(f"create table {table} (id int primary key, x int, y int, s text, f float8)")
        for row in range(rows - 2 * number):
            values = ", ".join(value(chance, kind) for kind in ("i", "i", "s", "f"))
            made.run(f"insert into {table} values ({row}, {values})")
    if indexes:
        for text in INDEXES:
            made.run(text)
    return made


class Maker:
    """Makes queries."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.count = 0

    def alias(self) -> str:
        self.count += 1
        return f"q{self.count}"

    def column(self, scope: list[tuple[str, str]], kind: str) -> str | None:
        found = [name for name, of in scope if of == kind]
        return self.chance.choice(found) if found else None

    def scalar(self, scope: list[tuple[str, str]], kind: str, depth: int) -> str:
        chance = self.chance
        column = self.column(scope, kind)
        pick = chance.random()
        if column is not None and pick < 0.6:
            return column
        if depth > 0 and pick < 0.7:
            return self.subvalue(scope, kind, depth - 1)
        if depth > 0 and kind == "i" and pick < 0.85:
            return f"({self.scalar(scope, 'i', depth - 1)} + {self.scalar(scope, 'i', depth - 1)})"
        if depth > 0 and pick < 0.9:
            return f"coalesce({self.scalar(scope, kind, depth - 1)}, {self.scalar(scope, kind, 0)})"
        if depth > 0 and pick < 0.95:
            one, other = self.scalar(scope, kind, depth - 1), self.scalar(scope, kind, 0)
            return f"case when {self.condition(scope, depth - 1)} then {one} else {other} end"
        return value(chance, kind, 0.1)

    def subvalue(self, scope: list[tuple[str, str]], kind: str, depth: int) -> str:
        sources, inner = self.sources(1 if self.chance.random() < 0.7 else 2, depth, scope)
        both = [*inner, *scope]
        what = self.scalar(inner, kind, 0)
        function = self.chance.choice(["min", "max", "count"] if kind == "i" else ["min", "max"])
        call = f"{function}({what})"
        if kind == "i" and function == "count":
            call += "::int"
        where = self.link(inner, scope) if self.chance.random() < 0.7 else self.condition(both, depth)
        if self.chance.random() < 0.3:
            where += f" and {self.condition(both, depth)}"
        if self.chance.random() < 0.2:
            return f"(select {what} from {sources} where {where} order by {self.key(inner)} limit 1)"
        return f"(select {call} from {sources} where {where})"

    def key(self, scope: list[tuple[str, str]]) -> str:
        names = [name for name, _ in scope]
        self.chance.shuffle(names)
        return ", ".join(names)

    def link(self, inner: list[tuple[str, str]], outer: list[tuple[str, str]]) -> str:
        for _ in range(5):
            kind = self.chance.choice("iisf")
            one, other = self.column(inner, kind), self.column(outer, kind)
            if one and other:
                return self.chance.choice([f"{one} = {other}", f"{other} = {one}"])
        return "true"

    def condition(self, scope: list[tuple[str, str]], depth: int) -> str:
        chance = self.chance
        kind = chance.choice("iiisf")
        pick = chance.random()
        if depth > 0 and pick < 0.2:
            word = chance.choice(["and", "or"])
            return f"({self.condition(scope, depth - 1)} {word} {self.condition(scope, depth - 1)})"
        if depth > 0 and pick < 0.25:
            return f"(not {self.condition(scope, depth - 1)})"
        if depth > 0 and pick < 0.35:
            sources, inner = self.sources(1, depth - 1, scope)
            where = chance.choice([self.link(inner, scope), self.condition([*inner, *scope], depth - 1)])
            return f"{chance.choice(['', 'not '])}exists (select from {sources} where {where})"
        one = self.scalar(scope, kind, depth)
        if depth > 0 and pick < 0.45:
            sources, inner = self.sources(1, depth - 1, scope)
            where = chance.choice(
                ["true", self.link(inner, scope), self.condition([*inner, *scope], depth - 1)]
            )
            how = chance.choice(["in", "not in", "> all", "<= any", "<> all"])
            return f"{one} {how} (select {self.scalar(inner, kind, 0)} from {sources} where {where})"
        if pick < 0.52:
            return f"{one} is {chance.choice(['', 'not '])}null"
        if pick < 0.58:
            items = ", ".join(value(chance, kind, 0.1) for _ in range(chance.randint(1, 3)))
            return f"{one} {chance.choice(['in', 'not in'])} ({items})"
        other = self.scalar(scope, kind, 0)
        if pick < 0.62:
            return f"{one} is {chance.choice(['', 'not '])}distinct from {other}"
        if pick < 0.65:
            return f"({one} = {other}) is {chance.choice(['true', 'not true', 'false', 'not false', 'unknown', 'not unknown'])}"
        if pick < 0.68:
            return f"coalesce({one}, {value(chance, kind, 0)}) = {other}"
        return f"{one} {chance.choice(['=', '=', '=', '<', '<=', '>', '>=', '<>'])} {other}"

    def source(
        self, depth: int, outer: list[tuple[str, str]], before: list[tuple[str, str]]
    ) -> tuple[str, list[tuple[str, str]]]:
        alias = self.alias()
        pick = self.chance.random()
        if depth <= 0 or pick < 0.6:
            table = self.chance.choice(TABLES)
            return f"{table} {alias}", [(f"{alias}.{name}", kind) for name, kind in COLUMNS.items()]
        lateral = bool(before) and pick < 0.75
        text, kinds = self.query(depth - 1, [*before, *outer] if lateral else outer)
        names = [f"c{i}" for i in range(len(kinds))]
        return f"{'lateral ' if lateral else ''}({text}) {alias} ({', '.join(names)})", [
            (f"{alias}.{name}", kind) for name, kind in zip(names, kinds, strict=True)
        ]

    def sources(
        self, count: int, depth: int, outer: list[tuple[str, str]]
    ) -> tuple[str, list[tuple[str, str]]]:
        text, scope = self.source(depth, outer, [])
        for _ in range(count - 1):
            kind = self.chance.choice(["cross", "inner", "inner", "left", "left", "right", "full"])
            more, added = self.source(depth, outer, scope if kind in ("cross", "inner", "left") else [])
            if kind == "cross":
                text = f"{text} cross join {more}"
            else:
                on = self.link(added, scope)
                if self.chance.random() < 0.4:
                    # PostgreSQL joins fully only by what it can merge or hash, so the equality stays
                    on += f" and {self.condition([*scope, *added], 0)}"
                elif kind != "full" and self.chance.random() < 0.3:
                    on = self.condition([*scope, *added], min(depth, 1))
                text = f"{text} {kind} join {more} on {on}"
            scope = [*scope, *added]
        return text, scope

    def query(
        self,
        depth: int,
        outer: Sequence[tuple[str, str]] = (),
        width: int | None = None,
        kinds: list[str] | None = None,
    ) -> tuple[str, list[str]]:
        chance = self.chance
        kinds = kinds or [chance.choice("iisf") for _ in range(width or chance.randint(1, 3))]
        pick = chance.random()
        if depth > 0 and pick < 0.2:
            word = chance.choice(["union", "union all", "intersect", "intersect all", "except", "except all"])
            one, _ = self.query(depth - 1, outer, kinds=kinds)
            other, _ = self.query(depth - 1, outer, kinds=kinds)
            return f"({one}) {word} ({other})", kinds
        sources, scope = self.sources(chance.choice([1, 1, 2, 2, 3]), depth, outer)
        both = [*scope, *outer]
        where = ""
        if chance.random() < 0.7:
            where = f" where {self.condition(both, depth)}"
            if chance.random() < 0.4:
                where += f" and {self.condition(both, depth)}"
        if pick < 0.4:
            keys = [c for c in dict.fromkeys(self.column(scope, k) for k in chance.sample("isf", 2)) if c]
            of_keys = [(k, dict(scope)[k]) for k in keys]
            targets = []
            for kind in kinds:
                found = self.column(of_keys, kind)
                if found and chance.random() < 0.6:
                    targets.append(found)
                else:
                    call = f"{chance.choice(['min', 'max'])}({self.scalar(scope, kind, 0)})"
                    targets.append("count(*)::int" if kind == "i" and chance.random() < 0.5 else call)
            group = f" group by {', '.join(keys)}" if keys else ""
            having = (
                f" having count(*) {chance.choice(['>', '<'])} {chance.randint(0, 3)}"
                if chance.random() < 0.3
                else ""
            )
            return f"select {', '.join(targets)} from {sources}{where}{group}{having}", kinds
        targets = [self.scalar(both if chance.random() < 0.3 else scope, kind, depth) for kind in kinds]
        distinct = "distinct " if pick > 0.9 else ""
        text = f"select {distinct}{', '.join(targets)} from {sources}{where}"
        if 0.75 < pick < 0.9:
            keys = [
                f"{i + 1} {chance.choice(['', 'desc', 'nulls first', 'desc nulls last'])}"
                for i in range(len(kinds))
            ]
            chance.shuffle(keys)
            text += f" order by {', '.join(keys)}"
            if chance.random() < 0.6:
                text += f" limit {chance.randint(0, 5)}"
                if chance.random() < 0.4:
                    text += f" offset {chance.randint(0, 3)}"
        return text, kinds


@contextmanager
def plainly() -> Iterator[None]:
    """In the block, plan in the plainest way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planner.Planner, "opened", lambda *_, **__: None)
        patch.setattr(joining.Joiner, "_simplified", lambda self, source: source)
        patch.setattr(joining.Joiner, "_lookup", lambda self, *_: None)
        patch.setattr(
            joining, "plan_with", lambda p, source, conditions: (p.query(source.query), list(conditions))
        )
        patch.setattr(tables, "has_all", lambda index, conditions: False)
        patch.setattr(subplans, "keyed", lambda *_: None)
        patch.setattr(joining, "hashable", lambda one, other: False)
        yield


def counted(made: Session, text: str) -> Any:
    """Return the rows of a query, in no order, or its SQLSTATE."""
    try:
        rows = made.run(text).rows
    except ZengramError as failure:
        return sqlstate_of(failure)
    return Counter(
        tuple("NaN" if v != v else 0.0 if v == 0 and isinstance(v, float) else v for v in row) for row in rows
    )
