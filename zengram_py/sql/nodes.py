"""Nodes: dataclasses that cost nothing to define.

The trees of statements are some 150 classes. For each of them ``dataclass`` writes, compiles and runs the text of six methods, which is most of
what a page would wait for at its first statement. A class decorated with :func:`node` is a dataclass in everything that is used of one (``fields``,
``replace``, ``match``, equality, hash, keywords only), but shares its methods with all others, and has its ``__init__`` written when the first
of its objects is made. Type checkers are told that it is ``dataclass`` itself.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, field
from typing import TYPE_CHECKING, Any

__all__ = ["field", "node"]

if TYPE_CHECKING:
    from dataclasses import dataclass as node
else:
    from dataclasses import _FIELD  # the mark by which ``fields`` knows a field

    _set = object.__setattr__

    def node(*, slots: bool, frozen: bool = False, eq: bool = True):
        """Make a class a dataclass with slots, by its annotations and the defaults of its attributes."""
        if not slots:
            raise TypeError("a node has slots")
        return lambda cls: _made(cls, frozen=frozen, eq=eq)

    def _made(cls: type, *, frozen: bool, eq: bool) -> type:
        known: dict[str, Field[Any]] = {}
        for base in reversed(cls.__mro__[1:]):
            known.update(getattr(base, "__dataclass_fields__", {}))
        body = dict(cls.__dict__)
        own = []
        for name, kind in cls.__annotations__.items():
            if "ClassVar" in str(kind):
                continue
            given = body.pop(name, MISSING)
            found = given if isinstance(given, Field) else field(default=given)
            found.name, found.type, found._field_type = name, kind, _FIELD
            if found.kw_only is MISSING:
                found.kw_only = False
            if name not in known:
                own.append(name)
            known[name] = found
        for name in ("__dict__", "__weakref__"):
            body.pop(name, None)
        body["__slots__"] = tuple(own)
        body["__dataclass_fields__"] = known
        body["__match_args__"] = tuple(f.name for f in known.values() if f.init and not f.kw_only)
        body.setdefault("__init__", _first_init)
        body.setdefault("__repr__", _shown)
        if frozen:
            body["__setattr__"], body["__delattr__"] = _refuse_to_set, _refuse_to_delete
        if eq:
            body.setdefault("__eq__", _equal)
            body.setdefault("__hash__", _hash if frozen else None)
        made = type(cls)(cls.__name__, cls.__bases__, body)
        made.__qualname__ = cls.__qualname__
        return made

    def _first_init(self: Any, *given: Any, **named: Any) -> None:
        """Write the ``__init__`` of a class, and call it."""
        cls = type(self)
        cls.__init__ = _init_of(cls)
        cls.__init__(self, *given, **named)

    def _init_of(cls: type) -> Any:
        known = list(cls.__dataclass_fields__.values())
        space: dict[str, Any] = {"set": _set}
        plain, keywords, lines = [], [], []
        for found in known:
            if not found.init:
                raise TypeError(f"{cls.__name__}.{found.name} must be a parameter")
            text = found.name
            if found.default is not MISSING:
                space[f"default_{found.name}"] = found.default
                text += f"=default_{found.name}"
            elif found.default_factory is not MISSING:
                space["MISSING"] = MISSING
                space[f"make_{found.name}"] = found.default_factory
                text += "=MISSING"
                lines.append(f"    if {found.name} is MISSING: {found.name} = make_{found.name}()")
            (keywords if found.kw_only else plain).append(text)
            lines.append(f"    set(self, {found.name!r}, {found.name})")
        marks = ["*", *keywords] if keywords else []
        head = ", ".join(["self", *plain, *marks])
        exec(f"def __init__({head}):\n" + ("\n".join(lines) or "    pass"), space)
        return space["__init__"]

    def _compared(value: Any) -> tuple[Any, ...]:
        return tuple([getattr(value, f.name) for f in value.__dataclass_fields__.values() if f.compare])

    def _equal(self: Any, other: Any) -> Any:
        if self is other:
            return True
        return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented

    def _hash(self: Any) -> int:
        return hash(_compared(self))

    def _shown(self: Any) -> str:
        parts = [f"{f.name}={getattr(self, f.name)!r}" for f in self.__dataclass_fields__.values() if f.repr]
        return f"{type(self).__qualname__}({', '.join(parts)})"

    def _refuse_to_set(self: Any, name: str, value: Any) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(self: Any, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")
