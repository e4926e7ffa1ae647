"""Pages that store a memory: what they run, and how a browser is killed under them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

import chromium
from conftest import BOOT_MS, CSP, Site, watch
from playwright.sync_api import BrowserContext, Page, Playwright, Route

#: What a page of these tests has: `z` is the library; `load` writes two facts a commit and reports the commits that are stored.
LIBRARY = """
export const vector = Float32Array.of(1, 0, 0, 0);

export function write(memory, i) {
    memory.batch(() => {
        memory.rememberWithVector(`a${i}`, `left ${i} ${"x".repeat(i % 7 * 100)}`, "/load", vector);
        memory.rememberWithVector(`b${i}`, `right ${i}`, "/load", vector);
    });
}

/** The numbers of the commits that are there: both facts of each, or neither. */
export function commits(memory) {
    const subjects = new Set(memory.facts("/load", { limit: 100000 }).map((fact) => fact.subject));
    const numbers = [...subjects].filter((one) => one[0] === "a").map((one) => Number(one.slice(1)));
    for (const i of numbers) if (!subjects.has(`b${i}`)) throw new Error(`half of commit ${i}`);
    if (subjects.size !== 2 * numbers.length) throw new Error("half of a commit");
    return numbers.sort((a, b) => a - b);
}

export async function load(memory, first, report) {
    for (let i = first; ; i++) {
        write(memory, i);
        const number = i;
        const stored = memory.persistence.flush().then(() => report(number));
        if (i % 4 === 0) await stored;
        else if (i % 4 === 1) await new Promise((resolve) => setTimeout(resolve, (i * 7) % 20));
        if (i % 29 === 0) memory.maintain(5);
    }
}
"""

WORKER = """
import * as z from "./zengram.js";
import { commits, load } from "./durable_library.js";
onmessage = async ({ data: [name, persist] }) => {
    try {
        const memory = await z.openMemory({ name, dim: 4, persist });
        const numbers = commits(memory);
        postMessage(["opened", { numbers, status: memory.persistence.status }]);
        await load(memory, (numbers.at(-1) ?? 0) + 1, (number) => postMessage(["stored", number]));
    } catch (error) {
        postMessage(["failed", String(error.stack ?? error)]);
    }
};
"""

#: Opens a memory and gives what is there; `memory` stays a global.
OPEN = """async ([url, name, persist]) => {
    globalThis.z = await import(url + "zengram.js");
    globalThis.lib = await import(url + "durable_library.js");
    globalThis.statuses = [];
    const given = typeof persist === "object" ? { ...persist, onStatus: (status) => statuses.push(status) } : persist;
    try {
        globalThis.memory = await z.openMemory({ name, dim: 4, persist: given });
    } catch (error) {
        const { name, code, message } = error;
        return { error: { name, code, message }, statuses };
    }
    return { numbers: lib.commits(memory), status: memory.persistence.status };
}"""


def serve_library(context: BrowserContext, site: Site) -> None:
    """Add the scripts of these tests to what the site serves."""
    for name, body in {"durable_library.js": LIBRARY, "durable_worker.js": WORKER}.items():
        context.route(f"{site.url}{name}", partial(_answer, body))


def _answer(body: str, route: Route) -> None:
    route.fulfill(body=body, headers={"Content-Security-Policy": CSP, "Content-Type": "text/javascript"})


def launch(playwright: Playwright, site: Site, profile: Path) -> BrowserContext:
    """Start a browser process of its own on a profile."""
    context = playwright.chromium.launch_persistent_context(
        profile, executable_path=chromium.prepare(), args=list(chromium.LAUNCH_ARGS)
    )
    watch(context, site)
    serve_library(context, site)
    context.set_default_timeout(BOOT_MS)
    return context


def kill(context: BrowserContext, profile: Path) -> None:
    """End a browser as a crash does, and wait until its profile is free."""
    with context.expect_event("close"):
        os.kill(browser_process(profile), signal.SIGKILL)
    while any(str(profile) in args for args in process_list()):
        time.sleep(0.05)


def process_list() -> list[str]:
    return subprocess.run(
        ["ps", "-axwwo", "args="], capture_output=True, text=True, check=True
    ).stdout.splitlines()


def browser_process(profile: Path) -> int:
    """Return the id of the browser process (not of its helpers) that uses this profile."""
    listing = subprocess.run(
        ["ps", "-axwwo", "pid=,args="], capture_output=True, text=True, check=True
    ).stdout
    for line in listing.splitlines():
        pid, _, command = line.strip().partition(" ")
        if f"--user-data-dir={profile}" in command and "--type=" not in command:
            return int(pid)
    raise AssertionError(f"no browser runs with the profile {profile}")


def open_memory(page: Page, site: Site, name: str, persist: Any = True) -> Any:
    """Open a memory in an empty page of the site; give what it holds and its status, or the error."""
    if page.url != site.blank:
        page.goto(site.blank)
    return page.evaluate(OPEN, [site.url, name, persist])
