"""The part of the memory's face that stores facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from .base import MemoryBase
from .entities import check_entities
from .knowledge import store_fact
from .options import FactOptions, fact_columns, given, tool_call_of
from .projects import ensure_project, project_id_of
from .texts import check_text, fact_text
from .vectors import check_vector


class Remembering(MemoryBase):
    """Stores facts."""

    def remember(self, subject: str, content: str, scope: str, **options: Unpack[FactOptions]) -> str:
        """Embed ``"subject: content"`` and store the fact; return its id. Otherwise as :meth:`remember_with_vector`.

        Raises
        ------
        EmbedderError
            If there is no embedder, it failed, or it is asynchronous. Nothing is stored.
        """
        subject, content, scope = self._check_fact(subject, content, scope)
        chosen = given("remember", options, FactOptions)
        columns = fact_columns(chosen)
        names = self._names(subject, content, chosen)
        vector = self._embed(fact_text(subject, content))
        return self._remember(subject, content, scope, vector, names, chosen, columns)

    def remember_with_vector(
        self, subject: str, content: str, scope: str, vec: Any, **options: Unpack[FactOptions]
    ) -> str:
        """Store a fact with a vector that the caller computed; return its id.

        An active fact of the same subject (and peer) in the scope is superseded; if it says the same, nothing is stored and
        its id is returned.

        Parameters
        ----------
        subject : str
            What the fact is about. Case, white space and Unicode form do not distinguish subjects.
        content : str
            What it says.
        scope : str
            Where it belongs, such as ``"/"`` or ``"/project/x"``. Scopes are separate: none sees another.
        vec : sequence of numbers
            ``dim`` finite numbers, not all zero.
        **options
            What else it comes with: labels, peer, validity, session (:class:`FactOptions`).
        """
        subject, content, scope = self._check_fact(subject, content, scope)
        chosen = given("remember_with_vector", options, FactOptions)
        columns = fact_columns(chosen)
        vector = check_vector(vec, self.dimensions)
        names = self._names(subject, content, chosen)
        return self._remember(subject, content, scope, vector, names, chosen, columns)

    def ensure_project(self, scope: str) -> str:
        """Make the project of a scope unless it is there; return its id (projects.py: ``"x"`` for the scope ``"/project/x"``)."""
        scope = check_text(scope, "scope")
        project_id = project_id_of(scope)
        with self._writing() as transaction:
            ensure_project(transaction, project_id, self._clock.now())
        return project_id

    def _check_fact(self, subject: Any, content: Any, scope: Any) -> tuple[str, str, str]:
        self._check_open()
        return check_text(subject, "subject"), check_text(content, "content"), check_text(scope, "scope")

    def _names(self, subject: str, content: str, options: Mapping[str, Any]) -> list[str]:
        if "entities" in options:
            return check_entities(options["entities"])
        return self._names_in(fact_text(subject, content))

    def _remember(
        self,
        subject: str,
        content: str,
        scope: str,
        vector: NDArray[np.float32],
        names: list[str],
        options: Mapping[str, Any],
        columns: Mapping[str, Any],
    ) -> str:
        tool_call = tool_call_of(options)
        with self._writing() as transaction:
            stored = store_fact(
                transaction,
                self._ids,
                self._clock.now(),
                subject=subject,
                content=content,
                scope=scope,
                vector=vector,
                names=names,
                names_given="entities" in options,
                columns=columns,
                tool_call=tool_call,
            )
        return stored.id
