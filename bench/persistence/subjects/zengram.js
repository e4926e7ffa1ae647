/** Ours, by `openMemory`: in the page or in a worker, on one of its back ends. `flush` resolves when all commits so far are durable. */
import init, { openMemory } from "/zengram.js";
import { DIMENSIONS } from "../rows.js";

const BATCH = 500;

/** @typedef {import("../rows.js").Row} Row */
/** @typedef {import("../subjects.d.ts").Subject} Subject */

/**
 * @param {"opfs" | "indexeddb"} backend
 * @param {{logOnly?: boolean, inWorker?: boolean}} [options] whether the log is never folded, and where it runs
 * @returns {Subject}
 */
export function onBackend(backend, { logOnly = false, inWorker = false } = {}) {
  /** @param {string} name */
  async function openBench(name) {
    const persist = { backend, ...(logOnly ? { foldBytes: Number.MAX_SAFE_INTEGER } : {}) };
    const memory = await openMemory({ name, dim: DIMENSIONS, persist });
    const { persistence } = memory;
    if (persistence?.status.backend !== backend) throw new Error(`not opened on ${backend}`);
    return { memory, persistence };
  }

  /** @param {string} name */
  async function open(name) {
    const { memory, persistence } = await openBench(name);
    /** @param {Row} row */
    const write = ({ subject, content, vector }) => void memory.rememberWithVector(subject, content, "/", vector);
    return {
      /** @param {Iterable<Row>} rows */
      async fill(rows) {
        /** @type {Row[]} */
        let ready = [];
        const store = () => memory.batch(() => ready.forEach(write));
        for (const row of rows) {
          ready.push(row);
          if (ready.length < BATCH) continue;
          store();
          ready = [];
          await persistence.flush();
        }
        store();
        await persistence.flush();
        if (!logOnly) await persistence.fold(); // else it goes on beside the commits that are measured next
      },
      write,
      durable: () => persistence.flush(),
      /** @param {Row} row */
      read: ({ subject }) => memory.history(subject, "/")[0].content,
      /** @param {Float32Array} vector */
      nearest: (vector) => memory.recallWithVector("green tea", "/", vector, { limit: 10 }).length,
      count: () => Number(memory.query("SELECT count(*) AS facts FROM knowledge").rows[0].facts),
      close: () => persistence.close(),
    };
  }

  return {
    inWorker,
    load: () => init(),
    open,
    async fold(name) {
      const { persistence } = await openBench(name);
      const start = performance.now();
      await persistence.fold();
      const took = performance.now() - start;
      await persistence.close();
      return took;
    },
  };
}
