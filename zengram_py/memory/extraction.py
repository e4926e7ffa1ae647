"""Extraction: facts that a model took from a turn, stored with where they came from.

The model is the caller's; what it found comes in as a list. All of it is checked and embedded first, then stored in one transaction:
one bad fact, or an embedder that fails, and nothing was stored. What becomes of each::

    new subject                    a new fact, extracted_from its turn
    known, from another session    no new fact: that one is confirmed (confirmation.py), once for each session
    known, from this session       no new fact
    other content                  a new fact; the known one is superseded, and the new one contradicts it: contradictions() lists both
    an echo                        no new fact, and nothing is confirmed (echoes.py)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..errors import InvalidArgumentError, NotFoundError
from .echoes import Recalled, echo_of, recalled_since
from .filters import RecallFilter
from .given_facts import EXTRACTED, GivenFact, check_facts, check_vectors
from .knowledge import Stored, store_fact
from .quantities import check_count, check_flag
from .remembering import Remembering
from .texts import check_text, fact_text
from .trail import CONTRADICTS, DERIVED_FROM, EXTRACTED_FROM, Trail
from .vectors import check_vector

CONFIG = "extraction_config"
EXTRACT_ON = ("assistant_turn", "user_turn", "every_turn", "never")
REFLECTION_TRIGGERS = ("session_end", "never")
REFLECTION_SCOPES = ("session", "project")


@dataclass(frozen=True)
class ExtractionConfig:
    """When facts are to be taken from turns by whoever runs a model by itself; a call of extract_with_facts always counts.

    Attributes
    ----------
    enabled : bool
        Whether at all.
    extract_on : str
        ``"assistant_turn"``, ``"user_turn"``, ``"every_turn"`` or ``"never"``.
    min_turn_tokens : int
        Shorter turns are left alone.
    reflection_trigger : str
        ``"session_end"`` or ``"never"``.
    reflection_scope : str
        ``"session"`` or ``"project"``.
    categories_prompt : str or None
        What the model is told of categories.
    """

    enabled: bool = True
    extract_on: str = "assistant_turn"
    min_turn_tokens: int = 100
    reflection_trigger: str = "session_end"
    reflection_scope: str = "session"
    categories_prompt: str | None = None


class Extraction(Remembering):
    """Stores what a model found in turns."""

    def extract_with_facts(
        self, turn_text: str, scope: str, session_id: str, turn_id: str, facts: Iterable[Mapping[str, Any]]
    ) -> list[str]:
        """Store the facts that the caller's model found in a turn; return the id of each, in their order.

        Parameters
        ----------
        turn_text : str
            What the turn said; it is not kept, and nothing is looked for in it: that was the model's part.
        scope : str
            Where the facts belong.
        session_id, turn_id : str
            Where they were said.
        facts : iterable of mappings
            ``{"subject", "content"}``, and what else of remember's options: categories, tags, peer, importance, private, entities,
            tool_call_id.

        Raises
        ------
        EmbedderError
            If there is no embedder, or it fails. Nothing is stored.
        InvalidArgumentError
            If one is no fact; the message says which. Nothing is stored.
        NotFoundError
            If there is no such session, or no such turn in it.
        """
        given = self._check_extraction(turn_text, scope, session_id, turn_id, facts)
        if not given:
            self._check_embedder()
        vectors = [self._embed(fact_text(fact.subject, fact.content)) for fact in given]
        return self._extract_facts(scope, session_id, turn_id, given, vectors)

    def extract_with_facts_with_vectors(
        self,
        turn_text: str,
        scope: str,
        session_id: str,
        turn_id: str,
        facts: Iterable[Mapping[str, Any]],
        vectors: Iterable[Any] | NDArray[Any],
    ) -> list[str]:
        """Store the facts that the caller's model found, with a vector of ``"subject: content"`` for each.

        Otherwise as :meth:`extract_with_facts`; it is for embedders that are asynchronous.

        Raises
        ------
        VectorError
            If there is not one vector for each fact, or one cannot be stored; the message says which. Nothing is stored.
        """
        given = self._check_extraction(turn_text, scope, session_id, turn_id, facts)
        found = check_vectors("fact", vectors, len(given), lambda one: check_vector(one, self.dimensions))
        return self._extract_facts(scope, session_id, turn_id, given, found)

    def extraction_config(self, scope: str) -> ExtractionConfig:
        """Return when a scope wants facts to be taken from turns."""
        scope = check_text(scope, "scope")
        with self._reading() as transaction:
            return _read_config(transaction, scope)

    def configure_extraction(self, scope: str, **settings: Any) -> ExtractionConfig:
        """Change when a scope wants facts to be taken from turns; what is not named stays.

        Parameters
        ----------
        scope : str
            The scope.
        **settings
            Attributes of :class:`ExtractionConfig`.
        """
        scope = check_text(scope, "scope")
        changes = {name: _check_setting(name, value) for name, value in settings.items()}
        with self._writing() as transaction:
            config = replace(_read_config(transaction, scope), **changes)
            row = {**asdict(config), "time_updated": self._clock.now()}
            if not transaction.update(CONFIG, scope, row):
                transaction.insert(CONFIG, {"scope": scope, **row})
        return config

    # -- parts -------------------------------------------------------------------------------------------------------

    def _check_embedder(self) -> None:
        """Refuse a call that would need an embedder if it had anything to embed."""
        if self._embed_fn is None:
            self._embed("")

    def _check_extraction(
        self, turn_text: Any, scope: Any, session_id: Any, turn_id: Any, facts: Any
    ) -> list[GivenFact]:
        self._check_open()
        check_text(turn_text, "turn text", blank=True)
        check_text(scope, "scope")
        check_text(session_id, "session id")
        check_text(turn_id, "turn id")
        given = check_facts("fact", facts, EXTRACTED)
        with self._reading() as transaction:
            self._turn_of(transaction, session_id, turn_id)
        return given

    def _turn_of(self, transaction: Transaction, session_id: str, turn_id: str) -> dict[str, Any]:
        session = self._row(transaction, "session", session_id, "session")
        turn = self._row(transaction, "turn", turn_id, "turn")
        if turn["session_id"] != session["id"]:
            raise NotFoundError(f"turn {turn_id!r} is not of session {session_id!r}")
        return turn

    def _extract_facts(
        self,
        scope: str,
        session_id: str,
        turn_id: str,
        given: Sequence[GivenFact],
        vectors: Sequence[NDArray[np.float32]],
    ) -> list[str]:
        scope, session_id, turn_id = (check_text(one, "id") for one in (scope, session_id, turn_id))
        ids = []
        names = [self._names(fact.subject, fact.content, fact.options) for fact in given]
        with self._writing() as transaction:
            turn = self._turn_of(transaction, session_id, turn_id)
            echoes = self._recalled(transaction, scope, session_id) if turn["role"] == "assistant" else {}
            for fact, vector, mentioned in zip(given, vectors, names, strict=True):
                echoed = echo_of(fact, echoes)
                if echoed is not None and self._holds(transaction, echoed):
                    ids.append(echoed)
                    continue
                origin = {"source_session": session_id, "source_turn": turn_id}
                stored = self._store_found(
                    transaction, scope, fact, vector, mentioned, {**origin, "source_type": "extraction"}
                )
                ids.append(stored.id)
        return ids

    @staticmethod
    def _holds(transaction: Transaction, fact_id: str) -> bool:
        """Return whether a fact is active still: one before it in the list may have taken its place."""
        row = transaction.get("knowledge", fact_id)
        return row is not None and row["status"] == "active"

    def _store_found(
        self,
        transaction: Transaction,
        scope: str,
        fact: GivenFact,
        vector: NDArray[np.float32],
        names: list[str],
        columns: Mapping[str, Any],
        derived: str = DERIVED_FROM,
    ) -> Stored:
        """Store what a model found, and note what it contradicts."""
        now = self._clock.now()
        stored = store_fact(
            transaction,
            self._ids,
            now,
            subject=fact.subject,
            content=fact.content,
            scope=scope,
            vector=vector,
            names=names,
            names_given="entities" in fact.options,
            columns={**fact.columns, **columns},
            derived=derived,
            told=EXTRACTED_FROM,
            tool_call=fact.tool_call,
        )
        trail = Trail(transaction, self._ids, now, columns.get("source_session"))
        for replaced in stored.replaced:
            trail.note(("knowledge", replaced), ("knowledge", stored.id), CONTRADICTS)
        return stored

    def _recalled(self, transaction: Transaction, scope: str, session_id: str) -> dict[str, list[Recalled]]:
        """Return what was recalled in a scope since a session began, by its words."""
        session = self._row(transaction, "session", session_id, "session")
        everything = RecallFilter(include_private=True)
        eligible = self._recaller.filters.select(transaction, scope, everything, self._clock.now())
        began = session["time_created"]
        return recalled_since(eligible, began, self._accesses.found_since(began))


def _read_config(transaction: Transaction, scope: str) -> ExtractionConfig:
    row = transaction.get(CONFIG, scope)
    if row is None:
        return ExtractionConfig()
    known = {field.name for field in fields(ExtractionConfig)}
    return ExtractionConfig(**{name: value for name, value in row.items() if name in known})


def _check_setting(name: str, value: Any) -> Any:
    choices = {
        "extract_on": EXTRACT_ON,
        "reflection_trigger": REFLECTION_TRIGGERS,
        "reflection_scope": REFLECTION_SCOPES,
    }
    if name in choices:
        value = check_text(value, name)
        if value not in choices[name]:
            raise InvalidArgumentError(f"{name} must be one of {', '.join(choices[name])}, not {value!r}")
        return value
    if name == "enabled":
        return check_flag(name, value)
    if name == "min_turn_tokens":
        return check_count(name, value)
    if name == "categories_prompt":
        return None if value is None else check_text(value, name)
    names = ", ".join(field.name for field in fields(ExtractionConfig))
    raise InvalidArgumentError(f"there is no setting {name!r} of extraction; there are {names}")
