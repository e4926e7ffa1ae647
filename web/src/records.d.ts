/** What a memory's calls on facts, sessions, turns and tool calls take and give; zengram.d.ts has the calls. */
import type { RememberOptions, Time, FactsOptions } from "./zengram.js";

/** A value of JSON. Properties that are undefined are left out; what JSON has no form for is refused. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** A fact that says much the same as another one. */
export interface Collision {
  id: string;
  subject: string;
  content: string;
  /** Cosine of the two vectors. */
  similarity: number;
  /** Whether subject and content are equal but for case, form and spacing: they are about different peers then. */
  sameContent: boolean;
}

/** A fact about a peer. */
export interface PeerFact {
  id: string;
  scope: string;
  subject: string;
  content: string;
  /** From 0 to 1. */
  importance: number;
}

/** What provenance connects. */
export type NodeType = "knowledge" | "turn" | "tool_call" | "session";

/** What a thing has to do with what it came from: `target` was made of, or because of, `source`. */
export type Relation =
  | "extracted_from"
  | "reflected_from"
  | "derived_from"
  | "merged_from"
  | "supersedes"
  | "contradicts"
  | "confirmed_by";

/** One step of a trace. */
export interface Origin {
  /** How many steps away, from 1. */
  depth: number;
  /** What was reached. */
  type: NodeType;
  id: string;
  relation: Relation;
  /** The row that was walked. */
  sourceType: NodeType;
  sourceId: string;
  targetType: NodeType;
  targetId: string;
  /** From 0 to 1. */
  confidence: number;
  sessionId: string | null;
  /** When it was noted, microseconds since 1970. */
  timeCreated: number;
  /** What it says; null if it is not there any more. */
  text: string | null;
}

/** A fact that a model took from a conversation, and that says something else than what was known of its subject. */
export interface Contradiction {
  /** The fact that took the other's place. */
  knowledgeId: string;
  subject: string;
  content: string;
  replacedId: string;
  replacedContent: string;
  scope: string;
  sessionId: string | null;
  turnId: string | null;
  timeCreated: number;
}

/** What a session begins with. */
export interface NewSessionOptions {
  title?: string;
  agent?: string;
  modelId?: string;
  providerId?: string;
  channelType?: string;
  /** The session that it was spawned from. */
  parentId?: string;
}

/** A session that was just made, and its trunk. */
export interface NewSession {
  sessionId: string;
  branchId: string;
}

/** A conversation. */
export interface Session {
  id: string;
  projectId: string;
  parentId: string | null;
  title: string;
  agent: string | null;
  modelId: string | null;
  providerId: string | null;
  channelType: string | null;
  status: "active" | "ended";
  /** The branch that was made last. */
  activeBranch: string | null;
  /** Tokens in and out of its completed turns. */
  totalTokens: number;
  totalCostUsd: number;
  totalTurns: number;
  summary: string | null;
  /** Microseconds since 1970; so are the other times. */
  timeCreated: number;
  timeUpdated: number;
  timeEnded: number | null;
}

/** Which sessions `sessions` lists. */
export interface SessionsOptions extends FactsOptions {
  status?: "active" | "ended";
}

/** A line of turns in a session: the trunk, or one that forks off after a turn. */
export interface SessionBranch {
  id: string;
  parentBranch: string | null;
  forkTurnId: string | null;
  name: string | null;
  status: string;
  timeCreated: number;
}

/** What else a turn comes with. */
export interface NewTurnOptions {
  agent?: string;
  /** The turn that it answers; the newest one of its branch if not given. */
  parentTurnId?: string;
  modelId?: string;
  providerId?: string;
}

/** Tokens of a turn beside those in and out; 0 if not given. */
export interface TokenOptions {
  tokensReasoning?: number;
  tokensCacheRead?: number;
  tokensCacheWrite?: number;
}

/** One message of a conversation. */
export interface Turn {
  id: string;
  role: "user" | "assistant";
  agent: string | null;
  status: "active" | "completed";
  tier: "hot" | "warm" | "cold";
  tokensInput: number;
  tokensOutput: number;
  costUsd: number;
  finishReason: string | null;
  summary: string | null;
  timeCreated: number;
  timeCompleted: number | null;
  sessionId: string;
  /** The branch on which it was said; a fork shows turns of other ones. */
  branchId: string;
  /** The turn that it answers. */
  parentTurnId: string | null;
  modelId: string | null;
  providerId: string | null;
  tokensReasoning: number;
  tokensCacheRead: number;
  tokensCacheWrite: number;
}

/** A piece of a turn: a text, a tool's input or output, whatever JSON it is. */
export interface Part {
  id: string;
  type: string;
  data: JsonValue;
  position: number;
  timeCreated: number;
}

/** Something that happened in a session. */
export interface TimelineEvent {
  time: number;
  type: "session_created" | "branch_forked" | "turn" | "part" | "tool_call" | "knowledge" | "session_ended";
  /** Of what happened. */
  id: string;
  branchId: string | null;
  turnId: string | null;
  text: string | null;
}

/** Sums over turns and tool calls. */
export interface Totals {
  turns: number;
  tokensInput: number;
  tokensOutput: number;
  tokensReasoning: number;
  tokensCacheRead: number;
  tokensCacheWrite: number;
  costUsd: number;
  toolCalls: number;
  toolTokens: number;
  toolDurationMs: number;
}

/** The sums of a branch's own turns: those of all branches add up to the session's. */
export interface BranchTotals extends Totals {
  branchId: string;
  name: string | null;
}

/** The sums of a session. */
export interface SessionTotals extends Totals {
  sessionId: string;
  branches: BranchTotals[];
}

/** Where a tool call stands. */
export type ToolCallState = "pending" | "running" | "completed" | "error";

/** A tool call as it begins. */
export interface NewToolCall {
  turnId: string;
  /** The part of the turn that asks for it. */
  partId?: string | null;
  sessionId: string;
  toolId: string;
  /** Any JSON value. */
  input?: unknown;
  category?: string;
  targetPaths?: string | readonly string[];
  /** Where the tool comes from; `builtin` if not given. */
  toolSource?: string;
}

/** What came of a tool call. */
export interface ToolCallResult {
  /** What it gave; JSON other than a string is kept as its text. */
  output?: unknown;
  /** Why it failed; the call is in error then, also when this is empty. */
  error?: string | Error;
  /** How long it took; the time since it was recorded if not given. */
  durationMs?: number;
  tokensConsumed?: number;
}

/** A call of a tool by an agent. */
export interface ToolCall {
  id: string;
  turnId: string;
  partId: string | null;
  sessionId: string;
  toolId: string;
  toolSource: string;
  state: ToolCallState;
  input: JsonValue;
  output: string | null;
  error: string | null;
  durationMs: number | null;
  tokensConsumed: number;
  category: string | null;
  targetPaths: string[];
  timeCreated: number;
  timeCompleted: number | null;
}

/** Which tool calls `queryToolCalls` lists. */
export interface ToolCallsOptions {
  toolId?: string;
  category?: string;
  state?: ToolCallState;
  /** At most so many; 100 if not given. */
  limit?: number;
}

/** Which contradictions `contradictions` lists. */
export interface ContradictionsOptions {
  /** Only those that this session brought. */
  sessionId?: string;
  /** Only those noted at this time or later. */
  since?: Time;
  /** At most so many; 100 if not given. */
  limit?: number;
  /** Whether those in which one of the two facts is private are among them. */
  includePrivate?: boolean;
}

/** A fact that the caller's model found in a turn. */
export interface ExtractedFact
  extends Pick<RememberOptions, "categories" | "tags" | "peer" | "importance" | "private" | "entities"> {
  subject: string;
  content: string;
  /** The tool call of the turn that revealed it. */
  toolCallId?: string;
}

/** What the caller's model concluded from facts. */
export interface Insight
  extends Pick<RememberOptions, "categories" | "tags" | "peer" | "importance" | "private" | "entities"> {
  subject: string;
  content: string;
  /** The facts that it rests on; those that the model was shown if not given. */
  sourceIds?: string | readonly string[];
}

/** When a scope wants facts to be taken from turns by whoever runs a model; a call of `extractWithFacts` always counts. */
export interface ExtractionConfig {
  enabled: boolean;
  extractOn: "assistant_turn" | "user_turn" | "every_turn" | "never";
  /** Shorter turns are left alone. */
  minTurnTokens: number;
  reflectionTrigger: "session_end" | "never";
  reflectionScope: "session" | "project";
  /** What the model is told of categories. */
  categoriesPrompt: string | null;
}
