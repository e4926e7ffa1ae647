"""The code graph: what is defined in the files of a program, and what calls or contains what.

::

    source "/srv/site" ─▶ file "a.py" ─▶ node a.start ──calls──▶ node b.load          callees of a.start: b.load
                      └─▶ file "b.py" ─▶ node b.load ──calls──▶ node json.loads       callers of b.load: a.start
                                              (no file of the source has json.loads: its kind is "unknown")

A parser outside reads the files; put_code_file stores what it found in one of them, in place of what was stored before (code_files.py).

**Nodes keep their ids.** A node of a file that is put again is the one that was there, if the caller gives its id, or if it has the
qualified name of one. So edges from other files stay, and what did not change is not written.

**Edges** leave a node of their file. They name where they go by an id or a qualified name; of nodes with one name those of the own file come
first. A name that no file has gets a node of kind ``unknown``, and the file that comes to have it takes that node over. What a file has no more,
and edges of other files still name, is unknown again. So files may be put in any order: the graph says what the files that are there say.

**Degrees** are counted as edges come and go, so that the hubs of a graph are found without a look at its edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..engine import Transaction
from ..errors import NotFoundError
from .base import MemoryBase
from .choices import check_changes
from .code_files import CALLS, FilePut, check_edges, check_nodes
from .json_values import check_json
from .projects import ensure_project, optional_project_id
from .quantities import check_count
from .rows_in_order import newest_where, rows_of
from .sessions import optional_text
from .texts import check_text
from .updates import update_row
from .walks import nearest_first


@dataclass(frozen=True)
class CodeSource:
    """A program whose files are in the graph.

    Attributes
    ----------
    id : str
        Its id.
    project_id : str or None
        The project that it is of.
    root_path : str
        Where its files are.
    language, revision : str or None
        What it is written in, and which state of it was read.
    metadata : JSON value
        Anything else.
    time_created, time_updated : int
        Microseconds since the epoch, UTC; files that are put change the second.
    """

    id: str
    project_id: str | None
    root_path: str
    language: str | None
    revision: str | None
    metadata: Any
    time_created: int
    time_updated: int


@dataclass(frozen=True)
class CodeFile:
    """A file of a source.

    Attributes
    ----------
    id, source_id, path : str
        What it is, of which source, and where in it.
    language, content_hash : str or None
        What it is written in, and what stands for its content.
    size_bytes : int or None
        Its size, bytes.
    time_indexed : int
        When it was put, microseconds since the epoch, UTC.
    """

    id: str
    source_id: str
    path: str
    language: str | None
    content_hash: str | None
    size_bytes: int | None
    time_indexed: int


@dataclass(frozen=True)
class CodeNode:
    """A function, a class or the like.

    Attributes
    ----------
    id, source_id : str
        What it is, and of which source.
    path : str or None
        The file that has it; None if none has, and edges name it.
    kind, name, qualified_name : str
        What kind of thing it is (``"unknown"`` if no file has it), and what it is called, in short and in full.
    signature, documentation : str or None
        How it is called by others, and what is said of it.
    line_start, line_end : int or None
        Where it is in the file.
    metadata : JSON value
        Anything else.
    time_updated : int
        When it changed last, microseconds since the epoch, UTC.
    """

    id: str
    source_id: str
    path: str | None
    kind: str
    name: str
    qualified_name: str
    signature: str | None
    documentation: str | None
    line_start: int | None
    line_end: int | None
    metadata: Any
    time_updated: int


@dataclass(frozen=True)
class CodeStep:
    """A node that was reached from another one.

    Attributes
    ----------
    depth : int
        How many steps away it is.
    node : CodeNode
        The node.
    via : str
        The id of the node from which it was reached.
    """

    depth: int
    node: CodeNode
    via: str


@dataclass(frozen=True)
class CodeHub:
    """A node with many edges.

    Attributes
    ----------
    node : CodeNode
        The node.
    in_degree, out_degree : int
        How many edges go to it, and leave it.
    """

    node: CodeNode
    in_degree: int
    out_degree: int


_SOURCE, _FILE, _NODE = ([field.name for field in fields(kind)] for kind in (CodeSource, CodeFile, CodeNode))

SOURCE_CHANGES: dict[str, Callable[[Any], Any]] = {
    "root_path": lambda value: check_text(value, "root path"),
    "language": lambda value: optional_text(value, "language"),
    "revision": lambda value: optional_text(value, "revision"),
    "metadata": lambda value: check_json(value, "metadata"),
}


class CodeGraph(MemoryBase):
    """Keeps what is defined in programs, and walks it."""

    def add_code_source(
        self,
        root_path: str,
        *,
        project_id: str | None = None,
        language: str | None = None,
        revision: str | None = None,
        metadata: Any = None,
    ) -> str:
        """Add a program, without files yet; return its id.

        Parameters
        ----------
        root_path : str
            Where its files are.
        project_id : str, optional
            The project that it is of, made unless it is there.
        language, revision : str, optional
            What it is written in, and which state of it is read.
        metadata : JSON value, optional
            Anything else.

        Raises
        ------
        InvalidArgumentError
            If something given cannot be.
        """
        project = optional_project_id(project_id)
        given = {"root_path": root_path, "language": language, "revision": revision, "metadata": metadata}
        row = check_changes("code source", given, SOURCE_CHANGES)
        now = self._clock.now()
        source_id = self._ids.new("cgs_")
        with self._writing() as transaction:
            if project is not None:
                ensure_project(transaction, project, now)
            times = {"time_created": now, "time_updated": now}
            transaction.insert("cg_source", {"id": source_id, "project_id": project, **row, **times})
        return source_id

    def update_code_source(self, source_id: str, **changes: Any) -> None:
        """Change what is said of a program.

        Parameters
        ----------
        source_id : str
            The source.
        **changes
            ``root_path``, ``language``, ``revision`` and ``metadata``; None empties all but the first. What is left out stays.

        Raises
        ------
        NotFoundError
            If there is no such source.
        InvalidArgumentError
            If there is no such change, or its value cannot be.
        """
        checked = check_changes("code source", changes, SOURCE_CHANGES)
        with self._writing() as transaction:
            source = self._row(transaction, "cg_source", source_id, "code source")
            update_row(transaction, "cg_source", source, self._clock.now(), checked)

    def remove_code_source(self, source_id: str) -> None:
        """Remove a program with its files, nodes and edges.

        Raises
        ------
        NotFoundError
            If there is no such source.
        """
        with self._writing() as transaction:
            source = self._row(transaction, "cg_source", source_id, "code source")
            transaction.delete("cg_source", source["id"])

    def code_sources(self, *, project_id: str | None = None, limit: int = 100) -> list[CodeSource]:
        """Return programs, the newest first.

        Parameters
        ----------
        project_id : str, optional
            Only those of this project.
        limit : int
            How many at most.
        """
        wanted, limit = {"project_id": optional_project_id(project_id)}, check_count("limit", limit)
        with self._reading() as transaction:
            found = newest_where(transaction, "cg_source", wanted, _SOURCE, limit)
            return [CodeSource(*values) for values in found]

    def put_code_file(
        self,
        source_id: str,
        path: str,
        *,
        language: str | None = None,
        content_hash: str | None = None,
        size_bytes: int | None = None,
        nodes: Iterable[Mapping[str, Any]] = (),
        edges: Iterable[Mapping[str, Any]] = (),
    ) -> str:
        """Store what is in a file, in place of what was stored of it; return the file's id.

        Parameters
        ----------
        source_id, path : str
            The source, and where in it the file is; paths are compared as they are.
        language, content_hash : str, optional
            What it is written in, and what stands for its content.
        size_bytes : int, optional
            Its size, bytes.
        nodes : list of mappings
            What is defined in it: ``kind`` and ``name``, and optionally ``qualified_name`` (the name when left out), ``id``, ``signature``,
            ``documentation``, ``line_start``, ``line_end``, ``metadata``.
        edges : list of mappings
            What leaves these nodes: ``from`` (one of them) and ``to`` (any), each an id or a qualified name, and optionally ``kind``
            (``"calls"``), ``line``, ``weight`` (1, at least 0). Of edges of one kind between the same two the line of the first and the sum of the
            weights are kept.

        Raises
        ------
        NotFoundError
            If there is no such source, an edge leaves something that is not in the file, or goes to an id that was made here and is gone.
        InvalidArgumentError
            If a node or an edge cannot be; the message says which.
        """
        path = check_text(path, "path")
        row = {
            "language": optional_text(language, "language"),
            "content_hash": optional_text(content_hash, "content_hash"),
            "size_bytes": None if size_bytes is None else check_count("size_bytes", size_bytes),
        }
        given_nodes, given_edges = check_nodes(nodes), check_edges(edges)
        now = self._clock.now()
        with self._writing() as transaction:
            source = self._row(transaction, "cg_source", source_id, "code source")
            file = _file_of(transaction, source["id"], path)
            if file is None:
                row |= {"id": self._ids.new("cgf_"), "source_id": source["id"], "path": path}
                file = transaction.insert("cg_file", {**row, "time_indexed": now})
            else:
                transaction.update("cg_file", file["id"], {**row, "time_indexed": now})
            FilePut(transaction, self._ids, file, now).put(given_nodes, given_edges)
            update_row(transaction, "cg_source", source, now, {})
        return str(file["id"])

    def remove_code_file(self, source_id: str, path: str) -> None:
        """Remove a file with its nodes and edges; what edges of other files name of it is unknown then.

        Raises
        ------
        NotFoundError
            If there is no such source, or it has no such file.
        """
        now = self._clock.now()
        with self._writing() as transaction:
            source, file = self._source_and_file(transaction, source_id, path)
            FilePut(transaction, self._ids, file, now).put([], [])
            transaction.delete("cg_file", file["id"])
            update_row(transaction, "cg_source", source, now, {})

    def code_files(self, source_id: str, *, limit: int = 100, offset: int = 0) -> list[CodeFile]:
        """Return the files of a source, by path.

        Parameters
        ----------
        source_id : str
            The source.
        limit, offset : int
            How many at most, after leaving out how many.

        Raises
        ------
        NotFoundError
            If there is no such source.
        """
        limit, offset = check_count("limit", limit), check_count("offset", offset)
        with self._reading() as transaction:
            source = self._row(transaction, "cg_source", source_id, "code source")["id"]
            rows = rows_of(transaction, "cg_file", "cg_file_source_id_fkey_idx", (source,))
            paths = rows.values("path")
            order = sorted(range(len(rows)), key=paths.__getitem__)[offset : offset + limit]
            found = rows.at(np.array(order, np.int64)).tuples(_FILE)
        return [CodeFile(*values) for values in found]

    def code_nodes(self, source_id: str, path: str) -> list[CodeNode]:
        """Return what is defined in a file, by line; what has none comes last, by name.

        Raises
        ------
        NotFoundError
            If there is no such source, or it has no such file.
        """
        with self._reading() as transaction:
            _, file = self._source_and_file(transaction, source_id, path)
            rows = transaction.lookup("cg_node", "cg_node_file_id_fkey_idx", file["id"])
        rows.sort(key=lambda row: (row["line_start"] is None, row["line_start"] or 0, *_by_name(row)))
        return [_node_of(row, file["path"]) for row in rows]

    def code_node(self, node_id: str) -> CodeNode | None:
        """Return a node, None if there is none of this id."""
        with self._reading() as transaction:
            row = transaction.get("cg_node", check_text(node_id, "node id"))
            return None if row is None else _node_of(row, _path_of(transaction, row))

    def find_code(
        self, name: str, *, source_id: str | None = None, kind: str | None = None, limit: int = 100
    ) -> list[CodeNode]:
        """Return the nodes with a name, in short or in full: those of files first, then by qualified name.

        Parameters
        ----------
        name : str
            The name, letter by letter.
        source_id : str, optional
            Only those of this source.
        kind : str, optional
            Only those of this kind.
        limit : int
            How many at most.

        Raises
        ------
        NotFoundError
            If there is no such source.
        """
        name, kind = check_text(name, "name"), optional_text(kind, "kind")
        limit = check_count("limit", limit)
        with self._reading() as transaction:
            if source_id is not None:
                source_id = self._row(transaction, "cg_source", source_id, "code source")["id"]
            rows = {
                row["id"]: row
                for index in ("cg_node_name", "cg_node_qualified")
                for row in transaction.lookup("cg_node", index, name)
                if (source_id is None or row["source_id"] == source_id)
                and (kind is None or row["kind"] == kind)
            }
            order = sorted(rows.values(), key=lambda row: (row["file_id"] is None, *_by_name(row)))
            return [_node_of(row, _path_of(transaction, row)) for row in order[:limit]]

    def callers(self, node_id: str, *, depth: int = 1, kind: str | None = CALLS) -> list[CodeStep]:
        """Return the nodes from which edges lead to a node: the nearest first, each once, then by qualified name.

        Parameters
        ----------
        node_id : str
            Where to begin; it is not in the answer, also if it calls itself.
        depth : int
            How many steps to go at most.
        kind : str or None
            Go only along edges of this kind; None along all.

        Raises
        ------
        NotFoundError
            If there is no such node.
        """
        return self._walk(node_id, depth, kind, "to_node", "from_node")

    def callees(self, node_id: str, *, depth: int = 1, kind: str | None = CALLS) -> list[CodeStep]:
        """Return the nodes to which edges lead from a node; everything else as in :meth:`callers`."""
        return self._walk(node_id, depth, kind, "from_node", "to_node")

    def code_hubs(self, source_id: str, limit: int = 20) -> list[CodeHub]:
        """Return the nodes in the files of a source that have most edges of all kinds, in and out.

        Parameters
        ----------
        source_id : str
            The source.
        limit : int
            How many at most.

        Raises
        ------
        NotFoundError
            If there is no such source.
        """
        limit = check_count("limit", limit)
        with self._reading() as transaction:
            source = self._row(transaction, "cg_source", source_id, "code source")["id"]
            rows = rows_of(transaction, "cg_node", "cg_node_source_id_fkey_idx", (source,))
            names = {
                node: name
                for node, file, name in rows.tuples(["id", "file_id", "qualified_name"])
                if file is not None
            }
            columns = ("node_id", "in_degree", "out_degree")
            degrees = transaction.read("cg_degree", columns)
            found = [
                (-into - out, -into, names[node], node, into, out)
                for node, into, out in zip(*(list(degrees[name]) for name in columns), strict=True)
                if into + out and node in names
            ]
            hubs = []
            for *_, node, into, out in sorted(found)[:limit]:
                row = self._row(transaction, "cg_node", node, "node")
                hubs.append(CodeHub(_node_of(row, _path_of(transaction, row)), int(into), int(out)))
        return hubs

    def _source_and_file(
        self, transaction: Transaction, source_id: Any, path: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        source = self._row(transaction, "cg_source", source_id, "code source")
        file = _file_of(transaction, source["id"], check_text(path, "path"))
        if file is None:
            raise NotFoundError(f"there is no file {path!r} in code source {source_id!r}")
        return source, file

    def _walk(self, node_id: Any, depth: Any, kind: Any, near: str, far: str) -> list[CodeStep]:
        depth, kind = check_count("depth", depth), optional_text(kind, "kind")
        with self._reading() as transaction:
            start = self._row(transaction, "cg_node", node_id, "node")["id"]
            met: dict[str, dict[str, Any]] = {}

            def steps(node: str) -> list[tuple[str, None]]:
                reached = []
                for edge in transaction.lookup("cg_edge", f"cg_edge_{near}_fkey_idx", node):
                    if kind is None or edge["kind"] == kind:
                        other = edge[far]
                        if other not in met:
                            met[other] = self._row(transaction, "cg_node", other, "node")
                        reached.append(other)
                return [(other, None) for other in sorted(reached, key=lambda one: _by_name(met[one]))]

            return [
                CodeStep(at, _node_of(met[node], _path_of(transaction, met[node])), via)
                for at, via, node, _ in nearest_first(start, depth, steps)
            ]


def _by_name(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["qualified_name"] or row["name"], row["id"]


def _file_of(transaction: Transaction, source_id: str, path: str) -> dict[str, Any] | None:
    rows = transaction.lookup("cg_file", "cg_file_path", path)
    return next((row for row in rows if row["source_id"] == source_id), None)


def _path_of(transaction: Transaction, node: Mapping[str, Any]) -> str | None:
    file = None if node["file_id"] is None else transaction.get("cg_file", node["file_id"])
    return None if file is None else str(file["path"])


def _node_of(row: Mapping[str, Any], path: str | None) -> CodeNode:
    named = {**row, "path": path, "qualified_name": row["qualified_name"] or row["name"]}
    return CodeNode(*(named[name] for name in _NODE))
