/**
 * What of a store's files counts. There are two manifests, written by turns: the one with the higher generation is in force, and while
 * it is being written the other one is.
 *
 *     manifest-0.json   generation 6    {"format": 2, "checksum": …, "manifest": {…}}
 *     manifest-1.json   generation 7 ◄─ in force
 *
 * A generation is a snapshot and the log since. The file names tell them too (files.js), so that lost manifests lose nothing.
 */
import { StorageError } from "../errors.js";
import { crc32 } from "./crc32.js";

/**
 * @typedef {object} Manifest
 * @property {number} generation
 * @property {{file: string, bytes: number, lsn: number} | null} snapshot null: everything is in the log
 * @property {boolean} encrypted whether every file of this generation is
 * @property {number} savedAt milliseconds since 1970
 * @property {{file: string, bytes: number, setAsideAt: number, reason: string}[]} setAside damaged files that were kept
 */

/** 1 is that of the byte store (byte_store.js). */
export const FORMAT = 2;
export const MANIFESTS = ["manifest-0.json", "manifest-1.json"];

/** @param {number} generation */
export function manifestFile(generation) {
  return MANIFESTS[generation % 2];
}

/** @param {Manifest} manifest @returns {Uint8Array} */
export function encodeManifest(manifest) {
  const text = JSON.stringify(manifest);
  const checksum = crc32(new TextEncoder().encode(text));
  return new TextEncoder().encode(JSON.stringify({ format: FORMAT, checksum, manifest }));
}

/**
 * @param {Uint8Array} bytes
 * @returns {Manifest | null} null when it is damaged
 * @throws {StorageError} STORAGE_VERSION when a later version of the library wrote it
 */
export function decodeManifest(bytes) {
  try {
    const { format, checksum, manifest } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (Number.isSafeInteger(format) && format > FORMAT) throw tooNew(`format ${format}`);
    const whole = checksum === crc32(new TextEncoder().encode(JSON.stringify(manifest)));
    return format === FORMAT && whole && Number.isSafeInteger(manifest.generation) ? manifest : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

/** @param {string} what @param {unknown} [cause] */
export function tooNew(what, cause) {
  return new StorageError(
    `What is stored was written by a later version of Zengram (${what}); it was left as it is. Use that version, or a later one.`,
    { code: "STORAGE_VERSION", cause },
  );
}
