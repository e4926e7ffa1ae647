"""PostgreSQL's precedences (its documentation, table 4.2) as numbers, loosest first."""

OR, AND, NOT, IS, COMPARE, RANGE, OTHER, ADD, MULTIPLY, POWER, ZONE, COLLATE, SIGN = range(1, 14)

LEVELS = {
    **dict.fromkeys(("<", ">", "=", "<=", ">=", "<>"), COMPARE),
    **dict.fromkeys(("+", "-"), ADD),
    **dict.fromkeys(("*", "/", "%"), MULTIPLY),
    "^": POWER,
}
"""Those of operators; every other operator has :data:`OTHER`, the vector distances too."""
