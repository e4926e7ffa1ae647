/** Orama: full-text and (exact) vector search in JavaScript; keeps an index as an object for JSON. */
import { create, insert, insertMultiple, load, save, search } from "../node_modules/@orama/orama/dist/browser/index.js";
import { DIMENSIONS, K } from "../measure.js";

/** @type {any} */
const WORDS = { title: "string", text: "string" };
/** @type {any} */
const VECTOR = { v: `vector[${DIMENSIONS}]` };
/** @type {any} */
const COMPONENTS = { tokenizer: { language: "english", stemming: true, stemmerSkipProperties: [] } };

/** @param {{hits: {id: string}[]}} answer */
const numbers = ({ hits }) => hits.map(({ id }) => Number(id));

/** @param {any} db */
function saved(db, /** @type {any} */ schema, /** @type {any} */ searching) {
  const text = JSON.stringify(save(db));
  return {
    bytes: new TextEncoder().encode(text).length,
    restore() {
      const again = create({ schema, components: COMPONENTS });
      load(again, JSON.parse(text));
      return { search: searching(again) };
    },
  };
}

export function vectors() {
  const db = create({ schema: VECTOR });
  const searching = (/** @type {any} */ from) => async (/** @type {Float32Array} */ vector) =>
    numbers(await search(from, { mode: "vector", vector: { value: Array.from(vector), property: "v" }, similarity: 0, limit: K }));
  return {
    /** @param {Float32Array[]} given */
    build: (given) => insertMultiple(db, given.map((vector, i) => ({ id: String(i), v: Array.from(vector) })), 1000),
    search: searching(db),
    /** @param {Float32Array} vector @param {number} number */
    insert: (vector, number) => insert(db, { id: String(number), v: Array.from(vector) }),
    save: () => saved(db, VECTOR, searching),
  };
}

export function text() {
  const db = create({ schema: WORDS, components: COMPONENTS });
  const searching = (/** @type {any} */ from) => async (/** @type {string} */ term) =>
    numbers(await search(from, { term, limit: K, threshold: 1 }));
  return {
    /** @param {import("../subjects.d.ts").Document[]} documents */
    build: (documents) => insertMultiple(db, documents.map((document, i) => ({ id: String(i), ...document })), 1000),
    search: searching(db),
    /** @param {import("../subjects.d.ts").Document} document @param {number} number */
    insert: (document, number) => insert(db, { id: String(number), ...document }),
    save: () => saved(db, WORDS, searching),
  };
}

export function hybrid() {
  /** @type {any} */
  const db = create({ schema: { ...WORDS, ...VECTOR }, components: COMPONENTS });
  return {
    /** @param {import("../subjects.d.ts").Document[]} documents @param {Float32Array[]} given */
    build: (documents, given) =>
      insertMultiple(db, documents.map((document, i) => ({ id: String(i), ...document, v: Array.from(given[i]) })), 1000),
    ways: {
      "its hybrid mode": async (/** @type {string} */ term, /** @type {Float32Array} */ vector) =>
        numbers(
          await search(db, {
            mode: "hybrid",
            term,
            vector: { value: Array.from(vector), property: "v" },
            properties: ["title", "text"],
            similarity: 0,
            threshold: 1,
            limit: K,
          }),
        ),
    },
  };
}
