"""Our full-text index in the text case: a table of titles and texts, in Pyodide."""

import json
from typing import Any

from common import K, timed, timed_inserts, timed_queries

from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef
from zengram_py.text import Analyzer

OPTIONS = {"weights": [2.0, 1.0], "language": "english"}
INDEX = IndexDef("words", "fulltext", (["col", "title"], ["col", "text"]), options=OPTIONS)
COLUMNS = (ColumnDef("id", INT64), ColumnDef("title", TEXT), ColumnDef("text", TEXT))


def columns_of(documents: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "id": list(range(len(documents))),
        "title": [document["title"] for document in documents],
        "text": [document["text"] for document in documents],
    }


class Words:
    """One table; row ``i`` has the document ``i``."""

    def __init__(self, texts: str, questions: str) -> None:
        found = json.loads(texts)
        self.documents, self.later, self.questions = found["documents"], found["later"], json.loads(questions)
        self.db = Database.open()
        self.db.create_table("doc", list(COLUMNS), primary_key=["id"])

    def measure_build(self) -> float:
        return timed(self._build)[0]

    def _build(self) -> None:
        with self.db.begin() as t:
            t.insert_many("doc", columns_of(self.documents))
        with self.db.begin() as t:
            self.index_seconds, _ = timed(lambda: t.create_index("doc", INDEX))

    def _ask(self, question: str) -> list[int]:
        rows: list[int] = (
            self.db.begin(read_only=True).text_search("doc", "words").rank(question, K).rows.tolist()
        )
        return rows

    def measure_rest(self) -> str:
        db, count = self.db, len(self.documents)
        out: dict[str, Any] = {"index_seconds": self.index_seconds} | timed_queries(self.questions, self._ask)
        out["stemming"], out["words"] = self._stemming()
        out["save"], snapshot = timed(db.export)
        out["bytes"] = len(snapshot)
        out["restore"], again = timed(lambda: Database.restore(snapshot))
        search = again.begin(read_only=True)
        out["firstQuery"], _ = timed(lambda: search.text_search("doc", "words").rank(self.questions[0], K))

        def insert(number: int) -> None:
            with db.begin() as t:
                t.insert("doc", {"id": count + number, **self.later[number]})

        out["insert"] = timed_inserts(len(self.later), insert)
        out["after_insert"] = self._ask_after_inserts(count + len(self.later))
        return json.dumps(out)

    def _ask_after_inserts(self, first: int) -> float:
        times = []
        for number, document in enumerate(self.later[:50]):
            with self.db.begin() as t:
                t.insert("doc", {"id": first + number, **document})
            times.append(timed(lambda number=number: self._ask(self.questions[number]))[0])
        return sorted(times)[len(times) // 2]

    def _stemming(self) -> tuple[float, int]:
        """Return how long it takes to stem each word once, and how many there are."""
        analyzer = Analyzer("english")
        texts = (text for document in self.documents for text in (document["title"], document["text"]))
        words = {raw.lower() for text in texts for raw in analyzer.raw_words(text)}
        return timed(lambda: [analyzer.stem(word) for word in words])[0], len(words)
