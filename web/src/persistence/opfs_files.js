/**
 * The few things that are done with files of the private file system.
 */
import { TRANSFERRED, hasName } from "./storage_errors.js";

/** How often, and after how long, a file is tried again that a page which is just closing holds open. */
const ATTEMPTS = 40;
const RETRY_MS = 25;

/** The folder of a store. @param {string} name */
export function folderOf(name) {
  return `zengram-${encodeURIComponent(name)}`;
}

/**
 * @param {FileSystemDirectoryHandle} folder
 * @param {string} name
 * @returns {Promise<File | null>}
 */
export async function openFile(folder, name) {
  try {
    return await (await folder.getFileHandle(name)).getFile();
  } catch (error) {
    if (hasName(error, "NotFoundError")) return null;
    throw error;
  }
}

/**
 * @param {FileSystemDirectoryHandle} folder
 * @param {(name: string) => boolean} [wanted]
 * @returns {Promise<{name: string, bytes: number, changedAt: number}[]>} none when the folder itself is gone
 */
export async function listFiles(folder, wanted = () => true) {
  /** @type {string[]} */
  const names = [];
  try {
    for await (const name of folder.keys()) {
      if (wanted(name)) names.push(name);
    }
  } catch (error) {
    if (!hasName(error, "NotFoundError")) throw error;
  }
  const files = [];
  for (const name of names) {
    // It may have gone since it was listed: the lock's holder cleans up while others read.
    const file = await openFile(folder, name);
    if (file !== null) files.push({ name, bytes: file.size, changedAt: file.lastModified });
  }
  return files;
}

/** @param {FileSystemFileHandle} handle */
export async function sizeOfFile(handle) {
  return (await handle.getFile()).size;
}

/**
 * @param {FileSystemDirectoryHandle} folder
 * @param {string} name
 * @returns {Promise<number | null>} null when there is no such file
 */
export async function sizeOf(folder, name) {
  return (await openFile(folder, name))?.size ?? null;
}

/**
 * @param {FileSystemDirectoryHandle} folder
 * @param {string} name
 * @param {Uint8Array | string | Blob} contents
 */
export async function writeFile(folder, name, contents) {
  const size = contents instanceof Uint8Array ? contents.length : null;
  const handle = await folder.getFileHandle(name, { create: true });
  const writable = await handle.createWritable();
  try {
    // Where there is no space, this always says so; writing in Chromium may only say that a pipe broke.
    if (size !== null) await writable.truncate(size);
    await writable.write(/** @type {FileSystemWriteChunkType} */ (contents));
    if (contents instanceof Uint8Array && contents.length !== size) {
      throw new Error(TRANSFERRED);
    }
    await writable.close();
  } catch (error) {
    // Gives the space back. It fails if the stream has failed already, and the first error is the one that tells.
    await writable.abort().catch(() => {});
    throw error;
  }
}

/** @param {FileSystemDirectoryHandle} folder @param {string} from @param {string} to */
export async function moveFile(folder, from, to) {
  const handle = /** @type {FileSystemFileHandle & {move?: (name: string) => Promise<void>}} */ (
    await folder.getFileHandle(from)
  );
  if (typeof handle.move === "function") return handle.move(to);
  await writeFile(folder, to, await handle.getFile());
  await folder.removeEntry(from);
}

/**
 * @template T
 * @param {() => Promise<T>} work something with a file
 * @returns {Promise<T>}
 */
export async function patiently(work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!hasName(error, "NoModificationAllowedError") || attempt === ATTEMPTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
