/**
 * A toy embedder: every token adds one to the dimension that its FNV-1a hash points at. Texts that share words are
 * similar, and that is all it knows.
 */

export const DIM = 64;

/** @param {string} token */
function fnv1a(token) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < token.length; i++) {
    hash = Math.imul(hash ^ token.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash;
}

/** @param {string} text @returns {Float32Array} */
export function embed(text) {
  const vector = new Float32Array(DIM);
  for (const token of text.toLowerCase().split(/[^a-z0-9]+/)) {
    if (token) vector[fnv1a(token) % DIM] += 1;
  }
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((x) => x / length) : vector;
}
