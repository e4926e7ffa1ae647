"""The same expressions over columns: what holds for constants has to hold for many rows at once, and beside nulls."""

import math
import re
from collections import defaultdict

_LITERAL = re.compile(r"'((?:[^']|'')*)'::([a-z0-9]+)\b(?!\[)")


def as_columns(cases: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return statements that compute expressions of one shape for all their values, with what they give; errors are left out."""
    shapes: dict[tuple[str, ...], list[tuple[list[str], str]]] = defaultdict(list)
    for expression, expected in cases:
        literals = _LITERAL.findall(expression)
        if literals and not re.fullmatch(r"[0-9][0-9A-Z]{4}", expected) and "overlaps" not in expression:
            shape = (_LITERAL.sub("¤", expression), *(name for _, name in literals))
            shapes[shape].append(([text for text, _ in literals], expected))
    statements = []
    for (shape, *types), items in shapes.items():
        rows = [([f"'{t}'::{name}" for t, name in zip(texts, types, strict=True)], e) for texts, e in items]
        rows.insert(1, (["null::" + types[0], *rows[0][0][1:]], "NULL"))
        numbers = iter(range(len(types)))
        computed = re.sub("¤", lambda _: f"v.c{next(numbers)}", shape)  # noqa: B023
        names = ", ".join(f"c{i}" for i in range(len(types)))
        values = ", ".join(f"({', '.join(row)})" for row, _ in rows)
        statements.append(
            (f"select {computed} from (values {values}) v({names})", "\n".join(e for _, e in rows))
        )
    return statements


def near(found: str, expected: str) -> bool:
    """Return whether texts are equal, but for the last digits of floats, which differ from library to library."""
    if found == expected:
        return True
    pairs = list(zip(found.split("\n"), expected.split("\n"), strict=False))
    return found.count("\n") == expected.count("\n") and all(a == b or _close(a, b) for a, b in pairs)


def _close(one: str, other: str) -> bool:
    if min(len(one), len(other)) > 24 or max(len(one), len(other)) < 15:  # exact numbers, or few digits
        return False
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-14)
    except ValueError:
        return False
