"""Starting from the memory of an earlier visit: quick, never the same randomness twice, and never needed.

Each visit is a page of its own in one browser profile. Whether it started from an image tells the mark `zengram:restored`; that the next one can,
the mark `zengram:kept`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from conftest import BOOT_MS, Site
from playwright.sync_api import BrowserContext, Page, Route

NewContext = Callable[..., BrowserContext]

BOOT = """async ({url, options}) => {
    const phases = [];
    const fractions = [];
    globalThis.z = await import(`${url}zengram.js`);
    await z.init({...options, onProgress: ({phase, fraction}) => {
        phases.push(phase);
        fractions.push(fraction);
    }});
    const db = z.ZetaDb.open();
    const [row] = db.query(`select random() as r, gen_random_uuid() as u, clock_timestamp() as t,
        array_sample(array(select generate_series(1, 1000)), 5) as s`).rows;
    const before = performance.now();
    db.query("select pg_sleep(0.02)");
    const slept = performance.now() - before;
    const memory = z.ZengramMemory.open(3);
    const id = memory.rememberWithVector("drink", "the user drinks green tea", "/", [1, 0, 0]);
    const bytes = memory.exportSnapshot();
    const again = z.ZengramMemory.openFromSnapshot(bytes, 3);
    const empty = z.ZetaDb.open().exportSnapshot();
    return {
        restored: performance.getEntriesByName("zengram:restored").length === 1,
        phases: [...new Set(phases)],
        steps: phases.map((phase, i) => [phase, fractions[i]]),
        found: again.recallWithVector("tea", "/", [1, 0, 0]).map((hit) => hit.knowledgeId),
        ids: [id, row.u, String(row.r), String(row.s), Array.from(empty.slice(12, 28)).join()],
        id,
        slept,
        late: Math.abs(Date.now() - Number(row.t) / 1000),
    };
}"""

FILES = """async (change) => {
    const found = [];
    const root = await navigator.storage.getDirectory();
    for await (const [name, folder] of root.entries()) {
        if (name !== "zengram-images") continue;
        for await (const place of folder.values()) {
            for await (const [key, handle] of place.entries()) {
                found.push(key);
                if (change === "list") continue;
                const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
                if (change === "damage") bytes[bytes.length >> 1] ^= 1;
                const target = await handle.createWritable();
                await target.write(change === "truncate" ? bytes.subarray(0, bytes.length >> 1) : bytes);
                await target.close();
            }
        }
    }
    return found;
}"""


def visit(
    context: BrowserContext, site: Site, *, prepare: Callable[[Page], object] = lambda _: None, **options: Any
) -> tuple[Page, dict[str, Any]]:
    """Open a page, boot, and use everything once."""
    page = context.new_page()
    prepare(page)
    page.goto(site.blank)
    page.set_default_timeout(BOOT_MS)
    done: dict[str, Any] = page.evaluate(BOOT, {"url": site.url, "options": options})
    assert done["found"] == [done["id"]]
    assert done["late"] < 60_000
    assert done["slept"] >= 19
    return page, done


def marked(page: Page, name: str, *, within: int = 200) -> bool:
    """Wait until the page has set a mark, at most for so many tenths of a second."""
    for _ in range(within):
        if page.evaluate("name => performance.getEntriesByName(name).length", name):
            return True
        page.wait_for_timeout(100)
    return False


def images(page: Page, change: str = "list") -> list[str]:
    """Return the names of the images that are kept; `change` damages or truncates them."""
    found: list[str] = page.evaluate(FILES, change)
    return found


def first_visit(context: BrowserContext, site: Site) -> list[str]:
    """Make an image; return its name."""
    page, done = visit(context, site)
    assert not done["restored"]
    assert marked(page, "zengram:kept")
    found = images(page)
    page.close()
    assert len(found) == 1
    return found


def test_visits_from_one_image_share_nothing_but_their_start(new_context: NewContext, site: Site) -> None:
    context = new_context()
    first_visit(context, site)
    asked = len(site.requests)
    visits = [
        visit(context, site) for _ in range(2)
    ]  # the first of these tabs stays open beside the second one
    assert not [url for url in site.requests[asked:] if url.endswith((".whl", ".zip"))]
    for _, done in visits:
        assert done["restored"]
        assert done["phases"][-2:] == ["restore", "ready"]
    for one, other in zip(visits[0][1]["ids"], visits[1][1]["ids"], strict=True):
        assert one != other


def test_the_page_hears_of_a_start_step_by_step(new_context: NewContext, site: Site) -> None:
    """No step may grow so long that the page is silent: how many there are says it without a clock."""
    context = new_context()
    page, done = visit(context, site)
    assert marked(page, "zengram:kept")
    first, later = done["steps"], visit(context, site)[1]["steps"]
    for steps in (first, later):
        fractions = [fraction for _, fraction in steps]
        assert fractions == sorted(fractions)
        assert steps[-1] == ["ready", 1]
    starting = [fraction for phase, fraction in first if phase == "imports"]
    assert len({fraction for fraction in starting if fraction < 0.85}) >= 6  # the interpreter starts
    assert len({fraction for fraction in starting if fraction >= 0.85}) >= 8  # imports
    assert len([phase for phase, _ in later if phase == "restore"]) >= 3


@pytest.mark.parametrize("change", ["damage", "truncate"])
def test_what_is_not_whole_is_made_anew(new_context: NewContext, site: Site, change: str) -> None:
    context = new_context()
    (key,) = first_visit(context, site)
    page = context.new_page()
    page.goto(site.blank)
    assert images(page, change) == [key]
    page, done = visit(context, site)
    assert not done["restored"]
    assert done["phases"][-2:] == ["imports", "ready"]
    assert marked(page, "zengram:kept")
    assert visit(context, site)[1]["restored"]


def other_build(route: Route) -> None:
    """Answer with the module of a build with another hash."""
    answer = route.fetch()
    body, count = re.subn(r'"id": "[0-9a-f]+"', '"id": "0123456789abcdef"', answer.text())
    assert count == 1
    route.fulfill(response=answer, body=body)


def test_a_new_build_and_a_new_browser_discard_the_old_one(new_context: NewContext, site: Site) -> None:
    context = new_context()
    keys = first_visit(context, site)

    context.route("**/build.js", other_build)
    page, done = visit(context, site)
    assert not done["restored"]
    assert marked(page, "zengram:kept")
    keys += images(page)
    assert visit(context, site)[1]["restored"]

    def younger(page: Page) -> None:
        agent = page.evaluate("navigator.userAgent").replace("Chrome/", "Chrome/9")
        context.new_cdp_session(page).send("Emulation.setUserAgentOverride", {"userAgent": agent})

    page, done = visit(context, site, prepare=younger)
    assert not done["restored"]
    assert marked(page, "zengram:kept")
    keys += images(page)
    assert len(keys) == len(set(keys)) == 3


def test_an_image_that_does_not_start_is_replaced(new_context: NewContext, site: Site) -> None:
    context = new_context()
    first_visit(context, site)

    def refuse(page: Page) -> None:
        page.add_init_script(
            "const grow = WebAssembly.Memory.prototype.grow; let first = true;"
            "WebAssembly.Memory.prototype.grow = function (pages) {"
            "  if (first && pages > 100) { first = false; throw new RangeError('no memory'); }"
            "  return grow.call(this, pages);"
            "};"
        )

    page, done = visit(context, site, prepare=refuse)
    assert not done["restored"]
    assert marked(page, "zengram:kept")
    assert visit(context, site)[1]["restored"]


def test_full_storage_costs_the_quick_start_and_nothing_else(new_context: NewContext, site: Site) -> None:
    context = new_context()
    origin = site.url[: site.url.index("/", 8)]

    def fill(page: Page) -> None:
        page.goto(site.blank)
        quota = {"origin": origin, "quotaSize": 20_000_000}
        context.new_cdp_session(page).send("Storage.overrideQuotaForOrigin", quota)

    page, done = visit(context, site, prepare=fill)
    assert not done["restored"]
    assert not marked(page, "zengram:kept", within=40)
    assert images(page) == []
    page.close()
    first_visit(context, site)  # there is room again


def test_storage_that_fills_up_while_it_is_written_leaves_nothing(
    new_context: NewContext, site: Site
) -> None:
    context = new_context()

    def fill(page: Page) -> None:
        page.goto(site.blank)
        # The page believes that there is room.
        page.add_init_script("StorageManager.prototype.estimate = async () => ({quota: 1e12, usage: 0});")
        quota = {"origin": site.url[: site.url.index("/", 8)], "quotaSize": 20_000_000}
        context.new_cdp_session(page).send("Storage.overrideQuotaForOrigin", quota)

    page, done = visit(context, site, prepare=fill)
    assert not done["restored"]
    assert not marked(page, "zengram:kept", within=40)
    assert images(page) == []


def test_storage_that_is_denied_is_not_needed(new_context: NewContext, site: Site) -> None:
    context = new_context()
    context.add_init_script(
        "StorageManager.prototype.getDirectory = async () => { throw new DOMException('denied', 'SecurityError'); };"
        "CacheStorage.prototype.open = async () => { throw new DOMException('denied', 'SecurityError'); };"
    )
    for _ in range(2):
        assert not visit(context, site)[1]["restored"]


def test_the_cache_keeps_it_where_files_cannot_be_written(new_context: NewContext, site: Site) -> None:
    context = new_context()
    context.add_init_script("delete FileSystemFileHandle.prototype.createWritable;")
    page, done = visit(context, site)
    assert not done["restored"]
    assert marked(page, "zengram:kept")
    assert images(page) == []
    assert visit(context, site)[1]["restored"]


def test_a_page_may_do_without(new_context: NewContext, site: Site) -> None:
    context = new_context()
    page, _ = visit(context, site, snapshot=False)
    assert not marked(page, "zengram:kept", within=30)
    assert images(page) == []
    page.close()
    first_visit(context, site)
    assert not visit(context, site, snapshot=False)[1]["restored"]


def test_of_two_first_tabs_one_makes_it(new_context: NewContext, site: Site) -> None:
    context = new_context()
    pages = [context.new_page() for _ in range(2)]
    for page in pages:
        page.goto(site.blank)
    for page in pages:
        argument = {"url": site.url, "options": {}}
        page.evaluate(f"argument => {{ globalThis.booting = ({BOOT})(argument); }}", argument)
    done = [page.evaluate("booting") for page in pages]
    assert [one["restored"] for one in done] == [False, False]
    assert done[0]["id"] != done[1]["id"]
    kept = [marked(page, "zengram:kept", within=60) for page in pages]
    assert sorted(kept) == [False, True]
    assert visit(context, site)[1]["restored"]
