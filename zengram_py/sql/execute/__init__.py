"""Running plans: columns of batches, expressions over them, and what a run knows.

column.py        values of many rows at once
ordering.py      how values compare, group and sort
expressions.py   bound values as functions of a batch
context.py       what a run knows
"""
