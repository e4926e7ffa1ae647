"""Without a network: the service worker gives back the library, and touches nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from conftest import BOOT_MS, CSP, DIST, ROOT, Site
from playwright.sync_api import Browser, BrowserContext, Page
from static_server import serving

NewContext = Callable[..., BrowserContext]

PAGE = (
    '<!doctype html><meta charset="utf-8"><title>mine</title><script type="module" src="./app.js"></script>'
)
APP = """
import { init, ZengramMemory } from "./zengram/zengram.js";
const worker = navigator.serviceWorker.register("./sw.js").then(() => navigator.serviceWorker.ready);
await init({ snapshot: false });
const memory = ZengramMemory.open(3);
memory.rememberWithVector("drink", "the user drinks green tea", "/", [1, 0, 0]);
document.title = memory.recallWithVector("tea", "/", [1, 0, 0])[0].content;
await worker;
document.body.append("kept");
"""


def example_worker() -> str:
    """Return the service worker that docs/boot.md shows."""
    (program,) = re.findall(r"```js\n(// sw\.js,.*?)```", (ROOT / "docs" / "boot.md").read_text(), re.S)
    return str(program)


def names_in(page: Page, cache: str) -> list[str]:
    """Return the addresses that a cache holds."""
    found: list[str] = page.evaluate(
        "async (name) => (await (await caches.open(name)).keys()).map((request) => request.url)", cache
    )
    return sorted(found)


def test_a_page_starts_when_its_server_is_gone(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "app.js").write_text(APP)
    (tmp_path / "sw.js").write_text(example_worker())
    (tmp_path / "zengram").symlink_to(DIST, target_is_directory=True)
    context = browser.new_context()  # of another site than that of the other tests
    page = context.new_page()
    with serving(tmp_path, headers={"Content-Security-Policy": CSP}) as url:
        page.goto(url)
        page.get_by_text("kept").wait_for(timeout=BOOT_MS)
        assert page.title() == "the user drinks green tea"
    context.set_offline(True)
    page.reload()
    page.get_by_text("kept").wait_for(timeout=BOOT_MS)
    assert page.title() == "the user drinks green tea"
    context.close()


def test_it_keeps_the_files_of_its_build_and_leaves_other_caches_alone(
    new_context: NewContext, site: Site
) -> None:
    page = new_context().new_page()
    page.goto(site.blank)
    old = f"zengram-offline:{site.url}:0123456789abcdef"
    others = ["mine", f"zengram-offline:{site.url}elsewhere/:0123456789abcdef"]
    for name in (old, *others):
        page.evaluate(
            "async (name) => { await (await caches.open(name)).put('/x', new Response('x')); }", name
        )
    page.set_default_timeout(BOOT_MS)
    page.evaluate(
        """async (url) => {
            const {init} = await import(`${url}zengram.js`);
            const taken = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
            await init({snapshot: false, offline: true});
            await taken;
        }""",
        site.url,
    )
    names = page.evaluate("caches.keys()")
    assert old not in names
    assert set(others) < set(names)
    (kept,) = set(names) - set(others)
    paths = {url.removeprefix(site.url) for url in names_in(page, kept)}
    folders = {re.sub("-[0-9a-f]{16}/.*", "", path.removeprefix("assets/")) for path in paths}
    packages = {"numpy", "snowballstemmer", "sortedcontainers", "zengram-py"}
    assert folders == {"zengram.js", "embedders.js", "code", "pyodide", *packages}
    for path in paths:
        assert (DIST / path).is_file()
