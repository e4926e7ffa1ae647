/**
 * A memory of the page. What each call takes is in calls/, the methods are in memory/ by what they are about; the work is done by the Python
 * package `zengram_py`. What is public is documented in zengram.d.ts.
 */
import { describe } from "./describe.js";
import { InvalidArgumentError } from "./errors.js";
import { checkDim, toBytes } from "./inputs.js";
import { keep } from "./memory/base.js";
import { Code } from "./memory/code.js";
import { running } from "./python.js";
import { ZetaDb } from "./zeta.js";

/** Lets `open` and the like in, and nobody else. */
const INTERNAL = Symbol("internal");

export class ZengramMemory extends Code {
  /**
   * @param {symbol} key
   * @param {number} handle
   */
  constructor(key, handle) {
    if (key !== INTERNAL) {
      throw new InvalidArgumentError("Use ZengramMemory.open(dim) or ZengramMemory.openFromSnapshot(bytes, dim).");
    }
    super(handle);
  }

  /** @param {number} dim @returns {ZengramMemory} */
  static open(dim) {
    const handle = running().call("open", 0, JSON.stringify([checkDim(dim)]));
    return new ZengramMemory(INTERNAL, /** @type {number} */ (handle));
  }

  /** @param {Uint8Array} bytes @param {number} dim @returns {ZengramMemory} */
  static openFromSnapshot(bytes, dim) {
    const python = running();
    const snapshot = toBytes(bytes, "A snapshot");
    const handle = python.call("openFromSnapshot", 0, JSON.stringify([checkDim(dim)]), snapshot);
    return new ZengramMemory(INTERNAL, /** @type {number} */ (handle));
  }

  /** @param {ZetaDb} db @param {number} dim @returns {ZengramMemory} */
  static overEngine(db, dim) {
    if (!(db instanceof ZetaDb)) {
      throw new InvalidArgumentError(`A memory lies over a ZetaDb, not ${describe(db)}.`);
    }
    const handle = running().call("overEngine", db.handle(), JSON.stringify([checkDim(dim)]));
    const memory = new ZengramMemory(INTERNAL, /** @type {number} */ (handle));
    keep(memory, /** @type {import("./persistence/persistence.js").Persistence | null} */ (db.persistence), false);
    return memory;
  }
}

/**
 * The memory of a handle, and what keeps it stored; for openMemory, as nothing that is public.
 *
 * @param {number} handle
 * @param {import("./persistence/persistence.js").Persistence} persistence
 */
export function adoptMemory(handle, persistence) {
  const memory = new ZengramMemory(INTERNAL, handle);
  keep(memory, persistence, true);
  return memory;
}

// Some browsers have no Symbol.dispose yet; polyfills and compilers look for the registered symbol then.
Object.defineProperty(ZengramMemory.prototype, Symbol.dispose ?? Symbol.for("Symbol.dispose"), {
  value: ZengramMemory.prototype.free,
  configurable: true,
  writable: true,
});
