/** Thousands of calls leave no Python proxy and no JavaScript reference behind, and the heap stops growing. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { mkdtemp, readdir, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { after, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";

import { DIST, importPage } from "./support/dist.mjs";
import { Soak } from "./support/soak.mjs";
import { DIM, embed } from "./support/toy.mjs";

/** @type {any} */ (globalThis).require ??= createRequire(import.meta.url);

/**
 * The library keeps Pyodide to itself. Here it boots from a folder whose pyodide.mjs also hands the runtime to us.
 *
 * @returns {Promise<{folder: string, pyodide: any, zengram: typeof import("../src/zengram.js")}>}
 */
async function bootWithView() {
  const folder = await mkdtemp(join(tmpdir(), "zengram-"));
  const real = new URL("pyodide/", DIST);
  for (const name of await readdir(real)) await symlink(fileURLToPath(new URL(name, real)), join(folder, name));
  await unlink(join(folder, "pyodide.mjs"));
  const source = `import * as real from ${JSON.stringify(new URL("pyodide.mjs", real).href)};
    export async function loadPyodide(options) {
      return (globalThis.pyodideUnderTest = await real.loadPyodide(options));
    }`;
  await writeFile(join(folder, "pyodide.mjs"), source);
  const zengram = await importPage();
  await zengram.init({ indexURL: pathToFileURL(`${folder}/`) });
  return { folder, pyodide: /** @type {any} */ (globalThis).pyodideUnderTest, zengram };
}

setFlagsFromString("--expose-gc");
const collect = /** @type {() => void} */ (runInNewContext("gc"));
const { folder, pyodide, zengram } = await bootWithView();
after(() => rm(folder, { recursive: true }));
const { ZengramMemory, ZetaDb } = zengram;
pyodide._module.enable_pyproxy_allocation_tracing();

function count() {
  pyodide.runPython("import gc; gc.collect()");
  return {
    proxies: pyodide._module.pyproxy_alloc_map.size,
    references: pyodide._module._hiwire_num_refs(),
  };
}

/** @param {import("../src/zengram.js").ZengramMemory} memory @param {number} i */
function everyCall(memory, i) {
  memory.rememberWithVector(`subject ${i % 50}`, `content ${i}`, "/", embed(`content ${i}`));
  memory.remember(`subject ${i % 50}`, `content ${i} again`, "/");
  memory.recall("content", "/");
  memory.recallWithVector("content", "/", embed("content"));
  memory.facts("/", { limit: 3 });
  if (i % 20 === 0) memory.exportSnapshot();
  for (const bad of [
    () => memory.rememberWithVector("s", "c", "/", [1]),
    () => memory.recall(/** @type {any} */ (null), "/"),
    () => ZengramMemory.openFromSnapshot(Uint8Array.of(1, 2, 3), DIM),
    () => memory.setEmbedFn(embed, DIM + 1),
  ]) {
    assert.throws(bad, zengram.ZengramError);
  }
}

it("calls leave nothing behind", () => {
  const memory = ZengramMemory.open(DIM);
  memory.setEmbedFn(embed, DIM);
  for (let i = 0; i < 20; i++) everyCall(memory, i);
  const before = count();
  for (let i = 0; i < 400; i++) everyCall(memory, i);
  assert.deepEqual(count(), before);
  memory.setEmbedFn(() => {
    throw new Error("fails");
  }, DIM);
  for (let i = 0; i < 200; i++) assert.throws(() => memory.remember("s", "c", "/"));
  assert.deepEqual(count(), before);
  memory.free();
  assert.ok(count().references < before.references, "the embedding function is let go");
});

/** @param {import("../src/zengram.js").ZengramMemory} memory @param {string} sessionId @param {string} branchId @param {number} i */
function everyAgentCall(memory, sessionId, branchId, i) {
  const turn = memory.batch(() => {
    const id = memory.appendTurn(sessionId, branchId, i % 2 ? "assistant" : "user");
    memory.addPart(id, sessionId, "text", { text: `turn ${i}` }, 0);
    memory.completeTurn(id, 1, 2, 0.01, "stop");
    return id;
  });
  const call = memory.recordToolCall({ turnId: turn, sessionId, toolId: "t", input: { i } });
  memory.completeToolCall(call, { output: { i } });
  const facts = [{ subject: `s ${i % 10}`, content: `content ${i % 30}` }];
  const [fact] = memory.extractWithFacts("t", "/", sessionId, turn, facts);
  memory.extractWithFactsWithVectors("t", "/", sessionId, turn, facts, [embed("content")]);
  memory.reflectWithInsights("/", [{ subject: "i", content: `insight ${i % 5}`, sourceIds: [fact] }]);
  memory.traceBack(fact);
  memory.getTurns(sessionId, branchId, 5);
  memory.sessionTotals(sessionId);
  for (const bad of [
    () => memory.confirm("knw_none"),
    () => memory.completeTurn(turn, 1, 1, 0),
    () => memory.addPart(turn, sessionId, "text", /** @type {any} */ (new Date()), 0),
    () => memory.extractWithFactsWithVectors("t", "/", sessionId, turn, facts, [[1]]),
    () => memory.batch(() => memory.batch(() => 1)),
    () => memory.batch(() => memory.contradict("knw_none")),
    () => memory.batch(() => Promise.resolve()),
  ]) {
    assert.throws(bad, zengram.ZengramError);
  }
}

it("calls of an agent's loop leave nothing behind", () => {
  const memory = ZengramMemory.open(DIM);
  memory.setEmbedFn(embed, DIM);
  const { sessionId, branchId } = memory.createSession("p");
  for (let i = 0; i < 10; i++) everyAgentCall(memory, sessionId, branchId, i);
  const before = count();
  for (let i = 0; i < 100; i++) everyAgentCall(memory, sessionId, branchId, i);
  assert.deepEqual(count(), before);
  memory.free();
});

/** @param {import("../src/zengram.js").ZengramMemory} memory @param {string} sessionId @param {string} branchId @param {number} i */
function everyCallOfWork(memory, sessionId, branchId, i) {
  memory.setTokenCounter((text) => text.length, { modelFamily: "letters" });
  memory.setEntityExtractor((text) => text.split(" ").filter((word) => word !== ""));
  memory.rememberWithVector(`s ${i % 10}`, `content ${i % 30}`, "/", embed("content"));
  memory.assembleContext(sessionId, branchId, 1000, { vec: embed("content"), explain: true });
  const task = memory.addTask(`task ${i}`, { sessionId, files: ["a", { path: "b" }] });
  memory.updateTask(task, { description: null });
  memory.claimMessage((memory.sendMessage("a", "b", "t", { i }), "b"));
  const source = memory.addCodeSource("/a");
  memory.putCodeFile(source, "a.js", { nodes: [{ kind: "function", name: "f" }], edges: [{ from: "f", to: "g" }] });
  memory.removeCodeSource(source);
  memory.forkMemory("idea");
  memory.mergeMemory("idea");
  memory.discardMemory("idea");
  for (const bad of [
    () => memory.assembleContext(sessionId, branchId, 100, { vec: [1] }),
    () => memory.addTask("t", { sessionId: "none" }),
    () => memory.setTokenCounter((text) => text.length, { modelFamily: " " }),
  ]) {
    assert.throws(bad, zengram.ZengramError);
  }
  memory.setTokenCounter(() => /** @type {any} */ (Promise.resolve(1)));
  assert.throws(() => memory.countTokens("x"), zengram.ZengramError);
  memory.setEntityExtractor(() => {
    throw new Error("fails");
  });
  assert.throws(() => memory.recallWithVector("x", "/", embed("content")), zengram.ZengramError);
  memory.setTokenCounter(null);
  memory.setEntityExtractor(null);
}

it("calls of contexts and of work, and the functions for them, leave nothing behind", () => {
  const memory = ZengramMemory.open(DIM);
  const { sessionId, branchId } = memory.createSession("p");
  for (let i = 0; i < 5; i++) everyCallOfWork(memory, sessionId, branchId, i);
  const before = count();
  for (let i = 0; i < 40; i++) everyCallOfWork(memory, sessionId, branchId, i);
  assert.deepEqual(count(), before);
  memory.setTokenCounter((text) => text.length);
  memory.setEntityExtractor((text) => [text]);
  assert.ok(count().references > before.references, "Python holds the functions");
  memory.free();
  assert.ok(count().references <= before.references, "they are let go with the memory");
});

it("opening and freeing memories leaves nothing behind", () => {
  const source = ZengramMemory.open(DIM);
  source.setEmbedFn(embed, DIM);
  source.remember("a", "b", "/");
  const bytes = source.exportSnapshot();
  const round = () => {
    const memory = ZengramMemory.openFromSnapshot(bytes, DIM);
    memory.setEmbedFn(embed, DIM);
    memory.recall("b", "/");
    assert.throws(() => memory.batch(() => memory.free()), zengram.ClosedError);
  };
  // Python collects what was freed a few memories later: by then the heap has the room that it needs.
  for (let i = 0; i < 120; i++) round();
  const before = count();
  const heap = pyodide._module.HEAPU8.length;
  for (let i = 0; i < 300; i++) round();
  assert.deepEqual(count(), before);
  assert.equal(pyodide._module.HEAPU8.length, heap);
  source.free();
});

it("a forgotten memory is freed in Python", async () => {
  const before = count();
  const kept = ZengramMemory.open(DIM);
  (() => {
    for (let i = 0; i < 10; i++) {
      const memory = ZengramMemory.open(DIM);
      memory.setEmbedFn(embed, DIM);
      memory.remember("a", "b", "/");
    }
  })();
  assert.ok(count().references >= before.references + 10, "Python holds the embedding functions");
  for (let i = 0; i < 100 && count().references > before.references; i++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  assert.deepEqual(count(), before);
  assert.deepEqual(kept.facts("/"), []);
  kept.free();
});

it("heapBytes counts what lives in Python, to the byte", () => {
  const memory = ZengramMemory.open(DIM);
  const live = () => memory.stats({ collect: true }).heapBytes;
  const grows = (/** @type {string} */ code) => {
    const before = live();
    pyodide.runPython(`kept = ${code}`);
    const grown = live() - before;
    pyodide.runPython("del kept");
    assert.ok(Math.abs(live() - before) < 10_000, `${code} is let go: ${live() - before}`);
    return grown;
  };
  live();
  const size = 10 << 20;
  for (const code of [`bytes(${size})`, `__import__("numpy").ones(${size}, "u1")`, `[bytes(1024) for _ in range(${size >> 10})]`]) {
    assert.ok(Math.abs(grows(code) / size - 1) < 0.05, code);
  }
  const objects = grows("[[k] for k in range(1000, 101_000)]");
  const each = pyodide.runPython("import sys; sys.getsizeof([1]) + sys.getsizeof(1000) + 8");
  assert.ok(objects > 100_000 * each && objects < 100_000 * (each + 32), `${objects} for objects of ${each}`);
  assert.ok(memory.stats().memoryBytes === pyodide._module.HEAPU8.length);
  memory.free();
});

it("10,000 mixed calls leave the heap, the proxies, the references and the handles as they were", () => {
  const soak = new Soak(zengram);
  soak.warm();
  const before = { ...soak.settled(), tracked: count() };
  soak.run(10_000);
  const after = { ...soak.settled(), tracked: count() };
  // Caches with a place for each of so many things turn over: their contents differ a little.
  const grown = after.heapBytes - before.heapBytes;
  assert.ok(Math.abs(grown) < 400_000, `the heap grew by ${grown} bytes`);
  assert.equal(after.memoryBytes, before.memoryBytes);
  for (const name of /** @type {const} */ (["databaseBytes", "versions", "transactions", "statements", "tracked"])) {
    assert.deepEqual(after[name], before[name], name);
  }
  for (const name of /** @type {const} */ (["proxies", "callbacks", "references", "handles"])) {
    assert.deepEqual(after[name], before[name], name);
  }
  assert.deepEqual(after.handles, { memories: 1, databases: 1, transactions: 0, cursors: 0, stores: 0 });
  soak.free();
});

it("the numbers of stats are counted", () => {
  const memory = ZengramMemory.open(DIM);
  const before = memory.stats({ collect: true });
  memory.setEmbedFn(embed, DIM);
  memory.setTokenCounter((text) => text.length);
  memory.setEntityExtractor((text) => [text]);
  const db = ZetaDb.open();
  const transactions = [db.begin(), db.begin()];
  const cursor = transactions[0].stream("select 1");
  const after = memory.stats({ collect: true });
  assert.equal(after.callbacks, before.callbacks + 3);
  assert.ok(after.references >= before.references + 3);
  assert.deepEqual(after.handles, { memories: 1, databases: 1, transactions: 2, cursors: 1, stores: 0 });
  assert.equal(db.stats().transactions, 2);
  assert.deepEqual({ ...cursor.stats(), heapBytes: 0 }, { ...transactions[1].stats(), heapBytes: 0 });
  // What Pyodide's own tracing says of proxies is what is counted here.
  const proxies = pyodide._module.pyproxy_alloc_map.size - memory.stats().proxies;
  memory.exportSnapshot();
  assert.equal(pyodide._module.pyproxy_alloc_map.size - memory.stats().proxies, proxies);
  assert.throws(() => memory.stats(/** @type {any} */ ({ collect: 1 })), zengram.InvalidArgumentError);
  assert.throws(() => db.stats(/** @type {any} */ ({ gc: true })), zengram.InvalidArgumentError);
  for (const one of [cursor, ...transactions, db]) {
    one.free();
    assert.throws(() => one.stats(), zengram.ClosedError);
  }
  assert.deepEqual(memory.stats().handles, { memories: 1, databases: 0, transactions: 0, cursors: 0, stores: 0 });
  memory.free();
  assert.throws(() => memory.stats(), zengram.ClosedError);
});

it("a cache is made by asking, and counted", () => {
  const memory = ZengramMemory.open(DIM);
  for (let i = 0; i < 500; i++) memory.rememberWithVector(`s ${i}`, `content ${i}`, "/", embed(`content ${i}`));
  const bytes = memory.exportSnapshot();
  memory.free();
  const restored = ZengramMemory.openFromSnapshot(bytes, DIM);
  const before = restored.stats();
  assert.ok(before.databaseBytes > 500 * DIM * 4);
  assert.ok(before.versions >= 500);
  restored.recallWithVector("content", "/", embed("content"));
  restored.facts("/", { limit: 500 });
  const after = restored.stats();
  assert.ok(after.cacheBytes > before.cacheBytes + 500 * 10, `${before.cacheBytes} to ${after.cacheBytes}`);
  assert.equal(after.databaseBytes, before.databaseBytes);
  restored.free();
});

it("the space of a database comes back when its last handle is freed, without a collection", () => {
  const memory = ZengramMemory.open(DIM);
  const round = () => {
    const db = ZetaDb.open();
    db.execDdl("create table t (a int primary key, b text)");
    db.execMut("insert into t select g, 'text ' || g || repeat('x', 100) from generate_series(1, 20000) g");
    const over = ZengramMemory.overEngine(db, DIM);
    const cursor = db.stream("select a from t");
    const transaction = db.begin();
    cursor.next();
    db.free();
    db.free();
    const full = memory.stats().heapBytes;
    assert.equal(over.query("select count(*) as n from t").rows[0].n, 20_000);
    assert.equal(transaction.execMut("update t set b = 'y' where a = 1"), 1);
    transaction.commit();
    assert.ok(cursor.next());
    over.rememberWithVector("s", "c", "/", embed("c"));
    for (const one of [cursor, over, transaction]) one[Symbol.dispose]();
    return { full, empty: memory.stats().heapBytes };
  };
  round();
  const { full, empty } = round();
  assert.ok(full - empty > 20_000 * 130, `${full} to ${empty}`);
  memory[Symbol.dispose]();
  memory[Symbol.dispose]();
});

it("forgotten databases, transactions and cursors are freed in Python", async () => {
  const memory = ZengramMemory.open(DIM);
  const before = memory.stats({ collect: true });
  (() => {
    for (let i = 0; i < 10; i++) {
      const db = ZetaDb.open();
      db.execDdl("create table t (a int)");
      db.begin().execMut("insert into t values (1)");
      db.stream("select g from generate_series(1, 5000) g").next();
    }
  })();
  assert.deepEqual(memory.stats().handles, { memories: 1, databases: 10, transactions: 10, cursors: 10, stores: 0 });
  const isLeft = () => Object.values(memory.stats().handles).reduce((sum, n) => sum + n) > 1;
  for (let i = 0; i < 200 && isLeft(); i++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  const after = memory.stats({ collect: true });
  assert.deepEqual(after.handles, before.handles);
  assert.ok(after.heapBytes - before.heapBytes < 200_000, `${before.heapBytes} to ${after.heapBytes}`);
  memory.free();
});
