/** voy-search: a k-d tree in Rust, compiled to WebAssembly; keeps an index as a string of JSON. */
import * as glue from "../node_modules/voy-search/voy_search_bg.js";
import { K } from "../measure.js";

/** @param {Float32Array[]} vectors @param {number} first */
const resource = (vectors, first) => ({
  embeddings: vectors.map((vector, i) => ({ id: String(first + i), title: "", url: "", embeddings: Array.from(vector) })),
});

export async function vectors() {
  const wasm = fetch(new URL("../node_modules/voy-search/voy_search_bg.wasm", import.meta.url));
  const { instance } = await WebAssembly.instantiateStreaming(wasm, { "./voy_search_bg.js": glue });
  glue.__wbg_set_wasm(instance.exports);
  const index = new glue.Voy({ embeddings: [] });
  /** @param {any} from */
  const search = (from) => (/** @type {Float32Array} */ vector) => from.search(vector, K).neighbors.map((/** @type {{id: string}} */ { id }) => Number(id));
  return {
    /** @param {Float32Array[]} given */
    build: (given) => index.index(resource(given, 0)),
    search: search(index),
    /** @param {Float32Array} vector @param {number} number */
    insert: (vector, number) => index.add(resource([vector], number)),
    save() {
      const text = index.serialize();
      return { bytes: new TextEncoder().encode(text).length, restore: () => ({ search: search(glue.Voy.deserialize(text)) }) };
    },
  };
}
