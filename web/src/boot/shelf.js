/**
 * Where the images of interpreters are kept between visits: one for each place a build is served from.
 *
 *     OPFS           zengram-images/<hash of the build's address>/<key>
 *     or the Cache   zengram-images-<hash of the build's address>: an answer under the address image-<key>
 *     API
 *
 * An image of another key in the same place is that of an older build or browser, and is removed when a new one is there.
 * Nothing here is needed to start: whatever fails ends as "there is none".
 */

const NAME = "zengram-images";

/** Do not fill the last of the origin's storage: this is a cache, and the page's data come first. */
const SPARE_FACTOR = 3;

/** A site that puts every build at an address of its own would gather images: those of other addresses go after this time. */
const MAX_AGE_MS = 30 * 24 * 3600 * 1000;

/** @typedef {{arrayBuffer(): Promise<ArrayBuffer>, stream?(): ReadableStream<Uint8Array>, size?: number}} KeptFile */
/** @typedef {{find(key: string): Promise<KeptFile | null>, write(key: string, parts: Uint8Array<ArrayBuffer>[]): Promise<void>, clear(keep?: string): Promise<void>}} Shelf */

/**
 * @param {string} place the address of the build
 * @param {{storage?: StorageManager, caches?: CacheStorage}} [environment]
 * @returns {Promise<Shelf | null>} null where nothing can be kept
 */
export async function openShelf(place, environment = { storage: globalThis.navigator?.storage, caches: globalThis.caches }) {
  const name = await hashOf(place);
  try {
    const root = await environment.storage?.getDirectory?.();
    // Writable files came later than OPFS itself to some browsers.
    if (root && "createWritable" in FileSystemFileHandle.prototype) {
      const folder = await root.getDirectoryHandle(NAME, { create: true });
      return new OpfsShelf(folder, name, await folder.getDirectoryHandle(name, { create: true }));
    }
  } catch {
    // Storage is denied, as in some private windows.
  }
  try {
    if (environment.caches) return new CacheShelf(await environment.caches.open(`${NAME}-${name}`), place);
  } catch {
    // The same.
  }
  return null;
}

/** Whether the origin has room for so many bytes, and more. @param {number} bytes @param {StorageManager} [storage] */
export async function hasRoomFor(bytes, storage = globalThis.navigator?.storage) {
  const { quota, usage } = (await storage?.estimate?.()) ?? {};
  return quota === undefined || usage === undefined || quota - usage > SPARE_FACTOR * bytes;
}

/** @param {string} text */
async function hashOf(text) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...digest.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @implements {Shelf} */
class OpfsShelf {
  #all;
  #name;
  #folder;

  /** @param {FileSystemDirectoryHandle} all @param {string} name @param {FileSystemDirectoryHandle} folder */
  constructor(all, name, folder) {
    this.#all = all;
    this.#name = name;
    this.#folder = folder;
  }

  /** @param {string} key */
  async find(key) {
    try {
      const file = await (await this.#folder.getFileHandle(key)).getFile();
      // Made empty before its contents are put in place: the page that was writing it has gone.
      return file.size === 0 ? null : file;
    } catch (error) {
      if (/** @type {Error} */ (error).name === "NotFoundError") return null;
      throw error;
    }
  }

  /** @param {string} key @param {Uint8Array<ArrayBuffer>[]} parts */
  async write(key, parts) {
    const handle = await this.#folder.getFileHandle(key, { create: true });
    const target = await handle.createWritable();
    try {
      // What is written lies aside until `close`, which puts it in its place at once.
      for (const part of parts) await target.write(part);
      await target.close();
    } catch (error) {
      await target.abort().catch(() => {});
      await this.#folder.removeEntry(key).catch(() => {});
      throw error;
    }
  }

  async clear(keep = "") {
    for await (const name of this.#folder.keys()) if (name !== keep) await this.#folder.removeEntry(name);
    for await (const [name, other] of this.#all.entries()) {
      if (name !== this.#name && (await isOld(other))) await this.#all.removeEntry(name, { recursive: true });
    }
  }
}

/** Whether all in a folder is old; an empty one may just be about to be filled. @param {FileSystemHandle} folder */
async function isOld(folder) {
  let isEmpty = true;
  for await (const file of /** @type {FileSystemDirectoryHandle} */ (folder).values()) {
    const { lastModified } = await /** @type {FileSystemFileHandle} */ (file).getFile();
    if (Date.now() - lastModified < MAX_AGE_MS) return false;
    isEmpty = false;
  }
  return !isEmpty;
}

/** @implements {Shelf} */
class CacheShelf {
  #cache;
  #place;

  /** @param {Cache} cache @param {string} place */
  constructor(cache, place) {
    this.#cache = cache;
    this.#place = place;
  }

  /** @param {string} key */
  #address(key) {
    return new URL(`image-${key}`, this.#place).href;
  }

  /** @param {string} key */
  async find(key) {
    return (await this.#cache.match(this.#address(key))) ?? null;
  }

  /** @param {string} key @param {Uint8Array<ArrayBuffer>[]} parts */
  async write(key, parts) {
    await this.#cache.put(this.#address(key), new Response(new Blob(parts)));
  }

  async clear(keep = "") {
    for (const request of await this.#cache.keys()) {
      if (request.url !== this.#address(keep)) await this.#cache.delete(request);
    }
  }
}
