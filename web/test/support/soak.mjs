/**
 * A round of calls of every kind that leaves no more data than it found: what it stores it removes again. Whatever grows over many rounds is a
 * leak. It knows nothing of Node, so that the browser's tests run it too.
 */

/** @typedef {import("../../src/zengram.js").ZengramMemory} ZengramMemory */
/** @typedef {import("../../src/zengram.js").ZetaDb} ZetaDb */
/** @typedef {import("../../src/zengram.js").Stats} Stats */

const DIM = 8;
/** Texts draw on so many words: what is remembered of a word is then known after a while. */
const WORDS = 23;

/** @param {string} text */
function embed(text) {
  const vector = new Float32Array(DIM).fill(0.1);
  for (const letter of text) vector[/** @type {number} */ (letter.codePointAt(0)) % DIM] += 1;
  return vector;
}

export class Soak {
  calls = 0;
  #round = 0;

  /** @param {typeof import("../../src/zengram.js")} zengram */
  constructor(zengram) {
    this.zengram = zengram;
    this.memory = this.#counted(zengram.ZengramMemory.open(DIM));
    this.db = this.#counted(zengram.ZetaDb.open());
    this.memory.setEmbedFn(embed, DIM);
    this.memory.setTokenCounter((text) => text.length, { modelFamily: "letters" });
    this.db.execDdl("create table note (id serial primary key, body text, n int, doc jsonb, place vector(2))");
    this.db.execDdl("create index on note (n)");
  }

  /** Fills what is kept up to a number: plans, views of the definitions, functions. */
  warm() {
    for (let i = 1; i <= 70; i++) {
      this.#definitions(-i);
      this.#fork(-i);
    }
    this.run(4000);
  }

  /** Runs rounds until so many calls more have been made. @param {number} calls */
  run(calls) {
    const end = this.calls + calls;
    while (this.calls < end) this.round();
  }

  round() {
    const i = this.#round++;
    this.#facts(i);
    this.#session(i);
    this.#statements(i);
    this.#failures(i);
    if (i % 5 === 0) {
      this.#definitions(i);
      this.#fork(i);
    }
    if (i % 10 === 0) this.#restored();
    while (this.memory.maintain(50));
    while (this.db.maintain(50));
  }

  /** What is used when everything that waits is done and all garbage is gone. @returns {Stats} */
  settled() {
    this.memory.query("vacuum");
    this.db.execDdl("vacuum");
    return this.memory.stats({ collect: true });
  }

  free() {
    this.memory.free();
    this.db.free();
  }

  /** @param {number} i */
  #facts(i) {
    const { memory } = this;
    const word = `word${i % WORDS}`;
    const given = { tags: [`tag${i % WORDS}`], importance: 0.5 };
    const facts = [
      memory.rememberWithVector(`subject ${i}`, `${word} of Ada Lovelace`, "/", embed(word), given),
      memory.remember(`other ${i}`, `${word} of Alan Turing, number ${i}`, "/"),
    ];
    memory.recall(`${word} of Turing ${i}`, "/");
    memory.recallWithVector(word, "/", embed(word), { tags: [`tag${i % WORDS}`], explain: true });
    memory.facts("/", { limit: 3 });
    memory.entities("/");
    memory.entity("Ada Lovelace", "/");
    memory.confirm(facts[0]);
    memory.history(`subject ${i}`);
    memory.batch(() => facts.push(memory.remember(`batch ${i}`, word, "/")));
    for (const fact of facts) {
      memory.forget(fact);
      memory.purge(fact);
    }
  }

  /** @param {number} i */
  #session(i) {
    const { memory } = this;
    const { sessionId, branchId } = memory.createSession("p", { title: `session ${i}` });
    const turn = memory.appendTurn(sessionId, branchId, "user");
    memory.addPart(turn, sessionId, "text", { text: `turn ${i}` }, 0);
    const call = memory.recordToolCall({ turnId: turn, sessionId, toolId: `tool ${i}`, input: { i } });
    memory.completeToolCall(call, { output: { i } });
    const facts = memory.extractWithFacts("t", "/", sessionId, turn, [{ subject: `said ${i}`, content: `content ${i}` }]);
    memory.completeTurn(turn, 1, 2, 0.01, "stop");
    memory.getTurns(sessionId, branchId);
    memory.getParts(turn);
    memory.sessionTotals(sessionId);
    memory.traceBack(facts[0]);
    memory.assembleContext(sessionId, branchId, 1000, { vec: embed("turn") });
    const source = memory.addCodeSource(`/source ${i}`);
    memory.putCodeFile(source, "a.js", { nodes: [{ kind: "function", name: "f" }], edges: [{ from: "f", to: "g" }] });
    memory.removeCodeSource(source);
    memory.deleteSession(sessionId);
    memory.purge(facts[0]);
  }

  /** @param {number} i */
  #fork(i) {
    const { memory } = this;
    memory.forkMemory(`idea ${i}`);
    memory.useMemory(`idea ${i}`);
    memory.rememberWithVector("idea", `idea ${i}`, "/", embed("idea"));
    memory.recallWithVector("idea", "/", embed("idea"));
    memory.useMemory("main");
    memory.discardMemory(`idea ${i}`);
  }

  /** @param {number} i */
  #statements(i) {
    const { db, memory } = this;
    const some = i % WORDS;
    // Plans are kept by their text: so many that the caches are full, and turn over, soon.
    for (let k = 0; k < 15; k++) db.query(`select ${i} as "c${i}_${k}"`);
    for (let k = 0; k < 20; k++) memory.query(`select count(*) + ${i} as "c${i}_${k}" from knowledge`);
    const [{ id }] = db.query("insert into note (body, n, doc, place) values ($1, $2, $3, $4) returning id", [
      `body ${i}`,
      i,
      { some },
      new Float32Array([1, i]),
    ]).rows;
    db.query(`select * from note where n = ${i} order by body desc`);
    db.query(`select to_tsvector('english', 'word${some}') @@ to_tsquery('english', 'words'), '{"a": ${some}}'::jsonb -> 'a', ${i}`);
    db.query(`select regexp_replace('${i}', '^${some}$', 'x'), to_char(timestamp '2024-01-02', 'YYYY "${some}"'), 'a${i}' like '%${some}'`);
    db.query(`with w as (select g, g * ${i} as p from generate_series(1, 20) g) select sum(p) over (order by g) from w`);
    const committed = this.#counted(db.begin());
    committed.execMut("update note set n = n + 1 where id = $1", [id]);
    committed.savepoint("s");
    committed.execMut(`update note set doc = '{"k": ${some}}' where id = $1`, [id]);
    committed.rollbackToSavepoint("s");
    committed.commit();
    committed.free();
    const rolledBack = this.#counted(db.begin());
    rolledBack.execMut("insert into note (body) values ($1)", ["x"]);
    rolledBack.rollback();
    rolledBack.free();
    const dropped = this.#counted(db.begin());
    dropped.execMut("delete from note");
    const inside = this.#counted(dropped.stream(`select g, ${i} from generate_series(1, 3000) g`));
    inside.next();
    dropped.free();
    inside.free();
    const halfWay = this.#counted(db.stream(`select g, 'text ' || g from generate_series(1, 5000) g where g <> ${i}`));
    for (let k = 0; k < 3; k++) halfWay.next();
    halfWay.free();
    for (const row of db.stream("select g from generate_series(1, 5000) g")) if (row.g === 2) break;
    db.stats();
    db.execMut("delete from note where id = $1", [id]);
  }

  /** @param {number} i */
  #definitions(i) {
    const { db } = this;
    const n = i < 0 ? `w${-i}` : `${i}`;
    db.execDdl(`create table made${n} (a int primary key, b text check (b <> ''))`);
    db.execMut(`insert into made${n} values (1, 'x')`);
    db.execDdl(`create view seen${n} as select b from made${n}`);
    db.execDdl(`drop view seen${n}`);
    db.execDdl(`drop table made${n}`);
    db.execDdl(`create function twice${n}(x int) returns int language sql as 'select x * 2'`);
    db.query(`select twice${n}(${Math.abs(i)})`);
    db.execDdl(`drop function twice${n}`);
    db.execDdl(`create branch b${n}`);
    db.setBranch(`b${n}`);
    db.execMut("insert into note (body) values ('on a branch')");
    db.setBranch(null);
    db.execDdl(`drop branch b${n}`);
  }

  #restored() {
    const { ZengramMemory, ZetaDb } = this.zengram;
    const memory = this.#counted(ZengramMemory.openFromSnapshot(this.memory.exportSnapshot(), DIM));
    memory.setEmbedFn(embed, DIM);
    memory.remember("a", "b", "/");
    memory.recall("b", "/");
    memory.query("select count(*) from knowledge");
    memory.free();
    const db = ZetaDb.openFromSnapshot(this.db.exportSnapshot());
    const over = this.#counted(ZengramMemory.overEngine(db, DIM));
    const cursor = db.stream("select * from note, generate_series(1, 5000)");
    const open = db.begin();
    db.free();
    over.rememberWithVector("a", "b", "/", embed("b"));
    open.free();
    over.free();
    cursor.free();
  }

  /** @param {number} i */
  #failures(i) {
    const { db, memory, zengram } = this;
    const failing = this.#counted(db.stream(`select g / (g - 1) from generate_series(1, ${i + 2}) g`));
    for (const bad of [
      () => memory.rememberWithVector("s", "c", "/", [1]),
      () => memory.confirm(`none ${i}`),
      () => memory.recall(/** @type {any} */ (null), "/"),
      () => memory.setEmbedFn(embed, DIM + 1),
      () => memory.query(`select nothing${i}`),
      () => memory.batch(() => memory.contradict(`none ${i}`)),
      () => db.query(`selec ${i}`),
      () => db.query(`select ${i} / 0`),
      () => db.execMut("insert into note (id) values (1), (1)"),
      () => db.execMut(`select ${i}`),
      () => failing.next(),
      () => zengram.ZengramMemory.openFromSnapshot(Uint8Array.of(1, 2, 3), DIM),
      () => zengram.ZetaDb.openFromSnapshot(memory.exportSnapshot().subarray(0, 500)),
    ]) {
      try {
        bad();
      } catch (error) {
        if (error instanceof zengram.ZengramError) continue;
        throw error;
      }
      throw new Error(`did not fail: ${bad}`);
    }
    failing.free();
  }

  /**
   * The object, with its calls counted.
   *
   * @template {object} T
   * @param {T} object
   * @returns {T}
   */
  #counted(object) {
    return new Proxy(object, {
      get: (_, name) => {
        const value = Reflect.get(object, name, object);
        if (typeof value !== "function") return value;
        return (/** @type {unknown[]} */ ...args) => {
          this.calls++;
          return value.apply(object, args);
        };
      },
    });
  }
}
