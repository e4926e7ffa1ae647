/**
 * The names that files of a back end may have; a byte store's are among them. Others in its folder belong to the browser, or
 * to files that are not finished, and are not listed.
 */
import { InvalidArgumentError } from "../errors.js";

/** @param {string} name */
export function isFileName(name) {
  return /^[A-Za-z0-9%!'()*_-][A-Za-z0-9._%!'()*~-]*$/.test(name) && !name.endsWith(".crswap");
}

/** @param {string} name */
export function checkFileName(name) {
  if (!isFileName(name)) throw new InvalidArgumentError(`"${name}" cannot be the name of a file of a store.`);
}
