"""Variables: what a name in a block of code means, and where its value is.

Every value has a place in the frame of a run; the SQL inside sees it as the parameter of that place. A row (``new``, a record) has a
place for each of its fields. A record without a declared structure takes that of the last row that was put into it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..bound import Bound, Param
from ..errors import error
from ..scope import Namespace, Scope, TableName
from ..types import SqlType


@dataclass(frozen=True)
class Structure:
    """The fields of a row."""

    names: tuple[str, ...]
    types: tuple[SqlType, ...]


@dataclass(frozen=True)
class Variable:
    """One value."""

    name: str
    type: SqlType
    place: int
    is_constant: bool = False
    not_null: bool = False


@dataclass(eq=False)
class Row:
    """A row; ``number`` is that among the rows whose structure is only known when it runs, -1 for others."""

    name: str
    structure: Structure | None
    places: list[int] = field(default_factory=list)
    number: int = -1


Names = dict[str, "Variable | Row"]
Structures = tuple[Structure | None, ...]


class Places:
    """Gives places to values."""

    def __init__(self) -> None:
        self.count = 0
        self.rows: list[Row] = []
        """Those whose structure changes."""
        self.types: dict[int, SqlType] = {}

    def variable(
        self, name: str, sql_type: SqlType, *, is_constant: bool = False, not_null: bool = False
    ) -> Variable:
        """Return a new variable."""
        self.count += 1
        self.types[self.count] = sql_type
        return Variable(name, sql_type, self.count - 1, is_constant, not_null)

    def row(self, name: str, structure: Structure | None) -> Row:
        """Return a new row."""
        made = Row(name, structure)
        if structure is None:
            made.number = len(self.rows)
            self.rows.append(made)
        else:
            self.extend(made, len(structure.names))
        return made

    def extend(self, row: Row, size: int) -> None:
        """Give a row places for so many fields."""
        while len(row.places) < size:
            row.places.append(self.count)
            self.count += 1


def structure_of(row: Row, known: Structures) -> Structure:
    """Return the structure that a row has now.

    Raises
    ------
    SqlError
        55000 if it has none yet.
    """
    found = row.structure if row.number < 0 else known[row.number]
    if found is None:
        message = f'record "{row.name}" is not assigned yet'
        detail = "The tuple structure of a not-yet-assigned record is indeterminate."
        raise error("55000", message, detail=detail)
    return found


def scope_of(names: Names, known: Structures) -> Scope:
    """Return the scope in which SQL sees the variables."""
    columns: list[tuple[str, Bound]] = []
    tables: list[TableName] = []
    for name, meaning in names.items():
        if isinstance(meaning, Variable):
            columns.append((name, Param(meaning.type, meaning.place + 1)))
            continue
        structure = meaning.structure if meaning.number < 0 else known[meaning.number]
        if structure is not None:
            fields = zip(structure.names, structure.types, meaning.places, strict=False)
            tables.append(TableName(name, tuple((n, Param(t, place + 1)) for n, t, place in fields)))
    return Scope(None, Namespace(tuple(tables), tuple(columns)))


def parameters_of(places: Places, names: Names, known: Structures) -> dict[int, SqlType]:
    """Return the types of the parameters that SQL sees the variables as."""
    found = dict(places.types)
    for meaning in names.values():
        if isinstance(meaning, Row):
            structure = meaning.structure if meaning.number < 0 else known[meaning.number]
            if structure is not None:
                found.update(
                    (place + 1, t) for place, t in zip(meaning.places, structure.types, strict=False)
                )
    return found
