"""Changes of rows: ``insert``, ``update``, ``delete``, ``merge``, with ``on conflict`` and ``returning``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..errors import error, unsupported
from ..tree import (
    Assignment,
    Collate,
    ColumnRef,
    Conflict,
    Delete,
    Expression,
    Insert,
    Merge,
    MergeWhen,
    Query,
    TableRef,
    Target,
    Update,
)
from ..tree.queries import OLD_NEW
from .queries import Queries

Change = Insert | Update | Delete | Merge


class Changes(Queries):
    """The part of the grammar that reads changes of rows."""

    def data_statement(self) -> Query | Insert | Update | Delete | Merge:
        """Go past a query or a change of rows, with the ``with`` before it."""
        if not self.at_word("with"):
            return self._change() or self.query()
        at = self.at
        with_ = self.with_clause()
        change = self._change()
        if change is not None:
            return replace(change, with_=with_, at=at)
        return replace(self.query_of(with_), at=at)

    def _change(self) -> Change | None:
        reader: Callable[[], Change] | None = {
            "insert": self._insert,
            "update": self._update,
            "delete": self._delete,
            "merge": self._merge,
        }.get(self.token.text)  # type: ignore[assignment]
        return None if reader is None or self.token.kind != "word" else reader()

    def _target_table(self) -> TableRef:
        table = self.table_ref()
        if table.as_of is not None:
            raise error("42601", "the past cannot be changed", table.at)
        return table

    def _returning(self) -> tuple[tuple[Target, ...], tuple[str, str]]:
        """Go past ``returning``, if it comes; return its targets and what it calls rows before and after the change."""
        if not self.take_word("returning"):
            return (), OLD_NEW
        names = dict(zip(OLD_NEW, OLD_NEW, strict=True))
        if self.at_word("with") and self.next.text == "(":
            self.advance()
            names.update(self.in_parentheses(lambda: self.list_of(self._row_name)))
        return self.targets(), (names["old"], names["new"])

    def _row_name(self) -> tuple[str, str]:
        kind = self.expect_word(*OLD_NEW)
        self.expect_word("as")
        return kind, self.name()

    # Insert.

    def _insert(self) -> Insert:
        at = self.at
        self.expect_words("insert", "into")
        table_at = self.at
        table = TableRef(self.qualified_name(), at=table_at)
        if self.at_word("as"):
            table = replace(table, alias=self.alias())
        columns: tuple[str, ...] = ()
        if self.at_mark("(") and not self._opens_query_in_parentheses():
            columns = self.in_parentheses(lambda: self.list_of(self._column))
        overriding = None
        if self.take_word("overriding"):
            overriding = self.expect_word("system", "user")
            self.expect_word("value")
        source = None
        if not self.take_words("default", "values"):
            source = self.query()
        conflict = self._conflict() if self.at_words("on", "conflict") else None
        returning, names = self._returning()
        return Insert(table, columns, source, overriding, conflict, returning, row_names=names, at=at)

    def _opens_query_in_parentheses(self) -> bool:
        ahead = 1
        while self.peek(ahead).text == "(" and self.peek(ahead).kind == "mark":
            ahead += 1
        token = self.peek(ahead)
        return token.kind == "word" and token.text in ("select", "values", "with", "table")

    def _column(self) -> str:
        name = self.name()
        if self.at_mark("[") or self.at_mark("."):
            raise unsupported("a change of a part of a column", self.at)
        return name

    def _conflict(self) -> Conflict:
        at = self.at
        self.expect_words("on", "conflict")
        target: tuple[Expression, ...] = ()
        target_where = constraint = None
        if self.take_words("on", "constraint"):
            constraint = self.name()
        elif self.at_mark("("):
            target = self.in_parentheses(lambda: self.list_of(self._conflict_key))
            target_where = self.expression() if self.take_word("where") else None
        self.expect_word("do")
        if self.take_word("nothing"):
            return Conflict(target, target_where, constraint, at=at)
        self.expect_words("update", "set")
        assignments = self.list_of(self._assignment)
        where = self.expression() if self.take_word("where") else None
        if not target and constraint is None:
            message = "ON CONFLICT DO UPDATE requires inference specification or constraint name"
            raise error("42601", message, at)
        return Conflict(target, target_where, constraint, assignments, where, at=at)

    def _conflict_key(self) -> Expression:
        if self.at_mark("("):
            found = self.in_parentheses(self.expression)
        else:
            found = self.primary()
            if isinstance(found, ColumnRef) and len(found.parts) > 1:
                self.stop()
        if self.at_word("collate"):
            at = self.at
            self.advance()
            found = Collate(found, self.qualified_name(), at=at)
        if self.at_name() and not self.at_word("asc", "desc", "nulls"):
            self.qualified_name()  # an operator class says nothing about which key is meant
        if self.at_word("asc", "desc", "nulls"):
            what = "NULLS FIRST/LAST" if self.at_word("nulls") else "ASC/DESC"
            raise error("42P10", f"{what} is not allowed in ON CONFLICT clause", self.at)
        return found

    # Update and delete.

    def _assignment(self) -> Assignment:
        at = self.at
        is_row = self.at_mark("(")
        part: Expression | None = None
        if is_row:
            columns = self.in_parentheses(lambda: self.list_of(self._column))
        elif self.next.kind == "mark" and self.next.text == "[":
            columns = (self.name(),)
            part = self.subscripts(ColumnRef(columns, at=at))
        else:
            columns = (self._column(),)
        self.expect_operator("=")
        return Assignment(columns, self.expression(), is_row and len(columns) == 1, part, at=at)

    def _where(self) -> Expression | None:
        if not self.take_word("where"):
            return None
        if self.at_words("current", "of"):
            raise unsupported("WHERE CURRENT OF", self.at)
        return self.expression()

    def _update(self) -> Update:
        at = self.at
        self.expect_word("update")
        table = self._target_table()
        self.expect_word("set")
        assignments = self.list_of(self._assignment)
        sources = self.list_of(self.from_item) if self.take_word("from") else ()
        where = self._where()
        returning, names = self._returning()
        return Update(table, assignments, sources, where, returning, row_names=names, at=at)

    def _delete(self) -> Delete:
        at = self.at
        self.expect_words("delete", "from")
        table = self._target_table()
        sources = self.list_of(self.from_item) if self.take_word("using") else ()
        where = self._where()
        returning, names = self._returning()
        return Delete(table, sources, where, returning, row_names=names, at=at)

    # Merge.

    def _merge(self) -> Merge:
        at = self.at
        self.expect_words("merge", "into")
        table = self._target_table()
        self.expect_word("using")
        source = self._source()
        self.expect_word("on")
        condition = self.expression()
        whens = []
        while self.at_word("when"):
            whens.append(self._merge_when())
        if not whens:
            self.stop()
        returning, names = self._returning()
        return Merge(table, source, condition, tuple(whens), returning, row_names=names, at=at)

    def _merge_when(self) -> MergeWhen:
        at = self.at
        self.expect_word("when")
        match = "matched"
        if self.take_word("not"):
            match = "target"
        self.expect_word("matched")
        if match == "target" and self.take_word("by"):
            match = self.expect_word("source", "target")
        condition = self.expression() if self.take_word("and") else None
        self.expect_word("then")
        if self.take_words("do", "nothing"):
            return MergeWhen(match, condition, "nothing", at=at)
        if match == "target":
            return self._merge_insert(condition, at)
        if self.take_word("delete"):
            return MergeWhen(match, condition, "delete", at=at)
        self.expect_words("update", "set")
        assignments = self.list_of(self._assignment)
        return MergeWhen(match, condition, "update", assignments=assignments, at=at)

    def _merge_insert(self, condition: Expression | None, at: int) -> MergeWhen:
        self.expect_word("insert")
        columns = self.in_parentheses(lambda: self.list_of(self._column)) if self.at_mark("(") else ()
        overriding = None
        if self.take_word("overriding"):
            overriding = self.expect_word("system", "user")
            self.expect_word("value")
        values: tuple[Expression, ...] | None = None
        if not self.take_words("default", "values"):
            self.expect_word("values")
            values = self.in_parentheses(lambda: self.list_of(self.expression))
        return MergeWhen("target", condition, "insert", columns, values, overriding=overriding, at=at)
