"""A page that remembers and recalls never loads SQL."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from zengram_py import bridge
handle = int(bridge.call("open", 0, "[3]")[6:-1])
import numpy as np
vector = np.array([1, 0, 0], np.float32)
assert '"ok"' in bridge.call("rememberWithVector", handle, '["pets", "user has a dog", "/"]', vector)
assert "dog" in bridge.call("recallWithVector", handle, '["dog", "/"]', vector)
bridge.call("facts", handle, '["/"]')
bridge.call("maintain", handle, "[5]")
snapshot = bridge.export_bytes("exportSnapshot", handle)
bridge.call("openFromSnapshot", 0, "[3]", snapshot)
print(*[name for name in sys.modules if name.startswith("zengram_py.sql") or name.endswith("bridge.sql")])
assert '"n":1' in bridge.call("query", handle, '["select count(*) as n from knowledge", []]')
assert "zengram_py.sql" in sys.modules
"""


def test_remember_and_recall_do_not_import_sql() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""
