/**
 * Work that runs one piece after the other, in the order of calls; a piece that fails does not stop the next.
 */
import { ClosedError } from "../errors.js";

export class InTurn {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  #closed = false;

  /** @param {string} what what was closed, for the message */
  constructor(what) {
    this.what = what;
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async run(work) {
    this.refuseIfClosed();
    const running = this.#last.then(work);
    this.#last = running.catch(() => {}); // whoever asked for it is told
    return running;
  }

  refuseIfClosed() {
    if (this.#closed) throw new ClosedError(`${this.what} is closed; open it again.`);
  }

  /** Takes nothing more and waits for what was begun. */
  async close() {
    this.#closed = true;
    await this.#last;
  }
}
