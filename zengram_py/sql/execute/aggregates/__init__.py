"""Aggregates: each a function of parts of rows (parts.py), for groups and for frames of windows alike.

reduction.py   which function reduces what; the rows that do not count
exact.py       exact numbers: scales and quotients as PostgreSQL has them
counts.py      count, any_value, bool_and, bit_and, …
sums.py        sum and avg of numbers that are exact
floats.py      sum, avg, variances and regressions of floats
spreads.py     variances of numbers that are exact
spans.py       sums of intervals and vectors
extremes.py    min and max
lists.py       array_agg, string_agg, jsonb_agg, …
ordered.py     percentiles, mode
ranks.py       ranks of rows that are not there
"""
