"""docs/sql.md says of SQL what a page finds when it runs every statement of sql_probes.txt."""

from __future__ import annotations

import sql_support
from conftest import Site
from playwright.sync_api import Page


def test_the_support_table_is_what_the_page_finds(zengram: Page, site: Site) -> None:
    categories = sql_support.read_probes()
    found = sql_support.run(zengram, site.url, categories)
    unexplained = [
        f"{category.name}: {probe.what}: {reason}"
        for category, reasons in zip(categories, found, strict=True)
        for probe, reason in zip(category.probes, reasons, strict=True)
        if reason and not probe.reason
    ]
    assert not unexplained
    assert sql_support.table(categories, found) == sql_support.documented()
