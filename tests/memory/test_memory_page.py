"""docs/memory.md lists the tables, relations, edges and migrations that there are."""

import re
from pathlib import Path

import pytest

from zengram_py.memory.schema import MIGRATIONS, fold
from zengram_py.memory.schema.cross_cutting import GRAPH
from zengram_py.memory.trail import RELATIONS

PAGE = (Path(__file__).parents[2] / "docs" / "memory.md").read_text(encoding="utf-8")
RESERVED = 46


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def first_cells(text: str) -> list[str]:
    return re.findall(r"^\| `(\w+)` \|", text, re.M)


def test_every_table_is_listed_once() -> None:
    listed = first_cells(section("The schema"))
    there = ["_zengram_migrations", *fold(MIGRATIONS)[0]]
    assert sorted(listed) == sorted(there)


def test_there_are_as_many_tables_as_the_page_says() -> None:
    listed = first_cells(section("The schema"))
    ours = first_cells(section("The schema").partition("**Ours**")[2])
    assert len(listed) - len(ours) == RESERVED
    assert f"{RESERVED} names are reserved, and the {len(ours)} tables of ours" in PAGE


def test_tables_stand_under_their_migration() -> None:
    wrong = []
    groups = re.split(r"^\*\*[^*]+\*\* \(", section("The schema"), flags=re.M)[1:]
    for group in groups:
        heading = group.partition(")")[0].partition(":")[0]
        numbers = [int(one) for one in re.findall(r"\d+", heading)]
        versions = range(numbers[0], numbers[-1] + 1)
        made = set(fold([one for one in MIGRATIONS if one.version in versions])[0])
        made |= {"_zengram_migrations"} if 1 in versions else set()
        wrong += [f"{table} under {heading}" for table in first_cells(group) if table not in made]
    assert len(groups) == 7
    assert not wrong


def test_every_relation_is_listed() -> None:
    assert sorted(first_cells(section("Provenance"))[: len(RELATIONS)]) == sorted(RELATIONS)


@pytest.mark.parametrize("kind", ["vertices", "edges"])
def test_the_graph_is_the_one_that_is_made(kind: str) -> None:
    graph = fold(MIGRATIONS)[1][GRAPH]
    rows = [row for row in section("Provenance").splitlines() if row.count("|") == 6]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    if kind == "vertices":
        found = {name.strip("`"): table.strip("`") for name, table, *_ in cells if name.startswith("`")}
        assert found == graph.vertices
    else:
        named = {edge.partition("`")[2].partition("`")[0]: ends for *_, edge, ends in cells if "`" in edge}
        assert named == {e.label: f"{e.source[1]}, {e.destination[1]}" for e in graph.edges}
