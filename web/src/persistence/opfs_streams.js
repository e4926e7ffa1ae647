/**
 * Writing to the private file system from the main thread, with `createWritable`: the browser copies the file, writes into
 * the copy, and swaps it in when the stream is closed. So an append is all or nothing, and costs a copy of what is there
 * already.
 */
import { StorageError } from "../errors.js";
import { patiently, sizeOfFile } from "./opfs_files.js";
import { TRANSFERRED, cutShort, gone, hasName } from "./storage_errors.js";

/** Appending 2 KB takes 3.8 ms at the beginning of a file, 4.2 at 256 KB, 5.7 at 1 MB, 35 at 4 MB (bench/storage.py). */
const SEGMENT_BYTES = 256 * 1024;

export class StreamWriting {
  segmentBytes = SEGMENT_BYTES;

  /** @param {FileSystemDirectoryHandle} folder @param {string} name @param {number} at @param {Uint8Array} bytes */
  async append(folder, name, at, bytes) {
    const handle = await fileAt(folder, name, at);
    await swapIn(handle, at > 0, (stream) => writeAt(stream, at, bytes), at + bytes.length);
  }

  /** @param {FileSystemDirectoryHandle} folder @param {string} name @param {number} bytes */
  async truncate(folder, name, bytes) {
    const handle = await fileAt(folder, name, bytes);
    await swapIn(handle, true, (stream) => stream.truncate(bytes), bytes);
  }

  /** @param {FileSystemDirectoryHandle} folder @param {string} name */
  async begin(folder, name) {
    const handle = await folder.getFileHandle(name, { create: true });
    const stream = await patiently(() => handle.createWritable());
    let length = 0;
    return {
      /** @param {Uint8Array} part */
      async write(part) {
        const { length: partLength } = part;
        await writeAt(stream, length, part);
        length += partLength;
      },
      async finish() {
        await stream.close();
        await requireSize(handle, length);
      },
      async abort() {
        await giveUp(stream);
      },
    };
  }

  /** Nothing is held open between calls. @param {string} [_name] */
  async release(_name) {}
}

/**
 * The handle of a file that has at least so many bytes; with 0 it is made if need be.
 *
 * @param {FileSystemDirectoryHandle} folder
 * @param {string} name
 * @param {number} bytes
 */
export async function fileAt(folder, name, bytes) {
  try {
    const handle = await folder.getFileHandle(name, { create: bytes === 0 });
    const size = bytes === 0 ? 0 : await sizeOfFile(handle);
    if (size < bytes) throw cutShort(name, size, bytes);
    return handle;
  } catch (error) {
    throw hasName(error, "NotFoundError") ? gone(name) : error;
  }
}

/**
 * @param {FileSystemFileHandle} handle
 * @param {boolean} keepExistingData
 * @param {(stream: FileSystemWritableFileStream) => Promise<void>} work
 * @param {number} size what the file has afterwards
 */
async function swapIn(handle, keepExistingData, work, size) {
  const stream = await patiently(() => handle.createWritable({ keepExistingData }));
  try {
    await work(stream);
    await stream.close();
  } catch (error) {
    await giveUp(stream);
    throw error;
  }
  await requireSize(handle, size);
}

/** @param {FileSystemWritableFileStream} stream @param {number} position @param {Uint8Array} bytes */
async function writeAt(stream, position, bytes) {
  const { length } = bytes;
  // Where there is no space, this always says so; writing in Chromium may only say that a pipe broke.
  await stream.truncate(position + length);
  await stream.write({ type: "write", position, data: /** @type {Uint8Array<ArrayBuffer>} */ (bytes) });
  if (bytes.length !== length) throw new Error(TRANSFERRED);
}

/** @param {FileSystemWritableFileStream} stream */
async function giveUp(stream) {
  // Gives the space back. It fails if the stream has failed or ended already, and the first error is the one that tells.
  await stream.abort().catch(() => {});
}

/** @param {FileSystemFileHandle} handle @param {number} expected */
export async function requireSize(handle, expected) {
  const size = await sizeOfFile(handle);
  if (size !== expected) throw new StorageError(`Only ${size} of ${expected} bytes of ${handle.name} were written.`);
}
