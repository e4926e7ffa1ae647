"""The turns of a branch, as many as fit: the newest in full, older ones in short.

::

    room of the history  |———— hot, .80 ————————————————————|———— warm, .20 ————|
                          t12 t11 t10 t9 …  whole             t6 t5 …             t2 t1
                          newest first                        a summary stands    skipped
                                                              for a turn

Turns are taken newest first. Those that fit into the hot share are told whole. The others are warm: a summary stands for a turn that has one,
and one without is told whole if there is room. A turn that was said more than ``warm_ttl_days`` ago, or whose tier says ``cold``, is told
by its summary only; one of more than ``cold_ttl_days`` ago not at all. A turn that is larger than the whole room is cut at its head, with a mark. The
first turn that does not fit ends the history: what is told has no hole, but for turns that are too old.

**The newest message of the user always comes**: room is kept for it before anything else gets some, and it is cut if it must be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..clock import MICROSECONDS_PER_DAY
from ..engine import Transaction
from ..text.snippets import cut
from .branches import turns_shown
from .cuts import without_head
from .token_counts import TokenCounts
from .turn_texts import TurnText, TurnTexts
from .window import ContextBlock, ContextItem

COLUMNS = ("id", "role", "tier", "summary", "time_created", "time_completed")
READ_AT_ONCE = 32
GIST = 200
"""Characters of the last turn of another branch, where that has no summary."""
LEAST_CUT = 16
"""Tokens that are worth beginning a turn for that is cut."""


@dataclass(frozen=True)
class Tiers:
    """When turns are told in short (``demotion_config``).

    Attributes
    ----------
    hot_share : float
        What of the history's room is for turns in full, 0 to 1.
    warm_days, cold_days : float
        From which age on a turn is told by its summary only, and from which not at all.
    """

    hot_share: float
    warm_days: float
    cold_days: float


@dataclass
class History:
    """What became of the turns.

    Attributes
    ----------
    blocks : list of ContextBlock
        The oldest first.
    tokens : int
        Of all of them.
    included, summarized, skipped : int
        How many turns are there, are told in short, and are not there.
    items : list of ContextItem
        The same turn by turn, the newest first.
    """

    blocks: list[ContextBlock] = field(default_factory=list)
    tokens: int = 0
    included: int = 0
    summarized: int = 0
    skipped: int = 0
    items: list[ContextItem] = field(default_factory=list)


@dataclass(frozen=True)
class Message:
    """The newest message of the user: its turn, and what it says."""

    turn: dict[str, Any]
    said: TurnText
    tokens: int


class HistoryBlocks:
    """Tells the turns of branches; keeps what joins them with their parts."""

    def __init__(self) -> None:
        self._texts = TurnTexts()

    def newest_message(
        self, transaction: Transaction, branch: dict[str, Any], counts: TokenCounts, now: int
    ) -> Message | None:
        """Return the newest message of the user on a branch, None if there is none."""
        for rows in turns_shown(transaction, branch, descending=True):
            roles = rows.values("role")
            if "user" in roles:
                at = roles.index("user")
                (turn,) = (dict(zip(COLUMNS, row, strict=True)) for row in rows.at([at]).tuples(COLUMNS))
                (said,) = self._texts.of(transaction, [turn])
                return Message(turn, said, _count(counts, transaction, turn, said, now))
        return None

    def can_cut(self, message: Message, room: int, counts: TokenCounts) -> bool:
        """Return whether a part of a message fits into so many tokens."""
        return _shortened(message.turn, message.said, room, counts) is not None

    def gist(self, transaction: Transaction, branch: dict[str, Any]) -> str | None:
        """Return what was said last on a branch, in short; None if nothing was."""
        for rows in turns_shown(transaction, branch, descending=True):
            (turn,) = (dict(zip(COLUMNS, row, strict=True)) for row in rows.at([0]).tuples(COLUMNS))
            if turn["summary"] is not None:
                return str(turn["summary"])
            (said,) = self._texts.of(transaction, [turn])
            text = " ".join(said.text.split())
            return text if len(text) <= GIST else cut(text, GIST - 2) + " …"
        return None

    def tell(
        self,
        transaction: Transaction,
        branch: dict[str, Any],
        room: int,
        message: Message | None,
        tiers: Tiers,
        counts: TokenCounts,
        now: int,
    ) -> History:
        """Return as much of a branch's history as fits.

        Parameters
        ----------
        transaction : Transaction
            Who reads.
        branch : dict
            The branch's row.
        room : int
            Tokens at most; some of the message's must fit.
        message : Message or None
            The newest message of the user, which always comes.
        tiers : Tiers
            When turns are told in short.
        counts : TokenCounts
            Counts tokens.
        now : int
            Microseconds.
        """
        found = History()
        walk = _Walk(found, room, message, tiers, counts, now)
        for turns, rest in self._newest_first(transaction, branch, walk):
            if turns:
                for turn, said in zip(turns, self._texts.of(transaction, turns), strict=True):
                    walk.take(transaction, turn, said)
            else:
                walk.skip(rest)
        found.blocks.reverse()
        return found

    def _newest_first(
        self, transaction: Transaction, branch: dict[str, Any], walk: _Walk
    ) -> Iterator[tuple[list[dict[str, Any]], Sequence[str]]]:
        """Yield turns as long as more are wanted, then the ids of those that are left."""
        for rows in turns_shown(transaction, branch, descending=True):
            at = 0
            while at < len(rows) and not walk.is_done:
                some = rows.at(slice(at, at + READ_AT_ONCE))
                at += len(some)
                yield [dict(zip(COLUMNS, row, strict=True)) for row in some.tuples(COLUMNS)], ()
            if at < len(rows):
                yield [], rows.at(slice(at, None)).values("id")


class _Walk:
    """Takes turns, newest first, as long as there is room."""

    def __init__(
        self,
        found: History,
        room: int,
        message: Message | None,
        tiers: Tiers,
        counts: TokenCounts,
        now: int,
    ) -> None:
        self._found, self._room, self._left = found, room, room
        self._hot = int(room * tiers.hot_share)
        self._message, self._tiers, self._counts, self._now = message, tiers, counts, now
        self._kept = 0 if message is None else min(message.tokens, room)
        """What nobody but the newest message may take, until it is there."""
        self._is_full = False

    @property
    def is_done(self) -> bool:
        """Whether no further turn is wanted."""
        return self._is_full and (self._message is None or not self._kept)

    def take(self, transaction: Transaction, turn: dict[str, Any], said: TurnText) -> None:
        """Tell a turn, whole, cut or in short, or skip it."""
        if self._message is not None and turn["id"] == self._message.turn["id"]:
            self._take_message()
            return
        if self._is_full:
            self._skip(turn, 0, "the turns after it fill the history's room")
            return
        age = (self._now - turn["time_created"]) / MICROSECONDS_PER_DAY
        if age > self._tiers.cold_days:
            self._skip(turn, 0, f"it was said more than {self._tiers.cold_days:g} days ago")
            return
        room = self._left - self._kept
        if turn["tier"] == "cold" or age > self._tiers.warm_days:
            self._shorten(turn, room, "it is cold, and has no summary")
            return
        tokens = _count(self._counts, transaction, turn, said, self._now)
        if tokens <= min(room, self._hot):
            self._hot -= tokens
            self._add(turn, said.text, tokens, "full", "it fits into the hot share")
        elif turn["summary"] is not None:
            self._shorten(turn, room, "")
        elif tokens <= room:
            self._add(turn, said.text, tokens, "full", "it fits into the rest of the history's room")
        elif tokens > self._room and room >= LEAST_CUT:
            self._cut(turn, said, room)
        else:
            self._is_full = True
            self._skip(turn, tokens, "it does not fit")

    def skip(self, turns: Sequence[str]) -> None:
        """Skip what comes after the last turn that fitted."""
        self._found.skipped += len(turns)
        reason = "the turns after it fill the history's room"
        self._found.items += [ContextItem("turn", one, "left_out", 0, reason) for one in turns]

    def _take_message(self) -> None:
        assert self._message is not None
        turn, said, tokens = self._message.turn, self._message.said, self._message.tokens
        self._kept = 0
        self._hot -= min(tokens, self._hot)
        if tokens <= self._left:
            self._add(turn, said.text, tokens, "full", "it is the newest message of the user")
        else:
            self._cut(turn, said, self._left)

    def _shorten(self, turn: dict[str, Any], room: int, without: str) -> None:
        if turn["summary"] is None:
            self._skip(turn, 0, without)
            return
        text = f"{turn['role']} (summary): {turn['summary']}"
        tokens = self._counts.count(text)
        if tokens <= room:
            self._add(turn, text, tokens, "summary", "its summary stands for it")
        else:
            self._is_full = True
            self._skip(turn, tokens, "its summary does not fit")

    def _cut(self, turn: dict[str, Any], said: TurnText, room: int) -> None:
        text = _shortened(turn, said, room, self._counts)
        if text is None:
            self._is_full = True
            self._skip(turn, 0, "not even a part of it fits")
        else:
            self._add(turn, text, self._counts.count(text), "cut", "it is larger than its room")

    def _add(self, turn: dict[str, Any], text: str, tokens: int, status: str, reason: str) -> None:
        self._left -= tokens
        found = self._found
        found.tokens += tokens
        found.blocks.append(ContextBlock("turn", text, tokens, (turn["id"],)))
        found.items.append(ContextItem("turn", turn["id"], status, tokens, reason))
        if status == "summary":
            found.summarized += 1
        else:
            found.included += 1

    def _skip(self, turn: dict[str, Any], tokens: int, reason: str) -> None:
        self._found.skipped += 1
        self._found.items.append(ContextItem("turn", turn["id"], "left_out", tokens, reason))


def _shortened(turn: dict[str, Any], said: TurnText, room: int, counts: TokenCounts) -> str | None:
    """Return a turn without its beginning, None if nothing of it fits."""
    prefix = f"{turn['role']}: "
    return without_head(prefix, said.text.removeprefix(prefix), room, counts.count)


def _count(
    counts: TokenCounts, transaction: Transaction, turn: dict[str, Any], said: TurnText, now: int
) -> int:
    return counts.count_of(transaction, ("turn", turn["id"]), said.text, now)
