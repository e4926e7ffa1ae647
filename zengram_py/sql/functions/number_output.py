"""Numbers as a template shows them: ``to_char``.

The number is first a row of digits with or without a point, as many behind it as the template has. Then the template's pieces are gone
through with it: what stands before the number's first digit is blank or zero, the sign is written at the first digit that is
neither, and ``FM`` leaves blanks out, and zeros at the end that no 0 asks for.
"""

from __future__ import annotations

import math
from decimal import Decimal

from ..errors import error
from .arithmetic import out_of_range
from .number_templates import NumberTemplate, number_template
from .numerics import multiply, quotient, rounded
from .powers import power
from .templates import Piece

_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_ROMAN_WIDTH = 15


def roman(number: int) -> str:
    """Return a Roman number from 1 to 3999; of others signs that there is none."""
    if not 1 <= number <= 3999:
        return "#" * _ROMAN_WIDTH
    found = ""
    for value, letters in _ROMAN:
        found += letters * (number // value)
        number %= value
    return found


def ordinal(digits: str) -> str:
    """Return ``st``, ``nd``, ``rd`` or ``th`` for a number."""
    last = digits[-1:]
    if not ("0" <= last <= "9"):
        raise error("22P02", f'"{digits}" is not a number')
    if len(digits) > 1 and digits[-2] == "1":
        return "th"
    return {"1": "st", "2": "nd", "3": "rd"}.get(last, "th")


# Numbers as rows of digits.


def int4_to_char(value: int, template: str) -> str:
    """Return a whole number of 32 bits as a template shows it."""
    made = number_template(template)
    if made.exponent:
        return _signed(f"{float(value):+.{made.after}e}")
    return _whole(made, value, "int4")


def int8_to_char(value: int, template: str) -> str:
    """Return a whole number of 64 bits as a template shows it."""
    made = number_template(template)
    if made.exponent:
        return _signed(_scientific(Decimal(value), made.after))
    return _whole(made, value, "int8")


def _whole(made: NumberTemplate, value: int, name: str) -> str:
    if made.roman:
        return _Writer(made, _roman_text(made, value), False, 0, 0).text()
    size = abs(value * 10**made.moved)
    if size >> (31 if name == "int4" else 63):
        raise error(*out_of_range(name))
    digits = str(size) + ("." + "0" * made.after if made.after else "")
    return _Writer(made, digits, value < 0, made.before + made.moved, made.after).text()


def float_to_char(value: float, template: str, most_digits: int) -> str:
    """Return a float as a template shows it, with at most so many digits as its type keeps."""
    made = number_template(template)
    if made.roman:
        small = round(value) if -1.0 < value < 5000.0 else 0
        return _Writer(made, _roman_text(made, small), False, 0, 0).text()
    if made.exponent:
        return _signed(f"{value:+.{made.after}e}") if math.isfinite(value) else _no_exponent(made)
    value *= 10.0**made.moved
    number = f"{abs(value):.0f}" if math.isfinite(value) else "NaN" if value != value else "Infinity"
    after = min(made.after, max(most_digits - len(number), 0))
    if math.isfinite(value):
        number = f"{abs(value):.{after}f}"
    negative = math.copysign(1.0, value) < 0 and value == value
    return _Writer(made, number, negative, made.before + made.moved, after).text()


def numeric_to_char(value: Decimal, template: str) -> str:
    """Return an exact number as a template shows it."""
    made = number_template(template)
    if made.roman:
        small = int(rounded(value, 0)) if value.is_finite() and value.adjusted() < 5 else 0
        return _Writer(made, _roman_text(made, small), False, 0, 0).text()
    if made.exponent:
        return _signed(_scientific(value, made.after)) if value.is_finite() else _no_exponent(made)
    if made.moves:
        value = multiply(value, power(Decimal(10), Decimal(made.moved)))
    number = format(rounded(value, made.after), "f") if value.is_finite() else str(value)
    negative = number.startswith("-")
    return _Writer(made, number.lstrip("-"), negative, made.before + made.moved, made.after).text()


def _roman_text(made: NumberTemplate, value: int) -> str:
    return roman(value) if made.is_filled else roman(value).rjust(_ROMAN_WIDTH)


def _signed(number: str) -> str:
    """Return a number with its minus, or a space in its place."""
    return number if number.startswith("-") else " " + number.removeprefix("+")


def _no_exponent(made: NumberTemplate) -> str:
    """Return what stands for NaN and infinities where there should be an exponent."""
    found = list(" " + "#" * (made.before + made.after + 5))
    found[made.before + 1] = "."
    return "".join(found)


def _scientific(value: Decimal, scale: int) -> str:
    if not value:
        return f"{rounded(value, scale):f}e+00"
    exponent = value.adjusted()
    found = quotient(
        value, Decimal((0, (1,), exponent)), scale
    )  # it may be rounded up to ten, as in PostgreSQL
    return f"{found:f}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"


class _Writer:
    """Writes a number into a template.

    Parameters
    ----------
    made : NumberTemplate
        The template.
    digits : str
        The number without its sign, or a Roman one.
    negative : bool
        Whether it has a minus.
    before, after : int
        For how many digits there is room.
    """

    def __init__(self, made: NumberTemplate, digits: str, negative: bool, before: int, after: int) -> None:
        self.made, self.negative, self.after = made, negative, after
        length = len(digits.partition(".")[0])
        self.blanks = max(before - length, 0)
        if length > before and not made.roman:
            digits = "#" * before + "." + "#" * after  # there is no room for it
        self.digits = digits
        self.zero_start = max(made.zero_start - 1, 0)
        self.sign = made.sign
        self.brackets = made.brackets
        if made.plus or made.minus:
            self.is_signed = (
                made.minus
            )  # these write the sign themselves, but for the minus that PL does not know
        else:
            self.is_signed = not negative and made.is_filled and not made.sign
            self.brackets = self.brackets and (negative or not made.is_filled)
            if self.sign == "before" and before == made.sign_at:
                self.sign = "behind"
        # the place in the template's digits behind which the number ends
        self.end = before + after - 1 + (not self.is_signed and not self.blanks)
        self.end += bool(self.blanks) + made.has_point
        self.last = self._last_digit() if made.is_filled and made.has_point else None
        self.ends_with_point = self.last is not None and digits[self.last : self.last + 1] == "."
        self.place = 0  # in the template's digits
        self.at = 0  # in the number's
        self.wrote_digit = False
        self.out: list[str] = []

    def _last_digit(self) -> int | None:
        """Return the last digit behind the point that ``FM`` leaves, or the point; None without one."""
        last = self.digits.find(".")
        if last < 0:
            return None
        for place in range(last + 1, len(self.digits)):
            if self.digits[place] != "0":
                last = place
        if self.made.zero_end > self.blanks:
            last = max(last, min(len(self.digits) - 1, self.made.zero_end - self.blanks))
        return last

    def text(self) -> str:
        """Return the whole text."""
        for piece in self.made.pieces:
            self.out.append(self._field(piece) if piece.kind == "field" else piece.text)
        return "".join(self.out).partition("\0")[0]

    def _field(self, piece: Piece) -> str:
        name, made = piece.name, self.made
        blank = "" if made.is_filled else " "
        if name in (".", "9", "0", "D"):
            return "" if made.roman else self._digit(name)
        if name in (",", "G"):
            return "," if self.wrote_digit else blank
        if name == "MI":
            return "-" if self.negative else blank
        if name == "PL":
            return blank if self.negative else "+"
        if name == "SG":
            return "-" if self.negative else "+"
        if name == "L":
            return " "
        if name == "RN":
            return self.digits.lower() if piece.text == "rn" else self.digits
        if name == "TH" and not (
            made.roman or self.negative or made.has_point or self.digits.startswith("#")
        ):
            return ordinal(self.digits) if piece.text == "th" else ordinal(self.digits).upper()
        return ""

    def _digit(self, name: str) -> str:
        """Return what a digit or the point of the template shows, with the sign if this is its place."""
        made = self.made
        self.wrote_digit = False
        found = self._leading_sign()
        if self.place < self.blanks:
            if made.has_zero and self.zero_start <= self.place:
                found += "0"
                self.wrote_digit = True
            elif not made.is_filled:
                found += " "
        else:
            found += self._own_digit(name)
            self.at += self.at < len(self.digits)
        end = self.place if self.last == self.at else self.end
        if self.place + 1 == end:
            if self.is_signed and self.brackets:
                found += ">" if self.negative else " "
            elif self.sign == "behind":
                found += "-" if self.negative else "+"
        self.place += 1
        return found

    @property
    def _hides_zero(self) -> bool:
        """Whether the next digit is the zero of ``0.5``, which only a 0 in the template shows."""
        return not self.made.has_zero and not self.at and self.digits.startswith("0") and self.after != 0

    def _leading_sign(self) -> str:
        if self.is_signed or (self._hides_zero and not self.ends_with_point):
            return ""
        if self.place < self.blanks and not (self.made.has_zero and self.zero_start == self.place):
            return ""
        if self.sign == "behind":
            return ""
        self.is_signed = True
        if self.sign:
            return "-" if self.negative else "+"
        if self.brackets:
            return "<" if self.negative else " "
        if self.negative:
            return "-"
        return "" if self.made.is_filled else " "

    def _own_digit(self, name: str) -> str:
        """Return what the next character of the number shows."""
        current = self.digits[self.at : self.at + 1]
        if current == ".":
            return "."
        if self.last is not None and self.at > self.last and name != "0":
            return ""
        if self._hides_zero:
            if not self.made.is_filled:
                return " "
            return "0" if self.ends_with_point else ""
        self.wrote_digit = True
        return current or "\0"  # a float has no more digits: there the text ends
