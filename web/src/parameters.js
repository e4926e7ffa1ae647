/**
 * Parameters of statements, as pairs of a kind and a value that JSON has: it knows neither dates nor whole numbers of more than 53 bits, and
 * takes a typed array for an object. A parameter never becomes a part of the statement's text.
 *
 *     null, string, boolean, finite number, plain object     ["json", value]
 *     bigint                                                  ["integer", "9007199254740993"]
 *     NaN, Infinity                                           ["float", "NaN"]
 *     Date                                                    ["date", microseconds since 1970]
 *     Float32Array, Float64Array                              ["vector", [1, 0.5]]
 *     Uint8Array, ArrayBuffer                                 ["bytes", [255, 0]]
 *     Array                                                   ["json", value] or, of the other kinds, ["list", [pair, …]]
 */
import { describe, textOf } from "./describe.js";
import { InvalidArgumentError } from "./errors.js";
import { timeOf, toBytes } from "./inputs.js";

/** @typedef {[kind: string, value: unknown]} Parameter */

/**
 * @param {unknown} given
 * @returns {Parameter[]}
 */
export function checkParameters(given) {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) {
    throw new InvalidArgumentError(`The parameters of a statement must be an array, not ${describe(given)}.`);
  }
  return Array.from(given, (value, i) => parameter(value, `$${i + 1}`));
}

/**
 * @param {any} value
 * @param {string} name
 * @returns {Parameter}
 */
function parameter(value, name) {
  switch (typeof value) {
    case "string":
    case "boolean":
      return ["json", value];
    case "number":
      return Number.isFinite(value) ? ["json", value] : ["float", String(value)];
    case "bigint":
      return ["integer", String(value)];
    case "object":
      try {
        return value === null ? ["json", null] : objectParameter(value, name);
      } catch (cause) {
        if (cause instanceof InvalidArgumentError) throw cause;
        throw new InvalidArgumentError(`Parameter ${name} cannot be read: ${textOf(cause)}`, { cause });
      }
    default:
      throw new InvalidArgumentError(`Parameter ${name} cannot be ${describe(value)}.`);
  }
}

/**
 * @param {any} value
 * @param {string} name
 * @returns {Parameter}
 */
function objectParameter(value, name) {
  if (Array.isArray(value)) {
    const items = Array.from(value, (item) => parameter(item ?? null, name));
    return items.every(([kind]) => kind === "json") ? ["json", items.map(([, item]) => item)] : ["list", items];
  }
  const time = timeOf(value);
  if (!Number.isNaN(time)) return ["date", Math.round(time * 1000)];
  const kind = Object.prototype.toString.call(value);
  if (kind === "[object Date]") throw new InvalidArgumentError(`Parameter ${name} is an invalid Date.`);
  if (kind === "[object Float32Array]" || kind === "[object Float64Array]") {
    return ["vector", Array.from(value, (number) => (Number.isFinite(number) ? number : String(number)))];
  }
  if (ArrayBuffer.isView(value) || kind === "[object ArrayBuffer]") {
    return ["bytes", Array.from(toBytes(/** @type {Uint8Array} */ (value), `Parameter ${name}`))];
  }
  const text = JSON.stringify(value);
  if (kind !== "[object Object]" || text === undefined) {
    throw new InvalidArgumentError(`Parameter ${name} cannot be ${describe(value)}.`);
  }
  return ["json", JSON.parse(text)];
}
