/**
 * How long DuckDB takes from navigation to its first row, in memory, in the worker that it brings. Its module imports Arrow by name, so
 * it is bundled first, as an application would (bench/persistence.py); of its builds this is the one for browsers with WebAssembly's exceptions.
 */
import { AsyncDuckDB, VoidLogger } from "./node_modules/.bundled/duckdb.js";

const DIST = new URL("./node_modules/@duckdb/duckdb-wasm/dist/", import.meta.url);

const db = new AsyncDuckDB(new VoidLogger(), new Worker(new URL("duckdb-browser-eh.worker.js", DIST)));
await db.instantiate(new URL("duckdb-eh.wasm", DIST).href);
const connection = await db.connect();
await connection.query("CREATE TABLE fact (id INTEGER PRIMARY KEY, content VARCHAR)");
await connection.query("INSERT INTO fact VALUES (1, 'The user drinks green tea')");
const found = await connection.query("SELECT content FROM fact WHERE id = 1");
if (found.numRows !== 1) throw new Error("the row is not there");
Reflect.set(globalThis, "bootTimes", { recall: performance.now() });
