import pytest

from zengram_py.errors import SqlError
from zengram_py.sql.lexer import tokenize


def tokens(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokenize(text)[:-1]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a<->b", ["a", "<->", "b"]),
        ("a<#>b", ["a", "<#>", "b"]),
        ("a<=>b", ["a", "<=>", "b"]),
        ("a<-1", ["a", "<", "-", "1"]),
        ("a=-1", ["a", "=", "-", "1"]),
        ("a@-1", ["a", "@-", "1"]),
        ("a!=b", ["a", "<>", "b"]),
        ("a->>'b'", ["a", "->>", "b"]),
        ("a+--b\nc", ["a", "+", "c"]),
        ("a*/**/b", ["a", "*", "b"]),
        ("a::int", ["a", "::", "int"]),
        ("($1,$2)", ["(", "1", ",", "2", ")"]),
        ("a.*", ["a", ".", "*"]),
        ("f(a=>1)", ["f", "(", "a", "=>", "1", ")"]),
    ],
)
def test_operators_and_marks(text: str, expected: list[str]) -> None:
    assert [found for _, found in tokens(text)] == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'it''s'", "it's"),
        ("'a' \n 'b'", "ab"),
        ("'a' -- x\n 'b'", "ab"),
        ("'\\n'", "\\n"),
        (r"E'\n\t\\\'x'", "\n\t\\'x"),
        (r"E'\101\x42\u00e9\U0001F600'", "ABé😀"),
        (r"E'\303\244'", "ä"),
        (r"E'\ud83d\ude00'", "😀"),
        (r"U&'d\0061t\+01F600\\'", "dat😀\\"),
        (r"U&'d!0061t' uescape '!'", "dat"),
        ("$$it's$$", "it's"),
        ("$x$a $$ b$x$", "a $$ b"),
        ("$$$$", ""),
        ("N'x'", "x"),
        ("''", ""),
        ("'; drop table t; --'", "; drop table t; --"),
    ],
)
def test_strings(text: str, value: str) -> None:
    assert tokens(text) == [("string", value)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("SeLeCt", "word", "select"),
        ('"SeLeCt"', "name", "SeLeCt"),
        ('"a""b.c"', "name", 'a"b.c'),
        ('U&"d\\0061t"', "name", "dat"),
        ("ÄRGER", "word", "Ärger"),
        ("a$1", "word", "a$1"),
        ("日本", "word", "日本"),
        ("1_000", "number", "1000"),
        ("0xFf", "number", "255"),
        ("0b101", "number", "5"),
        ("0o17", "number", "15"),
        (".5", "number", ".5"),
        ("5.", "number", "5."),
        ("1.5e-3", "number", "1.5e-3"),
        ("b'101'", "bits", "b101"),
        ("X'1F'", "bits", "x1F"),
    ],
)
def test_words_and_numbers(text: str, kind: str, value: str) -> None:
    assert tokens(text) == [(kind, value)]


def test_comments_and_space_leave_nothing() -> None:
    assert tokens("a /* b /* c */ d */ -- e\n\t\f\v b") == [("word", "a"), ("word", "b")]


def test_places() -> None:
    assert [(t.start, t.end) for t in tokenize("ab  'c' ")] == [(0, 2), (4, 7), (8, 8)]


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("select 'abc", "42601", 8),
        ('select "abc', "42601", 8),
        ("select /* abc", "42601", 8),
        ("select $x$ abc $y$", "42601", 8),
        ("select 123abc", "42601", 8),
        ("select 1_000_", "42601", 8),
        ("select 0x", "42601", 8),
        ("select $1a", "42601", 8),
        ("select $0", "42P02", 8),
        ("select $99999", "42P02", 8),
        ('select ""', "42601", 8),
        ("select \\", "42601", 8),
        ("select $", "42601", 8),
        ("select '\0'", "22021", 9),
        ("select '\ud800'", "22021", 9),
        (r"select E'\u12'", "22025", 8),
        (r"select E'\ud83dx'", "42601", 8),
        (r"select E'\xff'", "22021", 8),
        (r"select E'\000'", "22021", 8),
        (r"select U&'\12'", "42601", 8),
        (r"select U&'\d800'", "42601", 8),
    ],
)
def test_what_is_no_token(text: str, code: str, position: int) -> None:
    with pytest.raises(SqlError) as caught:
        tokenize(text)
    assert (caught.value.sqlstate, caught.value.position) == (code, position)
