"""Commands: statements that neither read rows nor are definitions of the engine's transaction.

    branches      create, drop, merge, rebase, list     branches.py
    upkeep        vacuum, analyze, reindex              upkeep.py
    code          do                                    plpgsql/

Each is a function of (session, transaction, statement) that gives a :class:`~zengram_py.sql.ready.Result`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..engine import Transaction
from . import tree
from .errors import unsupported
from .prepare import Prepared
from .ready import Result

if TYPE_CHECKING:
    from .session import Session

_COMMANDS: dict[type[Any], tuple[str, str]] = {
    tree.CreateBranch: ("branches", "create_branch"),
    tree.Drop: ("branches", "drop_branch"),
    tree.MergeBranch: ("branches", "merge_branch"),
    tree.RebaseBranch: ("branches", "rebase_branch"),
    tree.Maintain: ("upkeep", "maintain"),
    tree.Do: ("routines", "do"),
}
"""The module and the function of each kind of statement; a module is imported when it is needed."""


def run_command(session: Session, transaction: Transaction, prepared: Prepared) -> Result:
    """Run a command.

    Parameters
    ----------
    session : Session
        Whose it is.
    transaction : Transaction
        The statement's. Commands that work on the database as a whole end it, and are refused inside a block (25001).
    prepared : Prepared
        The statement.

    Raises
    ------
    SqlError
        0A000 if there is no such command here, and whatever it ends with.
    """
    statement = prepared.statement
    found = _COMMANDS.get(type(statement))
    if found is None:
        raise unsupported(type(statement).__name__, statement.at)
    module, name = found
    run = getattr(import_module(f".{module}", __package__), name)
    result: Result = run(session, transaction, statement)
    return result
