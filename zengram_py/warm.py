"""What a start in a page does before the first call: imports, in steps that leave the page time to breathe, and a rehearsal.

An interpreter whose memory is kept as an image for later visits imports all that is there and rehearses the usual calls, so
that a visit that starts from the image finds nothing left to load. The rehearsal works on objects of its own and leaves none.

After such a start, :func:`restored` gives the interpreter randomness of its own: whatever was drawn before the image was made
is the same in every visit that starts from it.

This module is imported before the package itself has run, so that the package's parts can be imported one after the other.
"""

from __future__ import annotations

import gc
import importlib
import json
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

_PACKAGE = __name__.partition(".")[0]
#: In an order in which each needs little more than those before it.
_FIRST = ("numpy", "json", *(f"{_PACKAGE}.{part}" for part in ("text", "engine.types", "engine", "memory")))
#: What numpy and the standard library import only when they are asked for something. An image must not hold more dynamic libraries than
#: are loaded before it (boot/interpreter.js), so ``numpy.random`` is imported by who needs it.
_LATE = ("numpy.linalg", "numpy.ma", "random", "decimal", "zoneinfo", "uuid", "_strptime", "ctypes")

_steps: Iterator[None] = iter(())
_done = 0
_count = 1


def begin(*, everything: bool) -> None:
    """Get ready for :func:`step`.

    Parameters
    ----------
    everything : bool
        Whether to import all that is there and to rehearse, or what a first call needs.
    """
    global _steps, _done, _count
    works: list[Callable[[], object]] = [_importing(name) for name in _FIRST]
    works += [_run_package, _importing(f"{_PACKAGE}.bridge")]
    if everything:
        package = sys.modules[_PACKAGE]
        works += map(_importing, _LATE)
        works += [_importing(name) for name in _modules(package.__path__, f"{_PACKAGE}.")]
        works += [_rehearse_memory, _rehearse_store, _rehearse_sql, gc.collect]
    _done, _count = 0, len(works)
    _steps = _run(works)


def _modules(path: Sequence[str], prefix: str) -> Iterator[str]:
    """Yield the names of all modules under a folder, without importing any."""
    for found in pkgutil.iter_modules(path, prefix):
        yield found.name
        if found.ispkg:
            yield from _modules([f"{path[0]}/{found.name.rpartition('.')[2]}"], f"{found.name}.")


def _importing(name: str) -> Callable[[], object]:
    return lambda: importlib.import_module(name)


def _run_package() -> None:
    """Run the package's own code, if whoever imported this module left that out."""
    package = sys.modules[_PACKAGE]
    spec = package.__spec__
    if spec is not None and spec.loader is not None and not hasattr(package, "__version__"):
        spec.loader.exec_module(package)


def step(milliseconds: float) -> float:
    """Go on for about so long; return how much is done, from 0 to 1."""
    until = perf_counter() + milliseconds / 1000
    for _ in _steps:
        if perf_counter() >= until:
            break
    return _done / _count


def loaded_files() -> str:
    """Return the files of all modules that are imported, as the JSON text of an array; dynamic libraries are not among them."""
    files = {getattr(module, "__file__", None) for module in sys.modules.values()}
    return json.dumps(sorted(file for file in files if file is not None and file.endswith(".pyc")))


def restored() -> None:
    """Give an interpreter that started from an image randomness of its own."""
    random = sys.modules.get("random")
    if random is not None:
        random.seed()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


def _run(works: list[Callable[[], object]]) -> Iterator[None]:
    global _done
    for work in works:
        work()
        _done += 1
        yield


def _rehearse_memory() -> None:
    from .memory import ZengramMemory

    memory = ZengramMemory.open(4)
    memory.remember_with_vector("drinks", "the user drinks green tea", "/", [1, 0, 0, 0])
    memory.recall_with_vector("tea", "/", [1, 0, 0, 0])
    data = memory.export_snapshot()
    memory.close()
    memory = ZengramMemory.open_from_snapshot(data, 4)
    memory.recall_with_vector("tea", "/", [1, 0, 0, 0])
    memory.close()


def _rehearse_store() -> None:
    from .engine import Database
    from .memory import ZengramMemory

    database = Database.open()
    records: list[bytes] = []
    database.on_commit = records.append
    memory = ZengramMemory.over_engine(database, 4)
    memory.remember_with_vector("drinks", "the user drinks green tea", "/", [1, 0, 0, 0])
    again = Database(database_id=database.id)
    again.replay(records)
    again.close()
    database.close()


def _rehearse_sql() -> None:
    from .sql.zeta import ZetaDb

    database = ZetaDb.open()
    database.exec_ddl("create table rehearsal (id serial primary key, name text, many int)")
    database.exec_mut("insert into rehearsal (name, many) values ('a', 1), ('b', 2)")
    database.query(
        "select name, sum(many) from rehearsal where many > 0 group by name order by 2 desc limit 1"
    )
    database.close()
