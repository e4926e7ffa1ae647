"""Random queries over random small tables: joins, subqueries, groups, windows, set operations and what goes with them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from random_expressions import LITERALS, Column, Grammar, Scope
from random_trees import TYPES, Called, Derived, Expression, Join, Node, Query, Table, Union, expression

DIRECTIONS = ["", "desc", "nulls first", "desc nulls last", "asc nulls last"]
DIRECTIONS_SQLITE = ["nulls first", "desc nulls last", "asc nulls last", "desc nulls first"]
SETS = ["union", "union all", "intersect", "except"]
VALUES = {
    "I": ["-2", "-1", "0", "1", "2", "3", "10"],
    "L": ["-2", "0", "1", "2", "5000000000", "-7"],
    "F": ["-1.5", "0", "0.5", "1", "2.5", "cast('nan' as float8)", "4"],
    "N": ["-2.25", "0.00", "1.00", "1.50", "3.00", "10.25"],
    "T": ["''", "'a'", "'b'", "'ab'", "'B'", "'12'"],
    "B": ["true", "false"],
    "D": ["'2024-01-01'", "'2024-02-29'", "'2024-01-31'", "'1969-12-31'"],
    "S": ["'2024-01-01 00:00'", "'2024-02-29 12:30:00.5'", "'2024-01-31 23:59:59'"],
}


@dataclass(frozen=True)
class RandomTable:
    """A table and its rows.

    Attributes
    ----------
    keyed : bool
        Whether its column ``id`` is a primary key.
    indexed : str
        A column with an index, or empty.
    """

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    keyed: bool = False
    indexed: str = ""

    def statements(self) -> list[str]:
        """Return what makes it."""
        parts = [f"{c.name} {TYPES[c.kind]}" for c in self.columns]
        if self.keyed:
            parts[0] += " primary key"
        made = [f"create table {self.name} ({', '.join(parts)})"]
        if self.indexed:
            made.append(f"create index on {self.name} ({self.indexed})")
        if self.rows:
            rows = ", ".join(f"({', '.join(row)})" for row in self.rows)
            made.append(f"insert into {self.name} values {rows}")
        return made


def random_tables(chance: random.Random, kinds: str) -> list[RandomTable]:
    """Return three tables, one of them sometimes without rows."""
    made = []
    for name in ("t1", "t2", "t3"):
        columns = [Column("id", "I")]
        for number in range(chance.randint(2, 5)):
            kind = chance.choice(kinds + "I")
            columns.append(Column(f"{kind.lower()}{number}", kind))
        count = 0 if chance.random() < 0.08 else chance.randint(1, 9)
        rows = tuple(
            (
                str(i),
                *("null" if chance.random() < 0.25 else chance.choice(VALUES[c.kind]) for c in columns[1:]),
            )
            for i in range(1, count + 1)
        )
        if "B" in kinds:  # SQLite knows capitals of ASCII alone
            rows = tuple(tuple(v.replace("'ab'", "'é'") for v in row) for row in rows)
        indexed = chance.choice(columns[1:]).name if chance.random() < 0.5 else ""
        made.append(RandomTable(name, tuple(columns), rows, chance.random() < 0.6, indexed))
    return made


class Queries(Grammar):
    """What makes queries over some tables."""

    def __init__(self, chance: random.Random, tables: Sequence[RandomTable], sqlite: bool = False) -> None:
        super().__init__(chance, sqlite)
        self.tables = {table.name: table.columns for table in tables}
        self.directions = DIRECTIONS_SQLITE if sqlite else DIRECTIONS
        self.subquery = self._subquery
        self._aliases = 0

    def query(self) -> Node:
        """Return a random query."""
        self._aliases = 0
        common: tuple[tuple[str, Node], ...] = ()
        before = dict(self.tables)
        if self.sometimes(0.15):
            inner, columns = self.select(Scope(), depth=1)
            names = tuple(Column(f"c{i}", c.kind, c.exact) for i, c in enumerate(columns, 1))
            self.tables["q"] = names
            common = ((f"q ({', '.join(c.name for c in names)})", inner),)
        found: Query | Union
        if self.sometimes(0.15):
            found = self._set_operation()
        else:
            found, _ = self.select(Scope(), depth=2, top=True)
        self.tables = before
        if not common:
            return found
        if isinstance(found, Query):
            return replace(found, tables=common)
        left = replace(found.left, tables=common)
        right = found.right.render()
        return left if " q " in right else replace(found, left=left)

    # Sources.

    def _alias(self) -> str:
        self._aliases += 1
        return f"a{self._aliases}"

    def _source(self, outer: Scope | None, depth: int) -> tuple[Node, list[Column], bool]:
        """Return a source, its columns, and whether it holds nothing but tables."""
        shape = self.chance.random()
        if shape < 0.4:
            return self._single(outer, depth)
        left, columns, plain = self._single(outer, depth)
        for _ in range(1 if shape < 0.8 else 2):
            right, more, also = self._joinable(columns, outer, depth)
            kind = self.one(["inner", "left", "left", "right", "full", "cross"])
            if kind in ("right", "full") and getattr(right, "lateral", False):
                kind = "left"
            scope = Scope(columns + more, outer)
            on: Node | None = None
            if kind == "full":
                on = self._equality(columns, more)
            elif kind != "cross":
                on = self._equality(columns, more) if self.sometimes(0.6) else self.condition(scope, 1)
            if kind != "cross" and on is None:
                kind = "cross"
            left, columns, plain = Join(kind, left, right, on), columns + more, plain and also
        return left, columns, plain

    def _equality(self, left: Sequence[Column], right: Sequence[Column]) -> Expression | None:
        """Return an equality between two sides, None if nothing can be equal."""
        pairs = [(a, b) for a in left for b in right if a.kind == b.kind]
        if not pairs:
            return None
        a, b = self.chance.choice(pairs)
        return expression("B", expression(a.kind, a.name), " = ", expression(b.kind, b.name))

    def _single(self, outer: Scope | None, depth: int) -> tuple[Node, list[Column], bool]:
        alias = self._alias()
        if depth > 0 and self.sometimes(0.2):
            query, columns = self.select(Scope([], None), depth - 1)
            return (*self._derived(query, alias, columns, False), False)
        if not self.sqlite and self.sometimes(0.06):
            call = self.one(
                ["generate_series(1, 3)", "generate_series(0, 4, 2)", "unnest(array[1, 2, null])"]
            )
            return Called(call, alias, "n"), [Column(f"{alias}.n", "I")], False
        name = self.one(list(self.tables))
        columns = [Column(f"{alias}.{c.name}", c.kind, c.exact) for c in self.tables[name]]
        return Table(name, alias), columns, name != "q"

    def _joinable(
        self, reach: list[Column], outer: Scope | None, depth: int
    ) -> tuple[Node, list[Column], bool]:
        """Return a source that may be lateral: name columns to its left."""
        if self.sqlite or depth <= 0 or not self.sometimes(0.12):
            return self._single(outer, depth)
        alias = self._alias()
        query, columns = self.select(Scope(reach, outer), depth - 1, correlated=True)
        return (*self._derived(query, alias, columns, True), False)

    def _derived(
        self, query: Query, alias: str, columns: Sequence[Column], lateral: bool
    ) -> tuple[Node, list[Column]]:
        """Return a query in from and its columns, which have names of their own where that can be said."""
        letter = "o" if self.sqlite or self.sometimes(0.5) else "c"
        names = tuple(f"{letter}{i}" for i in range(1, len(columns) + 1))
        found = Derived(query, alias, names if letter == "c" else (), lateral)
        pairs = zip(names, columns, strict=True)
        return found, [Column(f"{alias}.{name}", c.kind, c.exact) for name, c in pairs]

    # Selects.

    def select(
        self,
        around: Scope,
        depth: int,
        *,
        top: bool = False,
        kinds: Sequence[str] = (),
        correlated: bool = False,
    ) -> tuple[Query, list[Column]]:
        """Return a select, and the columns that it gives.

        Parameters
        ----------
        around : Scope
            What columns of queries around are in reach, if it is correlated.
        top : bool
            Whether it is the whole statement, so that outputs may fail.
        kinds : sequence of str
            Of its outputs; none are random ones.
        """
        outer = around if correlated else None
        source, columns, plain = self._source(outer, depth)
        scope = Scope(columns, outer)
        where = self.condition(scope, 2) if self.sometimes(0.45) else None
        wanted = list(kinds) or [self.kind() for _ in range(self.chance.randint(1, 4))]
        form = self.chance.random()
        limited = self.sometimes(0.15)
        self.may_fail = top and plain and not limited and not self.sqlite and self.sometimes(0.3)
        if form < 0.3:
            query = self._grouped(source, where, scope, wanted)
        elif form < 0.45 and not kinds:
            rows = self._rows_in_order(scope)
            targets = [self._window(k, scope, rows) for k in wanted]
            query = Query(tuple(targets), source, where)
        else:
            targets = [self.value(k, scope, 2) for k in wanted]
            query = Query(tuple(targets), source, where, distinct="distinct " * self.sometimes(0.2))
        self.may_fail = False
        query = self._ended(query, limited, top or self.sometimes(0.2))
        return query, [Column("", t.kind, t.exact) for t in query.targets if isinstance(t, Expression)]

    def _ended(self, query: Query, limited: bool, ordered: bool) -> Query:
        order = tuple(self.one(self.directions) for _ in query.targets) if ordered or limited else ()
        limit = ""
        if limited:
            limit = f"limit {self.chance.randint(0, 5)}"
            if self.sometimes(0.4):
                limit += f" offset {self.chance.randint(0, 3)}"
        distinct = query.distinct
        first = query.targets[0].render()
        if distinct and order and not self.sqlite and first.startswith(("a", "(a")) and self.sometimes(0.3):
            distinct = f"distinct on ({first}) "
        return replace(query, order=order, limit=limit, distinct=distinct)

    def _grouped(self, source: Node, where: Node | None, scope: Scope, wanted: Sequence[str]) -> Query:
        """Return a query with aggregates, over groups or all rows."""
        risky, self.may_fail = self.may_fail, False
        keys = []
        for _ in range(self.one(["", "x", "x", "xx"]).count("x")):
            key = self.value(self.one(self.kinds.replace("B", "")), Scope(scope.columns), 1)
            if any(c.name in key.render() for c in scope.columns) and "(select" not in key.render():
                keys.append(key)
        grouping = self.one(["rollup", "cube"]) if keys and not self.sqlite and self.sometimes(0.15) else ""
        having = None
        if self.sometimes(0.3):
            tested = self.aggregate("I", scope)
            having = expression(
                "B", "(", tested, self.one([" > ", " <> ", " <= "]), self.one(LITERALS["I"]), ")"
            )
        self.may_fail = risky
        targets: list[Node] = []
        for kind in wanted:
            usable = [key for key in keys if key.kind == kind]
            if usable and self.sometimes(0.6):
                targets.append(self.chance.choice(usable))
            else:
                targets.append(self.aggregate(kind, scope))
        return Query(tuple(targets), source, where, tuple(keys), grouping, having)

    def aggregate(self, kind: str, scope: Scope) -> Expression:
        """Return an aggregate of a kind."""
        reach = Scope(scope.columns)
        filtered: tuple[str | Node, ...] = ()
        if self.sometimes(0.2):
            filtered = (" filter (where ", self.condition(reach, 1), ")")
        distinct = self.one(["", "", "", "distinct "])
        name = self.one(_AGGREGATES[kind][:2] if self.sqlite else _AGGREGATES[kind])
        function, _, argument = name.partition(":")
        if function == "count":
            if self.sometimes(0.4):
                return self._cast_count(kind, expression("L", "count(*)", *filtered))
            value = self.value(self.kind(), reach, 1)
            return self._cast_count(kind, expression("L", f"count({distinct}", value, ")", *filtered))
        value = self.value(argument or kind, reach, 1)
        if argument == "F" and not value.exact:
            function = "min"
        if function == "string_agg":
            return expression(kind, "string_agg(", value, ", ',' order by ", value, ")", *filtered)
        if function in ("sum", "avg", "stddev"):
            return self._widened(kind, function, distinct, value, filtered)
        return expression(kind, f"{function}({distinct * (function != 'every')}", value, ")", *filtered)

    def _cast_count(self, kind: str, count: Expression) -> Expression:
        if self.sqlite or kind == "L":
            return expression(kind, *count.pieces)
        return expression(kind, f"cast({count.pieces[0]}", *count.pieces[1:], f" as {TYPES[kind]})")

    def _widened(
        self, kind: str, function: str, distinct: str, value: Expression, filtered: tuple[str | Node, ...]
    ) -> Expression:
        """Return a sum or an average, whose type is wider than its argument's."""
        exact = function == "sum"
        if self.sqlite or kind in "NF":
            return expression(kind, f"{function}({distinct}", value, ")", *filtered, exact=exact)
        return expression(
            kind, f"cast({function}({distinct}", value, ")", *filtered, f" as {TYPES[kind]})", exact=exact
        )

    def _rows_in_order(self, scope: Scope) -> str:
        """Return partition and order of the windows of a query.

        Rows that tie are the same in every column then; and one order serves all windows, since each could tell them apart in its way.
        """
        columns = self.chance.sample(scope.columns, len(scope.columns))
        by = ", ".join(f"{column.name} {self.one(self.directions)}".strip() for column in columns)
        parts = f"partition by {self.chance.choice(scope.columns).name} " if self.sometimes(0.6) else ""
        return f"{parts}order by {by}"

    def _window(self, kind: str, scope: Scope, rows: str) -> Expression:
        """Return a window function over rows in an order."""
        risky, self.may_fail = self.may_fail, False
        frame = ""
        if self.sometimes(0.4):
            frame = " " + self.one(
                [
                    "rows between 1 preceding and 1 following",
                    "rows between unbounded preceding and current row",
                    "rows between current row and unbounded following",
                    "range between unbounded preceding and unbounded following",
                    "rows between 2 preceding and 1 preceding",
                    "groups between 1 preceding and current row",
                ]
            )
        over = f" over ({rows}{frame})"
        if kind in "IL":
            function = self.one(["row_number()", "rank()", "dense_rank()", "count(*)", "ntile(2)"])
            if kind == "I" and not self.sqlite and function != "ntile(2)":
                found = expression("I", f"cast({function}{over} as integer)")
            elif kind == "L" and function == "ntile(2)":
                found = expression("L", f"cast({function}{over} as bigint)")
            else:
                found = expression(kind, f"{function}{over}")
        else:
            value = self.value(kind, Scope(scope.columns), 1)
            if kind == "T":
                value = expression("T", "cast(", value, " as text)")
            names = ["lag", "lead", "first_value", "last_value", "nth_value"]
            if kind != "B":
                names += ["min", "max"]
            if kind == "N" or (kind == "F" and value.exact):
                names += ["sum", "sum"]
            function = self.one(names)
            more = ", 2" if function in ("lag", "nth_value") and self.sometimes(0.5) else ""
            if function == "nth_value" and not more:
                more = ", 1"
            found = expression(kind, f"{function}(", value, f"{more}){over}", exact=False)
        self.may_fail = risky
        return found

    # Several.

    def _subquery(self, scope: Scope, kinds: Sequence[str], depth: int, single: bool) -> Node:
        """Return a subquery with outputs of kinds, of one row at most if it is to be ``single``."""
        risky, self.may_fail = self.may_fail, False
        query, _ = self.select(scope, max(depth, 0), kinds=kinds, correlated=self.sometimes(0.7))
        self.may_fail = risky
        if single and not (query.limit.startswith(("limit 0", "limit 1"))):
            query = replace(query, order=tuple(self.one(self.directions) for _ in kinds), limit="limit 1")
        return query

    def _set_operation(self) -> Union:
        kinds = [self.kind() for _ in range(self.chance.randint(1, 3))]
        left, _ = self.select(Scope(), 1, kinds=kinds)
        right, _ = self.select(Scope(), 1, kinds=kinds)
        operation = self.one(SETS + ["intersect all", "except all"] * (not self.sqlite))
        order = tuple(self.one(self.directions) for _ in kinds)
        limit = f"limit {self.chance.randint(0, 4)}" if self.sometimes(0.2) else ""
        if self.sqlite:
            left, right = (replace(side, order=(), limit="") for side in (left, right))
        return Union(operation, left, right, order, limit, self.sqlite)


_AGGREGATES = {
    "I": ["count", "sum:I", "min", "max", "bit_and", "bit_or"],
    "L": ["count", "sum:I", "min", "max"],
    "F": ["sum:F", "avg:F", "min", "max"],
    "N": ["sum:N", "avg:I", "avg:N", "sum:L", "min", "max", "stddev:I"],
    "T": ["min", "max", "string_agg"],
    "B": ["bool_and", "bool_or", "every"],
    "D": ["min", "max"],
    "S": ["min", "max"],
}
