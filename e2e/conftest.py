"""What every browser test starts from: dist/ served strictly, one Chromium, and pages that boot as rarely as possible.

A boot costs seconds, so tests of the API share one booted page (`zengram`), and tests of the quickstart that need no
special start share another (`quickstart`). Both are served from a sub-path, under a strict Content-Security-Policy
and without cross-origin isolation: what passes here works on any static host.

Playwright's `wait_for_function` evaluates text in the page, which such a policy refuses: wait with locators.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Route

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "build"))

import chromium  # noqa: E402 (build/ is a folder of scripts, not a package)
from static_server import serving  # noqa: E402

DIST = ROOT / "dist"
CSP = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"
#: A boot on a busy machine of two cores, with every download.
BOOT_MS = 120_000

SAMPLES = {
    "drinks": "user drinks green tea",
    "car": "user drives a red Toyota",
    "food": "user is allergic to peanuts",
    "pets": "user has a dog named Rex",
    "work": "user is a software engineer in Berlin",
    "habit": "The user enjoys a cup of coffee every morning",
}


@dataclass
class Site:
    """Where dist/ is served, and what the browser asked of it."""

    url: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def quickstart(self) -> str:
        return f"{self.url}quickstart/"

    @property
    def blank(self) -> str:
        """An empty page of the same origin and policy."""
        return f"{self.url}blank.html"


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    if not (DIST / "build-info.json").is_file():
        pytest.fail("dist/ is not there: run `python3 build/bundle.py` first")
    with serving(DIST, prefix="/some/sub/path/", headers={"Content-Security-Policy": CSP}) as url:
        yield Site(url)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {
        **browser_type_launch_args,
        "executable_path": chromium.prepare(),
        "args": list(chromium.LAUNCH_ARGS),
    }


def watch(context: BrowserContext, site: Site) -> BrowserContext:
    """Add the blank page to a context, and note what it asks for and what it complains of."""

    def blank(route: Route) -> None:
        headers = {"Content-Security-Policy": CSP, "Content-Type": "text/html"}
        route.fulfill(body="<!doctype html><title>blank</title>", headers=headers)

    def note(request: Request) -> None:
        site.requests.append(request.url)

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            site.complaints.append(message.text)

    context.route(site.blank, blank)
    context.on("request", note)
    context.on("console", hear)
    context.set_default_timeout(30_000)
    return context


@pytest.fixture
def new_context(browser: Browser, site: Site) -> Iterator[Callable[..., BrowserContext]]:
    """Make contexts: each is a browser profile of its own, with a storage of its own."""
    made: list[BrowserContext] = []

    def make(**options: Any) -> BrowserContext:
        made.append(watch(browser.new_context(**options), site))
        return made[-1]

    yield make
    for context in made:
        context.close()


@pytest.fixture(scope="module")
def new_module_context(browser: Browser, site: Site) -> Iterator[Callable[[], BrowserContext]]:
    """The same for a whole file of tests."""
    made: list[BrowserContext] = []

    def make() -> BrowserContext:
        made.append(watch(browser.new_context(), site))
        return made[-1]

    yield make
    for context in made:
        context.close()


@pytest.fixture(scope="session")
def zengram(browser: Browser, site: Site) -> Iterator[Page]:
    """Give an empty page with the library booted: `z` is the module, `attempt` runs a call and tells what it threw."""
    context = watch(browser.new_context(), site)
    page = context.new_page()
    page.goto(site.blank)
    page.evaluate(
        """async (url) => {
            globalThis.z = await import(url);
            await z.init();
            globalThis.unit = (dim, at = 0) => Float32Array.from({length: dim}, (_, i) => (i === at ? 1 : 0));
            globalThis.attempt = (work) => {
                try {
                    return {value: work()};
                } catch (error) {
                    const {name, code, message, cause} = error;
                    const known = error instanceof z.ZengramError;
                    return {name, code, message, known, cause: cause === undefined ? null : String(cause)};
                }
            };
        }""",
        f"{site.url}zengram.js",
    )
    yield page
    context.close()


def wait_for_state(page: Page, state: str) -> None:
    """Wait until the quickstart's status strip is in this state."""
    page.locator(f'#status[data-state="{state}"]').wait_for(timeout=BOOT_MS)


def open_quickstart(context: BrowserContext, site: Site, state: str = "ready") -> Page:
    """Open the quickstart and wait until it has started."""
    page = context.new_page()
    page.goto(site.quickstart)
    wait_for_state(page, state)
    return page


def remember(page: Page, subject: str, content: str) -> None:
    """Add a fact as a person does, and wait until the list shows it."""
    page.get_by_label("Subject").fill(subject)
    page.get_by_label("Fact", exact=True).fill(content)
    page.get_by_role("button", name="Remember").click()
    fact_row(page, content).wait_for()


def fact_row(page: Page, content: str) -> Any:
    """Return the locator of a remembered fact."""
    return page.locator("#known li[data-id]").filter(has=page.get_by_text(content, exact=True))


def wait_until_saved(page: Page) -> None:
    """Wait until the strip tells a save and no further one is under way."""
    page.locator("#status-detail").filter(has_text=": saved at").wait_for()


def ask(page: Page, question: str) -> list[str]:
    """Ask, and return the contents of the hits in their order."""
    page.get_by_label("Question", exact=True).fill(question)
    page.locator("#ask-message").evaluate("line => line.replaceChildren()")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator("#ask-message").filter(has_text="ms").wait_for()
    return page.locator(".hit .text").all_inner_texts()


@pytest.fixture(scope="session")
def quickstart(browser: Browser, site: Site) -> Iterator[Page]:
    """Give a started quickstart in a profile of its own, with the six sample facts."""
    context = watch(browser.new_context(viewport={"width": 1280, "height": 900}), site)
    context.add_init_script(
        """globalThis.shifts = [];
        new PerformanceObserver((list) => {
            for (const shift of list.getEntries()) if (!shift.hadRecentInput) shifts.push(shift.value);
        }).observe({type: "layout-shift", buffered: true});"""
    )
    page = open_quickstart(context, site)
    for subject, content in SAMPLES.items():
        remember(page, subject, content)
    wait_until_saved(page)
    yield page
    context.close()
