/**
 * What a page had not stored yet when it was hidden or closed, in the IndexedDB database `zengram-tails`; and which place
 * each store lives in.
 *
 * Of all that a page can begin while it is being closed, one thing lands: an IndexedDB transaction whose requests are made
 * and whose commit is asked for in that same turn. So the connection is open beforehand, and opened again when it is taken
 * away, and `keep` waits for nothing.
 *
 *     tails    name of the store -> {parts, keptAt}
 *     homes    name of the store -> "opfs" | "indexeddb"
 */
import { browserEnvironment } from "./environment.js";
import { IdbConnection, done, result } from "./idb.js";
import { toStorageError } from "./storage_errors.js";

/** @import { StorageError } from "../errors.js" */
/** @import { Environment, HomeKind, Tail, TailStore } from "./types.js" */

const DATABASE = "zengram-tails";
const VERSION = 1;

/**
 * Does not reject: where there is no IndexedDB, the result says so.
 *
 * @param {Environment} [environment]
 * @returns {Promise<TailStore>}
 */
export async function openTail(environment = browserEnvironment) {
  const tail = new IndexedDbTail(environment);
  try {
    await tail.open();
    return tail;
  } catch (cause) {
    return new NoTail(toStorageError(cause, "STORAGE_WRITE_FAILED", "IndexedDB could not be opened"));
  }
}

/** @implements {TailStore} */
class IndexedDbTail {
  available = true;
  reason = null;
  #connection;

  /** @param {Environment} environment */
  constructor(environment) {
    this.#connection = new IdbConnection(
      () => environment.indexedDB,
      DATABASE,
      VERSION,
      (db) => {
        db.createObjectStore("tails");
        db.createObjectStore("homes");
      },
      () => {
        this.open().catch((error) => console.debug("zengram: the tails cannot be opened again:", error));
      },
    );
  }

  async open() {
    await this.#connection.open();
  }

  /** @param {string} name @param {Tail} tail @returns {Promise<void>} */
  keep(name, { parts, keptAt }) {
    // Of a view the whole buffer would be stored.
    const own = parts.map((part) => (part.length === part.buffer.byteLength ? part : part.slice()));
    return this.#change("What is not stored yet could not be kept", "tails", (tails) => tails.put({ parts: own, keptAt }, name));
  }

  /** @param {string} name @returns {Promise<Tail | null>} */
  async read(name) {
    return (await this.#get("tails", name)) ?? null;
  }

  /** @param {string} name */
  async clear(name) {
    return this.#change("What was kept could not be cleared", "tails", (tails) => tails.delete(name));
  }

  /** @param {string} name @returns {Promise<HomeKind | null>} */
  async home(name) {
    return (await this.#get("homes", name)) ?? null;
  }

  /** @param {string} name @param {HomeKind} kind @returns {Promise<HomeKind>} */
  async claimHome(name, kind) {
    let home = kind;
    await this.#change("Where the store is could not be noted", "homes", (homes) => {
      const noted = homes.get(name);
      noted.onsuccess = () => {
        if (noted.result === undefined) homes.put(kind, name);
        else home = noted.result;
      };
    }, false);
    return home;
  }

  /** @param {string} name @param {HomeKind | null} kind */
  async setHome(name, kind) {
    return this.#change("Where the store is could not be noted", "homes", (homes) =>
      kind === null ? homes.delete(name) : homes.put(kind, name),
    );
  }

  close() {
    this.#connection.close();
  }

  /** @param {string} store @param {string} name */
  async #get(store, name) {
    try {
      const transaction = await this.#connection.begin([store], "readonly");
      return await result(transaction.objectStore(store).get(name));
    } catch (cause) {
      throw toStorageError(cause, "STORAGE_WRITE_FAILED", "What was kept could not be read");
    }
  }

  /**
   * All in this turn while the connection is open.
   *
   * @param {string} what what to say when it fails
   * @param {string} store
   * @param {(store: IDBObjectStore) => void} work
   * @param {boolean} [whole] whether that is all, so that it can be committed at once
   * @returns {Promise<void>}
   */
  #change(what, store, work, whole = true) {
    /** @param {IDBTransaction} transaction */
    const commit = (transaction) => {
      const ended = done(transaction);
      work(transaction.objectStore(store));
      if (whole) transaction.commit?.();
      return ended;
    };
    /** @param {unknown} cause */
    const fail = (cause) => {
      throw toStorageError(cause, "STORAGE_WRITE_FAILED", what);
    };
    try {
      if (this.#connection.isOpen) return commit(this.#connection.beginNow([store], "readwrite")).catch(fail);
    } catch (error) {
      if (this.#connection.isOpen) return Promise.reject(error).catch(fail);
    }
    return this.#connection.begin([store], "readwrite").then(commit).catch(fail);
  }
}

/** @implements {TailStore} */
class NoTail {
  available = false;

  /** @param {StorageError} reason */
  constructor(reason) {
    this.reason = reason;
  }

  async keep() {
    throw this.reason;
  }

  async read() {
    return null;
  }

  async clear() {}

  async home() {
    return null;
  }

  /** @returns {Promise<HomeKind>} */
  async claimHome() {
    throw this.reason;
  }

  async setHome() {
    throw this.reason;
  }

  close() {}
}
