/**
 * What a value is, found out without trusting it, and in words for messages.
 */

/** What a value is, and which one if it is a number. @param {unknown} value */
export function shown(value) {
  return typeof value === "number" ? String(value) : describe(value);
}

/**
 * What a value is, in words. It may be an object that refuses every question.
 *
 * @param {unknown} value
 */
export function describe(value) {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  try {
    const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
    if (kind === "Promise") return "a Promise (await it first)";
    return `${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind === "Object" || kind === "Array" ? kind.toLowerCase() : kind}`;
  } catch {
    return "an object";
  }
}

/**
 * What was thrown, as text. Anything can be thrown, such as an object without a text.
 *
 * @param {unknown} thrown
 */
export function textOf(thrown) {
  try {
    return String(thrown);
  } catch {
    return describe(thrown);
  }
}

/** @param {unknown} value @returns {value is object} */
export function isPlainObject(value) {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  // Object.prototype, of this frame or another, is a prototype without one.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
