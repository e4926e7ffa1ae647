/**
 * The back ends, each in a browser of its own that fails on request, behind one set of levers.
 */
import { openIndexedDb } from "../../src/persistence/indexeddb.js";
import { openInMemory } from "../../src/persistence/memory_files.js";
import { openOpfs } from "../../src/persistence/opfs.js";
import { FakeIndexedDb } from "./indexeddb.mjs";
import { FakeFile, FakeStorage, FakeWorkerFile, domError } from "./opfs.mjs";

/** @import { Backend } from "../../src/persistence/types.js" */

/**
 * @typedef {object} Scene
 * @property {(name?: string) => Promise<Backend>} open
 * @property {(bytes: number) => void} setQuota no file, or no value, may be longer
 * @property {(error: Error | null) => void} deny
 * @property {(step: number) => void} dieAt counted from now
 * @property {() => void} nextPage the page that died is gone
 * @property {() => void} clear clears the site's data
 * @property {() => Promise<number>} residue how much is stored besides files, and costs space
 */

/** @param {typeof FakeFile} File @returns {Scene} */
function opfsScene(File) {
  const storage = new FakeStorage(File);
  const environment = /** @type {any} */ ({ storage, fileHandle: File.prototype });
  return {
    open: (name = "notes") => openOpfs(name, environment),
    setQuota: (bytes) => (storage.quota = bytes),
    deny: (error) => (storage.denied = error),
    dieAt: (step) => {
      storage.steps = 0;
      storage.diesAt = step;
    },
    nextPage: () => storage.reopen(),
    clear: () => storage.clear(),
    residue: async () =>
      [...storage.folders.values()].flatMap(({ files }) => [...files.keys()].filter((name) => name.startsWith("~"))).length,
  };
}

/** @returns {Scene & {database: FakeIndexedDb}} */
export function indexedDbScene() {
  const database = new FakeIndexedDb();
  const environment = {
    get indexedDB() {
      return database.factory;
    },
  };
  return {
    database,
    open: (name = "notes") => openIndexedDb(name, environment),
    setQuota: (bytes) => (database.quota = bytes),
    deny: (error) => (database.denied = error),
    dieAt: (step) => {
      database.steps = 0;
      database.diesAt = step;
    },
    nextPage: () => database.reopen(),
    clear: () => database.clear(),
    residue: () => database.chunksWithoutFile("zengram:notes"),
  };
}

/** Those that outlive the page. @type {Record<string, () => Scene>} */
export const durableScenes = {
  "OPFS on the main thread": () => opfsScene(FakeFile),
  "OPFS in a worker": () => opfsScene(FakeWorkerFile),
  IndexedDB: indexedDbScene,
};

/** @type {Record<string, () => Pick<Scene, "open">>} */
export const scenes = {
  ...durableScenes,
  memory: () => ({ open: (name = "notes") => openInMemory(name) }),
};

export { domError };
