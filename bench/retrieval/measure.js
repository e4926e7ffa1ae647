/** Clocks, quantiles and memory, the same for everybody. */
import { wasmBytes } from "./wasm_memory.js";

export const K = 10;
export const DIMENSIONS = 384;
/** Queries before those that count: the browser compiles WebAssembly and JavaScript again once it is hot. */
const WARM_UP = 50;

/** @typedef {{p50: number, p95: number}} Quantiles seconds */

/** @param {string} text */
export const tell = (text) => console.log(text);

/**
 * Runs something, a promise or not, and returns the seconds and what it gave.
 *
 * @template T
 * @param {() => T | Promise<T>} work
 * @returns {Promise<[number, T]>}
 */
export async function timed(work) {
  const start = performance.now();
  let value = work();
  if (value instanceof Promise) value = await value;
  return [(performance.now() - start) / 1000, value];
}

/** What went wrong, in a line. @param {unknown} error */
export function described(error) {
  const told = typeof error === "object" && error !== null ? Reflect.get(error, "message") : null;
  const text = String(told ?? error);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** Lets the page breathe: what it says reaches the outside. */
export const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

/** @param {number[]} numbers @param {number} share */
function quantile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** @param {number[]} numbers */
export const median = (numbers) => quantile(numbers, 0.5);

/** @param {number[]} times @returns {Quantiles} */
export const quantiles = (times) => ({ p50: quantile(times, 0.5), p95: quantile(times, 0.95) });

/**
 * Times one query after another; where one takes long, there are fewer for the warm-up.
 *
 * @template Q
 * @param {Q[]} queries
 * @param {(query: Q, number: number) => number[] | Promise<number[]>} ask returns rows, best first
 * @returns {Promise<{query: Quantiles, found: number[][]}>}
 */
export async function timedQueries(queries, ask) {
  const until = performance.now() + 2000;
  for (let i = 0; i < WARM_UP && performance.now() < until; i++) await ask(queries[i % queries.length], i);
  const times = [];
  const found = [];
  for (const [number, query] of queries.entries()) {
    const [seconds, rows] = await timed(() => ask(query, number));
    times.push(seconds);
    found.push(rows);
    if (number % 25 === 0) await pause();
  }
  return { query: quantiles(times), found };
}

/**
 * Bytes that this page holds, JavaScript's heap and WebAssembly's memory, after a collection; null where a browser cannot tell.
 *
 * @returns {Promise<number | null>}
 */
export async function memory() {
  const measure = Reflect.get(performance, "measureUserAgentSpecificMemory");
  if (!measure) return null;
  const { bytes } = await measure.call(performance);
  return bytes + wasmBytes();
}

/** @param {string} name @returns {Promise<Float32Array>} */
export async function floats(name) {
  const answer = await fetch(`/data/${name}.f32`);
  if (!answer.ok) throw new Error(`no data ${name}`);
  return new Float32Array(await answer.arrayBuffer());
}

/** @param {string} name @returns {Promise<any>} */
export async function json(name) {
  return (await fetch(`/data/${name}.json`)).json();
}

/** Rows of a matrix, as views of it. @param {Float32Array} matrix @returns {Float32Array[]} */
export function rows(matrix) {
  return Array.from({ length: matrix.length / DIMENSIONS }, (_, i) => matrix.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS));
}
