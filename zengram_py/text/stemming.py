"""Stemming: the form that the inflected forms of a word share.

The algorithms are those of Snowball (M. F. Porter, *Snowball: a language for stemming algorithms*, 2001), in pure Python
from the package ``snowballstemmer``, which is imported when the first word is stemmed. A word costs about 25 µs, in the
page some four times that, so stems are cached by those who have many words (tokens.py).

An index keeps the stems that it was built with. Releases of the package differ in a few words (3.1 no longer takes ``interval``
for a form of ``interv``): after a change of release an index on much text is best built anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

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
    module = import_module(f"snowballstemmer.{language}_stemmer")
    stem: Callable[[str], str] = getattr(module, f"{language.capitalize()}Stemmer")().stemWord

    def stem_word(word: str) -> str:
        if len(word) > _LONGEST or _DIGIT.search(word):
            return word  # a number, a version, a hash
        return stem(word) or word

    return stem_word


def _as_it_is(word: str) -> str:
    return word
