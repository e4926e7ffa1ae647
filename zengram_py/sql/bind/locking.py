"""``for update`` and its kin: what may be locked.

Nothing is locked: changes that meet are found when they commit, and the first that does wins. But what PostgreSQL refuses to lock is refused
here too: rows that are put together of others, and rows of an outer join that may not be there.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import tree
from ..bound import (
    BoundQuery,
    BoundSelect,
    CteSource,
    FunctionSource,
    JoinSource,
    QuerySource,
    Source,
)
from ..errors import error

Pair = tuple[tree.FromItem, Source]


def check_locking(query: tree.Query, bound: BoundQuery) -> None:
    """Refuse what a query cannot lock (0A000), and tables that it does not read (42P01)."""
    for lock in query.locking:
        if isinstance(query.body, tree.Values):
            raise error("0A000", f"{lock.strength} cannot be applied to VALUES", lock.at)
        _check(lock, query, bound)


def _check(lock: tree.Locking, query: tree.Query, bound: BoundQuery) -> None:
    marked = _marked(lock, query, bound)
    sources = bound.body.sources if isinstance(bound.body, BoundSelect) else ()
    if any(_nullable(source) & marked for source in sources):
        message = f"{lock.strength} cannot be applied to the nullable side of an outer join"
        raise error("0A000", message, lock.at)


def _marked(lock: tree.Locking, query: tree.Query, bound: BoundQuery) -> set[int]:
    """Return the relations that a clause locks."""
    pairs = _body(lock, query, bound)
    found: set[int] = set()
    if not lock.tables:
        for item, source in pairs:
            if _locks(lock, item, source):
                found.add(source.relation)
        return found
    by_name = {_name(item): (item, source) for item, source in pairs}
    for table in lock.tables:
        if len(table.parts) > 1:
            raise error("42601", f"{lock.strength} must specify unqualified relation names", table.at)
        name = table.parts[0]
        if name not in by_name:
            message = f'relation "{name}" in {lock.strength} clause not found in FROM clause'
            raise error("42P01", message, table.at)
        item, source = by_name[name]
        if not _locks(lock, item, source):
            raise error("0A000", f"{lock.strength} cannot be applied to {_title(source)}", table.at)
        found.add(source.relation)
    return found


def _body(lock: tree.Locking, query: tree.Query, bound: BoundQuery) -> list[Pair]:
    """Return what a query reads, after refusing one whose rows are no rows of tables."""
    node, body = query.body, bound.body
    if isinstance(node, tree.Values):
        return []
    if isinstance(node, tree.SetOperation):
        raise error("0A000", f"{lock.strength} is not allowed with UNION/INTERSECT/EXCEPT", lock.at)
    assert isinstance(body, BoundSelect)
    for given, what in (
        (node.distinct is not None, "DISTINCT clause"),
        (node.group_by, "GROUP BY clause"),
        (node.having, "HAVING clause"),
        (body.aggregates, "aggregate functions"),
        (body.windows, "window functions"),
        (body.row_functions, "set-returning functions in the target list"),
    ):
        if given:
            raise error("0A000", f"{lock.strength} is not allowed with {what}", lock.at)
    return [pair for each in zip(node.sources, body.sources, strict=True) for pair in _pairs(*each)]


def _pairs(item: tree.FromItem, source: Source) -> Iterator[Pair]:
    """Yield what stands in a ``from`` list, tree and meaning, joins before their sides."""
    yield item, source
    if isinstance(item, tree.Join) and isinstance(source, JoinSource):
        yield from _pairs(item.left, source.left)
        yield from _pairs(item.right, source.right)


def _locks(lock: tree.Locking, item: tree.FromItem, source: Source) -> bool:
    """Return whether something has rows to lock; those of a subquery must be rows of tables, too."""
    if isinstance(item, tree.QueryRef) and isinstance(source, QuerySource):
        _check(tree.Locking(lock.strength, at=lock.at), item.query, source.query)
        return True
    return not isinstance(source, (JoinSource, CteSource, FunctionSource))


def _nullable(source: Source) -> set[int]:
    """Return the relations whose rows an outer join may replace by nulls."""
    if not isinstance(source, JoinSource):
        return set()
    found = _nullable(source.left) | _nullable(source.right)
    if source.kind in ("left", "full"):
        found |= _relations(source.right)
    if source.kind in ("right", "full"):
        found |= _relations(source.left)
    return found


def _relations(source: Source) -> set[int]:
    if isinstance(source, JoinSource):
        return _relations(source.left) | _relations(source.right)
    return {source.relation}


def _name(item: tree.FromItem) -> str:
    alias: tree.Alias | None = getattr(item, "alias", None)
    if alias is not None:
        return alias.name
    if isinstance(item, tree.TableRef):
        return item.parts[-1]
    return item.calls[0].parts[-1] if isinstance(item, tree.FunctionRef) else ""


def _title(source: Source) -> str:
    titles = {JoinSource: "a join", CteSource: "a WITH query", FunctionSource: "a function"}
    return titles[type(source)]
