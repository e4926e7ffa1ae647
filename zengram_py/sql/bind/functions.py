"""Functions of the user: how they are defined, found by name, and dropped.

The catalogue keeps a function under its name with the types of its arguments, ``area(float8,float8)``, so that functions of one name
stand beside each other. What it holds is text: types as SQL writes them, and the body.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ...engine import ObjectDef
from ...engine.catalog import CatalogView
from .. import tree
from ..bound import Bound
from ..errors import error
from ..parse import parse_type
from ..scope import Catalogue, SearchPath
from ..signatures import Signature
from ..types import RECORD, VOID, SqlType, array_of
from .coercion import Coercions, State
from .columns import type_of_column

if TYPE_CHECKING:
    from .alter import Alterations as Definitions
    from .definitions import Change

KIND = "function"
"""How the catalogue calls a function."""
STEADY = ("immutable", "stable")

_by_name: WeakKeyDictionary[CatalogView, dict[str, list[ObjectDef]]] = WeakKeyDictionary()
_signatures: WeakKeyDictionary[CatalogView, dict[int, Signature]] = WeakKeyDictionary()


def functions_named(catalogue: Catalogue, parts: tuple[str, ...]) -> list[ObjectDef]:
    """Return the user's functions that a name may mean, those of the first schemas first."""
    known = _by_name.get(catalogue.view)
    if known is None:
        known = _by_name[catalogue.view] = {}
        for found in catalogue.view.by_id.values():
            if found.kind == KIND and isinstance(found, ObjectDef):
                known.setdefault(found.definition["name"], []).append(found)
    named = known.get(parts[-1])
    if not named:
        return []
    places = [name[:2] for name in catalogue.path.candidates(parts)]
    return sorted((f for f in named if f.name[:2] in places), key=lambda f: places.index(f.name[:2]))


def declared(catalogue: Catalogue, parts: tuple[str, ...]) -> tuple[Signature, ...]:
    """Return the signatures of the user's functions that a call may mean; triggers' are not to be called."""
    found = []
    seen: set[tuple[str, ...]] = set()
    for definition in functions_named(catalogue, parts):
        if definition.definition["returns"] == "trigger":
            continue
        signature = signature_of(catalogue, definition)
        types = tuple(t.name for t in signature.arguments)
        if types not in seen:  # one of an earlier schema hides it
            seen.add(types)
            found.append(signature)
    return tuple(found)


def in_order(
    catalogue: Catalogue, signature: Signature, names: Sequence[str | None], arguments: Sequence[Bound]
) -> list[Bound | str] | None:
    """Return arguments that are given by names in the order of a function's own, defaults as text; None if they do not fit."""
    function = catalogue.view.by_id.get(int(signature.kind.rpartition(" ")[2]))
    if not isinstance(function, ObjectDef):
        return None
    known: list[tuple[str | None, str, str | None]] = function.definition["arguments"]
    if len(names) > len(known):
        return None
    places = {name: i for i, (name, _, _) in enumerate(known)}
    placed: list[Bound | str | None] = [default for _, _, default in known]
    given: set[int] = set()
    for i, (name, value) in enumerate(zip(names, arguments, strict=True)):
        at = i if name is None else places.get(name, -1)
        if at < 0 or at in given:
            return None
        given.add(at)
        placed[at] = value
    found = [value for value in placed if value is not None]
    return found if len(found) == len(placed) else None


def signature_of(catalogue: Catalogue, function: ObjectDef) -> Signature:
    """Return a function's signature; its kind says which definition it is: ``routine 7``, ``steady routine 7``."""
    known = _signatures.setdefault(catalogue.view, {})
    found = known.get(function.id)
    if found is None:
        found = known[function.id] = _signature(catalogue, function)
    return found


def _signature(catalogue: Catalogue, function: ObjectDef) -> Signature:
    given = function.definition
    types = Types(Catalogue(catalogue.view, SearchPath(function.name[0], tuple(given["path"]))))
    arguments = tuple(types.of(text) for _, text, _ in given["arguments"])
    columns = tuple((name, types.of(text)) for name, text in given["columns"])
    result = RECORD if columns else types.of(given["returns"])
    steady = "steady " if given["volatility"] in STEADY else ""
    return Signature(
        given["name"],
        arguments,
        result,
        f"{steady}routine {function.id}",
        given["set"],
        optional=sum(default is not None for _, _, default in given["arguments"]),
        columns=columns,
    )


class Types:
    """Reads types as definitions hold them."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._coercions = Coercions(State(catalogue))

    def of(self, text: str) -> SqlType:
        """Return a type."""
        if text in ("void", "record"):
            return VOID if text == "void" else RECORD
        return self._coercions.type_of(parse_type(text))


# Definitions.


def create_function(definitions: Definitions, node: tree.CreateFunction) -> list[Change]:
    """Return what ``create function`` comes to."""
    from .definitions import Change

    catalogue = definitions.catalogue
    arguments: list[list[str | None]] = []
    types: list[SqlType] = []
    for argument in node.arguments:
        sql_type = definitions.binder.type_of(argument.type)
        types.append(sql_type)
        default = None if argument.default is None else _default(definitions, argument, sql_type)
        if default is None and arguments and arguments[-1][2] is not None:
            message = "input parameters after one with a default value must also have defaults"
            raise error("42P13", message, argument.at)
        arguments.append([argument.name, _written(sql_type), default])
    names = [a.name for a in node.arguments if a.name is not None] + [name for name, _ in node.columns]
    for name in names:
        if names.count(name) > 1:
            raise error("42P13", f'parameter name "{name}" used more than once', node.at)
    returns, columns = _result(definitions, node)
    if returns == "trigger" and node.arguments:
        hint = "The arguments of the trigger can be accessed through TG_NARGS and TG_ARGV instead."
        raise error("42P13", "trigger functions cannot have declared arguments", node.at, hint=hint)
    if returns == "trigger" and node.language == "sql":
        raise error("42P13", "SQL functions cannot return type trigger", node.at)
    title = f"{node.name[-1]}({','.join(t.name for t in types)})"
    full = definitions.new_name((*node.name[:-1], title), False, node.at)
    changes = []
    before = catalogue.view.find(KIND, full)
    if isinstance(before, ObjectDef):
        if not node.replace:
            message = f'function "{node.name[-1]}" already exists with same argument types'
            raise error("42723", message, node.at)
        same = before.definition
        if (same["returns"], same["set"], same["columns"]) != (returns, node.returns_set, columns):
            hint = f"Use DROP FUNCTION {_shown(node.name[-1], types)} first."
            raise error("42P13", "cannot change return type of existing function", node.at, hint=hint)
        changes.append(Change("drop_object", {"kind": KIND, "name": full}))
    definition = {
        "name": node.name[-1],
        "arguments": arguments,
        "returns": returns,
        "columns": columns,
        "set": node.returns_set,
        "language": node.language,
        "body": node.body,
        "volatility": node.volatility,
        "strict": node.strict,
        "path": list(catalogue.path.schemas),
    }
    _check_body(catalogue, ObjectDef(-1, full, KIND, definition))
    changes.append(Change("create_object", {"kind": KIND, "name": full, "definition": definition}))
    return changes


def _check_body(catalogue: Catalogue, function: ObjectDef) -> None:
    """Refuse a body that cannot be one."""
    from ..routines import check_body

    check_body(catalogue, function)


def _default(definitions: Definitions, argument: tree.FunctionArgument, sql_type: SqlType) -> str:
    assert argument.default is not None
    definitions.default(argument.default, "", sql_type, argument.name or "$")
    return argument.text


def _written(sql_type: SqlType) -> str:
    """Return a type as text; of lengths and precisions a function's arguments and result know nothing."""
    return sql_type.title


def _result(definitions: Definitions, node: tree.CreateFunction) -> tuple[str, list[list[str]]]:
    """Return the type that a function gives as text, and the columns of its rows if it gives rows of several."""
    if node.columns:
        columns = [[name, _written(definitions.binder.type_of(kind))] for name, kind in node.columns]
        return "record", columns
    if node.returns is None:
        return "trigger", []
    parts = node.returns.parts
    if parts[-1] in ("void", "record") and not node.returns.dimensions:
        return parts[-1], []
    table = definitions.catalogue.find("table", parts)
    if table is not None and not node.returns.dimensions:
        found = definitions.catalogue.table(parts, node.at)
        return "record", [[c.name, _written(type_of_column(c.type))] for c in found.columns]
    sql_type = definitions.binder.type_of(node.returns)
    if node.returns.dimensions and sql_type.category != "A":
        sql_type = array_of(sql_type)
    return _written(sql_type), []


def _shown(name: str, types: list[SqlType]) -> str:
    return f"{name}({', '.join(t.title for t in types)})"


def find_function(
    definitions: Definitions, parts: tuple[str, ...], arguments: tuple[tree.TypeName, ...] | None, at: int
) -> ObjectDef | None:
    """Return the function that a statement names, with or without its arguments; None if there is none.

    Raises
    ------
    SqlError
        42725 if several have the name.
    """
    found = functions_named(definitions.catalogue, parts)
    if arguments is not None:
        types = ",".join(definitions.binder.type_of(a).name for a in arguments)
        found = [f for f in found if f.name[2] == f"{parts[-1]}({types})"]
    if len({f.name[2] for f in found}) > 1:
        hint = "Specify the argument list to select the function unambiguously."
        raise error("42725", f'function name "{parts[-1]}" is not unique', at, hint=hint)
    return found[0] if found else None


def drop_function(definitions: Definitions, node: tree.Drop) -> list[Change]:
    """Return what ``drop function`` comes to; with ``cascade`` the triggers that call it go too."""
    from .definitions import Change
    from .triggers import triggers_calling

    changes: list[Any] = []
    for parts in node.names:
        found = find_function(definitions, parts, node.arguments, node.at)
        if found is None:
            if not node.if_exists:
                shown = ".".join(parts)
                if node.arguments is not None:
                    types = [definitions.binder.type_of(a) for a in node.arguments]
                    shown = _shown(shown, types)
                    raise error("42883", f"function {shown} does not exist", node.at)
                raise error("42883", f'could not find a function named "{shown}"', node.at)
            continue
        for trigger in triggers_calling(definitions.catalogue, found):
            if not node.cascade:
                message = f"cannot drop function {found.name[2]} because other objects depend on it"
                detail = f"trigger {trigger.definition['name']} depends on function {found.name[2]}"
                hint = "Use DROP ... CASCADE to drop the dependent objects too."
                raise error("2BP01", message, node.at, detail=detail, hint=hint)
            changes.append(Change("drop_object", {"kind": trigger.kind, "name": trigger.name}))
        changes.append(Change("drop_object", {"kind": KIND, "name": found.name}))
    return changes
