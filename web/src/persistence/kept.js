/**
 * Which open handles are stored, and by what: a memory or a database that is freed, or forgotten, is stored to its last commit and then
 * lets other pages have its store.
 */
import { reportListenerError } from "../errors.js";

/** @typedef {import("./persistence.js").Persistence} Persistence */

/** @type {Map<number, Persistence>} */
const kept = new Map();

/** @param {number} handle @param {Persistence} persistence */
export function noteKept(handle, persistence) {
  kept.set(handle, persistence);
}

/** A handle is freed. @param {number} handle */
export function letGo(handle) {
  const persistence = kept.get(handle);
  kept.delete(handle);
  // Nobody waits for it: what goes wrong is in its status, and is reported.
  persistence?.close().catch(reportListenerError);
}
