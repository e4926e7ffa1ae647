/**
 * The cases, as every subject goes through them. All times are milliseconds, read where the database runs.
 *
 *     commits    rows are added up to a number; then single commits, each awaited until it is durable, and a burst
 *     restore    the runtime is loaded; then the clock runs from opening until the first row is read
 *     fold       the log is folded into a snapshot, where a subject does that
 */
import { payload, row } from "./rows.js";

/** @typedef {import("./subjects.d.ts").Subject} Subject */
/** @typedef {import("./subjects.d.ts").Opened} Opened */
/** @typedef {import("./subjects.d.ts").Times} Times */
/** @typedef {{from: number, to: number, commits: number, burst: number, patience: number}} Plan */

const NAME = "bench";
const WARM_UP = 5;
const FEWEST = 10;

/** @param {number} from @param {number} to */
function* rows(from, to) {
  for (let id = from; id < to; id++) yield row(id);
}

/** @param {number[]} times @returns {Times} */
function times(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { median: at(0.5), late: at(0.95), count: sorted.length };
}

/** Writes a row and waits until it is durable: when the call came back, and when all was done. @param {Opened} db @param {number} id */
async function commit(db, id) {
  const one = row(id);
  const start = performance.now();
  const writing = db.write(one);
  if (writing) await writing;
  const written = performance.now();
  if (db.durable) await db.durable();
  return { written: written - start, durable: performance.now() - start };
}

/**
 * Adds the rows `from` to `to`, the commits and the burst among them, so that the next size goes on with `to`.
 *
 * @param {Subject} subject @param {Plan} plan
 */
async function commits(subject, { from, to, commits, burst, patience }) {
  await subject.load();
  const db = await subject.open(NAME);
  const singles = WARM_UP + commits;
  const start = performance.now();
  await db.fill(rows(from, to - singles - burst));
  const fill = performance.now() - start;
  let id = to - singles - burst;
  for (let i = 0; i < WARM_UP; i++) await commit(db, id++);
  /** @type {number[]} */
  const written = [];
  /** @type {number[]} */
  const durable = [];
  const until = performance.now() + patience;
  for (let i = 0; i < commits && (i < FEWEST || performance.now() < until); i++) {
    const found = await commit(db, id++);
    written.push(found.written);
    durable.push(found.durable);
  }
  const told = db.durable !== null;
  const singly = times(durable);
  /** @type {Record<string, unknown>} */
  const out = { fill, written: times(written), durable: told ? singly : null };
  if (singly.median * burst <= 2 * patience) {
    const ready = Array.from(rows(id, id + burst));
    id += burst;
    const begin = performance.now();
    for (const one of ready) {
      const writing = db.write(one);
      if (writing) await writing;
    }
    out.burstWritten = performance.now() - begin;
    if (db.durable) await db.durable();
    if (told) out.burst = performance.now() - begin;
  }
  await db.fill(rows(id, to)); // what a slow subject had no time for
  await check(db, to);
  await db.close();
  return { ...out, payload: payload(row(to)) * to, stored: await stored() };
}

/** @param {Opened} db @param {number} expected */
async function check(db, expected) {
  const found = await db.count();
  if (found !== expected) throw new Error(`${found} rows are there, not ${expected}`);
}

/** Bytes that the browser counts for this origin: files and IndexedDB. */
async function stored() {
  const { usage } = await navigator.storage.estimate();
  return usage ?? 0;
}

/** @param {Subject} subject @param {Plan} plan */
async function restore(subject, { to }) {
  await subject.load();
  const asked = row(to - 1);
  const start = performance.now();
  const db = await subject.open(NAME);
  const opened = performance.now();
  const content = await db.read(asked);
  const first = performance.now();
  if (content !== asked.content) throw new Error(`the last row reads ${content}`);
  /** @type {Record<string, number>} */
  const out = { opened: opened - start, first: first - start };
  if (db.nearest) {
    if ((await db.nearest(asked.vector)) === 0) throw new Error("nothing is near the last row");
    out.nearest = performance.now() - start;
  }
  await check(db, to);
  await db.close();
  return { ...out, stored: await stored() };
}

/** @param {Subject} subject */
async function fold(subject) {
  await subject.load();
  if (!subject.fold) throw new Error("has no log to fold");
  return { fold: await subject.fold(NAME), stored: await stored() };
}

/** @type {Record<string, (subject: Subject, plan: Plan) => Promise<object>>} */
export const CASES = { commits, restore, fold };
