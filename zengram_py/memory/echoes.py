"""Echoes: recalled facts that come back as new ones.

An agent that recalls a fact repeats it in its answer, and a model that reads the answer finds the fact again. Were this counted, a
memory would confirm itself, ever more surely and under ever new subjects::

    recall ──▶ "user drinks green tea" ──▶ the assistant's turn ──▶ extraction ──▶ favourite drink: "User drinks green tea."
       ▲                                                                                │ the same words: an echo
       └──────────────────────────── the fact that is there ◀───────────────────────────┘ nothing stored, nothing confirmed

So from a turn that the *assistant* wrote, what says word for word what was recalled since its session began (case and punctuation
aside; the subject before it or not) is the fact that was recalled. A word or two are an echo only on the same subject ("blue" may be the
colour of anything), and what is said of a named peer only of the same one. What a user says counts as said, also when it was recalled before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Set
from dataclasses import dataclass

import numpy as np

from ..engine.expr import fold
from .filters import Eligible
from .given_facts import GivenFact
from .texts import fact_text

ECHO_WORDS = 3
"""Fewer words than these are an echo only of a fact on the same subject."""
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Recalled:
    """A fact that was recalled: its id, and its subject and peer folded."""

    id: str
    subject: str
    peer: str | None


def recalled_since(eligible: Eligible, since: int, pending: Set[str]) -> dict[str, list[Recalled]]:
    """Return the facts at hand that were recalled at a time or later, by their words, without and with the subject.

    Parameters
    ----------
    eligible : Eligible
        The facts at hand.
    since : int
        Microseconds.
    pending : set of str
        Ids of facts whose recall since then is not in the table yet.
    """
    facts, slots = eligible.facts, eligible.slots
    recent = facts.array("last_accessed", slots, -1) >= since
    ids = facts.column("id")
    if pending:
        recent |= np.fromiter((one in pending for one in ids.take(slots)), bool, len(slots))
    slots = slots[recent]
    columns = (facts.column(name).take(slots) for name in ("subject", "content", "subject_peer"))
    found: dict[str, list[Recalled]] = {}
    for fact_id, subject, content, peer in zip(ids.take(slots), *columns, strict=True):
        one = Recalled(fact_id, fold(subject), None if peer is None else fold(peer))
        for text in (content, fact_text(subject, content)):
            found.setdefault(_words(text), []).append(one)
    return found


def echo_of(fact: GivenFact, recalled: Mapping[str, list[Recalled]]) -> str | None:
    """Return the id of the recalled fact that a given one says again, None if there is none."""
    words, subject = _words(fact.content), fold(fact.subject)
    peer = fact.columns.get("subject_peer")
    says_much = words.count(" ") + 1 >= ECHO_WORDS
    one: Recalled
    for one in [*recalled.get(words, ()), *recalled.get(_words(fact_text(fact.subject, fact.content)), ())]:
        if words and (says_much or one.subject == subject) and (peer is None or fold(peer) == one.peer):
            return one.id
    return None


def _words(text: str) -> str:
    """Return the words of a text, compared without case and punctuation."""
    return " ".join(_WORDS.findall(unicodedata.normalize("NFKC", text).casefold()))
