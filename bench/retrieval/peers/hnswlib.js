/** hnswlib-wasm: hnswlib in C++, compiled to WebAssembly. It keeps an index in a file of Emscripten's, mirrored in IndexedDB. */
import { DIMENSIONS, K, pause } from "../measure.js";
import { loadHnswlib, syncFileSystem } from "../node_modules/hnswlib-wasm/dist/hnswlib.js";

const FILE = "index.dat";

/** @param {import("../subjects.d.ts").Size} size */
export async function vectors({ count, later }) {
  const library = await loadHnswlib("IDBFS");
  const index = new library.HierarchicalNSW("cosine", DIMENSIONS, "");
  index.initIndex(count + later, 16, 100, 1);
  index.setEfSearch(64);
  return {
    /** @param {Float32Array[]} given */
    build(given) {
      index.addPoints(given, given.map((_, i) => i), false);
    },
    /** @param {Float32Array} vector */
    search: (vector) => Array.from(index.searchKnn(vector, K, undefined).neighbors),
    /** @param {Float32Array} vector @param {number} number */
    insert: (vector, number) => index.addPoint(vector, number, false),
    async save() {
      await index.writeIndex(FILE);
      // It has begun to write to IndexedDB by itself, and does not say when it is done.
      while (!library.EmscriptenFileSystemManager.isSynced()) await pause();
      const bytes = await storedBytes();
      return {
        bytes,
        async restore() {
          await syncFileSystem("read");
          const again = new library.HierarchicalNSW("cosine", DIMENSIONS, "");
          await again.readIndex(FILE, count + later);
          again.setEfSearch(64);
          return { search: (/** @type {Float32Array} */ vector) => Array.from(again.searchKnn(vector, K, undefined).neighbors) };
        },
      };
    },
  };
}

/** The size of the file, as IndexedDB has it. @returns {Promise<number>} */
async function storedBytes() {
  let bytes = 0;
  for (const { name } of await indexedDB.databases()) {
    /** @type {IDBDatabase} */
    const db = await new Promise((resolve, reject) => {
      const request = indexedDB.open(name ?? "");
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    for (const store of db.objectStoreNames) {
      const values = await new Promise((resolve) => {
        const request = db.transaction(store).objectStore(store).getAll();
        request.onsuccess = () => resolve(request.result);
      });
      for (const value of values) bytes += value.contents?.length ?? 0;
    }
    db.close();
  }
  return bytes;
}
