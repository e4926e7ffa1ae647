/**
 * Checks and converts what a caller hands in. Everything that Python is given went through here: JSON would take a
 * Date for a text and NaN for nothing, and a typed array may be of a subclass, detached, or have properties that lie.
 * So kinds are told by what the language itself knows of a value, never by what the value says of itself.
 */
import { describe, isPlainObject, shown, textOf } from "./describe.js";
import { DimensionError, InvalidArgumentError, VectorTypeError } from "./errors.js";
import { plainJson } from "./json.js";

const TypedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);

/** @param {string | symbol} name @returns {(array: unknown) => any} */
function getterOf(name) {
  const { get } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(TypedArrayPrototype, name));
  return (array) => /** @type {() => unknown} */ (get).call(array);
}

/** The name of a typed array's kind, in whatever frame and of whatever subclass; undefined for anything else. */
const kindOf = getterOf(Symbol.toStringTag);
const bufferOf = getterOf("buffer");
const offsetOf = getterOf("byteOffset");
const lengthOf = getterOf("length");

/**
 * Python checks length, zeros and finiteness; what is no vector at all is found here.
 *
 * @param {unknown} vector
 * @returns {Float32Array}
 */
export function toFloat32(vector) {
  const kind = kindOf(vector);
  try {
    if (kind === "Float32Array") return plainView(Float32Array, vector);
    if (kind === "Float64Array") return new Float32Array(plainView(Float64Array, vector));
    if (kind === undefined && Array.isArray(vector)) return numbersToFloat32(vector);
  } catch (cause) {
    if (cause instanceof VectorTypeError) throw cause;
    throw new VectorTypeError(`The vector cannot be read: ${textOf(cause)}`, { cause });
  }
  throw new VectorTypeError(
    `A vector must be a Float32Array, a Float64Array or an array of numbers, not ${describe(vector)}.`,
  );
}

/** @param {readonly unknown[]} numbers */
function numbersToFloat32(numbers) {
  const result = new Float32Array(numbers.length);
  for (let i = 0; i < result.length; i++) {
    const value = numbers[i];
    if (typeof value !== "number") {
      throw new VectorTypeError(`A vector must hold numbers only, but element ${i} is ${describe(value)}.`);
    }
    result[i] = value;
  }
  return result;
}

/**
 * The same bytes, not copied, as a plain Uint8Array: of a Node Buffer, for instance.
 *
 * @param {unknown} bytes
 * @param {string} what
 * @returns {Uint8Array}
 */
export function toBytes(bytes, what) {
  if (kindOf(bytes) !== "Uint8Array") {
    throw new InvalidArgumentError(`${what} must be a Uint8Array, not ${describe(bytes)}.`);
  }
  try {
    return plainView(Uint8Array, bytes);
  } catch (cause) {
    throw new InvalidArgumentError(`${what} cannot be read: ${textOf(cause)}`, { cause });
  }
}

/**
 * @template {Float32Array | Float64Array | Uint8Array} T
 * @param {new (buffer: ArrayBuffer, offset: number, length: number) => T} Kind
 * @param {unknown} array
 * @returns {T}
 */
function plainView(Kind, array) {
  return new Kind(bufferOf(array), offsetOf(array), lengthOf(array));
}

/**
 * @param {Record<string, unknown>} texts the arguments by their names
 * @returns {string[]} them, in their order
 */
export function checkTexts(texts) {
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text !== "string") {
      throw new InvalidArgumentError(`The ${name} must be a string, not ${describe(text)}.`);
    }
  }
  return /** @type {string[]} */ (Object.values(texts));
}

/**
 * @param {unknown} dim
 * @returns {number}
 */
export function checkDim(dim) {
  if (!Number.isSafeInteger(dim) || /** @type {number} */ (dim) < 1) {
    throw new DimensionError(`The number of dimensions must be a positive integer, not ${shown(dim)}.`);
  }
  return /** @type {number} */ (dim);
}

/**
 * @typedef {"count" | "integer" | "fraction" | "amount" | "flag" | "flagOrFraction" | "text" | "names" | "textOrNames" | "time" | "timeOrId"
 *   | "json" | "jsonText" | "textOrError" | "objects" | "vector"} OptionKind
 */

/** @param {unknown} value @returns {boolean} */
const isText = (value) => typeof value === "string";
/** @param {unknown} value @returns {boolean} */
const isFraction = (value) => typeof value === "number" && value >= 0 && value <= 1;
/** @param {unknown} value @returns {boolean} */
const areNames = (value) => Array.isArray(value) && value.every(isText);

/** Copies without what the caller's code may have hung on: JSON asks a value's toJSON. @param {any} names */
const plainNames = (names) => (isText(names) ? [names] : Array.from(names));

/** @param {any} value */
const isTime = (value) => isText(value) || Number.isSafeInteger(value) || !Number.isNaN(timeOf(value));
/** Dates count milliseconds, everything else here microseconds. @param {any} value */
const plainTime = (value) => (typeof value === "object" ? timeOf(value) * 1000 : value);

/** @type {Record<OptionKind, {what: string, fits: (value: any) => boolean, plain?: (value: any, name: string) => unknown}>} */
const OPTION_KINDS = {
  count: { what: "a whole number of at least 0", fits: (value) => Number.isSafeInteger(value) && value >= 0 },
  integer: { what: "a whole number", fits: Number.isSafeInteger },
  fraction: { what: "a number from 0 to 1", fits: isFraction },
  amount: { what: "a number of at least 0", fits: (value) => Number.isFinite(value) && value >= 0 },
  flag: { what: "true or false", fits: (value) => typeof value === "boolean" },
  flagOrFraction: {
    what: "true, false or a number from 0 to 1",
    fits: (value) => typeof value === "boolean" || isFraction(value),
  },
  text: { what: "a string", fits: isText },
  textOrError: {
    what: "a string or an Error",
    fits: (value) => isText(value) || Object.prototype.toString.call(value) === "[object Error]",
    plain: (value) => (isText(value) ? value : textOf(value)),
  },
  names: { what: "an array of strings", fits: areNames, plain: plainNames },
  textOrNames: {
    what: "a string or an array of strings",
    fits: (value) => isText(value) || areNames(value),
    plain: plainNames,
  },
  time: { what: "a Date, ISO 8601 text or microseconds since 1970", fits: isTime, plain: plainTime },
  timeOrId: {
    what: "a Date, ISO 8601 text, microseconds since 1970 or the id of a turn",
    fits: isTime,
    plain: plainTime,
  },
  json: { what: "JSON", fits: (value) => value !== undefined, plain: plainJson },
  jsonText: {
    what: "a string or JSON",
    fits: (value) => value !== undefined,
    plain: (value, name) => (isText(value) ? value : JSON.stringify(plainJson(value, name))),
  },
  objects: { what: "an array of objects", fits: areObjects, plain: plainJson },
  vector: { what: "a vector", fits: () => true, plain: toFloat32 },
};

/** @param {unknown} value @returns {boolean} */
function areObjects(value) {
  return Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null && !Array.isArray(one));
}

/** The milliseconds of a Date, in whatever frame it was made; NaN for anything else. @param {unknown} value */
export function timeOf(value) {
  try {
    return Date.prototype.getTime.call(value);
  } catch {
    return Number.NaN; // the language says that this is no Date by throwing
  }
}

/**
 * @param {unknown} options what a call was given
 * @param {string} owner the call
 * @param {Record<string, OptionKind | `${OptionKind}|null`>} kinds the options that it takes
 * @returns {Record<string, unknown>} those that were given
 */
export function checkKnownOptions(options, owner, kinds) {
  checkOptions(options, owner);
  /** @type {Record<string, unknown>} */
  const given = {};
  for (const [name, value] of entriesOf(options, owner)) {
    const [kind, orNull] = Object.hasOwn(kinds, name) ? kinds[name].split("|") : [];
    if (kind === undefined) {
      throw new InvalidArgumentError(`${owner} has no option "${name}"; it takes ${Object.keys(kinds).join(", ")}.`);
    }
    if (value === null && orNull !== undefined) given[name] = null;
    if (value === undefined || value === null) continue;
    given[name] = checkKind(value, OPTION_KINDS[/** @type {OptionKind} */ (kind)], name, ` of ${owner}`);
  }
  return given;
}

/**
 * Checks one argument that is not among the options.
 *
 * @param {unknown} value
 * @param {OptionKind} kind
 * @param {string} name
 */
export function checkArgument(value, kind, name) {
  return checkKind(value, OPTION_KINDS[kind], name, "");
}

/**
 * @param {unknown} value
 * @param {(typeof OPTION_KINDS)[OptionKind]} kind
 * @param {string} name
 * @param {string} of whose it is, for the message
 */
function checkKind(value, kind, name, of) {
  const wrong = `The ${name}${of} must be ${kind.what}`;
  let plain;
  try {
    if (!kind.fits(value)) throw new InvalidArgumentError(`${wrong}, not ${shown(value)}.`);
    plain = kind.plain === undefined ? value : kind.plain(value, name);
  } catch (cause) {
    if (cause instanceof InvalidArgumentError || cause instanceof VectorTypeError) throw cause;
    throw new InvalidArgumentError(`${wrong}; it cannot be read: ${textOf(cause)}`, { cause });
  }
  if ((kind === OPTION_KINDS.time || kind === OPTION_KINDS.timeOrId) && looksLikeMilliseconds(plain)) {
    throw new InvalidArgumentError(`${wrong}: ${plain} looks like milliseconds. Pass a Date, or multiply by 1000.`);
  }
  return plain;
}

/**
 * The options that a plain object holds. Anything else that holds some (a Map, an instance with getters) would be read as
 * holding none.
 *
 * @param {unknown} options
 * @param {string} owner
 * @returns {[string, unknown][]}
 */
function entriesOf(options, owner) {
  if (options === undefined || options === null) return [];
  let entries;
  try {
    if (isPlainObject(options)) entries = Object.entries(options);
  } catch (cause) {
    throw new InvalidArgumentError(`The options of ${owner} cannot be read: ${textOf(cause)}`, { cause });
  }
  if (entries === undefined) {
    throw new InvalidArgumentError(`The options of ${owner} must be a plain object, not an instance of a class.`);
  }
  return entries;
}

/** Times from 1973 to 2286, counted in milliseconds; as microseconds they are days of 1970. @param {unknown} time */
function looksLikeMilliseconds(time) {
  return typeof time === "number" && time >= 1e11 && time < 1e13;
}

/** @param {unknown} budgetMs @returns {number} */
export function checkBudget(budgetMs) {
  if (OPTION_KINDS.amount.fits(budgetMs)) return /** @type {number} */ (budgetMs);
  throw new InvalidArgumentError(`The budget of maintain must be a number of at least 0, not ${shown(budgetMs)}.`);
}

/** @param {unknown} options @param {string} owner */
export function checkOptions(options, owner) {
  if (options === undefined || options === null) return;
  if (typeof options !== "object" || Array.isArray(options)) {
    throw new InvalidArgumentError(`The options of ${owner} must be an object, not ${describe(options)}.`);
  }
}

/** @param {unknown} listener @param {string} name */
export function checkListener(listener, name) {
  if (listener !== undefined && listener !== null && typeof listener !== "function") {
    throw new InvalidArgumentError(`${name} must be a function, not ${describe(listener)}.`);
  }
}
