"""The time: of the transaction (``now``), of the statement, of the clock."""

from __future__ import annotations

from typing import Any

from ..civil import DAY, civil_of
from ..errors import error
from ..execute.context import Context
from ..fitting import fit_moments
from ..types import TIME_, TIMESTAMP_
from .registry import scalar

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_STATEMENT = "the statement's time"


@scalar("now transaction_timestamp current_timestamp localtimestamp:", context=True)
def _now(context: Context) -> int:
    return context.now


@scalar("current_date:", context=True)
def _today(context: Context) -> int:
    return context.now // DAY


@scalar("current_time localtime:", context=True)
def _time_of_day(context: Context) -> int:
    return context.now % DAY


def _rounded(value: int, digits: int, sql_type: Any) -> int:
    if digits < 0:
        raise error("22023", f"{sql_type.name.upper()}({digits}) precision must not be negative")
    return value if digits >= 6 else int(fit_moments(value, sql_type.with_modifier(digits)))


@scalar("current_timestamp localtimestamp: int4", context=True)
def _now_rounded(context: Context, digits: int) -> int:
    return _rounded(context.now, digits, TIMESTAMP_)


@scalar("current_time localtime: int4", context=True)
def _time_rounded(context: Context, digits: int) -> int:
    return _rounded(context.now % DAY, digits, TIME_)


def _clock(context: Context) -> int:
    return context.session.database.clock.now()


@scalar("clock_timestamp:", context=True, volatile=True)
def _clock_timestamp(context: Context) -> int:
    return _clock(context)


@scalar("statement_timestamp:", context=True)
def _statement_timestamp(context: Context) -> int:
    found: int = context.results.setdefault(_STATEMENT, _clock(context))
    return found


@scalar("timeofday:", context=True, volatile=True)
def _time_of_day_text(context: Context) -> str:
    days, time = divmod(_clock(context), DAY)
    seconds, fraction = divmod(time, 1_000_000)
    year, month, day = civil_of(days)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"
    return f"{_DAYS[(days + 3) % 7]} {_MONTHS[month - 1]} {day:02} {clock} {year} UTC"
