/**
 * Ours. Indexes are timed inside Python, where the engine's callers are (ours/*.py); `measureStack` and one way of the hybrid
 * case go through the JavaScript API, as a page does.
 */
import { loadPyodide } from "/pyodide/pyodide.mjs";
import { floats, json, memory, pause, rows, tell, timed, timedQueries } from "../measure.js";

/** @typedef {{measure_build(): number, measure_rest(): string}} Measured */

/** Boots Python with our wheel and a module of the folder ours/. @param {string} name */
async function start(name) {
  const pyodide = await loadPyodide({ indexURL: "/pyodide/" });
  await pyodide.loadPackage("zengram-py", { messageCallback: () => {} });
  for (const file of ["common", "vectors", "words", name]) {
    pyodide.FS.writeFile(`${file}.py`, await (await fetch(`./ours/${file}.py`)).text());
  }
  return pyodide.pyimport(name);
}

/**
 * Builds and measures the rest. The memory is what the page has more of after the build than before Python started.
 *
 * @param {string} name @param {(module: any) => Measured} make
 */
async function measured(name, make) {
  const before = await memory();
  const subject = make(await start(name));
  await pause();
  const build = subject.measure_build();
  tell(`Zengram: built in ${build.toFixed(1)} s`);
  const after = await memory();
  const rest = JSON.parse(subject.measure_rest());
  return { build, ...rest, ...(before === null || after === null ? {} : { memory: after - before }) };
}

/** @param {string} data */
export async function measureVectors(data) {
  const [vectors, later, queries] = await Promise.all(["vectors", "later", "queries"].map((part) => floats(`${data}.${part}`)));
  return measured("vectors", (module) => module.Vectors(vectors, later, queries));
}

/** A tidying index, call by call. @param {string} data */
export async function measureMaintenance(data) {
  const [vectors, later] = await Promise.all(["vectors", "later"].map((part) => floats(`${data}.${part}`)));
  const module = await start("maintenance");
  return JSON.parse(module.measure(vectors, later, tell));
}

/** @param {string} data */
export async function measureText(data) {
  const [texts, questions] = await Promise.all([json(data), json("questions")]);
  return measured("words", (module) => module.Words(JSON.stringify(texts), JSON.stringify(questions)));
}

/** @param {string} data */
export async function measureHybrid(data) {
  const [vectors, queries] = await Promise.all(["vectors", "queries"].map((part) => floats(`${data}.${part}`)));
  const [texts, questions] = await Promise.all([json(data), json("questions")]);
  return measured("hybrid", (module) => module.Hybrid(JSON.stringify(texts), JSON.stringify(questions), vectors, queries));
}

/** Everything by `zengram.js`: facts one by one, questions, a snapshot and back. @param {string} data */
export async function measureStack(data) {
  const { default: init, ZengramMemory } = await import("/zengram.js");
  const [matrix, later, asked] = await Promise.all(["vectors", "later", "queries"].map((part) => floats(`${data}.${part}`)));
  const [texts, questions] = await Promise.all([json(data), json("questions")]);
  const memoryBefore = await memory();
  await init();
  const store = ZengramMemory.open(384);
  /** @type {Map<string, number>} */
  const numbers = new Map();
  /** @param {{title: string, text: string}} document @param {Float32Array} vector @param {number} number */
  const remember = (document, vector, number) => {
    numbers.set(store.rememberWithVector(document.title, document.text, "/", vector), number);
  };
  const vectors = rows(matrix);
  await pause();
  const [build] = await timed(async () => {
    for (const [number, document] of texts.documents.entries()) {
      remember(document, vectors[number], number);
      if (number % 500 === 499) await pause();
    }
    // What the page would do when it is idle: without it, vectors are scanned. Peers build before they answer, too.
    while (store.maintain(50)) await pause();
  });
  tell(`stack: remembered ${numbers.size} facts in ${build.toFixed(1)} s`);
  const memoryAfter = await memory();
  const queries = rows(asked);
  /** @param {typeof store} from */
  const recall = (from) => (/** @type {string} */ question, /** @type {number} */ number) =>
    from.recallWithVector(question, "/", queries[number % queries.length], { limit: 10 }).map((hit) => numbers.get(hit.knowledgeId) ?? -1);
  const [first] = await timed(() => recall(store)(questions[0], 0));
  const { query, found } = await timedQueries(questions, recall(store));
  const afterRemember = [];
  const inserts = [];
  for (const [number, vector] of rows(later).entries()) {
    const at = texts.documents.length + number;
    inserts.push((await timed(() => remember(texts.later[number], vector, at)))[0]);
    afterRemember.push((await timed(() => recall(store)(questions[number], number)))[0]);
  }
  const [save, bytes] = await timed(() => store.exportSnapshot());
  const size = bytes.length;
  const [restore, again] = await timed(() => ZengramMemory.openFromSnapshot(bytes, 384));
  const [firstQuery] = await timed(() => recall(again)(questions[0], 0));
  const middle = (/** @type {number[]} */ times) => times.toSorted((a, b) => a - b)[times.length >> 1];
  return {
    build, query, found, first, insert: middle(inserts), afterRemember: middle(afterRemember), save, bytes: size, restore, firstQuery,
    ...(memoryBefore === null || memoryAfter === null ? {} : { memory: memoryAfter - memoryBefore }),
  };
}
