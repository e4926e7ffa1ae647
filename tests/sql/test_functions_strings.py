# ruff: noqa: RUF001
"""Functions of texts: parts, letters, names and literals, concatenation, UUIDs.

Expected values are those of PostgreSQL 18 (PGlite): the text of the result, or its SQLSTATE.
"""

import pytest
from answers import answer, session

from zengram_py.sql.session import Session

# Lengths, letters, parts, places.
TEXTS = [
    ("lower('İ I Σ ΑΣ ǅ ẞ')", "i i σ ασ ǆ ß"),
    ("initcap('hello wORLD éa 1abc o''neil x_y ÀÉ-ÀÉ ǆx')", "Hello World Éa 1abc O'Neil X_Y Àé-Àé Ǆx"),
    ("casefold('Straße İ ΑΣ')", "straße i ασ"),
    ("casefold('ẞ ﬁ')", "ß ﬁ"),
    ("normalize('é')", "é"),
    ("normalize('é', NFD)", "é"),
    ("normalize('ﬁ', NFKC)", "fi"),
    ("normalize('ﬁ', nfkd)", "fi"),
    ("normalize('a','NFC')", "42601"),
    ("to_hex(-1)", "ffffffff"),
    ("to_bin(5)", "101"),
    ("to_oct(-8::bigint)", "1777777777777777777770"),
    ("chr(0)", "54000"),
    ("chr(-1)", "22023"),
    ("chr(1114112)", "54000"),
    ("chr(55296)", "54000"),
    ("chr(128512)", "😀"),
    ("ascii('')", "0"),
    ("ascii('é')", "233"),
    ("length('ab  '::char(5))", "2"),
    ("octet_length('ab'::char(5))", "5"),
    ("char_length('ab'::char(5))", "2"),
    ("bit_length('é')", "16"),
    ("'é' < 'f'", "f"),
    ("'B'<'a'", "t"),
    ("'a' < 'B'", "f"),
    ("repeat('ab',3)", "ababab"),
    ("repeat('ab',-1)", ""),
    ("repeat('ab',1000000000)", "54000"),
    ("lpad('abc',-1)", ""),
    ("lpad('abc',5)", "  abc"),
    ("lpad('abc',5,'')", "abc"),
    ("lpad('abc',2,'xy')", "ab"),
    ("lpad('a',6,'xy')", "xyxyxa"),
    ("rpad('a',6,'xy')", "axyxyx"),
    ("rpad('abc',2)", "ab"),
    ("rpad('abc',2147483647)", "54000"),
    ("overlay('abcdef' placing 'X' from 0)", "22011"),
    ("overlay('abcdef' placing 'X' from 2 for 0)", "aXbcdef"),
    ("overlay('abcdef' placing 'XYZ' from 2)", "aXYZef"),
    ("overlay('abc' placing 'X' from 10)", "abcX"),
    ("overlay('abc' placing 'X' from 2 for -1)", "aXabc"),
    ("overlay('abc' placing 'X' from 2 for 2147483647)", "22003"),
    ("overlay('abc' placing 'X' from 2147483647 for 2147483647)", "22003"),
    ("substring('abcdef' from 2)", "bcdef"),
    ("substring('abcdef' from 0 for 3)", "ab"),
    ("substring('abcdef' from -5 for 8)", "ab"),
    ("substring('abcdef' for 2)", "ab"),
    ("substring('abcdef' for 2 from 3)", "cd"),
    ("substring('abc' from 2 for -1)", "22011"),
    ("substring('abc' from 2147483647 for 5)", ""),
    ("substring('abc' from -2147483648 for 2147483647)", ""),
    ("substring('abc' from 2 for 2147483647)", "bc"),
    ("substr('abc',2)", "bc"),
    ("substr('abc',0,2)", "a"),
    ("substr('abc',1,-1)", "22011"),
    ("position('' in 'abc')", "1"),
    ("position('b' in 'abc')", "2"),
    ("position('z' in 'abc')", "0"),
    ("strpos('abc','')", "1"),
    ("strpos('','a')", "0"),
    ("replace('abcabc','b','')", "acac"),
    ("replace('abc','','x')", "abc"),
    ("replace('','a','b')", ""),
    ("translate('12345','143','ax')", "a2x5"),
    ("translate('abc','aa','xy')", "xbc"),
    ("translate('abc','','xy')", "abc"),
    ("left('abc',-1)", "ab"),
    ("left('abc',-5)", ""),
    ("left('abc',5)", "abc"),
    ("right('abc',-1)", "bc"),
    ("right('abc',2)", "bc"),
    ("right('abc',-5)", ""),
    ("left('abc',-2147483648)", ""),
    ("right('abc',-2147483648)", ""),
    ("reverse('abé')", "éba"),
    ("reverse('')", ""),
    ("split_part('a,b,c',',',2)", "b"),
    ("split_part('a,b,c',',',-1)", "c"),
    ("split_part('a,b,c',',',0)", "22023"),
    ("split_part('a,b,c',',',5)", ""),
    ("split_part('a,b,c','',1)", "a,b,c"),
    ("split_part('a,b,c','',2)", ""),
    ("split_part('a,b,c','',-1)", "a,b,c"),
    ("split_part('',',',1)", ""),
    ("split_part('a,b',',',-5)", ""),
    ("split_part('a,b',',',-2)", "a"),
    ("starts_with('abc','ab')", "t"),
    ("'abc'^@'b'", "f"),
    ("starts_with('abc','')", "t"),
    ("btrim('xxabcxx','x')", "abc"),
    ("btrim('  a  ')", "a"),
    ("ltrim('xyxabc','yx')", "abc"),
    ("rtrim('abcxyx','xy')", "abc"),
    ("trim(both 'x' from 'xax')", "a"),
    ("trim(leading from '  a ')", "a "),
    ("trim('  a ')", "a"),
    ("trim(trailing 'b' from 'abb')", "a"),
    ("trim('x' from 'xax')", "a"),
    ("trim(both from ' a ')", "a"),
    ("trim(' a ', ' ')", "a"),
    ("ltrim('abc','')", "abc"),
    ("btrim(E'\\t a \\n')", "\t a \n"),
    ("trim('')", ""),
    ("initcap('')", ""),
    ("md5('abc')", "900150983cd24fb0d6963f7d28e17f72"),
    ("md5(''::bytea)", "d41d8cd98f00b204e9800998ecf8427e"),
    ("length('😀')", "1"),
    ("octet_length('😀')", "4"),
    ("upper('😀')", "😀"),
    ("bit_length('\\x01'::bytea)", "8"),
    ("length(null)", "NULL"),
    ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid::bytea", "42846"),
    ("string_to_array('a,b,c',',')", "{a,b,c}"),
    ("string_to_array('a,b,,c',',','')", "{a,b,NULL,c}"),
    ("string_to_array('',',')", "{}"),
    ("string_to_array('abc',null)", "{a,b,c}"),
    ("string_to_array('abc','')", "{abc}"),
    ("string_to_array(null,',')", "NULL"),
    ("string_to_array('a,b',',','a')", "{NULL,b}"),
    ("string_to_array('a,b',',',null)", "{a,b}"),
    ("string_to_array(',',',')", '{"",""}'),
    ("array(select string_to_table('a,b',','))", "{a,b}"),
    ("string_to_array('','')", "{}"),
    ("string_to_array('',null)", "{}"),
    ("string_to_array('a','','a')", "{NULL}"),
    ("is_normalized('a')", "t"),
    ("'é' is normalized", "t"),
    ("'é' is nfd normalized", "f"),
    ("'é' is not nfd normalized", "t"),
    ("'a' is nfkc normalized", "t"),
    ("null is normalized", "NULL"),
    ("normalize('é', NFD) is nfc normalized", "f"),
    ("normalize(null)", "NULL"),
    ("upper(null)", "NULL"),
    ("casefold('ŉ')", "ŉ"),
    ("upper('ᾳ ǰ')", "ᾼ ǰ"),
    ("lower('ΑΣ ΑΣΑ')", "ασ ασα"),
    ("to_hex(255)", "ff"),
    ("to_hex(-1::bigint)", "ffffffffffffffff"),
    ("to_hex(2147483648)", "80000000"),
    ("to_bin(-1)", "11111111111111111111111111111111"),
    ("to_oct(8)", "10"),
    ("length('abc'::varchar(2))", "2"),
    ("upper('abc'::varchar)", "ABC"),
    ("ltrim('abc',null)", "NULL"),
    ("left(null,1)", "NULL"),
    ("repeat('a',0)", ""),
    ("repeat('',5)", ""),
    ("repeat(null,5)", "NULL"),
    ("lpad('é',3,'ß')", "ßßé"),
    ("substring('añb' from 2 for 1)", "ñ"),
    ("reverse('é')", "́e"),
    ("overlay('abcdef' placing '' from 2 for 3)", "aef"),
    ("overlay('ñandú' placing 'x' from 5)", "ñandx"),
    ("position('é' in 'café')", "4"),
    ("translate('a','a',null)", "NULL"),
    ("replace('aXbX','X','YY')", "aYYbYY"),
    ("split_part('a~@~b~@~c','~@~',2)", "b"),
    ("split_part('abc','c',2)", ""),
    ("split_part('aaa','aa',1)", ""),
    ("split_part('aaa','aa',-1)", "a"),
    ("strpos('high','ig')", "2"),
    ("initcap('hi THOMAS')", "Hi Thomas"),
    ("chr(65)", "A"),
    ("ascii('x')", "120"),
    ("left('abcde',0)", ""),
    ("right('abcde',0)", ""),
    ("lpad('hi',0)", ""),
    ("starts_with(null,'a')", "NULL"),
    ("trim(both from null)", "NULL"),
    ("trim(both 'é' from 'éaé')", "a"),
    ("btrim('trim','')", "trim"),
    ("length(12345)", "42883"),
    ("upper(1)", "42883"),
    ("length(1.5::text)", "3"),
    ("substring('abc',2,1)", "b"),
    ("substring('abc',2)", "bc"),
    ("substring('abc' for null)", "NULL"),
    ("substring('Thomas' from null)", "NULL"),
    ("'abc' like null", "NULL"),
    ("char_length('')", "0"),
    ("character_length('jose')", "4"),
    ("md5(null)", "NULL"),
]

# ``||``, ``concat``, ``concat_ws``, ``format``.
JOINED = [
    ("'a'||true", "atrue"),
    ("'a'||1.50||null", "NULL"),
    ("concat(true,null,'a',1.0)", "ta1.0"),
    ("'ab'::char(5)||'x'", "abx"),
    ("concat('ab'::char(5),'x')", "ab   x"),
    ("'a'||array[1]", "22P02"),
    ("array[1]||'a'", "22P02"),
    ("'a'||row(1,2)", "a(1,2)"),
    ("'x' || '{\"a\":1}'::jsonb", "22P02"),
    ("'x'::text || '{\"a\":1}'::jsonb", 'x{"a": 1}'),
    ("'a'||''", "a"),
    ("null||'a'", "NULL"),
    ("format('%s %I %L %%','a','B c',null)", 'a "B c" NULL %'),
    ("format('%2$s %1$s','a','b')", "b a"),
    ("format('%10s|','a')", "         a|"),
    ("format('%-10s|','a')", "a         |"),
    ("format('%*s|',5,'a')", "    a|"),
    ("format('%-*s|',5,'a')", "a    |"),
    ("format('%*s|',-5,'a')", "a    |"),
    ("format('%2$*1$s|',5,'a')", "    a|"),
    ("format('%1$*2$s|','a',5)", "    a|"),
    ("format('%s')", "22023"),
    ("format('%')", "22023"),
    ("format('%x','a')", "22023"),
    ("format('%0$s','a')", "22023"),
    ("format('%I',null)", "22004"),
    ("format('%L',null)", "NULL"),
    ("format('%s',null)", ""),
    ("format('%s',true)", "t"),
    ("format('%L',1.5)", "'1.5'"),
    ("format('%s %s',variadic array['a','b'])", "a b"),
    ("format('%s',variadic null::text[])", "22023"),
    ("format('x',variadic null::text[])", "x"),
    ("format(null,'a')", "NULL"),
    ("format('abc')", "abc"),
    ("format('%1$s %s','a','b')", "a b"),
    ("format('%2$s %s','a','b','c')", "b c"),
    ("format('%5s','é')", "    é"),
    ("format('%*s','x','a')", "22P02"),
    ("format('%*s',null,'a')", "a"),
    ("format('%99999999999s','a')", "22003"),
    ("format('%-5L|','a')", "'a'  |"),
    ("format('%5I|','A')", '  "A"|'),
    ("format('%1$','a')", "22023"),
    ("format('%1','a')", "22023"),
    ("format('%$s','a')", "22023"),
    ("format('%1$-5s|','a')", "a    |"),
    ("format('%-1$5s|','a')", "22023"),
    ("format('%--5s|','a')", "a    |"),
    ("format('%05s|','a')", "    a|"),
    ("format('%+5s|','a')", "22023"),
    ("format('%*1$s|',5)", "22023"),
    ("format('%s',array[1,2])", "{1,2}"),
    ("format('%s',row(1,2))", "(1,2)"),
    ("format('%*0$s|',5)", "22023"),
    ("format('%é','a')", "22023"),
    ("format('% 5s','a')", "22023"),
    ("concat()", "42883"),
    ("concat(variadic array['a',null,'b'])", "ab"),
    ("concat(variadic null::text[])", "NULL"),
    ("concat(variadic array[[1,2],[3,4]])", "1234"),
    ("concat_ws(',','a',null,1)", "a,1"),
    ("concat_ws(null,'a')", "NULL"),
    ("concat_ws(',')", "42883"),
    ("concat_ws(',',variadic array[1,null,2])", "1,2"),
    ("concat_ws(',',variadic null::int[])", "NULL"),
    ("concat_ws(null,variadic array[1])", "NULL"),
    ("concat(null)", ""),
    ("concat(1.0::float8, date '2024-01-01', null, 'x'::bytea)", "12024-01-01\\x78"),
    ("concat_ws(',', null, null)", ""),
    ("concat('a',array[1,2],row(1,'b c'))", 'a{1,2}(1,"b c")'),
    ("string_to_array('a||b','||')", "{a,b}"),
    ("lower('ABC'::char(5))||'|'", "abc|"),
    ("concat('a'::varchar,'b'::char(3),'c')", "ab  c"),
    ("'a'::varchar||'b'::varchar", "ab"),
    ("'a'::char(3)||'b'::char(3)", "ab"),
    ("'a'||1", "a1"),
    ("1||'a'", "1a"),
    ("1::text||2", "12"),
    ("1||2", "42883"),
    ("'a'||null::int", "NULL"),
    ("null::text||null", "NULL"),
    ("'[' || '[1,2)'::int4range", "[[1,2)"),
    ("date '2024-01-01'||''", "2024-01-01"),
    ("'a' || '\\x41'::bytea", "\\x6141"),
    ("concat('a')", "a"),
]

# Names and literals, and back.
QUOTED = [
    ("unistr('d\\0061t\\+000061 \\u0061 \\U00000061 \\\\')", "data a a \\"),
    ("unistr('\\d83d\\de00')", "😀"),
    ("unistr('\\d83d')", "42601"),
    ("unistr('\\x')", "42601"),
    ("unistr('\\u00')", "42601"),
    ("unistr('\\0000')", "22023"),
    ("quote_ident('abc')", "abc"),
    ("quote_ident('Abc')", '"Abc"'),
    ("quote_ident('select')", '"select"'),
    ("quote_ident('a\"b')", '"a""b"'),
    ("quote_ident('')", '""'),
    ("quote_ident('1a')", '"1a"'),
    ("quote_ident('a b')", '"a b"'),
    ("quote_ident('_a1$')", '"_a1$"'),
    ("quote_ident('abs')", "abs"),
    ("quote_ident('between')", '"between"'),
    ("quote_ident('left')", '"left"'),
    ("quote_ident('é')", '"é"'),
    ("quote_literal('a''b')", "'a''b'"),
    ("quote_literal('a\\b')", "E'a\\\\b'"),
    ("quote_literal(42.5)", "'42.5'"),
    ("quote_literal(null)", "NULL"),
    ("quote_nullable(null)", "NULL"),
    ("quote_nullable('a')", "'a'"),
    ("quote_literal(true)", "'true'"),
    ("quote_nullable(null::int)", "NULL"),
    ("quote_literal(array['a'])", "'{a}'"),
    ("parse_ident('\"Some\".b')", "{Some,b}"),
    ("parse_ident('a.b.c')", "{a,b,c}"),
    ("parse_ident('a.')", "22023"),
    ("parse_ident('a b')", "22023"),
    ("parse_ident('a b',false)", "{a}"),
    ("parse_ident('1a')", "22023"),
    ("parse_ident('')", "22023"),
    ("parse_ident('\"\"')", "22023"),
    ("parse_ident(' a . \"B c\" ')", '{a,"B c"}'),
    ("parse_ident('A')", "{a}"),
    ("parse_ident('a..b')", "22023"),
    ("parse_ident('\"a')", "22023"),
    ("parse_ident('a.1')", "22023"),
    ("parse_ident('é.b')", "{é,b}"),
    ("parse_ident('.a')", "22023"),
    ("parse_ident('foo.a(')", "22023"),
    ("quote_ident(null)", "NULL"),
    ("quote_literal(E'\\n')", "'\n'"),
    ("quote_literal('')", "''"),
    ("unistr('')", ""),
    ("unistr(null)", "NULL"),
    ("unistr('\\\\u0041')", "\\u0041"),
    ("unistr('\\U00110000')", "22023"),
    ("unistr('\\dc00')", "42601"),
    ("unistr('\\d83dx')", "42601"),
    ("unistr('\\d83d\\0041')", "42601"),
    ("unistr('a\\')", "42601"),
]

# UUIDs.
UUIDS = [
    ("uuid_extract_version('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')", "4"),
    ("uuid_extract_version('a0eebc99-9c0b-4ef8-3b6d-6bb9bd380a11')", "NULL"),
    ("uuid_extract_version('a0eebc99-9c0b-0ef8-bb6d-6bb9bd380a11')", "0"),
    ("uuid_extract_version('a0eebc99-9c0b-9ef8-bb6d-6bb9bd380a11')", "9"),
    ("uuid_extract_timestamp('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')", "NULL"),
    ("uuid_extract_version('C232AB00-9414-11EC-B3C8-9F6BDECED846')", "1"),
]


@pytest.fixture(scope="module")
def one() -> Session:
    return session()


@pytest.mark.parametrize(("expression", "expected"), TEXTS)
def test_texts(one: Session, expression: str, expected: str) -> None:
    assert answer(one, f"select {expression}") == expected


@pytest.mark.parametrize(("expression", "expected"), JOINED)
def test_joined(one: Session, expression: str, expected: str) -> None:
    assert answer(one, f"select {expression}") == expected


@pytest.mark.parametrize(("expression", "expected"), QUOTED)
def test_quoted(one: Session, expression: str, expected: str) -> None:
    assert answer(one, f"select {expression}") == expected


@pytest.mark.parametrize(("expression", "expected"), UUIDS)
def test_what_is_in_uuids(one: Session, expression: str, expected: str) -> None:
    assert answer(one, f"select {expression}") == expected


def test_uuids_are_new_and_in_order(one: Session) -> None:
    assert (
        answer(one, "select gen_random_uuid() <> gen_random_uuid(), uuid_extract_version(gen_random_uuid())")
        == "t|4"
    )
    assert answer(one, "select uuidv7() < uuidv7(), uuid_extract_version(uuidv7())") == "t|7"
    shifted = "uuid_extract_timestamp(uuidv7(interval '1 year'))"
    assert (
        answer(
            one, f"select {shifted} > now() + interval '364 days', {shifted} < now() + interval '367 days'"
        )
        == "t|t"
    )


def test_letters_are_mapped_one_by_one(one: Session) -> None:
    assert answer(one, "select upper('stra\u00dfe \ufb01'), lower('\u0391\u03a3'), casefold('\u1e9e')") == (
        "STRA\u00dfE \ufb01|\u03b1\u03c3|\u00df"
    )


def test_a_text_is_not_made_greater_than_a_tab_holds(one: Session) -> None:
    assert answer(one, "select repeat('ab', 200000000)") == "54000"
    assert answer(one, "select lpad('a', 2000000000)") == "54000"


def test_functions_of_many_rows(one: Session) -> None:
    one.run("create table words (w text)")
    one.run("insert into words values ('one'), (null), ('two'), ('one'), ('')")
    assert answer(one, "select upper(w), length(w), w || '!', left(w, 2) from words") == (
        "ONE|3|one!|on\nNULL|NULL|NULL|NULL\nTWO|3|two!|tw\nONE|3|one!|on\n|0|!|"
    )
    assert answer(one, "select concat(w, 1), concat_ws('-', w, w), format('<%s>', w) from words") == (
        "one1|one-one|<one>\n1||<>\ntwo1|two-two|<two>\none1|one-one|<one>\n1|-|<>"
    )
    assert (
        answer(one, "select w || w || w from words where w like '%o%'") == "oneoneone\ntwotwotwo\noneoneone"
    )


def test_parts_as_rows(one: Session) -> None:
    assert answer(one, "select * from string_to_table('a,b,,c', ',', '')") == "a\nb\nNULL\nc"
    assert answer(one, "select string_to_table('a,b', ',')") == "a\nb"
    assert answer(one, "select * from string_to_table('abc', null)") == "a\nb\nc"
    assert answer(one, "select * from string_to_table(null, ',')") == ""
