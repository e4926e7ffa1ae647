/**
 * Zengram in the page: `await init()` once, then every call is synchronous.
 *
 *     import init, { ZengramMemory } from "./zengram.js";
 *     await init();
 *     const memory = ZengramMemory.open(384);
 *     memory.setEmbedFn(embed, 384);
 *     memory.remember("drink", "The user drinks green tea", "/user");
 *     memory.recall("hot beverage", "/user");
 *
 * The work is done by the Python package `zengram_py`; this module checks and converts what only JavaScript can
 * check, and gives plain values back. What is public is documented in zengram.d.ts.
 */
import { Progress } from "./downloads.js";
import { Embedding } from "./embedding.js";
import { ClosedError, InvalidArgumentError } from "./errors.js";
import {
  checkBudget,
  checkDim,
  checkKnownOptions,
  checkListener,
  checkOptions,
  checkTexts,
  describe,
  toBytes,
  toFloat32,
} from "./inputs.js";
import { IdleMaintenance } from "./idle.js";
import { release, running, setBridge } from "./python.js";
import { boot } from "./runtime.js";
import { ZetaDb, statement } from "./zeta.js";

export {
  BootError,
  BusyError,
  ClosedError,
  DimensionError,
  EmbedderError,
  InvalidArgumentError,
  NotInitializedError,
  SnapshotError,
  SqlError,
  StorageError,
  VectorLengthError,
  VectorNotFiniteError,
  VectorTypeError,
  VectorZeroError,
  ZengramError,
} from "./errors.js";
export { openStore } from "./persistence/opfs.js";
export { ZetaCursor, ZetaDb, ZetaTxn } from "./zeta.js";
export { init as default, init };

/** @typedef {import("./zengram.js").InitOptions} InitOptions */
/** @typedef {import("./zengram.js").FactsOptions} FactsOptions */
/** @typedef {import("./zengram.js").Versions} Versions */
/** @typedef {import("./zengram.js").Hit} Hit */
/** @typedef {import("./zengram.js").Fact} Fact */
/** @typedef {import("./zengram.js").Entity} Entity */
/** @typedef {import("./zengram.js").RememberOptions} RememberOptions */
/** @typedef {import("./zengram.js").RecallOptions} RecallOptions */
/** @typedef {import("./zengram.js").RecallConfig} RecallConfig */
/** @typedef {import("./zengram.js").QueryResult} QueryResult */
/** @typedef {import("./zengram.js").Vector} Vector */
/** @type {{promise: Promise<void>, progress: Progress} | null} */
let booting = null;

/**
 * Boots Python once: later calls wait for the same boot, and a failed one may be tried again.
 *
 * @param {InitOptions} [options]
 * @returns {Promise<void>}
 */
function init(options) {
  const given = /** @type {InitOptions} */ (options ?? {});
  try {
    checkOptions(given, "init");
    checkListener(given.onProgress, "onProgress");
  } catch (error) {
    return Promise.reject(error);
  }
  if (booting === null) {
    const progress = new Progress();
    const promise = boot(given, progress).then(
      (started) => {
        setBridge(started);
      },
      (error) => {
        booting = null;
        throw error;
      },
    );
    booting = { promise, progress };
  }
  booting.progress.listen(given.onProgress);
  return booting.promise;
}

/** @returns {Versions} */
export function versions() {
  return /** @type {Versions} */ (running().call("version", 0, "[]"));
}

const maintenance = new IdleMaintenance(
  (handle, budgetMs) => /** @type {boolean} */ (running().call("maintain", handle, JSON.stringify([budgetMs]))),
);

/** Frees what Python holds for a memory that the page forgot to free. @type {FinalizationRegistry<number>} */
const forgotten = new FinalizationRegistry((handle) => {
  maintenance.remove(handle);
  release("free", handle);
});

/** @type {Record<string, import("./inputs.js").OptionKind>} */
const REMEMBER_OPTIONS = {
  entities: "names",
  categories: "textOrNames",
  tags: "textOrNames",
  peer: "text",
  importance: "fraction",
  private: "flag",
  validFrom: "time",
  validTo: "time",
  expires: "time",
  sessionId: "text",
  turnId: "text",
  sourceIds: "textOrNames",
};
/** @type {Record<string, import("./inputs.js").OptionKind>} */
const RECALL_OPTIONS = {
  limit: "count",
  maxTokens: "count",
  minScore: "fraction",
  explain: "flag",
  mmr: "flagOrFraction",
  preset: "text",
  categories: "textOrNames",
  tags: "textOrNames",
  peers: "textOrNames",
  status: "textOrNames",
  since: "time",
  until: "time",
  asOf: "time",
  includePrivate: "flag",
};
/** @type {Record<string, import("./inputs.js").OptionKind>} */
const RECALL_SETTINGS = {
  vectorWeight: "amount",
  textWeight: "amount",
  recencyWeight: "amount",
  importanceWeight: "amount",
  mmrLambda: "fraction",
  decayHalfLifeDays: "amount",
  limitDefault: "count",
  scoreThreshold: "fraction",
  preset: "text",
  spreadTurns: "amount",
  spreadSession: "amount",
  spreadSources: "amount",
  spreadEntities: "amount",
  spreadPeer: "amount",
};
/** @satisfies {Record<string, Record<string, import("./inputs.js").OptionKind>>} */
const OPTIONS = {
  remember: REMEMBER_OPTIONS,
  rememberWithVector: REMEMBER_OPTIONS,
  recall: RECALL_OPTIONS,
  recallWithVector: RECALL_OPTIONS,
  configureRecall: RECALL_SETTINGS,
  facts: { limit: "count", offset: "count" },
  entity: { limit: "count" },
  entities: { limit: "count" },
};

/** @type {ReadonlySet<string>} */
const WRITES = new Set(["remember", "rememberWithVector", "configureRecall"]);

/** Lets `open` and `openFromSnapshot` in, and nobody else. */
const INTERNAL = Symbol("internal");

export class ZengramMemory {
  /** 0 when freed. */
  #handle;
  #embedding = new Embedding();

  /**
   * @param {symbol} key
   * @param {number} handle
   */
  constructor(key, handle) {
    if (key !== INTERNAL) {
      throw new InvalidArgumentError("Use ZengramMemory.open(dim) or ZengramMemory.openFromSnapshot(bytes, dim).");
    }
    this.#handle = handle;
    forgotten.register(this, handle, this);
    maintenance.add(handle); // a snapshot may hold work that was not done
  }

  /** @param {number} dim @returns {ZengramMemory} */
  static open(dim) {
    const handle = running().call("open", 0, JSON.stringify([checkDim(dim)]));
    return new ZengramMemory(INTERNAL, /** @type {number} */ (handle));
  }

  /** @param {Uint8Array} bytes @param {number} dim @returns {ZengramMemory} */
  static openFromSnapshot(bytes, dim) {
    const python = running();
    const snapshot = toBytes(bytes, "A snapshot");
    const handle = python.call("openFromSnapshot", 0, JSON.stringify([checkDim(dim)]), snapshot);
    return new ZengramMemory(INTERNAL, /** @type {number} */ (handle));
  }

  /** @param {ZetaDb} db @param {number} dim @returns {ZengramMemory} */
  static overEngine(db, dim) {
    if (!(db instanceof ZetaDb)) {
      throw new InvalidArgumentError(`A memory lies over a ZetaDb, not ${describe(db)}.`);
    }
    const handle = running().call("overEngine", db.handle(), JSON.stringify([checkDim(dim)]));
    return new ZengramMemory(INTERNAL, /** @type {number} */ (handle));
  }

  /** @param {string} sql @param {readonly unknown[]} [params] @returns {QueryResult} */
  query(sql, params) {
    this.#open();
    const args = statement(sql, params);
    const handle = this.#open(); // reading parameters may have run code of the caller's
    maintenance.add(handle);
    return /** @type {QueryResult} */ (this.#embedding.during(() => running().call("query", handle, args)));
  }

  /** @param {(text: string) => Vector} fn @param {number} dim @returns {void} */
  setEmbedFn(fn, dim) {
    this.#embedding.set(this.#open(), fn, dim);
  }

  /**
   * @param {string} subject
   * @param {string} content
   * @param {string} scope
   * @param {RememberOptions} [options]
   * @returns {string}
   */
  remember(subject, content, scope, options) {
    return /** @type {string} */ (this.#call("remember", { subject, content, scope }, { options }));
  }

  /** @param {string} query @param {string} scope @param {RecallOptions} [options] @returns {Hit[]} */
  recall(query, scope, options) {
    return /** @type {Hit[]} */ (this.#call("recall", { query, scope }, { options }));
  }

  /**
   * @param {string} subject
   * @param {string} content
   * @param {string} scope
   * @param {Vector} vec
   * @param {RememberOptions} [options]
   * @returns {string}
   */
  rememberWithVector(subject, content, scope, vec, options) {
    return /** @type {string} */ (this.#call("rememberWithVector", { subject, content, scope }, { vec, options }));
  }

  /**
   * @param {string} query
   * @param {string} scope
   * @param {Vector} vec
   * @param {RecallOptions} [options]
   * @returns {Hit[]}
   */
  recallWithVector(query, scope, vec, options) {
    return /** @type {Hit[]} */ (this.#call("recallWithVector", { query, scope }, { vec, options }));
  }

  /** @param {string} scope @returns {RecallConfig} */
  recallConfig(scope) {
    const args = checkTexts({ scope });
    return /** @type {RecallConfig} */ (running().call("recallConfig", this.#open(), JSON.stringify(args)));
  }

  /** @param {string} scope @param {Partial<RecallConfig>} settings @returns {RecallConfig} */
  configureRecall(scope, settings) {
    return /** @type {RecallConfig} */ (this.#call("configureRecall", { scope }, { options: settings }));
  }

  /** @param {number} [budgetMs] @returns {boolean} */
  maintain(budgetMs) {
    const args = budgetMs === undefined ? [] : [checkBudget(budgetMs)];
    return /** @type {boolean} */ (running().call("maintain", this.#open(), JSON.stringify(args)));
  }

  /** @param {string} scope @param {FactsOptions} [options] @returns {Fact[]} */
  facts(scope, options) {
    return /** @type {Fact[]} */ (this.#call("facts", { scope }, { options }));
  }

  /** @param {string} name @param {string} scope @param {{limit?: number}} [options] @returns {Fact[]} */
  entity(name, scope, options) {
    return /** @type {Fact[]} */ (this.#call("entity", { name, scope }, { options }));
  }

  /** @param {string} scope @param {{limit?: number}} [options] @returns {Entity[]} */
  entities(scope, options) {
    return /** @type {Entity[]} */ (this.#call("entities", { scope }, { options }));
  }

  /** @returns {Uint8Array} */
  exportSnapshot() {
    return running().exportSnapshot(this.#open());
  }

  /** @returns {void} */
  free() {
    if (this.#handle === 0) return;
    const handle = this.#open();
    this.#handle = 0;
    forgotten.unregister(this);
    maintenance.remove(handle);
    running().call("free", handle, "[]");
  }

  /** The handle, if calls may be made now. */
  #open() {
    if (this.#handle === 0) throw new ClosedError("This memory was freed; open another one.");
    this.#embedding.checkIdle("memory");
    return this.#handle;
  }

  /**
   * @param {keyof typeof OPTIONS} method
   * @param {Record<string, unknown>} texts
   * @param {{vec?: unknown, options: unknown}} others
   */
  #call(method, texts, others) {
    this.#open();
    /** @type {unknown[]} */
    const args = checkTexts(texts);
    const vector = "vec" in others ? toFloat32(others.vec) : undefined;
    args.push(checkKnownOptions(others.options, method, OPTIONS[method]));
    // Only now: reading a vector or options may have run code of the caller's, which may have freed this memory.
    const handle = this.#open();
    const answer = this.#embedding.during(() => running().call(method, handle, JSON.stringify(args), vector));
    if (WRITES.has(method)) maintenance.add(handle);
    return answer;
  }
}

// Some browsers have no Symbol.dispose yet; polyfills and compilers look for the registered symbol then.
Object.defineProperty(ZengramMemory.prototype, Symbol.dispose ?? Symbol.for("Symbol.dispose"), {
  value: ZengramMemory.prototype.free,
  configurable: true,
  writable: true,
});
