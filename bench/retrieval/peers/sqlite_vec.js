/** sqlite-vec: a virtual table of vectors in SQLite, compiled to WebAssembly; it scans. */
import sqlite3InitModule from "../node_modules/sqlite-vec-wasm-demo/sqlite3.mjs";
import { DIMENSIONS, K } from "../measure.js";
import { bytesOf, restored } from "../sqlite.js";

const FIND = `SELECT rowid FROM v WHERE e MATCH ? AND k = ${K} ORDER BY distance`;

/** @param {Float32Array} vector */
const blob = (vector) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

export async function vectors() {
  const sqlite3 = await sqlite3InitModule();
  const db = new sqlite3.oo1.DB(":memory:");
  db.exec(`CREATE VIRTUAL TABLE v USING vec0(e float[${DIMENSIONS}] distance_metric=cosine)`);
  const put = db.prepare("INSERT INTO v (rowid, e) VALUES (?, ?)");
  // Only a BigInt is surely bound as an integer, and nothing else may be a row's number.
  /** @param {Float32Array} vector @param {number} number */
  const insert = (vector, number) => put.bind([BigInt(number), blob(vector)]).stepReset();
  /** @param {any} from */
  const searching = (from) => {
    const find = from.prepare(FIND);
    return (/** @type {Float32Array} */ vector) => {
      find.bind([blob(vector)]);
      const rows = [];
      while (find.step()) rows.push(Number(find.get(0)));
      find.reset();
      return rows;
    };
  };
  return {
    /** @param {Float32Array[]} given */
    build: (given) => db.transaction(() => given.forEach(insert)),
    search: searching(db),
    insert,
    save() {
      const bytes = bytesOf(sqlite3, db);
      return { bytes: bytes.length, restore: () => ({ search: searching(restored(sqlite3, bytes)) }) };
    },
  };
}
