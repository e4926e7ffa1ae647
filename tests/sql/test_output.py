"""Texts of values of all types.

Expected values are those of PostgreSQL 18 (PGlite): the text of the result, or its SQLSTATE.
"""

import math
import struct
from random import Random

import pytest
from sql_answers import answer, session

from zengram_py.engine.composite import enum, extend_enum
from zengram_py.sql.functions.output import float4_text, float8_text, text_of
from zengram_py.sql.session import Session
from zengram_py.sql.types import SqlType

# Numbers and booleans.
NUMBERS = [
    ("'0'::float8", "0"),
    ("'-0'::float8", "-0"),
    ("'1'::float8", "1"),
    ("'0.1'::float8", "0.1"),
    ("'1e20'::float8", "1e+20"),
    ("'1e15'::float8", "1e+15"),
    ("'1e14'::float8", "100000000000000"),
    ("'123456789012345'::float8", "123456789012345"),
    ("'1234567890123456'::float8", "1.234567890123456e+15"),
    ("'1e-4'::float8", "0.0001"),
    ("'1e-5'::float8", "1e-05"),
    ("'0.00012345'::float8", "0.00012345"),
    ("'1e300'::float8", "1e+300"),
    ("'5e-324'::float8", "5e-324"),
    ("'1.7976931348623157e308'::float8", "1.7976931348623157e+308"),
    ("'99999999999999999999999'::float8", "9.999999999999999e+22"),
    ("'360463582585519200'::float8", "3.6046358258551923e+17"),
    ("'NaN'::float8", "NaN"),
    ("'inf'::float8", "Infinity"),
    ("'-inf'::float8", "-Infinity"),
    ("'1234567890123456.8'::float8", "1.2345678901234568e+15"),
    ("'0'::float4", "0"),
    ("'1e6'::float4", "1e+06"),
    ("'999999'::float4", "999999"),
    ("'9999999'::float4", "9.999999e+06"),
    ("'1234567'::float4", "1.234567e+06"),
    ("'123456.7'::float4", "123456.7"),
    ("'1e5'::float4", "100000"),
    ("'0.1'::float4", "0.1"),
    ("'0.3'::float4", "0.3"),
    ("'16777216'::float4", "1.6777216e+07"),
    ("'72327536'::float4", "7.2327536e+07"),
    ("'34798152'::float4", "3.4798152e+07"),
    ("'1e-4'::float4", "0.0001"),
    ("'9.9999997e-05'::float4", "0.0001"),
    ("'1e-45'::float4", "1e-45"),
    ("'3.4e38'::float4", "3.4e+38"),
    ("'NaN'::float4", "NaN"),
    ("'inf'::float4", "Infinity"),
    ("'-1e6'::float4", "-1e+06"),
    ("'-0'::float4", "-0"),
    ("'1.50'::numeric", "1.50"),
    ("'0.00'::numeric", "0.00"),
    ("'-0.00'::numeric", "0.00"),
    ("'1e5'::numeric", "100000"),
    ("'1e-5'::numeric", "0.00001"),
    ("'NaN'::numeric", "NaN"),
    ("'Infinity'::numeric", "Infinity"),
    ("'-Infinity'::numeric", "-Infinity"),
    ("'123456789012345678901234567890.5'::numeric", "123456789012345678901234567890.5"),
    ("'1e-20'::numeric", "0.00000000000000000001"),
    ("'100'::numeric", "100"),
    ("true", "t"),
    ("false", "f"),
    ("32767::int2", "32767"),
    ("9223372036854775807", "9223372036854775807"),
    ("'-2147483648'::int4", "-2147483648"),
]

# Dates, times, intervals.
MOMENTS = [
    ("'1970-01-01'::date", "1970-01-01"),
    ("'0001-01-01'::date", "0001-01-01"),
    ("'0001-12-31 BC'::date", "0001-12-31 BC"),
    ("'0044-03-15 BC'::date", "0044-03-15 BC"),
    ("'9999-12-31'::date", "9999-12-31"),
    ("'10000-01-01'::date", "10000-01-01"),
    ("'5874897-12-31'::date", "5874897-12-31"),
    ("'2024-02-29'::date", "2024-02-29"),
    ("'1900-02-28'::date", "1900-02-28"),
    ("'infinity'::date", "infinity"),
    ("'-infinity'::date", "-infinity"),
    ("'4713-01-01 BC'::date", "4713-01-01 BC"),
    ("'1970-01-01'::timestamp", "1970-01-01 00:00:00"),
    ("'2024-02-29 04:05:06.5'::timestamp", "2024-02-29 04:05:06.5"),
    ("'1969-12-31 23:59:59.999999'::timestamp", "1969-12-31 23:59:59.999999"),
    ("'0001-01-01 00:00:00.1 BC'::timestamp", "0001-01-01 00:00:00.1 BC"),
    ("'12345-01-01 10:00'::timestamp", "12345-01-01 10:00:00"),
    ("'infinity'::timestamp", "infinity"),
    ("'-infinity'::timestamp", "-infinity"),
    ("'00:00'::time", "00:00:00"),
    ("'24:00'::time", "24:00:00"),
    ("'04:05:06.123450'::time", "04:05:06.12345"),
    ("'23:59:59.999999'::time", "23:59:59.999999"),
    ("'1 months 0 days 0 microseconds'::interval", "1 mon"),
    ("'0 months 0 days 0 microseconds'::interval", "00:00:00"),
    ("'-1 months -1 days 0 microseconds'::interval", "-1 mons -1 days"),
    ("'-1 months 0 days 12345678 microseconds'::interval", "-1 mons +00:00:12.345678"),
    ("'-1 months 0 days 1 microseconds'::interval", "-1 mons +00:00:00.000001"),
    ("'0 months 13 days -24000000 microseconds'::interval", "13 days -00:00:24"),
    ("'-1 months 43 days 3600000000 microseconds'::interval", "-1 mons +43 days 01:00:00"),
    ("'0 months -30 days -136800000000 microseconds'::interval", "-30 days -38:00:00"),
    ("'1 months -1 days 14000000 microseconds'::interval", "1 mon -1 days +00:00:14"),
    ("'0 months -5 days -14 microseconds'::interval", "-5 days -00:00:00.000014"),
    ("'14 months 1 days 0 microseconds'::interval", "1 year 2 mons 1 day"),
    ("'0 months 0 days 12345678 microseconds'::interval", "00:00:12.345678"),
    ("'0 months 0 days -3600000000 microseconds'::interval", "-01:00:00"),
    ("'-29 months 0 days -12345678 microseconds'::interval", "-2 years -5 mons -00:00:12.345678"),
    ("'-1 months -40 days 1 microseconds'::interval", "-1 mons -40 days +00:00:00.000001"),
    ("'0 months 0 days 169200000000 microseconds'::interval", "47:00:00"),
    ("'-31 months 0 days 0 microseconds'::interval", "-2 years -7 mons"),
    ("'0 months -1 days 34 microseconds'::interval", "-1 days +00:00:00.000034"),
    ("'1 months 1 days 0 microseconds'::interval", "1 mon 1 day"),
    ("'0 months 0 days 47000000 microseconds'::interval", "00:00:47"),
    ("'1 months -1 days 0 microseconds'::interval", "1 mon -1 days"),
    ("'0 months -1 days -1 microseconds'::interval", "-1 days -00:00:00.000001"),
    ("'-37 months -1 days 0 microseconds'::interval", "-3 years -1 mons -1 days"),
    ("'0 months -1 days -3600000000 microseconds'::interval", "-1 days -01:00:00"),
    ("'0 months 0 days -1 microseconds'::interval", "-00:00:00.000001"),
    ("'0 months 0 days 40 microseconds'::interval", "00:00:00.00004"),
    ("'1 months 5 days -39000000 microseconds'::interval", "1 mon 5 days -00:00:39"),
    ("'0 months -9 days -1000000 microseconds'::interval", "-9 days -00:00:01"),
    ("'1 months 1 days 12345678 microseconds'::interval", "1 mon 1 day 00:00:12.345678"),
    ("'1 months -40 days 3600000000 microseconds'::interval", "1 mon -40 days +01:00:00"),
    ("'1 months 1 days 1 microseconds'::interval", "1 mon 1 day 00:00:00.000001"),
    ("'-1 months -1 days 1000000 microseconds'::interval", "-1 mons -1 days +00:00:01"),
    ("'-1 months -1 days 133200000000 microseconds'::interval", "-1 mons -1 days +37:00:00"),
    ("'36 months 1 days -1000000 microseconds'::interval", "3 years 1 day -00:00:01"),
    ("'12 months 0 days 0 microseconds'::interval", "1 year"),
    ("'1 months 0 days 3600000000 microseconds'::interval", "1 mon 01:00:00"),
    ("'-15 months 1 days -1000000 microseconds'::interval", "-1 years -3 mons +1 day -00:00:01"),
    ("'1 year 2 mons -3 days 04:05:06'::interval", "1 year 2 mons -3 days +04:05:06"),
    ("'100 years 1 mon'::interval", "100 years 1 mon"),
    ("'-1 year -1 day'::interval", "-1 years -1 days"),
]

# JSON, arrays, ranges, rows and the rest.
OTHERS = [
    (
        '\'{"b":1,"a":[1,2,{}],"aa":[],"":null,"é":true,"zz":"\\u0001\\n\\u007f\\"é/","ab":-0.0,"n":1e5,"m":1.50,"k":12E-3}\'::jsonb',
        '{"": null, "a": [1, 2, {}], "b": 1, "k": 0.012, "m": 1.50, "n": 100000, "aa": [], "ab": 0.0, "zz": "\\u0001\\n\x7f\\"é/", "é": true}',
    ),
    ("'[]'::jsonb", "[]"),
    ("'{}'::jsonb", "{}"),
    ("'\"x\"'::jsonb", '"x"'),
    ("'1.0'::jsonb", "1.0"),
    ("'[1,[2,[3]]]'::jsonb", "[1, [2, [3]]]"),
    ("'1e-7'::jsonb", "0.0000001"),
    ('\'{"a":1,"a":2}\'::jsonb', '{"a": 2}'),
    ("'\"\\ud83d\\ude00\"'::jsonb", '"😀"'),
    ('\'{"bb":1,"a":2,"c":3}\'::jsonb', '{"a": 2, "c": 3, "bb": 1}'),
    (
        "array['a','b c',null,'null','','a\"b','c\\d','{x}',',','NULL']",
        '{a,"b c",NULL,"null","","a\\"b","c\\\\d","{x}",",","NULL"}',
    ),
    ("array[[1,2],[3,4]]", "{{1,2},{3,4}}"),
    ("'{}'::int[]", "{}"),
    ("array[1.50,null]", "{1.50,NULL}"),
    ("array[true,false]", "{t,f}"),
    ("array['2024-01-01'::date]", "{2024-01-01}"),
    ("array['1 day'::interval, '2 days 03:00']", '{"1 day","2 days 03:00:00"}'),
    ("array['[1,2)'::int4range,'empty']", '{"[1,2)",empty}'),
    ("array['\\x01'::bytea]", '{"\\\\x01"}'),
    ("array['{\"a\": 1}'::jsonb]", '{"{\\"a\\": 1}"}'),
    ("array[E'a\\tb', E'a\\nb', 'é']", '{"a\tb","a\nb",é}'),
    ("array[[null,''],['a','b']]", '{{NULL,""},{a,b}}'),
    ("'[2024-01-01,2024-02-01)'::tsrange", '["2024-01-01 00:00:00","2024-02-01 00:00:00")'),
    ("'(,5]'::int4range", "(,6)"),
    ("'empty'::int4range", "empty"),
    ("'[1.50,]'::numrange", "[1.50,)"),
    ("'[2024-01-01,2024-02-01]'::daterange", "[2024-01-01,2024-02-02)"),
    ("'(,)'::numrange", "(,)"),
    ("'(1.5,1e5]'::numrange", "(1.5,100000]"),
    (
        "row(1,'a,b'::text,null,''::text,'x\"y\\z'::text,'(q)'::text,'a b'::text,true)",
        '(1,"a,b",,"","x""y\\\\z","(q)","a b",t)',
    ),
    ("row()", "()"),
    ("row(null)", "()"),
    ("row(null,null)", "(,)"),
    ("row(row(1,2),array[1,2])", '("(1,2)","{1,2}")'),
    ("row('2024-01-01'::timestamp, 1.50, '[1,2)'::int4range)", '("2024-01-01 00:00:00",1.50,"[1,2)")'),
    ("row('{\"a\":1}'::jsonb)", '("{""a"": 1}")'),
    ("'\\x00ff'::bytea", "\\x00ff"),
    ("''::bytea", "\\x"),
    ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("'cat:3 fat:2,11 ''it''''s'''::tsvector", "'cat':3 'fat':2,11 'it''s'"),
    ("'a'::text", "a"),
    ("''::text", ""),
    ("'ab'::char(4)", "ab  "),
    ("'ab'::varchar(4)", "ab"),
]


@pytest.fixture(scope="module")
def one() -> Session:
    return session()


@pytest.mark.parametrize(("expression", "expected"), NUMBERS)
def test_numbers(one: Session, expression: str, expected: str) -> None:
    assert answer(one, f"select {expression}") == expected


@pytest.mark.parametrize(("expression", "expected"), MOMENTS)
def test_moments(one: Session, expression: str, expected: str) -> None:
    assert answer(one, f"select {expression}") == expected


@pytest.mark.parametrize(("expression", "expected"), OTHERS)
def test_others(one: Session, expression: str, expected: str) -> None:
    assert answer(one, f"select {expression}") == expected


def test_floats_read_back() -> None:
    random = Random(7)
    for _ in range(2000):
        value = struct.unpack("d", random.randbytes(8))[0]
        if math.isfinite(value):
            assert float(float8_text(value)) == value
        short = struct.unpack("f", random.randbytes(4))[0]
        if math.isfinite(short):
            assert struct.unpack("f", struct.pack("f", float(float4_text(short))))[0] == short


def test_vectors(one: Session) -> None:
    assert (
        answer(one, "select '[1,2.5,-3]'::vector, '[0.1,1000000,0.00001]'::vector")
        == "[1,2.5,-3]|[0.1,1e+06,1e-05]"
    )


def test_an_enum_has_the_labels_of_now() -> None:
    codes = enum("mood", ["sad", "ok"])
    assert text_of(SqlType("mood", "E", column=codes))(codes.check("ok")) == "ok"
    more = extend_enum("mood", codes, "great")
    assert text_of(SqlType("mood", "E", column=more))(more.check("great")) == "great"
