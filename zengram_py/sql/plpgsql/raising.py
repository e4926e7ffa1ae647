"""``raise``: messages, and errors with any SQLSTATE."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import SqlError
from ..errors import CONDITIONS, error
from ..functions.output import text_of
from .fragments import Value
from .run import Frame

_STATES = {name.lower(): state for state, name in sorted(CONDITIONS.items(), reverse=True)}
_CLASSES = {
    "integrity_constraint_violation": "23000",
    "invalid_transaction_state": "25000",
    "plpgsql_error": "P0000",
    "syntax_error_or_access_rule_violation": "42000",
    "transaction_rollback": "40000",
    "program_limit_exceeded": "54000",
}
"""Names of whole classes of conditions."""
_NOT_OTHERS = ("57014", "P0004")


def state_of(condition: str) -> str:
    """Return the SQLSTATE of a condition's name, or of itself.

    Raises
    ------
    SqlError
        42704 if there is no such condition.
    """
    if len(condition) == 5 and condition.isalnum() and condition == condition.upper():
        return condition
    found = _CLASSES.get(condition.lower()) or _STATES.get(condition.lower())
    if found is None:
        raise error("42704", f'unrecognized exception condition "{condition}"')
    return found


def check_condition(condition: str, at: int) -> None:
    """Refuse a handler's condition that there is not."""
    if condition == "others":
        return
    try:
        state_of(condition)
    except SqlError as failure:
        raise error("42704", str(failure), at) from None


def condition_matches(condition: str, state: str) -> bool:
    """Return whether a handler's condition is that of an error; ``xx000`` is its whole class."""
    if condition == "others":
        return state not in _NOT_OTHERS
    wanted = state_of(condition)
    return state == wanted or (wanted.endswith("000") and state[:2] == wanted[:2])


class Raising:
    """A ``raise``."""

    def __init__(
        self,
        level: str,
        text: str | None,
        arguments: Sequence[Value],
        options: Sequence[tuple[str, Value]],
        condition: str,
    ) -> None:
        self.level = level
        self.text = text
        self.arguments = arguments
        self.options = options
        self.condition = condition

    def __call__(self, frame: Frame) -> bool:
        """Raise the error, or note the message."""
        options = {name: _shown(value, frame) for name, value in self.options}
        state = options.get("errcode") or self.condition
        state = state_of(state) if state else "P0001"
        message = self._message(frame)
        if message is None:
            message = options.get("message") or self.condition or state
        if self.level != "exception":
            frame.session.notices.append((self.level, message))
            return False
        raise SqlError(
            message,
            sqlstate=state,
            code=CONDITIONS.get(state, state),
            detail=options.get("detail", ""),
            hint=options.get("hint", ""),
        )

    def _message(self, frame: Frame) -> str | None:
        if self.text is None:
            return None
        parts = self.text.split("%%")
        values = iter([_shown(argument, frame) for argument in self.arguments])
        filled = []
        for part in parts:
            pieces = part.split("%")
            out = [pieces[0]]
            for piece in pieces[1:]:
                out += [next(values), piece]
            filled.append("".join(out))
        return "%".join(filled)


class RaiseAgain:
    """``raise`` alone, in a handler."""

    def __call__(self, frame: Frame) -> bool:
        """Raise what the handler caught."""
        if not frame.caught:
            raise error("0Z002", "RAISE without parameters cannot be used outside an exception handler")
        raise frame.caught[-1]


def _shown(value: Value, frame: Frame) -> str:
    found, sql_type = value.typed(frame)
    return "<NULL>" if found is None else text_of(sql_type)(found)
