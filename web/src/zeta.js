/**
 * The database of the page: SQL statements, transactions, cursors. What is public is documented in zengram.d.ts.
 *
 *     const db = ZetaDb.open();
 *     db.execDdl("create table note (id serial primary key, body text)");
 *     db.execMut("insert into note (body) values ($1)", ["tea"]);
 *     db.query("select * from note").rows;              // [{ id: 1, body: "tea" }]
 */
import { describe } from "./describe.js";
import { Callbacks } from "./callbacks.js";
import { ClosedError, InvalidArgumentError } from "./errors.js";
import { IdleMaintenance } from "./idle.js";
import { checkBudget, checkTexts, toBytes } from "./inputs.js";
import { checkParameters } from "./parameters.js";
import { letGo, noteKept } from "./persistence/kept.js";
import { release, running, statsOf } from "./python.js";

/** @typedef {import("./persistence/persistence.js").Persistence} Persistence */
/** @typedef {import("./zengram.js").QueryResult} QueryResult */
/** @typedef {import("./zengram.js").Row} Row */
/** @typedef {import("./zengram.js").Schema} Schema */
/** @typedef {import("./zengram.js").Stats} Stats */
/** @typedef {import("./zengram.js").StatsOptions} StatsOptions */
/** @typedef {import("./zengram.js").Vector} Vector */

const maintenance = new IdleMaintenance(
  (handle, budgetMs) => /** @type {boolean} */ (running().call("zetaMaintain", handle, JSON.stringify([budgetMs]))),
);

/** Frees what Python holds for an object that the page forgot to free; a transaction is rolled back. @type {FinalizationRegistry<number>} */
const forgotten = new FinalizationRegistry((handle) => {
  maintenance.remove(handle);
  release("zetaFree", handle);
  letGo(handle);
});

/**
 * Some browsers have no Symbol.dispose yet; polyfills and compilers look for the registered symbol then.
 *
 * @type {typeof Symbol.dispose}
 */
const DISPOSE = Symbol.dispose ?? Symbol.for("Symbol.dispose");

/** Lets this module make objects, and nobody else. */
const INTERNAL = Symbol("internal");

/**
 * A statement and its parameters as the bridge takes them.
 *
 * @param {unknown} sql
 * @param {unknown} params
 */
export function statement(sql, params) {
  const [text] = checkTexts({ statement: sql });
  return JSON.stringify([text, checkParameters(params)]);
}

/** What a database, a transaction and a cursor have in common: a handle that may be freed. */
class Held {
  #what;
  /** 0 when freed. */
  #handle;

  /**
   * @param {symbol} key
   * @param {number} handle
   * @param {string} what
   * @param {Callbacks} callbacks
   */
  constructor(key, handle, what, callbacks) {
    if (key !== INTERNAL) throw new InvalidArgumentError(`A ${what} is not made with new; docs/sql.md says how.`);
    this.#handle = handle;
    this.#what = what;
    this.callbacks = callbacks;
    forgotten.register(this, handle, this);
  }

  /** The handle, if calls may be made now. @returns {number} */
  handle() {
    if (this.#handle === 0) throw new ClosedError(`This ${this.#what} was freed.`);
    this.callbacks.checkIdle("database");
    return this.#handle;
  }

  /**
   * @param {string} method
   * @param {string} [argsJson]
   * @returns {unknown}
   */
  call(method, argsJson = "[]") {
    const handle = this.handle();
    return this.callbacks.during(() => running().call(method, handle, argsJson));
  }

  /** @param {StatsOptions} [options] @returns {Stats} */
  stats(options) {
    return statsOf(this.handle(), options);
  }

  /** @returns {void} */
  free() {
    if (this.#handle === 0) return;
    const handle = this.handle();
    this.#handle = 0;
    forgotten.unregister(this);
    maintenance.remove(handle);
    release("zetaFree", handle);
    letGo(handle);
  }

  /** @returns {void} */
  [DISPOSE]() {
    this.free();
  }
}

class Statements extends Held {
  /** @param {string} sql @param {readonly unknown[]} [params] @returns {QueryResult} */
  query(sql, params) {
    return /** @type {QueryResult} */ (this.call("zetaQuery", statement(sql, params)));
  }

  /** @param {string} sql @param {readonly unknown[]} [params] @returns {number} */
  execMut(sql, params) {
    return /** @type {number} */ (this.call("zetaExecMut", statement(sql, params)));
  }

  /** @param {string} sql @param {readonly unknown[]} [params] @returns {void} */
  execDdl(sql, params) {
    this.call("zetaExecDdl", statement(sql, params));
  }

  /** @param {string} sql @param {readonly unknown[]} [params] @returns {ZetaCursor} */
  stream(sql, params) {
    const handle = /** @type {number} */ (this.call("zetaStream", statement(sql, params)));
    return new ZetaCursor(INTERNAL, handle, this.callbacks);
  }
}

export class ZetaDb extends Statements {
  /** @type {Persistence | null} */
  #persistence;

  /** @param {symbol} key @param {number} handle @param {Persistence | null} [persistence] */
  constructor(key, handle, persistence = null) {
    super(key, handle, "database", new Callbacks());
    this.#persistence = persistence;
    if (persistence !== null) noteKept(handle, persistence);
    maintenance.add(handle);
  }

  /** What stores it; null for a database that is not stored. @returns {import("./zengram.js").Persistence | null} */
  get persistence() {
    return this.#persistence;
  }

  /** @returns {ZetaDb} */
  static open() {
    return new ZetaDb(INTERNAL, /** @type {number} */ (running().call("zetaOpen", 0, "[]")));
  }

  /** @param {Uint8Array} bytes @returns {ZetaDb} */
  static openFromSnapshot(bytes) {
    const python = running();
    const snapshot = toBytes(bytes, "A snapshot");
    return new ZetaDb(INTERNAL, /** @type {number} */ (python.call("zetaOpenFromSnapshot", 0, "[]", snapshot)));
  }

  /**
   * @param {string} method
   * @param {string} [argsJson]
   * @returns {unknown}
   */
  call(method, argsJson) {
    const answer = super.call(method, argsJson);
    maintenance.add(this.handle());
    return answer;
  }

  /** @returns {ZetaTxn} */
  begin() {
    return new ZetaTxn(INTERNAL, /** @type {number} */ (this.call("zetaBegin")), this.callbacks);
  }

  /** @returns {Uint8Array} */
  exportSnapshot() {
    return running().exportSnapshot(this.handle());
  }

  /** @returns {string[]} */
  databases() {
    return /** @type {string[]} */ (this.call("zetaDatabases"));
  }

  /** @returns {string} */
  database() {
    return /** @type {string} */ (this.call("zetaDatabase"));
  }

  /** @param {string | null} name @returns {void} */
  setDatabase(name) {
    this.call("zetaSetDatabase", nameOrNull(name, "database"));
  }

  /** @returns {string} */
  branch() {
    return /** @type {string} */ (this.call("zetaBranch"));
  }

  /** @param {string | null} name @returns {void} */
  setBranch(name) {
    this.call("zetaSetBranch", nameOrNull(name, "branch"));
  }

  /** @returns {Schema} */
  schema() {
    return /** @type {Schema} */ (this.call("zetaSchema"));
  }

  /** @param {(text: string) => Vector} fn @param {number} dims @returns {void} */
  setEmbedFn(fn, dims) {
    this.callbacks.setEmbedFn(this.handle(), fn, dims);
  }

  /** @param {number} [budgetMs] @returns {boolean} */
  maintain(budgetMs) {
    const args = budgetMs === undefined ? [] : [checkBudget(budgetMs)];
    return /** @type {boolean} */ (super.call("zetaMaintain", JSON.stringify(args)));
  }
}

/** The database of a handle; for openDb, as nothing that is public. @param {number} handle @param {Persistence} persistence */
export function adoptDb(handle, persistence) {
  return new ZetaDb(INTERNAL, handle, persistence);
}

export class ZetaTxn extends Statements {
  /** @param {symbol} key @param {number} handle @param {Callbacks} callbacks */
  constructor(key, handle, callbacks) {
    super(key, handle, "transaction", callbacks);
  }

  /** @returns {void} */
  commit() {
    this.call("zetaCommit");
  }

  /** @returns {void} */
  rollback() {
    this.call("zetaRollback");
  }

  /** @param {string} name @returns {void} */
  savepoint(name) {
    this.call("zetaSavepoint", JSON.stringify(checkTexts({ savepoint: name })));
  }

  /** @param {string} name @returns {void} */
  rollbackToSavepoint(name) {
    this.call("zetaRollbackToSavepoint", JSON.stringify(checkTexts({ savepoint: name })));
  }

  /** @param {string} name @returns {void} */
  releaseSavepoint(name) {
    this.call("zetaReleaseSavepoint", JSON.stringify(checkTexts({ savepoint: name })));
  }
}

export class ZetaCursor extends Held {
  /** Rows that came over and were not asked for yet, the next one last. @type {Row[]} */
  #ready = [];
  #isAtEnd = false;

  /** @param {symbol} key @param {number} handle @param {Callbacks} callbacks */
  constructor(key, handle, callbacks) {
    super(key, handle, "cursor", callbacks);
  }

  /** @returns {string[]} */
  columns() {
    return /** @type {string[]} */ (this.call("zetaColumns"));
  }

  /** @returns {Row | null} */
  next() {
    if (this.#ready.length === 0 && !this.#isAtEnd) {
      this.#ready = /** @type {Row[]} */ (this.call("zetaFetch")).reverse();
      this.#isAtEnd = this.#ready.length === 0;
    }
    this.handle();
    return this.#ready.pop() ?? null;
  }

  /** @returns {Generator<Row, void, void>} */
  *[Symbol.iterator]() {
    try {
      for (let row = this.next(); row !== null; row = this.next()) yield row;
    } finally {
      this.free();
    }
  }

  free() {
    this.#ready = [];
    super.free();
  }
}

/** @param {unknown} name @param {string} what */
function nameOrNull(name, what) {
  if (name !== null && typeof name !== "string") {
    throw new InvalidArgumentError(`The ${what} must be a name or null, not ${describe(name)}.`);
  }
  return JSON.stringify([name]);
}
