/** The plainest peer: an exact scan in JavaScript, products of unit vectors, four sums at a time. */
import { DIMENSIONS, K } from "../measure.js";

export function vectors() {
  let matrix = new Float32Array(0);
  let count = 0;
  return {
    /** @param {Float32Array[]} _ @param {Float32Array} given */
    build(_, given) {
      matrix = given.slice();
      count = given.length / DIMENSIONS;
    },
    /** @param {Float32Array} query */
    search: (query) => scan(matrix, count, query),
    /** @param {Float32Array} vector */
    insert(vector) {
      if ((count + 1) * DIMENSIONS > matrix.length) {
        const larger = new Float32Array(matrix.length * 1.5);
        larger.set(matrix);
        matrix = larger;
      }
      matrix.set(vector, count * DIMENSIONS);
      count += 1;
    },
    save() {
      const bytes = new Uint8Array(matrix.buffer, 0, count * DIMENSIONS * 4).slice();
      return {
        bytes: bytes.length,
        restore() {
          const again = new Float32Array(bytes.slice().buffer);
          return { search: (/** @type {Float32Array} */ query) => scan(again, again.length / DIMENSIONS, query) };
        },
      };
    },
  };
}

/** @param {Float32Array} matrix @param {number} count @param {Float32Array} query */
function scan(matrix, count, query) {
  const scores = new Float64Array(K).fill(-Infinity);
  const found = new Array(K).fill(-1);
  for (let row = 0, at = 0; row < count; row++, at += DIMENSIONS) {
    let a = 0, b = 0, c = 0, d = 0;
    for (let i = 0; i < DIMENSIONS; i += 4) {
      a += matrix[at + i] * query[i];
      b += matrix[at + i + 1] * query[i + 1];
      c += matrix[at + i + 2] * query[i + 2];
      d += matrix[at + i + 3] * query[i + 3];
    }
    const score = a + b + c + d;
    if (score <= scores[K - 1]) continue;
    let place = K - 1;
    for (; place > 0 && scores[place - 1] < score; place--) {
      scores[place] = scores[place - 1];
      found[place] = found[place - 1];
    }
    scores[place] = score;
    found[place] = row;
  }
  return found;
}
