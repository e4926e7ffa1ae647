"""Definitions of tables and indexes: ``create table``, ``create index``, and the parts that ``alter table`` shares."""

from __future__ import annotations

from typing import Any

from ..errors import error, unsupported
from ..tree import (
    ColumnSpec,
    Constraint,
    CreateIndex,
    CreateTable,
    CreateTableAs,
    Expression,
    IndexKey,
    Like,
    Name,
    Options,
    Reference,
    SequenceOptions,
)
from .changes import Changes
from .precedence import OTHER

_ENDS_KEY = ("asc", "desc", "nulls", "collate")
_LIKE_PARTS = (
    "comments",
    "compression",
    "constraints",
    "defaults",
    "generated",
    "identity",
    "indexes",
    "statistics",
    "storage",
)


class Tables(Changes):
    """The part of the grammar that reads definitions of tables."""

    def options(self) -> Options:
        """Go past ``(name = value, …)``."""
        return self.in_parentheses(lambda: self.list_of(self._option))

    def _option(self) -> tuple[str, str]:
        name = self.label()
        while self.take_mark("."):
            name += "." + self.label()
        if not self.take_operator("="):
            return name, "true"
        return name, self.setting()

    def setting(self) -> str:
        """Go past one value of a setting and return its text."""
        sign = self.take_operator("-") or ""
        self.take_operator("+")
        if self.token.kind not in ("number", "string", "word", "name"):
            self.stop()
        return sign + self.advance().text

    def if_not_exists(self) -> bool:
        """Go past ``if not exists``, if it comes."""
        return self.take_words("if", "not", "exists")

    def if_exists(self) -> bool:
        """Go past ``if exists``, if it comes."""
        return self.take_words("if", "exists")

    def cascade(self) -> bool:
        """Go past ``cascade`` or ``restrict``, if one comes."""
        return self.take_word("cascade", "restrict") == "cascade"

    # Create table.

    def create_table(self, at: int, temporary: bool) -> CreateTable | CreateTableAs:
        """Go past what follows ``create [temp] table``."""
        if_not_exists = self.if_not_exists()
        name = self.qualified_name()
        if self.at_word("partition"):
            raise unsupported("PARTITION OF", self.at)
        if self.at_word("as") or (self.at_mark("(") and self._names_alone()):
            columns = self.name_list() if self.at_mark("(") else ()
            self.expect_word("as")
            query = self.query()
            with_data = True
            if self.take_word("with"):
                with_data = not self.take_word("no")
                self.expect_word("data")
            return CreateTableAs(name, columns, query, temporary, if_not_exists, with_data, at=at)
        specs: list[ColumnSpec] = []
        constraints: list[Constraint] = []
        like: list[Like] = []
        self.expect_mark("(")
        if not self.at_mark(")"):
            while True:
                self._element(specs, constraints, like)
                if not self.take_mark(","):
                    break
        self.expect_mark(")")
        for word, what in (("inherits", "INHERITS"), ("partition", "PARTITION BY"), ("using", "USING")):
            if self.at_word(word):
                raise unsupported(what, self.at)
        options = self.options() if self.take_word("with") else ()
        if self.take_words("on", "commit") and not self.take_words("preserve", "rows"):
            raise unsupported("ON COMMIT DELETE ROWS or DROP", self.at)
        return CreateTable(
            name, tuple(specs), tuple(constraints), tuple(like), temporary, if_not_exists, options, at=at
        )

    def _names_alone(self) -> bool:
        """Return whether names in parentheses come, and then ``as``: the columns of a table made of a query."""
        ahead = 1
        while self.peek(ahead).kind in ("word", "name"):
            after = self.peek(ahead + 1).text
            if after == ")":
                return self.peek(ahead + 2).text == "as"
            if after != ",":
                return False
            ahead += 2
        return False

    def _element(self, specs: list[ColumnSpec], constraints: list[Constraint], like: list[Like]) -> None:
        at = self.at
        if self.take_word("like"):
            name = self.qualified_name()
            like.append(Like(name, self._including(), len(specs), at=at))
        elif self.at_word("constraint", "primary", "unique", "check", "foreign", "exclude"):
            constraints.append(self.table_constraint())
        else:
            specs.append(self.column_spec())

    def _including(self) -> tuple[str, ...]:
        """Go past ``including …`` and ``excluding …``; return what is included."""
        found: dict[str, None] = {}
        while word := self.take_word("including", "excluding"):
            part = self.expect_word("all", *_LIKE_PARTS)
            parts = _LIKE_PARTS if part == "all" else (part,)
            if word == "including":
                found.update(dict.fromkeys(parts))
            else:
                found = {name: None for name in found if name not in parts}
        return tuple(found)

    def column_spec(self) -> ColumnSpec:
        """Go past a column with its type and constraints."""
        at, name = self.at, self.name()
        kind = self.type_name()
        constraints: list[Constraint] = []
        collation: Name | None = None
        while True:
            if self.take_word("collate"):
                collation = self.qualified_name()
                continue
            found = self._column_constraint(name)
            if found is None:
                return ColumnSpec(name, kind, tuple(constraints), collation, at=at)
            constraints.append(found)

    def _column_constraint(self, column: str) -> Constraint | None:
        at = self.at
        name = self.name() if self.take_word("constraint") else None
        if self.take_words("not", "null"):
            return Constraint("not null", name, at=at)
        if self.take_word("null"):
            return Constraint("null", name, at=at)
        if self.take_word("default"):
            start = self.at
            value = self.expression(OTHER)
            return Constraint("default", name, expression=value, text=self.source(start), at=at)
        if self.at_word("check"):
            return self._check(name, at)
        if self.take_word("unique"):
            distinct = self._nulls_distinct()
            return self._deferral(Constraint("unique", name, (column,), nulls_distinct=distinct, at=at))
        if self.take_words("primary", "key"):
            return self._deferral(Constraint("primary key", name, (column,), at=at))
        if self.at_word("references"):
            reference = self._reference()
            return self._deferral(Constraint("foreign key", name, (column,), reference=reference, at=at))
        if self.take_word("generated"):
            return self.generated(name, at)
        if name is not None:
            self.stop()
        return None

    def _check(self, name: str | None, at: int) -> Constraint:
        self.expect_word("check")
        expression, text = self.expression_in_parentheses()
        self.take_words("no", "inherit")
        return Constraint("check", name, expression=expression, text=text, at=at)

    def expression_in_parentheses(self) -> tuple[Expression, str]:
        """Go past an expression in parentheses and return it with its text."""
        start = self.at + 1
        expression = self.in_parentheses(self.expression)
        return expression, self.text[start : self.tokens[self.index - 1].start].strip()

    def _nulls_distinct(self) -> bool:
        if not self.take_word("nulls"):
            return True
        negated = self.take_word("not") is not None
        self.expect_word("distinct")
        return not negated

    def generated(self, name: str | None, at: int) -> Constraint:
        """Go past what follows ``generated``."""
        identity = "always"
        if self.take_words("by", "default"):
            identity = "by default"
        else:
            self.expect_word("always")
        self.expect_word("as")
        if self.at_mark("("):
            if identity != "always":
                raise error("42601", "for a generated column, GENERATED ALWAYS must be specified", at)
            expression, text = self.expression_in_parentheses()
            kept = self.take_word("stored", "virtual") or "virtual"
            return Constraint("generated", name, expression=expression, text=text, identity=kept, at=at)
        self.expect_word("identity")
        options = None
        if self.take_mark("("):
            options = self.sequence_options()
            self.expect_mark(")")
        return Constraint("identity", name, identity=identity, options=options, at=at)

    def _reference(self) -> Reference:
        at = self.at
        self.expect_word("references")
        table = self.qualified_name()
        columns = self.name_list() if self.at_mark("(") else ()
        if self.take_word("match") and self.expect_word("full", "partial", "simple") != "simple":
            raise unsupported("MATCH FULL or PARTIAL", at)
        actions = {"delete": "no action", "update": "no action"}
        while self.take_word("on"):
            event = self.expect_word("delete", "update")
            actions[event] = self._action()
        return Reference(table, columns, actions["delete"], actions["update"], at=at)

    def _action(self) -> str:
        if self.take_words("no", "action"):
            return "no action"
        if self.take_word("set"):
            return "set " + self.expect_word("null", "default")
        return self.expect_word("restrict", "cascade")

    def _deferral(self, found: Constraint) -> Constraint:
        deferrable = deferred = False
        while True:
            if self.at_words("not", "deferrable") or self.at_words("not", "valid"):
                if self.next.text == "valid":
                    raise unsupported("NOT VALID", self.at)
                self.expect_words("not", "deferrable")
            elif self.take_word("deferrable"):
                deferrable = True
            elif self.take_word("initially"):
                deferred = self.expect_word("deferred", "immediate") == "deferred"
                deferrable = deferrable or deferred
            else:
                break
        if not deferrable:
            return found
        return Constraint(
            found.kind,
            found.name,
            found.columns,
            found.expression,
            found.text,
            found.reference,
            deferred=deferred,
            deferrable=True,
            nulls_distinct=found.nulls_distinct,
            at=found.at,
        )

    def table_constraint(self) -> Constraint:
        """Go past a constraint of a table."""
        at = self.at
        name = self.name() if self.take_word("constraint") else None
        if self.at_word("check"):
            return self._check(name, at)
        if self.take_words("primary", "key"):
            return self._deferral(Constraint("primary key", name, self.name_list(), at=at))
        if self.take_word("unique"):
            distinct = self._nulls_distinct()
            columns = self.name_list()
            return self._deferral(Constraint("unique", name, columns, nulls_distinct=distinct, at=at))
        if self.at_word("exclude"):
            raise unsupported("EXCLUDE", at)
        self.expect_words("foreign", "key")
        columns = self.name_list()
        reference = self._reference()
        return self._deferral(Constraint("foreign key", name, columns, reference=reference, at=at))

    def sequence_options(self) -> SequenceOptions:
        """Go past the settings of a sequence, in any order."""
        at = self.at
        found: dict[str, Any] = {}
        while self.sequence_option(found):
            pass
        return SequenceOptions(at=at, **found)

    def sequence_option(self, found: dict[str, Any]) -> bool:
        """Go past one setting of a sequence, if it comes, and note it."""
        token = self.token

        def note(name: str, value: object) -> bool:
            if name in found:
                raise error("42601", "conflicting or redundant options", token.start)
            found[name] = value
            return True

        if self.take_word("start"):
            self.take_word("with")
            return note("start", self.expect_integer())
        if self.take_word("increment"):
            self.take_word("by")
            return note("increment", self.expect_integer())
        if self.take_word("minvalue"):
            return note("least", self.expect_integer())
        if self.take_word("maxvalue"):
            return note("most", self.expect_integer())
        if self.take_word("cache"):
            self.expect_integer()
            return True
        if self.take_word("cycle"):
            return note("cycle", True)
        if self.take_word("no"):
            word = self.expect_word("minvalue", "maxvalue", "cycle")
            if word == "cycle":
                return note("cycle", False)
            found["no"] = (*found.get("no", ()), word)
            return True
        if self.take_word("restart"):
            self.take_word("with")
            if self.token.kind == "number" or self.at_operator("-"):
                found["restart"] = self.expect_integer()
            return note("restarts", True)
        if self.take_words("owned", "by"):
            return note("owned_by", () if self.take_word("none") else self.qualified_name(4))
        if self.take_words("sequence", "name"):
            return note("name", self.qualified_name())
        if self.take_word("as"):
            return note("type", self.type_name())
        return False

    # Create index.

    def create_index(self, at: int, unique: bool) -> CreateIndex:
        """Go past what follows ``create [unique] index``."""
        self.take_word("concurrently")
        if_not_exists = self.if_not_exists()
        name = None if self.at_word("on") and not if_not_exists else self.name()
        self.expect_word("on")
        self.take_word("only")
        table = self.qualified_name()
        method = self.name() if self.take_word("using") else "btree"
        keys = self.in_parentheses(lambda: self.list_of(self._index_key))
        include = self.name_list() if self.take_word("include") else ()
        distinct = self._nulls_distinct()
        options = self.options() if self.take_word("with") else ()
        where = None
        where_text = ""
        if self.take_word("where"):
            start = self.at
            where = self.expression()
            where_text = self.source(start)
        return CreateIndex(
            name,
            table,
            method,
            keys,
            unique,
            if_not_exists,
            include,
            options,
            where,
            distinct,
            where_text,
            at=at,
        )

    def _index_key(self) -> IndexKey:
        at = self.at
        found = self.in_parentheses(self.expression) if self.at_mark("(") else self.primary()
        text = self.source(at)
        collation = self.qualified_name() if self.take_word("collate") else None
        operator_class = None
        if self.at_name() and not self.at_word(*_ENDS_KEY):
            operator_class = self.qualified_name()[-1]
        descending = self.take_word("asc", "desc") == "desc"
        nulls_first = None
        if self.take_word("nulls"):
            nulls_first = self.expect_word("first", "last") == "first"
        return IndexKey(found, text, operator_class, descending, nulls_first, collation, at=at)
