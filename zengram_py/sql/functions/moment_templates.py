"""Templates of dates and times: which fields there are."""

from __future__ import annotations

from functools import lru_cache

from .templates import Piece, by_first, pieces_of

_FIELDS = (
    "A.D. A.M. AD AM B.C. BC CC DAY DDD DD DY D FF1 FF2 FF3 FF4 FF5 FF6 FX HH24 HH12 HH IDDD ID IW IYYY IYY IY I J MI MM"
    " MONTH MON MS OF P.M. PM Q RM SSSSS SSSS SS TZH TZM TZ US WW W Y,YYY YYYY YYY YY Y"
)
_NAMES = by_first(f"{_FIELDS} {_FIELDS.lower()} Day Dy Month Mon")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
ROMAN_MONTHS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")


@lru_cache(256)
def moment_template(template: str) -> tuple[Piece, ...]:
    """Return a template's pieces."""
    return pieces_of(template, _NAMES, moments=True)
