"""The face of the memory framework: one object, synchronous calls."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..clock import Clock, SystemClock
from ..engine import Database
from ..engine.usage import Stats, held_bytes, stats_of
from ..errors import (
    DimensionError,
    EngineError,
    InvalidArgumentError,
    MigrationError,
    SnapshotError,
)
from . import schema
from .base import EmbedFunction
from .budgets import Budgets
from .code_graph import CodeGraph
from .context import Context
from .entities import Extractor, extract_entities
from .events import Events
from .facts import Facts
from .file_reservations import FileReservations
from .files import Files
from .history_block import HistoryBlocks
from .instructions import Instructions
from .jobs import Jobs
from .knowledge_block import ToldFacts
from .lifecycle import Lifecycle
from .mailbox import Mailbox
from .memory_branches import MemoryBranches
from .objects import Objects
from .permissions import Permissions
from .provenance import Provenance
from .quantities import check_number
from .recall import Recaller
from .recalling import Recalling
from .reflection import Reflection
from .reminders import Reminders
from .sessions import Sessions
from .states import States
from .subagents import Subagents
from .tasks import Tasks
from .timeline import Timeline
from .token_counts import TokenCounts
from .tool_calls import ToolCalls
from .totals import Totals
from .turns import Turns
from .vectors import check_dimensions

if TYPE_CHECKING:
    from ..sql.zeta import QueryResult, ZetaDb


class ZengramMemory(
    Reflection,
    Context,
    Recalling,
    Facts,
    Lifecycle,
    Provenance,
    Sessions,
    Turns,
    ToolCalls,
    Timeline,
    Totals,
    Instructions,
    Tasks,
    Permissions,
    Reminders,
    Jobs,
    Subagents,
    Mailbox,
    Events,
    Files,
    FileReservations,
    CodeGraph,
    Objects,
    States,
    MemoryBranches,
    Budgets,
):
    """An agent's memory: facts by subject in scopes, found again by meaning, and the sessions that they came from.

    Make one with :meth:`open` or :meth:`open_from_snapshot`. It is a context manager that closes itself.

    Examples
    --------
    >>> memory = ZengramMemory.open(3)
    >>> fact = memory.remember_with_vector("drinks", "user drinks green tea", "/", [1, 0, 0])
    >>> [hit.content for hit in memory.recall_with_vector("tea?", "/", [0.9, 0.1, 0])]
    ['user drinks green tea']
    """

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
        schema.migrate(database, dimensions)
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
        MigrationError
            If the memory was made by a later version, or by migrations that are not those of this one: the bytes are no less whole.
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
        try:
            found = _stored_dimensions(database)
        except (EngineError, LookupError, ValueError, TypeError) as error:
            raise SnapshotError(
                f"the memory's settings cannot be read: {error}", section="_zengram_config"
            ) from error
        if found is None:
            raise SnapshotError(
                "the snapshot holds a database without a memory: open it with ZetaDb, and a memory over that",
                section="manifest",
                code="SNAPSHOT_NO_MEMORY",
            )
        if found != dimensions:
            raise SnapshotError(
                f"the snapshot's vectors have {found} dimensions; it was opened with dim {dimensions}",
                code="SNAPSHOT_DIMENSION",
            )
        try:
            schema.migrate(database, dimensions)
            faults = schema.faults(database, dimensions)
        except EngineError as error:
            raise SnapshotError(
                f"the memory cannot be brought up to date: {error}", section="manifest"
            ) from error
        if faults:
            raise SnapshotError(f"the snapshot's tables are not a memory's: {faults[0]}", section="manifest")
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
        MigrationError
            If it has a table of its own with the name of one of the memory's, or was made by a later version. Nothing was changed.
        """
        dimensions = check_dimensions(dim)
        database = getattr(db, "engine", db)
        if not isinstance(database, Database):
            raise InvalidArgumentError(f"a memory lies over a ZetaDb, not a {type(db).__name__}")
        found = _stored_dimensions(database)
        if found is not None and found != dimensions:
            raise DimensionError(
                f"the database holds a memory of {found} dimensions; it was attached with dim {dimensions}"
            )
        schema.migrate(database, dimensions)
        faults = schema.faults(database, dimensions)
        if faults:
            raise MigrationError(f"the memory's tables were changed: {faults[0]}", code="MIGRATION_CLASH")
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
            self._sql.set_branch(self._in_use)
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

    def stats(self, *, collect: bool = False) -> Stats:
        """Return what the process uses, and what this memory and the database under it do.

        Parameters
        ----------
        collect : bool
            Let Python collect its garbage first: ``heap_bytes`` has none of it then. It takes some tens of milliseconds.
        """
        self._check_open()
        kept = (self._recaller, self._histories, self._told_last, self._accesses_on, self._tokens)
        statements = 0 if self._sql is None else len(self._sql.session.ready)
        return stats_of(
            self._database, statements=statements, kept=held_bytes(kept, __package__), collect=collect
        )

    @property
    def engine(self) -> Database:
        """The engine's database under it."""
        return self._database

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
            # What they hold goes now, not at the next collection.
            self._embed_fn = self._sql = None
            self._extract, self._tokens = extract_entities, TokenCounts()
            self._recaller, self._histories = Recaller(), HistoryBlocks()
            self._told_last = ([], ToldFacts(()))

    def __enter__(self) -> ZengramMemory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _stored_dimensions(database: Database) -> Any:
    """Return the dimension of the memory that a database holds, None if it holds none."""
    config = next((table for table in database.tables() if table.title == "_zengram_config"), None)
    if config is None or config.primary_key != ("key",) or "value" not in config.by_name:
        return None  # a table of the application's own under that name is refused by the migration
    with database.begin(read_only=True) as transaction:
        row = transaction.get("_zengram_config", "dimensions")
    return None if row is None else row["value"]
