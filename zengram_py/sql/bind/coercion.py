"""Coercion: making a value one of the type that is wanted, and learning from that what unknown literals and parameters are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from .. import tree
from ..bound import Bound, CastTo, ColumnVar, Const, Param
from ..casts import ASSIGNMENT, EXPLICIT, IMPLICIT, cast_level
from ..errors import error, unsupported
from ..fitting import fit_items, fit_text
from ..literals import read, reads
from ..nodes import node
from ..resolve import common_type
from ..scope import Catalogue
from ..types import (
    BOOL,
    INT4,
    INT8,
    INTERVAL_FIELDS,
    NUMBER,
    SERIALS,
    STRING,
    UNKNOWN,
    SqlType,
    array_of,
    enum_type,
    is_known,
)

if TYPE_CHECKING:
    from .reading import Reads

MAX_DIMENSIONS = 16_000
_MODIFIED = {"varchar": (1, 10_485_760), "bpchar": (1, 10_485_760), "vector": (1, MAX_DIMENSIONS)}
_PRECISIONS = ("timestamp", "time", "interval")


@node(slots=True)
class State:
    """What is learned while a statement is bound.

    Attributes
    ----------
    catalogue : Catalogue
        The definitions that it sees.
    parameters : dict of int to SqlType
        The types of the parameters so far.
    reads : Reads or None
        The tables and views that it reads, if somebody wants to know.
    """

    catalogue: Catalogue
    parameters: dict[int, SqlType] = field(default_factory=dict)
    reads: Reads | None = None
    relations: int = 0
    ctes: int = 0
    top: tree.With | None = None
    """The ``with`` of the whole statement, which alone may change rows."""
    merge_action: int = -1
    """The relation that stands for what a merge did with a row, while its ``returning`` is bound."""

    def new_relation(self) -> int:
        """Return the number of a new relation."""
        self.relations += 1
        return self.relations - 1

    def new_cte(self) -> int:
        """Return the number of a new common table expression."""
        self.ctes += 1
        return self.ctes - 1


class Coercions:
    """The part of the binder that knows types."""

    def __init__(self, state: State) -> None:
        self.state = state

    # Types by name.

    def type_of(self, name: tree.TypeName) -> SqlType:
        """Return the type that is meant, with its modifier; 42704 if there is none."""
        found = self._simple_type(name)
        if name.dimensions:
            if found.name in ("vector", "tsvector", "tsquery", "jsonpath"):
                raise unsupported(f"an array of {found.title}", name.at)
            found = array_of(found)
        return found

    def _simple_type(self, name: tree.TypeName) -> SqlType:
        parts = name.parts
        if len(parts) == 1 or parts[0] == "pg_catalog":
            if parts[-1] in SERIALS:
                raise error("42704", f'type "{parts[-1]}" does not exist', name.at)
            known = is_known(parts[-1])
            if known is not None:
                return self._modified(known, name)
        enum = self.state.catalogue.enum(parts)
        if enum is None:
            raise error("42704", f'type "{".".join(parts)}" does not exist', name.at)
        if name.modifiers:
            raise error("42601", f'type modifier is not allowed for type "{parts[-1]}"', name.at)
        return enum_type(enum)

    def _modified(self, found: SqlType, name: tree.TypeName) -> SqlType:
        if not name.modifiers:
            return found
        if found.name == "interval" and isinstance(name.modifiers[0], tree.Literal):
            fields = [m.value for m in name.modifiers if isinstance(m, tree.Literal)]
            if fields[0] in INTERVAL_FIELDS:
                # only the smallest field matters: it is the unit of a bare number
                return found.with_modifier(-1 - INTERVAL_FIELDS.index(fields[-1]))
        numbers = tuple(
            int(m.value) for m in name.modifiers if isinstance(m, tree.Literal) and m.kind == "number"
        )
        if len(numbers) != len(name.modifiers):
            raise error("42601", "type modifiers must be simple constants", name.at)
        if found.name == "numeric":
            return self._numeric(found, numbers, name.at)
        if found.name in _PRECISIONS and len(numbers) == 1:
            if numbers[0] < 0:
                raise error("22023", f"precision of {found.title} must not be negative", name.at)
            return found if numbers[0] >= 6 else found.with_modifier(*numbers)
        if found.name in _MODIFIED and len(numbers) == 1:
            least, most = _MODIFIED[found.name]
            what = "dimensions" if found.name == "vector" else "length"
            if not least <= numbers[0] <= most:
                bound = f"at least {least}" if numbers[0] < least else f"no more than {most}"
                raise error("22023", f"{what} for type {found.title} must be {bound}", name.at)
            return found.with_modifier(*numbers)
        raise error("42601", f'type modifier is not allowed for type "{found.name}"', name.at)

    @staticmethod
    def _numeric(found: SqlType, numbers: tuple[int, ...], at: int) -> SqlType:
        if len(numbers) > 2:
            raise error("22023", "invalid NUMERIC type modifier", at)
        if not 1 <= numbers[0] <= 1000:
            raise error("22023", f"NUMERIC precision {numbers[0]} must be between 1 and 1000", at)
        scale = numbers[1] if len(numbers) > 1 else 0
        if not -1000 <= scale <= 1000:
            raise error("22023", f"NUMERIC scale {scale} must be between -1000 and 1000", at)
        return found.with_modifier(numbers[0], scale)

    # Constants.

    def literal(self, node: tree.Literal) -> Bound:
        """Return a constant; a quoted literal is of type unknown."""
        if node.kind == "string":
            return Const(UNKNOWN, node.value, at=node.at)
        if node.kind == "null":
            return Const(UNKNOWN, None, at=node.at)
        if node.kind == "boolean":
            return Const(BOOL, node.value == "true", at=node.at)
        digits = node.value
        if digits.lstrip("-").isdigit():
            value = int(digits) if len(digits) < 30 else None
            if value is not None and -(1 << 31) <= value < 1 << 31:
                return Const(INT4, value, at=node.at)
            if value is not None and -(1 << 63) <= value < 1 << 63:
                return Const(INT8, value, at=node.at)
        return Const(NUMBER, read(digits, NUMBER, node.at), at=node.at)

    # Coercion.

    def coerce(
        self,
        value: Bound,
        target: SqlType,
        level: int = IMPLICIT,
        *,
        at: int | None = None,
        message: str = "",
    ) -> Bound:
        """Return a value as one of a type.

        Parameters
        ----------
        value : Bound
            What is there.
        target : SqlType
            What is wanted.
        level : int
            Which casts are allowed: implicit ones, those of assignments, all.
        at : int, optional
            Where to say that it cannot be; the value's place if left out.
        message : str
            What to say then, with ``{}`` for the type that is there.

        Raises
        ------
        SqlError
            42804 (42846 for a cast that was asked for), or what a literal's text is refused with.
        """
        source = value.type
        if source.category == "X":
            return self._known(value, target, level)
        if source.name == target.name:
            if _modifier(target) in ((), _modifier(source)):
                return value
            return CastTo(target, value, level == EXPLICIT, at=value.at)
        allowed = cast_level(source, target)
        if allowed is None or allowed > level:
            place = value.at if at is None else at
            if level == EXPLICIT:
                raise error("42846", f"cannot cast type {source.title} to {target.title}", place)
            text = (
                message.format(source.title)
                if message
                else (f"type {target.title} is wanted, but expression is of type {source.title}")
            )
            raise error("42804", text, place)
        folded = _fold(value, target)
        return folded or CastTo(target, value, level == EXPLICIT, at=value.at)

    def _known(self, value: Bound, target: SqlType, level: int) -> Bound:
        """Return a value of type unknown as what is wanted."""
        if target.category == "X":
            return value
        if isinstance(value, Param):
            return self._parameter(value, target)
        if not isinstance(value, Const):
            return CastTo(target, value, level == EXPLICIT, at=value.at)
        if value.value is None:
            return Const(target, None, at=value.at)
        if target.name == "record":
            raise unsupported("a row as a quoted literal", value.at)
        if not reads(target):
            return CastTo(target, Const(STRING, value.value, at=value.at), level == EXPLICIT, at=value.at)
        return Const(target, self._read(value.value, target, level, value.at), at=value.at)

    @staticmethod
    def _read(text: str, target: SqlType, level: int, at: int) -> Any:
        if target.name in ("varchar", "bpchar") and level == EXPLICIT:
            return fit_text(text, target, at, cut=True)
        element = target.element
        if element is not None and element.category == "S" and element.modifier and level == EXPLICIT:
            return fit_items(read(text, array_of(element.with_modifier()), at), element)
        return read(text, target, at)

    def _parameter(self, value: Param, target: SqlType) -> Bound:
        known = self.state.parameters.get(value.number)
        bare = target.with_modifier() if target.name != "vector" else target
        if known is None or known.category == "X":
            self.state.parameters[value.number] = bare
        elif known.name != target.name:
            detail = f"{known.title} versus {target.title}"
            message = f"inconsistent types deduced for parameter ${value.number}"
            raise error("42P08", message, value.at, detail=detail)
        found = Param(bare, value.number, at=value.at)
        return (
            found
            if bare == target and bare.modifier == target.modifier
            else CastTo(target, found, at=value.at)
        )

    def parameter(self, node: tree.Parameter) -> Bound:
        """Return a parameter, with its type if it is known."""
        known = self.state.parameters.setdefault(node.number, UNKNOWN)
        return Param(known, node.number, at=node.at)

    def boolean(self, value: Bound, what: str) -> Bound:
        """Return a condition, or refuse what is none (42804)."""
        message = f"argument of {what} must be type boolean, not type {{}}"
        return self.coerce(value, BOOL, message=message)

    def alike(self, values: Sequence[Bound], what: str, at: int | None = None) -> tuple[SqlType, list[Bound]]:
        """Return values as ones of the type that they have in common, and that type."""
        wanted = common_type([v.type for v in values], what, self._odd_one(values) if at is None else at)
        message = f"{what} could not convert type {{}} to {wanted.title}"
        return wanted, [self.coerce(v, wanted, message=message) for v in values]

    @staticmethod
    def _odd_one(values: Sequence[Bound]) -> int | None:
        """Return the place of the first value whose category is not that of the first known one."""
        known = [v for v in values if v.type.category != "X"]
        return next((v.at for v in known if v.type.category != known[0].type.category), None)

    def columns_value(self, sql_type: SqlType) -> Bound:
        """Return a value of a type of which nothing else is known, to ask whether it could be another."""
        return ColumnVar(sql_type, -1, 0, "")

    def settled(self, value: Bound) -> Bound:
        """Return a value of which nothing will be learned any more: what is unknown is text."""
        return self.coerce(value, STRING) if value.type.category == "X" else value

    def assigned(self, value: Bound, target: SqlType, column: str) -> Bound:
        """Return a value as it goes into a column."""
        message = f'column "{column}" is of type {target.title} but expression is of type {{}}'
        return self.coerce(value, target, ASSIGNMENT, message=message)


def _fold(value: Bound, target: SqlType) -> Bound | None:
    """Return a number's constant as one of a wider type at once, so that it can be compared with an index's keys."""
    if (
        not isinstance(value, Const)
        or target.category != "N"
        or value.type.category != "N"
        or target.modifier
    ):
        return None
    number = value.value
    if number is None:
        return Const(target, None, at=value.at)
    if isinstance(number, int):
        if target.name == "numeric":
            return replace(Const(target, Decimal(number)), at=value.at)
        if target.name == "int8" or target.name == "float8":
            return Const(target, float(number) if target.name == "float8" else number, at=value.at)
    if isinstance(number, Decimal) and target.name == "float8" and number.is_finite():
        found = float(number)
        holds = abs(found) != float("inf") and (found != 0 or not number)
        return Const(target, found, at=value.at) if holds else None
    return None


def _modifier(sql_type: SqlType) -> tuple[int, ...]:
    """Return a type's modifier; an array has that of its elements."""
    return sql_type.element.modifier if sql_type.category == "A" and sql_type.element else sql_type.modifier
