// What a page's TypeScript may and may not write. It is type-checked, never run.
import init, {
  BootError,
  type ContextWindow,
  type Fact,
  type Hit,
  type InitProgress,
  type RecallConfig,
  type SessionTotals,
  type Store,
  type StoreStatus,
  type Task,
  type ToolCall,
  type Turn,
  type Vector,
  NotFoundError,
  StateError,
  StorageError,
  ZengramError,
  ZengramMemory,
  init as named,
  openStore,
  versions,
} from "../../src/zengram.js";

export async function page(embed: (text: string) => Float32Array): Promise<Hit[]> {
  await init();
  await named({
    indexURL: new URL("https://example.org/pyodide/"),
    lockFileURL: "/lock.json",
    packageBaseUrl: "/wheels/",
    snapshot: false,
    onProgress: ({ phase, fraction, loadedBytes, totalBytes, message }: InitProgress) => {
      const known: "runtime" | "restore" | "packages" | "imports" | "ready" = phase;
      console.log(known, fraction.toFixed(2), loadedBytes / totalBytes, message.length);
    },
  }).catch((error: unknown) => {
    if (error instanceof BootError) console.log(error.code, error.cause);
  });
  using memory: ZengramMemory = ZengramMemory.open(384);
  memory.setEmbedFn(embed, 384);
  memory.setEmbedFn((text) => [text.length], 384);
  const id: string = memory.remember("subject", "content", "/");
  const vectors: Vector[] = [[1, 2], [1, 2] as const, new Float32Array(2), new Float64Array(2).subarray(1)];
  for (const vector of vectors) memory.rememberWithVector("subject", "content", "/", vector);
  const facts: Fact[] = memory.facts("/", { limit: 1, offset: 0 });
  console.log(id, facts[0].timeCreated + 1, versions().numpy);
  memory.remember("subject", "content", "/", { tags: ["a"], validFrom: new Date(), validTo: "2030-01-01", expires: 1 });
  memory.recall("query", "/", { mmr: true, tags: "a", status: ["active"], asOf: 5, preset: "rrf", maxTokens: 100 });
  // @ts-expect-error: no such formula
  memory.recall("query", "/", { preset: "best" });
  const config: RecallConfig = memory.configureRecall("/", { ...memory.recallConfig("/"), mmrLambda: 0.5 });
  while (memory.maintain(8)) console.log(config.preset);
  const bytes: Uint8Array = memory.exportSnapshot();
  ZengramMemory.openFromSnapshot(bytes, 384).free();
  const hits = [...memory.recall("query", "/"), ...memory.recallWithVector("query", "/", [1])];
  return hits.filter((hit) => hit.score > 0.5 && hit.similarity > 0 && hit.importance >= 0 && hit.knowledgeId !== id);
}

export function agent(memory: ZengramMemory): SessionTotals {
  const { sessionId, branchId } = memory.createSession("project", { title: "Tea", modelId: "m" });
  const turn = memory.batch(() => {
    const id: string = memory.appendTurn(sessionId, branchId, "assistant", { agent: "barista" });
    memory.addPart(id, sessionId, "text", { text: "tea", tags: ["a", null, 1], none: undefined }, 0);
    memory.completeTurn(id, 1, 2, 0.5, "stop", { tokensReasoning: 3 });
    return id;
  });
  const call = memory.recordToolCall({ turnId: turn, partId: null, sessionId, toolId: "kettle", input: { degrees: 80 } });
  memory.completeToolCall(call, { output: { hot: true }, durationMs: 30 });
  const calls: ToolCall[] = memory.queryToolCalls(sessionId, { state: "completed", limit: 5 });
  const turns: Turn[] = memory.getTurns(sessionId, branchId);
  const facts = [{ subject: "s", content: "c", categories: ["x"] }] as const;
  const ids: string[] = memory.extractWithFacts("text", "/", sessionId, turn, facts);
  memory.extractWithFactsWithVectors("text", "/", sessionId, turn, facts, [[1, 2], new Float32Array(2)]);
  memory.reflectWithInsights("/", [{ subject: "s", content: "c", sourceIds: ids }], 10);
  try {
    memory.confirm(ids[0]);
  } catch (error) {
    if (!(error instanceof NotFoundError || error instanceof StateError)) throw error;
  }
  const session = memory.session(sessionId);
  console.log(session?.totalTokens, calls[0].output, turns[0].finishReason, memory.fact(ids[0])?.sourceType);
  return memory.sessionTotals(sessionId);
}

export function work(memory: ZengramMemory, sessionId: string, branchId: string): ContextWindow {
  memory.setTokenCounter((text) => text.length, { modelFamily: "letters" });
  memory.setTokenCounter(null);
  memory.setEntityExtractor((text) => text.split(" "));
  const task: string = memory.addTask("title", { sessionId, priority: "high", files: ["a", { path: "b", role: "test" }] });
  memory.updateTask(task, { description: null, estimatedTurns: 3 });
  const found: Task | null = memory.task(task);
  console.log(found?.dependsOn[0]?.type === "blocks", memory.checkPermission("edit", "a").action === "deny");
  memory.addJob("job", { cron: "* * * * *", payload: [1] });
  memory.dueReminders(null, { limit: 1 });
  memory.sendMessage("a", "b", "t", { any: ["JSON"] }, { expires: new Date() });
  const source = memory.addCodeSource("/");
  memory.putCodeFile(source, "a.js", { nodes: [{ kind: "function", name: "f", lineStart: 1 }], edges: [{ from: "f", to: "g" }] } as const);
  memory.callers("id", { kind: null });
  memory.useMemory(null);
  const merge = memory.mergeMemory("idea", { strategy: "newest", dryRun: true });
  console.log(merge.conflicts[0].ours?.status, memory.enforceBudget("/")?.bytesFreed, memory.events({ severity: "error" })[0].data);
  return memory.assembleContext(sessionId, branchId, 1000, { vec: [1, 2], explain: true });
}

export async function stored(bytes: Uint8Array): Promise<number | null> {
  const store: Store = await openStore("name", { onStatus: (status: StoreStatus) => console.log(status.state) });
  const loaded: Uint8Array | null = await store.load();
  if (loaded === null) await store.save(bytes);
  try {
    await store.setAside("reason");
  } catch (error) {
    if (error instanceof StorageError && error.code === "STORAGE_QUOTA") console.log(error.message);
    if (!(error instanceof ZengramError)) throw error;
  }
  for (const copy of await store.listSetAside()) console.log((await store.readSetAside(copy.file)).length, copy.reason);
  const { state } = await store.retry();
  if (state === "locked") console.log(store.status.error?.code);
  await store.close();
  return store.status.lastSaved;
}

export function mistakes(memory: ZengramMemory, store: Store): void {
  // @ts-expect-error the constructor is private
  new ZengramMemory(3);
  // @ts-expect-error an embedding function is synchronous
  memory.setEmbedFn(async () => [1], 3);
  // @ts-expect-error strings are no vectors
  memory.rememberWithVector("s", "c", "/", ["1"]);
  // @ts-expect-error nor are other typed arrays
  memory.recallWithVector("q", "/", new Int8Array(3));
  // @ts-expect-error a scope is needed
  memory.recall("q");
  // @ts-expect-error results are synchronous
  memory.facts("/").then();
  // @ts-expect-error snapshots are bytes
  ZengramMemory.openFromSnapshot("text", 3);
  // @ts-expect-error no such role
  memory.appendTurn("ses", "brn", "system");
  // @ts-expect-error a session may be missing
  memory.session("ses").title;
  // @ts-expect-error no such state
  memory.queryToolCalls("ses", { state: "done" });
  // @ts-expect-error a token counter is synchronous
  memory.setTokenCounter(async () => 1);
  // @ts-expect-error a title cannot be emptied
  memory.updateTask("tsk", { title: null });
  // @ts-expect-error no such strategy
  memory.mergeMemory("idea", { strategy: "best" });
  // @ts-expect-error a budget is needed
  memory.assembleContext("ses", "brn");
  // @ts-expect-error the status is read-only
  store.status.state = "ready";
}
