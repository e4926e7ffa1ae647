"""Changes of tables: ``alter table``."""

from __future__ import annotations

from typing import Any

from ..errors import unsupported
from ..tree import (
    AddColumn,
    AddConstraint,
    AlterAction,
    AlterColumn,
    AlterTable,
    DropColumn,
    DropConstraint,
    Expression,
    MoveTable,
    Rename,
    RenameColumn,
    RenameConstraint,
    SequenceOptions,
    SetTrigger,
    TypeName,
    ValidateConstraint,
)
from .tables import Tables

_OF_SEQUENCE = ("start", "increment", "minvalue", "maxvalue", "cache", "cycle", "no")


class AlterTables(Tables):
    """The part of the grammar that reads changes of tables."""

    def alter_table(self, at: int) -> AlterTable:
        """Go past what follows ``alter table``."""
        if_exists = self.if_exists()
        self.take_word("only")
        name = self.qualified_name()
        if self.at_word("rename"):
            return AlterTable(name, (self._rename(),), if_exists, at=at)
        if self.take_words("set", "schema"):
            return AlterTable(name, (MoveTable(self.name(), at=at),), if_exists, at=at)
        return AlterTable(name, self.list_of(self._alter_action), if_exists, at=at)

    def _rename(self) -> AlterAction:
        at = self.at
        self.expect_word("rename")
        if self.take_word("to"):
            return Rename(self.name(), at=at)
        if self.take_word("constraint"):
            old = self.name()
            self.expect_word("to")
            return RenameConstraint(old, self.name(), at=at)
        self.take_word("column")
        old = self.name()
        self.expect_word("to")
        return RenameColumn(old, self.name(), at=at)

    def _alter_action(self) -> AlterAction:
        at = self.at
        if self.take_word("add"):
            if self.at_word("constraint", "primary", "unique", "check", "foreign", "exclude"):
                return AddConstraint(self.table_constraint(), at=at)
            self.take_word("column")
            if_not_exists = self.if_not_exists()
            return AddColumn(self.column_spec(), if_not_exists, at=at)
        if self.take_word("drop"):
            is_constraint = self.take_word("constraint") is not None
            if not is_constraint:
                self.take_word("column")
            if_exists = self.if_exists()
            name = self.name()
            kind = DropConstraint if is_constraint else DropColumn
            return kind(name, if_exists, self.cascade(), at=at)
        if self.take_words("validate", "constraint"):
            return ValidateConstraint(self.name(), at=at)
        if self.at_word("enable", "disable"):
            enabled = self.advance().text == "enable"
            self.expect_word("trigger")
            name_ = None if self.take_word("all", "user") else self.name()
            return SetTrigger(name_, enabled, at=at)
        if not self.at_word("alter"):
            if self.token.kind == "word":
                raise unsupported(f"ALTER TABLE … {self.token.text.upper()}", at)
            self.stop()
        self.advance()
        self.take_word("column")
        return self._alter_column(self.name(), at)

    def _alter_column(self, name: str, at: int) -> AlterColumn:
        if self.take_words("set", "data"):
            return self._alter_type(name, at)
        if self.at_word("type"):
            return self._alter_type(name, at)
        if self.take_words("set", "default"):
            start = self.at
            value = self.expression()
            return AlterColumn(name, "set default", expression=value, text=self.source(start), at=at)
        if self.take_words("set", "not", "null"):
            return AlterColumn(name, "set not null", at=at)
        if self.take_words("set", "expression"):
            self.expect_word("as")
            expression, text = self.expression_in_parentheses()
            return AlterColumn(name, "set expression", expression=expression, text=text, at=at)
        if self.take_words("add", "generated"):
            made = self.generated(None, at)
            if made.kind != "identity":
                self.stop()
            return AlterColumn(name, "add identity", identity=made.identity, options=made.options, at=at)
        if self.at_words("set", "generated") or self.at_word("restart") or self._sets_sequence():
            return self._set_identity(name, at)
        if self.take_word("drop"):
            if self.take_word("expression"):
                return AlterColumn(name, "drop expression", if_exists=self.if_exists(), at=at)
            if self.take_word("default"):
                return AlterColumn(name, "drop default", at=at)
            if self.take_words("not", "null"):
                return AlterColumn(name, "drop not null", at=at)
            self.expect_word("identity")
            return AlterColumn(name, "drop identity", if_exists=self.if_exists(), at=at)
        raise unsupported(f"ALTER COLUMN … {self.token.text.upper()}", self.at)

    def _sets_sequence(self) -> bool:
        return self.at_word("set") and self.next.kind == "word" and self.next.text in _OF_SEQUENCE

    def _set_identity(self, name: str, at: int) -> AlterColumn:
        """Go past ``set generated …``, ``set`` a setting of the sequence, and ``restart``, any number of them."""
        identity = None
        found: dict[str, Any] = {}
        while self.at_word("set", "restart"):
            if self.take_words("set", "generated"):
                identity = "by default" if self.take_words("by", "default") else self.expect_word("always")
                continue
            self.take_word("set")
            if not self.sequence_option(found):
                self.stop()
        return AlterColumn(
            name, "set identity", identity=identity, options=SequenceOptions(at=at, **found), at=at
        )

    def _alter_type(self, name: str, at: int) -> AlterColumn:
        self.expect_word("type")
        kind: TypeName = self.type_name()
        collation = self.qualified_name() if self.take_word("collate") else None
        value: Expression | None = None
        start = self.at
        text = ""
        if self.take_word("using"):
            start = self.at
            value = self.expression()
            text = self.source(start)
        return AlterColumn(name, "type", kind, value, text, collation=collation, at=at)
