"""``explain``: a plan as text or as JSON, with what was expected and, after a run, what was found.

    Project  (cost=0.41 rows=10)
      ->  Top-N Sort  (cost=0.40 rows=10) (actual time=0.210 rows=10 loops=1)
            Sort Key: a DESC
            ->  Seq Scan on t  (cost=0.03 rows=1000) (actual time=0.100 rows=1000 loops=1)

Costs are in milliseconds as far as they can be told beforehand; times are milliseconds of a node and those below it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .node import Measured, Node

Profile = Mapping[Node, Measured] | None


def plan_lines(
    node: Node, subplans: Sequence[Node] = (), profile: Profile = None, *, costs: bool = True
) -> list[str]:
    """Return a plan as lines of text."""
    out: list[str] = []
    _write(node, out, "", "", profile, costs)
    for i, subplan in enumerate(subplans):
        out.append(f"  SubPlan {i + 1}")
        _write(subplan, out, "    ->  ", "          ", profile, costs)
    return out


def _write(node: Node, out: list[str], first: str, rest: str, profile: Profile, costs: bool) -> None:
    out.append(first + node.title() + _numbers(node, profile, costs))
    out += [f"{rest}  {line}" for line in node.details()]
    for below in node.below:
        _write(below, out, f"{rest}  ->  ", f"{rest}      ", profile, costs)


def _numbers(node: Node, profile: Profile, costs: bool) -> str:
    text = f"  (cost={node.cost / 1000:.2f} rows={node.rows:.0f})" if costs else ""
    if profile is None:
        return text
    found = profile.get(node)
    if found is None:
        return f"{text} (never executed)"
    return f"{text} (actual time={found.seconds * 1000:.3f} rows={found.rows} loops={found.loops})"


def plan_json(node: Node, subplans: Sequence[Node] = (), profile: Profile = None) -> dict[str, Any]:
    """Return a plan as JSON values, with the names that PostgreSQL gives them."""
    found: dict[str, Any] = {
        "Node Type": node.title(),
        "Total Cost": round(node.cost / 1000, 3),
        "Plan Rows": round(node.rows),
    }
    details = node.details()
    if details:
        found["Details"] = details
    if profile is not None:
        measured = profile.get(node)
        found["Actual Loops"] = 0 if measured is None else measured.loops
        found["Actual Rows"] = 0 if measured is None else measured.rows
        found["Actual Total Time"] = 0.0 if measured is None else round(measured.seconds * 1000, 3)
    plans = [plan_json(below, (), profile) for below in node.below]
    plans += [plan_json(subplan, (), profile) for subplan in subplans]
    if plans:
        found["Plans"] = plans
    return found


class Timed:
    """How long a run took, in milliseconds."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    def stop(self) -> float:
        """Return the time since it was made."""
        return (time.perf_counter() - self._start) * 1000


def as_text(plan: dict[str, Any]) -> str:
    """Return a plan's JSON as text."""
    return json.dumps([{"Plan": plan}], indent=2)
