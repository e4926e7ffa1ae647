/** What agents that write code keep, from JavaScript: events, files, the code graph, object knowledge, states. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";

import { importNode } from "./support/dist.mjs";
import { refusesAll, throwsError } from "./support/errors.mjs";

const zengram = await importNode();
const { ZengramMemory } = zengram;

/** A memory with a session, its trunk and a turn. */
function talk() {
  const memory = ZengramMemory.open(3);
  const { sessionId, branchId } = memory.createSession("p");
  return { memory, sessionId, branchId, turn: memory.appendTurn(sessionId, branchId, "user") };
}

const nothing = /** @type {any} */ (null);
const ARGUMENT = /** @type {const} */ (["InvalidArgumentError", "INVALID_ARGUMENT"]);
const NOT_FOUND = /** @type {const} */ (["NotFoundError", "NOT_FOUND"]);

/** @param {object | null} value */
const keys = (value) => Object.keys(value ?? {}).sort().join(" ");

describe("events", () => {
  it("are logged with any JSON, and read by what they are about", () => {
    const { memory, sessionId, branchId } = talk();
    const data = { snake_case: [{ inner_name: 1 }], 日本: "😀", none: null };
    const first = memory.logEvent("built", data, { sessionId, branchId, agentId: "coder", severity: "warning" });
    const second = memory.logEvent("deployed", undefined, { parentLsn: first });
    const values = [0, "text", false, [], {}, null];
    values.forEach((value) => memory.logEvent("value", value));
    assert.ok(second > first);
    assert.equal(keys(memory.events()[0]), "agentId branchId data eventType lsn parentLsn sessionId severity timeCreated");
    assert.deepEqual(memory.events({ sessionId }).map((one) => [one.lsn, one.data, one.severity]), [[first, data, "warning"]]);
    assert.deepEqual(memory.events({ afterLsn: first, limit: 1 }).map((one) => [one.data, one.parentLsn]), [[null, first]]);
    assert.deepEqual(memory.events({ eventType: "value", severity: "info" }).map((one) => one.data), values);
    memory.free();
  });
});

describe("files", () => {
  it("are known by what was done to them", () => {
    const { memory, sessionId, turn } = talk();
    const toolCallId = memory.recordToolCall({ turnId: turn, sessionId, toolId: "edit" });
    memory.recordFileOperation(sessionId, "a.js", "list");
    memory.recordFileOperation(sessionId, "a.js", "read", { contentHash: "h1", depth: "deep", turnId: turn });
    const id = memory.recordFileOperation(sessionId, "a.js", "edit", {
      toolCallId, contentHash: "h2", diff: "-a\n+b\n", additions: 1, deletions: 1, turnId: turn,
    });
    const [operation] = memory.fileOperations({ sessionId, filePath: "a.js", operation: "edit" });
    assert.equal(keys(operation), "additions contentHash deletions depth diff filePath id operation sessionId timeCreated toolCallId");
    assert.deepEqual([operation.id, operation.diff, operation.toolCallId], [id, "-a\n+b\n", toolCallId]);
    assert.equal(memory.fileOperations({ limit: 2 }).length, 2);
    memory.setWorkspaceFile(sessionId, "a.js", { relevance: 0.9, purpose: "the start", relatedTest: "a.test.js" });
    memory.setWorkspaceFile(sessionId, "a.js", { relevance: undefined, purpose: null });
    const [file] = memory.workspaceFiles(sessionId);
    const { timeUpdated, ...rest } = file;
    assert.ok(timeUpdated > 0);
    assert.deepEqual(rest, {
      sessionId, filePath: "a.js", understanding: rest.understanding, relevance: 0.9, contentHash: "h2", lastReadTurn: turn, lastWriteTurn: turn,
      editState: "modified", relatedTest: "a.test.js", purpose: null,
    });
    assert.deepEqual(memory.workspaceFiles(sessionId, { editState: "clean" }), []);
    const empty = /** @type {any} */ ({ relevance: null });
    throwsError(zengram, () => memory.setWorkspaceFile(sessionId, "a.js", empty), ...ARGUMENT, /relevance/);
    memory.free();
  });

  it("are reserved for one agent, or shared", () => {
    const { memory, sessionId } = talk();
    const own = memory.reserveFile("a.js", "coder", { sessionId, seconds: 60, reason: "a fix" });
    assert.equal(memory.reserveFile("a.js", "coder", { sessionId }), own);
    throwsError(zengram, () => memory.reserveFile("a.js", "other", { sessionId }), "StateError", "INVALID_STATE", /coder/);
    memory.reserveFile("b.js", "coder", { mode: "shared" });
    memory.reserveFile("b.js", "other", { mode: "shared", seconds: nothing });
    assert.equal(keys(memory.fileReservations()[0]), "agentId filePath id mode projectId reason sessionId timeCreated timeExpires");
    assert.equal(memory.fileReservations({ filePath: "b.js" }).length, 2);
    assert.deepEqual(memory.fileReservations({ agentId: "other" }).map((one) => one.filePath), ["b.js"]);
    memory.releaseFile(own);
    throwsError(zengram, () => memory.releaseFile(own), ...NOT_FOUND, new RegExp(own));
    memory.free();
  });
});

describe("the code graph", () => {
  it("knows what calls what", () => {
    const { memory } = talk();
    const source = memory.addCodeSource("/site", { language: "js", revision: "abc", metadata: { a_b: 1 } });
    const file = memory.putCodeFile(source, "a.js", {
      language: "js",
      contentHash: "h1",
      sizeBytes: 12,
      nodes: [
        { kind: "function", name: "main", qualifiedName: "a.main", signature: "main()", documentation: "", lineStart: 1, lineEnd: 9, metadata: { lineStart: 1 } },
        { kind: "function", name: "help", qualifiedName: null },
        runInNewContext('({ kind: "class", name: "Page", lineEnd: undefined })'),
      ],
      edges: [{ from: "a.main", to: "help", line: 3, weight: 2 }, { from: "help", to: "a.main" }, { from: "a.main", to: "Page", kind: "makes" }],
    });
    assert.deepEqual(memory.codeFiles(source, { limit: 5 }).map((one) => [one.id, one.path, one.contentHash, one.sizeBytes]), [[file, "a.js", "h1", 12]]);
    const [main] = memory.findCode("a.main", { sourceId: source, kind: "function" });
    const { timeUpdated, ...rest } = main;
    assert.ok(timeUpdated > 0);
    assert.deepEqual(rest, {
      id: main.id, sourceId: source, path: "a.js", kind: "function", name: "main", qualifiedName: "a.main", signature: "main()", documentation: "",
      lineStart: 1, lineEnd: 9, metadata: { lineStart: 1 },
    });
    assert.deepEqual(memory.codeNode(main.id), main);
    assert.deepEqual(memory.codeNodes(source, "a.js").map((one) => one.name).sort(), ["Page", "help", "main"]);
    const names = (/** @type {import("../src/zengram.js").CodeStep[]} */ steps) => steps.map((step) => [step.depth, step.node.name]);
    assert.deepEqual(names(memory.callees(main.id, { depth: 3 })), [[1, "help"]]);
    assert.deepEqual(names(memory.callees(main.id, { kind: undefined })), [[1, "help"]]);
    assert.deepEqual(names(memory.callees(main.id, { kind: "makes" })), [[1, "Page"]]);
    assert.equal(memory.callees(main.id, { kind: null }).length, 2, "null walks all kinds of edges");
    assert.deepEqual(names(memory.callers(main.id)), [[1, "help"]]);
    assert.deepEqual(memory.codeHubs(source, 1).map((hub) => [hub.node.id, hub.inDegree, hub.outDegree]), [[main.id, 1, 2]]);
    memory.putCodeFile(source, "a.js", { nodes: [{ id: main.id, kind: "function", name: "main", qualifiedName: "a.main" }] });
    assert.deepEqual(memory.codeNodes(source, "a.js").map((one) => one.id), [main.id]);
    memory.updateCodeSource(source, { revision: null, metadata: null });
    assert.deepEqual(memory.codeSources().map((one) => [one.rootPath, one.language, one.revision, one.metadata]), [["/site", "js", null, null]]);
    memory.removeCodeFile(source, "a.js");
    assert.deepEqual(memory.codeFiles(source), []);
    memory.removeCodeSource(source);
    assert.deepEqual(memory.codeSources(), []);
    memory.free();
  });
});

describe("object knowledge", () => {
  it("has concepts and how they are related", () => {
    const { memory } = talk();
    const bundle = memory.addBundle("shop", { version: "1", source: "docs", metadata: [1] });
    const order = memory.addConcept(bundle, "Order", { kind: "table", content: "what was bought", properties: { a_b: { c: 1 } } });
    const customer = memory.addConcept(bundle, "Customer");
    memory.linkConcepts(order, customer, "belongs to", 0.5);
    memory.linkConcepts(order, customer, "belongs to");
    assert.equal(keys(memory.bundles()[0]), "id metadata name projectId source timeCreated timeUpdated version");
    assert.deepEqual(memory.concept(order)?.properties, { a_b: { c: 1 } });
    assert.deepEqual(
      memory.relatedConcepts(order).map((one) => [one.depth, one.concept.title, one.via, one.relation, one.direction, one.weight]),
      [[1, "Customer", order, "belongs to", "out", 1]],
    );
    assert.deepEqual(memory.relatedConcepts(order, { direction: "in", relation: "belongs to", depth: 2 }), []);
    memory.updateConcept(order, { content: null, kind: "view" });
    assert.deepEqual([memory.concept(order)?.content, memory.concept(order)?.kind], [null, "view"]);
    assert.deepEqual(memory.concepts(bundle, { kind: "view", limit: 1 }).map((one) => one.id), [order]);
    memory.unlinkConcepts(order, customer, "belongs to");
    throwsError(zengram, () => memory.unlinkConcepts(order, customer, "belongs to"), ...NOT_FOUND);
    memory.removeConcept(customer);
    assert.equal(memory.concept(customer), null);
    memory.removeBundle(bundle);
    assert.deepEqual(memory.bundles(), []);
    memory.free();
  });
});

describe("states", () => {
  it("of files, projects, environments and workspaces are kept", () => {
    const { memory, sessionId, turn } = talk();
    const snapshot = memory.recordSnapshot(sessionId, "tree", "commit", { turnId: turn, additions: 3, filesChanged: 1 });
    assert.equal(keys(memory.snapshots(sessionId)[0]), "additions deletions filesChanged id sessionId timeCreated treeHash turnId type");
    assert.deepEqual(memory.snapshots(sessionId, { type: "commit" }).map((one) => [one.id, one.additions, one.deletions]), [[snapshot, 3, 0]]);
    memory.addStateSnapshot("full", "s3://a", { projectId: "p", includes: ["src"], pathMappings: { "/a": "/b" }, sizeBytes: 5, checksum: "c" });
    memory.addStateSnapshot("full", "s3://b", { projectId: "p" });
    const states = memory.stateSnapshots({ projectId: "p", type: "full", status: "active" });
    assert.deepEqual(states.map((one) => [one.version, one.location, one.includes]), [[2, "s3://b", null], [1, "s3://a", ["src"]]]);
    const environment = memory.addEnvironment("docker", { sessionId, snapshotRef: "ref", workingDir: "/w", resourceBudget: { cpu_s: 1 } });
    memory.updateEnvironment(environment, { status: "stopped", snapshotRef: null, resourceUsed: { cpu_s: 0.5 } });
    assert.deepEqual(
      memory.environments({ status: "stopped" }).map((one) => [one.id, one.snapshotRef, one.workingDir, one.resourceBudget, one.resourceUsed]),
      [[environment, null, "/w", { cpu_s: 1 }, { cpu_s: 0.5 }]],
    );
    const workspace = memory.addWorkspace("p", "worktree", { branch: "main", directory: "/w", extra: { a: [null] } });
    assert.deepEqual(memory.workspaces({ projectId: "p" }).map((one) => [one.id, one.branch, one.name, one.extra]), [[workspace, "main", null, { a: [null] }]]);
    memory.free();
  });
});

describe("bad arguments", () => {
  /** @typedef {{sessionId: string, source: string, bundle: string}} Known */
  /** @type {[(memory: any, known: Known) => unknown, readonly [string, string], RegExp][]} */
  const CALLS = [
    [(m) => m.logEvent(), ARGUMENT, /eventType .*undefined/],
    [(m) => m.logEvent("x", { f: new Map() }), ARGUMENT, /data\.f .*Map/],
    [(m) => m.logEvent("x", null, { severity: "bad" }), ARGUMENT, /debug/],
    [(m) => m.logEvent("x", null, { parentLsn: 9999 }), NOT_FOUND, /9999/],
    [(m) => m.logEvent("x", null, { sessionId: "ses_none" }), NOT_FOUND, /ses_none/],
    [(m) => m.events({ afterLsn: -1 }), ARGUMENT, /afterLsn/],
    [(m) => m.events({ type: "x" }), ARGUMENT, /"type"; it takes .*eventType/],
    [(m, k) => m.recordFileOperation(k.sessionId, "a.js", "open"), ARGUMENT, /read/],
    [(m, k) => m.recordFileOperation(k.sessionId, "a.js", "read", { depth: "unknown" }), ARGUMENT, /listed/],
    [(m, k) => m.recordFileOperation(k.sessionId, "a.js", "edit", { additions: -1 }), ARGUMENT, /additions/],
    [(m, k) => m.recordFileOperation(k.sessionId, "a.js", "edit", { toolCallId: "tcl_none" }), NOT_FOUND, /tcl_none/],
    [(m) => m.recordFileOperation("ses_none", "a.js", "edit"), NOT_FOUND, /ses_none/],
    [(m) => m.fileOperations({ operation: "open" }), ARGUMENT, /read/],
    [(m) => m.workspaceFiles("ses_none"), NOT_FOUND, /ses_none/],
    [(m, k) => m.workspaceFiles(k.sessionId, { understanding: "well" }), ARGUMENT, /deep/],
    [(m, k) => m.setWorkspaceFile(k.sessionId, "a.js", { relevance: 2 }), ARGUMENT, /relevance/],
    [(m, k) => m.setWorkspaceFile(k.sessionId, "a.js", { related_test: "t" }), ARGUMENT, /"related_test"; it takes .*relatedTest/],
    [(m) => m.setWorkspaceFile("ses_none", "a.js", {}), NOT_FOUND, /ses_none/],
    [(m) => m.reserveFile("a.js"), ARGUMENT, /agentId/],
    [(m) => m.reserveFile("a.js", "x", { mode: "mine" }), ARGUMENT, /exclusive/],
    [(m) => m.reserveFile("a.js", "x", { seconds: 0 }), ARGUMENT, /seconds/],
    [(m) => m.releaseFile("frs_none"), NOT_FOUND, /frs_none/],
    [(m) => m.fileReservations({ filePath: 5 }), ARGUMENT, /filePath/],
    [(m) => m.addCodeSource(""), ARGUMENT, /root/],
    [(m) => m.addCodeSource("/a", { metadata: { n: NaN } }), ARGUMENT, /metadata\.n .*NaN/],
    [(m) => m.updateCodeSource("cgs_none", { language: "js" }), NOT_FOUND, /cgs_none/],
    [(m, k) => m.updateCodeSource(k.source, { rootPath: null }), ARGUMENT, /root/],
    [(m) => m.removeCodeSource("cgs_none"), NOT_FOUND, /cgs_none/],
    [(m) => m.putCodeFile("cgs_none", "a.js"), NOT_FOUND, /cgs_none/],
    [(m, k) => m.putCodeFile(k.source, "a.js", { nodes: {} }), ARGUMENT, /nodes .*array of objects/],
    [(m, k) => m.putCodeFile(k.source, "a.js", { nodes: ["f"] }), ARGUMENT, /nodes .*array of objects/],
    [(m, k) => m.putCodeFile(k.source, "a.js", { nodes: [{ name: "f" }] }), ARGUMENT, /nodes\[0\]\.kind/],
    [(m, k) => m.putCodeFile(k.source, "a.js", { nodes: [{ kind: "x", name: "f", lineStart: -1 }] }), ARGUMENT, /nodes\[0\]\.lineStart/],
    [(m, k) => m.putCodeFile(k.source, "a.js", { nodes: [{ kind: "x", name: "f", lineStart: 5, lineEnd: 1 }] }), ARGUMENT, /lineEnd - lineStart/],
    [(m, k) => m.putCodeFile(k.source, "a.js", { nodes: [{ kind: "x", name: "f", at: 1 }] }), ARGUMENT, /nodes\[0\] has 'at'; .*qualifiedName/],
    [(m, k) => m.putCodeFile(k.source, "a.js", { nodes: [{ kind: "x", name: "f", metadata: { d: new Date() } }] }), ARGUMENT, /metadata\.d .*Date/],
    [(m, k) => m.putCodeFile(k.source, "a.js", { edges: [{ from: "f", to: "g" }] }), NOT_FOUND, /edges\[0\]\.from/],
    [(m, k) => m.putCodeFile(k.source, "a.js", { edges: [{ from: "f" }] }), ARGUMENT, /edges\[0\]\.to/],
    [(m, k) => m.putCodeFile(k.source, "a.js", { sizeBytes: 1.5 }), ARGUMENT, /sizeBytes/],
    [(m, k) => m.removeCodeFile(k.source, "none.js"), NOT_FOUND, /none\.js/],
    [(m) => m.codeFiles("cgs_none"), NOT_FOUND, /cgs_none/],
    [(m, k) => m.codeNodes(k.source, "none.js"), NOT_FOUND, /none\.js/],
    [(m) => m.codeNode(5), ARGUMENT, /nodeId/],
    [(m) => m.findCode("f", { sourceId: "cgs_none" }), NOT_FOUND, /cgs_none/],
    [(m) => m.callers("cgn_none"), NOT_FOUND, /cgn_none/],
    [(m) => m.callees("cgn_none", { depth: -1 }), ARGUMENT, /depth/],
    [(m) => m.callees("cgn_none", { kind: 5 }), ARGUMENT, /kind/],
    [(m) => m.codeHubs("cgs_none"), NOT_FOUND, /cgs_none/],
    [(m) => m.addBundle(), ARGUMENT, /name/],
    [(m) => m.removeBundle("okb_none"), NOT_FOUND, /okb_none/],
    [(m) => m.addConcept("okb_none", "x"), NOT_FOUND, /okb_none/],
    [(m, k) => m.addConcept(k.bundle, " "), ARGUMENT, /title/],
    [(m) => m.updateConcept("okc_none", { kind: "x" }), NOT_FOUND, /okc_none/],
    [(m) => m.updateConcept("okc_none", { title: null }), ARGUMENT, /title/],
    [(m) => m.removeConcept("okc_none"), NOT_FOUND, /okc_none/],
    [(m) => m.linkConcepts("okc_none", "okc_no", "is"), NOT_FOUND, /okc_no/],
    [(m) => m.linkConcepts("okc_none", "okc_no", "is", -1), ARGUMENT, /weight/],
    [(m) => m.unlinkConcepts("okc_none", "okc_no", "is"), NOT_FOUND, /okc_no/],
    [(m) => m.concepts("okb_none"), NOT_FOUND, /okb_none/],
    [(m) => m.relatedConcepts("okc_none"), NOT_FOUND, /okc_none/],
    [(m) => m.relatedConcepts("okc_none", { direction: "up" }), ARGUMENT, /both/],
    [(m, k) => m.recordSnapshot(k.sessionId, "tree"), ARGUMENT, /type .*undefined/],
    [(m) => m.recordSnapshot("ses_none", "tree", "commit"), NOT_FOUND, /ses_none/],
    [(m, k) => m.recordSnapshot(k.sessionId, "tree", "commit", { turnId: "trn_none" }), NOT_FOUND, /trn_none/],
    [(m) => m.snapshots("ses_none"), NOT_FOUND, /ses_none/],
    [(m) => m.addStateSnapshot("full", "a", { version: -1 }), ARGUMENT, /version/],
    [(m) => m.addStateSnapshot("full", "a", { pathMappings: new Set() }), ARGUMENT, /pathMappings .*Set/],
    [(m) => m.stateSnapshots({ limit: "5" }), ARGUMENT, /limit/],
    [(m) => m.addEnvironment(""), ARGUMENT, /type/],
    [(m) => m.addEnvironment("docker", { sessionId: "ses_none" }), NOT_FOUND, /ses_none/],
    [(m) => m.updateEnvironment("env_none", { status: "x" }), NOT_FOUND, /env_none/],
    [(m) => m.updateEnvironment("env_none", { status: null }), ARGUMENT, /status/],
    [(m) => m.environments({ sessionId: "ses_none" }), NOT_FOUND, /ses_none/],
    [(m) => m.addWorkspace("p"), ARGUMENT, /type/],
    [(m) => m.workspaces({ projectId: 5 }), ARGUMENT, /projectId/],
  ];
  const TABLES = ["event_log", "file_operation", "workspace_file", "file_reservation", "cg_source", "cg_file", "cg_node", "okf_concept", "environment"];

  it("are refused with the error that fits, and change nothing", () => {
    const { memory, sessionId } = talk();
    const known = { sessionId, source: memory.addCodeSource("/a"), bundle: memory.addBundle("b") };
    refusesAll(zengram, memory, CALLS, known, () => TABLES.map((table) => memory.query(`select * from ${table}`).rows));
  });
});
