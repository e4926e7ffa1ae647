/** FlexSearch: full-text search in JavaScript, its document index with the English encoder (stemming). */
import FlexSearch from "../node_modules/flexsearch/dist/flexsearch.bundle.module.min.mjs";
import english from "../node_modules/flexsearch/dist/module/lang/en.js";
import { K } from "../measure.js";

const { Document, Encoder, Charset } = FlexSearch;

export function text() {
  const make = () =>
    new Document({
      document: { id: "id", index: ["title", "text"] },
      tokenize: "strict",
      encoder: new Encoder(Charset.LatinDefault ?? Charset.Default, english),
    });
  const index = make();
  /** @param {any} from */
  const searching = (from) => (/** @type {string} */ question) =>
    from.search(question, { limit: K, suggest: true, merge: true }).map((/** @type {{id: number}} */ { id }) => id).slice(0, K);
  return {
    /** @param {import("../subjects.d.ts").Document[]} documents */
    build(documents) {
      for (const [id, document] of documents.entries()) index.add({ id, ...document });
    },
    search: searching(index),
    /** @param {import("../subjects.d.ts").Document} document @param {number} id */
    insert: (document, id) => index.add({ id, ...document }),
    async save() {
      /** @type {[string, string][]} */
      const parts = [];
      await index.export((/** @type {string} */ key, /** @type {string} */ value) => { parts.push([key, value]); });
      return {
        bytes: parts.reduce((sum, [, value]) => sum + new TextEncoder().encode(value ?? "").length, 0),
        restore() {
          const again = make();
          for (const [key, value] of parts) again.import(key, value);
          return { search: searching(again) };
        },
      };
    },
  };
}
