"""The storage back ends in a real browser with a profile on disk: in the page and in a module worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chromium
import pytest
from conftest import CSP, Site, watch
from playwright.sync_api import BrowserContext, Page, Playwright, Route

DRIVER = Path(__file__).with_name("backend_driver.js")

WHERE = ["page", "worker"]
KINDS = ["opfs", "indexeddb"]
PLACES = [(kind, where) for kind in KINDS for where in WHERE]

#: Makes `drive(where, kind, method, ...args)`.
START = """async (url) => {
    const driver = await import(url);
    let worker = null;
    const waiting = new Map();
    globalThis.driver = driver;
    globalThis.told = 0;
    globalThis.stopWorker = () => { worker?.terminate(); worker = null; };
    globalThis.drive = (where, ...args) => {
        if (where === "page") return driver.call(...args);
        if (worker === null) {
            worker = new Worker(url, {type: "module"});
            worker.onmessage = ({data: {id, answer, told}}) => {
                if (told !== undefined) globalThis.told = told;
                else waiting.get(id)(answer);
            };
        }
        return new Promise((resolve, reject) => {
            worker.onerror = (event) => reject(new Error(event.message));
            waiting.set(waiting.size, resolve);
            worker.postMessage({id: waiting.size - 1, args});
        });
    };
}"""


@pytest.fixture(scope="module")
def context(
    playwright: Playwright, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """Give a profile on disk: without one, the browser keeps files in memory."""
    context = playwright.chromium.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=chromium.prepare(),
        args=list(chromium.LAUNCH_ARGS),
    )

    def driver(route: Route) -> None:
        headers = {"Content-Security-Policy": CSP, "Content-Type": "text/javascript"}
        route.fulfill(body=DRIVER.read_text(), headers=headers)

    watch(context, site).route(f"{site.url}{DRIVER.name}", driver)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, site: Site) -> Iterator[Page]:
    """Give a page of an origin without data."""
    page = context.new_page()
    page.goto(site.blank)
    clear_site_data(page)
    start(page, site)
    yield page
    page.close()


def start(page: Page, site: Site) -> None:
    page.evaluate(START, f"{site.url}{DRIVER.name}")


def clear_site_data(page: Page) -> None:
    origin = page.evaluate("location.origin")
    page.context.new_cdp_session(page).send(
        "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"}
    )


def limit_quota(page: Page, bytes_: int | None) -> None:
    """Set how much the site may store beyond what it stores; None takes the limit away."""
    session = page.context.new_cdp_session(page)
    origin = page.evaluate("location.origin")
    usage = session.send("Storage.getUsageAndQuota", {"origin": origin})["usage"]
    limit = {} if bytes_ is None else {"quotaSize": usage + bytes_}
    session.send("Storage.overrideQuotaForOrigin", {"origin": origin, **limit})


def ask(page: Page, where: str, kind: str, method: str, *args: Any) -> dict[str, Any]:
    answer: dict[str, Any] = page.evaluate("(args) => drive(...args)", [where, kind, method, *args])
    return answer


def drive(page: Page, where: str, kind: str) -> Callable[..., Any]:
    """Return what makes calls that have to succeed."""

    def call(method: str, *args: Any) -> Any:
        answer = ask(page, where, kind, method, *args)
        assert "value" in answer, (method, args, answer)
        return answer["value"]

    return call


@pytest.mark.parametrize(("kind", "where"), PLACES)
def test_files_are_there_in_the_next_page(page: Page, site: Site, kind: str, where: str) -> None:
    call = drive(page, where, kind)
    assert call("list") == []
    for part in range(5):
        call("append", "log", 3 * part, "abc")
    call("append", "log", 14, "+")
    call("createInParts", "big", [6_000_000, 1], [10, 2])
    call("write", "a", "first")
    call("write", "a", "second")
    call("write", "b", "goes")
    call("rename", "a", "b")
    call("write", "c", "goes")
    call("remove", "c")
    call("append", "cut", 0, "123456")
    call("truncate", "cut", 4)
    expected = ["b 6", "big 6000010", "cut 4", "log 15"]
    assert call("list") == expected

    page.goto(site.blank)
    start(page, site)
    call = drive(page, where, kind)
    assert call("list") == expected
    assert call("read", "log") == "abcabcabcabcab+"
    assert call("read", "b") == "second"
    assert call("read", "big") == text(page, 6_000_000, 1) + text(page, 10, 2)
    call("append", "log", 15, "!")
    call("append", "cut", 4, "!")
    assert call("read", "log") == "abcabcabcabcab+!"
    assert call("read", "cut") == "1234!"
    # What the worker holds open, another reads.
    assert drive(page, "page", kind)("read", "cut") == "1234!"


def text(page: Page, length: int, seed: int) -> str:
    found: str = page.evaluate("(args) => driver.textOf(...args)", [length, seed])
    return found


@pytest.mark.parametrize(("kind", "where"), PLACES)
def test_no_space_is_told_and_harms_nothing(page: Page, kind: str, where: str) -> None:
    call = drive(page, where, kind)
    # Before anything is opened: Chromium's IndexedDB remembers for a while how much space there was.
    limit_quota(page, 3_000_000)
    try:
        call("write", "a", "before")
        call("append", "log", 0, "abc")
        filled = call("fill", "filling", 200_000, 100_000_000)
        assert filled["code"] == "STORAGE_QUOTA", filled
        whole = "".join(text(page, 200_000, at) for at in range(0, filled["at"], 200_000))
        refused = ask(page, where, kind, "write", "a", [5_000_000, 1])
        assert refused.get("code") == "STORAGE_QUOTA", refused
        refused = ask(page, where, kind, "createInParts", "a", [2_000_000, 1], [3_000_000, 1], [1, 1])
        assert refused.get("code") == "STORAGE_QUOTA", refused
        assert call("read", "a") == "before"
        assert call("read", "filling")[: filled["at"]] == whole
    finally:
        limit_quota(page, None)
    call("append", "filling", filled["at"], "goes on")
    assert call("read", "filling") == whole + "goes on"
    call("append", "log", 3, "def")
    assert call("read", "log") == "abcdef"
    call("write", "a", [5_000_000, 1])
    assert call("list") == ["a 5000000", f"filling {filled['at'] + 7}", "log 6"]


@pytest.mark.parametrize(("kind", "where"), PLACES)
def test_cleared_data_are_told(page: Page, kind: str, where: str) -> None:
    call = drive(page, where, kind)
    call("append", "log", 0, "abc")
    call("write", "a", "abc")
    clear_site_data(page)
    assert ask(page, where, kind, "append", "log", 3, "d").get("code") == "STORAGE_DAMAGED"
    assert call("read", "a") is None
    assert call("list") == []
    call("append", "log", 0, "anew")
    call("append", "log", 4, "!")
    assert call("read", "log") == "anew!"


@pytest.mark.parametrize("kind", KINDS)
def test_a_worker_that_is_ended_while_it_writes_loses_nothing_acknowledged(
    page: Page, site: Site, kind: str
) -> None:
    for attempt in range(5):
        page.evaluate(
            """([kind, name, wait]) => {
                globalThis.told = 0;
                drive("worker", kind, "acknowledge", name, 5000);
                return new Promise((resolve) => {
                    const look = () => (told > 50_000 * wait ? resolve(stopWorker()) : setTimeout(look));
                    look();
                });
            }""",
            [kind, f"log{attempt}", attempt + 1],
        )
        told = page.evaluate("told")
        call = drive(page, "worker", kind)
        whole = "".join(text(page, 5000, at) for at in range(0, told, 5000))
        assert call("read", f"log{attempt}")[:told] == whole
        call("append", f"log{attempt}", told, "next")
        assert call("read", f"log{attempt}") == whole + "next"


def test_a_page_that_is_gone_half_way_leaves_no_half_file(
    page: Page, context: BrowserContext, site: Site
) -> None:
    for kind in KINDS:
        drive(page, "page", kind)("write", "a", "before")
        other = context.new_page()
        other.goto(site.blank)
        start(other, site)
        other.evaluate(
            """(kind) => {
                globalThis.writing = drive("page", kind, "createInParts", "a", ...Array(50).fill([5_000_000, 1]));
                return new Promise((resolve) => setTimeout(resolve, 300));
            }""",
            kind,
        )
        other.close()
        call = drive(page, "page", kind)
        assert call("list") == ["a 6"]
        assert call("read", "a") == "before"
        call("close")
        call("write", "a", "after")
        assert call("list") == ["a 5"]


def test_a_database_that_another_page_deletes_is_let_go(
    page: Page, context: BrowserContext, site: Site
) -> None:
    call = drive(page, "page", "indexeddb")
    call("append", "log", 0, "abc")
    other = context.new_page()
    other.goto(site.blank)
    other.evaluate(
        """() => new Promise((resolve, reject) => {
            const request = indexedDB.deleteDatabase("zengram:e2e");
            request.onsuccess = () => resolve();
            request.onerror = () => reject(request.error);
            request.onblocked = () => reject(new Error("blocked"));
        })"""
    )
    other.close()
    assert ask(page, "page", "indexeddb", "append", "log", 3, "d").get("code") == "STORAGE_DAMAGED"
    call("append", "log", 0, "anew")
    assert call("read", "log") == "anew"


def test_a_newer_database_is_refused(page: Page) -> None:
    page.evaluate(
        """() => new Promise((resolve, reject) => {
            const request = indexedDB.open("zengram:e2e", 99);
            request.onsuccess = () => resolve(request.result.close());
            request.onerror = () => reject(request.error);
        })"""
    )
    assert ask(page, "page", "indexeddb", "list").get("code") == "STORAGE_VERSION"


@pytest.mark.parametrize("asked", [False, True])
def test_a_tail_kept_while_the_page_closes_is_there(
    page: Page, context: BrowserContext, site: Site, asked: bool
) -> None:
    """Ten closes by the browser, and ten that ask the page first, as a person's do."""
    for number in range(10):
        other = context.new_page()
        other.goto(site.blank)
        other.evaluate(
            """async ([url, number]) => {
                const { openTail } = await import(url);
                const tail = await openTail();
                addEventListener("pagehide", () => {
                    tail.keep("e2e", {parts: [Uint8Array.of(number), new Uint8Array(100_000).fill(number)], keptAt: number});
                });
            }""",
            [f"{site.url}persistence/tail.js", number],
        )
        with other.expect_event("close"):
            other.close(run_before_unload=asked)
        found = page.evaluate(
            """async (url) => {
                const { openTail } = await import(url);
                const tail = await openTail();
                const found = await tail.read("e2e");
                await tail.clear("e2e");
                const cleared = await tail.read("e2e");
                tail.close();
                if (found === null || cleared !== null) return [found, cleared];
                return [found.keptAt, found.parts[0][0], found.parts[1].length, found.parts[1].at(-1)];
            }""",
            f"{site.url}persistence/tail.js",
        )
        assert found == [number, number, 100_000, number]


#: Chooses and tells what was chosen.
CHOOSE = """async (url) => {
    const { chooseBackend } = await import(`${url}persistence/choose.js`);
    const { openTail } = await import(`${url}persistence/tail.js`);
    const tail = await openTail();
    try {
        const { backend, passedOver, error } = await chooseBackend("e2e", tail);
        await backend.close();
        return [backend.kind, passedOver.map(({kind, reason}) => `${kind} ${reason.code}`), error?.code ?? null];
    } catch (error) {
        return [error.code, error.message];
    } finally {
        tail.close();
    }
}"""

DENY = """{
    const refuse = () => { throw new DOMException("blocked by the test", "SecurityError"); };
    const denied = %s;
    if (denied.includes("opfs")) StorageManager.prototype.getDirectory = async () => refuse();
    if (denied.includes("indexeddb")) IDBFactory.prototype.open = refuse;
    if (denied.includes("lacking")) delete StorageManager.prototype.getDirectory;
    if (denied.includes("reading")) delete FileSystemFileHandle.prototype.createWritable;
}"""


def test_a_store_is_never_sought_in_the_wrong_place(page: Page, context: BrowserContext, site: Site) -> None:
    def choose(*denied: str) -> Any:
        other = context.new_page()
        other.add_init_script(DENY % list(denied))
        other.goto(site.blank)
        chosen = other.evaluate(CHOOSE, site.url)
        other.close()
        return chosen

    assert choose("reading") == ["indexeddb", ["opfs STORAGE_UNAVAILABLE"], None]
    assert choose() == ["indexeddb", [], None], "its home, now that the private file system is there"
    code, message = choose("opfs", "indexeddb")
    assert code == "STORAGE_DENIED"

    clear_site_data(page)
    assert choose() == ["opfs", [], None]
    for denied, reason in (("opfs", "STORAGE_DENIED"), ("lacking", "STORAGE_UNAVAILABLE")):
        code, message = choose(denied)
        assert code == reason
        assert "(OPFS)" in message
        assert "e2e" in message
    code, message = choose("opfs", "indexeddb")
    assert code == "STORAGE_DENIED"
