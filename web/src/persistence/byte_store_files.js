/**
 * The manifest that ties the files of a byte store together.
 */
import { openFile, writeFile } from "./opfs_files.js";

/** @typedef {import("../zengram.js").SetAsideCopy} SetAsideCopy */
/** @typedef {{generation: number, file: string, bytes: number, savedAt: number}} Generation */
/** @typedef {{current: Generation | null, setAside: SetAsideCopy[]}} Manifest */

export const MANIFEST = "manifest.json";
const FORMAT = 1;

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
