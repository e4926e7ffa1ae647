"""`micropip.install(<address of the wheel>)` in Pyodide, as in a REPL that knows nothing of our lock file.

Everything comes from a server on this machine: numpy from where Pyodide's lock file points, the rest from a small
package index.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import fetch
import pyodide_lock
import runtime
import toolchain
from console import Step
from packaging_support import REMEMBER_AND_RECALL, ROOT, Built
from static_server import serving

_PROGRAM = """
const [loader, base, wheel, script] = process.argv.slice(2);
const { loadPyodide } = await import(loader);
const lock = await (await fetch(`${base}lock.json`)).text();
const pyodide = await loadPyodide({ lockFileContents: lock, packageBaseUrl: `${base}wheels/` });
await pyodide.loadPackage("micropip", { messageCallback: () => {} });
pyodide.globals.set("wheel", `${base}wheels/${wheel}`);
pyodide.globals.set("index", `${base}simple/{package_name}/`);
await pyodide.runPythonAsync(`
import micropip
await micropip.install(wheel, index_urls=[index])
`);
pyodide.runPython(script);
console.log("RESULT " + pyodide.globals.get("result"));
"""


def _index(folder: Path, wheels: list[Path]) -> None:
    """Write a package index (the simple repository API, as HTML) of some wheels in ../wheels."""
    for wheel in wheels:
        project = folder / pyodide_lock.normal(wheel.name.partition("-")[0])
        project.mkdir(parents=True)
        sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
        link = f'<a href="../../wheels/{wheel.name}#sha256={sha256}">{wheel.name}</a>'
        (project / "index.html").write_text(f"<!doctype html><title>index</title><body>{link}</body>")


def test_micropip_installs_the_wheel_and_it_works_the_same(built: Built, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "wheels").mkdir(parents=True)
    distribution = runtime.pyodide_lock()
    with Step("Getting the wheels for micropip") as step:
        compiled = {name: runtime.runtime_wheel(name, step) for name in ("numpy", "micropip")}
        pins = pyodide_lock.pinned_wheels(ROOT / "requirements" / "browser.txt")
        pure = [fetch.from_index(wheel, step) for wheel in pins.values()]
    for wheel in (*compiled.values(), *pure, built.wheel):
        shutil.copyfile(wheel, site / "wheels" / wheel.name)
    _index(site / "simple", pure)
    # Pyodide's own lock file, cut down to what this machine can serve.
    packages = {name: distribution["packages"][name] for name in compiled}
    (site / "lock.json").write_text(json.dumps({**distribution, "packages": packages}))
    program = tmp_path / "program.mjs"
    program.write_text(_PROGRAM)
    loader = (runtime.runtime_folder() / "pyodide.mjs").as_uri()
    with serving(site) as base:
        argv = [toolchain.node(), str(program), loader, base, built.wheel.name, REMEMBER_AND_RECALL]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    (in_pyodide,) = [
        line.removeprefix("RESULT ") for line in done.stdout.splitlines() if line.startswith("RESULT")
    ]

    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    here = subprocess.run(
        [sys.executable, "-c", REMEMBER_AND_RECALL + "print(result)"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(in_pyodide) == json.loads(here.stdout)
