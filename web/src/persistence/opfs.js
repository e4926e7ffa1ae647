/**
 * Files in the browser's private file system (OPFS), in the folder `zengram-<name>`.
 *
 * A thread can write in one of two ways, and each is a small module with the same functions:
 *
 *     opfs_sync.js      a dedicated worker: a file is held open, appending costs the same however long it is
 *     opfs_streams.js   the main thread: the browser copies the file, writes into the copy and swaps on close, so that
 *                       a log wants short segments
 *
 * A file that is written whole is written under a hidden name (`~1.name`), its length is checked, and then it is moved to
 * its name, which replaces what is there in one step:
 *
 *     write ──> ~1.name ──(whole?)──> move ──> name
 *
 * What a page that died left under hidden names, and the browser's own copies (`name.crswap`), are removed before the
 * first change. A page that only reads removes nothing, for they may belong to the one that writes.
 *
 * The folder is looked up each time: clearing the site's data takes it away from under its handle.
 */
import { browserEnvironment } from "./environment.js";
import { checkFileName, isFileName } from "./file_names.js";
import { InTurn } from "./in_turn.js";
import { folderOf, listFiles, openFile, patiently } from "./opfs_files.js";
import { StreamWriting } from "./opfs_streams.js";
import { SyncWriting } from "./opfs_sync.js";
import { TRANSFERRED, gone, hasName, toStorageError, unavailable } from "./storage_errors.js";
import { writeWhole } from "./write_whole.js";

/** @import { Backend, Environment, FileWriter } from "./types.js" */

/** A file that its page replaces while another page reads it is read again. */
const READ_ATTEMPTS = 5;

/**
 * @param {string} name of the store
 * @param {Environment} [environment]
 * @returns {Promise<Backend>}
 */
export async function openOpfs(name, environment = browserEnvironment) {
  try {
    const { storage } = environment;
    if (typeof storage?.getDirectory !== "function") throw unavailable("private file system (OPFS) for this page");
    const backend = new OpfsBackend(name, storage, wayOfWriting(environment.fileHandle ?? {}));
    await backend.folder();
    return backend;
  } catch (cause) {
    throw toStorageError(cause, "STORAGE_WRITE_FAILED", "The private file system could not be opened");
  }
}

/** @param {object} fileHandle */
function wayOfWriting(fileHandle) {
  if ("move" in fileHandle && "createSyncAccessHandle" in fileHandle) return new SyncWriting();
  if ("move" in fileHandle && "createWritable" in fileHandle) return new StreamWriting();
  throw unavailable("way to write files of the private file system from this thread");
}

/** @implements {Backend} */
class OpfsBackend {
  /** @type {"opfs"} */
  kind = "opfs";
  durable = true;
  #storage;
  #folderName;
  #writing;
  #turns;
  #tidied = false;
  /** Numbers the hidden names. */
  #begun = 0;

  /**
   * @param {string} name
   * @param {StorageManager} storage
   * @param {SyncWriting | StreamWriting} writing
   */
  constructor(name, storage, writing) {
    this.#storage = storage;
    this.#folderName = folderOf(name);
    this.#writing = writing;
    this.#turns = new InTurn(`The store "${name}"`);
    this.segmentBytes = writing.segmentBytes;
  }

  async folder() {
    const root = await this.#storage.getDirectory();
    return root.getDirectoryHandle(this.#folderName, { create: true });
  }

  async list() {
    this.#turns.refuseIfClosed();
    try {
      const files = await listFiles(await this.folder(), isFileName);
      return files.map(({ name, bytes }) => ({ name, bytes }));
    } catch (cause) {
      throw toStorageError(cause, "STORAGE_WRITE_FAILED", "The stored files could not be listed");
    }
  }

  /** @param {string} name */
  async read(name) {
    this.#turns.refuseIfClosed();
    checkFileName(name);
    for (let attempt = 1; ; attempt++) {
      try {
        const file = await openFile(await this.folder(), name);
        return file === null ? null : new Uint8Array(await file.arrayBuffer());
      } catch (cause) {
        const replaced = hasName(cause, "NotReadableError") || hasName(cause, "NotFoundError");
        if (replaced && attempt < READ_ATTEMPTS) continue;
        throw toStorageError(cause, "STORAGE_WRITE_FAILED", `${name} could not be read`);
      }
    }
  }

  /** @param {string} name @param {Uint8Array} bytes */
  async write(name, bytes) {
    return writeWhole(this, name, bytes);
  }

  /** @param {string} name @returns {Promise<FileWriter>} */
  async create(name) {
    checkFileName(name);
    this.#begun += 1;
    const hidden = `~${this.#begun}.${name}`;
    const what = `${name} could not be written`;
    const writer = await this.#change(what, (folder) => this.#writing.begin(folder, hidden));
    return {
      /** @param {Uint8Array} part */
      write: async (part) => {
        try {
          await writer.write(part);
        } catch (cause) {
          throw toStorageError(cause, "STORAGE_WRITE_FAILED", what);
        }
      },
      finish: () =>
        this.#change(what, async (folder) => {
          await writer.finish();
          await this.#move(folder, hidden, name);
        }),
      abort: async () => {
        try {
          await writer.abort();
          await (await this.folder()).removeEntry(hidden);
        } catch (error) {
          // Finished, or gone with its folder; anything else goes when the store is opened next.
          if (!hasName(error, "NotFoundError")) console.debug("zengram: an unfinished file stays for now:", error);
        }
      },
    };
  }

  /** @param {string} name @param {number} at @param {Uint8Array} bytes */
  async append(name, at, bytes) {
    checkFileName(name);
    const { length } = bytes;
    return this.#change(`${name} could not be written`, async (folder) => {
      if (bytes.length !== length) throw new Error(TRANSFERRED);
      await this.#writing.append(folder, name, at, bytes);
    });
  }

  /** @param {string} name @param {number} bytes */
  async truncate(name, bytes) {
    checkFileName(name);
    return this.#change(`${name} could not be cut`, (folder) => this.#writing.truncate(folder, name, bytes));
  }

  /** @param {string} from @param {string} to */
  async rename(from, to) {
    checkFileName(from);
    checkFileName(to);
    return this.#change(`${from} could not be renamed`, (folder) => this.#move(folder, from, to));
  }

  /** @param {string} name */
  async remove(name) {
    checkFileName(name);
    return this.#change(`${name} could not be removed`, async (folder) => {
      await this.#writing.release(name);
      await removeIfThere(folder, name);
    });
  }

  async close() {
    await this.#turns.close();
    await this.#writing.release();
  }

  /** @param {FileSystemDirectoryHandle} folder @param {string} from @param {string} to */
  async #move(folder, from, to) {
    await this.#writing.release(from);
    await this.#writing.release(to);
    let file;
    try {
      file = /** @type {FileSystemFileHandle & {move: (name: string) => Promise<void>}} */ (
        await folder.getFileHandle(from)
      );
    } catch (error) {
      throw hasName(error, "NotFoundError") ? gone(from) : error;
    }
    await patiently(() => file.move(to));
  }

  /**
   * @template T
   * @param {string} what what to say when it fails
   * @param {(folder: FileSystemDirectoryHandle) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #change(what, work) {
    return this.#turns.run(async () => {
      try {
        const folder = await this.folder();
        await this.#tidy(folder);
        return await work(folder);
      } catch (cause) {
        throw toStorageError(cause, "STORAGE_WRITE_FAILED", what);
      }
    });
  }

  /** @param {FileSystemDirectoryHandle} folder */
  async #tidy(folder) {
    if (this.#tidied) return;
    this.#tidied = true;
    try {
      for await (const name of folder.keys()) {
        if (name.startsWith("~") || name.endsWith(".crswap")) await removeIfThere(folder, name);
      }
    } catch (error) {
      // They cost space and nothing else.
      console.debug("zengram: what an earlier page left stays for now:", error);
    }
  }
}

/** @param {FileSystemDirectoryHandle} folder @param {string} name */
async function removeIfThere(folder, name) {
  try {
    await patiently(() => folder.removeEntry(name));
  } catch (error) {
    if (!hasName(error, "NotFoundError")) throw error;
  }
}
