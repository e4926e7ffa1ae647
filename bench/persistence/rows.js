/**
 * The rows that everybody stores, made from their numbers: a subject, a sentence and a vector of 384 floats. No number gives
 * the same row twice, and the same number always gives the same row, so that what comes back can be compared.
 */
export const DIMENSIONS = 384;

const WORDS = (
  "the user likes green tea in a morning with no sugar and walks to work along this river before rain comes " +
  "because two old friends from Lisbon keep their garden open on Sundays while music plays until late"
).split(" ");
const SENTENCE_WORDS = 16;

/** @typedef {{id: number, subject: string, content: string, vector: Float32Array}} Row */

/** A generator of 32 random bits (mulberry32). @param {number} seed */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** @param {number} id @returns {Row} */
export function row(id) {
  const next = random(id + 1);
  const words = Array.from({ length: SENTENCE_WORDS }, () => WORDS[next() % WORDS.length]);
  const vector = Float32Array.from({ length: DIMENSIONS }, () => next() / 2 ** 31 - 1);
  return { id, subject: `subject ${id}`, content: `Note ${id}: ${words.join(" ")}.`, vector };
}

/** The vector's bytes, as a column of bytes stores them. @param {Row} given */
export const bytesOf = ({ vector }) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

/** @param {Row} given */
export const payload = ({ subject, content, vector }) => subject.length + content.length + vector.byteLength;
