"""Questions that share no word with their answers, with vectors of a real model (minilm/make.py made them)."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from memory_support import make_origins

from zengram_py import ZengramMemory
from zengram_py.text import stop_words
from zengram_py.text.stemming import stemmer

FOLDER = Path(__file__).resolve().parent / "minilm"
SENTENCES = json.loads((FOLDER / "sentences.json").read_text())
FACTS, QUESTIONS = SENTENCES["facts"], SENTENCES["questions"]


@pytest.fixture(scope="module")
def vectors() -> dict[str, Any]:
    lines = json.loads((FOLDER / "vectors.json").read_text())
    return {name: np.array([np.frombuffer(b64decode(one), "<f2") for one in lines[name]]) for name in lines}


@pytest.fixture(scope="module")
def memory(vectors: dict[str, Any]) -> ZengramMemory:
    made = ZengramMemory.open(384)
    make_origins(made, "s1", ["s1u"])
    made.extract_with_facts_with_vectors("what was said", "/", "s1", "s1u", FACTS, vectors["facts"])
    return made


@pytest.mark.parametrize("at", range(len(QUESTIONS)))
def test_a_question_in_other_words_finds_its_fact_first(
    memory: ZengramMemory, vectors: dict[str, Any], at: int
) -> None:
    question, answer = QUESTIONS[at]["question"], QUESTIONS[at]["answer"]
    (fact,) = (fact for fact in FACTS if fact["subject"] == answer)
    assert not words(question) & words(f"{fact['subject']} {fact['content']}")
    hits = memory.recall_with_vector(question, "/", vectors["questions"][at])
    assert hits[0].subject == answer
    assert memory.trace_back(hits[0].knowledge_id)[0].id == "s1u"


def words(text: str) -> set[str]:
    """Return the stems of what says something in a text."""
    found = re.findall(r"[a-z]+", text.lower())
    return {stemmer("english")(word) for word in found if word not in stop_words("english")}
