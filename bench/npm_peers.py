"""Installs what a benchmark measures us beside: npm packages, exactly as a lock file in the benchmark's own folder says."""

import json
from pathlib import Path

import toolchain
from console import Step, run_quietly

_STAMP = ".zengram-stamp"


def prepare(folder: Path, size: str) -> None:
    """Install the peers of a folder into its ``node_modules`` unless they are there; ``size`` is what to tell of it."""
    inputs = [folder / name for name in ("package.json", "package-lock.json", ".npmrc")]
    stamp = toolchain.digest(inputs, toolchain.node())
    mark = folder / "node_modules" / _STAMP
    if mark.is_file() and mark.read_text() == stamp:
        return
    with Step(f"Setting up the peers in bench/{folder.name}/node_modules ({size})") as step:
        argv = [toolchain.npm(), "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]
        run_quietly(argv, step, log="npm", cwd=folder)
        mark.write_text(stamp)


def versions(folder: Path) -> dict[str, str]:
    """Return the version of each package that is installed."""
    names = json.loads((folder / "package.json").read_text())["dependencies"]
    packages = folder / "node_modules"
    return {name: json.loads((packages / name / "package.json").read_text())["version"] for name in names}
