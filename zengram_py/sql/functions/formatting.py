"""``to_char``, ``to_number``, ``to_date`` and ``to_timestamp`` of texts: by templates."""

from __future__ import annotations

from .moment_assembly import to_date, to_timestamp
from .moment_output import interval_to_char, timestamp_to_char
from .number_input import to_number
from .number_output import float_to_char, int4_to_char, int8_to_char, numeric_to_char
from .registry import scalar

scalar("to_char: int4 text")(int4_to_char)
scalar("to_char: int8 text")(int8_to_char)
scalar("to_char: numeric text")(numeric_to_char)
scalar("to_number: text text")(to_number)


@scalar("to_char: float4 text")
def _float4_to_char(value: float, template: str) -> str:
    return float_to_char(value, template, 6)


@scalar("to_char: float8 text")
def _float8_to_char(value: float, template: str) -> str:
    return float_to_char(value, template, 15)


scalar("to_char: timestamp text")(timestamp_to_char)
scalar("to_char: interval text")(interval_to_char)
scalar("to_date: text text")(to_date)
scalar("to_timestamp: text text")(to_timestamp)
