/** Pages of one browser profile, that store a memory one after the other in simulated storage. */
import assert from "node:assert/strict";

import { importPage } from "./dist.mjs";
import { FakeIndexedDb } from "./indexeddb.mjs";
import { FakeFile, FakeLocks, FakeStorage } from "./opfs.mjs";

/** @typedef {import("../../src/zengram.js").ZengramMemory} ZengramMemory */
/** @typedef {import("../../src/zengram.js").PersistOptions} PersistOptions */
/** @typedef {import("../../src/zengram.js").Persistence} Persistence */

export const zengram = await importPage();
await zengram.init();
export const openMemory = /** @type {(options: object, environment: object) => Promise<ZengramMemory>} */ (
  /** @type {unknown} */ (zengram.openMemory)
);

const vector = Float32Array.of(1, 0, 0, 0);

/** A browser profile: what it stores, and the pages that come one after the other. */
export class Profile {
  locks = new FakeLocks();
  indexedDb = new FakeIndexedDb();

  /** @param {typeof FakeFile} File */
  constructor(File = FakeFile) {
    this.File = File;
    this.storage = new FakeStorage(File);
  }

  /** The next page: what the one before may still try to do reaches nothing any more. */
  nextPage() {
    this.storage = this.storage.copy();
    this.locks = new FakeLocks();
  }

  /** @param {PersistOptions} [persist] */
  open(persist) {
    const { storage, locks, File } = this;
    const environment = { storage, locks, indexedDB: this.indexedDb.factory, fileHandle: File.prototype };
    return openMemory({ name: "notes", dim: 4, persist: { askToStay: false, ...persist } }, environment);
  }
}

/** @param {ZengramMemory} memory */
export function persistence(memory) {
  return /** @type {Persistence} */ (memory.persistence);
}

/** Two facts in one commit. @param {ZengramMemory} memory @param {number} i */
export function write(memory, i) {
  memory.batch(() => {
    for (const side of ["left", "right"]) memory.rememberWithVector(`${side} ${i}`, `fact ${i}`, "/", vector);
  });
}

/** The numbers of the commits that are there. @param {ZengramMemory} memory */
export function commits(memory) {
  const subjects = memory.facts("/", { limit: 1000 }).map(({ subject }) => subject.split(" "));
  const sides = ["left", "right"].map((side) => subjects.filter(([one]) => one === side).map(([, i]) => Number(i)).sort((a, b) => a - b));
  assert.deepEqual(sides[0], sides[1], "half of a commit is there");
  return sides[0];
}

/** @param {number} n */
export const upTo = (n) => Array.from({ length: n }, (_, i) => i + 1);

/** @param {ZengramMemory} memory */
export async function leave(memory) {
  await persistence(memory).close();
  memory.free();
}
