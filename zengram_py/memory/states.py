"""States: what a tree of files looked like, what of a project was put aside, and where agents work.

::

    snapshot         a state of a session's files, by the hash of their tree:   ses_1  before turn 3  9f2c…
    state_snapshot   a state of a project that was put aside:                   "memory", version 2, in s3://…
    environment      where code runs, and what it may use:                      a container, ready
    workspace        where sessions of a project work:                          a worktree of branch "fix"

These are notes: the states themselves lie elsewhere, and nothing here makes or reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from .branches import Conversation
from .choices import check_changes
from .json_values import check_json
from .projects import ensure_project, optional_project_id, project_id_of
from .quantities import check_count
from .rows_in_order import newest_where, page, rows_where, walk
from .sessions import optional_text
from .texts import check_text
from .updates import update_row


@dataclass(frozen=True)
class Snapshot:
    """A state of a session's files.

    Attributes
    ----------
    id, session_id : str
        What it is, and of which session.
    turn_id : str or None
        The turn at which it was.
    tree_hash, type : str
        What stands for the tree of files, and what kind of state it is.
    additions, deletions, files_changed : int
        Lines and files that differ from the state before.
    time_created : int
        Microseconds since the epoch, UTC.
    """

    id: str
    session_id: str
    turn_id: str | None
    tree_hash: str
    type: str
    additions: int
    deletions: int
    files_changed: int
    time_created: int


@dataclass(frozen=True)
class StateSnapshot:
    """A state of a project that was put aside.

    Attributes
    ----------
    id : str
        Its id.
    project_id : str or None
        The project.
    type : str
        What it is a state of.
    version : int
        Counted from 1 for each project and type, unless the caller said otherwise.
    includes, path_mappings : JSON value
        What is in it, and which paths were given others.
    location : str
        Where it lies.
    size_bytes : int or None
        Its size, bytes.
    checksum : str or None
        What its bytes are known by.
    status : str
        ``"active"``, or what the caller said.
    time_created : int
        Microseconds since the epoch, UTC.
    """

    id: str
    project_id: str | None
    type: str
    version: int
    includes: Any
    path_mappings: Any
    location: str
    size_bytes: int | None
    checksum: str | None
    status: str
    time_created: int


@dataclass(frozen=True)
class Environment:
    """Where code runs.

    Attributes
    ----------
    id : str
        Its id.
    session_id, project_id : str or None
        For which session, and project.
    type, status : str
        What kind it is, and how it is.
    snapshot_ref : str or None
        The state from which it was made.
    setup_script, working_dir : str or None
        What sets it up, and where code begins in it.
    resource_budget, resource_used : JSON value
        What it may use, and has used.
    time_created, time_updated : int
        Microseconds since the epoch, UTC.
    """

    id: str
    session_id: str | None
    project_id: str | None
    type: str
    status: str
    snapshot_ref: str | None
    setup_script: str | None
    working_dir: str | None
    resource_budget: Any
    resource_used: Any
    time_created: int
    time_updated: int


@dataclass(frozen=True)
class Workspace:
    """Where sessions of a project work.

    Attributes
    ----------
    id, project_id, type : str
        What it is, of which project, and of what kind.
    branch, name, directory : str or None
        The branch of the version control, what to call it, and where it is.
    extra : JSON value
        Anything else.
    time_created, time_updated : int
        Microseconds since the epoch, UTC.
    """

    id: str
    project_id: str
    type: str
    branch: str | None
    name: str | None
    directory: str | None
    extra: Any
    time_created: int
    time_updated: int


_SNAPSHOT, _STATE, _ENVIRONMENT, _WORKSPACE = (
    [field.name for field in fields(kind)] for kind in (Snapshot, StateSnapshot, Environment, Workspace)
)

ENVIRONMENT_CHANGES: dict[str, Callable[[Any], Any]] = {
    "status": lambda value: check_text(value, "status"),
    "snapshot_ref": lambda value: optional_text(value, "snapshot_ref"),
    "setup_script": lambda value: optional_text(value, "setup_script"),
    "working_dir": lambda value: optional_text(value, "working_dir"),
    "resource_budget": lambda value: check_json(value, "resource_budget"),
    "resource_used": lambda value: check_json(value, "resource_used"),
}


class States(Conversation):
    """Notes states of files and projects, environments and workspaces."""

    def record_snapshot(
        self,
        session_id: str,
        tree_hash: str,
        type: str,
        *,
        turn_id: str | None = None,
        additions: int = 0,
        deletions: int = 0,
        files_changed: int = 0,
    ) -> str:
        """Note a state of a session's files; return its id.

        Parameters
        ----------
        session_id : str
            The session.
        tree_hash : str
            What stands for the tree of files.
        type : str
            What kind of state it is, such as ``"before"`` or ``"after"``.
        turn_id : str, optional
            The turn of the session at which it was.
        additions, deletions, files_changed : int
            Lines and files that differ from the state before.

        Raises
        ------
        NotFoundError
            If there is no such session, or it has no such turn.
        """
        row: dict[str, Any] = {
            "tree_hash": check_text(tree_hash, "tree hash"),
            "type": check_text(type, "type"),
            "additions": check_count("additions", additions),
            "deletions": check_count("deletions", deletions),
            "files_changed": check_count("files_changed", files_changed),
            "time_created": self._clock.now(),
        }
        snapshot_id = self._ids.new("snp_")
        with self._writing() as transaction:
            row["session_id"] = self._row(transaction, "session", session_id, "session")["id"]
            if turn_id is not None:
                row["turn_id"] = self._turn(transaction, row["session_id"], turn_id)["id"]
            transaction.insert("snapshot", {"id": snapshot_id, **row})
        return snapshot_id

    def snapshots(self, session_id: str, *, type: str | None = None, limit: int = 100) -> list[Snapshot]:
        """Return the states of a session's files, the newest first.

        Parameters
        ----------
        session_id : str
            The session.
        type : str, optional
            Only those of this kind.
        limit : int
            How many at most.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        type, limit = optional_text(type, "type"), check_count("limit", limit)
        with self._reading() as transaction:
            key = (self._row(transaction, "session", session_id, "session")["id"],)
            parts = walk(transaction, "snapshot", "snapshot_session", key, descending=True)
            wanted = (rows if type is None else rows.where("type", type) for rows in parts)
            found = page(wanted, _SNAPSHOT, limit)
        return [Snapshot(*values) for values in found]

    def add_state_snapshot(
        self,
        type: str,
        location: str,
        *,
        project_id: str | None = None,
        version: int | None = None,
        includes: Any = None,
        path_mappings: Any = None,
        size_bytes: int | None = None,
        checksum: str | None = None,
        status: str = "active",
    ) -> str:
        """Note a state that was put aside; return its id.

        Parameters
        ----------
        type, location : str
            What it is a state of, and where it lies.
        project_id : str, optional
            The project, made unless it is there.
        version : int, optional
            Its number; the next one of this project and type when left out.
        includes, path_mappings : JSON value, optional
            What is in it, and which paths were given others.
        size_bytes : int, optional
            Its size, bytes.
        checksum : str, optional
            What its bytes are known by.
        status : str
            How it is.

        Raises
        ------
        InvalidArgumentError
            If something given cannot be.
        """
        project = optional_project_id(project_id)
        row: dict[str, Any] = {
            "project_id": project,
            "type": check_text(type, "type"),
            "version": None if version is None else check_count("version", version),
            "includes": check_json(includes, "includes"),
            "path_mappings": check_json(path_mappings, "path_mappings"),
            "location": check_text(location, "location"),
            "size_bytes": None if size_bytes is None else check_count("size_bytes", size_bytes),
            "checksum": optional_text(checksum, "checksum"),
            "status": check_text(status, "status"),
            "time_created": self._clock.now(),
        }
        state_id = self._ids.new("sts_")
        with self._writing() as transaction:
            if project is not None:
                ensure_project(transaction, project, row["time_created"])
            if row["version"] is None:
                known = rows_where(transaction, "state_snapshot", {"type": row["type"]})
                of_project = zip(known.values("project_id"), known.values("version"), strict=True)
                row["version"] = 1 + max((number for of, number in of_project if of == project), default=0)
            transaction.insert("state_snapshot", {"id": state_id, **row})
        return state_id

    def state_snapshots(
        self,
        *,
        project_id: str | None = None,
        type: str | None = None,
        status: str | None = None,
        limit: int = 100,
    ) -> list[StateSnapshot]:
        """Return the states that were put aside, the newest first.

        Parameters
        ----------
        project_id, type, status : str, optional
            Only those of this project, this type, and that are so.
        limit : int
            How many at most.
        """
        wanted = {
            "project_id": optional_project_id(project_id),
            "type": optional_text(type, "type"),
            "status": optional_text(status, "status"),
        }
        return [StateSnapshot(*values) for values in self._newest("state_snapshot", wanted, _STATE, limit)]

    def add_environment(
        self,
        type: str,
        *,
        status: str = "ready",
        session_id: str | None = None,
        project_id: str | None = None,
        snapshot_ref: str | None = None,
        setup_script: str | None = None,
        working_dir: str | None = None,
        resource_budget: Any = None,
        resource_used: Any = None,
    ) -> str:
        """Note where code runs; return the environment's id.

        Parameters
        ----------
        type : str
            What kind it is, such as ``"container"``.
        status : str
            How it is.
        session_id : str, optional
            For which session.
        project_id : str, optional
            For which project, made unless it is there; the session's when left out.
        snapshot_ref, setup_script, working_dir : str, optional
            The state from which it was made, what sets it up, and where code begins in it.
        resource_budget, resource_used : JSON value, optional
            What it may use, and has used.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        project = optional_project_id(project_id)
        row: dict[str, Any] = {
            "type": check_text(type, "type"),
            "status": check_text(status, "status"),
            "snapshot_ref": optional_text(snapshot_ref, "snapshot_ref"),
            "setup_script": optional_text(setup_script, "setup_script"),
            "working_dir": optional_text(working_dir, "working_dir"),
            "resource_budget": check_json(resource_budget, "resource_budget"),
            "resource_used": check_json(resource_used, "resource_used"),
        }
        now = self._clock.now()
        environment_id = self._ids.new("env_")
        with self._writing() as transaction:
            if session_id is not None:
                session = self._row(transaction, "session", session_id, "session")
                row["session_id"] = session["id"]
                project = project or session["project_id"]
            if project is not None:
                ensure_project(transaction, project, now)
            place = {"id": environment_id, "project_id": project}
            transaction.insert("environment", {**place, **row, "time_created": now, "time_updated": now})
        return environment_id

    def update_environment(self, environment_id: str, **changes: Any) -> None:
        """Change what is noted of an environment.

        Parameters
        ----------
        environment_id : str
            The environment.
        **changes
            ``status``, ``snapshot_ref``, ``setup_script``, ``working_dir``, ``resource_budget`` and ``resource_used``; None empties all but
            the status. What is left out stays.

        Raises
        ------
        NotFoundError
            If there is no such environment.
        InvalidArgumentError
            If there is no such change, or its value cannot be.
        """
        checked = check_changes("environment", changes, ENVIRONMENT_CHANGES)
        with self._writing() as transaction:
            row = self._row(transaction, "environment", environment_id, "environment")
            update_row(transaction, "environment", row, self._clock.now(), checked)

    def environments(
        self,
        *,
        session_id: str | None = None,
        project_id: str | None = None,
        status: str | None = None,
        limit: int = 100,
    ) -> list[Environment]:
        """Return environments, the newest first.

        Parameters
        ----------
        session_id, project_id, status : str, optional
            Only those for this session, this project, and that are so.
        limit : int
            How many at most.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        wanted = {
            "session_id": optional_text(session_id, "session id"),
            "project_id": optional_project_id(project_id),
            "status": optional_text(status, "status"),
        }
        return [Environment(*values) for values in self._newest("environment", wanted, _ENVIRONMENT, limit)]

    def add_workspace(
        self,
        project_id: str,
        type: str,
        *,
        branch: str | None = None,
        name: str | None = None,
        directory: str | None = None,
        extra: Any = None,
    ) -> str:
        """Note where sessions of a project work; return the workspace's id.

        Parameters
        ----------
        project_id : str
            The project, made unless it is there.
        type : str
            What kind it is, such as ``"worktree"``.
        branch, name, directory : str, optional
            The branch of the version control, what to call it, and where it is.
        extra : JSON value, optional
            Anything else.

        Raises
        ------
        InvalidArgumentError
            If something given cannot be.
        """
        project = project_id_of(check_text(project_id, "project id"))
        row: dict[str, Any] = {
            "project_id": project,
            "type": check_text(type, "type"),
            "branch": optional_text(branch, "branch"),
            "name": optional_text(name, "name"),
            "directory": optional_text(directory, "directory"),
            "extra": check_json(extra, "extra"),
        }
        now = self._clock.now()
        workspace_id = self._ids.new("wsp_")
        with self._writing() as transaction:
            ensure_project(transaction, project, now)
            transaction.insert(
                "workspace", {"id": workspace_id, **row, "time_created": now, "time_updated": now}
            )
        return workspace_id

    def workspaces(self, *, project_id: str | None = None, limit: int = 100) -> list[Workspace]:
        """Return workspaces, the newest first.

        Parameters
        ----------
        project_id : str, optional
            Only those of this project.
        limit : int
            How many at most.
        """
        wanted = {"project_id": optional_project_id(project_id)}
        return [Workspace(*values) for values in self._newest("workspace", wanted, _WORKSPACE, limit)]

    def _newest(
        self, table: str, wanted: dict[str, str | None], columns: list[str], limit: int
    ) -> list[tuple[Any, ...]]:
        limit = check_count("limit", limit)
        with self._reading() as transaction:
            if wanted.get("session_id") is not None:
                self._row(transaction, "session", wanted["session_id"], "session")
            return newest_where(transaction, table, wanted, columns, limit)
