/**
 * The functions of a page that Python calls in the middle of a call from the page: the embedder, the token counter, the entity extractor.
 */
import { describe, shown, textOf } from "./describe.js";
import { BusyError, EmbedderError, InvalidArgumentError } from "./errors.js";
import { checkArgument, checkDim, toFloat32 } from "./inputs.js";
import { running } from "./python.js";

/** @typedef {import("./zengram.js").Vector} Vector */
/** @typedef {import("./errors.js").ZengramError} ZengramError */
/**
 * @template T
 * @typedef {object} Kind
 * @property {string} what it is, in words
 * @property {(found: unknown) => T} check what it gave, as it crosses
 * @property {(cause: unknown) => ZengramError} failed when it threw, or what it gave will not do
 * @property {() => ZengramError} asynchronous when it gave a Promise
 */

/** @type {Kind<Float32Array>} */
const EMBEDDER = {
  what: "embedding function",
  check: toFloat32,
  failed: (cause) => new EmbedderError(`The embedding function failed: ${textOf(cause)}`, { cause }),
  asynchronous: () =>
    new EmbedderError(
      "The embedding function returned a Promise, but it must return the vector itself. " +
        "Embed first and use rememberWithVector, recallWithVector or another call that takes vectors.",
      { code: "EMBEDDER_ASYNC" },
    ),
};

/** @type {Kind<number>} */
const TOKEN_COUNTER = {
  what: "token counter",
  check: (count) => {
    if (Number.isSafeInteger(count) && /** @type {number} */ (count) >= 0) return /** @type {number} */ (count);
    throw new InvalidArgumentError(`It must return a whole number of at least 0, not ${shown(count)}.`);
  },
  failed: (cause) => new InvalidArgumentError(`The token counter failed: ${textOf(cause)}`, { cause }),
  asynchronous: () => new InvalidArgumentError("The token counter returned a Promise, but it must return the number itself."),
};

/** @type {Kind<string>} */
const ENTITY_EXTRACTOR = {
  what: "entity extractor",
  check: (names) => JSON.stringify(checkArgument(names, "names", "result")),
  failed: (cause) => new InvalidArgumentError(`The entity extractor failed: ${textOf(cause)}`, { cause }),
  asynchronous: () => new InvalidArgumentError("The entity extractor returned a Promise, but it must return the names themselves."),
};

/**
 * What an object shares with its callbacks. It is an object of its own because Python holds the callbacks: if they held the memory, a
 * forgotten memory could never be collected.
 */
export class Callbacks {
  /** Which of them runs. */
  running = "";
  /** Why one gave nothing during the call. @type {ZengramError | undefined} */
  failure = undefined;

  /**
   * @param {number} handle
   * @param {(text: string) => Vector} fn
   * @param {number} dim
   */
  setEmbedFn(handle, fn, dim) {
    checkFunction(fn, "setEmbedFn");
    running().setFunction("setEmbedFn", handle, callback(fn, this, EMBEDDER), [checkDim(dim)]);
  }

  /**
   * @param {number} handle
   * @param {((text: string) => number) | null} fn
   * @param {unknown} family
   */
  setTokenCounter(handle, fn, family) {
    if (fn !== null) checkFunction(fn, "setTokenCounter", " or null");
    const counter = fn === null ? undefined : callback(fn, this, TOKEN_COUNTER);
    running().setFunction("setTokenCounter", handle, counter, [family]);
  }

  /** @param {number} handle @param {((text: string) => readonly string[]) | null} fn */
  setEntityExtractor(handle, fn) {
    if (fn !== null) checkFunction(fn, "setEntityExtractor", " or null");
    running().setFunction("setEntityExtractor", handle, fn === null ? undefined : callback(fn, this, ENTITY_EXTRACTOR), []);
  }

  /** Refuses a call of the object that is waiting for a function of the page. @param {string} what */
  checkIdle(what) {
    if (this.running === "") return;
    throw new BusyError(`The ${this.running} of a ${what} may not call that ${what}: it is in the middle of a call.`);
  }

  /**
   * Runs a call during which Python may call functions of the page.
   *
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  during(work) {
    try {
      return work();
    } catch (error) {
      // The callback knows better than Python, which only sees that there is nothing.
      throw this.failure ?? error;
    } finally {
      this.failure = undefined;
    }
  }
}

/** @param {unknown} fn @param {string} owner @param {string} [orElse] */
function checkFunction(fn, owner, orElse = "") {
  if (typeof fn !== "function") throw new InvalidArgumentError(`${owner} needs a function${orElse}, not ${describe(fn)}.`);
}

/**
 * What Python calls. It gives undefined when the user's function failed and keeps the reason: a thrown value that crosses
 * Python comes out as another one, and some values stop the interpreter for good.
 *
 * @template T
 * @param {(text: string) => unknown} fn
 * @param {Callbacks} state
 * @param {Kind<T>} kind
 * @returns {(text: string) => T | undefined}
 */
function callback(fn, state, kind) {
  return (text) => {
    state.running = kind.what;
    try {
      const found = fn(text);
      if (!isPromise(found)) return kind.check(found);
      state.failure = kind.asynchronous();
    } catch (cause) {
      state.failure = kind.failed(cause);
    } finally {
      state.running = "";
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
