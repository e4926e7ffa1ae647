/** What every back end promises, with each of the faults that a browser has to offer. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { ClosedError, InvalidArgumentError, StorageError } from "../src/errors.js";
import { openOpfs } from "../src/persistence/opfs.js";
import { refuses } from "./support/refuses.mjs";
import { FakeFile, FakeStorage, FakeWorkerFile } from "./support/opfs.mjs";
import { domError, durableScenes, indexedDbScene, scenes } from "./support/scenes.mjs";

/** @import { Backend } from "../src/persistence/types.js" */

/** @param {string} text */
const bytesOf = (text) => new TextEncoder().encode(text);
/** @param {Uint8Array | null} bytes */
const textOf = (bytes) => (bytes === null ? null : new TextDecoder().decode(bytes));
/** @param {number} length @param {number} [seed] */
const noise = (length, seed = 1) => Uint8Array.from({ length }, (_, i) => (i * 31 + seed * 17 + (i >> 8)) & 255);

const LARGE = noise(5_000_000);

/** Everything that is stored. @param {Backend} backend @returns {Promise<Record<string, string | null>>} */
async function contentsOf(backend) {
  /** @type {Record<string, string | null>} */
  const contents = {};
  for (const { name, bytes } of await backend.list()) {
    const read = await backend.read(name);
    assert.equal(read?.length, bytes, name);
    contents[name] = textOf(read);
  }
  return contents;
}

for (const [kind, scene] of Object.entries(scenes)) {
  describe(`files in ${kind}`, () => {
    it("are none at first, and are what was written last", async () => {
      const backend = await scene().open();
      assert.deepEqual(await backend.list(), []);
      assert.equal(await backend.read("a"), null);
      await backend.write("a", bytesOf("first"));
      await backend.write("b.1", bytesOf(""));
      await backend.write("a", bytesOf("second"));
      assert.deepEqual(await contentsOf(backend), { a: "second", "b.1": "" });
      await backend.write("a", bytesOf("3"));
      assert.deepEqual(await contentsOf(backend), { a: "3", "b.1": "" });
    });

    it("grow at the acknowledged end, and what lies behind it goes", async () => {
      const backend = await scene().open();
      await backend.append("log", 0, bytesOf("abc"));
      await backend.append("log", 3, bytesOf("defg"));
      assert.equal(textOf(await backend.read("log")), "abcdefg");
      await backend.append("log", 5, bytesOf("X"));
      assert.equal(textOf(await backend.read("log")), "abcdeX");
      await backend.append("log", 6, bytesOf(""));
      await backend.append("log", 1, bytesOf("yz"));
      assert.equal(textOf(await backend.read("log")), "ayz");
      await backend.append("log", 0, bytesOf("new"));
      assert.equal(textOf(await backend.read("log")), "new");
      await backend.append("other", 0, bytesOf("o"));
      await backend.append("log", 3, bytesOf("er"));
      assert.deepEqual(await contentsOf(backend), { log: "newer", other: "o" });
    });

    it("end where they end: nothing is written behind a gap", async () => {
      const backend = await scene().open();
      await refuses(backend.append("log", 1, bytesOf("x")), "STORAGE_DAMAGED", /cleared/);
      await backend.append("log", 0, bytesOf("abc"));
      await refuses(backend.append("log", 4, bytesOf("x")), "STORAGE_DAMAGED", /3 of the 4/);
      await refuses(backend.truncate("log", 4), "STORAGE_DAMAGED", /3 of the 4/);
      await refuses(backend.truncate("none", 1), "STORAGE_DAMAGED");
      assert.deepEqual(await contentsOf(backend), { log: "abc" });
    });

    it("are cut, renamed and removed", async () => {
      const backend = await scene().open();
      for (const part of [0, 1, 2, 3]) await backend.append("log", 3 * part, bytesOf("abc"));
      await backend.truncate("log", 7);
      assert.equal(textOf(await backend.read("log")), "abcabca");
      await backend.append("log", 7, bytesOf("!"));
      await backend.truncate("log", 6);
      await backend.write("old", bytesOf("goes"));
      await backend.rename("log", "old");
      assert.deepEqual(await contentsOf(backend), { old: "abcabc" });
      await backend.append("old", 6, bytesOf("+"));
      await backend.truncate("old", 0);
      assert.deepEqual(await contentsOf(backend), { old: "" });
      await backend.remove("old");
      await backend.remove("old");
      await refuses(backend.rename("old", "older"), "STORAGE_DAMAGED");
      assert.deepEqual(await contentsOf(backend), {});
    });

    it("are written in parts, and are there when finished", async () => {
      const backend = await scene().open();
      await backend.write("big", bytesOf("before"));
      const parts = [noise(3_000_000), noise(0), noise(2_500_000, 2), noise(5, 3)];
      const writer = await backend.create("big");
      const other = await backend.create("never");
      await other.write(bytesOf("aborted"));
      for (const part of parts) {
        await writer.write(part);
        assert.deepEqual(await contentsOf(backend), { big: "before" });
      }
      await other.abort();
      await writer.finish();
      assert.deepEqual(Buffer.compare(/** @type {any} */ (await backend.read("big")), Buffer.concat(parts)), 0);
      assert.deepEqual((await backend.list()).map(({ name }) => name), ["big"]);
      await writer.abort();
      assert.equal((await backend.read("big"))?.length, 5_500_005);
    });

    it("belong to nobody else: views are stored without their buffer, and later changes do not reach them", async () => {
      const backend = await scene().open();
      const buffer = noise(1000);
      await backend.write("a", buffer.subarray(10, 20));
      await backend.append("b", 0, buffer.subarray(30, 35));
      const read = /** @type {Uint8Array} */ (await backend.read("a"));
      assert.equal(read.buffer.byteLength, 10);
      const before = read.slice();
      read.fill(0);
      buffer.fill(0);
      assert.deepEqual(await backend.read("a"), before);
      assert.deepEqual(await backend.read("b"), noise(1000).slice(30, 35));
    });

    it("are changed in the order of calls", async () => {
      const backend = await scene().open();
      const calls = [];
      for (let i = 0; i < 10; i++) calls.push(backend.append("log", i, bytesOf(String(i))));
      calls.push(backend.write("a", bytesOf("1")), backend.rename("log", "moved"), backend.append("moved", 5, bytesOf("end")));
      await Promise.all(calls);
      assert.deepEqual(await contentsOf(backend), { a: "1", moved: "01234end" });
    });

    it("have plain names", async () => {
      const backend = await scene().open();
      for (const name of ["", "~a", ".", "..", ".a", "a/b", "a b", "é", "x.crswap"]) {
        await assert.rejects(backend.write(name, bytesOf("x")), InvalidArgumentError, name);
        await assert.rejects(backend.append(name, 0, bytesOf("x")), InvalidArgumentError, name);
        await assert.rejects(backend.rename("a", name), InvalidArgumentError, name);
      }
    });

    it("are closed after what was begun", async () => {
      const backend = await scene().open();
      const writing = backend.append("log", 0, bytesOf("abc"));
      await backend.close();
      await writing;
      for (const call of [
        backend.append("log", 3, bytesOf("d")), backend.write("a", bytesOf("")), backend.create("a"), backend.read("log"),
        backend.list(), backend.remove("log"), backend.rename("log", "b"), backend.truncate("log", 0),
      ]) {
        await assert.rejects(call, ClosedError);
      }
    });
  });
}

for (const [kind, scene] of Object.entries(durableScenes)) {
  describe(`files in ${kind} outlive the page`, () => {
    it("and are kept apart by the name of their store", async () => {
      const { open, nextPage } = scene();
      const names = ["a", "A/b", "日本 語"];
      for (const name of names) await (await open(name)).append("log", 0, bytesOf(name));
      nextPage();
      for (const name of names) {
        const backend = await open(name);
        assert.ok(backend.durable);
        assert.deepEqual(await contentsOf(backend), { log: name });
        await backend.append("log", bytesOf(name).length, bytesOf("!"));
        assert.deepEqual(await contentsOf(backend), { log: `${name}!` });
      }
    });

    it("also when there is no space: what was there stays, and goes on when there is room", async () => {
      const { open, setQuota } = scene();
      const backend = await open();
      await backend.append("log", 0, bytesOf("abc"));
      await backend.write("a", bytesOf("abc"));
      setQuota(5);
      await refuses(backend.append("log", 3, bytesOf("defghi")), "STORAGE_QUOTA", /no space/);
      await refuses(backend.append("new", 0, bytesOf("defghi")), "STORAGE_QUOTA", /no space/);
      await refuses(backend.write("a", bytesOf("defghi")), "STORAGE_QUOTA", /no space/);
      assert.equal(textOf((await backend.read("log"))?.slice(0, 3) ?? null), "abc");
      assert.equal(textOf(await backend.read("a")), "abc");
      setQuota(1000);
      await backend.append("log", 3, bytesOf("defghi"));
      await backend.append("new", 0, bytesOf("defghi"));
      await backend.write("a", bytesOf("defghi"));
      assert.deepEqual(await contentsOf(backend), { a: "defghi", log: "abcdefghi", new: "defghi" });
    });

    it("but not the clearing of the site's data, which is told and not taken for an empty store", async () => {
      const { open, clear } = scene();
      const backend = await open();
      await backend.append("log", 0, bytesOf("abc"));
      await backend.write("a", bytesOf("abc"));
      clear();
      await refuses(backend.append("log", 3, bytesOf("d")), "STORAGE_DAMAGED", /cleared/);
      await refuses(backend.rename("a", "b"), "STORAGE_DAMAGED", /cleared/);
      assert.equal(await backend.read("a"), null);
      assert.deepEqual(await backend.list(), []);
      await backend.write("a", bytesOf("anew"));
      await backend.append("log", 0, bytesOf("anew"));
      await backend.append("log", 4, bytesOf("!"));
      assert.deepEqual(await contentsOf(backend), { a: "anew", log: "anew!" });
    });

    it("unless storage is denied", async () => {
      const { open, deny } = scene();
      for (const name of ["SecurityError", "NotAllowedError"]) {
        deny(domError(name));
        await refuses(open(), "STORAGE_DENIED");
      }
      deny(new Error("the disk is broken"));
      await refuses(open(), "STORAGE_WRITE_FAILED", /the disk is broken/);
    });
  });

  /** @type {Record<string, (backend: Backend) => Promise<unknown>>} */
  const changes = {
    "an append": (backend) => backend.append("log", 6, bytesOf("ghi")),
    "an append over a remainder": (backend) => backend.append("log", 4, bytesOf("EFGHI")),
    "a first append": (backend) => backend.append("log2", 0, bytesOf("x")),
    "a write": (backend) => backend.write("a", bytesOf("after")),
    "a first write": (backend) => backend.write("b", bytesOf("after")),
    "a large file": async (backend) => {
      const writer = await backend.create("a");
      await writer.write(LARGE);
      await writer.write(noise(100));
      await writer.finish();
    },
    "a cut": (backend) => backend.truncate("log", 5),
    "a rename": (backend) => backend.rename("log", "a"),
    "a removal": (backend) => backend.remove("a"),
  };
  /** @param {Record<string, string | null>} contents */
  const short = (contents) => Object.entries(contents).map(([name, text]) => `${name}=${(text ?? "").slice(0, 9)}${text?.length}`);

  describe(`a page with files in ${kind} that dies`, () => {
    for (const [what, change] of Object.entries(changes)) {
      it(`between any two steps of ${what} leaves what was, or what was to be`, async () => {
        const prepare = async (/** @type {ReturnType<typeof scene>} */ { open, nextPage }) => {
          const backend = await open();
          await backend.append("log", 0, bytesOf("abc"));
          await backend.append("log", 3, bytesOf("def"));
          await backend.write("a", bytesOf("before"));
          await backend.close();
          nextPage();
        };
        const whole = scene();
        await prepare(whole);
        const before = await contentsOf(await whole.open());
        const complete = await whole.open();
        await change(complete);
        const after = await contentsOf(complete);
        let deaths = 0;
        for (let step = 1; ; step++) {
          const one = scene();
          await prepare(one);
          const dying = await one.open();
          one.dieAt(step);
          const died = await change(dying).then(() => false, () => true);
          one.nextPage();
          const next = await one.open();
          const found = await contentsOf(next);
          if (!died) assert.deepEqual(short(found), short(after));
          const acknowledged = what.includes("over") ? 4 : 6;
          const same = (/** @type {string} */ name) => {
            // An append may have got anywhere behind its place; a first one may have left an empty file.
            if (what.includes("append") && name.startsWith("log")) {
              const keeps = name === "log" ? acknowledged : 0;
              return (found[name] ?? "").slice(0, keeps) === (before[name] ?? "").slice(0, keeps);
            }
            return found[name] === before[name] || found[name] === after[name];
          };
          for (const name of new Set([...Object.keys(before), ...Object.keys(after), ...Object.keys(found)])) {
            assert.ok(same(name), `step ${step}: ${short(found)} of ${short(before)} or ${short(after)}`);
          }
          if (what === "a rename") assert.ok(died ? "log" in found !== (found.a === before.log) : true);
          if (!died) break;
          deaths += 1;
          // The next page does it again, and nothing is left over.
          if (!what.includes("rename") || "log" in found) await change(next);
          assert.deepEqual(short(await contentsOf(next)), short(after), `again after step ${step}`);
          assert.equal(await one.residue(), 0, `after step ${step}`);
          await next.close();
        }
        assert.ok(deaths >= 2, `it has ${deaths} steps`);
      });
    }
  });
}

/** @param {typeof FakeFile} File */
async function opfs(File) {
  const storage = new FakeStorage(File);
  const backend = await openOpfs("notes", /** @type {any} */ ({ storage, fileHandle: File.prototype }));
  return { storage, backend, folder: /** @type {any} */ (storage.folders.get("zengram-notes")) };
}

describe("the private file system in a worker", () => {
  it("goes on after a short write, and tells one that does not end", async () => {
    const { storage, backend } = await opfs(FakeWorkerFile);
    storage.writesAtMost = 2;
    await backend.append("log", 0, bytesOf("abcde"));
    await backend.write("a", bytesOf("12345"));
    assert.deepEqual(await contentsOf(backend), { a: "12345", log: "abcde" });
    storage.writesAtMost = 0;
    await refuses(backend.append("log", 5, bytesOf("f")), "STORAGE_QUOTA", /Only 0 of 1 bytes/);
    await refuses(backend.write("a", bytesOf("6")), "STORAGE_QUOTA", /Only 0 of 1 bytes/);
    assert.deepEqual(await contentsOf(backend), { a: "12345", log: "abcde" });
  });

  it("keeps the file open that it appends to, and lets it go for everything else", async () => {
    const { backend, folder } = await opfs(FakeWorkerFile);
    await backend.append("log-1", 0, bytesOf("abc"));
    assert.deepEqual([...folder.held], ["log-1"]);
    await backend.write("a", bytesOf("x"));
    assert.deepEqual([...folder.held], ["log-1"]);
    await backend.append("log-2", 0, bytesOf("abc"));
    assert.deepEqual([...folder.held], ["log-2"]);
    await backend.rename("log-2", "log-3");
    await backend.append("log-3", 3, bytesOf("d"));
    await backend.remove("log-3");
    await backend.append("log-1", 3, bytesOf("d"));
    await backend.close();
    assert.deepEqual([...folder.held], []);
  });

  it("waits for a page that is closing and holds the file a moment longer", async () => {
    const { backend, folder } = await opfs(FakeWorkerFile);
    folder.files.set("log", bytesOf("abc"));
    folder.held.add("log");
    setTimeout(() => folder.held.delete("log"), 60);
    await backend.append("log", 3, bytesOf("d"));
    assert.deepEqual(await contentsOf(backend), { log: "abcd" });
  });
});

describe("the private file system", () => {
  it("notices that less was written than was given", async () => {
    const { backend, folder } = await opfs(FakeFile);
    await backend.append("log", 0, bytesOf("abc"));
    await backend.write("a", bytesOf("abc"));
    const set = folder.files.set.bind(folder.files);
    folder.files.set = (/** @type {string} */ name, /** @type {Uint8Array} */ bytes) => set(name, bytes.slice(0, 5));
    await refuses(backend.append("log", 3, bytesOf("defgh")), "STORAGE_WRITE_FAILED", /Only 5 of 8 bytes/);
    await refuses(backend.write("a", bytesOf("defghi")), "STORAGE_WRITE_FAILED", /Only 5 of 6 bytes/);
    assert.equal(textOf(await backend.read("a")), "abc");
    folder.files.set = set;
    await backend.append("log", 3, bytesOf("DEFGH"));
    assert.equal(textOf(await backend.read("log")), "abcDEFGH");
  });

  it("lists only what may be a file of a store; what a page that died left goes with the first change", async () => {
    const { backend, folder } = await opfs(FakeFile);
    for (const name of ["~1.a", "a.crswap", "a", "%E6.1.5", "manifest.json"]) folder.files.set(name, bytesOf(name));
    assert.deepEqual(Object.keys(await contentsOf(backend)), ["a", "%E6.1.5", "manifest.json"]);
    assert.equal(folder.files.size, 5, "reading removes nothing");
    await backend.write("b", bytesOf(""));
    assert.deepEqual([...folder.files.keys()], ["a", "%E6.1.5", "manifest.json", "b"]);
  });

  it("refuses bytes that were transferred elsewhere before their turn", async () => {
    for (const File of [FakeFile, FakeWorkerFile]) {
      const { backend } = await opfs(File);
      const bytes = bytesOf("abc");
      const writing = backend.append("log", 0, bytes);
      structuredClone(null, { transfer: [bytes.buffer] });
      await refuses(writing, "STORAGE_WRITE_FAILED", /transferred/);
    }
  });

  it("reads again what is replaced while it is read", async () => {
    const { storage, backend, folder } = await opfs(FakeFile);
    folder.files.set("a", bytesOf("abc"));
    const { getFile } = FakeFile.prototype;
    let refusals = 2;
    storage.File = class extends FakeFile {
      async getFile() {
        const file = await getFile.call(this);
        if (refusals-- > 0) file.arrayBuffer = async () => Promise.reject(domError("NotReadableError"));
        return file;
      }
    };
    assert.equal(textOf(await backend.read("a")), "abc");
    refusals = 100;
    await refuses(backend.read("a"), "STORAGE_WRITE_FAILED", /could not be read/);
  });
});

describe("IndexedDB", () => {
  it("appends by one chunk and one length, committed and strict", async () => {
    const { database, open } = indexedDbScene();
    const backend = await open();
    for (let at = 0; at < 30; at += 3) await backend.append("log", at, bytesOf("abc"));
    const [, ...appends] = database.journal;
    assert.equal(appends.length, 10);
    for (const append of appends) {
      assert.deepEqual(append, { durability: "strict", puts: 2, deletes: 0, commits: 1 });
    }
  });

  it("tells chunks that are missing", async () => {
    const { database, open } = indexedDbScene();
    const backend = await open();
    await backend.append("log", 0, bytesOf("abc"));
    await backend.append("log", 3, bytesOf("def"));
    await database.removeChunk("zengram:notes", 3);
    await refuses(backend.read("log"), "STORAGE_DAMAGED", /3 of the 6/);
  });

  it("lets go of a database that another page deletes, and begins it anew", async () => {
    const { database, open } = indexedDbScene();
    const backend = await open();
    await backend.append("log", 0, bytesOf("abc"));
    await new Promise((resolve, reject) => {
      const request = database.factory.deleteDatabase("zengram:notes");
      request.onsuccess = resolve;
      request.onblocked = reject;
    });
    await refuses(backend.append("log", 3, bytesOf("d")), "STORAGE_DAMAGED");
    await backend.append("log", 0, bytesOf("anew"));
    assert.deepEqual(await contentsOf(backend), { log: "anew" });
  });
});

for (const [kind, scene] of Object.entries(durableScenes)) {
  describe(`a log and its files in ${kind}`, () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      it(`hold what was acknowledged through faults at random (${seed})`, async () => {
        let state = seed * 7919;
        const random = (/** @type {number} */ below) => {
          state = (state * 48271) % 2147483647;
          return state % below;
        };
        const { open, setQuota, dieAt, nextPage, residue } = scene();
        /** What was acknowledged. @type {Map<string, string>} */
        const model = new Map();
        let backend = await open();
        let faults = 0;
        for (let round = 0; round < 150; round++) {
          const name = `f${random(3)}`;
          const old = model.get(name) ?? "";
          const text = String(round).repeat(1 + random(4));
          const fault = random(5);
          if (fault === 0) dieAt(1 + random(8));
          if (fault === 1) setQuota(random(4));
          /** The call, what is then there, and what stays when it fails: a write is all or nothing. */
          const [change, after, keeps] = [
            () => /** @type {const} */ ([() => backend.append(name, old.length, bytesOf(text)), old + text, old]),
            () => /** @type {const} */ ([() => backend.write(name, bytesOf(text)), text, null]),
            () => {
              const cut = random(old.length + 1);
              // A cut that fails may have been made.
              return /** @type {const} */ ([() => backend.truncate(name, cut), old.slice(0, cut), old.slice(0, cut)]);
            },
          ][model.has(name) ? random(3) : random(2)]();
          const error = await change().then(() => null, (cause) => cause);
          setQuota(Infinity);
          if (fault === 0) {
            nextPage();
            backend = await open();
          }
          if (error === null) {
            model.set(name, after);
            continue;
          }
          faults += 1;
          assert.ok(error instanceof StorageError && fault < 2, error.stack);
          const found = textOf(await backend.read(name));
          const told = `round ${round}: ${name} is ${found}, was ${old}, was to be ${after}`;
          if (keeps === null) {
            assert.ok(found === (model.get(name) ?? null) || found === after, told);
            if (found !== null) model.set(name, found);
          } else {
            assert.ok((found ?? "").startsWith(keeps), told);
            // As a log does: what was not acknowledged is written over.
            await backend.append(name, keeps.length, bytesOf("+"));
            model.set(name, `${keeps}+`);
          }
        }
        assert.ok(faults > 15, `${faults} faults`);
        await backend.write("last", bytesOf(""));
        assert.deepEqual(await contentsOf(backend), Object.fromEntries([...model, ["last", ""]].sort()));
        assert.equal(await residue(), 0);
      });
    }
  });
}
