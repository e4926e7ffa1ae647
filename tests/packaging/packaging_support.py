"""What the tests of this folder share."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Run by every Python that is tried; prints what was recalled, as JSON. Ids and times differ from run to run.
REMEMBER_AND_RECALL = """
import json
from zengram_py import ZengramMemory

memory = ZengramMemory.open(4)
dog = memory.remember_with_vector("pets", "user has a dog", "/", [1, 0, 0, 0])
memory.remember_with_vector("drinks", "user drinks green tea", "/", [0, 1, 0, 0])
hits = memory.recall_with_vector("dog", "/", [1, 0.5, 0, 0])
assert hits[0].knowledge_id == dog, hits
again = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 4)
assert [hit.knowledge_id for hit in again.recall_with_vector("dog", "/", [1, 0.5, 0, 0])][0] == dog
result = json.dumps([[hit.subject, hit.content, round(float(hit.similarity), 5)] for hit in hits])
"""


@dataclass(frozen=True)
class Built:
    """What `python -m build` gave."""

    folder: Path

    @property
    def wheel(self) -> Path:
        (path,) = self.folder.glob("*.whl")
        return path

    @property
    def sdist(self) -> Path:
        (path,) = self.folder.glob("*.tar.gz")
        return path
