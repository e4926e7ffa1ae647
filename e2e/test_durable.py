"""What was reported as stored is there after a killed browser, and nothing is lost by a closed tab."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Site
from durable_support import kill, launch, open_memory, serve_library
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Playwright

NewContext = Callable[..., BrowserContext]

KILLS = int(os.environ.get("ZENGRAM_KILLS", "10"))
CLOSES = int(os.environ.get("ZENGRAM_CLOSES", "20"))

#: Folding begins early, so that a kill often comes in the middle of one.
SETUPS: dict[str, tuple[bool, dict[str, Any]]] = {
    "page-opfs": (False, {"backend": "opfs", "foldBytes": 60_000}),
    "page-indexeddb": (False, {"backend": "indexeddb", "foldBytes": 60_000}),
    "worker-opfs": (True, {"backend": "opfs", "foldBytes": 60_000}),
    "page-encrypted": (False, {"backend": "opfs", "foldBytes": 60_000, "passphrase": "open sesame"}),
}

START_LOAD = """() => {
    const numbers = lib.commits(memory);
    lib.load(memory, (numbers.at(-1) ?? 0) + 1, (number) => console.log(`stored ${number}`))
        .catch((error) => console.log(`failed ${error.stack ?? error}`));
}"""

START_WORKER = """([url, name, persist]) => new Promise((resolve) => {
    const worker = new Worker(url + "durable_worker.js", { type: "module" });
    worker.onmessage = ({ data: [what, value] }) => {
        if (what === "opened") resolve(value);
        else console.log(`${what} ${value}`);
    };
    worker.onerror = (event) => console.log(`failed ${event.message}`);
    worker.postMessage([name, persist]);
})"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process by a POSIX signal")
def test_what_was_reported_as_stored_survives_a_killed_browser(
    playwright: Playwright, site: Site, tmp_path: Path
) -> None:
    stored = dict.fromkeys(SETUPS, 0)
    for seed in range(KILLS + len(SETUPS)):  # the last round of each setup only looks
        name = list(SETUPS)[seed % len(SETUPS)]
        in_worker, persist = SETUPS[name]
        context = launch(playwright, site, tmp_path)
        failures: list[str] = []

        def hear(message: ConsoleMessage, name: str = name, failures: list[str] = failures) -> None:
            what, _, value = message.text.partition(" ")
            if what == "stored":
                stored[name] = max(stored[name], int(value))
            elif what == "failed":
                failures.append(value)

        context.on("console", hear)
        page = context.pages[0]
        if in_worker:
            page.goto(site.blank)
            found = page.evaluate(START_WORKER, [site.url, name, persist])
        else:
            found = open_memory(page, site, name, persist)
            assert "error" not in found, (seed, found)
            page.evaluate(START_LOAD)
        numbers, status = found["numbers"], found["status"]
        assert numbers == list(range(1, len(numbers) + 1)), f"round {seed}: a commit is missing"
        assert len(numbers) >= stored[name], f"round {seed}: {name} lost what was reported as stored"
        assert status["recovery"]["lossless"], (seed, status)
        assert status["durable"], (seed, status)
        assert status["backend"] == persist["backend"]
        page.wait_for_timeout(random.Random(seed).uniform(50, 1500))
        assert not failures
        kill(context, tmp_path)
    assert min(stored.values()) > 0, "every setup had a load"


WRITE_AND_CLOSE = """(i) => {
    lib.write(memory, i);
    setTimeout(() => window.close(), 0);
}"""
WRITE_AND_CLOSE_AT_ONCE = """(i) => {
    setTimeout(() => {
        lib.write(memory, i);
        window.close();
    }, 0);
}"""


def opened_by_script(context: BrowserContext, site: Site) -> Page:
    """Return a page that may close itself."""
    (opener, *_) = context.pages or [context.new_page()]
    if opener.url != site.blank:
        opener.goto(site.blank)
    with context.expect_page() as opening:
        opener.evaluate("(url) => void window.open(url)", site.blank)
    page = opening.value
    page.wait_for_load_state()
    return page


@pytest.mark.parametrize(
    "persist",
    [
        {"backend": "opfs"},
        {"backend": "indexeddb"},
        {"mode": "snapshot"},
    ],
    ids=["opfs", "indexeddb", "snapshots"],
)
def test_a_tab_closed_straight_after_a_write_loses_nothing(
    new_context: NewContext, site: Site, persist: dict[str, Any]
) -> None:
    context = new_context()
    serve_library(context, site)
    rounds = CLOSES if persist == {"backend": "opfs"} else max(2, CLOSES // 4)
    from_tail = 0
    for i in range(1, rounds + 1):
        page = opened_by_script(context, site)
        found = open_memory(page, site, "closing", persist)
        assert "error" not in found, found
        assert found["numbers"] == list(range(1, i)), f"round {i}"
        from_tail += found["status"]["recovery"]["fromTail"]
        with page.expect_event("close"):
            page.evaluate(WRITE_AND_CLOSE_AT_ONCE if i % 2 else WRITE_AND_CLOSE, i)
    page = opened_by_script(context, site)
    assert open_memory(page, site, "closing", persist)["numbers"] == list(range(1, rounds + 1))
    if persist.get("mode") == "snapshot":  # elsewhere a quick disk may be quicker than the page's end
        assert from_tail >= rounds - 1, "each visit had what the one before kept as it went away"


def test_an_encrypted_store_loses_nothing_by_a_closed_tab(new_context: NewContext, site: Site) -> None:
    context = new_context()
    serve_library(context, site)
    persist = {"passphrase": "open sesame"}
    for i in range(1, 6):
        page = opened_by_script(context, site)
        found = open_memory(page, site, "sealed", persist)
        assert found.get("numbers") == list(range(1, i)), (i, found)
        with page.expect_event("close"):
            page.evaluate(WRITE_AND_CLOSE, i)
        time.sleep(0.05)
    page = opened_by_script(context, site)
    assert open_memory(page, site, "sealed", persist)["numbers"] == [1, 2, 3, 4, 5]
    page.evaluate("() => memory.persistence.close()")
    wrong = open_memory(page, site, "sealed", {"passphrase": "open barley"})
    assert wrong["error"]["code"] == "STORAGE_PASSPHRASE"
    assert wrong["statuses"][-1]["error"]["code"] == "STORAGE_PASSPHRASE"
    without = open_memory(page, site, "sealed")
    assert without["error"]["code"] == "STORAGE_PASSPHRASE"
