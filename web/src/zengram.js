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
 * The work is done by the Python package `zengram_py`; the modules here check and convert what only JavaScript can
 * check, and give plain values back. What is public is documented in zengram.d.ts.
 */
import { Progress } from "./downloads.js";
import { checkListener, checkOptions } from "./inputs.js";
import { running, setBridge } from "./python.js";
import { boot } from "./runtime.js";

export {
  BootError,
  BusyError,
  ClosedError,
  ConflictError,
  ConstraintError,
  DimensionError,
  EmbedderError,
  InvalidArgumentError,
  MigrationError,
  NotFoundError,
  NotInitializedError,
  SnapshotError,
  SqlError,
  StateError,
  StorageError,
  TransactionError,
  VectorLengthError,
  VectorNotFiniteError,
  VectorTypeError,
  VectorZeroError,
  ZengramError,
} from "./errors.js";
export { ZengramMemory } from "./memory.js";
export { deleteStore, importStore } from "./persistence/open.js";
export { openDb, openMemory } from "./stored.js";
export { openStore } from "./persistence/byte_store.js";
export { ZetaCursor, ZetaDb, ZetaTxn } from "./zeta.js";
export { init as default, init };

/** @import { InitOptions, Versions } from "./zengram.js" */

/** @type {{promise: Promise<void>, progress: Progress} | null} */
let booting = null;

/**
 * Boots Python once: later calls wait for the same boot, and a failed one may be tried again.
 *
 * @param {InitOptions} [options]
 * @returns {Promise<void>}
 */
function init(options) {
  const given = /** @type {InitOptions} */ (options ?? {});
  try {
    checkOptions(given, "init");
    checkListener(given.onProgress, "onProgress");
  } catch (error) {
    return Promise.reject(error);
  }
  if (booting === null) {
    const progress = new Progress();
    const promise = boot(given, progress).then(
      (started) => {
        setBridge(started);
      },
      (error) => {
        booting = null;
        throw error;
      },
    );
    booting = { promise, progress };
  }
  booting.progress.listen(given.onProgress);
  return booting.promise;
}

/** @returns {Versions} */
export function versions() {
  return /** @type {Versions} */ (running().call("version", 0, "[]"));
}
