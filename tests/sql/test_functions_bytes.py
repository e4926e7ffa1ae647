"""Functions of bytes, encodings, hashes.

Expected values are those of PostgreSQL 18 (PGlite): the text of the result, or its SQLSTATE.
"""

import pytest
from sql_answers import answer, session

from zengram_py.sql.session import Session

# All of them.
BYTES = [
    (
        "encode(decode(repeat('ab',60),'hex'),'base64')",
        "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6ur\nq6ur",
    ),
    ("encode('\\x00ff41'::bytea,'hex')", "00ff41"),
    ("encode('a\\000b\\377\\\\'::bytea,'escape')", "a\\000b\\377\\\\"),
    ("encode('\\x00','BASE64')", "AA=="),
    ("encode('\\x00','zzz')", "22023"),
    ("encode('','base64')", ""),
    ("decode('YWJj','base64')", "\\x616263"),
    ("decode('YW Jj\n','base64')", "\\x616263"),
    ("decode('YWJ','base64')", "22023"),
    ("decode('YQ==','base64')", "\\x61"),
    ("decode('YQ','base64')", "22023"),
    ("decode('Y*==','base64')", "22023"),
    ("decode('YQ=','base64')", "22023"),
    ("decode('YQ==YQ==','base64')", "\\x6161"),
    ("decode('=','base64')", "22023"),
    ("decode('YR==','base64')", "\\x61"),
    ("decode('00 fF','hex')", "\\x00ff"),
    ("decode('0','hex')", "22023"),
    ("decode('0g','hex')", "22023"),
    ("decode('','hex')", "\\x"),
    ("decode('0 0','hex')", "22023"),
    ("decode('a\\\\b\\101','escape')", "\\x615c6241"),
    ("decode('\\9','escape')", "22P02"),
    ("decode('é','escape')", "\\xc3a9"),
    ("decode('\\','escape')", "22P02"),
    ("decode('a','zzz')", "22023"),
    ("convert_from('\\x616263','UTF8')", "abc"),
    ("convert_from('\\xff','UTF8')", "22021"),
    ("convert_from('\\xe9','LATIN1')", "é"),
    ("convert_from('\\xe9','latin-1')", "é"),
    ("convert_to('é','UTF8')", "\\xc3a9"),
    ("convert_to('é','utf-8')", "\\xc3a9"),
    ("convert_to('a','nope')", "22023"),
    ("convert_from('a','nope')", "22023"),
    ("convert_from('\\x00','UTF8')", "22021"),
    ("convert_from('\\xe282','UTF8')", "22021"),
    ("convert_from('\\xc0af','UTF8')", "22021"),
    ("convert_from('\\xeda080','UTF8')", "22021"),
    ("length('\\xc3a9'::bytea,'UTF8')", "1"),
    ("length('\\xff'::bytea,'UTF8')", "22021"),
    ("length('\\xc3a9'::bytea,'LATIN1')", "2"),
    ("convert_from('\\xe9','SQL_ASCII')", "22021"),
    ("sha224('abc')", "\\x23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
    ("sha256('abc')", "\\xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
        "sha384('abc')",
        "\\xcb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
    ),
    (
        "sha512('abc')",
        "\\xddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ),
    ("md5('abc')", "900150983cd24fb0d6963f7d28e17f72"),
    ("md5('\\x00'::bytea)", "93b885adfe0da089cdf634904fd59f71"),
    ("crc32('The quick brown fox')", "3074782430"),
    ("crc32c('The quick brown fox jumps over the lazy dog.')", "419469235"),
    ("crc32('')", "0"),
    ("crc32c('')", "0"),
    ("md5(null)", "NULL"),
    ("md5('é')", "66ddcd97cfdeabb2f6fb8a999b4bc76f"),
    ("length('\\x0102'::bytea)", "2"),
    ("octet_length('\\x0102'::bytea)", "2"),
    ("bit_length('\\x0102'::bytea)", "16"),
    ("bit_count('\\x0103ff'::bytea)", "11"),
    ("bit_count(''::bytea)", "0"),
    ("'\\x01'::bytea||'\\x02'::bytea", "\\x0102"),
    ("substring('\\x010203'::bytea from 2)", "\\x0203"),
    ("substring('\\x010203'::bytea from 0 for 2)", "\\x01"),
    ("substring('\\x010203'::bytea from 2 for 1)", "\\x02"),
    ("substring('\\x010203'::bytea from 2 for -1)", "22011"),
    ("substr('\\x010203'::bytea,2)", "\\x0203"),
    ("substr('\\x010203'::bytea,-1,3)", "\\x01"),
    ("overlay('\\x01020304'::bytea placing '\\xff'::bytea from 2)", "\\x01ff0304"),
    ("overlay('\\x01020304'::bytea placing '\\xff'::bytea from 2 for 2)", "\\x01ff04"),
    ("overlay('\\x01020304'::bytea placing '\\xff'::bytea from 0)", "22011"),
    ("position('\\x02'::bytea in '\\x0102'::bytea)", "2"),
    ("position(''::bytea in '\\x0102'::bytea)", "1"),
    ("position('\\x05'::bytea in '\\x0102'::bytea)", "0"),
    ("reverse('\\x010203'::bytea)", "\\x030201"),
    ("reverse(''::bytea)", "\\x"),
    ("btrim('\\x0001020100'::bytea,'\\x0001'::bytea)", "\\x02"),
    ("ltrim('\\x0001020100'::bytea,'\\x0001'::bytea)", "\\x020100"),
    ("rtrim('\\x0001020100'::bytea,'\\x0001'::bytea)", "\\x000102"),
    ("trim(both '\\x00' from '\\x000100'::bytea)", "\\x01"),
    ("btrim('\\x00'::bytea,''::bytea)", "\\x00"),
    ("get_byte('\\x01ff'::bytea,1)", "255"),
    ("get_byte('\\x01ff'::bytea,2)", "2202E"),
    ("get_byte('\\x01ff'::bytea,-1)", "2202E"),
    ("get_bit('\\x01ff'::bytea,0)", "1"),
    ("get_bit('\\x01ff'::bytea,7)", "0"),
    ("get_bit('\\x01ff'::bytea,15)", "1"),
    ("get_bit('\\x01ff'::bytea,16)", "2202E"),
    ("get_bit('\\x01ff'::bytea,-1)", "2202E"),
    ("set_byte('\\x01ff'::bytea,0,255)", "\\xffff"),
    ("set_byte('\\x01ff'::bytea,0,256)", "\\x00ff"),
    ("set_byte('\\x01ff'::bytea,0,-1)", "\\xffff"),
    ("set_byte('\\x01ff'::bytea,2,1)", "2202E"),
    ("set_bit('\\x01ff'::bytea,1,1)", "\\x03ff"),
    ("set_bit('\\x01ff'::bytea,0,0)", "\\x00ff"),
    ("set_bit('\\x01ff'::bytea,0,2)", "22023"),
    ("set_bit('\\x01ff'::bytea,16,1)", "2202E"),
    ("get_byte(''::bytea,0)", "2202E"),
    ("'\\x6162'::bytea like 'a%'::bytea", "t"),
    ("'\\x6162'::bytea like 'a_'::bytea", "t"),
    ("'\\x6162'::bytea not like '_'::bytea", "t"),
    ("'\\x6162ff'::bytea like '%\\377'::bytea", "t"),
    ("'a%'::bytea like 'a#%'::bytea escape '#'", "t"),
    ("like_escape('a#%'::bytea,'#'::bytea)", "\\x615c25"),
    ("like_escape('a'::bytea,'##'::bytea)", "22025"),
    ("'\\x0a'::bytea like '_'", "t"),
    ("'a\\\\'::bytea like 'a\\\\\\\\'::bytea", "t"),
    ("''::bytea like ''::bytea", "t"),
    ("''::bytea like '%'::bytea", "t"),
    ("'\\xc3a9'::bytea like '_'::bytea", "f"),
    ("'a'::bytea like 'a\\\\'::bytea", "f"),
    ("'a'::bytea", "\\x61"),
    ("E'\\\\001'::bytea", "\\x01"),
    ("'\\x4'::bytea", "22023"),
    ("'\\xzz'::bytea", "22023"),
    ("'\\x 41 42'::bytea", "\\x4142"),
    ("'\\x4 1'::bytea", "22023"),
    ("'a\\1'::bytea", "22P02"),
    ("'\\\\'::bytea", "\\x5c"),
    ("'\\377'::bytea", "\\xff"),
    ("'\\400'::bytea", "22P02"),
    ("max('a'::bytea)", "\\x61"),
    ("'é'::bytea", "\\xc3a9"),
    ("'\\X41'::bytea", "22P02"),
]


@pytest.fixture(scope="module")
def one() -> Session:
    return session()


@pytest.mark.parametrize(("expression", "expected"), BYTES)
def test_bytes(one: Session, expression: str, expected: str) -> None:
    assert answer(one, f"select {expression}") == expected


# PGlite has no conversions; these are what the encodings say.
CONVERTED = [
    ("convert_to('\u00e9', 'LATIN1')", "\\xe9"),
    ("convert_to('\u20ac', 'LATIN1')", "22P05"),
    ("convert_to('\u20ac', 'latin-9')", "\\xa4"),
    ("convert_from('\\x80', 'WIN1252')", "\u20ac"),
    ("convert_from('\\x81', 'WIN1252')", "22021"),
    ("convert('\\xe9', 'LATIN1', 'UTF8')", "\\xc3a9"),
    ("convert('\\xc3a9', 'UTF8', 'LATIN1')", "\\xe9"),
    ("convert('\\xc3a9', 'nope', 'LATIN1')", "22023"),
    ("convert_to('\u044f', 'KOI8R')", "\\xd1"),
    ("convert_to('\u3042', 'SJIS')", "\\x82a0"),
    ("convert_to('\u3042', 'EUC_JP')", "\\xa4a2"),
    ("length('\\x82a0'::bytea, 'SJIS')", "1"),
]


@pytest.mark.parametrize(("expression", "expected"), CONVERTED)
def test_conversions(one: Session, expression: str, expected: str) -> None:
    assert answer(one, f"select {expression}") == expected
