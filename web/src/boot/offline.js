/**
 * Registers the service worker that keeps the library for visits without a network.
 */
import { BUILD } from "../build.js";
import { root } from "./places.js";

/** Called once the library is ready: its files are in the HTTP cache then, from where the worker takes them. */
export async function keepForOffline() {
  const workers = globalThis.navigator?.serviceWorker;
  if (BUILD === null || !workers) return;
  try {
    // The worker itself is asked for anew on every visit, so that a new build is seen.
    await workers.register(new URL("zengram-sw.js", root()), { updateViaCache: "none" });
  } catch (error) {
    console.warn("Zengram could not register its service worker, and this page needs a network the next time as well:", error);
  }
}
