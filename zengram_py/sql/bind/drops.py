"""Dropping: with ``restrict`` nothing goes that something else needs (2BP01), with ``cascade`` that goes too.

    table      foreign keys of other tables, views that read it         sequence   defaults that draw from it
    view       views that read it                                       type       columns that have it
    schema     all in it                                                index      the constraint that it is

What is dropped by one statement together does not stand in each other's way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...engine import EnumDef, IndexDef, ObjectDef, SequenceDef, TableDef
from ...engine.composite import ArrayType
from ...engine.definitions import DEFAULT_SCHEMA, TEMPORARY_SCHEMA, Definition, show_name
from ...engine.expr import names_read
from ...errors import SqlError
from .. import tree
from ..errors import error, unsupported
from .definitions import Change, elsewhere
from .objects import Objects
from .reading import all_readers

_ELSEWHERE = {
    "function": elsewhere("functions", "drop_function"),
    "trigger": elsewhere("triggers", "drop_trigger"),
    "property graph": elsewhere("graphs", "drop_graph"),
}
_triggers_of = elsewhere("triggers", "drop_triggers_of")
_HINT = "Use DROP ... CASCADE to drop the dependent objects too."


class Drops(Objects):
    """The part of the binder of definitions that drops."""

    def drop(self, node: tree.Drop) -> list[Change]:
        """Bind ``drop``."""
        if node.kind == "database":
            return self._drop_database(node)
        if node.kind == "schema":
            return self._drop_schemas(node)
        if node.kind == "index":
            return self._drop_indexes(node)
        if node.kind in _ELSEWHERE:
            return _ELSEWHERE[node.kind](self, node)
        if node.kind not in ("table", "view", "sequence", "type"):
            raise unsupported(f"DROP {node.kind.upper()}", node.at)
        found = [self._found(node, parts) for parts in node.names]
        return self.dropping([d for d in found if d is not None], cascade=node.cascade)

    def dropping(self, gone: Sequence[Definition], *, cascade: bool) -> list[Change]:
        """Return the calls that drop definitions with all that depends on them, or refuse (2BP01)."""
        gone = list({d.id: d for d in gone}.values())
        numbers = {d.id for d in gone}
        numbers |= {
            d.id
            for d in self.catalogue.view.by_id.values()
            if isinstance(d, SequenceDef) and d.owner and d.owner[0] in numbers
        }
        changes: list[Change] = []
        views: dict[int, ObjectDef] = {}
        for found in gone:
            for view in all_readers(self.catalogue.view, found.id):
                if view.id not in numbers:
                    self._refuse_unless(cascade, found, f"view {show_name(view.name)}")
                    views[view.id] = view
            changes += self._let_go(found, numbers, cascade=cascade)
        changes += [Change("drop_object", {"kind": "view", "name": view.name}) for view in views.values()]
        # Tables last: sequences and types must not be in use any more, foreign keys go with their tables.
        order = ("view", "table", "sequence", "enum")
        for found in sorted(gone, key=lambda d: order.index(d.kind)):
            if isinstance(found, TableDef):
                changes += _triggers_of(self, found.name)
                changes.append(Change("drop_table", {"name": found.name, "cascade": True}))
            else:
                changes.append(Change("drop_object", {"kind": found.kind, "name": found.name}))
        return changes

    def _let_go(self, found: Definition, gone: set[int], *, cascade: bool) -> Iterator[Change]:
        """Yield the calls that free a definition of what needs it, views aside."""
        if isinstance(found, TableDef):
            for other, key in self.catalogue.view.referencing(found.id):
                if other.id not in gone:
                    what = f"constraint {key.name} on table {show_name(other.name)}"
                    self._refuse_unless(cascade, found, what)
        elif isinstance(found, SequenceDef):
            for table in self.catalogue.view.tables():
                for column in table.columns:
                    if column.default == ["nextval", found.id] and table.id not in gone:
                        if column.identity is not None:
                            raise _required(found, f"column {column.name} of table {table.name[2]}")
                        what = f"default value for column {column.name} of table {show_name(table.name)}"
                        self._refuse_unless(cascade, found, what)
                        arguments = {"name": table.name, "column": column.name, "default": None}
                        yield Change("alter_column", arguments)
        elif isinstance(found, EnumDef):
            for table in self.catalogue.view.tables():
                for column in table.columns:
                    kind = column.type.element if isinstance(column.type, ArrayType) else column.type
                    if kind == found.type and table.id not in gone:
                        what = f"column {column.name} of table {show_name(table.name)}"
                        self._refuse_unless(cascade, found, what)
                        yield from self.drop_column(table, column.name, cascade=True)

    @staticmethod
    def _refuse_unless(cascade: bool, found: Definition, dependent: str) -> None:
        if not cascade:
            what = f"{_title(found)} {show_name(found.name)}"
            detail = f"{dependent} depends on {what}"
            message = f"cannot drop {what} because other objects depend on it"
            raise error("2BP01", message, detail=detail, hint=_HINT)

    def drop_column(
        self, table: TableDef, name: str, *, cascade: bool, at: int | None = None
    ) -> list[Change]:
        """Return the calls that drop a column with all that depends on it, or refuse (2BP01)."""
        column = table.column(name)
        what = f"column {name} of table {table.name[2]}"
        changes: list[Change] = []

        def depends(dependent: str) -> None:
            if not cascade:
                message = f"cannot drop {what} because other objects depend on it"
                raise error("2BP01", message, at, detail=f"{dependent} depends on {what}", hint=_HINT)

        for view in all_readers(self.catalogue.view, table.id, column.id):
            depends(f"view {show_name(view.name)}")
            changes.append(Change("drop_object", {"kind": "view", "name": view.name}))
        for other, key in self.catalogue.view.referencing(table.id):
            if name in key.ref_columns:
                depends(f"constraint {key.name} on table {show_name(other.name)}")
                changes.append(Change("drop_constraint", {"name": other.name, "constraint": key.name}))
        for made, _ in table.generated:
            if (
                made.generated is not None
                and made.name != name
                and name in names_read(made.generated, table.by_name)
            ):
                depends(f"column {made.name} of table {table.name[2]}")
                changes.append(Change("drop_column", {"name": table.name, "column": made.name}))
        if name in table.primary_key:
            changes.append(Change("drop_primary_key", {"name": table.name}))
        changes.append(Change("drop_column", {"name": table.name, "column": name}))
        return changes

    # Finding.

    def _found(self, node: tree.Drop, parts: tuple[str, ...]) -> Definition | None:
        """Return what is to be dropped, None if it is not there and need not be."""
        kind = {"type": "enum"}.get(node.kind, node.kind)
        found = self.catalogue.find(kind, parts)
        if found is not None:
            return found
        shown = ".".join(parts)
        if kind != "enum":
            for other in ("table", "view", "sequence"):
                if self.catalogue.find(other, parts) is not None:
                    hint = f"Use DROP {other.upper()} to remove a {other}."
                    raise error("42809", f'"{parts[-1]}" is not a {kind}', hint=hint)
        if not node.if_exists:
            self._check_schema_of(parts)
            raise error("42704" if kind == "enum" else "42P01", f'{node.kind} "{shown}" does not exist')
        return None

    def _check_schema_of(self, parts: tuple[str, ...]) -> None:
        if len(parts) > 1 and not self.catalogue.has_schema(parts[-2]):
            databases = [d.name[0] for d in self.catalogue.view.by_id.values()]
            if parts[-2] not in databases:
                raise error("3F000", f'schema "{parts[-2]}" does not exist')

    # Indexes.

    def find_index(self, parts: tuple[str, ...]) -> tuple[TableDef, IndexDef] | None:
        """Return an index by its name as it was written, with its table."""
        for database, schema, name in self.catalogue.path.candidates(parts):
            for table in self.catalogue.view.tables():
                if table.name[:2] == (database, schema):
                    for index in table.indexes:
                        if index.name == name:
                            return table, index
        return None

    def _drop_indexes(self, node: tree.Drop) -> list[Change]:
        changes = []
        for parts in node.names:
            found = self.find_index(parts)
            if found is None:
                if any(self.catalogue.find(kind, parts) for kind in ("table", "view", "sequence")):
                    raise error("42809", f'"{parts[-1]}" is not an index')
                if not node.if_exists:
                    self._check_schema_of(parts)
                    raise error("42704", f'index "{".".join(parts)}" does not exist')
                continue
            table, index = found
            is_key = bool(table.primary_key) and index is table.indexes[0]
            if is_key or index.options.get("constraint"):
                message = (
                    f"cannot drop index {index.name} because constraint {index.name} on table "
                    f"{table.name[2]} requires it"
                )
                hint = f"You can drop constraint {index.name} on table {table.name[2]} instead."
                raise error("2BP01", message, hint=hint)
            changes += self.without_index(table, index, f"index {index.name}", cascade=node.cascade)
        return changes

    def without_index(self, table: TableDef, index: IndexDef, what: str, *, cascade: bool) -> list[Change]:
        """Return the calls that drop an index, with the foreign keys of other tables that need it."""
        changes = []
        columns = [key[1] for key in index.keys if isinstance(key, list) and key[0] == "col"]
        for other, key in self.catalogue.view.referencing(table.id):
            if index.unique and list(key.ref_columns) == columns and not self._has_another(table, index):
                if not cascade:
                    message = f"cannot drop {what} because other objects depend on it"
                    detail = f"constraint {key.name} on table {show_name(other.name)} depends on {what}"
                    raise error("2BP01", message, detail=detail, hint=_HINT)
                changes.append(Change("drop_constraint", {"name": other.name, "constraint": key.name}))
        if table.primary_key and index is table.indexes[0]:
            return [*changes, Change("drop_primary_key", {"name": table.name})]
        return [*changes, Change("drop_index", {"name": table.name, "index": index.name})]

    @staticmethod
    def _has_another(table: TableDef, index: IndexDef) -> bool:
        alike = [i for i in table.indexes if i.keys == index.keys and i.unique and i.where is None]
        return len(alike) > 1

    # Schemas and databases.

    def _drop_schemas(self, node: tree.Drop) -> list[Change]:
        changes: list[Change] = []
        for parts in node.names:
            title = parts[-1]
            name = (self.catalogue.path.database, "-", title)
            schema = self.catalogue.view.find("schema", name)
            inside = [
                d
                for d in self.catalogue.view.by_id.values()
                if d.name[:2] == (name[0], title) and d.kind in ("table", "view", "sequence", "enum")
            ]
            if schema is None:
                if title in (DEFAULT_SCHEMA, TEMPORARY_SCHEMA, "pg_catalog"):
                    raise unsupported(f"dropping schema {title}", node.at)
                if not node.if_exists:
                    raise error("3F000", f'schema "{title}" does not exist')
                continue
            if inside and not node.cascade:
                message = f"cannot drop schema {title} because other objects depend on it"
                first = inside[0]
                detail = f"{_title(first)} {show_name(first.name)} depends on schema {title}"
                raise error("2BP01", message, detail=detail, hint=_HINT)
            owned = {d.id for d in inside if isinstance(d, SequenceDef) and d.owner}
            changes += self.dropping([d for d in inside if d.id not in owned], cascade=True)
            changes.append(Change("drop_object", {"kind": "schema", "name": name}))
        return changes

    def _drop_database(self, node: tree.Drop) -> list[Change]:
        (parts,) = node.names
        if self.catalogue.view.find("database", (parts[0], "-", parts[0])) is None:
            if not node.if_exists:
                raise error("3D000", f'database "{parts[0]}" does not exist')
            return []
        return [Change("drop_database", {"name": parts[0]})]


def _title(found: Definition) -> str:
    return "type" if isinstance(found, EnumDef) else found.kind


def _required(found: Definition, dependent: str) -> SqlError:
    message = f"cannot drop {_title(found)} {show_name(found.name)} because {dependent} requires it"
    return error("2BP01", message, hint=f"You can drop {dependent} instead.")
