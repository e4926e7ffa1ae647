/**
 * What is to be stored as JSON: checked to be just that, and copied. `JSON.stringify` would turn a Date into a text, NaN into null and a
 * Map into `{}`, and would run a `toJSON` of the caller's; here what would be lost or changed is refused, with the place where it is.
 */
import { describe, isPlainObject, shown } from "./describe.js";
import { InvalidArgumentError } from "./errors.js";

/** As deep as Python keeps (json_values.py). A value that contains itself is deeper than anything. */
export const MAX_DEPTH = 200;

/**
 * @param {unknown} value
 * @param {string} path where it is: the name of the argument, and how to get there from it
 * @param {number} [depth]
 * @returns {unknown} a copy of nothing but strings, finite numbers, booleans, nulls, arrays and objects
 */
export function plainJson(value, path, depth = 0) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (depth > MAX_DEPTH) {
    const outside = `${path.slice(0, 60)}…`;
    throw new InvalidArgumentError(`${outside} is nested more than ${MAX_DEPTH} deep, or contains itself.`);
  }
  if (Array.isArray(value)) return Array.from(value, (item, i) => plainJson(item, `${path}[${i}]`, depth + 1));
  if (!isPlainObject(value)) throw new InvalidArgumentError(`${path} is no JSON: it is ${whatItIs(value)}.`);
  // Without a prototype, "__proto__" is a name like any other.
  const copy = Object.create(null);
  for (const [name, item] of Object.entries(value)) {
    if (item !== undefined) copy[name] = plainJson(item, `${path}${step(name)}`, depth + 1);
  }
  return copy;
}

/** @param {string} name */
function step(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** @param {unknown} value */
function whatItIs(value) {
  if (typeof value === "number") return shown(value);
  const kind = describe(value);
  return kind === "an object" ? "an instance of a class" : kind;
}
