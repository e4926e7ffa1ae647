"""How fast and how good full-text search is, on CPython.

    python3 bench/text.py [--documents N] [--data FILE.jsonl]
    python3 bench/text.py --data docs.jsonl --queries queries.jsonl --qrels qrels.tsv

Without ``--data``, documents are generated: short ones, of words that are as frequent as in a language (Zipf's law) and take
stemming. Lines of ``--data`` have ``title`` and ``text``; with ``--queries`` (lines of ``id`` and ``text``) and ``--qrels`` (lines of
query, document, relevance, by tabs) the quality of the first ten answers is measured as well (nDCG). Times are medians.
The table is Markdown: docs/performance.md holds a copy.
"""

import argparse
import json
import math
import platform
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef
from zengram_py.text import Analyzer

Document = tuple[str, str]
OPTIONS = {"weights": [2.0, 1.0], "language": "english"}
_SYLLABLES = [c + v for c in "bcdfghjklmnprstvw" for v in ("a", "e", "i", "o", "u", "ai", "er")]
_ENDINGS = ("", "", "", "s", "ed", "ing", "ation", "ness", "ly")


def generate(count: int, seed: int = 1) -> list[Document]:
    """Return documents of about 3 and 30 words, of a vocabulary of about 20,000."""
    rng = random.Random(seed)
    words = [
        "".join(rng.choices(_SYLLABLES, k=rng.randint(1, 3))) + rng.choice(_ENDINGS) for _ in range(20_000)
    ]
    numbers = np.random.default_rng(seed).zipf(1.15, 2 * count * 60) - 1
    drawn = iter(numbers[numbers < len(words)].tolist())

    def text(size: int) -> str:
        return " ".join(words[next(drawn)] for _ in range(size))

    return [(text(rng.randint(1, 5)), text(rng.randint(15, 45))) for _ in range(count)]


def questions(documents: Sequence[Document], count: int, seed: int = 2) -> list[str]:
    """Return questions of a few words that stand together somewhere, with words that say nothing."""
    rng = random.Random(seed)
    out = []
    for _ in range(count):
        words = rng.choice(documents)[1].split()
        start = rng.randrange(max(1, len(words) - 6))
        out.append("what is the " + " ".join(words[start : start + rng.randint(2, 5)]) + "?")
    return out


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


def make_database(documents: Sequence[Document]) -> Database:
    db = Database.open()
    db.create_table(
        "fact",
        [ColumnDef("id", INT64), ColumnDef("subject", TEXT), ColumnDef("content", TEXT)],
        primary_key=["id"],
    )
    with db.begin() as t:
        columns = {"subject": [a for a, _ in documents], "content": [b for _, b in documents]}
        t.insert_many("fact", {"id": list(range(len(documents))), **columns})
    return db


def create_index(db: Database) -> None:
    keys = (["col", "subject"], ["col", "content"])
    with db.begin() as t:
        t.create_index("fact", IndexDef("words", "fulltext", keys, options=OPTIONS))


def stemming_time(documents: Sequence[Document]) -> tuple[float, int]:
    analyzer = Analyzer("english")
    words = {raw.lower() for document in documents for text in document for raw in analyzer.raw_words(text)}
    return timed(lambda: [analyzer.stem(word) for word in words])[0], len(words)


def ask(db: Database, asked: Sequence[str], k: int = 10) -> list[float]:
    """Return the seconds that each question takes, each in a transaction of its own."""
    out = []
    for question in asked:
        seconds, _ = timed(
            lambda question=question: db.begin(read_only=True).text_search("fact", "words").rank(question, k)
        )
        out.append(seconds)
    return out


def measure(documents: list[Document], asked: list[str]) -> dict[str, str]:
    def spread(times: list[float]) -> str:
        return f"{median(times) * 1e3:.3g} ms (p95 {quantiles(times, n=20)[-1] * 1e3:.3g} ms)"

    db = make_database(documents)
    out: dict[str, str] = {}
    stems, words = stemming_time(documents)
    build, _ = timed(lambda: create_index(db))
    out["build the index"] = f"{build:.2f} s"
    out["of that stemming"] = f"{stems:.2f} s for {words:,} words"
    out["the index holds"] = f"{db.size()['fact#1']['index words'] / 1e6:.1f} MB"
    first, _ = timed(lambda: ask(db, asked[:1]))
    out["first question (statistics of the view)"] = f"{first * 1e3:.3g} ms"
    out["a question"] = spread(ask(db, asked))
    words_of = [question.split()[3:5] for question in asked]
    out["a phrase"] = spread(ask(db, [f'"{" ".join(pair)}"' for pair in words_of]))
    out["a prefix"] = spread(ask(db, [pair[0][:3] + "*" for pair in words_of]))

    def remember(number: int) -> float:
        with db.begin() as t:
            t.insert(
                "fact", {"id": len(documents) + number, "subject": "new", "content": documents[number][1]}
            )
        return ask(db, [asked[number]])[0]

    out["a question after a new row"] = spread([remember(number) for number in range(min(200, len(asked)))])
    db.maintain(1000)
    data = db.export()
    restore, restored = timed(lambda: Database.restore(data))
    out["restore all"] = f"{restore * 1e3:.3g} ms"
    out["first question after that"] = f"{ask(restored, asked[:1])[0] * 1e3:.3g} ms"
    return out


def quality(db: Database, names: Sequence[str], queries: Path, qrels: Path) -> str:
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in qrels.read_text().splitlines():
        query, document, grade = line.split("\t")
        if int(grade) >= 1:
            relevant[query].add(document)
    gains = []
    for line in queries.read_text().splitlines():
        query = json.loads(line)
        wanted = relevant[query["id"]]
        if not wanted:
            continue
        found = db.begin(read_only=True).text_search("fact", "words").rank(query["text"], 10).rows.tolist()
        gain = sum(1 / math.log2(i + 2) for i, row in enumerate(found) if names[row] in wanted)
        gains.append(gain / sum(1 / math.log2(i + 2) for i in range(min(10, len(wanted)))))
    return f"{sum(gains) / len(gains):.4f} over {len(gains)} queries"


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast and how good full-text search is.")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--queries", type=Path)
    parser.add_argument("--qrels", type=Path)
    arguments = parser.parse_args()
    names: list[str] = []
    if arguments.data is None:
        documents = generate(arguments.documents)
    else:
        lines = [json.loads(line) for line in arguments.data.read_text().splitlines()]
        documents = [(line.get("title", ""), line["text"]) for line in lines]
        names = [str(line.get("id", number)) for number, line in enumerate(lines)]
    table = measure(documents, questions(documents, 400))
    if arguments.queries is not None and arguments.qrels is not None:
        db = make_database(documents)
        create_index(db)
        table["nDCG@10"] = quality(db, names, arguments.queries, arguments.qrels)
    place = f"{platform.python_implementation()} {platform.python_version()}"
    print(f"| {len(documents):,} documents | {place} |\n|---|---|")
    for name, value in table.items():
        print(f"| {name} | {value} |")


if __name__ == "__main__":
    main()
