/**
 * Fetches the files of the runtime ahead of it, counts their bytes, and tells listeners how far everything is.
 */
import { BootError, reportListenerError } from "./errors.js";

/** @typedef {import("./zengram.js").InitProgress} InitProgress */

/** Downloading is this much of the bar; starting the interpreter and importing are the rest. */
const DOWNLOAD_SHARE = 0.7;
const IMPORT_AT = 0.85;

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

  /** Python runs and has the packages. */
  importing() {
    this.#emit("imports", IMPORT_AT, "Importing Zengram");
  }

  ready() {
    this.#emit("ready", 1, "Ready");
  }

  #downloading() {
    const { loaded, total, missing } = this.#sums();
    const share = total > 0 ? loaded / total : 0;
    const message =
      missing === null ? "Starting Python" : missing === "runtime" ? "Loading Python" : "Loading packages";
    this.#emit(missing ?? "packages", DOWNLOAD_SHARE * share, message);
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
    const order = ["runtime", "packages", "imports", "ready"];
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

/** @param {string} url @param {AbortSignal} signal */
export async function request(url, signal) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(url, { signal });
  } catch (cause) {
    throw new BootError(`${url} could not be fetched.`, { cause });
  }
  if (!response.ok) throw new BootError(`${url} could not be fetched: the server answered ${response.status}.`);
  return response;
}

/** @param {string} url @param {Response} response @param {Progress} progress */
async function drain(url, response, progress) {
  // The length of a compressed answer is not that of the bytes read here.
  if (!response.headers.has("content-encoding")) {
    progress.expect(url, Number(response.headers.get("content-length")));
  }
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      progress.received(url, part.value.byteLength);
    }
  } catch (cause) {
    throw new BootError(`${url} broke off while it was being fetched.`, { cause });
  }
  progress.finished(url);
}
