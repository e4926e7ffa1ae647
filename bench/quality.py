"""How good recall's answers are, arm by arm, on a collection with relevance judgements.

    python3 bench/quality.py --data FOLDER

The folder holds ``docs.jsonl`` ({id, title, text}), ``queries.jsonl`` ({id, text}), ``qrels.tsv`` (query, document, code; 1 and
above is relevant) and ``minilm.npz`` (``docs`` and ``queries``: vectors in file order). Every query is asked through
``ZengramMemory`` with a limit of 10 and no floor. Facts are of one age and importance, so only relevance ranks. The first half
of the queries is for trying things, the second half for reporting; nothing here is tuned to either.
"""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import in_page
from tables import table

in_page.prepare(page=False)  # goes on in the project's environment, where numpy is

import numpy as np  # noqa: E402

from zengram_py import ZengramMemory  # noqa: E402
from zengram_py.clock import ManualClock  # noqa: E402
from zengram_py.engine import IndexDef  # noqa: E402
from zengram_py.memory import RecallConfig  # noqa: E402
from zengram_py.memory.schema.knowledge import TEXT_INDEX  # noqa: E402

MEASURES = ("nDCG@10", "recall@5", "recall@10", "MRR")
NO_LINKS = {
    "spread_turns": 0,
    "spread_session": 0,
    "spread_sources": 0,
    "spread_entities": 0,
    "spread_peer": 0,
}
#: Settings of the scope, and options of the call (``words``: whether the question's words count), by name.
RUNS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "vectors": ({"vector_weight": 0.7, "text_weight": 0.0}, {"words": False}),
    "text": ({"vector_weight": 0.0, "text_weight": 0.7}, {}),
    "both (default)": ({}, {}),
    "both, no links": (NO_LINKS, {}),
    "both, names linked by 0.3": ({"spread_entities": 0.3}, {}),
    "both, vectors 0.5, text 0.2": ({"vector_weight": 0.5, "text_weight": 0.2}, {}),
    "both, vectors 0.2, text 0.5": ({"vector_weight": 0.2, "text_weight": 0.5}, {}),
    "rrf": ({"preset": "rrf"}, {}),
    "classical": ({"preset": "classical"}, {}),
    "both, mmr 0.7": ({}, {"mmr": 0.7}),
    "both, mmr 0.9": ({}, {"mmr": 0.9}),
}


def read(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, set[str]], Any]:
    docs = [json.loads(line) for line in (folder / "docs.jsonl").open()]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open()]
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").open():
        query, document, code = line.split()[:3]
        if code.lstrip("-").isdigit() and int(code) >= 1:
            relevant.setdefault(query, set()).add(document)
    return docs, queries, relevant, np.load(folder / "minilm.npz")


def scores(found: list[str], wanted: set[str]) -> dict[str, float]:
    hits = [document in wanted for document in found]
    gain = sum(1 / np.log2(i + 2) for i, hit in enumerate(hits[:10]) if hit)
    ideal = sum(1 / np.log2(i + 2) for i in range(min(10, len(wanted))))
    return {
        "nDCG@10": gain / ideal,
        "recall@5": sum(hits[:5]) / len(wanted),
        "recall@10": sum(hits[:10]) / len(wanted),
        "MRR": next((1 / (i + 1) for i, hit in enumerate(hits) if hit), 0.0),
    }


#: Other ways to index and to ask the words, by name: options of the index, and whether stop words count.
TEXTS: dict[str, tuple[dict[str, Any], bool]] = {
    "as it is": ({}, False),
    "without stemming and stop words": ({"language": "simple"}, False),
    "stop words count": ({}, True),
    "title as the text": ({"weights": [1.0, 1.0]}, False),
    "without the bonus for having more words": ({"coordination": 0.0}, False),
    "k1 2": ({"k1": 2.0}, False),
    "b 0.4": ({"b": 0.4}, False),
}


class Trial:
    """A memory with the documents in it, asked all queries again and again."""

    def __init__(self, folder: Path) -> None:
        self.docs, self.queries, self.relevant, self.vectors = read(folder)
        self.memory = ZengramMemory.open(self.vectors["docs"].shape[1], clock=ManualClock())
        self.ids = {}
        for document, vector in zip(self.docs, self.vectors["docs"].astype(np.float32), strict=True):
            subject = f"{document.get('title') or 'untitled'} [{document['id']}]"
            fact = self.memory.remember_with_vector(subject, document.get("text") or "nothing", "/", vector)
            self.ids[fact] = str(document["id"])

    def use_text_index(self, options: dict[str, Any], stop_words: bool) -> None:
        """Index the words in another way. The bench reaches into the memory for it: its own way is fixed."""
        database = self.memory._database
        with database.begin() as transaction:
            old = transaction.seen("knowledge").definition.index(TEXT_INDEX)
            transaction.drop_index("knowledge", TEXT_INDEX)
            new = IndexDef(TEXT_INDEX, "fulltext", old.keys, options={"weights": [2.0, 1.0], **options})
            transaction.create_index("knowledge", new)
        analyzer = database.begin().seen("knowledge").index(TEXT_INDEX).structure.analyzer
        if stop_words:
            analyzer.is_stop_word = lambda word: False

    def ask(self, settings: dict[str, Any], options: dict[str, Any]) -> list[str]:
        """Return the means of both halves, a cell for each measure."""
        self.memory.configure_recall("/", **{**asdict(RecallConfig()), **settings})
        asked = {"limit": 10, "min_score": 0.0, **options}
        words = asked.pop("words", True)
        halves: tuple[list[dict[str, float]], list[dict[str, float]]] = ([], [])
        for number, (query, vector) in enumerate(
            zip(self.queries, self.vectors["queries"].astype(np.float32), strict=True)
        ):
            wanted = self.relevant.get(str(query["id"]))
            if wanted:
                hits = self.memory.recall_with_vector(query["text"] if words else "", "/", vector, **asked)
                found = [self.ids[hit.knowledge_id] for hit in hits]
                halves[number >= len(self.queries) // 2].append(scores(found, wanted))
        return [
            " / ".join(f"{np.mean([row[name] for row in half]):.4f}" for half in halves) for name in MEASURES
        ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    trial = Trial(parser.parse_args().data)
    print(f"{len(trial.docs):,} documents; queries with relevant ones, first half / second half\n")
    rows = [[name, *trial.ask(settings, options)] for name, (settings, options) in RUNS.items()]
    print("\n".join(table(["recall", *MEASURES], rows)))
    rows = []
    for name, (options, stop_words) in TEXTS.items():
        trial.use_text_index(options, stop_words)
        rows.append([name, *trial.ask(*RUNS["text"])])
    print("\n".join(table(["words alone", *MEASURES], rows)))


if __name__ == "__main__":
    main()
