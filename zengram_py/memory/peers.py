"""Peers: whom facts are about, or who said them. A name folded is one peer, however it is written."""

from __future__ import annotations

from ..engine import Transaction
from ..engine.expr import fold


def note_peer(transaction: Transaction, now: int, name: str) -> None:
    """Make a peer of a name unless there is one."""
    peer_id = fold(name)
    if transaction.get("peer", peer_id) is None:
        row = {"id": peer_id, "name": name, "time_created": now, "time_updated": now}
        transaction.insert("peer", row)
