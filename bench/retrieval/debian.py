"""A real corpus: the descriptions of Debian's packages, got with this machine's own apt.

apt is asked for the package index with its English descriptions, by its own sources and mirrors, into a folder of the cache:
nothing of the system's apt changes. Packages that are described in the same words are one document.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "build"))

from console import Problem
from layout import cache_dir

HELPER = Path("/usr/lib/apt/apt-helper")

#: A title and a text.
Document = tuple[str, str]


def descriptions() -> list[Document]:
    """Return name and description of all packages of the index, in order of name; each name and each description once."""
    if shutil.which("apt-get") is None or not HELPER.exists():
        raise Problem("there is no apt on this machine: give a corpus with --text")
    files = _indexes()
    if not files:
        _update()
        files = _indexes()
    if not files:
        raise Problem("apt has no English descriptions: give a corpus with --text")
    found: dict[str, str] = {}
    for file in files:
        text = subprocess.run([HELPER, "cat-file", file], capture_output=True, check=True).stdout.decode()
        for name, description in _entries(text):
            found.setdefault(description, name)
    named = {name: description for description, name in reversed(found.items())}
    return sorted(named.items())


def _options() -> list[str]:
    folder = cache_dir() / "bench" / "apt"
    for name in ("lists/partial", "cache"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return [
        "-o=Acquire::Languages=en",
        f"-o=Dir::State::lists={folder / 'lists'}",
        f"-o=Dir::Cache={folder / 'cache'}",
    ]


def _update() -> None:
    print("getting the package index", file=sys.stderr)
    # Other sources than Debian's may fail: what counts is whether the descriptions are there afterwards.
    subprocess.run(["apt-get", "update", *_options()], capture_output=True, check=False, timeout=600)


def _indexes() -> list[Path]:
    argv = ["apt-get", "indextargets", *_options(), "--format", "$(FILENAME)", "Created-By: Translations"]
    answer = subprocess.run(argv, capture_output=True, text=True, check=False).stdout
    return [Path(line) for line in answer.splitlines() if line and Path(line).is_file()]


def _entries(index: str) -> Iterator[Document]:
    """Yield what a Translation file holds: stanzas of ``Package: …`` and ``Description-en: …`` with indented lines."""
    for stanza in index.split("\n\n"):
        name = re.search(r"^Package: (\S+)", stanza, re.MULTILINE)
        text = re.search(r"^Description-en: (.*(?:\n .*)*)", stanza, re.MULTILINE)
        if name and text:
            lines = (line.strip() for line in text[1].split("\n"))
            yield name[1], "\n".join("" if line == "." else line for line in lines)
