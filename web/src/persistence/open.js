/**
 * `openMemory` and `openDb`: what is stored under a name, restored, and stored from then on by itself.
 *
 *     lock ─► back end ─► files read ──┐
 *     Python starts (init) ────────────┴─► restore ─► ZengramMemory or ZetaDb, and a Persistence beside it
 *
 * The files are read while Python starts. Nothing is written before all of it was restored; whatever stands in the way rejects, and
 * nobody is given an empty memory in the place of one that is there.
 */
import { joined } from "../bytes.js";
import { InvalidArgumentError, StorageError, reportListenerError } from "../errors.js";
import { checkKnownOptions, checkListener, checkOptions, toBytes } from "../inputs.js";
import { running } from "../python.js";
import { chooseBackend } from "./choose.js";
import { browserEnvironment } from "./environment.js";
import { checkStoreName } from "./file_names.js";
import { takeLock } from "./locks.js";
import { Persistence } from "./persistence.js";
import { readStore, restore } from "./restore.js";
import { openSealed, plainCodec } from "./sealing.js";
import { toStorageError } from "./storage_errors.js";
import { KEY_FILE, StoreFiles } from "./store_files.js";
import { openTail } from "./tail.js";

/** @import { PersistOptions, PersistenceStatus, Recovery } from "../zengram.js" */
/** @import { Backend, Environment, Tail, TailStore } from "./types.js" */
/** @typedef {import("./persistence.js").Settings} Settings */
/**
 * @typedef {Settings & {backend?: Backend["kind"], passphrase?: string, recover: boolean, whenLocked: "reject" | "read", askToStay: boolean}} Wishes
 */
/**
 * @typedef {object} Store an open store, of which nothing was read yet
 * @property {string} name
 * @property {StoreFiles} files
 * @property {TailStore} tail
 * @property {StorageError | null} error why it can only be read, or is not durable
 * @property {boolean} isReadOnly
 * @property {Uint8Array | null} keyFile of a store that is to be encrypted from now on; it has to be stored before anything that is
 * @property {(listener: () => void) => void} onLost
 * @property {() => Promise<void>} close
 */

const FOLD_BYTES = 1 << 20;
const THROTTLE_MS = 60_000;
const MODES = ["log", "snapshot"];
const BACKENDS = ["opfs", "indexeddb", "memory"];
const WHEN_LOCKED = ["reject", "read"];

/**
 * Restores what is stored under a name.
 *
 * @param {object} given
 * @param {string} given.name
 * @param {PersistOptions | true | undefined} given.persist
 * @param {(handle: number) => number} given.make makes the object in Python that the page gets, over the database; gives its handle
 * @param {() => Promise<void>} given.start starts Python
 * @param {string} given.owner the call, for messages
 * @param {Environment} [environment] tests give their own
 * @returns {Promise<{handle: number, persistence: Persistence}>}
 */
export async function openStored({ name, persist, make, start, owner }, environment = browserEnvironment) {
  const wishes = checkWishes(name, persist === true ? undefined : persist, owner);
  const started = start();
  started.catch(() => {}); // it is awaited once the files were read, unless they fail first
  try {
    return await opened(name, wishes, make, started, environment);
  } catch (error) {
    if (error instanceof StorageError) tellFailure(error, wishes);
    throw error;
  }
}

/**
 * @param {string} name
 * @param {Wishes} wishes
 * @param {(handle: number) => number} make
 * @param {Promise<void>} started
 * @param {Environment} environment
 */
async function opened(name, wishes, make, started, environment) {
  const store = await openFiles(name, wishes, environment);
  try {
    const kept = await readTail(store);
    const contents = await readStore(store.files, kept);
    await started;
    const restored = await restore(store.files, contents);
    try {
      const isDamaged = restored.damage.length > 0;
      if (!restored.isLossless && !wishes.recover && !store.isReadOnly) throw damaged(name, restored.damage, restored.lsn);
      const { tail } = contents;
      const isTailNew = restored.fromTail > 0 && tail !== null;
      const { files, keyFile } = store;
      if (keyFile !== null && !store.isReadOnly) await files.backend.write(KEY_FILE, keyFile);
      if (!store.isReadOnly) await files.resume(restored.segments, restored.end);
      // A page may have died after the key was stored: whether the rest is encrypted, the rest says.
      const isToBeSealed = files.codec.encrypted && contents.bases.length > 0 && files.manifest?.encrypted !== true;
      const isWithoutManifest = files.manifest === null && contents.bases.length > 0;
      const isToBeFolded = (isDamaged || isWithoutManifest || contents.isOld || isToBeSealed) && !store.isReadOnly;
      if (isDamaged && !store.isReadOnly) {
        const isTailDamaged = tail !== null && !restored.isLossless && restored.fromTail === 0 && tail.sealed.length > 0;
        const unread = isTailDamaged ? [{ file: "tail", reason: tail.reason || "it does not continue the log", contents: joined(tail.sealed) }] : [];
        await store.files.setAsideLater([...restored.damage, ...unread], restored.isLossless);
      }
      const persistence = new Persistence(
        {
          name,
          handle: restored.handle,
          files: store.files,
          tail: store.tail,
          recovery: recoveryOf(restored),
          isReadOnly: store.isReadOnly,
          isTailKept: tail !== null,
          isHeld: isToBeFolded,
          error: store.error,
          fromTail: isTailNew && !store.isReadOnly ? tail.sealed : [],
          release: store.close,
          storage: wishes.askToStay ? environment.storage : undefined,
        },
        wishes,
      );
      store.onLost(() => persistence.lockLost());
      try {
        const handle = make(restored.handle);
        // What comes after a fault must not be added to it: the next generation begins with what could be read.
        if (isToBeFolded) await persistence.fold();
        else if (!store.isReadOnly) await files.finishFold();
        return { handle, persistence };
      } catch (error) {
        await persistence.abandon();
        throw error;
      }
    } catch (error) {
      running().call("durableFree", restored.handle, "[]");
      throw error;
    }
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @param {Store} store @returns {Promise<Tail | null>} */
async function readTail({ name, tail, files }) {
  if (!files.backend.durable) return null;
  return tail.read(name);
}

/** @param {import("./restore.js").Restored} restored @returns {Recovery} */
function recoveryOf({ replayed, fromTail, cut, damage, isLossless }) {
  const damaged = damage.map(({ file, reason }) => Object.freeze({ file, reason }));
  return Object.freeze({ replayed, fromTail, cutBytes: cut, damaged: Object.freeze(damaged), lossless: isLossless });
}

/**
 * @param {string} name
 * @param {readonly {file: string, reason: string}[]} damage
 * @param {number} lsn
 */
function damaged(name, damage, lsn) {
  const what = damage.map(({ file, reason }) => `${file}: ${reason.replace(/\.$/, "")}`).join("; ");
  const readable = lsn === 0 ? "Nothing of it can be read" : `It can be read up to record ${lsn}`;
  return new StorageError(
    `What is stored as "${name}" is damaged (${what || "files are missing"}). ${readable}; nothing was changed. ` +
      "Open it with persist: { recover: true } to go on with what can be read; the damaged files are kept.",
    { code: "STORAGE_DAMAGED" },
  );
}

/**
 * Takes the lock of a name and opens its files.
 *
 * @param {string} name
 * @param {Pick<Wishes, "backend" | "passphrase" | "whenLocked">} wishes
 * @param {Environment} environment
 * @returns {Promise<Store>}
 */
async function openFiles(name, wishes, environment) {
  /** @type {() => void} */
  let lost = () => {
    isLost = true;
  };
  let isLost = false;
  /** @type {import("./locks.js").HeldLock | null} */
  let lock = null;
  /** @type {TailStore | null} */
  let tail = null;
  /** @type {Backend | null} */
  let backend = null;
  const close = async () => {
    tail?.close();
    await backend?.close();
    const held = lock;
    lock = null;
    held?.release();
    await held?.released.catch(() => {}); // it was taken by force, which the listener was told
  };
  try {
    tail = await openTail(environment);
    const chosen = await chooseBackend(name, tail, environment, wishes.backend);
    backend = chosen.backend;
    if (backend.durable) lock = await takeLock(environment.locks, `zengram:${name}`, { onLost: () => lock !== null && lost() });
    const isReadOnly = backend.durable && lock === null;
    // What the page before kept as it went away is out of reach then, and this one will have nowhere to keep it.
    let error = chosen.error ?? (backend.durable ? tail.reason : null);
    if (isReadOnly) {
      error = new StorageError(`The store "${name}" is open already, in another tab or in this one; persist: { whenLocked: "read" } reads it.`, {
        code: "STORAGE_LOCKED",
      });
      if (wishes.whenLocked === "reject") throw error;
    }
    const { codec, keyFile } = await openCodec(name, backend, wishes.passphrase);
    const files = new StoreFiles(backend, codec);
    /** @param {() => void} listener */
    const onLost = (listener) => {
      lost = listener;
      if (isLost) lost();
    };
    return { name, files, tail, error, isReadOnly, keyFile, onLost, close };
  } catch (cause) {
    await close();
    throw toStorageError(cause, "STORAGE_UNAVAILABLE", `The store "${name}" could not be opened`);
  }
}

/**
 * @param {string} name
 * @param {Backend} backend
 * @param {string | undefined} passphrase
 */
async function openCodec(name, backend, passphrase) {
  const keyFile = await backend.read(KEY_FILE);
  if (passphrase === undefined) {
    if (keyFile === null) return { codec: plainCodec, keyFile };
    throw new StorageError(`The store "${name}" is encrypted: open it with persist: { passphrase }.`, { code: "STORAGE_PASSPHRASE" });
  }
  const opened = await openSealed(passphrase, keyFile);
  return { codec: opened.codec, keyFile: keyFile === null ? opened.keyFile : null };
}

/**
 * Puts a snapshot in the place of what is stored under a name.
 *
 * @param {string} name
 * @param {Blob | Uint8Array} data what `exportFile` or `exportSnapshot` gave
 * @param {{replace?: boolean, passphrase?: string, backend?: Backend["kind"]}} options
 * @param {Environment} [environment] tests give their own
 * @returns {Promise<void>}
 */
export async function importStore(name, data, options = {}, environment = browserEnvironment) {
  const { replace = false, ...wishes } = checkKnownOptions(options, "importStore", { replace: "flag", passphrase: "text", backend: "text" });
  const { backend, passphrase } = checkWishes(name, /** @type {PersistOptions} */ (wishes), "importStore");
  const bytes = data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : toBytes(data, "What is imported");
  // Whether it is a snapshot, and whole, Python knows; it throws a SnapshotError.
  const { handle, lsn } = /** @type {{handle: number, lsn: number}} */ (running().call("durableRestore", 0, "[]", bytes));
  running().call("durableFree", handle, "[]");
  const store = await openFiles(name, { backend, passphrase, whenLocked: "reject" }, environment);
  try {
    // Nothing of what is put into memory is there for whoever opens the name.
    if (!store.files.backend.durable) {
      throw store.error ?? new StorageError("There is no storage to import into.", { code: "STORAGE_UNAVAILABLE" });
    }
    const found = await store.files.look();
    const isEmpty = found.snapshots.length + found.segments.length + found.damagedManifests.length === 0 && found.old === null;
    if (!isEmpty && !replace) {
      throw new StorageError(`Something is stored as "${name}" already; importStore(…, { replace: true }) puts the snapshot in its place.`, {
        code: "STORAGE_NOT_EMPTY",
      });
    }
    if (store.keyFile !== null) await store.files.backend.write(KEY_FILE, store.keyFile);
    const kept = await readTail(store);
    const before = store.files.manifest?.generation;
    const writer = await store.files.beginGeneration();
    try {
      for (let at = 0; at < bytes.length; at += 1 << 20) await writer.write(bytes.subarray(at, at + (1 << 20)));
      // Its records are another database's: cleared before the snapshot is in force, for none of them continues it.
      await store.tail.clear(name);
      await writer.finish(lsn);
    } catch (error) {
      await writer.abort().catch(reportListenerError);
      // What was to be replaced still is what is there.
      if (kept !== null && store.files.manifest?.generation === before) await store.tail.keep(name, kept);
      throw error;
    }
  } catch (cause) {
    throw toStorageError(cause, "STORAGE_WRITE_FAILED", "The snapshot could not be stored");
  } finally {
    await store.close();
  }
}

/**
 * Removes what is stored under a name, copies of damaged files too.
 *
 * @param {string} name
 * @param {Environment} [environment] tests give their own
 * @returns {Promise<void>}
 */
export async function deleteStore(name, environment = browserEnvironment) {
  checkStoreName(name);
  const tail = await openTail(environment);
  try {
    const { backend } = await chooseBackend(name, tail, environment);
    const lock = backend.durable ? await takeLock(environment.locks, `zengram:${name}`, { onLost: () => {} }) : null;
    try {
      if (backend.durable && lock === null) {
        throw new StorageError(`The store "${name}" is open, in another tab or in this one; close it first.`, { code: "STORAGE_LOCKED" });
      }
      await tail.clear(name);
      await new StoreFiles(backend, plainCodec).clear();
      await tail.setHome(name, null);
    } finally {
      await backend.close();
      lock?.release();
      await lock?.released;
    }
  } catch (cause) {
    throw toStorageError(cause, "STORAGE_WRITE_FAILED", `The store "${name}" could not be deleted`);
  } finally {
    tail.close();
  }
}

// -- options ---------------------------------------------------------------------------------------------------------

/**
 * @param {unknown} name
 * @param {PersistOptions | undefined} persist
 * @param {string} owner
 * @returns {Wishes}
 */
function checkWishes(name, persist, owner) {
  checkStoreName(name);
  checkOptions(persist, `persist of ${owner}`);
  const { onStatus, ...rest } = persist ?? {};
  checkListener(onStatus, "onStatus");
  const given = checkKnownOptions(rest, `persist of ${owner}`, {
    mode: "text",
    throttleMs: "amount",
    foldBytes: "count",
    backend: "text",
    passphrase: "text",
    recover: "flag",
    whenLocked: "text",
    askToStay: "flag",
  });
  const { mode = "log", backend, whenLocked = "reject", passphrase } = given;
  oneOf("mode", mode, MODES);
  if (backend !== undefined) oneOf("backend", backend, BACKENDS);
  oneOf("whenLocked", whenLocked, WHEN_LOCKED);
  if (passphrase === "") throw new InvalidArgumentError("The passphrase must not be empty.");
  const { throttleMs = THROTTLE_MS, foldBytes = FOLD_BYTES, recover = false, askToStay = true } = given;
  const wishes = { mode, throttleMs, foldBytes, backend, passphrase, recover, whenLocked, askToStay, onStatus };
  return /** @type {Wishes} */ (wishes);
}

/** @param {string} name @param {unknown} value @param {readonly string[]} choices */
function oneOf(name, value, choices) {
  if (choices.includes(/** @type {string} */ (value))) return;
  throw new InvalidArgumentError(`${name} must be ${choices.map((one) => `"${one}"`).join(" or ")}, not "${value}".`);
}

/** A store that could not be opened has a status, too: whoever listens is told before the promise rejects. @param {StorageError} error @param {Wishes} wishes */
function tellFailure({ name, code, message }, { backend, onStatus }) {
  /** @type {PersistenceStatus} */
  const status = Object.freeze({
    backend: backend ?? null,
    durable: false,
    state: code === "STORAGE_LOCKED" ? "locked" : "error",
    lastSaved: null,
    pendingBytes: 0,
    error: Object.freeze({ name, code: /** @type {import("../zengram.js").StorageErrorCode} */ (code), message }),
    persisted: null,
    encrypted: false,
    recovery: null,
  });
  try {
    onStatus?.(status);
  } catch (error) {
    reportListenerError(error);
  }
}