"""Parsing: the way from text into the grammar.

    text ──tokenize──▶ tokens ──split at ;──▶ tokens of each statement ──depth?──▶ grammar ──▶ tree

The grammar calls itself for what is in parentheses, so how deep these go is counted on the tokens first, in a loop: a hundred
thousand parentheses are an error (54001) and no crash. As deep as is allowed needs more of Python's stack than a program
has by default; the limit is raised for the time of the call, and only if the statement is deep. Python's own calls do not
use the C stack (since 3.11), so that is safe.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from .errors import error
from .grammar import Grammar
from .grammar.cursor import MAX_NESTING
from .lexer import Token, tokenize
from .tree import Expression, Statement, TypeName

T = TypeVar("T")

_SHALLOW = 8
_FRAMES_PER_LEVEL = 40
_OPENING = {"(", "[", "{"}
_CLOSING = {")", "]", "}"}


def parse(text: str) -> list[Statement]:
    """Return the trees of all statements of a text, in order; empty ones are left out.

    Raises
    ------
    SqlError
        42601 for what is no SQL, 0A000 for SQL that is not supported, 54001 for what is nested too deeply. Nothing is
        returned then, however many statements were fine.
    """
    return [_whole(part, text, Grammar.statement) for part in _split(tokenize(text))]


def parse_one(text: str) -> Statement:
    """Return the tree of a text that must be one statement."""
    return parse_with_depth(text)[0]


def parse_with_depth(text: str) -> tuple[Statement, int]:
    """Return the tree of a text that must be one statement, and how deep it nests."""
    parts = _split(tokenize(text))
    if not parts:
        raise error("42601", "the text holds no statement")
    if len(parts) > 1:
        hint = "Give them one by one; in Python `run_script` takes several."
        message = "cannot insert multiple commands into a prepared statement"
        raise error("42601", message, parts[1][0].start, hint=hint)
    return _whole(parts[0], text, Grammar.statement), nesting(parts[0])


def parse_expression(text: str) -> Expression:
    """Return the tree of a text that is one expression, such as a check that the catalogue keeps."""
    return _whole(tokenize(text), text, Grammar.expression)


def parse_type(text: str) -> TypeName:
    """Return the tree of a text that is the name of a type."""
    return _whole(tokenize(text), text, Grammar.type_name)


def _split(tokens: list[Token]) -> list[list[Token]]:
    """Return the tokens of each statement, each with an end of its own."""
    parts: list[list[Token]] = []
    part: list[Token] = []
    for token in tokens:
        if token.kind == "end" or (token.kind == "mark" and token.text == ";"):
            if part:
                parts.append([*part, Token("end", "", token.start, token.start)])
            part = []
        else:
            part.append(token)
    return parts


def _whole(tokens: list[Token], text: str, read: Callable[[Grammar], T]) -> T:
    """Read something that must reach to the end of the tokens."""
    depth = nesting(tokens)
    with stack_for(depth, tokens[0].start):
        grammar = Grammar(tokens, text)
        found = read(grammar)
        if grammar.token.kind != "end":
            grammar.stop()
        return found


def nesting(tokens: list[Token]) -> int:
    """Return how deep parentheses, brackets and cases go, or refuse them."""
    depth = deepest = 0
    for token in tokens:
        kind, text = token.kind, token.text
        if (kind == "mark" and text in _OPENING) or (kind == "word" and text == "case"):
            depth += 1
            if depth > deepest:
                deepest = depth
                if depth > MAX_NESTING:
                    hint = f"nest at most {MAX_NESTING} deep"
                    raise error("54001", "stack depth limit exceeded", token.start, hint=hint)
        elif (kind == "mark" and text in _CLOSING) or (kind == "word" and text == "end" and depth):
            depth -= 1
    return deepest


@contextmanager
def stack_for(depth: int, at: int | None = None) -> Iterator[None]:
    """Give Python's stack room for a nesting, and turn an overflow into the error that it is."""
    before = sys.getrecursionlimit()
    if depth > _SHALLOW:
        sys.setrecursionlimit(max(before, _used() + 1000 + depth * _FRAMES_PER_LEVEL))
    try:
        yield
    except RecursionError:
        raise error("54001", "stack depth limit exceeded", at) from None
    finally:
        if depth > _SHALLOW:
            sys.setrecursionlimit(before)


def _used() -> int:
    """Return how many calls are open."""
    count = 0
    frame = sys._getframe()
    while frame is not None:
        count += 1
        if (back := frame.f_back) is None:
            break
        frame = back
    return count
