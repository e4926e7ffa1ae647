/**
 * The few things that a store does with files of the private file system, and the manifest that ties them together.
 */

/** @typedef {import("../zengram.js").SetAsideCopy} SetAsideCopy */
/** @typedef {{generation: number, file: string, bytes: number, savedAt: number}} Generation */
/** @typedef {{current: Generation | null, setAside: SetAsideCopy[]}} Manifest */

export const MANIFEST = "manifest.json";
const FORMAT = 1;

/**
 * @param {FileSystemDirectoryHandle} folder
 * @param {string} name
 * @returns {Promise<File | null>}
 */
async function openFile(folder, name) {
  try {
    return await (await folder.getFileHandle(name)).getFile();
  } catch (error) {
    if (error instanceof Error && error.name === "NotFoundError") return null;
    throw error;
  }
}

/**
 * @param {FileSystemDirectoryHandle} folder
 * @returns {Promise<{name: string, bytes: number, changedAt: number}[]>} none when the folder itself is gone
 */
export async function listFiles(folder) {
  /** @type {string[]} */
  const names = [];
  try {
    for await (const name of folder.keys()) names.push(name);
  } catch (error) {
    if (!(error instanceof Error && error.name === "NotFoundError")) throw error;
  }
  const files = [];
  for (const name of names) {
    // It may have gone since it was listed: the lock's holder cleans up while others read.
    const file = await openFile(folder, name);
    if (file !== null) files.push({ name, bytes: file.size, changedAt: file.lastModified });
  }
  return files;
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
 * @param {number} bytes
 * @returns {Promise<Uint8Array | null>} null when there is no such file or it has another length
 */
export async function readWhole(folder, name, bytes) {
  const file = await openFile(folder, name);
  if (file === null || file.size !== bytes) return null;
  return new Uint8Array(await file.arrayBuffer());
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
      throw new Error("the bytes were transferred elsewhere meanwhile");
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
 * @param {FileSystemDirectoryHandle} folder
 * @returns {Promise<{manifest: Manifest, damaged: boolean}>} an empty manifest when there is none or it is damaged
 */
export async function readManifest(folder) {
  const text = await (await openFile(folder, MANIFEST))?.text();
  const none = { current: null, setAside: [] };
  // The file is created empty a moment before its first contents are swapped in.
  if (text === undefined || text === "") return { manifest: none, damaged: false };
  try {
    const { format, current, setAside } = JSON.parse(text);
    const whole = current === null || (typeof current.file === "string" && Number.isSafeInteger(current.bytes));
    if (format === FORMAT && whole && Array.isArray(setAside)) {
      return { manifest: { current, setAside }, damaged: false };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  return { manifest: none, damaged: true };
}

/** @param {FileSystemDirectoryHandle} folder @param {Manifest} manifest */
export async function writeManifest(folder, manifest) {
  await writeFile(folder, MANIFEST, JSON.stringify({ format: FORMAT, ...manifest }));
}
