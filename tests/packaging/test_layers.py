"""Imports point one way: bridge -> memory -> sql -> engine -> text. ``warm`` imports everything: that is what it is for."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging_support import ROOT

PACKAGE = ROOT / "zengram_py"
#: A layer may import itself and those after it.
LAYERS = ("warm", "bridge", "memory", "sql", "engine", "text")
#: Every layer may import these, and they import only each other.
SHARED = ("errors", "clock", "ids")


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted name of everything of ours that a module imports, at any depth."""
    package = ["zengram_py", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            # `from package import name` may name a module: keep the name.
            yield from ((node.lineno, f"{origin}.{alias.name}") for alias in node.names)


def layer_of(dotted: str) -> str | None:
    """Return the part of the package that a dotted name is in; None for what is not ours."""
    first, _, rest = dotted.partition(".")
    return rest.partition(".")[0] if first == "zengram_py" else None


def allowed(layer: str) -> set[str]:
    """Return the parts that a part may import; the package itself is only its version to them."""
    if layer in SHARED:
        return set(SHARED)
    return {*LAYERS[LAYERS.index(layer) :], *SHARED, "__version__"}


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_what_lies_below_it(path: Path) -> None:
    layer = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert layer in LAYERS + SHARED, f"{layer} has no place in the order of layers: {LAYERS}"
    wrong = [
        f"line {line}: {name}"
        for line, name in imported(path)
        if (target := layer_of(name)) is not None and target not in allowed(layer)
    ]
    assert not wrong, wrong


def test_relative_and_absolute_imports_are_both_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "zengram_py"
    (package / "engine" / "index").mkdir(parents=True)
    module = package / "engine" / "index" / "flat.py"
    module.write_text(
        "from ...memory import Fact\nfrom ..table import Table\nfrom ... import bridge\n"
        "def late():\n    import zengram_py.sql.parse\n    import numpy\n"
    )
    monkeypatch.setitem(globals(), "PACKAGE", package)
    found = [layer_of(name) for _, name in imported(module)]
    assert found == ["memory", "engine", "bridge", "sql", None]
