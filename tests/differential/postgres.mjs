// PostgreSQL for the tests: PGlite behind lines of JSON.
//
//     a request, one a line     {"statements": ["create table t (a int)", …], "fresh": true}
//     its answer, one a line    [{"columns": […], "types": […], "rows": [[text or null, …], …], "count": n, "command": "SELECT"} or
//                                {"error": "22012", "message": "division by zero"}, …]
//
// "fresh" begins with an empty database: a new PGlite takes a second, so the schemas are dropped instead. Values come as
// PostgreSQL writes them, never as JavaScript's; types by the names of format_type.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const require = createRequire(join(root, "web", "package.json"));
const entry = join(dirname(require.resolve("@electric-sql/pglite")), "index.js");
const { PGlite, types: known } = await import(pathToFileURL(entry).href);

const FIRST_USER_OID = 16384;
const asText = (text) => text;
const database = await PGlite.create();
for (const oid of [...Object.keys(known.parsers), ...Object.keys(database.parsers)]) database.parsers[oid] = asText;
const typeNames = new Map();

async function rows(sql, parameters = []) {
  return (await database.query(sql, parameters, { rowMode: "array" })).rows;
}

async function fresh() {
  await database.exec("rollback");
  await database.exec("discard all");
  await database.exec("drop schema public cascade; create schema public; set timezone = 'UTC'");
  for (const [name] of await rows(
    "select nspname::text from pg_namespace where nspname !~ '^pg_' and nspname not in ('public', 'information_schema')",
  )) {
    await database.exec(`drop schema ${quoted(name)} cascade`);
  }
  for (const [name] of await rows("select datname::text from pg_database where oid >= 16384")) {
    await database.exec(`drop database ${quoted(name)}`);
  }
  for (const oid of typeNames.keys()) {
    if (oid >= FIRST_USER_OID) typeNames.delete(oid);
  }
}

function quoted(name) {
  return `"${name.replaceAll('"', '""')}"`;
}

async function nameOfType(oid) {
  if (!typeNames.has(oid)) {
    let found = `type ${oid}`;
    try {
      [[found]] = await rows(`select format_type(${oid}, null)`);
    } catch {
      return found; // in a transaction that has failed nothing can be asked
    }
    typeNames.set(oid, found);
  }
  return typeNames.get(oid);
}

async function answer(sql) {
  let found;
  try {
    found = await database.query(sql, [], { rowMode: "array" });
  } catch (problem) {
    return { error: problem.code ?? "XX000", message: problem.message };
  }
  const types = [];
  for (const field of found.fields) types.push(await nameOfType(field.dataTypeID));
  return {
    columns: found.fields.map((field) => field.name),
    types,
    rows: found.rows,
    count: found.affectedRows ?? 0,
    command: found.command ?? "",
  };
}

await rows("select oid::int8, format_type(oid, null) from pg_type").then((all) => {
  for (const [oid, name] of all) typeNames.set(Number(oid), name);
});
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.fresh) await fresh();
  const answers = [];
  for (const sql of request.statements) answers.push(await answer(sql));
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
process.exit(0); // PGlite would keep Node waiting
