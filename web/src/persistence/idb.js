/**
 * A connection to an IndexedDB database that outlasts its being taken away, and IndexedDB's requests as promises.
 *
 * A promise that waits for a request goes on while its transaction is active, so that the next request may be made. Awaiting
 * anything else ends the transaction.
 */
import { StorageError } from "../errors.js";
import { hasName, unavailable } from "./storage_errors.js";

export class IdbConnection {
  #factory;
  #name;
  #version;
  #upgrade;
  #onLost;
  /** @type {IDBDatabase | null} */
  #database = null;
  /** @type {Promise<IDBDatabase> | null} */
  #opening = null;
  #closed = false;

  /**
   * @param {() => IDBFactory | undefined} factory asked when it opens, for where storage is forbidden, even that may throw
   * @param {string} name
   * @param {number} version
   * @param {(database: IDBDatabase) => void} upgrade makes the object stores of a new database
   * @param {() => void} [onLost] the connection was taken away
   */
  constructor(factory, name, version, upgrade, onLost = () => {}) {
    this.#factory = factory;
    this.#name = name;
    this.#version = version;
    this.#upgrade = upgrade;
    this.#onLost = onLost;
  }

  get isOpen() {
    return this.#database !== null;
  }

  /** Opens it anew if it was taken away. @returns {Promise<IDBDatabase>} */
  async open() {
    if (this.#database !== null) return this.#database;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  /** @returns {Promise<IDBDatabase>} */
  async #open() {
    const factory = this.#factory();
    if (typeof factory?.open !== "function") throw unavailable("IndexedDB for this page");
    const request = factory.open(this.#name, this.#version);
    return new Promise((resolve, reject) => {
      request.onupgradeneeded = () => this.#upgrade(request.result);
      request.onblocked = () => {
        const message = `Another tab holds an older version of the database ${this.#name} open; close it.`;
        reject(new StorageError(message, { code: "STORAGE_LOCKED" }));
      };
      request.onerror = () => {
        const newer = hasName(request.error, "VersionError");
        const message = `The database ${this.#name} was written by a newer Zengram; load that version of the page.`;
        reject(newer ? new StorageError(message, { code: "STORAGE_VERSION", cause: request.error }) : request.error);
      };
      request.onsuccess = () => {
        const database = request.result;
        // Somebody deletes the database, or a newer page upgrades it: neither may have to wait for this one.
        database.onversionchange = () => this.#lose(database);
        database.onclose = () => this.#lose(database);
        if (this.#closed) database.close();
        else this.#database = database;
        resolve(database);
      };
    });
  }

  /**
   * @param {string[]} stores
   * @param {IDBTransactionMode} mode
   * @returns {Promise<IDBTransaction>} to be used at once
   */
  async begin(stores, mode) {
    await this.open();
    try {
      return this.beginNow(stores, mode);
    } catch (error) {
      if (this.#database !== null) throw error;
    }
    await this.open();
    return this.beginNow(stores, mode);
  }

  /**
   * Begins in the same turn, or throws when the connection was taken away.
   *
   * @param {string[]} stores
   * @param {IDBTransactionMode} mode
   * @returns {IDBTransaction}
   */
  beginNow(stores, mode) {
    if (this.#database === null) throw new DOMException("the connection to the database was closed", "InvalidStateError");
    try {
      return this.#database.transaction(stores, mode, { durability: "strict" });
    } catch (error) {
      // It is being closed, and the event that says so is still on its way.
      if (hasName(error, "InvalidStateError")) this.#lose(this.#database);
      throw error;
    }
  }

  /** @param {IDBDatabase} database */
  #lose(database) {
    if (this.#database !== database) return;
    this.#database = null;
    database.close();
    this.#onLost();
  }

  close() {
    this.#closed = true;
    this.#database?.close();
    this.#database = null;
  }
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
export function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Resolves when a transaction is stored; rejects when it is not, for instance because there is no space.
 *
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
export function done(transaction) {
  /** @type {Promise<void>} */
  const ended = new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => {
      reject(transaction.error ?? new DOMException("the browser gave the transaction up", "AbortError"));
    };
  });
  ended.catch(() => {}); // it is awaited later
  return ended;
}
