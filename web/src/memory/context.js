/** A memory's calls on contexts, memory branches and storage budgets. */
import { call } from "./base.js";
import { Sessions } from "./sessions.js";

/**
 * @import {
 *   BudgetOptions, BudgetReport, ContextOptions, ContextWindow, MemoryBranch, MemoryDiff, MemoryMerge, MergeOptions, StorageBudget
 * } from "../zengram.js"
 */

/** A memory's calls on contexts, memory branches and storage budgets. */
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

  // -- storage budgets ------------------------------------------------------------------------------------------------

  /** @param {string} scope @param {BudgetOptions} [options] @returns {StorageBudget} */
  configureBudget(scope, options) {
    return call(this, "configureBudget", [scope], options);
  }

  /** @param {string} scope @returns {StorageBudget | null} */
  storageBudget(scope) {
    return call(this, "storageBudget", [scope]);
  }

  /** @param {string} scope @returns {BudgetReport | null} */
  enforceBudget(scope) {
    return call(this, "enforceBudget", [scope]);
  }

  /** @param {string} sessionId @returns {void} */
  deleteSession(sessionId) {
    call(this, "deleteSession", [sessionId]);
  }
}
