"""How much memory the process uses, asked of those who hand it out.

In the tab, Python has no allocator of its own: Pyodide's interpreter is built without pymalloc, so every object, every buffer of numpy and every
string is a block of the C library's allocator, and what that counts as handed out is all that lives::

    memory  |■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■|   never shrinks: it may be full of holes
    live    |■■■■■■  ■■■■  ■■■■■■■■■■  ■■   ■■■■■■             |   what is counted here

Outside of a tab Python keeps pools that nobody can look into, and tracemalloc is the one that knows, if it traces.
"""

from __future__ import annotations

import sys
import tracemalloc
from functools import cache
from typing import Any


def live_bytes() -> int | None:
    """Return the bytes that are in use now by objects and buffers, with the allocator's few bytes for each.

    In a tab the figure is exact, and costs a walk over all blocks: 1 to 20 ms. On CPython it is what tracemalloc traces (without what was there
    before it started), and None if it does not.
    """
    if sys.platform == "emscripten":
        return int(_libc().mallinfo().uordblks)
    return tracemalloc.get_traced_memory()[0] if tracemalloc.is_tracing() else None


def memory_bytes() -> int | None:
    """Return the size of WebAssembly's memory, which never shrinks; None outside of a tab."""
    return int(_libc().emscripten_get_heap_size()) if sys.platform == "emscripten" else None


def references() -> int | None:
    """Return how many values of JavaScript Python holds, Pyodide's own among them; None outside of a tab."""
    return int(_libc().hiwire_num_refs()) if sys.platform == "emscripten" else None


@cache
def _libc() -> Any:
    """Return the functions of the running program; numpy has imported ctypes already."""
    import ctypes

    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    fields = [(name, ctypes.c_size_t) for name in names.split()]
    libc = ctypes.CDLL(None)
    libc.mallinfo.restype = type("MallInfo", (ctypes.Structure,), {"_fields_": fields})
    libc.emscripten_get_heap_size.restype = ctypes.c_size_t
    return libc
