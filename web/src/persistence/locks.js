/**
 * The Web Lock of a store: whoever holds `zengram:<name>` is the one page that writes.
 *
 * A page that is closing or reloading keeps its lock for a moment, so a lock that is held is asked for again for a while
 * before the store counts as locked.
 */
import { unavailable } from "./storage_errors.js";

/** @typedef {{release: () => void, released: Promise<unknown>}} HeldLock */

/** How often, and after how long, a lock that another page holds is asked for again. */
const ATTEMPTS = 20;
const RETRY_MS = 50;

/**
 * @param {LockManager | undefined} locks
 * @param {string} name
 * @param {object} listeners
 * @param {() => void} listeners.onLost another tab may take a lock by force
 * @param {() => boolean} [listeners.givenUp] whether nobody waits for it any more
 * @returns {Promise<HeldLock | null>} null when somebody else holds it
 */
export async function takeLock(locks, name, { onLost, givenUp = () => false }) {
  for (let attempt = 0; ; attempt++) {
    const lock = await holdLock(locks, name, onLost);
    if (lock !== null || attempt === ATTEMPTS || givenUp()) return lock;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/**
 * @param {LockManager | undefined} locks
 * @param {string} name
 * @param {() => void} onLost
 * @returns {Promise<HeldLock | null>}
 */
function holdLock(locks, name, onLost) {
  if (typeof locks?.request !== "function") throw unavailable("Web Locks for this page");
  return new Promise((resolve, reject) => {
    const released = locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) {
        resolve(null);
        return undefined;
      }
      return new Promise((release) => {
        // `released` is set by the time the browser calls back.
        queueMicrotask(() => resolve({ release: () => release(undefined), released }));
      });
    });
    released.catch((error) => {
      reject(error);
      onLost();
    });
  });
}
