"""Settings of sequences, with the defaults and the refusals that PostgreSQL has for them."""

from __future__ import annotations

from typing import Any

from ...engine import SequenceDef
from .. import tree
from ..errors import error

_BOUNDS = {"int2": (1 << 15) - 1, "int4": (1 << 31) - 1, "int8": (1 << 63) - 1}
_TITLES = {"int2": "smallint", "int4": "integer", "int8": "bigint"}


def sequence_settings(
    options: tree.SequenceOptions, type_name: str = "int8", existing: SequenceDef | None = None
) -> dict[str, Any]:
    """Return what the engine is to be told of a sequence.

    Parameters
    ----------
    options : SequenceOptions
        What the statement says.
    type_name : str
        The short name of the type whose numbers it gives.
    existing : SequenceDef, optional
        What it is so far; then only what changes is returned.
    """
    at = options.at
    before = existing or SequenceDef(0, ("", "", ""))
    increment = before.increment if options.increment is None else options.increment
    if increment == 0:
        raise error("22023", "INCREMENT must not be zero", at)
    limit = _BOUNDS[type_name]
    is_up = increment > 0
    most, least = options.most, options.least
    for name, value in (("MAXVALUE", most), ("MINVALUE", least)):
        if value is not None and not -limit - 1 <= value <= limit:
            what = f"{name} ({value}) is out of range for sequence data type {_TITLES[type_name]}"
            raise error("22023", what, at)
    if most is None:
        keeps = existing is not None and "maxvalue" not in options.no
        most = before.most if keeps else limit if is_up else -1
    if least is None:
        keeps = existing is not None and "minvalue" not in options.no
        least = before.least if keeps else 1 if is_up else -limit - 1
    if least >= most:
        raise error("22023", f"MINVALUE ({least}) must be less than MAXVALUE ({most})", at)
    start = options.start
    if start is None:
        start = before.start if existing is not None else least if is_up else most
    restart = options.restart if options.restart is not None else start if options.restarts else None
    for name, value in (("START", start), ("RESTART", restart)):
        if value is not None and value < least:
            raise error("22023", f"{name} value ({value}) cannot be less than MINVALUE ({least})", at)
        if value is not None and value > most:
            raise error("22023", f"{name} value ({value}) cannot be greater than MAXVALUE ({most})", at)
    found = {"increment": increment, "least": least, "most": most, "start": start}
    if options.cycle is not None:
        found["cycle"] = options.cycle
    if existing is not None:
        found = {name: value for name, value in found.items() if getattr(existing, name) != value}
        if restart is not None:
            found["restart"] = restart
    return found
