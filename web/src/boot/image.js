/**
 * The image of an interpreter as one file, and the key by which a later visit knows that it may use it.
 *
 *     16 bytes   magic, length of the head, checksum (two words) of all of the file, with zeros in its own place
 *     head       JSON: {"key", "memory": {"bytes", "length"}, "files": [[path, bytes], …]}
 *     memory     what Pyodide's makeMemorySnapshot gave, without the zeros at its end
 *     files      what the file system has to hold beside it: modules that were not imported yet
 *
 * Every part begins at a multiple of 16 bytes. Whether a file is whole is seen from its length and its checksum. The
 * checksum is there against disks and browsers that lose something, not against an attacker, who could as well put code of
 * his own into the origin's caches.
 */

const MAGIC = 0x3149475a;
const PREFIX = 16;

/** @typedef {{key: string, memory: {bytes: number, length: number}, files: [string, number][]}} Head */
/** @typedef {{memory: Uint8Array, length: number, files: Map<string, Uint8Array>}} Image */

/**
 * The name of what a visit can start from: what is built in, and the browser that runs it. A browser of another version
 * may lay its tables out in another way, and a page differs from a worker.
 *
 * @param {string} build hash of every file that goes in
 * @param {Record<string, unknown>} browser
 * @returns {Promise<string>}
 */
export async function imageKey(build, browser) {
  const text = new TextEncoder().encode(JSON.stringify([build, browser]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return [...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @returns {Promise<Record<string, unknown>>} */
export async function describeBrowser(scope = globalThis) {
  const navigator = /** @type {Navigator & {userAgentData?: any}} */ (scope.navigator);
  /** @type {unknown} */
  let versions = null;
  try {
    versions = (await navigator.userAgentData?.getHighEntropyValues(["fullVersionList"]))?.fullVersionList ?? null;
  } catch {
    // A policy may forbid it; the short version is in userAgent.
  }
  return {
    agent: navigator.userAgent,
    versions,
    scope: Object.prototype.toString.call(scope),
    isolated: scope.crossOriginIsolated === true,
  };
}

/**
 * @param {string} key
 * @param {Uint8Array} memory
 * @param {Map<string, Uint8Array>} files
 * @returns {Uint8Array<ArrayBuffer>[]} the parts of the file, one after the other; the first one has zeros where the checksum belongs
 */
export function encodeImage(key, memory, files) {
  const used = usedLength(memory);
  /** @type {Head} */
  const head = {
    key,
    memory: { bytes: used, length: memory.length },
    files: [...files].map(([path, bytes]) => [path, bytes.length]),
  };
  const text = padded(new TextEncoder().encode(JSON.stringify(head)), 0x20);
  const parts = [text, memory.subarray(0, used), ...[...files.values()].map((bytes) => padded(bytes, 0))];
  const prefix = new Uint32Array([MAGIC, text.length, 0, 0]);
  return /** @type {Uint8Array<ArrayBuffer>[]} */ ([new Uint8Array(prefix.buffer), ...parts]);
}

/**
 * Reads a file, and adds up what has arrived while the rest is on its way.
 *
 * @param {import("./shelf.js").KeptFile} file
 * @returns {Promise<{file: ArrayBuffer, sum: Checksum}>}
 */
export async function readImage(file) {
  if (file.stream === undefined || file.size === undefined) {
    const whole = await file.arrayBuffer();
    return { file: whole, sum: checksumOf(whole) };
  }
  const bytes = new Uint8Array(file.size);
  const sum = new Checksum();
  let [at, summed] = [0, 0];
  const reader = file.stream().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes.set(part.value, at);
    at += part.value.length;
    const end = at - (at % PREFIX);
    if (summed === 0 && end > 0) {
      sum.add(bytes.slice(0, PREFIX).fill(0, 8));
      summed = PREFIX;
    }
    sum.add(bytes.subarray(summed, end));
    summed = Math.max(summed, end);
  }
  return { file: bytes.buffer, sum };
}

/** @param {ArrayBuffer} file */
function checksumOf(file) {
  const sum = new Checksum();
  if (file.byteLength < PREFIX) return sum;
  sum.add(new Uint8Array(file, 0, PREFIX).slice().fill(0, 8));
  sum.add(new Uint8Array(file, PREFIX, file.byteLength - PREFIX - (file.byteLength % PREFIX)));
  return sum;
}

/**
 * @param {ArrayBuffer} file
 * @param {string} key
 * @param {Checksum} [sum] of the file, if it is known
 * @returns {Image | null} null if it is not whole or not the one that is looked for
 */
export function decodeImage(file, key, sum = checksumOf(file)) {
  if (file.byteLength < PREFIX || file.byteLength % PREFIX !== 0) return null;
  const [magic, headLength, first, second] = new Uint32Array(file, 0, 4);
  if (magic !== MAGIC || PREFIX + headLength > file.byteLength) return null;
  if (sum.value().join() !== [first, second].join()) return null;
  /** @type {Head} */
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(file, PREFIX, headLength)));
  if (head.key !== key) return null;
  let at = PREFIX + headLength;
  const take = (/** @type {number} */ length) => {
    const bytes = new Uint8Array(file, at, length);
    at += roundedUp(length);
    return bytes;
  };
  const memory = take(head.memory.bytes);
  /** @type {Map<string, Uint8Array>} */
  const files = new Map();
  // Files live as long as the interpreter: copies, so that the memory does not.
  for (const [path, length] of head.files) files.set(path, take(length).slice());
  return at === file.byteLength ? { memory, length: head.memory.length, files } : null;
}

/** Up to where the memory is not zero. @param {Uint8Array} memory */
function usedLength(memory) {
  let end = memory.length;
  while (end > 0 && memory[end - 1] === 0) end -= 1;
  return Math.min(memory.length, roundedUp(end));
}

/** @param {number} length */
function roundedUp(length) {
  return Math.ceil(length / PREFIX) * PREFIX;
}

/** @param {Uint8Array} bytes @param {number} filler */
function padded(bytes, filler) {
  const length = roundedUp(bytes.length);
  if (length === bytes.length) return bytes;
  const whole = new Uint8Array(length).fill(filler, bytes.length);
  whole.set(bytes);
  return whole;
}

/** Two sums over the words of what is added, the second one over the running first one, so that it matters where a word stands. */
export class Checksum {
  // Four pairs of sums side by side, because a processor adds independent numbers at once.
  #sums = [1, 2, 3, 4, 0, 0, 0, 0];

  /** @param {Uint8Array} bytes a multiple of 16 of them */
  add(bytes) {
    let [a, b, c, d, A, B, C, D] = this.#sums;
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >>> 2);
    for (let i = 0; i < words.length; i += 4) {
      A = (A + (a = (a + words[i]) | 0)) | 0;
      B = (B + (b = (b + words[i + 1]) | 0)) | 0;
      C = (C + (c = (c + words[i + 2]) | 0)) | 0;
      D = (D + (d = (d + words[i + 3]) | 0)) | 0;
    }
    this.#sums = [a, b, c, d, A, B, C, D];
  }

  /** @returns {[number, number]} */
  value() {
    const joined = (/** @type {number[]} */ sums) => sums.reduce((all, sum) => (Math.imul(all, 31) + sum) | 0, 7) >>> 0;
    return [joined(this.#sums.slice(0, 4)), joined(this.#sums.slice(4))];
  }

  /** @param {Uint8Array} prefix the first part of the file */
  writeTo(prefix) {
    new Uint32Array(prefix.buffer).set(this.value(), 2);
  }
}
