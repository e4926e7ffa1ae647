"""``information_schema``: the standard's own view of tables, columns and constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...engine.definitions import ColumnDef, ForeignKeyDef, TableDef
from ..types import SqlType
from .describe import Definitions, column_type, constraints, expression_text, oid

_PRECISIONS = {"int2": (16, 2, 0), "int4": (32, 2, 0), "int8": (64, 2, 0), "float4": (24, 2, None), "float8": (53, 2, None)}  # fmt: skip
_KINDS = {"p": "PRIMARY KEY", "u": "UNIQUE", "f": "FOREIGN KEY", "c": "CHECK"}
_RULES = {
    "no_action": "NO ACTION",
    "restrict": "RESTRICT",
    "cascade": "CASCADE",
    "set_null": "SET NULL",
    "set_default": "SET DEFAULT",
}


def _schemata(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for name in sorted(d.schemas):
        yield d.database, name, "zengram", None, None, None, None


def _tables(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table in d.tables:
        kind = "LOCAL TEMPORARY" if table.temporary else "BASE TABLE"
        yield d.database, table.name[1], table.name[2], kind, None, None, None, None, None, "YES", "NO", None
    for view in d.views:
        yield d.database, view.name[1], view.name[2], "VIEW", None, None, None, None, None, "NO", "NO", None


def _columns(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table in d.tables:
        for i, column in enumerate(table.columns):
            yield _column(d, table.name, i, column.name, column_type(column), column)
    for view in d.views:
        for i, (name, sql_type) in enumerate(d.view_columns(view)):
            yield _column(d, view.name, i, name, sql_type, None)


def _column(
    d: Definitions,
    table: tuple[str, str, str],
    at: int,
    name: str,
    sql_type: SqlType,
    column: ColumnDef | None,
) -> tuple[Any, ...]:
    length = sql_type.modifier[0] if sql_type.name in ("varchar", "bpchar") and sql_type.modifier else None
    precision, radix, scale = _PRECISIONS.get(sql_type.name, (None, None, None))
    if sql_type.name == "numeric":
        radix = 10
        precision, scale = sql_type.modifier if sql_type.modifier else (None, None)
    title = _title(sql_type)
    udt = "_" + sql_type.element.name if sql_type.category == "A" and sql_type.element else sql_type.name
    default = identity = generated = None
    nullable = True
    if column is not None:
        nullable = column.nullable
        generated = None if column.generated is None else expression_text(column.generated, d)
        if column.identity is not None:
            identity = "ALWAYS" if column.identity == "always" else "BY DEFAULT"
        elif column.default is not None:
            default = expression_text(column.default, d)
    return (
        *(d.database, table[1], table[2], name, at + 1, default, "YES" if nullable else "NO", title),
        *(length, precision, radix, scale, d.database, "pg_catalog", udt),
        *("YES" if identity else "NO", identity, "ALWAYS" if generated else "NEVER", generated, "YES"),
    )


def _title(sql_type: SqlType) -> str:
    """Return a type as ``data_type`` has it."""
    if sql_type.category == "A":
        return "ARRAY"
    return "USER-DEFINED" if sql_type.category == "E" else sql_type.title


def _table_constraints(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table, name, letter, _, key in constraints(d):
        deferred = isinstance(key, ForeignKeyDef) and key.deferred
        flag = "YES" if deferred else "NO"
        yield (
            *(d.database, table.name[1], name, d.database, table.name[1], table.name[2]),
            *(_KINDS[letter], flag, flag, "YES"),
        )


def _key_column_usage(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table, name, letter, columns, key in constraints(d):
        for i, column in enumerate(columns):
            place = i + 1 if letter == "f" and isinstance(key, ForeignKeyDef) else None
            yield (
                *(d.database, table.name[1], name, d.database, table.name[1], table.name[2]),
                *(column, i + 1, place),
            )


def _referential_constraints(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table, name, letter, _, key in constraints(d):
        if letter == "f":
            other = d.table(key.table)
            unique = None if other is None else _unique_name(other, key)
            yield (
                *(d.database, table.name[1], name, d.database, other.name[1] if other else None, unique),
                *("NONE", _RULES[key.on_update], _RULES[key.on_delete]),
            )


def _unique_name(table: TableDef, key: ForeignKeyDef) -> str | None:
    """Return the constraint that a foreign key refers to."""
    for index in table.indexes:
        names = [k[1] for k in index.keys if isinstance(k, list) and k[0] == "col"]
        if index.unique and sorted(names) == sorted(key.ref_columns):
            return index.name
    return None


def _constraint_column_usage(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table, name, letter, columns, key in constraints(d):
        where: TableDef | None = table
        if letter == "f":
            where, columns = d.table(key.table), list(key.ref_columns)
        if where is not None:
            for column in columns:
                yield d.database, where.name[1], where.name[2], column, d.database, table.name[1], name


def _check_constraints(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table, name, letter, _, check in constraints(d):
        if letter == "c":
            yield d.database, table.name[1], name, expression_text(check.expr, d)


def _views(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for view in d.views:
        yield d.database, view.name[1], view.name[2], view.definition["query"], "NONE", "NO", "NO"


def _sequences(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for s in d.sequences:
        yield (
            *(d.database, s.name[1], s.name[2], "bigint", 64, 2, 0, str(s.start), str(s.least), str(s.most)),
            *(str(s.increment), "YES" if s.cycle else "NO"),
        )


def _triggers(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for table, trigger in d.triggers:
        given = trigger.definition
        arguments = ", ".join("'" + a.replace("'", "''") + "'" for a in given["arguments"])
        name = given["function"][2].partition("(")[0]
        for event in given["events"]:
            yield (
                *(d.database, table.name[1], given["name"], event.upper()),
                *(d.database, table.name[1], table.name[2], given["when"] or None),
                *(f"EXECUTE FUNCTION {name}({arguments})", "ROW" if given["row"] else "STATEMENT"),
                given["timing"].upper(),
            )


def _routines(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for function in d.functions:
        given, signature = function.definition, d.signature(function)
        schema, title = function.name[1], f"{given['name']}_{oid(function)}"
        result = "trigger" if given["returns"] == "trigger" else _title(signature.result)
        yield (
            *(d.database, schema, title, d.database, schema, given["name"], "FUNCTION", result),
            *("SQL" if given["language"] == "sql" else "EXTERNAL", given["body"], given["language"].upper()),
            "YES" if given["volatility"] == "immutable" else "NO",
        )


def _parameters(d: Definitions) -> Iterator[tuple[Any, ...]]:
    for function in d.functions:
        given, signature = function.definition, d.signature(function)
        title = f"{given['name']}_{oid(function)}"
        for i, ((name, _, default), sql_type) in enumerate(
            zip(given["arguments"], signature.arguments, strict=True)
        ):
            yield (
                *(d.database, function.name[1], title, i + 1, "IN", name, _title(sql_type)),
                default,
            )


TABLES: dict[str, tuple[str, Callable[[Definitions], Iterator[tuple[Any, ...]]]]] = {
    "schemata": (
        (
            "catalog_name schema_name schema_owner default_character_set_catalog default_character_set_schema "
            "default_character_set_name sql_path"
        ),
        _schemata,
    ),
    "tables": (
        (
            "table_catalog table_schema table_name table_type self_referencing_column_name reference_generation "
            "user_defined_type_catalog user_defined_type_schema user_defined_type_name is_insertable_into is_typed commit_action"
        ),
        _tables,
    ),
    "columns": (
        (
            "table_catalog table_schema table_name column_name ordinal_position:int4 column_default is_nullable data_type "
            "character_maximum_length:int4 numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4 udt_catalog "
            "udt_schema udt_name is_identity identity_generation is_generated generation_expression is_updatable"
        ),
        _columns,
    ),
    "table_constraints": (
        (
            "constraint_catalog constraint_schema constraint_name table_catalog table_schema table_name constraint_type is_deferrable "
            "initially_deferred enforced"
        ),
        _table_constraints,
    ),
    "key_column_usage": (
        (
            "constraint_catalog constraint_schema constraint_name table_catalog table_schema table_name column_name "
            "ordinal_position:int4 position_in_unique_constraint:int4"
        ),
        _key_column_usage,
    ),
    "referential_constraints": (
        (
            "constraint_catalog constraint_schema constraint_name unique_constraint_catalog unique_constraint_schema "
            "unique_constraint_name match_option update_rule delete_rule"
        ),
        _referential_constraints,
    ),
    "constraint_column_usage": (
        "table_catalog table_schema table_name column_name constraint_catalog constraint_schema constraint_name",
        _constraint_column_usage,
    ),
    "check_constraints": (
        "constraint_catalog constraint_schema constraint_name check_clause",
        _check_constraints,
    ),
    "views": (
        "table_catalog table_schema table_name view_definition check_option is_updatable is_insertable_into",
        _views,
    ),
    "sequences": (
        (
            "sequence_catalog sequence_schema sequence_name data_type numeric_precision:int4 numeric_precision_radix:int4 "
            "numeric_scale:int4 start_value minimum_value maximum_value increment cycle_option"
        ),
        _sequences,
    ),
    "triggers": (
        (
            "trigger_catalog trigger_schema trigger_name event_manipulation event_object_catalog event_object_schema "
            "event_object_table action_condition action_statement action_orientation action_timing"
        ),
        _triggers,
    ),
    "routines": (
        (
            "specific_catalog specific_schema specific_name routine_catalog routine_schema routine_name routine_type data_type "
            "routine_body routine_definition external_language is_deterministic"
        ),
        _routines,
    ),
    "parameters": (
        (
            "specific_catalog specific_schema specific_name ordinal_position:int4 parameter_mode parameter_name data_type "
            "parameter_default"
        ),
        _parameters,
    ),
}
"""By name: the columns, and what makes the rows."""
