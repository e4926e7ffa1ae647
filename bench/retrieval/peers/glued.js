/**
 * hnswlib-wasm and MiniSearch glued together by hand, as a page would: the best of each, joined by reciprocal ranks or by a
 * weighted sum of scores, each with words as they are and with prefixes and likeness of words.
 */
import { DIMENSIONS, K } from "../measure.js";
import { loadHnswlib } from "../node_modules/hnswlib-wasm/dist/hnswlib.js";
import MiniSearch from "../node_modules/minisearch/dist/es/index.js";
import { OPTIONS } from "./minisearch.js";

const EACH = 50;
const RANKS = 60;

/** @param {Map<number, number>} scores */
const best = (scores) => [...scores].sort((a, b) => b[1] - a[1]).slice(0, K).map(([id]) => id);

/** @typedef {{ids: number[], scores: number[]}} Ranking */

/** @param {Ranking[]} rankings */
function byRanks(...rankings) {
  const scores = new Map();
  for (const { ids } of rankings) ids.forEach((id, rank) => scores.set(id, (scores.get(id) ?? 0) + 1 / (RANKS + rank + 1)));
  return best(scores);
}

/** Each score as a share of the best one. @param {Ranking[]} rankings */
function bySum(...rankings) {
  const sums = new Map();
  for (const { ids, scores } of rankings) ids.forEach((id, i) => sums.set(id, (sums.get(id) ?? 0) + (0.5 * scores[i]) / scores[0]));
  return best(sums);
}

/** @param {import("../subjects.d.ts").Size} size */
export async function hybrid({ count }) {
  const library = await loadHnswlib("IDBFS");
  const near = new library.HierarchicalNSW("cosine", DIMENSIONS, "");
  near.initIndex(count, 16, 100, 1);
  near.setEfSearch(64);
  const words = new MiniSearch(OPTIONS);
  /** @param {Float32Array} vector @returns {Ranking} */
  const nearest = (vector) => {
    const { neighbors, distances } = near.searchKnn(vector, EACH, undefined);
    return { ids: Array.from(neighbors), scores: Array.from(distances, (distance) => 1 - distance) };
  };
  /** @param {string} question @param {object} options @returns {Ranking} */
  const matching = (question, options) => {
    const hits = words.search(question, options).slice(0, EACH);
    return { ids: hits.map(({ id }) => id), scores: hits.map(({ score }) => score) };
  };
  const fuzzy = { prefix: (/** @type {string} */ word) => word.length > 3, fuzzy: 0.2 };
  /** @type {Record<string, (question: string, vector: Float32Array) => number[]>} */
  const ways = {
    "reciprocal ranks": (question, vector) => byRanks(nearest(vector), matching(question, {})),
    "weighted sum": (question, vector) => bySum(nearest(vector), matching(question, {})),
    "reciprocal ranks, prefixes and fuzzy 0.2": (question, vector) => byRanks(nearest(vector), matching(question, fuzzy)),
    "weighted sum, prefixes and fuzzy 0.2": (question, vector) => bySum(nearest(vector), matching(question, fuzzy)),
  };
  return {
    /** @param {import("../subjects.d.ts").Document[]} documents @param {Float32Array[]} given */
    build(documents, given) {
      near.addPoints(given, given.map((_, i) => i), false);
      words.addAll(documents.map((document, id) => ({ id, ...document })));
    },
    ways,
  };
}
