"""Series of numbers and moments.

Expected values are those of PostgreSQL 18 (PGlite): the text of the result, or its SQLSTATE.
"""

import pytest
from sql_answers import answer, session

# generate_series.
SERIES = [
    ("array(select generate_series(1,5))::text", "{1,2,3,4,5}"),
    ("array(select generate_series(5,1))::text", "{}"),
    ("array(select generate_series(1,10,3))::text", "{1,4,7,10}"),
    ("array(select generate_series(10,1,-3))::text", "{10,7,4,1}"),
    ("array(select generate_series(1,1))::text", "{1}"),
    ("array(select generate_series(1,5,0))::text", "22023"),
    ("array(select generate_series(null,5))::text", "{}"),
    ("array(select generate_series(1,null))::text", "{}"),
    ("array(select generate_series(1,5,null))::text", "{}"),
    ("array(select generate_series(2147483645,2147483647))::text", "{2147483645,2147483646,2147483647}"),
    ("array(select generate_series(-2147483647,-2147483648,-1))::text", "{-2147483647,-2147483648}"),
    (
        "array(select generate_series(9223372036854775805,9223372036854775807))::text",
        "{9223372036854775805,9223372036854775806,9223372036854775807}",
    ),
    (
        "array(select generate_series(-9223372036854775807,-9223372036854775808,-1))::text",
        "{-9223372036854775807,-9223372036854775808}",
    ),
    (
        "array(select generate_series(9223372036854775800,9223372036854775807,5))::text",
        "{9223372036854775800,9223372036854775805}",
    ),
    (
        "array(select generate_series(-9223372036854775808,9223372036854775807,4611686018427387904))::text",
        "{-9223372036854775808,-4611686018427387904,0,4611686018427387904}",
    ),
    ("array(select generate_series(1.0,3))::text", "{1.0,2.0,3.0}"),
    ("array(select generate_series(1,2,0.5))::text", "{1,1.5,2.0}"),
    ("array(select generate_series(1::numeric,2,0.25))::text", "{1,1.25,1.50,1.75,2.00}"),
    ("array(select generate_series(3::numeric,1,-0.5))::text", "{3,2.5,2.0,1.5,1.0}"),
    ("array(select generate_series(1.5,3.50))::text", "{1.5,2.5,3.5}"),
    ("array(select generate_series('NaN'::numeric,1))::text", "22023"),
    ("array(select generate_series(1::numeric,'Infinity'))::text", "22023"),
    ("array(select generate_series(1::numeric,2,'NaN'))::text", "22023"),
    ("array(select generate_series(1::numeric,2,0.0))::text", "22023"),
    ("array(select generate_series(1.10,2,0.3))::text", "{1.10,1.40,1.70,2.00}"),
    ("array(select generate_series(1::numeric,5,1.000))::text", "{1,2.000,3.000,4.000,5.000}"),
    (
        "array(select generate_series('2024-01-31'::timestamp,'2024-06-30','1 month'))::text",
        '{"2024-01-31 00:00:00","2024-02-29 00:00:00","2024-03-29 00:00:00","2024-04-29 00:00:00","2024-05-29 00:00:00","2024-06-29 00:00:00"}',
    ),
    (
        "array(select generate_series('2024-01-31'::timestamp,'2023-06-30','-1 month'))::text",
        '{"2024-01-31 00:00:00","2023-12-31 00:00:00","2023-11-30 00:00:00","2023-10-30 00:00:00","2023-09-30 00:00:00","2023-08-30 00:00:00","2023-07-30 00:00:00","2023-06-30 00:00:00"}',
    ),
    (
        "array(select generate_series('2024-01-01'::timestamp,'2024-01-03','12 hours'))::text",
        '{"2024-01-01 00:00:00","2024-01-01 12:00:00","2024-01-02 00:00:00","2024-01-02 12:00:00","2024-01-03 00:00:00"}',
    ),
    (
        "array(select generate_series('2024-01-03'::timestamp,'2024-01-01','-1 day'))::text",
        '{"2024-01-03 00:00:00","2024-01-02 00:00:00","2024-01-01 00:00:00"}',
    ),
    ("array(select generate_series('2024-01-01'::timestamp,'2024-01-03','0'))::text", "22023"),
    ("array(select generate_series('2024-01-01'::timestamp,'2024-01-03','infinity'))::text", "22023"),
    (
        "array(select generate_series('2024-01-01'::timestamp,'2024-03-03','1 mon -5 days 03:00'))::text",
        '{"2024-01-01 00:00:00","2024-01-27 03:00:00","2024-02-22 06:00:00"}',
    ),
    ("array(select generate_series('2024-01-01'::timestamp,'2024-01-03',null))::text", "{}"),
    ("array(select generate_series('2024-01-01'::timestamp,'2024-01-03','1 mon -30 days'))::text", "22023"),
    (
        "array(select generate_series('294246-11-01'::timestamp,'294246-12-01','10 days'))::text",
        '{"294246-11-01 00:00:00","294246-11-11 00:00:00","294246-11-21 00:00:00","294246-12-01 00:00:00"}',
    ),
    ("array(select generate_series('infinity'::timestamp,'2024-01-01','1 day'))::text", "{}"),
]


@pytest.mark.parametrize(("expression", "expected"), SERIES)
def test_series(expression: str, expected: str) -> None:
    assert answer(session(), f"select {expression}") == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("select generate_series(1, 10000000000) limit 2", "1\n2"),
        ("select * from generate_series(1, 10000000000) limit 2", "1\n2"),
        ("select * from generate_series(1::numeric, 10000000000, 0.1) limit 2", "1\n1.1"),
        (
            "select x from generate_series('2024-01-01'::timestamp, 'infinity', '1 h') x limit 1",
            "2024-01-01 00:00:00",
        ),
        ("select count(*), sum(x) from generate_series(1, 300000) x", "300000|45000150000"),
        ("select x, generate_series(1, x) from generate_series(0, 2) x", "1|1\n2|1\n2|2"),
        ("select generate_series(1, 3), generate_series(5, 6)", "1|5\n2|6\n3|NULL"),
        (
            "select generate_series(9223372036854775806, 9223372036854775807)",
            "9223372036854775806\n9223372036854775807",
        ),
    ],
)
def test_long_series_are_read_only_as_far_as_wanted(statement: str, expected: str) -> None:
    assert answer(session(), statement) == expected
