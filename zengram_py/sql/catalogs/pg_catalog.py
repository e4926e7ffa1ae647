"""``pg_catalog``: the part of PostgreSQL's own catalogue that tools ask for. Numbers of objects are stable within a database, and not PostgreSQL's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...engine.definitions import DEFAULT_DATABASE
from ..types import BY_NAME, SqlType, array_of, enum_type
from .describe import (
    Definitions,
    column_type,
    constraints,
    expression_text,
    index_oid,
    index_text,
    key_columns,
    oid,
)

OWNER = 10
_EVENTS = {"insert": 4, "delete": 8, "update": 16, "truncate": 32}
"""Bits of ``tgtype``."""
_RULES = {"no_action": "a", "restrict": "r", "cascade": "c", "set_null": "n", "set_default": "d"}


def _namespaces(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for name, number in sorted(d.schemas.items()):
        yield number, name, OWNER


def _classes(d: Definitions) -> Iterator[tuple[Any, ...]]:
    schemas = d.schemas
    for table in d.tables:
        space = schemas[table.name[1]]
        persistence = "t" if table.temporary else "p"
        rows = float(d.rows_of(table))
        yield (
            *(oid(table), table.name[2], space, OWNER, "r", rows, len(table.columns)),
            *(bool(table.indexes), persistence, False),
        )
        for index in table.indexes:
            yield (
                *(index_oid(table, index), index.name, space, OWNER, "i", rows, len(index.keys)),
                *(False, persistence, False),
            )
    for view in d.views:
        columns = len(view.definition["columns"])
        yield oid(view), view.name[2], schemas[view.name[1]], OWNER, "v", 0.0, columns, False, "p", False
    for sequence in d.sequences:
        yield (
            oid(sequence),
            sequence.name[2],
            schemas[sequence.name[1]],
            OWNER,
            "S",
            1.0,
            3,
            False,
            "p",
            False,
        )


def _attributes(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table in d.tables:
        for i, column in enumerate(table.columns):
            identity = {"always": "a", "default": "d"}.get(column.identity or "", "")
            generated = "" if column.generated is None else "s"
            has_default = column.default is not None or bool(generated)
            yield (
                *_attribute(d, oid(table), i, column.name, column_type(column)),
                *(not column.nullable, has_default, False, identity, generated),
            )
    for view in d.views:
        for i, (name, sql_type) in enumerate(d.view_columns(view)):
            yield *_attribute(d, oid(view), i, name, sql_type), False, False, False, "", ""


def _attribute(d: Definitions, table: int, at: int, name: str, sql_type: SqlType) -> tuple[Any, ...]:
    modifier = -1
    if sql_type.name in ("varchar", "bpchar") and sql_type.modifier:
        modifier = sql_type.modifier[0] + 4
    elif sql_type.name == "numeric" and sql_type.modifier:
        modifier = (sql_type.modifier[0] << 16 | sql_type.modifier[1] & 0xFFFF) + 4
    elif sql_type.modifier:
        modifier = sql_type.modifier[0]
    return table, name, d.type_oid(sql_type), at + 1, modifier


def _attrdefs(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table in d.tables:
        for i, column in enumerate(table.columns):
            tree = column.generated if column.generated is not None else column.default
            if tree is not None:
                yield oid(table) * 2048 + i, oid(table), i + 1, expression_text(tree, d)


def _types(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for sql_type in BY_NAME.values():
        number = d.type_oid(sql_type)
        if number:
            kind = "p" if sql_type.category == "P" else "r" if sql_type.category == "R" else "b"
            yield number, sql_type.name, 11, OWNER, kind, sql_type.category, 0, _array_oid(d, sql_type)
            if kind != "p":
                array = array_of(sql_type)
                yield d.type_oid(array), "_" + sql_type.name, 11, OWNER, "b", "A", number, 0
    for enum in d.enums:
        sql_type = enum_type(enum)
        yield oid(enum), enum.name[2], d.schemas[enum.name[1]], OWNER, "e", "E", 0, _array_oid(d, sql_type)


def _array_oid(d: Definitions, sql_type: SqlType) -> int:
    return d.type_oid(array_of(sql_type))


def _enums(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for enum in d.enums:
        for i, (code, label) in enumerate(enum.type.labels):
            yield oid(enum) * 4096 + code % 4096 + i, oid(enum), float(i + 1), label


def _index_rows(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table in d.tables:
        places = {c.name: i + 1 for i, c in enumerate(table.columns)}
        for i, index in enumerate(table.indexes):
            is_primary = i == 0 and bool(table.primary_key)
            keys = tuple(places.get(name or "", 0) for name in key_columns(index))
            where = None if index.where is None else expression_text(index.where, d)
            yield (
                *(index_oid(table, index), oid(table), len(keys), len(keys), index.unique, is_primary),
                *(True, True, keys, where),
            )


def _indexes(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table in d.tables:
        for index in table.indexes:
            yield table.name[1], table.name[2], index.name, None, index_text(table, index)


def _tables(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table in d.tables:
        has_triggers = any(t is table for t, _ in d.triggers)
        yield table.name[1], table.name[2], "zengram", None, bool(table.indexes), False, has_triggers, False


def _views(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for view in d.views:
        yield view.name[1], view.name[2], "zengram", view.definition["query"]


def _sequences(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for s in d.sequences:
        yield s.name[1], s.name[2], "zengram", s.start, s.least, s.most, s.increment, s.cycle


def _databases(d: Definitions) -> Iterator[tuple[Any, ...]]:
    yield 1, DEFAULT_DATABASE, OWNER, 6
    for definition in d.view.by_id.values():
        if definition.kind == "database":
            yield oid(definition), definition.name[2], OWNER, 6


def _settings(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for name, setting, text in d.session.settings.all():
        yield name, setting, None, "Zengram", text, "user"


def _constraints(d: Definitions) -> Iterator[tuple[Any, ...]]:
    schemas = d.schemas
    for number, (table, name, letter, columns, made) in enumerate(constraints(d)):
        places = {c.name: i + 1 for i, c in enumerate(table.columns)}
        keys = tuple(places[c] for c in columns) or None
        other, other_keys, update, delete, deferrable = 0, None, " ", " ", False
        if letter == "f":
            there = d.table(made.table)
            if there is not None:
                there_places = {c.name: i + 1 for i, c in enumerate(there.columns)}
                other, other_keys = oid(there), tuple(there_places[c] for c in made.ref_columns)
            update, delete, deferrable = _RULES[made.on_update], _RULES[made.on_delete], made.deferred
        yield (
            *(1_000_000 + number, name, schemas[table.name[1]], letter, deferrable, deferrable, True),
            *(oid(table), other, update, delete, keys, other_keys),
            expression_text(made.expr, d) if letter == "c" else None,
        )


def _triggers(d: Definitions) -> Iterator[tuple[Any, ...]]:
    functions = {f.name: oid(f) for f in d.functions}
    for table, trigger in d.triggers:
        given = trigger.definition
        enabled = "O" if given.get("enabled", True) else "D"
        function = functions.get(tuple(given["function"]), 0)
        kind = 1 * given["row"] | 2 * (given["timing"] == "before") | sum(_EVENTS[e] for e in given["events"])
        condition = given["when"] or None
        yield oid(trigger), oid(table), given["name"], function, kind, enabled, False, condition


def _procedures(d: Definitions) -> Iterator[tuple[Any, ...]]:
    schemas = d.schemas
    for function in d.functions:
        given, signature = function.definition, d.signature(function)
        names = tuple(name or "" for name, _, _ in given["arguments"]) or None
        result = 2279 if given["returns"] == "trigger" else d.type_oid(signature.result)
        yield (
            *(oid(function), given["name"], schemas[function.name[1]], OWNER, given["language"], "f"),
            *(given["strict"], given["set"], given["volatility"][0], len(signature.arguments), result),
            *(tuple(d.type_oid(t) for t in signature.arguments), names, given["body"]),
        )


def _statistics(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table in d.tables:
        rows = int(d.rows_of(table))
        yield oid(table), table.name[1], table.name[2], rows, max(d.versions_of(table) - rows, 0)


def _roles(d: Definitions) -> Iterator[tuple[Any, ...]]:
    yield OWNER, "zengram", True, True, True, True, True


def _nothing(d: Definitions) -> Iterator[tuple[Any, ...]]:
    return iter(())


TABLES: dict[str, tuple[str, Callable[[Definitions], Iterator[tuple[Any, ...]]]]] = {
    "pg_namespace": ("oid:int8 nspname nspowner:int8", _namespaces),
    "pg_class": (
        (
            "oid:int8 relname relnamespace:int8 relowner:int8 relkind reltuples:float4 relnatts:int2 relhasindex:bool relpersistence "
            "relispartition:bool"
        ),
        _classes,
    ),
    "pg_attribute": (
        (
            "attrelid:int8 attname atttypid:int8 attnum:int2 atttypmod:int4 attnotnull:bool atthasdef:bool attisdropped:bool attidentity "
            "attgenerated"
        ),
        _attributes,
    ),
    "pg_attrdef": ("oid:int8 adrelid:int8 adnum:int2 adbin", _attrdefs),
    "pg_type": (
        "oid:int8 typname typnamespace:int8 typowner:int8 typtype typcategory typelem:int8 typarray:int8",
        _types,
    ),
    "pg_enum": ("oid:int8 enumtypid:int8 enumsortorder:float4 enumlabel", _enums),
    "pg_index": (
        (
            "indexrelid:int8 indrelid:int8 indnatts:int2 indnkeyatts:int2 indisunique:bool indisprimary:bool indisvalid:bool "
            "indisready:bool indkey:int2[] indpred"
        ),
        _index_rows,
    ),
    "pg_indexes": ("schemaname tablename indexname tablespace indexdef", _indexes),
    "pg_tables": (
        "schemaname tablename tableowner tablespace hasindexes:bool hasrules:bool hastriggers:bool rowsecurity:bool",
        _tables,
    ),
    "pg_views": ("schemaname viewname viewowner definition", _views),
    "pg_sequences": (
        "schemaname sequencename sequenceowner start_value:int8 min_value:int8 max_value:int8 increment_by:int8 cycle:bool",
        _sequences,
    ),
    "pg_database": ("oid:int8 datname datdba:int8 encoding:int4", _databases),
    "pg_settings": ("name setting unit category short_desc context", _settings),
    "pg_constraint": (
        (
            "oid:int8 conname connamespace:int8 contype condeferrable:bool condeferred:bool convalidated:bool conrelid:int8 "
            "confrelid:int8 confupdtype confdeltype conkey:int2[] confkey:int2[] conbin"
        ),
        _constraints,
    ),
    "pg_trigger": (
        "oid:int8 tgrelid:int8 tgname tgfoid:int8 tgtype:int2 tgenabled tgisinternal:bool tgqual",
        _triggers,
    ),
    "pg_proc": (
        (
            "oid:int8 proname pronamespace:int8 proowner:int8 prolang prokind proisstrict:bool proretset:bool provolatile "
            "pronargs:int2 prorettype:int8 proargtypes:int8[] proargnames:text[] prosrc"
        ),
        _procedures,
    ),
    "pg_stat_user_tables": ("relid:int8 schemaname relname n_live_tup:int8 n_dead_tup:int8", _statistics),
    "pg_roles": (
        "oid:int8 rolname rolsuper:bool rolinherit:bool rolcreaterole:bool rolcreatedb:bool rolcanlogin:bool",
        _roles,
    ),
    "pg_description": ("objoid:int8 classoid:int8 objsubid:int4 description", _nothing),
    "pg_extension": ("oid:int8 extname extversion", _nothing),
}
"""By name: the columns, and what makes the rows."""
