"""What is made for the definitions of a moment, and kept for the last few of them.

A plan, a program, a trigger holds for one view of the catalogue, and holds that view: so it is kept here, and not with the view, which then
could never go.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Generic, TypeVar

from ..engine.catalog import CatalogView

Made = TypeVar("Made")
_KEPT = 16


class PerView(Generic[Made]):
    """Things by a key, for each of the last views that were asked for."""

    def __init__(self) -> None:
        self._views: OrderedDict[int, tuple[CatalogView, dict[Any, Made]]] = OrderedDict()

    def of(self, view: CatalogView) -> dict[Any, Made]:
        """Return what was made for a view, to be added to."""
        number = id(view)
        found = self._views.get(number)
        if found is None or found[0] is not view:
            found = self._views[number] = (view, {})
            while len(self._views) > _KEPT:
                self._views.popitem(last=False)
        self._views.move_to_end(number)
        return found[1]
