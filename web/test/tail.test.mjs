/** What a closing page leaves behind, and where stores live. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { StorageError } from "../src/errors.js";
import { chooseBackend } from "../src/persistence/choose.js";
import { openTail } from "../src/persistence/tail.js";
import { FakeIndexedDb } from "./support/indexeddb.mjs";
import { FakeFile, FakeStorage, FakeWorkerFile, domError } from "./support/opfs.mjs";
import { refuses } from "./support/refuses.mjs";

/** @import { Environment } from "../src/persistence/types.js" */

/** A browser with both places. @param {Partial<Record<keyof Environment, unknown>>} [without] what it has instead */
function browser(without = {}) {
  const database = new FakeIndexedDb();
  const storage = new FakeStorage(FakeFile);
  const environment = /** @type {Environment} */ (
    /** @type {unknown} */ ({ storage, indexedDB: database.factory, fileHandle: FakeFile.prototype, ...without })
  );
  return { database, storage, environment };
}

const tailOf = (/** @type {number[]} */ ...bytes) => ({ parts: bytes.map((byte) => Uint8Array.of(byte)), keptAt: 5 });

describe("a tail", () => {
  it("is kept by name, replaced, and cleared", async () => {
    const { environment } = browser();
    const tail = await openTail(environment);
    assert.ok(tail.available);
    assert.equal(await tail.read("a"), null);
    await tail.keep("a", tailOf(1, 2));
    await tail.keep("b", tailOf());
    await tail.keep("a", tailOf(3));
    const again = await openTail(environment);
    assert.deepEqual(await again.read("a"), tailOf(3));
    assert.deepEqual(await again.read("b"), tailOf());
    await again.clear("a");
    assert.equal(await tail.read("a"), null);
    assert.deepEqual(await tail.read("b"), tailOf());
  });

  it("is on its way before keep returns, committed and strict, without the rest of its buffers", async () => {
    const { database, environment } = browser();
    const tail = await openTail(environment);
    const buffer = Uint8Array.from({ length: 1000 }, (_, i) => i & 255);
    const keeping = tail.keep("a", { parts: [buffer.subarray(7, 10)], keptAt: 1 });
    assert.deepEqual(database.journal, [{ durability: "strict", puts: 1, deletes: 0, commits: 1 }]);
    buffer.fill(0);
    await keeping;
    const kept = await tail.read("a");
    assert.deepEqual(kept?.parts, [Uint8Array.of(7, 8, 9)]);
    assert.equal(kept.parts[0].buffer.byteLength, 3);
  });

  it("that is short is in localStorage as well, should its transaction not begin before the page has gone", async () => {
    const { environment } = browser();
    const texts = new Map();
    const localStorage = {
      getItem: (/** @type {string} */ key) => texts.get(key) ?? null,
      setItem: (/** @type {string} */ key, /** @type {string} */ text) => texts.set(key, text),
      removeItem: (/** @type {string} */ key) => texts.delete(key),
    };
    const all = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) & 255);
    const tail = await openTail(/** @type {any} */ ({ ...environment, localStorage }));
    const keeping = tail.keep("a", { parts: [all, Uint8Array.of(1, 255)], keptAt: 3 });
    const gone = await openTail(/** @type {any} */ ({ indexedDB: new FakeIndexedDb().factory, localStorage }));
    assert.deepEqual(await gone.read("a"), { parts: [all, Uint8Array.of(1, 255)], keptAt: 3 });
    await keeping;
    assert.deepEqual(await tail.read("a"), { parts: [all, Uint8Array.of(1, 255)], keptAt: 3 }, "once, not twice");
    await tail.keep("a", { parts: [all, all], keptAt: 4 });
    assert.equal(texts.size, 0, "what is long is in IndexedDB alone");
    assert.equal((await tail.read("a"))?.parts.length, 2);
    await tail.keep("a", tailOf(9));
    texts.set("zengram-tail:a", "{");
    assert.deepEqual((await tail.read("a"))?.parts, [Uint8Array.of(9)]);
    await tail.clear("a");
    assert.equal(texts.size, 0);
    assert.equal(await tail.read("a"), null);
  });

  it("can be kept after the database was taken away", async () => {
    const { database, environment } = browser();
    const tail = await openTail(environment);
    await tail.keep("a", tailOf(1));
    database.clear();
    await tail.keep("b", tailOf(2));
    assert.equal(await tail.read("a"), null);
    assert.deepEqual(await tail.read("b"), tailOf(2));
    database.reopen();
    await tail.keep("b", tailOf(3));
    assert.deepEqual(await tail.read("b"), tailOf(3));
  });

  it("that finds no space is refused, and what was kept before stays", async () => {
    const { database, environment } = browser();
    const tail = await openTail(environment);
    await tail.keep("a", tailOf(1));
    database.quota = 1;
    await refuses(tail.keep("a", tailOf(1, 2, 3)), "STORAGE_QUOTA", /no space/);
    assert.deepEqual(await tail.read("a"), tailOf(1));
  });

  it("cannot be kept without IndexedDB, which is said", async () => {
    const denied = {
      get indexedDB() {
        throw domError("SecurityError");
      },
    };
    for (const [environment, code] of /** @type {[any, string][]} */ ([
      [{}, "STORAGE_UNAVAILABLE"], [{ indexedDB: null }, "STORAGE_UNAVAILABLE"], [denied, "STORAGE_DENIED"],
    ])) {
      const tail = await openTail(environment);
      assert.equal(tail.available, false);
      assert.equal(tail.reason?.code, code);
      await refuses(tail.keep("a", tailOf(1)), code);
      await refuses(tail.setHome("a", "opfs"), code);
      await refuses(tail.claimHome("a", "opfs"), code);
      await tail.clear("a");
      assert.equal(await tail.read("a"), null);
      assert.equal(await tail.home("a"), null);
      tail.close();
    }
  });
});

/** @param {Environment} environment @param {any} [wanted] */
async function choose(environment, wanted) {
  const tail = await openTail(environment);
  try {
    const { backend, passedOver, error } = await chooseBackend("notes", tail, environment, wanted);
    return { backend, kind: backend.kind, passed: passedOver.map(({ kind, reason }) => [kind, reason.code]), error };
  } finally {
    tail.close();
  }
}

describe("the place of a store", () => {
  it("is the private file system, else IndexedDB, else memory", async () => {
    const none = { storage: {}, indexedDB: undefined };
    for (const [without, kind, passed] of /** @type {[any, string, string[]][]} */ ([
      [{}, "opfs", []],
      [{ fileHandle: FakeWorkerFile.prototype }, "opfs", []],
      [{ storage: undefined }, "indexeddb", ["opfs"]],
      // The main thread of Safari before 26, which can read files of the private file system only.
      [{ fileHandle: { move() {}, getFile() {} } }, "indexeddb", ["opfs"]],
      [{ fileHandle: undefined }, "indexeddb", ["opfs"]],
      [none, "memory", ["opfs", "indexeddb"]],
    ])) {
      const chosen = await choose(browser(without).environment);
      assert.equal(chosen.kind, kind);
      assert.deepEqual(chosen.passed, passed.map((place) => [place, "STORAGE_UNAVAILABLE"]));
      assert.equal(chosen.error?.code, kind === "memory" ? "STORAGE_UNAVAILABLE" : undefined);
      assert.equal(chosen.backend.durable, kind !== "memory");
    }
  });

  it("stays what it was when the browser learns more", async () => {
    const { environment, database } = browser({ fileHandle: {} });
    const first = await choose(environment);
    await first.backend.append("log", 0, Uint8Array.of(1));
    const later = { ...environment, fileHandle: FakeFile.prototype };
    const { kind, backend } = await choose(later);
    assert.equal(kind, "indexeddb");
    assert.deepEqual(await backend.read("log"), Uint8Array.of(1));
    database.clear();
    assert.equal((await choose({ ...later, indexedDB: database.factory })).kind, "opfs");
  });

  it("is the one that was noted first, whoever chooses at the same time", async () => {
    const { environment } = browser();
    const reader = { ...environment, fileHandle: {} };
    for (const order of [[environment, reader], [reader, environment]]) {
      const chosen = await Promise.allSettled(order.map((one) => choose(one)));
      const kinds = chosen.map((one) => (one.status === "fulfilled" ? one.value.kind : one.reason.code));
      const tail = await openTail(environment);
      const home = await tail.home("notes");
      // Where the page may not write to the private file system, it says that the data are there.
      for (const kind of kinds) assert.ok(kind === home || (home === "opfs" && kind === "STORAGE_UNAVAILABLE"), `${kinds}, ${home}`);
      assert.equal(await tail.claimHome("notes", home === "opfs" ? "indexeddb" : "opfs"), home);
      await tail.setHome("notes", null);
      assert.equal(await tail.home("notes"), null);
      tail.close();
    }
  });

  it("is no other, empty one when its own cannot be opened", async () => {
    const { environment, storage } = browser();
    await choose(environment);
    await refuses(choose({ ...environment, storage: undefined }), "STORAGE_UNAVAILABLE", /"notes" are in .*\(OPFS\)/);
    await refuses(choose({ ...environment, fileHandle: {} }), "STORAGE_UNAVAILABLE", /\(OPFS\)/);
    await refuses(choose(environment, "indexeddb"), "STORAGE_UNAVAILABLE", /\(OPFS\), and another place/);
    storage.denied = domError("SecurityError");
    await refuses(choose(environment), "STORAGE_DENIED", /\(OPFS\)/);
    storage.denied = new Error("the disk is broken");
    await refuses(choose(environment), "STORAGE_UNAVAILABLE", /\(OPFS\).*the disk is broken/);
    storage.denied = null;
    assert.equal((await choose(environment)).kind, "opfs");
  });

  it("is denied when every place that exists is", async () => {
    const { environment, storage, database } = browser();
    storage.denied = domError("SecurityError");
    database.denied = domError("NotAllowedError");
    await refuses(choose(environment), "STORAGE_DENIED");
    await refuses(choose({ ...environment, storage: undefined }), "STORAGE_DENIED");
    await refuses(choose({ ...environment, indexedDB: undefined }), "STORAGE_DENIED");
    database.denied = null;
    const chosen = await choose(environment);
    assert.equal(chosen.kind, "indexeddb");
    assert.deepEqual(chosen.passed, [["opfs", "STORAGE_DENIED"]]);
  });

  it("is told when a place exists, is not denied, and fails", async () => {
    const { environment, storage } = browser({ indexedDB: undefined });
    storage.denied = new Error("the disk is broken");
    await refuses(choose(environment), "STORAGE_WRITE_FAILED", /the disk is broken/);
  });

  it("may be asked for", async () => {
    const { environment } = browser();
    assert.equal((await choose(environment, "memory")).kind, "memory");
    assert.equal((await choose(environment, "indexeddb")).kind, "indexeddb");
    await refuses(choose(browser({ storage: undefined }).environment, "opfs"), "STORAGE_UNAVAILABLE", /OPFS/);
  });

  it("may be the private file system without IndexedDB, unless the data could be where nobody can look", async () => {
    const { environment, database } = browser();
    database.denied = domError("SecurityError");
    await refuses(choose(environment), "STORAGE_DENIED");
    const { backend } = await choose(environment, "opfs");
    await backend.append("log", 0, Uint8Array.of(1));
    assert.equal((await choose(environment)).kind, "opfs", "the data are seen to be here");
    assert.equal((await choose(browser({ indexedDB: undefined }).environment)).kind, "opfs");
  });

  it("is refused when it cannot be noted, and when its database is of a newer version", async () => {
    const { environment, database } = browser({ storage: undefined });
    const tail = await openTail(environment);
    tail.claimHome = async () => {
      throw new StorageError("full", { code: "STORAGE_QUOTA" });
    };
    await refuses(chooseBackend("notes", tail, environment), "STORAGE_QUOTA");
    await new Promise((resolve, reject) => {
      const request = database.factory.open("zengram:other", 99);
      request.onsuccess = () => resolve(request.result.close());
      request.onerror = () => reject(request.error);
    });
    const other = await openTail(environment);
    await refuses(chooseBackend("other", other, environment), "STORAGE_VERSION", /newer Zengram/);
    await other.setHome("other", "indexeddb");
    await refuses(chooseBackend("other", other, environment), "STORAGE_VERSION", /IndexedDB.*newer Zengram/);
  });
});
