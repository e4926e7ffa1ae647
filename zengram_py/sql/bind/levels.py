"""Levels: which of the queries around a value it takes rows from."""

from __future__ import annotations

from ..bound import Bound, ColumnVar, walk
from ..bound.walking import everything
from ..scope import Scope


def relations_in(value: Bound) -> set[int]:
    """Return the relations that a value reads, subqueries aside."""
    return {node.relation for node in walk(value) if isinstance(node, ColumnVar)}


def own_relations(scope: Scope) -> set[int]:
    """Return the relations of a scope itself, not those of the queries around."""
    columns = [*scope.names.columns, *(c for table in scope.names.tables for c in table.columns)]
    return {relation for _, value in columns for relation in relations_in(value)}


def read_by(value: object) -> set[int]:
    """Return the relations that a value reads, subqueries and all."""
    return {node.relation for node in everything(value) if isinstance(node, ColumnVar)}


def owner_of(value: object, scope: Scope) -> Scope:
    """Return the innermost scope that a value reads rows of; the scope itself if it reads none."""
    read = read_by(value)
    around: Scope | None = scope
    while read and around is not None:
        if around.aggregated in read or own_relations(around) & read:
            return around
        around = around.outer
    return scope


def relations_between(scope: Scope, outer: Scope) -> set[int]:
    """Return the relations of a scope and those around it up to one, which is left out."""
    found: set[int] = set()
    around: Scope | None = scope
    while around is not None and around is not outer:
        found |= own_relations(around)
        around = around.outer
    return found
