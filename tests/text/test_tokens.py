# ruff: noqa: RUF001
"""From texts to terms."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zengram_py.text import LANGUAGES, Analyzer, stop_words
from zengram_py.text.characters import ASCII_WORD, fold_accents, fold_case, word_pattern
from zengram_py.text.stopwords import is_stop_word

any_text = st.text(st.characters(exclude_categories=[]), max_size=40)  # lone surrogates too


def terms(text: str, language: str = "english") -> list[str]:
    return [word.term for word in Analyzer(language).words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The quick, brown fox!", ["the", "quick", "brown", "fox"]),
        ("pre-edit foo_bar GB/s", ["pre", "edit", "foo", "bar", "gb", "s"]),
        ("3.14 v1.2.3 example.com. 7.", ["3.14", "v1.2.3", "exampl", "com", "7"]),
        ("don't don’t dogs' o'clock", ["don't", "don't", "dog", "o'clock"]),
        ("Café CAFÉ cafe\u0301 naïve", ["cafe", "cafe", "cafe", "naiv"]),
        ("ｆｕｌｌ ﬁne Straße łódź Ørsted", ["full", "fine", "strass", "lodz", "orst"]),
        ("İstanbul ISTANBUL ıstanbul", ["istanbul"] * 3),
        ("用户身份", ["用", "用户", "户", "户身", "身", "身份", "份"]),
        ("重跑gen-itgc后", ["重", "重跑", "跑", "gen", "itgc", "后"]),
        ("мойfile Αθήνα2", ["мой", "file", "αθηνα2"]),
        ("ёлка елка", ["елка", "елка"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("مَرْحَبًا", ["مرحبا"]),
        ("한국", ["한", "한국", "국"]),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8", ["한", "한국", "국"]),
        ("ｶﾞﾊﾞ", ["ガ", "ガバ", "バ"]),
        ("🤖 waves 👩‍💻 🇩🇪🇫🇷 👍🏽", ["🤖", "wave", "👩", "💻", "🇩🇪", "🇫🇷", "👍"]),
        ("½ ① co\u00adop a\u200db", ["1", "2", "1", "coop", "ab"]),
        ("\ud83e \ud83ex\udd16", ["x"]),
        ("... --- ''' *** \x00", []),
    ],
)
def test_texts_fall_into_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_long_words_are_cut() -> None:
    assert terms("x" * 10_000) == ["x" * 255]


def test_stems_are_those_of_the_language() -> None:
    assert terms("running museums uses useful", "english") == ["run", "museum", "use", "use"]
    assert terms("running", "simple") == ["running"]
    assert terms("étés chevaux", "french") == ["ete", "cheval"]
    assert terms("Häuser", "german") == ["haus"]
    assert terms("канистры", "russian") == terms("канистра", "russian")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_stems(language: str) -> None:
    assert terms("word 123 слово λέξη كلمة", language)[1] == "123"


def test_accents_matter_to_no_stem_of_english() -> None:
    for word in ("naïve", "résumés", "café's", "Zürich"):
        assert terms(word) == terms(fold_accents(fold_case(word)))


def test_positions_and_offsets() -> None:
    text = "I saw Zürich's 用户身份, twice"
    words = list(Analyzer().words(text))
    assert [word.position for word in words] == [0, 1, 2, 3, 3, 4, 4, 5, 5, 6, 7]
    found = [text[w.start : w.end] for w in words]
    assert found == ["I", "saw", "Zürich's", "用", "用户", "户", "户身", "身", "身份", "份", "twice"]


@given(any_text)
def test_offsets_lie_in_the_text_and_positions_ascend(text: str) -> None:
    last = -1
    for word in Analyzer().words(text):
        assert 0 <= word.start < word.end <= len(text)
        assert word.position in (last, last + 1)
        assert word.term
        assert "\n" not in word.term
        word.term.encode()
        last = word.position


@given(st.text(st.characters(codec="ascii")))
def test_the_pattern_for_ascii_finds_what_the_other_one_finds(text: str) -> None:
    assert ASCII_WORD.findall(text) == word_pattern().findall(text)


@given(st.text(max_size=40))
@example("e\u0301")
@example("ﾊﾟ")
@example("\u1112\u1161\u11ab")
def test_composed_and_decomposed_texts_have_the_same_terms(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert terms(composed) == terms(decomposed)


@given(st.text(st.sampled_from("aeAÉßſKİıçñøłΣσς'1"), max_size=12))
def test_folding_twice_changes_nothing(word: str) -> None:
    once = fold_accents(fold_case(word))
    assert fold_accents(fold_case(once)) == once


def test_stop_words() -> None:
    assert "the" in stop_words("english")
    assert stop_words("tamil") == frozenset()
    assert "fur" in stop_words("german")  # für, without its accent, as words are asked
    for word in ("what's", "don't", "isn't", "we're"):
        assert is_stop_word(word, "english")
    for word in ("tea", "tea's", "not'x"):
        assert not is_stop_word(word, "english")
    assert not is_stop_word("don't", "german")
