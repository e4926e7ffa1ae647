/** MiniSearch: full-text search in JavaScript; keeps an index as JSON. It has no stemming; words match as they are. */
import MiniSearch from "../node_modules/minisearch/dist/es/index.js";
import { K } from "../measure.js";

export const OPTIONS = { fields: ["title", "text"] };

export const text = () => textWith({});

/** @param {import("../node_modules/minisearch/dist/es/index.js").SearchOptions} options */
export function textWith(options) {
  const index = new MiniSearch(OPTIONS);
  /** @param {MiniSearch} from */
  const searching = (from) => (/** @type {string} */ question) => from.search(question, options).slice(0, K).map(({ id }) => id);
  return {
    /** @param {import("../subjects.d.ts").Document[]} documents */
    build: (documents) => index.addAll(documents.map((document, id) => ({ id, ...document }))),
    search: searching(index),
    /** @param {import("../subjects.d.ts").Document} document @param {number} id */
    insert: (document, id) => index.add({ id, ...document }),
    save() {
      const saved = JSON.stringify(index);
      return { bytes: new TextEncoder().encode(saved).length, restore: () => ({ search: searching(MiniSearch.loadJSON(saved, OPTIONS)) }) };
    },
  };
}
