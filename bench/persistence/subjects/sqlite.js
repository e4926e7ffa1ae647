/**
 * SQLite's own WebAssembly build on its pool of OPFS files (`opfs-sahpool`), which needs no special headers. As it comes: a
 * rollback journal, `synchronous` FULL, so that a statement outside a transaction is durable when it returns.
 */
import sqlite3InitModule from "../node_modules/@sqlite.org/sqlite-wasm/dist/index.mjs";
import { bytesOf } from "../rows.js";

const INSERT = "INSERT INTO fact VALUES (?, ?, ?, ?)";

/** @typedef {import("../rows.js").Row} Row */
/** @typedef {import("../subjects.d.ts").Subject} Subject */

/** @param {Row} row */
const values = (row) => [row.id, row.subject, row.content, bytesOf(row)];

/** @param {string[]} pragmas @returns {Subject} */
export function onPool(pragmas) {
  /** @type {import("../node_modules/@sqlite.org/sqlite-wasm/dist/index.mjs").Sqlite3Static} */
  let sqlite3;

  /** @param {string} name */
  async function open(name) {
    const pool = await sqlite3.installOpfsSAHPoolVfs({});
    const db = new pool.OpfsSAHPoolDb(`/${name}.db`);
    for (const pragma of pragmas) db.exec(`PRAGMA ${pragma}`);
    db.exec("CREATE TABLE IF NOT EXISTS fact (id INTEGER PRIMARY KEY, subject TEXT NOT NULL, content TEXT NOT NULL, vector BLOB NOT NULL)");
    /** @type {ReturnType<typeof db.prepare> | null} */
    let insert = null;
    /** @param {Row} row */
    const write = (row) => {
      insert ??= db.prepare(INSERT);
      insert.bind(values(row)).stepReset();
    };
    return {
      /** @param {Iterable<Row>} rows */
      fill(rows) {
        db.transaction(() => {
          for (const row of rows) write(row);
        });
      },
      write,
      /** @param {Row} row */
      read: ({ id }) => /** @type {string} */ (db.selectValue("SELECT content FROM fact WHERE id = ?", [id])),
      count: () => /** @type {number} */ (db.selectValue("SELECT count(*) FROM fact")),
      close() {
        insert?.finalize();
        db.close();
        pool.pauseVfs(); // gives the files back: the next page opens them
      },
    };
  }

  return {
    inWorker: true,
    async load() {
      sqlite3 = await sqlite3InitModule();
    },
    open,
  };
}

export const subject = onPool([]);
