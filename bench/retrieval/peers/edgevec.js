/** edgevec: HNSW in Rust, compiled to WebAssembly; keeps an index in IndexedDB. */
import init, { EdgeVec, EdgeVecConfig } from "../node_modules/edgevec/edgevec.js";
import { DIMENSIONS, K } from "../measure.js";

export async function vectors() {
  await init();
  const config = new EdgeVecConfig(DIMENSIONS);
  config.metric = "l2"; // the same order for unit vectors; its "cosine" and "dot" give the farthest
  config.m = 16;
  config.m0 = 32;
  config.ef_construction = 100;
  config.ef_search = 64;
  const index = new EdgeVec(config);
  /** @type {number[]} the number of a vector by the index's own id */
  const numbers = [];
  /** @param {EdgeVec} from */
  const search = (from) => (/** @type {Float32Array} */ vector) =>
    from.search(vector, K).map((/** @type {{id: number}} */ { id }) => numbers[id]);
  return {
    /** @param {Float32Array[]} given @param {Float32Array} matrix */
    build(given, matrix) {
      for (const [number, id] of index.insertBatchFlat(matrix, given.length).entries()) numbers[id] = number;
    },
    search: search(index),
    /** @param {Float32Array} vector @param {number} number */
    insert(vector, number) {
      numbers[index.insert(vector)] = number;
    },
    async save() {
      await index.save("bench");
      return {
        bytes: index.serializedSize(),
        restore: async () => ({ search: search(await EdgeVec.load("bench")) }),
      };
    },
  };
}
