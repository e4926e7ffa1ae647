/**
 * The embedding function of a page, as Python calls it in the middle of a call from the page.
 */
import { describe, textOf } from "./describe.js";
import { BusyError, EmbedderError, InvalidArgumentError } from "./errors.js";
import { checkDim, toFloat32 } from "./inputs.js";
import { running } from "./python.js";

/** @typedef {import("./zengram.js").Vector} Vector */
/**
 * What an object shares with its embedding callback. It is an object of its own because Python holds the callback: if
 * the callback held the memory, a forgotten memory could never be collected.
 */
export class Embedding {
  isRunning = false;
  /** Why the user's function gave no vector during the call. @type {EmbedderError | undefined} */
  failure = undefined;

  /**
   * @param {number} handle
   * @param {(text: string) => Vector} fn
   * @param {number} dim
   */
  set(handle, fn, dim) {
    if (typeof fn !== "function") {
      throw new InvalidArgumentError(`setEmbedFn needs a function, not ${describe(fn)}.`);
    }
    running().setEmbedFn(handle, callback(fn, this), checkDim(dim));
  }

  /** Refuses a call of the object that is waiting for a vector. @param {string} what */
  checkIdle(what) {
    if (!this.isRunning) return;
    throw new BusyError(`The embedding function of a ${what} may not call that ${what}: it is in the middle of a call.`);
  }

  /**
   * Runs a call during which Python may ask for vectors.
   *
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  during(work) {
    try {
      return work();
    } catch (error) {
      // The callback knows better than Python, which only sees that there is no vector.
      throw this.failure ?? error;
    } finally {
      this.failure = undefined;
    }
  }
}

/**
 * What Python calls for a vector. It gives undefined when the user's function failed and keeps the reason: a thrown value that crosses
 * Python comes out as another one, and some values stop the interpreter for good.
 *
 * @param {(text: string) => Vector} fn
 * @param {Embedding} state
 * @returns {(text: string) => Float32Array | undefined}
 */
function callback(fn, state) {
  return (text) => {
    state.isRunning = true;
    try {
      const vector = fn(text);
      if (!isPromise(vector)) return toFloat32(vector);
      state.failure = new EmbedderError(
        "The embedding function returned a Promise, but it must return the vector itself. " +
          "Embed first and use rememberWithVector, recallWithVector or another call that takes vectors.",
        { code: "EMBEDDER_ASYNC" },
      );
    } catch (cause) {
      state.failure = new EmbedderError(`The embedding function failed: ${textOf(cause)}`, { cause });
    } finally {
      state.isRunning = false;
    }
    return undefined;
  };
}

/**
 * Whether a value is a Promise, or the like, where none may be. It is to be refused as such: that it may also reject is of no further
 * interest.
 *
 * @param {unknown} value
 */
export function isPromise(value) {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  if (typeof (/** @type {{then?: unknown}} */ (value).then) !== "function") return false;
  Promise.resolve(value).catch(() => {});
  return true;
}
