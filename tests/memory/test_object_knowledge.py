"""Bundles of concepts, and how concepts are related."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_support import refused, rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError
from zengram_py.memory import Bundle, Concept, RelatedConcept


@pytest.fixture
def bundle(memory: ZengramMemory) -> str:
    return memory.add_bundle("billing")


def test_a_bundle_with_everything(memory: ZengramMemory, clock: ManualClock) -> None:
    first = memory.add_bundle("billing")
    made = memory.add_bundle(
        "billing", project_id="/project/site", version="2", source="docs/", metadata={"pages": [1, 2]}
    )
    now = clock.now()
    kept = Bundle(made, "site", "billing", "2", "docs/", {"pages": [1, 2]}, now, now)
    assert memory.bundles(project_id="site") == [kept]
    assert memory.bundles() == [kept, Bundle(first, None, "billing", None, None, None, now, now)]
    assert memory.bundles(limit=1) == [kept]
    assert rows(memory, "SELECT id FROM project") == [("site",)]


def test_a_concept_with_everything(memory: ZengramMemory, bundle: str, clock: ManualClock) -> None:
    made = memory.add_concept(
        bundle, "Invoice", kind="entity", content="What is owed. \ud800", properties={"currency": "EUR"}
    )
    begun = clock.now()
    assert memory.concept(made) == Concept(
        made, bundle, "entity", "Invoice", "What is owed. \ufffd", {"currency": "EUR"}, begun, begun
    )
    clock.advance(seconds=1)
    memory.update_concept(made, title="Bill", content="", kind=None)
    assert memory.concept(made) == Concept(
        made, bundle, None, "Bill", "", {"currency": "EUR"}, begun, clock.now()
    )
    clock.advance(seconds=-9)
    memory.update_concept(made, properties=None)
    found = memory.concept(made)
    assert found is not None
    assert (found.properties, found.time_updated) == (None, begun + 1_000_000)
    assert memory.concept("okc_x") is None


def test_concepts_are_found(memory: ZengramMemory, bundle: str, clock: ManualClock) -> None:
    other = memory.add_bundle("other")
    memory.add_concept(other, "A", kind="x")
    made = []
    for number in range(120):
        clock.advance(microseconds=number % 50 == 0)
        made.append(memory.add_concept(bundle, "ABC"[number % 3], kind=("x", "y", None)[number % 4 % 3]))

    def find(**options: Any) -> list[str]:
        return [concept.id for concept in memory.concepts(bundle, **options)]

    assert find() == made[:100]
    assert find(limit=5, offset=117) == made[117:]
    assert find(title="B", limit=1000) == made[1::3]
    assert find(kind="y", limit=1000) == made[1::4]
    assert find(kind="y", title="B", limit=2) == [made[1], made[13]]
    assert find(title="a") == find(limit=0) == []
    with memory.batch():
        made.append(memory.add_concept(bundle, "B"))
        assert find(title="B", limit=1000)[-1] == find(offset=120)[0] == made[-1]


def test_what_goes_takes_its_relations_along(memory: ZengramMemory, bundle: str) -> None:
    other = memory.add_bundle("other")
    a, b, c = (memory.add_concept(of, title) for of, title in ((bundle, "a"), (bundle, "b"), (other, "c")))
    for start, end in ((a, b), (b, c), (c, a)):
        memory.link_concepts(start, end, "has")
    memory.remove_concept(b)
    assert rows(memory, "SELECT from_concept, to_concept FROM okf_link") == [(c, a)]
    memory.remove_bundle(bundle)
    assert rows(memory, "SELECT count(*) FROM okf_link") == [(0,)]
    assert [one.id for one in memory.concepts(other)] == [c]
    assert memory.concept(a) is None


def test_relations(memory: ZengramMemory, bundle: str) -> None:
    a, b, c, d = (memory.add_concept(bundle, title) for title in "abcd")
    memory.link_concepts(a, b, "has", 0.5)
    memory.link_concepts(a, b, "has")  # the weight is 1 now
    memory.link_concepts(a, b, "needs", weight=0.25)
    memory.link_concepts(c, a, "has", 2)
    memory.link_concepts(b, d, "has")
    memory.link_concepts(d, a, "needs", 0)

    def walk(**options: Any) -> list[tuple[int, str, str, str, str, float]]:
        found = memory.related_concepts(a, **options)
        return [(o.depth, o.concept.title, o.via, o.relation, o.direction, o.weight) for o in found]

    assert walk() == [
        (1, "c", a, "has", "in", 2.0),
        (1, "b", a, "has", "out", 1.0),
        (1, "d", a, "needs", "in", 0.0),
    ]
    assert walk(direction="out", depth=5) == [
        (1, "b", a, "has", "out", 1.0),
        (2, "d", b, "has", "out", 1.0),
    ]
    assert walk(direction="in", relation="needs") == [(1, "d", a, "needs", "in", 0.0)]
    assert walk(direction="in", relation="needs", depth=5) == [(1, "d", a, "needs", "in", 0.0)]
    assert walk(depth=0) == walk(relation="is") == []
    assert memory.related_concepts(a, relation="needs")[0] == RelatedConcept(
        1, memory.concepts(bundle, title="b")[0], a, "needs", "out", 0.25
    )
    memory.unlink_concepts(a, b, "has")
    assert walk(direction="out") == [(1, "b", a, "needs", "out", 0.25)]
    refused(memory, NotFoundError, "not related to", lambda: memory.unlink_concepts(a, b, "has"))
    refused(memory, NotFoundError, "not related to", lambda: memory.unlink_concepts(b, a, "needs"))


@settings(max_examples=40, deadline=None)
@given(
    links=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from("xy")), max_size=14),
    depth=st.integers(0, 4),
    relation=st.sampled_from([None, "x"]),
    direction=st.sampled_from(["out", "in", "both"]),
)
def test_walks_are_breadth_first(
    links: set[tuple[int, int, str]], depth: int, relation: str | None, direction: str
) -> None:
    memory = ZengramMemory.open(2, clock=ManualClock())
    bundle = memory.add_bundle("b")
    concepts = [memory.add_concept(bundle, str(number)) for number in range(6)]
    links = {(a, b, name) for a, b, name in links if a != b}
    for a, b, name in links:
        memory.link_concepts(concepts[a], concepts[b], name)
    used = [(a, b) for a, b, name in links if relation in (None, name)]
    ways = {"out": used, "in": [(b, a) for a, b in used], "both": [*used, *((b, a) for a, b in used)]}[
        direction
    ]
    expected, front = {0: 0}, {0}
    for at in range(1, depth + 1):
        front = {b for a, b in ways if a in front} - expected.keys()
        expected.update(dict.fromkeys(front, at))
    del expected[0]
    memory = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2)
    found = memory.related_concepts(concepts[0], relation=relation, depth=depth, direction=direction)
    assert {int(one.concept.title): one.depth for one in found} == expected
    assert [one.depth for one in found] == sorted(one.depth for one in found)
    assert len(found) == len(expected)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda m, b, c: m.add_bundle(" "), InvalidArgumentError, "name must not be blank"),
        (
            lambda m, b, c: m.add_bundle("x", metadata=[math.nan]),
            InvalidArgumentError,
            r"metadata\[0\] is nan",
        ),
        (lambda m, b, c: m.add_bundle("x", project_id=""), InvalidArgumentError, "project id"),
        (lambda m, b, c: m.remove_bundle("okb_x"), NotFoundError, "no bundle 'okb_x'"),
        (lambda m, b, c: m.add_concept("okb_x", "t"), NotFoundError, "no bundle 'okb_x'"),
        (lambda m, b, c: m.add_concept(b, None), InvalidArgumentError, "title is missing"),
        (
            lambda m, b, c: m.add_concept(b, "t", properties={1: 2}),
            InvalidArgumentError,
            "properties has a key",
        ),
        (lambda m, b, c: m.concepts("okb_x"), NotFoundError, "no bundle 'okb_x'"),
        (lambda m, b, c: m.concepts(b, limit=-1), InvalidArgumentError, "limit"),
        (lambda m, b, c: m.update_concept("okc_x", title="t"), NotFoundError, "no concept 'okc_x'"),
        (lambda m, b, c: m.update_concept(c, title=None), InvalidArgumentError, "title is missing"),
        (lambda m, b, c: m.update_concept(c, name="t"), InvalidArgumentError, "a concept has no 'name'"),
        (lambda m, b, c: m.remove_concept("okc_x"), NotFoundError, "no concept 'okc_x'"),
        (lambda m, b, c: m.link_concepts(c, "okc_x", "has"), NotFoundError, "no concept 'okc_x'"),
        (lambda m, b, c: m.link_concepts(c, c, "has"), InvalidArgumentError, "cannot be related to itself"),
        (lambda m, b, c: m.link_concepts(c, c, " "), InvalidArgumentError, "relation must not be blank"),
        (lambda m, b, c: m.link_concepts(c, c, "has", -1), InvalidArgumentError, "weight"),
        (lambda m, b, c: m.unlink_concepts("okc_x", c, "has"), NotFoundError, "no concept 'okc_x'"),
        (lambda m, b, c: m.related_concepts("okc_x"), NotFoundError, "no concept 'okc_x'"),
        (
            lambda m, b, c: m.related_concepts(c, direction="up"),
            InvalidArgumentError,
            "out, in, both, not 'up'",
        ),
        (lambda m, b, c: m.related_concepts(c, depth=1.5), InvalidArgumentError, "depth"),
    ],
)
def test_calls_that_cannot_be(
    memory: ZengramMemory, bundle: str, call: Any, error: type[Exception], match: str
) -> None:
    concept = memory.add_concept(bundle, "Invoice")
    refused(memory, error, match, lambda: call(memory, bundle, concept))


def test_a_call_that_fails_in_a_batch_takes_the_batch_along(memory: ZengramMemory, bundle: str) -> None:
    def both() -> None:
        with memory.batch():
            concept = memory.add_concept(bundle, "a")
            memory.link_concepts(concept, "okc_x", "has")

    refused(memory, NotFoundError, "no concept 'okc_x'", both)
