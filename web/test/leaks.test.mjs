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

import { importPage, runtimeFolder } from "./support/dist.mjs";
import { DIM, embed } from "./support/toy.mjs";

/** @type {any} */ (globalThis).require ??= createRequire(import.meta.url);

/**
 * The library keeps Pyodide to itself. Here it boots from a folder whose pyodide.mjs also hands the runtime to us.
 *
 * @returns {Promise<{folder: string, pyodide: any, zengram: typeof import("../src/zengram.js")}>}
 */
async function bootWithView() {
  const folder = await mkdtemp(join(tmpdir(), "zengram-"));
  const real = await runtimeFolder();
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
const { ZengramMemory } = zengram;
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
