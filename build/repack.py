"""Make what comes from outside smaller and quicker to start: bytecode in place of sources, without what a tab never imports.

Whoever calls this has checked that a file is the pinned one; what is made here has hashes of its own in our lock file. The work is done by the
runtime's own Python (compile_modules.py), takes some seconds, and is kept in the cache folder by the hash of everything that it depends on.
"""

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import runtime
import toolchain
from console import Step, run_quietly
from fetch import sha256_of
from layout import ROOT, cache_dir

#: Of every wheel: what compilers and type checkers read, tests, commands. Licences stay.
_DROP_ALWAYS = r"\.(pyi|pxd|pyx|h|c|a|typed)$|(^|/)tests?/|\.dist-info/entry_points"
#: By project. What is left out cannot be imported: nothing in zengram_py, or in what it imports, asks for it.
_DROP = {
    "numpy": r"^numpy/(f2py|distutils|testing|polynomial|fft|doc|ctypeslib|char|rec|strings|core)/"
    r"|^numpy/_core/(include|lib)/|^numpy/random/(lib|_examples)/|^numpy/lib/recfunctions|^numpy/(conftest|matlib|_configtool)\.py$"
    r"|/lapack_lite\.|\.(template|build|ini|pc|cfg|rst)$",
    # What needs processes, sockets, a terminal or a debugger, or reads Python's source.
    "python-stdlib": r"^(_pyrepl|pydoc_data|unittest|xmlrpc|wsgiref|multiprocessing|ensurepip|venv)/"
    r"|^(antigravity|bdb|cProfile|cmd|compileall|doctest|filecmp|fileinput|ftplib|getpass|imaplib|mailbox|modulefinder|netrc"
    r"|optparse|pdb|pickletools|plistlib|poplib|profile|pstats|pty|py_compile|pyclbr|pydoc|rlcompleter|sched|shelve|smtplib|socketserver"
    r"|symtable|tabnanny|this|timeit|trace|tracemalloc|tty|turtle|wave|zipapp|_aix_support|_android_support|_apple_support"
    r"|_ios_support)\.py$|^(__phello__|__hello__)",
}
#: numpy.ma rewrites the docstrings of these, and insists on what it finds there.
_KEEP_DOCS = {"numpy": r"^numpy/(_core|ma)/"}


@dataclass(frozen=True)
class Archive:
    """A wheel or the standard library: where it is, whose it is, and what its result is called."""

    path: Path
    project: str
    name: str
    ours: bool = False


def repacked(archives: list[Archive], folder: Path, step: Step) -> list[Path]:
    """Return the compiled archives, in the order in which they were given; ours is made in `folder`, the others are kept in the cache."""
    tools = toolchain.digest(
        [ROOT / "build" / name for name in ("repack.py", "compile_modules.py", "compile_archives.mjs")],
        toolchain.pyodide_version(),
    )
    jobs, made, moves = [], [], []
    for archive in archives:
        digest = hashlib.sha256(f"{tools} {sha256_of(archive.path)} {archive.project}".encode()).hexdigest()
        kept = (folder if archive.ours else cache_dir()) / "compiled" / digest / archive.name
        made.append(kept)
        if kept.is_file():
            continue
        kept.parent.mkdir(parents=True, exist_ok=True)
        aside = kept.with_name(f"{archive.name}.partial")
        drop = "|".join(filter(None, (_DROP_ALWAYS, _DROP.get(archive.project))))
        jobs.append(
            {
                "given": str(archive.path),
                "made": str(aside),
                "drop": drop,
                "keep_empty": not archive.ours,
                "keep_docs": _KEEP_DOCS.get(archive.project, "$^"),
            }
        )
        moves.append((aside, kept))
    if jobs:
        step.update("compiling the modules")
        list_file = moves[0][0].with_name("jobs.json")
        list_file.write_text(json.dumps(jobs))
        argv: list[str | Path] = [
            toolchain.node(),
            ROOT / "build" / "compile_archives.mjs",
            runtime.runtime_folder(),
            list_file,
        ]
        run_quietly(argv, step, log="compile", cwd=list_file.parent)
        list_file.unlink()
        for aside, kept in moves:
            shutil.move(aside, kept)
    return made


def compiled_name(wheel: Path) -> str:
    """Return a wheel's name once it holds bytecode: it fits one version of Python."""
    name, version, _, abi, platform = wheel.stem.rsplit("-", 4)
    major, minor = runtime.pyodide_lock()["info"]["python"].split(".")[:2]
    return f"{name}-{version}-cp{major}{minor}-{abi}-{platform}.whl"
