"""``explain``: what a statement would do, or with ``analyze`` did, as rows of text.

The plan that is shown is made for it: with ``analyze`` it runs, and each node is measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..engine import Transaction
from ..engine.reader import Reader
from . import tree
from .bound import BoundQuery, Output
from .errors import error
from .plan.explain import Timed, as_text, plan_json, plan_lines
from .plan.node import Node
from .plan.planner import Planner
from .plan.whole import run_changes
from .prepare import Prepared
from .types import JSONB, STRING

if TYPE_CHECKING:
    from .ready import Result, Runner
    from .session import Session

_SWITCHES = ("analyze", "costs", "timing", "summary", "verbose", "buffers", "settings", "wal", "generic_plan")


def explain_runner(prepared: Prepared, statement: tree.Explain, reader: Reader) -> Runner:
    """Return what runs an ``explain``."""
    options = _options(statement)
    analyze = options.get("analyze", "false") == "true"
    as_json = options.get("format", "text") == "json"
    outputs = (Output("QUERY PLAN", JSONB if as_json else STRING),)

    def run(session: Session, transaction: Transaction, values: tuple[Any, ...]) -> Result:
        from .ready import Result

        timer = Timed()
        node, planner = _plan(prepared, transaction.reader)
        planned = timer.stop()
        context = session.context(transaction, values)
        spent = None
        if analyze:
            context.profile = {}
            timer = Timed()
            if planner.changes:
                context.freeze()
            node.whole(context)
            run_changes(planner.changes, context)
            spent = timer.stop()
        if as_json:
            plan = plan_json(node, planner.subplans, context.profile)
            text = [JSONB.column.check([{"Plan": plan}]) if JSONB.column is not None else as_text(plan)]
        else:
            costs = options.get("costs", "true") == "true"
            text = plan_lines(node, planner.subplans, context.profile, costs=costs)
            if analyze and options.get("summary", "true") == "true":
                text += [f"Planning Time: {planned:.3f} ms", f"Execution Time: {spent:.3f} ms"]
        return Result(outputs, [(line,) for line in text], len(text), "EXPLAIN")

    return run


def _plan(prepared: Prepared, reader: Reader) -> tuple[Node, Planner]:
    bound = prepared.bound
    planner = Planner(reader, bound)
    if isinstance(bound, BoundQuery):
        return planner.query(bound), planner
    from .change import change_node

    return change_node(bound, planner), planner  # type: ignore[arg-type]


def _options(statement: tree.Explain) -> dict[str, str]:
    """Return the options by name; 42601 for one that there is not."""
    found = {"analyze": "true"} if statement.analyze else {}
    for name, value in statement.options:
        if name in _SWITCHES:
            word = value.lower()
            if word not in ("", "true", "on", "1", "false", "off", "0"):
                raise error("22023", f"{name} requires a Boolean value", statement.at)
            found[name] = "false" if word in ("false", "off", "0") else "true"
        elif name == "format":
            if value.lower() not in ("text", "json"):
                raise error(
                    "22023", f'unrecognized value for EXPLAIN option "format": "{value}"', statement.at
                )
            found[name] = value.lower()
        else:
            raise error("42601", f'unrecognized EXPLAIN option "{name}"', statement.at)
    return found
