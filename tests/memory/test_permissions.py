"""Permissions: which rule counts, and what patterns match."""

from __future__ import annotations

import math
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_support import refused

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError
from zengram_py.memory import PermissionDecision, PermissionRule
from zengram_py.memory.glob import Target, literals

# -- patterns ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("src/a.py", ["src/a.py"], ["src/a.pyc", "xsrc/a.py", "SRC/a.py", ""]),
        ("src/*", ["src/", "src/a.py"], ["src", "src/a/b.py", "lib/src/a"]),
        ("src/**", ["src/", "src/a.py", "src/a/b.py"], ["src", "srcs/a"]),
        ("**/a.py", ["a.py", "x/a.py", "x/y/a.py", "/a.py"], ["xa.py", "a.py/"]),
        ("src/**/a.py", ["src/a.py", "src/x/a.py", "src/x/y/a.py"], ["src/xa.py", "srca.py"]),
        ("src**/a", ["src/a", "srcx/a", "src/x/a"], ["srca"]),
        ("?.py", ["a.py", "é.py", "😀.py"], ["/.py", ".py", "ab.py"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "x", "Ax"]),
        ("[!a-c]x", ["dx", "Ax"], ["ax", "/x"]),
        ("[^a]x", ["bx"], ["ax"]),
        ("[]]", ["]"], ["[", "[]]"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[z-a]", [], ["z", "a", "m"]),
        ("[!z-a]", ["z"], ["/", ""]),
        ("[*]", ["*"], ["a", "[*]"]),
        ("[\\d]", ["\\", "d"], ["1"]),
        ("[&&~~|]", ["&", "~", "|"], ["b"]),
        ("[--a]", ["-", ".", "a"], ["/", "b"]),
        ("[", ["["], [""]),
        ("[!]", ["[!]"], ["a"]),
        ("[]", ["[]"], ["a"]),
        ("a.b+(c)", ["a.b+(c)"], ["axb+(c)"]),
        ("git push **", ["git push origin feature/x", "git push "], ["git pull origin"]),
        ("**", ["", "a", "a/b\nc"], []),
        ("***", ["", "a/b"], []),
        ("*", ["", "a", "a\nb"], ["/", "a/b"]),
    ],
)
def test_patterns(pattern: str, matching: list[str], others: list[str]) -> None:
    assert [text for text in matching if not Target(text).matches(pattern)] == []
    assert [text for text in others if Target(text).matches(pattern)] == []


def naive(pattern: str) -> str:
    """Return a regular expression for a pattern without classes, made in the plain way."""
    found = ""
    while pattern:
        at_begin = not found or found.endswith(("/", "(?:.*/)?"))
        if pattern.startswith("**/") and at_begin:
            found, pattern = found + "(?:.*/)?", pattern[3:]
        elif pattern.startswith("**"):
            found, pattern = found + ".*", pattern[2:]
        else:
            one, pattern = pattern[0], pattern[1:]
            found += {"*": "[^/]*", "?": "[^/]"}.get(one, re.escape(one))
    return found


@given(st.text("ab/*?", max_size=9).filter(lambda text: "***" not in text), st.text("ab/", max_size=8))
@settings(max_examples=300, deadline=None)
def test_patterns_match_what_an_expression_does(pattern: str, text: str) -> None:
    expected = re.fullmatch(naive(pattern), text, re.DOTALL) is not None
    assert Target(text).matches(pattern) == expected


def test_no_pattern_takes_long() -> None:
    begin = time.perf_counter()
    assert not Target("a" * 20_000).matches("*a" * 200 + "b")
    assert time.perf_counter() - begin < 2


def test_what_stands_for_itself_is_counted() -> None:
    assert [literals(one) for one in ("**", "src/*", "src/[a-z]?", "[*]x")] == [0, 4, 4, 1]


# -- rules -------------------------------------------------------------------------------------------------------------------


def test_a_rule_as_it_is_kept(memory: ZengramMemory, clock: ManualClock) -> None:
    session = memory.create_session("p").session_id
    rule = memory.add_permission_rule(
        "edit",
        "src/**",
        "allow",
        session_id=session,
        context_agent="coder",
        context_branch="main",
        context_path_prefix="src/",
        context_risk_max=0.5,
        trust_level=0.9,
        source="admin",
        priority=-2,
        expires="2030-01-01",
    )
    expected = PermissionRule(
        id=rule,
        project_id="p",
        session_id=session,
        permission="edit",
        pattern="src/**",
        action="allow",
        context_agent="coder",
        context_branch="main",
        context_path_prefix="src/",
        context_risk_max=0.5,
        trust_level=0.9,
        times_granted=0,
        times_denied=0,
        source="admin",
        priority=-2,
        time_created=clock.now(),
        time_expires=1_893_456_000_000_000,
    )
    assert memory.permission_rules() == [expected]
    assert memory.permission_rule(rule) == expected
    memory.record_permission(rule, True)
    memory.record_permission(rule, True)
    memory.record_permission(rule, False)
    (found,) = memory.permission_rules(permission="edit")
    assert (found.times_granted, found.times_denied) == (2, 1)
    memory.remove_permission_rule(rule)
    assert memory.permission_rules(include_expired=True) == []
    assert memory.permission_rule(rule) is None


def test_what_no_rule_matches_is_asked(memory: ZengramMemory) -> None:
    rule = memory.add_permission_rule("edit", "src/*", "allow")
    found = memory.check_permission("edit", "lib/a.py")
    assert found == PermissionDecision("ask", None, "no rule for 'edit' matches")
    assert memory.check_permission("read", "src/a.py").action == "ask"
    found = memory.check_permission("edit", "src/a.py")
    reason = "everybody's rule for 'edit' and 'src/*' says allow"
    assert found == PermissionDecision("allow", rule, reason)


def test_the_first_rule_in_order_counts(memory: ZengramMemory, clock: ManualClock) -> None:
    session = memory.create_session("p").session_id
    later = [
        ("allow", "**", {}),
        ("ask", "**", {}),
        ("deny", "**", {}),
        ("allow", "src/*", {}),
        ("deny", "src/a*", {}),
        ("allow", "**", {"project_id": "p"}),
        ("deny", "**", {"session_id": session}),
        ("allow", "src/**", {"session_id": session}),
        ("ask", "**", {"priority": 1}),
        ("deny", "**", {"priority": 1, "project_id": "p"}),
        ("allow", "**", {"priority": 2}),
        ("allow", "**", {"priority": 2}),
    ]
    for action, pattern, options in later:
        rule = memory.add_permission_rule("edit", pattern, action, **options)
        assert memory.check_permission("edit", "src/a.py", session_id=session).rule_id == rule
        assert memory.permission_rules(session_id=session)[0].id == rule
    assert len(memory.permission_rules(project_id="p")) == len(later) - 2


def test_rules_hold_where_they_belong(memory: ZengramMemory) -> None:
    sessions = [memory.create_session(project).session_id for project in ("p", "p", "q")]
    memory.add_permission_rule("a", "**", "deny", session_id=sessions[0])
    memory.add_permission_rule("a", "**", "allow", project_id="p")

    def check(**place: Any) -> str:
        return memory.check_permission("a", "x", **place).action

    assert [check(session_id=session) for session in sessions] == ["deny", "allow", "ask"]
    assert (check(project_id="p"), check(project_id="/project/q"), check()) == ("allow", "ask", "ask")
    assert "the session's rule" in memory.check_permission("a", "x", session_id=sessions[0]).reason
    assert "the project's rule" in memory.check_permission("a", "x", project_id="p").reason
    message = f"no session '{sessions[0]}' in project 'q'"
    with pytest.raises(NotFoundError, match=message):
        check(session_id=sessions[0], project_id="q")


def test_a_rule_holds_until_it_expires(memory: ZengramMemory, clock: ManualClock) -> None:
    rule = memory.add_permission_rule("a", "*", "allow", expires=clock.now() + 1)
    assert memory.check_permission("a", "x").rule_id == rule
    clock.advance(microseconds=1)
    assert memory.check_permission("a", "x").rule_id is None
    assert memory.permission_rules() == []
    assert [one.id for one in memory.permission_rules(include_expired=True)] == [rule]


@pytest.mark.parametrize(
    ("rule", "matching", "others"),
    [
        ({"context_agent": "a"}, [{"agent": "a"}], [{}, {"agent": "b"}]),
        ({"context_branch": "a"}, [{"branch": "a"}], [{}, {"branch": "A"}]),
        (
            {"context_path_prefix": "src"},
            [{"path": "src"}, {"path": "src/a"}],
            [{}, {"path": "srcs"}, {"path": "a/src"}],
        ),
        ({"context_path_prefix": "/"}, [{"path": "/"}, {"path": "/a"}], [{}, {"path": "a"}]),
        ({"context_risk_max": 0.5}, [{"risk": 0}, {"risk": 0.5}], [{}, {"risk": 0.6}]),
        (
            {"context_agent": "a", "context_risk_max": 1},
            [{"agent": "a", "risk": 1}],
            [{"agent": "a"}, {"risk": 1}],
        ),
    ],
)
def test_a_rule_with_a_context_matches_only_what_names_it(
    memory: ZengramMemory, rule: dict[str, Any], matching: list[Any], others: list[Any]
) -> None:
    memory.add_permission_rule("a", "*", "allow", **rule)
    assert [memory.check_permission("a", "x", **asked).action for asked in matching] == ["allow"] * len(
        matching
    )
    assert [memory.check_permission("a", "x", **asked).action for asked in others] == ["ask"] * len(others)


RULES = st.fixed_dictionaries(
    {
        "permission": st.sampled_from(["a", "b"]),
        "pattern": st.sampled_from(["**", "*", "x*", "x?", "xy", "[x]y", "z"]),
        "action": st.sampled_from(["allow", "deny", "ask"]),
        "owner": st.sampled_from(["session", "other session", "project", "other project", "all"]),
        "priority": st.integers(-1, 1),
        "expires": st.sampled_from([None, 0, 2**60]),
        "context_agent": st.sampled_from([None, "n", "m"]),
        "step": st.integers(0, 1),
    }
)


@given(st.lists(RULES, max_size=12), st.sampled_from(["xy", "xz", "z", "a/b"]), st.sampled_from([None, "n"]))
@settings(max_examples=40, deadline=None)
def test_the_order_is_that_of_a_plain_reference(
    rules: list[dict[str, Any]], target: str, agent: str | None
) -> None:
    clock = ManualClock()
    memory = ZengramMemory.open(2, clock=clock)
    sessions = {
        "session": memory.create_session("p").session_id,
        "other session": memory.create_session("p").session_id,
    }
    memory.ensure_project("q")
    kept = []
    for number, rule in enumerate(rules):
        clock.advance(microseconds=rule["step"])
        owner = rule["owner"]
        place = {"session_id": sessions[owner]} if owner in sessions else {}
        place |= {"project": {"project_id": "p"}, "other project": {"project_id": "q"}}.get(owner, {})
        given = {name: rule[name] for name in ("priority", "expires", "context_agent")}
        added = memory.add_permission_rule(
            rule["permission"], rule["pattern"], rule["action"], **place, **given
        )
        kept.append({**rule, "id": added, "number": number})
    best: Any = None
    for rule in kept:
        if rule["permission"] != "a" or rule["owner"].startswith("other") or rule["expires"] == 0:
            continue
        pattern = "[x]y".replace("[x]", "x") if rule["pattern"] == "[x]y" else rule["pattern"]
        if rule["context_agent"] not in (None, agent) or not re.fullmatch(naive(pattern), target):
            continue
        key = (
            rule["priority"],
            ["all", "project", "session"].index(rule["owner"]),
            sum(one not in "*?" for one in rule["pattern"].replace("[x]", "")),
            ["allow", "ask", "deny"].index(rule["action"]),
            rule["number"],
        )
        if best is None or key > best[0]:
            best = (key, rule)
    found = memory.check_permission("a", target, session_id=sessions["session"], agent=agent)
    assert found.rule_id == (best[1]["id"] if best else None)
    assert found.action == (best[1]["action"] if best else "ask")


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"permission": ""}, InvalidArgumentError, "permission must not be blank"),
        ({"pattern": None}, InvalidArgumentError, "pattern is missing"),
        ({"action": "maybe"}, InvalidArgumentError, "deny, ask, allow, not 'maybe'"),
        ({"project_id": "q"}, NotFoundError, "no project 'q'"),
        ({"session_id": "ses_x"}, NotFoundError, "no session 'ses_x'"),
        ({"context_agent": " "}, InvalidArgumentError, "context_agent must not be blank"),
        ({"context_risk_max": -1}, InvalidArgumentError, "context_risk_max"),
        ({"context_risk_max": math.nan}, InvalidArgumentError, "context_risk_max"),
        ({"trust_level": 1.1}, InvalidArgumentError, "trust_level"),
        ({"source": None}, InvalidArgumentError, "source is missing"),
        ({"priority": 1.5}, InvalidArgumentError, "priority must be a whole number"),
        ({"priority": True}, InvalidArgumentError, "priority must be a whole number"),
        ({"priority": 2**63}, InvalidArgumentError, "priority must be a whole number"),
        ({"expires": "soon"}, InvalidArgumentError, "expires is no ISO 8601"),
    ],
)
def test_rules_that_cannot_be(
    memory: ZengramMemory, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    given = {"permission": "a", "pattern": "*", "action": "allow", **options}
    refused(memory, error, match, lambda: memory.add_permission_rule(**given))


def test_calls_for_what_is_not_there(memory: ZengramMemory) -> None:
    message = "no permission rule 'prm_x'"
    refused(memory, NotFoundError, message, lambda: memory.remove_permission_rule("prm_x"))
    refused(memory, NotFoundError, message, lambda: memory.record_permission("prm_x", True))
    refused(memory, InvalidArgumentError, "granted", lambda: memory.record_permission("prm_x", 1))
    for options in (
        {"risk": -1},
        {"risk": "a"},
        {"agent": ""},
        {"path": 5},
        {"project_id": "q"},
        {"target": None},
    ):
        with pytest.raises(InvalidArgumentError):
            memory.check_permission(**{"permission": "a", "target": "x", **options})


def test_rules_in_a_batch_and_a_snapshot(memory: ZengramMemory) -> None:
    with memory.batch():
        rule = memory.add_permission_rule("a", "*", "allow")
        assert memory.check_permission("a", "x").rule_id == rule
        assert len(memory.permission_rules()) == 1
    copy = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=ManualClock())
    assert copy.permission_rules() == memory.permission_rules()
    assert copy.check_permission("a", "x") == memory.check_permission("a", "x")

    def fails() -> None:
        with memory.batch():
            memory.record_permission(rule, True)
            memory.remove_permission_rule("prm_x")

    refused(memory, NotFoundError, "prm_x", fails)


def test_an_action_that_somebody_made_up_is_asked(memory: ZengramMemory) -> None:
    rule = memory.add_permission_rule("a", "*", "allow")
    memory.add_permission_rule("a", "*", "deny")
    memory.query("UPDATE permission_rule SET action = 'odd' WHERE id = $1", [rule])
    assert memory.check_permission("a", "x") == PermissionDecision(
        "ask", rule, "everybody's rule for 'a' and '*' says odd"
    )


@pytest.mark.parametrize(
    ("prefix", "path", "fits"),
    [
        ("src", "src/a.py", True),
        ("src", "./src/a.py", True),
        ("src", "src/../secrets/key", False),
        ("src", "lib/../src/a.py", True),
        ("src/", "src", True),
        ("src", "srcs", False),
        ("/", "/etc", True),
        (".", "a.py", True),
        (".", "../a.py", False),
        ("..", "../a.py", True),
        ("..", "../../a.py", False),
    ],
)
def test_a_path_is_in_the_folder_where_it_ends(
    memory: ZengramMemory, prefix: str, path: str, fits: bool
) -> None:
    rule = memory.add_permission_rule("edit", "**", "allow", context_path_prefix=prefix)
    assert (memory.check_permission("edit", "x", path=path).rule_id == rule) is fits
