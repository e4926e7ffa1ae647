"""The start: what can be missing is told on the page and can be tried again, and nothing typed meanwhile is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import BOOT_MS, Site, fact_row, wait_for_state
from playwright.sync_api import BrowserContext, expect

NewContext = Callable[..., BrowserContext]


@pytest.mark.parametrize(
    ("missing", "error"),
    [
        ("python_stdlib.zip", "BootError: "),
        ("onnx/model_quantized.onnx", "EmbedderError: "),
    ],
)
def test_a_missing_file_is_told_and_a_retry_starts(
    new_context: NewContext, site: Site, missing: str, error: str
) -> None:
    context = new_context()
    context.route(f"**/{missing}", lambda route: route.fulfill(status=404, body="gone"))
    page = context.new_page()
    page.goto(site.quickstart)
    wait_for_state(page, "failed")
    expect(page.locator("#status-title")).to_have_text("Zengram could not start")
    expect(page.locator("#status-detail")).to_contain_text(error)
    expect(page.locator("#status-detail")).to_contain_text(missing.rpartition("/")[2])

    page.get_by_label("Subject").fill("drinks")
    context.unroute(f"**/{missing}")
    page.get_by_role("button", name="Try again").click()
    wait_for_state(page, "ready")
    expect(page.get_by_label("Subject")).to_have_value("drinks")


def test_what_is_typed_during_the_start_is_remembered_after_it(new_context: NewContext, site: Site) -> None:
    page = new_context().new_page()
    page.goto(site.quickstart, wait_until="domcontentloaded")
    expect(page.locator("#status")).to_have_attribute("data-state", "booting")
    expect(page.get_by_role("progressbar", name="Start-up progress")).to_be_visible()
    page.get_by_label("Subject").fill("drinks")
    page.get_by_label("Fact", exact=True).fill("user drinks green tea")
    page.get_by_role("button", name="Remember").click()
    fact_row(page, "user drinks green tea").wait_for(timeout=BOOT_MS)


def test_the_root_forwards_to_the_quickstart(new_context: NewContext, site: Site) -> None:
    page = new_context().new_page()
    page.goto(site.url)
    page.wait_for_url(site.quickstart)
