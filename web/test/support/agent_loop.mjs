/**
 * An agent's whole loop through the public calls, as named checks: a Node test and a page run the same ones.
 *
 *     agentLoop(ZengramMemory, ZetaDb, (name, holds) => …);
 */
import { DIM, embed } from "./toy.mjs";

/** @typedef {import("../../src/zengram.js").ZengramMemory} Memory */
/** @typedef {(name: string, holds: boolean) => void} Check */
/** @typedef {typeof import("../../src/zengram.js").ZengramMemory} MemoryClass */
/** @typedef {typeof import("../../src/zengram.js").ZetaDb} ZetaDbClass */

/**
 * @param {MemoryClass} ZengramMemory
 * @param {ZetaDbClass} ZetaDb
 * @param {Check} check
 */
export function agentLoop(ZengramMemory, ZetaDb, check) {
  memoryChecks(ZengramMemory, ZetaDb, check);
  sessionChecks(ZengramMemory, check);
  contextChecks(ZengramMemory, check);
}

/** @param {MemoryClass} ZengramMemory */
function openToy(ZengramMemory) {
  const memory = ZengramMemory.open(DIM);
  memory.setEmbedFn(embed, DIM);
  return memory;
}

/** The code of what a call throws; "" if it throws nothing. @param {() => unknown} call */
function codeOf(call) {
  try {
    call();
  } catch (error) {
    return /** @type {{code?: string}} */ (error).code ?? String(error);
  }
  return "";
}

/** @param {object} value @param {string} names */
function hasFields(value, names) {
  return names.split(" ").every((name) => Object.hasOwn(value, name));
}

/** @param {unknown} one @param {unknown} other */
function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Lets the clock move on: it may stand still for a millisecond. */
function waitABit() {
  const until = Date.now() + 5;
  while (Date.now() < until);
}

/** @param {MemoryClass} ZengramMemory @param {ZetaDbClass} ZetaDb @param {Check} check */
function memoryChecks(ZengramMemory, ZetaDb, check) {
  const memory = openToy(ZengramMemory);
  const fact = (/** @type {string} */ id) => /** @type {import("../../src/zengram.js").Fact} */ (memory.fact(id));

  const tea = memory.remember("drink", "user drinks green tea", "/user");
  const car = memory.remember("car", "user drives a red Toyota", "/user");
  memory.remember("drink", "team drinks coffee", "/team");
  check("remember gives an id", typeof tea === "string" && tea.startsWith("knw_") && tea !== car);
  check("remember stores an active fact", fact(tea).status === "active" && fact(tea).content === "user drinks green tea");
  const hits = memory.recall("green tea", "/user");
  check("recall finds the fact that shares words first", hits[0]?.knowledgeId === tea);
  check("a hit has the published fields", hasFields(hits[0], "knowledgeId subject content score importance"));
  check("recall sees only the asked scope", memory.recall("drinks", "/user").every((hit) => !hit.content.includes("coffee")));
  check("a blank question finds nothing", memory.recall(" ", "/user").length === 0);
  check("what is known is not stored twice", memory.remember("drink", "user drinks green tea", "/user") === tea);
  const white = memory.remember("drink", "user drinks white tea", "/user");
  check("another content supersedes", fact(tea).status === "superseded" && fact(tea).supersededBy === white);
  check("history shows what was known", same(memory.history("drink", "/user").map((one) => one.id), [tea, white]));
  const own = memory.rememberWithVector("pet", "user has a dog", "/user", embed("pet: user has a dog"));
  check("recallWithVector takes the caller's vector", memory.recallWithVector("dog", "/user", embed("dog"))[0]?.knowledgeId === own);

  const before = fact(car);
  memory.confirm(car);
  const confirmed = fact(car);
  check("confirm raises importance and confidence", confirmed.importance > before.importance && confirmed.confidence > before.confidence);
  check("confirm is counted", confirmed.timesConfirmed === 1);
  memory.contradict(car);
  check("contradict lowers confidence", fact(car).confidence < confirmed.confidence);
  check("contradict is counted", fact(car).timesContradicted === 1 && fact(car).importance === confirmed.importance);
  check("confirm of an unknown id is NOT_FOUND", codeOf(() => memory.confirm("knw_nothing")) === "NOT_FOUND");
  check("confirm of a superseded fact is INVALID_STATE", codeOf(() => memory.confirm(tea)) === "INVALID_STATE");

  const snapshot = memory.exportSnapshot();
  const restored = ZengramMemory.openFromSnapshot(snapshot, DIM);
  check("a snapshot is bytes", snapshot instanceof Uint8Array && snapshot.length > 0);
  check("a restored memory has the same facts", same(restored.facts("/user"), memory.facts("/user")));
  restored.setEmbedFn(embed, DIM);
  check("a restored memory recalls", restored.recall("red Toyota", "/user")[0]?.knowledgeId === car);
  restored.forget(car);
  check("a restored memory is another one", restored.fact(car)?.status === "forgotten" && fact(car).status === "active");
  restored.free();

  waitABit();
  const importance = fact(car).importance;
  check("decay charges every active fact", memory.decay(0.0001) === 4);
  const decayed = fact(car).importance;
  check("decay lowers importance", decayed < importance && decayed > 0);
  memory.decay(1e9);
  check("decay charges only the time since the last one", Math.abs(fact(car).importance - decayed) < 1e-6);

  memory.remember("ada", "Ada likes chess", "/one", { peer: "Ada", importance: 0.4 });
  const top = memory.remember("ada", "Ada is allergic to nuts", "/two", { peer: "ada", importance: 0.9 });
  memory.remember("ada", "Ada is shy", "/three", { peer: "Ada", private: true });
  const peers = memory.factsAboutPeer("ADA");
  check("facts about a peer come from every scope, most important first", peers.length === 2 && peers[0].id === top);
  check("facts about a peer have the published fields", same(Object.keys(peers[0]).sort(), ["content", "id", "importance", "scope", "subject"]));
  check("facts about a peer are limited", memory.factsAboutPeer("Ada", 1).length === 1);
  check("private facts about a peer are asked for", memory.factsAboutPeer("Ada", 20, { includePrivate: true }).length === 3);

  const rows = memory.query("select subject from knowledge where id = $1", [car]);
  check("query reads the tables", same(rows, { columns: ["subject"], rows: [{ subject: "car" }] }));
  const written = memory.query("update knowledge set importance = $1 where id = $2", [0.75, car]);
  check("query writes, and gives no rows", written.rows.length === 0 && fact(car).importance === 0.75);

  memory.purge(own);
  check("purge leaves nothing", memory.fact(own) === null && memory.recallWithVector("dog", "/user", embed("dog")).every((hit) => hit.knowledgeId !== own));
  check("ensureProject gives the project of a scope", memory.ensureProject("/project/tea") === "tea");

  const db = ZetaDb.open();
  const [one, two] = [ZengramMemory.overEngine(db, DIM), ZengramMemory.overEngine(db, DIM)];
  const shared = one.rememberWithVector("a", "b", "/", embed("a b"));
  check("memories over one database share it", two.fact(shared)?.content === "b");
  check("the database sees the memory's tables", db.query("select content from knowledge").rows[0]?.content === "b");
  for (const open of [one, two, db, memory]) open.free();
}

/** @param {MemoryClass} ZengramMemory @param {Check} check */
function sessionChecks(ZengramMemory, check) {
  const memory = openToy(ZengramMemory);
  const { sessionId, branchId } = memory.createSession("tea", { title: "Tea", agent: "barista", modelId: "m", providerId: "p" });
  check("createSession gives a session and its trunk", sessionId.startsWith("ses_") && branchId.startsWith("brn_"));
  const session = () => /** @type {import("../../src/zengram.js").Session} */ (memory.session(sessionId));
  check("a session says what it began with", session().title === "Tea" && session().agent === "barista" && session().projectId === "tea");
  check("a session is found by its project", same(memory.sessions("tea").map((one) => one.id), [sessionId]));

  const asked = memory.appendTurn(sessionId, branchId, "user");
  const answered = memory.appendTurn(sessionId, branchId, "assistant", { agent: "barista", parentTurnId: asked });
  check("appendTurn gives ids", asked.startsWith("trn_") && answered.startsWith("trn_"));
  const other = /** @type {any} */ ("system");
  check("another role is refused", codeOf(() => memory.appendTurn(sessionId, branchId, other)) === "INVALID_ARGUMENT");

  const data = { text: "Which tea?", tags: ["a", null, 1.5], deep: { 日本: "🍵" } };
  const second = memory.addPart(asked, sessionId, "file", ["b", { path: "tea.md" }], 1);
  const first = memory.addPart(asked, sessionId, "text", data, 0);
  const parts = memory.getParts(asked);
  check("parts come by position", same(parts.map((part) => part.id), [first, second]));
  check("a part keeps its JSON", same(parts[0].data, data) && parts[0].type === "text");

  memory.completeTurn(asked, 12, 0, 0);
  memory.completeTurn(answered, 100, 40, 0.25, "stop");
  const turns = memory.getTurns(sessionId, branchId, 10, 0);
  check("turns come oldest first", same(turns.map((turn) => turn.id), [asked, answered]));
  const published = "id role agent status tier tokensInput tokensOutput costUsd finishReason summary timeCreated timeCompleted";
  check("a turn has the published fields", hasFields(turns[1], published));
  check(
    "completeTurn keeps tokens, cost and reason",
    same([turns[1].tokensInput, turns[1].tokensOutput, turns[1].costUsd, turns[1].finishReason], [100, 40, 0.25, "stop"]),
  );
  check("turns are paged", same(memory.getTurns(sessionId, branchId, 1, 1).map((turn) => turn.id), [answered]));
  check("a turn is completed once", codeOf(() => memory.completeTurn(asked, 1, 1, 0)) === "INVALID_STATE");
  check("the session counts", same([session().totalTurns, session().totalTokens, session().totalCostUsd], [2, 152, 0.25]));

  const call = memory.recordToolCall({
    turnId: answered,
    partId: null,
    sessionId,
    toolId: "kettle",
    input: { degrees: 80 },
    category: "kitchen",
    targetPaths: ["/stove"],
  });
  check("recordToolCall begins pending", memory.toolCall(call)?.state === "pending");
  const nameless = /** @type {any} */ ({ turnId: answered, sessionId });
  check("a tool call needs a tool", codeOf(() => memory.recordToolCall(nameless)) === "INVALID_ARGUMENT");
  memory.startToolCall(call);
  check("a tool call runs", memory.toolCall(call)?.state === "running");
  memory.completeToolCall(call, { output: "hot", durationMs: 30, tokensConsumed: 7 });
  const failed = memory.recordToolCall({ turnId: answered, partId: null, sessionId, toolId: "cup" });
  memory.completeToolCall(failed, { error: "broken" });
  const calls = memory.queryToolCalls(sessionId, {});
  check("tool calls come newest first", same(calls.map((one) => one.id), [failed, call]));
  check("a tool call tells what came of it", same([calls[1].state, calls[1].output, calls[1].input], ["completed", "hot", { degrees: 80 }]));
  check("a tool call with an error is in error", calls[0].state === "error" && calls[0].error === "broken");
  check("tool calls are filtered", same(memory.queryToolCalls(sessionId, { toolId: "kettle", category: "kitchen", state: "completed" }).map((one) => one.id), [call]));
  check("a completed tool call stays so", codeOf(() => memory.startToolCall(call)) === "INVALID_STATE");

  const scope = "/project/tea";
  const found = [
    { subject: "temperature", content: "green tea wants 80 degrees", categories: ["brewing"] },
    { subject: "owner", content: "the owner is Ada" },
  ];
  const facts = memory.extractWithFacts("Green tea wants 80 degrees.", scope, sessionId, answered, found);
  check("extractWithFacts gives an id for each fact", facts.length === 2 && facts.every((id) => id.startsWith("knw_")));
  const fact = memory.fact(facts[0]);
  check("an extracted fact knows session and turn", fact?.sessionId === sessionId && fact.turnId === answered && same(fact.categories, ["brewing"]));
  check("an extracted fact is recalled", memory.recall("80 degrees", scope)[0]?.knowledgeId === facts[0]);
  const [origin] = memory.traceBack(facts[0]);
  check("an extracted fact is traced to its turn", origin?.id === answered && origin.relation === "extracted_from");
  check("a turn is traced to its facts", same(memory.traceForward(answered).map((one) => one.id).sort(), [...facts].sort()));
  const [newer] = memory.extractWithFacts("No, 70.", scope, sessionId, asked, [{ subject: "temperature", content: "green tea wants 70 degrees" }]);
  const [contradiction] = memory.contradictions(scope);
  check("what is said otherwise contradicts", contradiction?.knowledgeId === newer && contradiction.replacedId === facts[0]);
  const bare = ZengramMemory.open(DIM);
  const begun = bare.createSession("p");
  const turn = bare.appendTurn(begun.sessionId, begun.branchId, "user");
  const extract = () => bare.extractWithFacts("t", "/", begun.sessionId, turn, [{ subject: "s", content: "c" }]);
  check("extractWithFacts needs an embedder", codeOf(extract) === "EMBEDDER_MISSING" && bare.facts("/").length === 0);
  const vectors = [embed("s: c")];
  const given = bare.extractWithFactsWithVectors("t", "/", begun.sessionId, turn, [{ subject: "s", content: "c" }], vectors);
  check("extractWithFactsWithVectors takes the caller's vectors", bare.fact(given[0])?.turnId === turn);
  bare.free();

  const insights = [{ subject: "brewing", content: "Ada brews at 70 degrees", sourceIds: [newer, facts[1]] }];
  const concluded = memory.reflectWithInsights(scope, insights, 10);
  check("reflectWithInsights gives ids", concluded.length === 1 && memory.fact(concluded[0])?.sourceType === "reflection");
  check("an insight rests on its sources", same(memory.fact(concluded[0])?.sourceIds, [newer, facts[1]]));
  check("an insight is traced to its sources", memory.traceBack(concluded[0], { depth: 1 }).every((one) => one.relation === "reflected_from"));
  check("an empty scope reflects nothing", same(memory.reflectWithInsights("/project/empty", insights, 10), []));

  const fork = memory.forkSession(sessionId, asked, { name: "another answer" });
  const again = memory.appendTurn(sessionId, fork, "assistant");
  check("a fork shows what went before", same(memory.getTurns(sessionId, fork).map((one) => one.id), [asked, again]));
  check("a fork leaves the trunk alone", same(memory.getTurns(sessionId, branchId).map((one) => one.id), [asked, answered]));
  memory.completeTurn(again, 10, 5, 0.5, "stop", { tokensReasoning: 3 });
  const totals = memory.sessionTotals(sessionId);
  check("totals are those of all branches", same([totals.turns, totals.tokensInput, totals.tokensOutput, totals.costUsd, totals.toolCalls], [3, 122, 45, 0.75, 2]));
  check("branches add up to the session", totals.branches.length === 2 && totals.branches.reduce((sum, one) => sum + one.costUsd, 0) === totals.costUsd);
  check("turnsSince gives what came after a turn", same(memory.turnsSince(sessionId, asked, { branchId }).map((one) => one.id), [answered]));
  const types = new Set(memory.sessionTimeline(sessionId).map((event) => event.type));
  check("the timeline tells everything", ["session_created", "turn", "part", "tool_call", "knowledge", "branch_forked"].every((type) => types.has(/** @type {any} */ (type))));

  memory.setSystemInstructions("Answer briefly.", { sessionId });
  check("instructions are kept", memory.systemInstructions({ sessionId }) === "Answer briefly." && memory.systemInstructions() === null);

  let inner = "";
  const kept = memory.batch(() => memory.remember("batch", (inner = "stored together"), scope));
  check("a batch is stored, and gives what its function gives", memory.fact(kept)?.content === inner);
  let lost = "";
  const broken = () =>
    memory.batch(() => {
      lost = memory.remember("batch", "not stored", scope);
      throw new RangeError("changed my mind");
    });
  check("a batch that throws stores nothing", codeOf(broken) === "RangeError: changed my mind" && memory.fact(lost) === null);

  memory.endSession(sessionId, { summary: "Tea was made." });
  check("a session ends", session().status === "ended" && session().summary === "Tea was made.");
  check("an ended session takes no turn", codeOf(() => memory.appendTurn(sessionId, branchId, "user")) === "INVALID_STATE");
  const restored = ZengramMemory.openFromSnapshot(memory.exportSnapshot(), DIM);
  check("a snapshot holds the sessions", same(restored.session(sessionId), memory.session(sessionId)) && same(restored.getTurns(sessionId, fork), memory.getTurns(sessionId, fork)));
  restored.free();
  memory.free();
}

/** @param {MemoryClass} ZengramMemory @param {Check} check */
function contextChecks(ZengramMemory, check) {
  const memory = openToy(ZengramMemory);
  const { sessionId, branchId } = memory.createSession("site");
  for (let i = 0; i < 5; i++) memory.remember(`thing ${i}`, `thing ${i} is known to the user`, "/project/site");
  memory.setSystemInstructions("You help with the site.");
  const words = Array.from({ length: 36 }, (_, i) => ["we", "talk", "about", "the", "plan"][i % 5]).join(" ");
  const turns = Array.from({ length: 12 }, (_, i) => {
    const turn = memory.appendTurn(sessionId, branchId, i % 2 === 0 ? "user" : "assistant");
    memory.addPart(turn, sessionId, "text", { text: words }, 0);
    memory.completeTurn(turn, 40, 40, 0);
    return turn;
  });
  const rows = () => memory.query("select count(*) from turn").rows;
  const before = rows();
  const windows = [200, 1000, 4000].map((budget) => memory.assembleContext(sessionId, branchId, budget));
  const [small, middle, large] = windows;
  check("a context has the published fields", hasFields(middle, "blocks totalTokens budget turnsIncluded turnsSummarized turnsSkipped knowledgeFingerprint reason"));
  check("a block has the published fields", middle.blocks.every((block) => hasFields(block, "type content tokenCount sourceIds")));
  check("blocks come in their order", same([...new Set(middle.blocks.map((block) => block.type))], ["system", "knowledge", "turn"]));
  check("a context holds its turns, oldest first", same(middle.blocks.filter((block) => block.type === "turn").map((block) => block.sourceIds[0]), turns));
  const costs = windows.map((one) => one.blocks.reduce((sum, block) => sum + block.tokenCount, 0));
  check("a context costs what its blocks cost, within its budget", windows.every((one, i) => one.totalTokens === costs[i] && costs[i] <= one.budget));
  check("twelve turns fit into 1000 tokens", middle.turnsIncluded === 12 && middle.turnsSkipped === 0 && middle.reason === null);
  check("a larger budget changes nothing then", large.totalTokens === middle.totalTokens && large.turnsIncluded === 12);
  check("200 tokens hold some turns", small.turnsIncluded >= 1 && small.turnsIncluded <= 5);
  check("the other turns are skipped", small.turnsIncluded + small.turnsSkipped === 12 && small.turnsSummarized === 0);
  const again = memory.assembleContext(sessionId, branchId, 1000);
  check("the same facts have the same fingerprint", again.knowledgeFingerprint === middle.knowledgeFingerprint && same(again, middle));
  memory.remember("thing 0", "thing 0 is known better now", "/project/site");
  check("other facts have another one", memory.assembleContext(sessionId, branchId, 1000).knowledgeFingerprint !== middle.knowledgeFingerprint);
  check("assembling stores nothing", same(rows(), before));
  const reasons = memory.assembleContext(sessionId, branchId, 200, { explain: true }).explanation;
  check("a context says why turns are left out", reasons.some((one) => one.type === "turn" && one.status === "left_out" && one.reason !== ""));
  const empty = memory.assembleContext(sessionId, branchId, 0);
  check("no budget gives no blocks, and says why", empty.blocks.length === 0 && empty.totalTokens === 0 && typeof empty.reason === "string");
  check("a context is that of a branch", codeOf(() => memory.assembleContext(sessionId, "brn_none", 1000)) === "NOT_FOUND");
  check("the estimate is one token for four bytes", memory.countTokens("12345678") === 2);
  memory.setTokenCounter((text) => text.split(" ").length);
  check("tokens are counted by the caller's function", memory.countTokens("one two three") === 3);
  memory.setTokenCounter(null);

  check("a scope without a budget is left alone", memory.enforceBudget("/project/site") === null && memory.storageBudget("/project/site") === null);
  memory.configureBudget("/project/site", { maxBytes: 0, retainMin: 0 });
  const pruned = memory.enforceBudget("/project/site");
  check("a budget prunes sessions", pruned?.sessionsPruned === 1 && pruned.bytesFreed > 0 && memory.session(sessionId) === null);
  check("facts outlive their sessions", memory.facts("/project/site").length === 5);
  memory.free();
  workChecks(ZengramMemory, check);
}

/** @param {MemoryClass} ZengramMemory @param {Check} check */
function workChecks(ZengramMemory, check) {
  const memory = openToy(ZengramMemory);
  const { sessionId } = memory.createSession("site");
  const first = memory.addTask("Write tests", { sessionId, priority: "high" });
  const second = memory.addTask("Release", { sessionId, priority: "critical", dependsOn: first });
  check("a task waits for what it needs", same(memory.readyTasks({ sessionId }).map((task) => task.id), [first]));
  check("a task that waits does not begin", codeOf(() => memory.setTaskStatus(second, "in_progress")) === "INVALID_STATE");
  memory.setTaskStatus(first, "completed");
  check("a task is ready when what it needs is completed", same(memory.readyTasks({ sessionId }).map((task) => task.id), [second]));
  const rule = memory.addPermissionRule("edit", "src/**", "allow", { projectId: "site" });
  const decision = memory.checkPermission("edit", "src/a/b.js", { sessionId });
  check("the first rule that matches decides", decision.action === "allow" && decision.ruleId === rule);
  check("what no rule says is asked", memory.checkPermission("edit", "docs/a.md", { sessionId }).action === "ask");
  const sent = memory.sendMessage("planner", "coder", "task", { task: second });
  const claimed = memory.claimMessage("coder");
  check("a message is claimed once", claimed?.id === sent && same(claimed.payload, { task: second }) && memory.claimMessage("coder") === null);
  const source = memory.addCodeSource("/site", { language: "js" });
  memory.putCodeFile(source, "a.js", {
    nodes: [{ kind: "function", name: "f", lineStart: 1, lineEnd: 3 }, { kind: "function", name: "g" }],
    edges: [{ from: "f", to: "g" }],
  });
  const [g] = memory.findCode("g");
  check("the code graph tells who calls", same(memory.callers(g.id).map((step) => [step.node.name, step.node.lineEnd]), [["f", 3]]));
  const event = memory.logEvent("deployed", { version: 1 }, { sessionId });
  check("events are logged", same(memory.events({ sessionId }).map((one) => [one.lsn, one.data]), [[event, { version: 1 }]]));

  memory.remember("color", "the page is red", "/project/site");
  memory.forkMemory("idea");
  memory.useMemory("idea");
  memory.remember("color", "the page is blue", "/project/site");
  memory.useMemory(null);
  const contents = () => memory.facts("/project/site").map((one) => one.content);
  check("a memory branch goes on by itself", same(contents(), ["the page is red"]));
  check("a memory branch is compared", memory.diffMemory("idea").facts.length === 2);
  check("a merge can be tried", !memory.mergeMemory("idea", { dryRun: true }).applied && same(contents(), ["the page is red"]));
  check("a memory branch is merged", memory.mergeMemory("idea").applied && same(contents(), ["the page is blue"]));
  memory.free();
}
