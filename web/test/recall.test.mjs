/** Hybrid recall, its options and the entity graph, through the Node entry. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { importNode } from "./support/dist.mjs";
import { throwsError } from "./support/errors.mjs";

const zengram = await importNode();
const { ZengramMemory } = zengram;

function filled() {
  const memory = ZengramMemory.open(2);
  memory.rememberWithVector("job", "Ada Lovelace writes programs", "/", [0, 1]);
  memory.rememberWithVector("hook", "run the pre-edit hook", "/", [0, 1]);
  memory.rememberWithVector("drinks", "user drinks green tea", "/", [1, 0.1]);
  return memory;
}

describe("recall", () => {
  it("finds by words what the vector does not, and the other way round", () => {
    const memory = filled();
    assert.equal(memory.recallWithVector("pre-edit", "/", [1, 0]).length, 2);
    assert.deepEqual(memory.recallWithVector("nothing alike", "/", [1, 0]).map((hit) => hit.subject), ["drinks"]);
    memory.free();
  });

  it("takes a limit and a floor", () => {
    const memory = filled();
    assert.equal(memory.recallWithVector("", "/", [1, 1], { limit: 1 }).length, 1);
    assert.equal(memory.recallWithVector("", "/", [1, 0], { minScore: 0.9 }).length, 1);
    assert.equal(memory.recallWithVector("ada lovelace?", "/", [1, 0], { minScore: 1 })[0].subject, "job");
    memory.free();
  });

  it("explains every number of a score", () => {
    const memory = filled();
    const [hit] = memory.recallWithVector("green tea", "/", [1, 0], { explain: true });
    const { preset, vector, text, entities, vectorRank, textRank, shared, relevance, ageDays, spread, redundancy, parts } =
      /** @type {import("../src/zengram.js").Explanation} */ (hit.explanation);
    assert.ok(Math.abs(hit.score - Object.values(parts).reduce((sum, part) => sum + part)) < 1e-12);
    assert.deepEqual(Object.keys(parts), ["relevance", "spread", "recency", "importance"]);
    assert.ok(Math.abs(relevance - (0.4 * vector + 0.3 * text) / 0.7) < 1e-12);
    assert.ok(text > 0 && text < 1);
    assert.deepEqual({ preset, entities, vectorRank, textRank, shared, spread, redundancy }, {
      preset: "hybrid", entities: 0, vectorRank: 1, textRank: 1, shared: 0, spread: {}, redundancy: 0,
    });
    assert.ok(ageDays >= 0);
    assert.equal(memory.recallWithVector("green tea", "/", [1, 0])[0].explanation, undefined);
    memory.free();
  });

  it("answers the same after a snapshot", () => {
    const memory = filled();
    const restored = ZengramMemory.openFromSnapshot(memory.exportSnapshot(), 2);
    const order = (/** @type {any} */ m) => m.recallWithVector("Ada's tea", "/", [1, 1]).map((/** @type {any} */ h) => h.knowledgeId);
    assert.deepEqual(order(restored), order(memory));
    memory.free();
    restored.free();
  });
});

describe("filters", () => {
  const ask = (/** @type {any} */ memory, /** @type {any} */ options) =>
    memory.recallWithVector("", "/", [1, 0], options).map((/** @type {any} */ hit) => hit.subject).sort();

  it("leave what fits labels, peers, privacy and time", () => {
    const memory = ZengramMemory.open(2);
    memory.rememberWithVector("a", "x", "/", [1, 0], { categories: ["food"], tags: ["red", "big"], peer: "ann" });
    memory.rememberWithVector("b", "x", "/", [1, 0], { categories: ["work"], tags: ["red"], private: true });
    memory.rememberWithVector("c", "x", "/", [1, 0], { expires: new Date(Date.now() + 3_600_000), importance: 0.9 });
    assert.deepEqual(ask(memory, {}), ["a", "c"]);
    assert.deepEqual(ask(memory, { includePrivate: true }), ["a", "b", "c"]);
    assert.deepEqual(ask(memory, { categories: "Food" }), ["a"]);
    assert.deepEqual(ask(memory, { tags: ["red", "big"], includePrivate: true }), ["a"]);
    assert.deepEqual(ask(memory, { peers: ["ann", "bob"] }), ["a"]);
    assert.deepEqual(ask(memory, { since: new Date(Date.now() + 1000) }), []);
    assert.deepEqual(ask(memory, { until: new Date(Date.now() + 1000) }), ["a", "c"]);
    assert.deepEqual(ask(memory, { until: "2020-01-01" }), []);
    const c = memory.facts("/").find((fact) => fact.subject === "c");
    assert.equal(c?.importance, 0.9);
    assert.ok(Math.abs(Number(c?.expires) / 1000 - Date.now() - 3_600_000) < 60_000);
    memory.free();
  });

  it("go back in time", () => {
    const memory = ZengramMemory.open(2);
    memory.rememberWithVector("home", "Bern", "/", [1, 0], { validFrom: "2024-01-01", validTo: new Date(Date.UTC(2025, 0, 1)) });
    memory.rememberWithVector("home", "Rome", "/", [1, 0], { validFrom: "2025-01-01" });
    const at = (/** @type {any} */ asOf) => memory.recallWithVector("", "/", [1, 0], { asOf }).map((hit) => [hit.content, hit.status]);
    assert.deepEqual(at("2024-06-01T12:00:00Z"), [["Bern", "superseded"]]);
    assert.deepEqual(at(Date.UTC(2025, 0, 1) * 1000), [["Rome", "active"]]);
    assert.deepEqual(at(new Date(Date.UTC(2025, 0, 1) - 1)), [["Bern", "superseded"]]);
    assert.deepEqual(at("2020-01-01"), []);
    memory.free();
  });
});

describe("ranking", () => {
  it("can be set for a scope, and asked for in a call", () => {
    const memory = filled();
    assert.equal(memory.recallConfig("/").vectorWeight, 0.4);
    const changed = memory.configureRecall("/", { limitDefault: 1, preset: "rrf" });
    assert.deepEqual([changed.limitDefault, changed.preset, changed.textWeight], [1, "rrf", 0.3]);
    assert.equal(memory.recallWithVector("", "/", [1, 1]).length, 1);
    const restored = ZengramMemory.openFromSnapshot(memory.exportSnapshot(), 2);
    assert.deepEqual(restored.recallConfig("/"), changed);
    const [hit] = restored.recallWithVector("tea", "/", [1, 0], { preset: "classical", explain: true });
    assert.equal(hit.explanation?.preset, "classical");
    memory.free();
    restored.free();
  });

  it("keeps to a budget of tokens, and puts what is alike behind what is not", () => {
    const memory = ZengramMemory.open(3);
    memory.rememberWithVector("one", "x", "/", [1, 0, 0]);
    memory.rememberWithVector("again", "y", "/", [1, 0.01, 0]);
    memory.rememberWithVector("else", "z".repeat(400), "/", [1, 0, 0.8]);
    const hits = memory.recallWithVector("", "/", [1, 0, 0], { maxTokens: 20 });
    assert.equal(hits.length, 2);
    assert.ok(hits.reduce((sum, hit) => sum + hit.tokens, 0) <= 20);
    assert.equal(memory.recallWithVector("", "/", [1, 0, 0], { mmr: 0.5, limit: 2 })[1].subject, "else");
    memory.free();
  });

  it("spreads from an answer to what was said beside it", () => {
    const memory = ZengramMemory.open(2);
    const [one, other] = [memory.createSession("p"), memory.createSession("p")];
    const said = (/** @type {typeof one} */ { sessionId, branchId }) => ({ sessionId, turnId: memory.appendTurn(sessionId, branchId, "user") });
    memory.rememberWithVector("q", "said", "/", [1, 0.1], said(one));
    memory.rememberWithVector("a", "said", "/", [0, 1], said(one));
    memory.rememberWithVector("b", "said", "/", [0, 1], said(other));
    const hits = memory.recallWithVector("", "/", [1, 0], { explain: true });
    assert.deepEqual(hits.map((hit) => hit.subject), ["q", "a"]);
    assert.ok(Number(hits[1].explanation?.spread.turns) > 0.29);
    memory.free();
  });
});

describe("maintenance", () => {
  it("is done in idle time, and can be asked for", async () => {
    const memory = ZengramMemory.open(2);
    for (let i = 0; i < 40; i++) memory.rememberWithVector(`s${i}`, `word${i}`, "/", [1, i]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal(memory.maintain(0), false, "nothing is left after a pause");
    assert.equal(memory.recallWithVector("word7", "/", [1, 7])[0].subject, "s7");
    memory.rememberWithVector("last", "x", "/", [1, 0]);
    memory.free(); // what was to be done for it is forgotten
    await new Promise((resolve) => setTimeout(resolve, 60));
  });
});

describe("entities", () => {
  it("are the names in facts, or those that come with them", () => {
    const memory = filled();
    memory.rememberWithVector("note", "something about her", "/", [1, 1], { entities: ["ADA LOVELACE", "London"] });
    assert.deepEqual(memory.entities("/"), [
      { name: "Ada Lovelace", facts: 2 },
      { name: "London", facts: 1 },
    ]);
    assert.deepEqual(memory.entity("ada lovelace", "/").map((fact) => fact.subject), ["note", "job"]);
    assert.equal(memory.entities("/", { limit: 1 }).length, 1);
    assert.deepEqual(memory.entities("/elsewhere"), []);
    memory.free();
  });
});

describe("options", () => {
  it("are plain objects, read once, and whatever goes wrong with them is an error of ours", () => {
    const memory = filled();
    const broken = () => {
      throw new RangeError("boom");
    };
    /** @type {any[]} */
    const odd = [
      new Map([["limit", 0]]),
      new Date(),
      Object.create({ limit: 0 }),
      new (class Options { get limit() { return 0; } })(),
      { get limit() { return broken(); } },
      new Proxy({}, { ownKeys: broken }),
      new Proxy({}, { getPrototypeOf: broken }),
      { tags: new Proxy([], { get: broken }) },
      { asOf: 1_700_000_000_000 },
    ];
    for (const options of odd) {
      throwsError(zengram, () => memory.recallWithVector("q", "/", [1, 0], options), "InvalidArgumentError", "INVALID_ARGUMENT");
    }
    const tags = Object.assign(["x"], { toJSON: () => undefined });
    assert.deepEqual(memory.recallWithVector("tea", "/", [1, 0], { tags }), [], "the filter holds, whatever its toJSON says");
    assert.equal(memory.recallWithVector("tea", "/", [1, 0], Object.assign(Object.create(null), { limit: 1 })).length, 1);
    assert.throws(() => memory.configureRecall("/", { decayHalfLifeDays: 0 }), /decayHalfLifeDays must be a number above 0/);
    assert.throws(() => memory.recallWithVector("q", "/", [1, 0], { asOf: Date.now() }), /milliseconds/);
    memory.free();
  });

  it("that make no sense are refused, and nothing is stored", () => {
    const memory = filled();
    const calls = [
      () => memory.recallWithVector("q", "/", [1, 0], /** @type {any} */ ({ limits: 1 })),
      () => memory.recallWithVector("q", "/", [1, 0], { limit: -1 }),
      () => memory.recallWithVector("q", "/", [1, 0], { minScore: 2 }),
      () => memory.recallWithVector("q", "/", [1, 0], /** @type {any} */ ({ explain: "yes" })),
      () => memory.recallWithVector("q", "/", [1, 0], /** @type {any} */ (5)),
      () => memory.recallWithVector("q", "/", [1, 0], { mmr: 3 }),
      () => memory.recallWithVector("q", "/", [1, 0], { maxTokens: -1 }),
      () => memory.recallWithVector("q", "/", [1, 0], /** @type {any} */ ({ preset: "best" })),
      () => memory.recallWithVector("q", "/", [1, 0], /** @type {any} */ ({ status: "gone" })),
      () => memory.recallWithVector("q", "/", [1, 0], /** @type {any} */ ({ tags: [1] })),
      () => memory.recallWithVector("q", "/", [1, 0], { asOf: new Date(Number.NaN) }),
      () => memory.recallWithVector("q", "/", [1, 0], { since: 1.5 }),
      () => memory.recallWithVector("q", "/", [1, 0], { until: "soon" }),
      () => memory.rememberWithVector("s", "c", "/", [1, 0], { importance: 2 }),
      () => memory.rememberWithVector("s", "c", "/", [1, 0], { validFrom: 5, validTo: 4 }),
      () => memory.rememberWithVector("s", "c", "/", [1, 0], /** @type {any} */ ({ peer: 5 })),
      () => memory.configureRecall("/", { vectorWeight: -1 }),
      () => memory.configureRecall("/", { decayHalfLifeDays: 0 }),
      () => memory.configureRecall("/", /** @type {any} */ ({ weight: 1 })),
      () => memory.recallConfig(/** @type {any} */ (5)),
      () => memory.maintain(-1),
      () => memory.maintain(/** @type {any} */ ("8")),
      () => memory.rememberWithVector("s", "c", "/", [1, 0], /** @type {any} */ ({ entities: "Ada" })),
      () => memory.rememberWithVector("s", "c", "/", [1, 0], { entities: ["  "] }),
      () => memory.entity("", "/"),
      () => memory.entities("/", { limit: 1.5 }),
    ];
    for (const call of calls) throwsError(zengram, call, "InvalidArgumentError", "INVALID_ARGUMENT");
    assert.equal(memory.facts("/").length, 3);
    memory.free();
  });
});
