// The page of bench/sql.py: sql_cases.py inside Pyodide, then the same statements in PGlite.
import { loadPyodide } from "../pyodide/pyodide.mjs";
import { PGlite } from "../pglite/index.js";

const SINGLE = 100;
const WARM_UP_MS = 500;

const runs = Number(new URLSearchParams(location.search).get("runs"));
const tell = (text) => console.log(`${text} done`);

/** Lets the page breathe: what it says reaches the outside, and the browser does not take it for dead. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

async function python() {
  const pyodide = await loadPyodide({ indexURL: "/pyodide/" });
  await pyodide.loadPackage("zengram-py", { messageCallback: () => {} });
  pyodide.FS.writeFile("sql_cases.py", await (await fetch("./sql_cases.py")).text());
  return pyodide.pyimport("sql_cases");
}

class Postgres {
  static async open(cases) {
    const subject = new Postgres();
    subject.db = await PGlite.create();
    for (const statement of cases.TABLES.toJs()) await subject.db.exec(statement);
    for (const table of ["customer", "sale", "changing"]) {
      const blob = new Blob([cases.csv_of(table)]);
      await subject.db.query(`COPY ${table} FROM '/dev/blob' WITH (FORMAT csv)`, [], { blob });
    }
    await subject.db.exec("ANALYZE");
    return subject;
  }

  async sample(workload, keys) {
    await pause();
    const start = performance.now();
    if (!workload.single) {
      await this.db.query(workload.sql);
      return (performance.now() - start) / 1000;
    }
    for (const key of keys) await this.db.query(workload.sql, [key]);
    return (performance.now() - start) / 1000 / keys.length;
  }
}

async function postgres(cases, workloads) {
  const subject = await Postgres.open(cases);
  const medians = {};
  let number = 0;
  for (const [name, workload] of Object.entries(workloads)) {
    const until = performance.now() + WARM_UP_MS;
    do await subject.sample(workload, cases.keys_for(name, number++).toJs());
    while (performance.now() < until);
    const samples = [];
    for (let run = 0; run < runs; run++) {
      samples.push(await subject.sample(workload, cases.keys_for(name, number++).toJs()));
    }
    medians[name] = median(samples);
    tell(`PGlite ${name}`);
  }
  await subject.db.close();
  return medians;
}

const first = [];
for (let run = 0; run < 3; run++) first.push(JSON.parse((await python()).first_use()));
const cases = await python();
const result = JSON.parse(cases.measure_json(runs, tell));
result.first = first;
const medians = await postgres(cases, result.workloads);
for (const [name, seconds] of Object.entries(medians)) result.times[name].pglite = seconds;
globalThis.benchResult = result;
