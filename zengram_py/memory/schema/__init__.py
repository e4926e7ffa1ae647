"""The tables of a memory, as data, and how a database comes to have them.

specs.py has the words, migrations.py applies what the other files say in them: storage.py, core.py, knowledge.py, cross_cutting.py and
coding.py are the published schema layer by layer, ours.py is what Zengram has beyond it. docs/memory.md lists all tables.
"""

from __future__ import annotations

from .migrations import MIGRATIONS, checksum, faults, fold, migrate

__all__ = ["MIGRATIONS", "checksum", "faults", "fold", "migrate"]
