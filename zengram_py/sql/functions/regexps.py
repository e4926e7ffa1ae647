"""Functions of regular expressions: ``regexp_match``, ``regexp_replace``, ``regexp_split_to_array`` and others; ``substring … from pattern``.

Places count from 1. A group that took no part in a match is null.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice

from ..errors import error
from .registry import rows, scalar
from .regular import NOWHERE, Regular, Span, compiled
from .regular_tokens import read_options
from .similar import similar_expression


def _not_global(pattern: str, flags: str, name: str, instead: str = "") -> Regular:
    """Return an expression whose options must not ask for all matches."""
    if read_options(flags).is_global:
        hint = f"Use the {instead} function instead." if instead else ""
        raise error("22023", f'{name}() does not support the "global" option', hint=hint)
    return compiled(pattern, flags)


def _at_least(least: int, **parameters: int) -> None:
    for name, value in parameters.items():
        if value < least:
            raise error("22023", f'invalid value for parameter "{name}": {value}')


def _text(text: str, span: Span) -> str | None:
    return None if span == NOWHERE else text[span[0] : span[1]]


def _parts(text: str, found: list[Span]) -> tuple[str | None, ...]:
    """Return the groups of a match, or all of it if there are none."""
    return tuple([_text(text, span) for span in (found[1:] or found)])


# Matches.


@scalar("regexp_match: text text | text text text")
def _match(text: str, pattern: str, flags: str = "") -> tuple[str | None, ...] | None:
    return _not_global(pattern, flags, "regexp_match", "regexp_matches").parts(text)


@rows("regexp_matches: text text | text text text")
def _matches(
    text: str | None, pattern: str | None, flags: str | None = ""
) -> Iterator[tuple[str | None, ...]]:
    if text is None or pattern is None or flags is None:
        return
    matches = compiled(pattern, flags).find_all(text)
    for found in matches if read_options(flags).is_global else islice(matches, 1):
        yield _parts(text, found)


@scalar("regexp_like: text text | text text text")
def _like(text: str, pattern: str, flags: str = "") -> bool:
    return _not_global(pattern, flags, "regexp_like").search(text) is not None


@scalar("regexp_count: text text | text text int4 | text text int4 text")
def _count(text: str, pattern: str, start: int = 1, flags: str = "") -> int:
    _at_least(1, start=start)
    return sum(1 for _ in _not_global(pattern, flags, "regexp_count").find_all(text, start - 1))


def _nth(expression: Regular, text: str, start: int, number: int) -> list[Span] | None:
    return next(islice(expression.find_all(text, start - 1), number - 1, None), None)


@scalar(
    "regexp_instr: text text | text text int4 | text text int4 int4 | text text int4 int4 int4"
    " | text text int4 int4 int4 text | text text int4 int4 int4 text int4"
)
def _place(
    text: str, pattern: str, start: int = 1, number: int = 1, end: int = 0, flags: str = "", group: int = 0
) -> int:
    _at_least(1, start=start, n=number)
    if end not in (0, 1):
        raise error("22023", f'invalid value for parameter "endoption": {end}')
    _at_least(0, subexpr=group)
    found = _nth(_not_global(pattern, flags, "regexp_instr"), text, start, number)
    if found is None or group >= len(found) or found[group] == NOWHERE:
        return 0
    return found[group][end] + 1


@scalar(
    "regexp_substr: text text | text text int4 | text text int4 int4 | text text int4 int4 text"
    " | text text int4 int4 text int4"
)
def _part(
    text: str, pattern: str, start: int = 1, number: int = 1, flags: str = "", group: int = 0
) -> str | None:
    _at_least(1, start=start, n=number)
    _at_least(0, subexpr=group)
    found = _nth(_not_global(pattern, flags, "regexp_substr"), text, start, number)
    return None if found is None or group >= len(found) else _text(text, found[group])


@scalar("substring: text text")
def _first_part(text: str, pattern: str) -> str | None:
    found = compiled(pattern).parts(text)
    return None if found is None else found[0]


@scalar("substring: text text text")
def _similar_part(text: str, pattern: str, escape: str) -> str | None:
    return _first_part(text, similar_expression(pattern, escape))


# Replacing.

Replacement = Callable[[str, list[Span]], str]


@lru_cache(256)
def _replacement(new: str) -> list[str | int]:
    r"""Return what stands for a match: texts and numbers of groups, 0 for all (``\&``)."""
    parts: list[str | int] = []
    done = 0
    for found in re.finditer(r"\\([1-9&\\])", new):
        parts.append(new[done : found.start()])
        done = found.end()
        parts.append("\\" if found[1] == "\\" else 0 if found[1] == "&" else int(found[1]))
    return [part for part in (*parts, new[done:]) if part != ""]


def _replaced(text: str, expression: Regular, new: str, start: int, number: int) -> str:
    """Return a text with its ``number``-th match replaced, or all of them for 0."""
    parts = _replacement(new)
    if number == 0 and start == 1 and expression.is_plain:
        return _quickly(text, expression, parts)
    out: list[str] = []
    done = 0
    matches = expression.find_all(text, start - 1)
    for found in matches if number == 0 else islice(matches, number - 1, number):
        begin, end = found[0]
        out.append(text[done:begin])
        for part in parts:
            if isinstance(part, str):
                out.append(part)
            elif part < len(found):
                out.append(_text(text, found[part]) or "")
        done = end
    return "".join(out) + text[done:] if out else text


def _quickly(text: str, expression: Regular, parts: list[str | int]) -> str:
    """Replace all matches by Python's own means."""
    python, places = expression.plain()
    template = "".join(
        [
            part.replace("\\", "\\\\") if isinstance(part, str) else f"\\g<{places[part] if part else 0}>"
            for part in parts
            if part in places or not part or isinstance(part, str)
        ]
    )
    return python.sub(template, text)


@scalar("regexp_replace: text text text | text text text text")
def _replace(text: str, pattern: str, new: str, flags: str = "") -> str:
    number = 0 if read_options(flags).is_global else 1
    return _replaced(text, compiled(pattern, flags), new, 1, number)


@scalar("regexp_replace: text text text int4 | text text text int4 int4 | text text text int4 int4 text")
def _replace_from(
    text: str, pattern: str, new: str, start: int, number: int | None = None, flags: str = ""
) -> str:
    _at_least(1, start=start)
    if number is None:
        number = 1
    _at_least(0, n=number)
    return _replaced(text, compiled(pattern, flags), new, start, number)


# Splitting.


def _split(text: str, expression: Regular) -> list[str]:
    """Return the texts between matches; empty matches at the ends and directly after another match do not count."""
    out: list[str] = []
    done = 0
    for found in expression.find_all(text):
        begin, end = found[0]
        if begin == end and (begin == done or begin == len(text)):
            continue
        out.append(text[done:begin])
        done = end
    return [*out, text[done:]]


@scalar("regexp_split_to_array: text text | text text text")
def _split_to_array(text: str, pattern: str, flags: str = "") -> tuple[str, ...]:
    return tuple(_split(text, _not_global(pattern, flags, "regexp_split_to_array")))


@rows("regexp_split_to_table: text text | text text text")
def _split_to_rows(text: str | None, pattern: str | None, flags: str | None = "") -> Iterable[str]:
    if text is None or pattern is None or flags is None:
        return []
    return _split(text, _not_global(pattern, flags, "regexp_split_to_table"))
