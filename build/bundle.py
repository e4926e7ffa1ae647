"""Make dist/: everything a page needs, as plain files that any static server can serve.

    python3 build/bundle.py

    zengram.js, embedders.js, node.mjs, *.d.ts, zengram-sw.js    small, at fixed names; a host says `no-cache` for them
    persistence/*.js                                            the same, for who imports a back end by itself
    assets/<what>-<hash>/…                                      all the rest: a folder's content never changes, so a host
                                                                lets browsers keep it for ever
    pyodide/pyodide-lock.json                                   names the wheels in assets/, for a Pyodide of one's own

The files at fixed names only import those under assets/, so a module has one address and there is one instance of it. Python's modules are
compiled for the runtime beside them: a page would do that on each visit. The folder is put together aside and then takes the old one's place,
so a failing build leaves the last good one alone.
"""

import _python_check  # noqa: F401 (comes first: refuses an old Python)

# isort: split
import hashlib
import json
import os
import posixpath
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fetch
import model
import pyodide_lock
import repack
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
_STDLIB = "python_stdlib.zip"
_SERVICE_WORKER = "zengram-sw.js"
#: What a page imports, at fixed names.
_ENTRIES = ("zengram.js", "embedders.js", "node.mjs")
_HASH_LENGTH = 16
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


def _lay_out_runtime(target: Path, step: Step) -> dict[str, Any]:
    """Write the runtime, the wheels and our lock file; return what the page's modules have to know of them."""
    with tempfile.TemporaryDirectory() as folder:
        lock, wheels = pyodide_lock.resolve(
            build_wheel(Path(folder), step),
            runtime.pyodide_lock(),
            pyodide_lock.pinned_wheels(REQUIREMENTS / "browser.txt"),
            lambda wheel: fetch.from_index(wheel, step),
            lambda name: runtime.runtime_wheel(name, step),
        )
        projects = {entry["file_name"]: project for project, entry in lock["packages"].items()}
        archives = [
            repack.Archive(
                wheel, projects[wheel.name], repack.compiled_name(wheel), wheel.parent == Path(folder)
            )
            for wheel in wheels
        ]
        stdlib = runtime.runtime_folder() / _STDLIB
        made = repack.repacked(
            [repack.Archive(stdlib, "python-stdlib", _STDLIB), *archives], Path(folder), step
        )
        files = {name: runtime.runtime_folder() / name for name in runtime.RUNTIME_FILES} | {_STDLIB: made[0]}
        index = _hashed(target, "pyodide", files)
        for archive, wheel in zip(archives, made[1:], strict=True):
            place = _hashed(target, archive.project, {wheel.name: wheel})
            entry = lock["packages"][archive.project]
            if wheel.name.endswith("wasm32.whl"):
                entry["upstream"] = {"file_name": entry["file_name"], "sha256": entry["sha256"]}
            entry |= {
                "file_name": f"../{place}{wheel.name}",
                "sha256": fetch.sha256_of(wheel),
                "size": wheel.stat().st_size,
            }
    (target / "pyodide").mkdir()
    (target / "pyodide" / "pyodide-lock.json").write_text(json.dumps(lock, indent=1) + "\n")
    sizes = {name: (target / index / name).stat().st_size for name in runtime.RUNTIME_FILES}
    return {"index": index, "sizes": sizes, "lock": lock}


def _hashed(target: Path, what: str, files: Mapping[str, Path | bytes]) -> str:
    """Write files into a folder of assets/ that is named after their content; return its path with a slash at the end."""
    total = hashlib.sha256()
    for name, file in sorted(files.items()):
        content = file if isinstance(file, bytes) else file.read_bytes()
        total.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\0".encode())
    place = f"assets/{what}-{total.hexdigest()[:_HASH_LENGTH]}/"
    for name, file in files.items():
        path = target / place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file if isinstance(file, bytes) else file.read_bytes())
    return place


def _files_in(folder: Path) -> dict[str, Path]:
    """Return the files under a folder by their paths in it."""
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }


def _lay_out_models(target: Path, step: Step) -> dict[str, str]:
    """Write the embedding model and transformers.js; return where they are."""
    transformers = NODE_MODULES / "@huggingface" / "transformers" / "dist" / "transformers.min.js"
    vendored = {name: NODE_MODULES / "onnxruntime-web" / "dist" / name for name in _ORT}
    with tempfile.TemporaryDirectory() as folder:
        model.lay_out(Path(folder), step)
        return {
            "models": _hashed(target, "models", _files_in(Path(folder))),
            "transformers": _hashed(target, "transformers", {transformers.name: transformers} | vendored),
        }


def _lay_out_code(target: Path, build: dict[str, Any]) -> None:
    """Write the library's modules, and at their usual places those that a page imports."""
    sources = _files_in(WEB / "src")
    modules: dict[str, Path | bytes] = {
        name: path for name, path in sources.items() if name.endswith((".js", ".mjs"))
    }
    worker = sources[_SERVICE_WORKER].read_text()
    del modules[_SERVICE_WORKER]
    digest = toolchain.digest(sources.values(), json.dumps(build, sort_keys=True))
    text = json.dumps({"root": "../../", "id": digest[:_HASH_LENGTH]} | build, indent=1, sort_keys=True)
    modules["build.js"] = f"/** What build/bundle.py made. */\nexport const BUILD = {text};\n".encode()
    place = _hashed(target, "code", modules)
    for name, path in sources.items():
        if name.endswith((".d.ts", ".d.mts", ".json")):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / name)
        elif name in _ENTRIES or name.startswith("persistence/"):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_text(_entry(name, place, modules))
    (target / _SERVICE_WORKER).write_text(_service_worker(target, worker))


def _entry(name: str, place: str, modules: Mapping[str, Path | bytes]) -> str:
    """Return a module that gives what the one under assets/ gives.

    It names all that one imports as well, so that a browser asks for everything at once instead of level by level.
    """
    folder = "../" * name.count("/") + (place if "/" in name else f"./{place}")
    lines = [f"export * from {json.dumps(folder + name)};"]
    if re.search(r"^export (default\b|\{[^}]*\bas default\b)", _text(modules[name]), re.M):
        lines.append(f"export {{ default }} from {json.dumps(folder + name)};")
    lines += [f"import {json.dumps(folder + other)};" for other in sorted(_imported(name, modules) - {name})]
    return "\n".join(lines) + "\n"


def _imported(name: str, modules: Mapping[str, Path | bytes]) -> set[str]:
    """Return the modules that a module imports, directly or not, and itself."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        found.add(current)
        paths = re.findall(
            r"""^(?:import|export)\b[^;"]*?\bfrom "(\.[^"]+)";$""", _text(modules[current]), re.M
        )
        folder = posixpath.dirname(current)
        waiting += [posixpath.normpath(posixpath.join(folder, path)) for path in paths]
    return found


def _text(module: Path | bytes) -> str:
    return module.decode() if isinstance(module, bytes) else module.read_text()


def _service_worker(target: Path, source: str) -> str:
    """Return the service worker with the files that it keeps: all but the embedding model and the demo pages."""
    files = _files_in(target)
    kept = [
        name
        for name in files
        if name.endswith((".js", ".mjs", ".wasm", ".zip", ".whl"))
        and not name.startswith(("assets/models-", "assets/transformers-", "quickstart/", "persistence/"))
        and name not in ("node.mjs", _SERVICE_WORKER)
    ]
    version = hashlib.sha256("".join(f"{name} {fetch.sha256_of(files[name])}\n" for name in kept).encode())
    facts = json.dumps({"version": version.hexdigest()[:_HASH_LENGTH], "files": kept}, indent=1)
    made, count = re.subn(r"(?<= const BUILD = )\{.*\}(?=;$)", lambda _: facts, source, flags=re.M)
    if count != 1:
        raise Problem("web/src/zengram-sw.js has no line for what the build puts in.")
    return made


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
            for name, path in _files_in(WEB / "demo").items():
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, made / name)
            _lay_out_code(made, _lay_out_models(made, step) | _lay_out_runtime(made, step))
            facts = {"inputs": stamp, "pyodide": toolchain.pyodide_version(), "model": model.NAME}
            (made / _INFO).write_text(json.dumps(facts) + "\n")
            _take_place(made)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return DIST


if __name__ == "__main__":
    with plain_endings("bundle"):
        print(f"dist/ is ready: {prepare_dist()}")
