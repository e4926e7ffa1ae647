"""The memory framework: facts that an agent remembers and recalls, as tables of the engine.

Read in this order: schema/ (the tables, as data), vectors.py and texts.py (what may come in), knowledge.py
(remembering), recall.py (finding), zengram_memory.py (the face).
"""

from .knowledge import Fact
from .recall import Hit
from .zengram_memory import ZengramMemory

__all__ = ["Fact", "Hit", "ZengramMemory"]
