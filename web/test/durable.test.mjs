/** What was reported as stored is there whenever the page dies; what fails is told, tried again, and loses nothing. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { Profile, commits, leave, openMemory, persistence, upTo, write, zengram } from "./support/durable.mjs";
import { FakeFile, FakeWorkerFile, domError } from "./support/opfs.mjs";

for (const [where, File] of /** @type {const} */ ([["the page", FakeFile], ["a worker", FakeWorkerFile]])) {
  describe(`a store in OPFS, from ${where}`, () => {
    it("has what was reported as stored, whenever the page dies", async () => {
      for (let step = 1; ; step++) {
        const profile = new Profile(File);
        let memory = await profile.open();
        write(memory, 1);
        await persistence(memory).flush();
        let reported = 1;
        profile.storage.steps = 0;
        profile.storage.diesAt = step;
        try {
          for (let i = 2; i <= 7; i++) {
            write(memory, i);
            if (i === 4) await persistence(memory).fold();
            else await persistence(memory).flush();
            reported = i;
          }
        } catch (error) {
          assert.ok(error instanceof zengram.StorageError, String(error));
        }
        const survived = profile.storage.steps < step;
        profile.nextPage();
        memory.free();
        memory = await profile.open();
        const found = commits(memory);
        assert.deepEqual(found, upTo(found.length), `step ${step}`);
        assert.ok(found.length >= reported, `step ${step}: ${reported} commits were reported, ${found.length} are there`);
        assert.equal(memory.persistence?.status.recovery?.lossless, true, `step ${step}`);
        write(memory, found.length + 1);
        await leave(memory);
        profile.nextPage();
        memory = await profile.open();
        assert.deepEqual(commits(memory), upTo(found.length + 1), `step ${step}, the page after the next`);
        await leave(memory);
        if (survived) {
          assert.ok(step > 20, `only ${step} steps`);
          return;
        }
      }
    });
  });
}

describe("what cannot be stored", () => {
  it("is told, kept, and stored once there is room", async () => {
    const profile = new Profile();
    /** @type {string[]} */
    const told = [];
    const memory = await profile.open({ onStatus: ({ state, error }) => told.push(`${state} ${error?.code ?? ""}`) });
    await persistence(memory).flush();
    profile.storage.faults.push({ operation: "write", match: /./, error: domError("QuotaExceededError"), times: 2 });
    write(memory, 1);
    await assert.rejects(persistence(memory).flush(), { name: "StorageError", code: "STORAGE_QUOTA" });
    assert.equal(persistence(memory).status.error?.code, "STORAGE_QUOTA");
    assert.ok(persistence(memory).pendingBytes > 0);
    write(memory, 2);
    while (persistence(memory).pendingBytes > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(persistence(memory).status.state, "ready");
    assert.equal(persistence(memory).error, null);
    assert.ok(told.includes("error STORAGE_QUOTA"));
    await leave(memory);
    profile.nextPage();
    const again = await profile.open();
    assert.deepEqual(commits(again), [1, 2]);
    await leave(again);
  });

  it("after the site's data were cleared is everything, and is stored anew", async () => {
    const profile = new Profile();
    const memory = await profile.open();
    write(memory, 1);
    await persistence(memory).flush();
    profile.storage.clear();
    write(memory, 2);
    await persistence(memory).flush().catch(() => {});
    while (persistence(memory).pendingBytes > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await leave(memory);
    profile.nextPage();
    const again = await profile.open();
    assert.deepEqual(commits(again), [1, 2]);
    await leave(again);
  });

  it("at the end is kept with the tails", async () => {
    const profile = new Profile();
    const memory = await profile.open();
    write(memory, 1);
    await persistence(memory).flush();
    profile.storage.faults.push({ operation: "write", match: /./, error: domError("QuotaExceededError") });
    write(memory, 2);
    await assert.rejects(persistence(memory).close(), { code: "STORAGE_QUOTA" });
    memory.free();
    profile.nextPage();
    const again = await profile.open();
    assert.deepEqual(commits(again), [1, 2]);
    assert.equal(persistence(again).status.recovery?.fromTail, 1);
    await leave(again);
  });
});

describe("folding", () => {
  it("begins by itself, and commits go on meanwhile", async () => {
    const profile = new Profile();
    const memory = await profile.open({ foldBytes: 20_000 });
    for (let i = 1; i <= 40; i++) {
      write(memory, i);
      if (i % 3 === 0) await persistence(memory).flush();
      if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await leave(memory);
    const [folder] = profile.storage.folders.values();
    const names = [...folder.files.keys()];
    assert.equal(names.filter((name) => name.startsWith("snapshot-")).length, 1, names.join(" "));
    profile.nextPage();
    const again = await profile.open();
    assert.deepEqual(commits(again), upTo(40));
    await leave(again);
  });

  it("that fails loses nothing, is told, and is tried again", async () => {
    const profile = new Profile();
    const memory = await profile.open();
    write(memory, 1);
    await persistence(memory).flush();
    profile.storage.faults.push({ operation: "write", match: /snapshot/, error: domError("QuotaExceededError") });
    await assert.rejects(persistence(memory).fold(), { code: "STORAGE_QUOTA" });
    write(memory, 2);
    await persistence(memory).flush();
    profile.storage.faults.pop();
    await persistence(memory).fold();
    write(memory, 3);
    await leave(memory);
    profile.nextPage();
    const again = await profile.open();
    assert.deepEqual(commits(again), [1, 2, 3]);
    await leave(again);
  });

  it("in mode snapshot happens at most every so often, and writes no log", async () => {
    const profile = new Profile();
    const memory = await profile.open({ mode: "snapshot", throttleMs: 30 });
    write(memory, 1);
    write(memory, 2);
    while (persistence(memory).pendingBytes > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const [folder] = profile.storage.folders.values();
    assert.ok([...folder.files.keys()].every((name) => !name.startsWith("log-")));
    write(memory, 3);
    await persistence(memory).flush();
    write(memory, 4);
    await leave(memory);
    profile.nextPage();
    const again = await profile.open();
    assert.deepEqual(commits(again), upTo(4));
    await leave(again);
  });
});

it("another page that takes the lock by force ends the writing here", async () => {
  const profile = new Profile();
  const memory = await profile.open();
  write(memory, 1);
  await persistence(memory).flush();
  profile.locks.steal("zengram:notes");
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.throws(() => write(memory, 2), { name: "StorageError", code: "STORAGE_LOCKED" });
  assert.deepEqual(commits(memory), [1]);
  assert.equal(persistence(memory).status.state, "locked");
  await persistence(memory).flush();
  memory.free();
});

it("where there is no storage at all, it is in memory and says so", async () => {
  const memory = await openMemory({ name: "notes", dim: 4 }, {});
  const { backend, durable, error } = persistence(memory).status;
  assert.deepEqual([backend, durable, error?.code], ["memory", false, "STORAGE_UNAVAILABLE"]);
  write(memory, 1);
  await persistence(memory).flush();
  assert.equal(persistence(memory).pendingBytes, 0);
  await leave(memory);
});

it("a memory that is not to be stored has no store", async () => {
  const memory = await openMemory({ name: "notes", dim: 4, persist: false }, {});
  assert.equal(memory.persistence, null);
  memory.free();
});
