"""Resolution: which operator or function a name means, and which type several values have in common.

The rules are PostgreSQL's (its documentation, chapter 10), for operators and functions alike:

    1  an exact match wins; with one unknown operand, an operator that takes the other's type on both sides
    2  otherwise, of those whose arguments can be had by implicit casts (an unknown literal can be anything):
    3  the most exact matches, then the most that are exact or preferred types
    4  unknown arguments: strings if any candidate takes strings there, else the one category that all take; preferred types
    5  if all known arguments have one type, unknown ones have it too
    6  one left is the answer; none is 42883, several are 42725

Then polymorphic arguments (``anyelement`` and its kin) get the types of what was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import SqlError
from .casts import converts
from .errors import error
from .signatures import Signature
from .types import BY_NAME, POLYMORPHIC, STRING, UNKNOWN, SqlType, array_of

_ARRAYS = ("anyarray", "anycompatiblearray")
_COMPATIBLE = ("anycompatible", "anycompatiblearray", "anycompatiblenonarray")


def common_type(types: Sequence[SqlType], what: str, at: int | None = None) -> SqlType:
    """Return the type that values of several types have together, as in ``union``, ``case`` and ``coalesce``.

    Raises
    ------
    SqlError
        42804 if their categories differ.
    """
    known = [t for t in types if t.category != "X"]
    if not known:
        return STRING
    best = known[0]
    for other in known[1:]:
        if other.name == best.name:
            continue
        if other.category != best.category:
            raise error("42804", f"{what} types {best.title} and {other.title} cannot be matched", at)
        if not best.preferred and converts(best, other) and not converts(other, best):
            best = other
    modifiers = {t.modifier for t in types if t.name == best.name}
    return best if len(modifiers) == 1 and len(known) == len(types) else best.with_modifier()


def resolve(
    candidates: Sequence[Signature],
    given: Sequence[SqlType],
    *,
    operator: bool = False,
    expand: bool = True,
) -> list[Signature]:
    """Return the signatures that a call may mean: one if it is clear, none, or several that are as good.

    Parameters
    ----------
    candidates : sequence of Signature
        All that have the name.
    given : sequence of SqlType
        The types of the arguments.
    operator : bool
        Whether the name is an operator.
    expand : bool
        Whether arguments of a variadic function come one by one.

    Returns
    -------
    list of Signature
        With as many arguments as were given, polymorphic ones still by their names.
    """
    fitting = [f for s in candidates if (f := _of_length(s, len(given), expand)) is not None]
    exact = [s for s in fitting if all(_same(a, b) for a, b in zip(s.arguments, given, strict=True))]
    if exact:
        return exact[:1]
    if operator and len(given) == 2 and UNKNOWN in given:
        known = given[1] if given[0] == UNKNOWN else given[0]
        if known != UNKNOWN:
            alike = [s for s in fitting if all(_same(a, known) for a in s.arguments)]
            if alike:
                return alike[:1]
    viable = [s for s in fitting if all(_takes(a, b) for a, b in zip(s.arguments, given, strict=True))]
    viable = [s for s in viable if _is_consistent(s, given)]
    return viable if len(viable) < 2 else _best(viable, given)


def _of_length(signature: Signature, count: int, expand: bool) -> Signature | None:
    """Return a signature with as many arguments as are given, or None if it cannot have so many."""
    arguments = signature.arguments
    if signature.variadic:
        fixed = len(arguments) - 1
        if not expand:
            if count != len(arguments):
                return None
            last = arguments[-1]
            whole = last if last.name == "any" else array_of(last)
            return replace(signature, arguments=(*arguments[:-1], whole))
        if count <= fixed:
            return None
        return replace(signature, arguments=(*arguments[:fixed], *[arguments[-1]] * (count - fixed)))
    if not len(arguments) - signature.optional <= count <= len(arguments):
        return None
    return replace(signature, arguments=arguments[:count]) if count < len(arguments) else signature


def _same(wanted: SqlType, given: SqlType) -> bool:
    return wanted.name == given.name and given.category != "X"


def _takes(wanted: SqlType, given: SqlType) -> bool:
    """Return whether an argument can be had without a cast that was asked for."""
    if given.category == "X" or wanted.name == "any":
        return True
    if wanted.name not in POLYMORPHIC:
        return converts(given, wanted)
    if wanted.name in _ARRAYS:
        return given.category == "A"
    if wanted.name == "anyenum":
        return given.category == "E"
    if wanted.name == "anyrange":
        return given.category == "R"
    return given.category != "A" or not wanted.name.endswith("nonarray")


def _is_consistent(signature: Signature, given: Sequence[SqlType]) -> bool:
    try:
        concrete(signature, given)
    except SqlError as failure:
        return failure.sqlstate == "42804" and "unknown" in str(failure)
    return True


def _most(candidates: list[Signature], counts: list[int]) -> list[Signature]:
    most = max(counts)
    return [s for s, count in zip(candidates, counts, strict=True) if count == most]


def _best(candidates: list[Signature], given: Sequence[SqlType]) -> list[Signature]:
    places = [i for i, t in enumerate(given) if t.category != "X"]
    unknown = [i for i, t in enumerate(given) if t.category == "X"]
    candidates = _most(
        candidates, [sum(s.arguments[i].name == given[i].name for i in places) for s in candidates]
    )
    if len(candidates) > 1:
        counts = [
            sum(
                s.arguments[i].name == given[i].name
                or (s.arguments[i].preferred and s.arguments[i].category == given[i].category)
                for i in places
            )
            for s in candidates
        ]
        candidates = _most(candidates, counts)
    if len(candidates) == 1 or not unknown:
        return candidates
    narrowed = _by_category(candidates, unknown)
    if len(narrowed) == 1:
        return narrowed
    types = {given[i].name: given[i] for i in places}
    if len(types) == 1:
        assumed = next(iter(types.values()))
        all_alike = [assumed] * len(given)
        fitting = [
            s
            for s in narrowed
            if all(_takes(a, assumed) for a in s.arguments) and _is_consistent(s, all_alike)
        ]
        if len(fitting) == 1:
            return fitting
    return narrowed


def _by_category(candidates: list[Signature], unknown: list[int]) -> list[Signature]:
    wanted: dict[int, tuple[str, bool]] = {}
    for i in unknown:
        types = [s.arguments[i] for s in candidates]
        categories = {t.category for t in types}
        category = "S" if "S" in categories else categories.pop() if len(categories) == 1 else None
        if category is None:
            return candidates
        wanted[i] = category, any(t.preferred for t in types if t.category == category)

    def fits(signature: Signature) -> bool:
        for i, (category, preferred) in wanted.items():
            argument = signature.arguments[i]
            if argument.category != category or (preferred and not argument.preferred):
                return False
        return True

    return [s for s in candidates if fits(s)] or candidates


def concrete(signature: Signature, given: Sequence[SqlType], at: int | None = None) -> Signature:
    """Return a signature in which polymorphic types are those of what was given.

    Raises
    ------
    SqlError
        42804 if these do not fit each other, or nothing tells what they are.
    """
    names = {t.name for t in (*signature.arguments, signature.result)} & POLYMORPHIC
    if not names:
        return signature
    pairs = list(zip(signature.arguments, given, strict=True))
    meaning: dict[str, SqlType] = {"any": BY_NAME["any"]}
    if names & set(_COMPATIBLE):
        meaning |= _compatible(pairs, at)
    if names - {"any", *_COMPATIBLE}:
        meaning |= _elements(pairs, at)

    def put(wanted: SqlType, actual: SqlType | None = None) -> SqlType:
        if wanted.name == "any":
            return STRING if actual is None or actual.category == "X" else actual
        return meaning[wanted.name] if wanted.name in POLYMORPHIC else wanted

    arguments = tuple(put(wanted, actual) for wanted, actual in pairs)
    return replace(signature, arguments=arguments, result=put(signature.result))


def _compatible(pairs: list[tuple[SqlType, SqlType]], at: int | None) -> dict[str, SqlType]:
    types = []
    for wanted, actual in pairs:
        if wanted.name == "anycompatiblearray" and actual.element is not None:
            types.append(actual.element)
        elif wanted.name in _COMPATIBLE:
            types.append(actual)
    element = common_type(types, "arguments declared anycompatible:", at).with_modifier()
    meaning = {"anycompatible": element, "anycompatiblenonarray": element}
    if element.category != "A":
        meaning["anycompatiblearray"] = array_of(element)
    elif any(wanted.name == "anycompatiblearray" for wanted, _ in pairs):
        raise error("42804", "argument declared anycompatiblearray is not an array of its elements", at)
    return meaning


def _elements(pairs: list[tuple[SqlType, SqlType]], at: int | None) -> dict[str, SqlType]:
    element = array = range_ = None
    for wanted, actual in pairs:
        if actual.category == "X":
            continue
        if wanted.name == "anyarray":
            array = _agree(array, actual, "anyarray", at)
        elif wanted.name == "anyrange":
            range_ = _agree(range_, actual, "anyrange", at)
        elif wanted.name in ("anyelement", "anynonarray", "anyenum"):
            element = _agree(element, actual, wanted.name, at)
    for whole, name in ((array, "anyarray"), (range_, "anyrange")):
        if whole is not None and whole.element is not None:
            if element is not None and element.name != whole.element.name:
                message = f'argument declared {name} is not consistent with argument declared "anyelement"'
                raise error("42804", message, at)
            element = whole.element
    if element is None:
        message = "could not determine polymorphic type because input has type unknown"
        raise error("42804", message, at)
    element = element.with_modifier()
    meaning = dict.fromkeys(("anyelement", "anynonarray", "anyenum"), element)
    if array is None and element.category != "A":
        array = array_of(element)
    meaning["anyarray"] = element if array is None else array
    meaning["anyrange"] = range_ or next(
        (t for t in BY_NAME.values() if t.category == "R" and t.element == element), element
    )
    return meaning


def _agree(before: SqlType | None, actual: SqlType, name: str, at: int | None) -> SqlType:
    if before is not None and before.name != actual.name:
        raise error(
            "42804",
            f'arguments declared "{name}" are not all alike',
            at,
            detail=f"{before.title} versus {actual.title}",
        )
    return actual
