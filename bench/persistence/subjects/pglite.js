/**
 * PGlite, on either of its file systems. Its normal durability writes everything to the file system before a query resolves; with
 * `relaxedDurability` it does so afterwards, and tells nobody when.
 */
import { PGlite } from "../node_modules/@electric-sql/pglite/dist/index.js";
import { bytesOf } from "../rows.js";

const DIST = new URL("../node_modules/@electric-sql/pglite/dist/", import.meta.url);
/** `close` does not wait for what `relaxedDurability` has put off: on IndexedDB the last rows were missing then. */
const SETTLE_MS = 10_000;
const INSERT = "INSERT INTO fact VALUES ($1, $2, $3, $4)";

/** @typedef {import("../rows.js").Row} Row */
/** @typedef {import("../subjects.d.ts").Subject} Subject */

/** @param {Row} row */
const values = (row) => [row.id, row.subject, row.content, bytesOf(row)];

/** @param {"opfs-ahp" | "idb"} where @param {boolean} relaxed @returns {Subject} */
export function onFiles(where, relaxed) {
  /** @type {import("../node_modules/@electric-sql/pglite/dist/index.js").PGliteOptions} */
  let loaded = {};

  /** @param {string} name */
  async function open(name) {
    const db = await PGlite.create({ ...loaded, dataDir: `${where}://${name}`, relaxedDurability: relaxed });
    await db.exec("CREATE TABLE IF NOT EXISTS fact (id int PRIMARY KEY, subject text NOT NULL, content text NOT NULL, vector bytea NOT NULL)");
    return {
      /** @param {Iterable<Row>} rows */
      async fill(rows) {
        await db.transaction(async (transaction) => {
          for (const row of rows) await transaction.query(INSERT, values(row));
        });
      },
      /** @param {Row} row */
      write: async (row) => void (await db.query(INSERT, values(row))),
      ...(relaxed ? { durable: null } : {}),
      /** @param {Row} row @returns {Promise<string>} */
      async read({ id }) {
        const { rows } = await db.query("SELECT content FROM fact WHERE id = $1", [id]);
        return /** @type {{content: string}} */ (rows[0]).content;
      },
      async count() {
        const { rows } = await db.query("SELECT count(*)::int AS rows FROM fact");
        return /** @type {{rows: number}} */ (rows[0]).rows;
      },
      async close() {
        if (relaxed) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
        await db.close();
      },
    };
  }

  return {
    inWorker: where === "opfs-ahp",
    async load() {
      const compiled = (/** @type {string} */ file) => WebAssembly.compileStreaming(fetch(new URL(file, DIST)));
      const [pgliteWasmModule, initdbWasmModule, data] = await Promise.all([
        compiled("pglite.wasm"),
        compiled("initdb.wasm"),
        fetch(new URL("pglite.data", DIST)),
      ]);
      loaded = { pgliteWasmModule, initdbWasmModule, fsBundle: await data.blob() };
    },
    open,
  };
}
