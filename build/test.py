"""Set everything up and run every check; the last line counts them.

    python3 build/test.py [--only NAME ...] [--list]

Needs Python 3.11, Node 20 with npm, and (the first time) a network. A check that fails does not stop the others.
"""

import _python_check  # noqa: F401 (comes first: refuses an old Python)

# isort: split
import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bundle
import chromium
import toolchain
from console import Problem, plain_endings
from fetch import venv_python
from layout import ROOT, WEB, tool_environment


@dataclass(frozen=True)
class Check:
    """One check: a command, and what has to be there before it runs."""

    name: str
    about: str
    argv: tuple[str, ...]
    needs: tuple[str, ...] = ("venv",)
    cwd: Path = ROOT


@dataclass(frozen=True)
class Outcome:
    """How a check ended."""

    check: Check
    passed: bool
    seconds: float
    note: str


def checks() -> list[Check]:
    """Return all checks, the quick ones first."""
    python = str(venv_python())
    scripts = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "build").glob("*.py"))
    units = sorted(str(path.relative_to(WEB)) for path in (WEB / "test").glob("**/*.test.mjs"))
    pytest = (python, "-m", "pytest", "-q")
    found = [
        Check("ruff", "lint", (python, "-m", "ruff", "check", ".")),
        Check("format", "formatting", (python, "-m", "ruff", "format", "--check", ".")),
        Check("mypy", "types of the Python", (python, "-m", "mypy", "--strict", "zengram_py", *scripts)),
        Check(
            "tsc",
            "types of the JavaScript",
            ("node", str(Path("node_modules", "typescript", "bin", "tsc")), "-p", "tsconfig.json"),
            ("node_modules",),
            WEB,
        ),
        Check(
            "unit",
            "the Python core on CPython",
            (*pytest, "tests", "--ignore=tests/packaging", "--ignore=tests/differential"),
        ),
        Check(
            "differential",
            "SQL beside PostgreSQL and SQLite",
            (*pytest, "tests/differential"),
            ("venv", "node_modules"),
        ),
        Check(
            "js",
            "JavaScript units in Node",
            ("node", "--test", "--test-reporter=spec", *units),
            ("node_modules", "dist"),
            WEB,
        ),
        Check("packaging", "the wheel, installed", (*pytest, "tests/packaging"), ("venv", "dist")),
        Check("e2e", "the bundle in headless Chromium", (*pytest, "e2e"), ("venv", "dist", "chromium")),
    ]
    return [check for check in found if check.name != "js" or units]


_PREPARE: dict[str, Callable[[], object]] = {
    "venv": toolchain.prepare_venv,
    "node_modules": toolchain.prepare_node_modules,
    "dist": bundle.prepare_dist,
    "chromium": chromium.prepare,
}


def run(check: Check) -> Outcome:
    """Run one check with its output on this terminal."""
    print(f"\n== {check.name}: {check.about}", flush=True)
    started = time.monotonic()
    environment = tool_environment()
    try:
        for need in check.needs:
            got = _PREPARE[need]()
            if need == "chromium":
                environment["ZENGRAM_CHROMIUM"] = str(got)
    except Problem as problem:
        print(problem, flush=True)
        return Outcome(check, False, time.monotonic() - started, "could not be set up")
    argv = [toolchain.node(), *check.argv[1:]] if check.argv[0] == "node" else list(check.argv)
    code = subprocess.run(argv, cwd=check.cwd, env=environment, check=False).returncode
    return Outcome(check, code == 0, time.monotonic() - started, f"exit code {code}" if code else "")


def report(outcomes: list[Outcome]) -> int:
    """Print the table and the closing line; return the exit code."""
    width = max(len(outcome.check.name) for outcome in outcomes)
    print("\n== summary")
    for outcome in outcomes:
        word = "passed" if outcome.passed else "FAILED"
        line = f"{outcome.check.name:<{width}}  {word}  {outcome.seconds:7.1f} s  {outcome.note}"
        print(line.rstrip())
    failed = sum(not outcome.passed for outcome in outcomes)
    print(f"\n{len(outcomes) - failed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


def main() -> int:
    every = checks()
    names = [check.name for check in every]
    parser = argparse.ArgumentParser(description="Set up and run every check of Zengram.")
    about_only = "run only these: " + ", ".join(names)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names, help=about_only)
    parser.add_argument("--list", action="store_true", help="list the checks and end")
    options = parser.parse_args()
    if options.list:
        for check in every:
            print(f"{check.name:<10} {check.about}")
        return 0
    chosen = [check for check in every if not options.only or check.name in options.only]
    print("== setting up", flush=True)
    toolchain.node()
    toolchain.prepare_venv()
    if any("node_modules" in check.needs or "dist" in check.needs for check in chosen):
        toolchain.prepare_node_modules()
    return report([run(check) for check in chosen])


if __name__ == "__main__":
    with plain_endings("test"):
        sys.exit(main())
