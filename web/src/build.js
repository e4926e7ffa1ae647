/**
 * Where the files of a build are. build/bundle.py writes the module that takes this one's place in dist/; the sources, which
 * have no runtime beside them, know of none.
 *
 * @typedef {object} Build
 * @property {string} root the folder of zengram.js, seen from this module
 * @property {string} id hash of everything that the build holds
 * @property {string} index folder of the Pyodide runtime; like the others, seen from the root
 * @property {Record<string, number>} sizes bytes of the runtime's files
 * @property {import("./boot/places.js").LockFile} lock
 * @property {string} models folder of the embedding model
 * @property {string} transformers folder of transformers.js and its runtime
 */

/** @type {Build | null} */
export const BUILD = null;
