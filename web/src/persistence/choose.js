/**
 * Where a store lives: in the private file system, else in IndexedDB, else in memory. What matters is that the data of a
 * store are never sought in the wrong place, found to be none, and begun anew:
 *
 *     it has a home (noted with the tails)   that place, or an error that says where the data are
 *     the browser lacks a place              passed over
 *     the browser forbids a place            passed over, unless all that exist are forbidden: an error
 *     no place exists at all                 memory, with the reason
 *
 * The place is noted before it is handed out, so a store without a home has no data in IndexedDB.
 */
import { StorageError } from "../errors.js";
import { browserEnvironment } from "./environment.js";
import { openIndexedDb } from "./indexeddb.js";
import { openInMemory } from "./memory_files.js";
import { openOpfs } from "./opfs.js";
import { toStorageError } from "./storage_errors.js";

/** @import { Backend, BackendKind, Choice, Environment, HomeKind, TailStore } from "./types.js" */

/** In the order in which they are tried. */
const PLACES = /** @type {const} */ ([
  { kind: "opfs", open: openOpfs, what: "the private file system (OPFS)" },
  { kind: "indexeddb", open: openIndexedDb, what: "IndexedDB" },
]);

/**
 * @param {string} name of the store
 * @param {TailStore} tail
 * @param {Environment} [environment]
 * @param {BackendKind} [wanted] the one place that will do
 * @returns {Promise<Choice>}
 */
export async function chooseBackend(name, tail, environment = browserEnvironment, wanted) {
  if (wanted === "memory") return { backend: await openInMemory(name), passedOver: [], error: null };
  const home = await tail.home(name);
  if (home !== null) return { backend: await openHome(name, home, environment, wanted), passedOver: [], error: null };

  /** @type {{kind: HomeKind, reason: StorageError}[]} */
  const passedOver = [];
  for (const { kind, open } of PLACES) {
    if (wanted !== undefined && wanted !== kind) continue;
    let backend;
    try {
      backend = await open(name, environment);
    } catch (error) {
      passedOver.push({ kind, reason: toStorageError(error, "STORAGE_WRITE_FAILED", "The store could not be opened") });
      continue;
    }
    const settled = await settle(name, backend, tail, wanted);
    if (settled === kind) return { backend, passedOver, error: null };
    // Another page chose at the same time, and was first.
    await backend.close();
    return { backend: await openHome(name, settled, environment, wanted), passedOver: [], error: null };
  }
  const existing = passedOver.map(({ reason }) => reason).filter(({ code }) => code !== "STORAGE_UNAVAILABLE");
  const reason = existing.find(({ code }) => code !== "STORAGE_DENIED") ?? existing[0];
  if (reason !== undefined) throw reason;
  if (wanted !== undefined) throw passedOver[0].reason;
  const error = new StorageError("This browser has no storage for this page: the data are in memory only.", {
    code: "STORAGE_UNAVAILABLE",
    cause: passedOver[0].reason,
  });
  return { backend: await openInMemory(name), passedOver, error };
}

/**
 * @param {string} name
 * @param {HomeKind} home
 * @param {Environment} environment
 * @param {BackendKind} [wanted]
 */
async function openHome(name, home, environment, wanted) {
  const { open, what } = PLACES[home === "opfs" ? 0 : 1];
  const where = `The data of the store "${name}" are in ${what}`;
  if (wanted !== undefined && wanted !== home) {
    throw new StorageError(`${where}, and another place was asked for; export them there and import them here.`, {
      code: "STORAGE_UNAVAILABLE",
    });
  }
  try {
    return await open(name, environment);
  } catch (cause) {
    const reason = toStorageError(cause, "STORAGE_UNAVAILABLE", "It could not be opened");
    const telling = ["STORAGE_DENIED", "STORAGE_VERSION", "STORAGE_LOCKED"].includes(reason.code);
    const code = telling ? reason.code : "STORAGE_UNAVAILABLE";
    throw new StorageError(`${where}, which cannot be opened here. ${reason.message}`, { code, cause });
  }
}

/**
 * Notes where a new store lives.
 *
 * @param {string} name
 * @param {Backend} backend
 * @param {TailStore} tail
 * @param {BackendKind} [wanted]
 * @returns {Promise<HomeKind>} where it does
 */
async function settle(name, backend, tail, wanted) {
  const kind = /** @type {HomeKind} */ (backend.kind);
  try {
    if (tail.available) return await tail.claimHome(name, kind);
    // IndexedDB exists, but nobody can look whether the store is there: an empty place will not do.
    const unknown = tail.reason !== null && tail.reason.code !== "STORAGE_UNAVAILABLE" && wanted === undefined;
    if (unknown && (await backend.list()).length === 0) throw tail.reason;
    return kind;
  } catch (error) {
    await backend.close();
    throw error;
  }
}
