/** Where two faults meet, or a fault meets an operation that was under way. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { crc32 } from "../src/persistence/crc32.js";
import { Profile, commits, leave, openMemory, persistence, upTo, write, zengram } from "./support/durable.mjs";
import { domError } from "./support/opfs.mjs";

/** @typedef {import("../src/zengram.js").ZengramMemory} ZengramMemory */

const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
const quota = () => domError("QuotaExceededError");

/** The files of the one store. @param {Profile} profile */
function filesOf(profile) {
  const [folder] = profile.storage.folders.values();
  return folder.files;
}

/** @param {Profile} profile @param {RegExp} match @param {number} [at] which byte, from the end if negative */
function damage(profile, match, at = 40) {
  const files = filesOf(profile);
  const name = [...files.keys()].filter((one) => match.test(one)).sort().at(-1);
  assert.ok(name !== undefined, `no ${match} in ${[...files.keys()]}`);
  const bytes = /** @type {Uint8Array} */ (files.get(name)).slice();
  bytes[at < 0 ? bytes.length + at : at] ^= 0x55;
  files.set(name, bytes);
  return name;
}

/** What all handles are; nothing may be left behind. */
function handles() {
  const db = zengram.ZetaDb.open();
  const { handles } = /** @type {any} */ (db.stats());
  db.free();
  return handles;
}

describe("an opening that fails", () => {
  it("leaves neither a lock nor a handle behind", async () => {
    const before = handles();
    const profile = new Profile();
    let memory = await profile.open();
    write(memory, 1);
    await leave(memory);
    const { storage, locks, File } = profile;
    const environment = { storage, locks, indexedDB: profile.indexedDb.factory, fileHandle: File.prototype };
    await assert.rejects(openMemory({ name: "notes", dim: 5, persist: { askToStay: false } }, environment));
    assert.equal(locks.held.size, 0);
    // A record of a later format, whole and with good checksums.
    const name = [...filesOf(profile).keys()].find((one) => one.startsWith("log")) ?? "";
    const bytes = /** @type {Uint8Array} */ (filesOf(profile).get(name));
    const good = bytes.slice();
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    view.setUint16(4, 2, true);
    view.setUint32(60, crc32(bytes.subarray(0, 60)), true);
    await assert.rejects(profile.open(), { code: "STORAGE_VERSION" });
    assert.equal(locks.held.size, 0);
    filesOf(profile).set(name, good);
    memory = await profile.open();
    assert.deepEqual(commits(memory), [1]);
    await leave(memory);
    assert.deepEqual(handles(), before);
  });
});

describe("a fold", () => {
  it("after an append that failed leaves a log that can be written", async () => {
    const profile = new Profile();
    const memory = await profile.open();
    write(memory, 1);
    await persistence(memory).flush();
    profile.storage.faults.push({ operation: "write", match: /^log/, error: quota(), times: 1 });
    write(memory, 2);
    await assert.rejects(persistence(memory).flush(), { code: "STORAGE_QUOTA" });
    await persistence(memory).fold();
    write(memory, 3);
    await persistence(memory).flush();
    assert.equal(persistence(memory).status.state, "ready");
    await leave(memory);
    profile.nextPage();
    const again = await profile.open();
    assert.deepEqual(commits(again), upTo(3));
    await leave(again);
  });

  it("that began before there was a manifest, and failed, loses nothing", async () => {
    const profile = new Profile();
    const memory = await profile.open();
    await pause(20);
    filesOf(profile).delete("manifest-1.json"); // as when it could not be written
    profile.nextPage();
    memory.free();
    const again = await profile.open();
    profile.storage.faults.push({ operation: "write", match: /snapshot/, error: quota(), times: 1 });
    await assert.rejects(persistence(again).fold(), { code: "STORAGE_QUOTA" });
    write(again, 1);
    await leave(again);
    profile.nextPage();
    const last = await profile.open();
    assert.deepEqual(commits(last), [1]);
    assert.deepEqual(persistence(last).status.recovery?.damaged, []);
    await leave(last);
  });

  it("that failed leaves the next one the manifest that is not in force", async () => {
    const profile = new Profile();
    const memory = await profile.open();
    write(memory, 1);
    await persistence(memory).flush();
    await persistence(memory).fold();
    profile.storage.faults.push({ operation: "write", match: /snapshot/, error: quota(), times: 1 });
    await assert.rejects(persistence(memory).fold(), { code: "STORAGE_QUOTA" });
    const before = new Map(filesOf(profile));
    await persistence(memory).fold();
    const after = filesOf(profile);
    const generation = (/** @type {Uint8Array} */ bytes) => JSON.parse(new TextDecoder().decode(bytes)).manifest.generation;
    const manifests = [...before.keys()].filter((name) => name.startsWith("manifest"));
    const inForce = manifests.sort((a, b) => generation(/** @type {any} */ (before.get(b))) - generation(/** @type {any} */ (before.get(a))))[0];
    assert.deepEqual(after.get(inForce), before.get(inForce), "the manifest in force was written over");
    await leave(memory);
  });

  it("in mode snapshot that failed for a flush is tried again by itself", async () => {
    const profile = new Profile();
    const memory = await profile.open({ mode: "snapshot", throttleMs: 20 });
    write(memory, 1);
    await persistence(memory).flush();
    await pause(50); // no timer waits any more
    profile.storage.faults.push({ operation: "write", match: /snapshot/, error: quota(), times: 1 });
    write(memory, 2);
    await assert.rejects(persistence(memory).flush(), { code: "STORAGE_QUOTA" });
    for (let i = 0; i < 100 && persistence(memory).pendingBytes > 0; i++) await pause(20);
    assert.equal(persistence(memory).pendingBytes, 0);
    await leave(memory);
  });

  it("that nobody waits for does not make a flush fail", async () => {
    const profile = new Profile();
    const memory = await profile.open({ foldBytes: 2000 });
    profile.storage.faults.push({ operation: "write", match: /snapshot/, error: quota() });
    for (let i = 1; i <= 20; i++) {
      write(memory, i);
      await persistence(memory).flush();
      await pause(3);
    }
    profile.storage.faults.pop();
    await leave(memory);
  });
});

describe("a damaged manifest", () => {
  for (const one of ["manifest-0.json", "manifest-1.json"]) {
    it(`(${one}) is told once, and the one that is in force stays there`, async () => {
      const profile = new Profile();
      let memory = await profile.open();
      write(memory, 1);
      await persistence(memory).flush();
      await persistence(memory).fold();
      write(memory, 2);
      await leave(memory);
      profile.nextPage();
      damage(profile, new RegExp(one));
      memory = await profile.open();
      assert.deepEqual(commits(memory), [1, 2]);
      const told = /** @type {any} */ (persistence(memory).status.recovery);
      assert.deepEqual([told.lossless, told.damaged[0].file], [true, one]);
      assert.equal((await persistence(memory).listSetAside()).length, told.damaged.length);
      write(memory, 3);
      await leave(memory);
      profile.nextPage();
      memory = await profile.open();
      assert.deepEqual(commits(memory), [1, 2, 3]);
      assert.deepEqual(persistence(memory).status.recovery?.damaged, []);
      await leave(memory);
    });
  }
});

describe("recovering", () => {
  it("keeps the damaged files, whenever the page dies", async () => {
    for (let step = 1; ; step++) {
      const profile = new Profile();
      let memory = await profile.open();
      for (const i of [1, 2, 3]) {
        write(memory, i);
        await persistence(memory).flush();
      }
      await leave(memory);
      profile.nextPage();
      const log = /** @type {Uint8Array} */ (filesOf(profile).get(damage(profile, /^log/, 300)));
      profile.storage.steps = 0;
      profile.storage.diesAt = step;
      const survived = await profile.open({ recover: true }).then(
        async (opened) => {
          await leave(opened).catch(() => {});
          return profile.storage.steps < step;
        },
        () => false,
      );
      profile.nextPage();
      if (![...filesOf(profile).keys()].includes("manifest-0.json")) {
        await assert.rejects(profile.open(), { code: "STORAGE_DAMAGED" }, `step ${step}: an empty memory without a word`);
      }
      memory = await profile.open({ recover: true });
      write(memory, 9);
      await persistence(memory).fold();
      const kept = [...filesOf(profile)].filter(([name]) => name.startsWith("damaged-"));
      assert.ok(kept.some(([, bytes]) => Buffer.compare(bytes, log) === 0), `step ${step}: ${[...filesOf(profile).keys()]}`);
      const listed = await persistence(memory).listSetAside();
      assert.ok(listed.some(({ reason }) => reason !== ""), `step ${step}`);
      await leave(memory);
      if (survived) {
        assert.ok(step > 10);
        return;
      }
    }
  });
});

describe("encryption", () => {
  const passphrase = "open sesame";

  it("of a store that was not encrypted loses nothing, whenever the page dies", async () => {
    for (let step = 1; ; step++) {
      const profile = new Profile();
      let memory = await profile.open();
      write(memory, 1);
      await leave(memory);
      profile.nextPage();
      profile.storage.steps = 0;
      profile.storage.diesAt = step;
      const survived = await profile.open({ passphrase }).then(
        async (opened) => {
          await leave(opened).catch(() => {});
          return profile.storage.steps < step;
        },
        () => false,
      );
      profile.nextPage();
      memory = await profile.open({ passphrase });
      assert.deepEqual(commits(memory), [1], `step ${step}`);
      write(memory, 2);
      await leave(memory);
      profile.nextPage();
      memory = await profile.open({ passphrase });
      assert.deepEqual(commits(memory), [1, 2], `step ${step}`);
      await leave(memory);
      const plain = [...filesOf(profile)].filter(([, bytes]) => Buffer.from(bytes).includes("fact 1"));
      assert.deepEqual(plain.map(([name]) => name), [], `step ${step}: not encrypted`);
      if (survived) return;
    }
  });

  it("is not begun by an import that is refused", async () => {
    const profile = new Profile();
    let memory = await profile.open();
    write(memory, 1);
    const file = memory.exportSnapshot();
    await leave(memory);
    const { storage, locks, File } = profile;
    const environment = { storage, locks, indexedDB: profile.indexedDb.factory, fileHandle: File.prototype };
    const importStore = /** @type {(...args: unknown[]) => Promise<void>} */ (/** @type {unknown} */ (zengram.importStore));
    await assert.rejects(importStore("notes", file, { passphrase }, environment), { code: "STORAGE_NOT_EMPTY" });
    profile.nextPage();
    memory = await profile.open();
    assert.deepEqual(commits(memory), [1]);
    await leave(memory);
  });

  it("whose key file is gone is damage, and changes nothing", async () => {
    const profile = new Profile();
    const memory = await profile.open({ passphrase });
    write(memory, 1);
    await leave(memory);
    profile.nextPage();
    filesOf(profile).delete("key.json");
    await assert.rejects(profile.open({ passphrase }), { code: "STORAGE_DAMAGED" });
    assert.ok(!filesOf(profile).has("key.json"));
    await assert.rejects(profile.open(), { code: "STORAGE_DAMAGED" });
  });
});

describe("a page that only reads", () => {
  it("does not take a store that is being folded for an older one", async () => {
    const profile = new Profile();
    const memory = await profile.open();
    write(memory, 1);
    await persistence(memory).flush();
    await persistence(memory).fold();
    write(memory, 2);
    await persistence(memory).flush();
    // The fold comes between the look at the files and the reading of the log.
    const { storage } = profile;
    const [folder] = storage.folders.values();
    const getFileHandle = folder.getFileHandle;
    let isArmed = true;
    folder.getFileHandle = async function (name, options) {
      const handle = await getFileHandle.call(this, name, options);
      if (!isArmed || !name.startsWith("snapshot-")) return handle;
      const { getFile } = handle;
      handle.getFile = async function () {
        const file = await getFile.call(this);
        const bytes = await file.arrayBuffer();
        file.arrayBuffer = async () => {
          if (isArmed) {
            isArmed = false;
            await persistence(memory).fold();
          }
          return bytes;
        };
        return file;
      };
      return handle;
    };
    const reader = await profile.open({ whenLocked: "read" });
    assert.equal(isArmed, false);
    assert.deepEqual(commits(reader), [1, 2]);
    await leave(reader);
    await leave(memory);
  });
});

describe("a lock that was taken by force", () => {
  it("is told by a flush of what was not stored, and closes", async () => {
    const profile = new Profile();
    const memory = await profile.open();
    write(memory, 1);
    await persistence(memory).flush();
    profile.storage.faults.push({ operation: "write", match: /^log/, error: quota() });
    write(memory, 2);
    await persistence(memory).flush().catch(() => {});
    profile.locks.steal("zengram:notes");
    await pause(5);
    await assert.rejects(persistence(memory).flush(), { code: "STORAGE_LOCKED" });
    assert.ok(persistence(memory).pendingBytes > 0);
    assert.equal(persistence(memory).status.state, "locked");
    await persistence(memory).close();
    assert.equal(persistence(memory).status.state, "closed");
    memory.free();
  });

  it("while a write is under way stays taken in the status", async () => {
    const profile = new Profile();
    const memory = await profile.open();
    await persistence(memory).flush();
    let isLet = () => {};
    profile.storage.beforeClose = () => new Promise((resolve) => (isLet = () => resolve(undefined)));
    write(memory, 1);
    const stored = persistence(memory).flush();
    stored.catch(() => {});
    await pause(5);
    profile.locks.steal("zengram:notes");
    await pause(5);
    isLet();
    await pause(20);
    assert.equal(persistence(memory).status.state, "locked");
    assert.equal(persistence(memory).status.error?.code, "STORAGE_LOCKED");
    await persistence(memory).close().catch(() => {});
    memory.free();
  });

  it("stops a fold", async () => {
    const profile = new Profile();
    const memory = await profile.open();
    write(memory, 1);
    await persistence(memory).flush();
    let isLet = () => {};
    profile.storage.beforeClose = () => new Promise((resolve) => (isLet = () => resolve(undefined)));
    const folded = persistence(memory).fold();
    folded.catch(() => {});
    await pause(10);
    profile.locks.steal("zengram:notes");
    await pause(5);
    profile.storage.beforeClose = async () => {};
    isLet();
    await assert.rejects(folded, { code: "STORAGE_LOCKED" });
    assert.ok([...filesOf(profile).keys()].some((name) => name.startsWith("log-00000001")), "another page's log was removed");
    await persistence(memory).close();
    memory.free();
  });
});

describe("a page that is hidden", () => {
  /** @param {(page: EventTarget) => Promise<void>} work */
  async function withPage(work) {
    const page = new EventTarget();
    const scope = /** @type {any} */ (globalThis);
    const { document, addEventListener, removeEventListener } = scope;
    const own = { document: page, addEventListener: page.addEventListener.bind(page), removeEventListener: page.removeEventListener.bind(page) };
    Object.assign(scope, own);
    try {
      await work(page);
    } finally {
      Object.assign(scope, { document, addEventListener, removeEventListener });
    }
  }

  it("leaves no trace of a memory that is not to be stored", () => withPage(async (page) => {
    const profile = new Profile();
    const secret = await profile.open({ backend: "memory" });
    const { journal } = profile.indexedDb;
    const before = journal.length;
    write(secret, 1);
    page.dispatchEvent(new Event("pagehide"));
    assert.deepEqual(journal.slice(before), [], "what would be there if the page died now");
    await leave(secret);
    const memory = await profile.open();
    assert.deepEqual(commits(memory), []);
    await leave(memory);
  }));

  it("loses nothing, whatever the order of hiding, storing and failing", () => withPage(async (page) => {
    const profile = new Profile();
    let memory = await profile.open();
    await persistence(memory).flush();
    profile.storage.faults.push({ operation: "write", match: /^log/, error: quota() });
    for (const i of [1, 2, 3]) {
      write(memory, i);
      page.dispatchEvent(new Event("pagehide"));
      await pause(2);
    }
    profile.nextPage();
    memory = await profile.open();
    assert.deepEqual(commits(memory), upTo(3));
    assert.ok(/** @type {any} */ (persistence(memory).status.recovery).fromTail >= 3);
    page.dispatchEvent(new Event("pagehide"));
    await leave(memory);
    profile.nextPage();
    memory = await profile.open();
    assert.deepEqual(commits(memory), upTo(3));
    assert.equal(persistence(memory).status.recovery?.fromTail, 0);
    await leave(memory);
  }));
});

describe("an import that fails", () => {
  it("loses nothing of what it was to replace, nor what the last page left", async () => {
    for (let step = 1; ; step++) {
      const profile = new Profile();
      let memory = await profile.open();
      write(memory, 1);
      await persistence(memory).flush();
      const file = memory.exportSnapshot();
      profile.storage.faults.push({ operation: "write", match: /./, error: quota() });
      write(memory, 2);
      await assert.rejects(persistence(memory).close());
      memory.free();
      profile.nextPage();
      const { storage, locks, File } = profile;
      storage.steps = 0;
      storage.diesAt = step;
      const environment = { storage, locks, indexedDB: profile.indexedDb.factory, fileHandle: File.prototype };
      const importStore = /** @type {(...args: unknown[]) => Promise<void>} */ (/** @type {unknown} */ (zengram.importStore));
      const isDone = await importStore("notes", file, { replace: true }, environment).then(() => true, () => false);
      profile.nextPage();
      memory = await profile.open();
      const found = commits(memory);
      if (isDone) assert.deepEqual(found, [1]);
      else assert.ok(found.length === 2 || [...filesOf(profile).keys()].some((one) => one.startsWith("snapshot-")), `step ${step}: ${found}`);
      await leave(memory);
      if (isDone) return;
    }
  });
});
