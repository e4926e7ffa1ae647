"""The grammar of blocks of code, over the tokens of SQL.

What is SQL inside is read by SQL's own grammar: expressions where they stand, statements up to their semicolon, without the ``into`` that
is no SQL.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import error, unsupported
from ..grammar import Grammar
from ..lexer import Token, tokenize
from ..parse import nesting, stack_for
from ..tree import ColumnRef, Expression, Query, ScalarQuery, Statement
from . import tree

_LEVELS = ("debug", "log", "info", "notice", "warning", "exception")
_LOOPS = ("loop", "while", "for", "foreach", "exit", "continue")
_CURSORS = ("open", "fetch", "move", "close")
_OPTIONS = ("errcode", "message", "detail", "hint", "column", "constraint", "datatype", "table", "schema")
_ENDS = frozenset(("end", "elsif", "elseif", "else", "when", "exception"))
MAX_NESTING = 100


def parse_block(text: str) -> tree.Block:
    """Return the tree of a text that is one block.

    Raises
    ------
    SqlError
        42601 for what is no PL/pgSQL, 0A000 for loops and cursors, 54001 for what is nested too deeply.
    """
    tokens = tokenize(text)
    with stack_for(nesting(tokens)):
        grammar = CodeGrammar(tokens, text)
        found = grammar.block()
        grammar.take_mark(";")
        if grammar.token.kind != "end":
            grammar.stop()
        return found


class CodeGrammar(Grammar):
    """Reads a block."""

    def __init__(self, tokens: list[Token], text: str) -> None:
        super().__init__(tokens, text)
        self.depth = 0

    # Blocks.

    def block(self) -> tree.Block:
        """Go past ``[declare …] begin … end``."""
        at = self.at
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.too_deep(at)
        if self.take_operator("<<"):  # a label, which only loops would need
            self.name()
            self.expect_operator(">>")
        declarations: list[tree.Declaration | tree.Alias] = []
        if self.take_word("declare"):
            while not self.at_word("begin"):
                if not self.take_word("declare"):
                    declarations.append(self._code_declaration())
        self.expect_word("begin")
        body = self._code_body()
        handlers = self._code_handlers() if self.take_word("exception") else ()
        self.expect_word("end")
        if self.at_name() and not self.at_mark(";"):
            self.name()
        self.depth -= 1
        return tree.Block(tuple(declarations), body, handlers, at=at)

    def _code_body(self) -> tuple[tree.Code, ...]:
        """Go past statements up to a word that ends them."""
        found: list[tree.Code] = []
        while not (self.token.kind == "word" and self.token.text in _ENDS):
            if self.token.kind == "end":
                self.stop()
            code = self._code_statement()
            if code is not None:
                found.append(code)
        return tuple(found)

    def _code_declaration(self) -> tree.Declaration | tree.Alias:
        at, name = self.at, self.name()
        if self.take_word("alias"):
            self.expect_word("for")
            other = ("$" + self.advance().text,) if self.token.kind == "parameter" else (self.name(),)
            self.expect_mark(";")
            return tree.Alias(name, other, at=at)
        is_constant = self.take_word("constant") is not None
        if self.at_word("cursor", "refcursor") or self.at_words("no", "scroll") or self.at_word("scroll"):
            raise unsupported("a cursor", self.at)
        copied: tree.Path = ()
        is_row, type_name = False, None
        if self._code_is_copied():
            copied = self.qualified_name()
            self.expect_operator("%")
            is_row = self.expect_word("rowtype", "type") == "rowtype"
        elif not self.take_word("record"):
            type_name = self.type_name()
        if self.take_word("collate"):
            self.qualified_name()
        not_null = self.take_words("not", "null")
        default = None
        if self.take_word("default") or self.take_mark(":=") or self.take_operator("="):
            default = self._code_expression()
        self.expect_mark(";")
        if not_null and default is None:
            message = f'variable "{name}" must have a default value, since it\'s declared NOT NULL'
            raise error("22004", message, at)
        return tree.Declaration(name, type_name, copied, is_row, default, is_constant, not_null, at=at)

    def _code_is_copied(self) -> bool:
        ahead = 1
        while self.peek(ahead).text == "." and self.peek(ahead).kind == "mark":
            ahead += 2
        return self.peek(ahead).kind == "operator" and self.peek(ahead).text == "%"

    def _code_handlers(self) -> tuple[tree.Handler, ...]:
        found = []
        while self.at_word("when"):
            at = self.at
            self.advance()
            conditions = [self._code_condition()]
            while self.take_word("or"):
                conditions.append(self._code_condition())
            self.expect_word("then")
            found.append(tree.Handler(tuple(conditions), self._code_body(), at=at))
        if not found:
            self.stop()
        return tuple(found)

    def _code_condition(self) -> str:
        if self.take_word("sqlstate"):
            return self.expect_string()
        return self.name()

    # Statements.

    def _code_statement(self) -> tree.Code | None:
        """Go past one statement; None for one that does nothing."""
        at = self.at
        if self.take_mark(";"):
            return None
        if self._code_opens_assignment():
            return self._code_assignment(at)
        if self.at_operator("<<") or self.at_word("declare", "begin"):
            found = self.block()
            self.expect_mark(";")
            return found
        if self.at_word(*_LOOPS):
            raise unsupported("a loop", at)
        if self.at_word(*_CURSORS):
            raise unsupported("a cursor", at)
        if self.at_words("null") and self.next.text == ";":
            self.advance()
            self.advance()
            return None
        reader = self._code_readers().get(self.token.text) if self.token.kind == "word" else None
        if reader is None:
            return self._code_sql(at)
        self.advance()
        return reader(at)

    def _code_readers(self) -> dict[str, Callable[[int], tree.Code]]:
        return {
            "if": self._code_if,
            "case": self._code_case,
            "raise": self._code_raise,
            "return": self._code_return,
            "perform": self._code_perform,
            "execute": self._code_execute,
            "get": self._code_diagnostics,
            "assert": self._code_assert,
        }

    def _code_opens_assignment(self) -> bool:
        if self.token.kind not in ("word", "name"):
            return False
        ahead = 1
        while self.peek(ahead).kind == "mark" and self.peek(ahead).text == ".":
            ahead += 2
        after = self.peek(ahead)
        return (after.kind == "mark" and after.text in (":=", "[")) or (
            after.kind == "operator" and after.text == "="
        )

    def _code_assignment(self, at: int) -> tree.Code:
        target = self._code_target()
        part = self.subscripts(ColumnRef(target, at=at)) if self.at_mark("[") else None
        if not self.take_mark(":="):
            self.expect_operator("=")
        value = self._code_expression()
        self.expect_mark(";")
        return tree.Assignment(target, value, part, at=at)

    def _code_target(self) -> tree.Path:
        parts = [self.name(frozenset())]
        while self.take_mark("."):
            parts.append(self.label())
        return tuple(parts)

    def _code_expression(self) -> Expression:
        """Go past an expression; what goes on like a query (``count(*) from t``) is one."""
        start = self.index
        found = self.expression()
        if not self.at_word("from", "where", "order", "limit"):
            return found
        self.back_to(start)
        statement = self._code_statement_to_semicolon(Token("word", "select", self.at, self.at))
        if not isinstance(statement, Query):
            raise self.refuse()
        return ScalarQuery(statement, at=statement.at)

    def _code_if(self, at: int) -> tree.Code:
        branches = []
        while True:
            condition = self._code_expression()
            self.expect_word("then")
            branches.append((condition, self._code_body()))
            if not self.take_word("elsif", "elseif"):
                break
        otherwise = self._code_body() if self.take_word("else") else ()
        self.expect_words("end", "if")
        self.expect_mark(";")
        return tree.If(tuple(branches), otherwise, at=at)

    def _code_case(self, at: int) -> tree.Code:
        operand = None if self.at_word("when") else self._code_expression()
        branches = []
        while self.take_word("when"):
            tests = self.list_of(self._code_expression)
            self.expect_word("then")
            branches.append((tests, self._code_body()))
        otherwise = self._code_body() if self.take_word("else") else None
        self.expect_words("end", "case")
        self.expect_mark(";")
        return tree.Case(operand, tuple(branches), otherwise, at=at)

    def _code_raise(self, at: int) -> tree.Code:
        if self.take_mark(";"):
            return tree.Raise("exception", None, is_again=True, at=at)
        level = self.take_word(*_LEVELS) or "exception"
        text: str | None = None
        arguments: list[Expression] = []
        condition = ""
        if self.token.kind == "string":
            text = self.advance().text
            while self.take_mark(","):
                arguments.append(self._code_expression())
            wanted = text.replace("%%", "").count("%")
            if wanted != len(arguments):
                few = "few" if len(arguments) < wanted else "many"
                raise error("42601", f"too {few} parameters specified for RAISE", at)
        elif self.take_word("sqlstate"):
            condition = self.expect_string()
        elif not self.at_word("using"):
            condition = self.name()
        options: list[tuple[str, Expression]] = []
        if self.take_word("using"):
            options += self.list_of(self._code_option)
        self.expect_mark(";")
        return tree.Raise(level, text, tuple(arguments), tuple(options), condition, at=at)

    def _code_option(self) -> tuple[str, Expression]:
        name = self.expect_word(*_OPTIONS)
        if not self.take_mark(":="):
            self.expect_operator("=")
        return name, self._code_expression()

    def _code_return(self, at: int) -> tree.Code:
        if self.take_mark(";"):
            return tree.Return(at=at)
        if self.take_word("next"):
            value = None if self.at_mark(";") else self._code_expression()
            self.expect_mark(";")
            return tree.ReturnNext(value, at=at)
        if self.take_word("query"):
            if self.take_word("execute"):
                text = self._code_expression()
                using = self.list_of(self._code_expression) if self.take_word("using") else ()
                self.expect_mark(";")
                return tree.ReturnQuery(None, text, using, at=at)
            statement = self._code_statement_to_semicolon()
            self.expect_mark(";")
            return tree.ReturnQuery(statement, at=at)
        value = self._code_expression()
        self.expect_mark(";")
        return tree.Return(value, at=at)

    def _code_perform(self, at: int) -> tree.Code:
        statement = self._code_statement_to_semicolon(Token("word", "select", at, at))
        self.expect_mark(";")
        return tree.Run(statement, discards=True, at=at)

    def _code_execute(self, at: int) -> tree.Code:
        text = self._code_expression()
        into = using = None
        while True:
            if into is None and self.take_word("into"):
                strict = self.take_word("strict") is not None
                into = tree.Into(self.list_of(self._code_target), strict, at=at)
            elif using is None and self.take_word("using"):
                using = self.list_of(self._code_expression)
            else:
                break
        self.expect_mark(";")
        return tree.Execute(text, into, using or (), at=at)

    def _code_diagnostics(self, at: int) -> tree.Code:
        self.take_word("current", "stacked")
        self.expect_word("diagnostics")
        targets = self.list_of(self._code_diagnostic)
        self.expect_mark(";")
        return tree.Diagnostics(targets, at=at)

    def _code_diagnostic(self) -> tuple[tree.Path, str]:
        target = self._code_target()
        if not self.take_mark(":="):
            self.expect_operator("=")
        if not self.at_word("row_count", "returned_sqlstate", "message_text"):
            raise unsupported(f"the diagnostics item {self.token.text}", self.at)
        return target, self.advance().text

    def _code_assert(self, at: int) -> tree.Code:
        condition = self._code_expression()
        message = self._code_expression() if self.take_mark(",") else None
        self.expect_mark(";")
        return tree.Assert(condition, message, at=at)

    # SQL.

    def _code_sql(self, at: int) -> tree.Code:
        if self.token.kind != "word" and not self.at_mark("("):
            self.stop()
        if self.at_word("commit", "rollback"):
            raise error("2D000", "invalid transaction termination", at)
        end = self._code_semicolon()
        found = self._code_into(end)
        if found is None:
            statement = self._code_statement_to_semicolon()
            self.expect_mark(";")
            return tree.Run(statement, at=at)
        start, stop, into = found
        rest = [*self.tokens[self.index : start], *self.tokens[stop:end]]
        statement = self._code_statement_of(rest, end)
        self.back_to(end)
        self.expect_mark(";")
        return tree.Run(statement, into, at=at)

    def _code_semicolon(self) -> int:
        """Return where the statement's semicolon is among the tokens."""
        index = self.index
        while self.tokens[index].kind != "end":
            token = self.tokens[index]
            if token.kind == "mark" and token.text == ";":
                return index
            index += 1
        raise self.refuse(self.tokens[index])

    def _code_into(self, end: int) -> tuple[int, int, tree.Into] | None:
        """Return where the ``into`` of a statement is that is no part of SQL, and what it says."""
        depth = 0
        for index in range(self.index, end):
            token = self.tokens[index]
            if token.kind == "mark" and token.text in "([":
                depth += 1
            elif token.kind == "mark" and token.text in ")]":
                depth -= 1
            elif token.kind == "word" and token.text == "into" and not depth:
                if self.tokens[index - 1].text in ("insert", "merge") and index > self.index:
                    continue
                back = self.index
                self.back_to(index + 1)
                strict = self.take_word("strict") is not None
                into = tree.Into(self.list_of(self._code_target), strict, at=token.start)
                stop = self.index
                self.back_to(back)
                return index, stop, into
        return None

    def _code_statement_to_semicolon(self, first: Token | None = None) -> Statement:
        """Return the statement up to the semicolon, with a word before it if one is given."""
        end = self._code_semicolon()
        rest = self.tokens[self.index : end]
        statement = self._code_statement_of(rest if first is None else [first, *rest], end)
        self.back_to(end)
        return statement

    def _code_statement_of(self, tokens: list[Token], end: int) -> Statement:
        at = self.tokens[end].start
        grammar = Grammar([*tokens, Token("end", "", at, at)], self.text)
        found = grammar.statement()
        if grammar.token.kind != "end":
            grammar.stop()
        return found
