"""What may come in as one of a few words, and as changes of a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import InvalidArgumentError
from .texts import check_text

Check = Callable[[Any], Any]
"""Takes what a caller gave and returns what is stored, or raises."""


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Return one of some words, or raise :class:`~zengram_py.errors.InvalidArgumentError` that lists them."""
    text = check_text(value, name)
    if text not in choices:
        raise InvalidArgumentError(f"{name} must be one of {', '.join(choices)}, not {text[:60]!r}")
    return text


def optional_choice(name: str, value: Any, choices: Sequence[str]) -> str | None:
    """Return one of some words that may be left out."""
    return None if value is None else check_choice(name, value, choices)


def check_changes(what: str, changes: Mapping[str, Any], checks: Mapping[str, Check]) -> dict[str, Any]:
    """Return changes of a row, each as it is stored.

    Parameters
    ----------
    what : str
        What is changed, for the error message: ``"concept"``.
    changes : mapping
        New values by name, as the caller gave them.
    checks : mapping
        For each name that there is, what looks at its value.

    Raises
    ------
    InvalidArgumentError
        If there is no such name, or its value cannot be.
    """
    for name in changes:
        if name not in checks:
            raise InvalidArgumentError(
                f"a {what} has no {name[:60]!r} to change; there are {', '.join(checks)}"
            )
    return {name: checks[name](value) for name, value in changes.items()}
