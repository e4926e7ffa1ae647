"""Fields of dates, times, timestamps and intervals: ``extract`` gives numerics, ``date_part`` floats.

A field of a column is an array of whole numbers and the scale that they have: ``second`` counts microseconds with a scale of 6. Both
functions divide by that, one exactly. Of what is infinite, fields that only grow are infinite (``year``, ``epoch``), all others null.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from ...errors import SqlError
from ..civil import DAY, HOUR, JULIAN_1970, MINUTE, SECOND, civil_of, days_of, iso_week, shown_year
from ..errors import error
from ..execute.column import Column, nulls_of, objects
from ..execute.context import Context
from ..signatures import Signature
from ..types import BY_NAME, FLOAT8, SqlType
from .moments import infinite_sign, to_timestamps
from .numerics import EXACT, INFINITE, division_scale, quotient
from .registry import Implementation, by_type
from .spans import parts

_NAMES = """
century c cent centuries
day d days
decade dec decades decs
dow
doy
epoch
hour h hours hr hrs
isodow
isoyear
julian j jd
microsecond us usec usecs microsecon
millennium mil mils millennia
millisecond ms msec msecs millisecon
minute m min mins minutes
month mon mons months
quarter qtr
second s sec secs seconds
timezone
timezone_hour timezone_h
timezone_minute timezone_m
week w weeks
year y yr yrs years
"""
_FIELDS = {word[:10]: line.split()[0] for line in _NAMES.strip().split("\n") for word in line.split()}
"""Names by the first ten characters of what they may be called."""


def field_of(word: str, sql_type: SqlType) -> str:
    """Return the name of a field; 22023 if there is no such."""
    found = _FIELDS.get(word.lower()[:10])
    if found is None:
        raise unknown_field(word, sql_type)
    return found


def unknown_field(word: str, sql_type: SqlType) -> SqlError:
    """Return the error of a word that names no field."""
    return error("22023", f'unit "{word.lower()}" not recognized for type {sql_type.title}')


def unsupported_field(word: str, sql_type: SqlType) -> SqlError:
    """Return the error of a field that a type has not."""
    return error("0A000", f'unit "{word.lower()}" not supported for type {sql_type.title}')


Counted = tuple[Any, int]
"""Whole numbers, and how many digits of them are behind the point."""

# Of a day, and of a time of day.


def _century(year: Any) -> Any:
    return np.where(year > 0, (year + 99) // 100, -((100 - year) // 100))


def _millennium(year: Any) -> Any:
    return np.where(year > 0, (year + 999) // 1000, -((1000 - year) // 1000))


def _day_of_year(days: Any) -> Any:
    return days - days_of(civil_of(days)[0], 1, 1) + 1


_OF_DAY: dict[str, Callable[[Any], Any]] = {
    "century": lambda days: _century(civil_of(days)[0]),
    "day": lambda days: civil_of(days)[2],
    "decade": lambda days: civil_of(days)[0] // 10,
    "dow": lambda days: (days + 4) % 7,
    "doy": _day_of_year,
    "isodow": lambda days: (days + 3) % 7 + 1,
    "isoyear": lambda days: shown_year(iso_week(days)[0]),
    "millennium": lambda days: _millennium(civil_of(days)[0]),
    "month": lambda days: civil_of(days)[1],
    "quarter": lambda days: (civil_of(days)[1] - 1) // 3 + 1,
    "week": lambda days: iso_week(days)[1],
    "year": lambda days: shown_year(civil_of(days)[0]),
}
_OF_TIME: dict[str, Callable[[Any], Counted]] = {
    "hour": lambda time: (time // HOUR, 0),
    "minute": lambda time: (time // MINUTE % 60, 0),
    "second": lambda time: (time % MINUTE, 6),
    "millisecond": lambda time: (time % MINUTE, 3),
    "microsecond": lambda time: (time % MINUTE, 0),
}
_ENDLESS = frozenset(["century", "decade", "epoch", "isoyear", "julian", "millennium", "year"])
"""What is infinite of an infinite date or timestamp."""
_ZONE = ("timezone", "timezone_hour", "timezone_minute")


def _of_date(name: str, values: Any) -> Counted | None:
    days = values.astype(np.int64)
    if name == "epoch":
        return days * 86_400, 0
    if name == "julian":
        return days + JULIAN_1970, 0
    found = _OF_DAY.get(name)
    return None if found is None else (found(days), 0)


def _of_timestamp(name: str, values: Any) -> Counted | None:
    if name == "epoch":
        return values, 6
    if name in _ZONE:
        return np.zeros(values.shape, np.int64), 0  # all are UTC
    days = values // DAY
    if name in _OF_TIME:
        return _OF_TIME[name](values - days * DAY)
    found = _OF_DAY.get(name)
    return None if found is None else (found(days), 0)


def _of_time(name: str, values: Any) -> Counted | None:
    if name == "epoch":
        return values, 6
    found = _OF_TIME.get(name)
    return None if found is None else found(values)


def _cut(values: Any, size: int) -> Any:
    """Return quotients, rounded toward zero."""
    return np.abs(values) // size * np.sign(values)


def _of_interval(name: str, spans: Any) -> Counted | None:
    months, days, time, _ = parts(spans)
    years = _cut(months, 12)
    rest = months - years * 12
    if name == "epoch":
        exact = [
            (1461 * y * 6 + (30 * m + d) * 24) * HOUR + t
            for y, m, d, t in zip(years.tolist(), rest.tolist(), days.tolist(), time.tolist(), strict=True)
        ]
        return np.array(exact, object), 6
    if name in _OF_TIME and name != "hour":
        found, scale = _OF_TIME[name](np.abs(time))
        return found * np.sign(time), scale
    of_months = {"year": 1, "decade": 10, "century": 100, "millennium": 1000}
    if name in of_months:
        return _cut(years, of_months[name]), 0
    if name == "quarter":
        return np.where(months < 0, -(-rest // 3 + 1), rest // 3 + 1), 0
    plain = {"hour": lambda: _cut(time, HOUR), "day": lambda: days, "week": lambda: _cut(days, 7)}
    if name in plain:
        return plain[name](), 0
    return (rest, 0) if name == "month" else None


_ENDLESS_SPANS = frozenset(["century", "day", "decade", "epoch", "hour", "millennium", "year"])

# Results.


def _numerics(values: Any, scale: int) -> list[Decimal]:
    if len(values) < 16:
        return [Decimal(v).scaleb(-scale, EXACT) for v in values.tolist()]
    found, back = np.unique(values, return_inverse=True)
    made = objects([Decimal(v).scaleb(-scale, EXACT) for v in found.tolist()])
    taken: list[Decimal] = made[back].tolist()
    return taken


def _floats(name: str, values: Any, scale: int) -> Any:
    if name == "second":  # in two steps, as PostgreSQL rounds it
        whole = _cut(values, SECOND)
        return whole + (values - whole * SECOND) / 1e6
    if name == "millisecond":
        whole = _cut(values, SECOND)
        return whole * 1e3 + (values - whole * SECOND) / 1e3
    return values.astype(np.float64) / 10.0**scale


def _julian_numerics(values: Any) -> list[Decimal]:
    out = []
    for value in values.tolist():
        days, time = divmod(value, DAY)
        size = Decimal(DAY)
        fraction = quotient(Decimal(time), size, division_scale(Decimal(time), size))
        out.append(EXACT.add(Decimal(days + JULIAN_1970), fraction))
    return out


def _seconds(spans: Any) -> Any:
    """Return the seconds of intervals as floats, added in PostgreSQL's order."""
    months, days, time, _ = parts(spans)
    years = _cut(months, 12)
    return time / 1e6 + 365.25 * 86_400 * years + 30.0 * 86_400 * (months - years * 12) + 86_400.0 * days


def _signs(source: str, values: Any) -> Any:
    """Return where values are infinite, or None."""
    if source == "time":
        return None
    if source == "interval":
        found = parts(values)[3]
        return found if found.any() else None
    return infinite_sign(values)


_COMPUTE: dict[str, Callable[[str, Any], Counted | None]] = {
    "date": _of_date,
    "timestamp": _of_timestamp,
    "time": _of_time,
    "interval": _of_interval,
}


def _field(word: str, source: SqlType, result: SqlType, values: Any, nulls: Any) -> Column:
    """Return a field of an array of values."""
    if nulls is not None and nulls.all():
        return nulls_of(result, len(values))  # no matter what the word is
    name = field_of(word, source)
    exact = result.name == "numeric"
    signs = _signs(source.name, values)
    if name == "julian" and source.name == "timestamp":
        made: Any = _julian_numerics(values) if exact else values / DAY + JULIAN_1970
    elif name == "epoch" and source.name == "interval" and not exact:
        made = _seconds(values)
    else:
        counted = _COMPUTE[source.name](name, values)
        if counted is None:
            raise unsupported_field(word, source)
        made = _numerics(*counted) if exact else _floats(name, *counted)
    if signs is not None:
        endless = name in (_ENDLESS_SPANS if source.name == "interval" else _ENDLESS)
        for row in np.flatnonzero(signs):
            if endless:
                made[row] = INFINITE.copy_sign(Decimal(int(signs[row]))) if exact else signs[row] * np.inf
        if not endless:
            nulls = signs != 0 if nulls is None else nulls | (signs != 0)
    if not exact:
        return Column(result, made, nulls)
    found = objects(made)
    if nulls is not None:
        found[nulls] = None
    return Column(result, found, nulls)


def by_word(
    arguments: Sequence[Column], count: int, compute: Callable[[str, Any, Any], Column], result: SqlType
) -> Column:
    """Return what is computed by a word in the first column from the values of the second, for each different word at once.

    Parameters
    ----------
    arguments : sequence of Column
        Words and values.
    count : int
        Rows.
    compute : callable
        A function of (word, values, nulls of the values).
    result : SqlType
        The type of what it gives.
    """
    words, values = arguments[0], arguments[1]
    if words.is_constant:
        if words.nulls is not None:
            return Column.constant(result, None)
        found = compute(words.values[0], values.values, values.nulls)
        found.is_constant = values.is_constant
        return found
    values = values.expanded(count)
    out: list[Any] = [None] * count
    rows: dict[str, list[int]] = {}
    for row, word in enumerate(words.tolist()):
        if word is not None:
            rows.setdefault(word, []).append(row)
    for word, places in rows.items():
        part = values.take(np.array(places))
        for row, value in zip(places, compute(word, part.values, part.nulls).tolist(), strict=True):
            out[row] = value
    return Column.of(result, out)


@by_type("extract date_part: text date | text time | text timestamp | text interval")
def _extract(signature: Signature) -> Implementation:
    result = signature.result
    source = signature.arguments[1]

    def compute(word: str, values: Any, nulls: Any) -> Column:
        if source.name == "date" and result == FLOAT8:  # which knows the time of a day, too
            live = None if nulls is None else ~nulls
            return _field(word, BY_NAME["timestamp"], result, to_timestamps(values, live), nulls)
        return _field(word, source, result, values, nulls)

    def run(context: Context, arguments: Sequence[Column], count: int) -> Column:
        return by_word(arguments, count, compute, result)

    return Implementation("columns", run)
