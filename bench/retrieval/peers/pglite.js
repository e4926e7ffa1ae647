/** PGlite: PostgreSQL in WebAssembly, in memory, with pgvector's HNSW and with its own text search (GIN, English stemming). */
import { PGlite } from "@electric-sql/pglite";
import { vector as pgvector } from "@electric-sql/pglite-pgvector";
import { DIMENSIONS, K } from "../measure.js";

const BATCH = 500;

/** @param {Float32Array} vector */
const literal = (vector) => `[${vector.join(",")}]`;

/** @param {{rows: unknown[]}} answer */
const ids = ({ rows }) => rows.map((row) => Number(/** @type {{id: number}} */ (row).id));

/** @param {PGlite} db @param {object} options @param {(from: PGlite) => any} searching */
async function saved(db, options, searching) {
  const file = await db.dumpDataDir("none");
  return {
    bytes: file.size,
    async restore() {
      const again = await PGlite.create({ ...options, loadDataDir: file });
      return { search: searching(again) };
    },
  };
}

export async function vectors() {
  const options = { extensions: { vector: pgvector } };
  const db = await PGlite.create(options);
  await db.exec(`
    CREATE EXTENSION vector;
    CREATE TABLE t (id int PRIMARY KEY, v vector(${DIMENSIONS}));
    SET hnsw.ef_search = 64;
    SET maintenance_work_mem = '512MB';`);
  const searching = (/** @type {PGlite} */ from) => async (/** @type {Float32Array} */ vector) =>
    ids(await from.query(`SELECT id FROM t ORDER BY v <=> $1 LIMIT ${K}`, [literal(vector)]));
  return {
    /** @param {Float32Array[]} given */
    async build(given) {
      await db.transaction(async (tx) => {
        for (let start = 0; start < given.length; start += BATCH) {
          const part = given.slice(start, start + BATCH);
          await tx.query("INSERT INTO t SELECT id, v::vector FROM unnest($1::int[], $2::text[]) AS given (id, v)", [part.map((_, i) => start + i), part.map(literal)]);
        }
      });
      await db.exec("CREATE INDEX ON t USING hnsw (v vector_cosine_ops) WITH (m = 16, ef_construction = 100)");
    },
    search: searching(db),
    /** @param {Float32Array} vector @param {number} number */
    insert: (vector, number) => db.query("INSERT INTO t VALUES ($1, $2)", [number, literal(vector)]),
    save: () => saved(db, options, searching),
  };
}

const QUESTION = `
  WITH q AS (SELECT replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery AS q)
  SELECT id FROM doc, q WHERE words @@ q ORDER BY ts_rank(words, q, 1) DESC LIMIT ${K}`;

export async function text() {
  const db = await PGlite.create();
  await db.exec(`
    CREATE TABLE doc (id int PRIMARY KEY, title text, text text, words tsvector
      GENERATED ALWAYS AS (setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', text), 'B')) STORED);
    CREATE INDEX ON doc USING gin (words);`);
  const put = "INSERT INTO doc (id, title, text) SELECT * FROM unnest($1::int[], $2::text[], $3::text[])";
  const searching = (/** @type {PGlite} */ from) => async (/** @type {string} */ question) => ids(await from.query(QUESTION, [question]));
  return {
    /** @param {import("../subjects.d.ts").Document[]} documents */
    async build(documents) {
      await db.transaction(async (tx) => {
        for (let start = 0; start < documents.length; start += BATCH) {
          const part = documents.slice(start, start + BATCH);
          await tx.query(put, [part.map((_, i) => start + i), part.map(({ title }) => title), part.map(({ text }) => text)]);
        }
      });
    },
    search: searching(db),
    /** @param {import("../subjects.d.ts").Document} document @param {number} number */
    insert: ({ title, text }, number) => db.query(put, [[number], [title], [text]]),
    save: () => saved(db, {}, searching),
  };
}
