/** What a memory's calls on the work of agents take and give; zengram.d.ts has the calls. */
import type { JsonValue } from "./records.js";
import type { FactsOptions, Time } from "./zengram.js";

/** Where a task stands. */
export type TaskStatus = "pending" | "in_progress" | "blocked" | "completed" | "cancelled";

/** How urgent a task is. */
export type TaskPriority = "critical" | "high" | "medium" | "low";

/** What a rule says. */
export type PermissionAction = "allow" | "deny" | "ask";

/** Where a reminder stands. */
export type ReminderStatus = "pending" | "done" | "cancelled";

/** Where a job stands. */
export type JobStatus = "active" | "paused" | "completed";

/** Where a run stands. */
export type SubagentStatus = "running" | "completed" | "error";

/** Where a message stands. */
export type MessageStatus = "pending" | "claimed" | "completed" | "expired";

/** What else a task comes with. */
export interface NewTaskOptions {
  sessionId?: string;
  projectId?: string;
  /** The task that it is a part of. */
  parentTaskId?: string;
  description?: string;
  priority?: TaskPriority;
  assignedAgent?: string;
  /** The session branch on which it is done. */
  assignedBranch?: string;
  /** When it is done. */
  acceptance?: string;
  /** How to find out. */
  verification?: string;
  /** The turn in which it came up. */
  sourceTurnId?: string;
  /** How many turns it may take. */
  estimatedTurns?: number;
  /** Tasks that have to be completed before. */
  dependsOn?: string | readonly string[];
  /** Paths, or `{path, role}`. */
  files?: string | readonly (string | { path: string; role?: string })[];
}

/** What can be changed of a task. */
export interface TaskChanges {
  title?: string;
  priority?: TaskPriority;
  /** How many turns it may take. */
  estimatedTurns?: number | null;
  description?: string | null;
  assignedAgent?: string | null;
  /** The session branch on which it is done. */
  assignedBranch?: string | null;
  /** When it is done. */
  acceptance?: string | null;
  /** How to find out. */
  verification?: string | null;
}

/** Which tasks `tasks` lists. */
export interface TasksOptions extends FactsOptions {
  sessionId?: string;
  projectId?: string;
  status?: TaskStatus;
  assignedAgent?: string;
  /** The task that it is a part of. */
  parentTaskId?: string;
}

/** Where a permission rule holds. */
export interface NewPermissionRuleOptions {
  projectId?: string;
  sessionId?: string;
  /** The only agent, branch and folder, and the greatest risk, for which it holds. */
  contextAgent?: string;
  contextBranch?: string;
  contextPathPrefix?: string;
  contextRiskMax?: number;
  /** From 0 to 1; 0.5 if not given. */
  trustLevel?: number;
  source?: string;
  priority?: number;
  /** From when on it counts no more. */
  expires?: Time;
}

/** Who asks for a permission, and where. */
export interface PermissionContext {
  projectId?: string;
  sessionId?: string;
  agent?: string;
  branch?: string;
  path?: string;
  risk?: number;
}

/** Which rules `permissionRules` lists. */
export interface PermissionRulesOptions {
  projectId?: string;
  sessionId?: string;
  permission?: string;
  /** Those that hold no more, too. */
  includeExpired?: boolean;
}

/** What a reminder is about, and whether it repeats. */
export interface NewReminderOptions {
  projectId?: string;
  sessionId?: string;
  knowledgeId?: string;
  taskId?: string;
  /** After how many days it is due again. */
  repeatDays?: number;
}

/** Which reminders `reminders` lists. */
export interface RemindersOptions extends FactsOptions {
  status?: ReminderStatus;
  projectId?: string;
  sessionId?: string;
}

/** The schedule of a job, and what it is for. */
export interface NewJob {
  /** One of these three. */
  everySeconds?: number;
  cron?: string;
  at?: Time;
  /** Any JSON value. */
  payload?: unknown;
  projectId?: string;
}

/** Which jobs `jobs` lists. */
export interface JobsOptions extends FactsOptions {
  status?: JobStatus;
  projectId?: string;
}

/** What there is to know of an agent. */
export interface AgentOptions {
  role?: string;
  capabilities?: string | readonly string[];
  sessionId?: string;
  /** Any JSON value. */
  metadata?: unknown;
}

/** What else a message comes with. */
export interface NewMessageOptions {
  sessionId?: string;
  /** The message that it answers. */
  replyTo?: string;
  /** From when on it counts no more. */
  expires?: Time;
}

/** Which messages `messages` lists. */
export interface MessagesOptions extends FactsOptions {
  status?: MessageStatus;
}

/** A task. */
export interface Task {
  id: string;
  sessionId: string | null;
  projectId: string | null;
  parentTaskId: string | null;
  title: string;
  description: string | null;
  priority: TaskPriority;
  status: TaskStatus;
  assignedAgent: string | null;
  /** The session branch on which it is done. */
  assignedBranch: string | null;
  /** When it is done. */
  acceptance: string | null;
  /** How to find out. */
  verification: string | null;
  sourceTurnId: string | null;
  /** The turn in which it was completed. */
  completionTurn: string | null;
  estimatedTurns: number | null;
  /** How many turns its session had from its start to its end. */
  actualTurns: number | null;
  dependsOn: TaskDependency[];
  files: TaskFile[];
  /** Microseconds since 1970; so are the other times. */
  timeCreated: number;
  timeStarted: number | null;
  timeCompleted: number | null;
}

/** What a task depends on. */
export interface TaskDependency {
  taskId: string;
  type: "blocks" | "relates";
}

/** A file that a task is about. */
export interface TaskFile {
  path: string;
  /** `target`, or what the caller said. */
  role: string;
}

/** What may be done, or not. */
export interface PermissionRule {
  id: string;
  projectId: string | null;
  sessionId: string | null;
  permission: string;
  pattern: string;
  action: PermissionAction;
  contextAgent: string | null;
  contextBranch: string | null;
  contextPathPrefix: string | null;
  contextRiskMax: number | null;
  trustLevel: number;
  /** Microseconds since 1970; so are the other times. */
  timesGranted: number;
  timesDenied: number;
  source: string;
  priority: number;
  timeCreated: number;
  timeExpires: number | null;
}

/** What the rules say of a target. */
export interface PermissionDecision {
  action: PermissionAction;
  /** The rule that says so. */
  ruleId: string | null;
  /** The same in words. */
  reason: string;
}

/** Something to be reminded of. */
export interface Reminder {
  id: string;
  projectId: string | null;
  sessionId: string | null;
  knowledgeId: string | null;
  taskId: string | null;
  content: string;
  status: ReminderStatus;
  /** When it is due (next). Microseconds since 1970; so are the other times. */
  timeDue: number;
  /** After how many days again. */
  repeatDays: number | null;
  timeCreated: number;
  timeDone: number | null;
}

/** A job with a schedule. */
export interface Job {
  id: string;
  projectId: string | null;
  name: string;
  /** `every 60s`, `cron 0 9 * * mon`, or `at` and microseconds. */
  schedule: string;
  payload: JsonValue;
  status: JobStatus;
  /** Microseconds since 1970; so are the other times. */
  timeNext: number | null;
  timeLast: number | null;
  runs: number;
  failures: number;
  lastError: string | null;
  timeCreated: number;
  timeUpdated: number;
}

/** An agent that a session started. */
export interface SubagentRun {
  id: string;
  parentSession: string;
  childSession: string | null;
  agentType: string;
  status: SubagentStatus;
  /** How many runs lead to it. */
  spawnDepth: number;
  result: string | null;
  error: string | null;
  runtimeMs: number;
  /** Microseconds since 1970; so are the other times. */
  timeCreated: number;
  timeCompleted: number | null;
}

/** An agent that is known. */
export interface Agent {
  id: string;
  name: string;
  role: string | null;
  capabilities: string[];
  status: string;
  sessionId: string | null;
  metadata: JsonValue;
  /** Microseconds since 1970; so are the other times. */
  timeCreated: number;
  timeUpdated: number;
  timeLastSeen: number | null;
}

/** A message from one agent to another. */
export interface Message {
  id: string;
  fromAgent: string;
  toAgent: string;
  messageType: string;
  payload: JsonValue;
  status: MessageStatus;
  claimedBy: string | null;
  sessionId: string | null;
  replyTo: string | null;
  /** Microseconds since 1970; so are the other times. */
  timeCreated: number;
  timeClaimed: number | null;
  timeProcessed: number | null;
  timeExpires: number | null;
}
