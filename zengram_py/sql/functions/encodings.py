"""Texts of bytes and bytes of texts: ``encode``, ``decode``, ``convert_from``, ``convert_to``; hashes and checksums.

Texts of the database are UTF-8. Other encodings go by PostgreSQL's names, in any spelling: ``LATIN1``, ``latin-1``.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from ...errors import SqlError
from ..errors import error
from ..literals import read_escaped_bytes, read_hex
from .registry import scalar

# Bytes as ASCII.


@scalar("encode: bytea text")
def _encode(value: bytes, form: str) -> str:
    return _form(form)[0](value)


@scalar("decode: text text")
def _decode(text: str, form: str) -> bytes:
    return _form(form)[1](text)


def _form(name: str) -> tuple[Callable[[bytes], str], Callable[[str], bytes]]:
    found = _FORMS.get(name.lower())
    if found is None:
        raise error("22023", f'unrecognized encoding: "{name}"')
    return found


def _to_base64(value: bytes) -> str:
    text = binascii.b2a_base64(value, newline=False).decode()
    return "\n".join([text[i : i + 76] for i in range(0, len(text), 76)])


def _from_base64(text: str) -> bytes:
    bare = text.translate(_NO_SPACES)
    if len(bare) % 4 == 0 and re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", bare):
        return binascii.a2b_base64(bare)
    return _from_odd_base64(bare)


_NO_SPACES = dict.fromkeys(map(ord, " \t\n\r"))
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def _from_odd_base64(text: str) -> bytes:
    """Return bytes of a text with its end in the middle, or say what is wrong with it."""
    out = bytearray()
    bits, held, kept = 0, 0, 3  # kept: how many bytes count of four characters, fewer once there was a "="
    for character in text:
        if character == "=":
            if kept == 3:
                if held < 2:
                    raise error("22023", 'unexpected "=" while decoding base64 sequence')
                kept = held - 1
            digit = 0
        else:
            digit = _ALPHABET.find(character)
            if digit < 0:
                message = f'invalid symbol "{character}" found while decoding base64 sequence'
                raise error("22023", message)
        bits = bits << 6 | digit
        held += 1
        if held == 4:
            out += bits.to_bytes(3, "big")[:kept]
            bits = held = 0
    if held:
        hint = "Input data is missing padding, is truncated, or is otherwise corrupted."
        raise error("22023", "invalid base64 end sequence", hint=hint)
    return bytes(out)


def _to_escapes(value: bytes) -> str:
    parts = ["\\\\" if byte == 0x5C else chr(byte) if 0 < byte < 0x80 else f"\\{byte:03o}" for byte in value]
    return "".join(parts)


_FORMS: dict[str, tuple[Callable[[bytes], str], Callable[[str], bytes]]] = {
    "hex": (bytes.hex, read_hex),
    "base64": (_to_base64, _from_base64),
    "escape": (_to_escapes, read_escaped_bytes),
}

# Encodings of texts.

_CODECS = {
    **{f"latin{i}": f"iso8859_{part}" for i, part in enumerate((1, 2, 3, 4, 9, 10, 13, 14, 15, 16), 1)},
    **{f"iso8859{part}": f"iso8859_{part}" for part in range(1, 17)},
    **{f"win{page}": f"cp{page}" for page in (866, 874, *range(1250, 1259))},
    **{f"windows{page}": f"cp{page}" for page in (866, 874, *range(1250, 1259))},
    "utf8": "utf-8",
    "unicode": "utf-8",
    "sqlascii": "utf-8",
    "eucjp": "euc_jp",
    "eucjis2004": "euc_jis_2004",
    "shiftjis2004": "shift_jis_2004",
    "euccn": "gb2312",
    "euckr": "euc_kr",
    "sjis": "cp932",
    "shiftjis": "cp932",
    "mskanji": "cp932",
    "big5": "cp950",
    "win950": "cp950",
    "gbk": "gbk",
    "win936": "gbk",
    "gb18030": "gb18030",
    "johab": "johab",
    "uhc": "cp949",
    "win949": "cp949",
    "koi8": "koi8_r",
    "koi8r": "koi8_r",
    "koi8u": "koi8_u",
    "tcvn": "cp1258",
    "alt": "cp866",
}
"""Python's names of PostgreSQL's encodings; these in small letters and without marks."""


def _codec(name: str, what: str) -> str:
    found = _CODECS.get(re.sub(r"[^a-z0-9]", "", name.lower()))
    if found is None:
        prefix = f"{what} " if what else ""
        raise error("22023", f'invalid {prefix}encoding name "{name}"')
    return found


def _shown(value: bytes, start: int, size: int) -> str:
    return " ".join([f"0x{byte:02x}" for byte in value[start : start + size]])


def _text(value: bytes, codec: str, name: str) -> str:
    zero = value.find(0)
    try:
        found = value.decode(codec)
    except UnicodeDecodeError as failure:
        start, size = failure.start, failure.end - failure.start
        if codec == "utf-8":
            name = "UTF8"
            lead = value[start]
            size = 1 if lead < 0xC0 or lead >= 0xF8 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        raise _invalid(name, _shown(value, start, size)) from None
    if zero >= 0:
        raise _invalid("UTF8" if codec == "utf-8" else name, "0x00")
    return found


def _invalid(name: str, shown: str) -> SqlError:
    return error("22021", f'invalid byte sequence for encoding "{name.upper()}": {shown}')


def _bytes(text: str, codec: str, name: str) -> bytes:
    try:
        return text.encode(codec)
    except UnicodeEncodeError as failure:
        shown = _shown(text[failure.start].encode(), 0, 4)
        message = f'character with byte sequence {shown} in encoding "UTF8" has no equivalent in encoding "{name.upper()}"'
        raise error("22P05", message) from None


@scalar("convert_from: bytea text")
def _convert_from(value: bytes, name: str) -> str:
    return _text(value, _codec(name, "source"), name)


@scalar("convert_to: text text")
def _convert_to(text: str, name: str) -> bytes:
    return _bytes(text, _codec(name, "destination"), name)


@scalar("convert: bytea text text")
def _convert(value: bytes, source: str, destination: str) -> bytes:
    one, other = _codec(source, "source"), _codec(destination, "destination")
    return _bytes(_text(value, one, source), other, destination)


@scalar("length: bytea text")
def _length(value: bytes, name: str) -> int:
    return len(_text(value, _codec(name, ""), name))


# Hashes.


@scalar("md5: text")
def _md5_of_text(text: str) -> str:
    return _hash("md5", text.encode()).hex()


@scalar("md5: bytea")
def _md5_of_bytes(value: bytes) -> str:
    return _hash("md5", value).hex()


def _hash(name: str, value: bytes) -> bytes:
    import hashlib  # only those who hash load it

    made: Any = hashlib.new(name, value, usedforsecurity=False)
    found: bytes = made.digest()
    return found


for _name in ("sha224", "sha256", "sha384", "sha512"):

    def _sha(value: bytes, name: str = _name) -> bytes:
        return _hash(name, value)

    scalar(f"{_name}: bytea")(_sha)


scalar("crc32: bytea")(binascii.crc32)


@cache
def _castagnoli() -> list[int]:
    """Return the checksums of all bytes, by Castagnoli's polynomial."""
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


@scalar("crc32c: bytea")
def _crc32c(value: bytes) -> int:
    table, found = _castagnoli(), 0xFFFFFFFF
    for byte in value:
        found = found >> 8 ^ table[(found ^ byte) & 0xFF]
    return found ^ 0xFFFFFFFF
