/** A memory's calls on contexts and memory branches. */
import { call } from "./base.js";
import { Sessions } from "./sessions.js";

/**
 * @import {
 *   ContextOptions, ContextWindow, MemoryBranch, MemoryDiff, MemoryMerge, MergeOptions
 * } from "../zengram.js"
 */

/** A memory's calls on contexts and memory branches. */
export class Contexts extends Sessions {
  // -- contexts -------------------------------------------------------------------------------------------------------

  /** @param {string} text @returns {number} */
  countTokens(text) {
    return call(this, "countTokens", [text]);
  }

  /**
   * @param {string} sessionId
   * @param {string} branchId
   * @param {number} budget
   * @param {ContextOptions} [options]
   * @returns {ContextWindow}
   */
  assembleContext(sessionId, branchId, budget, options) {
    return call(this, "assembleContext", [sessionId, branchId, budget], options);
  }

  // -- memory branches ------------------------------------------------------------------------------------------------

  /** @returns {MemoryBranch[]} */
  memoryBranches() {
    return call(this, "memoryBranches", []);
  }

  /** @param {string} name @returns {void} */
  forkMemory(name) {
    call(this, "forkMemory", [name]);
  }

  /** @param {string | null} name @returns {void} */
  useMemory(name) {
    call(this, "useMemory", [name]);
  }

  /** @param {string} name @returns {void} */
  discardMemory(name) {
    call(this, "discardMemory", [name]);
  }

  /** @param {string} name @param {{against?: string}} [options] @returns {MemoryDiff} */
  diffMemory(name, options) {
    return call(this, "diffMemory", [name], options);
  }

  /** @param {string} name @param {MergeOptions} [options] @returns {MemoryMerge} */
  mergeMemory(name, options) {
    return call(this, "mergeMemory", [name], options);
  }
}
