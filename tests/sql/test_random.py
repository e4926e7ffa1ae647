"""Random numbers: a seed gives those of PostgreSQL 18, without one they are in their range and differ."""

import pytest
from sql_answers import answer, session

# After `select setseed(0.5)`, one after the other.
SEEDED = [
    ("random()", "0.9851677175347999"),
    ("random()", "0.825301858027981"),
    ("random(1, 10)", "3"),
    ("random(1, 10)", "3"),
    ("random(-2147483648, 2147483647)", "634017121"),
    ("random(0::int8, 9223372036854775807)", "8137570839590548375"),
    ("random_normal()", "-0.4573669421509548"),
    ("random_normal(5.0, 2.0)", "7.3828734090286545"),
    ("random(3, 3)", "3"),
    ("random()", "0.48403393317276766"),
]


def test_a_seed_gives_the_same_numbers() -> None:
    at = session()
    answer(at, "select setseed(0.5)")
    found = [answer(at, f"select {expression}") for expression, _ in SEEDED]
    assert found == [expected for _, expected in SEEDED]


def test_numbers_are_in_their_range() -> None:
    at = session()
    statement = """
        select min(a) >= 0 and max(a) < 1 and count(distinct a) > 9000, min(b) = 1 and max(b) = 6, min(c) >= -0.5 and max(c) <= 0.5,
            bool_and(scale(c) = 2), abs(avg(d) - 10) < 0.2
        from (
            select random() a, random(1, 6) b, random(-0.5, 0.50) c, random_normal(10, 2) d from generate_series(1, 10000)
        ) q
    """
    assert answer(at, statement) == "t|t|t|t|t"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("random(2, 1)", "22023"),
        ("random(2.5, 1.5)", "22023"),
        ("random('NaN'::numeric, 1)", "22023"),
        ("random(1, 'Infinity'::numeric)", "22023"),
        ("random(null::int, 1)", "NULL"),
        ("random(2.50, 2.5)", "2.50"),
        ("setseed(1.5)", "22023"),
        ("setseed('NaN')", "22023"),
        ("setseed(null)", "NULL"),
    ],
)
def test_what_is_refused(expression: str, expected: str) -> None:
    assert answer(session(), f"select {expression}") == expected
