/**
 * A named store of bytes in the browser's private file system (OPFS).
 *
 * Folder `zengram-<name>` holds
 *
 *     manifest.json            {"format": 1, "current": {"generation", "file", "bytes", "savedAt"} | null, "setAside": […]}
 *     <name>.<generation>.<bytes>   what was saved; the manifest names the one that counts
 *     <name>.damaged-<time>    damaged data, kept for a person to look at
 *
 * A save writes a new generation beside the old one, checks its length, and then replaces the manifest, which the
 * browser does in one step (`createWritable` writes aside and swaps on `close`). A tab that dies in between leaves the
 * old manifest and the old file; what it left over is removed by the next save. Length and generation are in the file
 * name too, so that a lost manifest loses nothing.
 *
 * Only the holder of the Web Lock `zengram:<name>` writes. Whoever opens the store second may read it.
 */
import { ClosedError, InvalidArgumentError, StorageError, reportListenerError } from "../errors.js";
import { checkListener, checkOptions, checkTexts, toBytes } from "../inputs.js";
import { checkStoreName } from "./file_names.js";
import { MANIFEST, readManifest, readWhole, writeManifest } from "./byte_store_files.js";
import { takeLock } from "./locks.js";
import { folderOf, listFiles, moveFile, sizeOf, writeFile } from "./opfs_files.js";
import { TRANSFERRED, toStorageError, unavailable, plain } from "./storage_errors.js";

/** @typedef {import("../zengram.js").Store} Store */
/** @typedef {import("../zengram.js").StoreOptions} StoreOptions */
/** @typedef {import("../zengram.js").StoreStatus} StoreStatus */
/** @typedef {import("../zengram.js").StorageErrorCode} StorageErrorCode */
/** @typedef {import("../zengram.js").SetAsideCopy} SetAsideCopy */
/** @typedef {import("./byte_store_files.js").Generation} Generation */
/** @typedef {{storage?: StorageManager, locks?: LockManager}} Environment */
/** @typedef {import("./locks.js").HeldLock} HeldLock */
/**
 * What a save was given. Its length was taken then, for bytes that are transferred elsewhere meanwhile become none.
 * @typedef {{bytes: Uint8Array, length: number}} Data
 */

/** A reader without the lock may see a save of the lock's holder half-way; it looks again. */
const READ_ATTEMPTS = 3;

/**
 * @param {string} name
 * @param {StoreOptions} [options]
 * @param {Environment} [environment] where storage and locks are; tests give their own
 * @returns {Promise<Store>}
 */
export async function openStore(name, options, environment = globalThis.navigator) {
  checkStoreName(name);
  checkOptions(options, "openStore");
  checkListener(options?.onStatus, "onStatus");
  const store = new OpfsStore(name, options?.onStatus, environment ?? {});
  await store.retry();
  return store;
}

/** @implements {Store} */
class OpfsStore {
  #onStatus;
  #environment;
  /** The name as part of file names. */
  #stem;
  /** @type {FileSystemDirectoryHandle | null} */
  #folder = null;
  /** @type {HeldLock | null} */
  #lock = null;
  #closed = false;
  /** Whether the caller knows what is saved, so that a save cannot replace it unseen. */
  #loaded = false;
  /** The highest generation seen. A number is never used twice, not even after a failed save. */
  #generation = 0;
  /** What `load` has read or stumbled over. @type {Generation | null} */
  #current = null;
  /** @type {StoreStatus} */
  #status = Object.freeze({ backend: "opfs", state: "error", lastSaved: null, bytes: null, error: null });
  /** @type {Promise<StoreStatus> | null} */
  #acquiring = null;
  /** @type {Promise<void> | null} */
  #closing = null;
  /** @type {Promise<unknown> | null} */
  #running = null;
  /** @type {{data: Data, promise: Promise<void>} | null} */
  #waiting = null;

  /**
   * @param {string} name
   * @param {StoreOptions["onStatus"]} onStatus
   * @param {Environment} environment
   */
  constructor(name, onStatus, environment) {
    this.name = name;
    this.#onStatus = onStatus;
    this.#environment = environment;
    this.#stem = encodeURIComponent(name);
  }

  get status() {
    return this.#status;
  }

  async retry() {
    this.#refuseIfClosed();
    this.#acquiring ??= this.#acquire().finally(() => {
      this.#acquiring = null;
    });
    return this.#acquiring;
  }

  /** @returns {Promise<StoreStatus>} */
  async #acquire() {
    try {
      await this.#openFolder();
      if (this.#lock === null) {
        this.#loaded = false;
        this.#lock = await takeLock(this.#environment.locks, `zengram:${this.name}`, {
          onLost: () => this.#lockLost(),
          givenUp: () => this.#closed,
        });
      }
    } catch (error) {
      this.#fail(toStorageError(error, "STORAGE_UNAVAILABLE", "The store could not be opened"));
      return this.#status;
    }
    if (this.#lock === null) {
      const error = new StorageError(
        `The store "${this.name}" is open already, in another tab or in this one; it can only be read here.`,
        { code: "STORAGE_LOCKED" },
      );
      this.#update({ state: "locked", error: plain(error) });
    } else if (this.#status.state !== "saving") {
      this.#update({ state: "ready", error: null });
    }
    return this.#status;
  }

  /** Opens the folder anew: clearing the site's data takes it away from under its handle. */
  async #openFolder() {
    this.#folder = await openFolder(this.#environment.storage, folderOf(this.name));
    return this.#folder;
  }

  /** Another tab may take a lock by force; from then on this one only reads. */
  #lockLost() {
    if (this.#lock === null) return;
    this.#lock = null;
    this.#loaded = false;
    const error = new StorageError(`Another tab has taken over the store "${this.name}".`, { code: "STORAGE_LOCKED" });
    this.#update({ state: "locked", error: plain(error) });
  }

  async load() {
    this.#refuseIfClosed();
    return this.#alone(() => this.#load());
  }

  /** @returns {Promise<Uint8Array | null>} */
  async #load() {
    const folder = this.#folder;
    if (folder === null) return null;
    try {
      const found = await this.#read(folder);
      this.#current = found?.generation ?? null;
      this.#loaded = this.#lock !== null;
      this.#update({ lastSaved: found?.generation.savedAt ?? null, bytes: found?.generation.bytes ?? null });
      if (this.#loaded && this.#status.error?.code === "STORAGE_DAMAGED") this.#update({ state: "ready", error: null });
      return found?.bytes ?? null;
    } catch (cause) {
      const error = toStorageError(cause, "STORAGE_DAMAGED", "What was saved could not be read");
      this.#loaded = false;
      this.#fail(error);
      throw error;
    }
  }

  /**
   * @param {FileSystemDirectoryHandle} folder
   * @returns {Promise<{generation: Generation, bytes: Uint8Array} | null>}
   */
  async #read(folder) {
    for (let attempt = 1; ; attempt++) {
      const { manifest, damaged } = await readManifest(folder);
      const named = manifest.current;
      const others = await this.#generations(folder);
      this.#generation = Math.max(this.#generation, named?.generation ?? 0, ...others.map((one) => one.generation));
      for (const generation of named === null ? others : [named, ...others]) {
        const bytes = await readWhole(folder, generation.file, generation.bytes);
        if (bytes !== null) return { generation, bytes };
      }
      if (!damaged && named === null) return null;
      this.#current = named ?? others[0] ?? null;
      if (attempt === READ_ATTEMPTS) {
        const what = named === null ? "its manifest cannot be read" : `${named.file} is missing or incomplete`;
        throw new StorageError(`The store "${this.name}" is damaged: ${what}.`, { code: "STORAGE_DAMAGED" });
      }
    }
  }

  /**
   * The files that look like a generation, newest first.
   *
   * @param {FileSystemDirectoryHandle} folder
   * @returns {Promise<Generation[]>}
   */
  async #generations(folder) {
    const generations = [];
    for (const { name, changedAt } of await listFiles(folder, (name) => this.#isGeneration(name))) {
      const [generation, bytes] = name.slice(this.#stem.length + 1).split(".").map(Number);
      generations.push({ generation, file: name, bytes, savedAt: changedAt });
    }
    return generations.sort((a, b) => b.generation - a.generation);
  }

  /** @param {Uint8Array} bytes @returns {Promise<void>} */
  async save(bytes) {
    this.#refuseIfClosed();
    const plain = toBytes(bytes, "What is saved");
    const data = { bytes: plain, length: plain.length };
    if (data.length === 0) throw new InvalidArgumentError("What is saved must not be empty.");
    this.#requireLoaded();
    if (this.#running === null) return this.#run(() => this.#write(data));
    if (this.#waiting === null) {
      // Whether the save before this one failed is told to whoever asked for it.
      const promise = this.#running
        .catch(() => {})
        .then(() => {
          const { data: latest } = /** @type {{data: Data}} */ (this.#waiting);
          this.#waiting = null;
          return this.#run(() => this.#write(latest));
        });
      this.#waiting = { data, promise };
    }
    this.#waiting.data = data;
    return this.#waiting.promise;
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #run(work) {
    const running = work().finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }

  /** Waits until nothing is under way, whether or not that went well. */
  async #settle() {
    while (this.#running !== null || this.#waiting !== null) {
      await (this.#waiting?.promise ?? this.#running)?.catch(() => {});
    }
  }

  /**
   * Runs work when nothing else is under way; saves that are asked for meanwhile wait for it.
   *
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #alone(work) {
    while (this.#running !== null || this.#waiting !== null) await this.#settle();
    return this.#run(work);
  }

  /** @param {Data} data */
  async #write({ bytes, length }) {
    try {
      // Asked again: while this save waited, a load may have failed or the lock may have been lost and got back.
      this.#requireLoaded();
      this.#update({ state: "saving", error: null });
      const folder = await this.#openFolder();
      this.#generation += 1;
      const file = `${this.#stem}.${this.#generation}.${length}`;
      if (bytes.length !== length) throw new Error(TRANSFERRED);
      await writeFile(folder, file, bytes);
      const written = await sizeOf(folder, file);
      if (written !== length) {
        throw new StorageError(`Only ${written} of ${length} bytes were written.`);
      }
      const setAside = await this.#setAsideRecords(folder);
      this.#requireWritable();
      const current = { generation: this.#generation, file, bytes: length, savedAt: Date.now() };
      await writeManifest(folder, { current, setAside });
      this.#current = current;
      await this.#removeOrphans(folder, file);
      this.#update({ state: "ready", lastSaved: current.savedAt, bytes: current.bytes, error: null });
    } catch (cause) {
      const error = toStorageError(cause, "STORAGE_WRITE_FAILED", "The data could not be saved");
      if (error.code !== "STORAGE_LOCKED" && error.code !== "STORAGE_NOT_LOADED") this.#fail(error);
      throw error;
    }
  }

  /** The folder may hold files that are not of this store of bytes. @param {string} name */
  #isGeneration(name) {
    return name.startsWith(`${this.#stem}.`) && /^\d+\.\d+$/.test(name.slice(this.#stem.length + 1));
  }

  /** @param {FileSystemDirectoryHandle} folder @param {string} current */
  async #removeOrphans(folder, current) {
    try {
      for (const { name } of await listFiles(folder, (name) => this.#isGeneration(name) || name.endsWith(".crswap"))) {
        if (name !== current) await folder.removeEntry(name);
      }
    } catch (error) {
      // The save itself is done. A file that a reader holds open right now goes with the next save.
      console.debug("zengram: old files stay until the next save:", error);
    }
  }

  #damagedPrefix() {
    return `${this.#stem}.damaged-`;
  }

  /** @param {string} reason @returns {Promise<string | null>} */
  async setAside(reason) {
    this.#refuseIfClosed();
    checkTexts({ reason });
    return this.#alone(async () => {
      this.#requireWritable();
      try {
        return await this.#moveAside(await this.#openFolder(), reason);
      } catch (cause) {
        const error = toStorageError(cause, "STORAGE_WRITE_FAILED", "The damaged data could not be set aside");
        this.#fail(error);
        throw error;
      }
    });
  }

  /** @param {FileSystemDirectoryHandle} folder @param {string} reason */
  async #moveAside(folder, reason) {
    const { manifest, damaged } = await readManifest(folder);
    const others = await this.#generations(folder);
    const candidates = [this.#current?.file, manifest.current?.file, others[0]?.file];
    // With no data left, a manifest that cannot be read is all the evidence there is.
    if (damaged) candidates.push(MANIFEST);
    const setAside = await this.#setAsideRecords(folder);
    const bytesOf = await Promise.all(candidates.map((file) => (file ? sizeOf(folder, file) : null)));
    const index = bytesOf.findIndex((bytes) => bytes !== null);
    const setAsideAt = Date.now();
    const stamp = this.#damagedPrefix() + new Date(setAsideAt).toISOString().replaceAll(":", "-");
    let copy = stamp;
    for (let i = 2; setAside.some(({ file }) => file === copy); i++) copy = `${stamp}-${i}`;
    if (index >= 0) {
      // Moved before it is recorded: in between, the copy is there without its reason, and nothing is lost.
      await moveFile(folder, /** @type {string} */ (candidates[index]), copy);
      setAside.push({ file: copy, bytes: /** @type {number} */ (bytesOf[index]), setAsideAt, reason });
    }
    await writeManifest(folder, { current: null, setAside });
    this.#current = null;
    this.#loaded = true;
    this.#update({ state: "ready", lastSaved: null, bytes: null, error: null });
    return index >= 0 ? copy : null;
  }

  async listSetAside() {
    this.#refuseIfClosed();
    try {
      return this.#folder === null ? [] : await this.#setAsideRecords(this.#folder);
    } catch (cause) {
      throw toStorageError(cause, "STORAGE_UNAVAILABLE", "The copies could not be listed");
    }
  }

  /** @param {string} file */
  async readSetAside(file) {
    this.#refuseIfClosed();
    const known = (await this.listSetAside()).find((copy) => copy.file === file);
    let bytes = null;
    try {
      if (known && this.#folder) bytes = await readWhole(this.#folder, file, known.bytes);
    } catch (cause) {
      throw toStorageError(cause, "STORAGE_UNAVAILABLE", "The copy could not be read");
    }
    if (!bytes) throw new InvalidArgumentError(`The store "${this.name}" keeps no copy named ${file}.`);
    return bytes;
  }

  /**
   * The copies that are there, with the reasons that the manifest knows.
   *
   * @param {FileSystemDirectoryHandle} folder
   * @returns {Promise<SetAsideCopy[]>}
   */
  async #setAsideRecords(folder) {
    const { manifest } = await readManifest(folder);
    const copies = [];
    for (const { name, bytes, changedAt } of await listFiles(folder)) {
      if (!name.startsWith(this.#damagedPrefix())) continue;
      const record = manifest.setAside.find((one) => one.file === name);
      copies.push(record ?? { file: name, bytes, setAsideAt: changedAt, reason: "" });
    }
    return copies.sort((a, b) => a.setAsideAt - b.setAsideAt);
  }

  async close() {
    this.#closed = true;
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end() {
    await this.#acquiring;
    await this.#settle();
    const lock = this.#lock;
    this.#lock = null;
    lock?.release();
    await lock?.released;
    this.#update({ state: "closed", error: null });
  }

  #refuseIfClosed() {
    if (this.#closed) throw new ClosedError(`The store "${this.name}" is closed; open it again.`);
  }

  /** @returns {FileSystemDirectoryHandle} */
  #requireWritable() {
    if (this.#folder !== null && this.#lock !== null) return this.#folder;
    const { error } = this.#status;
    throw new StorageError(error?.message ?? "The store is not open.", { code: error?.code ?? "STORAGE_UNAVAILABLE" });
  }

  /** @returns {FileSystemDirectoryHandle} */
  #requireLoaded() {
    const folder = this.#requireWritable();
    if (this.#loaded) return folder;
    throw new StorageError("Call load() before save(): what is saved already must not be replaced unseen.", {
      code: "STORAGE_NOT_LOADED",
    });
  }

  /** @param {StorageError} error */
  #fail(error) {
    this.#update({ state: this.#lock === null && this.#folder !== null ? "locked" : "error", error: plain(error) });
  }

  /** @param {Partial<StoreStatus>} change */
  #update(change) {
    this.#status = Object.freeze({ ...this.#status, ...change });
    try {
      this.#onStatus?.(this.#status);
    } catch (error) {
      reportListenerError(error);
    }
  }
}

/**
 * @param {StorageManager | undefined} storage
 * @param {string} name
 */
async function openFolder(storage, name) {
  if (typeof storage?.getDirectory !== "function") throw unavailable("private file system (OPFS) for this page");
  const { FileSystemFileHandle } = globalThis;
  if (FileSystemFileHandle !== undefined && !("createWritable" in FileSystemFileHandle.prototype)) {
    throw unavailable("way to write files from this thread");
  }
  const root = await storage.getDirectory();
  return root.getDirectoryHandle(name, { create: true });
}
