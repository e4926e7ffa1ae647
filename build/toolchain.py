"""What must be there before anything can be built or tested: a virtual environment, Node, npm's packages.

Each part is set up once and stamped with a hash of what it was made from; a later run compares the stamp and is
done in a moment. A part that was interrupted has no stamp and is made again.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path

from console import Problem, Step, run_quietly
from fetch import venv_python
from layout import NODE_MODULES, REQUIREMENTS, ROOT, VENV, WEB, cache_dir

OLDEST_NODE = 20
_STAMP = ".zengram-stamp"


def digest(paths: Iterable[Path], *extra: str) -> str:
    """Return one hash of many files (names and contents) and of some strings."""
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    for text in extra:
        total.update(f"\0{text}".encode())
    return total.hexdigest()


def _is_current(folder: Path, stamp: str) -> bool:
    file = folder / _STAMP
    return file.is_file() and file.read_text() == stamp


def prepare_venv() -> Path:
    """Make the virtual environment with the pinned development packages; return its Python."""
    lock = REQUIREMENTS / "dev.txt"
    stamp = digest([lock], sys.version, sys.base_prefix)
    python = venv_python()
    if _is_current(VENV, stamp) and python.exists():
        return python
    if sys.prefix == str(VENV):
        raise Problem(
            "the packages in .venv are out of date and cannot be replaced by the Python inside it: "
            "run this with the Python outside."
        )
    with Step("Setting up the Python packages in .venv") as step:
        step.update("making the environment")
        try:
            venv.create(VENV, clear=True, with_pip=True, symlinks=sys.platform != "win32")
        except (OSError, subprocess.CalledProcessError) as error:
            raise Problem(
                "Python could not make a virtual environment in .venv: "
                "install the package python3-venv (or the ensurepip module), then try again."
            ) from error

        install_locked(python, lock, step)
        (VENV / _STAMP).write_text(stamp)
    return python


def install_locked(python: Path, lock: Path, step: Step) -> None:
    """Install what a requirements lock names into the environment of `python`.

    The wheels are kept in our own cache folder: pip's HTTP cache keeps nothing where an index forbids it. When they
    are all there the index is not asked. pip checks every hash, in the cache too, and replaces a damaged file.
    """
    wheels = cache_dir() / "wheels"
    wheels.mkdir(exist_ok=True)
    pip: list[str | Path] = [venv_python(), "-m", "pip"]
    if python != venv_python():
        pip += ["--python", python]
    locked: list[str | Path] = ["--require-hashes", "--only-binary=:all:", "-r", lock]
    install = [*pip, "install", "--no-index", "--find-links", wheels, *locked]

    def progress(line: str) -> None:
        match = re.match(r"(Collecting|Downloading|Installing)\b.*", line)
        if match:
            step.update(re.sub(r"https?://\S+", "", match[0])[:70])

    try:
        run_quietly(install, step, log="pip", on_line=progress)
    except Problem:
        run_quietly([*pip, "download", "-d", wheels, *locked], step, log="pip", on_line=progress)
        run_quietly(install, step, log="pip", on_line=progress)


def node() -> str:
    """Return the path of a Node that is new enough."""
    path = shutil.which("node")
    if not path:
        raise Problem(f"Node.js was not found: install Node {OLDEST_NODE} or newer, which brings npm.")
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.match(r"v(\d+)\.", answer)
    if not match or int(match[1]) < OLDEST_NODE:
        raise Problem(f"Node {OLDEST_NODE} or newer is needed, and {path} is {answer.strip() or 'unknown'}.")
    return path


def npm() -> str:
    """Return the path of npm."""
    path = shutil.which("npm")
    if not path:
        raise Problem("npm was not found: install it beside Node.js.")
    return path


def prepare_node_modules() -> Path:
    """Install npm's packages exactly as the lock file says; return ``node_modules``."""
    runtime = node()
    inputs = [WEB / name for name in ("package.json", "package-lock.json", ".npmrc")]
    stamp = digest(inputs, runtime)
    if _is_current(NODE_MODULES, stamp):
        return NODE_MODULES
    with Step("Setting up the npm packages in web/node_modules (about 180 MB)") as step:
        # Install scripts of packages are never run; npm checks each file against the lock file's hash, so what is
        # in its cache need not be asked for again.
        argv = [npm(), "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]
        impatient = ["--fetch-retry-mintimeout=2000", "--fetch-retry-maxtimeout=10000"]
        run_quietly([*argv, *impatient], step, log="npm", cwd=WEB)
        (NODE_MODULES / _STAMP).write_text(stamp)
    return NODE_MODULES


def pyodide_version() -> str:
    """Return the version of Pyodide: web/package.json is the one place that names it."""
    return str(json.loads((WEB / "package.json").read_text())["dependencies"]["pyodide"])
