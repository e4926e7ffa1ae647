/// <reference lib="esnext.disposable" />
/**
 * A database and an agent memory in pure Python that runs in the page, behind one synchronous API.
 *
 * @example
 * import init, { ZengramMemory } from "./zengram.js";
 * await init();
 * const memory = ZengramMemory.open(384);
 * memory.rememberWithVector("drink", "The user drinks green tea", "/user", vector);
 * const hits = memory.recallWithVector("hot beverage", "/user", queryVector);
 */

import type {
  Bundle,
  CodeFile,
  CodeHub,
  CodeNode,
  CodeSource,
  CodeSourceChanges,
  CodeStep,
  CodeWalkOptions,
  Concept,
  ConceptChanges,
  ConceptsOptions,
  Environment,
  EnvironmentChanges,
  EnvironmentsOptions,
  Event,
  EventsOptions,
  FileOperation,
  FileOperationKind,
  FileOperationsOptions,
  FileReservation,
  FindCodeOptions,
  NewBundleOptions,
  NewCodeFileOptions,
  NewCodeSourceOptions,
  NewConceptOptions,
  NewEnvironmentOptions,
  NewEventOptions,
  NewFileOperationOptions,
  NewSnapshotOptions,
  NewStateSnapshotOptions,
  NewWorkspaceOptions,
  RelatedConcept,
  RelatedConceptsOptions,
  ReservationOptions,
  Snapshot,
  StateSnapshot,
  StateSnapshotsOptions,
  Workspace,
  WorkspaceFile,
  WorkspaceFileChanges,
  WorkspaceFilesOptions,
} from "./code.js";
import type {
  BudgetOptions,
  BudgetReport,
  ContextOptions,
  ContextWindow,
  MemoryBranch,
  MemoryDiff,
  MemoryMerge,
  MergeOptions,
  StorageBudget,
} from "./context.js";
import type {
  Collision,
  Contradiction,
  ContradictionsOptions,
  ExtractedFact,
  ExtractionConfig,
  Insight,
  JsonValue,
  NewSession,
  NewSessionOptions,
  NewToolCall,
  NewTurnOptions,
  Origin,
  Part,
  PeerFact,
  Session,
  SessionBranch,
  SessionTotals,
  SessionsOptions,
  TimelineEvent,
  TokenOptions,
  ToolCall,
  ToolCallResult,
  ToolCallsOptions,
  Turn,
} from "./records.js";
import type {
  Agent,
  AgentOptions,
  Job,
  JobsOptions,
  Message,
  MessagesOptions,
  NewJob,
  NewMessageOptions,
  NewPermissionRuleOptions,
  NewReminderOptions,
  NewTaskOptions,
  PermissionAction,
  PermissionContext,
  PermissionDecision,
  PermissionRule,
  PermissionRulesOptions,
  Reminder,
  RemindersOptions,
  SubagentRun,
  SubagentStatus,
  Task,
  TaskChanges,
  TaskStatus,
  TasksOptions,
} from "./work.js";

export type * from "./code.js";
export type * from "./context.js";
export type * from "./records.js";
export type * from "./work.js";

/** A vector of the memory's dimensions. Numbers are kept as 32-bit floats. */
export type Vector = Float32Array | Float64Array | readonly number[];

/** A point in time: microseconds since 1970, a Date, or ISO 8601 text. What names no zone is UTC; a day is its midnight. */
export type Time = number | string | Date;

/**
 * A value for `$1`, `$2`, …, typed by where it stands: an array of numbers or a `Float32Array` is a vector or an array, a plain object is jsonb, a
 * `Date` a timestamp, a `Uint8Array` bytea, a `bigint` an exact whole number.
 */
export type SqlParameter =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | Uint8Array
  | Float32Array
  | Float64Array
  | readonly SqlParameter[]
  | { readonly [key: string]: unknown };

/** A value in a result of SQL: docs/sql.md has the table of types. */
export type SqlValue = null | boolean | number | string | SqlValue[] | { [key: string]: SqlValue };

/** A row by the names of its columns; of columns with one name the last counts. */
export type Row = Record<string, SqlValue>;

/** What a statement gave. */
export interface QueryResult {
  /** Names of the columns; none if the statement gives no rows. */
  columns: string[];
  rows: Row[];
}

/** The tables of a database. */
export interface Schema {
  tables: { name: string; columns: { name: string; type: string; pk: boolean; nullable: boolean }[] }[];
}

/**
 * What became of a fact: nothing yet, another one took its place (or it was over when it was told), or `forget` left it out. Whether one that
 * is `active` holds now, its times say.
 */
export type FactStatus = "active" | "superseded" | "forgotten";

/** A fact that `recall` found. */
export interface Hit {
  /** Id of the fact. */
  knowledgeId: string;
  subject: string;
  content: string;
  /** What hits are ordered by, highest first. */
  score: number;
  /** Cosine between the query's vector and the fact's, from -1 to 1. */
  similarity: number;
  /** From 0 to 1. */
  importance: number;
  status: FactStatus;
  /** Microseconds since 1970, UTC. */
  timeCreated: number;
  /** About how many tokens "subject: content" has. */
  tokens: number;
  /** How the score came about, when `explain` was asked for. */
  explanation?: Explanation;
}

/** How a score came about: it is the sum of `parts`. docs/retrieval.md has the formulas. */
export interface Explanation {
  preset: RecallPreset;
  /** What the vectors say, 0 to 1. */
  vector: number;
  /** What the words say, 0 to 1. */
  text: number;
  /** What shared names add, 0 to 0.3. */
  entities: number;
  /** The fact's place among the candidates in each arm, from 1; 0 where the arm says nothing of it. */
  vectorRank: number;
  textRank: number;
  entityRank: number;
  /** The words' BM25 score before it was brought to 0 to 1. */
  textScore: number;
  /** Names that the fact and the question share. */
  shared: number;
  /** What vectors, words and names say together. */
  relevance: number;
  /** The fact's age in days. */
  ageDays: number;
  /** What its age makes of 1. */
  recency: number;
  importance: number;
  /** What facts that it is linked to handed it, by kind of link. */
  spread: Partial<Record<"turns" | "session" | "sources" | "entities" | "peer", number>>;
  /** With `mmr`, the greatest cosine with a hit before it; else 0. */
  redundancy: number;
  /** What adds up to the score. */
  parts: Record<string, number>;
}

/** A name and how many active facts mention it. */
export interface Entity {
  /** As it was written first. */
  name: string;
  facts: number;
}

/** What else a fact comes with. */
export interface RememberOptions {
  /** The names that it mentions; found in its text if not given. */
  entities?: readonly string[];
  /** Labels to filter by. */
  categories?: string | readonly string[];
  tags?: string | readonly string[];
  /** Whom it is about, or who said it. Facts of one subject about different peers do not supersede each other. */
  peer?: string;
  /** From 0 to 1; 0.5 if not given. */
  importance?: number;
  /** Whether recall leaves it out unless private facts are asked for. */
  private?: boolean;
  /** From when it holds; now if not given. */
  validFrom?: Time;
  /** When it ceases to hold; the instant itself is not part of it. */
  validTo?: Time;
  /** From when on it is no answer any more. */
  expires?: Time;
  /** Where it was said: a session, and a turn of it. Facts of one session are linked: an answer lifts what was said beside it. */
  sessionId?: string;
  turnId?: string;
  /** The tool call that revealed it: where it was said is where that was made. */
  toolCallId?: string;
  /** The facts of the same scope that it was made from. */
  sourceIds?: string | readonly string[];
}

/** `hybrid`, `classical` or `rrf`: docs/retrieval.md has the formulas. */
export type RecallPreset = "hybrid" | "classical" | "rrf";

/** Which answers `recall` gives. */
export interface RecallOptions {
  /** At most so many; the scope's `limitDefault` (20) if not given, with `maxTokens` as many as fit. */
  limit?: number;
  /** Tokens at most of all hits together: the best that fit. */
  maxTokens?: number;
  /** Least relevance, 0 to 1; the scope's `scoreThreshold` (0.15) if not given. Facts that share a name with the question are exempt. */
  minScore?: number;
  /** Whether each hit says how its score came about. */
  explain?: boolean;
  /** Whether hits are to differ from each other: `true` takes the scope's `mmrLambda` (0.7), a number is one (1: by score alone). */
  mmr?: boolean | number;
  /** The formula; the scope's if not given. */
  preset?: RecallPreset;
  /** Only facts in one of these: none if there are none. */
  categories?: string | readonly string[];
  /** Only facts with all of these. */
  tags?: string | readonly string[];
  /** Only facts about one of these: none if there are none. */
  peers?: string | readonly string[];
  /** Only facts that stand so; active ones if not given. */
  status?: "active" | "superseded" | readonly ("active" | "superseded")[];
  /** Only facts created at this time or later. */
  since?: Time;
  /** Only facts created before this time. */
  until?: Time;
  /** What was valid then, superseded since or not; ages are counted from then. */
  asOf?: Time;
  /** Whether private facts may be answers. */
  includePrivate?: boolean;
}

/** How a scope ranks its answers: docs/retrieval.md says what each setting does. */
export interface RecallConfig {
  vectorWeight: number;
  textWeight: number;
  recencyWeight: number;
  importanceWeight: number;
  mmrLambda: number;
  decayHalfLifeDays: number;
  limitDefault: number;
  scoreThreshold: number;
  preset: RecallPreset;
  spreadTurns: number;
  spreadSession: number;
  spreadSources: number;
  spreadEntities: number;
  spreadPeer: number;
}

/** A fact as `facts` lists it. */
export interface Fact {
  id: string;
  scope: string;
  subject: string;
  content: string;
  /** From 0 to 1. */
  importance: number;
  /** From 0 to 1. */
  confidence: number;
  /** Microseconds since 1970, UTC; so are the other times. */
  timeCreated: number;
  status: FactStatus;
  categories: string[];
  tags: string[];
  peer: string | null;
  sessionId: string | null;
  turnId: string | null;
  private: boolean;
  validFrom: number | null;
  validTo: number | null;
  expires: number | null;
  sourceIds: string[];
  /** Id of the fact that took its place. */
  supersededBy: string | null;
  timeUpdated: number;
  /** The project of its scope. */
  projectId: string | null;
  /** Who stored it. */
  sourceType: "agent" | "extraction" | "reflection";
  /** How often it was recalled, up to the last call that wrote. */
  accessCount: number;
  timesConfirmed: number;
  timesContradicted: number;
  lastAccessed: number | null;
  /** Until when its importance has been charged for age by `decay`. */
  timeDecayed: number | null;
}

/** Which part of the list `facts` returns. */
export interface FactsOptions {
  /** At most so many facts; 100 if not given. */
  limit?: number;
  /** Skip so many facts; 0 if not given. */
  offset?: number;
}

/** How far the boot is. `fraction` never falls from one event to the next. */
export interface InitProgress {
  /**
   * `runtime` and `packages` download, `imports` starts Python and the library; in a visit that starts from the image of an
   * earlier one, `restore` comes in place of `packages` and `imports`. `ready` is the last event.
   */
  phase: "runtime" | "packages" | "restore" | "imports" | "ready";
  /** From 0 to 1. */
  fraction: number;
  /** Bytes that have arrived, counted after decompression. */
  loadedBytes: number;
  /** Bytes to expect; an estimate until every server has answered. */
  totalBytes: number;
  /** A short English text for people. */
  message: string;
}

/** Where the runtime comes from and who hears about it. */
export interface InitOptions {
  /** Called while the runtime boots. In Node, where files come from disk, only `imports` and `ready` are told. */
  onProgress?: (progress: InitProgress) => void;
  /**
   * Whether the page keeps an image of the started interpreter (about 50 MB, in the origin's private file system or its
   * cache) and later visits start from it, which takes a tenth of the time; true if not given. Visits whose files come from
   * elsewhere (the options below) and Node never do.
   */
  snapshot?: boolean;
  /**
   * Whether to register the service worker that keeps the library's files for visits without a network; false if not given. It
   * reaches pages in the folder of zengram.js and below; docs/boot.md has the ways to others.
   */
  offline?: boolean;
  /**
   * Folder of the Pyodide runtime; the one that the build brought if not given. It must hold the very Pyodide version this
   * library was built for. The wheels still come from beside this module.
   */
  indexURL?: string | URL;
  /** Lock file that names the wheels; the one of the build if not given. */
  lockFileURL?: string | URL;
  /** Folder of the wheels for WebAssembly (numpy) as Pyodide publishes them, if they are not to come from beside this module. */
  packageBaseUrl?: string | URL;
}

/**
 * Boots Python. Call it once before anything else; further calls wait for the same boot.
 *
 * @throws {BootError} (as rejection) when the runtime cannot be had or does not start; calling again tries again.
 * @throws {InvalidArgumentError} (as rejection) for options of the wrong kind
 */
export declare function init(options?: InitOptions): Promise<void>;
export default init;

/** Versions of what is running. */
export interface Versions {
  zengram: string;
  python: string;
  numpy: string;
}

/** How many objects of each class are open: made, and neither freed nor collected. */
export interface OpenHandles {
  memories: number;
  databases: number;
  transactions: number;
  cursors: number;
  /** What stores an `openMemory` or an `openDb`. */
  stores: number;
}

/** What Python and one database use: docs/performance.md says how each number is counted. */
export interface Stats {
  /** Bytes of everything that lives in Python, objects and buffers, whichever memory or database they are of. */
  heapBytes: number;
  /** Bytes of WebAssembly's memory, in which all of that lies. It never shrinks. */
  memoryBytes: number;
  /** Bytes of the database under the object that was asked: columns, texts, vectors and indexes, with all versions of rows. */
  databaseBytes: number;
  /** Bytes of what is kept for that database and that object, and could be made again. */
  cacheBytes: number;
  /** Versions of rows in that database, those that wait for a vacuum too. */
  versions: number;
  /** Open transactions of that database; a cursor outside of one has its own. */
  transactions: number;
  /** Prepared statements that the object's database keeps, at most 512. */
  statements: number;
  /** Python objects that the library holds in JavaScript. */
  proxies: number;
  /** Functions of the page that Python holds: embedders, token counters, extractors. */
  callbacks: number;
  /** All values of JavaScript that Python holds, Pyodide's own and those functions among them. */
  references: number;
  handles: OpenHandles;
}

/** What `stats` may do first. */
export interface StatsOptions {
  /** Let Python collect its garbage first, so that `heapBytes` has none of it; that takes some tens of milliseconds. */
  collect?: boolean;
}

/**
 * @throws {NotInitializedError} before `init` has ended.
 */
export declare function versions(): Versions;

/**
 * Facts with vectors, kept by scope, and the sessions that they came from.
 *
 * Every method is synchronous and either does all of its work or throws a {@link ZengramError} and changes nothing.
 * After `free` every method but `free` throws {@link ClosedError}.
 */
export declare class ZengramMemory {
  private constructor();

  /** What stores it (`openMemory`); null for a memory that is not stored. */
  readonly persistence: Persistence | null;

  /**
   * Opens an empty memory.
   *
   * @param dim - number of dimensions of its vectors
   * @throws {NotInitializedError | DimensionError}
   */
  static open(dim: number): ZengramMemory;

  /**
   * Opens a memory with what `exportSnapshot` gave.
   *
   * @throws {NotInitializedError | DimensionError}
   * @throws {SnapshotError} when the bytes are damaged (`SNAPSHOT_DAMAGED`) or hold vectors of other dimensions
   * (`SNAPSHOT_DIMENSION`).
   * @throws {MigrationError} when the memory was made by a later version (`MIGRATION_UNKNOWN`): the bytes are whole.
   */
  static openFromSnapshot(bytes: Uint8Array, dim: number): ZengramMemory;

  /**
   * Opens a memory inside a database: its tables lie beside those of the database, `db.query` reads them, and a snapshot of either holds both.
   * What the memory needs is made if it is missing, so attaching twice, or to a database that came from a snapshot, is safe.
   *
   * @throws {DimensionError} when the database holds a memory of other dimensions
   * @throws {MigrationError} when it has a table of its own with the name of one of the memory's (`MIGRATION_CLASH`), or was made by a later
   * version; nothing was changed
   */
  static overEngine(db: ZetaDb, dim: number): ZengramMemory;

  /**
   * Runs one statement in SQL over the memory's tables. A write takes effect at once, also in a batch, and gives no rows.
   *
   * @param params - values for `$1`, `$2`, …
   * @throws {SqlError}
   */
  query(sql: string, params?: readonly SqlParameter[]): QueryResult;

  /**
   * Sets the function that `remember`, `recall` and the like turn text into vectors with. It must be synchronous: with an
   * asynchronous model embed first, then call `rememberWithVector`, `recallWithVector` and the like. If it calls this memory, the call
   * fails ({@link BusyError}), and so does the one that needs the vector (`EMBEDDER_FAILED`, with that as its `cause`) unless it is caught.
   *
   * @param fn - returns a vector of `dim` numbers
   * @param dim - the memory's number of dimensions
   * @throws {InvalidArgumentError | DimensionError}
   */
  setEmbedFn(fn: (text: string) => Vector, dim: number): void;

  /**
   * Sets the function that tokens are counted with; null sets the estimate, one token for four bytes. It must be synchronous, and may not call
   * this memory ({@link BusyError}). It is not part of a snapshot.
   *
   * @param fn - returns a whole number of at least 0; else the call that needs it throws {@link InvalidArgumentError}
   * @param options - whose tokens it counts: with a name, what it said of a turn is kept until the turn changes
   */
  setTokenCounter(fn: ((text: string) => number) | null, options?: { modelFamily?: string }): void;

  /**
   * Sets the function that finds names in facts and questions; null sets the one that needs no model. It must be synchronous, and may not call
   * this memory ({@link BusyError}). It is not part of a snapshot.
   *
   * @param fn - returns an array of names; else the call that needs it throws {@link InvalidArgumentError}
   */
  setEntityExtractor(fn: ((text: string) => readonly string[]) | null): void;

  /**
   * Stores a fact with the vector of "subject: content". A fact of the same subject (and peer) in the scope is superseded:
   * case, white space and Unicode form do not distinguish subjects. If it says the same already, no second one is stored.
   * docs/retrieval.md tells what a fact does that begins later, has an end, or is over already.
   *
   * @param subject - what the fact is about
   * @param content - what it says
   * @param scope - where it belongs, such as `"/"` or `"/project/x"`. Scopes are separate and do not nest.
   * @returns the fact's id, of the one that is there if nothing was stored
   * @throws {EmbedderError} when no function was set, when it failed (see `cause`), or when it returned a Promise.
   * @throws {NotFoundError} when the session, the turn or a source is not there
   * @throws {InvalidArgumentError | VectorLengthError | VectorZeroError | VectorNotFiniteError}
   */
  remember(subject: string, content: string, scope: string, options?: RememberOptions): string;

  /**
   * Finds the facts of a scope that fit a text, best first: by its vector, its words, and the names that it shares with
   * a fact. A blank text finds nothing.
   *
   * @throws {EmbedderError | InvalidArgumentError | VectorLengthError | VectorZeroError | VectorNotFiniteError}
   */
  recall(query: string, scope: string, options?: RecallOptions): Hit[];

  /**
   * Stores a fact with a vector of the caller's; otherwise like `remember`.
   *
   * @returns the fact's id, of the one that is there if nothing was stored
   * @throws {InvalidArgumentError | VectorTypeError | VectorLengthError | VectorZeroError | VectorNotFiniteError}
   */
  rememberWithVector(
    subject: string,
    content: string,
    scope: string,
    vec: Vector,
    options?: RememberOptions,
  ): string;

  /**
   * Finds the facts of a scope that fit a text and its vector, best first; otherwise like `recall`.
   *
   * @param query - the text that the vector stands for; its words and names count too. It may be blank.
   * @throws {InvalidArgumentError | VectorTypeError | VectorLengthError | VectorZeroError | VectorNotFiniteError}
   */
  recallWithVector(query: string, scope: string, vec: Vector, options?: RecallOptions): Hit[];

  /**
   * How a scope ranks its answers.
   *
   * @throws {InvalidArgumentError}
   */
  recallConfig(scope: string): RecallConfig;

  /**
   * Changes how a scope ranks its answers; what is not named stays. It is part of the memory, and of its snapshots.
   *
   * @returns all settings of the scope
   * @throws {InvalidArgumentError}
   */
  configureRecall(scope: string, settings: Partial<RecallConfig>): RecallConfig;

  /**
   * Does some of the work that waits: building indexes, merging them, vacuum. It is called when the page is idle, so there is
   * seldom a reason to call it; facts that were just stored are found at once all the same.
   *
   * @param budgetMs - about how many milliseconds to work, 8 if not given; one step at least is done
   * @returns whether there is more to do
   * @throws {InvalidArgumentError}
   */
  maintain(budgetMs?: number): boolean;

  /**
   * Lists the facts of a scope that hold now, newest first; private ones too.
   *
   * @throws {InvalidArgumentError}
   */
  facts(scope: string, options?: FactsOptions): Fact[];

  /**
   * Lists the facts of a scope that hold now and mention a name, newest first.
   *
   * @throws {InvalidArgumentError}
   */
  entity(name: string, scope: string, options?: { limit?: number }): Fact[];

  /**
   * Lists the names that the facts of a scope which hold now mention, the most mentioned first.
   *
   * @throws {InvalidArgumentError}
   */
  entities(scope: string, options?: { limit?: number }): Entity[];

  /**
   * Makes all calls of a function one transaction: what they store is there together when it returns, or none of it when it throws. Within
   * it calls see what those before them stored, but recall and lists of facts show what was there before. Statements of `query` stand apart.
   *
   * @param work - a synchronous function; it may not open another batch
   * @returns what the function returns
   * @throws what the function threw; nothing was stored
   * @throws {InvalidArgumentError} when it returns a Promise: what it did before its first `await` is not kept, and what it does later is no part of the batch
   * @throws {TransactionError} when a batch is open already, or a call in it failed and the function went on; nothing was stored
   */
  batch<T>(work: () => T): T;

  /** A fact by its id, whatever became of it; null if there is none. */
  fact(id: string): Fact | null;

  /**
   * All that was ever known of a subject, in the order in which it held: superseded and forgotten facts too.
   *
   * @param scope - where; everywhere if not given
   */
  history(subject: string, scope?: string | null, options?: { peer?: string }): Fact[];

  /**
   * The facts about a peer that hold now, of every scope, most important first. Private ones are left out unless asked for.
   *
   * @param limit - at most so many; 20 if not given
   */
  factsAboutPeer(peer: string, limit?: number, options?: { includePrivate?: boolean }): PeerFact[];

  /** Makes the project of a scope unless it is there; returns its id: `"x"` for the scope `"/project/x"`. */
  ensureProject(scope: string): string;

  /**
   * Raises a fact's confidence by 0.1 and its importance by 0.15, both to 1 at most.
   *
   * @throws {NotFoundError} when there is no such fact
   * @throws {StateError} when it is superseded or forgotten
   */
  confirm(id: string): void;

  /**
   * Lowers a fact's confidence by 0.2, to 0 at least.
   *
   * @throws {NotFoundError | StateError} like `confirm`
   */
  contradict(id: string): void;

  /**
   * Halves the importance of every active fact for each half-life since it was last charged: how often it is called does not matter.
   *
   * @param halfLifeDays - more than 0
   * @returns how many facts it changed
   * @throws {TransactionError} in a batch
   */
  decay(halfLifeDays: number): number;

  /**
   * The facts of a fact's scope that hold and say much the same, nearest first: candidates for `mergeFacts`.
   *
   * @param options - least cosine of the vectors (0.8 if not given), and how many at most (5)
   * @throws {NotFoundError}
   */
  collisions(id: string, options?: { threshold?: number; limit?: number }): Collision[];

  /**
   * Merges facts of one scope that say the same into the first of them, which supersedes the others.
   *
   * @throws {NotFoundError | StateError} when one is not there, is of another scope or not active; nothing was changed
   */
  mergeFacts(id: string, duplicateIds: string | readonly string[]): void;

  /**
   * Leaves a fact out of every answer from now on; `history` still shows it.
   *
   * @throws {NotFoundError}
   */
  forget(id: string): void;

  /**
   * Makes a fact gone: its text, its vector, and what pointed to it, on every branch and in history. The bytes leave with the next
   * maintenance, and are in no snapshot after that.
   *
   * @throws {NotFoundError}
   * @throws {TransactionError} in a batch: it cannot be taken back
   */
  purge(id: string): void;

  /**
   * What a fact, turn, tool call or session came from, the nearest first.
   *
   * @param options - how many steps to go, 10 if not given
   * @throws {NotFoundError}
   */
  traceBack(id: string, options?: { depth?: number }): Origin[];

  /**
   * What came of a fact, turn, tool call or session, the nearest first.
   *
   * @param options - how many steps to go, 10 if not given
   * @throws {NotFoundError}
   */
  traceForward(id: string, options?: { depth?: number }): Origin[];

  /** What conversations said of a scope's subjects against what was known of them, the newest first. */
  contradictions(scope: string, options?: ContradictionsOptions): Contradiction[];

  /**
   * Begins a session in a project, which is made if it is not there.
   *
   * @throws {NotFoundError} when there is no session `parentId`
   */
  createSession(projectId: string, options?: NewSessionOptions): NewSession;

  /**
   * Forks a session after one of its turns.
   *
   * @returns the id of a branch that shows all up to that turn, and goes on by itself; it is the session's active one now
   * @throws {NotFoundError | StateError} when the turn is not of the session, or the session has ended
   */
  forkSession(sessionId: string, turnId: string, options?: { name?: string }): string;

  /**
   * Ends a session: no turn is added to it any more.
   *
   * @throws {NotFoundError | StateError}
   */
  endSession(sessionId: string, options?: { summary?: string }): void;

  /** A session; null if there is none. */
  session(sessionId: string): Session | null;

  /** The sessions of a project, or all of them, newest first. */
  sessions(projectId?: string | null, options?: SessionsOptions): Session[];

  /** The branches of a session, oldest first. @throws {NotFoundError} */
  sessionBranches(sessionId: string): SessionBranch[];

  /** What happened in a session, oldest first; 1,000 events if no limit is given. @throws {NotFoundError} */
  sessionTimeline(sessionId: string, options?: FactsOptions): TimelineEvent[];

  /** What a session took in turns, tokens, money and tool calls, by branch and in all. @throws {NotFoundError} */
  sessionTotals(sessionId: string): SessionTotals;

  /**
   * Sets the instructions of a project, of a session, or (without either) of everything. A blank text removes them.
   *
   * @throws {NotFoundError}
   */
  setSystemInstructions(text: string, options?: { projectId?: string; sessionId?: string }): void;

  /** The instructions that were set just there; null if none were. @throws {NotFoundError} */
  systemInstructions(options?: { projectId?: string; sessionId?: string }): string | null;

  /**
   * Adds a turn to a branch.
   *
   * @returns its id
   * @throws {InvalidArgumentError} for another role
   * @throws {NotFoundError | StateError} when the branch is not of the session, or the session has ended
   */
  appendTurn(sessionId: string, branchId: string, role: "user" | "assistant", options?: NewTurnOptions): string;

  /**
   * Adds a part to a turn.
   *
   * @param data - any JSON value, up to 200 levels deep
   * @param position - where it stands in the turn, from 0
   * @returns its id
   * @throws {InvalidArgumentError} when the data are no JSON; the message says where
   * @throws {NotFoundError} when the turn is not of the session
   */
  addPart(turnId: string, sessionId: string, partType: string, data: unknown, position: number): string;

  /**
   * Completes a turn; its tokens and cost are added to the session's.
   *
   * @throws {NotFoundError}
   * @throws {StateError} when it is completed already
   */
  completeTurn(
    turnId: string,
    tokensIn: number,
    tokensOut: number,
    costUsd: number,
    finishReason?: string | null,
    options?: TokenOptions,
  ): void;

  /** Keeps a summary of a turn, and which model wrote it. @throws {NotFoundError} */
  summarizeTurn(turnId: string, summary: string, options?: { model?: string }): void;

  /**
   * The turns that a branch shows, oldest first: those of the branches that it was forked from, up to the forks, and its own.
   *
   * @param limit - at most so many; 100 if not given
   * @param offset - skip so many; 0 if not given
   * @throws {NotFoundError}
   */
  getTurns(sessionId: string, branchId: string, limit?: number, offset?: number): Turn[];

  /** A turn by its id; null if there is none. */
  turn(id: string): Turn | null;

  /** The parts of a turn by position. @throws {NotFoundError} */
  getParts(turnId: string): Part[];

  /**
   * The turns since a time, or after a turn: of a branch, or of all branches of the session if none is given.
   *
   * @param since - a time, or the id of a turn of the session
   * @throws {NotFoundError}
   */
  turnsSince(sessionId: string, since: Time, options?: { branchId?: string; limit?: number }): Turn[];

  /**
   * Notes that a turn calls a tool. The call is pending.
   *
   * @returns its id
   * @throws {InvalidArgumentError} without a tool, and when the input is no JSON
   * @throws {NotFoundError} when the turn is not of the session, or the part not of the turn
   */
  recordToolCall(call: NewToolCall): string;

  /** Notes that a pending tool call runs. @throws {NotFoundError | StateError} */
  startToolCall(id: string): void;

  /** Notes what came of a tool call: it is completed, or in error when `error` is given. @throws {NotFoundError | StateError} */
  completeToolCall(id: string, result?: ToolCallResult): void;

  /** A tool call; null if there is none. */
  toolCall(id: string): ToolCall | null;

  /** The tool calls of a session, newest first. @throws {NotFoundError} */
  queryToolCalls(sessionId: string, options?: ToolCallsOptions): ToolCall[];

  /**
   * Stores the facts that the caller's model found in a turn, all or none: what is known from another session is confirmed, what is said
   * otherwise now supersedes (and `contradictions` lists it), and what an assistant merely repeats from recall is left alone.
   *
   * @returns the id of each, in their order
   * @throws {EmbedderError} when no function was set, or it failed
   * @throws {InvalidArgumentError} when one is no fact; the message says which
   * @throws {NotFoundError} when the turn is not of the session
   */
  extractWithFacts(
    turnText: string,
    scope: string,
    sessionId: string,
    turnId: string,
    facts: readonly ExtractedFact[],
  ): string[];

  /**
   * `extractWithFacts` with a vector of "subject: content" for each fact.
   *
   * @throws {VectorTypeError | VectorLengthError | VectorZeroError | VectorNotFiniteError} the message says which
   */
  extractWithFactsWithVectors(
    turnText: string,
    scope: string,
    sessionId: string,
    turnId: string,
    facts: readonly ExtractedFact[],
    vectors: readonly Vector[],
  ): string[];

  /**
   * Stores what the caller's model concluded from a scope's facts, all or none. One without sources rests on the `limit` most important facts.
   *
   * @param limit - how many facts the model was shown; 20 if not given
   * @returns the id of each, in their order; none if the scope has no active fact
   * @throws {EmbedderError | InvalidArgumentError | NotFoundError}
   */
  reflectWithInsights(scope: string, insights: readonly Insight[], limit?: number): string[];

  /**
   * `reflectWithInsights` with a vector of "subject: content" for each insight.
   *
   * @throws {VectorTypeError | VectorLengthError | VectorZeroError | VectorNotFiniteError} the message says which
   */
  reflectWithInsightsWithVectors(
    scope: string,
    insights: readonly Insight[],
    vectors: readonly Vector[],
    limit?: number,
  ): string[];

  /** When a scope wants facts to be taken from turns. */
  extractionConfig(scope: string): ExtractionConfig;

  /** Changes when a scope wants facts to be taken from turns; what is not named stays. @returns all settings of the scope */
  configureExtraction(scope: string, settings: Partial<ExtractionConfig>): ExtractionConfig;

  /**
   * How many tokens a text has, by the counter that is set.
   *
   * @throws {InvalidArgumentError} when the token counter fails; its `cause` says why
   */
  countTokens(text: string): number;

  /**
   * The next prompt of a branch, within a budget of tokens: instructions, permission rules, facts, open tasks, turns, other branches, pending
   * tool calls. docs/memory.md tells what comes first and what is left out. It writes nothing.
   *
   * @param budget - tokens at most
   * @throws {NotFoundError} when the branch is not of the session
   * @throws {EmbedderError} when facts have to be chosen, and the embedding function fails
   * @throws {InvalidArgumentError} when the token counter fails; its `cause` says why
   */
  assembleContext(sessionId: string, branchId: string, budget: number, options?: ContextOptions): ContextWindow;

  /**
   * Adds a task; it is pending.
   *
   * @returns its id
   * @throws {NotFoundError} when something that it names is not there, or not in the session or project
   */
  addTask(title: string, options?: NewTaskOptions): string;

  /**
   * Changes what a task says of itself; what is not named stays, and null empties a field.
   *
   * @throws {NotFoundError}
   */
  updateTask(taskId: string, changes: TaskChanges): void;

  /**
   * Begins, completes, blocks, cancels or opens a task again.
   *
   * @throws {NotFoundError}
   * @throws {StateError} when there is no way from what it is to that, or a task that it needs is not completed; the message says which
   */
  setTaskStatus(taskId: string, status: TaskStatus, options?: { turnId?: string }): void;

  /**
   * Notes that a task depends on another one: it `blocks` (if not given), or only `relates`.
   *
   * @throws {NotFoundError}
   * @throws {InvalidArgumentError} when tasks would block each other in a ring; the message names it
   */
  addTaskDependency(taskId: string, dependsOn: string, options?: { type?: "blocks" | "relates" }): void;

  /** Takes a dependency away. @throws {NotFoundError} */
  removeTaskDependency(taskId: string, dependsOn: string): void;

  /** Notes that a task is about a file, as its `target` if no role is given. @throws {NotFoundError} */
  addTaskFile(taskId: string, path: string, options?: { role?: string }): void;

  /** Takes a file from a task. @throws {NotFoundError} */
  removeTaskFile(taskId: string, path: string): void;

  /** A task by its id; null if there is none. */
  task(taskId: string): Task | null;

  /** The tasks of a session or project, or all, the most urgent first, then the oldest. @throws {NotFoundError} */
  tasks(options?: TasksOptions): Task[];

  /** The pending tasks that need nothing any more, the most urgent first. @throws {NotFoundError} */
  readyTasks(options?: { sessionId?: string; projectId?: string; limit?: number }): Task[];

  /**
   * Adds a rule on targets that match a pattern: `*` stops at a slash, `**` does not.
   *
   * @returns its id
   * @throws {NotFoundError}
   */
  addPermissionRule(
    permission: string,
    pattern: string,
    action: PermissionAction,
    options?: NewPermissionRuleOptions,
  ): string;

  /** Takes a rule away. @throws {NotFoundError} */
  removePermissionRule(ruleId: string): void;

  /** Counts that what a rule is about was granted, or denied. @throws {NotFoundError} */
  recordPermission(ruleId: string, granted: boolean): void;

  /** What the first rule that matches says of a target; `ask` if none does. @throws {NotFoundError} */
  checkPermission(permission: string, target: string, options?: PermissionContext): PermissionDecision;

  /** A rule by its id; null if there is none. */
  permissionRule(ruleId: string): PermissionRule | null;

  /** Rules in the order in which they count: those that hold in a session or project, or all. @throws {NotFoundError} */
  permissionRules(options?: PermissionRulesOptions): PermissionRule[];

  /**
   * Keeps something to be reminded of.
   *
   * @returns its id
   * @throws {NotFoundError}
   */
  addReminder(content: string, due: Time, options?: NewReminderOptions): string;

  /** A reminder is done, or due at its next time after now. @throws {NotFoundError | StateError} */
  completeReminder(reminderId: string): void;

  /** Gives a reminder up. @throws {NotFoundError | StateError} */
  cancelReminder(reminderId: string): void;

  /** What is due now, or at a time, the earliest first. @throws {NotFoundError} */
  dueReminders(at?: Time | null, options?: { projectId?: string; sessionId?: string; limit?: number }): Reminder[];

  /** A reminder by its id; null if there is none. */
  reminder(reminderId: string): Reminder | null;

  /** Reminders by the time at which they are due. @throws {NotFoundError} */
  reminders(options?: RemindersOptions): Reminder[];

  /**
   * Keeps a job with one schedule: every so many seconds, by five fields of cron in UTC, or once. Nothing runs by itself: ask for `dueJobs`.
   *
   * @returns its id
   * @throws {InvalidArgumentError} for none, several, or one that never comes
   * @throws {NotFoundError}
   */
  addJob(name: string, options: NewJob): string;

  /** Counts a run: the job is due at its next time, or completed. @throws {NotFoundError | StateError} */
  jobDone(jobId: string, options?: { error?: string | Error }): void;

  /** A job is not due until it is resumed. @throws {NotFoundError | StateError} */
  pauseJob(jobId: string): void;

  /** A paused job goes on; what it missed is left out, but for one that runs once. @throws {NotFoundError | StateError} */
  resumeJob(jobId: string): void;

  /** Takes a job away. @throws {NotFoundError} */
  removeJob(jobId: string): void;

  /** The active jobs that are due now, or at a time, the earliest first. */
  dueJobs(at?: Time | null, limit?: number): Job[];

  /** A job by its id; null if there is none. */
  job(jobId: string): Job | null;

  /** Jobs, the oldest first. @throws {NotFoundError} */
  jobs(options?: JobsOptions): Job[];

  /**
   * Notes that a session starts an agent of a type; it is running, one deeper than its session.
   *
   * @returns the id of the run
   * @throws {NotFoundError}
   * @throws {StateError} when the session has ended
   */
  startSubagent(
    parentSession: string,
    agentType: string,
    options?: { childSession?: string; spawnDepth?: number },
  ): string;

  /** Notes what came of a run: it is completed, or in error when `error` is given. @throws {NotFoundError | StateError} */
  finishSubagent(runId: string, options?: { result?: string; error?: string | Error }): void;

  /** A run by its id; null if there is none. */
  subagent(runId: string): SubagentRun | null;

  /** The runs that a session started, the oldest first. @throws {NotFoundError} */
  subagents(parentSession: string, options?: { status?: SubagentStatus }): SubagentRun[];

  /** Makes an agent known; of one that is, changes what is given. @throws {NotFoundError} */
  registerAgent(agentId: string, name?: string | null, options?: AgentOptions): void;

  /** The agents that are known, the oldest first. */
  agents(): Agent[];

  /**
   * Puts a message into an agent's mailbox.
   *
   * @param payload - any JSON value
   * @returns its id
   * @throws {NotFoundError}
   */
  sendMessage(
    fromAgent: string,
    toAgent: string,
    messageType: string,
    payload?: unknown,
    options?: NewMessageOptions,
  ): string;

  /** Takes the oldest pending message from a mailbox, each once; null if there is none. */
  claimMessage(agentId: string, options?: { messageType?: string }): Message | null;

  /** A message that the agent claimed is done. @throws {NotFoundError | StateError} */
  completeMessage(messageId: string, agentId: string): void;

  /** A message that the agent claimed is pending again. @throws {NotFoundError | StateError} */
  releaseMessage(messageId: string, agentId: string): void;

  /** A message by its id; null if there is none. */
  message(messageId: string): Message | null;

  /** The messages of a mailbox, the newest first. */
  messages(agentId: string, options?: MessagesOptions): Message[];

  /** The messages behind an agent's cursor, the oldest first. */
  newMessages(agentId: string, limit?: number): Message[];

  /** How many messages are behind an agent's cursor. */
  unreadCount(agentId: string): number;

  /** Moves an agent's cursor to a message, never back. @throws {NotFoundError} */
  advanceMailbox(agentId: string, messageId: string): void;

  /**
   * Notes what was done to a file, and how the session knows it now.
   *
   * @returns the id of the operation
   * @throws {NotFoundError}
   */
  recordFileOperation(
    sessionId: string,
    filePath: string,
    operation: FileOperationKind,
    options?: NewFileOperationOptions,
  ): string;

  /** What was done to files, the newest first. @throws {NotFoundError} */
  fileOperations(options?: FileOperationsOptions): FileOperation[];

  /** The files that a session knows, by relevance and path. @throws {NotFoundError} */
  workspaceFiles(sessionId: string, options?: WorkspaceFilesOptions): WorkspaceFile[];

  /** Says something of a file of a session; what is not named stays, and null empties a field. @throws {NotFoundError} */
  setWorkspaceFile(sessionId: string, filePath: string, changes: WorkspaceFileChanges): void;

  /**
   * Reserves a file for an agent; asking again renews it.
   *
   * @returns the id of the reservation
   * @throws {StateError} when another agent holds it; the message says who
   * @throws {NotFoundError}
   */
  reserveFile(filePath: string, agentId: string, options?: ReservationOptions): string;

  /** Gives a file free. @throws {NotFoundError} when the reservation is gone, or lapsed and was taken over */
  releaseFile(reservationId: string): void;

  /** The reservations that hold now, the oldest first. */
  fileReservations(options?: { filePath?: string; agentId?: string; projectId?: string }): FileReservation[];

  /**
   * Adds a program, without files yet.
   *
   * @returns its id
   */
  addCodeSource(rootPath: string, options?: NewCodeSourceOptions): string;

  /** Changes what is said of a program; what is not named stays, and null empties a field. @throws {NotFoundError} */
  updateCodeSource(sourceId: string, changes: CodeSourceChanges): void;

  /** Takes a program away, with all that is in it. @throws {NotFoundError} */
  removeCodeSource(sourceId: string): void;

  /** The programs of a project, or all, the newest first. */
  codeSources(options?: { projectId?: string; limit?: number }): CodeSource[];

  /**
   * Says what is in a file, in place of what was in it. What stays the same keeps its id.
   *
   * @returns the id of the file
   * @throws {NotFoundError} when an edge names a node that is not there
   * @throws {InvalidArgumentError} the message says which node or edge
   */
  putCodeFile(sourceId: string, path: string, options?: NewCodeFileOptions): string;

  /** Takes a file out of a program. @throws {NotFoundError} */
  removeCodeFile(sourceId: string, path: string): void;

  /** The files of a program by path. @throws {NotFoundError} */
  codeFiles(sourceId: string, options?: FactsOptions): CodeFile[];

  /** What is in a file, by line. @throws {NotFoundError} */
  codeNodes(sourceId: string, path: string): CodeNode[];

  /** A node by its id; null if there is none. */
  codeNode(nodeId: string): CodeNode | null;

  /** Nodes by their name or qualified name. @throws {NotFoundError} */
  findCode(name: string, options?: FindCodeOptions): CodeNode[];

  /** What calls a node, the nearest first, each once. @throws {NotFoundError} */
  callers(nodeId: string, options?: CodeWalkOptions): CodeStep[];

  /** What a node calls, the nearest first, each once. @throws {NotFoundError} */
  callees(nodeId: string, options?: CodeWalkOptions): CodeStep[];

  /**
   * The nodes of files with the most edges.
   *
   * @param limit - at most so many; 20 if not given
   * @throws {NotFoundError}
   */
  codeHubs(sourceId: string, limit?: number): CodeHub[];

  /**
   * Adds a bundle of concepts.
   *
   * @returns its id
   */
  addBundle(name: string, options?: NewBundleOptions): string;

  /** The bundles of a project, or all, the newest first. */
  bundles(options?: { projectId?: string; limit?: number }): Bundle[];

  /** Takes a bundle away, with its concepts. @throws {NotFoundError} */
  removeBundle(bundleId: string): void;

  /**
   * Adds a concept to a bundle.
   *
   * @returns its id
   * @throws {NotFoundError}
   */
  addConcept(bundleId: string, title: string, options?: NewConceptOptions): string;

  /** Changes a concept; what is not named stays, and null empties a field. @throws {NotFoundError} */
  updateConcept(conceptId: string, changes: ConceptChanges): void;

  /** Takes a concept away, with its relations. @throws {NotFoundError} */
  removeConcept(conceptId: string): void;

  /** Relates two concepts; once more changes the weight, 1 if not given. @throws {NotFoundError} */
  linkConcepts(fromConcept: string, toConcept: string, relation: string, weight?: number): void;

  /** Takes a relation away. @throws {NotFoundError} */
  unlinkConcepts(fromConcept: string, toConcept: string, relation: string): void;

  /** A concept by its id; null if there is none. */
  concept(conceptId: string): Concept | null;

  /** The concepts of a bundle, the oldest first. @throws {NotFoundError} */
  concepts(bundleId: string, options?: ConceptsOptions): Concept[];

  /** What a concept is related to, the nearest first, each once. @throws {NotFoundError} */
  relatedConcepts(conceptId: string, options?: RelatedConceptsOptions): RelatedConcept[];

  /**
   * Writes an event at the end of the log.
   *
   * @param data - any JSON value
   * @returns its number
   * @throws {NotFoundError}
   */
  logEvent(eventType: string, data?: unknown, options?: NewEventOptions): number;

  /** What was logged, the oldest first. @throws {NotFoundError} */
  events(options?: EventsOptions): Event[];

  /**
   * Notes a state of a session's files.
   *
   * @returns its id
   * @throws {NotFoundError}
   */
  recordSnapshot(sessionId: string, treeHash: string, type: string, options?: NewSnapshotOptions): string;

  /** The states of a session's files, the newest first. @throws {NotFoundError} */
  snapshots(sessionId: string, options?: { type?: string; limit?: number }): Snapshot[];

  /**
   * Notes where a state of a project lies.
   *
   * @returns its id
   */
  addStateSnapshot(type: string, location: string, options?: NewStateSnapshotOptions): string;

  /** States of a project, or all, the newest first. */
  stateSnapshots(options?: StateSnapshotsOptions): StateSnapshot[];

  /**
   * Notes where code runs.
   *
   * @returns its id
   * @throws {NotFoundError}
   */
  addEnvironment(type: string, options?: NewEnvironmentOptions): string;

  /** Changes an environment; what is not named stays, and null empties a field. @throws {NotFoundError} */
  updateEnvironment(environmentId: string, changes: EnvironmentChanges): void;

  /** Where code runs, the newest first. @throws {NotFoundError} */
  environments(options?: EnvironmentsOptions): Environment[];

  /**
   * Notes where sessions work.
   *
   * @returns its id
   */
  addWorkspace(projectId: string, type: string, options?: NewWorkspaceOptions): string;

  /** Where sessions work, the newest first. */
  workspaces(options?: { projectId?: string; limit?: number }): Workspace[];

  /** The memory branches, the oldest first. */
  memoryBranches(): MemoryBranch[];

  /**
   * Makes a memory branch of what is known on the one in use; `useMemory` goes there.
   *
   * @throws {ZengramError} when there is one of this name (`BRANCH`)
   * @throws {TransactionError} in a batch
   */
  forkMemory(name: string): void;

  /**
   * Lets all further calls read and write a memory branch; null is main.
   *
   * @throws {ZengramError} when there is no such branch (`BRANCH`)
   * @throws {TransactionError} in a batch
   */
  useMemory(name: string | null): void;

  /**
   * Gives a memory branch up, with all that only it knows.
   *
   * @throws {StateError} when it is in use
   * @throws {ZengramError} when there is no such branch, or it is main (`BRANCH`)
   * @throws {TransactionError} in a batch
   */
  discardMemory(name: string): void;

  /**
   * What a memory branch changed since it and the one in use (or another one) parted, or last met.
   *
   * @throws {ZengramError} when there is no such branch (`BRANCH`)
   */
  diffMemory(name: string, options?: { against?: string }): MemoryDiff;

  /**
   * Brings what a memory branch changed into the one in use: all of it, or nothing. The other one stays as it is.
   *
   * @throws {ZengramError} when there is no such branch (`BRANCH`)
   * @throws {TransactionError} in a batch
   */
  mergeMemory(name: string, options?: MergeOptions): MemoryMerge;

  /** Sets how much the sessions of a scope may take, in place of what was set; `"/"` is all sessions. */
  configureBudget(scope: string, options?: BudgetOptions): StorageBudget;

  /** The budget of a scope; null if it has none. */
  storageBudget(scope: string): StorageBudget | null;

  /**
   * Prunes the oldest sessions of a scope until it is within its budget. Facts stay, without the link to where they were said.
   *
   * @returns what was pruned; null if the scope has no budget, or is within it
   */
  enforceBudget(scope: string): BudgetReport | null;

  /** Deletes a session, with all that belongs to it alone; facts that were said in it stay, without the link. @throws {NotFoundError} */
  deleteSession(sessionId: string): void;

  /** What Python, this memory and its database use: numbers that hold steady in a page that does not leak. @throws {InvalidArgumentError} */
  stats(options?: StatsOptions): Stats;

  /** The whole memory as bytes that belong to the caller. */
  exportSnapshot(): Uint8Array;

  /**
   * Gives the memory's space back. Calling it twice is harmless. A memory that the page forgets is freed some time
   * after it was garbage-collected.
   */
  free(): void;

  /** Same as `free`, for `using`. */
  [Symbol.dispose](): void;
}

/** Where a named store stands. */
export type StoreState = "ready" | "locked" | "saving" | "error" | "closed";

/** The reasons a store gives. */
export type StorageErrorCode =
  /** The browser has no private file system, no Web Locks, or may not write on this thread. */
  | "STORAGE_UNAVAILABLE"
  /** The browser forbids storage here, for instance in a private window or a foreign frame. */
  | "STORAGE_DENIED"
  /** No space is left for this site. */
  | "STORAGE_QUOTA"
  /** What was saved cannot be read whole. */
  | "STORAGE_DAMAGED"
  /** Another tab has the store open. */
  | "STORAGE_LOCKED"
  /** `save` came before `load`. */
  | "STORAGE_NOT_LOADED"
  /** The passphrase is wrong, or missing: the store is encrypted. */
  | "STORAGE_PASSPHRASE"
  /** A later version of the library wrote what is stored; it was left as it is. */
  | "STORAGE_VERSION"
  /** `importStore` would replace what is stored; it has an option for that. */
  | "STORAGE_NOT_EMPTY"
  /** Reading or writing failed for another reason. */
  | "STORAGE_WRITE_FAILED";

/** What a store is doing; a new frozen object for every change. */
export interface StoreStatus {
  readonly backend: "opfs";
  readonly state: StoreState;
  /** When the saved data were saved, milliseconds since 1970; null when nothing is saved or not known yet. */
  readonly lastSaved: number | null;
  /** Size of the saved data. */
  readonly bytes: number | null;
  /** Why the state is `error` or `locked`. */
  readonly error: { readonly name: string; readonly code: StorageErrorCode; readonly message: string } | null;
}

/** Damaged data that was kept. */
export interface SetAsideCopy {
  /** Name to read it by. */
  readonly file: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly setAsideAt: number;
  readonly reason: string;
}

/** Options of `openStore`. */
export interface StoreOptions {
  /** Called with every new status. */
  onStatus?: (status: StoreStatus) => void;
}

/**
 * Bytes under a name in the browser's private file system. One tab at a time may save; others may read.
 * docs/persistence.md says what is promised.
 */
export interface Store {
  readonly name: string;
  readonly status: StoreStatus;
  /**
   * Reads what was saved last, or null. A locked store can be read too.
   *
   * @throws {StorageError} (as rejection) `STORAGE_DAMAGED` when the saved data are incomplete: call `setAside`.
   */
  load(): Promise<Uint8Array | null>;
  /**
   * Replaces what is saved. While one save runs, further ones wait and only the last of them is written; every
   * promise resolves once its bytes or newer ones are saved. Do not change the bytes before that.
   *
   * @throws {StorageError} (as rejection)
   */
  save(bytes: Uint8Array): Promise<void>;
  /**
   * Keeps what is saved under another name, so that `save` may start anew.
   *
   * @param reason - recorded with the copy
   * @returns the copy's name, or null when nothing was saved
   */
  setAside(reason: string): Promise<string | null>;
  /** What `setAside` has kept, oldest first. */
  listSetAside(): Promise<SetAsideCopy[]>;
  /** Reads a copy that `setAside` has kept. */
  readSetAside(file: string): Promise<Uint8Array>;
  /** Tries again to get a store that is locked or in error; call `load` afterwards, for another tab may have saved. */
  retry(): Promise<StoreStatus>;
  /** Waits for a running save and lets other tabs have the store. */
  close(): Promise<void>;
}

/**
 * Opens a named store. Storage that is denied, unavailable or locked is no exception: the status says so.
 *
 * @throws {InvalidArgumentError} (as rejection) for a name that is not a string of 1 to 100 characters, and for options
 * of the wrong kind
 */
export declare function openStore(name: string, options?: StoreOptions): Promise<Store>;

/** What is stored, where, and how far; a new frozen object for every change. */
export interface PersistenceStatus {
  /** Where it is stored: `memory` is nowhere, null is not known yet (opening failed). */
  readonly backend: "opfs" | "indexeddb" | "memory" | null;
  /** Whether what is stored outlives the page. */
  readonly durable: boolean;
  /** `locked`: another page has the store, and this one only reads. `error` says what is the matter; it is tried again. */
  readonly state: "ready" | "saving" | "error" | "locked" | "closed";
  /** When something was stored last, milliseconds since 1970. */
  readonly lastSaved: number | null;
  /** Bytes of commits that are not stored yet. */
  readonly pendingBytes: number;
  readonly error: { readonly name: string; readonly code: StorageErrorCode; readonly message: string } | null;
  /** The browser's answer to `navigator.storage.persist()`; null while there is none. */
  readonly persisted: boolean | null;
  readonly encrypted: boolean;
  /** What opening found; null when opening failed. */
  readonly recovery: Recovery | null;
}

/** What opening a store found. */
export interface Recovery {
  /** Whether everything that was stored is there. */
  readonly lossless: boolean;
  /** Commits and other records that were read from the log. */
  readonly replayed: number;
  /** Those that the page before had kept when it was hidden or closed. */
  readonly fromTail: number;
  /** Bytes of a record that the page before did not write to its end: it was not reported as stored. */
  readonly cutBytes: number;
  /** Files that could not be read, and why. */
  readonly damaged: readonly { readonly file: string; readonly reason: string }[];
}

/** How a memory or a database is stored. */
export interface PersistOptions {
  /**
   * `log` (the default): each commit is stored within some milliseconds. `snapshot`: everything is stored anew at most every `throttleMs`
   * milliseconds (60,000), and the commits since when the page is hidden.
   */
  mode?: "log" | "snapshot";
  throttleMs?: number;
  /** The length of the log at which it is folded into a snapshot (1 MiB; an eighth of the snapshot at least). */
  foldBytes?: number;
  /** Where; the first that there is of `opfs`, `indexeddb` and `memory` if not given. */
  backend?: "opfs" | "indexeddb" | "memory";
  /** Encrypts what is stored (AES-GCM with a key derived from it). What is lost with it is lost. */
  passphrase?: string;
  /** Goes on with what can be read of damaged data; the damaged files are kept. */
  recover?: boolean;
  /** When another page has the store: reject with `STORAGE_LOCKED` (the default), or read it; every write throws then. */
  whenLocked?: "reject" | "read";
  /** Whether the browser is asked to keep the storage when the disk gets full (true). */
  askToStay?: boolean;
  /** Called with every new status, also when opening fails. */
  onStatus?: (status: PersistenceStatus) => void;
}

/** Options of `openMemory`; those of `init` are among them. */
export interface OpenMemoryOptions extends OpenDbOptions {
  /** Number of dimensions of its vectors. */
  dim: number;
}

/** Options of `openDb`; those of `init` are among them. */
export interface OpenDbOptions extends InitOptions {
  /** 1 to 100 characters; a memory and a database of one name are the same store. */
  name: string;
  /** false stores nothing. */
  persist?: boolean | PersistOptions;
}

/**
 * What stores an open memory or database. It dispatches `status` events whose `detail` is the new status.
 * docs/persistence.md says what is promised.
 */
export interface Persistence extends EventTarget {
  readonly name: string;
  readonly status: PersistenceStatus;
  readonly backend: PersistenceStatus["backend"];
  readonly durable: boolean;
  readonly lastSaved: number | null;
  readonly pendingBytes: number;
  readonly error: PersistenceStatus["error"];
  /** Resolves when everything that was committed so far is stored. @throws {StorageError} (as rejection) */
  flush(): Promise<void>;
  /** Writes a snapshot and removes the log before it, now; it happens by itself when the log is long. @throws {StorageError} (as rejection) */
  fold(): Promise<void>;
  /** A snapshot of now as a file, for `importStore` or `openFromSnapshot`; it is not encrypted. */
  exportFile(): Promise<Blob>;
  /** Damaged files that were kept, oldest first. */
  listSetAside(): Promise<SetAsideCopy[]>;
  /** The bytes of one of them. */
  readSetAside(file: string): Promise<Uint8Array>;
  /**
   * Stores what is not stored yet and lets other pages have the store; writes are refused from then on (`STORE_CLOSED`). Freeing the memory
   * does the same without waiting.
   *
   * @throws {StorageError} (as rejection) when the last commits could not be stored
   */
  close(): Promise<void>;
}

/**
 * Boots Python if need be, restores the memory of a name, and stores every commit from then on.
 *
 * @throws {StorageError} (as rejection) when what is stored cannot be read, storage is denied or another page has it; never is a memory that is
 * there replaced by an empty one
 * @throws {DimensionError} (as rejection) when the stored memory has another number of dimensions
 * @throws {BootError} (as rejection)
 */
export declare function openMemory(options: OpenMemoryOptions): Promise<ZengramMemory>;

/** The same for a database; `ZengramMemory.overEngine` gives a memory over it. */
export declare function openDb(options: OpenDbOptions): Promise<ZetaDb>;

/**
 * Stores a snapshot under a name, for `openMemory` and `openDb`.
 *
 * @param data - what `exportFile` or `exportSnapshot` gave
 * @throws {NotInitializedError} (as rejection) before `init` has ended
 * @throws {SnapshotError} (as rejection) when it is damaged or no snapshot
 * @throws {StorageError} (as rejection) `STORAGE_NOT_EMPTY` when something is stored there and `replace` is not true
 */
export declare function importStore(
  name: string,
  data: Blob | Uint8Array,
  options?: { replace?: boolean; passphrase?: string; backend?: "opfs" | "indexeddb" },
): Promise<void>;

/** Removes what is stored under a name. @throws {StorageError} (as rejection) `STORAGE_LOCKED` while it is open */
export declare function deleteStore(name: string): Promise<void>;

/** Statements in SQL, PostgreSQL's dialect: docs/sql.md says what there is. Every call throws {@link SqlError} when a statement is refused. */
interface Statements {
  /** Runs any one statement and returns its rows; one that gives none gives no columns and no rows. */
  query(sql: string, params?: readonly SqlParameter[]): QueryResult;
  /** Runs an INSERT, UPDATE, DELETE or MERGE that returns no rows; returns how many rows it changed. */
  execMut(sql: string, params?: readonly SqlParameter[]): number;
  /** Runs a statement that returns no rows. */
  execDdl(sql: string, params?: readonly SqlParameter[]): void;
  /** Runs a query whose rows are fetched a few at a time. */
  stream(sql: string, params?: readonly SqlParameter[]): ZetaCursor;
  /** What Python and the database use: numbers that hold steady in a page that does not leak. */
  stats(options?: StatsOptions): Stats;
  /** Lets go of it. Forgotten ones are freed some time later. */
  free(): void;
  /** Frees it at the end of a `using` block. */
  [Symbol.dispose](): void;
}

/** A database. Each statement is a transaction of its own, unless `BEGIN` opened one. */
export declare class ZetaDb implements Statements {
  private constructor();
  /** What stores it (`openDb`); null for a database that is not stored. */
  readonly persistence: Persistence | null;
  /** Opens an empty database. */
  static open(): ZetaDb;
  /** Opens what `exportSnapshot` gave, of a database or of a memory. @throws {SnapshotError} */
  static openFromSnapshot(bytes: Uint8Array): ZetaDb;
  /** Runs any one statement and returns its rows; one that gives none gives no columns and no rows. @throws {SqlError} */
  query(sql: string, params?: readonly SqlParameter[]): QueryResult;
  /** Runs an INSERT, UPDATE, DELETE or MERGE that returns no rows; returns how many rows it changed. @throws {SqlError} */
  execMut(sql: string, params?: readonly SqlParameter[]): number;
  /** Runs a statement that returns no rows. @throws {SqlError} */
  execDdl(sql: string, params?: readonly SqlParameter[]): void;
  /** Runs a query whose rows are fetched a few at a time. @throws {SqlError} */
  stream(sql: string, params?: readonly SqlParameter[]): ZetaCursor;
  /** Begins a transaction. Several may be open at once; the first to commit a change of a row wins. */
  begin(): ZetaTxn;
  /** The whole database as bytes. */
  exportSnapshot(): Uint8Array;
  /** The databases in it, and the one in which names without a database are looked for. */
  databases(): string[];
  /** The name of the database in which names without one are looked for. */
  database(): string;
  /** null is the first one. */
  setDatabase(name: string | null): void;
  /** The branch that statements read and write. */
  branch(): string;
  /** null is `main`. */
  setBranch(name: string | null): void;
  /** The tables of that database: their columns, keys and indexes. */
  schema(): Schema;
  /** Sets what `embed(text)` calls in SQL: a synchronous function that returns `dims` numbers. */
  setEmbedFn(fn: (text: string) => Vector, dims: number): void;
  /**
   * Works on what writes have left to do for about `budgetMs` milliseconds; returns whether there is more. It runs by itself when the page is
   * idle.
   */
  maintain(budgetMs?: number): boolean;
  /** What Python and the database use: numbers that hold steady in a page that does not leak. @throws {InvalidArgumentError} */
  stats(options?: StatsOptions): Stats;
  /** Lets go of it; every later call throws `ClosedError`. Forgotten ones are freed some time later. */
  free(): void;
  /** Frees it at the end of a `using` block. */
  [Symbol.dispose](): void;
}

/** A transaction, made by `begin`. Freeing one that is open rolls it back; after `commit` or `rollback` every call throws. */
export declare class ZetaTxn implements Statements {
  private constructor();
  /** Runs any one statement and returns its rows; one that gives none gives no columns and no rows. @throws {SqlError} */
  query(sql: string, params?: readonly SqlParameter[]): QueryResult;
  /** Runs an INSERT, UPDATE, DELETE or MERGE that returns no rows; returns how many rows it changed. @throws {SqlError} */
  execMut(sql: string, params?: readonly SqlParameter[]): number;
  /** Runs a statement that returns no rows. @throws {SqlError} */
  execDdl(sql: string, params?: readonly SqlParameter[]): void;
  /** Runs a query whose rows are fetched a few at a time. @throws {SqlError} */
  stream(sql: string, params?: readonly SqlParameter[]): ZetaCursor;
  /** @throws {SqlError} `40001` when another transaction changed the same rows first; it is rolled back then. */
  commit(): void;
  /** Undoes all that the transaction did, and ends it. */
  rollback(): void;
  /** Marks this point of the transaction, to come back to. */
  savepoint(name: string): void;
  /** Undoes what was done since the savepoint, which stays. @throws {SqlError} `3B001` when there is none of the name. */
  rollbackToSavepoint(name: string): void;
  /** Forgets a savepoint and those after it; what was done stays. @throws {SqlError} `3B001` when there is none of the name. */
  releaseSavepoint(name: string): void;
  /** What Python and the transaction's database use, also after `commit` and `rollback`. @throws {InvalidArgumentError} */
  stats(options?: StatsOptions): Stats;
  /** Lets go of it; every later call throws `ClosedError`. Forgotten ones are freed some time later. */
  free(): void;
  /** Frees it at the end of a `using` block. */
  [Symbol.dispose](): void;
}

/** The rows of a query, fetched as they are asked for; it reads one state from the first row to the last. */
export declare class ZetaCursor {
  private constructor();
  /** The names of the columns, in their order. */
  columns(): string[];
  /** The next row; null at the end. */
  next(): Row | null;
  /** The rows that are left, for `for (const row of cursor)`; frees the cursor at the end of the loop, however it ends. */
  [Symbol.iterator](): Generator<Row, void, void>;
  /** What Python and the cursor's database use. @throws {InvalidArgumentError} */
  stats(options?: StatsOptions): Stats;
  /** Lets go of it; every later call throws `ClosedError`. Forgotten ones are freed some time later. */
  free(): void;
  /** Frees it at the end of a `using` block. */
  [Symbol.dispose](): void;
}

/** The base of every error of this library. */
export declare class ZengramError extends Error {
  constructor(message: string, details?: { code?: string; cause?: unknown });
  /** A stable, machine-readable reason. */
  code: string;
}
/** An argument has the wrong type or value: `INVALID_ARGUMENT`. */
export declare class InvalidArgumentError extends ZengramError {}
/** The number of dimensions is not a positive integer, or another than the memory's: `INVALID_DIMENSION`. */
export declare class DimensionError extends ZengramError {}
/** A vector has another length than the memory's dimensions: `VECTOR_LENGTH`. */
export declare class VectorLengthError extends ZengramError {}
/** A vector of zeros has no direction: `VECTOR_ZERO`. */
export declare class VectorZeroError extends ZengramError {}
/** A vector holds NaN or an infinity: `VECTOR_NOT_FINITE`. */
export declare class VectorNotFiniteError extends ZengramError {}
/** A vector is none of Float32Array, Float64Array and array of numbers, or cannot be read: `VECTOR_TYPE`. */
export declare class VectorTypeError extends ZengramError {}
/** The embedding function is missing, failed or returned a Promise: `EMBEDDER_MISSING`, `_FAILED`, `_ASYNC`. */
export declare class EmbedderError extends ZengramError {}
/** Bytes are no whole snapshot, or one of other dimensions: `SNAPSHOT_DAMAGED`, `SNAPSHOT_DIMENSION`. */
export declare class SnapshotError extends ZengramError {}
/** An id that names nothing here: `NOT_FOUND`. */
export declare class NotFoundError extends ZengramError {}
/** What an id names is in a state that does not allow the call: `INVALID_STATE`; the message names the state. */
export declare class StateError extends ZengramError {}
/** A database's tables cannot become those of a memory: `MIGRATION_CLASH`, `MIGRATION_UNKNOWN`, `MIGRATION_CHECKSUM`. */
export declare class MigrationError extends ZengramError {}
/** A call that cannot be part of a batch, or a batch that cannot go on: `TRANSACTION_STATE`, `TRANSACTION_TIMEOUT`. */
export declare class TransactionError extends ZengramError {}
/** Something else changed the same rows first: `CONFLICT`, `SERIALIZATION`. Nothing was stored, and the same call may succeed now. */
export declare class ConflictError extends ZengramError {}
/** A change would break a constraint that was put on the tables: `NOT_NULL`, `CHECK`, `FOREIGN_KEY`, `UNIQUE`, `PRIMARY_KEY`. */
export declare class ConstraintError extends ZengramError {}
/** A statement was refused, before or while it ran; nothing of it took effect. `code` is PostgreSQL's name of the condition. */
export declare class SqlError extends ZengramError {
  /** PostgreSQL's five characters for the condition, such as `42P01`. */
  sqlstate: string;
  /** Where in the statement, counted in characters from 1. */
  position: number | null;
  detail: string;
  hint: string;
}
/** The object was freed or the store closed: `CLOSED`. */
export declare class ClosedError extends ZengramError {}
/** `init` has not ended: `NOT_INITIALIZED`. */
export declare class NotInitializedError extends ZengramError {}
/** A function that a memory or a database was given called the one that waits for it: `BUSY`. */
export declare class BusyError extends ZengramError {}
/** The Python runtime did not start: `BOOT_FAILED`; `cause` says why. */
export declare class BootError extends ZengramError {}
/** The browser's storage refused, or holds damaged data: see {@link StorageErrorCode}. */
export declare class StorageError extends ZengramError {}
