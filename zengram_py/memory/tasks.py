"""Tasks: what is to be done, by whom, and what has to be done before.

::

    add_task ──▶ pending ◀──▶ in_progress ──┬──▶ completed ──▶ pending        what was closed can be opened again
                    ▲              ▲        └──▶ cancelled ──▶ pending
                    └──▶ blocked ◀─┘

A pending task may also be completed or cancelled at once, and a blocked one cancelled.

A task **depends** on others. One that it needs (``"blocks"``) has to be completed before it may be in progress or completed; one that it
has to do with (``"relates"``) is only noted. Who needs whom is a graph without rings, else nothing on the ring could ever begin::

    write tests ──blocks──▶ release        release depends on write tests: it is ready once they are completed
    choose name ──blocks──▶ release        a cancelled one still blocks: take the dependency away, or open it again

The status ``"blocked"`` is something else: somebody said so, for a reason that is not among the tasks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..engine import Transaction
from ..errors import InvalidArgumentError, NotFoundError, StateError
from .base import Following
from .branches import TURN_INDEX, Conversation
from .choices import check_changes, check_choice, optional_choice
from .options import check_labels
from .quantities import check_count
from .rows_in_order import Rows, all_rows, rows_of
from .sessions import optional_text
from .texts import check_text

PENDING, IN_PROGRESS, BLOCKED, COMPLETED, CANCELLED = STATUSES = (
    "pending",
    "in_progress",
    "blocked",
    "completed",
    "cancelled",
)
NEXT: Following = {
    PENDING: (IN_PROGRESS, COMPLETED, CANCELLED, BLOCKED),
    IN_PROGRESS: (COMPLETED, CANCELLED, BLOCKED, PENDING),
    BLOCKED: (PENDING, IN_PROGRESS, CANCELLED),
    COMPLETED: (PENDING,),
    CANCELLED: (PENDING,),
}
PRIORITIES = ("critical", "high", "medium", "low")
"""The most urgent first."""
BLOCKS, RELATES = DEPENDENCIES = ("blocks", "relates")
TARGET = "target"


@dataclass(frozen=True)
class TaskDependency:
    """What a task depends on: a task, and how: ``"blocks"`` or ``"relates"``."""

    task_id: str
    type: str


@dataclass(frozen=True)
class TaskFile:
    """A file that a task is about, and as what: ``"target"``, or what the caller said."""

    path: str
    role: str


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes
    ----------
    id : str
        What it is.
    session_id, project_id, parent_task_id : str or None
        Where it belongs, and which task it is a part of.
    title : str
        What is to be done, in short.
    description : str or None
        The same at length.
    priority : str
        ``"critical"``, ``"high"``, ``"medium"`` or ``"low"``.
    status : str
        ``"pending"``, ``"in_progress"``, ``"blocked"``, ``"completed"`` or ``"cancelled"``.
    assigned_agent, assigned_branch : str or None
        Who does it, and on which session branch.
    acceptance, verification : str or None
        When it is done, and how to find out.
    source_turn_id, completion_turn : str or None
        The turns in which it came up and was completed.
    estimated_turns, actual_turns : int or None
        How many turns it was thought to take, and how many its session had from its start to its end.
    depends_on : tuple of TaskDependency
        What it depends on.
    files : tuple of TaskFile
        What it is about.
    time_created : int
        Microseconds since the epoch, UTC.
    time_started, time_completed : int or None
        Likewise: when it was in progress first, and when it was completed.
    """

    id: str
    session_id: str | None
    project_id: str | None
    parent_task_id: str | None
    title: str
    description: str | None
    priority: str
    status: str
    assigned_agent: str | None
    assigned_branch: str | None
    acceptance: str | None
    verification: str | None
    source_turn_id: str | None
    completion_turn: str | None
    estimated_turns: int | None
    actual_turns: int | None
    depends_on: tuple[TaskDependency, ...]
    files: tuple[TaskFile, ...]
    time_created: int
    time_started: int | None
    time_completed: int | None


_TASK = ("task", "status", "task")
_COLUMNS = [field.name for field in fields(Task) if field.name not in ("depends_on", "files")]


class Tasks(Conversation):
    """Keeps tasks, and says which can be done."""

    def add_task(
        self,
        title: str,
        *,
        session_id: str | None = None,
        project_id: str | None = None,
        parent_task_id: str | None = None,
        description: str | None = None,
        priority: str = "medium",
        assigned_agent: str | None = None,
        assigned_branch: str | None = None,
        acceptance: str | None = None,
        verification: str | None = None,
        source_turn_id: str | None = None,
        estimated_turns: int | None = None,
        depends_on: str | Iterable[str] = (),
        files: Any = (),
    ) -> str:
        """Add a task; return its id. It is pending.

        Parameters
        ----------
        title : str
            What is to be done, in short.
        session_id, project_id : str, optional
            Where it belongs; a session brings its project.
        parent_task_id : str, optional
            The task that it is a part of.
        description : str, optional
            What is to be done, at length.
        priority : str
            ``"critical"``, ``"high"``, ``"medium"`` or ``"low"``.
        assigned_agent, assigned_branch : str, optional
            Who does it, and on which session branch.
        acceptance, verification : str, optional
            When it is done, and how to find out.
        source_turn_id : str, optional
            The turn in which it came up; of the session, if there is one.
        estimated_turns : int, optional
            How many turns it may take.
        depends_on : str or iterable of str
            Tasks that have to be completed before.
        files : iterable of str or of mappings
            Paths, or ``{"path": …, "role": …}``; the role is ``"target"`` when left out.

        Raises
        ------
        NotFoundError
            If something that it names is not there, or not in the session or project.
        """
        given = {
            "title": title,
            "description": description,
            "priority": priority,
            "assigned_agent": assigned_agent,
            "assigned_branch": assigned_branch,
            "acceptance": acceptance,
            "verification": verification,
            "estimated_turns": estimated_turns,
        }
        row = check_changes("task", given, TASK_CHANGES)
        needed = check_labels("depends_on", depends_on)
        about = _check_files(files)
        task_id = self._ids.new("tsk_")
        with self._writing() as transaction:
            row |= self._place(transaction, project_id, session_id)
            self._check_branch(transaction, row)
            if source_turn_id is not None:
                row["source_turn_id"] = (
                    self._row(transaction, "turn", source_turn_id, "turn")["id"]
                    if session_id is None
                    else self._turn(transaction, session_id, source_turn_id)["id"]
                )
            if parent_task_id is not None:
                row["parent_task_id"] = self._row(transaction, "task", parent_task_id, "task")["id"]
            transaction.insert("task", {"id": task_id, **row, "time_created": self._clock.now()})
            for other in needed:
                other = self._row(transaction, "task", other, "task")["id"]
                transaction.insert("task_dependency", {"task_id": task_id, "depends_on": other})
            for path, role in about.items():
                transaction.insert("task_file", {"task_id": task_id, "file_path": path, "role": role})
        return task_id

    def update_task(self, task_id: str, **changes: Any) -> None:
        """Change what a task says of itself; what is not named stays.

        Parameters
        ----------
        task_id : str
            The task.
        **changes
            ``title``, ``description``, ``priority``, ``assigned_agent``, ``assigned_branch``, ``acceptance``, ``verification`` and
            ``estimated_turns``; None empties all but ``title`` and ``priority``.

        Raises
        ------
        InvalidArgumentError
            If there is no such thing to change.
        NotFoundError
            If there is no such task, or no such branch.
        """
        checked = check_changes("task", changes, TASK_CHANGES)
        with self._writing() as transaction:
            row = self._row(transaction, "task", task_id, "task")
            self._check_branch(transaction, checked)
            if checked:
                transaction.update("task", row["id"], checked)

    def set_task_status(self, task_id: str, status: str, *, turn_id: str | None = None) -> None:
        """Begin, complete, block, cancel or open a task again.

        Its start is noted once. A completed one has a time, a turn, and the number of turns that its session had since it was started;
        opening it again takes these away.

        Parameters
        ----------
        task_id : str
            The task.
        status : str
            What it becomes.
        turn_id : str, optional
            The turn in which that happens; kept of a task that is completed.

        Raises
        ------
        NotFoundError
            If there is no such task or turn.
        StateError
            If there is no way from what it is to that, or it is to begin or be completed and a task that it needs is not completed.
        """
        status = check_choice("status", status, STATUSES)
        with self._writing() as transaction:
            row = self._that_can_become(transaction, _TASK, task_id, status, NEXT)
            turn = None if turn_id is None else self._row(transaction, "turn", turn_id, "turn")["id"]
            changes: dict[str, Any] = {"status": status}
            started = row["time_started"]
            now = max(self._clock.now(), row["time_created"], started or 0)
            if status in (IN_PROGRESS, COMPLETED):
                needed = _dependencies(transaction, {row["id"]}).get(row["id"], ())
                open_task = next(_open_ones(transaction, needed, {}), None)
                if open_task is not None:
                    raise StateError(
                        f"task {row['id']!r} cannot become {status}: "
                        f"it needs task {open_task['id']!r}, which is {open_task['status']}"
                    )
            if status == IN_PROGRESS and started is None:
                changes["time_started"] = now
            if status == COMPLETED:
                turns = None
                if started is not None and row["session_id"] is not None:
                    turns = _turns_between(transaction, row["session_id"], started, now)
                changes |= {"time_completed": now, "completion_turn": turn, "actual_turns": turns}
            elif row["status"] == COMPLETED:
                changes |= {"time_completed": None, "completion_turn": None, "actual_turns": None}
            transaction.update("task", row["id"], changes)

    def add_task_dependency(self, task_id: str, depends_on: str, *, type: str = "blocks") -> None:
        """Note that a task depends on another one; on one that it depends on already, in this way from now on.

        Parameters
        ----------
        task_id, depends_on : str
            The task, and the one that it depends on.
        type : str
            ``"blocks"``: that one has to be completed before; ``"relates"``: they have to do with each other.

        Raises
        ------
        InvalidArgumentError
            If tasks would block each other in a ring; the message names it.
        NotFoundError
            If one of them is not there.
        """
        kind = check_choice("type", type, DEPENDENCIES)
        with self._writing() as transaction:
            key = (
                self._row(transaction, "task", task_id, "task")["id"],
                self._row(transaction, "task", depends_on, "task")["id"],
            )
            if key[0] == key[1]:
                raise InvalidArgumentError(f"task {key[0]!r} cannot depend on itself")
            if kind == BLOCKS:
                ring = _ring(transaction, *key)
                if ring:
                    raise InvalidArgumentError(f"tasks would block each other: {' -> '.join(ring)}")
            row = {"task_id": key[0], "depends_on": key[1], "type": kind}
            if transaction.get("task_dependency", key) is None:
                transaction.insert("task_dependency", row)
            else:
                transaction.update("task_dependency", key, {"type": kind})

    def remove_task_dependency(self, task_id: str, depends_on: str) -> None:
        """Take away that a task depends on another one.

        Raises
        ------
        NotFoundError
            If there is no such task, or it does not depend on that one.
        """
        other = check_text(depends_on, "depends_on")
        with self._writing() as transaction:
            task = self._row(transaction, "task", task_id, "task")["id"]
            if transaction.get("task_dependency", (task, other)) is None:
                raise NotFoundError(f"task {task!r} does not depend on {other!r}")
            transaction.delete("task_dependency", (task, other))

    def add_task_file(self, task_id: str, path: str, *, role: str = "target") -> None:
        """Note that a task is about a file; a file that it is about already has this role from now on.

        Parameters
        ----------
        task_id, path : str
            The task, and the file.
        role : str
            As what it is about it, such as ``"target"`` or ``"test"``.

        Raises
        ------
        NotFoundError
            If there is no such task.
        """
        path, role = check_text(path, "path"), check_text(role, "role")
        with self._writing() as transaction:
            key = (self._row(transaction, "task", task_id, "task")["id"], path)
            if transaction.get("task_file", key) is None:
                transaction.insert("task_file", {"task_id": key[0], "file_path": path, "role": role})
            else:
                transaction.update("task_file", key, {"role": role})

    def remove_task_file(self, task_id: str, path: str) -> None:
        """Take away that a task is about a file.

        Raises
        ------
        NotFoundError
            If there is no such task, or it is not about that file.
        """
        path = check_text(path, "path")
        with self._writing() as transaction:
            key = (self._row(transaction, "task", task_id, "task")["id"], path)
            if transaction.get("task_file", key) is None:
                raise NotFoundError(f"task {key[0]!r} is not about file {path!r}")
            transaction.delete("task_file", key)

    def task(self, task_id: str) -> Task | None:
        """Return a task, None if there is none of this id."""
        with self._reading() as transaction:
            row = transaction.get("task", check_text(task_id, "task id"))
            return None if row is None else _tasks_of(transaction, [row])[0]

    def tasks(
        self,
        *,
        session_id: str | None = None,
        project_id: str | None = None,
        status: str | None = None,
        assigned_agent: str | None = None,
        parent_task_id: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Task]:
        """Return tasks, the most urgent first; those that are equally urgent from the oldest on.

        Parameters
        ----------
        session_id, project_id : str, optional
            Only those of this session, or of this project: those of its sessions too.
        status : str, optional
            Only those that are ``"pending"``, ``"in_progress"``, ``"blocked"``, ``"completed"`` or ``"cancelled"``.
        assigned_agent, parent_task_id : str, optional
            Only those that this agent is to do, or that are parts of this task.
        limit, offset : int
            How many at most, after leaving out how many.

        Raises
        ------
        NotFoundError
            If there is no such session, project or parent.
        """
        status = optional_choice("status", status, STATUSES)
        agent = optional_text(assigned_agent, "assigned_agent")
        limit, offset = check_count("limit", limit), check_count("offset", offset)
        with self._reading() as transaction:
            found = self._found(transaction, project_id, session_id, status)
            if agent is not None:
                found = found.where("assigned_agent", agent)
            if parent_task_id is not None:
                parent = self._row(transaction, "task", parent_task_id, "task")["id"]
                found = found.where("parent_task_id", parent)
            return _tasks_of(transaction, _most_urgent(found, slice(offset, offset + limit)))

    def ready_tasks(
        self, *, session_id: str | None = None, project_id: str | None = None, limit: int = 100
    ) -> list[Task]:
        """Return the pending tasks that can begin, the most urgent first: every task that they need is completed.

        Parameters
        ----------
        session_id, project_id : str, optional
            Only those of this session, or of this project: those of its sessions too.
        limit : int
            How many at most.

        Raises
        ------
        NotFoundError
            If there is no such session or project.
        """
        limit = check_count("limit", limit)
        ready: list[dict[str, Any]] = []
        with self._reading() as transaction:
            pending = _most_urgent(self._found(transaction, project_id, session_id, PENDING), slice(None))
            needed = _dependencies(transaction, {row["id"] for row in pending})
            known: dict[str, Any] = {}
            for row in pending:
                if len(ready) == limit:
                    break
                if next(_open_ones(transaction, needed.get(row["id"], ()), known), None) is None:
                    ready.append(row)
            return _tasks_of(transaction, ready)

    def _found(self, transaction: Transaction, project_id: Any, session_id: Any, status: str | None) -> Rows:
        """Return the tasks of a session or a project, or all, that have a status."""
        place = self._place(transaction, project_id, session_id)
        for index, owner in (("task_session", place["session_id"]), ("task_project", place["project_id"])):
            if owner is not None:
                key = (owner,) if status is None else (owner, status)
                return rows_of(transaction, "task", index, key)
        found = all_rows(transaction, "task")
        return found if status is None else found.where("status", status)

    def _check_branch(self, transaction: Transaction, row: Mapping[str, Any]) -> None:
        if row.get("assigned_branch") is not None:
            self._row(transaction, "branch", row["assigned_branch"], "branch")


def _optional(name: str) -> Any:
    return lambda value: optional_text(value, name)


TASK_CHANGES = {
    "title": lambda value: check_text(value, "title"),
    "priority": lambda value: check_choice("priority", value, PRIORITIES),
    "estimated_turns": lambda value: None if value is None else check_count("estimated_turns", value),
    **{
        name: _optional(name)
        for name in ("description", "assigned_agent", "assigned_branch", "acceptance", "verification")
    },
}
"""What can be changed of a task, and how it is checked."""


def _check_files(files: Any) -> dict[str, str]:
    """Return the roles of files by their paths."""
    if isinstance(files, (str, Mapping)):
        files = [files]
    if not isinstance(files, Iterable) or isinstance(files, (bytes, bytearray)):
        raise InvalidArgumentError(f"files must be a list of paths, not a {type(files).__name__}")
    found = {}
    for one in files:
        path, role = one, TARGET
        if isinstance(one, Mapping):
            unknown = next((name for name in one if name not in ("path", "role")), None)
            if unknown is not None:
                raise InvalidArgumentError(f"each of files has a path and a role, and no {unknown!r}")
            path, role = one.get("path"), one.get("role", TARGET)
        found[check_text(path, "path of each of files")] = check_text(role, "role of each of files")
    return found


def _dependencies(transaction: Transaction, tasks: Collection[str]) -> dict[str, list[TaskDependency]]:
    """Return what some tasks depend on, by the task."""
    found: dict[str, list[TaskDependency]] = {}
    links = transaction.read("task_dependency", ["task_id", "depends_on", "type"]) if tasks else {}
    for task, other, kind in sorted(zip(*links.values(), strict=True)):
        if task in tasks:
            found.setdefault(task, []).append(TaskDependency(other, kind))
    return found


def _open_ones(
    transaction: Transaction, needed: Iterable[TaskDependency], known: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the tasks that block and are not completed; ``known`` keeps what was read."""
    for one in needed:
        if one.type == BLOCKS:
            if one.task_id not in known:
                known[one.task_id] = transaction.get("task", one.task_id)
            row = known[one.task_id]
            if row is not None and row["status"] != COMPLETED:
                yield row


def _ring(transaction: Transaction, task_id: str, depends_on: str) -> list[str]:
    """Return the ring of tasks, each before one that it needs, that a dependency would close; nothing if it closes none.

    The walk goes from the task to those that need it: if the other one is met, it needs the task already.
    """
    came_from = {task_id: task_id}
    ahead = [task_id]
    while ahead:
        task = ahead.pop()
        for row in transaction.lookup("task_dependency", "task_dependency_on", task):
            waiting = row["task_id"]
            if row["type"] == BLOCKS and waiting not in came_from:
                came_from[waiting] = task
                ahead.append(waiting)
    if depends_on not in came_from:
        return []
    ring = [task_id, depends_on]
    while ring[-1] != task_id:
        ring.append(came_from[ring[-1]])
    return ring


def _turns_between(transaction: Transaction, session_id: str, first: int, last: int) -> int:
    """Return how many turns of a session began between two times."""
    times = rows_of(transaction, "turn", TURN_INDEX, (session_id,)).array("time_created")
    return int(((times >= first) & (times <= last)).sum())


def _most_urgent(found: Rows, part: slice) -> list[dict[str, Any]]:
    """Return a part of some tasks' rows, in order."""
    ranks = [
        PRIORITIES.index(one) if one in PRIORITIES else len(PRIORITIES) for one in found.values("priority")
    ]
    in_order = found.sorted_by(ranks, found.values("time_created"), found.values("id")).at(part)
    return [dict(zip(_COLUMNS, values, strict=True)) for values in in_order.tuples(_COLUMNS)]


def _tasks_of(transaction: Transaction, rows: list[dict[str, Any]]) -> list[Task]:
    wanted = {row["id"] for row in rows}
    needed = _dependencies(transaction, wanted)
    about: dict[str, list[TaskFile]] = {}
    files = transaction.read("task_file", ["task_id", "file_path", "role"]) if wanted else {}
    for task, path, role in sorted(zip(*files.values(), strict=True)):
        if task in wanted:
            about.setdefault(task, []).append(TaskFile(path, role))
    return [
        Task(
            **{name: row[name] for name in _COLUMNS},
            depends_on=tuple(needed.get(row["id"], ())),
            files=tuple(about.get(row["id"], ())),
        )
        for row in rows
    ]
