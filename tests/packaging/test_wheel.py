"""The wheel: what is in it, and that it works where it is installed, at both ends of its dependency ranges."""

import json
import subprocess
import sys
import tarfile
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest
import toolchain
from console import Step
from layout import tool_environment
from packaging.requirements import Requirement
from packaging_support import REMEMBER_AND_RECALL, ROOT, Built


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_a_build_gives_one_pure_wheel_and_one_sdist(built: Built) -> None:
    assert sorted(path.name for path in built.folder.iterdir() if not path.name.startswith(".")) == sorted(
        [built.wheel.name, built.sdist.name]
    )
    assert built.wheel.name.endswith("-py3-none-any.whl")


def test_the_wheel_holds_the_package_and_nothing_else(built: Built) -> None:
    names = names_in(built.wheel)
    assert "zengram_py/py.typed" in names
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"zengram_py"}
    assert not [name for name in names if "test" in name.lower()]
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "zengram_py").rglob("*.py")}
    assert sources <= set(names)


def test_the_sdist_builds_the_same_package(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        inner = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in names_in(built.wheel) if ".dist-info/" not in name} <= inner
    assert {"pyproject.toml", "README.md", "LICENSE"} <= inner


@pytest.mark.parametrize("end", ["oldest", "newest"])
def test_it_works_installed(built: Built, end: str, tmp_path: Path) -> None:
    """Only the wheel and its dependencies are there: no checkout, no site-packages of ours."""
    folder = tmp_path / "venv"
    venv.create(folder, with_pip=False, symlinks=sys.platform != "win32")
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    with Step(f"Installing the {end} dependencies") as step:
        toolchain.install_locked(python, ROOT / "requirements" / f"{end}.txt", step)
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    steps = [
        [*pip, "install", "-q", "--no-deps", "--no-index", str(built.wheel)],
        [*pip, "check"],
        [str(python), "-I", "-W", "error", "-c", REMEMBER_AND_RECALL + "print(result)"],
    ]
    for argv in steps:
        done = subprocess.run(
            argv, cwd=tmp_path, env=tool_environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)[0][:2] == ["pets", "user has a dog"]


def test_the_locks_keep_to_the_ranges_of_the_wheel(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        headers = HeaderParser().parsestr(archive.read(path).decode())
    ranges = {
        needed.name: needed.specifier for needed in map(Requirement, headers.get_all("Requires-Dist", []))
    }
    bundled = json.loads((ROOT / "dist" / "pyodide" / "pyodide-lock.json").read_text())["packages"]
    assert set(ranges) | {"zengram-py"} == set(bundled)
    for name, specifier in ranges.items():
        assert specifier.contains(bundled[name]["version"]), name
    oldest = (ROOT / "requirements" / "oldest.txt").read_text()
    for name, specifier in ranges.items():
        (lowest,) = [part.version for part in specifier if part.operator == ">="]
        assert f"{name}=={lowest}" in oldest, f"requirements/oldest.in does not try the oldest {name}"
