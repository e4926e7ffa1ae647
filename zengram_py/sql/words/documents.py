"""Documents: the values of ``tsvector``, their texts, and what is made of them.

::

    'cat':3A 'fat':2,11     (("cat", (3 + 3 * 16384,)), ("fat", (2, 11)))
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import error
from ..text_cache import text_cache
from .lexing import Lexer

Document = tuple[tuple[str, tuple[int, ...]], ...]

WEIGHT = 1 << 14
"""What a weight adds to a position for each step above D."""
MAX_POSITION = WEIGHT - 1
MAX_POSITIONS = 256
"""Of one lexeme."""
MAX_LEXEME_BYTES = 2047
MAX_BYTES = (1 << 20) - 1
WEIGHTS = "DCBA"


def place_at(position: int, weight: int = 0) -> int:
    """Return a place; what lies too far behind is all at the last one."""
    return min(position, MAX_POSITION) + weight * WEIGHT


def unique_places(places: Iterable[int]) -> tuple[int, ...]:
    """Return places in order, the highest weight of each position, as many as one lexeme may have."""
    best: dict[int, int] = {}
    for place in places:
        position = place & MAX_POSITION
        if place > best.get(position, 0):
            best[position] = place
    return tuple(best[position] for position in sorted(best)[:MAX_POSITIONS])


def document_at(words: Iterable[tuple[str, int]]) -> Document:
    """Return the document of lexemes at positions, which ascend."""
    found: dict[str, list[int]] = {}
    last = 0
    for lexeme, last in words:
        known = found.get(lexeme)
        if known is None:
            found[lexeme] = [last]
        else:
            known.append(last)
    if last > MAX_POSITION or len(found) > MAX_BYTES // MAX_LEXEME_BYTES:
        return document_of((lexeme, map(place_at, places)) for lexeme, places in found.items())
    return tuple((lexeme, tuple(found[lexeme][:MAX_POSITIONS])) for lexeme in sorted(found))


def document_of(words: Iterable[tuple[str, Iterable[int]]]) -> Document:
    """Return the document of lexemes with their places; lexemes may come several times."""
    found: dict[str, list[int]] = {}
    for lexeme, places in words:
        found.setdefault(lexeme, []).extend(places)
    size = sum(len(lexeme.encode()) for lexeme in found)
    if size > MAX_BYTES:
        message = f"string is too long for tsvector ({size} bytes, max {MAX_BYTES} bytes)"
        raise error("54000", message)
    return tuple((lexeme, unique_places(found[lexeme])) for lexeme in sorted(found))


@text_cache(4096)
def read_document(text: str, at: int | None = None) -> Document:
    """Return the document that a text describes.

    Raises
    ------
    SqlError
        42601, 54000.
    """
    words = []
    lexer = Lexer(text, "tsvector", at)
    while (word := lexer.word()) is not None:
        size = len(word[0].encode())
        if size > MAX_LEXEME_BYTES:
            raise error("54000", f"word is too long ({size} bytes, max {MAX_LEXEME_BYTES} bytes)", at)
        words.append(word)
    return document_of(words)


def document_text(document: Document) -> str:
    """Return the text of a document."""
    parts = []
    for lexeme, places in document:
        quoted = "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
        shown = ",".join(f"{p & MAX_POSITION}{WEIGHTS[p >> 14] if p >= WEIGHT else ''}" for p in places)
        parts.append(f"{quoted}:{shown}" if shown else quoted)
    return " ".join(parts)


def joined(left: Document, right: Document) -> Document:
    """Return two documents as one, the second behind the first."""
    last = max((p & MAX_POSITION for _, places in left for p in places), default=0)
    moved = [
        (lexeme, [place_at((p & MAX_POSITION) + last, p >> 14) for p in places]) for lexeme, places in right
    ]
    return document_of([*left, *moved])


def length_of(document: Document) -> int:
    """Return how many words a document has; one for a lexeme without places."""
    return sum(len(places) or 1 for _, places in document)
