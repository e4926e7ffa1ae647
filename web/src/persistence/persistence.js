/**
 * Keeps one open database stored: every commit goes to the log, and the log is folded into a snapshot now and then.
 *
 *     commit ─► records (in Python) ─► queue ─► log segment        durable: normally some milliseconds later
 *                    at the end of       │
 *                    the script's turn   └────► tail, in IndexedDB  when the page is hidden or goes away
 *
 * What is queued while a write is under way is written with the next one. A write that fails leaves its records in the queue: the status
 * says so, and it is tried again, later and later, and at once with the next commit or `flush()`. `mode: "snapshot"` writes no log: every
 * `throttleMs` at most, the whole snapshot, and the tail is all that covers what came since.
 *
 * The fold reads a pinned state from Python a part at a time, in idle time, and commits go on meanwhile. Nothing here holds the database's
 * own object: a memory that the page forgets can be collected, and is stored to its last commit all the same.
 */
import { joined } from "../bytes.js";
import { ClosedError, InvalidArgumentError, StorageError, reportListenerError } from "../errors.js";
import { running } from "../python.js";
import { plain, toStorageError } from "./storage_errors.js";

/** @import { Persistence as Public, PersistenceStatus, Recovery, SetAsideCopy } from "../zengram.js" */
/** @import { TailStore } from "./types.js" */
/** @typedef {import("./store_files.js").StoreFiles} StoreFiles */
/** @typedef {{number: number, length: number, sealed: Uint8Array | null, sealing: Promise<Uint8Array>}} Batch */
/** @typedef {{number: number, resolve: () => void, reject: (error: unknown) => void}} Waiter */
/**
 * @typedef {object} Settings
 * @property {"log" | "snapshot"} mode
 * @property {number} throttleMs
 * @property {number} foldBytes
 * @property {((status: PersistenceStatus) => void) | undefined} onStatus
 */
/**
 * @typedef {object} Opened what opening the store gave
 * @property {string} name
 * @property {number} handle
 * @property {StoreFiles} files
 * @property {TailStore} tail
 * @property {Recovery} recovery
 * @property {boolean} isReadOnly
 * @property {boolean} isTailKept whether the tail holds anything; it is cleared once all is stored
 * @property {StorageError | null} error why it is read only, or not durable
 * @property {boolean} isHeld whether nothing may be appended before the next fold: what is there is not to be gone on with
 * @property {Uint8Array[]} fromTail what the tail held that the log does not: it has to be stored again
 * @property {() => Promise<void>} release lets other pages have the store
 * @property {StorageManager | undefined} storage
 */

/** The log is folded when it is longer than this part of the snapshot: a longer one would make opening slow, a shorter one writing. */
const LOG_SHARE = 8;
/** Each visit begins a segment: after so many of them the log is folded however short it is, for each is a file to open. */
const MANY_SEGMENTS = 128;
const RETRY_FIRST_MS = 250;
const RETRY_LAST_MS = 15_000;
/**
 * A page that goes away stays so long after its last words, for those who close it to hear them: Chromium carries a transaction out whose commit
 * was asked for, but gives up one that has not begun when the page has gone.
 */
const LAST_WORDS_MS = 30;
/** A fold's parts wait so long at most for the page to be idle. */
const IDLE_TIMEOUT_MS = 100;

/** @implements {Public} */
export class Persistence extends EventTarget {
  #opened;
  #settings;
  /** @type {Batch[]} */
  #queue = [];
  /** The last batch that was taken from Python, and the last one that is stored. */
  #drained = 0;
  #saved = 0;
  /** @type {Waiter[]} */
  #waiters = [];
  /** @type {Promise<void> | null} */
  #pumping = null;
  /** @type {Promise<void> | null} */
  #folding = null;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;
  #retryMs = RETRY_FIRST_MS;
  #isTailKept = false;
  /** Another page has taken the store. @type {StorageError | null} */
  #lost = null;
  #isWoken = false;
  /** A fold failed that nobody waited for. */
  #isFoldDue = false;
  /** @type {Promise<void> | null} */
  #closing = null;
  #lastFold = 0;
  #foldAt;
  /** @type {PersistenceStatus} */
  #status;

  /** @param {Opened} opened @param {Settings} settings */
  constructor(opened, settings) {
    super();
    this.#opened = opened;
    this.#settings = settings;
    this.#foldAt = this.#foldingAt(opened.files.manifest?.snapshot?.bytes ?? 0);
    this.#lastFold = performance.now();
    const { files, isReadOnly, error, recovery } = opened;
    this.#status = Object.freeze({
      backend: files.backend.kind,
      durable: files.backend.durable && !isReadOnly,
      state: isReadOnly ? "locked" : "ready",
      lastSaved: files.manifest?.savedAt ?? null,
      pendingBytes: 0,
      error: error === null ? null : plain(error),
      persisted: null,
      encrypted: files.codec.encrypted,
      recovery,
    });
    this.#isTailKept = opened.isTailKept;
    for (const sealed of opened.fromTail) this.#enqueue(sealed.length, sealed, Promise.resolve(sealed));
    this.#update({ pendingBytes: this.#pending() });
    if (isReadOnly) {
      const { code, message } = /** @type {StorageError} */ (error);
      this.#refuse(code, message);
      return;
    }
    running().setFunction("setJournal", opened.handle, () => this.#wake(), []);
    if (files.backend.durable) this.#watchPage(true);
    this.#wake();
    if (this.#isLogLong() && !opened.isHeld) void this.#foldLater();
    if (files.backend.durable) this.#askToStay();
  }

  get name() {
    return this.#opened.name;
  }

  get status() {
    this.#drain();
    return this.#status;
  }

  get backend() {
    return this.#status.backend;
  }

  get durable() {
    return this.#status.durable;
  }

  get lastSaved() {
    return this.#status.lastSaved;
  }

  get pendingBytes() {
    return this.status.pendingBytes;
  }

  get error() {
    return this.#status.error;
  }

  // -- queue ---------------------------------------------------------------------------------------------------------

  /** There are records. Python is in the middle of a commit: they are taken when the page's script has let go. */
  #wake() {
    if (this.#isWoken) return;
    this.#isWoken = true;
    queueMicrotask(() => {
      this.#isWoken = false;
      this.#drain();
      this.#start();
    });
  }

  /** Takes the records that are there, and begins to seal them. */
  #drain() {
    if (this.#closing !== null || this.#opened.isReadOnly) return;
    this.#takeRecords();
  }

  #takeRecords() {
    const records = running().bytes("takeRecords", this.#opened.handle);
    if (records.length === 0) return;
    const { codec } = this.#opened.files;
    if (codec.encrypted) this.#enqueue(records.length, null, codec.seal(records, "log"));
    else this.#enqueue(records.length, records, Promise.resolve(records));
    this.#update({ pendingBytes: this.#status.pendingBytes + records.length });
  }

  /**
   * @param {number} length
   * @param {Uint8Array | null} sealed
   * @param {Promise<Uint8Array>} sealing
   */
  #enqueue(length, sealed, sealing) {
    this.#drained += 1;
    /** @type {Batch} */
    const batch = { number: this.#drained, length, sealed, sealing };
    sealing.then(
      (bytes) => (batch.sealed = bytes),
      () => {}, // whoever writes it is told
    );
    this.#queue.push(batch);
  }

  /** Writes what is queued, unless that is under way. */
  #start() {
    if (this.#opened.isHeld) return;
    if (this.#queue.length === 0) this.#clearTail();
    if (this.#settings.mode === "snapshot") {
      this.#scheduleSnapshot();
      return;
    }
    if (this.#pumping !== null || this.#queue.length === 0) return;
    this.#clearTimer();
    this.#pumping = this.#pump().then((isDone) => {
      this.#pumping = null;
      // What came between the last look at the queue and now; what failed is tried again by its timer.
      if (isDone) this.#start();
    });
  }

  /** @returns {Promise<boolean>} whether all is stored */
  async #pump() {
    while (this.#queue.length > 0) {
      const batches = [...this.#queue];
      const last = batches[batches.length - 1].number;
      this.#update({ state: "saving" });
      try {
        const sealed = await Promise.all(batches.map((batch) => batch.sealing));
        if (this.#saved >= last) continue; // a fold has stored them meanwhile
        await this.#opened.files.append(joined(sealed));
      } catch (cause) {
        // The log is gone, as after the site's data were cleared: all that is in memory is stored anew.
        if (cause instanceof StorageError && cause.code === "STORAGE_DAMAGED") this.#isFoldDue = true;
        this.#failed(cause, "What was written could not be stored");
        return false;
      }
      this.#stored(last);
    }
    return true;
  }

  /** Everything up to a batch is stored. @param {number} last */
  #stored(last) {
    if (this.#opened.isReadOnly) return; // whether it is still there, the page that has the store knows
    this.#saved = Math.max(this.#saved, last);
    this.#retryMs = RETRY_FIRST_MS;
    this.#queue = this.#queue.filter((batch) => batch.number > this.#saved);
    const pendingBytes = this.#pending();
    const state = this.#queue.length === 0 ? "ready" : "saving";
    const error = this.#opened.error === null ? null : plain(this.#opened.error);
    this.#update({ state, pendingBytes, lastSaved: Date.now(), error });
    const done = this.#waiters.filter((waiter) => waiter.number <= this.#saved);
    this.#waiters = this.#waiters.filter((waiter) => waiter.number > this.#saved);
    for (const waiter of done) waiter.resolve();
    if (this.#opened.isHeld) return;
    if (this.#queue.length === 0) this.#clearTail();
    if (this.#isLogLong() && this.#timer === null) void this.#foldLater();
  }

  /** All is stored: what was kept when the page was hidden is no longer needed. */
  #clearTail() {
    if (!this.#isTailKept) return;
    this.#isTailKept = false;
    this.#opened.tail
      .clear(this.name)
      .catch((cause) => this.#tell(cause, "The records kept when the page was hidden could not be cleared"));
  }

  #isLogLong() {
    const { logBytes, logFiles } = this.#opened.files;
    return this.#settings.mode === "log" && (logBytes > this.#foldAt || logFiles > MANY_SEGMENTS);
  }

  #pending() {
    return this.#queue.reduce((sum, batch) => sum + batch.length, 0);
  }

  /** @param {unknown} cause @param {string} what */
  #failed(cause, what) {
    const error = this.#tell(cause, what);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(error);
    this.#tryAgain();
  }

  /** Tries again what failed, after a while. */
  #tryAgain() {
    if (this.#closing !== null || this.#lost !== null) return;
    this.#clearTimer();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#isFoldDue) void this.#foldLater();
      this.#start();
    }, this.#retryMs);
    this.#retryMs = Math.min(RETRY_LAST_MS, 2 * this.#retryMs);
  }

  /** @param {unknown} cause @param {string} what */
  #tell(cause, what) {
    if (this.#lost !== null) return this.#lost;
    const error = toStorageError(cause, "STORAGE_WRITE_FAILED", what);
    this.#update({ state: "error", error: plain(error) });
    return error;
  }

  #clearTimer() {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** @returns {Promise<void>} */
  async flush() {
    this.#refuseIfClosed();
    this.#refuseIfLost();
    if (this.#opened.isReadOnly) return;
    this.#drain();
    if (this.#settings.mode === "snapshot") {
      if (this.#queue.length > 0) await this.fold();
      return;
    }
    if (this.#queue.length === 0) return;
    await this.#untilStored();
  }

  #untilStored() {
    const number = this.#drained;
    const stored = new Promise((resolve, reject) => {
      this.#waiters.push({ number, resolve: () => resolve(undefined), reject });
    });
    this.#clearTimer(); // a retry that waits begins now
    this.#start();
    return /** @type {Promise<void>} */ (stored);
  }

  /** How long the log may get beside a snapshot: each byte of it takes far longer to open than one of the snapshot. @param {number} snapshotBytes */
  #foldingAt(snapshotBytes) {
    return Math.max(this.#settings.foldBytes, snapshotBytes / LOG_SHARE);
  }

  // -- folding -------------------------------------------------------------------------------------------------------

  /** In mode "snapshot": the next snapshot, when its time has come. */
  #scheduleSnapshot() {
    if (this.#queue.length === 0 || this.#timer !== null || this.#folding !== null || this.#closing !== null) return;
    const wait = Math.max(0, this.#lastFold + this.#settings.throttleMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#foldLater();
    }, wait);
  }

  /** A fold that nobody waits for: when it fails, the status says so, and it is tried again later. */
  async #foldLater() {
    if (this.#folding !== null || this.#closing !== null) return;
    try {
      await this.#foldOnce(true);
    } catch (cause) {
      // Until it succeeds the log goes on growing, and nothing is lost.
      this.#isFoldDue = true;
      if (this.#closing === null) {
        this.#tell(cause, "The log could not be folded into a snapshot");
        this.#tryAgain();
      }
    }
  }

  /** @returns {Promise<void>} */
  async fold() {
    this.#refuseIfClosed();
    if (this.#opened.isReadOnly) return;
    try {
      await this.#foldOnce(false);
    } catch (cause) {
      const error = this.#tell(cause, "The snapshot could not be written");
      if (this.#settings.mode === "snapshot" && this.#queue.length > 0) this.#tryAgain();
      throw error;
    }
  }

  /** @param {boolean} isPatient whether it waits for the page to be idle @returns {Promise<void>} */
  async #foldOnce(isPatient) {
    // One that is under way may have begun before the last commits.
    while (this.#folding !== null) await this.#folding.catch(() => {});
    this.#folding = this.#foldNow(isPatient).finally(() => {
      this.#folding = null;
      this.#lastFold = performance.now();
    });
    await this.#folding;
    if (this.#settings.mode === "snapshot") this.#scheduleSnapshot();
  }

  /** @param {boolean} isPatient */
  async #foldNow(isPatient) {
    const { files, handle } = this.#opened;
    this.#takeRecords();
    const covered = this.#drained;
    const lsn = /** @type {number} */ (running().call("durableExport", handle, "[]"));
    let bytes = 0;
    let writer = null;
    try {
      writer = await files.beginGeneration();
      for (const part of this.#exported()) {
        bytes += part.length;
        await writer.write(part);
        if (isPatient) await idle();
      }
      await writer.finish(lsn);
    } catch (error) {
      running().call("durableExportEnd", handle, "[]");
      // The first error is the one that tells.
      await writer?.abort().catch(() => {});
      throw error;
    }
    this.#opened.isHeld = false;
    this.#isFoldDue = false;
    this.#foldAt = this.#foldingAt(bytes);
    this.#stored(covered);
    this.#start(); // what came meanwhile, if it was held back
  }

  /** The parts of the export that was begun. */
  *#exported() {
    const next = () => running().bytes("exportNext", this.#opened.handle);
    for (let part = next(); part.length > 0; part = next()) yield part;
  }

  /** @returns {Promise<Blob>} */
  async exportFile() {
    this.#refuseIfClosed();
    while (this.#folding !== null) await this.#folding.catch(() => {});
    const { handle } = this.#opened;
    /** @type {Uint8Array<ArrayBuffer>[]} */
    const parts = [];
    this.#folding = (async () => {
      running().call("durableExport", handle, "[]");
      for (const part of this.#exported()) {
        parts.push(/** @type {Uint8Array<ArrayBuffer>} */ (part));
        await idle();
      }
    })().finally(() => {
      this.#folding = null;
    });
    await this.#folding;
    return new Blob(parts, { type: "application/octet-stream" });
  }

  /** @returns {Promise<SetAsideCopy[]>} */
  async listSetAside() {
    this.#refuseIfClosed();
    return this.#opened.files.listSetAside();
  }

  /** @param {string} file @returns {Promise<Uint8Array>} */
  async readSetAside(file) {
    const copies = await this.listSetAside();
    const bytes = copies.some((copy) => copy.file === file) ? await this.#opened.files.backend.read(file) : null;
    if (bytes === null) throw new InvalidArgumentError(`The store "${this.name}" keeps no copy named ${file}.`);
    return bytes;
  }

  // -- the page ------------------------------------------------------------------------------------------------------

  /** @param {boolean} on */
  #watchPage(on) {
    const change = on ? "addEventListener" : "removeEventListener";
    globalThis.document?.[change]("visibilitychange", this.#onHidden);
    globalThis.document?.[change]("freeze", this.#keepTail);
    if (globalThis.document !== undefined) globalThis[change]("pagehide", this.#keepTail);
  }

  #onHidden = () => {
    if (document.visibilityState === "hidden") this.#keepTail();
  };

  /**
   * Puts what is not stored yet where even a page that goes away may put it. Everything up to the transaction's commit is synchronous:
   * nothing that this page awaits comes back any more.
   *
   * @param {Event} [event]
   */
  #keepTail = (event) => {
    this.#drain();
    if (this.#queue.length === 0) return;
    const parts = [];
    for (const batch of this.#queue) {
      if (batch.sealed === null) {
        // Still being encrypted: what comes before it is kept now, and all of it if the page lives that long.
        batch.sealing.then(() => this.#keepTail(), () => {});
        break;
      }
      parts.push(batch.sealed);
    }
    if (parts.length === 0) return;
    this.#isTailKept = true;
    this.#opened.tail
      .keep(this.name, { parts, keptAt: Date.now() })
      .catch((cause) => this.#tell(cause, "What is not stored yet could not be kept for the next visit"));
    if (event?.type === "pagehide") stay(LAST_WORDS_MS);
  };

  /** Asks the browser not to clear the storage when the disk gets full. */
  #askToStay() {
    const { storage } = this.#opened;
    if (typeof storage?.persist !== "function") return;
    storage.persist().then(
      (persisted) => this.#update({ persisted }),
      (cause) => this.#update({ persisted: false, error: this.#status.error ?? plain(toStorageError(cause, "STORAGE_DENIED", "The browser did not say whether it keeps the storage")) }),
    );
  }

  /** No commit succeeds from now on. @param {string} code @param {string} message */
  #refuse(code, message) {
    running().call("durableRefuse", this.#opened.handle, JSON.stringify([code, message]));
  }

  /** Another page has taken the store by force: this one reads, and says what it could not store. */
  lockLost() {
    if (this.#closing !== null || this.#opened.isReadOnly) return;
    this.#takeRecords();
    this.#opened.isReadOnly = true;
    this.#clearTimer();
    this.#watchPage(false);
    const error = new StorageError(`Another page has taken over the store "${this.name}".`, { code: "STORAGE_LOCKED" });
    this.#lost = error;
    this.#opened.files.stop(error);
    this.#refuse(error.code, error.message);
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
    this.#queue = [];
    this.#update({ state: "locked", durable: false, error: plain(error) });
  }

  /** @returns {Promise<void>} */
  async close() {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end() {
    const { handle, release, isReadOnly } = this.#opened;
    let failure = null;
    if (!isReadOnly) {
      this.#takeRecords();
      this.#refuse("STORE_CLOSED", `The store "${this.name}" was closed; open it again to write.`);
      while (this.#folding !== null) await this.#folding.catch(() => {});
      try {
        if (this.#settings.mode === "snapshot") {
          if (this.#queue.length > 0) await this.#foldNow(false);
        } else if (this.#queue.length > 0) await this.#untilStored();
      } catch (cause) {
        failure = toStorageError(cause, "STORAGE_WRITE_FAILED", "What was written last could not be stored");
        await this.#keepForNextVisit();
      }
      this.#clearTimer();
      this.#watchPage(false);
    }
    running().call("durableFree", handle, "[]");
    await release();
    this.#update({ state: "closed", durable: false, error: failure === null ? null : plain(failure) });
    if (failure !== null) throw failure;
  }

  /** Lets go without storing anything more; for an opening that failed. */
  async abandon() {
    this.#closing = Promise.resolve();
    this.#clearTimer();
    this.#watchPage(false);
    while (this.#folding !== null || this.#pumping !== null) await (this.#folding ?? this.#pumping)?.catch(() => {});
  }

  async #keepForNextVisit() {
    const parts = await Promise.all(this.#queue.map((batch) => batch.sealing));
    await this.#opened.tail.keep(this.name, { parts, keptAt: Date.now() }).catch(reportListenerError);
  }

  /** What was not stored when another page took the store is not stored. */
  #refuseIfLost() {
    if (this.#lost !== null && this.#status.pendingBytes > 0) throw this.#lost;
  }

  #refuseIfClosed() {
    if (this.#closing !== null) throw new ClosedError(`The store "${this.name}" is closed; open it again.`);
  }

  /** @param {Partial<PersistenceStatus>} change */
  #update(change) {
    this.#status = Object.freeze({ ...this.#status, ...change });
    try {
      this.#settings.onStatus?.(this.#status);
    } catch (error) {
      reportListenerError(error);
    }
    this.dispatchEvent(new CustomEvent("status", { detail: this.#status }));
  }
}

/** Holds the thread, and with it the page. @param {number} milliseconds */
function stay(milliseconds) {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

/** Lets the page do what it has to do first. */
function idle() {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve(undefined), { timeout: IDLE_TIMEOUT_MS });
    else setTimeout(resolve, 0);
  });
}
