"""Window functions over sorted rows.

layout.py    partitions and peers of sorted rows
bounds.py    the frame of each row; offsets.py has those of ``range … preceding``
frames.py    frames as parts that aggregates reduce (aggregates/parts.py)
ranking.py   numbers of rows: row_number, rank, ntile, …
values.py    values of other rows: lag, first_value, nth_value, …
"""
