/**
 * What the parts of persistence know of each other; nothing of it is public.
 */
import type { StorageError } from "../errors.js";

export type BackendKind = "opfs" | "indexeddb" | "memory";
/** Where files outlive the page. */
export type HomeKind = "opfs" | "indexeddb";

/** What the browser has; tests give their own. */
export interface Environment {
  readonly storage?: StorageManager;
  readonly locks?: LockManager;
  readonly indexedDB?: IDBFactory;
  readonly localStorage?: Storage;
  /** The prototype of the private file system's file handles: what it has depends on the browser and on the thread. */
  readonly fileHandle?: object;
}

/**
 * Where a store's files are: the private file system, IndexedDB, or memory. Names are of [A-Za-z0-9._-], begin with a letter or a
 * digit and do not end in ".crswap"; a file is bytes.
 * One page at a time writes (whoever opens it holds the Web Lock of the store's name); others may read meanwhile.
 * Everything rejects with a StorageError, and with a ClosedError after `close`. Calls that change something run one after the other.
 */
export interface Backend {
  readonly kind: BackendKind;
  /** Whether what was written outlives the page. */
  readonly durable: boolean;
  /** The length up to which appending to a file is cheap; then the log goes on in another one. */
  readonly segmentBytes: number;
  list(): Promise<{ name: string; bytes: number }[]>;
  /** null when there is no such file */
  read(name: string): Promise<Uint8Array | null>;
  /** Replaces a file: afterwards it is all there, or (rejected, or the page died) it is what it was. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Begins a large file that is written in parts; nothing is under its name before `finish` has resolved. */
  create(name: string): Promise<FileWriter>;
  /**
   * Writes bytes at the place `at`, where what was acknowledged ends (0: a new file). Whatever lies behind it, left by an append that failed,
   * goes. Resolves when the bytes are stored, whole (short writes are noticed); if it rejects, what lies before `at` is intact.
   * Rejects with STORAGE_DAMAGED when the file ends before `at`, such as after the site's data were cleared: repeating it will not help.
   */
  append(name: string, at: number, bytes: Uint8Array): Promise<void>;
  /** Cuts a file to so many bytes; it has at least as many, else STORAGE_DAMAGED. */
  truncate(name: string, bytes: number): Promise<void>;
  /** In one step; replaces what is under the new name. STORAGE_DAMAGED when there is no such file. */
  rename(from: string, to: string): Promise<void>;
  /** No error when it is not there. */
  remove(name: string): Promise<void>;
  /** Waits for what was begun. */
  close(): Promise<void>;
}

/** One part after the other; a part that was not written whole ends it, and only `abort` is left. */
export interface FileWriter {
  write(part: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  /** Gives the space back. No error when it has ended already. */
  abort(): Promise<void>;
}

/** A file of the private file system that a worker holds open; TypeScript's library of the page does not know it. */
export interface SyncAccess {
  getSize(): number;
  read(into: Uint8Array, options: { at: number }): number;
  write(bytes: Uint8Array, options: { at: number }): number;
  truncate(bytes: number): void;
  flush(): void;
  close(): void;
}

/** What `chooseBackend` found. */
export interface Choice {
  readonly backend: Backend;
  /** The places before it, and why they were not taken. */
  readonly passedOver: readonly { readonly kind: HomeKind; readonly reason: StorageError }[];
  /** STORAGE_UNAVAILABLE when memory is all there is: what is said of it to the user. */
  readonly error: StorageError | null;
}

/** What a hidden or closing page had not stored yet, in IndexedDB; also remembers which back end a store lives in. */
export interface TailStore {
  /** Whether there is one; if not, `keep`, `claimHome` and `setHome` reject with `reason`, nothing was kept and no home is known. */
  readonly available: boolean;
  readonly reason: StorageError | null;
  /** Synchronous up to an explicit commit() of its one transaction, so that it works in `pagehide`. Replaces what was kept under the name. */
  keep(name: string, tail: Tail): Promise<void>;
  read(name: string): Promise<Tail | null>;
  clear(name: string): Promise<void>;
  home(name: string): Promise<HomeKind | null>;
  /** Notes a home unless one is noted already, in one transaction; gives the one that counts. */
  claimHome(name: string, kind: HomeKind): Promise<HomeKind>;
  setHome(name: string, kind: HomeKind | null): Promise<void>;
  close(): void;
}

export interface Tail {
  /** Parts one after the other, each as it would be in the log (sealed or not). */
  parts: Uint8Array[];
  keptAt: number;
}

/** Turns what is stored into other bytes and back: nothing, or AES-GCM. */
export interface Codec {
  readonly encrypted: boolean;
  /**
   * `label` (file name or purpose) is authenticated with the bytes. Sealing begins at once; the promises settle in the order of calls.
   */
  seal(bytes: Uint8Array, label: string): Promise<Uint8Array>;
  /**
   * Opens a sequence of sealed frames. `end` is the offset behind the last whole frame: less than the length when the last was not
   * written whole. A bad frame that others follow throws STORAGE_DAMAGED.
   */
  unseal(bytes: Uint8Array, label: string): Promise<{ bytes: Uint8Array; end: number }>;
}
