// The page of bench/storage.py, and its worker.
import { openIndexedDb } from "../persistence/indexeddb.js";
import { openOpfs } from "../persistence/opfs.js";

const RECORD = new Uint8Array(2048).fill(7);
const KB = [0, 64, 256, 1024, 4096];
const LARGE = crypto.getRandomValues(new Uint8Array(65536));

async function median(times, work) {
  const found = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await work();
    found.push(performance.now() - start);
  }
  return found.sort((a, b) => a - b)[times >> 1];
}

async function run(kind) {
  const backend = await (kind === "opfs" ? openOpfs : openIndexedDb)(`bench-${kind}`);
  const result = {};
  for (const kb of KB) {
    let at = 0;
    // In pieces, as a log grows.
    for (; at < kb * 1024; at += LARGE.length) await backend.append("log", at, LARGE);
    result[`append 2 KB at ${kb} KB`] = await median(40, async () => {
      await backend.append("log", at, RECORD);
      at += RECORD.length;
    });
  }
  const whole = new Uint8Array(20_000_000).map((_, i) => LARGE[i & 65535]);
  result["write 1 KB whole"] = await median(20, () => backend.write("small", LARGE.subarray(0, 1024)));
  result["write 20 MB whole"] = await median(3, () => backend.write("big", whole));
  result["read 20 MB"] = await median(3, () => backend.read("big"));
  for (let at = 0; at < 1024 * 1024; at += RECORD.length) await backend.append("many", at, RECORD);
  result["read 1 MB of 512 appends"] = await median(3, () => backend.read("many"));
  await backend.close();
  return result;
}

if (typeof globalThis.DedicatedWorkerGlobalScope === "function") {
  globalThis.onmessage = async ({ data }) => globalThis.postMessage(await run(data));
} else {
  globalThis.measure = (where, kind) => {
    if (where === "page") return run(kind);
    const worker = new Worker(import.meta.url, { type: "module" });
    worker.postMessage(kind);
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
  };
}
