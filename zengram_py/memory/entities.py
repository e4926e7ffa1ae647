# ruff: noqa: RUF001  (letters of other scripts are what this is about)
"""Entities: the names in a text.

The default extractor needs no model. It takes what is written like a name, in any script that has case:

- runs of capitalised words: ``Ada Lovelace``, ``Εθνική Βιβλιοθήκη``, ``New York``, ``NASA``
- handles, e-mail addresses and URLs: ``@ada``, ``ada@example.org``, ``https://example.org/a``
- identifiers as programs have them: ``user_id``, ``fooBar``, ``v1.2.3``

A single capitalised word that is only capitalised because a sentence begins with it is not a name: the common ones are in
a list of words that never stand alone. Names are compared folded (:func:`zengram_py.engine.expr.fold`), so a name that is
known is recognised however it is written (:func:`known_names`). An application with a better extractor sets its own, or
gives the entities of a fact itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..engine.expr import fold
from ..errors import InvalidArgumentError
from .texts import check_text

Extractor = Callable[[str], Iterable[str]]

MAX_NAME_WORDS = 5
MAX_NAME_LENGTH = 200
MAX_ENTITIES = 64
"""Names taken from one text; a longer list says nothing about it any more."""

# A run of characters is read once, however long: it is entered at its beginning only, and never given back.
_PATTERNS = [
    re.compile(pattern)
    for pattern in (
        r"(?:https?://|www\.)[^\s<>\"'\])}]+",
        r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+",
        r"(?<![\w@.])@\w{2,}",
        r"(?<![\w.])v?\d+(?:\.\d+){2,}[\w.-]*|(?<![\w.])v\d+(?:\.\d+)+",
        r"(?<!\w)[^\W_]++(?:_[^\W_]++)++(?!\w)",
        r"(?<!\w)[^\W\d_A-Z][^\W_A-Z]*+[A-Z][^\W_]*+(?!\w)",
    )
]
_WORD = re.compile(r"[^\W_](?:[\w’'&-]|\.(?=\w))*")
_JOINT = re.compile(r"[ \t]+")

# Words that begin sentences, in the languages that the tests have; lower case, compared folded.
_SENTENCE_WORDS = """
a about after all also although always an and another any are as at be because been before both but by
can could did do does during each even every few first for from get give had has have he hello her here
hi his how however i if in instead into is it its just last later let like look make many maybe me more
most much my never next no nobody none not nothing now of off often ok okay on once one only or other
our out over perhaps please she should since so some someone something sometimes soon still such take
thank thanks that the their them then there these they this those though through today together tomorrow
tonight too two under unless until up us use user users very was we well were what when where whether
which while who whose why will with would yes yesterday yet you your der die das ein eine er es ich ihr
ist mit nicht sie und von wann warum wer wie wir wo zu ce cela ces cette dans elle elles est et il ils
je la le les mais nous ou pour que qui un une vous al como con cuando de del dónde el ella ellos en eso
esta este las los nosotros para pero por qué quién si una che chi come cosa da dove gli io lei lo loro
lui ma noi non perché quando questa questo sono uno voi ο η το οι τα ένας μια ένα και αυτός αυτή αυτό
εγώ εμείς εσύ ποιος πού πότε πώς τι γιατί δεν а в вы где да для его ее если и из или как когда кто мы на
не но нет он она они от по почему с что это этот я ao com dos e ela ele eles em eu isto mas na não nós o
onde os quem se um uma
"""
_NEVER_ALONE = frozenset(map(fold, _SENTENCE_WORDS.split()))


def extract_entities(text: str) -> list[str]:
    """Return the names in a text, as they are written there, in order, each once.

    Parameters
    ----------
    text : str
        Any text.
    """
    text = unicodedata.normalize("NFC", text)  # a letter and its accent are one character of a word
    found: list[tuple[int, str]] = []

    def take(match: re.Match[str]) -> str:
        found.append((match.start(), match[0].rstrip(".,;:!?")))
        return "\0" * len(match[0])

    for pattern in _PATTERNS:
        text = pattern.sub(take, text)
    found += _capitalised(text)
    return distinct(name for _, name in sorted(found))


def distinct(names: Iterable[str]) -> list[str]:
    """Return names without repeats (folded), blank ones and overlong ones, at most ``MAX_ENTITIES``."""
    out: dict[str, str] = {}
    for name in names:
        key = fold(name)
        if key and len(name) <= MAX_NAME_LENGTH and len(out) < MAX_ENTITIES:
            out.setdefault(key, name)
    return list(out.values())


def check_entities(names: Any) -> list[str]:
    """Return entities that a caller gave, or raise :class:`~zengram_py.errors.InvalidArgumentError`."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidArgumentError("entities must be a list of names")
    return distinct(check_text(name, "an entity") for name in names)


def known_names(text: str, is_known: Callable[[str], bool]) -> list[str]:
    """Return the folded names that are known and stand in a text in whatever case, longest first where they overlap.

    Parameters
    ----------
    text : str
        A question.
    is_known : callable
        Whether a folded name is one.
    """
    text = unicodedata.normalize("NFC", text)
    words = [fold(match[0]).strip("'’-&") for match in _WORD.finditer(text)]
    bare = [word.removesuffix("'s").removesuffix("’s") for word in words]
    out: dict[str, None] = {}
    at = 0
    while at < len(words):
        for size in range(min(MAX_NAME_WORDS, len(words) - at), 0, -1):
            last = at + size - 1
            spellings = dict.fromkeys(" ".join([*words[at:last], end]) for end in (words[last], bare[last]))
            name = next((n for n in spellings if is_known(n) and (size > 1 or n not in _NEVER_ALONE)), None)
            if name is not None:
                out[name] = None
                at += size
                break
        else:
            at += 1
    return list(out)


def _capitalised(text: str) -> Iterator[tuple[int, str]]:
    """Yield runs of capitalised words with where they begin."""
    run: list[str] = []
    start = end = 0
    for match in _WORD.finditer(text):
        word = match[0]
        joins = (
            bool(run) and _JOINT.fullmatch(text, end, match.start()) is not None and len(run) < MAX_NAME_WORDS
        )
        if not word[0].isupper():
            if run:
                yield from _name(start, run)
            run = []
            continue
        if run and not joins:
            yield from _name(start, run)
            run = []
        if not run:
            start = match.start()
        run.append(word)
        end = match.end()
    if run:
        yield from _name(start, run)


def _name(start: int, run: list[str]) -> Iterator[tuple[int, str]]:
    """Yield a run of words as a name, without words before and after it that only begin or join sentences."""
    words = [word.strip("'’-&") for word in run]
    words = [word.removesuffix("'s").removesuffix("’s") for word in words]
    while words and fold(words[0]) in _NEVER_ALONE:
        words = words[1:]
    while words and fold(words[-1]) in _NEVER_ALONE:
        words = words[:-1]
    name = " ".join(words)
    if len(name) >= 2:
        yield start, name
