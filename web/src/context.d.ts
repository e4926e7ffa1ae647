/** What a memory's calls on contexts, memory branches and storage budgets take and give; zengram.d.ts has the calls. */
import type { JsonValue } from "./records.js";
import type { Vector } from "./zengram.js";

/** What a block of a prompt holds. */
export type ContextBlockType = "system" | "permissionRules" | "knowledge" | "tasks" | "turn" | "branchSummary" | "pending";

/** What happened to a row on a memory branch. */
export type MemoryChange = "added" | "changed" | "removed";

/** Who wins where both sides changed the same. */
export type MergeStrategy = "ours" | "theirs" | "newest";

/** How a prompt is assembled. Shares are from 0 to 1. */
export interface ContextOptions {
  /** Share of the budget for facts at most; 0.25 if not given. */
  knowledgeBudgetPct?: number;
  /** For open tasks; 0.10. */
  taskBudgetPct?: number;
  /** For other branches of the session; 0.05. */
  crossBranchBudgetPct?: number;
  /** Left for the answer; the project's setting (0.15) if not given. */
  reservePct?: number;
  /** Of the room for turns, the share of those in full; the project's setting (0.80) if not given. */
  hotBudgetPct?: number;
  /** Whether private facts are told. */
  includePrivate?: boolean;
  /** Of the newest message of the user, for choosing facts where they do not all fit; else the embedding function is asked, if there is one. */
  vec?: Vector;
  /** Whether the window says why each thing is in or out. */
  explain?: boolean;
}

/** How a memory branch is merged. */
export interface MergeOptions {
  /** Who wins where both sides changed the same; without one, nothing is applied then. */
  strategy?: MergeStrategy;
  /** Whether only to tell what would happen. */
  dryRun?: boolean;
}

/** How much sessions may take. */
export interface BudgetOptions {
  /** Above so many bytes sessions are pruned; no limit if not given. */
  maxBytes?: number;
  /** Down to so many they are; to `maxBytes` if not given. */
  highWaterBytes?: number;
  /** How many of the newest sessions stay in any case; 10 if not given. */
  retainMin?: number;
}

/** The next prompt. */
export interface ContextWindow {
  /** In the order of the prompt. */
  blocks: ContextBlock[];
  /** What the blocks have together. */
  totalTokens: number;
  budget: number;
  /** Turns that are there, whole or cut. */
  turnsIncluded: number;
  /** Turns that a summary stands for. */
  turnsSummarized: number;
  /** The others. */
  turnsSkipped: number;
  /** SHA-256 of the block of facts: equal as long as its bytes are. */
  knowledgeFingerprint: string;
  /** Why the window is empty, if it is. */
  reason: string | null;
  /** If it was asked for; else it is empty. */
  explanation: ContextItem[];
}

/** One piece of a prompt. */
export interface ContextBlock {
  type: ContextBlockType;
  content: string;
  tokenCount: number;
  /** The rows that it was made from. */
  sourceIds: string[];
}

/** Why one thing is in the window, or not. */
export interface ContextItem {
  /** The type of its block. */
  type: ContextBlockType;
  /** The row. */
  id: string;
  status: "full" | "summary" | "cut" | "left_out";
  /** What it costs; 0 where it was not counted. */
  tokens: number;
  reason: string;
}

/** A copy of everything that is known, which goes on by itself. */
export interface MemoryBranch {
  name: string;
  /** The branch that it was forked from; null for main. */
  parent: string | null;
  /** Of which moment of its parent, microseconds since 1970; 0 for main. */
  timeForked: number;
  isCurrent: boolean;
  /** Commits on it that its parent has not taken in. */
  ahead: number;
  /** Commits of its parent's that it has not. */
  behind: number;
}

/** What a memory branch changed. */
export interface MemoryDiff {
  /** By scope and subject. */
  facts: FactChange[];
  turns: TurnChange[];
  /** How many rows of other tables differ. */
  otherRows: number;
}

/** A fact that differs. */
export interface FactChange {
  id: string;
  change: MemoryChange;
  scope: string;
  subject: string;
  /** What it said: its content, behind its status unless that is active. */
  before: string | null;
  after: string | null;
}

/** A turn that differs. */
export interface TurnChange {
  id: string;
  change: MemoryChange;
  sessionId: string;
  branchId: string;
  role: string;
}

/** What a merge did, or would do. */
export interface MemoryMerge {
  /** Whether the branch in use has it now. */
  applied: boolean;
  facts: number;
  turns: number;
  /** Rows that change in all. */
  rows: number;
  /** Rows that do not join: nothing was applied then. */
  conflicts: RowConflict[];
  /** Subjects of which both sides told something else. */
  contradictions: SubjectConflict[];
}

/** A row that both sides changed, and that no rule joins. */
export interface RowConflict {
  table: string;
  key: JsonValue;
  reason: string;
  /** The row when the sides parted, on the branch in use, and on the other one. */
  base: { [column: string]: JsonValue } | null;
  ours: { [column: string]: JsonValue } | null;
  theirs: { [column: string]: JsonValue } | null;
}

/** Two facts on one subject, one told on each side. */
export interface SubjectConflict {
  scope: string;
  subject: string;
  peer: string | null;
  oursId: string;
  oursContent: string;
  theirsId: string;
  theirsContent: string;
}

/** How much the sessions of a scope may take. */
export interface StorageBudget {
  scope: string;
  /** Above so many bytes sessions are pruned; null: no limit. */
  maxBytes: number | null;
  /** Down to so many they are; to `maxBytes` if null. */
  highWaterBytes: number | null;
  /** What they took when that was looked at last. */
  currentBytes: number;
  /** When sessions were pruned last, microseconds since 1970. */
  lastPruned: number | null;
  /** `oldest`. */
  pruneStrategy: string;
  /** How many sessions stay in any case. */
  retainMin: number;
}

/** What was pruned. */
export interface BudgetReport {
  sessionsPruned: number;
  bytesFreed: number;
}
