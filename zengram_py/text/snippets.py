"""Snippets: the part of a text that shows why it was found, and never half a character.

What a reader takes for one character may be many code points: an emoji of several joined by ZWJ, a flag of two letters, a letter
with its accents, a syllable of Hangul or Devanagari. Texts are cut between *grapheme clusters* only (Unicode Standard Annex
29, extended grapheme clusters, rules GB3 to GB13). Where the rules need tables that Python does not have (which characters
are pictographs), clusters here may be larger than the annex's, never smaller: a cut is always a legal one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from .characters import FLAG_LETTERS, marks
from .query import Phrase, Prefix, Query, Term
from .tokens import Analyzer, Word

_PREPENDED = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd\U000111c2\U000111c3\U0001193f\U00011941\U00011a3a\U00011a84-\U00011a89\U00011d46\U00011f02"
# Signs that join the consonant before them to the one behind (GB9c); more than the annex has, which does no harm.
_VIRAMAS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u1039\u17d2\u1a60\ua9c0\uaaf6\U00010a3f\U00011133\U000113d0\U0001193e\U00011a47\U00011a99\U00011f42"
_LEADING, _FOLLOWING = "\u1100-\u115f\ua960-\ua97c", "\u1160-\u11ff\ud7b0-\ud7fb"  # jamo


@cache
def _cluster_pattern() -> re.Pattern[str]:
    # Thai and Lao AM (letters by category, marks by rule), half-width voicing marks, ZWNJ, ZWJ, skin tones, tags
    more = marks() + "\u0e33\u0eb3\uff9e\uff9f\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
    breaks = "\0-\x1f\x7f-\x9f\u2028\u2029\u200b\u200e\u200f\u2060-\u206f\ufeff"
    hangul = f"[{_LEADING}]*(?:[\uac00-\ud7a3][{_FOLLOWING}]*|[{_FOLLOWING}]+)|[{_LEADING}]+"
    core = f"[{_PREPENDED}]*(?:[{_VIRAMAS}][{more}]*[{_PREPENDED}]*)?(?:[{FLAG_LETTERS}]{{2}}|{hangul}|[^{breaks}])"
    tail = f"(?:[{_VIRAMAS}\u200d][{more}]*{core}|[{more}])*"
    return re.compile(f"\r\n|[{breaks}]|{core}{tail}", re.DOTALL)


def clusters(text: str) -> list[str]:
    """Return the grapheme clusters of a text; joined they are the text."""
    if text.isascii() and "\r" not in text:
        return list(text)
    return _cluster_pattern().findall(text)


def cut(text: str, length: int) -> str:
    """Return the beginning of a text: as many whole grapheme clusters as fit into so many code points.

    The first cluster is kept even if it is longer, so that something is left of a text that is not empty.
    """
    if length >= len(text):
        return text
    if text.isascii() and "\r" not in text:
        return text[: max(0, length)]
    end = 0
    for match in _cluster_pattern().finditer(text):
        if length <= 0 or (end and match.end() > length):
            break
        end = match.end()
    return text[:end]


_TRIMMED = 12  # characters that may go so that a snippet ends with a word


def matches(text: str, query: Query, analyzer: Analyzer) -> list[tuple[int, int]]:
    """Return where a text has what a query asks for, as (start, end), ascending and apart.

    All words of phrases count where a phrase is, all other words wherever they are. Fields are not told apart.
    """
    words = list(analyzer.words(text))
    terms = {leaf.text for leaf in query.leaves if isinstance(leaf, Term)}
    prefixes = tuple(leaf.text for leaf in query.leaves if isinstance(leaf, Prefix))
    spans = [
        (word.start, word.end)
        for word in words
        if word.term in terms or word.term.startswith(prefixes) or word.surface.startswith(prefixes)
    ]
    for leaf in query.leaves:
        if isinstance(leaf, Phrase):
            spans += _phrase_spans(words, leaf)
    joined: list[tuple[int, int]] = []
    for start, end in sorted(set(spans)):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _phrase_spans(words: Sequence[Word], phrase: Phrase) -> list[tuple[int, int]]:
    places: dict[str, dict[int, Word]] = {text: {} for text, _ in phrase.terms}
    for word in words:
        if word.term in places:
            places[word.term][word.position] = word
    spans: list[tuple[int, int]] = []
    if phrase.slop is None:
        first = phrase.terms[0][0]
        for begin in places[first]:
            found = [places[text].get(begin + place) for text, place in phrase.terms]
            if None not in found:
                spans += [(word.start, word.end) for word in found if word is not None]
        return spans
    reach = phrase.terms[-1][1] + phrase.slop
    for begin in sorted({position for found in places.values() for position in found}):
        near = [[w for p, w in found.items() if begin <= p <= begin + reach] for found in places.values()]
        if all(near):
            spans += [(word.start, word.end) for found in near for word in found]
    return spans


def highlight(
    text: str, spans: Sequence[tuple[int, int]], opening: str = "<b>", closing: str = "</b>"
) -> str:
    """Return a text with marks around some parts; the marks go around whole grapheme clusters.

    The text itself is not escaped: for HTML, give characters as ``opening`` and ``closing`` that the text does not have, escape,
    and replace them.
    """
    out, last = [], 0
    bounds = _bounds(text) if spans and not text.isascii() else None
    for start, end in spans:
        if bounds is not None:
            start, end = max(last, bounds[start]), _next(bounds, end, len(text))
        if start < end:
            out += [text[last:start], opening, text[start:end], closing]
            last = end
    return "".join([*out, text[last:]])


def snippet(
    text: str,
    query: Query,
    analyzer: Analyzer,
    length: int = 160,
    *,
    opening: str = "<b>",
    closing: str = "</b>",
    ellipsis: str = "…",
) -> str:
    """Return the part of a text that has most of what a query asks for, highlighted.

    Parameters
    ----------
    text : str
        Where it was found.
    query : Query
        What was asked.
    analyzer : Analyzer
        That of the index.
    length : int
        Code points of the text at most, marks and ellipses not counted.
    opening, closing : str
        Marks around what was asked for.
    ellipsis : str
        Stands where text was left out.
    """
    if length <= 0:
        return ""
    spans = matches(text, query, analyzer)
    start, end = (0, len(text)) if len(text) <= length else _window(text, spans, length)
    inside = [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]
    shown = highlight(text[start:end], inside, opening, closing)
    return (ellipsis if start else "") + shown + (ellipsis if end < len(text) else "")


def _window(text: str, spans: Sequence[tuple[int, int]], length: int) -> tuple[int, int]:
    """Return the part of a text in which most characters of the spans lie, cut at words if possible."""
    best, start = -1, 0
    for i, (begin, _) in enumerate(spans):
        covered = 0
        for first, last in spans[i:]:
            if first >= begin + length:
                break
            covered += min(last, begin + length) - first
        if covered > best:
            last_end = max((e for b, e in spans[i:] if e <= begin + length), default=begin + length)
            best, start = covered, max(0, begin - (length - min(length, last_end - begin)) // 2)
    start = min(start, len(text) - length)
    bounds = _bounds(text)
    if start:
        start = _next(bounds, start, len(text))
        space = text.find(" ", start, start + length // 8)
        first_span = next((b for b, e in spans if e > start), len(text))
        if 0 <= space < first_span:
            start = space + 1
    end = bounds[min(start + length, len(text))] if start + length < len(text) else len(text)
    if end <= start:
        end = _next(bounds, start + 1, len(text))
    if end < len(text) and not text[end].isspace():
        space = text.rfind(" ", max(start, end - max(_TRIMMED, length // 8)), end)
        last_span = max((e for b, e in spans if b < end), default=0)
        if space > start and space >= last_span:
            end = space
    return start, end


def _bounds(text: str) -> list[int]:
    """Return for each code point where its grapheme cluster begins, and the length of the text at the end."""
    bounds: list[int] = []
    for cluster in clusters(text):
        bounds += [len(bounds)] * len(cluster)
    return [*bounds, len(text)]


def _next(bounds: Sequence[int], at: int, last: int) -> int:
    """Return the first beginning of a cluster at or after a place."""
    while at < last and bounds[at] != at:
        at += 1
    return at
