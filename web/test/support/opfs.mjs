/**
 * A private file system and Web Locks in memory, with the semantics that persistence relies on: what a writable stream
 * wrote appears only when it is closed, a file that a synchronous access handle holds can be read and nothing else, and a
 * name has one exclusive lock. `faults` makes chosen operations fail, and `diesAt` ends the page at a step.
 */

/** @param {string} name @param {string} [message] */
export function domError(name, message = name) {
  return new DOMException(message, name);
}

/** @typedef {{operation: "write" | "close" | "create" | "remove" | "list" | "move" | "flush", match: RegExp, error: Error, times?: number}} Fault */

export class FakeStorage {
  /** @type {Map<string, FakeFolder>} */
  folders = new Map();
  /** @type {Fault[]} */
  faults = [];
  /** Every completed write and move, oldest first. @type {string[]} */
  journal = [];
  /** @type {Error | null} */
  denied = null;
  /** What its files can do: those of the page, or those of a worker. @type {typeof FakeFile} */
  File;
  /** What one file may hold. */
  quota = Infinity;
  /** How much a synchronous write takes at a time. */
  writesAtMost = Infinity;
  /** The page dies at this step: it and all later ones fail, and a write gets half-way. */
  diesAt = Infinity;
  steps = 0;
  /** Called with each chunk that is about to be written. @type {() => void} */
  beforeWrite = () => {};
  /** Resolves before a writable stream closes; tests hold saves with it. @type {() => Promise<void>} */
  beforeClose = async () => {};

  /** @param {typeof FakeFile} [File] */
  constructor(File = FakeFile) {
    this.File = File;
  }

  async getDirectory() {
    if (this.denied) throw this.denied;
    return {
      /** @param {string} name @param {{create?: boolean}} [options] */
      getDirectoryHandle: async (name, options) => {
        const folder = this.folders.get(name);
        if (folder) return folder;
        if (!options?.create) throw domError("NotFoundError");
        const made = new FakeFolder(this);
        this.folders.set(name, made);
        return made;
      },
    };
  }

  /** What clearing the site's data does: the folders are gone, and handles to them lead nowhere. */
  clear() {
    for (const folder of this.folders.values()) folder.gone = true;
    this.folders.clear();
  }

  /** What the next page finds: nothing is held open any more. */
  reopen() {
    this.diesAt = Infinity;
    this.steps = 0;
    for (const folder of this.folders.values()) folder.held.clear();
  }

  /** @param {Fault["operation"]} operation @param {string} name */
  check(operation, name) {
    this.steps += 1;
    if (this.steps >= this.diesAt) throw new Error("the page died");
    const fault = this.faults.find((one) => one.operation === operation && one.match.test(name) && one.times !== 0);
    if (!fault) return;
    if (fault.times !== undefined) fault.times -= 1;
    throw fault.error;
  }
}

class FakeFolder {
  /** @type {Map<string, Uint8Array>} */
  files = new Map();
  /** Names that a synchronous access handle holds. @type {Set<string>} */
  held = new Set();
  gone = false;

  /** @param {FakeStorage} storage */
  constructor(storage) {
    this.storage = storage;
  }

  async *keys() {
    if (this.gone) throw domError("NotFoundError");
    this.storage.check("list", "");
    yield* [...this.files.keys()];
  }

  /** @param {string} name */
  async removeEntry(name) {
    this.storage.check("remove", name);
    this.refuseIfHeld(name);
    if (!this.files.delete(name)) throw domError("NotFoundError");
  }

  /** @param {string} name @param {{create?: boolean}} [options] */
  async getFileHandle(name, options) {
    if (this.gone) throw domError("NotFoundError");
    if (!this.files.has(name)) {
      if (!options?.create) throw domError("NotFoundError");
      this.storage.check("create", name);
      this.files.set(name, new Uint8Array(0));
    }
    return new this.storage.File(this, name);
  }

  /** @param {string} name */
  bytes(name) {
    const bytes = this.gone ? undefined : this.files.get(name);
    if (!bytes) throw domError("NotFoundError");
    return bytes;
  }

  /** @param {string} name */
  refuseIfHeld(name) {
    if (this.held.has(name)) throw domError("NoModificationAllowedError");
  }
}

/** A file as the page sees it. */
export class FakeFile {
  /** @param {FakeFolder} folder @param {string} name */
  constructor(folder, name) {
    this.folder = folder;
    this.name = name;
  }

  async getFile() {
    const bytes = this.folder.bytes(this.name);
    return Object.assign(new Blob([/** @type {BlobPart} */ (bytes)]), { lastModified: Date.now() });
  }

  /** @param {string} name */
  async move(name) {
    this.folder.storage.check("move", name);
    this.folder.refuseIfHeld(this.name);
    this.folder.refuseIfHeld(name);
    this.folder.files.set(name, this.folder.bytes(this.name));
    this.folder.files.delete(this.name);
    this.folder.storage.journal.push(`${this.name} -> ${name}`);
  }

  /** @param {{keepExistingData?: boolean}} [options] */
  async createWritable({ keepExistingData = false } = {}) {
    const { folder, name } = this;
    const { storage } = folder;
    folder.refuseIfHeld(name);
    let content = keepExistingData ? folder.bytes(name).slice() : new Uint8Array(0);
    let cursor = 0;
    /** @type {Promise<void>} */
    let writes = Promise.resolve();
    return {
      /** @param {number} size */
      async truncate(size) {
        if (size > storage.quota) throw domError("QuotaExceededError");
        content = resized(content, size);
        cursor = Math.min(cursor, size);
      },
      /** @param {BlobPart | {type: "write", position: number, data: BlobPart}} chunk */
      async write(chunk) {
        storage.check("write", name);
        storage.beforeWrite();
        const placed = typeof chunk === "object" && "type" in chunk && chunk.type === "write" ? chunk : null;
        const data = placed === null ? chunk : /** @type {any} */ (placed).data;
        if (placed !== null) cursor = /** @type {any} */ (placed).position;
        const at = cursor;
        // Taken now; of bytes that were transferred elsewhere there are none.
        const blob = new Blob(data.byteLength === 0 ? [] : [data]);
        writes = writes.then(async () => {
          const bytes = new Uint8Array(await blob.arrayBuffer());
          content = resized(content, Math.max(content.length, at + bytes.length));
          content.set(bytes, at);
          cursor = at + bytes.length;
        });
        await writes;
      },
      async close() {
        await storage.beforeClose();
        storage.check("close", name);
        folder.bytes(name);
        folder.files.set(name, content);
        storage.journal.push(name);
      },
      async abort() {},
    };
  }
}

/** A file as a dedicated worker sees it. */
export class FakeWorkerFile extends FakeFile {
  async createSyncAccessHandle() {
    const { folder, name } = this;
    const { storage } = folder;
    folder.refuseIfHeld(name);
    // What is removed from the folder lives on under an open handle.
    let content = folder.bytes(name);
    let open = true;
    folder.held.add(name);
    /** @param {Uint8Array} bytes */
    const set = (bytes) => {
      content = bytes;
      if (!folder.gone) folder.files.set(name, bytes);
    };
    const refuseIfClosed = () => {
      if (!open) throw domError("InvalidStateError");
    };
    return {
      getSize: () => {
        refuseIfClosed();
        return content.length;
      },
      /** @param {Uint8Array} bytes @param {{at: number}} options */
      write: (bytes, { at }) => {
        refuseIfClosed();
        try {
          storage.check("write", name);
        } catch (error) {
          // Half of it is there all the same.
          const half = bytes.slice(0, bytes.length >> 1);
          const torn = resized(content, Math.max(content.length, at + half.length));
          torn.set(half, at);
          set(torn);
          throw error;
        }
        storage.beforeWrite();
        const room = Math.max(0, storage.quota - at);
        const written = bytes.slice(0, Math.min(bytes.length, storage.writesAtMost, room));
        const grown = resized(content, Math.max(content.length, at + written.length));
        grown.set(written, at);
        set(grown);
        return written.length;
      },
      /** @param {number} size */
      truncate: (size) => {
        refuseIfClosed();
        if (storage.steps >= storage.diesAt) throw new Error("the page died");
        set(resized(content, size));
      },
      flush: () => {
        refuseIfClosed();
        storage.check("flush", name);
      },
      close: () => {
        if (folder.gone) throw new Error("the browser would not come back from here");
        if (open) folder.held.delete(name);
        open = false;
      },
    };
  }
}

/** @param {Uint8Array} bytes @param {number} size */
function resized(bytes, size) {
  const copy = new Uint8Array(size);
  copy.set(bytes.subarray(0, size));
  return copy;
}

export class FakeLocks {
  /** @type {Map<string, (error: Error) => void>} */
  held = new Map();

  /**
   * @param {string} name
   * @param {{ifAvailable?: boolean}} options
   * @param {(lock: {name: string} | null) => unknown} callback
   */
  async request(name, options, callback) {
    if (this.held.has(name)) return callback(null);
    const stolen = new Promise((_, reject) => this.held.set(name, reject));
    try {
      return await Promise.race([stolen, callback({ name })]);
    } finally {
      this.held.delete(name);
    }
  }

  /** @param {string} name */
  steal(name) {
    this.held.get(name)?.(domError("AbortError"));
    this.held.delete(name);
  }
}
