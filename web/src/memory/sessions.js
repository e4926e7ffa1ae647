/** A memory's calls on sessions, turns and tool calls. */
import { call } from "./base.js";
import { Facts } from "./facts.js";

/**
 * @import {
 *   FactsOptions, NewSession, NewSessionOptions, NewToolCall, NewTurnOptions, Part, Session, SessionBranch, SessionTotals,
 *   SessionsOptions, Time, TimelineEvent, TokenOptions, ToolCall, ToolCallResult, ToolCallsOptions, Turn
 * } from "../zengram.js"
 */

/** A memory's calls on sessions, turns and tool calls. */
export class Sessions extends Facts {
  // -- sessions, branches, turns ---------------------------------------------------------------------------------------

  /** @param {string} projectId @param {NewSessionOptions} [options] @returns {NewSession} */
  createSession(projectId, options) {
    return call(this, "createSession", [projectId], options);
  }

  /** @param {string} sessionId @param {string} turnId @param {{name?: string}} [options] @returns {string} */
  forkSession(sessionId, turnId, options) {
    return call(this, "forkSession", [sessionId, turnId], options);
  }

  /** @param {string} sessionId @param {{summary?: string}} [options] @returns {void} */
  endSession(sessionId, options) {
    call(this, "endSession", [sessionId], options);
  }

  /** @param {string} sessionId @returns {Session | null} */
  session(sessionId) {
    return call(this, "session", [sessionId]);
  }

  /** @param {string | null} [projectId] @param {SessionsOptions} [options] @returns {Session[]} */
  sessions(projectId, options) {
    return call(this, "sessions", [projectId], options);
  }

  /** @param {string} sessionId @returns {SessionBranch[]} */
  sessionBranches(sessionId) {
    return call(this, "sessionBranches", [sessionId]);
  }

  /** @param {string} sessionId @param {FactsOptions} [options] @returns {TimelineEvent[]} */
  sessionTimeline(sessionId, options) {
    return call(this, "sessionTimeline", [sessionId], options);
  }

  /** @param {string} sessionId @returns {SessionTotals} */
  sessionTotals(sessionId) {
    return call(this, "sessionTotals", [sessionId]);
  }

  /** @param {string} text @param {{projectId?: string, sessionId?: string}} [options] @returns {void} */
  setSystemInstructions(text, options) {
    call(this, "setSystemInstructions", [text], options);
  }

  /** @param {{projectId?: string, sessionId?: string}} [options] @returns {string | null} */
  systemInstructions(options) {
    return call(this, "systemInstructions", [], options);
  }

  /**
   * @param {string} sessionId
   * @param {string} branchId
   * @param {"user" | "assistant"} role
   * @param {NewTurnOptions} [options]
   * @returns {string}
   */
  appendTurn(sessionId, branchId, role, options) {
    return call(this, "appendTurn", [sessionId, branchId, role], options);
  }

  /**
   * @param {string} turnId
   * @param {string} sessionId
   * @param {string} partType
   * @param {unknown} data
   * @param {number} position
   * @returns {string}
   */
  addPart(turnId, sessionId, partType, data, position) {
    return call(this, "addPart", [turnId, sessionId, partType, data, position]);
  }

  /**
   * @param {string} turnId
   * @param {number} tokensIn
   * @param {number} tokensOut
   * @param {number} costUsd
   * @param {string | null} [finishReason]
   * @param {TokenOptions} [options]
   * @returns {void}
   */
  completeTurn(turnId, tokensIn, tokensOut, costUsd, finishReason, options) {
    call(this, "completeTurn", [turnId, tokensIn, tokensOut, costUsd, finishReason], options);
  }

  /** @param {string} turnId @param {string} summary @param {{model?: string}} [options] @returns {void} */
  summarizeTurn(turnId, summary, options) {
    call(this, "summarizeTurn", [turnId, summary], options);
  }

  /** @param {string} sessionId @param {string} branchId @param {number} [limit] @param {number} [offset] @returns {Turn[]} */
  getTurns(sessionId, branchId, limit, offset) {
    return call(this, "getTurns", [sessionId, branchId, limit, offset]);
  }

  /** @param {string} id @returns {Turn | null} */
  turn(id) {
    return call(this, "turn", [id]);
  }

  /** @param {string} turnId @returns {Part[]} */
  getParts(turnId) {
    return call(this, "getParts", [turnId]);
  }

  /** @param {string} sessionId @param {Time} since @param {{branchId?: string, limit?: number}} [options] @returns {Turn[]} */
  turnsSince(sessionId, since, options) {
    return call(this, "turnsSince", [sessionId, since], options);
  }

  // -- tool calls ------------------------------------------------------------------------------------------------------

  /** @param {NewToolCall} toolCall @returns {string} */
  recordToolCall(toolCall) {
    return call(this, "recordToolCall", [], toolCall);
  }

  /** @param {string} id @returns {void} */
  startToolCall(id) {
    call(this, "startToolCall", [id]);
  }

  /** @param {string} id @param {ToolCallResult} [result] @returns {void} */
  completeToolCall(id, result) {
    call(this, "completeToolCall", [id], result);
  }

  /** @param {string} id @returns {ToolCall | null} */
  toolCall(id) {
    return call(this, "toolCall", [id]);
  }

  /** @param {string} sessionId @param {ToolCallsOptions} [options] @returns {ToolCall[]} */
  queryToolCalls(sessionId, options) {
    return call(this, "queryToolCalls", [sessionId], options);
  }
}
