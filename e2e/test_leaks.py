"""A page that goes on for long: thousands of calls leave memory, proxies and handles as they were, and `using` gives everything back."""

from __future__ import annotations

from typing import Any

from conftest import ROOT, Site
from playwright.sync_api import Page, Route

SOAK = ROOT / "web" / "test" / "support" / "soak.mjs"
CALLS = 3000


def test_mixed_calls_leave_the_page_as_it_was(zengram: Page, site: Site) -> None:
    def give(route: Route) -> None:
        route.fulfill(body=SOAK.read_text(encoding="utf-8"), headers={"Content-Type": "text/javascript"})

    zengram.route(f"{site.url}soak.mjs", give)
    zengram.set_default_timeout(120_000)
    before, after, calls = zengram.evaluate(
        """async ([url, calls]) => {
            const { Soak } = await import(url);
            const soak = new Soak(z);
            soak.warm();
            const before = soak.settled();
            const start = soak.calls;
            soak.run(calls);
            const after = soak.settled();
            soak.free();
            return [before, after, soak.calls - start];
        }""",
        [f"{site.url}soak.mjs", CALLS],
    )
    assert calls >= CALLS
    grown = after.pop("heapBytes") - before.pop("heapBytes")
    assert abs(grown) < 400_000
    assert without_caches(after) == without_caches(before)


def without_caches(stats: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in stats.items() if name != "cacheBytes"}


def test_using_frees_what_a_block_made(zengram: Page) -> None:
    inside, after, before, closed = zengram.evaluate(
        """() => {
            using watch = z.ZengramMemory.open(2);
            const handles = () => watch.stats().handles;
            const before = handles();
            let inside, kept;
            {
                using db = z.ZetaDb.open();
                db.execDdl("create table t (a int)");
                using memory = z.ZengramMemory.overEngine(db, 2);
                using transaction = db.begin();
                using cursor = db.stream("select g from generate_series(1, 5000) g");
                transaction.execMut("insert into t values (1)");
                cursor.next();
                inside = handles();
                kept = [db, memory, transaction, cursor];
            }
            return [inside, handles(), before, kept.map((one) => attempt(() => one.stats()).name)];
        }"""
    )
    assert {name: inside[name] - before[name] for name in inside} == {
        "memories": 1,
        "databases": 1,
        "transactions": 1,
        "cursors": 1,
    }
    assert after == before
    assert closed == ["ClosedError"] * 4
