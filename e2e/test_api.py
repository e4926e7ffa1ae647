"""The JavaScript API in a real page: what it refuses and how, before the boot, after `free`, and at a buffer's edge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import Site
from playwright.sync_api import BrowserContext, Page

NewContext = Callable[..., BrowserContext]


def attempt(page: Page, call: str, setting: str = "") -> dict[str, Any]:
    """Run `call` on a memory `m` of four dimensions that holds one fact.

    Gives the error, or the value, and `same`: whether the memory is byte for byte what it was.
    """
    answer: dict[str, Any] = page.evaluate(
        f"""() => {{
            const m = z.ZengramMemory.open(4);
            m.rememberWithVector("known", "the one fact", "/t", unit(4));
            {setting}
            const before = m.exportSnapshot().join();
            const answer = attempt(() => {call});
            const same = m.exportSnapshot().join() === before && m.facts("/t").length === 1;
            m.free();
            return {{...answer, same}};
        }}"""
    )
    return answer


def is_refused(answer: dict[str, Any], name: str, code: str) -> bool:
    """Whether a call threw exactly this, with words for people, and left no trace."""
    assert (answer.get("name"), answer.get("code")) == (name, code), answer
    assert answer["known"]
    assert len(answer["message"]) > 15
    assert answer["same"]
    return True


LENGTH = ("VectorLengthError", "VECTOR_LENGTH")
ZERO = ("VectorZeroError", "VECTOR_ZERO")
NOT_FINITE = ("VectorNotFiniteError", "VECTOR_NOT_FINITE")
TYPE = ("VectorTypeError", "VECTOR_TYPE")
ARGUMENT = ("InvalidArgumentError", "INVALID_ARGUMENT")
DIMENSION = ("DimensionError", "INVALID_DIMENSION")
DAMAGED = ("SnapshotError", "SNAPSHOT_DAMAGED")

BAD_VECTORS = {
    "new Float32Array(0)": LENGTH,
    "[]": LENGTH,
    "unit(3)": LENGTH,
    "unit(5)": LENGTH,
    "[1, 0, 0]": LENGTH,
    "new Float32Array(4)": ZERO,
    "[0, 0, 0, 0]": ZERO,
    "[-0, 0, -0, 0]": ZERO,
    "[1e-60, 0, 0, 0]": ZERO,
    "[1, NaN, 0, 0]": NOT_FINITE,
    "[1, Infinity, 0, 0]": NOT_FINITE,
    "Float32Array.of(1, 0, 0, -Infinity)": NOT_FINITE,
    "Float64Array.of(1e39, 0, 0, 0)": NOT_FINITE,
    "null": TYPE,
    "undefined": TYPE,
    "'1,0,0,0'": TYPE,
    "{length: 4, 0: 1, 1: 0, 2: 0, 3: 0}": TYPE,
    "[1, '0', 0, 0]": TYPE,
    "[1, null, 0, 0]": TYPE,
    "[1, , 0, 0]": TYPE,
    "[[1, 0, 0, 0]]": TYPE,
    "Int32Array.of(1, 0, 0, 0)": TYPE,
    "new DataView(new ArrayBuffer(16))": TYPE,
    "new ArrayBuffer(16)": TYPE,
    "Promise.resolve(unit(4))": TYPE,
    "() => unit(4)": TYPE,
}


@pytest.mark.parametrize(("vector", "error"), BAD_VECTORS.items())
@pytest.mark.parametrize(
    "call", ["rememberWithVector('s', 'c', '/t', {})", "recallWithVector('q', '/t', {})"]
)
def test_bad_vector(zengram: Page, call: str, vector: str, error: tuple[str, str]) -> None:
    assert is_refused(attempt(zengram, "m." + call.format(vector)), *error)


def test_a_vector_of_the_wrong_length_is_told_both_numbers(zengram: Page) -> None:
    message = attempt(zengram, "m.recallWithVector('q', '/t', unit(3))")["message"]
    assert "3" in message
    assert "4" in message


BAD_TEXT = ["undefined", "null", "7", "{}", "['a']", "true", "Symbol.iterator", "() => 'a'"]
TEXT_CALLS = [
    "rememberWithVector({}, 'c', '/t', unit(4))",
    "rememberWithVector('s', {}, '/t', unit(4))",
    "rememberWithVector('s', 'c', {}, unit(4))",
    "recallWithVector({}, '/t', unit(4))",
    "recallWithVector('q', {}, unit(4))",
    "facts({})",
]


@pytest.mark.parametrize("text", BAD_TEXT)
@pytest.mark.parametrize("call", TEXT_CALLS)
def test_what_should_be_text_is_not(zengram: Page, call: str, text: str) -> None:
    assert is_refused(attempt(zengram, "m." + call.replace("{}", text, 1)), *ARGUMENT)


@pytest.mark.parametrize(
    "options", ["{limit: -1}", "{limit: 'all'}", "{offset: -1}", "{limit: 1.5}", "{limit: NaN}"]
)
def test_bad_options_of_facts(zengram: Page, options: str) -> None:
    assert is_refused(attempt(zengram, f"m.facts('/t', {options})"), *ARGUMENT)


BAD_DIMENSIONS = ["0", "-1", "1.5", "NaN", "Infinity", "'4'", "null", "undefined", "4n", "[4]", "2 ** 53"]


@pytest.mark.parametrize("dim", BAD_DIMENSIONS)
@pytest.mark.parametrize(
    "call",
    ["open({})", "openFromSnapshot(m.exportSnapshot(), {})", "prototype.setEmbedFn.call(m, () => 1, {})"],
)
def test_bad_dimension(zengram: Page, call: str, dim: str) -> None:
    assert is_refused(attempt(zengram, "z.ZengramMemory." + call.format(dim)), *DIMENSION)


BAD_SNAPSHOTS = {
    "new Uint8Array(0)": DAMAGED,
    "new Uint8Array(100)": DAMAGED,
    "new TextEncoder().encode('nothing of the sort')": DAMAGED,
    "whole.subarray(0, whole.length - 1)": DAMAGED,
    "whole.subarray(0, whole.length >> 1)": DAMAGED,
    "Uint8Array.of(...whole, 0)": DAMAGED,
    "whole.map((byte, i) => (i === whole.length >> 1 ? byte ^ 1 : byte))": DAMAGED,
    "null": ARGUMENT,
    "undefined": ARGUMENT,
    "'text'": ARGUMENT,
    "[1, 2, 3]": ARGUMENT,
    "whole.buffer": ARGUMENT,
    "new Uint16Array(whole)": ARGUMENT,
}


@pytest.mark.parametrize(("snapshot", "error"), BAD_SNAPSHOTS.items())
def test_bad_snapshot(zengram: Page, snapshot: str, error: tuple[str, str]) -> None:
    answer = attempt(
        zengram, f"z.ZengramMemory.openFromSnapshot({snapshot}, 4)", "const whole = m.exportSnapshot();"
    )
    assert is_refused(answer, *error)


def test_a_snapshot_of_another_dimension_names_both(zengram: Page) -> None:
    answer = attempt(zengram, "z.ZengramMemory.openFromSnapshot(m.exportSnapshot(), 384)")
    assert is_refused(answer, "SnapshotError", "SNAPSHOT_DIMENSION")
    assert "384" in answer["message"]
    assert "4" in answer["message"].replace("384", "")


BAD_EMBEDDERS = {
    "() => Promise.resolve(unit(4))": ("EmbedderError", "EMBEDDER_ASYNC"),
    "async () => { throw new Error('late'); }": ("EmbedderError", "EMBEDDER_ASYNC"),
    "() => { throw new RangeError('no such word'); }": ("EmbedderError", "EMBEDDER_FAILED"),
    "() => { throw 'a string'; }": ("EmbedderError", "EMBEDDER_FAILED"),
}


@pytest.mark.parametrize(("embedder", "error"), BAD_EMBEDDERS.items())
@pytest.mark.parametrize("call", ["remember('s', 'c', '/t')", "recall('q', '/t')"])
def test_bad_embedder(zengram: Page, call: str, embedder: str, error: tuple[str, str]) -> None:
    assert is_refused(attempt(zengram, f"m.{call}", f"m.setEmbedFn({embedder}, 4);"), *error)


def test_the_cause_of_a_failed_embedder_is_kept(zengram: Page) -> None:
    setting = "m.setEmbedFn(() => { throw new RangeError('no such word'); }, 4);"
    assert attempt(zengram, "m.remember('s', 'c', '/t')", setting)["cause"] == "RangeError: no such word"


@pytest.mark.parametrize(
    "answered", ["unit(3)", "[]", "new Float32Array(4)", "[NaN, 0, 0, 1]", "'text'", "undefined"]
)
def test_an_embedder_that_gives_no_vector_stores_nothing(zengram: Page, answered: str) -> None:
    answer = attempt(zengram, "m.remember('s', 'c', '/t')", f"m.setEmbedFn(() => ({answered}), 4);")
    assert answer["known"]
    assert answer["same"]


@pytest.mark.parametrize("call", ["remember('s', 'c', '/t')", "recall('q', '/t')"])
def test_no_embedder(zengram: Page, call: str) -> None:
    assert is_refused(attempt(zengram, f"m.{call}"), "EmbedderError", "EMBEDDER_MISSING")


@pytest.mark.parametrize("function", ["undefined", "null", "'f'", "{}"])
def test_an_embedder_that_is_no_function(zengram: Page, function: str) -> None:
    assert is_refused(attempt(zengram, f"m.setEmbedFn({function}, 4)"), *ARGUMENT)


def test_a_good_embedder_works(zengram: Page) -> None:
    setting = "const heard = []; m.setEmbedFn((text) => (heard.push(text), unit(4)), 4);"
    call = "[m.remember('drinks', 'green tea', '/u') === m.recall('any?', '/u')[0].knowledgeId, ...heard]"
    assert attempt(zengram, call, setting)["value"] == [True, "drinks: green tea", "any?"]


METHODS = [
    "setEmbedFn(() => unit(4), 4)",
    "remember('s', 'c', '/t')",
    "recall('q', '/t')",
    "rememberWithVector('s', 'c', '/t', unit(4))",
    "recallWithVector('q', '/t', unit(4))",
    "facts('/t')",
    "exportSnapshot()",
]


@pytest.mark.parametrize("call", METHODS)
def test_after_free(zengram: Page, call: str) -> None:
    answer = zengram.evaluate(
        f"() => {{ const m = z.ZengramMemory.open(4); m.free(); m.free(); return attempt(() => m.{call}); }}"
    )
    assert (answer["name"], answer["code"], answer["known"]) == ("ClosedError", "CLOSED", True)


@pytest.mark.parametrize("call", ["open(4)", "openFromSnapshot(new Uint8Array(9), 4)"])
def test_before_init(new_context: NewContext, site: Site, call: str) -> None:
    page = new_context().new_page()
    page.goto(site.blank)
    error = page.evaluate(
        f"""async (url) => {{
            const z = await import(url);
            try {{ z.ZengramMemory.{call}; }} catch (error) {{ return {{...error, message: error.message}}; }}
        }}""",
        f"{site.url}zengram.js",
    )
    assert (error["name"], error["code"]) == ("NotInitializedError", "NOT_INITIALIZED")
    assert "init()" in error["message"]


VECTORS = [
    "Float32Array.of(9, 9, 9, 1, 2, 3, 4, 9).subarray(3, 7)",
    "new Float32Array(Float32Array.of(9, 1, 2, 3, 4).buffer, 4, 4)",
    "Float64Array.of(9, 1, 2, 3, 4, 9).subarray(1, 5)",
    "[1, 2, 3, 4]",
    "Object.freeze([1, 2, 3, 4])",
]


@pytest.mark.parametrize("vector", VECTORS)
def test_every_form_of_a_vector_is_the_same_vector(zengram: Page, vector: str) -> None:
    similarities = zengram.evaluate(
        f"""() => {{
            const m = z.ZengramMemory.open(4);
            m.rememberWithVector("s", "c", "/t", {vector});
            const found = m.recallWithVector("c", "/t", [1, 2, 3, 4])[0].similarity;
            const asked = m.recallWithVector("c", "/t", {vector})[0].similarity;
            m.free();
            return [found, asked];
        }}"""
    )
    assert similarities == [pytest.approx(1, abs=1e-6)] * 2


def test_results_are_plain_values(zengram: Page) -> None:
    hit, fact = zengram.evaluate(
        """() => {
            const m = z.ZengramMemory.open(4);
            m.rememberWithVector("s", "naïve 日本 😀", "/t", unit(4));
            const hits = m.recallWithVector("q", "/t", unit(4));
            const facts = m.facts("/t", {limit: 1, offset: 0});
            m.free();
            return structuredClone([hits[0], facts[0]]);
        }"""
    )
    published = {"knowledgeId", "subject", "content", "score", "importance"}
    assert set(hit) == published | {"similarity", "status", "timeCreated", "tokens"}
    assert set(fact) >= {"id", "scope", "subject", "content", "importance", "confidence", "timeCreated"}
    assert hit["content"] == fact["content"] == "naïve 日本 😀"
    assert hit["knowledgeId"] == fact["id"]


def test_a_snapshot_brings_everything_back(zengram: Page) -> None:
    before, after = zengram.evaluate(
        """() => {
            const m = z.ZengramMemory.open(4);
            for (let i = 0; i < 4; i++) m.rememberWithVector(`s${i}`, `fact ${i}`, "/t", unit(4, i));
            const similar = (m) => m.recallWithVector("q", "/t", [1, 2, 3, 4]).map((h) => [h.knowledgeId, h.similarity]);
            const state = (m) => [m.facts("/t"), similar(m)]; // not the scores: they age
            const bytes = m.exportSnapshot();
            const padded = new Uint8Array(bytes.length + 7);
            padded.set(bytes, 3);
            const again = z.ZengramMemory.openFromSnapshot(padded.subarray(3, 3 + bytes.length), 4);
            const both = [state(m), state(again)];
            m.free();
            again.free();
            return both;
        }"""
    )
    assert before == after


def test_scopes_and_memories_are_apart(zengram: Page) -> None:
    counts = zengram.evaluate(
        """() => {
            const [a, b] = [z.ZengramMemory.open(4), z.ZengramMemory.open(3)];
            a.rememberWithVector("s", "c", "/one", unit(4));
            b.rememberWithVector("s", "c", "/two", unit(3));
            const counts = [a.facts("/one"), a.facts("/two"), b.facts("/one"), b.facts("/two")].map((f) => f.length);
            a.free();
            const left = b.recallWithVector("c", "/two", unit(3)).length;
            b.free();
            return [...counts, left];
        }"""
    )
    assert counts == [1, 0, 0, 1, 1]


def open_store_page(context: BrowserContext, site: Site) -> Page:
    """Give a page with a loaded store `store` that holds 1,000 bytes of 3; `told` awaits and gives what came of it."""
    page = context.new_page()
    page.goto(site.blank)
    page.evaluate(
        """async (url) => {
            globalThis.z = await import(url);
            globalThis.bytes = (length, value) => new Uint8Array(length).fill(value);
            globalThis.told = async (promise) => {
                try {
                    const value = await promise;
                    return value instanceof Uint8Array ? [value.length, value[0]] : value ?? null;
                } catch (error) {
                    return error.code;
                }
            };
            globalThis.store = await z.openStore("edge");
            await store.load();
            await store.save(bytes(1000, 3));
        }""",
        f"{site.url}zengram.js",
    )
    return page


def test_a_full_disk_is_always_called_that(new_context: NewContext, site: Site) -> None:
    context = new_context()
    page = open_store_page(context, site)
    origin = page.evaluate("location.origin")
    devtools = context.new_cdp_session(page)
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": origin, "quotaSize": 200_000})
    codes = page.evaluate(
        """async () => {
            const codes = [];
            for (let i = 0; i < 8; i++) codes.push(await told(store.save(bytes(5e6, 4))));
            return codes;
        }"""
    )
    assert codes == ["STORAGE_QUOTA"] * 8
    assert page.evaluate("told(store.load())") == [1000, 3]
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": origin})
    assert page.evaluate("told(store.save(bytes(5e6, 5))).then(() => store.status.state)") == "ready"
    assert page.evaluate("told(store.load())") == [5_000_000, 5]


def test_bytes_that_are_transferred_away_replace_nothing(new_context: NewContext, site: Site) -> None:
    page = open_store_page(new_context(), site)
    outcome = page.evaluate(
        """async () => {
            const gone = bytes(500, 4);
            const saved = told(store.save(gone));
            structuredClone(null, {transfer: [gone.buffer]});
            return [await saved, await told(store.load())];
        }"""
    )
    assert outcome == ["STORAGE_WRITE_FAILED", [1000, 3]]


def test_a_store_outlives_the_clearing_of_the_sites_data(new_context: NewContext, site: Site) -> None:
    context = new_context()
    page = open_store_page(context, site)
    origin = page.evaluate("location.origin")
    devtools = context.new_cdp_session(page)
    devtools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
    assert page.evaluate("told(store.load())") is None
    assert page.evaluate("told(store.listSetAside())") == []
    assert page.evaluate("told(store.save(bytes(10, 6))).then(() => told(store.load()))") == [10, 6]
    assert page.evaluate("store.status.state") == "ready"
