/** A memory's calls on what agents that write code keep. */
import { call } from "./base.js";
import { Work } from "./work.js";

/**
 * @import {
 *   Bundle, CodeFile, CodeHub, CodeNode, CodeSource, CodeSourceChanges, CodeStep, CodeWalkOptions, Concept, ConceptChanges,
 *   ConceptsOptions, Environment, EnvironmentChanges, EnvironmentsOptions, Event, EventsOptions, FactsOptions, FileOperation,
 *   FileOperationKind, FileOperationsOptions, FileReservation, FindCodeOptions, NewBundleOptions, NewCodeFileOptions,
 *   NewCodeSourceOptions, NewConceptOptions, NewEnvironmentOptions, NewEventOptions, NewFileOperationOptions, NewSnapshotOptions,
 *   NewStateSnapshotOptions, NewWorkspaceOptions, RelatedConcept, RelatedConceptsOptions, ReservationOptions, Snapshot, StateSnapshot,
 *   StateSnapshotsOptions, Workspace, WorkspaceFile, WorkspaceFileChanges, WorkspaceFilesOptions
 * } from "../zengram.js"
 */

/** A memory's calls on what agents that write code keep. */
export class Code extends Work {
  // -- files ----------------------------------------------------------------------------------------------------------

  /**
   * @param {string} sessionId
   * @param {string} filePath
   * @param {FileOperationKind} operation
   * @param {NewFileOperationOptions} [options]
   * @returns {string}
   */
  recordFileOperation(sessionId, filePath, operation, options) {
    return call(this, "recordFileOperation", [sessionId, filePath, operation], options);
  }

  /** @param {FileOperationsOptions} [options] @returns {FileOperation[]} */
  fileOperations(options) {
    return call(this, "fileOperations", [], options);
  }

  /** @param {string} sessionId @param {WorkspaceFilesOptions} [options] @returns {WorkspaceFile[]} */
  workspaceFiles(sessionId, options) {
    return call(this, "workspaceFiles", [sessionId], options);
  }

  /** @param {string} sessionId @param {string} filePath @param {WorkspaceFileChanges} changes @returns {void} */
  setWorkspaceFile(sessionId, filePath, changes) {
    call(this, "setWorkspaceFile", [sessionId, filePath], changes);
  }

  /** @param {string} filePath @param {string} agentId @param {ReservationOptions} [options] @returns {string} */
  reserveFile(filePath, agentId, options) {
    return call(this, "reserveFile", [filePath, agentId], options);
  }

  /** @param {string} reservationId @returns {void} */
  releaseFile(reservationId) {
    call(this, "releaseFile", [reservationId]);
  }

  /** @param {{filePath?: string; agentId?: string; projectId?: string}} [options] @returns {FileReservation[]} */
  fileReservations(options) {
    return call(this, "fileReservations", [], options);
  }

  // -- the code graph -------------------------------------------------------------------------------------------------

  /** @param {string} rootPath @param {NewCodeSourceOptions} [options] @returns {string} */
  addCodeSource(rootPath, options) {
    return call(this, "addCodeSource", [rootPath], options);
  }

  /** @param {string} sourceId @param {CodeSourceChanges} changes @returns {void} */
  updateCodeSource(sourceId, changes) {
    call(this, "updateCodeSource", [sourceId], changes);
  }

  /** @param {string} sourceId @returns {void} */
  removeCodeSource(sourceId) {
    call(this, "removeCodeSource", [sourceId]);
  }

  /** @param {{projectId?: string; limit?: number}} [options] @returns {CodeSource[]} */
  codeSources(options) {
    return call(this, "codeSources", [], options);
  }

  /** @param {string} sourceId @param {string} path @param {NewCodeFileOptions} [options] @returns {string} */
  putCodeFile(sourceId, path, options) {
    return call(this, "putCodeFile", [sourceId, path], options);
  }

  /** @param {string} sourceId @param {string} path @returns {void} */
  removeCodeFile(sourceId, path) {
    call(this, "removeCodeFile", [sourceId, path]);
  }

  /** @param {string} sourceId @param {FactsOptions} [options] @returns {CodeFile[]} */
  codeFiles(sourceId, options) {
    return call(this, "codeFiles", [sourceId], options);
  }

  /** @param {string} sourceId @param {string} path @returns {CodeNode[]} */
  codeNodes(sourceId, path) {
    return call(this, "codeNodes", [sourceId, path]);
  }

  /** @param {string} nodeId @returns {CodeNode | null} */
  codeNode(nodeId) {
    return call(this, "codeNode", [nodeId]);
  }

  /** @param {string} name @param {FindCodeOptions} [options] @returns {CodeNode[]} */
  findCode(name, options) {
    return call(this, "findCode", [name], options);
  }

  /** @param {string} nodeId @param {CodeWalkOptions} [options] @returns {CodeStep[]} */
  callers(nodeId, options) {
    return call(this, "callers", [nodeId], options);
  }

  /** @param {string} nodeId @param {CodeWalkOptions} [options] @returns {CodeStep[]} */
  callees(nodeId, options) {
    return call(this, "callees", [nodeId], options);
  }

  /** @param {string} sourceId @param {number} [limit] @returns {CodeHub[]} */
  codeHubs(sourceId, limit) {
    return call(this, "codeHubs", [sourceId, limit]);
  }

  // -- object knowledge -----------------------------------------------------------------------------------------------

  /** @param {string} name @param {NewBundleOptions} [options] @returns {string} */
  addBundle(name, options) {
    return call(this, "addBundle", [name], options);
  }

  /** @param {{projectId?: string; limit?: number}} [options] @returns {Bundle[]} */
  bundles(options) {
    return call(this, "bundles", [], options);
  }

  /** @param {string} bundleId @returns {void} */
  removeBundle(bundleId) {
    call(this, "removeBundle", [bundleId]);
  }

  /** @param {string} bundleId @param {string} title @param {NewConceptOptions} [options] @returns {string} */
  addConcept(bundleId, title, options) {
    return call(this, "addConcept", [bundleId, title], options);
  }

  /** @param {string} conceptId @param {ConceptChanges} changes @returns {void} */
  updateConcept(conceptId, changes) {
    call(this, "updateConcept", [conceptId], changes);
  }

  /** @param {string} conceptId @returns {void} */
  removeConcept(conceptId) {
    call(this, "removeConcept", [conceptId]);
  }

  /** @param {string} fromConcept @param {string} toConcept @param {string} relation @param {number} [weight] @returns {void} */
  linkConcepts(fromConcept, toConcept, relation, weight) {
    call(this, "linkConcepts", [fromConcept, toConcept, relation, weight]);
  }

  /** @param {string} fromConcept @param {string} toConcept @param {string} relation @returns {void} */
  unlinkConcepts(fromConcept, toConcept, relation) {
    call(this, "unlinkConcepts", [fromConcept, toConcept, relation]);
  }

  /** @param {string} conceptId @returns {Concept | null} */
  concept(conceptId) {
    return call(this, "concept", [conceptId]);
  }

  /** @param {string} bundleId @param {ConceptsOptions} [options] @returns {Concept[]} */
  concepts(bundleId, options) {
    return call(this, "concepts", [bundleId], options);
  }

  /** @param {string} conceptId @param {RelatedConceptsOptions} [options] @returns {RelatedConcept[]} */
  relatedConcepts(conceptId, options) {
    return call(this, "relatedConcepts", [conceptId], options);
  }

  // -- events and states ----------------------------------------------------------------------------------------------

  /** @param {string} eventType @param {unknown} [data] @param {NewEventOptions} [options] @returns {number} */
  logEvent(eventType, data, options) {
    return call(this, "logEvent", [eventType, data], options);
  }

  /** @param {EventsOptions} [options] @returns {Event[]} */
  events(options) {
    return call(this, "events", [], options);
  }

  /**
   * @param {string} sessionId
   * @param {string} treeHash
   * @param {string} type
   * @param {NewSnapshotOptions} [options]
   * @returns {string}
   */
  recordSnapshot(sessionId, treeHash, type, options) {
    return call(this, "recordSnapshot", [sessionId, treeHash, type], options);
  }

  /** @param {string} sessionId @param {{type?: string; limit?: number}} [options] @returns {Snapshot[]} */
  snapshots(sessionId, options) {
    return call(this, "snapshots", [sessionId], options);
  }

  /** @param {string} type @param {string} location @param {NewStateSnapshotOptions} [options] @returns {string} */
  addStateSnapshot(type, location, options) {
    return call(this, "addStateSnapshot", [type, location], options);
  }

  /** @param {StateSnapshotsOptions} [options] @returns {StateSnapshot[]} */
  stateSnapshots(options) {
    return call(this, "stateSnapshots", [], options);
  }

  /** @param {string} type @param {NewEnvironmentOptions} [options] @returns {string} */
  addEnvironment(type, options) {
    return call(this, "addEnvironment", [type], options);
  }

  /** @param {string} environmentId @param {EnvironmentChanges} changes @returns {void} */
  updateEnvironment(environmentId, changes) {
    call(this, "updateEnvironment", [environmentId], changes);
  }

  /** @param {EnvironmentsOptions} [options] @returns {Environment[]} */
  environments(options) {
    return call(this, "environments", [], options);
  }

  /** @param {string} projectId @param {string} type @param {NewWorkspaceOptions} [options] @returns {string} */
  addWorkspace(projectId, type, options) {
    return call(this, "addWorkspace", [projectId, type], options);
  }

  /** @param {{projectId?: string; limit?: number}} [options] @returns {Workspace[]} */
  workspaces(options) {
    return call(this, "workspaces", [], options);
  }
}
