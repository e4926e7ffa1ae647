/** How long PGlite takes from navigation to its first row, in memory and in the page, as its documentation begins. */
import { PGlite } from "./node_modules/@electric-sql/pglite/dist/index.js";

const db = await PGlite.create();
await db.exec("CREATE TABLE fact (id int PRIMARY KEY, content text); INSERT INTO fact VALUES (1, 'The user drinks green tea')");
const { rows } = await db.query("SELECT content FROM fact WHERE id = $1", [1]);
if (rows.length !== 1) throw new Error("the row is not there");
Reflect.set(globalThis, "bootTimes", { recall: performance.now() });
