"""Casts: from which type to which, and who may ask for it.

    implicit     anywhere: ``int4`` where a ``float8`` is wanted
    assignment   when a value goes into a column: ``float8`` into ``int4``
    explicit     only with ``::``: ``bool`` to ``int4``

The table is PostgreSQL's. Beyond it, every type converts to strings by assignment and from strings explicitly (through its text),
arrays convert as their elements do, and a quoted literal becomes whatever is wanted.
"""

from __future__ import annotations

from functools import cache

from .types import SqlType

IMPLICIT, ASSIGNMENT, EXPLICIT = range(3)

_TABLE = {
    IMPLICIT: """
        bpchar > text varchar
        date > timestamp
        float4 > float8
        int2 > float4 float8 int4 int8 numeric
        int4 > float4 float8 int8 numeric
        int8 > float4 float8 numeric
        numeric > float4 float8
        text > bpchar varchar
        time > interval
        varchar > bpchar text
        vector > float4[]
    """,
    ASSIGNMENT: """
        bool > bpchar text varchar
        float4 > int2 int4 int8 numeric
        float8 > float4 int2 int4 int8 numeric
        int4 > int2
        int8 > int2 int4
        interval > time
        numeric > int2 int4 int8
        timestamp > date time
        float4[] > vector
        float8[] > vector
        int4[] > vector
        numeric[] > vector
    """,
    EXPLICIT: """
        bool > int4
        bytea > int2 int4 int8
        int2 > bytea
        int4 > bool bytea
        int8 > bytea
        jsonb > bool float4 float8 int2 int4 int8 numeric
    """,
}


@cache
def _table() -> dict[tuple[str, str], int]:
    found = {}
    for level, text in _TABLE.items():
        for line in text.split("\n"):
            source, _, targets = line.partition(">")
            for target in targets.split():
                found[source.strip(), target] = level
    return found


def cast_level(source: SqlType, target: SqlType) -> int | None:
    """Return how a value of one type becomes another: the least of the three levels at which it may, or None."""
    if source.name == target.name or source.category == "X":
        return IMPLICIT
    found = _table().get((source.name, target.name))
    if found is not None:
        return found
    if source.category == "A" and target.category == "A":
        assert source.element is not None
        assert target.element is not None
        return cast_level(source.element, target.element)
    if source.name == "record" and target.category == "S":
        return ASSIGNMENT
    if "P" in (source.category, target.category) or target.category == "X":
        return None
    if target.category == "S":
        return ASSIGNMENT
    return EXPLICIT if source.category == "S" else None


def converts(source: SqlType, target: SqlType, level: int = IMPLICIT) -> bool:
    """Return whether a cast is allowed where casts up to a level are."""
    found = cast_level(source, target)
    return found is not None and found <= level
