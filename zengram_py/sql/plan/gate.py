"""A condition that is the same for all rows: it is tested once, and nothing below runs if it is not true."""

from __future__ import annotations

from collections.abc import Iterator

from ..execute.column import Batch
from ..execute.context import Context
from ..execute.expressions import Evaluator
from .basic import Free
from .node import Node


class Gate(Node):
    """All rows, or none."""

    def __init__(self, below: Node, condition: Evaluator, free: Free, text: str) -> None:
        self.condition, self.text = condition, text
        super().__init__(below.layout, below.types, (below,), free, below.rows)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return "One-Time Filter"

    def details(self) -> list[str]:
        """Return the condition."""
        return [f"Filter: {self.text}"]

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows, if the condition is true."""
        if self.condition(context, Batch([], 1)).is_true(1)[0]:
            yield from self.below[0].batches(context)
