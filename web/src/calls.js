/**
 * What each call of a memory takes, as a table. `takes` are its arguments in their order (`?` ends the kind of one that may be left out),
 * `options` what its last argument, an object, may hold. A call that writes leaves work for idle time.
 */
import { describe, textOf } from "./describe.js";
import { InvalidArgumentError, VectorTypeError } from "./errors.js";
import { checkArgument, checkKnownOptions, toFloat32 } from "./inputs.js";

/** @typedef {import("./inputs.js").OptionKind} OptionKind */
/** @typedef {Record<string, OptionKind>} Options */
/**
 * @typedef {object} Call
 * @property {Record<string, OptionKind | `${OptionKind}?` | "vector" | "vectors">} takes
 * @property {Options} [options]
 * @property {boolean} [writes]
 */

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

/** @type {Options} */
const PAGE = { limit: "count", offset: "count" };

/** @satisfies {Record<string, Call>} */
const CALLS = {
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
  // Sessions, their branches and turns.
  createSession: {
    takes: { projectId: "text" },
    options: {
      title: "text",
      agent: "text",
      modelId: "text",
      providerId: "text",
      channelType: "text",
      parentId: "text",
    },
    writes: true,
  },
  forkSession: { takes: { sessionId: "text", turnId: "text" }, options: { name: "text" }, writes: true },
  endSession: { takes: { sessionId: "text" }, options: { summary: "text" }, writes: true },
  session: { takes: { sessionId: "text" } },
  sessions: { takes: { projectId: "text?" }, options: { status: "text", ...PAGE } },
  sessionBranches: { takes: { sessionId: "text" } },
  sessionTimeline: { takes: { sessionId: "text" }, options: PAGE },
  sessionTotals: { takes: { sessionId: "text" } },
  setSystemInstructions: {
    takes: { text: "text" },
    options: { projectId: "text", sessionId: "text" },
    writes: true,
  },
  systemInstructions: { takes: {}, options: { projectId: "text", sessionId: "text" } },
  appendTurn: {
    takes: { sessionId: "text", branchId: "text", role: "text" },
    options: { agent: "text", parentTurnId: "text", modelId: "text", providerId: "text" },
    writes: true,
  },
  addPart: {
    takes: { turnId: "text", sessionId: "text", partType: "text", data: "json", position: "count" },
    writes: true,
  },
  completeTurn: {
    takes: { turnId: "text", tokensIn: "count", tokensOut: "count", costUsd: "amount", finishReason: "text?" },
    options: { tokensReasoning: "count", tokensCacheRead: "count", tokensCacheWrite: "count" },
    writes: true,
  },
  summarizeTurn: { takes: { turnId: "text", summary: "text" }, options: { model: "text" }, writes: true },
  getTurns: { takes: { sessionId: "text", branchId: "text", limit: "count?", offset: "count?" } },
  turn: { takes: { id: "text" } },
  getParts: { takes: { turnId: "text" } },
  turnsSince: {
    takes: { sessionId: "text", since: "timeOrId" },
    options: { branchId: "text", limit: "count" },
  },
  // Tool calls.
  recordToolCall: {
    takes: {},
    options: {
      turnId: "text",
      partId: "text",
      sessionId: "text",
      toolId: "text",
      input: "json",
      category: "text",
      targetPaths: "textOrNames",
      toolSource: "text",
    },
    writes: true,
  },
  startToolCall: { takes: { id: "text" }, writes: true },
  completeToolCall: {
    takes: { id: "text" },
    options: { output: "jsonText", error: "textOrError", durationMs: "amount", tokensConsumed: "count" },
    writes: true,
  },
  toolCall: { takes: { id: "text" } },
  queryToolCalls: {
    takes: { sessionId: "text" },
    options: { toolId: "text", category: "text", state: "text", limit: "count" },
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

/** @typedef {keyof typeof CALLS} Method */

/** Whether a call leaves work for idle time. @param {Method} method */
export function writes(method) {
  return /** @type {Call} */ (CALLS[method]).writes === true;
}

/**
 * Checks what a call was given, and converts it for the bridge.
 *
 * @param {Method} method
 * @param {readonly unknown[]} values the arguments in their order
 * @param {unknown} options
 * @returns {{args: string, buffer: Float32Array | undefined}} JSON text, and the numbers beside it
 */
export function checkCall(method, values, options) {
  /** @type {Call} */
  const call = CALLS[method];
  /** @type {unknown[]} */
  const args = [];
  let buffer;
  for (const [i, [name, kind]] of Object.entries(call.takes).entries()) {
    if (kind === "vector") {
      buffer = toFloat32(values[i]);
    } else if (kind === "vectors") {
      const vectors = checkVectors(values[i]);
      buffer = joined(vectors);
      args.push(vectors.map((vector) => vector.length));
    } else if (kind.endsWith("?")) {
      const given = values[i] ?? null;
      args.push(given === null ? null : checkArgument(given, /** @type {OptionKind} */ (kind.slice(0, -1)), name));
    } else {
      args.push(checkArgument(values[i], /** @type {OptionKind} */ (kind), name));
    }
  }
  if (call.options !== undefined) args.push(checkKnownOptions(options, method, call.options));
  return { args: JSON.stringify(args), buffer };
}

/**
 * Copies: reading the next one may run code of the caller's, which may take the bytes of this one away.
 *
 * @param {unknown} vectors
 * @returns {Float32Array[]}
 */
function checkVectors(vectors) {
  if (!Array.isArray(vectors)) {
    throw new InvalidArgumentError(`The vectors must be an array of vectors, not ${describe(vectors)}.`);
  }
  let at = 0;
  try {
    return Array.from(vectors, (vector, i) => {
      at = i;
      return toFloat32(vector).slice();
    });
  } catch (cause) {
    if (cause instanceof VectorTypeError) throw new VectorTypeError(`vectors[${at}]: ${cause.message}`, { cause });
    throw new InvalidArgumentError(`The vectors cannot be read: ${textOf(cause)}`, { cause });
  }
}

/** @param {readonly Float32Array[]} vectors */
function joined(vectors) {
  const all = new Float32Array(vectors.reduce((length, vector) => length + vector.length, 0));
  let at = 0;
  for (const vector of vectors) {
    all.set(vector, at);
    at += vector.length;
  }
  return all;
}
