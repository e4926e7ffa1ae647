/**
 * The cases, as every peer goes through them. Ours brings measurements of its own where it is timed inside Python.
 *
 * @typedef {import("./subjects.d.ts").Subject} Subject
 * @typedef {import("./subjects.d.ts").VectorIndex} VectorIndex
 * @typedef {import("./subjects.d.ts").TextIndex} TextIndex
 */
import { described, floats, json, median, memory, pause, rows, tell, timed, timedQueries } from "./measure.js";

/** @param {Subject} subject @param {string} data */
async function vectors(subject, data) {
  if (subject.measureVectors) return subject.measureVectors(data);
  if (!subject.vectors) throw new Error("has no vectors");
  const [matrix, later, asked] = await Promise.all(["vectors", "later", "queries"].map((part) => floats(`${data}.${part}`)));
  const before = await memory();
  const index = await subject.vectors({ count: matrix.length / 384, later: later.length / 384 });
  await pause();
  const [build] = await timed(() => index.build(rows(matrix), matrix));
  tell(`${data}: built in ${build.toFixed(1)} s`);
  const after = await memory();
  const { query, found } = await timedQueries(rows(asked), (vector) => index.search(vector));
  return { build, query, found, ...(await afterwards(index, rows(later), matrix.length / 384, rows(asked)[0])), ...grown(before, after) };
}

/** @param {Subject} subject @param {string} data */
async function text(subject, data) {
  if (subject.measureText) return subject.measureText(data);
  if (!subject.text) throw new Error("has no words");
  const [{ documents, later }, questions] = await Promise.all([json(data), json("questions")]);
  const before = await memory();
  const index = await subject.text();
  await pause();
  const [build] = await timed(() => index.build(documents));
  const after = await memory();
  const { query, found } = await timedQueries(questions, (question) => index.search(question));
  return { build, query, found, ...(await afterwards(index, later, documents.length, questions[0])), ...grown(before, after) };
}

/**
 * Both at once. A subject may have several ways to join the two; each is measured.
 *
 * @param {Subject} subject @param {string} data
 */
async function hybrid(subject, data) {
  if (subject.measureHybrid) return subject.measureHybrid(data);
  if (!subject.hybrid) throw new Error("has no hybrid search");
  const [matrix, asked, { documents }, questions] = await Promise.all([
    floats(`${data}.vectors`),
    floats(`${data}.queries`),
    json(data),
    json("questions"),
  ]);
  const before = await memory();
  const index = await subject.hybrid({ count: documents.length, later: 0 });
  await pause();
  const [build] = await timed(() => index.build(documents, rows(matrix), matrix));
  const after = await memory();
  const queries = rows(asked);
  /** @type {Record<string, object>} */
  const ways = {};
  for (const [way, search] of Object.entries(index.ways)) {
    ways[way] = await timedQueries(questions, (/** @type {string} */ question, number) => search(question, queries[number % queries.length]));
  }
  return { build, ways, ...grown(before, after) };
}

/** @param {Subject} subject @param {string} data */
function stack(subject, data) {
  if (!subject.measureStack) throw new Error("has no stack");
  return subject.measureStack(data);
}

/** @param {Subject} subject @param {string} data */
function maintenance(subject, data) {
  if (!subject.measureMaintenance) throw new Error("has no maintenance");
  return subject.measureMaintenance(data);
}

/**
 * Inserts one by one, a save and a restore. What a subject cannot do is left out; a fault there does not spoil the rest.
 *
 * @template T, Q
 * @param {import("./subjects.d.ts").Kept<T, Q>} index
 * @param {T[]} later @param {number} first number of the first later row @param {Q} question
 */
async function afterwards(index, later, first, question) {
  /** @type {Record<string, number | string>} */
  const out = {};
  try {
    if (index.save) {
      const [save, saved] = await timed(() => /** @type {any} */ (index).save());
      Object.assign(out, { save, bytes: saved.bytes });
      if (saved.restore) {
        await pause();
        const [restore, again] = await timed(() => saved.restore());
        out.restore = restore;
        const [firstQuery] = await timed(() => again.search(question));
        out.firstQuery = firstQuery;
      }
    }
  } catch (error) {
    out.keepError = described(error);
    tell(`save or restore: ${out.keepError}`);
  }
  try {
    if (index.insert) {
      const times = [];
      for (const [number, one] of later.entries()) {
        const [seconds] = await timed(() => /** @type {any} */ (index).insert(one, first + number));
        times.push(seconds);
      }
      out.insert = median(times);
    }
  } catch (error) {
    out.insertError = described(error);
    tell(`insert: ${out.insertError}`);
  }
  return out;
}

/** @param {number | null} before @param {number | null} after */
const grown = (before, after) => (before === null || after === null ? {} : { memory: after - before });

/** @type {Record<string, (subject: Subject, data: string) => Promise<object>>} */
export const CASES = { vectors, text, hybrid, stack, maintenance };
