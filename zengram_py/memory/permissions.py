"""Permissions: rules that say what an agent may do, must not do, or has to ask for.

A rule is for one permission (``"edit"``, ``"bash"``, whatever the caller has) and for the targets that match its pattern (glob.py). Of the
rules that match what is asked, the first one counts::

    priority              the higher first
    owner                 of the session ──▶ of its project ──▶ of everybody
    pattern               the more characters that stand for themselves, the earlier: "src/secret.py" before "src/*"
    action                deny ──▶ ask ──▶ allow
    age                   the newest first

    nothing matches ──▶ "ask"

A rule may also say for whom and where it holds: an agent, a branch, a folder, a greatest risk. It matches only what is asked with these:
who does not say which agent asks gets no agent's permissions. Targets and paths are compared as texts, so that whoever asks makes ``..``
and links plain before. In patterns for commands ``**`` is what ``*`` is for names of files: ``git push **`` holds with slashes too.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from posixpath import normpath
from typing import Any

from ..engine import Transaction
from .branches import Conversation
from .choices import check_choice
from .glob import Target, literals
from .quantities import check_flag, check_integer, check_number, check_time
from .rows_in_order import all_rows
from .sessions import optional_text
from .texts import check_text

DENY, ASK, ALLOW = ACTIONS = ("deny", "ask", "allow")
"""In the order in which they count."""
TABLE = "permission_rule"


@dataclass(frozen=True)
class PermissionRule:
    """A rule.

    Attributes
    ----------
    id : str
        What it is.
    project_id, session_id : str or None
        For whom it holds: for a session, else for a project, else for everybody.
    permission, pattern : str
        What is asked for, and the targets.
    action : str
        ``"allow"``, ``"deny"`` or ``"ask"``.
    context_agent, context_branch, context_path_prefix : str or None
        The agent, the branch and the folder for which it holds; None for all.
    context_risk_max : float or None
        The greatest risk for which it holds.
    trust_level : float
        How far its source is trusted, 0 to 1. It is kept for whoever shows rules, and decides nothing.
    times_granted, times_denied : int
        How often somebody was allowed or denied what it is about.
    source : str
        Who made it: ``"user"``, or what the caller said.
    priority : int
        The higher counts first.
    time_created : int
        Microseconds since the epoch, UTC.
    time_expires : int or None
        Likewise: from when on it does not hold.
    """

    id: str
    project_id: str | None
    session_id: str | None
    permission: str
    pattern: str
    action: str
    context_agent: str | None
    context_branch: str | None
    context_path_prefix: str | None
    context_risk_max: float | None
    trust_level: float
    times_granted: int
    times_denied: int
    source: str
    priority: int
    time_created: int
    time_expires: int | None


@dataclass(frozen=True)
class PermissionDecision:
    """What rules say.

    Attributes
    ----------
    action : str
        ``"allow"``, ``"deny"`` or ``"ask"``.
    rule_id : str or None
        The rule that says so; None if none matches.
    reason : str
        The same in words.
    """

    action: str
    rule_id: str | None
    reason: str


_COLUMNS = [field.name for field in fields(PermissionRule)]


class Permissions(Conversation):
    """Keeps rules, and says what they say."""

    def add_permission_rule(
        self,
        permission: str,
        pattern: str,
        action: str,
        *,
        project_id: str | None = None,
        session_id: str | None = None,
        context_agent: str | None = None,
        context_branch: str | None = None,
        context_path_prefix: str | None = None,
        context_risk_max: float | None = None,
        trust_level: float = 0.5,
        source: str = "user",
        priority: int = 0,
        expires: Any = None,
    ) -> str:
        """Add a rule; return its id.

        Parameters
        ----------
        permission : str
            What is asked for, such as ``"edit"``.
        pattern : str
            The targets (glob.py), such as ``"src/**"``.
        action : str
            ``"allow"``, ``"deny"`` or ``"ask"``.
        project_id, session_id : str, optional
            For whom it holds; for everybody when both are left out.
        context_agent, context_branch : str, optional
            The only agent, and the only branch, for which it holds.
        context_path_prefix : str, optional
            The only folder or file for which it holds: ``"src"`` is also for ``"src/a.py"``, and not for ``"srcs"``.
        context_risk_max : float, optional
            The greatest risk for which it holds, at least 0.
        trust_level : float
            How far its source is trusted, 0 to 1.
        source : str
            Who made it.
        priority : int
            The higher counts first.
        expires : time, optional
            From when on it does not hold.

        Raises
        ------
        NotFoundError
            If there is no such project or session.
        """
        risk = context_risk_max
        row: dict[str, Any] = {
            "permission": check_text(permission, "permission"),
            "pattern": check_text(pattern, "pattern"),
            "action": check_choice("action", action, ACTIONS),
            "context_agent": optional_text(context_agent, "context_agent"),
            "context_branch": optional_text(context_branch, "context_branch"),
            "context_path_prefix": optional_text(context_path_prefix, "context_path_prefix"),
            "context_risk_max": None if risk is None else check_number("context_risk_max", risk),
            "trust_level": check_number("trust_level", trust_level, most=1.0),
            "source": check_text(source, "source"),
            "priority": check_integer("priority", priority),
            "time_expires": None if expires is None else check_time("expires", expires),
        }
        rule_id = self._ids.new("prm_")
        with self._writing() as transaction:
            place = self._place(transaction, project_id, session_id)
            transaction.insert(TABLE, {"id": rule_id, **place, **row, "time_created": self._clock.now()})
        return rule_id

    def remove_permission_rule(self, rule_id: str) -> None:
        """Take a rule away.

        Raises
        ------
        NotFoundError
            If there is no such rule.
        """
        with self._writing() as transaction:
            transaction.delete(TABLE, self._row(transaction, TABLE, rule_id, "permission rule")["id"])

    def record_permission(self, rule_id: str, granted: bool) -> None:
        """Count that somebody was allowed or denied what a rule is about.

        Parameters
        ----------
        rule_id : str
            The rule.
        granted : bool
            Whether it was allowed.

        Raises
        ------
        NotFoundError
            If there is no such rule.
        """
        counter = "times_granted" if check_flag("granted", granted) else "times_denied"
        with self._writing() as transaction:
            row = self._row(transaction, TABLE, rule_id, "permission rule")
            transaction.update(TABLE, row["id"], {counter: row[counter] + 1})

    def permission_rule(self, rule_id: str) -> PermissionRule | None:
        """Return a permission rule, None if there is none of this id."""
        with self._reading() as transaction:
            row = transaction.get(TABLE, check_text(rule_id, "permission rule id"))
        return None if row is None else PermissionRule(*(row[name] for name in _COLUMNS))

    def permission_rules(
        self,
        *,
        project_id: str | None = None,
        session_id: str | None = None,
        permission: str | None = None,
        include_expired: bool = False,
    ) -> list[PermissionRule]:
        """Return rules in the order in which they count.

        Parameters
        ----------
        project_id, session_id : str, optional
            Only those that hold there: the session's, its project's, and everybody's. All rules when both are left out.
        permission : str, optional
            Only those for this permission.
        include_expired : bool
            Whether those that do not hold any more are shown too.

        Raises
        ------
        NotFoundError
            If there is no such project or session.
        """
        permission = optional_text(permission, "permission")
        include_expired = check_flag("include_expired", include_expired)
        with self._reading() as transaction:
            place = self._place(transaction, project_id, session_id)
            rules = _rules(transaction, permission)
        if place["project_id"] is not None:
            rules = [rule for rule in rules if _holds_in(rule, place)]
        now = self._clock.now()
        return [rule for rule in rules if include_expired or not _is_expired(rule, now)]

    def check_permission(
        self,
        permission: str,
        target: str,
        *,
        project_id: str | None = None,
        session_id: str | None = None,
        agent: str | None = None,
        branch: str | None = None,
        path: str | None = None,
        risk: float | None = None,
    ) -> PermissionDecision:
        """Return what the rules say; ``"ask"`` if none matches.

        Parameters
        ----------
        permission, target : str
            What is asked for: ``"edit"``, and a file; ``"bash"``, and a command.
        project_id, session_id : str, optional
            Where; a session brings its project. Only the rules for everybody are asked when both are left out.
        agent, branch, path : str, optional
            Who asks, on which branch, and in which folder or on which file.
        risk : float, optional
            How dangerous it is, at least 0.

        Raises
        ------
        NotFoundError
            If there is no such project or session.
        """
        permission = check_text(permission, "permission")
        asked = Target(check_text(target, "target", blank=True))
        agent, branch = optional_text(agent, "agent"), optional_text(branch, "branch")
        path = optional_text(path, "path")
        risk = None if risk is None else check_number("risk", risk)
        now = self._clock.now()
        with self._reading() as transaction:
            place = self._place(transaction, project_id, session_id)
            rules = _rules(transaction, permission)
        for rule in rules:
            if (
                _holds_in(rule, place)
                and not _is_expired(rule, now)
                and rule.context_agent in (None, agent)
                and rule.context_branch in (None, branch)
                and _is_under(path, rule.context_path_prefix)
                and _is_within(risk, rule.context_risk_max)
                and asked.matches(rule.pattern)
            ):
                whose = ("everybody's", "the project's", "the session's")[2 - _owner_rank(rule)]
                reason = f"{whose} rule for {permission!r} and {rule.pattern!r} says {rule.action}"
                action = rule.action if rule.action in ACTIONS else ASK  # SQL writes anything
                return PermissionDecision(action, rule.id, reason)
        return PermissionDecision(ASK, None, f"no rule for {permission!r} matches")


def _rules(transaction: Transaction, permission: str | None) -> list[PermissionRule]:
    """Return the rules for a permission, or all, in the order in which they count."""
    if permission is None:
        rules = [PermissionRule(*values) for values in all_rows(transaction, TABLE).tuples(_COLUMNS)]
    else:
        rows = transaction.lookup(TABLE, "permission_rule_permission", permission)
        rules = [PermissionRule(*(row[name] for name in _COLUMNS)) for row in rows]
    rules.sort(key=lambda rule: (rule.time_created, rule.id), reverse=True)
    return sorted(rules, key=_rank)


def _rank(rule: PermissionRule) -> tuple[int, ...]:
    strictness = ACTIONS.index(rule.action) if rule.action in ACTIONS else -1
    return -rule.priority, _owner_rank(rule), -literals(rule.pattern), strictness


def _owner_rank(rule: PermissionRule) -> int:
    return 0 if rule.session_id is not None else 1 if rule.project_id is not None else 2


def _holds_in(rule: PermissionRule, place: dict[str, str | None]) -> bool:
    if rule.session_id is not None:
        return rule.session_id == place["session_id"]
    return rule.project_id in (None, place["project_id"])


def _is_expired(rule: PermissionRule, now: int) -> bool:
    return rule.time_expires is not None and rule.time_expires <= now


def _is_under(path: str | None, prefix: str | None) -> bool:
    """Return whether a path is a folder or in it, whatever ``.`` and ``..`` are on the way."""
    if prefix is None:
        return True
    if path is None:
        return False
    path, prefix = normpath(path), normpath(prefix)
    if prefix == ".":
        return not path.startswith("/") and path.split("/")[0] != ".."
    inside = path.removeprefix(prefix.rstrip("/") + "/")
    return path == prefix or (inside != path and inside.split("/")[0] != "..")


def _is_within(risk: float | None, most: float | None) -> bool:
    return most is None or (risk is not None and risk <= most)
