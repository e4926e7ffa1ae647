/** What the calls on contexts and memory branches take. */

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
};
