/**
 * The image of an interpreter: looked for at the start of a visit, and kept for the next one when the page is idle.
 *
 * Whatever fails here costs a visit the quick start and nothing else, so errors end as "there is no image"; the console
 * (at its level "verbose") has them.
 */
import { BUILD } from "../build.js";
import { breathe } from "./breathe.js";
import { Checksum, decodeImage, describeBrowser, encodeImage, imageKey, readImage } from "./image.js";
import { root } from "./places.js";
import { hasRoomFor, openShelf } from "./shelf.js";

/** @typedef {import("./image.js").Image} Image */
/** @typedef {import("./shelf.js").Shelf} Shelf */
/** @typedef {{shelf: Shelf, key: string, release: () => void}} Keeper the right to make the image; one tab has it */

/** The first calls of a page come before the writing. */
const PATIENCE_MS = 1000;
const PIECE_BYTES = 1 << 22;

/** What is known of images at the start of a visit. */
export class Found {
  #shelf;
  #key;
  #place;
  #file;

  /** @param {Shelf} shelf @param {string} key @param {string} place @param {import("./shelf.js").KeptFile | null} file */
  constructor(shelf, key, place, file) {
    this.#shelf = shelf;
    this.#key = key;
    this.#place = place;
    this.#file = file;
  }

  /** Whether there is a file; whether it is whole is seen when it is read. */
  get isThere() {
    return this.#file !== null;
  }

  /** @returns {Promise<Image>} rejects if it is not whole */
  async read() {
    if (this.#file === null) throw new Error("there is none");
    const { file, sum } = await readImage(this.#file);
    const image = decodeImage(file, this.#key, sum);
    if (!image) throw new Error("it is damaged");
    return image;
  }

  /** Removes the image. */
  async drop() {
    await this.#shelf.clear().catch((error) => console.debug("Zengram could not remove an image:", error));
  }

  /** @returns {Promise<Keeper | null>} null while another tab has the right to make the image */
  async keeper() {
    return keeperOf(this.#shelf, this.#key, this.#place);
  }
}

/**
 * Looks for the image of this build and browser.
 *
 * @returns {Promise<Found | null>} null where none can be kept
 */
export async function findImage() {
  try {
    if (BUILD === null || !globalThis.isSecureContext) return null;
    const { id } = BUILD;
    const place = root().href;
    const [shelf, key] = await Promise.all([openShelf(place), describeBrowser().then((it) => imageKey(id, it))]);
    return shelf && new Found(shelf, key, place, await shelf.find(key));
  } catch (error) {
    console.debug("Zengram starts without an image:", error);
    return null;
  }
}

/** @param {Shelf} shelf @param {string} key @param {string} place @returns {Promise<Keeper | null>} */
async function keeperOf(shelf, key, place) {
  const locks = globalThis.navigator.locks;
  if (!locks) return { shelf, key, release: () => {} };
  return new Promise((resolve, reject) => {
    const held = locks.request(`zengram-image:${place}`, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(null);
      return new Promise((/** @type {(_: void) => void} */ release) => resolve({ shelf, key, release }));
    });
    held.catch(reject);
  });
}

/**
 * Writes the image when the page has nothing else to do, and removes older ones.
 *
 * @param {Keeper} keeper
 * @param {Uint8Array} memory
 * @param {Map<string, Uint8Array>} files
 */
export async function keepImage({ shelf, key, release }, memory, files) {
  try {
    await idle();
    const sum = new Checksum();
    const parts = encodeImage(key, memory, files);
    for (const part of parts) {
      for (let at = 0; at < part.length; at += PIECE_BYTES) {
        sum.add(part.subarray(at, at + PIECE_BYTES));
        await breathe();
      }
    }
    sum.writeTo(parts[0]);
    if (!(await hasRoomFor(parts.reduce((total, part) => total + part.length, 0)))) return;
    await shelf.write(key, parts);
    await shelf.clear(key);
    performance.mark("zengram:kept");
  } catch (error) {
    console.debug("Zengram could not keep an image for the next visit:", error);
  } finally {
    release();
  }
}

/** @returns {Promise<void>} */
function idle() {
  return new Promise((resolve) => {
    setTimeout(() => {
      if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve(), { timeout: PATIENCE_MS });
      else resolve();
    }, PATIENCE_MS);
  });
}
