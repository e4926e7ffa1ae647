# ruff: noqa: RUF001
"""Classes of characters, as bodies of regular-expression sets.

Python's ``re`` knows letters and digits but neither combining marks nor scripts. Marks are asked of
``unicodedata`` once, when the first text beyond ASCII comes; scripts that matter for cutting words are ranges here. Where
words lie follows Unicode Standard Annex 29 (word boundaries) with these differences, made for finding things: ``_``
separates, and so does a full stop between letters (``example.com`` holds two words, ``3.14`` is one); scripts without
spaces between words (Han, kana, Hangul, Thai, Lao, Khmer, Burmese) make runs of their own; an emoji is a word.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import cache

#: Joins, direction marks, variation selectors, soft hyphen: they are part of a word and mean nothing in it.
IGNORED = "\u00ad\u034f\u061c\u180b-\u180f\u200c-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff"

#: Scripts that are written without spaces between words, or glue particles to them: each makes runs of its own.
UNSPACED = {
    "han and kana": "\u3005\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff",
    "hangul": "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uffa0-\uffdc",
    "thai": "\u0e01-\u0e2e\u0e30-\u0e3a\u0e40-\u0e4e",
    "lao": "\u0e81-\u0ebd\u0ec0-\u0ecd\u0edc-\u0edf",
    "burmese": "\u1000-\u103f\u1050-\u109d\ua9e0-\ua9fe\uaa60-\uaa7f",
    "khmer": "\u1780-\u17d3\u17dd",
}
ANY_UNSPACED = "".join(UNSPACED.values())
_VOICED = "\uff9e\uff9f"  # half-width voicing marks: letters to Python, marks to a reader

EMOJI = "\u2600-\u27bf\U0001f300-\U0001f3fa\U0001f400-\U0001faff"  # without the skin tones, which are marks
FLAG_LETTERS = "\U0001f1e6-\U0001f1ff"
APOSTROPHES = "'\u2019\uff07"

_SCRIPTS = [
    (0x0000, "latin"),
    (0x0370, "greek"),
    (0x0400, "cyrillic"),
    (0x0530, "armenian"),
    (0x0590, "hebrew"),
    (0x0600, "arabic"),
    (0x0700, "other"),
    (0x1C80, "cyrillic"),
    (0x1C90, "other"),
    (0x1D00, "latin"),
    (0x1F00, "greek"),
    (0x2000, "latin"),
    (0x2C80, "other"),
    (0x2DE0, "cyrillic"),
    (0x2E00, "other"),
    (0xA640, "cyrillic"),
    (0xA6A0, "other"),
    (0xA720, "latin"),
    (0xA800, "other"),
    (0xAB30, "latin"),
    (0xAB70, "other"),
    (0xFB00, "latin"),
    (0xFB13, "armenian"),
    (0xFB1D, "hebrew"),
    (0xFB50, "arabic"),
    (0xFF00, "latin"),
    (0xFFF0, "other"),
]
_SCRIPT_STARTS = [start for start, _ in _SCRIPTS]


@cache
def marks() -> str:
    """Return the body of a set of all combining marks (categories Mn, Mc, Me)."""
    category = unicodedata.category
    codes = [code for part in _WITH_MARKS for code in part if category(chr(code))[0] == "M"]
    out: list[str] = []
    start = last = -2
    for code in [*codes, -2]:
        if code != last + 1:
            if start >= 0:
                out.append(f"{chr(start)}-{chr(last)}")
            start = code
        last = code
    return "".join(out)


#: Where there are marks: on the first two planes without the ideographs, and the variation selectors.
_WITH_MARKS = (
    range(0x300, 0x3400),
    range(0xA000, 0xAC00),
    range(0xF900, 0x17000),
    range(0x1B000, 0x1F000),
    range(0xE0100, 0xE01F0),
)


ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z]+|(?<=[0-9])\.(?=[0-9])[A-Za-z0-9]+)*")
"""A word of a text that is all ASCII; what :func:`word_pattern` finds there, faster."""


@cache
def word_pattern() -> re.Pattern[str]:
    """Return the pattern of a word in any text: a run of an unspaced script, an emoji, or a word between spaces."""
    more = marks() + IGNORED + "\U0001f3fb-\U0001f3ff"
    runs = [f"[{script}][{script}{_VOICED}{more}]*" for script in UNSPACED.values()]
    letter = rf"[^\W_{ANY_UNSPACED}{FLAG_LETTERS}]"
    part = f"{letter}(?:{letter}|[{more}])*"
    word = rf"{part}(?:[{APOSTROPHES}](?=[^\W\d_]){part}|(?<=\d)\.(?=\d){part})*"
    return re.compile("|".join([*runs, f"[{FLAG_LETTERS}]{{2}}", f"[{EMOJI}]", word]))


@cache
def unit_pattern() -> re.Pattern[str]:
    """Return the pattern of one character of an unspaced script with its marks; jamo that make a syllable are one."""
    more = marks() + IGNORED + _VOICED
    return re.compile(
        f"[\u1100-\u115f\ua960-\ua97c][\u1160-\u11ff\ud7b0-\ud7fb]*[{more}]*|.[{more}]*", re.DOTALL
    )


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{ANY_UNSPACED}]")


def is_unspaced(word: str) -> bool:
    """Return whether a word that :func:`word_pattern` found is a run of an unspaced script."""
    return _unspaced().match(word) is not None


def script_of(character: str) -> str:
    """Return the script of a letter, ``""`` for a digit, a mark and all else that goes with any script."""
    if unicodedata.category(character)[0] != "L":
        return ""
    return _SCRIPTS[bisect_right(_SCRIPT_STARTS, ord(character)) - 1][1]


def fold_case(word: str) -> str:
    """Return a word in the form NFKC_Casefold of the Unicode Standard: one form for all ways of writing it."""
    if word.isascii():
        return word.lower()
    word = _ignored().sub("", unicodedata.normalize("NFKC", word)).casefold()
    return unicodedata.normalize("NFKC", word).replace("\u2019", "'")


@cache
def _accents() -> re.Pattern[str]:
    return re.compile(_ACCENTS)


@cache
def _ignored() -> re.Pattern[str]:
    return re.compile(f"[{IGNORED}]")


# Marks that a word keeps its meaning without: accents, Hebrew points, Arabic vowels. Not the vowel signs of Indic scripts.
# The breve of й and ў makes another letter.
_ACCENTS = (
    "(?<![иу])\u0306|[\u0300-\u0305\u0307-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
# Letters that do not decompose, as a reader who lacks them writes them.
_PLAIN = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ħ": "h",
        "ŧ": "t",
        "ŋ": "n",
    }
)


def fold_accents(word: str) -> str:
    """Return a word in the form of :func:`fold_case` without accents."""
    if word.isascii():
        return word
    word = _accents().sub("", unicodedata.normalize("NFKD", word)).translate(_PLAIN)
    return unicodedata.normalize("NFKC", word)
