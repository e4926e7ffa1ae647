"""Names of objects that were given none, as PostgreSQL makes them: ``t_a_b_idx``, ``t_a_key``, ``t_a_check``, ``t_a_seq``.

Tables, views, sequences and indexes of a schema share their names. A name that is taken gets a number behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ...engine.definitions import Name
from .. import tree
from ..lexer import LONGEST_NAME
from ..scope import Catalogue
from .names import given_name


def is_taken(catalogue: Catalogue, name: Name) -> bool:
    """Return whether a table, view, sequence or index has a name."""
    if catalogue.view.taken("table", name) is not None:
        return True
    return any(
        index.name == name[2]
        for table in catalogue.view.tables()
        if table.name[:2] == name[:2]
        for index in table.indexes
    )


def object_name(table: str, columns: Sequence[str], label: str, taken: Callable[[str], bool]) -> str:
    """Return the name of something that belongs to columns of a table.

    Parameters
    ----------
    table, columns : str, sequence of str
        What it belongs to.
    label : str
        ``"idx"``, ``"key"``, ``"check"``, …
    taken : callable
        Whether a name is taken.
    """
    middle = "_".join(columns)
    found, number = _joined(table, middle, label), 0
    while taken(found):
        number += 1
        found = _joined(table, middle, f"{label}{number}")
    return found


def key_names(keys: Sequence[tree.IndexKey], further: Collection[str] = ()) -> list[str]:
    """Return what the keys of an index add to its name."""
    found: list[str] = []
    for base in [*(given_name(key.expression) or "expr" for key in keys), *further]:
        name, number = base, 0
        while name in found:
            number += 1
            name = f"{base}{number}"
        found.append(name)
    return found


def _joined(table: str, middle: str, label: str) -> str:
    """Join the parts of a name, the longer ones cut until it is short enough."""
    parts = [table, middle] if middle else [table]
    while len("_".join([*parts, label]).encode()) > LONGEST_NAME:
        longest = max(range(len(parts)), key=lambda i: (len(parts[i].encode()), i))
        parts[longest] = parts[longest][:-1]
    return "_".join([*parts, label])
