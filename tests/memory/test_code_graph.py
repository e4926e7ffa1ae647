"""The code graph: what is put is what is there, in whichever order."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from memory_support import refused, rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError
from zengram_py.memory import CodeFile, CodeNode, CodeSource


@pytest.fixture
def source(memory: ZengramMemory) -> str:
    return memory.add_code_source("/srv/site")


def function(qualified: str, **more: Any) -> dict[str, Any]:
    return {"kind": "function", "name": qualified.rpartition(".")[2], "qualified_name": qualified, **more}


def call(start: str, end: str, **more: Any) -> dict[str, Any]:
    return {"from": start, "to": end, **more}


def node(memory: ZengramMemory, name: str) -> CodeNode:
    (found,) = memory.find_code(name)
    return found


def names(steps: list[Any]) -> list[str]:
    return [step.node.qualified_name for step in steps]


def degrees(memory: ZengramMemory) -> dict[str, tuple[int, int]]:
    sql = "SELECT node_id, in_degree, out_degree FROM cg_degree"
    return {one: (into, out) for one, into, out in rows(memory, sql)}


def counted(memory: ZengramMemory) -> dict[str, tuple[int, int]]:
    """Return the degrees that the edges give."""
    edges = rows(memory, "SELECT from_node, to_node FROM cg_edge")
    outs, ins = Counter(start for start, _ in edges), Counter(end for _, end in edges)
    return {one: (ins[one], outs[one]) for (one,) in rows(memory, "SELECT id FROM cg_node")}


# -- sources and files -----------------------------------------------------------------------------------------------------


def test_a_source_with_everything(memory: ZengramMemory, clock: ManualClock) -> None:
    first = memory.add_code_source("/a")
    clock.advance(seconds=1)
    source = memory.add_code_source(
        "/b", project_id="/project/site", language="python", revision="r1", metadata={"by": ["x"]}
    )
    made = clock.now()
    assert memory.code_sources(project_id="site") == [
        CodeSource(source, "site", "/b", "python", "r1", {"by": ["x"]}, made, made)
    ]
    clock.advance(seconds=1)
    memory.update_code_source(source, revision="r2", metadata=None)
    assert memory.code_sources()[0] == CodeSource(
        source, "site", "/b", "python", "r2", None, made, clock.now()
    )
    assert [one.id for one in memory.code_sources()] == [source, first]
    assert [one.id for one in memory.code_sources(limit=1)] == [source]


def test_a_file_with_everything(memory: ZengramMemory, source: str, clock: ManualClock) -> None:
    clock.advance(seconds=1)
    file = memory.put_code_file(
        source,
        "site/a.py",
        language="python",
        content_hash="h1",
        size_bytes=120,
        nodes=[
            function(
                "site.a.start",
                signature="def start() -> None",
                documentation="Begin.\n\n",
                line_start=3,
                line_end=9,
                metadata={"async": True},
            ),
            {"kind": "module", "name": "a", "line_start": 1},
            {"kind": "constant", "name": "B"},
            {"kind": "constant", "name": "A"},
        ],
        edges=[call("a", "site.a.start", kind="contains", line=3, weight=0.5)],
    )
    assert memory.code_files(source) == [
        CodeFile(file, source, "site/a.py", "python", "h1", 120, clock.now())
    ]
    assert memory.code_sources()[0].time_updated == clock.now()
    found = memory.code_nodes(source, "site/a.py")
    assert [one.name for one in found] == ["a", "start", "A", "B"]
    assert found[1] == CodeNode(
        id=found[1].id,
        source_id=source,
        path="site/a.py",
        kind="function",
        name="start",
        qualified_name="site.a.start",
        signature="def start() -> None",
        documentation="Begin.\n\n",
        line_start=3,
        line_end=9,
        metadata={"async": True},
        time_updated=clock.now(),
    )
    assert found[0].qualified_name == "a"
    assert memory.code_node(found[1].id) == found[1]
    assert memory.code_node("cgn_x") is None
    edges = rows(memory, "SELECT from_node, to_node, kind, file_id, line, weight FROM cg_edge")
    assert edges == [(found[0].id, found[1].id, "contains", file, 3, 0.5)]


def test_files_are_listed_by_path(memory: ZengramMemory, source: str) -> None:
    other = memory.add_code_source("/other")
    for path in ("c.py", "a.py", "b.py"):
        memory.put_code_file(source, path)
    memory.put_code_file(other, "a.py")
    assert [file.path for file in memory.code_files(source)] == ["a.py", "b.py", "c.py"]
    assert [file.path for file in memory.code_files(source, limit=1, offset=1)] == ["b.py"]
    memory.remove_code_file(source, "a.py")
    assert [file.path for file in memory.code_files(source)] == ["b.py", "c.py"]
    assert [file.path for file in memory.code_files(other)] == ["a.py"]


def test_a_source_goes_with_all_that_is_in_it(memory: ZengramMemory, source: str) -> None:
    memory.put_code_file(source, "a.py", nodes=[function("a.f")], edges=[call("a.f", "b.g")])
    memory.remove_code_source(source)
    for table in ("cg_source", "cg_file", "cg_node", "cg_edge", "cg_degree"):
        assert rows(memory, f"SELECT count(*) FROM {table}") == [(0,)]


# -- nodes and edges over several puts ---------------------------------------------------------------------------------------


def test_files_in_any_order(memory: ZengramMemory, source: str) -> None:
    memory.put_code_file(source, "a.py", nodes=[function("a.f")], edges=[call("a.f", "b.g")])
    unknown = node(memory, "b.g")
    assert (unknown.kind, unknown.name, unknown.path) == ("unknown", "g", None)
    memory.put_code_file(source, "b.py", nodes=[function("b.g", line_start=1)], edges=[call("b.g", "a.f")])
    known = node(memory, "b.g")
    assert (known.id, known.kind, known.path, known.line_start) == (unknown.id, "function", "b.py", 1)
    assert names(memory.callees(node(memory, "a.f").id)) == ["b.g"]
    assert names(memory.callers(node(memory, "a.f").id)) == ["b.g"]
    memory.remove_code_file(source, "b.py")
    again = node(memory, "b.g")
    assert (again.id, again.kind, again.path, again.line_start) == (unknown.id, "unknown", None, None)
    memory.remove_code_file(source, "a.py")
    assert memory.find_code("b.g") == []
    assert degrees(memory) == {}


@pytest.mark.parametrize(
    ("named", "short"),
    [("a.b.c", "c"), ("std::vector::push", "push"), ("src/x.js#run", "run"), ("f", "f"), ("..", "..")],
)
def test_what_an_unknown_node_is_called(memory: ZengramMemory, source: str, named: str, short: str) -> None:
    memory.put_code_file(source, "a.py", nodes=[function("a.z")], edges=[call("a.z", named)])
    (found,) = memory.callees(node(memory, "a.z").id)
    assert (found.node.name, found.node.qualified_name) == (short, named)


def test_nodes_keep_their_ids(memory: ZengramMemory, source: str, clock: ManualClock) -> None:
    memory.put_code_file(source, "a.py", nodes=[function("a.f"), function("a.g"), function("a.h", id="mine")])
    memory.put_code_file(
        source, "b.py", nodes=[function("b.x")], edges=[call("b.x", "a.f"), call("b.x", "mine")]
    )
    before = {one: node(memory, one).id for one in ("a.f", "a.g", "a.h")}
    changed = clock.now()
    clock.advance(seconds=1)
    memory.put_code_file(
        source,
        "a.py",
        nodes=[function("a.k", id="mine"), function("a.g"), {**function("a.f"), "kind": "class"}],
    )
    assert node(memory, "a.f").id == before["a.f"]  # another kind
    assert node(memory, "a.k").id == before["a.h"] == "mine"  # another name
    assert node(memory, "a.g") == memory.code_node(before["a.g"])
    assert node(memory, "a.g").time_updated == changed  # what did not change was not written
    assert names(memory.callees(node(memory, "b.x").id)) == ["a.f", "a.k"]


def test_the_same_file_again_changes_nothing_but_its_time(memory: ZengramMemory, source: str) -> None:
    nodes = [function("a.f", metadata={"x": 1}), function("a.f", line_start=7), function("a.g")]
    edges = [call("a.f", "a.g"), call("a.g", "lib.z", line=4)]
    tables = ("cg_node", "cg_edge", "cg_degree", "cg_file")
    memory.put_code_file(source, "a.py", nodes=nodes, edges=edges)
    before = [rows(memory, f"SELECT * FROM {table}") for table in tables]
    memory.put_code_file(source, "a.py", nodes=nodes, edges=edges)
    assert [rows(memory, f"SELECT * FROM {table}") for table in tables] == before
    nodes[0]["metadata"] = {"x": True}  # equal in Python, and not in JSON
    memory.put_code_file(source, "a.py", nodes=nodes, edges=edges)
    assert rows(memory, "SELECT count(*) FROM cg_node WHERE metadata = '{\"x\": true}'::jsonb") == [(1,)]


def test_edges_that_come_twice(memory: ZengramMemory, source: str) -> None:
    edges = [call("a.f", "a.g", line=3), call("a.f", "g1", line=5, weight=2), call("a.f", "a.g", kind="uses")]
    memory.put_code_file(source, "a.py", nodes=[function("a.f"), function("a.g", id="g1")], edges=edges)
    found = rows(memory, "SELECT kind, line, weight FROM cg_edge ORDER BY kind")
    assert found == [("calls", 3, 3.0), ("uses", None, 1.0)]
    assert degrees(memory)["g1"] == (2, 0)


def test_one_name_in_several_files(memory: ZengramMemory, source: str) -> None:
    memory.put_code_file(source, "a.py", nodes=[function("main", id="a")], edges=[call("main", "main")])
    memory.put_code_file(source, "b.py", nodes=[function("main", id="b")], edges=[call("main", "main")])
    memory.put_code_file(source, "c.py", nodes=[function("c.x", id="c")], edges=[call("c.x", "main")])
    edges = rows(memory, "SELECT from_node, to_node FROM cg_edge ORDER BY from_node")
    assert edges == [("a", "a"), ("b", "b"), ("c", "a")]
    memory.remove_code_file(source, "a.py")  # there is another one of that name
    assert names(memory.callers("b")) == ["c.x"]
    memory.remove_code_file(source, "b.py")
    assert node(memory, "main").kind == "unknown"
    memory.put_code_file(
        source, "d.py", nodes=[function("main", id="d")]
    )  # an id of its own: the edges go there
    assert [step.node.id for step in memory.callees("c")] == ["d"]
    assert degrees(memory) == counted(memory) == {"c": (0, 1), "d": (1, 0)}


def test_sources_do_not_meet(memory: ZengramMemory, source: str) -> None:
    other = memory.add_code_source("/other")
    memory.put_code_file(other, "a.py", nodes=[function("a.f", id="theirs")])
    memory.put_code_file(source, "b.py", nodes=[function("b.x")], edges=[call("b.x", "a.f")])
    (step,) = memory.callees(node(memory, "b.x").id)
    assert (step.node.kind, step.node.source_id) == ("unknown", source)
    assert [one.id for one in memory.find_code("a.f", source_id=other)] == ["theirs"]
    assert [one.path for one in memory.find_code("a.f")] == ["a.py", None]
    message = r"nodes\[0\].id is 'theirs', which is a node of another file"
    put = memory.put_code_file
    refused(
        memory, InvalidArgumentError, message, lambda: put(source, "c.py", nodes=[function("c", id="theirs")])
    )


def test_what_sql_made_is_counted(memory: ZengramMemory, source: str) -> None:
    memory.put_code_file(source, "a.py", nodes=[function("a.f", id="f")])
    memory.query(
        "INSERT INTO cg_node (id, source_id, kind, name, time_updated) VALUES ('x', $1, 'macro', 'x', 1)",
        [source],
    )
    memory.query("INSERT INTO cg_edge (from_node, to_node) VALUES ('x', 'f')")
    memory.put_code_file(source, "a.py", nodes=[function("a.f", id="f")], edges=[call("f", "x")])
    assert degrees(memory)["x"] == (1, 1)
    assert memory.code_node("x") is not None
    assert [step.node.qualified_name for step in memory.callees("f")] == ["x"]


# -- finding and walking ---------------------------------------------------------------------------------------------------


def test_code_is_found_by_either_name(memory: ZengramMemory, source: str) -> None:
    memory.put_code_file(
        source,
        "a.py",
        nodes=[function("a.f"), {**function("b.f"), "kind": "class"}, function("f"), function("a.F")],
        edges=[call("f", "z.f")],
    )
    assert [one.qualified_name for one in memory.find_code("f")] == ["a.f", "b.f", "f", "z.f"]
    assert [one.qualified_name for one in memory.find_code("f", limit=2)] == ["a.f", "b.f"]
    assert [one.qualified_name for one in memory.find_code("f", kind="class")] == ["b.f"]
    assert [one.qualified_name for one in memory.find_code("a.f")] == ["a.f"]
    assert memory.find_code("A.f") == memory.find_code("f", limit=0) == []


def test_walks_over_cycles(memory: ZengramMemory, source: str) -> None:
    edges = [
        call("a", "b"),
        call("a", "c"),
        call("b", "d"),
        call("c", "d"),
        call("d", "a"),
        call("d", "d"),
        call("d", "e", kind="uses"),
    ]
    memory.put_code_file(source, "x", nodes=[function(one, id=one) for one in "abcde"], edges=edges)

    def walk(which: str, start: str, **options: Any) -> list[tuple[int, str, str]]:
        return [(s.depth, s.node.id, s.via) for s in getattr(memory, which)(start, **options)]

    assert walk("callees", "a") == [(1, "b", "a"), (1, "c", "a")]
    assert walk("callees", "a", depth=9) == [(1, "b", "a"), (1, "c", "a"), (2, "d", "b")]
    assert walk("callees", "a", depth=9, kind=None)[-1] == (3, "e", "d")
    assert walk("callees", "a", depth=0) == walk("callees", "e") == walk("callers", "e") == []
    assert walk("callers", "e", kind="uses") == [(1, "d", "e")]
    assert walk("callers", "d", depth=2) == [(1, "b", "d"), (1, "c", "d"), (2, "a", "b")]
    with memory.batch():
        memory.put_code_file(source, "y", nodes=[function("q", id="q")], edges=[call("q", "d")])
        assert walk("callers", "d") == [(1, "b", "d"), (1, "c", "d"), (1, "q", "d")]


def test_hubs(memory: ZengramMemory, source: str) -> None:
    assert memory.code_hubs(source) == []
    memory.put_code_file(
        source,
        "x",
        nodes=[function(one, id=one) for one in "abcd"],
        edges=[call("a", "b"), call("a", "c"), call("c", "b"), call("c", "lib"), call("b", "lib")],
    )
    found = [(hub.node.id, hub.in_degree, hub.out_degree) for hub in memory.code_hubs(source)]
    assert found == [("b", 2, 1), ("c", 1, 2), ("a", 0, 2)]  # no file has lib, and d has no edge
    assert [hub.node.id for hub in memory.code_hubs(source, 1)] == ["b"]


# -- what cannot be --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"nodes": "f"}, InvalidArgumentError, "nodes must be a list, not a str"),
        ({"nodes": [3]}, InvalidArgumentError, r"nodes\[0\] must be a mapping, not a int"),
        ({"nodes": [{"kind": "f"}]}, InvalidArgumentError, r"nodes\[0\].name is missing"),
        ({"nodes": [{"name": "f"}]}, InvalidArgumentError, r"nodes\[0\].kind is missing"),
        (
            {"nodes": [function("f", nam=1)]},
            InvalidArgumentError,
            r"nodes\[0\] has 'nam'; there are id, kind",
        ),
        ({"nodes": [function("f", line_start=-1)]}, InvalidArgumentError, r"nodes\[0\].line_start"),
        ({"nodes": [function("f", line_start=5, line_end=4)]}, InvalidArgumentError, "line_end - line_start"),
        ({"nodes": [function("f", metadata={"a": {1}})]}, InvalidArgumentError, r"metadata\['a'\] is a set"),
        (
            {"nodes": [function("f", id="x"), function("g", id="x")]},
            InvalidArgumentError,
            "like that of a node",
        ),
        ({"nodes": [function("f", id="mine")]}, InvalidArgumentError, "a node of another file"),
        ({"edges": {"from": 1}}, InvalidArgumentError, "edges must be a list"),
        (
            {"edges": [call("z.a", "z.b")]},
            NotFoundError,
            r"edges\[0\].from: there is no node 'z.a' in file 'z.py'",
        ),
        ({"edges": [call("a.f", "z.b")]}, NotFoundError, r"edges\[0\].from: there is no node 'a.f' in file"),
        (
            {"nodes": [function("f")], "edges": [call("f", "cgn_gone")]},
            NotFoundError,
            r"edges\[0\].to: there is no node 'cgn_gone'",
        ),
        (
            {"nodes": [function("f")], "edges": [call("f", None)]},
            InvalidArgumentError,
            r"edges\[0\].to is missing",
        ),
        ({"nodes": [function("f")], "edges": [call("f", "g", weight=-1)]}, InvalidArgumentError, "weight"),
        (
            {"nodes": [function("f")], "edges": [call("f", "g", weight=1e308)] * 2},
            InvalidArgumentError,
            "weight",
        ),
        ({"nodes": [function("f")], "edges": [call("f", "g", line=1.5)]}, InvalidArgumentError, "line"),
        ({"nodes": [function("f")], "edges": [call("f", "g", kind="")]}, InvalidArgumentError, "kind"),
        ({"size_bytes": -1}, InvalidArgumentError, "size_bytes"),
        ({"language": 1}, InvalidArgumentError, "language"),
    ],
)
def test_files_that_cannot_be(
    memory: ZengramMemory, source: str, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    memory.put_code_file(source, "a.py", nodes=[function("a.f", id="mine")], edges=[call("a.f", "z.q")])
    refused(memory, error, match, lambda: memory.put_code_file(source, "z.py", **options))


def test_things_that_are_not_there(memory: ZengramMemory, source: str) -> None:
    for call_ in (
        lambda: memory.put_code_file("cgs_x", "a.py"),
        lambda: memory.remove_code_file("cgs_x", "a.py"),
        lambda: memory.remove_code_source("cgs_x"),
        lambda: memory.update_code_source("cgs_x", revision="r"),
        lambda: memory.code_files("cgs_x"),
        lambda: memory.code_hubs("cgs_x"),
        lambda: memory.find_code("f", source_id="cgs_x"),
    ):
        refused(memory, NotFoundError, "no code source 'cgs_x'", call_)
    for call_ in (
        lambda: memory.remove_code_file(source, "a.py"),
        lambda: memory.code_nodes(source, "a.py"),
    ):
        refused(memory, NotFoundError, "no file 'a.py' in code source", call_)
    for walk in (memory.callers, memory.callees):
        with pytest.raises(NotFoundError, match="no node 'cgn_x'"):
            walk("cgn_x")
        with pytest.raises(InvalidArgumentError, match="depth"):
            walk("cgn_x", depth=-1)
    refused(
        memory,
        InvalidArgumentError,
        "root path is missing",
        lambda: memory.update_code_source(source, root_path=None),
    )


def test_a_put_that_fails_in_a_batch_takes_the_batch_along(memory: ZengramMemory, source: str) -> None:
    def both() -> None:
        with memory.batch():
            memory.put_code_file(source, "a.py", nodes=[function("a.f")])
            memory.put_code_file(source, "b.py", edges=[call("b.f", "a.f")])

    refused(memory, NotFoundError, "no node 'b.f'", both)
    assert memory.code_files(source) == []


# -- at random -------------------------------------------------------------------------------------------------------------

PATHS = ("a", "b", "c")
NODES = [f"{path}.{number}" for path in PATHS for number in range(3)]
KINDS = st.sampled_from(["calls", "uses"])


@st.composite
def contents(draw: Any, path: str) -> tuple[dict[str, str], set[tuple[str, str, str]]]:
    """Draw what is in a file: its nodes with their kinds, and its edges."""
    own = [name for name in NODES if name[0] == path]
    found = draw(st.dictionaries(st.sampled_from(own), st.sampled_from(["function", "class"])))
    edge = st.tuples(
        st.sampled_from(sorted(found) or [""]), st.sampled_from([*NODES, "lib.0", "lib.1"]), KINDS
    )
    return found, draw(st.sets(edge, max_size=8)) if found else set()


class Graphs(RuleBasedStateMachine):
    """Files that are put and removed, beside a graph that is made anew from those that are there."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = ZengramMemory.open(2, clock=ManualClock())
        self.source = self.memory.add_code_source("/")
        self.files: dict[str, tuple[dict[str, str], set[tuple[str, str, str]]]] = {}
        self.ids: dict[str, str] = {}

    @rule(data=st.data(), path=st.sampled_from(PATHS), by_id=st.booleans())
    def put(self, data: st.DataObject, path: str, by_id: bool) -> None:
        found, edges = self.files[path] = data.draw(contents(path))
        named = self.ids if by_id else {}
        self.memory.put_code_file(
            self.source,
            path,
            nodes=[{**function(name), "kind": kind} for name, kind in found.items()],
            edges=[
                # An id that was made here names what is there, or will be.
                call(start, named.get(end, end) if self.will_be(end) else end, kind=kind)
                for start, end, kind in sorted(edges)
            ],
        )

    def will_be(self, name: str) -> bool:
        return any(name in found for found, _ in self.files.values()) and name in self.ids

    @rule(path=st.sampled_from(PATHS))
    def remove(self, path: str) -> None:
        if self.files.pop(path, None) is not None:
            self.memory.remove_code_file(self.source, path)

    @rule()
    def restore(self) -> None:
        self.memory = ZengramMemory.open_from_snapshot(self.memory.export_snapshot(), 2, clock=ManualClock())

    @invariant()
    def the_graph_is_what_the_files_say(self) -> None:
        known = {
            name: (kind, path) for path, (found, _) in self.files.items() for name, kind in found.items()
        }
        edges = {edge for _, of in self.files.values() for edge in of}
        expected = {end: ("unknown", None) for _, end, _ in edges} | known
        sql = """SELECT n.id, n.qualified_name, n.kind, f.path
                   FROM cg_node n LEFT JOIN cg_file f ON f.id = n.file_id"""
        found = rows(self.memory, sql)
        assert {name: (kind, path) for _, name, kind, path in found} == expected
        assert len(found) == len(expected)
        ids = {name: one for one, name, _, _ in found}
        assert all(ids[name] == one for name, one in self.ids.items() if name in ids)  # while it is there
        self.ids = ids
        names_of = {one: name for name, one in ids.items()}
        stored = rows(self.memory, "SELECT from_node, to_node, kind FROM cg_edge")
        assert {(names_of[start], names_of[end], kind) for start, end, kind in stored} == edges
        assert degrees(self.memory) == counted(self.memory)
        hubs = self.memory.code_hubs(self.source)
        assert {hub.node.qualified_name for hub in hubs} == {
            name for name in known if any(name in edge[:2] for edge in edges)
        }

    @invariant()
    def walks_are_breadth_first(self) -> None:
        edges = {edge for _, of in self.files.values() for edge in of}
        for start, one in list(self.ids.items())[:4]:
            for depth in (1, 3):
                for kind in ("calls", None):
                    used = {(a, b) for a, b, k in edges if kind in (None, k)}
                    steps = {
                        step.node.qualified_name: step.depth
                        for step in self.memory.callees(one, depth=depth, kind=kind)
                    }
                    assert steps == distances(used, start, depth)
                    back = {
                        step.node.qualified_name: step.depth
                        for step in self.memory.callers(one, depth=depth, kind=kind)
                    }
                    assert back == distances({(b, a) for a, b in used}, start, depth)


def distances(edges: set[tuple[str, str]], start: str, depth: int) -> dict[str, int]:
    found, front = {start: 0}, {start}
    for at in range(1, depth + 1):
        front = {end for one, end in edges if one in front} - found.keys()
        found.update(dict.fromkeys(front, at))
    del found[start]
    return found


TestGraphs = Graphs.TestCase
TestGraphs.settings = settings(max_examples=20, stateful_step_count=12, deadline=None)

FILE = st.tuples(
    st.lists(st.tuples(st.sampled_from("fgh"), st.sampled_from([None, "1", "2", "3", "4"])), max_size=4),
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["f", "g", "h", "1", "2", "3", "4"])), max_size=5),
)


@settings(max_examples=150, deadline=None)
@given(puts=st.lists(st.tuples(st.sampled_from(PATHS), st.none() | FILE), max_size=8), together=st.booleans())
def test_names_and_ids_that_several_files_have(puts: list[tuple[str, Any]], together: bool) -> None:
    memory = ZengramMemory.open(2, clock=ManualClock())
    source = memory.add_code_source("/")

    def put(path: str, content: Any) -> None:
        if content is None:
            if any(file.path == path for file in memory.code_files(source)):
                memory.remove_code_file(source, path)
            return
        given_nodes, given_edges = content
        files = [file.path for file in memory.code_files(source)]
        taken = {one.id: file for file in files for one in memory.code_nodes(source, file)}
        nodes, ids = [], set()
        for name, one in given_nodes:
            one = None if one in ids or taken.get(one, path) != path else one
            ids.add(one)
            nodes.append({"kind": "function", "name": name, "id": one})
        edges = [
            call(nodes[at]["id"] or nodes[at]["name"], end) for at, end in given_edges if at < len(nodes)
        ]
        memory.put_code_file(source, path, nodes=nodes, edges=edges)
        assert len(memory.code_nodes(source, path)) == len(nodes)

    def check() -> None:
        assert degrees(memory) == counted(memory)
        unknown = rows(memory, "SELECT id, qualified_name FROM cg_node WHERE file_id IS NULL")
        known = {
            name for (name,) in rows(memory, "SELECT qualified_name FROM cg_node WHERE file_id IS NOT NULL")
        }
        assert len({name for _, name in unknown}) == len(unknown)
        assert known.isdisjoint(name for _, name in unknown)
        assert all(degrees(memory)[one][0] > 0 for one, _ in unknown)
        sql = (
            "SELECT count(*) FROM cg_edge e JOIN cg_node n ON n.id = e.from_node WHERE n.file_id <> e.file_id"
        )
        assert rows(memory, sql) == [(0,)]

    if together:
        with memory.batch():
            for path, content in puts:
                put(path, content)
        check()
    else:
        for path, content in puts:
            put(path, content)
            check()


def test_a_large_file_is_quick(memory: ZengramMemory, source: str) -> None:
    nodes = [function(f"a.f{n}", line_start=n * 10, line_end=n * 10 + 5) for n in range(500)]
    edges = [
        call(f"a.f{n % 500}", f"a.f{n * 7 % 500}" if n % 3 else f"lib.{n % 90}", line=n) for n in range(2000)
    ]
    spent = []
    for shift in (0, 0, 1):
        for one in nodes:
            one["line_start"] += shift
        began = time.perf_counter()
        memory.put_code_file(source, "a.py", nodes=nodes, edges=edges)
        spent.append(time.perf_counter() - began)
    assert degrees(memory) == counted(memory)
    assert max(spent) < 3  # seconds: a tenth of one on a machine of today
