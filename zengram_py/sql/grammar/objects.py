"""Definitions of everything but tables: views, sequences, types, functions, triggers, databases, graphs; and ``drop``."""

from __future__ import annotations

from ..errors import error, unsupported
from ..tree import (
    AlterEnum,
    AlterSequence,
    AlterView,
    CreateEnum,
    CreateFunction,
    CreateGraph,
    CreateNamespace,
    CreateSequence,
    CreateTrigger,
    CreateView,
    Drop,
    FunctionArgument,
    GraphElement,
    MoveObject,
    Name,
    RenameObject,
    Statement,
    TypeName,
)
from .alter import AlterTables

_DROPPED = {
    "table": "table",
    "view": "view",
    "index": "index",
    "sequence": "sequence",
    "type": "type",
    "schema": "schema",
    "database": "database",
    "function": "function",
    "trigger": "trigger",
    "branch": "branch",
}
_VOLATILITIES = ("immutable", "stable", "volatile")


class Objects(AlterTables):
    """The part of the grammar that reads definitions of objects."""

    # Views, sequences, types.

    def create_view(self, at: int, replace: bool, temporary: bool) -> CreateView:
        """Go past what follows ``create view``."""
        name = self.qualified_name()
        columns = self.name_list() if self.at_mark("(") else ()
        if self.at_word("with"):
            raise unsupported("an option of a view", self.at)
        self.expect_word("as")
        start = self.at
        query = self.query()
        text = self.source(start)
        if self.at_word("with"):
            raise unsupported("WITH CHECK OPTION", self.at)
        return CreateView(name, columns, query, text, replace, temporary, at=at)

    def create_sequence(self, at: int, temporary: bool) -> CreateSequence:
        """Go past what follows ``create sequence``."""
        if_not_exists = self.if_not_exists()
        name = self.qualified_name()
        return CreateSequence(name, self.sequence_options(), if_not_exists, temporary, at=at)

    def alter_sequence(self, at: int) -> AlterSequence | RenameObject | MoveObject:
        """Go past what follows ``alter sequence``."""
        if_exists = self.if_exists()
        name = self.qualified_name()
        if self.take_words("rename", "to"):
            return RenameObject("sequence", name, self.name(), if_exists, at=at)
        if self.take_words("set", "schema"):
            return MoveObject("sequence", name, self.name(), if_exists, at=at)
        return AlterSequence(name, self.sequence_options(), if_exists, at=at)

    def create_type(self, at: int) -> CreateEnum:
        """Go past what follows ``create type``."""
        name = self.qualified_name()
        self.expect_word("as")
        if not self.take_word("enum"):
            raise unsupported("a type that is no enum", at)
        self.expect_mark("(")
        labels = () if self.at_mark(")") else self.list_of(self.expect_string)
        self.expect_mark(")")
        return CreateEnum(name, labels, at=at)

    def alter_type(self, at: int) -> AlterEnum | RenameObject | MoveObject:
        """Go past what follows ``alter type``."""
        name = self.qualified_name()
        if self.take_words("rename", "to"):
            return RenameObject("type", name, self.name(), at=at)
        if self.take_words("set", "schema"):
            return MoveObject("type", name, self.name(), at=at)
        if self.take_words("rename", "value"):
            old = self.expect_string()
            self.expect_word("to")
            return AlterEnum(name, old, renamed=self.expect_string(), at=at)
        self.expect_words("add", "value")
        if_not_exists = self.if_not_exists()
        label = self.expect_string()
        place = self.take_word("before", "after")
        beside = None if place is None else self.expect_string()
        before, after = (beside, None) if place == "before" else (None, beside)
        return AlterEnum(name, label, before, after, if_not_exists, at=at)

    def create_namespace(self, at: int, kind: str) -> CreateNamespace:
        """Go past what follows ``create database`` or ``create schema``."""
        if_not_exists = self.if_not_exists()
        name = self.qualified_name(1 if kind == "database" else 2)
        if self.at_word("with", "owner", "template", "authorization"):
            raise unsupported(f"an option of a {kind}", self.at)
        return CreateNamespace(kind, name, if_not_exists, at=at)

    # Functions and triggers.

    def create_function(self, at: int, replace: bool) -> CreateFunction:
        """Go past what follows ``create function``; its body stays text."""
        name = self.qualified_name()
        self.expect_mark("(")
        arguments = () if self.at_mark(")") else self.list_of(self._function_argument)
        self.expect_mark(")")
        returns: TypeName | None = None
        columns: tuple[tuple[str, TypeName], ...] = ()
        is_trigger = returns_set = strict = False
        language = body = None
        volatility = "volatile"
        while self.token.kind == "word":
            start = self.at
            if self.take_word("returns"):
                if self.take_words("null", "on", "null", "input"):
                    strict = True
                    continue
                if self.take_word("table"):
                    columns = self.in_parentheses(lambda: self.list_of(self._result_column))
                    returns_set = True
                    continue
                returns_set = self.take_word("setof") is not None
                is_trigger = self.take_word("trigger") is not None
                returns = None if is_trigger else self.type_name()
            elif self.take_word("language"):
                language = self.role_name().lower()
            elif self.at_word(*_VOLATILITIES):
                volatility = self.advance().text
            elif self.take_word("strict"):
                strict = True
            elif self.take_words("called", "on", "null", "input"):
                strict = False
            elif self.take_word("as"):
                body = self.expect_string()
            elif self.at_word("return", "begin"):
                raise unsupported("a function body that is no string", start)
            else:
                raise unsupported(f"{self.token.text.upper()} of a function", start)
        if language is None:
            raise error("42P13", "no language specified", at)
        if body is None:
            raise error("42P13", "no function body specified", at)
        if returns is None and not is_trigger and not columns:
            raise error("42P13", "function result type must be specified", at)
        if language not in ("sql", "plpgsql"):
            raise error("42704", f'language "{language}" does not exist', at)
        return CreateFunction(
            name, arguments, returns, language, body, replace, returns_set, volatility, strict, columns, at=at
        )

    def _result_column(self) -> tuple[str, TypeName]:
        name = self.name()
        return name, self.type_name()

    def _function_argument(self) -> FunctionArgument:
        at = self.at
        if self.at_word("out", "inout", "variadic"):
            raise unsupported(f"an {self.token.text.upper()} argument", at)
        self.take_word("in")
        name = None
        after = self.next
        if after.kind in ("word", "name") and after.text not in ("default", "precision", "varying", "with"):
            name = self.name()
        kind = self.type_name()
        default, text = None, ""
        if self.take_word("default") or self.take_operator("="):
            start = self.at
            default = self.expression()
            text = self.source(start)
        return FunctionArgument(name, kind, default, text, at=at)

    def create_trigger(self, at: int, replace: bool) -> CreateTrigger:
        """Go past what follows ``create trigger``."""
        name = self.name()
        timing = "instead of" if self.take_words("instead", "of") else self.expect_word("before", "after")
        events: list[str] = []
        columns: tuple[str, ...] = ()
        while True:
            events.append(self.expect_word("insert", "update", "delete", "truncate"))
            if events[-1] == "update" and self.take_word("of"):
                columns = self.list_of(self.name)
            if not self.take_word("or"):
                break
        if len(set(events)) != len(events):
            raise error("42601", "duplicate trigger events specified", at)
        self.expect_word("on")
        table = self.qualified_name()
        if self.at_word("referencing", "from", "deferrable", "initially"):
            raise unsupported(f"{self.token.text.upper()} of a trigger", self.at)
        for_each_row = False
        if self.take_word("for"):
            self.take_word("each")
            for_each_row = self.expect_word("row", "statement") == "row"
        when = None
        text = ""
        if self.take_word("when"):
            start = self.at + 1
            when = self.in_parentheses(self.expression)
            text = self.text[start : self.tokens[self.index - 1].start].strip()
        self.expect_word("execute")
        self.expect_word("function", "procedure")
        function = self.qualified_name()
        self.expect_mark("(")
        arguments = () if self.at_mark(")") else self.list_of(self.setting)
        self.expect_mark(")")
        return CreateTrigger(
            name,
            table,
            timing,
            tuple(events),
            function,
            columns,
            arguments,
            for_each_row,
            when,
            text,
            replace,
            at=at,
        )

    # Graphs.

    def create_graph(self, at: int) -> CreateGraph:
        """Go past what follows ``create property graph``."""
        if_not_exists = self.if_not_exists()
        name = self.qualified_name()
        vertices: tuple[GraphElement, ...] = ()
        edges: tuple[GraphElement, ...] = ()
        if self.take_word("vertex", "node"):
            self.expect_word("tables")
            vertices = self.in_parentheses(lambda: self.list_of(lambda: self._graph_element(False)))
        if self.take_word("edge", "relationship"):
            self.expect_word("tables")
            edges = self.in_parentheses(lambda: self.list_of(lambda: self._graph_element(True)))
        if not vertices:
            self.stop()
        return CreateGraph(name, vertices, edges, if_not_exists, at=at)

    def _graph_element(self, is_edge: bool) -> GraphElement:
        at, table = self.at, self.qualified_name()
        alias = self.name() if self.take_word("as") else table[-1]
        key = self.name_list() if self.take_word("key") else ()
        source = destination = None
        if is_edge:
            source = self._graph_end("source")
            destination = self._graph_end("destination")
        label = self.name() if self.take_word("label") else None
        properties = self._properties()
        return GraphElement(table, alias, key, label, properties, source, destination, at=at)

    def _graph_end(self, word: str) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
        self.expect_word(word)
        columns = self.name_list() if self.take_word("key") else ()
        if columns:
            self.expect_word("references")
        vertex = self.name()
        return columns, vertex, self.name_list() if self.at_mark("(") else ()

    def _properties(self) -> tuple[tuple[str, str], ...] | None:
        """Go past the properties of an element as (column, name); none given are all columns."""
        if self.take_words("no", "properties"):
            return ()
        if not self.take_word("properties"):
            return None
        if self.take_words("all", "columns") or self.take_words("are", "all", "columns"):
            return None
        return self.in_parentheses(lambda: self.list_of(self._property))

    def _property(self) -> tuple[str, str]:
        column = self.name()
        return column, self.label() if self.take_word("as") else column

    # Drop and rename.

    def drop(self, at: int) -> Drop:
        """Go past what follows ``drop``."""
        if self.take_words("property", "graph"):
            kind = "property graph"
        else:
            if self.token.kind != "word":
                self.stop()
            if self.token.text not in _DROPPED:
                raise unsupported(f"DROP {self.token.text.upper()}", at)
            kind = self.advance().text
        if kind == "index":
            self.take_word("concurrently")
        if_exists = self.if_exists()
        if kind == "trigger":
            trigger = self.name()
            self.expect_word("on")
            table = self.qualified_name()
            return Drop(kind, ((trigger,),), if_exists, self.cascade(), table, at=at)
        arguments = None
        if kind in ("branch", "database"):
            names: tuple[Name, ...] = ((self.name(),),)
        elif kind == "function":
            names = (self.qualified_name(),)
            if self.take_mark("("):
                arguments = () if self.at_mark(")") else self.list_of(self._argument_type)
                self.expect_mark(")")
        else:
            names = self.list_of(self.qualified_name)
        return Drop(kind, names, if_exists, self.cascade(), None, arguments, at=at)

    def _argument_type(self) -> TypeName:
        return self._function_argument().type

    def alter_object(self, at: int, kind: str) -> Statement:
        """Go past what follows ``alter index`` or ``alter view``."""
        if_exists = self.if_exists()
        name = self.qualified_name()
        if self.take_words("rename", "to"):
            return RenameObject(kind, name, self.name(), if_exists, at=at)
        if kind == "view" and self.take_words("set", "schema"):
            return MoveObject(kind, name, self.name(), if_exists, at=at)
        if kind == "view" and self.take_word("rename"):
            self.take_word("column")
            old = self.name()
            self.expect_word("to")
            return AlterView(name, old, self.name(), if_exists, at=at)
        raise unsupported(f"ALTER {kind.upper()} … {self.token.text.upper()}", self.at)
