/**
 * Maintenance in idle time: what piles up with writes (indexes to build and to merge, old versions to clear away) is worked off in
 * short steps when the page has nothing else to do. Nothing waits for it: until then searches take what is there and scan the rest.
 */

/** Milliseconds for one turn; a turn leaves room in a frame. */
const BUDGET_MS = 8;
/** Without idle callbacks (workers, some browsers, Node): milliseconds between turns. */
const PAUSE_MS = 30;
/** A page that is never idle gets a turn after so many milliseconds. */
const AT_LATEST_MS = 2000;

export class IdleMaintenance {
  /** Memories with work that may wait, by handle: nobody is kept alive for it. @type {Set<number>} */
  #waiting = new Set();
  #isScheduled = false;
  #work;

  /** @param {(handle: number, budgetMs: number) => boolean} work does some, and says whether there is more */
  constructor(work) {
    this.#work = work;
  }

  /** Something was written. @param {number} handle */
  add(handle) {
    this.#waiting.add(handle);
    this.#schedule();
  }

  /** It was freed. @param {number} handle */
  remove(handle) {
    this.#waiting.delete(handle);
  }

  #schedule() {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    if (typeof requestIdleCallback === "function") {
      requestIdleCallback(() => this.#run(), { timeout: AT_LATEST_MS });
    } else {
      const timer = /** @type {unknown} */ (setTimeout(() => this.#run(), PAUSE_MS));
      // Node would not end before the work is done; what is not done is done after the next start.
      if (typeof timer === "object") /** @type {{unref?: () => void}} */ (timer).unref?.();
    }
  }

  #run() {
    this.#isScheduled = false;
    const [handle] = this.#waiting;
    if (handle === undefined) return;
    this.#waiting.delete(handle); // to the end of the line, or out of it also if the work throws
    try {
      if (this.#work(handle, BUDGET_MS)) this.#waiting.add(handle);
    } finally {
      this.#schedule();
    }
  }
}
