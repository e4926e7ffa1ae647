/**
 * What a page had not stored yet when it was hidden or closed, in the IndexedDB database `zengram-tails`; and which place
 * each store lives in.
 *
 * Of all that a page can begin while it is being closed, one thing lands: an IndexedDB transaction whose requests are made
 * and whose commit is asked for in that same turn. So the connection is open beforehand, and opened again when it is taken
 * away, and `keep` waits for nothing.
 *
 *     tails0 … tails3    name of the store -> {parts, keptAt, life, turn}
 *     homes              name of the store -> "opfs" | "indexeddb"
 *
 * Such a transaction lands only if it has begun: one that waits for another of the same object store is given up with the page. (Seen: the
 * tail was kept while what the page before had kept was still being cleared, and was lost.) So there are four, and each time one is
 * taken in which nothing is under way. Of what one page kept (its life), the last turn counts; of several lives, all of it: which records
 * are new, their numbers say.
 *
 * On a busy machine the page may be gone before its transaction has begun all the same. What is short therefore also goes into
 * localStorage, under `zengram-tail:<name>`: it is text, and only for some of it there is room, but what was set is set.
 */
import { browserEnvironment } from "./environment.js";
import { IdbConnection, done, result } from "./idb.js";
import { toStorageError } from "./storage_errors.js";

/** @import { StorageError } from "../errors.js" */
/** @import { Environment, HomeKind, Tail, TailStore } from "./types.js" */

const DATABASE = "zengram-tails";
const VERSION = 2;
const SLOTS = ["tails0", "tails1", "tails2", "tails3"];
/** The one that there was before. */
const OLD = "tails";

/** As many bytes may go into localStorage. */
const SHORT_BYTES = 128 << 10;

/** @typedef {Tail & {life: string, turn: number}} Kept */

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
  #texts;
  #life = Math.random().toString(36).slice(2);
  #turn = 0;
  /** In which slots something is under way, and how often. */
  #busy = SLOTS.map(() => 0);
  /** The turn in which each slot was last written to. */
  #written = SLOTS.map(() => 0);

  /** @param {Environment} environment */
  constructor(environment) {
    this.#texts = new ShortTails(environment);
    this.#connection = new IdbConnection(
      () => environment.indexedDB,
      DATABASE,
      VERSION,
      (db) => {
        for (const store of SLOTS) db.createObjectStore(store);
        if (!db.objectStoreNames.contains("homes")) db.createObjectStore("homes");
        if (db.objectStoreNames.contains(OLD)) db.deleteObjectStore(OLD);
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
    this.#turn += 1;
    /** @type {Kept} */
    const kept = { parts: own, keptAt, life: this.#life, turn: this.#turn };
    this.#texts.keep(name, kept);
    const slot = this.#freeSlot();
    this.#written[slot] = this.#turn;
    return this.#inSlot(slot, "What is not stored yet could not be kept", (tails) => tails.put(kept, name));
  }

  /** The one that was written to longest ago, of those in which nothing is under way. */
  #freeSlot() {
    const order = SLOTS.map((_, slot) => slot).sort((a, b) => this.#busy[a] - this.#busy[b] || this.#written[a] - this.#written[b]);
    return order[0];
  }

  /**
   * @param {number} slot
   * @param {string} what what to say when it fails
   * @param {(store: IDBObjectStore) => void} work
   */
  #inSlot(slot, what, work) {
    this.#busy[slot] += 1;
    return this.#change(what, SLOTS[slot], work).finally(() => {
      this.#busy[slot] -= 1;
    });
  }

  /** @param {string} name @returns {Promise<Tail | null>} */
  async read(name) {
    const found = await Promise.all(SLOTS.map((slot) => this.#get(slot, name)));
    /** @type {Map<string, Kept>} */
    const lives = new Map();
    for (const kept of /** @type {(Kept | null | undefined)[]} */ ([...found, this.#texts.read(name)])) {
      if (!kept) continue;
      const other = lives.get(kept.life);
      if (other === undefined || other.turn < kept.turn) lives.set(kept.life, kept);
    }
    if (lives.size === 0) return null;
    const all = [...lives.values()];
    return { parts: all.flatMap(({ parts }) => parts), keptAt: Math.max(...all.map(({ keptAt }) => keptAt)) };
  }

  /** Clears what was kept up to now; what is kept meanwhile stays. @param {string} name */
  async clear(name) {
    const turn = this.#turn;
    this.#texts.clear(name);
    for (const slot of SLOTS.keys()) {
      if (this.#written[slot] > turn) continue;
      await this.#inSlot(slot, "What was kept could not be cleared", (tails) => tails.delete(name));
    }
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

/** Short tails in localStorage, where there is one: all of it is synchronous. */
class ShortTails {
  #storage;

  /** @param {Environment} environment */
  constructor(environment) {
    this.#storage = storageOf(environment);
  }

  /** @param {string} name @param {Kept} kept */
  keep(name, { parts, ...rest }) {
    try {
      const isShort = parts.reduce((sum, part) => sum + part.length, 0) <= SHORT_BYTES;
      if (isShort) this.#storage?.setItem(keyOf(name), JSON.stringify({ ...rest, parts: parts.map(toText) }));
      else this.#storage?.removeItem(keyOf(name));
    } catch (error) {
      console.debug("zengram: localStorage takes no tail:", error); // it is in IndexedDB, too
    }
  }

  /** @param {string} name @returns {Kept | null} */
  read(name) {
    try {
      const text = this.#storage?.getItem(keyOf(name)) ?? null;
      if (text === null) return null;
      const { parts, ...rest } = JSON.parse(text);
      return { ...rest, parts: parts.map(fromText) };
    } catch (error) {
      console.warn("zengram: the tail in localStorage cannot be read; the one in IndexedDB counts:", error);
      return null;
    }
  }

  /** @param {string} name */
  clear(name) {
    this.#storage?.removeItem(keyOf(name));
  }
}

/** Where it is forbidden, the mere name throws. @param {Environment} environment */
function storageOf(environment) {
  try {
    return environment.localStorage;
  } catch (error) {
    console.debug("zengram: there is no localStorage:", error);
    return undefined;
  }
}

/** @param {string} name */
function keyOf(name) {
  return `zengram-tail:${name}`;
}

/** @param {Uint8Array} bytes */
function toText(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(text);
}

/** @param {string} text */
function fromText(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
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
