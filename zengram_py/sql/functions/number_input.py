"""Numbers that a template reads in a text: ``to_number``.

Template and text are gone through side by side: a digit of the template takes one of the text, or the point, or a sign in front of the first
digit or behind the last; other characters of the template let one of the text go, whatever it is.
"""

from __future__ import annotations

from decimal import Decimal

from ...errors import SqlError
from ..errors import error
from ..fitting import fit_number
from ..literals import read_number
from .number_templates import NumberTemplate, number_template
from .numerics import multiply
from .powers import power

_DATA = "0123456789.,+-"
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def to_number(text: str, template: str) -> Decimal | None:
    """Return the number that a template reads; None for an empty template.

    Raises
    ------
    SqlError
        22P02 if there is no number, 22003 if it has more digits than the template.
    """
    if not template:
        return None
    made = number_template(template)
    if made.exponent:
        raise error("0A000", '"EEEE" not supported for input')
    if made.roman:
        return Decimal(_Reader(made, text).roman())
    digits, after = _Reader(made, text).digits()
    value = read_number(digits)
    if value is None:
        raise error("22P02", f'invalid input syntax for type numeric: "{digits}"')
    value = fit_number(value, (made.before + made.moved + after, after))
    return multiply(value, power(Decimal(10), Decimal(-made.moved))) if made.moves else value


class _Reader:
    """Reads a text."""

    def __init__(self, made: NumberTemplate, text: str) -> None:
        self.made, self.text = made, text
        self.at = 0
        self.sign = " "
        self.found = ""  # digits and the point
        self.before = self.after = 0
        self.has_point = False

    @property
    def current(self) -> str:
        """The next character; nothing at the end."""
        return self.text[self.at : self.at + 1]

    def digits(self) -> tuple[str, int]:
        """Return what was read as the text of a number, and how many digits are behind its point."""
        was_digit = False
        for piece in self.made.pieces:
            if self.at >= len(self.text):
                break
            if piece.kind != "field":
                self.at += 1
                continue
            name = piece.name
            if name in ("9", "0", ".", "D"):
                self._digit(name)
                self.at += 1
                was_digit = True
            elif name in (",", "G"):
                if (was_digit or not self.made.is_filled) and self.current == ",":
                    self.at += 1
            elif name in ("MI", "PL", "SG"):
                self._sign(name)
            elif name == "L":
                self._skip(1)
            elif name == "TH" and not (self.sign == "-" or self.made.has_point):
                self._skip(2)
        return self.sign + self.found.removesuffix("."), self.after

    def _skip(self, count: int) -> None:
        """Let characters go that no number has."""
        while count and self.current and self.current not in _DATA:
            self.at += 1
            count -= 1

    def _sign(self, name: str) -> None:
        signs = {"MI": "-", "PL": "+", "SG": "+-"}[name]
        if self.current in signs:
            self.sign = self.current
            self.at += 1
        else:
            self._skip(1)

    def _digit(self, name: str) -> None:
        """Read a digit or the point, a sign in front of the first and behind the last; the character it ends with is still to be left."""
        if self.current == " ":
            self.at += 1
        if not self.current:
            return
        if self.sign == " " and name in "09" and not self.before + self.after:
            self._first_sign()
        if not self.current:
            return
        was_read = False
        if "0" <= self.current <= "9":
            if self.has_point and self.after == self.made.after:
                return
            self.found += self.current
            if self.has_point:
                self.after += 1
            else:
                self.before += 1
            was_read = True
        elif self.made.has_point and not self.has_point and self.current == ".":
            self.found += "."
            self.has_point = was_read = True
        if self.sign == " " and self.before + self.after:
            self._last_sign(was_read)

    def _first_sign(self) -> None:
        if self.current == "-" or (self.made.brackets and self.current == "<"):
            self.sign = "-"
            self.at += 1
        elif self.current == "+":
            self.sign = "+"
            self.at += 1

    def _last_sign(self, was_read: bool) -> None:
        made = self.made
        following = self.text[self.at + 1 : self.at + 2]
        if made.sign and was_read and following and not "0" <= following <= "9":
            if following in "+-":
                self.at += 1
                self.sign = following
        elif not was_read and not made.sign and (made.plus or made.minus) and self.current in "+-":
            self.sign = self.current

    def roman(self) -> int:
        """Return the Roman number in the text."""
        bare = self.text.strip().upper()
        if not self.text:
            raise error("22P02", 'invalid input syntax for type numeric: " "')
        total = 0
        values = [_ROMAN.get(letter, 0) for letter in bare]
        for value, following in zip(values, [*values[1:], 0], strict=False):
            total += -value if value < following else value
        from .number_output import roman

        if not all(values) or roman(total) != bare:
            raise _not_roman()
        return total


def _not_roman() -> SqlError:
    return error("22P02", "invalid Roman numeral")
