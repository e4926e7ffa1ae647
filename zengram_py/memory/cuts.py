"""Texts that are cut to so many tokens, with a mark where something is missing."""

from __future__ import annotations

from collections.abc import Callable

from ..text.snippets import clusters, cut

MARK = "[… cut …]"
_AROUND = 64
"""Characters around a cut in which a boundary between two of them is looked for."""


def without_head(prefix: str, text: str, room: int, count: Callable[[str], int]) -> str | None:
    """Return a text without its beginning: ``prefix``, the mark, and as much of its end as fits; None if nothing of it does.

    Parameters
    ----------
    prefix, text : str
        What stays at the beginning, and what is cut.
    room : int
        Tokens at most.
    count : callable
        Counts the tokens of a text.
    """

    def made(start: int) -> str:
        return f"{prefix}{MARK} {text[_boundary(text, start) :]}"

    return _most(len(text), made, room, count)


def without_end(text: str, room: int, count: Callable[[str], int]) -> str | None:
    """Return a text without its end: as much of its beginning as fits, and the mark; None if nothing of it does."""
    return _most(len(text), lambda start: f"{cut(text, len(text) - start)} {MARK}", room, count)


def _most(length: int, made: Callable[[int], str], room: int, count: Callable[[str], int]) -> str | None:
    """Return what is made by taking away as little as possible; at least one character stays."""
    low, high = 1, length  # how much goes; the answer is the least that fits
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if count(made(middle)) <= room else (middle + 1, high)
    step = 1
    while low < length and count(made(low)) > room:  # a counter that does not grow with the text
        low, step = low + step, step * 2
    return made(low) if low < length and count(made(low)) <= room else None


def _boundary(text: str, start: int) -> int:
    """Return the first place at or after one where no character is cut in two."""
    if text.isascii():
        return start
    at = max(0, start - _AROUND)
    for cluster in clusters(text[at : start + _AROUND]):
        if at >= start:
            break
        at += len(cluster)
    return at
