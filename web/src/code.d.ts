/** What a memory's calls on what agents that write code keep take and give; zengram.d.ts has the calls. */
import type { JsonValue } from "./records.js";
import type { FactsOptions } from "./zengram.js";

/** What can be done to a file. */
export type FileOperationKind = "read" | "write" | "edit" | "delete" | "list" | "move";

/** How well a session knows a file. */
export type FileUnderstanding = "unknown" | "listed" | "read" | "deep";

/** What a session made of a file. */
export type FileEditState = "clean" | "modified" | "deleted" | "moved";

/** How serious an event is. */
export type EventSeverity = "debug" | "info" | "warning" | "error" | "critical";

/** What an operation changed. */
export interface NewFileOperationOptions {
  toolCallId?: string;
  /** Of the content after it. */
  contentHash?: string;
  diff?: string;
  additions?: number;
  deletions?: number;
  /** How well it is known now. */
  depth?: "listed" | "read" | "deep";
  turnId?: string;
}

/** Which operations `fileOperations` lists. */
export interface FileOperationsOptions {
  sessionId?: string;
  filePath?: string;
  operation?: FileOperationKind;
  /** At most so many; 100 if not given. */
  limit?: number;
}

/** Which files `workspaceFiles` lists. */
export interface WorkspaceFilesOptions {
  editState?: FileEditState;
  understanding?: FileUnderstanding;
  /** At most so many; 100 if not given. */
  limit?: number;
}

/** What can be said of a file. */
export interface WorkspaceFileChanges {
  relevance?: number;
  understanding?: FileUnderstanding;
  editState?: FileEditState;
  relatedTest?: string | null;
  purpose?: string | null;
}

/** For whom and how a file is reserved. */
export interface ReservationOptions {
  projectId?: string;
  sessionId?: string;
  /** `exclusive` if not given. */
  mode?: "exclusive" | "shared";
  /** For how long; until it is released if not given. */
  seconds?: number;
  reason?: string;
}

/** What else is known of a program. */
export interface NewCodeSourceOptions {
  projectId?: string;
  language?: string;
  revision?: string;
  /** Any JSON value. */
  metadata?: unknown;
}

/** What can be changed of a program. */
export interface CodeSourceChanges {
  rootPath?: string;
  language?: string | null;
  revision?: string | null;
  /** Any JSON value. */
  metadata?: unknown;
}

/** What is in a file. */
export interface NewCodeFileOptions {
  language?: string;
  /** Of the content after it. */
  contentHash?: string;
  sizeBytes?: number;
  nodes?: readonly NewCodeNode[];
  edges?: readonly NewCodeEdge[];
}

/** Which nodes `findCode` lists. */
export interface FindCodeOptions {
  sourceId?: string;
  kind?: string;
  /** At most so many; 100 if not given. */
  limit?: number;
}

/** How far, and along which edges. */
export interface CodeWalkOptions {
  depth?: number;
  /** Of edges, `calls` if not given; null walks all. */
  kind?: string | null;
}

/** What else is known of a bundle. */
export interface NewBundleOptions {
  projectId?: string;
  version?: string;
  source?: string;
  /** Any JSON value. */
  metadata?: unknown;
}

/** What a concept says. */
export interface NewConceptOptions {
  kind?: string;
  content?: string;
  /** Any JSON value. */
  properties?: unknown;
}

/** What can be changed of a concept. */
export interface ConceptChanges {
  title?: string;
  kind?: string | null;
  content?: string | null;
  /** Any JSON value. */
  properties?: unknown;
}

/** Which concepts `concepts` lists. */
export interface ConceptsOptions extends FactsOptions {
  kind?: string;
  title?: string;
}

/** Which related concepts are listed. */
export interface RelatedConceptsOptions {
  relation?: string;
  /** How many steps to go; 1 if not given. */
  depth?: number;
  /** `both` if not given. */
  direction?: "out" | "in" | "both";
}

/** What else an event comes with. */
export interface NewEventOptions {
  sessionId?: string;
  branchId?: string;
  /** The event that it came of. */
  parentLsn?: number;
  agentId?: string;
  severity?: EventSeverity;
}

/** Which events `events` lists. */
export interface EventsOptions {
  sessionId?: string;
  eventType?: string;
  /** Only those after this one. */
  afterLsn?: number;
  severity?: EventSeverity;
  /** At most so many; 100 if not given. */
  limit?: number;
}

/** What differs from the state before, and in which turn. */
export interface NewSnapshotOptions {
  turnId?: string;
  additions?: number;
  deletions?: number;
  filesChanged?: number;
}

/** What a state holds, and how large it is. */
export interface NewStateSnapshotOptions {
  projectId?: string;
  version?: number;
  /** Any JSON values. */
  includes?: unknown;
  /** Any JSON value. */
  pathMappings?: unknown;
  sizeBytes?: number;
  checksum?: string;
  status?: string;
}

/** Which states `stateSnapshots` lists. */
export interface StateSnapshotsOptions {
  projectId?: string;
  type?: string;
  status?: string;
  /** At most so many; 100 if not given. */
  limit?: number;
}

/** What else is known of an environment. */
export interface NewEnvironmentOptions {
  status?: string;
  sessionId?: string;
  projectId?: string;
  snapshotRef?: string;
  setupScript?: string;
  workingDir?: string;
  /** Any JSON values. */
  resourceBudget?: unknown;
  /** Any JSON value. */
  resourceUsed?: unknown;
}

/** What can be changed of an environment. */
export interface EnvironmentChanges {
  status?: string;
  snapshotRef?: string | null;
  setupScript?: string | null;
  workingDir?: string | null;
  /** Any JSON values. */
  resourceBudget?: unknown;
  /** Any JSON value. */
  resourceUsed?: unknown;
}

/** Which environments `environments` lists. */
export interface EnvironmentsOptions {
  sessionId?: string;
  projectId?: string;
  status?: string;
  /** At most so many; 100 if not given. */
  limit?: number;
}

/** What else is known of a workspace. */
export interface NewWorkspaceOptions {
  branch?: string;
  name?: string;
  directory?: string;
  /** Any JSON value. */
  extra?: unknown;
}

/** A node of a file, as it is put. */
export interface NewCodeNode {
  /** `function`, `class` or the like. */
  kind: string;
  name: string;
  /** Its name if not given. */
  qualifiedName?: string | null;
  /** Of a node that is there; found by its qualified name if not given. */
  id?: string | null;
  signature?: string | null;
  documentation?: string | null;
  lineStart?: number | null;
  lineEnd?: number | null;
  /** Any JSON value. */
  metadata?: unknown;
}

/** An edge of a file, as it is put: from one of its nodes to any, by id or qualified name. */
export interface NewCodeEdge {
  from: string;
  to: string;
  /** `calls` if not given. */
  kind?: string;
  line?: number | null;
  /** 1 if not given. */
  weight?: number;
}

/** What was done to a file. */
export interface FileOperation {
  id: string;
  sessionId: string;
  toolCallId: string | null;
  filePath: string;
  operation: FileOperationKind;
  contentHash: string | null;
  diff: string | null;
  additions: number;
  deletions: number;
  depth: "listed" | "read" | "deep";
  /** Microseconds since 1970. */
  timeCreated: number;
}

/** How a session knows a file. */
export interface WorkspaceFile {
  sessionId: string;
  filePath: string;
  understanding: FileUnderstanding;
  /** From 0 to 1. */
  relevance: number;
  /** Of the content that is known so well. */
  contentHash: string | null;
  lastReadTurn: string | null;
  lastWriteTurn: string | null;
  editState: FileEditState;
  relatedTest: string | null;
  purpose: string | null;
  /** Microseconds since 1970. */
  timeUpdated: number;
}

/** A file that an agent works on. */
export interface FileReservation {
  id: string;
  projectId: string | null;
  sessionId: string | null;
  agentId: string;
  filePath: string;
  mode: "exclusive" | "shared";
  reason: string | null;
  /** Microseconds since 1970; so are the other times. */
  timeCreated: number;
  /** null: until it is released. */
  timeExpires: number | null;
}

/** A program. */
export interface CodeSource {
  id: string;
  projectId: string | null;
  rootPath: string;
  language: string | null;
  revision: string | null;
  metadata: JsonValue;
  /** Microseconds since 1970; so are the other times. */
  timeCreated: number;
  timeUpdated: number;
}

/** A file of a program. */
export interface CodeFile {
  id: string;
  sourceId: string;
  path: string;
  language: string | null;
  contentHash: string | null;
  sizeBytes: number | null;
  /** When it was put. Microseconds since 1970. */
  timeIndexed: number;
}

/** A function, a class or the like. */
export interface CodeNode {
  id: string;
  sourceId: string;
  /** null if no file has it; its kind is `unknown` then. */
  path: string | null;
  kind: string;
  name: string;
  qualifiedName: string;
  signature: string | null;
  documentation: string | null;
  lineStart: number | null;
  lineEnd: number | null;
  metadata: JsonValue;
  /** Microseconds since 1970. */
  timeUpdated: number;
}

/** A node on the way from another one. */
export interface CodeStep {
  /** How many steps away. */
  depth: number;
  node: CodeNode;
  /** The id of the node before it. */
  via: string;
}

/** A node with many edges. */
export interface CodeHub {
  node: CodeNode;
  /** Edges that go to it. */
  inDegree: number;
  /** Edges that leave it. */
  outDegree: number;
}

/** A bundle of concepts. */
export interface Bundle {
  id: string;
  projectId: string | null;
  name: string;
  version: string | null;
  source: string | null;
  metadata: JsonValue;
  /** Microseconds since 1970; so are the other times. */
  timeCreated: number;
  timeUpdated: number;
}

/** A thing that is known of. */
export interface Concept {
  id: string;
  bundleId: string;
  kind: string | null;
  title: string;
  content: string | null;
  properties: JsonValue;
  /** Microseconds since 1970; so are the other times. */
  timeCreated: number;
  timeUpdated: number;
}

/** A concept on the way from another one. */
export interface RelatedConcept {
  depth: number;
  concept: Concept;
  /** The id of the one before it. */
  via: string;
  relation: string;
  /** `out` if the relation leads to it, `in` if it comes from it. */
  direction: "out" | "in";
  weight: number;
}

/** Something that happened. */
export interface Event {
  /** Its number in the log. */
  lsn: number;
  eventType: string;
  data: JsonValue;
  sessionId: string | null;
  branchId: string | null;
  /** The event that it came of. */
  parentLsn: number | null;
  agentId: string | null;
  severity: EventSeverity;
  /** Microseconds since 1970. */
  timeCreated: number;
}

/** A state of a session's files. */
export interface Snapshot {
  id: string;
  sessionId: string;
  turnId: string | null;
  treeHash: string;
  type: string;
  additions: number;
  deletions: number;
  filesChanged: number;
  /** Microseconds since 1970. */
  timeCreated: number;
}

/** Where a state of a project lies. */
export interface StateSnapshot {
  id: string;
  projectId: string | null;
  type: string;
  version: number;
  includes: JsonValue;
  pathMappings: JsonValue;
  location: string;
  sizeBytes: number | null;
  checksum: string | null;
  status: string;
  /** Microseconds since 1970. */
  timeCreated: number;
}

/** Where code runs. */
export interface Environment {
  id: string;
  sessionId: string | null;
  projectId: string | null;
  type: string;
  status: string;
  snapshotRef: string | null;
  setupScript: string | null;
  workingDir: string | null;
  resourceBudget: JsonValue;
  resourceUsed: JsonValue;
  /** Microseconds since 1970; so are the other times. */
  timeCreated: number;
  timeUpdated: number;
}

/** Where sessions work. */
export interface Workspace {
  id: string;
  projectId: string;
  type: string;
  branch: string | null;
  name: string | null;
  directory: string | null;
  extra: JsonValue;
  /** Microseconds since 1970; so are the other times. */
  timeCreated: number;
  timeUpdated: number;
}
