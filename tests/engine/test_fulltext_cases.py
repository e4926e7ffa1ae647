"""What somebody who types into a search box expects, each as rows, a question and what it finds."""

from __future__ import annotations

import pytest

from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef
from zengram_py.errors import TypeMismatchError

CASES: list[tuple[list[str], str, list[int]]] = [
    (["run the pre-edit hook"], "pre-edit", [0]),
    (["we don't use agents here"], "don't use agents", [0]),
    (["saved to Downloads/transcripts at 3 GB/s"], "Downloads/transcripts", [0]),
    (["saved to Downloads/transcripts at 3 GB/s"], "GB/s", [0]),
    (["memory:safe languages"], "memory:safe", [0]),
    (["memory:safe languages"], 'say "hi', []),
    (["memory:safe languages"], "foo AND bar", []),
    (["memory:safe languages"], "(python", []),
    (["memory:safe languages"], 'hello"world', []),
    (["memory:safe languages"], '"--error-on-warnings"', []),
    (["memory:safe languages"], "NOT", []),
    (["memory:safe languages"], "*", []),
    (["memory:safe languages"], '""', []),
    (["memory:safe languages"], "", []),
    (["memory:safe languages"], "   ", []),
    (["he uses vim", "a useful museum"], "museum", [1]),
    (["he uses vim", "the museum"], "use", [0]),
    (
        ["he uses vim", "a useful museum"],
        "use",
        [0, 1],
    ),  # by the stem of "useful", not by a piece of "museum"
    (["he uses vim", "a useful museum"], "useum", []),
    (["he uses vim", "a useful museum"], "seum*", []),
    (["alpha beta gamma", "gamma alpha"], "alpha gamma", [1, 0]),
    (["alpha beta gamma", "gamma alpha"], '"alpha gamma"', []),
    (["用户身份验证失败"], "用户", [0]),
    (["用户身份验证失败"], "身份", [0]),
    (["用户身份验证失败"], "验证失败", [0]),
    (["重跑gen-itgc后再试"], "itgc", [0]),
    (["重跑gen-itgc后再试"], "重跑", [0]),
    (["Café Zürich naïve"], "cafe zurich", [0]),
    (["Café Zürich naïve"], "CAFÉ", [0]),
    (["cafe zurich naive"], "Café Zürich naïve", [0]),
    (["the robot 🤖 waves"], "🤖", [0]),
    (["你好", "世界"], "你好", [0]),
    (["caf\u00e9", "cafe\u0301"], "cafe\u0301", [0, 1]),
    (["we keep the immunization records"], "immuni*", [0]),
    (["I like green tea", "I like coffee"], "What tea do I like?", [0, 1]),
    (["to be or not to be", "that is the question"], "to be or not to be", [0]),
    (["to be or not to be", "be it or not"], '"or not to be"', [0]),
]


def make_database(rows: list[str]) -> Database:
    db = Database.open()
    db.create_table(
        "t",
        [ColumnDef("id", INT64), ColumnDef("body", TEXT)],
        primary_key=["id"],
        indexes=[IndexDef("ft", "fulltext", (["col", "body"],))],
    )
    with db.begin() as t:
        for number, body in enumerate(rows):
            t.insert("t", {"id": number, "body": body})
    return db


def find(db: Database, question: str) -> list[int]:
    return db.begin(read_only=True).text_search("t", "ft").rank(question).rows.tolist()


@pytest.mark.parametrize(("rows", "question", "expected"), CASES)
def test_a_question_finds(rows: list[str], question: str, expected: list[int]) -> None:
    db = make_database(rows)
    assert find(db, question) == expected
    assert find(Database.restore(db.export()), question) == expected
    db.vacuum()
    assert find(db, question) == expected


def test_searching_changes_nothing_and_what_was_changed_is_found_as_it_is() -> None:
    db = make_database(["first text", "second text"])
    before = db.export()
    assert find(db, "first") == find(db, "first") == [0]
    assert find(db, "text") == [0, 1]
    assert db.export() == before
    with db.begin() as t:
        t.update("t", 0, {"body": "third"})
    assert find(db, "first") == []
    assert find(db, "third") == [0]
    with db.begin() as t:
        t.delete("t", 1)
    assert find(db, "second") == []
    assert find(db, "text") == []


def test_half_an_emoji_is_refused_when_it_is_written_and_finds_nothing_when_it_is_asked() -> None:
    db = make_database(["the robot 🤖 waves"])
    with pytest.raises(TypeMismatchError, match="surrogate"), db.begin() as t:
        t.insert("t", {"id": 9, "body": "half \ud83e"})
    assert find(db, "\ud83e") == []
    assert find(db, "robot \ud83e") == [0]
    db.export()
