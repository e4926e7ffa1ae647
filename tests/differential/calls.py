"""Calls: every operator and function of the tables of signatures, with values at the edges of its types.

    python tests/differential/calls.py [--each N] [--seed S] [NAME ...]

``NAME`` is an operator or a function. The values of a type are few and odd: none, empty, extreme, infinite, not ASCII. Which of them go
together is drawn from a seed.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from answers import Answer, difference, report
from ours import Ours
from postgres import Postgres

from zengram_py.sql.signatures import Signature, functions, operators

VALUES: dict[str, list[str]] = {
    "bool": ["true", "false"],
    "int2": ["0::int2", "1::int2", "(-3)::int2", "32767::int2", "(-32768)::int2"],
    "int4": ["0", "1", "-1", "2", "7", "2147483647", "(-2147483648)"],
    "int8": ["0::int8", "1::int8", "(-2)::int8", "9223372036854775807", "5000000000"],
    "float4": [
        "0::float4",
        "1.5::float4",
        "(-2.5)::float4",
        "'nan'::float4",
        "'inf'::float4",
        "3e38::float4",
    ],
    "float8": [
        *("0::float8", "0.5::float8", "(-2.5)::float8", "1e10::float8", "'nan'::float8"),
        *("'inf'::float8", "'-inf'::float8", "1e-300::float8", "1.7e308::float8"),
    ],
    "numeric": [
        "0.0",
        "1.50",
        "-2.5",
        "7",
        "'nan'::numeric",
        "'inf'::numeric",
        "12345678901234567890.5",
        "0.000012",
    ],
    "text": [
        *(
            "''::text",
            "'abc'::text",
            "'Hello World'::text",
            "'a,b,,c'::text",
            "'ÀÉ ñ日本😀'::text",
            "'%_\\'::text",
        ),
        *("'  12 '::text", "'x=1'::text", "'The quick brown fox'::text", "'O''Brien'::text"),
    ],
    "varchar": ["'abc'::varchar(5)", "''::varchar"],
    "bpchar": ["'ab'::char(4)", "''::char(2)", "'abcd'::char(4)"],
    "bytea": ["''::bytea", "'\\x00'::bytea", "'\\xdeadbeef'::bytea", "'abc'::bytea"],
    "uuid": ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "'00000000-0000-0000-0000-000000000000'::uuid"],
    "date": [
        "date '2024-02-29'",
        "date '1969-12-31'",
        "date 'infinity'",
        "date '0001-01-01 BC'",
        "date '2024-12-30'",
    ],
    "time": ["time '00:00'", "time '10:20:30.5'", "time '23:59:59.999999'", "time '24:00'"],
    "timestamp": [
        *("timestamp '2024-02-29 12:30:45.678'", "timestamp '1969-12-31 23:59:59'", "timestamp 'infinity'"),
        *("timestamp '-infinity'", "timestamp '0044-03-15 BC'", "timestamp '2024-12-30'"),
    ],
    "interval": [
        *(
            "interval '0'",
            "interval '1 month'",
            "interval '-1 day 02:03:04.5'",
            "interval '1 year 2 months 3 days'",
        ),
        *("interval 'infinity'", "interval '100 hours'"),
    ],
    "jsonb": [
        *('\'{"a": 1, "b": [1, 2, {"c": null}]}\'::jsonb', "'[1, \"x\", null, true]'::jsonb", "'{}'::jsonb"),
        *("'[]'::jsonb", "'1.50'::jsonb", "'\"text\"'::jsonb", "'null'::jsonb"),
    ],
    "jsonpath": [
        "'$.a'::jsonpath",
        "'$[*]'::jsonpath",
        "'strict $.b[*] ? (@ > 1)'::jsonpath",
        "'$.*.size()'::jsonpath",
    ],
    "tsvector": ["'fat:1A cat:2,5'::tsvector", "''::tsvector", "to_tsvector('english', 'The fat cats ate')"],
    "tsquery": ["'fat & cat'::tsquery", "'!dog | ca:*'::tsquery", "'fat <-> cat'::tsquery", "''::tsquery"],
    "int4range": ["int4range(1, 5)", "'empty'::int4range", "int4range(null, 3)", "int4range(5, 9, '[]')"],
    "int8range": ["int8range(1, 5)"],
    "numrange": ["numrange(1.5, 2.5, '[]')", "numrange(2.5, null)"],
    "daterange": ["daterange('2024-01-01', '2024-02-01')"],
    "tsrange": ["tsrange('2024-01-01', '2024-02-01', '(]')"],
    "int4[]": ["array[1, 2, 3]", "'{}'::int4[]", "array[null, 2]::int4[]", "array[[1, 2], [3, 4]]"],
    "int2[]": ["array[1, 2]::int2[]"],
    "text[]": [
        "array['a', 'b']::text[]",
        "'{}'::text[]",
        "array['a', null, '']::text[]",
        "array['x', '1']::text[]",
    ],
    "float4[]": ["'{0.1, 0.2, 0.4, 1.0}'::float4[]"],
    "float8[]": ["'{0.25, 0.5}'::float8[]"],
    "record": ["row(1, 'a'::text)", "row(null::int, 'b'::text)", "row(2, ''::text)"],
}
"""Values of each type."""

KINDS = {
    "any": ["int4", "text", "numeric", "jsonb", "bool"],
    "anyelement": ["int4", "text"],
    "anynonarray": ["int4", "bool", "numeric", "date"],
    "anycompatible": ["int4"],
    "anycompatiblenonarray": ["int4"],
    "anyarray": ["int4[]", "text[]"],
    "anycompatiblearray": ["int4[]"],
    "anyrange": ["int4range"],
}
"""What stands for polymorphic types."""

SMALL = ["0", "1", "-1", "3"]
SIZED = frozenset(
    [
        "repeat",
        "lpad",
        "rpad",
        "array_fill",
        "generate_series",
        "factorial",
        "chr",
        "<<",
        ">>",
        "set_byte",
        "array_sample",
        "make_date",
        "make_time",
        "make_timestamp",
        "make_interval",
        "to_hex",
        "power",
        "^",
        "width_bucket",
    ]
)
"""What would take long with a large number."""

NOT_COMPARED = frozenset(
    [
        "convert_from",
        "convert_to",
        "timezone",
        "jsonb_delete",
        "json_to_tsvector",
        "to_regclass",
        "ts_lexize",
        "now",
        "clock_timestamp",
        "statement_timestamp",
        "transaction_timestamp",
        "timeofday",
        "current_date",
        "current_time",
        "current_timestamp",
        "localtime",
        "localtimestamp",
        "random",
        "random_normal",
        "gen_random_uuid",
        "uuidv4",
        "uuidv7",
        "pg_sleep",
        "txid_current",
        "version",
        "current_catalog",
        "current_database",
        "current_role",
        "current_schema",
        "current_user",
        "session_user",
        "system_user",
        "current_setting",
        "set_config",
        "nextval",
        "currval",
        "lastval",
        "setval",
        "embed",
        "array_shuffle",
        "array_sample",
        "age",
        "enum_first",
        "enum_last",
        "enum_range",
        "pg_backend_pid",
        "overlaps",
        "extract",
        "position",
        "substring",
        "overlay",
        "trim",
        "generate_series",
    ]
)
"""Functions whose results differ from run to run, that need more than values, or that have a syntax of their own; PGlite hangs in some.
And ``timezone``, which goes the one way from timestamp with time zone and the other from timestamp, here one type."""


GIVEN: dict[str, dict[int, list[str]]] = {
    **{
        name: {0: ["'english'", "'simple'", "'german'"]}
        for name in (
            *("to_tsvector", "to_tsquery", "plainto_tsquery", "phraseto_tsquery", "websearch_to_tsquery"),
            *("ts_headline", "jsonb_to_tsvector"),
        )
    },
    "setweight": {1: ["'A'", "'d'", "'x'"]},
    "length": {1: ["'UTF8'", "'latin1'"]},
    "ts_filter": {1: ["'{a,b}'", "'{}'", "'{x}'"]},
}
"""Arguments that are no texts in PostgreSQL: names of configurations, and weights. A first argument is one only before others."""

ROUNDED = frozenset(
    [
        *(
            "acos",
            "acosh",
            "asin",
            "asinh",
            "atan",
            "atan2",
            "atanh",
            "cbrt",
            "||/",
            "cos",
            "cosh",
            "erf",
            "erfc",
            "exp",
        ),
        *(
            "gamma",
            "lgamma",
            "ln",
            "log",
            "log10",
            "power",
            "^",
            "sin",
            "sinh",
            "tan",
            "tanh",
            "cot",
            "degrees",
            "radians",
        ),
    ]
)
"""Functions whose last digits are the C library's, or of which the rows have no order."""


def calls(each: int, seed: int, names: Sequence[str] = ()) -> Iterator[str]:
    """Yield statements, so many for each signature, with its arguments and with a null."""
    chance = random.Random(seed)
    everything = itertools.chain(operators().items(), functions().items())
    for name, signatures in everything:
        if name in NOT_COMPARED or (names and name not in names):
            continue
        for signature in signatures:
            is_json_set = signature.gives_rows and name.startswith("json_")
            if signature.kind in ("operator", "function") and not is_json_set:
                yield from _of_signature(signature, each, chance)
            elif signature.kind == "aggregate" and signature.arguments:
                yield from _of_aggregate(signature, each, chance)


def _of_signature(signature: Signature, each: int, chance: random.Random) -> Iterator[str]:
    types = [argument.name for argument in signature.arguments]
    if any(name == "vector" or name == "anyenum" for name in [*types, signature.result.name]):
        return
    made: set[str] = set()
    for _ in range(each):
        chosen = _arguments(signature, types, chance)
        if chosen is not None:
            made.add(_statement(signature, chosen))
    yield from sorted(made)


def _of_aggregate(signature: Signature, each: int, chance: random.Random) -> Iterator[str]:
    """Yield aggregates over a few rows."""
    types = [argument.name for argument in signature.arguments]
    if {"vector", "anyenum"} & set(types):
        return
    names = "xyz"[: len(types)]
    for _ in range(-(-each // 2)):
        seed = chance.random()
        rows = [
            _arguments(signature, types, random.Random(seed), chance) for _ in range(chance.randint(1, 5))
        ]
        if None in rows:
            return
        values = ", ".join(f"({', '.join(row)})" for row in rows if row is not None)
        filtered = chance.choice(["", "", " filter (where x is not null)"])
        call = f"{signature.name}({', '.join(names)}){filtered}"
        if signature.name.startswith("json_"):
            call = f"({call})::jsonb"
        yield f"select {call} from (values {values}) v({', '.join(names)})"


def _arguments(
    signature: Signature, types: Sequence[str], chance: random.Random, values_of: random.Random | None = None
) -> list[str] | None:
    """Return values for arguments; of two sources of chance the second chooses values alone, not types."""
    values_of = values_of or chance
    kind_of = {name: chance.choice(kinds) for name, kinds in KINDS.items()}
    kind_of["anyelement"] = kind_of["anyarray"].removesuffix("[]")
    if "anyrange" in types:
        kind_of["anyelement"] = "int4"
    chosen = []
    given = GIVEN.get(signature.name, {})
    for place, name in enumerate(types):
        if place in given and name.startswith("text") and len(types) > 1:
            chosen.append(chance.choice(given[place]))
            continue
        kind = (
            kind_of[name]
            if name not in ("any", "anynonarray") and name in KINDS
            else chance.choice(KINDS.get(name, [name]))
        )
        values = SMALL if signature.name in SIZED and kind.startswith("int") else VALUES.get(kind)
        if values is None:
            return None
        value = values_of.choice(values)
        if values is SMALL and kind != "int4":
            value = f"({value})::{kind}"
        chosen.append(f"null::{kind}" if values_of.random() < 0.06 and kind != "record" else value)
    if signature.optional and chance.random() < 0.5:
        del chosen[-chance.randint(1, signature.optional) :]
    return chosen


def _statement(signature: Signature, chosen: Sequence[str]) -> str:
    name = signature.name
    if signature.kind == "operator":
        left = f"({chosen[0]}) " if len(chosen) == 2 else ""
        return f"select {left}{name} ({chosen[-1]})"
    call = f"{name}({', '.join(chosen)})"
    if name.startswith("json_") or name.endswith("to_json"):  # json keeps its text, and is jsonb here
        call = f"({call.replace('::jsonb', '::json')})" + "::jsonb" * (signature.result.name == "jsonb")
    return f"select * from {call}" if signature.gives_rows else f"select {call}"


def different(each: int, seed: int, postgres: Postgres, names: Sequence[str] = ()) -> Iterator[str]:
    """Yield the calls that differ, for people."""
    statements = list(calls(each, seed, names))
    ours = Ours()
    postgres.run([])
    for text in statements:
        (expected,) = postgres.run([text], fresh=False)
        given = ours.answer(text)
        what = difference(expected, given)
        if what == "rows" and text.split("(")[0].split()[-1] in ROUNDED:
            what = "" if _is_near(expected, given) else what
        if what:
            yield report(text, expected, given, what)


def _is_near(expected: Answer, given: Answer) -> bool:
    ((one,),), ((other,),) = expected.rows, given.rows
    return one is not None and other is not None and math.isclose(float(one), float(other), rel_tol=1e-13)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare calls of every operator and function.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--each", type=int, default=8, help="calls for each signature (8)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    count = 0
    with Postgres() as postgres:
        for found in different(options.each, options.seed, postgres, options.names):
            print(found, "\n", flush=True)
            count += 1
    print(f"{len(list(calls(options.each, options.seed, options.names)))} calls, {count} differ")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
