/**
 * The names that stores may have, and files of a back end; a byte store's are among them. Others in its folder belong to the browser, or
 * to files that are not finished, and are not listed.
 */
import { InvalidArgumentError } from "../errors.js";

const MAX_NAME_LENGTH = 100;

/** @param {unknown} name of a store */
export function checkStoreName(name) {
  if (typeof name !== "string" || name.length === 0 || name.length > MAX_NAME_LENGTH || !name.isWellFormed()) {
    throw new InvalidArgumentError(`A store's name must be a string of 1 to ${MAX_NAME_LENGTH} characters.`);
  }
}

/** @param {string} name */
export function isFileName(name) {
  return /^[A-Za-z0-9%!'()*_-][A-Za-z0-9._%!'()*~-]*$/.test(name) && !name.endsWith(".crswap");
}

/** @param {string} name */
export function checkFileName(name) {
  if (!isFileName(name)) throw new InvalidArgumentError(`"${name}" cannot be the name of a file of a store.`);
}
