"""Other names for what there is, inside a transaction. Whatever refers to it by number (keys, defaults, types) follows."""

from __future__ import annotations

from dataclasses import replace

from .composite import renamed_enum
from .ddl import SchemaChanges
from .ddl_objects import whole_change
from .definitions import Definition, EnumDef, Name, TableDef, check_table, full_name, show_name


class NameChanges(SchemaChanges):
    """The part of a transaction that gives other names."""

    @whole_change
    def rename_table(self, name: str | Name, new_name: str) -> None:
        """Give a table another name in its schema."""
        table = self._alterable(name)
        self._move(table, (table.name[0], table.name[1], new_name))

    @whole_change
    def rename_object(self, kind: str, name: str | Name, new_name: str) -> None:
        """Give a sequence, an enum type, or what ``create_object`` made another name in its schema."""
        self._check_writable()
        found = self._existing(kind, name)
        self._move(found, (found.name[0], found.name[1], new_name))

    @whole_change
    def set_schema(self, kind: str, name: str | Name, schema: str) -> None:
        """Put something into another schema; with a table go the sequences that belong to it."""
        self._check_writable()
        found = self._existing(kind, name)
        self._move(found, (found.name[0], schema, found.name[2]))
        if isinstance(found, TableDef):
            for sequence in self._owned(found):
                self._move(sequence, (sequence.name[0], schema, sequence.name[2]))

    @whole_change
    def rename_index(self, name: str | Name, index: str, new_name: str) -> None:
        """Give an index of a table another name."""
        table = self._alterable(name)
        old = table.index(index)
        indexes = tuple(replace(i, name=new_name) if i is old else i for i in table.indexes)
        changed = replace(table, indexes=indexes)
        check_table(changed)
        self._put(changed)

    @whole_change
    def rename_constraint(self, name: str | Name, constraint: str, new_name: str) -> None:
        """Give a check or a foreign key another name, or a unique index."""
        table = self._alterable(name)
        checks = tuple(replace(c, name=new_name) if c.name == constraint else c for c in table.checks)
        keys = tuple(replace(k, name=new_name) if k.name == constraint else k for k in table.foreign_keys)
        if checks == table.checks and keys == table.foreign_keys:
            self.rename_index(table.name, constraint, new_name)
            return
        changed = replace(table, checks=checks, foreign_keys=keys)
        check_table(changed)
        self._put(changed)

    def _move(self, found: Definition, where: Name) -> None:
        self._check_free(found.kind, full_name(where))
        if isinstance(found, EnumDef):
            new_type = renamed_enum(found.type, show_name(where))
            self._replace_enum(found, replace(found, name=where, type=new_type))
        else:
            self._put(replace(found, name=where))
