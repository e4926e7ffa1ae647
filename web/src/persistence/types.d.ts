/**
 * Where a store's files are: the private file system, IndexedDB, or memory. Names are of [A-Za-z0-9._-]; a file is bytes.
 * One page at a time writes (whoever opens it holds the Web Lock of the store's name); others may read meanwhile.
 */
export interface Backend {
  readonly kind: "opfs" | "indexeddb" | "memory";
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
   */
  append(name: string, at: number, bytes: Uint8Array): Promise<void>;
  /** Cuts a file to so many bytes. */
  truncate(name: string, bytes: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** No error when it is not there. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}
export interface FileWriter {
  write(part: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  abort(): Promise<void>;
}
/** What a hidden or closing page had not stored yet, in IndexedDB; also remembers which back end a store lives in. */
export interface TailStore {
  /** Synchronous up to an explicit commit() of its one transaction, so that it works in `pagehide`. Replaces what was kept under the name. */
  keep(name: string, tail: Tail): Promise<void>;
  read(name: string): Promise<Tail | null>;
  clear(name: string): Promise<void>;
  home(name: string): Promise<"opfs" | "indexeddb" | null>;
  setHome(name: string, kind: "opfs" | "indexeddb" | null): Promise<void>;
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
  /** `label` (file name or purpose) is authenticated with the bytes. The promise settles in the order of calls. */
  seal(bytes: Uint8Array, label: string): Promise<Uint8Array>;
  /** Opens a sequence of sealed frames. `end` is the offset behind the last whole frame: less than the length when the last was not written whole. A bad frame that others follow throws STORAGE_DAMAGED. */
  unseal(bytes: Uint8Array, label: string): Promise<{ bytes: Uint8Array; end: number }>;
}
