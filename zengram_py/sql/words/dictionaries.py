"""Configurations and dictionaries: which tokens are words of a language, and under which lexeme each is kept.

A configuration is a language. Words are without case; stop words give no lexeme, and every other word its stem. Numbers, addresses
and words with digits are kept as they are. In languages of other scripts, words of ASCII letters are English.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from ...text.stemming import LANGUAGES, stemmer
from ...text.stopwords import stop_words
from ..errors import error
from .documents import MAX_LEXEME_BYTES
from .tokens import PLAIN_WORD, tokens_at, tokens_of

CONFIGURATIONS = tuple(sorted(set(LANGUAGES) - {"esperanto", "porter"}))
DEFAULT = "english"
_STEMMED = frozenset(["asciiword", "word", "hword_asciipart", "hword_part", "asciihword", "hword"])
_ASCII = frozenset(["asciiword", "hword_asciipart", "asciihword"])
_UNUSED = frozenset(["blank", "tag", "protocol", "entity"])
_ASCII_IS_ENGLISH = frozenset(["hindi", "russian"])

Lexize = Callable[[str], str | None]


@lru_cache(256)
def configuration(name: str) -> str:
    """Return the language that a name of a configuration means.

    Raises
    ------
    SqlError
        42704 if there is none of that name.
    """
    bare = name.strip().removeprefix("pg_catalog.").lower()
    if bare not in CONFIGURATIONS:
        raise error("42704", f'text search configuration "{name}" does not exist')
    return bare


@cache
def dictionary(language: str) -> Lexize:
    """Return the function from a word to its lexeme, None for a stop word."""
    if language == "simple":
        return lambda word: word.lower()
    stem, stops = stemmer(language), stop_words(language)

    @lru_cache(65_536)
    def lexize(word: str) -> str | None:
        lowered = word.lower()
        return None if lowered in stops else stem(lowered)

    return lexize


def lexeme_of(language: str, kind: str, text: str) -> tuple[bool, str | None]:
    """Return whether a token counts as a word, and its lexeme (None for a stop word, or one that is too long)."""
    if kind in _UNUSED:
        return False, None
    if len(text) > MAX_LEXEME_BYTES or len(text.encode()) > MAX_LEXEME_BYTES:
        return False, None
    if kind not in _STEMMED:
        return True, text.lower()
    if kind in _ASCII and language in _ASCII_IS_ENGLISH:
        language = "english"
    return True, dictionary(language)(text)


def lexemes(language: str, text: str, position: int = 0) -> tuple[list[tuple[str, int]], int]:
    """Return the lexemes of a text with their positions, and the last position, that of a stop word too.

    Parameters
    ----------
    language : str
        A configuration's.
    text : str
        What is read.
    position : int
        Where the text before it ended.
    """
    found: list[tuple[str, int]] = []
    if "<" in text:  # tags may hide what is between them
        for kind, word in tokens_of(text):
            position = _added(found, language, kind, word, position)
        return found, position
    plain, match = dictionary("english" if language in _ASCII_IS_ENGLISH else language), PLAIN_WORD.match
    place, size = 0, len(text)
    while place < size:
        one = match(text, place)
        if one is not None and one.end(1) - place <= MAX_LEXEME_BYTES:
            position += 1
            lexeme = plain(one[1])
            if lexeme is not None:
                found.append((lexeme, position))
            place = one.end()
            continue
        tokens, place = tokens_at(text, place)
        for kind, word in tokens:
            position = _added(found, language, kind, word, position)
    return found, position


def _added(found: list[tuple[str, int]], language: str, kind: str, word: str, position: int) -> int:
    """Add the lexeme of a token, if it has one; return the position that it took."""
    counts, lexeme = lexeme_of(language, kind, word)
    if not counts:
        return position
    if lexeme is not None:
        found.append((lexeme, position + 1))
    return position + 1
