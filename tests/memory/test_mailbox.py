"""Mailboxes: messages that are claimed once, cursors that pass none over, and agents that are registered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from memory_support import refused

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.engine import Database
from zengram_py.errors import InvalidArgumentError, NotFoundError, StateError
from zengram_py.memory import Agent, Message

STATUSES = ("pending", "claimed", "completed", "expired")


def claimed(memory: ZengramMemory, agent: str, **options: Any) -> str | None:
    found = memory.claim_message(agent, **options)
    return None if found is None else found.id


def ids(found: list[Message]) -> list[str]:
    return [message.id for message in found]


def test_a_message_from_one_agent_to_another(memory: ZengramMemory, clock: ManualClock) -> None:
    session = memory.create_session("p").session_id
    asked = memory.send_message(
        "ann", "bob", "request", {"a": (1,)}, session_id=session, expires="2030-01-01"
    )
    created = clock.now()
    expected = {
        "id": asked,
        "from_agent": "ann",
        "to_agent": "bob",
        "message_type": "request",
        "payload": {"a": [1]},
        "status": "pending",
        "claimed_by": None,
        "session_id": session,
        "reply_to": None,
        "time_created": created,
        "time_claimed": None,
        "time_processed": None,
        "time_expires": 1_893_456_000_000_000,
    }
    assert memory.messages("bob") == memory.new_messages("bob") == [Message(**expected)]
    assert memory.claim_message("ann") is None
    clock.advance(seconds=1)
    expected |= {"status": "claimed", "claimed_by": "bob", "time_claimed": clock.now()}
    assert memory.claim_message("bob") == Message(**expected)
    assert memory.claim_message("bob") is None
    clock.advance(seconds=1)
    memory.complete_message(asked, "bob")
    expected |= {"status": "completed", "time_processed": clock.now()}
    assert memory.messages("bob", status="completed") == [Message(**expected)]
    assert memory.message(asked) == Message(**expected)
    assert memory.message("msg_x") is None
    answer = memory.send_message("bob", "ann", "answer", None, reply_to=asked)
    (found,) = memory.messages("ann")
    assert (found.id, found.reply_to, found.payload) == (answer, asked, None)


def test_the_oldest_message_is_claimed_first(memory: ZengramMemory, clock: ManualClock) -> None:
    sent = []
    for number in range(6):
        clock.advance(microseconds=number % 2)
        sent.append(memory.send_message("a", "b", "xy"[number % 2]))
    assert claimed(memory, "b", message_type="y") == sent[1]
    assert claimed(memory, "b", message_type="z") is None
    assert [claimed(memory, "b") for _ in range(3)] == [sent[0], sent[2], sent[3]]
    memory.release_message(sent[2], "b")
    (found,) = [message for message in memory.messages("b") if message.id == sent[2]]
    assert (found.status, found.claimed_by, found.time_claimed) == ("pending", None, None)
    assert [claimed(memory, "b") for _ in range(4)] == [sent[2], sent[4], sent[5], None]


def test_what_is_over_is_passed_over(memory: ZengramMemory, clock: ManualClock) -> None:
    late = [memory.send_message("a", "b", "x", expires=clock.now() + 1) for _ in range(2)]
    last = memory.send_message("a", "b", "x", expires=clock.now() + 2)
    claim = claimed(memory, "b")
    assert claim == late[0]
    clock.advance(microseconds=1)
    assert ids(memory.new_messages("b")) == [late[0], last]  # it is being worked on, whatever the time
    assert memory.unread_count("b") == 2
    assert ids(memory.messages("b", status="expired")) == []
    assert claimed(memory, "b") == last
    assert ids(memory.messages("b", status="expired")) == [late[1]]
    memory.release_message(late[0], "b")
    clock.advance(microseconds=1)
    assert claimed(memory, "b") is None
    assert ids(memory.messages("b", status="expired")) == late[::-1]
    memory.complete_message(last, "b")
    refused(
        memory,
        StateError,
        f"message '{late[0]}' is expired; it cannot become pending",
        lambda: memory.release_message(late[0], "b"),
    )


@pytest.mark.parametrize("before", STATUSES)
@pytest.mark.parametrize("after", ["pending", "completed"])
def test_every_pair_of_states(memory: ZengramMemory, clock: ManualClock, before: str, after: str) -> None:
    message = memory.send_message("a", "b", "x", expires=clock.now() + 5)
    if before == "expired":
        clock.advance(microseconds=5)
    if before != "pending":
        memory.claim_message("b")
    if before == "completed":
        memory.complete_message(message, "b")
    call = memory.complete_message if after == "completed" else memory.release_message
    if before == "claimed":
        words = f"message '{message}' is claimed by 'b', not by 'a'"
        refused(memory, StateError, words, lambda: call(message, "a"))
        call(message, "b")
        assert [one.status for one in memory.messages("b")] == [after]
    else:
        words = f"message '{message}' is {before}; it cannot become {after}"
        refused(memory, StateError, words, lambda: call(message, "b"))


def test_a_cursor_passes_nothing_over(memory: ZengramMemory, clock: ManualClock) -> None:
    sent = [memory.send_message("a", "b", "x") for _ in range(5)]
    assert ids(memory.new_messages("b")) == sent
    memory.advance_mailbox("b", sent[2])
    assert ids(memory.new_messages("b")) == sent[3:]
    assert ids(memory.new_messages("b", 1)) == sent[3:4]
    memory.advance_mailbox("b", sent[0])  # it never goes back
    assert memory.unread_count("b") == 2
    memory.advance_mailbox("b", sent[4])
    clock.advance(seconds=-100)
    sent.append(memory.send_message("a", "b", "x"))
    assert ids(memory.new_messages("b")) == sent[5:]
    restored = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=ManualClock(1_000_000))
    sent += [restored.send_message("a", "b", "x") for _ in range(3)]
    assert ids(restored.new_messages("b")) == sent[5:]
    assert ids(restored.messages("b")) == sent[::-1]
    with restored.batch():
        sent += [restored.send_message("a", "b", "x") for _ in range(3)]
        assert ids(restored.new_messages("b")) == sent[5:]
        restored.advance_mailbox("b", sent[9])
        assert ids(restored.new_messages("b")) == sent[10:]
        assert claimed(restored, "b") == sent[0]
    assert ids(restored.messages("b")) == sent[::-1]
    assert claimed(restored, "b") == sent[1]
    message = f"no message '{sent[0]}' in the mailbox of 'a'"
    refused(restored, NotFoundError, message, lambda: restored.advance_mailbox("a", sent[0]))


def test_a_cursor_whose_message_somebody_deleted(memory: ZengramMemory) -> None:
    sent = [memory.send_message("a", "b", "x") for _ in range(3)]
    memory.advance_mailbox("b", sent[1])
    memory.query("DELETE FROM agent_mailbox WHERE id = $1", [sent[1]])
    assert ids(memory.new_messages("b")) == [sent[0], sent[2]]
    memory.advance_mailbox("b", sent[0])
    assert ids(memory.new_messages("b")) == sent[2:]


def test_pages_of_messages(memory: ZengramMemory, clock: ManualClock) -> None:
    sent = []
    for number in range(130):
        clock.advance(microseconds=number % 7 == 0)
        sent.append(memory.send_message("a", "b", "x", number))
    for _ in range(60):
        found = memory.claim_message("b")
        assert found is not None
        if found.payload % 2:
            memory.complete_message(found.id, "b")
    assert ids(memory.messages("b")) == sent[:-101:-1]
    assert ids(memory.messages("b", limit=1000)) == sent[::-1]
    assert ids(memory.messages("b", limit=5, offset=68)) == sent[61:56:-1]
    assert ids(memory.messages("b", status="completed", limit=3)) == [sent[59], sent[57], sent[55]]
    assert ids(memory.messages("b", status="claimed", limit=100)) == sent[58::-2]
    assert ids(memory.new_messages("b", 1000)) == sent
    assert memory.messages("nobody") == memory.new_messages("nobody") == memory.new_messages("b", 0) == []
    assert (memory.unread_count("b"), memory.unread_count("nobody")) == (130, 0)


def test_agents_are_registered(memory: ZengramMemory, clock: ManualClock) -> None:
    session = memory.create_session("p").session_id
    memory.register_agent(
        "ann", "Ann", role="reviewer", capabilities=["read", "read", "run"], metadata={"a": 1}
    )
    begin = clock.now()
    clock.advance(seconds=1)
    memory.register_agent("bob")
    ann = Agent("ann", "Ann", "reviewer", ("read", "run"), "active", None, {"a": 1}, begin, begin, begin)
    bob = Agent("bob", "bob", None, (), "active", None, None, clock.now(), clock.now(), clock.now())
    assert memory.agents() == [ann, bob]
    clock.advance(seconds=1)
    memory.register_agent("ann", session_id=session, capabilities="write")
    found = memory.agents()[0]
    assert (found.name, found.role, found.metadata) == ("Ann", "reviewer", {"a": 1})
    assert (found.capabilities, found.session_id) == (("write",), session)
    assert (found.time_created, found.time_updated, found.time_last_seen) == (begin, clock.now(), clock.now())
    clock.advance(seconds=1)
    memory.send_message("bob", "ann", "x")
    assert [agent.time_last_seen for agent in memory.agents()] == [clock.now() - 1_000_000, clock.now()]
    clock.advance(seconds=1)
    memory.claim_message("ann")
    assert memory.agents()[0].time_last_seen == clock.now()
    copy = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
    assert copy.agents() == memory.agents()
    memory.query("UPDATE agent_registry SET capabilities = '5'::jsonb")
    assert [agent.capabilities for agent in memory.agents()] == [(), ()]


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"from_agent": ""}, InvalidArgumentError, "from_agent must not be blank"),
        ({"to_agent": None}, InvalidArgumentError, "to_agent is missing"),
        ({"message_type": 5}, InvalidArgumentError, "message_type must be a string"),
        ({"payload": {"a": b""}}, InvalidArgumentError, r"payload\['a'\] is a bytes"),
        ({"session_id": "ses_x"}, NotFoundError, "no session 'ses_x'"),
        ({"reply_to": "msg_x"}, NotFoundError, "no message 'msg_x'"),
        ({"expires": "soon"}, InvalidArgumentError, "expires is no ISO 8601"),
    ],
)
def test_messages_that_cannot_be(
    memory: ZengramMemory, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    memory.register_agent("a")
    given = {"from_agent": "a", "to_agent": "b", "message_type": "x", **options}
    refused(memory, error, match, lambda: memory.send_message(**given))


def test_other_calls_that_cannot_be(memory: ZengramMemory) -> None:
    for call in (
        lambda: memory.complete_message("msg_x", "a"),
        lambda: memory.release_message("msg_x", "a"),
        lambda: memory.advance_mailbox("a", "msg_x"),
    ):
        refused(memory, NotFoundError, "no message 'msg_x'", call)
    refused(memory, NotFoundError, "ses_x", lambda: memory.register_agent("a", session_id="ses_x"))
    for options in ({"name": ""}, {"role": 5}, {"capabilities": 5}, {"agent_id": " "}):
        given = {"agent_id": "a", **options}
        refused(memory, InvalidArgumentError, "must", lambda given=given: memory.register_agent(**given))
    refused(
        memory, InvalidArgumentError, "metadata is a set", lambda: memory.register_agent("a", metadata={1})
    )
    refused(memory, InvalidArgumentError, "agent id", lambda: memory.claim_message(""))
    refused(memory, InvalidArgumentError, "message_type", lambda: memory.claim_message("a", message_type=""))
    with pytest.raises(InvalidArgumentError, match="pending, claimed, completed, expired, not 'read'"):
        memory.messages("a", status="read")
    with pytest.raises(InvalidArgumentError, match="limit"):
        memory.new_messages("a", -1)


def test_a_batch_that_fails_claims_nothing(memory: ZengramMemory) -> None:
    memory.register_agent("b")
    memory.send_message("a", "b", "x")

    def fails() -> None:
        with memory.batch():
            message = memory.claim_message("b")
            assert message is not None
            memory.send_message("b", "a", "y")
            memory.complete_message(message.id, "a")

    refused(memory, StateError, "claimed by 'b', not by 'a'", fails)


def test_two_memories_over_one_database_claim_each_message_once(clock: ManualClock) -> None:
    database = Database.open(clock=clock)
    memories = [ZengramMemory.over_engine(database, 2) for _ in range(2)]
    sent = [memories[number % 2].send_message("a", "b", "x") for number in range(6)]
    assert [claimed(memories[number // 2 % 2], "b") for number in range(8)] == [*sent, None, None]


def test_a_clock_that_steps_back(memory: ZengramMemory, clock: ManualClock) -> None:
    message = memory.send_message("a", "b", "x")
    clock.advance(seconds=-5)
    memory.claim_message("b")
    clock.advance(seconds=-5)
    memory.complete_message(message, "b")
    (found,) = memory.messages("b")
    assert found.time_created == found.time_claimed == found.time_processed


AGENTS = st.sampled_from(["a", "b"])


class Mail(RuleBasedStateMachine):
    """Two agents work mail off, and a list of messages in plain Python says what is due to happen."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.memory = ZengramMemory.open(2, clock=self.clock)
        self.sent: list[dict[str, Any]] = []
        self.read: dict[str, int] = {"a": -1, "b": -1}

    def of(self, agent: str) -> list[dict[str, Any]]:
        return [one for one in self.sent if one["to"] == agent]

    @rule(agent=AGENTS, kind=st.sampled_from("xy"), lives=st.sampled_from([None, 1, 3]))
    def send(self, agent: str, kind: str, lives: int | None) -> None:
        expires = None if lives is None else self.clock.now() + lives
        sent = self.memory.send_message("c", agent, kind, expires=expires)
        self.sent.append({"id": sent, "to": agent, "kind": kind, "expires": expires, "status": "pending"})

    @rule(step=st.integers(-1, 2))
    def time_passes(self, step: int) -> None:
        self.clock.advance(microseconds=step)

    @rule(agent=AGENTS, kind=st.sampled_from([None, "x", "y"]))
    def claim(self, agent: str, kind: str | None) -> None:
        expected = None
        for one in self.of(agent):
            if one["status"] == "pending":
                if one["expires"] is not None and one["expires"] <= self.clock.now():
                    one["status"] = "expired"
                elif kind in (None, one["kind"]):
                    expected = one["id"]
                    one["status"] = "claimed"
                    break
        assert claimed(self.memory, agent, message_type=kind) == expected

    @rule(number=st.integers(0, 30), agent=AGENTS, ends=st.booleans())
    def let_go(self, number: int, agent: str, ends: bool) -> None:
        if number >= len(self.sent):
            return
        one = self.sent[number]
        call = self.memory.complete_message if ends else self.memory.release_message
        if one["status"] == "claimed" and one["to"] == agent:
            call(one["id"], agent)
            one["status"] = "completed" if ends else "pending"
        else:
            with pytest.raises(StateError):
                call(one["id"], agent)

    @rule(agent=AGENTS, number=st.integers(0, 30))
    def advance(self, agent: str, number: int) -> None:
        mail = self.of(agent)
        if number < len(mail):
            self.memory.advance_mailbox(agent, mail[number]["id"])
            self.read[agent] = max(self.read[agent], number)

    @rule()
    def restore(self) -> None:
        data = self.memory.export_snapshot()
        self.memory = ZengramMemory.open_from_snapshot(data, 2, clock=self.clock)

    @invariant()
    def all_is_as_it_should_be(self) -> None:
        for agent in "ab":
            mail = self.of(agent)
            assert [(one.id, one.status) for one in reversed(self.memory.messages(agent))] == [
                (one["id"], one["status"]) for one in mail
            ]
            new = [
                one["id"]
                for one in mail[self.read[agent] + 1 :]
                if one["status"] in ("claimed", "completed")
                or (
                    one["status"] == "pending"
                    and (one["expires"] is None or one["expires"] > self.clock.now())
                )
            ]
            assert ids(self.memory.new_messages(agent)) == new


TestMail = Mail.TestCase
TestMail.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
