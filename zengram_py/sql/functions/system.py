"""Functions that know the session: sequences, settings, who and where one is, the embedder."""

from __future__ import annotations

import time
from typing import Any

from ...engine import SequenceDef
from ...errors import SequenceError
from ..errors import error
from ..execute.column import Column
from ..execute.context import Context
from ..signatures import Signature
from ..types import INT8, STRING
from .registry import Implementation, by_type, columns, nullable, scalar

USER = "zengram"
"""The name of the only user."""

# Sequences.


@scalar("nextval: text", volatile=True, context=True)
def _nextval(context: Context, name: str) -> int:
    sequence = _sequence(context, name)
    if context.transaction.read_only:
        raise error("25006", "cannot execute nextval() in a read-only transaction")
    return context.session.drawn.draw(context.transaction, sequence)[0]


@scalar("currval: text", volatile=True, context=True)
def _currval(context: Context, name: str) -> int:
    sequence = _sequence(context, name)
    found: int | None = context.session.drawn.last.get(sequence.id)
    if found is None:
        message = f'currval of sequence "{sequence.name[2]}" is not yet defined in this session'
        raise error("55000", message)
    return found


@columns("lastval:")
def _lastval(context: Context, arguments: Any, count: int) -> Column:
    drawn = context.session.drawn
    if drawn.newest is None or drawn.newest not in context.transaction.reader.catalog.by_id:
        raise error("55000", "lastval is not yet defined in this session")
    return Column.constant(INT8, drawn.last[drawn.newest])


@scalar("setval: text int8", volatile=True, context=True)
def _setval(context: Context, name: str, value: int) -> int:
    return _set(context, name, value, True)


@scalar("setval: text int8 bool", volatile=True, context=True)
def _set(context: Context, name: str, value: int, drawn: bool) -> int:
    sequence = _sequence(context, name)
    if context.transaction.read_only:
        raise error("25006", "cannot execute setval() in a read-only transaction")
    try:
        if drawn:
            context.session.database.sequences.set(sequence, value)
            context.session.drawn.note_value(sequence.id, value)
        else:
            context.transaction.set_next(sequence, value)
    except SequenceError:
        message = f'setval: value {value} is out of bounds for sequence "{sequence.name[2]}" ({sequence.least}..{sequence.most})'
        raise error("22003", message) from None
    return value


def _sequence(context: Context, name: str) -> SequenceDef:
    from ..names import parts_of

    return context.session.catalogue(context.transaction).sequence(parts_of(name))


# Settings.


@scalar("current_setting: text", volatile=True, context=True)
def _current_setting(context: Context, name: str) -> str:
    return context.session.setting(name)


@scalar("current_setting: text bool", volatile=True, context=True)
def _current_setting_or_null(context: Context, name: str, missing_ok: bool) -> str | None:
    from ...errors import SqlError

    try:
        return context.session.setting(name)
    except SqlError:
        if missing_ok:
            return None
        raise


@nullable("set_config: text text bool", volatile=True, context=True)
def _set_config(context: Context, name: str | None, value: str | None, local: bool | None) -> str:
    if name is None:
        raise error("22004", "SET requires parameter name")
    context.session.configure(name, value, local=bool(local))
    return context.session.setting(name, missing_ok=True)


# Where and who.


@columns("current_database current_catalog:")
def _current_database(context: Context, arguments: Any, count: int) -> Column:
    return Column.constant(STRING, context.session.path.database)


@columns("current_schema:")
def _current_schema(context: Context, arguments: Any, count: int) -> Column:
    catalogue = context.session.catalogue(context.transaction)
    found = next((s for s in catalogue.path.schemas if catalogue.has_schema(s)), None)
    return Column.constant(STRING, found)


@columns("current_user current_role session_user system_user user:")
def _user(context: Context, arguments: Any, count: int) -> Column:
    return Column.constant(STRING, USER)


@columns("version:")
def _version(context: Context, arguments: Any, count: int) -> Column:
    from ... import __version__
    from ..settings import VERSION

    return Column.constant(STRING, f"PostgreSQL {VERSION} (Zengram {__version__}, in Python)")


@by_type("pg_typeof: any")
def _typeof(signature: Signature) -> Implementation:
    title = signature.arguments[0].title

    def run(context: Context, arguments: Any, count: int) -> Column:
        return Column.constant(STRING, title)

    return Implementation("columns", run)


@columns("txid_current:")
def _txid(context: Context, arguments: Any, count: int) -> Column:
    return Column.constant(INT8, context.transaction.view.timestamp + 1)


# Time that passes, and the embedder.


@scalar("pg_sleep: float8", volatile=True, context=True)
def _sleep(context: Context, seconds: float) -> str:
    end = time.monotonic() + max(0.0, seconds)
    while (left := end - time.monotonic()) > 0:
        context.check()
        time.sleep(min(left, 0.01))
    return ""


@scalar("embed: text", context=True)
def _embed(context: Context, text: str) -> Any:
    return context.session.embed(text)
