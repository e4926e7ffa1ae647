"""Sequences: ``create sequence`` and ``alter sequence``."""

from __future__ import annotations

from typing import Any

from ...engine import SequenceDef
from ...engine.definitions import Name
from .. import tree
from ..errors import error
from .definitions import Change
from .new_tables import NewTables
from .sequence_settings import sequence_settings

_TYPES = ("int2", "int4", "int8")


class Sequences(NewTables):
    """The part of the binder of definitions that knows sequences."""

    def create_sequence(self, node: tree.CreateSequence) -> list[Change]:
        """Bind ``create sequence``."""
        name = self.new_relation(node.name, node.temporary, node.if_not_exists, node.at)
        if name is None:
            return []
        options = node.options
        if options.restarts or options.name is not None:
            raise error("42601", 'syntax error at or near "restart"', options.at)
        settings = sequence_settings(options, self._type_of_sequence(options))
        owner = self._owner(options, name)
        if owner:
            settings["owner"] = owner
        return [Change("create_sequence", {"name": name, **settings})]

    def alter_sequence(self, node: tree.AlterSequence) -> list[Change]:
        """Bind ``alter sequence``."""
        found = self.catalogue.find("sequence", node.name)
        if not isinstance(found, SequenceDef):
            if node.if_exists:
                return []
            self.catalogue.relation(node.name, node.at)
            raise error("42809", f'"{node.name[-1]}" is not a sequence', node.at)
        settings = sequence_settings(node.options, self._type_of_sequence(node.options), found)
        if node.options.owned_by is not None:
            settings["owner"] = self._owner(node.options, found.name) or None
        return [Change("alter_sequence", {"name": found.name, **settings})]

    def _type_of_sequence(self, options: tree.SequenceOptions) -> str:
        if options.type is None:
            return "int8"
        name = self.binder.type_of(options.type).name
        if name not in _TYPES:
            raise error("22023", "sequence type must be smallint, integer, or bigint", options.type.at)
        return name

    def _owner(self, options: tree.SequenceOptions, name: Name) -> tuple[Any, str] | None:
        """Return the column that a sequence is to belong to."""
        owned_by = options.owned_by
        if not owned_by:
            return None
        if len(owned_by) == 1:
            hint = "Specify OWNED BY table.column or OWNED BY NONE."
            raise error("42601", "invalid OWNED BY option", options.at, hint=hint)
        table = self.catalogue.table(owned_by[:-1], options.at)
        if owned_by[-1] not in table.by_name:
            what = f'column "{owned_by[-1]}" of relation "{table.name[2]}" does not exist'
            raise error("42703", what, options.at)
        if table.name[:2] != name[:2]:
            raise error("55000", "sequence must be in same schema as table it is linked to", options.at)
        return table.name, owned_by[-1]
