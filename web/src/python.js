/**
 * The running interpreter: booted once, asked by every object of the library.
 */
import { NotInitializedError } from "./errors.js";
import { checkKnownOptions } from "./inputs.js";

/** @typedef {import("./runtime.js").Bridge} Bridge */
/** @typedef {import("./zengram.js").Stats} Stats */

/** @type {Bridge | null} */
let bridge = null;

/** @param {Bridge} started */
export function setBridge(started) {
  bridge = started;
}

/** @returns {Bridge} */
export function running() {
  if (bridge === null) {
    throw new NotInitializedError("Zengram is not initialized: call `await init()` once before anything else.");
  }
  return bridge;
}

/**
 * What Python and the object of a handle use.
 *
 * @param {number} handle
 * @param {unknown} options
 * @returns {Stats}
 */
export function statsOf(handle, options) {
  const { collect = false } = checkKnownOptions(options, "stats", { collect: "flag" });
  const bridge = running();
  const known = /** @type {Omit<Stats, "proxies">} */ (bridge.call("stats", handle, JSON.stringify([collect])));
  return { ...known, proxies: bridge.proxies };
}

/** Frees what Python holds for an object that is gone, if Python runs. @param {string} method @param {number} handle */
export function release(method, handle) {
  bridge?.call(method, handle, "[]");
}
