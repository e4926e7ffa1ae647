"""Stemming: the form that the inflected forms of a word share.

The algorithms are those of Snowball (M. F. Porter, *Snowball: a language for stemming algorithms*, 2001), in pure Python
from the package ``snowballstemmer``, which is imported when the first word is stemmed. A word costs about 25 µs, in the
page some four times that, so stems are cached by those who have many words (tokens.py).

An index keeps the stems that it was built with. Releases of the package differ in a few words (3.1 no longer takes ``interval``
for a form of ``interv``), and a word that is stemmed in another way now is not found under the stem that it had. So an index
keeps a fingerprint of the stemmer as well (:func:`sample`), and is built anew where that is another.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

#: Languages with an algorithm; ``"simple"`` leaves words as they are.
LANGUAGES = (
    "simple",
    "arabic",
    "armenian",
    "basque",
    "catalan",
    "danish",
    "dutch",
    "english",
    "esperanto",
    "estonian",
    "finnish",
    "french",
    "german",
    "greek",
    "hindi",
    "hungarian",
    "indonesian",
    "irish",
    "italian",
    "lithuanian",
    "nepali",
    "norwegian",
    "porter",
    "portuguese",
    "romanian",
    "russian",
    "serbian",
    "spanish",
    "swedish",
    "tamil",
    "turkish",
    "yiddish",
)
#: Languages whose algorithm has no rule about accents: words lose theirs before they are stemmed, so that ``naive`` and
#: ``naïve`` have one stem whatever the rules do. In the others the accents tell suffixes apart and go afterwards.
UNACCENTED = frozenset({"simple", "english", "porter", "indonesian", "danish", "norwegian", "swedish"})
_LONGEST = 48  # characters; what is longer is no word of a language
_DIGIT = re.compile(r"\d")


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """Return the stemming function of a language.

    Parameters
    ----------
    language : str
        One of :data:`LANGUAGES`.
    """
    if language not in LANGUAGES:
        raise ValueError(f"a language is one of {', '.join(LANGUAGES)}, not {language!r}")
    if language == "simple":
        return _as_it_is
    stem: Callable[[str], str] = _algorithm(language)().stemWord

    def stem_word(word: str) -> str:
        if len(word) > _LONGEST or _DIGIT.search(word):
            return word  # a number, a version, a hash
        return stem(word) or word

    return stem_word


def _algorithm(language: str) -> Any:
    """Return the class that stems words of a language."""
    return getattr(import_module(f"snowballstemmer.{language}_stemmer"), f"{language.capitalize()}Stemmer")


def _as_it_is(word: str) -> str:
    return word


def sample(language: str) -> list[str]:
    """Return texts that differ where two releases of a language's stemmer differ.

    They are the endings and exceptions in the stemmer's own tables, which is where releases change, and what becomes of some
    fifty words made of three of them, which shows when the rules about them changed. The number of the release would say less:
    most releases leave most languages as they were, and an index that goes to and fro between a page and a computer would be
    built anew each time.

    Parameters
    ----------
    language : str
        One of :data:`LANGUAGES`.
    """
    stem = stemmer(language)
    endings = _endings(language)
    count = len(endings)
    # Primes as strides, so that each word is put together in another way; three parts make it long enough for all rules.
    words = ["".join(endings[i * step % count] for step in (97, 31, 13)) for i in range(min(_SAMPLED, count))]
    return [*endings, *map(stem, words)]


_SAMPLED = 53


def _endings(language: str) -> list[str]:
    """Return what the tables of a stemmer hold, sorted; nothing where there are none."""
    if language == "simple":
        return []
    tables = [table for table in vars(_algorithm(language)).values() if isinstance(table, (list, tuple))]
    return sorted(
        {entry.s for table in tables for entry in table if isinstance(getattr(entry, "s", None), str)}
    )
