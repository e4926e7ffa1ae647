/**
 * The running interpreter: booted once, asked by every object of the library.
 */
import { NotInitializedError } from "./errors.js";

/** @typedef {import("./runtime.js").Bridge} Bridge */

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

/** Frees what Python holds for an object that is gone, if Python runs. @param {string} method @param {number} handle */
export function release(method, handle) {
  bridge?.call(method, handle, "[]");
}
