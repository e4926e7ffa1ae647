/** A memory's calls on facts. */
import { MemoryBase, call } from "./base.js";

/**
 * @import {
 *   Collision, Contradiction, ContradictionsOptions, Entity, ExtractedFact, ExtractionConfig, Fact, FactsOptions, Hit, Insight, Origin,
 *   PeerFact, RecallConfig, RecallOptions, RememberOptions, Vector
 * } from "../zengram.js"
 */

/** A memory's calls on facts. */
export class Facts extends MemoryBase {
  // -- facts ----------------------------------------------------------------------------------------------------------

  /** @param {string} subject @param {string} content @param {string} scope @param {RememberOptions} [options] @returns {string} */
  remember(subject, content, scope, options) {
    return call(this, "remember", [subject, content, scope], options);
  }

  /** @param {string} query @param {string} scope @param {RecallOptions} [options] @returns {Hit[]} */
  recall(query, scope, options) {
    return call(this, "recall", [query, scope], options);
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
    return call(this, "rememberWithVector", [subject, content, scope, vec], options);
  }

  /** @param {string} query @param {string} scope @param {Vector} vec @param {RecallOptions} [options] @returns {Hit[]} */
  recallWithVector(query, scope, vec, options) {
    return call(this, "recallWithVector", [query, scope, vec], options);
  }

  /** @param {string} scope @returns {RecallConfig} */
  recallConfig(scope) {
    return call(this, "recallConfig", [scope]);
  }

  /** @param {string} scope @param {Partial<RecallConfig>} settings @returns {RecallConfig} */
  configureRecall(scope, settings) {
    return call(this, "configureRecall", [scope], settings);
  }

  /** @param {string} scope @param {FactsOptions} [options] @returns {Fact[]} */
  facts(scope, options) {
    return call(this, "facts", [scope], options);
  }

  /** @param {string} id @returns {Fact | null} */
  fact(id) {
    return call(this, "fact", [id]);
  }

  /** @param {string} subject @param {string | null} [scope] @param {{peer?: string}} [options] @returns {Fact[]} */
  history(subject, scope, options) {
    return call(this, "history", [subject, scope], options);
  }

  /** @param {string} peer @param {number} [limit] @param {{includePrivate?: boolean}} [options] @returns {PeerFact[]} */
  factsAboutPeer(peer, limit, options) {
    return call(this, "factsAboutPeer", [peer, limit], options);
  }

  /** @param {string} name @param {string} scope @param {{limit?: number}} [options] @returns {Fact[]} */
  entity(name, scope, options) {
    return call(this, "entity", [name, scope], options);
  }

  /** @param {string} scope @param {{limit?: number}} [options] @returns {Entity[]} */
  entities(scope, options) {
    return call(this, "entities", [scope], options);
  }

  /** @param {string} scope @returns {string} */
  ensureProject(scope) {
    return call(this, "ensureProject", [scope]);
  }

  // -- the life of a fact, and where it came from ----------------------------------------------------------------------

  /** @param {string} id @returns {void} */
  confirm(id) {
    call(this, "confirm", [id]);
  }

  /** @param {string} id @returns {void} */
  contradict(id) {
    call(this, "contradict", [id]);
  }

  /** @param {number} halfLifeDays @returns {number} */
  decay(halfLifeDays) {
    return call(this, "decay", [halfLifeDays]);
  }

  /** @param {string} id @param {{threshold?: number, limit?: number}} [options] @returns {Collision[]} */
  collisions(id, options) {
    return call(this, "collisions", [id], options);
  }

  /** @param {string} id @param {string | readonly string[]} duplicateIds @returns {void} */
  mergeFacts(id, duplicateIds) {
    call(this, "mergeFacts", [id, duplicateIds]);
  }

  /** @param {string} id @returns {void} */
  forget(id) {
    call(this, "forget", [id]);
  }

  /** @param {string} id @returns {void} */
  purge(id) {
    call(this, "purge", [id]);
  }

  /** @param {string} id @param {{depth?: number}} [options] @returns {Origin[]} */
  traceBack(id, options) {
    return call(this, "traceBack", [id], options);
  }

  /** @param {string} id @param {{depth?: number}} [options] @returns {Origin[]} */
  traceForward(id, options) {
    return call(this, "traceForward", [id], options);
  }

  /** @param {string} scope @param {ContradictionsOptions} [options] @returns {Contradiction[]} */
  contradictions(scope, options) {
    return call(this, "contradictions", [scope], options);
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
    return call(this, "extractWithFacts", [turnText, scope, sessionId, turnId, facts]);
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
    return call(this, "extractWithFactsWithVectors", [turnText, scope, sessionId, turnId, facts, vectors]);
  }

  /** @param {string} scope @param {readonly Insight[]} insights @param {number} [limit] @returns {string[]} */
  reflectWithInsights(scope, insights, limit) {
    return call(this, "reflectWithInsights", [scope, insights, limit]);
  }

  /**
   * @param {string} scope
   * @param {readonly Insight[]} insights
   * @param {readonly Vector[]} vectors
   * @param {number} [limit]
   * @returns {string[]}
   */
  reflectWithInsightsWithVectors(scope, insights, vectors, limit) {
    return call(this, "reflectWithInsightsWithVectors", [scope, insights, vectors, limit]);
  }

  /** @param {string} scope @returns {ExtractionConfig} */
  extractionConfig(scope) {
    return call(this, "extractionConfig", [scope]);
  }

  /** @param {string} scope @param {Partial<ExtractionConfig>} settings @returns {ExtractionConfig} */
  configureExtraction(scope, settings) {
    return call(this, "configureExtraction", [scope], settings);
  }
}
