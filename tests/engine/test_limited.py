"""Column types with a limit."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from zengram_py.engine import NUMERIC, TEXT, ColumnDef, ColumnType, Database, array
from zengram_py.engine.limited import TSQUERY, char, moment, numeric, varchar
from zengram_py.engine.types import parse_type
from zengram_py.errors import CatalogError, TypeMismatchError

TYPES = [
    *(varchar(), varchar(5), char(3), numeric(6, 2), numeric(3, -2), TSQUERY, array(varchar(2))),
    *(moment("timestamp", 3), moment("time", 0), moment("interval", 2), moment("interval", -3)),
    array(moment("timestamp", 0)),
]


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.name)
def test_names_are_read_back(kind: ColumnType) -> None:
    assert parse_type(kind.name) == kind


@pytest.mark.parametrize(
    ("kind", "given", "stored"),
    [
        (varchar(3), "abc", "abc"),
        (varchar(3), "ab   ", "ab "),
        (varchar(), "x" * 1000, "x" * 1000),
        (char(3), "a", "a  "),
        (char(3), "", "   "),
        (char(2), "日本", "日本"),
        (numeric(6, 2), "1.005", Decimal("1.01")),
        (numeric(6, 2), -1.005, Decimal("-1.01")),
        (numeric(6, 2), 5, Decimal("5.00")),
        (numeric(6, 2), "9999.994", Decimal("9999.99")),
        (numeric(3, -2), 12_345, Decimal("1.23E+4")),
        (numeric(2, 4), "0.00125", Decimal("0.0013")),
    ],
)
def test_values(kind: ColumnType, given: Any, stored: Any) -> None:
    assert repr(kind.check(given)) == repr(stored)
    assert kind.decode(kind.encode(stored)) == stored


@pytest.mark.parametrize(
    ("kind", "given", "stored"),
    [
        (moment("timestamp", 3), 1_700_000_000_123_500, 1_700_000_000_124_000),
        (moment("timestamp", 0), 1_700_000_000_499_999, 1_700_000_000_000_000),
        (moment("timestamp", 0), 915_148_800_500_000, 915_148_800_000_000),  # before 2000: away from it
        (moment("timestamp", 0), -1_500_000, -2_000_000),
        (moment("timestamp", 5), (1 << 63) - 1, (1 << 63) - 1),
        (moment("time", 1), 86_399_990_000, 86_400_000_000),
        (moment("time", 5), 15, 20),
        (moment("interval", 0), (1, 2, -1_500_000), (1, 2, -2_000_000)),
        (moment("interval", -3), (1, 2, 1_500_000), (1, 2, 1_500_000)),
    ],
)
def test_moments(kind: ColumnType, given: Any, stored: Any) -> None:
    assert kind.check(given) == stored
    assert kind.from_json(kind.to_json(stored)) == stored


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (varchar(3), "abcd"),
        (varchar(3), 5),
        (char(3), "abcd"),
        (numeric(6, 2), "9999.995"),
        (numeric(6, 2), "Infinity"),
        (numeric(6, 2), "x"),
        (numeric(2, 4), "0.01"),
        (moment("time", 2), -1),
        (moment("timestamp", 2), 1 << 63),
    ],
)
def test_what_does_not_fit(kind: ColumnType, given: Any) -> None:
    with pytest.raises(TypeMismatchError):
        kind.check(given)


@pytest.mark.parametrize(
    "name",
    [
        "varchar(99999999)",
        "char(0)",
        "numeric(0,0)",
        "numeric(2000,0)",
        "varchar(x)",
        "timestamp(6)",
        "time(-1)",
    ],
)
def test_types_that_are_none(name: str) -> None:
    with pytest.raises(CatalogError):
        parse_type(name)


def test_columns_keep_them_and_convert() -> None:
    database = Database.open()
    with database.begin() as t:
        columns = [ColumnDef("id", NUMERIC), ColumnDef("b", varchar(5)), ColumnDef("n", numeric(6, 2))]
        t.create_table("t", columns, primary_key=["id"])
        t.insert("t", {"id": 1, "b": "abc", "n": "1.255"})
        t.alter_type("t", "n", varchar(4))
        t.alter_type("t", "b", char(4))
    restored = Database.restore(database.export())
    assert restored.begin().get("t", 1) == {"id": Decimal(1), "b": "abc ", "n": "1.26"}
    with pytest.raises(TypeMismatchError), restored.begin() as t:
        t.alter_type("t", "n", varchar(3))
    with restored.begin() as t:
        t.alter_type("t", "b", TEXT)
    assert restored.begin().get("t", 1)["b"] == "abc "  # type: ignore[index]


def test_many_moments_are_rounded_too() -> None:
    database = Database.open()
    database.create_table("t", [ColumnDef("at", moment("timestamp", 0)), ColumnDef("d", moment("time", 3))])
    with database.begin() as t:
        t.insert_many("t", {"at": np.array([1_500_000, -1_500_000]), "d": [999, 1500]})
    assert [(r["at"], r["d"]) for r in database.begin().scan("t")] == [(1_000_000, 1000), (-2_000_000, 2000)]
