/**
 * What each call of a memory takes, as one table (calls/ has it by what the calls are about), and the check of what a call was given.
 */
import { CODE_CALLS } from "./calls/code.js";
import { CONTEXT_CALLS } from "./calls/context.js";
import { FACT_CALLS } from "./calls/facts.js";
import { SESSION_CALLS } from "./calls/sessions.js";
import { WORK_CALLS } from "./calls/work.js";
import { describe, textOf } from "./describe.js";
import { InvalidArgumentError, VectorTypeError } from "./errors.js";
import { checkArgument, checkKnownOptions, toFloat32 } from "./inputs.js";

/** @typedef {import("./inputs.js").OptionKind} OptionKind */
/** @typedef {import("./calls/kinds.js").Call} Call */

const CALLS = { ...FACT_CALLS, ...SESSION_CALLS, ...CONTEXT_CALLS, ...WORK_CALLS, ...CODE_CALLS };

/** @typedef {keyof typeof CALLS} Method */

/** Whether a call leaves work for idle time. @param {Method} method */
export function writes(method) {
  return /** @type {Call} */ (CALLS[method]).writes === true;
}

/**
 * Checks what a call was given, and converts it for the bridge.
 *
 * @param {Method} method
 * @param {readonly unknown[]} values the arguments in their order
 * @param {unknown} options
 * @returns {{args: string, buffer: Float32Array | undefined}} JSON text, and the numbers beside it
 */
export function checkCall(method, values, options) {
  /** @type {Call} */
  const call = CALLS[method];
  /** @type {unknown[]} */
  const args = [];
  let buffer;
  for (const [i, [name, kind]] of Object.entries(call.takes).entries()) {
    if (kind === "vector") {
      buffer = toFloat32(values[i]);
    } else if (kind === "vectors") {
      const vectors = checkVectors(values[i]);
      buffer = joined(vectors);
      args.push(vectors.map((vector) => vector.length));
    } else if (kind.endsWith("?")) {
      const given = values[i] ?? null;
      args.push(given === null ? null : checkArgument(given, /** @type {OptionKind} */ (kind.slice(0, -1)), name));
    } else {
      args.push(checkArgument(values[i], /** @type {OptionKind} */ (kind), name));
    }
  }
  if (call.options !== undefined) {
    const { vec, ...given } = checkKnownOptions(options, method, call.options);
    if (vec !== undefined) buffer = /** @type {Float32Array} */ (vec);
    args.push(given);
  }
  return { args: JSON.stringify(args), buffer };
}

/**
 * Copies: reading the next one may run code of the caller's, which may take the bytes of this one away.
 *
 * @param {unknown} vectors
 * @returns {Float32Array[]}
 */
function checkVectors(vectors) {
  if (!Array.isArray(vectors)) {
    throw new InvalidArgumentError(`The vectors must be an array of vectors, not ${describe(vectors)}.`);
  }
  let at = 0;
  try {
    return Array.from(vectors, (vector, i) => {
      at = i;
      return toFloat32(vector).slice();
    });
  } catch (cause) {
    if (cause instanceof VectorTypeError) throw new VectorTypeError(`vectors[${at}]: ${cause.message}`, { cause });
    throw new InvalidArgumentError(`The vectors cannot be read: ${textOf(cause)}`, { cause });
  }
}

/** @param {readonly Float32Array[]} vectors */
function joined(vectors) {
  const all = new Float32Array(vectors.reduce((length, vector) => length + vector.length, 0));
  let at = 0;
  for (const vector of vectors) {
    all.set(vector, at);
    at += vector.length;
  }
  return all;
}
