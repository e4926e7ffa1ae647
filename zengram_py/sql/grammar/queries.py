"""Queries: ``with``, ``select``, ``values``, set operations, and what they read from.

query       [with] body [order by] [limit] [offset]          ends belong to the whole, also of a union
body        operand {union | except  intersection}           intersect binds more tightly
operand     select … | values … | table t | ( query )
"""

from __future__ import annotations

from dataclasses import replace

from ..errors import error, unsupported
from ..tree import (
    Alias,
    CommonTable,
    Delete,
    Expression,
    GroupItem,
    Insert,
    Literal,
    Locking,
    Merge,
    Query,
    Row,
    Select,
    SetOperation,
    Star,
    TableRef,
    Target,
    TypeName,
    Update,
    Values,
    Window,
    With,
)
from .keywords import NOT_BARE
from .sources import Sources


class Queries(Sources):
    """The part of the grammar that reads queries."""

    def query(self) -> Query:
        """Go past a query with all that belongs to it."""
        at = self.at
        with_ = self.with_clause() if self.at_word("with") else None
        return replace(self.query_of(with_), at=at)

    def query_of(self, with_: With | None) -> Query:
        """Go past a query whose ``with`` was read before."""
        return self._ends(self._set_operation(self._operand()), with_)

    def query_after(self, first: Query) -> Query:
        """Go past what follows a query in parentheses and makes it a part of a greater one."""
        return self._ends(self._set_operation(first), None)

    def _ends(self, found: Query, with_: With | None) -> Query:
        """Go past what comes after a body; a query in parentheses may have some of it in them, some behind them."""
        order_by = self.order_by()
        limit, offset, ties = self._limits()
        locking = self._locking()
        if not limit and not offset:
            limit, offset, ties = self._limits()
        if not (order_by or limit or offset or locking or with_):
            return found
        for given, there, clause in (
            (order_by, found.order_by, "ORDER BY"),
            (offset, found.offset, "OFFSET"),
            (limit, found.limit, "LIMIT"),
            (with_, found.with_, "WITH"),
        ):
            if given and there:
                at = given[0].at if isinstance(given, tuple) else given.at
                raise error("42601", f"multiple {clause} clauses not allowed", at)
        whole = Query(
            found.body,
            with_ or found.with_,
            order_by or found.order_by,
            limit or found.limit,
            offset or found.offset,
            ties or found.with_ties,
            found.locking + locking,
            at=found.at,
        )
        if whole.with_ties and not whole.order_by:
            message = "WITH TIES cannot be specified without ORDER BY clause"
            raise error("42601", message, limit.at if limit else found.at)
        skipping = [lock for lock in whole.locking if lock.skips]
        if whole.with_ties and skipping:
            message = "SKIP LOCKED and WITH TIES options cannot be used together"
            raise error("42601", message, skipping[0].at)
        return whole

    def _limits(self) -> tuple[Expression | None, Expression | None, bool]:
        limit = offset = None
        ties = False
        while self.at_word("limit", "offset", "fetch"):
            token = self.advance()
            if token.text == "offset":
                if offset is not None:
                    raise error("42601", "multiple OFFSET clauses not allowed", token.start)
                offset = self.expression()
                self.take_word("row", "rows")
                continue
            if limit is not None or ties:
                raise error("42601", "multiple LIMIT clauses not allowed", token.start)
            if token.text == "limit":
                limit = None if self.take_word("all") else self.expression()
                if self.at_mark(","):
                    raise error("42601", "LIMIT #,# syntax is not supported", token.start)
                continue
            self.expect_word("first", "next")
            limit = self._row_count()
            self.expect_word("row", "rows")
            if not self.take_word("only"):
                self.expect_words("with", "ties")
                ties = True
        return limit, offset, ties

    def _row_count(self) -> Expression:
        at = self.at
        if self.at_word("row", "rows"):
            return self._one(at)
        if self.at_operator("+", "-"):
            return Literal("number", str(self.expect_integer()), at=at)
        return self.operand()

    def _locking(self) -> tuple[Locking, ...]:
        """Go past ``for update`` and its kin."""
        found = []
        while self.at_word("for"):
            at = self.advance().start
            if self.take_word("no"):
                self.expect_words("key", "update")
                strength = "FOR NO KEY UPDATE"
            elif self.take_word("key"):
                self.expect_word("share")
                strength = "FOR KEY SHARE"
            else:
                strength = "FOR " + self.expect_word("update", "share").upper()
            tables = self.list_of(self._locked_table) if self.take_word("of") else ()
            skips = False
            if not self.take_word("nowait") and self.take_word("skip"):
                self.expect_word("locked")
                skips = True
            found.append(Locking(strength, tables, skips, at=at))
        return tuple(found)

    def _locked_table(self) -> TableRef:
        at = self.at
        return TableRef(self.qualified_name(), at=at)

    # Set operations.

    def _set_operation(self, first: Query) -> Query:
        first = self._intersections(first)
        rest: list[tuple[str, bool, Query]] = []
        while self.at_word("union", "except"):
            kind = self.advance().text
            rest.append((kind, self._keeps_duplicates(), self._intersections(self._operand())))
        if not rest:
            return first
        return Query(SetOperation(first, tuple(rest), at=first.at), at=first.at)

    def _intersections(self, first: Query) -> Query:
        rest: list[tuple[str, bool, Query]] = []
        while self.take_word("intersect"):
            rest.append(("intersect", self._keeps_duplicates(), self._operand()))
        if not rest:
            return first
        return Query(SetOperation(first, tuple(rest), at=first.at), at=first.at)

    def _keeps_duplicates(self) -> bool:
        return self.take_word("all", "distinct") == "all"

    def _operand(self) -> Query:
        at = self.at
        if self.at_mark("("):
            return self.query_in_parentheses()
        if self.take_word("values"):
            return Query(self._values(at), at=at)
        if self.take_word("table"):
            table = TableRef(self.qualified_name(), at=at)
            return Query(Select((Target(Star(at=at), at=at),), sources=(table,), at=at), at=at)
        self.expect_word("select")
        return Query(self._select(at), at=at)

    def _values(self, at: int) -> Values:
        rows = self.list_of(lambda: self.in_parentheses(lambda: self.list_of(self.expression)))
        if len({len(row) for row in rows}) > 1:
            odd = next(row for row in rows if len(row) != len(rows[0]))
            raise error("42601", "VALUES lists must all be the same length", odd[0].at)
        return Values(rows, at=at)

    # Select.

    def _select(self, at: int) -> Select:
        distinct: tuple[Expression, ...] | None = None
        if self.take_word("distinct"):
            distinct = ()
            if self.take_word("on"):
                distinct = self.in_parentheses(lambda: self.list_of(self.expression))
        else:
            self.take_word("all")
        targets = () if distinct != () and self._ends_targets() else self.targets()
        if self.at_word("into"):
            raise unsupported("SELECT INTO", self.at)
        sources = self.list_of(self.from_item) if self.take_word("from") else ()
        where = self.expression() if self.take_word("where") else None
        group_by: tuple[GroupItem, ...] = ()
        group_distinct = False
        if self.take_words("group", "by"):
            group_distinct = self.take_word("distinct", "all") == "distinct"
            group_by = self.list_of(self._group_item)
        having = self.expression() if self.take_word("having") else None
        windows = self.list_of(self._named_window) if self.take_word("window") else ()
        return Select(targets, distinct, sources, where, group_by, group_distinct, having, windows, at=at)

    def _ends_targets(self) -> bool:
        """Return whether there is no target at all: ``select from t`` has rows without columns."""
        return (
            self.token.kind == "end"
            or self.at_mark(")")
            or self.at_word("from", "where", "union", "group", "limit")
        )

    def targets(self) -> tuple[Target, ...]:
        """Go past a list of output columns."""
        return self.list_of(self._target)

    def _target(self) -> Target:
        at = self.at
        if self.take_operator("*"):
            return Target(Star(at=at), at=at)
        value = self.expression()
        alias = None
        if self.take_word("as"):
            alias = self.label()
        elif self.token.kind == "name" or (self.token.kind == "word" and self.token.text not in NOT_BARE):
            alias = self.advance().text
        return Target(value, alias, at=at)

    def _group_item(self) -> GroupItem:
        at = self.at
        opens = self.next.kind == "mark" and self.next.text == "("
        if opens and self.at_word("rollup", "cube"):
            kind = self.advance().text
            groups = self.in_parentheses(lambda: self.list_of(self._group_of))
            return GroupItem(kind, groups=groups, at=at)
        if self.take_words("grouping", "sets"):
            sets = self.in_parentheses(lambda: self.list_of(self._group_item))
            return GroupItem("sets", sets=sets, at=at)
        return GroupItem("plain", self._group_of(), at=at)

    def _group_of(self) -> tuple[Expression, ...]:
        if self.at_mark("(") and self.next.kind == "mark" and self.next.text == ")":
            self.advance()
            self.advance()
            return ()
        found = self.expression()
        return found.items if isinstance(found, Row) else (found,)

    def _named_window(self) -> tuple[str, Window]:
        name = self.name()
        self.expect_word("as")
        return name, self.window()

    # Common table expressions.

    def with_clause(self) -> With:
        """Go past ``with …``."""
        at = self.at
        self.expect_word("with")
        recursive = self.take_word("recursive") is not None
        tables = self.list_of(self._common_table)
        seen: set[str] = set()
        for table in tables:
            if table.name in seen:
                message = f'WITH query name "{table.name}" specified more than once'
                raise error("42712", message, table.at)
            seen.add(table.name)
        return With(tables, recursive, at=at)

    def _common_table(self) -> CommonTable:
        at, name = self.at, self.name()
        columns = self.name_list() if self.at_mark("(") else ()
        self.expect_word("as")
        materialized = None
        if self.take_words("not", "materialized"):
            materialized = False
        elif self.take_word("materialized"):
            materialized = True
        statement = self.in_parentheses(self.data_statement)
        if self.at_word("search", "cycle"):
            raise unsupported(f"{self.token.text.upper()} in WITH", self.at)
        return CommonTable(name, columns, statement, materialized, at=at)

    def data_statement(self) -> Query | Insert | Update | Delete | Merge:
        """Go past a query or a change of rows."""
        raise NotImplementedError

    # Aliases.

    def alias(self, *, records: bool = False) -> Alias | None:
        """Go past ``[as] t [(a, b)]``, if it comes; of a function that gives records also ``(a int, b text)``."""
        at = self.at
        given = self.take_word("as") is not None
        if given and records and self.at_mark("("):
            columns, types = self._record_columns()
            return Alias("", columns, types, at=at)
        if not given and not self.at_name():
            return None
        if not given and self._ends_alias():
            return None
        name = self.name()
        if not self.at_mark("("):
            return Alias(name, at=at)
        if records and self.peek(2).kind in ("word", "name"):
            columns, types = self._record_columns()
            return Alias(name, columns, types, at=at)
        return Alias(name, self.name_list(), at=at)

    def _ends_alias(self) -> bool:
        """Return whether a word that may be a name begins what follows a table instead."""
        return self.at_word("set")

    def _record_columns(self) -> tuple[tuple[str, ...], tuple[TypeName, ...]]:
        pairs = self.in_parentheses(lambda: self.list_of(lambda: (self.name(), self.type_name())))
        return tuple(name for name, _ in pairs), tuple(kind for _, kind in pairs)
