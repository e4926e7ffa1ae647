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
    const { vector, text, shared, relevance, ageDays, relevancePart, recencyPart, importancePart } =
      /** @type {import("../src/zengram.js").Explanation} */ (hit.explanation);
    assert.ok(Math.abs(hit.score - (relevancePart + recencyPart + importancePart)) < 1e-12);
    assert.ok(Math.abs(relevance - (0.4 * vector + 0.3 * text) / 0.7) < 1e-12);
    assert.ok(text > 0 && text < 1);
    assert.equal(shared, 0);
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
  it("that make no sense are refused, and nothing is stored", () => {
    const memory = filled();
    const calls = [
      () => memory.recallWithVector("q", "/", [1, 0], /** @type {any} */ ({ limits: 1 })),
      () => memory.recallWithVector("q", "/", [1, 0], { limit: -1 }),
      () => memory.recallWithVector("q", "/", [1, 0], { minScore: 2 }),
      () => memory.recallWithVector("q", "/", [1, 0], /** @type {any} */ ({ explain: "yes" })),
      () => memory.recallWithVector("q", "/", [1, 0], /** @type {any} */ (5)),
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
