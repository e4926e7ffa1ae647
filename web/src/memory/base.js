/**
 * What all calls of a memory go through, and the calls on the whole of it. The other ones are added class by class, by what they are about:
 * MemoryBase, Facts, Sessions, Contexts, Work, Code, ZengramMemory.
 */
import { checkCall, writes } from "../calls.js";
import { Callbacks, isPromise } from "../callbacks.js";
import { describe } from "../describe.js";
import { ClosedError, InvalidArgumentError } from "../errors.js";
import { IdleMaintenance } from "../idle.js";
import { checkBudget, checkKnownOptions } from "../inputs.js";
import { letGo, noteKept } from "../persistence/kept.js";
import { release, running, statsOf } from "../python.js";
import { statement } from "../zeta.js";

/** @typedef {import("../calls.js").Method} Method */
/** @typedef {import("../persistence/persistence.js").Persistence} Persistence */
/** @import { QueryResult, Stats, StatsOptions, Vector } from "../zengram.js" */

const maintenance = new IdleMaintenance(
  (handle, budgetMs) => /** @type {boolean} */ (running().call("maintain", handle, JSON.stringify([budgetMs]))),
);

/** Frees what Python holds for a memory that the page forgot to free. @type {FinalizationRegistry<number>} */
const forgotten = new FinalizationRegistry((handle) => {
  maintenance.remove(handle);
  release("free", handle);
  letGo(handle);
});

const ASYNC_BATCH =
  "The function of a batch returned a Promise, but a batch ends with the function: what it had stored by then is not kept. " +
  "Await first, then store.";

/**
 * Runs a call of a memory that only Python answers; for the classes that add calls, as nothing that is public.
 *
 * @type {(memory: MemoryBase, method: Method, values: readonly unknown[], options?: unknown) => any}
 */
export let call;

/**
 * Says what stores a memory; for openMemory and overEngine.
 *
 * @type {(memory: MemoryBase, persistence: Persistence | null, isOwn: boolean) => void}
 */
export let keep;

export class MemoryBase {
  static {
    call = (memory, method, values, options) => memory.#call(method, values, options);
    keep = (memory, persistence, isOwn) => {
      memory.#persistence = persistence;
      if (isOwn && persistence !== null) noteKept(memory.#handle, persistence);
    };
  }

  /** 0 when freed. */
  #handle;
  #callbacks = new Callbacks();
  /** @type {Persistence | null} */
  #persistence = null;

  /** @param {number} handle */
  constructor(handle) {
    this.#handle = handle;
    forgotten.register(this, handle, this);
    maintenance.add(handle); // a snapshot may hold work that was not done
  }

  /** What stores it; null for a memory that is not stored. @returns {import("../zengram.js").Persistence | null} */
  get persistence() {
    return this.#persistence;
  }

  /** @param {string} sql @param {readonly unknown[]} [params] @returns {QueryResult} */
  query(sql, params) {
    this.#open();
    const args = statement(sql, params);
    const handle = this.#open(); // reading parameters may have run code of the caller's
    maintenance.add(handle);
    return /** @type {QueryResult} */ (this.#callbacks.during(() => running().call("query", handle, args)));
  }

  /** @param {(text: string) => Vector} fn @param {number} dim @returns {void} */
  setEmbedFn(fn, dim) {
    this.#callbacks.setEmbedFn(this.#open(), fn, dim);
  }

  /** @param {((text: string) => number) | null} fn @param {{modelFamily?: string}} [options] @returns {void} */
  setTokenCounter(fn, options) {
    this.#open();
    const { modelFamily = null } = checkKnownOptions(options, "setTokenCounter", { modelFamily: "text" });
    this.#callbacks.setTokenCounter(this.#open(), fn, modelFamily);
  }

  /** @param {((text: string) => readonly string[]) | null} fn @returns {void} */
  setEntityExtractor(fn) {
    this.#callbacks.setEntityExtractor(this.#open(), fn);
  }

  /**
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  batch(work) {
    const handle = this.#open();
    if (typeof work !== "function") throw new InvalidArgumentError(`batch needs a function, not ${describe(work)}.`);
    running().call("batchBegin", handle, "[]");
    let result;
    try {
      result = work();
      if (isPromise(result)) throw new InvalidArgumentError(ASYNC_BATCH);
    } catch (error) {
      // Freeing the memory gave the batch up already.
      if (this.#handle === handle) running().call("batchRollback", handle, "[]");
      throw error;
    }
    running().call("batchCommit", this.#open(), "[]");
    maintenance.add(handle);
    return result;
  }

  /** @param {number} [budgetMs] @returns {boolean} */
  maintain(budgetMs) {
    const args = budgetMs === undefined ? [] : [checkBudget(budgetMs)];
    return /** @type {boolean} */ (running().call("maintain", this.#open(), JSON.stringify(args)));
  }

  /** @param {StatsOptions} [options] @returns {Stats} */
  stats(options) {
    return statsOf(this.#open(), options);
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
    letGo(handle);
  }

  /** The handle, if calls may be made now. */
  #open() {
    if (this.#handle === 0) throw new ClosedError("This memory was freed; open another one.");
    this.#callbacks.checkIdle("memory");
    return this.#handle;
  }

  /**
   * @param {Method} method
   * @param {readonly unknown[]} values
   * @param {unknown} [options]
   * @returns {any}
   */
  #call(method, values, options) {
    this.#open();
    const { args, buffer } = checkCall(method, values, options);
    // Only now: reading arguments may have run code of the caller's, which may have freed this memory.
    const handle = this.#open();
    const answer = this.#callbacks.during(() => running().call(method, handle, args, buffer));
    if (writes(method)) maintenance.add(handle);
    return answer;
  }
}
