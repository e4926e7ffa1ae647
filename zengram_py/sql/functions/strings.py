"""Functions of texts: lengths, letters, parts, and what is put in their place.

Places are counted in characters from 1, also before the beginning and behind the end: ``substring('abc' from -1 for 3)`` has one character.
Capital and small letters are mapped one by one, as PostgreSQL does without a language: ``ß`` has no capital letter, and a sigma is the same
letter at the end of a word.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from functools import lru_cache
from typing import Any

from ..errors import error
from .registry import scalar

MAX_BYTES = 1 << 28
"""How long a text may be that a function makes: a quarter of PostgreSQL's limit, since a tab has less memory."""
_INT4_MAX = (1 << 31) - 1


def check_size(size: int) -> None:
    """Refuse to make more bytes than :data:`MAX_BYTES` (54000)."""
    if size > MAX_BYTES:
        raise error("54000", "requested length too large")


# Lengths.


scalar("length char_length character_length: text")(len)


@scalar("length char_length character_length: bpchar")
def _length_without_padding(text: str) -> int:
    return len(text.rstrip(" "))


@scalar("octet_length: text | bpchar")
def byte_length(text: str) -> int:
    """Return the bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


@scalar("bit_length: text")
def _bit_length(text: str) -> int:
    return 8 * byte_length(text)


# Letters.


@scalar("lower: text")
def lower(text: str) -> str:
    """Return small letters, one for each character."""
    if text.isascii() or not ("\u03a3" in text or "İ" in text):
        return text.lower()
    return (
        text.replace("\u03a3", "\u03c3").replace("İ", "i").lower()
    )  # Python looks at what is around a sigma


@scalar("upper: text")
def upper(text: str) -> str:
    """Return capital letters, one for each character."""
    found = text.upper()
    return found if len(found) == len(text) else "".join([_capital(c) for c in text])


def _capital(character: str) -> str:
    found = character.upper()
    if len(found) > 1:  # some have one for titles only: ᾳ and ᾼ
        found = character.title()
    return found if len(found) == 1 else character


@scalar("casefold: text")
def casefold(text: str) -> str:
    """Return a text in which letters that only differ in size are alike, one for each character."""
    found = text.casefold()
    return found if len(found) == len(text) else "".join([_folded(c) for c in text])


def _folded(character: str) -> str:
    found = character.casefold()
    return found if len(found) == 1 else lower(character)


@scalar("initcap: text")
def initcap(text: str) -> str:
    """Return words with a capital letter first; a word is a run of letters and digits."""
    return re.sub(r"[^\W_]+", lambda found: upper(found[0][0]) + lower(found[0][1:]), text)


# Characters at the ends.


@scalar("btrim: text | text text")
def _trim_both(text: str, characters: str = " ") -> str:
    return text.strip(characters) if characters else text


@scalar("ltrim: text | text text")
def _trim_left(text: str, characters: str = " ") -> str:
    return text.lstrip(characters) if characters else text


@scalar("rtrim: text | text text")
def _trim_right(text: str, characters: str = " ") -> str:
    return text.rstrip(characters) if characters else text


def _filled(text: str, size: int, fill: str) -> str:
    missing = size - len(text)
    if not fill or missing <= 0:
        return ""
    check_size(size * (1 if fill.isascii() and text.isascii() else 4))
    return (fill * (missing // len(fill) + 1))[:missing]


@scalar("lpad: text int4 | text int4 text")
def _pad_left(text: str, size: int, fill: str = " ") -> str:
    return _filled(text, size, fill) + text if size > len(text) else text[: max(size, 0)]


@scalar("rpad: text int4 | text int4 text")
def _pad_right(text: str, size: int, fill: str = " ") -> str:
    return text + _filled(text, size, fill) if size > len(text) else text[: max(size, 0)]


# Parts.


@scalar("left: text int4")
def _left(text: str, size: int) -> str:
    return text[:size]


@scalar("right: text int4")
def _right(text: str, size: int) -> str:
    if size < 0:
        return text[-size:]
    return text[-size:] if size else ""


def slice_of(start: int, length: int | None) -> slice:
    """Return the slice of ``from start for length``; 22011 if the length is negative."""
    if length is None:
        return slice(max(start - 1, 0), None)
    if length < 0:
        raise error("22011", "negative substring length not allowed")
    return slice(max(start - 1, 0), max(start - 1 + length, 0))


@scalar("substring substr: text int4 | text int4 int4")
def substring(text: str, start: int, length: int | None = None) -> str:
    """Return a part of a text by its first character and its length."""
    return text[slice_of(start, length)]


def slices_around(start: int, length: int) -> tuple[slice, slice]:
    """Return what stays before and behind what ``overlay`` puts in; 22011 or 22003 if there is no such place."""
    if start <= 0:
        raise error("22011", "negative substring length not allowed")
    if start + length > _INT4_MAX:
        raise error("22003", "integer out of range")
    return slice(0, start - 1), slice(max(start - 1 + length, 0), None)


@scalar("overlay: text text int4 | text text int4 int4")
def _overlay(text: str, new: str, start: int, length: int | None = None) -> str:
    before, behind = slices_around(start, len(new) if length is None else length)
    return text[before] + new + text[behind]


@scalar("split_part: text text int4")
def _split_part(text: str, separator: str, number: int) -> str:
    if number == 0:
        raise error("22023", "field position must not be zero")
    if not separator:
        return text if number in (1, -1) else ""
    if number > 0:
        parts = text.split(separator, number)
        return parts[number - 1] if number <= len(parts) else ""
    parts = text.split(separator)
    return parts[number] if -number <= len(parts) else ""


@scalar("starts_with ^@: text text")
def _starts_with(text: str, start: str) -> bool:
    return text.startswith(start)


@scalar("position strpos: text text")
def _position(text: str, part: str) -> int:
    return text.find(part) + 1


# Other texts.


scalar("||: text text")(operator.add)


@scalar("replace: text text text")
def _replace(text: str, old: str, new: str) -> str:
    return text.replace(old, new) if old else text


@lru_cache(64)
def _translation(old: str, new: str) -> dict[int, str | None]:
    found: dict[int, str | None] = {}
    for i, character in enumerate(old):
        found.setdefault(ord(character), new[i] if i < len(new) else None)
    return found


@scalar("translate: text text text")
def _translate(text: str, old: str, new: str) -> str:
    return text.translate(_translation(old, new))


@scalar("repeat: text int4")
def _repeat(text: str, times: int) -> str:
    check_size(byte_length(text) * max(times, 0))
    return text * max(times, 0)


@scalar("reverse: text")
def _reverse(text: str) -> str:
    return text[::-1]


@scalar("normalize: text | text text")
def _normalize(text: str, form: str = "NFC") -> str:
    return text if text.isascii() else unicodedata.normalize(_normal_form(form), text)


@scalar("is_normalized: text | text text")
def _is_normalized(text: str, form: str = "NFC") -> bool:
    return text.isascii() or unicodedata.is_normalized(_normal_form(form), text)


def _normal_form(form: str) -> Any:
    if form.upper() not in ("NFC", "NFD", "NFKC", "NFKD"):
        raise error("22023", f"invalid normalization form: {form}")
    return form.upper()


# Characters and numbers.


@scalar("ascii: text")
def _ascii(text: str) -> int:
    return ord(text[0]) if text else 0


@scalar("chr: int4")
def _chr(code: int) -> str:
    if code < 0:
        raise error("22023", "character number must be positive")
    if code == 0:
        raise error("54000", "null character not permitted")
    if code > 0x10FFFF:
        raise error("54000", f"requested character too large for encoding: {code}")
    if 0xD800 <= code <= 0xDFFF:
        raise error("54000", f"requested character not valid for encoding: {code}")
    return chr(code)


for _name, _digits in (("to_hex", "x"), ("to_oct", "o"), ("to_bin", "b")):
    for _type, _bits in (("int4", 32), ("int8", 64)):

        def _in_base(value: int, mask: int = (1 << _bits) - 1, digits: str = _digits) -> str:
            return format(value & mask, digits)

        scalar(f"{_name}: {_type}")(_in_base)
