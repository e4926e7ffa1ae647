"""Zengram: a database and an agent-memory framework in pure Python.

>>> from zengram_py import ZengramMemory
>>> memory = ZengramMemory.open(3)
>>> memory.remember_with_vector("drinks", "user drinks green tea", "/", [1, 0, 0])[:4]
'knw_'
"""

__version__ = "0.1.0"

from . import memory
from .memory import *  # noqa: F403  (the package's face is memory's)

__all__ = ["__version__"]
__all__ += memory.__all__
