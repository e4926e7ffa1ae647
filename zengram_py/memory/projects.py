"""Projects: what sessions belong to, and the drawers of facts that go with them.

A project's own facts are in the scope ``/project/<id>``; what holds for all projects is in ``/``. Any other scope names a project of its
own, whose id is the scope::

    scope "/project/site"  ◀──▶  project "site"            scope "/user"  ◀──▶  project "/user"
"""

from __future__ import annotations

from typing import Any

from ..engine import Transaction
from .texts import check_text

PREFIX = "/project/"


def project_id_of(scope: str) -> str:
    """Return the id of the project that a scope belongs to."""
    return scope.removeprefix(PREFIX) or scope


def optional_project_id(value: Any) -> str | None:
    """Return the id of a project that a caller named, by itself or by a scope, or may leave out."""
    return None if value is None else project_id_of(check_text(value, "project id"))


def scopes_of(project_id: str) -> tuple[str, ...]:
    """Return the scopes whose facts a project's sessions read, its own first."""
    own = (project_id,) if project_id.startswith("/") else ()
    return tuple(dict.fromkeys((f"{PREFIX}{project_id}", *own, "/")))


def ensure_project(transaction: Transaction, project_id: str, now: int) -> None:
    """Make a project unless it is there."""
    if transaction.get("project", project_id) is None:
        row = {"id": project_id, "name": project_id, "time_created": now, "time_updated": now}
        transaction.insert("project", row)


def project_of_fact(transaction: Transaction, scope: str, now: int) -> str | None:
    """Return the project of a new fact: that of its scope, which is made if the scope says it is one; else only if it is there."""
    project_id = project_id_of(scope)
    if scope.startswith(PREFIX):
        ensure_project(transaction, project_id, now)
        return project_id
    return None if transaction.get("project", project_id) is None else project_id
