/**
 * Files in memory, for a page that may keep nothing. They are gone with it.
 */
import { checkFileName } from "./file_names.js";
import { InTurn } from "./in_turn.js";
import { cutShort, gone } from "./storage_errors.js";

/** @typedef {import("./types.js").Backend} Backend */
/** Capacity doubles, so that many appends cost what one write does. @typedef {{buffer: Uint8Array, length: number}} Held */

/**
 * @param {string} name
 * @returns {Promise<Backend>}
 */
export async function openInMemory(name) {
  return new MemoryBackend(name);
}

/** @implements {Backend} */
class MemoryBackend {
  /** @type {"memory"} */
  kind = "memory";
  durable = false;
  segmentBytes = 1 << 20;
  /** @type {Map<string, Held>} */
  #files = new Map();
  #turns;

  /** @param {string} name */
  constructor(name) {
    this.#turns = new InTurn(`The store "${name}"`);
  }

  async list() {
    this.#turns.refuseIfClosed();
    return [...this.#files].map(([name, { length }]) => ({ name, bytes: length }));
  }

  /** @param {string} name */
  async read(name) {
    this.#turns.refuseIfClosed();
    const held = this.#files.get(name);
    return held === undefined ? null : held.buffer.slice(0, held.length);
  }

  /** @param {string} name @param {Uint8Array} bytes */
  async write(name, bytes) {
    checkFileName(name);
    const copy = bytes.slice();
    return this.#turns.run(async () => {
      this.#files.set(name, { buffer: copy, length: copy.length });
    });
  }

  /** @param {string} name */
  async create(name) {
    this.#turns.refuseIfClosed();
    checkFileName(name);
    /** @type {Uint8Array[]} */
    const parts = [];
    return {
      /** @param {Uint8Array} part */
      write: async (part) => {
        parts.push(part.slice());
      },
      finish: async () => {
        const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
        let at = 0;
        for (const part of parts.splice(0)) {
          whole.set(part, at);
          at += part.length;
        }
        await this.write(name, whole);
      },
      abort: async () => {
        parts.length = 0;
      },
    };
  }

  /** @param {string} name @param {number} at @param {Uint8Array} bytes */
  async append(name, at, bytes) {
    checkFileName(name);
    const copy = bytes.slice();
    return this.#turns.run(async () => {
      const held = this.#files.get(name) ?? { buffer: new Uint8Array(0), length: 0 };
      if (held.length < at) throw cutShort(name, held.length, at);
      const length = at + copy.length;
      if (length > held.buffer.length) {
        const larger = new Uint8Array(Math.max(length, 2 * held.buffer.length));
        larger.set(held.buffer.subarray(0, at));
        held.buffer = larger;
      }
      held.buffer.set(copy, at);
      held.length = length;
      this.#files.set(name, held);
    });
  }

  /** @param {string} name @param {number} bytes */
  async truncate(name, bytes) {
    return this.#turns.run(async () => {
      const held = this.#files.get(name);
      if (held === undefined || held.length < bytes) throw cutShort(name, held?.length ?? 0, bytes);
      held.length = bytes;
    });
  }

  /** @param {string} from @param {string} to */
  async rename(from, to) {
    checkFileName(to);
    return this.#turns.run(async () => {
      const held = this.#files.get(from);
      if (held === undefined) throw gone(from);
      this.#files.delete(from);
      this.#files.set(to, held);
    });
  }

  /** @param {string} name */
  async remove(name) {
    return this.#turns.run(async () => {
      this.#files.delete(name);
    });
  }

  async close() {
    await this.#turns.close();
  }
}
