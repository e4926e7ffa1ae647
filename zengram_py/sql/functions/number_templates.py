"""Templates of numbers: what ``999G990D00``, ``S9.99EEEE`` or ``FMRN`` say.

The fields are digits (9, 0), the point (. and D), separators of groups (, and G), signs (S MI PL SG PR), V for digits that the point moves
by, and some that stand alone: RN for Roman numbers, EEEE for an exponent. Which go together is checked here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ...errors import SqlError
from ..errors import error
from .templates import Piece, by_first, pieces_of

_FIELDS = ", . 0 9 B C D EEEE FM G L MI PL PR RN SG SP S TH V"
_NAMES = by_first(_FIELDS + " " + _FIELDS.lower())


@dataclass
class NumberTemplate:
    """What a template of a number says.

    Attributes
    ----------
    pieces : tuple of Piece
        Its parts in order.
    before, after, moved : int
        How many digits there are before the point, behind it, and behind ``V``.
    zero_start, zero_end : int
        The first digit that is shown as a zero, and the last one of which one is asked for; counted from 1, 0 for none.
    sign : str
        What ``S`` is: ``"before"`` or ``"behind"`` the digits, or nothing.
    sign_at : int
        How many digits stood before ``S``.
    """

    pieces: tuple[Piece, ...]
    before: int = 0
    after: int = 0
    moved: int = 0
    zero_start: int = 0
    zero_end: int = 0
    sign: str = ""
    sign_at: int = 0
    has_zero: bool = False
    is_blank: bool = False
    has_point: bool = False
    is_filled: bool = False
    minus: bool = False
    plus: bool = False
    brackets: bool = False
    moves: bool = False
    roman: bool = False
    exponent: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing that an exponent could not stand with."""
        return not (
            self.is_blank
            or self.is_filled
            or self.sign
            or self.brackets
            or self.minus
            or self.plus
            or self.roman
            or self.moves
        )


def _refuse(message: str, detail: str = "") -> SqlError:
    return error("42601", message, detail=detail)


@lru_cache(256)
def number_template(template: str) -> NumberTemplate:
    """Return what a template says.

    Raises
    ------
    SqlError
        42601 if its parts do not go together.
    """
    found = NumberTemplate(pieces_of(template, _NAMES, moments=False))
    for piece in found.pieces:
        if piece.kind == "field":
            _take(found, piece.name)
    return found


def _take(made: NumberTemplate, name: str) -> None:
    if made.exponent and name != "EEEE":
        raise _refuse('"EEEE" must be the last pattern used')
    if name in "90":
        _take_digit(made, name)
    elif name == "B":
        made.is_blank = made.is_blank or (not made.before and not made.after and not made.has_zero)
    elif name in (".", "D"):
        if made.has_point:
            raise _refuse("multiple decimal points")
        if made.moves:
            raise _refuse('cannot use "V" and decimal point together')
        made.has_point = True
    elif name == "FM":
        made.is_filled = True
    elif name in ("S", "MI", "PL", "SG", "PR"):
        _take_sign(made, name)
    elif name == "RN":
        if made.roman:
            raise _refuse('cannot use "RN" twice')
        made.roman = True
    elif name == "V":
        if made.has_point:
            raise _refuse('cannot use "V" and decimal point together')
        made.moves = True
    elif name == "EEEE":
        if made.exponent:
            raise _refuse('cannot use "EEEE" twice')
        if not made.is_plain:
            detail = '"EEEE" may only be used together with digit and decimal point patterns.'
            raise _refuse('"EEEE" is incompatible with other formats', detail)
        made.exponent = True
    _check_roman(made)


def _take_digit(made: NumberTemplate, name: str) -> None:
    if made.brackets:
        raise _refuse(f'"{name}" must be ahead of "PR"')
    if name == "9" and made.moves:
        made.moved += 1
        return
    if name == "0" and not made.has_zero and not made.has_point:
        made.has_zero, made.zero_start = True, made.before + 1
    if made.has_point:
        made.after += 1
    else:
        made.before += 1
    if name == "0":
        made.zero_end = made.before + made.after


def _take_sign(made: NumberTemplate, name: str) -> None:
    if name == "S":
        if made.sign:
            raise _refuse('cannot use "S" twice')
        if made.plus or made.minus or made.brackets:
            raise _refuse('cannot use "S" and "PL"/"MI"/"SG"/"PR" together')
        made.sign, made.sign_at = "behind" if made.has_point else "before", made.before
    elif name == "PR":
        if made.sign or made.plus or made.minus:
            raise _refuse('cannot use "PR" and "S"/"PL"/"MI"/"SG" together')
        made.brackets = True
    else:
        if made.sign:
            raise _refuse(f'cannot use "S" and "{name}" together')
        made.minus = made.minus or name in ("MI", "SG")
        made.plus = made.plus or name in ("PL", "SG")


def _check_roman(made: NumberTemplate) -> None:
    others = (
        made.has_zero,
        made.has_point,
        made.sign,
        made.minus,
        made.plus,
        made.brackets,
        made.moves,
        made.is_blank,
    )
    if made.roman and (any(others) or made.exponent):
        raise _refuse('"RN" is incompatible with other formats', '"RN" may only be used together with "FM".')
