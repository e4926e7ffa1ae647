/**
 * fake-indexeddb with faults: no space, a page that dies at a step, storage that is denied, data that are cleared.
 */
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
// Its parts have no types that tsc finds.
// @ts-expect-error
import FDBDatabase from "fake-indexeddb/lib/FDBDatabase";
// @ts-expect-error
import FDBObjectStore from "fake-indexeddb/lib/FDBObjectStore";
// @ts-expect-error
import forceCloseDatabase from "fake-indexeddb/lib/forceCloseDatabase";

Object.assign(globalThis, { IDBKeyRange });

/** The faults of each database's factory. @type {WeakMap<object, FakeIndexedDb>} */
const owners = new WeakMap();

export class FakeIndexedDb {
  /** @type {Error | null} */
  denied = null;
  /** The largest value that finds room. */
  quota = Infinity;
  /** The page dies at this step: it and all later ones fail. */
  diesAt = Infinity;
  steps = 0;
  /** Whether each transaction was strict, and how many requests it made. @type {{durability: unknown, puts: number, deletes: number, commits: number}[]} */
  journal = [];
  #factory = new IDBFactory();
  /** @type {Set<any>} */
  #connections = new Set();

  /** What the page gets as `indexedDB`. @returns {IDBFactory} */
  get factory() {
    const open = (/** @type {string} */ name, /** @type {number | undefined} */ version) => {
      if (this.denied) throw this.denied;
      const request = this.#factory.open(name, version);
      request.addEventListener("success", () => {
        owners.set(request.result, this);
        this.#connections.add(request.result);
      });
      return request;
    };
    const deleteDatabase = (/** @type {string} */ name) => this.#factory.deleteDatabase(name);
    return /** @type {any} */ ({ open, deleteDatabase });
  }

  /** @param {string} name of a database of a store */
  async chunksWithoutFile(name) {
    const database = await settled(this.#factory.open(name));
    const transaction = database.transaction(["files", "chunks"]);
    const files = await settled(transaction.objectStore("files").getAll());
    const keys = /** @type {[string, number][]} */ (await settled(transaction.objectStore("chunks").getAllKeys()));
    database.close();
    return keys.filter(([id]) => !files.some((file) => file.id === id)).length;
  }

  /** As a failing disk would. @param {string} name of a database of a store @param {number} offset */
  async removeChunk(name, offset) {
    const database = await settled(this.#factory.open(name));
    const chunks = database.transaction("chunks", "readwrite").objectStore("chunks");
    for (const key of /** @type {[string, number][]} */ (await settled(chunks.getAllKeys()))) {
      if (key[1] === offset) await settled(chunks.delete(key));
    }
    database.close();
  }

  step() {
    this.steps += 1;
    if (this.steps < this.diesAt) return;
    throw new Error("the page died");
  }

  /** What the next page finds: no connection is open any more. */
  reopen() {
    this.diesAt = Infinity;
    this.steps = 0;
    for (const connection of this.#connections) connection.close();
    this.#connections.clear();
  }

  /** What clearing the site's data does: connections are closed by force, and the databases are gone. */
  clear() {
    this.#factory = new IDBFactory();
    const connections = [...this.#connections];
    this.#connections.clear();
    for (const connection of connections) forceCloseDatabase(connection);
  }
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

const transaction = FDBDatabase.prototype.transaction;
/** @this {any} @param {...any} args */
FDBDatabase.prototype.transaction = function (...args) {
  const owner = owners.get(this);
  owner?.step();
  const begun = transaction.apply(this, args);
  if (owner && args[1] === "readwrite") {
    const entry = { durability: args[2]?.durability, puts: 0, deletes: 0, commits: 0 };
    owner.journal.push(entry);
    const commit = begun.commit.bind(begun);
    const counted = () => {
      entry.commits += 1;
      commit();
    };
    Object.assign(begun, { journalEntry: entry, commit: counted });
  }
  return begun;
};

for (const [method, count] of /** @type {const} */ ([["put", "puts"], ["delete", "deletes"]])) {
  const real = FDBObjectStore.prototype[method];
  /** @this {any} @param {...any} args */
  FDBObjectStore.prototype[method] = function (...args) {
    const owner = owners.get(this.transaction.db);
    if (owner) {
      try {
        owner.step();
      } catch (error) {
        this.transaction.abort();
        throw error;
      }
      if (this.transaction.journalEntry) this.transaction.journalEntry[count] += 1;
      if (method === "put" && sizeOf(args[0]) > owner.quota) {
        const { transaction } = this;
        queueMicrotask(() => transaction._abort("QuotaExceededError"));
      }
    }
    return real.apply(this, args);
  };
}

/** @param {any} value */
function sizeOf(value) {
  const parts = value instanceof Uint8Array ? [value] : (value?.parts ?? []);
  return parts.reduce((/** @type {number} */ sum, /** @type {Uint8Array} */ part) => sum + part.length, 0);
}
