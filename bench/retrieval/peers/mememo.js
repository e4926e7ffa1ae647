/** mememo: HNSW in JavaScript, here with everything in memory. It keeps the graph as JSON, the vectors are the page's to keep. */
import { HNSW } from "../node_modules/mememo/dist/index.es.js";
import { K } from "../measure.js";

export function vectors() {
  const index = new HNSW({ distanceFunction: "cosine-normalized", m: 16, efConstruction: 100, seed: 1, useIndexedDB: false });
  return {
    /** @param {Float32Array[]} given */
    build: (given) => index.bulkInsert(given.map((_, i) => String(i)), given.map((vector) => Array.from(vector))),
    /** @param {Float32Array} vector */
    search: async (vector) => (await index.query(Array.from(vector), K, 64)).keys.map(Number),
    /** @param {Float32Array} vector @param {number} number */
    insert: (vector, number) => index.insert(String(number), Array.from(vector)),
    save: () => ({ bytes: new TextEncoder().encode(JSON.stringify(index.exportIndex())).length }),
  };
}
