"""Expressions: three-valued logic, and the filter over columns against evaluating row by row."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from zengram_py.engine import (
    BOOLEAN,
    FLOAT32,
    FLOAT64,
    INT16,
    INT64,
    NUMERIC,
    TEXT,
    ColumnDef,
    Database,
)
from zengram_py.engine.column import make_column
from zengram_py.engine.expr import check_expr, columns_of, compile_expr, fold, rename_column
from zengram_py.engine.vector_expr import filter_mask, filter_slots
from zengram_py.errors import CatalogError, TypeMismatchError

T, F, N = True, False, None


def lit(value: Any) -> list[Any]:
    return ["lit", value]


def value(tree: Any, **row: Any) -> Any:
    return compile_expr(tree)(row)


def test_and_or_and_not_are_kleenes() -> None:
    table = [  # one, other, and, or
        (T, T, T, T), (T, F, F, T), (T, N, N, T),
        (F, T, F, T), (F, F, F, F), (F, N, F, N),
        (N, T, N, T), (N, F, F, N), (N, N, N, N),
    ]  # fmt: skip
    for one, other, both, either in table:
        assert value(["and", lit(one), lit(other)]) is both
        assert value(["or", lit(one), lit(other)]) is either
    assert [value(["not", lit(x)]) for x in (T, F, N)] == [F, T, N]
    assert (value(["and"]), value(["or"])) == (T, F)


CASES: list[tuple[Any, Any]] = [
    (["=", lit(1), lit(1.0)], T),
    (["=", lit(None), lit(None)], N),
    (["!=", lit(None), lit(1)], N),
    (["=", lit(float("nan")), lit(float("nan"))], T),
    (["<", lit(float("inf")), lit(float("nan"))], T),
    (["<", lit("a"), lit("b")], T),
    (["in", lit(1), lit(2), lit(1)], T),
    (["in", lit(1), lit(2), lit(None)], N),
    (["in", lit(1), lit(1), lit(None)], T),
    (["in", lit(None), lit(1)], N),
    (["in", lit(1)], F),
    (["is_null", lit(None)], T),
    (["is_null", lit(0)], F),
    (["coalesce", lit(None), lit(2), lit(3)], 2),
    (["coalesce", lit(None)], N),
    (["/", lit(-7), lit(2)], -3),
    (["/", lit(7), lit(2)], 3),
    (["/", lit(7.0), lit(2)], 3.5),
    (["+", lit(1), lit(None)], N),
    (["-", lit(1), lit(3)], -2),
    (["*", lit(2), lit(3)], 6),
    (["*", lit(Decimal("1.5")), lit(10**40 + 1)], Decimal("15" + "0" * 38 + "1.5")),
    (["abs", lit(-2)], 2),
    (["floor", lit(1.5)], 1),
    (["length", lit("abc")], 3),
    (["lower", lit("AbC")], "abc"),
    (["upper", lit("AbC")], "ABC"),
    (["trim", lit("  x ")], "x"),
    (["fold", lit("  Stra\u00dfe \n x")], "strasse x"),
    (["matches", lit("drink"), lit("^dr")], T),
    (["matches", lit(None), lit("^dr")], N),
    (
        ["and", ["!=", lit(0), lit(0)], ["=", ["/", lit(1), lit(0)], lit(1)]],
        F,
    ),  # the second part is not evaluated
]


@pytest.mark.parametrize(("tree", "expected"), CASES, ids=lambda x: str(x)[:40])
def test_an_expression_has_this_value(tree: Any, expected: Any) -> None:
    got = value(tree)
    assert got == expected
    assert type(got) is type(expected)


@pytest.mark.parametrize(
    "tree", [[], ["wat", 1], "col", ["col"], ["lit"], ["lit", 1, 2], [1], ["and", "x"], None, 5]
)
def test_a_malformed_tree_is_refused(tree: Any) -> None:
    with pytest.raises(CatalogError):
        check_expr(tree, {}, "x")


@pytest.mark.parametrize(
    "tree",
    [
        ["/", lit(1), lit(0)],
        ["+", lit(1), lit("a")],
        ["lower", lit(5)],
        ["matches", lit("a"), lit("(")],
        ["abs", lit(1), lit(2)],
    ],
)
def test_an_operator_that_does_not_take_a_value_is_an_error_of_the_engine(tree: Any) -> None:
    with pytest.raises(TypeMismatchError, match=re.escape(f"'{tree[0]}' of")):
        value(tree)


def test_columns_are_found_and_renamed_but_not_in_constants() -> None:
    tree = ["or", ["=", ["col", "a"], ["lit", "a"]], ["is_null", ["coalesce", ["col", "b"], ["col", "a"]]]]
    assert list(columns_of(tree)) == ["a", "b", "a"]
    assert rename_column(tree, "a", "x") == [
        "or",
        ["=", ["col", "x"], ["lit", "a"]],
        ["is_null", ["coalesce", ["col", "b"], ["col", "x"]]],
    ]
    # Who understands SQL may be at hand.
    assert rename_column({"sql": "a"}, "a", "x") in ({"sql": "a"}, {"sql": '"x"'})
    with pytest.raises(CatalogError, match="'b'"):
        check_expr(tree, {"a": 1}, "x")


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


# -- the filter over columns ---------------------------------------------------------------------------------------------

BIG = 1 << 53
NUMBERS = [0, 1, -1, 2, 3, 0.5, -0.0, 0.1, float(np.float32(0.1)), float("nan"), float("inf"), float("-inf")]
EDGES = [BIG, BIG + 1, float(BIG), -BIG - 1, (1 << 63) - 1, 1 << 63, 1 << 70, 2.0**63, 1e300, 70_000]
COLUMNS: dict[str, tuple[Any, list[Any]]] = {
    "flag": (BOOLEAN, [True, False, None]),
    "small": (INT16, [0, 1, -1, 2, None]),
    "n": (INT64, [0, 1, -1, 3, BIG, BIG + 1, -BIG - 1, (1 << 63) - 1, None]),
    "m": (INT64, [0, 1, 3]),
    "single": (FLOAT32, [0.0, -0.0, 0.1, 1.0, float(BIG), float("nan"), float("inf"), None]),
    "x": (FLOAT64, [0.0, 0.1, 1.0, float(BIG), float("nan"), float("-inf"), None]),
    "y": (FLOAT64, [0.0, 1.0, 2.5, None]),
    "exact": (NUMERIC, [0, 1, "NaN", None]),
    "word": (TEXT, ["a", "b", "", None]),
    "other": (TEXT, ["a", "c", None]),
}
NUMERIC_COLUMNS = ["small", "n", "m", "single", "x", "y"]

number = st.sampled_from([["col", c] for c in NUMERIC_COLUMNS]) | st.sampled_from(
    [*NUMBERS, *EDGES, None]
).map(lit)
word = st.sampled_from(
    [["col", "word"], ["col", "other"], ["fold", ["col", "word"]], *map(lit, ("a", "b", "z", None))]
)
flag = st.sampled_from([["col", "flag"], lit(True), lit(False), lit(None)])
compare = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
leaf = (
    st.tuples(compare, number, number).map(list)
    | st.tuples(compare, word, word).map(list)
    | st.tuples(compare, flag, flag).map(list)
    | st.tuples(st.just("in"), number, number, number).map(list)
    | st.tuples(st.just("in"), word, *[st.sampled_from(["a", "b", None]).map(lit)] * 2).map(list)
    | st.sampled_from([["is_null", ["col", c]] for c in COLUMNS])
    | st.tuples(compare, st.just(["col", "exact"]), st.sampled_from([0, 1, None]).map(lit)).map(list)
    | flag
)
trees = st.recursive(
    leaf,
    lambda inner: (
        st.tuples(st.sampled_from(["and", "or"]), inner, inner).map(list)
        | st.tuples(st.sampled_from(["and", "or"]), inner, inner, inner).map(list)
        | inner.map(lambda tree: ["not", tree])
        | inner.map(lambda tree: ["is_null", tree])
    ),
    max_leaves=8,
)


@given(tree=trees, seed=st.integers(0, 1000))
@example(["=", ["col", "single"], lit(0.1)], 1)
@example(["<", ["col", "m"], lit(float("nan"))], 1)
@example(["=", ["col", "n"], lit(float(BIG))], 1)
@example(["=", ["col", "x"], lit(BIG + 1)], 1)
@example(["<", ["col", "small"], lit(70_000)], 1)
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_filtering_columns_is_evaluating_row_by_row(tree: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns, rows = {}, [{} for _ in range(24)]  # type: ignore[var-annotated]
    for name, (column_type, values) in COLUMNS.items():
        columns[name] = make_column(column_type)
        chosen = [values[i] for i in rng.integers(0, len(values), len(rows))]
        checked = [None if v is None else column_type.check(v) for v in chosen]
        columns[name].extend(checked)
        for row, stored in zip(rows, checked, strict=True):
            row[name] = stored
    mask = rng.random(len(rows)) < rng.choice([0.1, 0.8])
    slots = np.flatnonzero(mask).astype(np.int32)
    function = compile_expr(tree)
    expected = [slot for slot in slots.tolist() if function(rows[slot]) is True]
    assert filter_slots(tree, columns, slots).tolist() == expected
    assert filter_mask(tree, columns, mask).tolist() == expected


def test_a_part_of_a_condition_is_asked_only_where_those_before_it_leave_it_open() -> None:
    db = Database.open()
    db.create_table("t", [ColumnDef("id", INT64), ColumnDef("n", INT64)], primary_key=["id"])
    divided = ["/", lit(6), ["col", "n"]]
    with db.begin() as t:
        t.insert_many("t", {"id": [1, 2, 3, 4], "n": [0, 2, 6, None]})
    for own in (False, True):
        t = db.begin()
        if own:
            t.update_where("t", None, {"id": {"expr": ["+", ["col", "id"], lit(10)]}})
        for tree, found in (
            (["and", ["!=", ["col", "n"], lit(0)], [">", divided, lit(1)]], [2]),
            (["or", ["=", ["col", "n"], lit(0)], ["=", divided, lit(1)]], [0, 6]),
            (["not", ["or", ["=", ["col", "n"], lit(0)], [">", divided, lit(1)]]], [6]),
        ):
            assert [row["n"] for row in t.scan("t", where=tree)] == found
            assert t.count("t", tree) == len(found)
        with pytest.raises(TypeMismatchError, match="zero"):
            list(t.scan("t", where=[">", divided, lit(1)]))
