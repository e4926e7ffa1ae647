"""What most tests of a memory begin with: an empty one, and the time in their own hands."""

from __future__ import annotations

import pytest

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    return ZengramMemory.open(2, clock=clock)
