/** What the calls on contexts, memory branches and storage budgets take. */

/** @typedef {import("./kinds.js").Call} Call */

/** @satisfies {Record<string, Call>} */
export const CONTEXT_CALLS = {
  // Contexts.
  countTokens: { takes: { text: "text" } },
  assembleContext: {
    takes: { sessionId: "text", branchId: "text", budget: "amount" },
    options: {
      knowledgeBudgetPct: "fraction",
      taskBudgetPct: "fraction",
      crossBranchBudgetPct: "fraction",
      reservePct: "fraction",
      hotBudgetPct: "fraction",
      includePrivate: "flag",
      vec: "vector",
      explain: "flag",
    },
  },
  // Memory branches.
  memoryBranches: { takes: {} },
  forkMemory: { takes: { name: "text" }, writes: true },
  useMemory: { takes: { name: "text?" } },
  discardMemory: { takes: { name: "text" }, writes: true },
  diffMemory: { takes: { name: "text" }, options: { against: "text" } },
  mergeMemory: { takes: { name: "text" }, options: { strategy: "text", dryRun: "flag" }, writes: true },
  // Storage budgets.
  configureBudget: {
    takes: { scope: "text" },
    options: { maxBytes: "count", highWaterBytes: "count", retainMin: "count" },
    writes: true,
  },
  storageBudget: { takes: { scope: "text" } },
  enforceBudget: { takes: { scope: "text" }, writes: true },
  deleteSession: { takes: { sessionId: "text" }, writes: true },
};
