"""Regular expressions that are compiled when they are first used: to compile one takes a millisecond or more in a tab."""

from __future__ import annotations

import re
from typing import Any, cast


class _Late:
    """Stands for a pattern, and has its methods once one of them was asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        made = re.compile(self._text, self._flags)
        for method in ("match", "fullmatch", "search", "sub", "split", "findall", "finditer"):
            setattr(self, method, getattr(made, method))
        return getattr(made, name)


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a regular expression that is compiled later."""
    return cast("re.Pattern[str]", _Late(text, flags))
