"""Find a Chromium for the end-to-end tests, or bring one."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from console import Problem, Step, run_quietly
from fetch import venv_python
from layout import cache_dir, tool_environment

#: Arguments for a test browser: the sandbox does not work for root in a container, and nothing else should phone home.
LAUNCH_ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
)


def find() -> str | None:
    """Return the path of a Chromium that is there already, or None.

    Looked at in this order: ``ZENGRAM_CHROMIUM``, the commands of an installed Chromium or Chrome, their usual
    places, and the copy that Playwright brought earlier.

    Raises
    ------
    Problem
        If ``ZENGRAM_CHROMIUM`` names no file.
    """
    chosen = os.environ.get("ZENGRAM_CHROMIUM")
    if chosen:
        if not Path(chosen).is_file():
            raise Problem(f"ZENGRAM_CHROMIUM names {chosen}, which is not there.")
        return chosen
    for command in _COMMANDS:
        path = shutil.which(command)
        if path:
            return path
    return next((place for place in _PLACES if Path(place).is_file()), None) or _from_playwright()


def _from_playwright() -> str | None:
    """Return the path of Playwright's own Chromium if it was downloaded."""
    if not (cache_dir() / "browsers").is_dir():
        return None
    ask = "from playwright.sync_api import sync_playwright as p\nwith p() as it: print(it.chromium.executable_path)"
    answer = subprocess.run(
        [venv_python(), "-c", ask], env=tool_environment(), capture_output=True, text=True, check=False
    )
    path = answer.stdout.strip()
    return path if path and Path(path).is_file() else None


def prepare() -> str:
    """Return the path of a Chromium, bringing one if there is none.

    Playwright's own comes first, because it needs no rights; then Debian's package.

    Raises
    ------
    Problem
        If none is there and none can be had.
    """
    path = find()
    if path:
        return path
    with Step("Getting Chromium") as step:
        for bring in (_bring_playwrights, _bring_debians):
            try:
                bring(step)
            except Problem as problem:
                step.update(str(problem)[:70])
            path = find()
            if path:
                return path
    raise Problem("no Chromium was found: install Chromium or Chrome, or set ZENGRAM_CHROMIUM to its path.")


def _bring_playwrights(step: Step) -> None:
    """Download Playwright's Chromium into the cache folder."""
    step.update("asking Playwright")
    run_quietly(
        [str(venv_python()), "-m", "playwright", "install", "chromium"], step, log="playwright", timeout=600
    )


def _bring_debians(step: Step) -> None:
    """Install Debian's package, where that is possible without asking anybody."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return
    try:
        system = platform.freedesktop_os_release().get("ID")
    except OSError:
        return
    if system != "debian" or not shutil.which("apt-get"):
        return
    apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", "-o", "Acquire::Retries=3"]
    run_quietly([*apt, "update"], step, log="apt-get")
    run_quietly([*apt, "install", "--no-install-recommends", "chromium"], step, log="apt-get")
