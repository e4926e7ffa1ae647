/** Contexts, the functions that a memory calls for them, memory branches and storage budgets, from JavaScript. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";

import { importNode } from "./support/dist.mjs";
import { refusesAll, throwsError } from "./support/errors.mjs";

const zengram = await importNode();
const { ZengramMemory } = zengram;

/** @typedef {import("../src/zengram.js").ZengramMemory} Memory */

/** A memory with a session, its trunk and a message of the user's. @param {string} [text] */
function talk(text = "hello there") {
  const memory = ZengramMemory.open(2);
  const { sessionId, branchId } = memory.createSession("p");
  const turn = memory.appendTurn(sessionId, branchId, "user");
  memory.addPart(turn, sessionId, "text", { text }, 0);
  return { memory, sessionId, branchId, turn };
}

/** @param {object} value */
const keys = (value) => Object.keys(value).sort().join(" ");

const nothing = /** @type {any} */ (null);
const ARGUMENT = /** @type {const} */ (["InvalidArgumentError", "INVALID_ARGUMENT"]);
const NOT_FOUND = /** @type {const} */ (["NotFoundError", "NOT_FOUND"]);
const BRANCH = /** @type {const} */ (["ZengramError", "BRANCH"]);

describe("a context", () => {
  it("is a plain object of blocks in their order", () => {
    const { memory, sessionId, branchId, turn } = talk();
    memory.setSystemInstructions("Be kind.");
    const rule = memory.addPermissionRule("edit", "src/**", "allow");
    const fact = memory.rememberWithVector("tea", "tea is what the user drinks", "/project/p", [1, 0]);
    const task = memory.addTask("Fix the login", { sessionId });
    const fork = memory.forkSession(sessionId, turn, { name: "idea" });
    const other = memory.appendTurn(sessionId, fork, "assistant");
    memory.addPart(other, sessionId, "text", { text: "another idea" }, 0);
    const call = memory.recordToolCall({ turnId: turn, sessionId, toolId: "read" });
    const window = memory.assembleContext(sessionId, branchId, 4000, { explain: true });
    assert.equal(Object.getPrototypeOf(window), Object.prototype);
    assert.deepEqual(window.blocks.map((block) => [block.type, block.sourceIds]), [
      ["system", ["all"]],
      ["permissionRules", [rule]],
      ["knowledge", [fact]],
      ["tasks", [task]],
      ["turn", [turn]],
      ["branchSummary", [fork]],
      ["pending", [call]],
    ]);
    const fields = "blocks budget explanation knowledgeFingerprint reason totalTokens turnsIncluded turnsSkipped turnsSummarized".split(" ");
    assert.deepEqual(Object.keys(window).sort(), fields);
    assert.deepEqual(Object.keys(window.blocks[0]).sort(), ["content", "sourceIds", "tokenCount", "type"]);
    assert.deepEqual(Object.keys(window.explanation?.[0] ?? {}).sort(), ["id", "reason", "status", "tokens", "type"]);
    assert.match(window.knowledgeFingerprint, /^[0-9a-f]{64}$/);
    const plain = memory.assembleContext(sessionId, branchId, 4000, { explain: nothing, vec: undefined });
    assert.equal(plain.explanation?.length ?? 0, 0);
    assert.deepEqual(plain.blocks, window.blocks);
    memory.free();
  });

  it("takes shares, and a vector to choose facts by", () => {
    const { memory, sessionId, branchId } = talk("without a shared word?");
    for (let i = 0; i < 40; i++) memory.rememberWithVector(`a${i}`, "something that takes room in the block", "/project/p", [1, i / 100]);
    const target = memory.rememberWithVector("zz", "what is meant", "/project/p", [0, 1]);
    /** @param {import("../src/zengram.js").ContextOptions} options */
    const told = (options) => {
      const { blocks } = memory.assembleContext(sessionId, branchId, 800, options);
      return blocks.find((block) => block.type === "knowledge")?.sourceIds ?? [];
    };
    for (const vec of [[0, 1], Float32Array.of(0, 1), Float64Array.of(9, 0, 1).subarray(1), runInNewContext("Float32Array.of(0, 1)")]) {
      assert.ok(told({ vec }).includes(target));
    }
    assert.deepEqual(told({ knowledgeBudgetPct: 0 }), []);
    assert.ok(told({ vec: [0, 1], knowledgeBudgetPct: 0.9, reservePct: 0 }).length > told({ vec: [0, 1] }).length);
    memory.free();
  });

  it("asks the embedding function where facts do not all fit", () => {
    const { memory, sessionId, branchId } = talk("what is meant?");
    for (let i = 0; i < 40; i++) memory.rememberWithVector(`a${i}`, "something that takes room in the block", "/project/p", [1, i / 100]);
    const cause = new Error("no model");
    memory.setEmbedFn(() => {
      throw cause;
    }, 2);
    const failed = throwsError(zengram, () => memory.assembleContext(sessionId, branchId, 800), "EmbedderError", "EMBEDDER_FAILED", /no model/);
    assert.equal(failed.cause, cause);
    assert.ok(memory.assembleContext(sessionId, branchId, 8000).blocks.length > 1, "all fit");
    assert.ok(memory.assembleContext(sessionId, branchId, 800, { vec: [0, 1] }).blocks.length > 1, "a vector is given");
    memory.free();
  });
});

describe("a token counter", () => {
  it("counts, and is named once for each turn", () => {
    const { memory, sessionId, branchId } = talk("text of a turn");
    assert.equal(memory.countTokens("12345678"), 2);
    /** @type {string[]} */
    const asked = [];
    memory.setTokenCounter(
      (text) => {
        asked.push(text);
        return text.split(" ").length;
      },
      { modelFamily: "words" },
    );
    assert.equal(memory.countTokens("naïve 日本 😀"), 3);
    assert.equal(memory.countTokens(""), 0);
    assert.equal(memory.assembleContext(sessionId, branchId, 100).blocks[0].tokenCount, 5, "user: text of a turn");
    const until = Date.now() + 5;
    while (Date.now() < until);
    memory.assembleContext(sessionId, branchId, 100);
    memory.createSession("p"); // what was counted goes out with it
    assert.equal(memory.query("select * from token_estimate where model_family = 'words'").rows.length, 1);
    memory.setTokenCounter(() => 7.0);
    assert.equal(memory.countTokens("x"), 7);
    memory.setTokenCounter(null);
    assert.equal(memory.countTokens("12345678"), 2);
    memory.setTokenCounter(/** @type {any} */ (Math.max), nothing);
    throwsError(zengram, () => memory.countTokens("no number"), ...ARGUMENT, /NaN/);
    memory.free();
  });

  it("must be a function, and give a whole number at once", () => {
    const { memory, sessionId, branchId } = talk();
    for (const bad of [undefined, 5, "text", {}, Promise.resolve(1)]) {
      throwsError(zengram, () => memory.setTokenCounter(/** @type {any} */ (bad)), ...ARGUMENT, /setTokenCounter needs a function or null/);
    }
    for (const options of ["family", { modelFamily: 5 }, { family: "x" }, { modelFamily: " " }]) {
      throwsError(zengram, () => memory.setTokenCounter(() => 1, /** @type {any} */ (options)), ...ARGUMENT);
    }
    throwsError(zengram, () => memory.setTokenCounter(null, { modelFamily: "words" }), ...ARGUMENT, /no model family/);
    for (const bad of [-1, 1.5, NaN, Infinity, 2 ** 60, "3", null, undefined, 3n, [3], {}, new Number(3)]) {
      memory.setTokenCounter(/** @type {any} */ (() => bad));
      throwsError(zengram, () => memory.countTokens("x"), ...ARGUMENT, /token counter failed.*whole number of at least 0/);
      throwsError(zengram, () => memory.assembleContext(sessionId, branchId, 100), ...ARGUMENT, /token counter failed/);
    }
    memory.setTokenCounter(/** @type {any} */ (async () => 1));
    throwsError(zengram, () => memory.countTokens("x"), ...ARGUMENT, /token counter returned a Promise/);
    for (const thrown of [new RangeError("too long"), "a text", null, undefined, Object.create(null)]) {
      memory.setTokenCounter(() => {
        throw thrown;
      });
      const failed = throwsError(zengram, () => memory.assembleContext(sessionId, branchId, 100), ...ARGUMENT, /token counter failed/);
      assert.equal(failed.cause, thrown);
    }
    memory.setTokenCounter(null);
    assert.equal(memory.countTokens("x"), 1, "the memory goes on");
    memory.free();
  });

  it("may not call the memory that waits for it, but others", () => {
    const { memory } = talk();
    const other = ZengramMemory.open(2);
    /** @type {any} */
    let busy;
    for (const call of [
      () => memory.countTokens("y"),
      () => memory.setTokenCounter(null),
      () => memory.query("select 1"),
      () => memory.maintain(),
      () => memory.exportSnapshot(),
      () => memory.batch(() => 1),
      () => memory.free(),
    ]) {
      memory.setTokenCounter((text) => {
        busy = undefined;
        try {
          call();
        } catch (error) {
          busy = error;
        }
        return other.countTokens(text);
      });
      assert.equal(memory.countTokens("12345678"), 2);
      assert.equal(busy?.name, "BusyError");
      assert.match(busy.message, /token counter of a memory/);
    }
    memory.setTokenCounter((text) => memory.countTokens(text));
    const failed = throwsError(zengram, () => memory.countTokens("x"), ...ARGUMENT, /token counter failed/);
    assert.equal(failed.cause.code, "BUSY");
    for (const open of [memory, other]) open.free();
    throwsError(zengram, () => memory.countTokens("x"), "ClosedError", "CLOSED");
    throwsError(zengram, () => memory.setTokenCounter(null), "ClosedError", "CLOSED");
  });
});

describe("an entity extractor", () => {
  it("finds the names of facts and questions", () => {
    const memory = ZengramMemory.open(2);
    memory.setEntityExtractor((text) => text.split(" ").filter((word) => word.startsWith("@")));
    memory.rememberWithVector("who", "it was @ada and @grace", "/", [1, 0]);
    assert.deepEqual(memory.entities("/").map((one) => one.name).sort(), ["@ada", "@grace"]);
    memory.setEntityExtractor(() => Object.freeze(["日本"]));
    memory.rememberWithVector("where", "in a country", "/", [1, 0]);
    assert.deepEqual(memory.entity("日本", "/").map((one) => one.subject), ["where"]);
    memory.setEntityExtractor(null);
    memory.rememberWithVector("else", "Linus said so", "/", [1, 0]);
    assert.equal(memory.entity("linus", "/").length, 1);
    memory.free();
  });

  it("must be a function, and give names at once", () => {
    const memory = ZengramMemory.open(2);
    const remember = () => memory.rememberWithVector("s", "c", "/", [1, 0]);
    throwsError(zengram, () => memory.setEntityExtractor(/** @type {any} */ (undefined)), ...ARGUMENT, /setEntityExtractor needs a function or null/);
    for (const bad of ["name", [1], [null], undefined, null, {}, new Set(["a"])]) {
      memory.setEntityExtractor(/** @type {any} */ (() => bad));
      throwsError(zengram, remember, ...ARGUMENT, /entity extractor failed.*array of strings/);
    }
    memory.setEntityExtractor(/** @type {any} */ (async () => ["a"]));
    throwsError(zengram, remember, ...ARGUMENT, /entity extractor returned a Promise/);
    memory.setEntityExtractor(() => memory.entities("/").map((one) => one.name));
    assert.equal(throwsError(zengram, remember, ...ARGUMENT, /entity extractor failed/).cause.code, "BUSY");
    assert.deepEqual(memory.facts("/"), []);
    memory.free();
  });
});

describe("memory branches", () => {
  it("are forked, used, compared, merged and discarded", () => {
    const { memory, sessionId, branchId } = talk();
    const red = memory.rememberWithVector("color", "red", "/", [1, 0]);
    memory.forkMemory("idea");
    memory.useMemory("idea");
    assert.deepEqual(memory.memoryBranches().map((one) => [one.name, one.parent, one.isCurrent]), [["main", null, false], ["idea", "main", true]]);
    const turn = memory.appendTurn(sessionId, branchId, "assistant");
    const blue = memory.rememberWithVector("color", "blue", "/", [0, 1]);
    memory.useMemory(null);
    assert.equal(memory.fact(blue), null);
    const diff = memory.diffMemory("idea", { against: "main" });
    assert.deepEqual(diff, memory.diffMemory("idea"));
    assert.deepEqual(diff.facts.map((one) => [one.id, one.change, one.before, one.after]), [
      [red, "changed", "red", "(superseded) red"],
      [blue, "added", null, "blue"],
    ]);
    assert.deepEqual(diff.turns, [{ id: turn, change: "added", sessionId, branchId, role: "assistant" }]);
    const tried = memory.mergeMemory("idea", { dryRun: true });
    assert.deepEqual([tried.applied, tried.facts, tried.turns, tried.conflicts, tried.contradictions], [false, 2, 1, [], []]);
    assert.equal(memory.mergeMemory("idea", { strategy: nothing }).applied, true);
    assert.equal(memory.fact(red)?.supersededBy, blue);
    memory.discardMemory("idea");
    assert.equal(memory.memoryBranches().length, 1);
    memory.free();
  });

  it("tell where both sides say something else", () => {
    const { memory, turn } = talk();
    memory.forkMemory("idea");
    const ours = memory.rememberWithVector("color", "red", "/", [1, 0], { peer: "Ada" });
    memory.useMemory("idea");
    const theirs = memory.rememberWithVector("color", "blue", "/", [0, 1], { peer: "Ada" });
    memory.useMemory("main");
    const { conflicts, contradictions, applied } = memory.mergeMemory("idea");
    assert.equal(applied, false);
    assert.deepEqual(contradictions, [
      { scope: "/", subject: "color", peer: "Ada", oursId: ours, oursContent: "red", theirsId: theirs, theirsContent: "blue" },
    ]);
    assert.deepEqual(conflicts, []);
    assert.equal(memory.mergeMemory("idea", { strategy: "theirs" }).applied, true);
    assert.deepEqual(memory.facts("/").map((one) => one.content), ["blue"]);
    memory.forkMemory("other");
    memory.summarizeTurn(turn, "ours");
    memory.useMemory("other");
    memory.summarizeTurn(turn, "theirs");
    memory.useMemory("main");
    const [conflict] = memory.mergeMemory("other").conflicts;
    assert.equal(keys(conflict), "base key ours reason table theirs");
    assert.deepEqual([conflict.table, conflict.key, conflict.base?.summary, conflict.ours?.summary, conflict.theirs?.summary], ["turn", [turn], null, "ours", "theirs"]);
    memory.free();
  });
});

describe("storage budgets", () => {
  it("prune sessions, and leave facts", () => {
    const { memory, sessionId, turn } = talk("a".repeat(1000));
    const fact = memory.rememberWithVector("s", "c", "/", [1, 0], { sessionId, turnId: turn });
    const newer = memory.createSession("p").sessionId;
    assert.equal(memory.enforceBudget("/"), null);
    assert.equal(memory.storageBudget("/"), null);
    const budget = memory.configureBudget("/", { maxBytes: 900, highWaterBytes: 800, retainMin: 1 });
    assert.deepEqual(memory.storageBudget("/"), budget);
    assert.deepEqual([budget.scope, budget.maxBytes, budget.highWaterBytes, budget.retainMin, budget.lastPruned], ["/", 900, 800, 1, null]);
    const report = memory.enforceBudget("/");
    assert.deepEqual(Object.keys(report ?? {}).sort(), ["bytesFreed", "sessionsPruned"]);
    assert.ok(report?.sessionsPruned === 1 && report.bytesFreed > 1000);
    assert.deepEqual(memory.sessions().map((one) => one.id), [newer]);
    assert.deepEqual([memory.fact(fact)?.content, memory.turn(turn)], ["c", null]);
    memory.deleteSession(newer);
    assert.deepEqual(memory.sessions(), []);
    memory.free();
  });
});

describe("bad arguments", () => {
  /** @typedef {{sessionId: string, branchId: string}} Known */
  /** @type {[(memory: any, known: Known) => unknown, readonly [string, string], RegExp][]} */
  const CALLS = [
    [(m) => m.assembleContext(), ARGUMENT, /sessionId/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId), ARGUMENT, /budget .*undefined/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, -1), ARGUMENT, /budget .*-1/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, NaN), ARGUMENT, /budget .*NaN/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, "100"), ARGUMENT, /budget .*string/],
    [(m, k) => m.assembleContext(k.sessionId, "brn_none", 100), NOT_FOUND, /brn_none/],
    [(m, k) => m.assembleContext("ses_none", k.branchId, 100), NOT_FOUND, /ses_none|brn_/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, 100, { knowledgeBudgetPct: 1.5 }), ARGUMENT, /knowledgeBudgetPct/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, 100, { reservePct: -0.1 }), ARGUMENT, /reservePct/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, 100, { hot_budget_pct: 1 }), ARGUMENT, /"hot_budget_pct"; it takes/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, 100, { explain: 1 }), ARGUMENT, /explain/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, 100, { vec: "1,0" }), ["VectorTypeError", "VECTOR_TYPE"], /string/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, 100, { vec: [1, "0"] }), ["VectorTypeError", "VECTOR_TYPE"], /element 1/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, 100, { vec: [1] }), ["VectorLengthError", "VECTOR_LENGTH"], /2/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, 100, { vec: [0, 0] }), ["VectorZeroError", "VECTOR_ZERO"], /zero/],
    [(m, k) => m.assembleContext(k.sessionId, k.branchId, 100, { vec: [NaN, 0] }), ["VectorNotFiniteError", "VECTOR_NOT_FINITE"], /NaN|finite/],
    [(m) => m.countTokens(), ARGUMENT, /text .*undefined/],
    [(m) => m.countTokens(5), ARGUMENT, /text/],
    [(m) => m.forkMemory(), ARGUMENT, /name/],
    [(m) => m.forkMemory("main"), BRANCH, /main/],
    [(m) => m.useMemory("none"), BRANCH, /none/],
    [(m) => m.useMemory(5), ARGUMENT, /name/],
    [(m) => m.discardMemory("none"), BRANCH, /none/],
    [(m) => m.discardMemory("main"), BRANCH, /main/],
    [(m) => m.diffMemory("none"), BRANCH, /none/],
    [(m) => m.diffMemory("main", { against: "none" }), BRANCH, /none/],
    [(m) => m.mergeMemory("none"), BRANCH, /none/],
    [(m) => m.mergeMemory("main", { strategy: "best" }), ARGUMENT, /ours/],
    [(m) => m.mergeMemory("main", { dryRun: 1 }), ARGUMENT, /dryRun/],
    [(m) => m.batch(() => m.forkMemory("idea")), ["TransactionError", "TRANSACTION_STATE"], /batch/],
    [(m) => m.configureBudget(), ARGUMENT, /scope/],
    [(m) => m.configureBudget("/", { maxBytes: -1 }), ARGUMENT, /maxBytes/],
    [(m) => m.configureBudget("/", { maxBytes: 5, highWaterBytes: 6 }), ARGUMENT, /highWaterBytes must not be more than maxBytes/],
    [(m) => m.storageBudget(5), ARGUMENT, /scope/],
    [(m) => m.enforceBudget(""), ARGUMENT, /scope/],
    [(m) => m.deleteSession("ses_none"), NOT_FOUND, /ses_none/],
  ];

  it("are refused with the error that fits, and change nothing", () => {
    const { memory, sessionId, branchId } = talk();
    const state = () => [memory.sessionTimeline(sessionId), memory.memoryBranches(), memory.query("select * from storage_budget").rows];
    refusesAll(zengram, memory, CALLS, { sessionId, branchId }, state);
  });
});
