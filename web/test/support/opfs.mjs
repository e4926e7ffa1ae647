/**
 * A private file system and Web Locks in memory, with the semantics that the store relies on: what a writable stream
 * wrote appears only when it is closed, and a name has one exclusive lock. `faults` makes chosen operations fail.
 */

/** @param {string} name @param {string} [message] */
export function domError(name, message = name) {
  return new DOMException(message, name);
}

/** @typedef {{operation: "write" | "close" | "create" | "remove" | "list", match: RegExp, error: Error, times?: number}} Fault */

export class FakeStorage {
  /** @type {Map<string, FakeFolder>} */
  folders = new Map();
  /** @type {Fault[]} */
  faults = [];
  /** Every completed write and move, oldest first. @type {string[]} */
  journal = [];
  /** @type {Error | null} */
  denied = null;
  /** What one file may hold. */
  quota = Infinity;
  /** Called with each chunk that is about to be written. @type {() => void} */
  beforeWrite = () => {};
  /** Resolves before a writable stream closes; tests hold saves with it. @type {() => Promise<void>} */
  beforeClose = async () => {};

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

  /** @param {Fault["operation"]} operation @param {string} name */
  check(operation, name) {
    const fault = this.faults.find((one) => one.operation === operation && one.match.test(name) && one.times !== 0);
    if (!fault) return;
    if (fault.times !== undefined) fault.times -= 1;
    throw fault.error;
  }
}

class FakeFolder {
  /** @type {Map<string, Uint8Array>} */
  files = new Map();
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
    return new FakeFile(this, name);
  }

  /** @param {string} name */
  bytes(name) {
    const bytes = this.files.get(name);
    if (!bytes) throw domError("NotFoundError");
    return bytes;
  }
}

class FakeFile {
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
    this.folder.files.set(name, this.folder.bytes(this.name));
    this.folder.files.delete(this.name);
    this.folder.storage.journal.push(`${this.name} -> ${name}`);
  }

  async createWritable() {
    const { folder, name } = this;
    const { storage } = folder;
    /** @type {BlobPart[]} */
    const parts = [];
    return {
      /** @param {number} size */
      async truncate(size) {
        if (size > storage.quota) throw domError("QuotaExceededError");
      },
      /** @param {BlobPart} part */
      async write(part) {
        storage.check("write", name);
        storage.beforeWrite();
        parts.push(part);
      },
      async close() {
        await storage.beforeClose();
        storage.check("close", name);
        folder.files.set(name, new Uint8Array(await new Blob(parts).arrayBuffer()));
        storage.journal.push(name);
      },
      async abort() {},
    };
  }
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
