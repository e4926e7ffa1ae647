"""What the page measures with: vectors, texts, questions, and the true answers, as files that every subject reads alike.

Vectors are those of bench/vectors_cases.py. Texts are the descriptions of packages (debian.py) or a file's. A question is made
from one document, which is its only right answer: a few of its words that stand in a few to some hundred other documents as
well, some of them in another form than in the document (that is for stemming), in a sentence as people ask. In a hybrid case
row i has text i and vector i, and a question has a noisy copy of its document's vector.
"""

import json
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import debian
import numpy as np
import vectors_cases

QUESTIONS = 200
LATER = 100
"""How many vectors or texts are added one by one after a build."""
K = 10
TEXTS = 10_000
RARE, FREQUENT = 3, 300
"""In how many of 10,000 documents a word of a question stands."""
SENTENCES = (
    "{}",
    "{}",
    "how do I {}",
    "is there a package for {}",
    "I am looking for something with {}",
    "what can be used for {}?",
    "a tool that does {}",
)
_WORD = re.compile(r"[a-z]{4,}")


@dataclass
class Prepared:
    """A data set that was written.

    Attributes
    ----------
    name : str
        Name of its files.
    title : str
        What the tables call it.
    count : int
        How many vectors or documents.
    truth : list of list of int
        The right answers of each query.
    """

    name: str
    title: str
    count: int
    truth: list[list[int]]


# -- vectors -----------------------------------------------------------------------------------------------------------


def nearest(vectors: Any, queries: Any) -> list[list[int]]:
    """Return the true ten nearest of each query, by cosine, in double precision."""
    lengths = np.linalg.norm(vectors, axis=1)
    found = []
    for query in queries:
        near = np.argpartition(-(vectors @ query) / lengths, 4 * K)[: 4 * K]
        exact = (vectors[near].astype(np.float64) @ query.astype(np.float64)) / lengths[near]
        found.append(near[np.argsort(-exact)[:K]].tolist())
    return found


def _write(folder: Path, name: str, **arrays: Any) -> None:
    for part, array in arrays.items():
        (folder / f"{name}.{part}.f32").write_bytes(np.ascontiguousarray(array, np.float32).tobytes())


def synthetic(folder: Path, count: int) -> Prepared:
    vectors, queries = vectors_cases.make(count, LATER)
    name = f"vectors-{count}"
    _write(folder, name, vectors=vectors[:count], later=vectors[count:], queries=queries)
    return Prepared(name, f"{count:,}", count, nearest(vectors[:count], queries))


def embedded(folder: Path, source: Path) -> Prepared:
    """Write the vectors of a collection with ``minilm.npz`` (see bench/quality.py); the last ones come later."""
    with np.load(source / "minilm.npz") as arrays:
        vectors = arrays["docs"].astype(np.float32)
        queries = arrays["queries"].astype(np.float32)[:QUESTIONS]
    count = len(vectors) - LATER
    name = f"vectors-{source.name}"
    _write(folder, name, vectors=vectors[:count], later=vectors[count:], queries=queries)
    return Prepared(name, f"{source.name}, {count:,}", count, nearest(vectors[:count], queries))


# -- texts -------------------------------------------------------------------------------------------------------------


def documents(file: Path | None) -> list[debian.Document]:
    """Return documents of a file of lines with ``title`` and ``text``, or of the package index, drawn with a seed."""
    if file is None:
        found = debian.descriptions()
    else:
        lines = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
        found = [(str(line.get("title") or ""), str(line.get("text") or "")) for line in lines]
    chosen = random.Random(0).sample(found, min(len(found), TEXTS + LATER))
    if len(chosen) <= 2 * LATER:
        raise SystemExit(f"{len(found)} documents are too few")
    return chosen


def another_form(word: str, rng: random.Random) -> str:
    """Return a word as people would inflect it, or as it is."""
    stem = word[:-1] if word.endswith("e") else word
    if word.endswith(("ing", "ed")):
        return word
    if word.endswith("s"):
        return word if word.endswith("ss") else word[:-1]
    return rng.choice((f"{word}s", f"{stem}ing", f"{stem}ed"))


def question(words: list[str], rng: random.Random) -> str:
    chosen = rng.sample(words, min(len(words), rng.randint(3, 5)))
    forms = [another_form(word, rng) if rng.random() < 0.4 else word for word in chosen]
    return rng.choice(SENTENCES).format(" ".join(forms))


def texts(folder: Path, file: Path | None) -> Prepared:
    found = documents(file)
    count = len(found) - LATER
    words = [list(dict.fromkeys(_WORD.findall(text.lower()))) for _, text in found[:count]]
    spread = Counter(word for some in words for word in some)
    limits = RARE, max(RARE, FREQUENT * count // TEXTS)
    fitting = [[word for word in some if limits[0] <= spread[word] <= limits[1]] for some in words]
    rng = random.Random(1)
    asked = rng.sample([row for row, some in enumerate(fitting) if len(some) >= 3], QUESTIONS)
    lines = [{"title": title, "text": text} for title, text in found]
    (folder / "texts.json").write_text(json.dumps({"documents": lines[:count], "later": lines[count:]}))
    questions = [question(fitting[row], rng) for row in asked]
    (folder / "questions.json").write_text(json.dumps(questions))
    vectors, _ = vectors_cases.make(count, LATER)
    noise = 0.02 * np.random.default_rng(2).standard_normal((QUESTIONS, vectors.shape[1]))
    _write(folder, "texts", vectors=vectors[:count], later=vectors[count:], queries=vectors[asked] + noise)
    print("questions such as:", *questions[:5], sep="\n  ", file=sys.stderr)
    return Prepared("texts", f"{count:,} texts", count, [[row] for row in asked])
