/** What the two builds of SQLite share: a database in memory as bytes, and back. */

/** @param {any} sqlite3 @param {any} db @returns {Uint8Array} */
export const bytesOf = (sqlite3, db) => sqlite3.capi.sqlite3_js_db_export(db.pointer);

/** @param {any} sqlite3 @param {Uint8Array} bytes */
export function restored(sqlite3, bytes) {
  const db = new sqlite3.oo1.DB(":memory:");
  const place = sqlite3.wasm.allocFromTypedArray(bytes);
  const { SQLITE_DESERIALIZE_FREEONCLOSE, SQLITE_DESERIALIZE_RESIZEABLE } = sqlite3.capi;
  const flags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE;
  db.checkRc(sqlite3.capi.sqlite3_deserialize(db.pointer, "main", place, bytes.length, bytes.length, flags));
  return db;
}
