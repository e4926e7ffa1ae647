"""Templates of ``to_char``, ``to_date`` and ``to_number`` as pieces: fields by their names, and text between them.

Names of fields are written in capitals or in small letters throughout (names of days and months also with a capital first letter), and the
longest that fits counts. Text in double quotes is text whatever it says; a backslash in front of a quote makes it one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Piece(NamedTuple):
    """A part of a template.

    Attributes
    ----------
    kind : str
        ``"field"``, or ``"text"``, ``"space"`` or ``"separator"``: one character that stands for itself.
    text : str
        The field's name as it is written, or the character.
    prefix : str
        ``FM`` in front of the field (no zeros and spaces to fill its width), ``TM`` (the same, of names), or nothing.
    ordinal : str
        ``TH`` or ``th`` behind the field, or nothing.
    """

    kind: str
    text: str
    prefix: str = ""
    ordinal: str = ""

    @property
    def name(self) -> str:
        """The field's name in capitals."""
        return self.text.upper()


def pieces_of(template: str, names: Mapping[str, frozenset[str]], *, moments: bool) -> tuple[Piece, ...]:
    """Return a template's pieces.

    Parameters
    ----------
    template : str
        The template.
    names : mapping of str to frozenset of str
        Names of fields by their first character.
    moments : bool
        Whether it is one of dates and times, whose fields have ``FM`` in front and ``TH`` behind; those of numbers are fields.
    """
    found: list[Piece] = []
    place, size = 0, len(template)
    while place < size:
        prefix = template[place : place + 2] if moments else ""
        if prefix in ("FM", "fm", "TM", "tm"):  # TM is for names in other languages, which are not padded
            place += 2
        else:
            prefix = ""
        name = _name_at(template, place, names)
        if name:
            place += len(name)
            ordinal = template[place : place + 2] if moments else ""
            if ordinal in ("TH", "th", "SP"):
                place += 2
            found.append(Piece("field", name, prefix.upper(), ordinal if ordinal in ("TH", "th") else ""))
        elif place < size:
            place = _text(template, place, found, moments)
    return tuple(found)


def _name_at(template: str, place: int, names: Mapping[str, frozenset[str]]) -> str:
    known = names.get(template[place : place + 1])
    if known is None:
        return ""
    return max((name for name in known if template.startswith(name, place)), key=len, default="")


def _text(template: str, place: int, found: list[Piece], moments: bool) -> int:
    """Add the text at a place; return where it ends."""
    character = template[place]
    if character == '"':
        place += 1
        while place < len(template):
            if template[place] == '"':
                return place + 1
            if template[place] == "\\" and place + 1 < len(template):
                place += 1
            found.append(Piece("text", template[place]))
            place += 1
        return place
    if character == "\\" and template[place + 1 : place + 2] == '"':
        place += 1
        character = '"'
    kind = "text"
    if character.isspace():
        kind = "space"
    elif moments and is_separator(character):
        kind = "separator"
    found.append(Piece(kind, character))
    return place + 1


def is_separator(character: str) -> bool:
    """Return whether a character is punctuation of ASCII."""
    return "!" <= character <= "~" and not character.isalnum()


def by_first(names: str) -> dict[str, frozenset[str]]:
    """Return names by their first character."""
    found: dict[str, set[str]] = {}
    for name in names.split():
        found.setdefault(name[0], set()).add(name)
    return {first: frozenset(some) for first, some in found.items()}
