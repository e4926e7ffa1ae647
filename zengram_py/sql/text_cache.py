"""Remembering what was made of texts, in a space that is bounded whatever the texts are.

``lru_cache`` counts entries and not bytes: four thousand documents of a megabyte are four thousand entries. So short texts have one cache, long
ones a smaller one, and what is longer still is made anew each time::

    up to 1,024 characters    size          4 MB of texts for a size of 4096
    up to 65,536              size / 64     4 MB likewise
    beyond                    not kept
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar

Made = TypeVar("Made", bound=Callable[..., Any])
_SHORT, _LONG = 1 << 10, 1 << 16


def text_cache(size: int, at: int = 0) -> Callable[[Made], Made]:
    """Return a decorator for functions of hashable arguments, one of which is a text.

    Parameters
    ----------
    size : int
        How many short texts are kept.
    at : int
        Which of the positional arguments is the text.
    """

    def decorate(function: Made) -> Made:
        short, long = lru_cache(size)(function), lru_cache(max(1, size * _SHORT // _LONG))(function)

        @wraps(function)
        def look_up(*args: Any) -> Any:
            length = len(args[at])
            if length <= _SHORT:
                return short(*args)
            return long(*args) if length <= _LONG else function(*args)

        return look_up  # type: ignore[return-value]

    return decorate
