/** What the caller's own model found and concluded, from JavaScript. What the calls do is in agent_loop.test.mjs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { importNode } from "./support/dist.mjs";
import { throwsError } from "./support/errors.mjs";

const zengram = await importNode();
const { ZengramMemory } = zengram;

const FACTS = [{ subject: "drink", content: "tea" }, { subject: "pet", content: "a dog" }];
/** @typedef {import("../src/zengram.js").Vector} Vector */

/** A memory of three dimensions with a session and a turn. */
function talk() {
  const memory = ZengramMemory.open(3);
  const { sessionId, branchId } = memory.createSession("p");
  const turnId = memory.appendTurn(sessionId, branchId, "user");
  return { memory, sessionId, turnId };
}

describe("vectors", () => {
  it("of every kind belong each to its own fact", () => {
    const { memory, sessionId, turnId } = talk();
    const wide = Float32Array.of(9, 0, 1, 0, 9);
    /** @type {Vector[]} */
    const vectors = [[1, 0, 0], wide.subarray(1, 4), Float64Array.of(0, 0, 1)];
    const facts = ["x", "y", "z"].map((subject) => ({ subject, content: `content of ${subject}` }));
    const ids = memory.extractWithFactsWithVectors("", "/", sessionId, turnId, facts, vectors);
    for (const [i, vector] of vectors.entries()) {
      const [hit] = memory.recallWithVector("?", "/", vector, { limit: 1 });
      assert.equal(hit.knowledgeId, ids[i]);
      assert.ok(Math.abs(hit.similarity - 1) < 1e-6);
    }
    const insight = { subject: "all", content: "three axes", sourceIds: ids, categories: "geometry" };
    const [made] = memory.reflectWithInsightsWithVectors("/", [insight], [[1, 1, 1]]);
    assert.deepEqual(memory.fact(made)?.sourceIds, ids);
    assert.deepEqual(memory.fact(made)?.categories, ["geometry"]);
    assert.deepEqual([...wide], [9, 0, 1, 0, 9]);
    assert.deepEqual(memory.extractWithFactsWithVectors("", "/", sessionId, turnId, [], []), []);
    assert.deepEqual(memory.reflectWithInsightsWithVectors("/empty", [insight], [[1, 1, 1]], 5), []);
    memory.free();
  });

  it("that do not fit are named, and nothing is stored", () => {
    const { memory, sessionId, turnId } = talk();
    memory.rememberWithVector("kept", "kept", "/", [1, 0, 0]);
    const gone = Float32Array.of(1, 0, 0);
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    const fails = () => {
      throw new Error("no");
    };
    /** @type {[unknown, string, string, RegExp][]} */
    const cases = [
      [[[1, 0, 0], [1, 0]], "VectorLengthError", "VECTOR_LENGTH", /1: .*2 numbers.*3/],
      [[[1, 0], [1, 0, 0, 0]], "VectorLengthError", "VECTOR_LENGTH", /0: /],
      [[[1, 0, 0, 0], [1, 0]], "VectorLengthError", "VECTOR_LENGTH", /0: /],
      [[[1, 0, 0], []], "VectorLengthError", "VECTOR_LENGTH", /1: /],
      [[[1, 0, 0]], "VectorLengthError", "VECTOR_LENGTH", /each/],
      [[], "VectorLengthError", "VECTOR_LENGTH", /each/],
      [[[1, 0, 0], [1, 0, 0], [1, 0, 0]], "VectorLengthError", "VECTOR_LENGTH", /each/],
      [[[1, 0, 0], [0, 0, 0]], "VectorZeroError", "VECTOR_ZERO", /1: /],
      [[[NaN, 0, 0], [1, 0, 0]], "VectorNotFiniteError", "VECTOR_NOT_FINITE", /0: /],
      [[[1, 0, 0], ["1", 0, 0]], "VectorTypeError", "VECTOR_TYPE", /vectors\[1\]/],
      [[[1, 0, 0], gone], "VectorTypeError", "VECTOR_TYPE", /vectors\[1\]/],
      [[[1, 0, 0], null], "VectorTypeError", "VECTOR_TYPE", /vectors\[1\] ?: .*null/],
      [[1, 0, 0], "VectorTypeError", "VECTOR_TYPE", /vectors\[0\]/],
      [[[1, 0, 0], Promise.resolve([1, 0, 0])], "VectorTypeError", "VECTOR_TYPE", /await/],
      [Float32Array.of(1, 0, 0, 1, 0, 0), "InvalidArgumentError", "INVALID_ARGUMENT", /array of vectors/],
      [undefined, "InvalidArgumentError", "INVALID_ARGUMENT", /vectors .*undefined/],
      [new Proxy([[1, 0, 0]], { get: fails }), "InvalidArgumentError", "INVALID_ARGUMENT", /cannot be read/],
    ];
    for (const [vectors, name, code, message] of cases) {
      const any = /** @type {any} */ (vectors);
      const extract = () => memory.extractWithFactsWithVectors("t", "/", sessionId, turnId, FACTS, any);
      throwsError(zengram, extract, name, code, message);
      throwsError(zengram, () => memory.reflectWithInsightsWithVectors("/", FACTS, any), name, code, message);
    }
    assert.deepEqual(memory.facts("/").map((fact) => fact.subject), ["kept"]);
    memory.free();
  });
});

describe("facts of a model", () => {
  it("may come with labels, and with nothing for what is null", () => {
    const { memory, sessionId, turnId } = talk();
    const given = [
      { subject: "a", content: "Ada likes tea", categories: "taste", tags: ["t"], peer: "Ada", importance: 0.9, private: true, entities: ["Ada"] },
      /** @type {any} */ ({ subject: "b", content: "c", categories: null, tags: undefined, peer: null }),
    ];
    const ids = memory.extractWithFactsWithVectors("t", "/", sessionId, turnId, given, [[1, 0, 0], [0, 1, 0]]);
    const [first, second] = ids.map((id) => /** @type {import("../src/zengram.js").Fact} */ (memory.fact(id)));
    assert.deepEqual(
      [first.categories, first.tags, first.peer, first.importance, first.private, first.sourceType],
      [["taste"], ["t"], "Ada", 0.9, true, "extraction"],
    );
    assert.deepEqual([second.categories, second.peer, second.turnId], [[], null, turnId]);
    assert.deepEqual(memory.entities("/").map((one) => one.name), ["Ada"]);
    memory.free();
  });

  it("are refused where they are none, all of them together", () => {
    const { memory, sessionId, turnId } = talk();
    memory.setEmbedFn(() => [1, 0, 0], 3);
    memory.remember("kept", "kept", "/");
    /** @type {[unknown, RegExp][]} */
    const cases = [
      [undefined, /array of objects, not undefined/],
      [null, /array of objects, not null/],
      ["text", /array of objects/],
      [{ subject: "s", content: "c" }, /array of objects/],
      [["text"], /array of objects/],
      [[null], /array of objects/],
      [[[]], /array of objects/],
      [[FACTS[0], , FACTS[1]], /\[1\] .*undefined/],
      [[FACTS[0], {}], /1: subject/],
      [[FACTS[0], { subject: "s" }], /1: content/],
      [[FACTS[0], { subject: "s", content: " " }], /1: content.*blank/],
      [[{ subject: 5, content: "c" }], /0: subject/],
      [[{ subject: "s", content: "c", importance: 2 }], /0: importance/],
      [[{ subject: "s", content: "c", mood: "good" }], /0 has no field 'mood'/],
      [[{ subject: "s", content: "c", validFrom: 5 }], /validFrom/],
      [[{ subject: "s", content: "c", categories: new Set(["a"]) }], /\[0\]\.categories .*Set/],
      [[{ subject: "s", content: "c", tags: [new Date()] }], /\[0\]\.tags\[0\] .*Date/],
      [[{ subject: "s", content: "c", toJSON: () => assert.fail("never called") }], /toJSON .*function/],
      [[new Map()], /\[0\] .*Map/],
    ];
    for (const [facts, message] of cases) {
      const any = /** @type {any} */ (facts);
      const extract = () => memory.extractWithFacts("t", "/", sessionId, turnId, any);
      throwsError(zengram, extract, "InvalidArgumentError", "INVALID_ARGUMENT", message);
      const reflect = () => memory.reflectWithInsights("/", any);
      throwsError(zengram, reflect, "InvalidArgumentError", "INVALID_ARGUMENT", message);
    }
    const insight = [{ subject: "s", content: "c", sourceIds: ["knw_none"] }];
    throwsError(zengram, () => memory.reflectWithInsights("/", insight), "NotFoundError", "NOT_FOUND", /knw_none/);
    throwsError(zengram, () => memory.reflectWithInsights("/", [], -1), "InvalidArgumentError", "INVALID_ARGUMENT", /limit/);
    throwsError(zengram, () => memory.extractWithFacts("t", "/", "ses_none", turnId, FACTS), "NotFoundError", "NOT_FOUND", /ses_none/);
    throwsError(zengram, () => memory.extractWithFacts("t", "/", sessionId, "trn_none", FACTS), "NotFoundError", "NOT_FOUND", /trn_none/);
    assert.deepEqual(memory.facts("/").map((fact) => fact.subject), ["kept"]);
    memory.free();
  });
});

describe("the embedding function", () => {
  it("is asked for `subject: content` of each, and stores nothing if it fails", () => {
    const { memory, sessionId, turnId } = talk();
    const extract = () => memory.extractWithFacts("t", "/", sessionId, turnId, FACTS);
    const reflect = () => memory.reflectWithInsights("/", FACTS);
    throwsError(zengram, extract, "EmbedderError", "EMBEDDER_MISSING");
    memory.rememberWithVector("kept", "kept", "/", [0, 0, 1]);
    throwsError(zengram, reflect, "EmbedderError", "EMBEDDER_MISSING");
    /** @type {string[]} */
    const heard = [];
    memory.setEmbedFn((text) => {
      heard.push(text);
      if (heard.length % 2 === 0) throw new RangeError("no such word");
      return [1, 0, 0];
    }, 3);
    for (const call of [extract, reflect]) {
      assert.ok(throwsError(zengram, call, "EmbedderError", "EMBEDDER_FAILED").cause instanceof RangeError);
    }
    assert.deepEqual(heard, ["drink: tea", "pet: a dog", "drink: tea", "pet: a dog"]);
    memory.setEmbedFn(/** @type {any} */ (async () => [1, 0, 0]), 3);
    throwsError(zengram, extract, "EmbedderError", "EMBEDDER_ASYNC", /Promise/);
    memory.setEmbedFn(() => /** @type {any} */ (memory.facts("/")), 3);
    assert.ok(throwsError(zengram, extract, "EmbedderError", "EMBEDDER_FAILED").cause instanceof zengram.BusyError);
    assert.deepEqual(memory.facts("/").map((fact) => fact.subject), ["kept"]);
    memory.free();
  });
});

describe("the settings of extraction", () => {
  it("have their defaults, are kept in snapshots, and are checked", () => {
    const { memory } = talk();
    const defaults = {
      enabled: true,
      extractOn: "assistant_turn",
      minTurnTokens: 100,
      reflectionTrigger: "session_end",
      reflectionScope: "session",
      categoriesPrompt: null,
    };
    assert.deepEqual(memory.extractionConfig("/"), defaults);
    const changed = memory.configureExtraction("/", { minTurnTokens: 5, extractOn: "every_turn" });
    assert.deepEqual(changed, { ...defaults, minTurnTokens: 5, extractOn: "every_turn" });
    const restored = ZengramMemory.openFromSnapshot(memory.exportSnapshot(), 3);
    assert.deepEqual(restored.extractionConfig("/"), changed);
    assert.deepEqual(restored.extractionConfig("/other"), defaults);
    restored.free();
    for (const [settings, message] of /** @type {[any, RegExp][]} */ ([
      [{ extractOn: "sometimes" }, /extractOn.*assistant_turn/],
      [{ minTurnTokens: -1 }, /minTurnTokens/],
      [{ enabled: 1 }, /enabled/],
      [{ minTokens: 1 }, /minTokens/],
    ])) {
      throwsError(zengram, () => memory.configureExtraction("/", settings), "InvalidArgumentError", "INVALID_ARGUMENT", message);
    }
    assert.deepEqual(memory.extractionConfig("/"), changed);
    memory.free();
  });
});
