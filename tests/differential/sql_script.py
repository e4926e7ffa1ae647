"""Scripts: statements in a file of SQL, one after the other, with comments.

    -- A heading
    create table t (a int, b text);

    -- unordered
    select * from t;

A line with nothing but a mark says how the answer of the *next* statement is compared: ``-- unordered`` as a multiset of rows,
``-- shape`` by its columns, types and number of rows alone (for what differs from run to run), ``-- outcome`` by whether it is an error.
Every other comment is for readers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
MARKS = ("unordered", "shape", "outcome")
_SPACE = re.compile(r"\s+")
_TOKEN = re.compile(
    r"""
      (?P<mark>^[ ]*--[ ]*(?:unordered|shape|outcome)[ ]*$)
    | --[^\n]*
    | (?P<block>/\*)
    | [eE]'(?:[^'\\]|\\.|'')*'
    | '(?:[^']|'')*'
    | "(?:[^"]|"")*"
    | (?<![\w$])\$(?P<tag>(?:[^\W\d]\w*)?)\$
    | (?P<word>[^\W\d][\w$]*)
    | (?P<end>;)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Statement:
    """One statement of a script.

    Attributes
    ----------
    text : str
        Without the semicolon.
    line : int
        Where it begins.
    mark : str
        One of :data:`MARKS`, or empty: the rows are compared in order.
    """

    text: str
    line: int
    mark: str = ""

    @property
    def squeezed(self) -> str:
        """The text with every run of space as one."""
        return _SPACE.sub(" ", self.text).strip()


def scripts() -> list[Path]:
    """Return the files of the corpus."""
    return sorted(CORPUS.glob("*.sql"))


def read_script(path: Path) -> list[Statement]:
    """Return the statements of a file."""
    return split(path.read_text("utf-8"))


def split(text: str) -> list[Statement]:
    """Return the statements of a script, with their lines and marks."""
    found: list[Statement] = []
    start = place = 0
    mark = ""
    while (token := _TOKEN.search(text, place)) is not None:
        place = token.end()
        if token["mark"] is not None:
            mark = token["mark"].strip(" -")
        elif token["block"] is not None:
            place = _after_block(text, place)
        elif token["tag"] is not None:
            place = text.index(f"${token['tag']}$", place) + len(token["tag"]) + 2
        elif token["end"] is not None:
            found.append(_statement(text, start, token.start(), mark))
            start, mark = place, ""
    if _without_comments(text[start:]):
        raise ValueError(f"no semicolon after: {text[start:].strip()[:80]}")
    return found


def _after_block(text: str, place: int) -> int:
    """Return the place behind a comment, which may hold others."""
    depth = 1
    while depth:
        begin, end = text.find("/*", place), text.index("*/", place)
        nested = 0 <= begin < end
        depth += 1 if nested else -1
        place = (begin if nested else end) + 2
    return place


def _without_comments(text: str) -> str:
    return re.sub(r"--[^\n]*", "", text).strip()


def _statement(text: str, start: int, end: int, mark: str) -> Statement:
    """Return a statement without the comments before it."""
    before = re.match(r"(?:\s+|--[^\n]*(?:\n|\Z))*", text[start:end])
    assert before is not None
    begin = start + before.end()
    return Statement(text[begin:end].rstrip(), text.count("\n", 0, begin) + 1, mark)
