"""Instructions: texts for the system prompt, for everybody, for a project, or for one session.

Each is kept by itself, under its owner; a context takes those that apply, from the general to the particular.
"""

from __future__ import annotations

from typing import Any

from ..engine import Transaction
from ..errors import InvalidArgumentError
from .base import MemoryBase
from .projects import project_id_of
from .texts import check_text

TABLE = "_zengram_instructions"
ALL, PROJECT, SESSION = "all", "project", "session"


class Instructions(MemoryBase):
    """Keeps instructions."""

    def set_system_instructions(
        self, text: str, *, project_id: str | None = None, session_id: str | None = None
    ) -> None:
        """Set what every system prompt says, or that of a project or of a session, in place of what was set there.

        Parameters
        ----------
        text : str
            The instructions; a blank text removes them.
        project_id, session_id : str, optional
            For whom; for everybody when both are left out.

        Raises
        ------
        InvalidArgumentError
            If both a project and a session are given.
        NotFoundError
            If there is no such project or session.
        """
        text = check_text(text, "instructions", blank=True)
        with self._writing() as transaction:
            owner = self._owner(transaction, project_id, session_id)
            known = transaction.get(TABLE, owner)
            changes = {"content": text, "time_updated": self._clock.now()}
            if not text.strip():
                transaction.delete(TABLE, owner)
            elif known is None:
                transaction.insert(TABLE, {"owner_type": owner[0], "owner_id": owner[1], **changes})
            else:
                transaction.update(TABLE, owner, changes)

    def system_instructions(
        self, *, project_id: str | None = None, session_id: str | None = None
    ) -> str | None:
        """Return what was set just there, None if nothing is; raises like :meth:`set_system_instructions`."""
        with self._reading() as transaction:
            row = transaction.get(TABLE, self._owner(transaction, project_id, session_id))
        return None if row is None else str(row["content"])

    def _owner(self, transaction: Transaction, project_id: Any, session_id: Any) -> tuple[str, str]:
        if project_id is not None and session_id is not None:
            raise InvalidArgumentError("instructions are of a project or of a session; give one of the two")
        if project_id is not None:
            project_id = project_id_of(check_text(project_id, "project id"))
            return PROJECT, self._row(transaction, "project", project_id, "project")["id"]
        if session_id is not None:
            return SESSION, self._row(transaction, "session", session_id, "session")["id"]
        return ALL, ""
