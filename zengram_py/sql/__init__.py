"""SQL: PostgreSQL's language over the engine. Nothing that remembers or recalls imports this folder.

    text ──lexer──▶ tokens ──grammar/──▶ tree ──bind/──▶ bound tree

Read in this order:

    errors.py           SQLSTATEs
    lexer.py            text to tokens
    tree/               what a statement says, without knowing any table
    grammar/            tokens to trees
    parse.py            the way in: splits statements, guards the depth
"""
