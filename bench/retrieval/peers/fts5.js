/** SQLite's FTS5 with the porter stemmer, the official build for WebAssembly, in memory; kept as its pages are. */
import sqlite3InitModule from "../node_modules/@sqlite.org/sqlite-wasm/dist/index.mjs";
import { K } from "../measure.js";
import { bytesOf, restored } from "../sqlite.js";

const FIND = `SELECT rowid FROM doc WHERE doc MATCH ? ORDER BY bm25(doc, 2.0, 1.0) LIMIT ${K}`;

export async function text() {
  const sqlite3 = await sqlite3InitModule();
  const db = new sqlite3.oo1.DB(":memory:");
  db.exec("CREATE VIRTUAL TABLE doc USING fts5(title, text, tokenize = 'porter unicode61')");
  const put = db.prepare("INSERT INTO doc (rowid, title, text) VALUES (?, ?, ?)");
  /** @param {import("../subjects.d.ts").Document} document @param {number} number */
  const insert = ({ title, text }, number) => put.bind([number, title, text]).stepReset();
  /** @param {any} from */
  const searching = (from) => {
    const find = from.prepare(FIND);
    return (/** @type {string} */ question) => {
      find.bind([asked(question)]);
      const rows = [];
      while (find.step()) rows.push(Number(find.get(0)));
      find.reset();
      return rows;
    };
  };
  return {
    /** @param {import("../subjects.d.ts").Document[]} documents */
    build: (documents) => db.transaction(() => documents.forEach(insert)),
    search: searching(db),
    insert,
    save() {
      const bytes = bytesOf(sqlite3, db);
      return { bytes: bytes.length, restore: () => ({ search: searching(restored(sqlite3, bytes)) }) };
    },
  };
}

/** Any of its words, each quoted, so that nothing is syntax. @param {string} question */
const asked = (question) => (question.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `"${word}"`).join(" OR ");
