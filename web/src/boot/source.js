/**
 * Where a start's files come from: a server, counted as they arrive, or the disk in Node.
 */
import { compile, download, fetchWhole } from "../downloads.js";
import { BootError } from "../errors.js";

/** @typedef {import("../downloads.js").Progress} Progress */
/** @typedef {"runtime" | "packages"} Phase */

/**
 * @typedef {object} Source
 * @property {(url: URL) => string} pathOf how Pyodide is told of a place
 * @property {(url: URL, phase: Phase, size: number, sha256?: string) => Promise<Uint8Array>} read
 * @property {(url: URL, size: number) => {start: Promise<unknown>, end: Promise<unknown>}} expect makes sure of a file that somebody
 *   else is going to load: it begins to arrive, and has arrived
 * @property {(url: URL, size: number, counted: Promise<boolean>) => {compiled: Promise<WebAssembly.Module> | null, end: Promise<unknown>}} compile compiles while it
 *   arrives; null where that is Pyodide's own affair
 */

/** @returns {boolean} */
export function isNode() {
  return typeof process === "object" && typeof process.versions?.node === "string" && globalThis.document === undefined;
}

/** @param {Progress} progress @param {AbortSignal} signal @returns {Promise<Source>} */
export async function sourceOf(progress, signal) {
  return isNode() ? disk() : server(progress, signal);
}

/** @param {Progress} progress @param {AbortSignal} signal @returns {Source} */
function server(progress, signal) {
  return {
    pathOf: (url) => url.href,
    read: (url, phase, size, sha256) => {
      progress.add(url.href, phase, size);
      return fetchWhole(url.href, progress, signal, sha256);
    },
    expect: (url, size) => {
      progress.add(url.href, "runtime", size);
      return download(url.href, progress, signal);
    },
    compile: (url, size, counted) => {
      progress.add(url.href, "runtime", size);
      return compile(url.href, size, counted, progress, signal);
    },
  };
}

/** @returns {Promise<Source>} */
async function disk() {
  const { access, readFile } = await import("node:fs/promises");
  const { createHash } = await import("node:crypto");
  const { fileURLToPath } = await import("node:url");
  return {
    pathOf: fileURLToPath,
    read: async (url, _phase, _size, sha256) => {
      const bytes = await readFile(url);
      if (sha256 && createHash("sha256").update(bytes).digest("hex") !== sha256) {
        throw new BootError(`${fileURLToPath(url)} is not the file that the lock file names.`);
      }
      return bytes;
    },
    expect: (url) => {
      const there = access(url);
      return { start: there, end: there };
    },
    compile: (url) => ({ compiled: null, end: access(url) }),
  };
}
