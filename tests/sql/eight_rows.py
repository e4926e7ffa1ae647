"""A table of eight rows, a column of each usual type, with nulls, ties and extremes, for tests of aggregates and windows."""

from sql_answers import session

from zengram_py.sql.session import Session

SETUP = [
    """create table t (id int primary key, g int, h text, i2 int2, i4 int, i8 int8, f4 float4, f8 float8, n numeric, s text, d date, ts timestamp, tm time, iv interval, b bool)""",
    """insert into t values
 (1, 1, 'x', 5, 10, 100, 0.5, 0.1, 1.50, 'b', '2020-01-31', '2020-01-31 10:00', '10:00', '1 day', true),
 (2, 1, 'y', -3, 20, 9223372036854775807, 1.5, 0.2, 2.250, 'a', '2020-02-29', '2020-02-29 23:59:59.5', '23:00', '1 mon', false),
 (3, 1, 'x', null, 20, 300, -2.25, 0.3, -7, 'é', '2020-03-01', '2020-03-01', '00:00', '30 days', true),
 (4, 2, 'x', 5, null, -9223372036854775808, null, 1e10, 0.001, null, null, null, null, null, null),
 (5, 2, null, 32767, 2147483647, 1, 7, -2.5, 100, 'B', '1999-12-31', '1999-12-31 12:00', '12:30', '-2 days 03:00:00', false),
 (6, 2, 'y', 0, -2147483648, 2, 1e10, 7, 12345678901234567890.12, 'ab', '2020-01-31', '2020-01-30', '12:30', '00:00:01.5', true),
 (7, 3, 'y', 1, 1, null, 0.25, null, null, '', '2021-06-15', '2021-06-15 01:00', '01:00', '1 year 2 mons', null),
 (8, null, 'z', 2, 2, 5, 3, 4.5, 3, 'a', '2020-02-01', '2020-02-01', '10:00', '5 days', true)""",
]


def with_rows() -> Session:
    """Return a session on a database with the table."""
    made = session()
    for statement in SETUP:
        made.run(statement)
    return made
