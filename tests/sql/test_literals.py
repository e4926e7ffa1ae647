"""What types read in texts: compared with PostgreSQL 18, but that a zone behind a timestamp moves it to UTC here."""

from decimal import Decimal
from typing import Any

import pytest

from zengram_py.engine import Interval, Range
from zengram_py.errors import SqlError
from zengram_py.sql.fitting import fit_text
from zengram_py.sql.literals import read
from zengram_py.sql.types import BPCHAR, NUMBER, VARCHAR, VECTOR, named

inf, nan = float("inf"), float("nan")

# Type, text, and the value in the engine's stored form or the SQLSTATE.
CASES: list[tuple[str, str, Any]] = [
    ("bool", "t", True),
    ("bool", "TRUE", True),
    ("bool", " yes ", True),
    ("bool", "o", "22P02"),
    ("bool", "of", False),
    ("bool", "on", True),
    ("bool", "2", "22P02"),
    ("bool", "", "22P02"),
    ("int4", "5", 5),
    ("int4", " -5 ", -5),
    ("int4", "+5", 5),
    ("int4", "5.0", "22P02"),
    ("int4", "2147483648", "22003"),
    ("int4", "1_000", 1000),
    ("int4", "0x1F", 31),
    ("int4", "", "22P02"),
    ("int4", "--5", "22P02"),
    ("int4", "5 5", "22P02"),
    ("int2", "32768", "22003"),
    ("int2", "-32768", -32768),
    ("int8", "9223372036854775808", "22003"),
    ("int8", "-9223372036854775808", -9223372036854775808),
    ("float8", "1.5", 1.5),
    ("float8", "1e400", "22003"),
    ("float8", "inf", inf),
    ("float8", "-Infinity", -inf),
    ("float8", "nan", nan),
    ("float8", "x", "22P02"),
    ("float8", "1e-400", "22003"),
    ("float8", ".5", 0.5),
    ("float8", "5.", 5.0),
    ("float4", "1e40", "22003"),
    ("float4", "1.1", 1.100000023841858),
    ("numeric", "1.50", Decimal("1.50")),
    ("numeric", "NaN", Decimal("NaN")),
    ("numeric", "Infinity", Decimal("Infinity")),
    ("numeric", "1e5", Decimal("100000")),
    ("numeric", "abc", "22P02"),
    ("numeric", "1_000.5", Decimal("1000.5")),
    ("numeric", "", "22P02"),
    ("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("uuid", "{A0EEBC999C0B4EF8BB6D6BB9BD380A11}", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("uuid", "x", "22P02"),
    ("uuid", "a0eebc999c0b4ef8bb6d6bb9bd380a1", "22P02"),
    ("jsonb", '{"a":1}', '{"a":1}'),
    ("jsonb", "1", "1"),
    ("jsonb", "nope", "22P02"),
    ("jsonb", '{"a":NaN}', "22P02"),
    ("jsonb", "", "22P02"),
    ("jsonb", "[1,2", "22P02"),
    ("jsonb", '"x"', '"x"'),
    ("bytea", "\\x0aff", b"\n\xff"),
    ("bytea", "\\x0", "22023"),
    ("bytea", "abc\\\\d\\101", b"abc\\dA"),
    ("bytea", "\\9", "22P02"),
    ("date", "2024-02-29", 19782),
    ("date", "2023-02-29", "22008"),
    ("date", "20240229", 19782),
    ("date", "Feb 29, 2024", 19782),
    ("date", "29-Feb-2024", 19782),
    ("date", "2/29/2024", 19782),
    ("date", "2024-1-5", 19727),
    ("date", "2024-13-01", "22008"),
    ("date", "x", "22007"),
    ("date", "epoch", 0),
    ("date", "2024-02-29 10:00", 19782),
    ("time", "10:30", 37800000000),
    ("time", "10:30:15.5", 37815500000),
    ("time", "10:30 PM", 81000000000),
    ("time", "25:00", "22008"),
    ("time", "24:00", 86400000000),
    ("time", "10:61", "22008"),
    ("time", "x", "22007"),
    ("time", "10", "22007"),
    ("timestamp", "2024-02-29 10:30", 1709202600000000),
    ("timestamp", "2024-02-29T10:30:15.123456Z", 1709202615123456),
    ("timestamp", "2024-02-29", 1709164800000000),
    ("timestamp", "2024-02-29 10:30+02", 1709195400000000),
    ("timestamp", "2024-02-29 10:30:60", 1709202660000000),
    ("timestamp", "x", "22007"),
    ("timestamp", "2024-02-29 25:00", "22008"),
    ("interval", "1 day", Interval(months=0, days=1, microseconds=0)),
    ("interval", "1 year 2 mons -3 days 04:05:06", Interval(months=14, days=-3, microseconds=14706000000)),
    ("interval", "1-2", Interval(months=14, days=0, microseconds=0)),
    ("interval", "P1Y2M3DT4H5M6S", Interval(months=14, days=3, microseconds=14706000000)),
    ("interval", "1.5 hours ago", Interval(months=0, days=0, microseconds=-5400000000)),
    ("interval", "1.5 months", Interval(months=1, days=15, microseconds=0)),
    ("interval", "5", Interval(months=0, days=0, microseconds=5000000)),
    ("interval", "1 2:03", Interval(months=0, days=1, microseconds=7380000000)),
    ("interval", "-1:30", Interval(months=0, days=0, microseconds=-5400000000)),
    ("interval", "x", "22007"),
    ("interval", "1 parsec", "22007"),
    ("interval", "", "22007"),
    ("interval", "2 weeks", Interval(months=0, days=14, microseconds=0)),
    ("interval", "1.5 days", Interval(months=0, days=1, microseconds=43200000000)),
    ("interval", "P1W", Interval(months=0, days=7, microseconds=0)),
    ("interval", "@ 1 minute", Interval(months=0, days=0, microseconds=60000000)),
    ("int4[]", "{1,2}", (1, 2)),
    ("int4[]", "{{1,2},{3,4}}", ((1, 2), (3, 4))),
    ("int4[]", "{}", ()),
    ("int4[]", "{1,null}", (1, None)),
    ("int4[]", "{1,2", "22P02"),
    ("int4[]", "1,2", "22P02"),
    ("int4[]", "{1,{2}}", "22P02"),
    ("int4[]", "{a}", "22P02"),
    ("int4[]", "{1,}", "22P02"),
    ("int4[]", "{{1},{2,3}}", "22P02"),
    ("text[]", '{a,"b c",NULL,"NULL"}', ("a", "b c", None, "NULL")),
    ("text[]", '{"a\\"b"}', ('a"b',)),
    ("text[]", "{ a , b }", ("a", "b")),
    ("int4range", "[1,5)", Range(lower=1, upper=5, lower_inclusive=True, upper_inclusive=False, empty=False)),
    ("int4range", "(1,5]", Range(lower=2, upper=6, lower_inclusive=True, upper_inclusive=False, empty=False)),
    (
        "int4range",
        "empty",
        Range(lower=None, upper=None, lower_inclusive=False, upper_inclusive=False, empty=True),
    ),
    ("int4range", "[5,1)", "22000"),
    (
        "int4range",
        "[1,)",
        Range(lower=1, upper=None, lower_inclusive=True, upper_inclusive=False, empty=False),
    ),
    ("int4range", "x", "22P02"),
    (
        "int4range",
        "[1,1)",
        Range(lower=None, upper=None, lower_inclusive=False, upper_inclusive=False, empty=True),
    ),
    (
        "tsrange",
        '["2024-01-01 00:00",2024-02-01)',
        Range(
            lower=1704067200000000,
            upper=1706745600000000,
            lower_inclusive=True,
            upper_inclusive=False,
            empty=False,
        ),
    ),
    (
        "numrange",
        "[1.5,2]",
        Range(
            lower=Decimal("1.5"), upper=Decimal("2"), lower_inclusive=True, upper_inclusive=True, empty=False
        ),
    ),
    ("vector", "[1, 2.5,-3]", (1.0, 2.5, -3.0)),
    ("vector", "[]", "22000"),
    ("jsonb", "[" * 500 + "]" * 500, "[" * 500 + "]" * 500),
    ("jsonb", '["' + "[" * 1000 + '"]', '["' + "[" * 1000 + '"]'),
    ("jsonb", "[" * 100_000, "54001"),
    ("jsonb", '{"a":' * 501 + "1" + "}" * 501, "54001"),
    ("int4[]", "{" * 7 + "1" + "}" * 7, "54000"),
    ("int4[]", "{" * 100_000, "54000"),
    ("vector", "1,2", "22P02"),
    ("vector", "[1,nan]", "22000"),
    ("vector", "[1e39]", "22003"),
    ("date", "now", "0A000"),
    ("timestamp", "infinity", (1 << 63) - 1),
]


@pytest.mark.parametrize(("name", "text", "expected"), CASES, ids=[f"{n}-{t[:40]}" for n, t, _ in CASES])
def test_a_text_as_a_value(name: str, text: str, expected: Any) -> None:
    try:
        found = read(text, named(name), 7)
    except SqlError as failure:
        found = failure.sqlstate if failure.position == 8 else failure
    assert repr(found) == repr(expected)


def test_modifiers() -> None:
    assert read("1.005", NUMBER.with_modifier(5, 2)) == Decimal("1.01")
    assert read("abc", BPCHAR.with_modifier(5)) == "abc  "
    assert read("abc  ", VARCHAR.with_modifier(3)) == "abc"
    assert fit_text("abcdef", VARCHAR.with_modifier(3), cut=True) == "abc"
    for text, target, code in (
        ("12345", NUMBER.with_modifier(5, 2), "22003"),
        ("abcd", VARCHAR.with_modifier(3), "22001"),
        ("[1,2]", VECTOR.with_modifier(3), "22000"),
    ):
        with pytest.raises(SqlError) as caught:
            read(text, target)
        assert caught.value.sqlstate == code
