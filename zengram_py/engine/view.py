"""What a reader sees: a branch and a time, as a lineage of limits.

A branch reads its own versions up to its time t, those of its parent up to where it was forked, and so on up::

    main     ──●────●────●────●────●──▶          view of b at t:  (b, t) (a, min(fork_b, t)) (main, min(fork_a, t))
                    └ a ─●────●────●──▶
                              └ b ─●──▶

A version is visible when its branch is in the lineage with limit u, begin <= u < end, and no branch below that one, down
to the reader's, ended it (in its overlay) at or before that branch's own limit.
"""

from __future__ import annotations

from dataclasses import dataclass

MAIN = 0


@dataclass(frozen=True)
class View:
    """A lineage: (branch, last timestamp seen) from the reader's own branch upward."""

    lineage: tuple[tuple[int, int], ...]

    @property
    def branch(self) -> int:
        """The branch that is read (and written)."""
        return self.lineage[0][0]

    @property
    def timestamp(self) -> int:
        """The last commit timestamp seen on that branch."""
        return self.lineage[0][1]
