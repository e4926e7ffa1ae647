"""PL/pgSQL: blocks of code in functions, triggers and ``do``.

    text ──grammar.py──▶ tree.py ──program.py──▶ a program ──run.py──▶ a value, rows, nothing
                                    names to places     statements one after the other

Variables are parameters of the SQL inside: ``a + 1`` with a variable ``a`` is bound as ``$3 + 1``, so that a program's statements are
planned once and run many times. A name that is both a variable and a column is the column.

There are no loops and no cursors.
"""
