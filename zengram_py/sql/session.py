"""A session: what statements share: a branch, a database, settings, an open transaction, plans that are ready.

    text ──ready?──▶ Ready ──run──▶ Result
           │  no                       in the open block, or in a transaction of its own, which then commits
           └──prepare, plan──┘

Every statement runs in a transaction. Without a block (``begin``) it has one of its own; within one, a statement that fails fails the block
(block.py). Errors of the engine leave here in PostgreSQL's words (failures.py).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Database, TableDef, Transaction
from ..engine.catalog import CatalogView
from ..engine.reader import Reader
from ..errors import BranchError, SqlError, ZengramError
from . import tree
from .block import Block, begin
from .bound import Output
from .embedding import Embedder, missing
from .errors import error
from .execute.context import Context
from .failures import translated
from .parameters import bind_parameters, check_parameters
from .parse import parse, parse_one
from .plan.whole import rows_of
from .prepare import Prepared, bind
from .ready import CONTROLS, Ready, ReadyCache, Result
from .scope import Catalogue, SearchPath
from .sequences import Drawn
from .settings import OF_TRANSACTION, Settings, setting_of
from .stack import roomy
from .stream import Gathered, Stream
from .types import STRING

__all__ = ["Result", "Session", "rows_of"]

KEPT_NOTICES = 100

Check = Callable[[Prepared], None]
_PUBLIC = SearchPath().schemas


class Session:
    """One user's way into a database.

    Parameters
    ----------
    database : Database
        The engine's.
    share : Session, optional
        Another session on the same database, whose settings, place and plans it begins with.

    Attributes
    ----------
    settings : Settings
        What ``set`` changes.
    path : SearchPath
        Where names are looked for.
    block : Block or None
        The open transaction.
    embedder : Embedder or None
        What ``embed(text)`` calls.
    drawn : Drawn
        What this session drew from sequences.
    depth : int
        How many functions and triggers have been called by each other, and are not over.
    notices : deque of (str, str)
        The last messages that code raised, and their levels.
    """

    def __init__(self, database: Database, *, share: Session | None = None) -> None:
        self.database = database
        self.settings: Settings = Settings(None if share is None else share.settings.values)
        self._places: tuple[CatalogView, SearchPath, SearchPath] | None = None
        self.path: SearchPath = SearchPath() if share is None else share.path
        self.ready: ReadyCache = ReadyCache() if share is None else share.ready
        self.block: Block | None = None
        self.clock: Callable[[], float] = time.monotonic
        self.embedder: Embedder | None = None if share is None else share.embedder
        self.drawn = Drawn()
        self._head: tuple[Any, Reader] | None = None
        self.depth = 0
        self.notices: deque[tuple[str, str]] = deque(maxlen=KEPT_NOTICES)

    # -- where it is -------------------------------------------------------------------------------------------------

    @property
    def branch(self) -> str:
        """The branch that is read and written."""
        return self.settings.branch

    @property
    def max_rows(self) -> int:
        """How many rows a statement may make on its way; 0 is any number."""
        return self.settings.max_rows

    def set_branch(self, name: str | None) -> None:
        """Go to another branch; None is main."""
        self.configure("branch", name)

    def set_database(self, name: str | None) -> None:
        """Go to another database; None is the first one."""
        self._not_in_block("the database")
        if name is not None and name not in self.databases():
            raise error("3D000", f'database "{name}" does not exist')
        path = SearchPath() if name is None else SearchPath(name)
        self.path = SearchPath(path.database, self.settings.schemas)

    def databases(self) -> list[str]:
        """Return the names of the databases."""
        with self._reading() as transaction:
            view = transaction.reader.catalog
            found = [d.name[2] for d in view.by_id.values() if d.kind == "database"]
        return [SearchPath().database, *sorted(found)]

    def tables(self) -> list[TableDef]:
        """Return the tables of the database, by name."""
        with self._reading() as transaction:
            found = transaction.reader.catalog.tables()
            return [t for t in found if t.name[0] == self.path.database]

    def embed(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text, by the embedder that was set."""
        if self.embedder is None:
            raise missing()
        return self.embedder(text)

    def places(self, transaction: Transaction) -> SearchPath:
        """Return where a transaction looks for names: the search path without schemas that there are not."""
        path = self.path
        if path.schemas == _PUBLIC:
            return path
        view = transaction.reader.catalog
        if self._places is None or self._places[0] is not view or self._places[1] is not path:
            catalogue = Catalogue(view, path)
            known = tuple(s for s in path.schemas if catalogue.has_schema(s))
            self._places = view, path, SearchPath(path.database, known or path.schemas)
        return self._places[2]

    def catalogue(self, transaction: Transaction) -> Catalogue:
        """Return the definitions that a transaction sees, with the path by which names are found."""
        return Catalogue(transaction.reader.catalog, self.places(transaction))

    @contextmanager
    def _reading(self) -> Iterator[Transaction]:
        """Give the open transaction, or one that ends with the block."""
        if self.block is not None:
            yield self.block.transaction
            return
        transaction = self._begin()
        try:
            yield transaction
        finally:
            if transaction.state == "open":
                transaction.rollback()

    def _not_in_block(self, what: str) -> None:
        if self.block is not None:
            raise error("25001", f"{what} cannot be changed inside a transaction block")

    # -- running -----------------------------------------------------------------------------------------------------

    @roomy
    def run(self, text: str, parameters: Sequence[Any] = (), *, check: Check | None = None) -> Result:
        """Run one statement.

        Parameters
        ----------
        text : str
            The statement.
        parameters : sequence
            Values for ``$1``, ``$2``, …
        check : callable, optional
            Is given the statement before it runs, and may refuse it.

        Raises
        ------
        SqlError
            If it is refused; nothing of it took effect.
        """
        if parameters.__class__ not in (tuple, list):
            check_parameters(parameters)
        if self.block is not None:
            return self._in_block(self.block, text, parameters, check)
        if check is None and text in self.ready.points:
            point, outputs = self.ready.points[text]
            rows = point.rows_now(self, self._now(), parameters)
            if rows is not None:
                return Result(outputs, rows, len(rows), "SELECT")
        try:
            transaction = self._begin()
        except SqlError:  # the branch is gone, or the past that is read: settings lead out of there
            statement = parse_one(text)
            if isinstance(statement, CONTROLS):
                return self._control(Ready.of_control(text, statement))
            raise
        try:
            ready = self.ready.get(text, transaction, self.places(transaction))
            if check is not None:
                check(ready.prepared)
            if ready.is_control:
                transaction.rollback()
                return self._control(ready)
            result = ready.run(self, transaction, parameters)
            if transaction.state == "open":
                transaction.commit()
        except BaseException as failure:
            if transaction.state == "open":
                transaction.rollback()
            if isinstance(failure, ZengramError):
                raise translated(failure, transaction.reader.catalog) from failure.__cause__
            raise
        return result

    def _now(self) -> Reader:
        """Return what reads the state of now on the session's branch; kept until something is committed or set."""
        database, settings = self.database, self.settings
        state = database.timestamp, database.lsn, id(database.stores), settings.changes
        if self._head is None or self._head[0] != state:
            with self._begin() as transaction:
                self._head = state, transaction.reader
        return self._head[1]

    def _begin(self) -> Transaction:
        """Begin the transaction of one statement."""
        settings = self.settings
        return begin(self.database, settings, settings.isolation, settings.read_only)

    def _in_block(self, block: Block, text: str, parameters: Sequence[Any], check: Check | None) -> Result:
        if block.failed:
            statement = parse_one(text)
            if not _may_end(statement):
                block.check()
            return self._control(Ready.of_control(text, statement))
        try:
            ready = self.ready.get(text, block.transaction, self.places(block.transaction))
            if check is not None:
                check(ready.prepared)
            if ready.is_control:
                return self._control(ready)
            block.fresh = False
            return ready.run(self, block.transaction, parameters)
        except BaseException as failure:
            block.failed = True
            if isinstance(failure, ZengramError):
                raise translated(failure, block.transaction.reader.catalog) from failure.__cause__
            raise

    @roomy
    def stream(self, text: str, parameters: Sequence[Any] = ()) -> Stream | Gathered:
        """Run a query whose rows are taken a few at a time; other statements run as a whole, at once."""
        if parameters.__class__ not in (tuple, list):
            check_parameters(parameters)
        block = self.block
        if block is not None:
            block.check()
        transaction = self._begin() if block is None else block.transaction
        try:
            ready = self.ready.get(text, transaction, self.places(transaction))
            if ready.plan is not None:
                values = bind_parameters(ready.prepared, parameters)
                return Stream(
                    self, transaction, ready.plan, ready.prepared.outputs, values, owned=block is None
                )
        except BaseException as failure:
            if block is not None:
                block.failed = True
            elif transaction.state == "open":
                transaction.rollback()
            if isinstance(failure, ZengramError):
                raise translated(failure, transaction.reader.catalog) from failure.__cause__
            raise
        if block is None:
            transaction.rollback()
        result = self.run(text, parameters)
        return Gathered(result.outputs, result.rows)

    def run_script(self, text: str) -> list[Result]:
        """Run statements with ``;`` between them, one after the other; those before one that fails have taken effect."""
        return [self._run_tree(text, statement) for statement in parse(text)]

    @roomy
    def _run_tree(self, text: str, statement: tree.Statement) -> Result:
        if self.block is not None and not _may_end(statement):
            self.block.check()
        if isinstance(statement, CONTROLS):
            return self._control(Ready.of_control(text, statement))
        block, own = self.block, self.block is None
        if block is None:
            block = Block(self.database, self.settings, None, None)
        try:
            prepared = bind(text, statement, self.catalogue(block.transaction))
            block.fresh = False
            result = Ready.of(prepared, block.transaction, self.places(block.transaction)).run(
                self, block.transaction, ()
            )
            if own and block.transaction.state == "open":
                block.transaction.commit()
        except BaseException as failure:
            block.failed = True
            if own and block.transaction.state == "open":
                block.transaction.rollback()
            if isinstance(failure, ZengramError):
                raise translated(failure, block.transaction.reader.catalog) from failure.__cause__
            raise
        return result

    def perform(self, transaction: Transaction, text: str, parameters: Sequence[Any] = ()) -> Result:
        """Run one statement inside a transaction that somebody else ends: of a function, a trigger, a block of code."""
        ready = self.ready.get(text, transaction, self.places(transaction))
        if ready.is_control:
            raise error("0A000", "transactions and settings cannot be changed here")
        return ready.run(self, transaction, parameters)

    def context(self, transaction: Transaction, parameters: tuple[Any, ...] = ()) -> Context:
        """Return what a run of a statement knows."""
        timeout = self.settings.timeout
        return Context(self, transaction, parameters, deadline=self.clock() + timeout if timeout else None)

    # -- transactions and settings -----------------------------------------------------------------------------------

    def _control(self, ready: Ready) -> Result:
        """Run a statement that begins or ends a transaction, or is about settings."""
        statement = ready.prepared.statement
        try:
            if isinstance(statement, tree.TransactionCommand):
                return Result(command=self._transaction(statement))
            if isinstance(statement, tree.SetCommand):
                self._set(statement)
                return Result(command="RESET" if statement.name is None else "SET")
            assert isinstance(statement, tree.Show)
            return self._show(statement)
        except ZengramError as failure:
            block = self.block
            if block is None:
                raise
            block.failed = True
            raise translated(failure, block.transaction.reader.catalog) from None

    def begin(self, isolation: str | None = None, read_only: bool | None = None) -> None:
        """Open a transaction; inside one it does nothing."""
        if self.block is None:
            self.block = Block(self.database, self.settings, isolation, read_only)

    def commit(self) -> bool:
        """End the transaction; return whether it took effect: one in which a statement failed is rolled back."""
        block, self.block = self.block, None
        if block is None:
            return True
        try:
            return block.commit(self.settings)
        except ZengramError as failure:
            raise translated(failure, block.transaction.reader.catalog) from None
        finally:
            self._settle()

    def rollback(self) -> None:
        """Undo the transaction."""
        block, self.block = self.block, None
        if block is not None:
            block.rollback(self.settings)
            self._settle()

    def _transaction(self, node: tree.TransactionCommand) -> str:
        action = node.action
        if action == "begin":
            if self.block is not None:  # PostgreSQL warns that there is one, and sets of it what is said
                self._set_transaction(node)
            self.begin(node.isolation, node.read_only)
            return "BEGIN"
        if action == "commit":
            return "COMMIT" if self.commit() else "ROLLBACK"
        if action == "rollback":
            self.rollback()
            return "ROLLBACK"
        if action == "set":
            self._set_transaction(node)
            return "SET"
        assert node.name is not None
        if action == "savepoint":
            self.savepoint(node.name)
            return "SAVEPOINT"
        if action == "release":
            self.release(node.name)
            return "RELEASE"
        self.rollback_to(node.name)
        return "ROLLBACK"

    def _open_block(self, action: str) -> Block:
        if self.block is None:
            raise error("25P01", f"{action} can only be used in transaction blocks")
        return self.block

    def savepoint(self, name: str) -> None:
        """Mark this point of the transaction."""
        self._open_block("SAVEPOINT").savepoint(name, self.settings)

    def release(self, name: str) -> None:
        """Forget a savepoint; what came after it stays."""
        self._open_block("RELEASE SAVEPOINT").release(name)

    def rollback_to(self, name: str) -> None:
        """Undo what came after a savepoint, which stays."""
        self._open_block("ROLLBACK TO SAVEPOINT").rollback_to(name, self.settings)
        self._settle()

    def _set_transaction(self, node: tree.TransactionCommand) -> None:
        block = self.block
        if block is None:
            return  # PostgreSQL warns: there is no transaction to set something of
        block.isolation = node.isolation or block.isolation
        block.read_only = block.read_only if node.read_only is None else node.read_only
        if block.fresh:
            block.again(self.settings)
        elif node.isolation is not None:
            raise error("25001", "SET TRANSACTION ISOLATION LEVEL must be called before any query")
        elif node.read_only is False and block.transaction.read_only:
            raise error("25001", "transaction read-write mode must be set before any query")
        else:
            block.transaction.read_only = block.read_only

    def _set(self, node: tree.SetCommand) -> None:
        if node.name is None:
            self.settings.reset()
            self._settle()
            return
        text = None
        if node.values is not None:
            listed = node.name.lower() == "search_path"
            text = ", ".join(_quoted(v) if listed else v for v in node.values)
        self.configure(node.name, text, local=node.local)

    def configure(self, name: str, text: str | None, *, local: bool = False) -> None:
        """Change a setting; None is its default. ``local`` is until the transaction ends."""
        key, block = name.lower(), self.block
        if key in OF_TRANSACTION:
            self._configure_transaction(key, text)
            return
        if local and block is None:
            return  # PostgreSQL warns: it would be over at once
        before = self.settings.values.get(key)
        self.settings.put(name, text)
        if key == "branch":
            self._check_branch(before)
        if block is not None and key in ("branch", "as_of"):
            try:
                block.again(self.settings)
            except ZengramError:
                self.settings.put(name, before)
                raise
        if block is not None:
            if local:
                block.local.setdefault(key, before)
            else:
                block.local.pop(key, None)
        self._settle()

    def _check_branch(self, before: str | None) -> None:
        try:
            self.database.tree.find(self.settings.branch)
        except BranchError:
            name = self.settings.branch
            self.settings.put("branch", before)
            raise error("42704", f'branch "{name}" does not exist') from None

    def _configure_transaction(self, key: str, text: str | None) -> None:
        text = text or "default"
        if key == "transaction_isolation":
            node = tree.TransactionCommand("set", None, text.lower(), None)
            Settings().put(key, text)
        elif key == "transaction_read_only":
            Settings().put(key, text)
            node = tree.TransactionCommand("set", None, None, text.lower() in ("on", "true", "1", "yes"))
        else:
            return
        self._set_transaction(node)

    def _settle(self) -> None:
        """Let what settings say take effect."""
        if self.path.schemas != self.settings.schemas:
            self.path = SearchPath(self.path.database, self.settings.schemas)

    def setting(self, name: str, *, missing_ok: bool = False) -> str:
        """Return a setting as ``show`` does."""
        key, block = name.lower(), self.block
        if key == "transaction_isolation":
            return self.settings.isolation if block is None else block.isolation
        if key == "transaction_read_only":
            reads = self.settings.read_only if block is None else block.transaction.read_only
            return "on" if reads else "off"
        if key == "statement_timeout":
            return _duration(int(self.settings.get(key)))
        return self.settings.get(name, missing_ok=missing_ok)

    def _show(self, node: tree.Show) -> Result:
        if node.name == "all":
            outputs = tuple(Output(name, STRING) for name in ("name", "setting", "description"))
            rows = [
                (name, self.setting(name, missing_ok=True), text) for name, _, text in self.settings.all()
            ]
            return Result(outputs, list(rows), len(rows), "SHOW")
        if node.name == "branches":
            from .branches import show_branches

            return show_branches(self)
        found, known = self.setting(node.name), setting_of(node.name)
        title = node.name if known is None else known.title
        return Result((Output(title, STRING),), [(found,)], 1, "SHOW")


def _may_end(statement: tree.Statement) -> bool:
    """Return whether a statement is one that a failed transaction takes."""
    return isinstance(statement, tree.TransactionCommand) and statement.action in (
        "commit",
        "rollback",
        "rollback to",
    )


def _quoted(name: str) -> str:
    """Return a name as it stands in a search path."""
    plain = name.replace("_", "a").isalnum() and name == name.lower() and not name[0].isdigit()
    return name if plain or name == "$user" else '"' + name.replace('"', '""') + '"'


def _duration(milliseconds: int) -> str:
    """Return a time as ``show`` does: in the largest unit in which it is a whole number."""
    if not milliseconds:
        return "0"
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if milliseconds % size == 0:
            return f"{milliseconds // size}{unit}"
    return f"{milliseconds}ms"
