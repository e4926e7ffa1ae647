/** Progress events and the fetching that feeds them, with answers made up here. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";

import { Progress, download } from "../src/downloads.js";
import { BootError } from "../src/errors.js";

const realFetch = globalThis.fetch;
after(() => {
  globalThis.fetch = realFetch;
});

/** @param {Progress} progress */
function record(progress) {
  /** @type {import("../src/zengram.js").InitProgress[]} */
  const events = [];
  progress.listen((event) => events.push(event));
  return events;
}

/**
 * @param {number[]} parts lengths of the pieces that arrive
 * @param {{headers?: Record<string, string>, status?: number, error?: Error}} [options]
 */
function answer(parts, { headers = {}, status = 200, error } = {}) {
  globalThis.fetch = async () => {
    const body = new ReadableStream({
      start(controller) {
        for (const length of parts) controller.enqueue(new Uint8Array(length));
        if (error) controller.error(error);
        else controller.close();
      },
    });
    return new Response(body, { headers, status });
  };
}

describe("progress", () => {
  it("never falls, ends at 1, and goes through the phases in order", async () => {
    const progress = new Progress();
    const events = record(progress);
    progress.add("/a.wasm", "runtime", 100);
    progress.add("/b.whl", "packages", 10);
    answer([40, 60], { headers: { "content-length": "100" } });
    await download("/a.wasm", progress, AbortSignal.timeout(1000)).end;
    // A file that turns up late makes the total larger, not the fraction smaller.
    progress.add("/c.whl", "packages", 1000);
    answer([10]);
    await download("/b.whl", progress, AbortSignal.timeout(1000)).end;
    answer([500, 500, 500]);
    await download("/c.whl", progress, AbortSignal.timeout(1000)).end;
    progress.importing();
    progress.ready();
    const phases = ["runtime", "packages", "imports", "ready"];
    for (let i = 1; i < events.length; i++) {
      assert.ok(events[i].fraction >= events[i - 1].fraction);
      assert.ok(events[i].loadedBytes >= events[i - 1].loadedBytes);
      assert.ok(phases.indexOf(events[i].phase) >= phases.indexOf(events[i - 1].phase));
      assert.ok(events[i].loadedBytes <= events[i].totalBytes);
    }
    assert.deepEqual([...new Set(events.map((event) => event.phase))], phases);
    const last = events[events.length - 1];
    assert.deepEqual([last.fraction, last.loadedBytes, last.totalBytes], [1, 1610, 1610]);
    for (const event of events) assert.ok(event.message.length > 0);
  });

  it("does not trust the length of a compressed answer", async () => {
    const progress = new Progress();
    const events = record(progress);
    progress.add("/a", "runtime", 1000);
    answer([500, 500], { headers: { "content-length": "300", "content-encoding": "br" } });
    await download("/a", progress, AbortSignal.timeout(1000)).end;
    assert.equal(events[0].totalBytes, 1000);
  });

  it("survives a listener that throws", () => {
    const progress = new Progress();
    const original = console.error;
    console.error = () => {};
    try {
      progress.listen(() => {
        throw new Error("listener");
      });
      const events = record(progress);
      progress.ready();
      assert.equal(events.length, 1);
    } finally {
      console.error = original;
    }
  });
});

describe("a download that fails", () => {
  /** @param {RegExp} message */
  async function fails(message) {
    const progress = new Progress();
    progress.add("/numpy.whl", "packages", 10);
    const { start, end } = download("/numpy.whl", progress, AbortSignal.timeout(1000));
    start.catch(() => {});
    await assert.rejects(end, (error) => {
      assert.ok(error instanceof BootError);
      assert.match(error.message, message);
      assert.match(error.message, /numpy\.whl/);
      return true;
    });
  }

  it("says so: refused by the server, unreachable, or broken off", async () => {
    answer([1], { status: 404 });
    await fails(/404/);
    globalThis.fetch = async () => {
      throw new TypeError("Failed to fetch");
    };
    await fails(/could not be fetched/);
    answer([5], { error: new TypeError("network error") });
    await fails(/broke off/);
  });
});
