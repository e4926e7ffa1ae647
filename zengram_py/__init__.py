"""Zengram: a database and an agent-memory framework in pure Python.

>>> from zengram_py import ZengramMemory
>>> memory = ZengramMemory.open(3)
>>> memory.remember_with_vector("drinks", "user drinks green tea", "/", [1, 0, 0])[:4]
'knw_'
"""

__version__ = "0.1.0"

from .memory import Entity, Explanation, Fact, Hit, ZengramMemory

__all__ = ["Entity", "Explanation", "Fact", "Hit", "ZengramMemory", "__version__"]
