"""Write zengram_py/sql/functions/index.py: which module implements which functions, operators and casts of SQL.

    .venv/bin/python build/function_index.py

With it a statement imports the modules that it needs, and no others. A test compares it with what the modules register.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INDEX = ROOT / "zengram_py" / "sql" / "functions" / "index.py"
HEAD = '''"""Which module implements what; written by build/function_index.py, do not edit.

A line is a module and the names that it registers, two spaces between them; a cast is ``source>target``.
"""

INDEX = """\\
'''


def text() -> str:
    """Return what the file should hold."""
    sys.path.insert(0, str(ROOT))
    from zengram_py.sql.functions.registry import registered

    lines = [f"{module}: {'  '.join(names)}\n" for module, names in sorted(registered().items()) if names]
    return HEAD + "".join(lines) + '"""\n'


if __name__ == "__main__":
    INDEX.write_text(text())
    print(f"{INDEX} is written")
