/** The store's promises, against a file system in memory that fails on request. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { ClosedError, InvalidArgumentError } from "../src/errors.js";
import { openStore } from "../src/persistence/byte_store.js";
import { FakeLocks, FakeStorage, domError } from "./support/opfs.mjs";
import { refuses } from "./support/refuses.mjs";

/** @param {string} text */
const bytesOf = (text) => new TextEncoder().encode(text);
/** @param {Uint8Array | null} bytes */
const textOf = (bytes) => (bytes === null ? null : new TextDecoder().decode(bytes));

function setUp() {
  const storage = new FakeStorage();
  const locks = new FakeLocks();
  const environment = /** @type {any} */ ({ storage, locks });
  /** @type {import("../src/zengram.js").StoreStatus[]} */
  const statuses = [];
  return {
    storage,
    locks,
    statuses,
    open: (name = "notes") => openStore(name, { onStatus: (status) => statuses.push(status) }, environment),
    files: (name = "notes") => [.../** @type {any} */ (storage.folders.get(`zengram-${name}`)).files.keys()].sort(),
    /** @returns {Map<string, Uint8Array>} */
    contents: () => /** @type {any} */ (storage.folders.get("zengram-notes")).files,
  };
}

describe("saving and loading", () => {
  it("starts with nothing and gives back what was saved last", async () => {
    const { open, files, statuses } = setUp();
    const store = await open();
    const fresh = { backend: "opfs", state: "ready", lastSaved: null, bytes: null, error: null };
    assert.deepEqual({ ...store.status }, fresh);
    assert.equal(await store.load(), null);
    await store.save(bytesOf("one"));
    await store.save(bytesOf("second"));
    assert.equal(textOf(await store.load()), "second");
    assert.deepEqual(files(), ["manifest.json", "notes.2.6"]);
    assert.equal(store.status.bytes, 6);
    assert.ok(Math.abs(Date.now() - /** @type {number} */ (store.status.lastSaved)) < 10_000);
    assert.deepEqual(statuses.map((status) => status.state).filter((state, i, all) => state !== all[i - 1]), [
      "ready", "saving", "ready", "saving", "ready",
    ]);
    await store.close();
    const again = await open();
    assert.equal(textOf(await again.load()), "second");
    assert.equal(again.status.bytes, 6);
    await again.save(bytesOf("third"));
    assert.deepEqual(files(), ["manifest.json", "notes.3.5"]);
  });

  it("keeps stores apart and takes any name", async () => {
    const { open } = setUp();
    const names = ["a", "a.1", "A/b", "..", "日本 語", "manifest.json"];
    for (const name of names) {
      const store = await open(name);
      assert.equal(await store.load(), null);
      await store.save(bytesOf(name));
      await store.close();
    }
    for (const name of names) {
      const store = await open(name);
      assert.equal(textOf(await store.load()), name);
    }
    for (const name of /** @type {any[]} */ (["", "x".repeat(101), 5, null, undefined, "\ud800"])) {
      await assert.rejects(open(name === undefined ? 0 : name), InvalidArgumentError);
    }
  });

  it("refuses what is no snapshot, and a save that did not look first", async () => {
    const { open } = setUp();
    const store = await open();
    await refuses(store.save(bytesOf("unseen")), "STORAGE_NOT_LOADED", /load\(\)/);
    assert.equal(await store.load(), null);
    for (const wrong of /** @type {any[]} */ ([null, "text", [1], new Uint8Array(0), new ArrayBuffer(3)])) {
      await assert.rejects(store.save(wrong), InvalidArgumentError);
    }
  });

  it("writes one save at a time and only the newest of those that wait", async () => {
    const { open, storage } = setUp();
    const store = await open();
    await store.load();
    let closing = 0;
    storage.beforeClose = async () => {
      closing += 1;
      assert.equal(closing, 1);
      await new Promise((resolve) => setTimeout(resolve, 2));
      closing -= 1;
    };
    const saves = ["1", "22", "333", "4444"].map((text) => store.save(bytesOf(text)));
    await Promise.all(saves);
    assert.deepEqual(storage.journal, ["notes.1.1", "manifest.json", "notes.2.4", "manifest.json"]);
    assert.equal(textOf(await store.load()), "4444");
  });

  it("goes on with the waiting save after one that failed", async () => {
    const { open, storage } = setUp();
    const store = await open();
    await store.load();
    storage.faults.push({ operation: "write", match: /^notes/, error: domError("QuotaExceededError"), times: 1 });
    const first = store.save(bytesOf("1"));
    const second = store.save(bytesOf("22"));
    await refuses(first, "STORAGE_QUOTA");
    await second;
    assert.equal(store.status.state, "ready");
    assert.equal(textOf(await store.load()), "22");
  });
});

describe("a write that is cut off", () => {
  for (const [step, fault] of /** @type {[string, any][]} */ ([
    ["creating the file", { operation: "create", match: /^notes\.2/ }],
    ["writing the data", { operation: "write", match: /^notes\.2/ }],
    ["closing the file", { operation: "close", match: /^notes\.2/ }],
    ["writing the manifest", { operation: "write", match: /^manifest/ }],
    ["closing the manifest", { operation: "close", match: /^manifest/ }],
  ])) {
    it(`while ${step} leaves the last good generation`, async () => {
      const { open, storage, files } = setUp();
      const store = await open();
      await store.load();
      await store.save(bytesOf("good"));
      storage.faults.push({ ...fault, error: new Error("the tab died") });
      await refuses(store.save(bytesOf("newer")), "STORAGE_WRITE_FAILED", /the tab died/);
      assert.equal(store.status.state, "error");
      assert.equal(store.status.error?.code, "STORAGE_WRITE_FAILED");
      assert.equal(textOf(await store.load()), "good");
      storage.faults.length = 0;
      await store.close();
      const next = await open();
      assert.equal(textOf(await next.load()), "good");
      await next.save(bytesOf("after"));
      assert.equal(files().length, 2, "what was left over is gone");
      assert.equal(textOf(await next.load()), "after");
    });
  }

  it("counts as no save at all when it was the first", async () => {
    const { open, storage } = setUp();
    const store = await open();
    await store.load();
    storage.faults.push({ operation: "write", match: /^notes/, error: new Error("died"), times: 1 });
    await refuses(store.save(bytesOf("1")), "STORAGE_WRITE_FAILED");
    await store.close();
    assert.equal(await (await open()).load(), null);
  });

  it("is noticed when the browser writes less than it was given", async () => {
    const { open, contents } = setUp();
    const store = await open();
    await store.load();
    const set = contents().set.bind(contents());
    contents().set = (name, bytes) => set(name, name.startsWith("notes") ? bytes.slice(0, 2) : bytes);
    await refuses(store.save(bytesOf("truncated")), "STORAGE_WRITE_FAILED", /2 of 9/);
  });

  it("leaves files of others alone, and takes what the browser left of its own", async () => {
    const { open, contents, files } = setUp();
    const store = await open();
    await store.load();
    for (const name of ["log-1", "a.manifest", "notes.log", "notes.7.8.crswap"]) contents().set(name, bytesOf("x"));
    await store.save(bytesOf("1"));
    await store.save(bytesOf("22"));
    assert.deepEqual(files(), ["a.manifest", "log-1", "manifest.json", "notes.2.2", "notes.log"]);
  });

  it("does not fail because old files cannot be removed yet", async () => {
    const { open, storage, files } = setUp();
    const store = await open();
    await store.load();
    await store.save(bytesOf("1"));
    storage.faults.push({ operation: "remove", match: /./, error: domError("NoModificationAllowedError"), times: 1 });
    await store.save(bytesOf("22"));
    assert.equal(store.status.state, "ready");
    assert.equal(files().length, 3);
    await store.save(bytesOf("333"));
    assert.deepEqual(files(), ["manifest.json", "notes.3.3"]);
  });
});

describe("damage", () => {
  async function damaged() {
    const scene = setUp();
    const store = await scene.open();
    await store.load();
    await store.save(bytesOf("precious"));
    return { ...scene, store };
  }

  it("of the manifest loses nothing", async () => {
    const { store, contents } = await damaged();
    for (const text of ["", "{", "[]", "null", '{"format":2}', '{"format":1,"current":{"file":7},"setAside":[]}']) {
      contents().set("manifest.json", bytesOf(text));
      assert.equal(textOf(await store.load()), "precious", text);
    }
    contents().delete("manifest.json");
    assert.equal(textOf(await store.load()), "precious");
  });

  it("of the data is reported, blocks saving, and can be set aside", async () => {
    const { store, contents, files, open } = await damaged();
    contents().set("notes.1.8", bytesOf("prec"));
    await refuses(store.load(), "STORAGE_DAMAGED", /notes\.1\.8/);
    assert.equal(store.status.state, "error");
    await refuses(store.save(bytesOf("empty")), "STORAGE_NOT_LOADED");
    const kept = await store.setAside("half of it is missing");
    assert.match(String(kept), /^notes\.damaged-\d{4}-\d\d-\d\dT/);
    assert.equal(store.status.state, "ready");
    await store.save(bytesOf("new"));
    await store.save(bytesOf("newer"));
    assert.deepEqual(files(), ["manifest.json", "notes.3.5", kept].sort());
    const [copy] = await store.listSetAside();
    assert.equal(copy.file, kept);
    assert.equal(copy.reason, "half of it is missing");
    assert.equal(copy.bytes, 4);
    assert.equal(textOf(await store.readSetAside(copy.file)), "prec");
    await assert.rejects(store.readSetAside("manifest.json"), InvalidArgumentError);
    await store.close();
    const again = await open();
    assert.equal(textOf(await again.load()), "newer");
    assert.equal((await again.listSetAside()).length, 1);
  });

  it("that only the reader of the bytes can see is set aside too", async () => {
    const { store } = await damaged();
    assert.equal(textOf(await store.load()), "precious");
    const kept = await store.setAside("checksum");
    assert.equal(await store.load(), null);
    assert.equal(store.status.lastSaved, null);
    assert.equal(textOf(await store.readSetAside(String(kept))), "precious");
  });

  it("twice in one moment keeps both copies", async () => {
    const { store } = await damaged();
    await store.setAside("first");
    await store.save(bytesOf("more"));
    await store.setAside("second");
    const copies = await store.listSetAside();
    assert.deepEqual(copies.map((copy) => copy.reason), ["first", "second"]);
    assert.equal(new Set(copies.map((copy) => copy.file)).size, 2);
  });

  it("of everything leaves the manifest as evidence", async () => {
    const { store, contents, files } = await damaged();
    contents().delete("notes.1.8");
    contents().set("manifest.json", bytesOf("?"));
    await refuses(store.load(), "STORAGE_DAMAGED", /manifest/);
    const kept = await store.setAside("nothing left");
    assert.deepEqual(files(), ["manifest.json", kept].sort());
  });

  it("that is cut off while being set aside loses nothing", async () => {
    const { store, storage, contents } = await damaged();
    contents().set("notes.1.8", bytesOf("prec"));
    await refuses(store.load(), "STORAGE_DAMAGED");
    storage.faults.push({ operation: "close", match: /^manifest/, error: new Error("died"), times: 1 });
    await refuses(store.setAside("torn"), "STORAGE_WRITE_FAILED");
    await refuses(store.load(), "STORAGE_DAMAGED");
    assert.equal(await store.setAside("torn"), null);
    await store.save(bytesOf("new"));
    const [copy] = await store.listSetAside();
    assert.equal(textOf(await store.readSetAside(copy.file)), "prec");
  });

  it("when nothing is saved is nothing to set aside", async () => {
    const { open } = setUp();
    const store = await open();
    assert.equal(await store.setAside("why"), null);
    await store.save(bytesOf("setting aside counts as having looked"));
  });
});

describe("two tabs", () => {
  it("share a name: the second reads and never writes", async () => {
    const { open } = setUp();
    const first = await open();
    await first.load();
    await first.save(bytesOf("mine"));
    const second = await open();
    assert.equal(second.status.state, "locked");
    assert.equal(second.status.error?.code, "STORAGE_LOCKED");
    assert.equal(textOf(await second.load()), "mine");
    assert.equal(second.status.state, "locked");
    assert.equal(second.status.bytes, 4);
    await refuses(second.save(bytesOf("theirs")), "STORAGE_LOCKED");
    await refuses(second.setAside("no"), "STORAGE_LOCKED");
    assert.equal((await second.retry()).state, "locked");
    await first.save(bytesOf("mine again"));
    await first.close();
    assert.equal((await second.retry()).state, "ready");
    // Another tab saved since: look again before replacing that.
    await refuses(second.save(bytesOf("theirs")), "STORAGE_NOT_LOADED");
    assert.equal(textOf(await second.load()), "mine again");
    await second.save(bytesOf("theirs"));
    await second.close();
    assert.equal((await open()).status.state, "ready");
  });

  it("may read while the other saves", async () => {
    const { open } = setUp();
    const first = await open();
    const second = await open();
    await first.load();
    await first.save(bytesOf("0"));
    const saving = (async () => {
      for (let i = 1; i <= 50; i++) await first.save(bytesOf(`${i}`.padStart(i, "x")));
    })();
    for (let i = 0; i < 100; i++) assert.notEqual(await second.load(), null);
    await saving;
  });

  it("may take the lock by force, and then this one stops saving", async () => {
    const { open, locks } = setUp();
    const store = await open();
    await store.load();
    await store.save(bytesOf("1"));
    locks.steal("zengram:notes");
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.equal(store.status.state, "locked");
    await refuses(store.save(bytesOf("2")), "STORAGE_LOCKED");
  });

  it("retry together without getting in each other's way", async () => {
    const { open } = setUp();
    const store = await open();
    const statuses = await Promise.all([store.retry(), store.retry(), store.retry()]);
    assert.deepEqual(statuses.map((status) => status.state), ["ready", "ready", "ready"]);
  });
});

describe("storage that is not to be had", () => {
  it("is a status, not an exception", async () => {
    const { open, storage } = setUp();
    for (const name of ["SecurityError", "NotAllowedError"]) {
      storage.denied = domError(name);
      const store = await open();
      assert.equal(store.status.state, "error");
      assert.equal(store.status.error?.code, "STORAGE_DENIED");
      assert.equal(await store.load(), null);
      await refuses(store.save(bytesOf("x")), "STORAGE_DENIED");
      storage.denied = null;
      assert.equal((await store.retry()).state, "ready");
      await store.close();
    }
  });

  it("says what this browser lacks", async () => {
    const { storage, locks } = setUp();
    for (const environment of /** @type {any[]} */ ([{}, { locks }, { storage }, { storage: {}, locks }])) {
      const store = await openStore("x", {}, environment);
      assert.equal(store.status.error?.code, "STORAGE_UNAVAILABLE");
      assert.match(String(store.status.error?.message), /browser/);
      await refuses(store.save(bytesOf("x")), "STORAGE_UNAVAILABLE");
    }
    assert.equal((await openStore("in Node")).status.error?.code, "STORAGE_UNAVAILABLE");
  });

  it("may be full, and later not", async () => {
    const { open, storage } = setUp();
    const store = await open();
    await store.load();
    storage.faults.push({ operation: "close", match: /^notes/, error: domError("QuotaExceededError"), times: 1 });
    await refuses(store.save(bytesOf("big")), "STORAGE_QUOTA", /space/);
    assert.equal(store.status.error?.code, "STORAGE_QUOTA");
    await store.save(bytesOf("small"));
    assert.equal(store.status.error, null);
    // Room is asked for before anything is written, because that is answered with the right reason.
    storage.faults.push({ operation: "write", match: /^notes/, error: domError("AbortError", "A pipe broke."), times: 1 });
    storage.quota = 2;
    await refuses(store.save(bytesOf("big")), "STORAGE_QUOTA");
    storage.quota = 1000;
    await refuses(store.save(bytesOf("big")), "STORAGE_WRITE_FAILED", /saved: A pipe broke\.$/);
  });
});

describe("close", () => {
  it("waits for saves, releases the lock, and ends everything", async () => {
    const { open, storage, statuses } = setUp();
    const store = await open();
    await store.load();
    storage.beforeClose = () => new Promise((resolve) => setTimeout(resolve, 2));
    const saves = [store.save(bytesOf("1")), store.save(bytesOf("last"))];
    await store.close();
    await Promise.all(saves);
    await store.close();
    assert.equal(statuses.at(-1)?.state, "closed");
    for (const call of [() => store.load(), () => store.save(bytesOf("x")), () => store.setAside("x"), () => store.listSetAside()]) {
      await assert.rejects(call, ClosedError);
    }
    assert.equal(textOf(await (await open()).load()), "last");
  });
});

describe("calls at the same time", () => {
  it("do not run into each other", async () => {
    const { open, storage, files } = setUp();
    const store = await open();
    await store.load();
    await store.save(bytesOf("first"));
    let writing = 0;
    storage.beforeClose = async () => {
      assert.equal(writing++, 0, "two things are written at once");
      await new Promise((resolve) => setTimeout(resolve, 1));
      writing--;
    };
    const [kept, , other, loaded] = await Promise.all([
      store.setAside("why"), store.save(bytesOf("second")), store.setAside("again"), store.load(),
    ]);
    assert.notEqual(kept, null);
    assert.notEqual(kept, other);
    assert.equal(loaded, null);
    assert.deepEqual((await store.listSetAside()).map(({ reason }) => reason), ["why", "again"]);
    await store.save(bytesOf("third"));
    assert.equal(textOf(await store.load()), "third");
    assert.equal(files().length, 4);
  });

  it("give no save a way around a load that fails", async () => {
    const { open, contents } = setUp();
    const store = await open();
    await store.load();
    await store.save(bytesOf("good"));
    contents().set("notes.1.4", bytesOf("go"));
    const results = await Promise.allSettled([store.load(), store.save(bytesOf("over it"))]);
    assert.deepEqual(results.map((one) => /** @type {any} */ (one).reason?.code), ["STORAGE_DAMAGED", "STORAGE_NOT_LOADED"]);
    assert.equal(store.status.error?.code, "STORAGE_DAMAGED");
    assert.ok(contents().has("notes.1.4"));
  });

  it("to close all wait for the end", async () => {
    const { open, storage } = setUp();
    const store = await open();
    await store.load();
    storage.beforeClose = () => new Promise((resolve) => setTimeout(resolve, 5));
    const saved = store.save(bytesOf("x"));
    void store.close();
    await store.close();
    assert.equal(store.status.state, "closed");
    await saved;
    await assert.rejects(store.retry(), ClosedError);
  });
});

describe("arguments of the wrong kind", () => {
  it("are refused and change nothing", async () => {
    const { open, storage, locks } = setUp();
    const environment = /** @type {any} */ ({ storage, locks });
    for (const options of /** @type {any[]} */ ([5, "x", [], { onStatus: "tell me" }])) {
      await assert.rejects(openStore("notes", options, environment), InvalidArgumentError);
    }
    const store = await open();
    await store.load();
    const gone = bytesOf("gone");
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    for (const bytes of /** @type {any[]} */ ([null, "text", [1], new ArrayBuffer(4), Float32Array.of(1), gone])) {
      await assert.rejects(store.save(bytes), InvalidArgumentError);
    }
    for (const reason of /** @type {any[]} */ ([undefined, 5, Object.create(null)])) {
      await assert.rejects(store.setAside(reason), InvalidArgumentError);
    }
    assert.equal(store.status.state, "ready");
    await store.save(Buffer.from("a Buffer"));
    assert.equal(textOf(await store.load()), "a Buffer");
  });
});

describe("a folder that was taken away", () => {
  it("is made again by the next save, and holds nothing until then", async () => {
    const { open, storage } = setUp();
    const store = await open();
    await store.load();
    await store.save(bytesOf("before"));
    storage.clear();
    assert.deepEqual(await store.listSetAside(), []);
    assert.equal(await store.load(), null);
    await store.save(bytesOf("after"));
    assert.equal(textOf(await store.load()), "after");
    storage.clear();
    assert.equal(await store.setAside("why"), null);
    await store.save(bytesOf("again"));
    assert.equal(textOf(await store.load()), "again");
  });
});

describe("bytes that are transferred elsewhere before they are written", () => {
  it("replace nothing", async () => {
    const { open, storage } = setUp();
    const store = await open();
    await store.load();
    await store.save(bytesOf("good"));
    const [first, second] = [bytesOf("first"), bytesOf("second")];
    const saves = [store.save(first), store.save(second)].map((save) => refuses(save, "STORAGE_WRITE_FAILED", /transferred/));
    structuredClone(null, { transfer: [first.buffer, second.buffer] });
    await Promise.all(saves);
    assert.equal(textOf(await store.load()), "good");
    const late = bytesOf("late");
    storage.beforeWrite = () => structuredClone(null, { transfer: [late.buffer] });
    await refuses(store.save(late), "STORAGE_WRITE_FAILED", /transferred/);
    assert.equal(textOf(await store.load()), "good");
  });
});

describe("a listener", () => {
  it("cannot break the store", async () => {
    const { storage, locks } = setUp();
    /** @type {unknown[]} */
    const reported = [];
    const original = console.error;
    console.error = (error) => reported.push(error);
    try {
      const onStatus = () => {
        throw new Error("listener");
      };
      const store = await openStore("x", { onStatus }, /** @type {any} */ ({ storage, locks }));
      assert.equal(store.status.state, "ready");
      assert.equal(/** @type {any} */ (reported[0]).message, "listener");
    } finally {
      console.error = original;
    }
  });
});
