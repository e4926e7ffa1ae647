/**
 * Zengram in the page: `await init()` once, then every call is synchronous.
 *
 *     import init, { ZengramMemory } from "./zengram.js";
 *     await init();
 *     const memory = ZengramMemory.open(384);
 *     memory.setEmbedFn(embed, 384);
 *     memory.remember("drink", "The user drinks green tea", "/user");
 *     memory.recall("hot beverage", "/user");
 *
 * The work is done by the Python package `zengram_py`; this module checks and converts what only JavaScript can
 * check, and gives plain values back. What is public is documented in zengram.d.ts.
 */
import { Progress } from "./downloads.js";
import {
  BusyError,
  ClosedError,
  DimensionError,
  EmbedderError,
  InvalidArgumentError,
  NotInitializedError,
  VectorTypeError,
} from "./errors.js";
import { boot } from "./runtime.js";

export {
  BootError,
  BusyError,
  ClosedError,
  DimensionError,
  EmbedderError,
  InvalidArgumentError,
  NotInitializedError,
  SnapshotError,
  StorageError,
  VectorLengthError,
  VectorNotFiniteError,
  VectorTypeError,
  VectorZeroError,
  ZengramError,
} from "./errors.js";
export { openStore } from "./persistence/opfs.js";
export { init as default, init };

/** @typedef {import("./runtime.js").Bridge} Bridge */
/** @typedef {import("./zengram.js").InitOptions} InitOptions */
/** @typedef {import("./zengram.js").FactsOptions} FactsOptions */
/** @typedef {import("./zengram.js").Versions} Versions */
/** @typedef {import("./zengram.js").Hit} Hit */
/** @typedef {import("./zengram.js").Fact} Fact */
/** @typedef {import("./zengram.js").Vector} Vector */
/**
 * What a memory shares with its embedding callback. It is an object of its own because Python holds the callback: if
 * the callback held the memory, a forgotten memory could never be collected.
 * @typedef {object} EmbedState
 * @property {boolean} embedding
 * @property {unknown} error what the user's function threw during the call
 * @property {EmbedderError} [refusal] set when the function returned a Promise
 */

/** @type {Bridge | null} */
let bridge = null;
/** @type {{promise: Promise<void>, progress: Progress} | null} */
let booting = null;

/**
 * Boots Python once: later calls wait for the same boot, and a failed one may be tried again.
 *
 * @param {InitOptions} [options]
 * @returns {Promise<void>}
 */
function init(options = {}) {
  if (booting === null) {
    const progress = new Progress();
    const promise = boot(options, progress).then(
      (started) => {
        bridge = started;
      },
      (error) => {
        booting = null;
        throw error;
      },
    );
    booting = { promise, progress };
  }
  booting.progress.listen(options.onProgress);
  return booting.promise;
}

/** @returns {Versions} */
export function versions() {
  return /** @type {Versions} */ (running().call("version", 0, "[]"));
}

/** @returns {Bridge} */
function running() {
  if (bridge === null) {
    throw new NotInitializedError("Zengram is not initialized: call `await init()` once before anything else.");
  }
  return bridge;
}

/** Frees what Python holds for a memory that the page forgot to free. @type {FinalizationRegistry<number>} */
const forgotten = new FinalizationRegistry((handle) => {
  bridge?.call("free", handle, "[]");
});

/** Lets `open` and `openFromSnapshot` in, and nobody else. */
const INTERNAL = Symbol("internal");

export class ZengramMemory {
  /** 0 when freed. */
  #handle;
  /** @type {EmbedState} */
  #embed = { embedding: false, error: undefined };

  /**
   * @param {symbol} key
   * @param {number} handle
   */
  constructor(key, handle) {
    if (key !== INTERNAL) {
      throw new InvalidArgumentError("Use ZengramMemory.open(dim) or ZengramMemory.openFromSnapshot(bytes, dim).");
    }
    this.#handle = handle;
    forgotten.register(this, handle, this);
  }

  /** @param {number} dim @returns {ZengramMemory} */
  static open(dim) {
    const handle = running().call("open", 0, toJson([checkDim(dim)]));
    return new ZengramMemory(INTERNAL, /** @type {number} */ (handle));
  }

  /** @param {Uint8Array} bytes @param {number} dim @returns {ZengramMemory} */
  static openFromSnapshot(bytes, dim) {
    const python = running();
    if (!isTyped(bytes, "Uint8Array")) {
      throw new InvalidArgumentError(`A snapshot must be a Uint8Array, not ${describe(bytes)}.`);
    }
    const handle = python.call("openFromSnapshot", 0, toJson([checkDim(dim)]), bytes);
    return new ZengramMemory(INTERNAL, /** @type {number} */ (handle));
  }

  /** @param {(text: string) => Vector} fn @param {number} dim @returns {void} */
  setEmbedFn(fn, dim) {
    const handle = this.#open();
    if (typeof fn !== "function") {
      throw new InvalidArgumentError(`setEmbedFn needs a function, not ${describe(fn)}.`);
    }
    running().setEmbedFn(handle, embedCallback(fn, this.#embed), checkDim(dim));
  }

  /** @param {string} subject @param {string} content @param {string} scope @returns {string} */
  remember(subject, content, scope) {
    return /** @type {string} */ (this.#call("remember", [subject, content, scope]));
  }

  /** @param {string} query @param {string} scope @returns {Hit[]} */
  recall(query, scope) {
    return /** @type {Hit[]} */ (this.#call("recall", [query, scope]));
  }

  /** @param {string} subject @param {string} content @param {string} scope @param {Vector} vec @returns {string} */
  rememberWithVector(subject, content, scope, vec) {
    this.#open();
    return /** @type {string} */ (this.#call("rememberWithVector", [subject, content, scope], toFloat32(vec)));
  }

  /** @param {string} query @param {string} scope @param {Vector} vec @returns {Hit[]} */
  recallWithVector(query, scope, vec) {
    this.#open();
    return /** @type {Hit[]} */ (this.#call("recallWithVector", [query, scope], toFloat32(vec)));
  }

  /** @param {string} scope @param {FactsOptions} [options] @returns {Fact[]} */
  facts(scope, options) {
    const { limit, offset } = options ?? {};
    for (const [name, value] of Object.entries({ limit, offset })) {
      // JSON would turn these into null, which means "not given".
      if (typeof value === "number" && !Number.isFinite(value)) {
        throw new InvalidArgumentError(`The ${name} of facts must be a whole number, not ${value}.`);
      }
    }
    return /** @type {Fact[]} */ (this.#call("facts", [scope, { limit, offset }]));
  }

  /** @returns {Uint8Array} */
  exportSnapshot() {
    return running().exportSnapshot(this.#open());
  }

  /** @returns {void} */
  free() {
    if (this.#handle === 0) return;
    const handle = this.#open();
    this.#handle = 0;
    forgotten.unregister(this);
    running().call("free", handle, "[]");
  }

  /** The handle, if calls may be made now. */
  #open() {
    if (this.#handle === 0) throw new ClosedError("This memory was freed; open another one.");
    if (this.#embed.embedding) {
      throw new BusyError("The embedding function of a memory may not call that memory: it is in the middle of a call.");
    }
    return this.#handle;
  }

  /** @param {string} method @param {unknown[]} args @param {Float32Array} [vector] */
  #call(method, args, vector) {
    const handle = this.#open();
    const embed = this.#embed;
    try {
      return running().call(method, handle, toJson(args), vector, () => embed.error);
    } catch (error) {
      // The callback knows better than Python, which only sees that it failed.
      if (embed.refusal && error instanceof EmbedderError) throw embed.refusal;
      throw error;
    } finally {
      embed.error = undefined;
      embed.refusal = undefined;
    }
  }
}

// Some browsers have no Symbol.dispose yet; polyfills and compilers look for the registered symbol then.
Object.defineProperty(ZengramMemory.prototype, Symbol.dispose ?? Symbol.for("Symbol.dispose"), {
  value: ZengramMemory.prototype.free,
  configurable: true,
  writable: true,
});

/**
 * What Python calls for a vector: checks the user's function and keeps its exception, which cannot cross as it is.
 *
 * @param {(text: string) => Vector} fn
 * @param {EmbedState} state
 * @returns {(text: string) => Float32Array}
 */
function embedCallback(fn, state) {
  return (text) => {
    state.embedding = true;
    try {
      const vector = fn(text);
      if (isThenable(vector)) {
        // The promise is refused as such: that it may also reject is of no further interest.
        vector.then(undefined, () => {});
        state.refusal = new EmbedderError(
          "The embedding function returned a Promise, but it must return the vector itself. " +
            "Embed first and use rememberWithVector or recallWithVector.",
          { code: "EMBEDDER_ASYNC" },
        );
        throw state.refusal;
      }
      return toFloat32(vector);
    } catch (error) {
      state.error = error;
      throw error;
    } finally {
      state.embedding = false;
    }
  };
}

/** @param {unknown} value @returns {value is PromiseLike<unknown>} */
function isThenable(value) {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (/** @type {{then?: unknown}} */ (value).then) === "function"
  );
}

/**
 * Python checks length, zeros and finiteness; what is no vector at all is found here.
 *
 * @param {unknown} vector
 * @returns {Float32Array}
 */
function toFloat32(vector) {
  if (isTyped(vector, "Float32Array")) return /** @type {Float32Array} */ (vector);
  if (isTyped(vector, "Float64Array")) return Float32Array.from(/** @type {Float64Array} */ (vector));
  if (!Array.isArray(vector)) {
    throw new VectorTypeError(
      `A vector must be a Float32Array, a Float64Array or an array of numbers, not ${describe(vector)}.`,
    );
  }
  const result = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i++) {
    if (typeof vector[i] !== "number") {
      throw new VectorTypeError(`A vector must hold numbers only, but element ${i} is ${describe(vector[i])}.`);
    }
    result[i] = vector[i];
  }
  return result;
}

/**
 * Unlike instanceof, true for arrays of another frame or Node context too.
 *
 * @param {unknown} value
 * @param {string} type
 */
function isTyped(value, type) {
  return ArrayBuffer.isView(value) && /** @type {any} */ (value)[Symbol.toStringTag] === type;
}

/**
 * Done here because JSON would turn NaN, infinities and undefined into one and the same null.
 *
 * @param {unknown} dim
 * @returns {number}
 */
function checkDim(dim) {
  if (!Number.isSafeInteger(dim) || /** @type {number} */ (dim) < 1) {
    const given = typeof dim === "number" ? String(dim) : describe(dim);
    throw new DimensionError(`The number of dimensions must be a positive integer, not ${given}.`);
  }
  return /** @type {number} */ (dim);
}

/** @param {unknown[]} args */
function toJson(args) {
  try {
    return JSON.stringify(args);
  } catch (cause) {
    throw new InvalidArgumentError("An argument cannot be sent to Python: it is circular or a BigInt.", { cause });
  }
}

/** @param {unknown} value */
function describe(value) {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (ArrayBuffer.isView(value)) return /** @type {any} */ (value)[Symbol.toStringTag] ?? "a DataView";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
