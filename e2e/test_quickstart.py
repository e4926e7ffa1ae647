"""The quickstart as a person meets it: remember, recall, replace, by mouse, by keyboard, on a small screen."""

from __future__ import annotations

import re

import pytest
from conftest import SAMPLES, Site, ask, fact_row, remember, wait_until_saved
from playwright.sync_api import Page, expect


def test_finds_the_fact_that_means_the_same(quickstart: Page) -> None:
    hits = ask(quickstart, "what hot beverage do I like?")
    assert hits[0] == SAMPLES["drinks"]
    similarity = float(quickstart.locator(".hit .similarity").first.inner_text().removeprefix("similarity "))
    assert similarity == pytest.approx(0.51, abs=0.02)
    bar = quickstart.get_by_role("meter", name="Similarity").first
    assert float(bar.get_attribute("aria-valuenow") or 0) == pytest.approx(similarity, abs=0.01)


def test_hits_are_ranked(quickstart: Page) -> None:
    ask(quickstart, "what can't I eat?")
    scores = [
        float(text.removeprefix("score ")) for text in quickstart.locator(".hit .score").all_inner_texts()
    ]
    assert scores == sorted(scores, reverse=True)
    assert quickstart.locator(".hit .text").first.inner_text() == SAMPLES["food"]


def test_a_sample_question_asks_at_once(quickstart: Page) -> None:
    quickstart.get_by_role("button", name="do I own any animals?").click()
    expect(quickstart.locator(".hit .text").first).to_have_text(SAMPLES["pets"])
    expect(quickstart.get_by_label("Question", exact=True)).to_have_value("do I own any animals?")


def test_the_same_subject_replaces_and_is_said(quickstart: Page) -> None:
    remember(quickstart, "shoes", "user wears sandals")
    remember(quickstart, "shoes", "user wears boots")
    expect(quickstart.locator("#tell-message")).to_contain_text("replaces “user wears sandals”")
    expect(fact_row(quickstart, "user wears sandals")).to_have_count(0)
    expect(quickstart.locator("#known li[data-id]").first).to_contain_text("user wears boots")


def test_a_fact_that_is_known_is_said_to_be(quickstart: Page) -> None:
    remember(quickstart, "hat", "user owns a hat")
    remember(quickstart, "hat", "user owns a hat")
    expect(quickstart.locator("#tell-message")).to_have_text("It knew that already.")
    expect(fact_row(quickstart, "user owns a hat")).to_have_count(1)


def test_says_where_memory_is_kept_and_since_when(quickstart: Page) -> None:
    remember(quickstart, "music", "user plays the cello")
    wait_until_saved(quickstart)
    expect(quickstart.locator("#status-title")).to_have_text("Kept in this browser")
    expect(quickstart.locator("#status-detail")).to_contain_text("OPFS")


def test_a_fact_is_never_markup(quickstart: Page) -> None:
    text = "<img src=x onerror=alert(1)> & <b>bold</b>"
    remember(quickstart, "markup", text)
    expect(fact_row(quickstart, text)).to_have_count(1)
    ask(quickstart, "bold markup image")
    assert quickstart.locator("#known img, #known b, #results img, #results b").count() == 0


def test_blanks_are_no_fact(quickstart: Page) -> None:
    before = quickstart.locator("#known li[data-id]").count()
    quickstart.get_by_label("Subject").fill("   ")
    quickstart.get_by_label("Fact", exact=True).fill("   ")
    quickstart.get_by_role("button", name="Remember").click()
    expect(quickstart.locator("#tell-message")).to_have_text("A fact needs a subject and a sentence.")
    expect(quickstart.locator("#known li[data-id]")).to_have_count(before)
    quickstart.get_by_label("Subject").fill("")
    quickstart.get_by_label("Fact", exact=True).fill("")


def tab_to(page: Page, css: str) -> None:
    """Press Tab until the element has the focus; every stop on the way must show its focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        stop = page.evaluate(
            """(css) => {
                const at = document.activeElement;
                const {outlineStyle, outlineWidth} = getComputedStyle(at);
                return {there: at.matches(css), on: at === document.body, outlineStyle, width: parseFloat(outlineWidth)};
            }""",
            css,
        )
        if stop["on"]:
            continue
        assert stop["outlineStyle"] == "solid"
        assert stop["width"] >= 2
        if stop["there"]:
            return
    pytest.fail(f"{css} was not reached with the Tab key")


def test_everything_works_with_the_keyboard_alone(quickstart: Page) -> None:
    quickstart.evaluate("document.activeElement.blur(); scrollTo(0, 0); getSelection().removeAllRanges()")
    tab_to(quickstart, "#subject")
    quickstart.keyboard.type("garden")
    tab_to(quickstart, "#content")
    quickstart.keyboard.type("user grows tomatoes on the balcony")
    quickstart.keyboard.press("Enter")
    fact_row(quickstart, "user grows tomatoes on the balcony").wait_for()
    expect(quickstart.get_by_label("Subject")).to_be_focused()
    tab_to(quickstart, "#question")
    quickstart.keyboard.press("ControlOrMeta+A")
    quickstart.keyboard.type("which vegetables do I plant?")
    quickstart.keyboard.press("Enter")
    expect(quickstart.locator(".hit .text").first).to_have_text("user grows tomatoes on the balcony")


@pytest.mark.parametrize("width", [320, 360, 768])
def test_no_screen_scrolls_sideways(quickstart: Page, width: int) -> None:
    remember(quickstart, "w" * 60, "x" * 300)
    ask(quickstart, "xxxxxxxx")
    before = quickstart.viewport_size
    quickstart.set_viewport_size({"width": width, "height": 740})
    excess = quickstart.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    quickstart.set_viewport_size(before or {"width": 1280, "height": 900})
    assert excess <= 0


def test_the_start_moved_nothing_under_the_pointer(quickstart: Page) -> None:
    assert sum(quickstart.evaluate("shifts")) < 0.1


CONTRAST = """() => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
    const paint = (colours) => {
        canvas.clearRect(0, 0, 1, 1);
        for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (rgb) => {
        const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const poor = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.parentElement;
        if (!node.data.trim() || !at.checkVisibility() || at.closest(".visually-hidden")) continue;
        const behind = [];
        for (let up = at; up; up = up.parentElement) behind.unshift(getComputedStyle(up).backgroundColor);
        const [a, b] = [light(paint(behind)), light(paint([...behind, getComputedStyle(at).color]))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) poor.push(`${node.data.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
    }
    return poor;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", ["ready", "locked", "memory", "newer", "damaged"])
def test_text_stands_out_from_its_ground(quickstart: Page, scheme: str, state: str) -> None:
    ask(quickstart, "what hot beverage do I like?")
    quickstart.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    try:
        quickstart.evaluate("state => document.getElementById('status').dataset.state = state", state)
        assert quickstart.evaluate(CONTRAST) == []
    finally:
        quickstart.evaluate("document.getElementById('status').dataset.state = 'ready'")
        quickstart.emulate_media(color_scheme="light")


def test_the_page_names_its_parts(quickstart: Page) -> None:
    assert quickstart.evaluate("document.documentElement.lang") == "en"
    expect(quickstart.get_by_role("main")).to_have_count(1)
    expect(quickstart.get_by_role("heading", level=1)).to_have_count(1)
    expect(quickstart.get_by_role("search")).to_have_count(1)
    for name in ("Remember", "Recall", r"What it remembers \d+"):
        expect(quickstart.get_by_role("region", name=re.compile(f"^{name}$"))).to_have_count(1)
    unnamed = quickstart.evaluate(
        """() => [...document.querySelectorAll("input")].filter((input) => !input.labels.length).map((i) => i.id)"""
    )
    assert unnamed == []
    for line in ("#tell-message", "#ask-message", "#files-message", "#announcer"):
        expect(quickstart.locator(line)).to_have_attribute("role", "status")


def test_the_program_on_the_page_is_true(quickstart: Page) -> None:
    program = quickstart.locator("#program").inner_text() + "\nexport { hits };\n"
    quickstart.route(
        "**/quickstart/program.js", lambda route: route.fulfill(body=program, content_type="text/javascript")
    )
    hits = quickstart.evaluate("async () => (await import(new URL('program.js', location))).hits")
    assert [hit["content"] for hit in hits] == ["user drinks green tea"]


def test_needs_no_isolation_and_asks_no_other_origin(quickstart: Page, site: Site) -> None:
    answer = quickstart.request.get(site.quickstart)
    assert "content-security-policy" in answer.headers
    assert not {"cross-origin-opener-policy", "cross-origin-embedder-policy"} & set(answer.headers)
    assert quickstart.evaluate("crossOriginIsolated") is False
    assert len(site.requests) > 15
    assert [url for url in site.requests if not url.startswith(site.url)] == []
    assert [text for text in site.complaints if "Content Security Policy" in text] == []
