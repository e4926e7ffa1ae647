/** Sessions, turns, parts and tool calls from JavaScript. What the calls do is in agent_loop.test.mjs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";

import { importNode } from "./support/dist.mjs";
import { throwsError } from "./support/errors.mjs";

const zengram = await importNode();
const { ZengramMemory } = zengram;

/** A memory with a session, its trunk, a turn of the user's and one of the assistant's. */
function talk() {
  const memory = ZengramMemory.open(3);
  const { sessionId, branchId } = memory.createSession("p");
  const asked = memory.appendTurn(sessionId, branchId, "user");
  const answered = memory.appendTurn(sessionId, branchId, "assistant");
  return { memory, sessionId, branchId, asked, answered };
}

/** @param {object} value */
const keys = (value) => Object.keys(value).sort();

describe("results", () => {
  it("are plain objects with their fields", () => {
    const { memory, sessionId, branchId, asked } = talk();
    memory.addPart(asked, sessionId, "text", "hello", 0);
    const call = memory.recordToolCall({ turnId: asked, sessionId, toolId: "ls" });
    /** @type {[object | null, string][]} */
    const expected = [
      [memory.createSession("p", { parentId: sessionId }), "branchId sessionId"],
      [
        memory.session(sessionId),
        "activeBranch agent channelType id modelId parentId projectId providerId status summary timeCreated timeEnded timeUpdated title " +
          "totalCostUsd totalTokens totalTurns",
      ],
      [memory.sessionBranches(sessionId)[0], "forkTurnId id name parentBranch status timeCreated"],
      [memory.getParts(asked)[0], "data id position timeCreated type"],
      [memory.sessionTimeline(sessionId)[0], "branchId id text time turnId type"],
      [
        memory.toolCall(call),
        "category durationMs error id input output partId sessionId state targetPaths timeCompleted timeCreated tokensConsumed toolId " +
          "toolSource turnId",
      ],
      [
        memory.sessionTotals(sessionId),
        "branches costUsd sessionId tokensCacheRead tokensCacheWrite tokensInput tokensOutput tokensReasoning toolCalls toolDurationMs " +
          "toolTokens turns",
      ],
      [
        memory.sessionTotals(sessionId).branches[0],
        "branchId costUsd name tokensCacheRead tokensCacheWrite tokensInput tokensOutput tokensReasoning toolCalls toolDurationMs " +
          "toolTokens turns",
      ],
    ];
    for (const [found, names] of expected) {
      assert.equal(Object.getPrototypeOf(found), Object.prototype);
      assert.deepEqual(keys(/** @type {object} */ (found)), names.split(" "));
    }
    assert.equal(memory.session("ses_none"), null);
    assert.equal(memory.toolCall("tcl_none"), null);
    assert.equal(memory.getTurns(sessionId, branchId).length, 2);
    memory.free();
  });

  it("are the same whether what may be left out is left out, undefined or null", () => {
    const { memory, sessionId, branchId, asked, answered } = talk();
    const nothing = /** @type {any} */ (null);
    const turns = memory.getTurns(sessionId, branchId);
    assert.deepEqual(memory.getTurns(sessionId, branchId, undefined, undefined), turns);
    assert.deepEqual(memory.getTurns(sessionId, branchId, nothing, nothing), turns);
    assert.deepEqual(memory.getTurns(sessionId, branchId, nothing, 1), turns.slice(1));
    memory.completeTurn(asked, 1, 2, 0.5, nothing, nothing);
    memory.completeTurn(answered, 1, 2, 0.5, undefined, { tokensReasoning: 3, tokensCacheRead: undefined, tokensCacheWrite: nothing });
    assert.equal(memory.sessionTotals(sessionId).tokensReasoning, 3);
    assert.equal(memory.createSession("p", nothing).sessionId.slice(0, 4), "ses_");
    assert.equal(memory.createSession("p", { title: nothing, agent: undefined }).branchId.slice(0, 4), "brn_");
    assert.equal(memory.sessions().length, 3);
    assert.deepEqual(memory.sessions(null, { status: "active", limit: 1 }).length, 1);
    assert.deepEqual(memory.queryToolCalls(sessionId), []);
    assert.deepEqual(memory.queryToolCalls(sessionId, nothing), []);
    assert.equal(memory.systemInstructions(nothing), null);
    memory.free();
  });

  it("of turnsSince begin at a Date, a time or after a turn", () => {
    const { memory, sessionId, asked, answered } = talk();
    const ids = (/** @type {any} */ since) => memory.turnsSince(sessionId, since).map((turn) => turn.id);
    assert.deepEqual(ids(asked), [answered]);
    assert.deepEqual(ids(answered), []);
    assert.deepEqual(ids(new Date(Date.now() - 60_000)), [asked, answered]);
    assert.deepEqual(ids(new Date(Date.now() + 60_000).toISOString()), []);
    assert.deepEqual(ids((Date.now() + 60_000) * 1000), []);
    memory.free();
  });
});

describe("data of parts", () => {
  it("cross unchanged", () => {
    const { memory, sessionId, asked } = talk();
    const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`key ${i}`, [i, `${i}`, null]]));
    const named = JSON.parse('{"__proto__": {"a": 1}, "toJSON": "text", "constructor": null, "": 0, "snake_case": {"camelCase": []}}');
    const nested = (/** @type {number} */ depth) => {
      /** @type {any} */
      let value = 1;
      for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { value };
      return value;
    };
    /** @type {any[]} */
    const data = [
      null, true, false, 0, -1.5, 1e300, 2 ** 53, "", "日本 🍵 \u0000 \" \\ \u2028", [], {}, [[], [{}]], wide, named, nested(200),
      Object.assign(Object.create(null), { bare: 1 }), runInNewContext("({other: [1, {realm: true}]})"),
    ];
    data.forEach((value, i) => memory.addPart(asked, sessionId, "json", value, i));
    const found = memory.getParts(asked).map((part) => part.data);
    assert.deepEqual(found.map((value) => JSON.stringify(value)), data.map((value) => JSON.stringify(value)));
    memory.free();
  });

  it("lose properties that are undefined, and halves of surrogate pairs", () => {
    const { memory, sessionId, asked } = talk();
    memory.addPart(asked, sessionId, "json", { a: 1, b: undefined, c: { d: undefined }, e: "\ud83e" }, 0);
    assert.deepEqual(memory.getParts(asked)[0].data, { a: 1, c: {}, e: "\ufffd" });
    memory.free();
  });

  it("are refused where they are no JSON, and the place is told", () => {
    const { memory, sessionId, asked } = talk();
    const circular = /** @type {any} */ ({ list: [] });
    circular.list.push(circular);
    let deep = /** @type {any} */ (1);
    for (let i = 0; i < 201; i++) deep = [deep];
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    class Point {
      x = 1;
    }
    const never = () => assert.fail("never called");
    /** @type {[unknown, RegExp][]} */
    const cases = [
      [undefined, /data/],
      [() => 1, /data is no JSON: it is a function/],
      [{ steps: [1, { when: new Date(0) }] }, /data\.steps\[1\]\.when is no JSON: it is a Date/],
      [{ a: { toJSON: never } }, /data\.a\.toJSON .*function/],
      [[1, undefined], /data\[1\] .*undefined/],
      [[1, , 2], /data\[1\] .*undefined/],
      [{ n: NaN }, /data\.n .*NaN/],
      [{ n: [-Infinity] }, /data\.n\[0\] .*-Infinity/],
      [{ n: 5n }, /data\.n .*bigint/],
      [{ "not a name": Symbol("x") }, /data\["not a name"\] .*symbol/],
      [{ m: new Map([["a", 1]]) }, /data\.m .*Map/],
      [{ s: new Set() }, /data\.s .*Set/],
      [{ v: new Float32Array(2) }, /data\.v .*Float32Array/],
      [new Uint8Array(2), /data .*Uint8Array/],
      [{ p: Promise.resolve(1) }, /data\.p .*Promise/],
      [{ p: new Point() }, /data\.p .*instance of a class/],
      [new String("x"), /data .*String/],
      [circular, /contains itself/],
      [deep, /200 deep/],
      [revoked.proxy, /data/],
      [new Proxy({}, { ownKeys: () => { throw new RangeError("no keys"); } }), /cannot be read.*no keys/],
      [Object.defineProperty({}, "x", { enumerable: true, get: () => { throw new RangeError("no x"); } }), /cannot be read.*no x/],
    ];
    for (const [data, message] of cases) {
      const any = /** @type {any} */ (data);
      const add = () => memory.addPart(asked, sessionId, "json", any, 0);
      throwsError(zengram, add, "InvalidArgumentError", "INVALID_ARGUMENT", message);
      if (data === undefined) continue; // of an option: not given
      const call = () => memory.recordToolCall({ turnId: asked, sessionId, toolId: "t", input: any });
      const moved = new RegExp(message.source.replaceAll("data", "input"), message.flags);
      throwsError(zengram, call, "InvalidArgumentError", "INVALID_ARGUMENT", moved);
    }
    assert.deepEqual(memory.getParts(asked), []);
    assert.deepEqual(memory.queryToolCalls(sessionId), []);
    memory.free();
  });
});

describe("outputs of tool calls", () => {
  it("are texts, or JSON as its text", () => {
    const { memory, sessionId, answered } = talk();
    /** @type {[any, string | null][]} */
    const outputs = [
      ["plain", "plain"],
      ["", ""],
      [{ files: ["a", 1], none: undefined }, '{"files":["a",1]}'],
      [[1, null], "[1,null]"],
      [0, "0"],
      [false, "false"],
      [null, null],
      [undefined, null],
    ];
    for (const [output, text] of outputs) {
      const id = memory.recordToolCall({ turnId: answered, sessionId, toolId: "t" });
      memory.completeToolCall(id, { output });
      assert.equal(memory.toolCall(id)?.output, text);
      assert.equal(memory.toolCall(id)?.state, "completed");
    }
    const id = memory.recordToolCall({ turnId: answered, sessionId, toolId: "t", targetPaths: "one" });
    const bad = () => memory.completeToolCall(id, { output: /** @type {any} */ ({ at: new Date() }) });
    throwsError(zengram, bad, "InvalidArgumentError", "INVALID_ARGUMENT", /output\.at .*Date/);
    memory.completeToolCall(id);
    assert.deepEqual(memory.toolCall(id)?.targetPaths, ["one"]);
    assert.ok(Number(memory.toolCall(id)?.durationMs) >= 0);
    memory.free();
  });

  it("come once: the states are told", () => {
    const { memory, sessionId, answered } = talk();
    const id = memory.recordToolCall({ turnId: answered, sessionId, toolId: "t" });
    memory.completeToolCall(id, { error: "failed" });
    throwsError(zengram, () => memory.startToolCall(id), "StateError", "INVALID_STATE", /error.*running/);
    throwsError(zengram, () => memory.completeToolCall(id), "StateError", "INVALID_STATE", /error.*completed/);
    memory.free();
  });
});

describe("bad arguments", () => {
  /** @typedef {{sessionId: string, branchId: string, asked: string}} Known */
  const TURN = "trn_none";
  const ARGUMENT = /** @type {const} */ (["InvalidArgumentError", "INVALID_ARGUMENT"]);
  const NOT_FOUND = /** @type {const} */ (["NotFoundError", "NOT_FOUND"]);
  /** @type {[(memory: any, known: Known) => unknown, readonly [string, string], RegExp][]} */
  const CALLS = [
    [(m) => m.createSession(), ARGUMENT, /projectId .*undefined/],
    [(m) => m.createSession(""), ARGUMENT, /blank/],
    [(m) => m.createSession("p", { title: 5 }), ARGUMENT, /title/],
    [(m) => m.createSession("p", { name: "x" }), ARGUMENT, /"name"; it takes title/],
    [(m) => m.createSession("p", { parentId: "ses_none" }), NOT_FOUND, /ses_none/],
    [(m) => m.createSession("p", "title"), ARGUMENT, /object/],
    [(m, k) => m.forkSession(k.sessionId, TURN), NOT_FOUND, /trn_none/],
    [(m) => m.forkSession("ses_none", TURN), NOT_FOUND, /ses_none/],
    [(m) => m.endSession("ses_none"), NOT_FOUND, /ses_none/],
    [(m) => m.session(7), ARGUMENT, /sessionId/],
    [(m) => m.sessions(7), ARGUMENT, /projectId/],
    [(m) => m.sessions("p", { limit: -1 }), ARGUMENT, /limit/],
    [(m) => m.sessionBranches("ses_none"), NOT_FOUND, /ses_none/],
    [(m) => m.sessionTimeline("ses_none"), NOT_FOUND, /ses_none/],
    [(m) => m.sessionTotals("ses_none"), NOT_FOUND, /ses_none/],
    [(m) => m.setSystemInstructions(null), ARGUMENT, /text .*null/],
    [(m) => m.setSystemInstructions("t", { projectId: "p", sessionId: "s" }), ARGUMENT, /one of the two/],
    [(m) => m.setSystemInstructions("t", { projectId: "none" }), NOT_FOUND, /none/],
    [(m) => m.systemInstructions({ sessionId: "none" }), NOT_FOUND, /none/],
    [(m, k) => m.appendTurn(k.sessionId, k.branchId, "system"), ARGUMENT, /system/],
    [(m, k) => m.appendTurn(k.sessionId, k.branchId), ARGUMENT, /role .*undefined/],
    [(m, k) => m.appendTurn(k.sessionId, "brn_none", "user"), NOT_FOUND, /brn_none/],
    [(m, k) => m.appendTurn(k.sessionId, k.branchId, "user", { parentTurnId: TURN }), NOT_FOUND, /trn_none/],
    [(m, k) => m.addPart(TURN, k.sessionId, "text", "x", 0), NOT_FOUND, /trn_none/],
    [(m, k) => m.addPart(k.asked, k.sessionId, "text", "x"), ARGUMENT, /position .*undefined/],
    [(m, k) => m.addPart(k.asked, k.sessionId, "text", "x", -1), ARGUMENT, /position .*-1/],
    [(m, k) => m.addPart(k.asked, k.sessionId, "text", "x", 0.5), ARGUMENT, /position .*0\.5/],
    [(m, k) => m.addPart(k.asked, k.sessionId, {}, "x", 0), ARGUMENT, /partType .*object/],
    [(m, k) => m.completeTurn(k.asked, -1, 0, 0), ARGUMENT, /tokensIn .*-1/],
    [(m, k) => m.completeTurn(k.asked, 0, "1", 0), ARGUMENT, /tokensOut .*string/],
    [(m, k) => m.completeTurn(k.asked, 0, 0, NaN), ARGUMENT, /costUsd .*NaN/],
    [(m, k) => m.completeTurn(k.asked, 0, 0), ARGUMENT, /costUsd .*undefined/],
    [(m, k) => m.completeTurn(k.asked, 0, 0, 0, 5), ARGUMENT, /finishReason/],
    [(m, k) => m.completeTurn(k.asked, 0, 0, 0, "stop", { tokensThought: 1 }), ARGUMENT, /tokensThought/],
    [(m) => m.completeTurn(TURN, 0, 0, 0), NOT_FOUND, /trn_none/],
    [(m) => m.summarizeTurn(TURN, "s"), NOT_FOUND, /trn_none/],
    [(m, k) => m.getTurns(k.sessionId), ARGUMENT, /branchId .*undefined/],
    [(m, k) => m.getTurns(k.sessionId, k.branchId, "10"), ARGUMENT, /limit/],
    [(m, k) => m.getTurns(k.sessionId, "brn_none"), NOT_FOUND, /brn_none/],
    [(m) => m.getParts(TURN), NOT_FOUND, /trn_none/],
    [(m, k) => m.turnsSince(k.sessionId), ARGUMENT, /since .*undefined/],
    [(m, k) => m.turnsSince(k.sessionId, Date.now()), ARGUMENT, /milliseconds/],
    [(m, k) => m.turnsSince(k.sessionId, TURN), NOT_FOUND, /trn_none/],
    [(m) => m.recordToolCall(), ARGUMENT, /missing/],
    [(m, k) => m.recordToolCall({ sessionId: k.sessionId, turnId: k.asked }), ARGUMENT, /tool id/],
    [(m, k) => m.recordToolCall({ sessionId: k.sessionId, turnId: TURN, toolId: "t" }), NOT_FOUND, /trn_none/],
    [(m, k) => m.recordToolCall({ sessionId: k.sessionId, turnId: k.asked, toolId: "t", partId: "prt_none" }), NOT_FOUND, /prt_none/],
    [(m, k) => m.recordToolCall({ sessionId: k.sessionId, turnId: k.asked, toolId: "t", targetPaths: [1] }), ARGUMENT, /targetPaths/],
    [(m) => m.startToolCall("tcl_none"), NOT_FOUND, /tcl_none/],
    [(m) => m.completeToolCall("tcl_none", { durationMs: -1 }), ARGUMENT, /durationMs/],
    [(m) => m.completeToolCall("tcl_none", {}), NOT_FOUND, /tcl_none/],
    [(m, k) => m.queryToolCalls(k.sessionId, { state: "done" }), ARGUMENT, /pending/],
    [(m) => m.queryToolCalls("ses_none"), NOT_FOUND, /ses_none/],
  ];

  it("are refused with the error that fits, and change nothing", () => {
    const { memory, sessionId, branchId, asked } = talk();
    const known = { sessionId, branchId, asked };
    const state = () => [memory.session(sessionId), memory.sessionTimeline(sessionId), memory.sessions()];
    const before = state();
    for (const [call, [name, code], message] of CALLS) throwsError(zengram, () => call(memory, known), name, code, message);
    assert.deepEqual(state(), before);
    memory.free();
    for (const [call] of CALLS) throwsError(zengram, () => call(memory, known), "ClosedError", "CLOSED");
  });

  it("include sessions that have ended and turns that are completed", () => {
    const { memory, sessionId, branchId, asked } = talk();
    memory.completeTurn(asked, 0, 0, 0);
    throwsError(zengram, () => memory.completeTurn(asked, 0, 0, 0), "StateError", "INVALID_STATE", /completed/);
    memory.endSession(sessionId);
    throwsError(zengram, () => memory.endSession(sessionId), "StateError", "INVALID_STATE", /ended/);
    throwsError(zengram, () => memory.appendTurn(sessionId, branchId, "user"), "StateError", "INVALID_STATE", /ended/);
    throwsError(zengram, () => memory.forkSession(sessionId, asked), "StateError", "INVALID_STATE", /ended/);
    memory.free();
  });
});
