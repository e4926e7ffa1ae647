"""What the scripts say on the terminal: steps with their progress, problems in one sentence, quiet commands."""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from layout import cache_dir, tool_environment

#: Words with which pip, npm and Playwright report that nothing was reachable.
_NETWORK_WORDS = (
    "Temporary failure in name resolution",
    "Name or service not known",
    "getaddrinfo",
    "nodename nor servname",
    "Failed to establish a new connection",
    "NewConnectionError",
    "Max retries exceeded",
    "Network is unreachable",
    "Connection refused",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ETIMEDOUT",
    "ENETUNREACH",
    "Read timed out",
)


class Problem(Exception):  # noqa: N818 (it is for the user, not a fault of the program)
    """Something that the user can mend. Its message is one sentence, and no traceback is shown for it."""


class Step:
    """One step of a script, with a line on the terminal that tells how far it is.

    On a terminal the line is rewritten once a second; elsewhere (a CI log) a new line is added when there is
    something to say, at most every ten seconds.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._detail = ""
        self._started = time.monotonic()
        self._ended = threading.Event()
        self._live = sys.stdout.isatty()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def update(self, detail: str) -> None:
        """Say what the step is doing; shown with the next tick."""
        self._detail = detail

    def percent(self, what: str, done: int, total: int) -> None:
        """Say how much of a download is done, in bytes."""
        if total > 0:
            self.update(f"{what} {100 * done // total} % of {total / 1e6:.1f} MB")
        else:
            self.update(f"{what} {done / 1e6:.1f} MB")

    @property
    def elapsed(self) -> float:
        """Seconds since the step began."""
        return time.monotonic() - self._started

    def _line(self) -> str:
        detail = f": {self._detail}" if self._detail else ""
        return f"   {self.title}{detail} ({self.elapsed:.0f} s)"

    def _tick(self) -> None:
        interval = 1.0 if self._live else 10.0
        while not self._ended.wait(interval):
            line = self._line()
            print(f"\r\x1b[K{line[:100]}" if self._live else line, end="" if self._live else "\n", flush=True)

    def __enter__(self) -> "Step":
        print(f"   {self.title} ...", end="" if self._live else "\n", flush=True)
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        start = "\r\x1b[K" if self._live else ""
        mark = "ok" if kind is None else "--"
        print(f"{start}{mark} {self.title} ({self.elapsed:.1f} s)", flush=True)


def run_quietly(
    argv: Sequence[str | Path],
    step: Step,
    *,
    log: str,
    cwd: Path | None = None,
    on_line: Callable[[str], None] | None = None,
    timeout: float | None = None,
) -> None:
    """Run a command with its output in a log file of the cache folder; a failure becomes a Problem.

    Parameters
    ----------
    argv : sequence of str or Path
        The command.
    step : Step
        Tells the user that the command is running.
    log : str
        The name of the tool, which is also that of the log file.
    cwd : Path, optional
        Where to run.
    on_line : callable, optional
        Gets each line of output, to report progress; without it the last line is shown.
    timeout : float, optional
        Seconds after which the command is ended.
    """
    log_file = cache_dir() / "logs" / f"{log}.log"
    log_file.parent.mkdir(exist_ok=True)
    lines: list[str] = []
    with log_file.open("w", encoding="utf-8") as sink:
        try:
            process = subprocess.Popen(
                [str(part) for part in argv],
                cwd=cwd,
                env=tool_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise Problem(f"{log} could not be started ({error.strerror or error}).") from error
        watch = threading.Timer(timeout, process.kill) if timeout else None
        if watch:
            watch.start()
        assert process.stdout is not None
        try:
            for raw in process.stdout:
                sink.write(raw)
                line = raw.strip()
                lines.append(line)
                if on_line:
                    on_line(line)
                elif line:
                    step.update(line[:70])
            code = process.wait()
        finally:
            if watch:
                watch.cancel()
            if process.poll() is None:
                process.kill()
                process.wait()
            process.stdout.close()
    if code:
        raise Problem(_explain(log, code, lines, log_file))


def _explain(tool: str, code: int, lines: list[str], log_file: Path) -> str:
    text = "\n".join(lines)
    if any(word in text for word in _NETWORK_WORDS):
        return (
            f"{tool} could not reach its package registry: is the network up? (Its output is in {log_file}.)"
        )
    if "do not match the hashes" in text.lower() or "EINTEGRITY" in text:
        return f"{tool} got a file whose hash is not the pinned one and refused it. (Its output is in {log_file}.)"
    errors = [line for line in lines if "error" in line.lower()] or [line for line in lines if line] or [""]
    return f"{tool} failed with exit code {code}: {errors[-1][:200]} (The whole output is in {log_file}.)"


@contextlib.contextmanager
def plain_endings(name: str) -> Iterator[None]:
    """End the script quietly on Ctrl-C (130) and with one sentence on a Problem (1)."""
    try:
        yield
    except Problem as problem:
        sys.stdout.flush()
        print(f"{name}: {problem}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print()
        sys.exit(130)
