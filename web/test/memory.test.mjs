/** The memory through the Node entry, with the real wheel in the real runtime. */
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";

import { importNode } from "./support/dist.mjs";
import { throwsError } from "./support/errors.mjs";
import { DIM, embed } from "./support/toy.mjs";

const zengram = await importNode();
const { ZengramMemory, versions } = zengram;

const HIT_KEYS = "content importance knowledgeId score similarity status subject timeCreated tokens".split(" ");
const FACT_KEYS = (
  "accessCount categories confidence content expires id importance lastAccessed peer private projectId scope sessionId sourceIds " +
  "sourceType status subject supersededBy tags timeCreated timeDecayed timeUpdated timesConfirmed timesContradicted turnId validFrom validTo"
).split(" ");

function openToy() {
  const memory = ZengramMemory.open(DIM);
  memory.setEmbedFn(embed, DIM);
  return memory;
}

describe("remember and recall", () => {
  it("finds the fact that shares words with the query, as plain values", () => {
    const memory = openToy();
    const tea = memory.remember("drink", "user drinks green tea", "/user");
    const car = memory.remember("car", "user drives a red Toyota", "/user");
    assert.equal(typeof tea, "string");
    assert.notEqual(tea, car);
    const hits = memory.recall("green tea", "/user");
    assert.ok(Array.isArray(hits));
    assert.equal(hits[0].knowledgeId, tea);
    assert.equal(hits[0].subject, "drink");
    assert.equal(hits[0].content, "user drinks green tea");
    for (const hit of hits) {
      assert.equal(Object.getPrototypeOf(hit), Object.prototype);
      assert.deepEqual(Object.keys(hit).sort(), HIT_KEYS);
    }
    memory.free();
  });

  it("embeds `subject: content` for a fact and the bare text for a query", () => {
    const memory = ZengramMemory.open(DIM);
    /** @type {string[]} */
    const texts = [];
    memory.setEmbedFn((text) => (texts.push(text), embed(text)), DIM);
    memory.remember("drink", "green tea", "/");
    memory.recall("hot beverage", "/");
    assert.deepEqual(texts, ["drink: green tea", "hot beverage"]);
    memory.free();
  });

  it("sees only the asked scope", () => {
    const memory = openToy();
    memory.remember("drink", "green tea", "/a");
    memory.remember("drink", "black coffee", "/b");
    assert.deepEqual(memory.recall("drink", "/a").map((hit) => hit.content), ["green tea"]);
    assert.deepEqual(memory.recall("drink", "/nowhere"), []);
    memory.free();
  });

  it("takes every kind of vector, and a subarray from its offset", () => {
    const memory = ZengramMemory.open(3);
    const wide = Float32Array.of(9, 9, 0, 1, 0, 9);
    /** @type {import("../src/zengram.js").Vector[]} */
    const vectors = [[0, 1, 0], Float32Array.of(0, 1, 0), Float64Array.of(0, 1, 0), wide.subarray(2, 5)];
    vectors.forEach((vector, i) => memory.rememberWithVector(`s${i}`, `content ${i}`, "/", vector));
    for (const vector of vectors) {
      const hits = memory.recallWithVector("x", "/", vector);
      assert.equal(hits.length, vectors.length);
      for (const hit of hits) assert.ok(Math.abs(hit.similarity - 1) < 1e-6);
    }
    memory.free();
  });

  it("takes a vector of another realm", () => {
    const memory = ZengramMemory.open(2);
    memory.rememberWithVector("a", "b", "/", runInNewContext("new Float32Array([1, 0])"));
    memory.rememberWithVector("c", "d", "/", runInNewContext("[1, 0]"));
    assert.equal(memory.facts("/").length, 2);
    memory.free();
  });

  it("takes a vector for what it is, whatever its class, its memory and its properties say", () => {
    const memory = ZengramMemory.open(2);
    class Own extends Float32Array {}
    class Wide extends Float64Array {}
    const resizable = new Float32Array(new ArrayBuffer(8, /** @type {any} */ ({ maxByteLength: 64 })));
    resizable.set([0, 1]);
    const shared = new Float32Array(new SharedArrayBuffer(8));
    shared.set([0, 1]);
    const liar = Float32Array.of(0, 1);
    for (const name of ["length", "buffer", "constructor", Symbol.iterator, Symbol.toStringTag]) {
      Object.defineProperty(liar, name, { get: () => assert.fail("asked the vector itself") });
    }
    /** @type {any[]} */
    const vectors = [Own.of(0, 1), Wide.of(0, 1), resizable, shared, liar, new Proxy([0, 1], {})];
    vectors.forEach((vector, i) => memory.rememberWithVector(`s${i}`, `content ${i}`, "/", vector));
    const hits = memory.recallWithVector("x", "/", [0, 1]);
    assert.equal(hits.length, vectors.length);
    for (const hit of hits) assert.ok(Math.abs(hit.similarity - 1) < 1e-6);
    memory.free();
  });

  it("does not keep or change the caller's vector", () => {
    const memory = ZengramMemory.open(2);
    const vector = Float32Array.of(3, 0);
    memory.rememberWithVector("a", "b", "/", vector);
    assert.deepEqual([...vector], [3, 0]);
    vector.set([0, 5]);
    assert.ok(Math.abs(memory.recallWithVector("q", "/", [1, 0])[0].similarity - 1) < 1e-6);
    memory.free();
  });

  it("carries any text across unchanged", () => {
    const memory = ZengramMemory.open(2);
    const texts = ["日本語 🍵", 'quotes " and \\ and \n', "", "a\u0000b", "e\u0301", "x".repeat(100_000)];
    texts.forEach((text, i) => memory.rememberWithVector(`subject ${i} ${text.slice(0, 20)}`, text || "-", "/", [1, i + 1]));
    const contents = new Set(memory.facts("/").map((fact) => fact.content));
    for (const text of texts) assert.ok(contents.has(text || "-"), JSON.stringify(text.slice(0, 20)));
    memory.free();
  });
});

describe("facts", () => {
  it("lists the newest first, a page at a time", () => {
    const memory = openToy();
    for (let i = 0; i < 5; i++) memory.remember(`subject ${i}`, `content ${i}`, "/");
    const all = memory.facts("/");
    assert.deepEqual(all.map((fact) => fact.subject), [4, 3, 2, 1, 0].map((i) => `subject ${i}`));
    assert.deepEqual(Object.keys(all[0]).sort(), FACT_KEYS);
    assert.deepEqual(memory.facts("/", { limit: 2, offset: 1 }), all.slice(1, 3));
    assert.deepEqual(memory.facts("/", {}), all);
    const microseconds = all[0].timeCreated;
    assert.ok(Math.abs(microseconds / 1000 - Date.now()) < 60_000);
    memory.free();
  });
});

describe("snapshots", () => {
  it("restore everything, in bytes of the caller's own", () => {
    const memory = openToy();
    memory.remember("drink", "user drinks green tea", "/user");
    memory.remember("car", "user drives a red Toyota", "/user");
    const bytes = memory.exportSnapshot();
    assert.ok(bytes instanceof Uint8Array);
    assert.equal(bytes.byteLength, bytes.buffer.byteLength);
    const restored = ZengramMemory.openFromSnapshot(bytes, DIM);
    assert.deepEqual(restored.facts("/user"), memory.facts("/user"));
    restored.setEmbedFn(embed, DIM);
    assert.equal(restored.recall("green tea", "/user")[0].subject, "drink");
    // Neither memory is tied to the bytes or to the other.
    bytes.fill(0);
    memory.free();
    assert.equal(restored.facts("/user").length, 2);
    restored.free();
  });

  it("open from a part of a larger buffer", () => {
    const memory = openToy();
    memory.remember("a", "b", "/");
    const bytes = memory.exportSnapshot();
    const padded = new Uint8Array(bytes.length + 13);
    padded.set(bytes, 7);
    const restored = ZengramMemory.openFromSnapshot(padded.subarray(7, 7 + bytes.length), DIM);
    assert.equal(restored.facts("/").length, 1);
    restored.free();
    memory.free();
  });

  it("open from bytes of whatever class and memory, such as a Node Buffer", () => {
    const memory = openToy();
    memory.remember("a", "b", "/");
    const bytes = memory.exportSnapshot();
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    for (const same of [Buffer.from(bytes), shared]) {
      const restored = ZengramMemory.openFromSnapshot(same, DIM);
      assert.deepEqual(restored.facts("/"), memory.facts("/"));
      restored.free();
    }
    memory.free();
  });

  it("refuse damage and other dimensions", () => {
    const memory = openToy();
    memory.remember("a", "b", "/");
    const bytes = memory.exportSnapshot();
    const open = (/** @type {any} */ data, dim = DIM) => () => ZengramMemory.openFromSnapshot(data, dim);
    throwsError(zengram, open(bytes, 65), "SnapshotError", "SNAPSHOT_DIMENSION", /64.*65|65.*64/s);
    throwsError(zengram, open(bytes.subarray(0, bytes.length - 5)), "SnapshotError", "SNAPSHOT_DAMAGED");
    throwsError(zengram, open(new Uint8Array(0)), "SnapshotError", "SNAPSHOT_DAMAGED");
    throwsError(zengram, open(new Uint8Array(1000)), "SnapshotError", "SNAPSHOT_DAMAGED");
    for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
      const damaged = bytes.slice();
      damaged[at] ^= 0x55;
      throwsError(zengram, open(damaged), "SnapshotError", "SNAPSHOT_DAMAGED");
    }
    const disguised = Object.defineProperty(new Float32Array(4), Symbol.toStringTag, { value: "Uint8Array" });
    const gone = bytes.slice();
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    throwsError(zengram, open(gone), "InvalidArgumentError", "INVALID_ARGUMENT", /detached/);
    for (const wrong of [null, undefined, "text", [1, 2], {}, bytes.buffer, new Float32Array(4), disguised]) {
      throwsError(zengram, open(wrong), "InvalidArgumentError", "INVALID_ARGUMENT", /Uint8Array/);
    }
    memory.free();
  });
});

describe("bad arguments", () => {
  it("are refused with the error that fits, and store nothing", () => {
    const memory = ZengramMemory.open(3);
    memory.setEmbedFn(() => [1, 0, 0], 3);
    const id = memory.rememberWithVector("kept", "kept", "/", [1, 0, 0]);
    const before = memory.facts("/");
    const fails = () => {
      throw new Error("no");
    };
    const gone = Float32Array.of(1, 0, 0);
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    const revoked = Proxy.revocable([1, 0, 0], {});
    revoked.revoke();
    const disguised = Object.defineProperty(new Uint8Array(3).fill(1), Symbol.toStringTag, { value: "Float32Array" });
    /** @type {[unknown, string, string][]} */
    const vectors = [
      [gone, "VectorTypeError", "VECTOR_TYPE"],
      [revoked.proxy, "VectorTypeError", "VECTOR_TYPE"],
      [disguised, "VectorTypeError", "VECTOR_TYPE"],
      [new Proxy([1, 0, 0], { get: fails }), "VectorTypeError", "VECTOR_TYPE"],
      [new Proxy({}, { get: fails, getPrototypeOf: fails }), "VectorTypeError", "VECTOR_TYPE"],
      [Object.defineProperty([1, 0, 0], 1, { get: fails }), "VectorTypeError", "VECTOR_TYPE"],
      [BigInt64Array.of(1n, 0n, 0n), "VectorTypeError", "VECTOR_TYPE"],
      [[1, 0], "VectorLengthError", "VECTOR_LENGTH"],
      [[], "VectorLengthError", "VECTOR_LENGTH"],
      [new Float32Array(0), "VectorLengthError", "VECTOR_LENGTH"],
      [Float32Array.of(1, 0, 0, 0), "VectorLengthError", "VECTOR_LENGTH"],
      [[0, 0, 0], "VectorZeroError", "VECTOR_ZERO"],
      [[-0, 0, 0], "VectorZeroError", "VECTOR_ZERO"],
      [[NaN, 1, 0], "VectorNotFiniteError", "VECTOR_NOT_FINITE"],
      [[Infinity, 1, 0], "VectorNotFiniteError", "VECTOR_NOT_FINITE"],
      [Float32Array.of(1, -Infinity, 0), "VectorNotFiniteError", "VECTOR_NOT_FINITE"],
      [[1e300, 0, 0], "VectorNotFiniteError", "VECTOR_NOT_FINITE"],
      [["1", 0, 0], "VectorTypeError", "VECTOR_TYPE"],
      [[1, null, 0], "VectorTypeError", "VECTOR_TYPE"],
      [[1, , 0], "VectorTypeError", "VECTOR_TYPE"],
      [[1n, 0n, 0n], "VectorTypeError", "VECTOR_TYPE"],
      [[[1, 0, 0]], "VectorTypeError", "VECTOR_TYPE"],
      ["100", "VectorTypeError", "VECTOR_TYPE"],
      [Int8Array.of(1, 0, 0), "VectorTypeError", "VECTOR_TYPE"],
      [new DataView(new ArrayBuffer(12)), "VectorTypeError", "VECTOR_TYPE"],
      [new ArrayBuffer(12), "VectorTypeError", "VECTOR_TYPE"],
      [{ 0: 1, 1: 0, 2: 0, length: 3 }, "VectorTypeError", "VECTOR_TYPE"],
      [Promise.resolve([1, 0, 0]), "VectorTypeError", "VECTOR_TYPE"],
      [null, "VectorTypeError", "VECTOR_TYPE"],
      [undefined, "VectorTypeError", "VECTOR_TYPE"],
      [3, "VectorTypeError", "VECTOR_TYPE"],
    ];
    for (const [vector, name, code] of vectors) {
      const any = /** @type {any} */ (vector);
      throwsError(zengram, () => memory.rememberWithVector("s", "c", "/", any), name, code);
      throwsError(zengram, () => memory.recallWithVector("q", "/", any), name, code);
    }
    const circular = /** @type {any} */ ({});
    circular.self = circular;
    for (const text of /** @type {any[]} */ ([
      undefined, null, 5, NaN, 5n, true, {}, [], circular, () => "x", Symbol("x"),
      new String("x"), new Date(), { toJSON: () => "x" }, new Proxy({}, { get: fails }), [1, 0, 0],
    ])) {
      const refused = (/** @type {() => unknown} */ call) =>
        throwsError(zengram, call, "InvalidArgumentError", "INVALID_ARGUMENT");
      refused(() => memory.remember(text, "c", "/"));
      refused(() => memory.remember("s", text, "/"));
      refused(() => memory.remember("s", "c", text));
      refused(() => memory.recall(text, "/"));
      refused(() => memory.recall("q", text));
      refused(() => memory.rememberWithVector(text, "c", "/", [1, 0, 0]));
      refused(() => memory.rememberWithVector("s", text, "/", [1, 0, 0]));
      refused(() => memory.rememberWithVector("s", "c", text, [1, 0, 0]));
      refused(() => memory.recallWithVector(text, "/", [1, 0, 0]));
      refused(() => memory.recallWithVector("q", text, [1, 0, 0]));
      refused(() => memory.facts(text));
      if (typeof text !== "function") refused(() => memory.setEmbedFn(text, 3));
    }
    assert.deepEqual(memory.facts("/"), before);
    assert.deepEqual(before.map((fact) => fact.id), [id]);
    memory.free();
  });

  it("are told by name, the first wrong one first", () => {
    const memory = ZengramMemory.open(3);
    /** @type {[(...args: any[]) => unknown, any[], RegExp][]} */
    const calls = [
      [memory.rememberWithVector, [], /subject .*undefined/],
      [memory.rememberWithVector, ["a"], /content .*undefined/],
      [memory.rememberWithVector, ["a", "b", [1, 0, 0]], /scope .*array/],
      [memory.rememberWithVector, [[1, 0, 0], "a", "b", "/"], /subject .*array/],
      [memory.rememberWithVector, ["a", "b", "/", Promise.resolve([1, 0, 0])], /await/],
      [memory.recallWithVector, ["q", [1, 0, 0]], /scope .*array/],
      [memory.recallWithVector, [], /query .*undefined/],
      [memory.remember, ["a", "b"], /scope .*undefined/],
      [memory.recall, [], /query .*undefined/],
      [memory.facts, [{ scope: "/" }], /scope .*object/],
    ];
    for (const [method, args, message] of calls) {
      assert.throws(() => method.apply(memory, args), message);
    }
    assert.deepEqual(memory.facts("/"), []);
    memory.free();
  });

  it("include dimensions that are no positive integer", () => {
    const memory = ZengramMemory.open(3);
    for (const dim of /** @type {any[]} */ ([0, -1, 1.5, NaN, Infinity, "3", null, undefined, 3n, {}, true, [3]])) {
      throwsError(zengram, () => ZengramMemory.open(dim), "DimensionError", "INVALID_DIMENSION");
      throwsError(zengram, () => ZengramMemory.openFromSnapshot(new Uint8Array(9), dim), "DimensionError", "INVALID_DIMENSION");
      throwsError(zengram, () => memory.setEmbedFn(embed, dim), "DimensionError", "INVALID_DIMENSION");
    }
    throwsError(zengram, () => memory.setEmbedFn(embed, 4), "DimensionError", "INVALID_DIMENSION", /3.*4|4.*3/s);
    memory.free();
  });

  it("include options of facts that are no counts", () => {
    const memory = ZengramMemory.open(3);
    for (const options of /** @type {any[]} */ ([
      { limit: -1 }, { limit: "2" }, { limit: 1.5 }, { limit: 2n }, { limit: () => 2 }, { limit: Symbol("2") },
      { limit: new Number(2) }, { limit: 2 ** 53 }, { offset: -1 }, { offset: "x" }, { Limit: 2 }, 5, "2", [2], () => 2,
    ])) {
      throwsError(zengram, () => memory.facts("/", options), "InvalidArgumentError", "INVALID_ARGUMENT");
    }
    memory.free();
  });
});

describe("the embedding function", () => {
  it("is asked for when missing", () => {
    const memory = ZengramMemory.open(3);
    throwsError(zengram, () => memory.remember("s", "c", "/"), "EmbedderError", "EMBEDDER_MISSING", /set_?embed_?fn/i);
    throwsError(zengram, () => memory.recall("q", "/"), "EmbedderError", "EMBEDDER_MISSING", /set_?embed_?fn/i);
    memory.free();
  });

  it("passes its exception on as the cause", () => {
    const memory = ZengramMemory.open(3);
    const fails = () => {
      throw new Error("no");
    };
    const silent = new Proxy({}, { get: fails, getPrototypeOf: fails });
    const values = [new RangeError("model is gone"), "just text", { code: 7 }, null, undefined, Symbol("x"), 3n, silent];
    for (const thrown of [...values, Object.create(null)]) {
      memory.setEmbedFn(() => {
        throw thrown;
      }, 3);
      for (const call of [() => memory.remember("s", "c", "/"), () => memory.recall("q", "/")]) {
        assert.equal(throwsError(zengram, call, "EmbedderError", "EMBEDDER_FAILED").cause, thrown);
      }
    }
    assert.deepEqual(memory.facts("/"), []);
    // The memory goes on working, and the old cause is not told again.
    memory.setEmbedFn(() => [1, 0, 0], 3);
    memory.remember("s", "c", "/");
    assert.equal(throwsError(zengram, () => memory.recall(/** @type {any} */ (5), "/"), "InvalidArgumentError", "INVALID_ARGUMENT").cause, undefined);
    memory.free();
  });

  it("may not return a promise or another thenable", async () => {
    const memory = ZengramMemory.open(3);
    /** @type {any[]} */
    const functions = [
      async () => [1, 0, 0],
      () => Promise.reject(new Error("also rejects")),
      () => ({ then: () => {} }),
      () => ({ then: () => assert.fail("never waited for") }),
    ];
    for (const fn of functions) {
      memory.setEmbedFn(fn, 3);
      throwsError(zengram, () => memory.remember("s", "c", "/"), "EmbedderError", "EMBEDDER_ASYNC", /Promise/);
      throwsError(zengram, () => memory.recall("q", "/"), "EmbedderError", "EMBEDDER_ASYNC", /Promise/);
    }
    assert.deepEqual(memory.facts("/"), []);
    await new Promise((resolve) => setTimeout(resolve, 10));
    memory.free();
  });

  it("must return a vector of the right kind and length", () => {
    const memory = ZengramMemory.open(3);
    for (const wrong of /** @type {any[]} */ (["text", null, undefined, 5, {}, ["1", 2, 3], Int8Array.of(1, 2, 3)])) {
      memory.setEmbedFn(() => wrong, 3);
      const error = throwsError(zengram, () => memory.remember("s", "c", "/"), "EmbedderError", "EMBEDDER_FAILED");
      assert.ok(error.cause instanceof zengram.VectorTypeError);
    }
    for (const wrong of [[1, 2], [0, 0, 0], [NaN, 1, 1]]) {
      memory.setEmbedFn(() => wrong, 3);
      assert.throws(() => memory.remember("s", "c", "/"), zengram.ZengramError);
      assert.throws(() => memory.recall("q", "/"), zengram.ZengramError);
    }
    assert.deepEqual(memory.facts("/"), []);
    memory.free();
  });

  it("may not call the memory that waits for it", () => {
    const memory = ZengramMemory.open(3);
    memory.rememberWithVector("kept", "kept", "/", [1, 0, 0]);
    /** @type {(() => unknown)[]} */
    const calls = [
      () => memory.remember("inner", "inner", "/"),
      () => memory.rememberWithVector("inner", "inner", "/", [1, 0, 0]),
      () => memory.recall("inner", "/"),
      () => memory.facts("/"),
      () => memory.exportSnapshot(),
      () => memory.setEmbedFn(() => [1, 0, 0], 3),
      () => memory.free(),
    ];
    for (const call of calls) {
      memory.setEmbedFn(() => /** @type {any} */ (call()), 3);
      const error = throwsError(zengram, () => memory.remember("s", "c", "/"), "EmbedderError", "EMBEDDER_FAILED");
      throwsError(zengram, () => {
        throw error.cause;
      }, "BusyError", "BUSY");
      assert.deepEqual(memory.facts("/").map((fact) => fact.subject), ["kept"]);
    }
    memory.free();
  });

  it("may catch that, and may use another memory", () => {
    const memory = ZengramMemory.open(3);
    const cache = ZengramMemory.open(3);
    cache.setEmbedFn(() => [0, 0, 1], 3);
    memory.setEmbedFn((text) => {
      assert.throws(() => memory.facts("/"), zengram.BusyError);
      cache.remember("text", text, "/");
      return [1, 0, 0];
    }, 3);
    memory.remember("s", "c", "/");
    assert.deepEqual(memory.facts("/").map((fact) => fact.content), ["c"]);
    assert.deepEqual(cache.facts("/").map((fact) => fact.content), ["s: c"]);
    // An error of the inner memory stays the cause: it is not taken for the outer one's.
    cache.setEmbedFn(/** @type {any} */ (async () => [1, 0, 0]), 3);
    const error = throwsError(zengram, () => memory.remember("s2", "c2", "/"), "EmbedderError", "EMBEDDER_FAILED");
    assert.equal(/** @type {any} */ (error.cause).code, "EMBEDDER_ASYNC");
    memory.free();
    cache.free();
  });

  it("may open, export and free other memories, and free nothing of its own by that", () => {
    const memory = ZengramMemory.open(2);
    const vector = Float32Array.of(1, 0);
    memory.setEmbedFn(() => {
      const other = ZengramMemory.open(500);
      for (let i = 0; i < 20; i++) other.rememberWithVector(`s${i}`, "x".repeat(1_000_000), "/", Array(500).fill(1));
      ZengramMemory.openFromSnapshot(other.exportSnapshot(), 500).free();
      other.free();
      return vector;
    }, 2);
    memory.remember("a", "b", "/");
    vector.set([0, 1]); // what was stored is a copy
    assert.ok(Math.abs(memory.recallWithVector("q", "/", [1, 0])[0].similarity - 1) < 1e-6);
    memory.free();
  });

  it("can be replaced", () => {
    const memory = ZengramMemory.open(2);
    memory.setEmbedFn(() => [1, 0], 2);
    memory.remember("drink", "green tea", "/");
    assert.ok(Math.abs(memory.recall("beverage", "/")[0].similarity - 1) < 1e-6);
    memory.setEmbedFn(() => [1, 1], 2);
    assert.ok(Math.abs(memory.recall("beverage", "/")[0].similarity - Math.SQRT1_2) < 1e-6);
    memory.free();
  });
});

describe("free", () => {
  it("by code that runs while an argument is read is noticed", () => {
    const memory = ZengramMemory.open(2);
    const vector = Object.defineProperty([1, 0], 1, { get: () => (memory.free(), 0) });
    throwsError(zengram, () => memory.rememberWithVector("a", "b", "/", vector), "ClosedError", "CLOSED");
  });

  it("closes the memory for every call but itself", () => {
    const memory = ZengramMemory.open(3);
    memory.free();
    memory.free();
    const calls = [
      () => memory.remember("s", "c", "/"),
      () => memory.recall("q", "/"),
      () => memory.rememberWithVector("s", "c", "/", [1, 0, 0]),
      () => memory.recallWithVector("q", "/", /** @type {any} */ ("not even a vector")),
      () => memory.facts("/"),
      () => memory.exportSnapshot(),
      () => memory.setEmbedFn(embed, 3),
    ];
    for (const call of calls) throwsError(zengram, call, "ClosedError", "CLOSED");
  });

  it("is what Symbol.dispose does", () => {
    const dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
    const memory = ZengramMemory.open(3);
    /** @type {any} */ (memory)[dispose]();
    throwsError(zengram, () => memory.facts("/"), "ClosedError", "CLOSED");
    assert.deepEqual(Object.keys(ZengramMemory.prototype), []);
  });

  it("leaves other memories alone", () => {
    const [first, second] = [ZengramMemory.open(2), ZengramMemory.open(2)];
    first.rememberWithVector("a", "first", "/", [1, 0]);
    second.rememberWithVector("a", "second", "/", [1, 0]);
    first.free();
    assert.deepEqual(second.facts("/").map((fact) => fact.content), ["second"]);
    second.free();
  });

  it("happens to a forgotten memory, even one with an embedding function", async () => {
    setFlagsFromString("--expose-gc");
    const collect = /** @type {() => void} */ (runInNewContext("gc"));
    /** @type {WeakRef<object>} */
    let reference;
    (() => {
      const memory = openToy();
      memory.remember("a", "b", "/");
      reference = new WeakRef(memory);
    })();
    for (let i = 0; i < 50 && reference.deref(); i++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      collect();
    }
    assert.equal(reference.deref(), undefined);
  });
});

describe("the class", () => {
  it("has no public constructor", () => {
    const Class = /** @type {any} */ (ZengramMemory);
    throwsError(zengram, () => new Class(3), "InvalidArgumentError", "INVALID_ARGUMENT", /open/);
  });

  it("tells the versions", () => {
    const { zengram: own, python, numpy } = versions();
    assert.match(own, /^\d+\.\d+/);
    assert.match(python, /^3\.\d+/);
    assert.match(numpy, /^2\./);
  });

  it("needs no init, which is there all the same", async () => {
    assert.equal(await zengram.default(), undefined);
    assert.equal(await zengram.init(), undefined);
  });
});
