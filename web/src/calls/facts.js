/** What the calls on facts take. */
import { PAGE } from "./kinds.js";

/** @typedef {import("./kinds.js").Call} Call */
/** @typedef {import("./kinds.js").Options} Options */

/** @type {Options} */
const FACT = {
  entities: "names",
  categories: "textOrNames",
  tags: "textOrNames",
  peer: "text",
  importance: "fraction",
  private: "flag",
  validFrom: "time",
  validTo: "time",
  expires: "time",
  sessionId: "text",
  turnId: "text",
  toolCallId: "text",
  sourceIds: "textOrNames",
};

/** @type {Options} */
const RECALL = {
  limit: "count",
  maxTokens: "count",
  minScore: "fraction",
  explain: "flag",
  mmr: "flagOrFraction",
  preset: "text",
  categories: "textOrNames",
  tags: "textOrNames",
  peers: "textOrNames",
  status: "textOrNames",
  since: "time",
  until: "time",
  asOf: "time",
  includePrivate: "flag",
};

/** @type {Options} */
const RECALL_SETTINGS = {
  vectorWeight: "amount",
  textWeight: "amount",
  recencyWeight: "amount",
  importanceWeight: "amount",
  mmrLambda: "fraction",
  decayHalfLifeDays: "amount",
  limitDefault: "count",
  scoreThreshold: "fraction",
  preset: "text",
  spreadTurns: "amount",
  spreadSession: "amount",
  spreadSources: "amount",
  spreadEntities: "amount",
  spreadPeer: "amount",
};

/** @type {Options} */
const EXTRACTION_SETTINGS = {
  enabled: "flag",
  extractOn: "text",
  minTurnTokens: "count",
  reflectionTrigger: "text",
  reflectionScope: "text",
  categoriesPrompt: "text",
};

/** @satisfies {Record<string, Call>} */
export const FACT_CALLS = {
  // Facts.
  remember: { takes: { subject: "text", content: "text", scope: "text" }, options: FACT, writes: true },
  rememberWithVector: {
    takes: { subject: "text", content: "text", scope: "text", vec: "vector" },
    options: FACT,
    writes: true,
  },
  recall: { takes: { query: "text", scope: "text" }, options: RECALL },
  recallWithVector: { takes: { query: "text", scope: "text", vec: "vector" }, options: RECALL },
  recallConfig: { takes: { scope: "text" } },
  configureRecall: { takes: { scope: "text" }, options: RECALL_SETTINGS, writes: true },
  facts: { takes: { scope: "text" }, options: PAGE },
  fact: { takes: { id: "text" } },
  history: { takes: { subject: "text", scope: "text?" }, options: { peer: "text" } },
  factsAboutPeer: { takes: { peer: "text", limit: "count?" }, options: { includePrivate: "flag" } },
  entity: { takes: { name: "text", scope: "text" }, options: { limit: "count" } },
  entities: { takes: { scope: "text" }, options: { limit: "count" } },
  ensureProject: { takes: { scope: "text" }, writes: true },
  // Their life.
  confirm: { takes: { id: "text" }, writes: true },
  contradict: { takes: { id: "text" }, writes: true },
  decay: { takes: { halfLifeDays: "amount" }, writes: true },
  collisions: { takes: { id: "text" }, options: { threshold: "fraction", limit: "count" } },
  mergeFacts: { takes: { id: "text", duplicateIds: "textOrNames" }, writes: true },
  forget: { takes: { id: "text" }, writes: true },
  purge: { takes: { id: "text" }, writes: true },
  // Where they came from.
  traceBack: { takes: { id: "text" }, options: { depth: "count" } },
  traceForward: { takes: { id: "text" }, options: { depth: "count" } },
  contradictions: {
    takes: { scope: "text" },
    options: { sessionId: "text", since: "time", limit: "count", includePrivate: "flag" },
  },
  // What the caller's own model found.
  extractWithFacts: {
    takes: { turnText: "text", scope: "text", sessionId: "text", turnId: "text", facts: "objects" },
    writes: true,
  },
  extractWithFactsWithVectors: {
    takes: { turnText: "text", scope: "text", sessionId: "text", turnId: "text", facts: "objects", vectors: "vectors" },
    writes: true,
  },
  reflectWithInsights: { takes: { scope: "text", insights: "objects", limit: "count?" }, writes: true },
  reflectWithInsightsWithVectors: {
    takes: { scope: "text", insights: "objects", vectors: "vectors", limit: "count?" },
    writes: true,
  },
  extractionConfig: { takes: { scope: "text" } },
  configureExtraction: { takes: { scope: "text" }, options: EXTRACTION_SETTINGS, writes: true },
};
