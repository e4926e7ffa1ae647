"""The memory framework: facts that an agent remembers and recalls, as tables of the engine.

Read in this order: schema/ (the tables, as data), vectors.py and texts.py (what may come in), knowledge.py
(remembering), entities.py and graph.py (the names that facts share), joins.py and recall.py (finding),
zengram_memory.py (the face).
"""

from .graph import Entity
from .knowledge import Fact
from .recall import Explanation, Hit
from .zengram_memory import ZengramMemory

__all__ = ["Entity", "Explanation", "Fact", "Hit", "ZengramMemory"]
