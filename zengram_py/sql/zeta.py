"""The database as Python sees it: statements in SQL, transactions, and cursors.

    db = ZetaDb.open()
    db.exec_ddl("create table note (id serial primary key, body text)")
    db.exec_mut("insert into note (body) values ($1)", ["tea"])
    db.query("select * from note").rows            [{"id": 1, "body": "tea"}]
    with db.begin() as t:                          commits at the end, rolls back when the block raises
        t.exec_mut("delete from note")

Values are Python's (values.py). Every statement outside of a transaction is one of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Any

from ..engine import Database
from ..engine.usage import Stats, stats_of
from ..errors import ClosedError
from . import tree
from .bind.columns import type_of_column
from .bound import Output
from .embedding import Embedder
from .errors import error
from .prepare import Prepared
from .ready import Result
from .session import Session
from .stream import Gathered, Stream
from .values import names_of, to_python

_CHANGES = (tree.Insert, tree.Update, tree.Delete, tree.Merge)
_ROWS = (tree.Query, tree.Explain, tree.Show, tree.MergeBranch, tree.RebaseBranch)
"""Statements that give rows, whatever they say."""


@dataclass(frozen=True)
class QueryResult:
    """The rows of a statement.

    Attributes
    ----------
    columns : list of str
        Their names; empty if the statement gives no rows.
    tuples : list of tuple
        The rows.
    count : int
        How many rows it gave or, if it gives none, changed.
    command : str
        What the statement was, as PostgreSQL calls it: ``"SELECT"``, ``"INSERT"``, ``"CREATE TABLE"``, …
    """

    columns: list[str]
    tuples: list[tuple[Any, ...]]
    count: int = 0
    command: str = ""

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows by names of columns; of columns with one name the last counts."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.tuples]


class _Statements:
    """What a database and a transaction have in common."""

    def _session(self) -> Session:
        raise NotImplementedError

    def query(self, sql: str, params: Sequence[Any] | None = None) -> QueryResult:
        """Run any one statement and return its rows, if it gives some.

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
        return _result(self.run(sql, params))

    def run(self, sql: str, params: Sequence[Any] | None = None) -> Result:
        """Run any one statement and return its result with values in stored form."""
        return self._session().run(sql, params or ())

    def exec_mut(self, sql: str, params: Sequence[Any] | None = None) -> int:
        """Run an insert, update, delete or merge that returns no rows; return how many rows it changed."""
        return self._session().run(sql, params or (), check=_check_change).count

    def exec_ddl(self, sql: str, params: Sequence[Any] | None = None) -> None:
        """Run a statement that returns no rows."""
        self._session().run(sql, params or (), check=_check_rowless)

    def stream(self, sql: str, params: Sequence[Any] | None = None) -> ZetaCursor:
        """Run a query and return its rows a few at a time."""
        session = self._session()
        return ZetaCursor(session.stream(sql, params or ()), session)


class ZetaDb(_Statements):
    """A database; make one with :meth:`open` or :meth:`open_from_snapshot`.

    Attributes
    ----------
    engine : Database
        The engine's database under it.
    session : Session
        What its statements share.
    """

    def __init__(self, engine: Database) -> None:
        self.engine = engine
        self.session = Session(engine)

    @classmethod
    def open(cls) -> ZetaDb:
        """Return a new, empty database."""
        return cls(Database.open())

    @classmethod
    def open_from_snapshot(cls, data: bytes | bytearray | memoryview) -> ZetaDb:
        """Return the database that a snapshot holds.

        Raises
        ------
        SnapshotError
            If the bytes are no intact snapshot.
        """
        return cls(Database.restore(data))

    def _session(self) -> Session:
        return self.session

    def run_script(self, sql: str) -> list[QueryResult]:
        """Run statements with ``;`` between them, each in a transaction of its own unless the script begins one."""
        return [_result(result) for result in self.session.run_script(sql)]

    def begin(self) -> ZetaTxn:
        """Begin a transaction; several may be open at once."""
        return ZetaTxn(Session(self.engine, share=self.session))

    def export_snapshot(self) -> bytes:
        """Return the whole database as bytes for :meth:`open_from_snapshot`."""
        return self.engine.export()

    def databases(self) -> list[str]:
        """Return the names of the databases in it."""
        return self.session.databases()

    def database(self) -> str:
        """Return the name of the database in which names without one are looked for."""
        return self.session.path.database

    def set_database(self, name: str | None) -> None:
        """Look names up in another database; None is the first one."""
        self.session.set_database(name)

    def branch(self) -> str:
        """Return the name of the branch that statements read and write."""
        return self.session.branch

    def set_branch(self, name: str | None) -> None:
        """Read and write another branch; None is main."""
        self.session.set_branch(name)

    def schema(self) -> dict[str, Any]:
        """Return the tables of the database: ``{"tables": [{"name", "columns": [{"name", "type", "pk", "nullable"}]}]}``."""
        return {"tables": [_table(table) for table in self.session.tables()]}

    def set_embed_fn(self, fn: Callable[[str], Any] | None, dims: int = 0) -> None:
        """Set what ``embed(text)`` calls: a function from a text to ``dims`` numbers; None takes it away."""
        self.session.embedder = None if fn is None else Embedder(fn, dims)

    def stats(self, *, collect: bool = False) -> Stats:
        """Return what the process and this database use.

        Parameters
        ----------
        collect : bool
            Let Python collect its garbage first: ``heap_bytes`` has none of it then. It takes some tens of milliseconds.
        """
        return _stats(self.session, collect)

    def close(self) -> None:
        """Give the database up."""
        self.engine.close()


class ZetaTxn(_Statements):
    """A transaction; made by :meth:`ZetaDb.begin`.

    As a context manager it commits at the end of the block, and rolls back when the block raises. One that is dropped rolls back.
    """

    def __init__(self, session: Session) -> None:
        self._own = session
        session.begin()

    def _session(self) -> Session:
        if self._own.block is None:
            raise error("25P01", "the transaction is over")
        return self._own

    @property
    def is_open(self) -> bool:
        """Whether it was neither committed nor rolled back."""
        return self._own.block is not None

    def commit(self) -> None:
        """Make it last.

        Raises
        ------
        SqlError
            40001 if another transaction changed the same rows first, 23505 and its like if the changes break a constraint together with
            what others committed, 25P02 if a statement failed in it. It is rolled back then.
        """
        session = self._session()
        if not session.commit():
            message = "a statement failed in the transaction: it was rolled back"
            raise error("25P02", message, hint="Go back to a savepoint after a failure, or begin again.")

    def rollback(self) -> None:
        """Undo it."""
        self._session().rollback()

    def savepoint(self, name: str) -> None:
        """Mark this point."""
        self._session().savepoint(name)

    def rollback_to_savepoint(self, name: str) -> None:
        """Undo what came after a savepoint, which stays."""
        self._session().rollback_to(name)

    def release_savepoint(self, name: str) -> None:
        """Forget a savepoint; what came after it stays."""
        self._session().release(name)

    def stats(self, *, collect: bool = False) -> Stats:
        """Return what the process and the transaction's database use, as :meth:`ZetaDb.stats` does; also when it is over."""
        return _stats(self._own, collect)

    @property
    def engine(self) -> Database:
        """The engine's database under it."""
        return self._own.database

    def __enter__(self) -> ZetaTxn:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.is_open:
            return
        if kind is None:
            self.commit()
        else:
            self.rollback()

    def __del__(self) -> None:
        if self.is_open:
            try:
                self._own.rollback()
            except ClosedError:
                return  # the database went first, and the transaction with it


class ZetaCursor:
    """The rows of a query, a few at a time; made by ``stream``. Iterating gives them as :meth:`next` does."""

    def __init__(self, stream: Stream | Gathered, session: Session) -> None:
        self._stream = stream
        self._session = session
        self._columns = names_of(stream.outputs)
        self._ready: Iterator[tuple[Any, ...]] = iter(())

    def columns(self) -> list[str]:
        """Return the names of the columns."""
        return list(self._columns)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Its columns with their types."""
        return self._stream.outputs

    def fetch(self) -> list[tuple[Any, ...]]:
        """Return the next rows in stored form, as many as there are at hand; none at the end."""
        return self._stream.rows()

    def next(self) -> dict[str, Any] | None:
        """Return the next row by names of columns; None at the end."""
        row = next(self._ready, None)
        if row is None:
            more = self._stream.rows()
            if not more:
                return None
            self._ready = iter(to_python(self._stream.outputs, more))
            row = next(self._ready)
        return dict(zip(self._columns, row, strict=True))

    def stats(self, *, collect: bool = False) -> Stats:
        """Return what the process and the cursor's database use, as :meth:`ZetaDb.stats` does; also at its end."""
        return _stats(self._session, collect)

    @property
    def engine(self) -> Database:
        """The engine's database under it."""
        return self._session.database

    def free(self) -> None:
        """Let go of the result; there are no more rows then."""
        self._ready = iter(())
        self._stream.close()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while (row := self.next()) is not None:
            yield row

    def __enter__(self) -> ZetaCursor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.free()


def _stats(session: Session, collect: bool) -> Stats:
    return stats_of(session.database, statements=len(session.ready), collect=collect)


def _result(result: Result) -> QueryResult:
    rows = to_python(result.outputs, result.rows)
    return QueryResult(names_of(result.outputs), rows, result.count, result.command)


def _table(table: Any) -> dict[str, Any]:
    name = table.name[2] if table.name[1] in ("public", "pg_temp") else f"{table.name[1]}.{table.name[2]}"
    columns = [
        {
            "name": column.name,
            "type": type_of_column(column.type).declaration,
            "pk": column.name in table.primary_key,
            "nullable": column.nullable,
        }
        for column in table.columns
    ]
    return {"name": name, "columns": columns}


def _check_change(prepared: Prepared) -> None:
    """Refuse what is no change of rows, or returns some."""
    statement = prepared.statement
    if not isinstance(statement, _CHANGES):
        kind = "query" if isinstance(statement, _ROWS) else "exec_ddl"
        raise error(
            "0A000",
            "exec_mut (execMut) takes INSERT, UPDATE, DELETE and MERGE",
            hint=f"Run this statement with {kind}{' (execDdl)' if kind == 'exec_ddl' else ''}.",
        )
    if prepared.outputs:
        raise error(
            "0A000", "exec_mut (execMut) returns no rows", hint="Run a statement with RETURNING with query."
        )


def _check_rowless(prepared: Prepared) -> None:
    """Refuse what returns rows."""
    if prepared.outputs or isinstance(prepared.statement, _ROWS):
        raise error(
            "0A000",
            "exec_ddl (execDdl) returns no rows",
            hint="Run a statement that returns rows with query.",
        )
