/**
 * A memory of the page. What each call takes is in calls.js; the work is done by the Python package `zengram_py`. What is public is
 * documented in zengram.d.ts.
 */
import { checkCall, writes } from "./calls.js";
import { describe } from "./describe.js";
import { Embedding, isPromise } from "./embedding.js";
import { ClosedError, InvalidArgumentError } from "./errors.js";
import { IdleMaintenance } from "./idle.js";
import { checkBudget, checkDim, toBytes } from "./inputs.js";
import { release, running } from "./python.js";
import { ZetaDb, statement } from "./zeta.js";

/** @typedef {import("./calls.js").Method} Method */
/**
 * @import {
 *   Collision, Contradiction, ContradictionsOptions, Entity, ExtractedFact, ExtractionConfig, Fact, FactsOptions, Hit, Insight,
 *   NewSession, NewSessionOptions, NewToolCall, NewTurnOptions, Origin, Part, PeerFact, QueryResult, RecallConfig, RecallOptions,
 *   RememberOptions, Session, SessionBranch, SessionTotals, SessionsOptions, Time, TimelineEvent, TokenOptions, ToolCall,
 *   ToolCallResult, ToolCallsOptions, Turn, Vector
 * } from "./zengram.js"
 */

const maintenance = new IdleMaintenance(
  (handle, budgetMs) => /** @type {boolean} */ (running().call("maintain", handle, JSON.stringify([budgetMs]))),
);

/** Frees what Python holds for a memory that the page forgot to free. @type {FinalizationRegistry<number>} */
const forgotten = new FinalizationRegistry((handle) => {
  maintenance.remove(handle);
  release("free", handle);
});

const ASYNC_BATCH =
  "The function of a batch returned a Promise, but a batch ends with the function: what it had stored by then is not kept. " +
  "Await first, then store.";

/** Lets `open` and `openFromSnapshot` in, and nobody else. */
const INTERNAL = Symbol("internal");

export class ZengramMemory {
  /** 0 when freed. */
  #handle;
  #embedding = new Embedding();

  /**
   * @param {symbol} key
   * @param {number} handle
   */
  constructor(key, handle) {
    if (key !== INTERNAL) {
      throw new InvalidArgumentError("Use ZengramMemory.open(dim) or ZengramMemory.openFromSnapshot(bytes, dim).");
    }
    this.#handle = handle;
    forgotten.register(this, handle, this);
    maintenance.add(handle); // a snapshot may hold work that was not done
  }

  /** @param {number} dim @returns {ZengramMemory} */
  static open(dim) {
    const handle = running().call("open", 0, JSON.stringify([checkDim(dim)]));
    return new ZengramMemory(INTERNAL, /** @type {number} */ (handle));
  }

  /** @param {Uint8Array} bytes @param {number} dim @returns {ZengramMemory} */
  static openFromSnapshot(bytes, dim) {
    const python = running();
    const snapshot = toBytes(bytes, "A snapshot");
    const handle = python.call("openFromSnapshot", 0, JSON.stringify([checkDim(dim)]), snapshot);
    return new ZengramMemory(INTERNAL, /** @type {number} */ (handle));
  }

  /** @param {ZetaDb} db @param {number} dim @returns {ZengramMemory} */
  static overEngine(db, dim) {
    if (!(db instanceof ZetaDb)) {
      throw new InvalidArgumentError(`A memory lies over a ZetaDb, not ${describe(db)}.`);
    }
    const handle = running().call("overEngine", db.handle(), JSON.stringify([checkDim(dim)]));
    return new ZengramMemory(INTERNAL, /** @type {number} */ (handle));
  }

  /** @param {string} sql @param {readonly unknown[]} [params] @returns {QueryResult} */
  query(sql, params) {
    this.#open();
    const args = statement(sql, params);
    const handle = this.#open(); // reading parameters may have run code of the caller's
    maintenance.add(handle);
    return /** @type {QueryResult} */ (this.#embedding.during(() => running().call("query", handle, args)));
  }

  /** @param {(text: string) => Vector} fn @param {number} dim @returns {void} */
  setEmbedFn(fn, dim) {
    this.#embedding.set(this.#open(), fn, dim);
  }

  /**
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  batch(work) {
    const handle = this.#open();
    if (typeof work !== "function") throw new InvalidArgumentError(`batch needs a function, not ${describe(work)}.`);
    running().call("batchBegin", handle, "[]");
    let result;
    try {
      result = work();
      if (isPromise(result)) throw new InvalidArgumentError(ASYNC_BATCH);
    } catch (error) {
      // Freeing the memory gave the batch up already.
      if (this.#handle === handle) running().call("batchRollback", handle, "[]");
      throw error;
    }
    running().call("batchCommit", this.#open(), "[]");
    maintenance.add(handle);
    return result;
  }

  // -- facts ----------------------------------------------------------------------------------------------------------

  /** @param {string} subject @param {string} content @param {string} scope @param {RememberOptions} [options] @returns {string} */
  remember(subject, content, scope, options) {
    return this.#call("remember", [subject, content, scope], options);
  }

  /** @param {string} query @param {string} scope @param {RecallOptions} [options] @returns {Hit[]} */
  recall(query, scope, options) {
    return this.#call("recall", [query, scope], options);
  }

  /**
   * @param {string} subject
   * @param {string} content
   * @param {string} scope
   * @param {Vector} vec
   * @param {RememberOptions} [options]
   * @returns {string}
   */
  rememberWithVector(subject, content, scope, vec, options) {
    return this.#call("rememberWithVector", [subject, content, scope, vec], options);
  }

  /** @param {string} query @param {string} scope @param {Vector} vec @param {RecallOptions} [options] @returns {Hit[]} */
  recallWithVector(query, scope, vec, options) {
    return this.#call("recallWithVector", [query, scope, vec], options);
  }

  /** @param {string} scope @returns {RecallConfig} */
  recallConfig(scope) {
    return this.#call("recallConfig", [scope]);
  }

  /** @param {string} scope @param {Partial<RecallConfig>} settings @returns {RecallConfig} */
  configureRecall(scope, settings) {
    return this.#call("configureRecall", [scope], settings);
  }

  /** @param {string} scope @param {FactsOptions} [options] @returns {Fact[]} */
  facts(scope, options) {
    return this.#call("facts", [scope], options);
  }

  /** @param {string} id @returns {Fact | null} */
  fact(id) {
    return this.#call("fact", [id]);
  }

  /** @param {string} subject @param {string | null} [scope] @param {{peer?: string}} [options] @returns {Fact[]} */
  history(subject, scope, options) {
    return this.#call("history", [subject, scope], options);
  }

  /** @param {string} peer @param {number} [limit] @param {{includePrivate?: boolean}} [options] @returns {PeerFact[]} */
  factsAboutPeer(peer, limit, options) {
    return this.#call("factsAboutPeer", [peer, limit], options);
  }

  /** @param {string} name @param {string} scope @param {{limit?: number}} [options] @returns {Fact[]} */
  entity(name, scope, options) {
    return this.#call("entity", [name, scope], options);
  }

  /** @param {string} scope @param {{limit?: number}} [options] @returns {Entity[]} */
  entities(scope, options) {
    return this.#call("entities", [scope], options);
  }

  /** @param {string} scope @returns {string} */
  ensureProject(scope) {
    return this.#call("ensureProject", [scope]);
  }

  // -- the life of a fact, and where it came from ----------------------------------------------------------------------

  /** @param {string} id @returns {void} */
  confirm(id) {
    this.#call("confirm", [id]);
  }

  /** @param {string} id @returns {void} */
  contradict(id) {
    this.#call("contradict", [id]);
  }

  /** @param {number} halfLifeDays @returns {number} */
  decay(halfLifeDays) {
    return this.#call("decay", [halfLifeDays]);
  }

  /** @param {string} id @param {{threshold?: number, limit?: number}} [options] @returns {Collision[]} */
  collisions(id, options) {
    return this.#call("collisions", [id], options);
  }

  /** @param {string} id @param {string | readonly string[]} duplicateIds @returns {void} */
  mergeFacts(id, duplicateIds) {
    this.#call("mergeFacts", [id, duplicateIds]);
  }

  /** @param {string} id @returns {void} */
  forget(id) {
    this.#call("forget", [id]);
  }

  /** @param {string} id @returns {void} */
  purge(id) {
    this.#call("purge", [id]);
  }

  /** @param {string} id @param {{depth?: number}} [options] @returns {Origin[]} */
  traceBack(id, options) {
    return this.#call("traceBack", [id], options);
  }

  /** @param {string} id @param {{depth?: number}} [options] @returns {Origin[]} */
  traceForward(id, options) {
    return this.#call("traceForward", [id], options);
  }

  /** @param {string} scope @param {ContradictionsOptions} [options] @returns {Contradiction[]} */
  contradictions(scope, options) {
    return this.#call("contradictions", [scope], options);
  }

  // -- sessions, branches, turns ---------------------------------------------------------------------------------------

  /** @param {string} projectId @param {NewSessionOptions} [options] @returns {NewSession} */
  createSession(projectId, options) {
    return this.#call("createSession", [projectId], options);
  }

  /** @param {string} sessionId @param {string} turnId @param {{name?: string}} [options] @returns {string} */
  forkSession(sessionId, turnId, options) {
    return this.#call("forkSession", [sessionId, turnId], options);
  }

  /** @param {string} sessionId @param {{summary?: string}} [options] @returns {void} */
  endSession(sessionId, options) {
    this.#call("endSession", [sessionId], options);
  }

  /** @param {string} sessionId @returns {Session | null} */
  session(sessionId) {
    return this.#call("session", [sessionId]);
  }

  /** @param {string | null} [projectId] @param {SessionsOptions} [options] @returns {Session[]} */
  sessions(projectId, options) {
    return this.#call("sessions", [projectId], options);
  }

  /** @param {string} sessionId @returns {SessionBranch[]} */
  sessionBranches(sessionId) {
    return this.#call("sessionBranches", [sessionId]);
  }

  /** @param {string} sessionId @param {FactsOptions} [options] @returns {TimelineEvent[]} */
  sessionTimeline(sessionId, options) {
    return this.#call("sessionTimeline", [sessionId], options);
  }

  /** @param {string} sessionId @returns {SessionTotals} */
  sessionTotals(sessionId) {
    return this.#call("sessionTotals", [sessionId]);
  }

  /** @param {string} text @param {{projectId?: string, sessionId?: string}} [options] @returns {void} */
  setSystemInstructions(text, options) {
    this.#call("setSystemInstructions", [text], options);
  }

  /** @param {{projectId?: string, sessionId?: string}} [options] @returns {string | null} */
  systemInstructions(options) {
    return this.#call("systemInstructions", [], options);
  }

  /**
   * @param {string} sessionId
   * @param {string} branchId
   * @param {"user" | "assistant"} role
   * @param {NewTurnOptions} [options]
   * @returns {string}
   */
  appendTurn(sessionId, branchId, role, options) {
    return this.#call("appendTurn", [sessionId, branchId, role], options);
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
    return this.#call("addPart", [turnId, sessionId, partType, data, position]);
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
    this.#call("completeTurn", [turnId, tokensIn, tokensOut, costUsd, finishReason], options);
  }

  /** @param {string} turnId @param {string} summary @param {{model?: string}} [options] @returns {void} */
  summarizeTurn(turnId, summary, options) {
    this.#call("summarizeTurn", [turnId, summary], options);
  }

  /** @param {string} sessionId @param {string} branchId @param {number} [limit] @param {number} [offset] @returns {Turn[]} */
  getTurns(sessionId, branchId, limit, offset) {
    return this.#call("getTurns", [sessionId, branchId, limit, offset]);
  }

  /** @param {string} id @returns {Turn | null} */
  turn(id) {
    return this.#call("turn", [id]);
  }

  /** @param {string} turnId @returns {Part[]} */
  getParts(turnId) {
    return this.#call("getParts", [turnId]);
  }

  /** @param {string} sessionId @param {Time} since @param {{branchId?: string, limit?: number}} [options] @returns {Turn[]} */
  turnsSince(sessionId, since, options) {
    return this.#call("turnsSince", [sessionId, since], options);
  }

  // -- tool calls ------------------------------------------------------------------------------------------------------

  /** @param {NewToolCall} call @returns {string} */
  recordToolCall(call) {
    return this.#call("recordToolCall", [], call);
  }

  /** @param {string} id @returns {void} */
  startToolCall(id) {
    this.#call("startToolCall", [id]);
  }

  /** @param {string} id @param {ToolCallResult} [result] @returns {void} */
  completeToolCall(id, result) {
    this.#call("completeToolCall", [id], result);
  }

  /** @param {string} id @returns {ToolCall | null} */
  toolCall(id) {
    return this.#call("toolCall", [id]);
  }

  /** @param {string} sessionId @param {ToolCallsOptions} [options] @returns {ToolCall[]} */
  queryToolCalls(sessionId, options) {
    return this.#call("queryToolCalls", [sessionId], options);
  }

  // -- what the caller's own model found -------------------------------------------------------------------------------

  /**
   * @param {string} turnText
   * @param {string} scope
   * @param {string} sessionId
   * @param {string} turnId
   * @param {readonly ExtractedFact[]} facts
   * @returns {string[]}
   */
  extractWithFacts(turnText, scope, sessionId, turnId, facts) {
    return this.#call("extractWithFacts", [turnText, scope, sessionId, turnId, facts]);
  }

  /**
   * @param {string} turnText
   * @param {string} scope
   * @param {string} sessionId
   * @param {string} turnId
   * @param {readonly ExtractedFact[]} facts
   * @param {readonly Vector[]} vectors
   * @returns {string[]}
   */
  extractWithFactsWithVectors(turnText, scope, sessionId, turnId, facts, vectors) {
    return this.#call("extractWithFactsWithVectors", [turnText, scope, sessionId, turnId, facts, vectors]);
  }

  /** @param {string} scope @param {readonly Insight[]} insights @param {number} [limit] @returns {string[]} */
  reflectWithInsights(scope, insights, limit) {
    return this.#call("reflectWithInsights", [scope, insights, limit]);
  }

  /**
   * @param {string} scope
   * @param {readonly Insight[]} insights
   * @param {readonly Vector[]} vectors
   * @param {number} [limit]
   * @returns {string[]}
   */
  reflectWithInsightsWithVectors(scope, insights, vectors, limit) {
    return this.#call("reflectWithInsightsWithVectors", [scope, insights, vectors, limit]);
  }

  /** @param {string} scope @returns {ExtractionConfig} */
  extractionConfig(scope) {
    return this.#call("extractionConfig", [scope]);
  }

  /** @param {string} scope @param {Partial<ExtractionConfig>} settings @returns {ExtractionConfig} */
  configureExtraction(scope, settings) {
    return this.#call("configureExtraction", [scope], settings);
  }

  // -- the whole -------------------------------------------------------------------------------------------------------

  /** @param {number} [budgetMs] @returns {boolean} */
  maintain(budgetMs) {
    const args = budgetMs === undefined ? [] : [checkBudget(budgetMs)];
    return /** @type {boolean} */ (running().call("maintain", this.#open(), JSON.stringify(args)));
  }

  /** @returns {Uint8Array} */
  exportSnapshot() {
    return running().exportSnapshot(this.#open());
  }

  /** @returns {void} */
  free() {
    if (this.#handle === 0) return;
    const handle = this.#open();
    this.#handle = 0;
    forgotten.unregister(this);
    maintenance.remove(handle);
    running().call("free", handle, "[]");
  }

  /** The handle, if calls may be made now. */
  #open() {
    if (this.#handle === 0) throw new ClosedError("This memory was freed; open another one.");
    this.#embedding.checkIdle("memory");
    return this.#handle;
  }

  /**
   * @param {Method} method
   * @param {readonly unknown[]} values
   * @param {unknown} [options]
   * @returns {any}
   */
  #call(method, values, options) {
    this.#open();
    const { args, buffer } = checkCall(method, values, options);
    // Only now: reading arguments may have run code of the caller's, which may have freed this memory.
    const handle = this.#open();
    const answer = this.#embedding.during(() => running().call(method, handle, args, buffer));
    if (writes(method)) maintenance.add(handle);
    return answer;
  }
}

// Some browsers have no Symbol.dispose yet; polyfills and compilers look for the registered symbol then.
Object.defineProperty(ZengramMemory.prototype, Symbol.dispose ?? Symbol.for("Symbol.dispose"), {
  value: ZengramMemory.prototype.free,
  configurable: true,
  writable: true,
});
