/** The page entry in Node: before, during and after `init`. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { it } from "node:test";

import { importPage, runtimeFolder } from "./support/dist.mjs";
import { throwsError } from "./support/errors.mjs";

/** @type {any} */ (globalThis).require ??= createRequire(import.meta.url);
const zengram = await importPage();
const { ZengramMemory, init, versions } = zengram;

// One interpreter serves the whole file, so the order of these tests matters.

it("refuses every call before init", () => {
  const calls = [
    () => ZengramMemory.open(3),
    () => ZengramMemory.openFromSnapshot(new Uint8Array(3), 3),
    () => versions(),
  ];
  for (const call of calls) throwsError(zengram, call, "NotInitializedError", "NOT_INITIALIZED", /init\(\)/);
});

it("fails with a BootError that has a cause, and can be tried again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "zengram-"));
  try {
    const nowhere = pathToFileURL(`${folder}/nowhere/`);
    await assert.rejects(init({ indexURL: nowhere }), (/** @type {any} */ error) => {
      throwsError(zengram, () => { throw error; }, "BootError", "BOOT_FAILED", /did not start/);
      assert.equal(error.cause.code, "ENOENT");
      return true;
    });
    const lockFileURL = pathToFileURL(join(folder, "lock.json"));
    await writeFile(lockFileURL, '{"packages": {}}');
    await assert.rejects(init({ lockFileURL }), /no package zengram-py/);
    await writeFile(lockFileURL, "{");
    await assert.rejects(init({ lockFileURL }), /JSON/);
    throwsError(zengram, () => ZengramMemory.open(3), "NotInitializedError", "NOT_INITIALIZED");
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("refuses options of the wrong kind before it starts anything", async () => {
  for (const options of /** @type {any[]} */ (["./pyodide/", 5, [], () => {}, { onProgress: "tell me" }, { snapshot: 1 }, { offline: "yes" }])) {
    await assert.rejects(init(options), (/** @type {any} */ error) => error.code === "INVALID_ARGUMENT");
  }
});

it("boots once for all who ask, and tells each of them how far it is", async () => {
  /** @type {string[]} */
  const first = [];
  /** @type {string[]} */
  const second = [];
  const indexURL = await runtimeFolder();
  const booting = init({ onProgress: ({ phase }) => first.push(phase) });
  const same = init({ onProgress: ({ phase }) => second.push(phase), indexURL });
  assert.equal(booting, same);
  assert.equal(await booting, undefined);
  assert.deepEqual([...new Set(first)], ["imports", "ready"]);
  assert.deepEqual(second, first);
  assert.equal(await init(), undefined);
  assert.equal(await init(/** @type {any} */ (null)), undefined);
  const memory = ZengramMemory.open(3);
  assert.equal(typeof memory.rememberWithVector("a", "b", "/", [1, 0, 0]), "string");
  memory.free();
});
