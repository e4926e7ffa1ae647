/** Ours, by `openMemory`: in the page, on one of its back ends. `flush` resolves when all commits so far are durable. */
import init, { openMemory } from "/zengram.js";
import { DIMENSIONS } from "../rows.js";

const BATCH = 500;

/** @typedef {import("../rows.js").Row} Row */
/** @typedef {import("../subjects.d.ts").Subject} Subject */

/** @param {"opfs" | "indexeddb"} backend @returns {Subject} */
export function onBackend(backend) {
  /** @param {string} name */
  const openBench = (name) => openMemory({ name, dim: DIMENSIONS, persist: { backend } });

  /** @param {string} name */
  async function open(name) {
    const memory = await openBench(name);
    const { persistence } = memory;
    if (persistence.status.backend !== backend) throw new Error(`opened on ${persistence.status.backend}, not on ${backend}`);
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
      },
      write,
      durable: () => persistence.flush(),
      /** @param {Row} row */
      read: ({ subject }) => memory.history(subject, "/")[0].content,
      /** @param {Float32Array} vector */
      nearest: (vector) => memory.recallWithVector("green tea", "/", vector, { limit: 10 }).length,
      count: () => Number(memory.query("SELECT count(*) FROM knowledge").rows[0][0]),
      close: () => persistence.close(),
    };
  }

  return {
    inWorker: false,
    load: () => init(),
    open,
    async fold(name) {
      const { persistence } = await openBench(name);
      await persistence.fold();
      await persistence.close();
    },
  };
}
