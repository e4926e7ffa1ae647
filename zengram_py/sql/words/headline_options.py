"""What a headline is to be like: the options of ``ts_headline``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import SqlError
from ..errors import error


@dataclass
class Options:
    """What a headline is to be like."""

    start: str = "<b>"
    stop: str = "</b>"
    delimiter: str = " ... "
    most_words: int = 35
    least_words: int = 15
    short_word: int = 3
    whole: bool = False
    fragments: int = 0


_NAMES = {
    "startsel": "start",
    "stopsel": "stop",
    "fragmentdelimiter": "delimiter",
    "maxwords": "most_words",
    "minwords": "least_words",
    "shortword": "short_word",
    "highlightall": "whole",
    "maxfragments": "fragments",
}


def read_options(text: str) -> Options:
    """Return the options that a text like ``MaxWords=10, StartSel="<i>"`` names.

    Raises
    ------
    SqlError
        22023 for an option that is not known, or values that do not fit each other; 42601 for anything else.
    """
    options = Options()
    for name, value in _pairs(text):
        attribute = _NAMES.get(name.lower())
        if attribute is None:
            raise error("22023", f'unrecognized headline parameter: "{name}"')
        if attribute == "whole":
            options.whole = value.lower() in ("1", "on", "true", "t", "y", "yes")
        elif attribute in ("start", "stop", "delimiter"):
            setattr(options, attribute, value)
        else:
            bare = value.strip()
            if not bare.lstrip("+-").isdigit():
                raise error("22P02", f'invalid input syntax for type integer: "{value}"')
            setattr(options, attribute, int(bare))
    _check(options)
    return options


def _check(options: Options) -> None:
    if options.whole:
        return
    for wrong, message in (
        (options.least_words >= options.most_words, "MinWords must be less than MaxWords"),
        (options.least_words <= 0, "MinWords must be positive"),
        (options.short_word < 0, "ShortWord must be >= 0"),
        (options.fragments < 0, "MaxFragments must be >= 0"),
    ):
        if wrong:
            raise error("22023", message)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of ``a = b, c = 'd e'``."""
    place, size = 0, len(text)

    def refuse() -> SqlError:
        return error("42601", f'invalid parameter list format: "{text}"')

    def token(*, is_value: bool) -> str:
        nonlocal place
        while place < size and text[place].isspace():
            place += 1
        if is_value and place < size and text[place] in "\"'":
            quote = text[place]
            out: list[str] = []
            place += 1
            while True:
                if place >= size:
                    raise refuse()
                if text[place] == "\\" and place + 1 < size:
                    place += 1
                elif text[place] == quote:
                    place += 1
                    if text[place : place + 1] != quote:
                        return "".join(out)
                out.append(text[place])
                place += 1
        start = place
        while place < size and not text[place].isspace() and text[place] not in ("," if is_value else "=,"):
            place += 1
        return text[start:place]

    while True:
        name = token(is_value=False)
        if not name:
            if place < size:
                raise refuse()
            return
        while place < size and text[place].isspace():
            place += 1
        if text[place : place + 1] != "=":
            raise refuse()
        place += 1
        yield name, token(is_value=True)
        while place < size and text[place].isspace():
            place += 1
        if place < size:
            if text[place] != ",":
                raise refuse()
            place += 1
