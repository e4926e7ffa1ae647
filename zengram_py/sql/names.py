"""Names that are given as text, as ``nextval('s."Seq"')`` has them."""

from __future__ import annotations

import re

from .errors import error

_PART = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^\s".]+))\s*(\.|$)')


def parts_of(text: str) -> tuple[str, ...]:
    """Return the parts of a name as they are read: folded to lower case, unless they are quoted.

    Raises
    ------
    SqlError
        42602 if it is no name.
    """
    parts: list[str] = []
    place = 0
    while True:
        found = _PART.match(text, place)
        if found is None:
            raise error("42602", "invalid name syntax")
        quoted, plain, end = found.groups()
        parts.append(quoted.replace('""', '"') if quoted is not None else plain.lower())
        place = found.end()
        if not end:
            return tuple(parts)
