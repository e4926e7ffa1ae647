/**
 * Files in IndexedDB, for browsers whose private file system cannot be written. The database `zengram:<name>` has
 *
 *     files    name -> {name, id, bytes}
 *     chunks   [id, offset] -> bytes
 *
 * A file is the chunks of its id, one after the other, up to its length. Everything is one transaction, which the browser does
 * as a whole or not at all:
 *
 *     append         one chunk behind the last, and the new length; nothing else is read or written
 *     write, create  chunks of a new id; then the name points to it, and the chunks of the old id go
 *     rename         the name, and nothing of the contents
 *
 * Chunks without a name are what a page that died left; they are removed before the first change.
 *
 * Another page may delete the database, and so may the user: then the connection is closed, and the next call opens a new,
 * empty one, in which an append finds that its file is gone.
 */
import { joined } from "../bytes.js";
import { StorageError } from "../errors.js";
import { browserEnvironment } from "./environment.js";
import { checkFileName, isFileName } from "./file_names.js";
import { IdbConnection, done, result } from "./idb.js";
import { InTurn } from "./in_turn.js";
import { TRANSFERRED, cutShort, gone, toStorageError } from "./storage_errors.js";
import { writeWhole } from "./write_whole.js";

/** @import { Backend, Environment, FileWriter } from "./types.js" */
/** @typedef {{name: string, id: string, bytes: number}} FileRecord */

const VERSION = 1;

/** Appending costs the same at any length (1 ms for 2 KB, bench/storage.py); reading costs some 0.02 ms an append. */
const SEGMENT_BYTES = 1024 * 1024;
/** A large file is split, so that neither a transaction nor a value holds all of it. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * @param {string} name of the store
 * @param {Environment} [environment]
 * @returns {Promise<Backend>}
 */
export async function openIndexedDb(name, environment = browserEnvironment) {
  const connection = new IdbConnection(() => environment.indexedDB, `zengram:${name}`, VERSION, (db) => {
    db.createObjectStore("files", { keyPath: "name" });
    db.createObjectStore("chunks");
  });
  try {
    await connection.open();
  } catch (cause) {
    throw toStorageError(cause, "STORAGE_WRITE_FAILED", "IndexedDB could not be opened");
  }
  return new IndexedDbBackend(name, connection);
}

/** @implements {Backend} */
class IndexedDbBackend {
  /** @type {"indexeddb"} */
  kind = "indexeddb";
  durable = true;
  segmentBytes = SEGMENT_BYTES;
  #connection;
  #turns;
  #tidied = false;

  /** @param {string} name @param {IdbConnection} connection */
  constructor(name, connection) {
    this.#connection = connection;
    this.#turns = new InTurn(`The store "${name}"`);
  }

  async list() {
    return this.#read("The stored files could not be listed", async (transaction) => {
      /** @type {FileRecord[]} */
      const records = await result(transaction.objectStore("files").getAll());
      return records.filter(({ name }) => isFileName(name)).map(({ name, bytes }) => ({ name, bytes }));
    });
  }

  /** @param {string} name @returns {Promise<Uint8Array | null>} */
  async read(name) {
    checkFileName(name);
    return this.#read(`${name} could not be read`, async (transaction) => {
      /** @type {FileRecord | undefined} */
      const record = await result(transaction.objectStore("files").get(name));
      if (record === undefined) return null;
      /** @type {Uint8Array[]} */
      const chunks = await result(transaction.objectStore("chunks").getAll(chunksOf(record.id)));
      const found = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      if (found !== record.bytes) throw cutShort(name, found, record.bytes);
      return joined(chunks);
    });
  }

  /** @param {string} name @param {Uint8Array} bytes */
  async write(name, bytes) {
    return writeWhole(this, name, bytes);
  }

  /**
   * Up to a chunk, all is written by `finish`: a small file is one transaction.
   *
   * @param {string} name
   * @returns {Promise<FileWriter>}
   */
  async create(name) {
    checkFileName(name);
    this.#turns.refuseIfClosed();
    const what = `${name} could not be written`;
    const id = newId();
    let bytes = 0;
    /** What is not written yet; less than a chunk. @type {Uint8Array[]} */
    let rest = [];
    let restBytes = 0;
    /** @returns {[Uint8Array, [string, number]]} a chunk and its key */
    const takeRest = () => {
      const chunk = joined(rest);
      const start = bytes - restBytes;
      rest = [];
      restBytes = 0;
      return [chunk, [id, start]];
    };
    return {
      write: async (part) => {
        const { length } = part;
        for (let at = 0; at < length; ) {
          if (part.length !== length) throw toStorageError(new Error(TRANSFERRED), "STORAGE_WRITE_FAILED", what);
          // Copied, for of a view the whole buffer would be stored.
          const piece = part.slice(at, at + CHUNK_BYTES - restBytes);
          rest.push(piece);
          restBytes += piece.length;
          bytes += piece.length;
          at += piece.length;
          if (restBytes < CHUNK_BYTES) continue;
          const chunk = takeRest();
          await this.#change(what, ["chunks"], async ({ chunks }) => {
            chunks.put(...chunk);
          });
        }
      },
      finish: () =>
        this.#change(what, ["files", "chunks"], async ({ files, chunks }) => {
          if (restBytes > 0) chunks.put(...takeRest());
          await point(files, chunks, { name, id, bytes });
        }),
      abort: async () => {
        rest = [];
        try {
          await this.#change(what, ["files", "chunks"], async ({ files, chunks }) => {
            /** @type {FileRecord | undefined} */
            const record = await result(files.get(name));
            if (record?.id !== id) chunks.delete(chunksOf(id));
          });
        } catch (error) {
          console.debug("zengram: an unfinished file stays for now:", error);
        }
      },
    };
  }

  /** @param {string} name @param {number} at @param {Uint8Array} bytes */
  async append(name, at, bytes) {
    checkFileName(name);
    const copy = bytes.slice();
    return this.#change(`${name} could not be written`, ["files", "chunks"], async ({ files, chunks }) => {
      const record = await recordOf(files, name, at);
      if (record.bytes > at) await cut(chunks, record.id, at);
      if (copy.length > 0) chunks.put(copy, [record.id, at]);
      files.put({ ...record, bytes: at + copy.length });
    });
  }

  /** @param {string} name @param {number} bytes */
  async truncate(name, bytes) {
    checkFileName(name);
    return this.#change(`${name} could not be cut`, ["files", "chunks"], async ({ files, chunks }) => {
      const record = await recordOf(files, name, bytes);
      await cut(chunks, record.id, bytes);
      files.put({ ...record, bytes });
    });
  }

  /** @param {string} from @param {string} to */
  async rename(from, to) {
    checkFileName(from);
    checkFileName(to);
    return this.#change(`${from} could not be renamed`, ["files", "chunks"], async ({ files, chunks }) => {
      /** @type {FileRecord | undefined} */
      const record = await result(files.get(from));
      if (record === undefined) throw gone(from);
      files.delete(from);
      await point(files, chunks, { ...record, name: to });
    });
  }

  /** @param {string} name */
  async remove(name) {
    checkFileName(name);
    return this.#change(`${name} could not be removed`, ["files", "chunks"], async ({ files, chunks }) => {
      /** @type {FileRecord | undefined} */
      const record = await result(files.get(name));
      if (record === undefined) return;
      files.delete(name);
      chunks.delete(chunksOf(record.id));
    });
  }

  async close() {
    await this.#turns.close();
    this.#connection.close();
  }

  /**
   * @template T
   * @param {string} what
   * @param {(transaction: IDBTransaction) => Promise<T>} work
   */
  async #read(what, work) {
    this.#turns.refuseIfClosed();
    try {
      return await work(await this.#connection.begin(["files", "chunks"], "readonly"));
    } catch (cause) {
      throw toStorageError(cause, "STORAGE_WRITE_FAILED", what);
    }
  }

  /**
   * Runs work as one transaction: what it asked for is stored as a whole, or it rejects and nothing is.
   *
   * @param {string} what what to say when it fails
   * @param {("files" | "chunks")[]} stores
   * @param {(stores: {files: IDBObjectStore, chunks: IDBObjectStore}) => Promise<void>} work
   */
  async #change(what, stores, work) {
    return this.#turns.run(async () => {
      try {
        await this.#tidy();
        const transaction = await this.#connection.begin(stores, "readwrite");
        const ended = done(transaction);
        try {
          // A store that the transaction does not have is never asked for.
          const [files, chunks] = ["files", "chunks"].map((store) =>
            stores.includes(/** @type {"files"} */ (store)) ? transaction.objectStore(store) : /** @type {any} */ (null),
          );
          await work({ files, chunks });
          transaction.commit?.();
        } catch (error) {
          abort(transaction);
          await ended.catch(() => {});
          // Where a request failed because the transaction did, the transaction knows why.
          throw error instanceof StorageError ? error : (transaction.error ?? error);
        }
        await ended;
      } catch (cause) {
        throw toStorageError(cause, "STORAGE_WRITE_FAILED", what);
      }
    });
  }

  /** Removes chunks that belong to no file. */
  async #tidy() {
    if (this.#tidied) return;
    this.#tidied = true;
    try {
      const transaction = await this.#connection.begin(["files", "chunks"], "readwrite");
      const ended = done(transaction);
      const chunks = transaction.objectStore("chunks");
      /** @type {FileRecord[]} */
      const records = await result(transaction.objectStore("files").getAll());
      const ids = new Set(records.map(({ id }) => id));
      for (let after = ""; ; ) {
        const cursor = await result(chunks.openKeyCursor(IDBKeyRange.lowerBound([after, []], true)));
        if (cursor === null) break;
        [after] = /** @type {[string, number]} */ (cursor.key);
        if (!ids.has(after)) chunks.delete(chunksOf(after));
      }
      await ended;
    } catch (error) {
      // They cost space and nothing else.
      console.debug("zengram: what an earlier page left stays for now:", error);
    }
  }
}

/** Drawn, not counted: two pages never draw the same. */
function newId() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("-");
}

/** All chunks of a file, or those from an offset on; an array sorts behind every number. @param {string} id @param {number} [from] */
function chunksOf(id, from = 0) {
  return IDBKeyRange.bound([id, from], [id, []]);
}

/**
 * The record of a file that has at least so many bytes; with 0 a new one if need be.
 *
 * @param {IDBObjectStore} files
 * @param {string} name
 * @param {number} bytes
 * @returns {Promise<FileRecord>}
 */
async function recordOf(files, name, bytes) {
  /** @type {FileRecord | undefined} */
  const record = await result(files.get(name));
  if (record === undefined && bytes > 0) throw gone(name);
  if (record !== undefined && record.bytes < bytes) throw cutShort(name, record.bytes, bytes);
  return record ?? { name, id: newId(), bytes: 0 };
}

/**
 * Removes what lies behind an offset, which may be inside a chunk.
 *
 * @param {IDBObjectStore} chunks
 * @param {string} id
 * @param {number} at
 */
async function cut(chunks, id, at) {
  const upTo = IDBKeyRange.bound([id, 0], [id, at]);
  const last = await result(chunks.openCursor(upTo, "prev"));
  const [, offset] = /** @type {[string, number]} */ (last?.key ?? [id, at]);
  if (last !== null && offset < at && offset + last.value.length > at) last.update(last.value.slice(0, at - offset));
  chunks.delete(chunksOf(id, at));
}

/**
 * Points a name to chunks; those that it pointed to before go.
 *
 * @param {IDBObjectStore} files
 * @param {IDBObjectStore} chunks
 * @param {FileRecord} record
 */
async function point(files, chunks, record) {
  /** @type {FileRecord | undefined} */
  const before = await result(files.get(record.name));
  if (before !== undefined && before.id !== record.id) chunks.delete(chunksOf(before.id));
  files.put(record);
}

/** @param {IDBTransaction} transaction */
function abort(transaction) {
  try {
    transaction.abort();
  } catch (error) {
    // It has ended already, by the very failure that led here.
    console.debug("zengram: a transaction had ended:", error);
  }
}
