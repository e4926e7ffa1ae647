/**
 * What browsers say of storage, as StorageError.
 */
import { StorageError } from "../errors.js";

/** @typedef {import("../zengram.js").StorageErrorCode} StorageErrorCode */

/** What befell bytes whose buffer went to another thread while they waited to be written. */
export const TRANSFERRED = "the bytes were transferred elsewhere meanwhile";

/** Names of the browser's exceptions. @type {Record<string, [StorageErrorCode, string]>} */
const KNOWN = {
  QuotaExceededError: ["STORAGE_QUOTA", "no space is left for this site"],
  SecurityError: ["STORAGE_DENIED", "the browser does not allow storage here"],
  NotAllowedError: ["STORAGE_DENIED", "the browser does not allow storage here"],
};

/**
 * @param {unknown} cause
 * @param {StorageErrorCode} otherwise
 * @param {string} what
 * @returns {StorageError}
 */
export function toStorageError(cause, otherwise, what) {
  if (cause instanceof StorageError) return cause;
  const { name, message } = isNamed(cause) ? cause : { name: "", message: String(cause) };
  const [code, reason] = Object.hasOwn(KNOWN, name) ? KNOWN[name] : [otherwise, message.replace(/\.$/, "") || name];
  return new StorageError(`${what}: ${reason}.`, { code, cause });
}

/** @param {string} what */
export function unavailable(what) {
  return new StorageError(`This browser has no ${what}.`, { code: "STORAGE_UNAVAILABLE" });
}

/** @param {unknown} error @param {string} name */
export function hasName(error, name) {
  return isNamed(error) && error.name === name;
}

/** An Error, also one of another frame. @param {unknown} error @returns {error is {name: string, message: string}} */
function isNamed(error) {
  return typeof error === "object" && error !== null && "name" in error && "message" in error;
}

/** @param {string} file @param {number} bytes what it holds @param {number} expected */
export function cutShort(file, bytes, expected) {
  const message = `${file} holds ${bytes} of the ${expected} bytes that were stored; were the site's data cleared?`;
  return new StorageError(message, { code: "STORAGE_DAMAGED" });
}

/** @param {string} file */
export function gone(file) {
  return new StorageError(`${file} is not there; were the site's data cleared?`, { code: "STORAGE_DAMAGED" });
}

/** What a status says of an error. @param {StorageError} error */
export function plain({ name, code, message }) {
  return Object.freeze({ name, code: /** @type {StorageErrorCode} */ (code), message });
}
