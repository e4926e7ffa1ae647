/** What the calls on what agents that write code keep take. */
import { PAGE } from "./kinds.js";

/** @typedef {import("./kinds.js").Call} Call */

/** @satisfies {Record<string, Call>} */
export const CODE_CALLS = {
  // Files.
  recordFileOperation: {
    takes: { sessionId: "text", filePath: "text", operation: "text" },
    options: {
      toolCallId: "text",
      contentHash: "text",
      diff: "text",
      additions: "count",
      deletions: "count",
      depth: "text",
      turnId: "text",
    },
    writes: true,
  },
  fileOperations: { takes: {}, options: { sessionId: "text", filePath: "text", operation: "text", limit: "count" } },
  workspaceFiles: {
    takes: { sessionId: "text" },
    options: { editState: "text", understanding: "text", limit: "count" },
  },
  setWorkspaceFile: {
    takes: { sessionId: "text", filePath: "text" },
    options: {
      relevance: "fraction|null",
      understanding: "text|null",
      editState: "text|null",
      relatedTest: "text|null",
      purpose: "text|null",
    },
    writes: true,
  },
  reserveFile: {
    takes: { filePath: "text", agentId: "text" },
    options: { projectId: "text", sessionId: "text", mode: "text", seconds: "amount", reason: "text" },
    writes: true,
  },
  releaseFile: { takes: { reservationId: "text" }, writes: true },
  fileReservations: { takes: {}, options: { filePath: "text", agentId: "text", projectId: "text" } },
  // The code graph.
  addCodeSource: {
    takes: { rootPath: "text" },
    options: { projectId: "text", language: "text", revision: "text", metadata: "json" },
    writes: true,
  },
  updateCodeSource: {
    takes: { sourceId: "text" },
    options: { rootPath: "text|null", language: "text|null", revision: "text|null", metadata: "json|null" },
    writes: true,
  },
  removeCodeSource: { takes: { sourceId: "text" }, writes: true },
  codeSources: { takes: {}, options: { projectId: "text", limit: "count" } },
  putCodeFile: {
    takes: { sourceId: "text", path: "text" },
    options: { language: "text", contentHash: "text", sizeBytes: "count", nodes: "objects", edges: "objects" },
    writes: true,
  },
  removeCodeFile: { takes: { sourceId: "text", path: "text" }, writes: true },
  codeFiles: { takes: { sourceId: "text" }, options: PAGE },
  codeNodes: { takes: { sourceId: "text", path: "text" } },
  codeNode: { takes: { nodeId: "text" } },
  findCode: { takes: { name: "text" }, options: { sourceId: "text", kind: "text", limit: "count" } },
  callers: { takes: { nodeId: "text" }, options: { depth: "count", kind: "text|null" } },
  callees: { takes: { nodeId: "text" }, options: { depth: "count", kind: "text|null" } },
  codeHubs: { takes: { sourceId: "text", limit: "count?" } },
  // Object knowledge.
  addBundle: {
    takes: { name: "text" },
    options: { projectId: "text", version: "text", source: "text", metadata: "json" },
    writes: true,
  },
  bundles: { takes: {}, options: { projectId: "text", limit: "count" } },
  removeBundle: { takes: { bundleId: "text" }, writes: true },
  addConcept: {
    takes: { bundleId: "text", title: "text" },
    options: { kind: "text", content: "text", properties: "json" },
    writes: true,
  },
  updateConcept: {
    takes: { conceptId: "text" },
    options: { title: "text|null", kind: "text|null", content: "text|null", properties: "json|null" },
    writes: true,
  },
  removeConcept: { takes: { conceptId: "text" }, writes: true },
  linkConcepts: {
    takes: { fromConcept: "text", toConcept: "text", relation: "text", weight: "amount?" },
    writes: true,
  },
  unlinkConcepts: { takes: { fromConcept: "text", toConcept: "text", relation: "text" }, writes: true },
  concept: { takes: { conceptId: "text" } },
  concepts: { takes: { bundleId: "text" }, options: { kind: "text", title: "text", ...PAGE } },
  relatedConcepts: { takes: { conceptId: "text" }, options: { relation: "text", depth: "count", direction: "text" } },
  // Events and states.
  logEvent: {
    takes: { eventType: "text", data: "json?" },
    options: { sessionId: "text", branchId: "text", parentLsn: "count", agentId: "text", severity: "text" },
    writes: true,
  },
  events: {
    takes: {},
    options: { sessionId: "text", eventType: "text", afterLsn: "count", severity: "text", limit: "count" },
  },
  recordSnapshot: {
    takes: { sessionId: "text", treeHash: "text", type: "text" },
    options: { turnId: "text", additions: "count", deletions: "count", filesChanged: "count" },
    writes: true,
  },
  snapshots: { takes: { sessionId: "text" }, options: { type: "text", limit: "count" } },
  addStateSnapshot: {
    takes: { type: "text", location: "text" },
    options: {
      projectId: "text",
      version: "count",
      includes: "json",
      pathMappings: "json",
      sizeBytes: "count",
      checksum: "text",
      status: "text",
    },
    writes: true,
  },
  stateSnapshots: { takes: {}, options: { projectId: "text", type: "text", status: "text", limit: "count" } },
  addEnvironment: {
    takes: { type: "text" },
    options: {
      status: "text",
      sessionId: "text",
      projectId: "text",
      snapshotRef: "text",
      setupScript: "text",
      workingDir: "text",
      resourceBudget: "json",
      resourceUsed: "json",
    },
    writes: true,
  },
  updateEnvironment: {
    takes: { environmentId: "text" },
    options: {
      status: "text|null",
      snapshotRef: "text|null",
      setupScript: "text|null",
      workingDir: "text|null",
      resourceBudget: "json|null",
      resourceUsed: "json|null",
    },
    writes: true,
  },
  environments: { takes: {}, options: { sessionId: "text", projectId: "text", status: "text", limit: "count" } },
  addWorkspace: {
    takes: { projectId: "text", type: "text" },
    options: { branch: "text", name: "text", directory: "text", extra: "json" },
    writes: true,
  },
  workspaces: { takes: {}, options: { projectId: "text", limit: "count" } },
};
