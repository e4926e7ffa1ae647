"""What is and is not in the repository."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging_support import ROOT

import zengram_py

# Put together here, so that this file does not hold them.
REGISTRY_HOSTS = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("registry", "yarnpkg", "com"),
        ("deb", "debian", "org"),
    )
]
IMAGES = {".png", ".ico", ".webp"}
LARGEST = 1_000_000


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [path for name in names if name and (path := ROOT / name).is_file()]


def test_no_file_names_a_package_registry(tracked: list[Path]) -> None:
    bad = [
        f"{path.relative_to(ROOT)}: {host}"
        for path in tracked
        for host in REGISTRY_HOSTS
        if host.encode() in path.read_bytes()
    ]
    assert not bad, bad


def test_no_file_is_a_package_weights_or_another_binary(tracked: list[Path]) -> None:
    bad = [
        path.relative_to(ROOT).as_posix()
        for path in tracked
        if path.stat().st_size > LARGEST or (path.suffix not in IMAGES and b"\0" in path.read_bytes())
    ]
    assert not bad, bad


def test_build_is_a_tracked_folder_of_scripts() -> None:
    scripts = {path.name for path in (ROOT / "build").glob("*.py")}
    assert {"demo.py", "test.py", "bundle.py"} <= scripts
    assert "__init__.py" not in scripts
    tracked = {Path(name).name for name in git("ls-files", "build").splitlines()}
    assert {"demo.py", "test.py", "bundle.py"} <= tracked
    ignored = subprocess.run(
        ["git", "check-ignore", "build/new.py"], cwd=ROOT, capture_output=True, check=False
    )
    assert ignored.returncode == 1


def test_no_script_hides_a_module_of_the_standard_library() -> None:
    names = {path.stem for path in (ROOT / "build").glob("*.py")}
    assert not names & set(sys.stdlib_module_names)


def test_scripts_need_nothing_but_the_standard_library() -> None:
    """Isolated from site-packages, each still imports."""
    stems = sorted(path.stem for path in (ROOT / "build").glob("*.py"))
    program = f"import sys; sys.path.insert(0, {str(ROOT / 'build')!r})\nimport {', '.join(stems)}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_ruff_looks_at_the_scripts() -> None:
    argv = [sys.executable, "-m", "ruff", "check", "--show-files", "."]
    shown = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert str(ROOT / "build" / "bundle.py") in shown


def test_versions_agree() -> None:
    package = json.loads((ROOT / "web" / "package.json").read_text())
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())
    assert package["version"] == lock["version"] == zengram_py.__version__
    assert re.search(rf"^## {re.escape(zengram_py.__version__)}\b", (ROOT / "CHANGELOG.md").read_text(), re.M)


def test_the_npm_lock_names_every_package_by_hash_and_none_by_address() -> None:
    packages = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    assert all("integrity" in entry for name, entry in packages.items() if name)
    assert not [name for name, entry in packages.items() if "resolved" in entry]


def test_counts_of_repeat_have_the_width_of_addresses() -> None:
    """In the tab an address has 32 bits, and there numpy takes no counts of 64: text/postings.py has the repeat that works in both."""
    bad = [
        f"{path.relative_to(ROOT)}: {call}"
        for path in sorted((ROOT / "zengram_py").rglob("*.py"))
        for call in re.findall(r"np\.repeat\(.*", path.read_text(encoding="utf-8"))
        if not re.search(
            r", (?:(?:\w+\.)?count|self\.probed|near\.shape\[1\]\)|2 \* [\w.]+, axis=1)\)|astype\(np\.intp",
            call,
        )
    ]
    assert not bad, bad
