/**
 * Keeps the library for visits without a network. A page in the folder of this file, or below it, registers it with
 *
 *     navigator.serviceWorker.register("./path/to/dist/zengram-sw.js");    or    init({ offline: true })
 *
 * A page elsewhere has a service worker of its own, which imports this one and says where it lies:
 *
 *     self.zengramFolder = "./path/to/dist/";
 *     importScripts("./path/to/dist/zengram-sw.js");
 *
 * It answers for the files of its own build and for nothing else: a page's own files, and everything beside them, are left to
 * the network or to whoever else listens. A new build has a new version, whose files are all fetched before it takes over; those
 * that did not change come out of the HTTP cache. Then the old version's files are removed.
 */
(() => {
  /** @type {{version: string, files: string[]}} what build/bundle.py puts here; files by their paths seen from this one */
  const BUILD = { version: "source", files: [] };

  /**
   * What is used here of a service worker's global scope.
   * @typedef {{waitUntil(work: Promise<unknown>): void, respondWith(answer: Promise<Response>): void, request: Request}} WorkerEvent
   * @typedef {object} Worker
   * @property {string} [zengramFolder]
   * @property {Location} location
   * @property {() => Promise<void>} skipWaiting
   * @property {{claim(): Promise<void>}} clients
   * @property {(kind: "install" | "activate" | "fetch", listener: (event: WorkerEvent) => void) => void} addEventListener
   */
  const worker = /** @type {Worker} */ (/** @type {unknown} */ (globalThis));
  const folder = new URL(worker.zengramFolder ?? "./", worker.location.href).href;
  /** One cache for each place and version: two copies of the library on one origin leave each other alone. */
  const prefix = `zengram-offline:${folder}:`;
  const name = prefix + BUILD.version;
  const addresses = new Set(BUILD.files.map((path) => new URL(path, folder).href));

  worker.addEventListener("install", (event) => event.waitUntil(install()));
  worker.addEventListener("activate", (event) => event.waitUntil(activate()));
  worker.addEventListener("fetch", (event) => {
    const { method, url } = event.request;
    if (method === "GET" && addresses.has(url)) event.respondWith(answer(event.request));
  });

  async function install() {
    const cache = await caches.open(name);
    // Files at fixed names may have been kept by the HTTP cache: those are asked for anew.
    const cacheMode = (/** @type {string} */ url) => (url.includes("/assets/") ? "default" : "no-cache");
    await cache.addAll([...addresses].map((url) => new Request(url, { cache: cacheMode(url) })));
    await worker.skipWaiting();
  }

  async function activate() {
    const old = (await caches.keys()).filter((other) => other.startsWith(prefix) && other !== name);
    await Promise.all(old.map((other) => caches.delete(other)));
    await worker.clients.claim();
  }

  /** @param {Request} request */
  async function answer(request) {
    const kept = await (await caches.open(name)).match(request.url);
    return kept ?? fetch(request);
  }
})();
