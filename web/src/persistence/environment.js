/**
 * The storage that this page or worker has. Each is looked up when it is asked for: where storage is forbidden, the
 * mere name may throw.
 */

/** @type {import("./types.js").Environment} */
export const browserEnvironment = {
  get storage() {
    return globalThis.navigator?.storage;
  },
  get locks() {
    return globalThis.navigator?.locks;
  },
  get indexedDB() {
    return globalThis.indexedDB;
  },
  get localStorage() {
    return globalThis.localStorage;
  },
  get fileHandle() {
    return globalThis.FileSystemFileHandle?.prototype;
  },
};
