"""Putting a file into the code graph in place of what it had before, and writing only what differs.

::

    1  match     each given node with one that the file had: by id, by qualified name and kind, by qualified name;
                 or with an unknown node of its name, which it takes over
    2  resolve   where each edge goes: a node of the file, of the source, or a new unknown one
    3  write     nodes that are new or changed, and edges that went, came or changed
    4  let go    nodes that the file has no more: edges of other files go to another node of that name; else such a node is unknown now, or,
                 without edges, gone
    5  count     degrees, by what was added and taken; an unknown node that nothing names any more is gone
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from ..engine import Transaction
from ..errors import InvalidArgumentError, NotFoundError
from ..ids import UlidFactory
from .json_values import check_json, json_text
from .quantities import check_count, check_number
from .sessions import optional_text
from .texts import check_text

CALLS, UNKNOWN = "calls", "unknown"
NODE_PREFIX = "cgn_"

Row = dict[str, Any]
EdgeKey = tuple[str, str, str]
"""Where an edge comes from, where it goes, and its kind."""

NODE_KEYS = (
    "id",
    "kind",
    "name",
    "qualified_name",
    "signature",
    "documentation",
    "line_start",
    "line_end",
    "metadata",
)
_EDGE_KEYS = ("from", "to", "kind", "line", "weight")
_OF_A_FILE = ("file_id", "signature", "documentation", "line_start", "line_end", "metadata")
"""What an unknown node does not have."""
_LAST_PART = re.compile(r"[^.:/\\#]+$")


def check_nodes(nodes: Any) -> list[Row]:
    """Return the nodes of a file as they are stored; ``id`` is None where none was given.

    Raises
    ------
    InvalidArgumentError
        That names the first that cannot be, such as ``nodes[3].name``.
    """
    found = []
    ids: set[str] = set()
    for at, given in _mappings("nodes", nodes, NODE_KEYS):
        name = check_text(given.get("name"), f"{at}.name")
        qualified = optional_text(given.get("qualified_name"), f"{at}.qualified_name")
        documentation = given.get("documentation")
        row: Row = {
            "id": optional_text(given.get("id"), f"{at}.id"),
            "kind": check_text(given.get("kind"), f"{at}.kind"),
            "name": name,
            "qualified_name": qualified or name,
            "signature": optional_text(given.get("signature"), f"{at}.signature"),
            "documentation": None
            if documentation is None
            else check_text(documentation, f"{at}.documentation", blank=True),
            "metadata": check_json(given.get("metadata"), f"{at}.metadata"),
        }
        for key in ("line_start", "line_end"):
            row[key] = _optional_count(given.get(key), f"{at}.{key}")
        if row["line_start"] is not None and row["line_end"] is not None:
            check_count(f"{at}: line_end - line_start", row["line_end"] - row["line_start"])
        if row["id"] in ids:
            raise InvalidArgumentError(f"{at}.id is {row['id']!r}, like that of a node before it")
        if row["id"] is not None:
            ids.add(row["id"])
        found.append(row)
    return found


def check_edges(edges: Any) -> list[Row]:
    """Return the edges of a file as they were given; raises like :func:`check_nodes`."""
    found = []
    for at, given in _mappings("edges", edges, _EDGE_KEYS):
        kind, weight = given.get("kind", CALLS), given.get("weight", 1.0)
        found.append(
            {
                "from": check_text(given.get("from"), f"{at}.from"),
                "to": check_text(given.get("to"), f"{at}.to"),
                "kind": check_text(kind, f"{at}.kind"),
                "line": _optional_count(given.get("line"), f"{at}.line"),
                "weight": check_number(f"{at}.weight", weight),
            }
        )
    return found


def _mappings(what: str, given: Any, keys: tuple[str, ...]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Yield what a list of mappings has, each with how to name it."""
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes, bytearray, Mapping)):
        raise InvalidArgumentError(f"{what} must be a list, not a {type(given).__name__}")
    for number, one in enumerate(given):
        at = f"{what}[{number}]"
        if not isinstance(one, Mapping):
            raise InvalidArgumentError(f"{at} must be a mapping, not a {type(one).__name__}")
        for key in one:
            if key not in keys:
                raise InvalidArgumentError(f"{at} has {repr(key)[:60]}; there are {', '.join(keys)}")
        yield at, one


def _optional_count(value: Any, name: str) -> int | None:
    return None if value is None else check_count(name, value)


class FilePut:
    """One file of a source, as it becomes another.

    Parameters
    ----------
    transaction : Transaction
        Where it is written.
    ids : UlidFactory
        Where new ids come from.
    file : dict
        The file's row.
    now : int
        The time, microseconds.
    """

    def __init__(self, transaction: Transaction, ids: UlidFactory, file: Mapping[str, Any], now: int) -> None:
        self._transaction, self._ids, self._file, self._now = transaction, ids, file, now
        self._source = file["source_id"]
        self._had: dict[str, Row] = {
            row["id"]: row for row in transaction.lookup("cg_node", "cg_node_file_id_fkey_idx", file["id"])
        }
        self._has: dict[str, Row] = {}
        self._by_name: dict[str, str] = {}
        self._goes: list[Row] = []
        self._gone: dict[str, str] = {}
        self._new: list[Row] = []
        self._came: set[str] = set()
        self._targets: dict[str, str] = {}
        self._ins: Counter[str] = Counter()
        self._outs: Counter[str] = Counter()

    def put(self, nodes: list[Row], edges: list[Row]) -> None:
        """Give the file these nodes and edges, as :func:`check_nodes` and :func:`check_edges` return them."""
        changed = self._match(nodes)
        self._goes = [row for node, row in self._had.items() if node not in self._has]
        self._gone = {row["qualified_name"]: row["id"] for row in reversed(self._goes)}
        wanted = self._resolve(edges)
        if self._new:
            columns = {name: [row[name] for row in self._new] for name in self._new[0]}
            self._transaction.insert_many("cg_node", columns)
        for node, changes in changed:
            self._transaction.update("cg_node", node, changes)
        self._write_edges(wanted)
        for name in sorted(self._came):
            for other in self._elsewhere(name):
                if other["file_id"] is None:
                    self._redirect(other["id"], self._by_name[name])
        for row in reversed(self._goes):
            self._let_go(row)
        self._count()

    # -- nodes -------------------------------------------------------------------------------------------------------

    def _match(self, nodes: list[Row]) -> list[tuple[str, Row]]:
        """Find out which nodes are those that were there; return what changes of them."""
        known: list[Row | None] = [None] * len(nodes)
        left = dict(self._had)
        for number, node in enumerate(nodes):
            if node["id"] is not None:
                known[number] = left.pop(node["id"], None) or self._free(number, node["id"])
        for names in (("qualified_name", "kind"), ("qualified_name",)):
            by_key = defaultdict(list)
            for row in left.values():
                by_key[tuple(row[name] for name in names)].append(row)
            for number, node in enumerate(nodes):
                same = by_key.get(tuple(node[name] for name in names))
                if same and known[number] is None and node["id"] is None:
                    row = known[number] = same.pop(0)
                    del left[row["id"]]
        taken = {row["id"] for row in known if row is not None}
        changed = []
        for node, before in zip(nodes, known, strict=True):
            name = node["qualified_name"]
            if before is None and node["id"] is None and name not in self._by_name:
                before = next((r for r in self._elsewhere(name) if r["file_id"] is None), None)
                before = None if before is None or before["id"] in taken else before
            row = {**node, "source_id": self._source, "file_id": self._file["id"]}
            if before is None:
                row |= {"id": node["id"] or self._ids.new(NODE_PREFIX), "time_updated": self._now}
                self._new.append(row)
            else:
                row["id"] = before["id"]
                changes = {key: value for key, value in row.items() if _differ(before[key], value)}
                if changes:
                    later = max(self._now, before["time_updated"])
                    changed.append((row["id"], {**changes, "time_updated": later}))
            if before is None or before["qualified_name"] != name:
                self._came.add(name)
            self._has[row["id"]] = row
            self._by_name.setdefault(name, row["id"])
        return changed

    def _free(self, number: int, node_id: str) -> Row | None:
        """Return the unknown node with an id that was given, None if there is no node; those of other files are not to be had."""
        row = self._transaction.get("cg_node", node_id)
        if row is not None and (row["source_id"] != self._source or row["file_id"] is not None):
            raise InvalidArgumentError(f"nodes[{number}].id is {node_id!r}, which is a node of another file")
        return row

    def _elsewhere(self, name: str) -> list[Row]:
        """Return the nodes of the source with a qualified name that are not of this file: those of files first, then by id."""
        rows = self._transaction.lookup("cg_node", "cg_node_qualified", name)
        others = [row for row in rows if row["source_id"] == self._source and not self._is_own(row["id"])]
        return sorted(others, key=lambda row: (row["file_id"] is None, row["id"]))

    def _is_own(self, node: str) -> bool:
        return node in self._had or node in self._has

    # -- edges -------------------------------------------------------------------------------------------------------

    def _resolve(self, edges: list[Row]) -> dict[EdgeKey, Row]:
        """Return the edges that the file is to have; one that comes twice has the line of the first, and both weights."""
        wanted: dict[EdgeKey, Row] = {}
        for number, edge in enumerate(edges):
            start = self._own(edge["from"])
            if start is None:
                raise NotFoundError(
                    f"edges[{number}].from: there is no node {edge['from']!r} in file {self._file['path']!r}"
                )
            key = (start, self._target(number, edge["to"]), edge["kind"])
            known = wanted.setdefault(key, {"line": edge["line"], "weight": 0.0})
            known["weight"] = check_number("the weight of an edge", known["weight"] + edge["weight"])
        return wanted

    def _own(self, named: str) -> str | None:
        return named if named in self._has else self._by_name.get(named)

    def _target(self, number: int, named: str) -> str:
        """Return the node to which an edge goes, which is made if no file has it."""
        found = self._targets.get(named) or self._own(named)
        if found is None:
            row = self._transaction.get("cg_node", named)
            if row is not None and row["source_id"] == self._source and not self._is_own(named):
                found = named
        if found is None:
            found = next((row["id"] for row in self._elsewhere(named)), self._gone.get(named))
        if found is None:
            if named.startswith(NODE_PREFIX):
                raise NotFoundError(f"edges[{number}].to: there is no node {named!r} in the source")
            found = self._ids.new(NODE_PREFIX)
            part = _LAST_PART.search(named)
            row = dict.fromkeys((*NODE_KEYS, *_OF_A_FILE))
            row |= {"id": found, "kind": UNKNOWN, "name": part.group() if part else named}
            row |= {"qualified_name": named, "source_id": self._source, "time_updated": self._now}
            self._new.append(row)
        self._targets[named] = found
        return found

    def _write_edges(self, wanted: dict[EdgeKey, Row]) -> None:
        had: dict[EdgeKey, Row] = {}
        for node in self._had:
            for row in self._transaction.lookup("cg_edge", "cg_edge_from_node_fkey_idx", node):
                had[row["from_node"], row["to_node"], row["kind"]] = row
        for key, row in had.items():
            edge = wanted.get(key)
            if edge is None:
                self._transaction.delete("cg_edge", key)
                self._note(key, -1)
            elif (edge["line"], edge["weight"]) != (row["line"], row["weight"]):
                self._transaction.update("cg_edge", key, edge)
        added = [key for key in wanted if key not in had]
        if added:
            ends = ("from_node", "to_node", "kind")
            columns = {name: [key[at] for key in added] for at, name in enumerate(ends)}
            columns |= {name: [wanted[key][name] for key in added] for name in ("line", "weight")}
            columns["file_id"] = [self._file["id"]] * len(added)
            self._transaction.insert_many("cg_edge", columns)
        for key in added:
            self._note(key, 1)

    def _note(self, key: EdgeKey, by: int) -> None:
        self._outs[key[0]] += by
        self._ins[key[1]] += by

    def _redirect(self, node: str, other: str) -> None:
        """Make the edges that go to a node go to another one."""
        for row in self._transaction.lookup("cg_edge", "cg_edge_to_node_fkey_idx", node):
            old, new = (row["from_node"], node, row["kind"]), (row["from_node"], other, row["kind"])
            self._transaction.delete("cg_edge", old)
            self._note(old, -1)
            if self._transaction.get("cg_edge", new) is None:
                self._transaction.insert("cg_edge", {**row, "to_node": other})
                self._note(new, 1)

    # -- what goes ---------------------------------------------------------------------------------------------------

    def _let_go(self, row: Row) -> None:
        """Take a node from the file; edges of other files that go to it find another one of its name, or it is unknown now."""
        node, name = row["id"], row["qualified_name"]
        other = self._by_name.get(name) or next(
            (one["id"] for one in self._elsewhere(name)), self._gone[name]
        )
        if other != node:
            self._redirect(node, other)
        if not self._transaction.lookup("cg_edge", "cg_edge_to_node_fkey_idx", node):
            self._forget(node)
            return
        changes = {**dict.fromkeys(_OF_A_FILE), "kind": UNKNOWN, "time_updated": self._now}
        self._transaction.update("cg_node", node, changes)

    def _forget(self, node: str) -> None:
        self._transaction.delete("cg_node", node)  # and its degree
        del self._ins[node], self._outs[node]

    def _count(self) -> None:
        """Write the degrees of nodes that gained or lost edges, and of new ones."""
        made = [row["id"] for row in self._new]
        new = set(made)
        counted = {node: {"in_degree": self._ins[node], "out_degree": self._outs[node]} for node in made}
        for node in dict.fromkeys([*self._ins, *self._outs]):
            into, out = self._ins[node], self._outs[node]
            if node in new or not (into or out):
                continue
            known = self._transaction.get("cg_degree", node)
            if known is None:  # SQL made the node
                counted[node] = self._counted(node)
                continue
            into, out = known["in_degree"] + into, known["out_degree"] + out
            if into <= 0 and out <= 0 and self._is_unknown(node):
                self._transaction.delete("cg_node", node)
            else:
                changes = {"in_degree": max(0, into), "out_degree": max(0, out)}
                self._transaction.update("cg_degree", node, changes)
        if counted:
            columns = {name: [one[name] for one in counted.values()] for name in ("in_degree", "out_degree")}
            self._transaction.insert_many("cg_degree", {"node_id": list(counted), **columns})

    def _counted(self, node: str) -> Row:
        lookup = self._transaction.lookup
        return {
            "in_degree": len(lookup("cg_edge", "cg_edge_to_node_fkey_idx", node)),
            "out_degree": len(lookup("cg_edge", "cg_edge_from_node_fkey_idx", node)),
        }

    def _is_unknown(self, node: str) -> bool:
        row = self._transaction.get("cg_node", node)
        return row is not None and row["file_id"] is None


def _differ(one: Any, other: Any) -> bool:
    """Return whether two values are stored differently: 1 is not True."""
    return type(one) is not type(other) or json_text(one) != json_text(other)
