"""Files: what an agent did to them, and how well each session knows them.

::

    record_file_operation ──▶ file_operation     a row for each operation: what was done
                         └──▶ workspace_file     a row for each file of a session: what that comes to

**Understanding** is how well a session knows a file: ``unknown``, ``listed`` (it saw the name), ``read``, ``deep`` (it worked it through).
It rises with what is done, and never falls while the file is as the session knew it. A reading that finds another hash finds a file that
somebody else changed: then only that reading counts.

**The edit state** is what the session made of a file::

             write, edit                delete, move
    clean ───────────────▶ modified ───────────────────▶ deleted, moved
      ▲                        │                                 │
      └── set_workspace_file ──┘                                 │     write, edit: modified again
      └──────────────── read, list: it is there again ───────────┘

A move is of the path that the file leaves; what is done at the new path is an operation of that path. Reservations of files are in
file_reservations.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..engine import Transaction
from .branches import Conversation
from .choices import check_changes, check_choice, optional_choice
from .quantities import check_count, check_number
from .rows_in_order import Rows, page, rows_of, rows_where, walk
from .sessions import optional_text
from .texts import check_text
from .updates import update_row

OPERATIONS = READ, WRITE, EDIT, DELETE, LIST, MOVE = ("read", "write", "edit", "delete", "list", "move")
UNDERSTANDING = ("unknown", "listed", "read", "deep")
"""From least to most."""
DEPTHS = UNDERSTANDING[1:]
CLEAN, MODIFIED, DELETED, MOVED = EDIT_STATES = ("clean", "modified", "deleted", "moved")
_STATE_AFTER = {WRITE: MODIFIED, EDIT: MODIFIED, DELETE: DELETED, MOVE: MOVED}
_DEPTH_OF = {READ: "read", WRITE: "read", EDIT: "read"}


@dataclass(frozen=True)
class FileOperation:
    """Something that was done to a file.

    Attributes
    ----------
    id, session_id : str
        What it is, and in which session it was done.
    tool_call_id : str or None
        The tool call that did it.
    file_path, operation : str
        To which file, and what: ``"read"``, ``"write"``, ``"edit"``, ``"delete"``, ``"list"`` or ``"move"``.
    content_hash : str or None
        What stands for the file's content after it.
    diff : str or None
        What it changed.
    additions, deletions : int
        Lines that it added and took away.
    depth : str
        How closely the file was looked at: ``"listed"``, ``"read"`` or ``"deep"``.
    time_created : int
        Microseconds since the epoch, UTC.
    """

    id: str
    session_id: str
    tool_call_id: str | None
    file_path: str
    operation: str
    content_hash: str | None
    diff: str | None
    additions: int
    deletions: int
    depth: str
    time_created: int


@dataclass(frozen=True)
class WorkspaceFile:
    """A file as a session knows it.

    Attributes
    ----------
    session_id, file_path : str
        Which session, and which file.
    understanding : str
        How well it knows it: ``"unknown"``, ``"listed"``, ``"read"`` or ``"deep"``.
    relevance : float
        How much it matters to the session, 0 to 1.
    content_hash : str or None
        What stands for the content that it knows.
    last_read_turn, last_write_turn : str or None
        The turns in which it was read, and changed, last.
    edit_state : str
        What the session made of it: ``"clean"``, ``"modified"``, ``"deleted"`` or ``"moved"``.
    related_test : str or None
        The file that tests it.
    purpose : str or None
        What it is for.
    time_updated : int
        Microseconds since the epoch, UTC.
    """

    session_id: str
    file_path: str
    understanding: str
    relevance: float
    content_hash: str | None
    last_read_turn: str | None
    last_write_turn: str | None
    edit_state: str
    related_test: str | None
    purpose: str | None
    time_updated: int


_OPERATION, _FILE = ([field.name for field in fields(kind)] for kind in (FileOperation, WorkspaceFile))

FILE_CHANGES: dict[str, Callable[[Any], Any]] = {
    "relevance": lambda value: check_number("relevance", value, most=1.0),
    "understanding": lambda value: check_choice("understanding", value, UNDERSTANDING),
    "edit_state": lambda value: check_choice("edit_state", value, EDIT_STATES),
    "related_test": lambda value: optional_text(value, "related_test"),
    "purpose": lambda value: optional_text(value, "purpose"),
}


class Files(Conversation):
    """Records what is done to files."""

    def record_file_operation(
        self,
        session_id: str,
        file_path: str,
        operation: str,
        *,
        tool_call_id: str | None = None,
        content_hash: str | None = None,
        diff: str | None = None,
        additions: int = 0,
        deletions: int = 0,
        depth: str | None = None,
        turn_id: str | None = None,
    ) -> str:
        """Note what was done to a file, and how the session knows it now; return the operation's id.

        Parameters
        ----------
        session_id : str
            The session.
        file_path : str
            The file; paths are compared as they are.
        operation : str
            ``"read"``, ``"write"``, ``"edit"``, ``"delete"``, ``"list"`` or ``"move"``.
        tool_call_id : str, optional
            The tool call of the session that did it.
        content_hash : str, optional
            What stands for the file's content after it, in whatever form the caller makes it.
        diff : str, optional
            What it changed.
        additions, deletions : int
            Lines that it added and took away.
        depth : str, optional
            How closely the file was looked at: ``"listed"``, ``"read"`` or ``"deep"``. When left out, ``"read"`` for reading, writing
            and editing, else ``"listed"``.
        turn_id : str, optional
            The turn of the session in which it was done; that of the tool call when left out.

        Raises
        ------
        NotFoundError
            If there is no such session, or it has no such tool call or turn.
        InvalidArgumentError
            If there is no such operation or depth.
        """
        path = check_text(file_path, "file path")
        operation = check_choice("operation", operation, OPERATIONS)
        depth = optional_choice("depth", depth, DEPTHS) or _DEPTH_OF.get(operation, "listed")
        row: dict[str, Any] = {
            "file_path": path,
            "operation": operation,
            "content_hash": optional_text(content_hash, "content_hash"),
            "diff": None if diff is None else check_text(diff, "diff", blank=True),
            "additions": check_count("additions", additions),
            "deletions": check_count("deletions", deletions),
            "depth": depth,
        }
        now = self._clock.now()
        operation_id = self._ids.new("fop_")
        with self._writing() as transaction:
            session = self._row(transaction, "session", session_id, "session")["id"]
            turn = None if turn_id is None else self._turn(transaction, session, turn_id)["id"]
            if tool_call_id is not None:
                call = self._row(transaction, "tool_call", tool_call_id, "tool call")
                call = self._of_session(transaction, call, session, "tool call")
                row["tool_call_id"] = call["id"]
                turn = turn or call["turn_id"]
            place = {"id": operation_id, "session_id": session}
            transaction.insert("file_operation", {**place, **row, "time_created": now})
            known = transaction.get("workspace_file", (session, path))
            _keep(transaction, session, path, known, _known_after(known, row, turn), now)
        return operation_id

    def file_operations(
        self,
        *,
        session_id: str | None = None,
        file_path: str | None = None,
        operation: str | None = None,
        limit: int = 100,
    ) -> list[FileOperation]:
        """Return operations on files, the newest first.

        Parameters
        ----------
        session_id, file_path : str, optional
            Only those of this session, and of this file.
        operation : str, optional
            Only those of this kind.
        limit : int
            How many at most.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        path = optional_text(file_path, "file path")
        wanted = {"file_path": path, "operation": optional_choice("operation", operation, OPERATIONS)}
        limit = check_count("limit", limit)
        with self._reading() as transaction:
            if session_id is not None:
                key = (self._row(transaction, "session", session_id, "session")["id"],)
                parts = walk(transaction, "file_operation", "file_operation_session", key, descending=True)
            elif path is not None:
                rows = rows_of(transaction, "file_operation", "file_operation_path", (path,))
                parts = iter([rows.in_order(descending=True)])
            else:
                parts = iter([rows_where(transaction, "file_operation", wanted).in_order(descending=True)])
            found = page((_with(rows, wanted) for rows in parts), _OPERATION, limit)
        return [FileOperation(*values) for values in found]

    def workspace_files(
        self,
        session_id: str,
        *,
        edit_state: str | None = None,
        understanding: str | None = None,
        limit: int = 100,
    ) -> list[WorkspaceFile]:
        """Return the files that a session knows: those that matter most first, then by path.

        Parameters
        ----------
        session_id : str
            The session.
        edit_state : str, optional
            Only those that are ``"clean"``, ``"modified"``, ``"deleted"`` or ``"moved"``.
        understanding : str, optional
            Only those that are ``"unknown"``, ``"listed"``, ``"read"`` or ``"deep"``.
        limit : int
            How many at most.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        given = {
            "edit_state": optional_choice("edit_state", edit_state, EDIT_STATES),
            "understanding": optional_choice("understanding", understanding, UNDERSTANDING),
        }
        limit = check_count("limit", limit)
        with self._reading() as transaction:
            session = self._row(transaction, "session", session_id, "session")["id"]
            rows = rows_where(transaction, "workspace_file", {"session_id": session, **given})
            order = list(zip((-rows.array("relevance")).tolist(), rows.values("file_path"), strict=True))
            places = sorted(range(len(rows)), key=order.__getitem__)[:limit]
            found = rows.at(np.array(places, np.int64)).tuples(_FILE)
        return [WorkspaceFile(*values) for values in found]

    def set_workspace_file(self, session_id: str, file_path: str, **changes: Any) -> None:
        """Say something of a file that a session knows, or is to know.

        Parameters
        ----------
        session_id, file_path : str
            The session, and the file.
        **changes
            ``relevance`` (0 to 1), ``understanding``, ``edit_state``, ``related_test`` and ``purpose``; None empties the last two. What
            is left out stays.

        Raises
        ------
        NotFoundError
            If there is no such session.
        InvalidArgumentError
            If there is no such change, or its value cannot be.
        """
        path = check_text(file_path, "file path")
        checked = check_changes("file of a session", changes, FILE_CHANGES)
        with self._writing() as transaction:
            session = self._row(transaction, "session", session_id, "session")["id"]
            known = transaction.get("workspace_file", (session, path))
            _keep(transaction, session, path, known, checked, self._clock.now())


def _with(rows: Rows, wanted: Mapping[str, str | None]) -> Rows:
    for name, value in wanted.items():
        rows = rows if value is None else rows.where(name, value)
    return rows


def _known_after(
    known: Mapping[str, Any] | None, operation: Mapping[str, Any], turn: str | None
) -> dict[str, Any]:
    """Return what an operation changes of how a session knows a file."""
    kind, depth, found = operation["operation"], operation["depth"], operation["content_hash"]
    changes: dict[str, Any] = {}
    before = "unknown" if known is None else known["understanding"]
    state = CLEAN if known is None else known["edit_state"]
    of = None if known is None else known["content_hash"]
    own = kind in _STATE_AFTER
    if not own and found is not None and of is not None and found != of:
        before = "unknown"  # somebody else changed it
    changes["understanding"] = max(before, depth, key=_rank)
    if found is not None:
        changes["content_hash"] = found
    if own:
        changes["edit_state"] = _STATE_AFTER[kind]
    elif state in (DELETED, MOVED):
        changes["edit_state"] = CLEAN
    if turn is not None and (own or kind == READ):
        changes["last_write_turn" if own else "last_read_turn"] = turn
    return changes


def _rank(understanding: str) -> int:
    return UNDERSTANDING.index(understanding) if understanding in UNDERSTANDING else 0


def _keep(
    transaction: Transaction,
    session_id: str,
    path: str,
    known: Mapping[str, Any] | None,
    changes: Mapping[str, Any],
    now: int,
) -> None:
    """Write what is known of a file of a session."""
    key = (session_id, path)
    if known is None:
        place = {"session_id": session_id, "file_path": path}
        transaction.insert("workspace_file", {**place, **changes, "time_updated": now})
    else:
        update_row(transaction, "workspace_file", known, now, changes, key=key)
