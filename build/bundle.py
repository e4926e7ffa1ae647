"""Make dist/: everything a page needs, as plain files that any static server can serve.

    python3 build/bundle.py

The JavaScript is copied as it is. The Python is one wheel whose modules are compiled for the runtime beside it: a page would do that on
each visit. The folder is put together aside and then takes the old one's place, so a failing build leaves the last good one alone.
"""

import _python_check  # noqa: F401 (comes first: refuses an old Python)

# isort: split
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import fetch
import model
import pyodide_lock
import runtime
import toolchain
from console import Problem, Step, plain_endings, run_quietly
from layout import DIST, NODE_MODULES, REQUIREMENTS, ROOT, WEB

_INFO = "build-info.json"
_SOURCES = ("zengram_py", "web/src", "web/demo", "build")
_SOURCE_FILES = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "requirements/browser.txt",
    "requirements/dev.txt",
    "web/package.json",
    "web/package-lock.json",
)
_ORT = ("ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm")


def _inputs() -> list[Path]:
    files = [ROOT / name for name in _SOURCE_FILES]
    for folder in _SOURCES:
        files += [
            path
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
        ]
    return [path for path in files if path.is_file()]


def build_wheel(folder: Path, step: Step) -> Path:
    """Build our wheel into `folder` and return its path."""
    step.update("building the wheel")
    argv: list[str | Path] = [
        toolchain.prepare_venv(),
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "-o",
        folder,
        ROOT,
    ]
    run_quietly(argv, step, log="build", cwd=folder)
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1 or not re.fullmatch(r"zengram_py-.+-py3-none-any\.whl", wheels[0].name):
        raise Problem("the wheel build did not give exactly one pure wheel.")
    return wheels[0]


def compile_wheel(wheel: Path, step: Step) -> Path:
    """Compile the modules of a wheel with the runtime's Python; return the path of the wheel that it gives."""
    step.update("compiling the wheel")
    major, minor = runtime.pyodide_lock()["info"]["python"].split(".")[:2]
    made = wheel.with_name(wheel.name.replace("-py3-", f"-cp{major}{minor}-"))
    script = ROOT / "build" / "compile_wheel.mjs"
    argv: list[str | Path] = [toolchain.node(), script, runtime.runtime_folder(), wheel, made]
    run_quietly(argv, step, log="compile", cwd=wheel.parent)
    return made


def _lay_out_runtime(target: Path, step: Step) -> None:
    """Write the runtime, our lock file and its wheels."""
    target.mkdir()
    for name in runtime.RUNTIME_FILES:
        shutil.copyfile(runtime.runtime_folder() / name, target / name)
    with tempfile.TemporaryDirectory() as folder:
        lock, wheels = pyodide_lock.resolve(
            compile_wheel(build_wheel(Path(folder), step), step),
            runtime.pyodide_lock(),
            pyodide_lock.pinned_wheels(REQUIREMENTS / "browser.txt"),
            lambda wheel: fetch.from_index(wheel, step),
            lambda name: runtime.runtime_wheel(name, step),
        )
        for wheel in wheels:
            shutil.copyfile(wheel, target / wheel.name)
    (target / "pyodide-lock.json").write_text(json.dumps(lock, indent=1) + "\n")


def _lay_out_web(target: Path) -> None:
    """Copy the library, the demo pages and transformers.js."""
    keep_out = shutil.ignore_patterns("__pycache__", ".*")
    for source in (WEB / "src", WEB / "demo"):
        shutil.copytree(source, target, ignore=keep_out, dirs_exist_ok=True, copy_function=shutil.copyfile)
    vendor = target / "vendor" / "transformers"
    vendor.mkdir(parents=True)
    transformers = NODE_MODULES / "@huggingface" / "transformers"
    shutil.copyfile(transformers / "dist" / "transformers.min.js", vendor / "transformers.min.js")
    for name in _ORT:
        shutil.copyfile(NODE_MODULES / "onnxruntime-web" / "dist" / name, vendor / name)


def _take_place(made: Path) -> None:
    """Put the finished folder where dist/ is."""
    made.chmod(0o755)
    old = Path(tempfile.mkdtemp(prefix="dist.old.", dir=ROOT))
    try:
        if DIST.exists():
            os.replace(DIST, old / "dist")
        os.replace(made, DIST)
    except OSError as error:
        raise Problem(f"dist/ could not be replaced ({error}).") from error
    finally:
        shutil.rmtree(old, ignore_errors=True)


def prepare_dist() -> Path:
    """Make dist/ unless it is up to date; return it."""
    toolchain.prepare_venv()
    toolchain.prepare_node_modules()
    stamp = toolchain.digest(_inputs(), sys.version)
    info = DIST / _INFO
    if info.is_file() and json.loads(info.read_text())["inputs"] == stamp:
        return DIST
    with Step("Making dist/") as step:
        made = Path(tempfile.mkdtemp(prefix="dist.new.", dir=ROOT))
        try:
            _lay_out_web(made)
            _lay_out_runtime(made / "pyodide", step)
            model.lay_out(made / "models", step)
            facts = {"inputs": stamp, "pyodide": toolchain.pyodide_version(), "model": model.NAME}
            (made / _INFO).write_text(json.dumps(facts) + "\n")
            _take_place(made)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return DIST


if __name__ == "__main__":
    with plain_endings("bundle"):
        print(f"dist/ is ready: {prepare_dist()}")
