"""The face of the memory framework: one object, synchronous calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ..clock import Clock, SystemClock
from ..engine import Database, Transaction
from ..engine.expr import fold
from ..errors import (
    ClosedError,
    DimensionError,
    EmbedderError,
    EngineError,
    InvalidArgumentError,
    SnapshotError,
    ZengramError,
)
from ..ids import UlidFactory
from . import schema
from .entities import Extractor, check_entities, extract_entities
from .filters import Eligible, RecallFilter
from .graph import ENTITY, Entity, link_all
from .hits import Hit
from .knowledge import Fact, newest_first, read_facts, store_fact
from .options import FactOptions, RecallOptions, fact_columns, given, plan_recall
from .quantities import check_count, check_number
from .recall import Asked, Recaller
from .recall_config import DEFAULTS, RecallConfig, read_config, write_config
from .texts import check_text, fact_text, text_of
from .vectors import check_dimensions, check_vector

if TYPE_CHECKING:
    from ..sql.zeta import QueryResult, ZetaDb

EmbedFunction = Callable[[str], Any]


class ZengramMemory:
    """An agent's memory: facts by subject in scopes, found again by meaning.

    Make one with :meth:`open` or :meth:`open_from_snapshot`. It is a context manager that closes itself.

    Examples
    --------
    >>> memory = ZengramMemory.open(3)
    >>> fact = memory.remember_with_vector("drinks", "user drinks green tea", "/", [1, 0, 0])
    >>> [hit.content for hit in memory.recall_with_vector("tea?", "/", [0.9, 0.1, 0])]
    ['user drinks green tea']
    """

    def __init__(self, database: Database, dimensions: int, clock: Clock) -> None:
        self.dimensions = dimensions
        """Numbers in each vector."""
        self._database = database
        self._clock = clock
        self._ids = UlidFactory(clock)
        self._recaller = Recaller()
        self._extract: Extractor = extract_entities
        self._embed_fn: EmbedFunction | None = None
        self._owns_database = True
        self._sql: Any = None
        self._is_open = True

    @classmethod
    def open(cls, dim: int, *, clock: Clock | None = None) -> ZengramMemory:
        """Return a new, empty memory.

        Parameters
        ----------
        dim : int
            Numbers in each vector, 1 to 16,000.
        clock : Clock, optional
            Where the time comes from; the machine's clock when left out.

        Raises
        ------
        DimensionError
            If ``dim`` is not such a number.
        """
        dimensions = check_dimensions(dim)
        clock = clock or SystemClock()
        database = Database.open(clock=clock)
        schema.install(database, dimensions)
        return cls(database, dimensions, clock)

    @classmethod
    def open_from_snapshot(
        cls, data: bytes | bytearray | memoryview, dim: int, *, clock: Clock | None = None
    ) -> ZengramMemory:
        """Return the memory that a snapshot holds.

        Parameters
        ----------
        data : bytes
            What :meth:`export_snapshot` gave; keep it unchanged.
        dim : int
            Numbers in each vector.

        Raises
        ------
        SnapshotError
            If the bytes are damaged or are no snapshot of a memory, or (code ``SNAPSHOT_DIMENSION``) if its vectors
            have another number of dimensions.
        """
        dimensions = check_dimensions(dim)
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InvalidArgumentError(f"a snapshot is bytes, not a {type(data).__name__}")
        if isinstance(data, memoryview) and not data.c_contiguous:
            raise InvalidArgumentError(
                "a snapshot is bytes that lie one after the other; this memoryview skips some"
            )
        clock = clock or SystemClock()
        database = Database.restore(data, clock=clock)
        found = _stored_dimensions(database)
        if found != dimensions:
            raise SnapshotError(
                f"the snapshot's vectors have {found} dimensions; it was opened with dim {dimensions}",
                code="SNAPSHOT_DIMENSION",
            )
        _bring_up_to_date(database, dimensions)
        return cls(database, dimensions, clock)

    @classmethod
    def over_engine(cls, db: Any, dim: int) -> ZengramMemory:
        """Return a memory inside a database that is there already: its tables lie beside those of the database.

        What the memory needs is made if it is missing, so that attaching twice, or to a database that came from a snapshot, is safe.

        Parameters
        ----------
        db : ZetaDb or Database
            The database. It stays the caller's: closing the memory leaves it open.
        dim : int
            Numbers in each vector.

        Raises
        ------
        DimensionError
            If the database holds a memory whose vectors have another number of dimensions.
        CatalogError
            If it has tables of its own with the names of the memory's.
        """
        dimensions = check_dimensions(dim)
        database = getattr(db, "engine", db)
        if not isinstance(database, Database):
            raise InvalidArgumentError(f"a memory lies over a ZetaDb, not a {type(db).__name__}")
        if any(table.title == "_zengram_config" for table in database.tables()):
            found = _stored_dimensions(database)
            if found != dimensions:
                raise DimensionError(
                    f"the database holds a memory of {found} dimensions; it was attached with dim {dimensions}"
                )
            _bring_up_to_date(database, dimensions)
        else:
            schema.install(database, dimensions)
        memory = cls(database, dimensions, database.clock)
        memory._owns_database = False
        return memory

    def query(self, sql: str, params: Sequence[Any] | None = None) -> QueryResult:
        """Run a statement in SQL over the memory's tables (docs/sql.md); a write takes effect and gives no rows.

        Parameters
        ----------
        sql : str
            The statement.
        params : sequence, optional
            Values for ``$1``, ``$2``, …

        Raises
        ------
        SqlError
            If it is refused.
        """
        result: QueryResult = self.sql().query(sql, params)
        return result

    def sql(self) -> ZetaDb:
        """Return the memory's database for statements in SQL; ``embed(text)`` is the memory's embedder."""
        self._check_open()
        if self._sql is None:
            from ..sql.zeta import ZetaDb

            self._sql = ZetaDb(self._database)
            self._sql.set_embed_fn(self._embed, self.dimensions)
        found: ZetaDb = self._sql
        return found

    def set_embed_fn(self, fn: EmbedFunction, dim: int) -> None:
        """Set the function that turns a text into a vector, for :meth:`remember` and :meth:`recall`.

        Parameters
        ----------
        fn : callable
            ``text -> vector``; it must return the vector itself, not an awaitable.
        dim : int
            Numbers in its vectors: the memory's dimension.
        """
        self._check_open()
        if not callable(fn):
            raise InvalidArgumentError(f"an embedder is a function, not a {type(fn).__name__}")
        if check_dimensions(dim) != self.dimensions:
            raise DimensionError(f"the embedder gives {dim} numbers; this memory takes {self.dimensions}")
        self._embed_fn = fn

    def set_entity_extractor(self, fn: Extractor | None) -> None:
        """Set the function that finds names in texts; None sets the one that needs no model (entities.py).

        Parameters
        ----------
        fn : callable or None
            ``text -> names``; it is asked about facts and about questions.
        """
        self._check_open()
        if fn is not None and not callable(fn):
            raise InvalidArgumentError(f"an entity extractor is a function, not a {type(fn).__name__}")
        self._extract = extract_entities if fn is None else fn

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
        return self._store(subject, content, scope, vector, names, "entities" in chosen, columns)

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
        return self._store(subject, content, scope, vector, names, "entities" in chosen, columns)

    def recall(self, query: str, scope: str, **options: Unpack[RecallOptions]) -> list[Hit]:
        """Embed a question and return the facts that answer it, best first; a blank question has no answer.

        Otherwise as :meth:`recall_with_vector`.
        """
        query, scope = self._check_question(query, scope)
        chosen = given("recall", options, RecallOptions)
        plan_recall(chosen, DEFAULTS)  # what is wrong is said before the embedder is troubled
        return self._find(query, scope, self._embed(query), chosen) if query.strip() else []

    def recall_with_vector(
        self, query: str, scope: str, vec: Any, **options: Unpack[RecallOptions]
    ) -> list[Hit]:
        """Return the facts of a scope that answer a question, best first (recall.py tells how).

        Parameters
        ----------
        query : str
            The question; its words and names count as well as its vector. It may be blank.
        scope : str
            Where to look.
        vec : sequence of numbers
            The question's vector.
        **options
            Which answers are wanted, and how they are ranked (:class:`RecallOptions`).
        """
        query, scope = self._check_question(query, scope)
        chosen = given("recall_with_vector", options, RecallOptions)
        return self._find(query, scope, check_vector(vec, self.dimensions), chosen)

    def recall_config(self, scope: str) -> RecallConfig:
        """Return how a scope ranks its answers."""
        self._check_open()
        scope = check_text(scope, "scope")
        with self._database.begin(read_only=True) as transaction:
            return read_config(transaction, scope)

    def configure_recall(self, scope: str, **settings: Any) -> RecallConfig:
        """Change how a scope ranks its answers; what is not named stays. It is kept in the table ``retrieval_config``.

        Parameters
        ----------
        scope : str
            The scope. Every other one keeps its settings, or the defaults.
        **settings
            Attributes of :class:`RecallConfig`.
        """
        self._check_open()
        scope = check_text(scope, "scope")
        with self._database.begin() as transaction:
            return write_config(transaction, scope, settings)

    def maintain(self, budget_ms: float = 8.0) -> bool:
        """Do some of the work that waits (building indexes, merging, vacuum) and return whether more is left.

        New facts are found at once all the same; maintenance keeps that quick. Call it when nothing else is to be done.

        Parameters
        ----------
        budget_ms : float
            About how many milliseconds to work; one step at least is done.
        """
        self._check_open()
        return self._database.maintain(check_number("budget_ms", budget_ms))

    def entity(self, name: str, scope: str, *, limit: int = 20) -> list[Fact]:
        """Return the facts of a scope that hold now and mention a name, newest first; private ones too."""
        self._check_open()
        name, scope = check_text(name, "name"), check_text(scope, "scope")
        limit = check_count("limit", limit)
        with self._database.begin(read_only=True) as transaction:
            eligible = self._holding(transaction, scope)
            slots = self._recaller.graph.facts_of(transaction, eligible, fold(name))
            return read_facts(eligible.facts, newest_first(eligible.facts, slots)[:limit])

    def entities(self, scope: str, *, limit: int = 20) -> list[Entity]:
        """Return the names that the facts of a scope which hold now mention, the most mentioned first."""
        self._check_open()
        scope = check_text(scope, "scope")
        limit = check_count("limit", limit)
        with self._database.begin(read_only=True) as transaction:
            eligible = self._holding(transaction, scope)
            return self._recaller.graph.entities(transaction, eligible, limit)

    def facts(self, scope: str, limit: int = 100, offset: int = 0) -> list[Fact]:
        """Return the facts of a scope that hold now, newest first; private ones too.

        Parameters
        ----------
        scope : str
            The scope.
        limit, offset : int
            How many at most, after leaving out how many.
        """
        self._check_open()
        scope = check_text(scope, "scope")
        limit, offset = check_count("limit", limit), check_count("offset", offset)
        with self._database.begin(read_only=True) as transaction:
            eligible = self._holding(transaction, scope)
            slots = newest_first(eligible.facts, eligible.slots)
            return read_facts(eligible.facts, slots[offset : offset + limit])

    def export_snapshot(self) -> bytes:
        """Return everything in the memory as bytes for :meth:`open_from_snapshot`."""
        self._check_open()
        return self._database.export()

    def close(self) -> None:
        """Give up the memory; every later call raises :class:`~zengram_py.errors.ClosedError`."""
        if self._is_open:
            self._is_open = False
            if self._owns_database:
                self._database.close()
            self._embed_fn = None
            self._recaller = Recaller()  # what the other one kept goes now, not at the next collection

    def __enter__(self) -> ZengramMemory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if not self._is_open:
            raise ClosedError("the memory is closed")

    def _check_fact(self, subject: Any, content: Any, scope: Any) -> tuple[str, str, str]:
        self._check_open()
        return check_text(subject, "subject"), check_text(content, "content"), check_text(scope, "scope")

    def _check_question(self, query: Any, scope: Any) -> tuple[str, str]:
        self._check_open()
        return check_text(query, "query", blank=True), check_text(scope, "scope")

    def _holding(self, transaction: Transaction, scope: str) -> Eligible:
        """Return the facts of a scope that hold now, private ones too."""
        everything = RecallFilter(include_private=True)
        return self._recaller.filters.select(transaction, scope, everything, self._clock.now())

    def _names(self, subject: str, content: str, options: Mapping[str, Any]) -> list[str]:
        if "entities" in options:
            return check_entities(options["entities"])
        return check_entities(self._extract(fact_text(subject, content)))

    def _store(
        self,
        subject: str,
        content: str,
        scope: str,
        vector: NDArray[np.float32],
        names: list[str],
        names_given: bool,
        columns: Mapping[str, Any],
    ) -> str:
        with self._database.begin() as transaction:
            return store_fact(
                transaction,
                self._ids,
                self._clock.now(),
                subject=subject,
                content=content,
                scope=scope,
                vector=vector,
                names=names,
                names_given=names_given,
                columns=columns,
            )

    def _find(
        self, question: str, scope: str, vector: NDArray[np.float32], options: Mapping[str, Any]
    ) -> list[Hit]:
        with self._database.begin(read_only=True) as transaction:
            plan = plan_recall(options, read_config(transaction, scope))
            asked = Asked(scope, question, vector, plan)
            return self._recaller.recall(transaction, self._clock.now(), asked, self._extract)

    def _embed(self, text: str) -> NDArray[np.float32]:
        if self._embed_fn is None:
            raise EmbedderError(
                "there is no embedder: set one with set_embed_fn (setEmbedFn in JavaScript), or pass a vector",
                code="EMBEDDER_MISSING",
            )
        try:
            result = self._embed_fn(text)
        except ZengramError:
            raise
        except Exception as error:
            raise EmbedderError(f"the embedder failed: {text_of(error)}") from error
        if inspect.isawaitable(result):
            if inspect.iscoroutine(result):
                result.close()
            raise EmbedderError(
                "the embedder is asynchronous; await the vector yourself and pass it along",
                code="EMBEDDER_ASYNC",
            )
        self._check_open()  # the embedder is the caller's code: it may have closed this very memory
        return check_vector(result, self.dimensions)


def _stored_dimensions(database: Database) -> Any:
    try:
        names = {table.title for table in database.tables()}
        if not {"_zengram_config", "knowledge", "embedding"} <= names:
            raise SnapshotError("the snapshot holds a database without a memory", section="manifest")
        with database.begin(read_only=True) as transaction:
            row = transaction.get("_zengram_config", "dimensions")
        return None if row is None else row["value"]
    except (EngineError, LookupError, ValueError, TypeError) as error:
        raise SnapshotError(
            f"the memory's settings cannot be read: {error}", section="_zengram_config"
        ) from error


def _bring_up_to_date(database: Database, dimensions: int) -> None:
    """Give a memory from an older version what it has not got; refuse one whose tables are not those of a memory."""
    try:
        added = schema.complete(database, dimensions)
    except EngineError as error:
        raise SnapshotError(
            f"the memory cannot be brought up to date: {error}", section="manifest"
        ) from error
    schema.check(database, dimensions)
    if ENTITY in added:
        with database.begin() as transaction:
            link_all(transaction)
