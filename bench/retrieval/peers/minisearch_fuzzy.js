/** MiniSearch with its answer to inflection: words that begin so, and words that are a fifth of their length away. */
import { textWith } from "./minisearch.js";

/** @param {string} word */
const isLong = (word) => word.length > 3;

export const text = () => textWith({ prefix: isLong, fuzzy: 0.2 });
