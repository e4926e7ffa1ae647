"""The whole loop of an agent in a real page: the checks of web/test/support/agent_loop.mjs, one test for each."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from conftest import CSP, ROOT, Site
from playwright.sync_api import Page, Route

SUPPORT = ROOT / "web" / "test" / "support"
MODULES = ("agent_loop.mjs", "toy.mjs")
Checks = dict[str, bool]


@pytest.fixture(scope="module")
def checks(zengram: Page, site: Site) -> Iterator[Checks]:
    """Run the checks in the page, from modules served beside the library; give what became of each."""

    def serve(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        headers = {"Content-Security-Policy": CSP, "Content-Type": "text/javascript"}
        route.fulfill(body=(SUPPORT / name).read_text(), headers=headers)

    for name in MODULES:
        zengram.route(f"{site.url}support/{name}", serve)
    found: Checks = zengram.evaluate(
        """async (url) => {
            const { agentLoop } = await import(url);
            const found = {};
            agentLoop(z.ZengramMemory, z.ZetaDb, (name, holds) => (found[name] = holds));
            return found;
        }""",
        f"{site.url}support/{MODULES[0]}",
    )
    yield found
    for name in MODULES:
        zengram.unroute(f"{site.url}support/{name}")


def test_the_loop_runs_to_its_end(checks: Checks) -> None:
    assert len(checks) >= 90


def test_every_check_of_the_loop_holds(checks: Checks) -> None:
    assert [name for name, holds in checks.items() if not holds] == []


@pytest.mark.parametrize(
    ("name", "code", "call"),
    [
        ("NotFoundError", "NOT_FOUND", "m.confirm('knw_none')"),
        ("StateError", "INVALID_STATE", "(m.endSession(s.sessionId), m.endSession(s.sessionId))"),
        ("TransactionError", "TRANSACTION_STATE", "m.batch(() => m.batch(() => 1))"),
        ("InvalidArgumentError", "INVALID_ARGUMENT", "m.batch(async () => 1)"),
        (
            "InvalidArgumentError",
            "INVALID_ARGUMENT",
            "m.addPart(t, s.sessionId, 'text', {at: new Date()}, 0)",
        ),
        ("MigrationError", "MIGRATION_CLASH", "z.ZengramMemory.overEngine(taken, 4)"),
        (
            "VectorLengthError",
            "VECTOR_LENGTH",
            "m.extractWithFactsWithVectors('', '/', s.sessionId, t, [{subject: 's', content: 'c'}], [unit(3)])",
        ),
    ],
)
def test_errors_have_their_classes(zengram: Page, name: str, code: str, call: str) -> None:
    answer = zengram.evaluate(
        f"""() => {{
            const m = z.ZengramMemory.open(4);
            const s = m.createSession("p");
            const t = m.appendTurn(s.sessionId, s.branchId, "user");
            const taken = z.ZetaDb.open();
            taken.execDdl("create table session (id int)");
            const error = attempt(() => {call});
            m.free();
            taken.free();
            return error;
        }}"""
    )
    assert (answer.get("name"), answer.get("code"), answer.get("known")) == (name, code, True), answer


def test_what_is_stored_in_a_page_outlives_it_in_a_snapshot(zengram: Page) -> None:
    before, after = zengram.evaluate(
        """() => {
            const m = z.ZengramMemory.open(4);
            const {sessionId, branchId} = m.createSession("p", {title: "Tea"});
            const turn = m.batch(() => {
                const id = m.appendTurn(sessionId, branchId, "assistant");
                m.addPart(id, sessionId, "text", {text: "naïve 日本 😀"}, 0);
                m.completeTurn(id, 10, 20, 0.5, "stop");
                return id;
            });
            m.rememberWithVector("s", "c", "/", unit(4), {sessionId, turnId: turn});
            const state = (m) => [m.session(sessionId), m.getTurns(sessionId, branchId), m.getParts(turn), m.facts("/"),
                                  m.sessionTimeline(sessionId), m.sessionTotals(sessionId)];
            const again = z.ZengramMemory.openFromSnapshot(m.exportSnapshot(), 4);
            const both = structuredClone([state(m), state(again)]);
            m.free();
            again.free();
            return both;
        }"""
    )
    assert before == after
    assert before[0]["totalTokens"] == 30


def test_questions_in_other_words_find_their_facts_first_with_the_real_model(
    zengram: Page, site: Site
) -> None:
    """No content word is shared (tests/memory/test_meaning.py sees to that), so the vectors alone find the answers."""
    sentences = json.loads((ROOT / "tests" / "memory" / "minilm" / "sentences.json").read_text())
    found = zengram.evaluate(
        """async ({url, facts, questions}) => {
            const { createMiniLM } = await import(url);
            const embed = await createMiniLM();
            const m = z.ZengramMemory.open(384);
            const {sessionId, branchId} = m.createSession("p");
            const turn = m.appendTurn(sessionId, branchId, "user");
            const vectors = [];
            for (const {subject, content} of facts) vectors.push(await embed(`${subject}: ${content}`));
            m.extractWithFactsWithVectors("what was said", "/", sessionId, turn, facts, vectors);
            const answers = [];
            for (const {question} of questions) {
                const [first] = m.recallWithVector(question, "/", await embed(question));
                answers.push([first.subject, m.traceBack(first.knowledgeId)[0].id === turn]);
            }
            m.free();
            return answers;
        }""",
        {"url": f"{site.url}embedders.js", **sentences},
    )
    assert found == [[one["answer"], True] for one in sentences["questions"]]
