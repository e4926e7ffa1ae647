"""Opens the page of this benchmark for one subject after the other, each with a time limit.

Every visit has a page of its own in the same browser, so that nobody inherits another one's memory. A page that hangs cannot be
closed: then the browser is, and the next visit starts another. Pages report through a function of ours, for one whose thread
works for a minute answers nothing.
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import in_page

PAGE = "bench/retrieval/page.html"
#: Without the first, measuring the memory waits up to a minute for the next collection of garbage.
FLAGS = ("--enable-blink-features=ForceEagerMeasureMemory", "--js-flags=--max-old-space-size=4096")

Result = dict[str, Any]


class Visits:
    """A browser that opens one page at a time."""

    def __init__(self, playwright: Any, base: str) -> None:
        self._playwright, self._base = playwright, base
        self._browser = in_page.launch(playwright, *FLAGS)
        self.place = in_page.place(self._browser)

    def visit(self, case: str, subject: str, data: str, limit: float) -> Result:
        """Return what the page reports; ``{"error": …}`` if it fails or takes longer than ``limit`` seconds."""
        reports: list[str] = []
        context = self._browser.new_context()
        page = context.new_page()
        page.expose_function("report", lambda text: reports.append(text))
        page.on("pageerror", lambda error: reports.append(json.dumps({"error": f"{error}"})))
        page.on("crash", lambda _: reports.append(json.dumps({"error": "the page crashed: out of memory?"})))
        page.on("console", lambda message: print("   ", message.text[:2000], file=sys.stderr))
        query = urlencode({"case": case, "subject": subject, "data": data})
        deadline = time.monotonic() + limit
        page.goto(f"{self._base}{PAGE}?{query}", wait_until="commit")
        while not reports and time.monotonic() < deadline:
            page.wait_for_timeout(100)
        if not reports:
            self.close()
            self._browser = in_page.launch(self._playwright, *FLAGS)
            return {"error": f"not done within {limit:.0f} s"}
        context.close()
        found: Result = json.loads(reports[0])
        return found

    def close(self) -> None:
        self._browser.close()


@contextmanager
def visiting(base: str) -> Iterator[Visits]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        visits = Visits(playwright, base)
        try:
            yield visits
        finally:
            visits.close()
