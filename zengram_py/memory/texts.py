"""What may come in as text."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidArgumentError


def check_text(value: Any, what: str, *, blank: bool = False) -> str:
    """Return a text that can be stored, or say what is wrong with it.

    JavaScript strings can hold half of a surrogate pair (a text cut in the middle of an emoji). It has no UTF-8 form,
    so each becomes U+FFFD here, at the door, and never meets the storage or a search.

    Parameters
    ----------
    value : str
        The text.
    what : str
        What it is, for the error message: ``"subject"``.
    blank : bool
        Whether nothing but white space will do.

    Raises
    ------
    InvalidArgumentError
        If it is not a str, or is blank and must not be.
    """
    if not isinstance(value, str):
        if value is None:
            raise InvalidArgumentError(f"{what} is missing; it must be a string")
        raise InvalidArgumentError(f"{what} must be a string, not a {type(value).__name__}")
    text = str.__str__(value)  # plain characters, whatever a subclass says of itself
    if not blank and not text.strip():
        raise InvalidArgumentError(f"{what} must not be blank")
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def fact_text(subject: str, content: str) -> str:
    """Return a fact as one text: what is embedded, and where names are looked for."""
    return f"{subject}: {content}"


def text_of(error: BaseException) -> str:
    """Return what an exception of the caller's code says, also when it cannot say it."""
    kind = type(error).__name__
    try:
        return f"{kind}: {error}"
    except Exception:
        return kind


def text_of_part(data: Any) -> str | None:
    """Return the text in the data of a part: the data themselves, or what they have under ``text`` or ``content``; None for none."""
    if isinstance(data, dict):
        data = next((data[name] for name in ("text", "content") if isinstance(data.get(name), str)), None)
    return data if isinstance(data, str) and data.strip() else None
