/** How long SQLite's WebAssembly build takes from navigation to its first row, in memory and in the page. */
import sqlite3InitModule from "./node_modules/@sqlite.org/sqlite-wasm/dist/index.mjs";

const sqlite3 = await sqlite3InitModule();
const db = new sqlite3.oo1.DB(":memory:");
db.exec("CREATE TABLE fact (id INTEGER PRIMARY KEY, content TEXT); INSERT INTO fact VALUES (1, 'The user drinks green tea')");
if (db.selectValue("SELECT content FROM fact WHERE id = ?", [1]) === undefined) throw new Error("the row is not there");
Reflect.set(globalThis, "bootTimes", { recall: performance.now() });
