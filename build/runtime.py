"""The Pyodide runtime and the wheels that are compiled for it.

The runtime itself is an npm package. Compiled wheels (numpy) are not on the Python package index: Pyodide publishes
them beside the runtime on its CDN, and its lock file names each with its hash. Where the CDN cannot be reached, the
same files are taken out of a wheel on the index that happens to carry them. The hash makes the source irrelevant.
"""

import json
from pathlib import Path
from typing import Any

import fetch
from console import Problem, Step
from layout import NODE_MODULES
from toolchain import pyodide_version

#: What the page loads, besides a lock file and wheels.
RUNTIME_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")

_CDN = "https://cdn.jsdelivr.net/pyodide/v{version}/full/{file_name}"

# Chosen together with the Pyodide version: this release carries the wheels of the lock file of 314.0.2 to 314.0.4.
_CARRIER = fetch.PinnedWheel(
    "open-webui==0.12.4", ("02e9caba96234db3fa17a92e56163b3f7f2b8ca8227fa886b85c178d696483f6",)
)
_CARRIER_FOLDER = "open_webui/frontend/pyodide"
#: Taken out of the carrier whenever it is fetched, so that it is fetched once. micropip is for its test.
_CARRIED = ("numpy", "micropip")


def runtime_folder() -> Path:
    """Return the folder with the files of the runtime."""
    return NODE_MODULES / "pyodide"


def pyodide_lock() -> dict[str, Any]:
    """Return Pyodide's own lock file."""
    lock: dict[str, Any] = json.loads((runtime_folder() / "pyodide-lock.json").read_text())
    return lock


def runtime_wheel(name: str, step: Step) -> Path:
    """Return a wheel of the Pyodide distribution, as its lock file names it.

    Parameters
    ----------
    name : str
        The package's name in the lock file.
    step : Step
        Shows the download.

    Raises
    ------
    Problem
        If neither source gives the file.
    """
    packages = pyodide_lock()["packages"]
    file_name, sha256 = packages[name]["file_name"], packages[name]["sha256"]
    path = fetch.cached(file_name, sha256)
    if path:
        return path
    step.update(f"asking the Pyodide CDN for {file_name}")
    try:
        url = _CDN.format(version=pyodide_version(), file_name=file_name)
        return fetch.from_url(url, file_name, sha256, step)
    except Problem as problem:
        if name not in _CARRIED:
            raise
        step.update(f"the CDN does not help ({problem}), using {_CARRIER.requirement}")
    wanted = {f"{_CARRIER_FOLDER}/{packages[key]['file_name']}": packages[key]["sha256"] for key in _CARRIED}
    return fetch.members(_CARRIER, wanted, step)[f"{_CARRIER_FOLDER}/{file_name}"]
