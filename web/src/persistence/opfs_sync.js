/**
 * Writing to the private file system from a dedicated worker, with synchronous access handles. The file that is appended to
 * stays open, for opening it costs more than writing to it. While it is open nobody else can write to it, move it or remove it;
 * reading it works.
 */
import { StorageError } from "../errors.js";
import { patiently } from "./opfs_files.js";
import { fileAt, requireSize } from "./opfs_streams.js";
import { gone, hasName } from "./storage_errors.js";

/** Appending costs the same at any length (1.6 ms for 2 KB, bench/storage.py): the limit is for the memory that reading takes. */
const SEGMENT_BYTES = 8 * 1024 * 1024;

/** @import { SyncAccess } from "./types.js" */
/** @typedef {{name: string, handle: FileSystemFileHandle, access: SyncAccess}} OpenFile */

export class SyncWriting {
  segmentBytes = SEGMENT_BYTES;
  /** The file that is appended to. @type {OpenFile | null} */
  #open = null;

  /** @param {FileSystemDirectoryHandle} folder @param {string} name @param {number} at @param {Uint8Array} bytes */
  async append(folder, name, at, bytes) {
    const { handle, access } = await this.#hold(folder, name, at);
    try {
      if (access.getSize() > at) access.truncate(at);
      writeWhole(access, bytes, at);
      access.flush();
      // Asked of the folder, not of the open file: one that was removed under its handle takes bytes all the same.
      await requireSize(handle, at + bytes.length);
    } catch (error) {
      cutBack(access, at);
      await this.release();
      throw hasName(error, "NotFoundError") ? gone(name) : error;
    }
  }

  /** @param {FileSystemDirectoryHandle} folder @param {string} name @param {number} bytes */
  async truncate(folder, name, bytes) {
    const { handle, access } = await this.#hold(folder, name, bytes);
    try {
      access.truncate(bytes);
      access.flush();
      await requireSize(handle, bytes);
    } catch (error) {
      await this.release();
      throw hasName(error, "NotFoundError") ? gone(name) : error;
    }
  }

  /** @param {FileSystemDirectoryHandle} folder @param {string} name */
  async begin(folder, name) {
    const handle = await folder.getFileHandle(name, { create: true });
    const access = await openAccess(handle);
    let length = 0;
    return {
      /** @param {Uint8Array} part */
      async write(part) {
        writeWhole(access, part, length);
        length += part.length;
      },
      async finish() {
        // A name is used again only after a page died, and then the file may be longer.
        access.truncate(length);
        access.flush();
        await requireSize(handle, length);
        access.close();
      },
      async abort() {
        await letGo(handle, access);
      },
    };
  }

  /** Closes a file, if it is the open one; without a name, whichever is. @param {string} [name] */
  async release(name) {
    if (this.#open === null || (name !== undefined && this.#open.name !== name)) return;
    const { handle, access } = this.#open;
    this.#open = null;
    await letGo(handle, access);
  }

  /**
   * @param {FileSystemDirectoryHandle} folder
   * @param {string} name
   * @param {number} bytes what it must have at least; with 0 it is made if need be
   * @returns {Promise<OpenFile>}
   */
  async #hold(folder, name, bytes) {
    if (this.#open?.name === name && bytes > 0 && this.#open.access.getSize() >= bytes) return this.#open;
    await this.release();
    const handle = await fileAt(folder, name, bytes);
    this.#open = { name, handle, access: await openAccess(handle) };
    return this.#open;
  }
}

/** @param {FileSystemFileHandle} handle @returns {Promise<SyncAccess>} */
function openAccess(handle) {
  const file = /** @type {FileSystemFileHandle & {createSyncAccessHandle: () => Promise<SyncAccess>}} */ (handle);
  return patiently(() => file.createSyncAccessHandle());
}

/**
 * Closes an open file, unless the site's data were cleared: then Chromium (156) never comes back from `close`, and the file is
 * not in the way of a new one.
 *
 * @param {FileSystemFileHandle} handle
 * @param {SyncAccess} access
 */
async function letGo(handle, access) {
  try {
    await handle.getFile();
  } catch (error) {
    if (hasName(error, "NotFoundError")) return;
    console.debug("zengram: a file that is open cannot be looked at:", error);
  }
  access.close();
}

/** @param {SyncAccess} access @param {Uint8Array} bytes @param {number} at */
function writeWhole(access, bytes, at) {
  const { length } = bytes;
  for (let done = 0; done < length; ) {
    const written = access.write(bytes.subarray(done), { at: at + done });
    if (!(written > 0)) {
      // A site's quota makes the call throw; a full disk shows like this.
      const message = `Only ${done} of ${length} bytes were written: no space is left.`;
      throw new StorageError(message, { code: "STORAGE_QUOTA" });
    }
    done += written;
  }
}

/** @param {SyncAccess} access @param {number} at */
function cutBack(access, at) {
  try {
    access.truncate(at);
    access.flush();
  } catch (error) {
    // What stays behind the place is cut off by the next append.
    console.debug("zengram: what was half-way written stays for now:", error);
  }
}
