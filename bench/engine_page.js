// The page of bench/engine.py: engine_cases.py inside Pyodide, then the same workloads in PGlite.
import { loadPyodide } from "../pyodide/pyodide.mjs";
import { PGlite } from "../pglite/index.js";

const ROWS = 50_000;
const COUNTER_ROWS = 20_000;
const SINGLE = 200;
const SCANS = 5;
const RANGE = 100;
const WARM_UP_MS = 700;

const runs = Number(new URLSearchParams(location.search).get("runs"));
const tell = (text) => console.log(`${text} done`);

/** Lets the page breathe: what it says reaches the outside, and the browser does not take it for dead. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

async function timed(work, operations = 1) {
  await pause();
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000 / operations;
}

const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

async function measurePython() {
  const pyodide = await loadPyodide({ indexURL: "/pyodide/" });
  await pyodide.loadPackage("zengram-py", { messageCallback: () => {} });
  pyodide.FS.writeFile("engine_cases.py", await (await fetch("./engine_cases.py")).text());
  return JSON.parse(pyodide.pyimport("engine_cases").measure_json(runs, tell));
}

/** Any whole numbers: what matters is that they are spread. */
const shuffled = (i) => (i * 48_271 + 12_345) % ROWS;

const TABLE = `CREATE TABLE t (id bigint PRIMARY KEY, number bigint, score float8, flag boolean, kind text, note text)`;
const SUM = `SELECT sum(score) AS total FROM t WHERE number > $1 AND kind = $2`;

function csv() {
  const lines = [];
  for (let i = 0; i < ROWS; i++) {
    lines.push(`${i},${shuffled(i)},${Math.random()},${i % 2 === 0},kind ${shuffled(i) % 10},note ${i} on something that was said`);
  }
  return new Blob([lines.join("\n")]);
}

class Postgres {
  static async open() {
    const subject = new Postgres();
    subject.blob = csv();
    subject.keys = Array.from({ length: SINGLE }, (_, i) => shuffled(i * 7));
    subject.db = await PGlite.create();
    await subject.db.exec(TABLE);
    await subject.fill();
    await subject.db.exec(`
      ANALYZE t;
      CREATE TABLE changing (LIKE t INCLUDING ALL);
      INSERT INTO changing SELECT * FROM t;
      CREATE TABLE indexed (LIKE t INCLUDING ALL);
      INSERT INTO indexed SELECT * FROM t;
      CREATE INDEX ON indexed (number);
      ANALYZE indexed;
      CREATE TABLE m (id bigint PRIMARY KEY, text text, count bigint, v bytea);
      INSERT INTO m SELECT i, 'text ' || i, 0, repeat(md5(i::text), 48)::bytea FROM generate_series(1, ${COUNTER_ROWS}) i;
      ANALYZE m;`);
    subject.nextKey = ROWS;
    return subject;
  }

  fill() {
    return this.db.query("COPY t FROM '/dev/blob' WITH (FORMAT csv)", [], { blob: this.blob });
  }

  async insert_many() {
    await this.db.exec("TRUNCATE t");
    const seconds = await timed(() => this.fill());
    await this.db.exec("ANALYZE t");
    return seconds;
  }

  aggregate() {
    return timed(async () => {
      for (let i = 0; i < SCANS; i++) await this.db.query(SUM, [ROWS / 2, "kind 3"]);
    }, SCANS);
  }

  get_new() {
    return timed(async () => {
      for (const key of this.keys) await this.db.query("SELECT * FROM t WHERE id = $1", [key]);
    }, SINGLE);
  }

  get_one() {
    return this.db.transaction((tx) =>
      timed(async () => {
        for (const key of this.keys) await tx.query("SELECT * FROM t WHERE id = $1", [key]);
      }, SINGLE),
    );
  }

  insert_one() {
    const first = this.nextKey;
    this.nextKey += SINGLE;
    return timed(async () => {
      for (let key = first; key < first + SINGLE; key++) {
        await this.db.query("INSERT INTO changing VALUES ($1, $2, $3, $4, $5, $6)", [key, key, 0.5, true, "kind 1", "a note"]);
      }
    }, SINGLE);
  }

  update_one() {
    return timed(async () => {
      for (const key of this.keys) await this.db.query("UPDATE changing SET score = $1 WHERE id = $2", [key + 0.5, key]);
    }, SINGLE);
  }

  range_scan() {
    const query = "SELECT * FROM indexed WHERE number >= $1 AND number < $2 ORDER BY number";
    return timed(async () => {
      for (let i = 0; i < SCANS; i++) {
        const low = (i * ROWS) / 10;
        const { rows } = await this.db.query(query, [low, low + RANGE]);
        if (rows.length !== RANGE) throw new Error(`${rows.length} rows`);
      }
    }, SCANS);
  }

  counter() {
    return timed(() => this.db.exec("UPDATE m SET count = count + 1"));
  }

  async size() {
    const { rows } = await this.db.query("SELECT pg_total_relation_size('t') AS bytes");
    return Number(rows[0].bytes) / ROWS;
  }
}

/** A database of its own with the one table, for what concerns a database as a whole. */
async function measureDump(blob) {
  const samples = { export: [], restore: [], restore_scan: [] };
  const db = await PGlite.create();
  await db.exec(TABLE);
  await db.query("COPY t FROM '/dev/blob' WITH (FORMAT csv)", [], { blob });
  let file;
  for (let run = 0; run < Math.min(runs, 3); run++) {
    samples.export.push(await timed(async () => { file = await db.dumpDataDir("none"); }));
    let other;
    const restore = await timed(async () => { other = await PGlite.create({ loadDataDir: file }); });
    samples.restore.push(restore);
    samples.restore_scan.push(restore + (await timed(() => other.query(SUM, [ROWS / 2, "kind 3"]))));
    await other.close();
  }
  await db.close();
  return samples;
}

async function measurePostgres() {
  const subject = await Postgres.open();
  const medians = {};
  for (const name of ["insert_many", "aggregate", "get_new", "get_one", "insert_one", "update_one", "range_scan", "counter"]) {
    const until = performance.now() + WARM_UP_MS;
    do await subject[name]();
    while (performance.now() < until);
    const samples = [];
    for (let run = 0; run < runs; run++) samples.push(await subject[name]());
    medians[name] = median(samples);
    tell(`PGlite ${name}`);
  }
  medians.insert_lists = medians.insert_many;
  const bytes = await subject.size();
  await subject.db.close();
  for (const [name, samples] of Object.entries(await measureDump(subject.blob))) medians[name] = median(samples);
  medians.export_again = medians.export;
  return { medians, bytes };
}

const result = await measurePython();
const postgres = await measurePostgres();
for (const [name, seconds] of Object.entries(postgres.medians)) result.times[name].pglite = seconds;
result.memory.pglite = postgres.bytes;
globalThis.benchResult = result;
