"""Snippets and what is never cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zengram_py.text import Analyzer, clusters, cut, highlight, matches, parse_query, snippet

ENGLISH = Analyzer("english")

CLUSTERS = [
    "a",
    " ",
    "e\u0301",
    "o\u0308\u0304",
    "🤖",
    "👩\u200d💻",
    "👨\u200d👩\u200d👧\u200d👦",
    "👍🏽",
    "❤\ufe0f",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "1\ufe0f\u20e3",
    "🇩🇪",
    "🇫🇷",
    "한",
    "\u1112\u1161\u11ab",
    "क्ष",
    "नि",
    "กำ",
    "\r\n",
    "用",
]


def query(text: str):  # type: ignore[no-untyped-def]
    return parse_query(text, ENGLISH)


@given(st.lists(st.sampled_from(CLUSTERS), max_size=12))
@settings(max_examples=500)
def test_clusters_are_what_a_reader_takes_for_a_character(parts: list[str]) -> None:
    assert clusters("".join(parts)) == parts


@given(st.lists(st.sampled_from(CLUSTERS), max_size=12))
def test_no_cut_divides_a_cluster(parts: list[str]) -> None:
    text = "".join(parts)
    ends = {0}
    for part in parts:
        ends.add(max(ends) + len(part))
    for length in range(len(text) + 2):
        kept = cut(text, length)
        assert len(kept) in ends
        assert text.startswith(kept)
        assert len(kept) <= length or kept == parts[0]
        assert bool(kept) == bool(text and length)


def plain(shown: str) -> str:
    return shown.replace("<b>", "").replace("</b>", "")


@given(
    st.lists(st.sampled_from([*CLUSTERS, "word", "other", " ", " "]), max_size=30),
    st.sampled_from(["word", "用", "e\u0301", '"other word"', "🤖", "한", "nothing"]),
)
@settings(max_examples=300)
def test_no_snippet_divides_a_cluster(parts: list[str], asked: str) -> None:
    text = "".join(parts)
    bounds = {0}
    for cluster in clusters(text):
        bounds.add(max(bounds) + len(cluster))
    longest = max(map(len, clusters(text)), default=0)
    for length in range(1, len(text) + 2):
        shown = snippet(text, query(asked), ENGLISH, length, opening="", closing="", ellipsis="")
        places = [i for i in range(len(text) + 1) if text.startswith(shown, i)]
        assert any(place in bounds and place + len(shown) in bounds for place in places)
        assert len(shown) <= max(length, longest)
        assert bool(shown) == bool(text)
        marked = snippet(text, query(asked), ENGLISH, length, opening="<b>", closing="</b>", ellipsis="")
        assert plain(marked) == shown
        for part in marked.replace("</b>", "<b>").split("<b>"):
            assert not part or "".join(clusters(part)) == part


def test_the_robot_is_never_halved() -> None:
    text = "the robot 🤖 waves"
    for length in range(1, len(text) + 1):
        shown = snippet(text, query("robot"), ENGLISH, length)
        shown.encode()
        assert "\ufffd" not in shown
        assert cut(text, length) == text[:length]


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("Green teas and coffee", "tea", "Green <b>teas</b> and coffee"),
        ("a tea, the green tea", '"green tea"', "a tea, the <b>green</b> <b>tea</b>"),
        ("tea that is green", '"green tea"~3', "<b>tea</b> that is <b>green</b>"),
        ("immunization helps", "immuni*", "<b>immunization</b> helps"),
        ("用户身份验证失败", "身份", "用户<b>身份</b>验证失败"),
        ("用户身份验证失败", "验证失败", "用户身份<b>验证失败</b>"),
        ("Café\u0301s", "cafe", "<b>Café\u0301s</b>"),
        ("nothing here", "tea", "nothing here"),
    ],
)
def test_what_was_asked_for_is_marked(text: str, asked: str, expected: str) -> None:
    assert highlight(text, matches(text, query(asked), ENGLISH)) == expected
    assert snippet(text, query(asked), ENGLISH, 100) == expected


def test_a_snippet_shows_the_part_that_was_asked_for() -> None:
    text = "far away " * 50 + "the green tea is hot " + "and so on " * 50
    shown = snippet(text, query("green tea"), ENGLISH, 60)
    assert "<b>green</b> <b>tea</b>" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(plain(shown)) <= 62
    assert not plain(shown).strip("…").startswith(" ")


def test_a_snippet_without_a_match_is_the_beginning() -> None:
    assert snippet("one two three four", query("zebra"), ENGLISH, 9) == "one two…"
    assert snippet("abc", query("zebra"), ENGLISH, 0) == ""
