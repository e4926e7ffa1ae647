"""Identifiers sort by the time they were made, whatever the clock does."""

from __future__ import annotations

from zengram_py.clock import ManualClock
from zengram_py.ids import UlidFactory, encode_ulid


def test_a_ulid_is_26_characters_of_crockford_base_32() -> None:
    # The largest ULID of the specification, and its time part for a known instant.
    assert encode_ulid((1 << 128) - 1) == "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
    assert encode_ulid(1_469_918_176_385 << 80)[:10] == "01ARYZ6S41"


def test_ids_increase_within_a_millisecond_and_when_the_clock_steps_back() -> None:
    clock = ManualClock()
    factory = UlidFactory(clock)
    ids = [factory.new("knw_") for _ in range(1000)]
    clock.advance(seconds=-60)
    ids += [factory.new("knw_") for _ in range(1000)]
    clock.advance(days=1)
    ids += [factory.new("knw_") for _ in range(10)]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    assert all(len(i) == 30 and i.startswith("knw_") for i in ids)


def test_a_pinned_clock_and_pinned_randomness_give_pinned_ids() -> None:
    one, other = (UlidFactory(ManualClock(), lambda n: b"\x07" * n) for _ in range(2))
    assert [one.new() for _ in range(5)] == [other.new() for _ in range(5)]
