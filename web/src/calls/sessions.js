/** What the calls on sessions, turns and tool calls take. */
import { PAGE } from "./kinds.js";

/** @typedef {import("./kinds.js").Call} Call */

/** @satisfies {Record<string, Call>} */
export const SESSION_CALLS = {
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
};
