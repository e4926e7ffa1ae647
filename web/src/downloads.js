/**
 * Fetches the files of the runtime ahead of it, counts their bytes, and tells listeners how far everything is.
 */
import { joined } from "./bytes.js";
import { BootError, reportListenerError } from "./errors.js";

/** @typedef {import("./zengram.js").InitProgress} InitProgress */

/** Downloading is this much of the bar; starting the interpreter and importing are the rest. */
const DOWNLOAD_SHARE = 0.7;
const IMPORT_AT = 0.85;
const STEP_SHARE = 0.25;

/** Turns the state of the downloads into events whose fraction never falls. */
export class Progress {
  /** @type {Set<(progress: InitProgress) => void>} */
  #listeners = new Set();
  /** @type {Map<string, {phase: "runtime" | "packages", loaded: number, expected: number, done: boolean}>} */
  #files = new Map();
  /** @type {InitProgress} */
  #last = { phase: "runtime", fraction: 0, loadedBytes: 0, totalBytes: 0, message: "Starting" };

  /** @param {((progress: InitProgress) => void) | undefined} listener */
  listen(listener) {
    if (typeof listener === "function") this.#listeners.add(listener);
  }

  /**
   * @param {string} url
   * @param {"runtime" | "packages"} phase
   * @param {number} usualSize
   */
  add(url, phase, usualSize) {
    this.#files.set(url, { phase, loaded: 0, expected: usualSize, done: false });
  }

  /** @param {string} url @param {number} size */
  expect(url, size) {
    const file = this.#files.get(url);
    if (file && size > 0) file.expected = size;
  }

  /** @param {string} url @param {number} bytes */
  received(url, bytes) {
    const file = this.#files.get(url);
    if (!file) return;
    file.loaded += bytes;
    this.#downloading();
  }

  /** @param {string} url */
  finished(url) {
    const file = this.#files.get(url);
    if (!file) return;
    file.done = true;
    this.#downloading();
  }

  /** Everything is here. */
  starting() {
    this.#emit("imports", this.#further(), "Starting Python");
  }

  /** Python runs and has the packages. @param {number} [done] how much of the imports, from 0 to 1 */
  importing(done = 0) {
    this.#emit("imports", IMPORT_AT + (1 - IMPORT_AT) * done, "Importing Zengram");
  }

  /** The memory of an earlier visit is there. */
  restoring() {
    this.#emit("restore", this.#further(), "Starting from what an earlier visit kept");
  }

  /** Nobody knows how much is left, so each step takes a part of what is. */
  #further() {
    const from = Math.max(this.#last.fraction, DOWNLOAD_SHARE);
    return from + (IMPORT_AT - from) * STEP_SHARE;
  }

  ready() {
    this.#emit("ready", 1, "Ready");
  }

  #downloading() {
    const { loaded, total, missing } = this.#sums();
    const share = total > 0 ? loaded / total : 0;
    const message =
      missing === null ? "Starting Python" : missing === "runtime" ? "Loading Python" : "Loading packages";
    this.#emit(missing ?? this.#last.phase, DOWNLOAD_SHARE * share, message);
  }

  /** @returns {{loaded: number, total: number, missing: "runtime" | "packages" | null}} */
  #sums() {
    let loaded = 0;
    let total = 0;
    /** @type {"runtime" | "packages" | null} */
    let missing = null;
    for (const file of this.#files.values()) {
      loaded += file.loaded;
      // A compressed answer announces fewer bytes than arrive here.
      total += file.done ? file.loaded : Math.max(file.expected, file.loaded);
      if (!file.done && missing !== "runtime") missing = file.phase;
    }
    return { loaded, total, missing };
  }

  /**
   * @param {InitProgress["phase"]} phase
   * @param {number} fraction
   * @param {string} message
   */
  #emit(phase, fraction, message) {
    const { loaded, total } = this.#sums();
    const order = ["runtime", "packages", "restore", "imports", "ready"];
    const last = this.#last;
    this.#last = {
      phase: order.indexOf(phase) < order.indexOf(last.phase) ? last.phase : phase,
      fraction: Math.min(1, Math.max(last.fraction, fraction)),
      loadedBytes: loaded,
      totalBytes: total,
      message,
    };
    for (const listener of this.#listeners) {
      try {
        listener({ ...this.#last });
      } catch (error) {
        reportListenerError(error);
      }
    }
  }
}

/**
 * Reads a file into the HTTP cache, counting.
 *
 * @param {string} url
 * @param {Progress} progress
 * @param {AbortSignal} signal
 * @returns {{start: Promise<Response>, end: Promise<void>}}
 */
export function download(url, progress, signal) {
  const start = request(url, signal);
  return { start, end: start.then((response) => drain(url, response, progress)) };
}

/**
 * Compiles a file of WebAssembly while it arrives. A browser finds the machine code of an earlier visit only by the answer itself, so
 * the bytes are counted in a copy of it, if that is wanted.
 *
 * @param {string} url
 * @param {number} size
 * @param {Promise<boolean>} counted
 * @param {Progress} progress
 * @param {AbortSignal} signal
 * @returns {{compiled: Promise<WebAssembly.Module>, end: Promise<unknown>}}
 */
export function compile(url, size, counted, progress, signal) {
  const started = Promise.all([request(url, signal), counted]).then(([response, isCounted]) => ({
    response,
    copy: isCounted ? response.clone() : null,
  }));
  const compiled = started.then(async ({ response }) => {
    if (response.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
    return WebAssembly.compile(await response.arrayBuffer());
  });
  const end = started.then(async ({ copy }) => {
    if (copy) return drain(url, copy, progress);
    await compiled;
    progress.received(url, size);
    progress.finished(url);
  });
  for (const promise of [end, compiled]) promise.catch(() => {}); // awaited by who asked, or something else failed first
  return { compiled, end };
}

/**
 * Reads a file.
 *
 * @param {string} url
 * @param {Progress} progress
 * @param {AbortSignal} signal
 * @param {string} [sha256] what the file has to be, in hexadecimal
 * @returns {Promise<Uint8Array>}
 */
export async function fetchWhole(url, progress, signal, sha256) {
  const integrity = sha256 && `sha256-${btoa(String.fromCharCode(...bytesOfHex(sha256)))}`;
  const response = await request(url, signal, integrity);
  /** @type {Uint8Array[]} */
  const parts = [];
  await drain(url, response, progress, (part) => parts.push(part));
  return joined(parts);
}

/** @param {string} text */
function bytesOfHex(text) {
  return (text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
}

/** @param {string} url @param {AbortSignal} signal @param {string} [integrity] */
export async function request(url, signal, integrity) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(url, integrity ? { signal, integrity } : { signal });
  } catch (cause) {
    const other = integrity ? ", or is not the file that the lock file names" : "";
    throw new BootError(`${url} could not be fetched${other}.`, { cause });
  }
  if (!response.ok) throw new BootError(`${url} could not be fetched: the server answered ${response.status}.`);
  return response;
}

/** @param {string} url @param {Response} response @param {Progress} progress @param {(part: Uint8Array) => void} [keep] */
async function drain(url, response, progress, keep) {
  // The length of a compressed answer is not that of the bytes read here.
  if (!response.headers.has("content-encoding")) {
    progress.expect(url, Number(response.headers.get("content-length")));
  }
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      keep?.(part.value);
      progress.received(url, part.value.byteLength);
    }
  } catch (cause) {
    throw new BootError(`${url} broke off while it was being fetched.`, { cause });
  }
  progress.finished(url);
}
