"""Words: PostgreSQL's full-text search, from texts to lexemes, queries, ranks and headlines.

    "The fat cats" ──tokens.py──▶ the | fat | cats ──dictionaries.py──▶ fat:2 cat:3 ──▶ a document (documents.py)
    "fat & !rat"   ──questions.py──▶ a tree ──morphology.py──▶ a tree of lexemes
                                                │ matching.py   does a document match?
                                                │ ranking.py    how well?
                                                │ headlines.py  where in the text?

A document (``tsvector``) is a tuple of (lexeme, places), sorted. A place is a position from 1 to 16,383 with a weight in the two bits
above it, so a position of weight D is the number itself. A question (``tsquery``) is its own text in normal form.

Indexes for searching have their own analysis (zengram_py/text); here lexemes are PostgreSQL's.
"""
