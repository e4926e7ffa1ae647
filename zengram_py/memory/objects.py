"""Object knowledge: concepts with their properties, in bundles, and how they are related.

::

    bundle "billing"          concept "Invoice" ──has──▶ concept "Line"
                                   │                          │
                                   └──────sent to──▶ concept "Customer" ◀──priced for──┘

A bundle is what was learned together, such as what a project's documents say: it comes and goes as a whole. Facts (knowledge.py) say what
holds and supersede each other; concepts say what there is, and are changed in place.

Two concepts may be related in several ways, in each once. They may be of different bundles. What goes takes its relations along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..errors import InvalidArgumentError, NotFoundError
from .base import MemoryBase
from .choices import check_changes, check_choice
from .json_values import check_json
from .projects import ensure_project, optional_project_id
from .quantities import check_count, check_number
from .rows_in_order import newest_where, rows_of
from .sessions import optional_text
from .texts import check_text
from .updates import update_row
from .walks import nearest_first

DIRECTIONS = OUT, IN, BOTH = ("out", "in", "both")


@dataclass(frozen=True)
class Bundle:
    """Concepts that belong together.

    Attributes
    ----------
    id : str
        Its id.
    project_id : str or None
        The project that it is of.
    name : str
        What to call it.
    version, source : str or None
        Which version it is, and where it comes from.
    metadata : JSON value
        Anything else.
    time_created, time_updated : int
        Microseconds since the epoch, UTC.
    """

    id: str
    project_id: str | None
    name: str
    version: str | None
    source: str | None
    metadata: Any
    time_created: int
    time_updated: int


@dataclass(frozen=True)
class Concept:
    """Something that there is.

    Attributes
    ----------
    id, bundle_id : str
        What it is, and in which bundle.
    kind : str or None
        What kind of thing it is.
    title : str
        What it is called.
    content : str or None
        What is said of it.
    properties : JSON value
        What it has.
    time_created, time_updated : int
        Microseconds since the epoch, UTC.
    """

    id: str
    bundle_id: str
    kind: str | None
    title: str
    content: str | None
    properties: Any
    time_created: int
    time_updated: int


@dataclass(frozen=True)
class RelatedConcept:
    """A concept that was reached from another one.

    Attributes
    ----------
    depth : int
        How many steps away it is.
    concept : Concept
        The concept.
    via : str
        The id of the concept from which it was reached.
    relation : str
        How the two are related.
    direction : str
        ``"out"`` if the relation goes from that concept to this one, ``"in"`` if it comes from this one.
    weight : float
        How strongly.
    """

    depth: int
    concept: Concept
    via: str
    relation: str
    direction: str
    weight: float


_BUNDLE, _CONCEPT = ([field.name for field in fields(kind)] for kind in (Bundle, Concept))

CONCEPT_CHANGES: dict[str, Callable[[Any], Any]] = {
    "title": lambda value: check_text(value, "title"),
    "kind": lambda value: optional_text(value, "kind"),
    "content": lambda value: None if value is None else check_text(value, "content", blank=True),
    "properties": lambda value: check_json(value, "properties"),
}


class Objects(MemoryBase):
    """Keeps concepts, and how they are related."""

    def add_bundle(
        self,
        name: str,
        *,
        project_id: str | None = None,
        version: str | None = None,
        source: str | None = None,
        metadata: Any = None,
    ) -> str:
        """Make a bundle of concepts; return its id.

        Parameters
        ----------
        name : str
            What to call it; names need not differ.
        project_id : str, optional
            The project that it is of, made unless it is there.
        version, source : str, optional
            Which version it is, and where it comes from.
        metadata : JSON value, optional
            Anything else.

        Raises
        ------
        InvalidArgumentError
            If something given cannot be.
        """
        project = optional_project_id(project_id)
        row: dict[str, Any] = {
            "project_id": project,
            "name": check_text(name, "name"),
            "version": optional_text(version, "version"),
            "source": optional_text(source, "source"),
            "metadata": check_json(metadata, "metadata"),
        }
        now = self._clock.now()
        bundle_id = self._ids.new("okb_")
        with self._writing() as transaction:
            if project is not None:
                ensure_project(transaction, project, now)
            transaction.insert(
                "okf_bundle", {"id": bundle_id, **row, "time_created": now, "time_updated": now}
            )
        return bundle_id

    def bundles(self, *, project_id: str | None = None, limit: int = 100) -> list[Bundle]:
        """Return bundles, the newest first.

        Parameters
        ----------
        project_id : str, optional
            Only those of this project.
        limit : int
            How many at most.
        """
        wanted, limit = {"project_id": optional_project_id(project_id)}, check_count("limit", limit)
        with self._reading() as transaction:
            found = newest_where(transaction, "okf_bundle", wanted, _BUNDLE, limit)
            return [Bundle(*values) for values in found]

    def remove_bundle(self, bundle_id: str) -> None:
        """Remove a bundle with its concepts and their relations.

        Raises
        ------
        NotFoundError
            If there is no such bundle.
        """
        with self._writing() as transaction:
            row = self._row(transaction, "okf_bundle", bundle_id, "bundle")
            transaction.delete("okf_bundle", row["id"])

    def add_concept(
        self,
        bundle_id: str,
        title: str,
        *,
        kind: str | None = None,
        content: str | None = None,
        properties: Any = None,
    ) -> str:
        """Add a concept to a bundle; return its id.

        Parameters
        ----------
        bundle_id, title : str
            Where, and what it is called; titles need not differ.
        kind : str, optional
            What kind of thing it is.
        content : str, optional
            What is said of it.
        properties : JSON value, optional
            What it has.

        Raises
        ------
        NotFoundError
            If there is no such bundle.
        """
        given = {"title": title, "kind": kind, "content": content, "properties": properties}
        row = check_changes("concept", given, CONCEPT_CHANGES)
        concept_id = self._ids.new("okc_")
        with self._writing() as transaction:
            bundle = self._row(transaction, "okf_bundle", bundle_id, "bundle")
            now = max(self._clock.now(), bundle["time_created"])
            place = {"id": concept_id, "bundle_id": bundle["id"]}
            transaction.insert("okf_concept", {**place, **row, "time_created": now, "time_updated": now})
        return concept_id

    def update_concept(self, concept_id: str, **changes: Any) -> None:
        """Change a concept.

        Parameters
        ----------
        concept_id : str
            The concept.
        **changes
            ``title``, ``kind``, ``content`` and ``properties``; None empties all but the title. What is left out stays.

        Raises
        ------
        NotFoundError
            If there is no such concept.
        InvalidArgumentError
            If there is no such change, or its value cannot be.
        """
        checked = check_changes("concept", changes, CONCEPT_CHANGES)
        with self._writing() as transaction:
            row = self._row(transaction, "okf_concept", concept_id, "concept")
            update_row(transaction, "okf_concept", row, self._clock.now(), checked)

    def remove_concept(self, concept_id: str) -> None:
        """Remove a concept with its relations.

        Raises
        ------
        NotFoundError
            If there is no such concept.
        """
        with self._writing() as transaction:
            row = self._row(transaction, "okf_concept", concept_id, "concept")
            transaction.delete("okf_concept", row["id"])

    def link_concepts(self, from_concept: str, to_concept: str, relation: str, weight: float = 1.0) -> None:
        """Relate two concepts; if they are related so already, only the weight changes.

        Parameters
        ----------
        from_concept, to_concept : str
            Two concepts, of whatever bundles.
        relation : str
            How the first is related to the second.
        weight : float
            How strongly, at least 0.

        Raises
        ------
        NotFoundError
            If there is no such concept.
        InvalidArgumentError
            If the two are one.
        """
        relation, weight = check_text(relation, "relation"), check_number("weight", weight)
        with self._writing() as transaction:
            one = self._row(transaction, "okf_concept", from_concept, "concept")["id"]
            other = self._row(transaction, "okf_concept", to_concept, "concept")["id"]
            if one == other:
                raise InvalidArgumentError(f"concept {one!r} cannot be related to itself")
            if not transaction.update("okf_link", (one, other, relation), {"weight": weight}):
                link = {"from_concept": one, "to_concept": other, "relation": relation, "weight": weight}
                transaction.insert("okf_link", {**link, "time_created": self._clock.now()})

    def unlink_concepts(self, from_concept: str, to_concept: str, relation: str) -> None:
        """Take a relation of two concepts away.

        Raises
        ------
        NotFoundError
            If there is no such concept, or the two are not related so.
        """
        relation = check_text(relation, "relation")
        with self._writing() as transaction:
            one = self._row(transaction, "okf_concept", from_concept, "concept")["id"]
            other = self._row(transaction, "okf_concept", to_concept, "concept")["id"]
            if not transaction.delete("okf_link", (one, other, relation)):
                raise NotFoundError(f"concept {one!r} is not related to {other!r} by {relation!r}")

    def concept(self, concept_id: str) -> Concept | None:
        """Return a concept, None if there is none of this id."""
        with self._reading() as transaction:
            row = transaction.get("okf_concept", check_text(concept_id, "concept id"))
        return None if row is None else _concept_of(row)

    def concepts(
        self,
        bundle_id: str,
        *,
        kind: str | None = None,
        title: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Concept]:
        """Return the concepts of a bundle, the oldest first.

        Parameters
        ----------
        bundle_id : str
            The bundle.
        kind, title : str, optional
            Only those of this kind, and with just this title.
        limit, offset : int
            How many at most, after leaving out how many.

        Raises
        ------
        NotFoundError
            If there is no such bundle.
        """
        kind, title = optional_text(kind, "kind"), optional_text(title, "title")
        limit, offset = check_count("limit", limit), check_count("offset", offset)
        with self._reading() as transaction:
            bundle = self._row(transaction, "okf_bundle", bundle_id, "bundle")["id"]
            if title is None:
                rows = rows_of(transaction, "okf_concept", "okf_concept_bundle_id_fkey_idx", (bundle,))
            else:
                rows = rows_of(transaction, "okf_concept", "okf_concept_title", (title,))
                rows = rows.where("bundle_id", bundle)
            rows = rows if kind is None else rows.where("kind", kind)
            found = rows.in_order().at(slice(offset, offset + limit)).tuples(_CONCEPT)
        return [Concept(*values) for values in found]

    def related_concepts(
        self, concept_id: str, *, relation: str | None = None, depth: int = 1, direction: str = BOTH
    ) -> list[RelatedConcept]:
        """Return the concepts that can be reached from one: the nearest first, each once, of equally near ones the strongest first.

        Parameters
        ----------
        concept_id : str
            Where to begin; it is not in the answer.
        relation : str, optional
            Go only along relations of this name.
        depth : int
            How many steps to go at most.
        direction : str
            ``"out"``: along relations; ``"in"``: against them; ``"both"``.

        Raises
        ------
        NotFoundError
            If there is no such concept.
        """
        relation, depth = optional_text(relation, "relation"), check_count("depth", depth)
        direction = check_choice("direction", direction, DIRECTIONS)
        with self._reading() as transaction:
            start = self._row(transaction, "okf_concept", concept_id, "concept")["id"]

            def steps(concept: str) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
                links = [
                    (far, way, link)
                    for way, near, far in _WAYS
                    if direction in (way, BOTH)
                    for link in transaction.lookup("okf_link", f"okf_link_{near}_fkey_idx", concept)
                    if relation is None or link["relation"] == relation
                ]
                links.sort(key=lambda one: (-one[2]["weight"], one[2]["time_created"], one[2][one[0]]))
                for far, way, link in links:
                    yield link[far], (way, link)

            return [
                RelatedConcept(
                    at,
                    _concept_of(self._row(transaction, "okf_concept", reached, "concept")),
                    via,
                    link["relation"],
                    way,
                    link["weight"],
                )
                for at, via, reached, (way, link) in nearest_first(start, depth, steps)
            ]


_WAYS = ((OUT, "from_concept", "to_concept"), (IN, "to_concept", "from_concept"))


def _concept_of(row: Mapping[str, Any]) -> Concept:
    return Concept(*(row[name] for name in _CONCEPT))
