"""Our own lock file for Pyodide: numpy, our wheel and its pure-Python dependencies.

With it ``loadPyodide({lockFileURL, packages: ["zengram-py"]})`` downloads every wheel at once while the interpreter
starts; nothing is resolved in the page and micropip is not needed.
"""

import re
import zipfile
from collections.abc import Callable, Iterable
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from console import Problem
from fetch import PinnedWheel, sha256_of

Entry = dict[str, Any]


def normal(name: str) -> str:
    """Return a project's name in its normal form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned_wheels(requirements: Path) -> dict[str, PinnedWheel]:
    """Read a lock of pure-Python packages: one version each, with the hashes of its files."""
    text = requirements.read_text()
    pins = re.findall(r"^([A-Za-z0-9._-]+)==(\S+)((?:\s*\\\s*--hash=sha256:[0-9a-f]{64})+)", text, re.M)
    return {
        normal(name): PinnedWheel(f"{name}=={version}", tuple(re.findall(r"sha256:([0-9a-f]{64})", hashes)))
        for name, version, hashes in pins
    }


def _metadata(wheel: Path) -> tuple[str, str, list[str], list[str]]:
    """Return name, version, names of required projects, and top-level imports of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (path,) = [name for name in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
        headers = HeaderParser().parsestr(archive.read(path).decode())
    required = []
    for line in headers.get_all("Requires-Dist") or []:
        requirement, _, marker = line.partition(";")
        match = re.match(r"\s*([A-Za-z0-9._-]+)", requirement)
        if match and not re.search(r"\bextra\b", marker):
            required.append(normal(match[1]))
    modules = [name for name in names if name.endswith((".py", ".pyc")) and ".dist-info/" not in name]
    tops = {
        name.split("/")[0].partition(".")[0] for name in modules if not name.split("/")[0].endswith(".data")
    }
    imports = sorted(tops)
    return headers["Name"], headers["Version"], required, imports


def entry(wheel: Path) -> Entry:
    """Return the lock entry of a pure-Python wheel."""
    if not wheel.name.endswith("-none-any.whl"):
        raise Problem(f"{wheel.name} is not a pure-Python wheel and cannot go into the bundle.")
    name, version, required, imports = _metadata(wheel)
    return {
        "depends": sorted(required),
        "file_name": wheel.name,
        "imports": imports,
        "install_dir": "site",
        "name": normal(name),
        "package_type": "package",
        "sha256": sha256_of(wheel),
        "unvendored_tests": False,
        "version": version,
    }


def resolve(
    ours: Path,
    distribution: dict[str, Any],
    pins: dict[str, PinnedWheel],
    get_pinned: Callable[[PinnedWheel], Path],
    get_runtime: Callable[[str], Path],
) -> tuple[dict[str, Any], list[Path]]:
    """Make the lock file and collect the wheels that it names.

    Parameters
    ----------
    ours : Path
        Our wheel; its ``Requires-Dist`` lines say what else is needed.
    distribution : dict
        Pyodide's own lock file.
    pins : dict
        Pure-Python wheels by project name. They come before the distribution's.
    get_pinned, get_runtime : callable
        Fetch a pinned wheel, or a wheel of the distribution by its name.

    Returns
    -------
    lock : dict
        The lock file's content.
    wheels : list of Path
        Every wheel in it.
    """
    packages: dict[str, Entry] = {}
    wheels: list[Path] = []

    def add(name: str, wheel: Path, what: Entry) -> None:
        packages[name] = what
        wheels.append(wheel)
        visit(what["depends"])

    def visit(names: Iterable[str]) -> None:
        for name in names:
            if name in packages:
                continue
            if name in pins:
                path = get_pinned(pins[name])
                add(name, path, entry(path))
            elif name in distribution["packages"]:
                add(name, get_runtime(name), distribution["packages"][name])
            else:
                raise Problem(f"the wheel needs {name}, which requirements/browser.txt does not pin.")

    own = entry(ours)
    add(own["name"], ours, own)
    return {"info": distribution["info"], "packages": dict(sorted(packages.items()))}, wheels
