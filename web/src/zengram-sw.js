/**
 * Keeps the library for visits without a network. Register it from a page, or let `init({ offline: true })` do it:
 *
 *     navigator.serviceWorker.register("./path/to/dist/zengram-sw.js");
 *
 * Its scope is the folder that it lies in. It answers for the files of its own build and for nothing else: a page's own
 * files, and everything beside them, go to the network as if it were not there. A new build has a new version, whose files are all
 * fetched before it takes over; those that did not change come out of the HTTP cache. Then the old version's cache is removed.
 */

/** @type {{version: string, files: string[]}} what build/bundle.py puts here; files by their paths seen from this one */
const BUILD = { version: "source", files: [] };

const PREFIX = "zengram-offline:";
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (globalThis));
const scope = new URL("./", worker.location.href).href;
/** One cache for each place and version, so that two copies of the library on one origin leave each other alone. */
const NAME = `${PREFIX}${scope}:${BUILD.version}`;
const addresses = new Set(BUILD.files.map((path) => new URL(path, scope).href));

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && addresses.has(url)) event.respondWith(answer(event.request));
});

async function install() {
  const cache = await caches.open(NAME);
  // Files at fixed names may have been kept by the HTTP cache: those are asked for anew.
  const requests = [...addresses].map((url) => new Request(url, { cache: url.includes("/assets/") ? "default" : "no-cache" }));
  await cache.addAll(requests);
  await worker.skipWaiting();
}

async function activate() {
  const old = (await caches.keys()).filter((name) => name.startsWith(`${PREFIX}${scope}:`) && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** @param {Request} request */
async function answer(request) {
  const kept = await (await caches.open(NAME)).match(request.url);
  return kept ?? fetch(request);
}
