"""What is kept survives a killed browser, a damaged file is kept aside, and of two tabs one only reads."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import chromium
import pytest
from conftest import (
    BOOT_MS,
    Site,
    ask,
    fact_row,
    open_quickstart,
    remember,
    wait_for_state,
    wait_until_saved,
    watch,
)
from durable_support import kill, serve_library
from playwright.sync_api import BrowserContext, Page, Playwright, expect

NewContext = Callable[..., BrowserContext]

#: Everything in the store's folder, as base64 by name.
READ_STORE = """async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("zengram-quickstart");
    const files = {};
    for await (const [name, handle] of folder.entries()) {
        const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
        files[name] = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    }
    return files;
}"""

#: Changes the bytes of the stored memory as a failing disk would.
DAMAGE = """async (kind) => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("zengram-quickstart");
    for await (const [name, handle] of folder.entries()) {
        if (!/^(snapshot-|quickstart\\.)/.test(name)) continue;
        const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
        if (kind === "flipped") bytes[bytes.length >> 1] ^= 0x55;
        const writable = await handle.createWritable();
        await writable.write(kind === "cut" ? bytes.subarray(0, bytes.length >> 1) : bytes);
        await writable.close();
    }
}"""


def read_store(page: Page) -> dict[str, str]:
    files: dict[str, str] = page.evaluate(READ_STORE)
    return files


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process by a POSIX signal")
def test_facts_survive_a_killed_browser(playwright: Playwright, site: Site, tmp_path: Path) -> None:
    def launch() -> BrowserContext:
        context = playwright.chromium.launch_persistent_context(
            tmp_path, executable_path=chromium.prepare(), args=list(chromium.LAUNCH_ARGS)
        )
        return watch(context, site)

    context = launch()
    page = open_quickstart(context, site)
    page.get_by_role("button", name="Add all").click()
    expect(page.locator("#known li[data-id]")).to_have_count(6)
    wait_until_saved(page)
    kill(context, tmp_path)

    context = launch()
    page = open_quickstart(context, site)
    expect(page.locator("#known li[data-id]")).to_have_count(6)
    assert ask(page, "what hot beverage do I like?")[0] == "user drinks green tea"
    context.close()


def store_memory(page: Page, site: Site, booted: Page) -> None:
    """Keep a memory of one fact in this page's profile as the quickstart would, without a boot of its own."""
    snapshot = booted.evaluate(
        """() => {
            const m = z.ZengramMemory.open(384);
            m.rememberWithVector("drinks", "user drinks green tea", "/quickstart", unit(384));
            const bytes = Array.from(m.exportSnapshot());
            m.free();
            return bytes;
        }"""
    )
    page.goto(site.blank)
    page.evaluate(
        """async ([url, bytes]) => {
            const { openStore } = await import(url);
            const store = await openStore("quickstart");
            await store.load();
            await store.save(Uint8Array.from(bytes));
            await store.close();
        }""",
        [f"{site.url}persistence/byte_store.js", snapshot],
    )


def test_what_an_earlier_version_saved_is_there(new_context: NewContext, site: Site, zengram: Page) -> None:
    context = new_context()
    page = context.new_page()
    store_memory(page, site, zengram)
    page.close()
    page = open_quickstart(context, site)
    fact_row(page, "user drinks green tea").wait_for()
    assert not [name for name in read_store(page) if name.startswith(("quickstart.", "manifest.json"))]


@pytest.mark.parametrize("kind", ["flipped", "cut"])
def test_a_damaged_memory_is_told_and_kept_aside(new_context: NewContext, site: Site, kind: str) -> None:
    context = new_context()
    page = open_memory_page(context, site)
    page.evaluate(DAMAGE, kind)
    (damaged,) = [data for name, data in read_store(page).items() if name.startswith("snapshot-")]

    page.goto(site.quickstart)
    wait_for_state(page, "damaged")
    expect(page.locator("#status-title")).to_contain_text("damaged")
    expect(page.locator("#status-detail")).to_contain_text("nothing was changed")
    expect(page.get_by_label("Subject")).to_be_disabled()
    told = page.locator("#status-detail").inner_text()
    assert damaged in read_store(page).values()

    if kind == "flipped":  # nobody has answered: the next visit asks again
        page.reload()
        wait_for_state(page, "damaged")
        expect(page.locator("#status-detail")).to_have_text(told)

    page.get_by_role("button", name="Go on with what can be read").click()
    wait_for_state(page, "ready")
    expect(page.locator("#tell-message")).to_contain_text("0 facts could be read")
    download_copies(page, damaged)
    remember(page, "car", "user drives a red Toyota")
    wait_until_saved(page)
    kept = [data for name, data in read_store(page).items() if name.startswith("damaged-")]
    assert damaged in kept
    page.reload()
    wait_for_state(page, "ready")
    fact_row(page, "user drives a red Toyota").wait_for()


def download_copies(page: Page, damaged: str) -> None:
    """Download every damaged file that was kept: the bytes of the damaged one are among them."""
    buttons = page.get_by_role("button", name="the damaged file")
    expect(buttons.first).to_be_visible()
    contents = []
    for button in buttons.all():
        with page.expect_download() as download:
            button.click()
        contents.append(download.value.path().read_bytes().decode("latin-1"))
    assert damaged in contents


def open_memory_page(context: BrowserContext, site: Site) -> Page:
    """Store a memory of one fact, folded into a snapshot, without a quickstart."""
    serve_library(context, site)
    page = context.new_page()
    page.set_default_timeout(BOOT_MS)
    page.goto(site.blank)
    page.evaluate(
        """async (url) => {
            const z = await import(url);
            const memory = await z.openMemory({ name: "quickstart", dim: 384 });
            const vector = Float32Array.from({ length: 384 }, (_, i) => (i === 0 ? 1 : 0));
            memory.rememberWithVector("drinks", "user drinks green tea", "/quickstart", vector);
            await memory.persistence.fold();
            await memory.persistence.close();
        }""",
        f"{site.url}zengram.js",
    )
    return page


def test_the_second_tab_reads_and_never_saves(new_context: NewContext, site: Site) -> None:
    context = new_context()
    first = open_quickstart(context, site)
    remember(first, "drinks", "user drinks green tea")
    wait_until_saved(first)
    stored = read_store(first)

    second = open_quickstart(context, site, "locked")
    expect(fact_row(second, "user drinks green tea")).to_be_visible()
    assert ask(second, "what hot beverage do I like?") == ["user drinks green tea"]
    for label in ("Subject", "Fact"):
        expect(second.get_by_label(label, exact=True)).to_be_disabled()
    expect(second.get_by_role("button", name="Add all")).to_have_count(0)
    assert read_store(second) == stored

    remember(first, "car", "user drives a red Toyota")
    wait_until_saved(first)
    second.get_by_role("button", name="Try again").click()
    fact_row(second, "user drives a red Toyota").wait_for()
    wait_for_state(second, "locked")

    first.close()
    second.get_by_role("button", name="Try again").click()
    wait_for_state(second, "ready")
    remember(second, "pets", "user has a dog named Rex")
    wait_until_saved(second)
    expect(second.locator("#known li[data-id]")).to_have_count(3)


def test_works_without_storage_and_says_so(new_context: NewContext, site: Site) -> None:
    context = new_context()
    context.add_init_script(
        """StorageManager.prototype.getDirectory = async () => {
            throw new DOMException("blocked by the test", "SecurityError");
        };
        IDBFactory.prototype.open = () => {
            throw new DOMException("blocked by the test", "SecurityError");
        };"""
    )
    page = open_quickstart(context, site, "memory")
    expect(page.locator("#status-title")).to_contain_text("Not kept")
    remember(page, "drinks", "user drinks green tea")
    assert ask(page, "what hot beverage do I like?") == ["user drinks green tea"]


def test_a_failed_save_is_told_and_can_be_repeated(quickstart: Page) -> None:
    quickstart.evaluate(
        """() => {
            const real = FileSystemFileHandle.prototype.createWritable;
            FileSystemFileHandle.prototype.createWritable = async () => {
                throw new DOMException("full", "QuotaExceededError");
            };
            globalThis.makeRoom = () => {
                FileSystemFileHandle.prototype.createWritable = real;
            };
        }"""
    )
    remember(quickstart, "tools", "user owns a hammer")
    wait_for_state(quickstart, "unsaved")
    expect(quickstart.locator("#status-detail")).to_contain_text("no space")
    quickstart.evaluate("makeRoom()")
    quickstart.get_by_role("button", name="Save again").click()
    wait_for_state(quickstart, "ready")
    wait_until_saved(quickstart)
    assert any("user owns a hammer" in data for data in read_store(quickstart).values())


def test_a_tab_closed_straight_after_a_write_loses_nothing(new_context: NewContext, site: Site) -> None:
    context = new_context()
    page = open_quickstart(context, site)
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    remember(page, "drinks", "user drinks green tea")
    with page.expect_event("close"):
        page.close(run_before_unload=True)
    assert asked == []
    page = open_quickstart(context, site)
    expect(fact_row(page, "user drinks green tea")).to_be_visible()


def test_leaving_is_asked_about_only_while_something_is_not_stored(
    new_context: NewContext, site: Site
) -> None:
    page = open_quickstart(new_context(), site)
    page.evaluate(
        """() => {
            FileSystemFileHandle.prototype.createWritable = async () => {
                throw new DOMException("full", "QuotaExceededError");
            };
        }"""
    )
    remember(page, "tools", "user owns a hammer")
    wait_for_state(page, "unsaved")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    with page.expect_event("close"):
        page.close(run_before_unload=True)
    assert asked == ["beforeunload"]


def exported(page: Page, path: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name="Export to a file").click()
    assert download.value.suggested_filename.endswith(".zengram")
    download.value.save_as(path)
    return path


def choose(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import from a file").click()
    chooser.value.set_files(file)


def test_a_memory_goes_out_and_comes_in_as_a_file(
    new_context: NewContext, site: Site, tmp_path: Path
) -> None:
    page = open_quickstart(new_context(), site)
    remember(page, "drinks", "user drinks green tea")
    remember(page, "car", "user drives a red Toyota")
    file = exported(page, tmp_path / "two.zengram")

    other = open_quickstart(new_context(), site)
    remember(other, "pets", "user has a dog named Rex")
    choose(other, file)
    question = other.get_by_role("dialog", name="Replace what it remembers?")
    expect(question).to_contain_text("2 facts")
    expect(question.get_by_role("button", name="Keep what is here")).to_be_focused()
    other.keyboard.press("Escape")
    expect(other.locator("#files-message")).to_have_text("Nothing was replaced.")
    expect(other.get_by_role("button", name="Import from a file")).to_be_focused()
    expect(other.locator("#known li[data-id]")).to_have_count(1)

    choose(other, file)
    question.get_by_role("button", name="Replace", exact=True).click()
    expect(other.locator("#files-message")).to_contain_text("Imported 2 facts")
    expect(fact_row(other, "user has a dog named Rex")).to_have_count(0)
    remember(other, "food", "user is allergic to peanuts")
    wait_until_saved(other)
    other.reload()
    wait_for_state(other, "ready")
    expect(other.locator("#known li[data-id]")).to_have_count(3)
    assert ask(other, "what hot beverage do I like?")[0] == "user drinks green tea"


def test_a_file_that_is_no_memory_replaces_nothing(
    new_context: NewContext, site: Site, tmp_path: Path
) -> None:
    page = open_quickstart(new_context(), site)
    remember(page, "drinks", "user drinks green tea")
    whole = exported(page, tmp_path / "whole.zengram").read_bytes()
    before = read_store(page)
    for name, contents in {"photo.jpg": b"\xff\xd8" * 500, "cut.zengram": whole[: len(whole) // 2]}.items():
        (tmp_path / name).write_bytes(contents)
        choose(page, tmp_path / name)
        expect(page.locator("#files-message")).to_contain_text("SnapshotError")
        page.locator("#files-message").evaluate("line => line.replaceChildren()")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(fact_row(page, "user drinks green tea")).to_be_visible()
    assert read_store(page) == before


def test_an_import_that_does_not_fit_keeps_what_is_there(
    new_context: NewContext, site: Site, tmp_path: Path
) -> None:
    page = open_quickstart(new_context(), site)
    file = exported(page, tmp_path / "empty.zengram")
    remember(page, "drinks", "user drinks green tea")
    wait_until_saved(page)
    page.evaluate(
        """() => {
            FileSystemFileHandle.prototype.createWritable = async () => {
                throw new DOMException("full", "QuotaExceededError");
            };
        }"""
    )
    choose(page, file)
    page.get_by_role("button", name="Replace", exact=True).click()
    expect(page.locator("#files-message")).to_contain_text("no space is left")
    expect(fact_row(page, "user drinks green tea")).to_be_visible()
    page.reload()
    wait_for_state(page, "ready")
    expect(fact_row(page, "user drinks green tea")).to_be_visible()


def test_a_newer_format_is_told_and_left_alone(new_context: NewContext, site: Site) -> None:
    page = open_memory_page(new_context(), site)
    page.evaluate(
        """async () => {
            const root = await navigator.storage.getDirectory();
            const folder = await root.getDirectoryHandle("zengram-quickstart");
            for await (const [name, handle] of folder.entries()) {
                if (!name.startsWith("manifest-")) continue;
                const writable = await handle.createWritable();
                await writable.write('{"format":3,"future":true}');
                await writable.close();
            }
        }"""
    )
    before = read_store(page)
    page.goto(site.quickstart)
    wait_for_state(page, "newer")
    expect(page.locator("#status-detail")).to_contain_text("left as it is")
    expect(page.get_by_label("Subject")).to_be_disabled()
    for name in ("Export to a file", "Import from a file"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()
    assert read_store(page) == before
    with page.expect_event("load"):
        page.get_by_role("button", name="Reload").click()
    wait_for_state(page, "newer")


def test_stored_facts_that_cannot_be_reached_are_not_called_none(new_context: NewContext, site: Site) -> None:
    context = new_context()
    page = open_memory_page(context, site)
    page.add_init_script(
        """StorageManager.prototype.getDirectory = async () => {
            throw new DOMException("blocked by the test", "SecurityError");
        };"""
    )
    page.goto(site.quickstart)
    wait_for_state(page, "memory")
    expect(page.locator("#status-detail")).to_contain_text('The data of the store "quickstart" are in')
    expect(page.get_by_role("button", name="Import from a file")).to_be_disabled()
    expect(page.get_by_role("button", name="Export to a file")).to_be_enabled()
