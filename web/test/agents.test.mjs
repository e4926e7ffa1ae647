/** What agents are to do, may do and tell each other, from JavaScript: tasks, permissions, reminders, jobs, subagents, mailboxes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

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
const HOUR = 3_600_000;

describe("tasks", () => {
  it("keep what they are given, as plain objects", () => {
    const { memory, sessionId, branchId, turn } = talk();
    const before = memory.addTask("Before");
    const id = memory.addTask("Fix it", {
      sessionId,
      parentTaskId: before,
      description: "at length",
      priority: "critical",
      assignedAgent: "coder",
      assignedBranch: branchId,
      acceptance: "green",
      verification: "run it",
      sourceTurnId: turn,
      estimatedTurns: 3,
      dependsOn: [before],
      files: ["a.js", { path: "b.js", role: "test" }, { path: "c.js", role: undefined }],
    });
    const task = memory.task(id);
    assert.equal(Object.getPrototypeOf(task), Object.prototype);
    const { timeCreated, ...rest } = /** @type {import("../src/zengram.js").Task} */ (task);
    assert.ok(Math.abs(timeCreated / 1000 - Date.now()) < HOUR);
    assert.deepEqual(rest, {
      id, sessionId, projectId: "p", parentTaskId: before, title: "Fix it", description: "at length", priority: "critical", status: "pending",
      assignedAgent: "coder", assignedBranch: branchId, acceptance: "green", verification: "run it", sourceTurnId: turn, completionTurn: null,
      estimatedTurns: 3, actualTurns: null, dependsOn: [{ taskId: before, type: "blocks" }],
      files: [{ path: "a.js", role: "target" }, { path: "b.js", role: "test" }, { path: "c.js", role: "target" }],
      timeStarted: null, timeCompleted: null,
    });
    assert.equal(memory.task("tsk_none"), null);
    assert.deepEqual(memory.tasks({ sessionId, status: "pending", assignedAgent: "coder", parentTaskId: before, limit: 1 }), [task]);
    assert.deepEqual(memory.tasks(nothing).map((one) => one.id), [id, before]);
    assert.deepEqual(memory.tasks({ offset: 1, limit: nothing }).map((one) => one.id), [before]);
    memory.free();
  });

  it("are changed where something is named, and emptied by null", () => {
    const { memory } = talk();
    const id = memory.addTask("Fix it", { description: "at length", acceptance: "green", estimatedTurns: 3 });
    memory.updateTask(id, { title: "Fix that", description: null, acceptance: undefined, estimatedTurns: null, assignedAgent: "coder" });
    const task = memory.task(id);
    assert.deepEqual(
      [task?.title, task?.description, task?.acceptance, task?.estimatedTurns, task?.assignedAgent],
      ["Fix that", null, "green", null, "coder"],
    );
    memory.updateTask(id, {});
    assert.deepEqual(memory.task(id), task);
    const empty = /** @type {any} */ ({ title: null });
    throwsError(zengram, () => memory.updateTask(id, empty), "InvalidArgumentError", "INVALID_ARGUMENT", /title/);
    memory.free();
  });

  it("go from state to state, each after what it needs", () => {
    const { memory, sessionId, turn } = talk();
    const first = memory.addTask("First", { sessionId });
    const second = memory.addTask("Second", { sessionId });
    memory.addTaskDependency(second, first);
    memory.addTaskDependency(first, second, { type: "relates" });
    const ring = () => memory.addTaskDependency(first, second);
    throwsError(zengram, ring, "InvalidArgumentError", "INVALID_ARGUMENT", new RegExp(`${first}|${second}`));
    throwsError(zengram, () => memory.setTaskStatus(second, "completed"), "StateError", "INVALID_STATE", new RegExp(first));
    assert.deepEqual(memory.readyTasks({ sessionId }).map((task) => task.id), [first]);
    memory.setTaskStatus(first, "in_progress");
    memory.setTaskStatus(first, "completed", { turnId: turn });
    const task = memory.task(first);
    assert.deepEqual([task?.completionTurn, typeof task?.timeCompleted, task?.actualTurns], [turn, "number", 0]);
    memory.removeTaskDependency(first, second);
    assert.deepEqual(memory.task(first)?.dependsOn, []);
    memory.addTaskFile(second, "a.js", { role: "test" });
    memory.addTaskFile(second, "b.js");
    memory.removeTaskFile(second, "a.js");
    assert.deepEqual(memory.task(second)?.files, [{ path: "b.js", role: "target" }]);
    memory.setTaskStatus(second, "cancelled");
    throwsError(zengram, () => memory.setTaskStatus(second, "completed"), "StateError", "INVALID_STATE", /cancelled.*completed/);
    memory.free();
  });
});

describe("permissions", () => {
  it("are decided by the first rule that matches", () => {
    const { memory, sessionId } = talk();
    const all = memory.addPermissionRule("edit", "**", "ask", { source: "policy", trustLevel: 0.9, priority: -1 });
    const own = memory.addPermissionRule("edit", "src/**", "allow", { sessionId, contextAgent: "coder", contextRiskMax: 2.5 });
    const over = memory.addPermissionRule("edit", "**", "deny", { expires: new Date(Date.now() - HOUR) });
    assert.deepEqual(memory.checkPermission("edit", "src/a.js", { sessionId, agent: "coder", risk: 1 }).action, "allow");
    const decision = memory.checkPermission("edit", "src/a.js", { sessionId, agent: "coder", risk: 3, path: "src", branch: "b" });
    assert.deepEqual([decision.action, decision.ruleId], ["ask", all]);
    assert.match(decision.reason, /.../);
    assert.deepEqual({ ...memory.checkPermission("run", "ls"), reason: "" }, { action: "ask", ruleId: null, reason: "" });
    memory.recordPermission(own, true);
    memory.recordPermission(own, false);
    const rule = memory.permissionRule(own);
    assert.deepEqual([rule?.timesGranted, rule?.timesDenied, rule?.contextRiskMax, rule?.source], [1, 1, 2.5, "user"]);
    assert.deepEqual(memory.permissionRules({ sessionId }).map((one) => one.id), [own, all]);
    assert.deepEqual(memory.permissionRules({ includeExpired: true, permission: "edit" }).length, 3);
    memory.removePermissionRule(over);
    assert.equal(memory.permissionRule(over), null);
    memory.free();
  });
});

describe("reminders and jobs", () => {
  it("are due at their times, which are given in any form", () => {
    const { memory, sessionId } = talk();
    const past = new Date(Date.now() - HOUR);
    const late = memory.addReminder("late", past, { sessionId });
    const daily = memory.addReminder("daily", past.toISOString(), { repeatDays: 1 });
    const later = memory.addReminder("later", (Date.now() + HOUR) * 1000);
    assert.equal(memory.reminder(late)?.timeDue, past.getTime() * 1000);
    assert.deepEqual(memory.dueReminders().map((one) => one.id), [late, daily]);
    assert.deepEqual(memory.dueReminders(null, { sessionId }).map((one) => one.id), [late]);
    assert.equal(memory.dueReminders(new Date(Date.now() + 2 * HOUR), { limit: 5 }).length, 3);
    memory.completeReminder(late);
    memory.completeReminder(daily);
    memory.cancelReminder(later);
    assert.deepEqual([late, daily, later].map((id) => memory.reminder(id)?.status), ["done", "pending", "cancelled"]);
    assert.ok(Number(memory.reminder(daily)?.timeDue) > Date.now() * 1000);
    assert.deepEqual(memory.reminders({ status: "cancelled" }).map((one) => one.id), [later]);
    throwsError(zengram, () => memory.completeReminder(later), "StateError", "INVALID_STATE", /cancelled/);
    memory.free();
  });

  it("run again and again, or once", () => {
    const { memory } = talk();
    const often = memory.addJob("often", { everySeconds: 0.5, payload: { snake_case: [1, null] } });
    const monday = memory.addJob("weekly", { cron: "0 9 * * mon", projectId: "p" });
    const once = memory.addJob("once", { at: new Date(Date.now() - HOUR) });
    assert.deepEqual(memory.job(often)?.payload, { snake_case: [1, null] });
    assert.match(String(memory.job(monday)?.schedule), /^cron 0 9/);
    assert.deepEqual(memory.dueJobs().map((job) => job.id), [once]);
    memory.jobDone(once, { error: new Error("no network") });
    assert.deepEqual([memory.job(once)?.status, memory.job(once)?.failures, memory.job(once)?.lastError], ["completed", 1, "Error: no network"]);
    memory.pauseJob(often);
    throwsError(zengram, () => memory.pauseJob(often), "StateError", "INVALID_STATE", /paused/);
    assert.deepEqual(memory.jobs({ status: "paused" }).map((job) => job.id), [often]);
    memory.resumeJob(often);
    memory.jobDone(often);
    assert.equal(memory.job(often)?.runs, 1);
    memory.removeJob(monday);
    assert.equal(memory.job(monday), null);
    assert.equal(memory.dueJobs(new Date(Date.now() + HOUR), 1).length, 1);
    memory.free();
  });
});

describe("agents", () => {
  it("are started by sessions and finish", () => {
    const { memory, sessionId } = talk();
    const child = memory.createSession("p", { parentId: sessionId });
    const run = memory.startSubagent(sessionId, "explorer", { childSession: child.sessionId });
    const deep = memory.startSubagent(child.sessionId, "reader", { spawnDepth: 7 });
    memory.finishSubagent(run, { result: "found it" });
    memory.finishSubagent(deep, { error: new RangeError("too deep") });
    assert.deepEqual(memory.subagents(sessionId).map((one) => [one.status, one.result, one.spawnDepth]), [["completed", "found it", 1]]);
    assert.deepEqual([memory.subagent(deep)?.error, memory.subagent(deep)?.spawnDepth], ["RangeError: too deep", 7]);
    assert.deepEqual(memory.subagents(sessionId, { status: "running" }), []);
    throwsError(zengram, () => memory.finishSubagent(run), "StateError", "INVALID_STATE", /completed/);
    memory.free();
  });

  it("send and claim messages", () => {
    const { memory, sessionId } = talk();
    memory.registerAgent("coder", "Coder", { role: "writes", capabilities: ["js", "py"], sessionId, metadata: { a_b: 1 } });
    memory.registerAgent("coder", null, { capabilities: "js" });
    assert.deepEqual(memory.agents().map((one) => [one.id, one.name, one.role, one.capabilities, one.metadata]), [
      ["coder", "Coder", "writes", ["js"], { a_b: 1 }],
    ]);
    const first = memory.sendMessage("planner", "coder", "task", { id: 1 });
    const second = memory.sendMessage("planner", "coder", "note", undefined, { sessionId, replyTo: first });
    const gone = memory.sendMessage("planner", "coder", "note", null, { expires: new Date(Date.now() - HOUR) });
    assert.equal(memory.unreadCount("coder"), 2); // what has expired is not told
    assert.deepEqual(memory.newMessages("coder", 2).map((one) => one.id), [first, second]);
    memory.advanceMailbox("coder", first);
    assert.deepEqual(memory.newMessages("coder").map((one) => one.id), [second]);
    assert.equal(memory.claimMessage("coder", { messageType: "note" })?.id, second);
    assert.equal(memory.claimMessage("coder")?.id, first);
    assert.equal(memory.claimMessage("coder"), null);
    assert.deepEqual([first, second, gone].map((id) => memory.message(id)?.status), ["claimed", "claimed", "expired"]);
    memory.releaseMessage(first, "coder");
    memory.completeMessage(second, "coder");
    throwsError(zengram, () => memory.completeMessage(first, "coder"), "StateError", "INVALID_STATE", /pending/);
    assert.deepEqual(memory.messages("coder", { status: "completed" }).map((one) => [one.id, one.replyTo, one.payload]), [[second, first, null]]);
    memory.free();
  });
});

describe("bad arguments", () => {
  const ARGUMENT = /** @type {const} */ (["InvalidArgumentError", "INVALID_ARGUMENT"]);
  const NOT_FOUND = /** @type {const} */ (["NotFoundError", "NOT_FOUND"]);
  /** @type {[(memory: any, sessionId: string) => unknown, readonly [string, string], RegExp][]} */
  const CALLS = [
    [(m) => m.addTask(), ARGUMENT, /title .*undefined/],
    [(m) => m.addTask(" "), ARGUMENT, /title/],
    [(m) => m.addTask("t", { priority: "urgent" }), ARGUMENT, /critical/],
    [(m) => m.addTask("t", { sessionId: "ses_none" }), NOT_FOUND, /ses_none/],
    [(m) => m.addTask("t", { dependsOn: ["tsk_none"] }), NOT_FOUND, /tsk_none/],
    [(m) => m.addTask("t", { dependsOn: [1] }), ARGUMENT, /dependsOn/],
    [(m) => m.addTask("t", { files: [1] }), ARGUMENT, /path|files/],
    [(m) => m.addTask("t", { files: [{ path: "a", roll: "b" }] }), ARGUMENT, /roll/],
    [(m) => m.addTask("t", { files: new Map() }), ARGUMENT, /files .*Map/],
    [(m) => m.addTask("t", { estimatedTurns: -1 }), ARGUMENT, /estimatedTurns/],
    [(m) => m.addTask("t", { assigned_agent: "x" }), ARGUMENT, /"assigned_agent"; it takes .*assignedAgent/],
    [(m) => m.updateTask("tsk_none", {}), NOT_FOUND, /tsk_none/],
    [(m) => m.updateTask("tsk_none", { status: "completed" }), ARGUMENT, /status/],
    [(m) => m.updateTask("tsk_none", "title"), ARGUMENT, /object/],
    [(m) => m.updateTask("tsk_none", { assignedBranch: 5 }), ARGUMENT, /assignedBranch/],
    [(m) => m.setTaskStatus("tsk_none", "completed"), NOT_FOUND, /tsk_none/],
    [(m) => m.setTaskStatus("tsk_none", "done"), ARGUMENT, /in_progress/],
    [(m) => m.addTaskDependency("tsk_none", "tsk_no"), NOT_FOUND, /tsk_no/],
    [(m) => m.addTaskDependency("tsk_none", "tsk_no", { type: "needs" }), ARGUMENT, /blocks/],
    [(m) => m.removeTaskDependency("tsk_none", "tsk_no"), NOT_FOUND, /tsk_no/],
    [(m) => m.addTaskFile("tsk_none", "a"), NOT_FOUND, /tsk_none/],
    [(m) => m.removeTaskFile("tsk_none", "a"), NOT_FOUND, /tsk_none/],
    [(m) => m.task(), ARGUMENT, /taskId/],
    [(m) => m.tasks({ status: "done" }), ARGUMENT, /pending/],
    [(m) => m.tasks({ limit: 1.5 }), ARGUMENT, /limit/],
    [(m) => m.readyTasks({ projectId: 5 }), ARGUMENT, /projectId/],
    [(m) => m.addPermissionRule("edit", "**"), ARGUMENT, /action .*undefined/],
    [(m) => m.addPermissionRule("edit", "**", "maybe"), ARGUMENT, /allow/],
    [(m) => m.addPermissionRule("edit", "**", "ask", { trustLevel: 2 }), ARGUMENT, /trustLevel/],
    [(m) => m.addPermissionRule("edit", "**", "ask", { priority: 0.5 }), ARGUMENT, /priority .*whole number/],
    [(m) => m.addPermissionRule("edit", "**", "ask", { expires: Date.now() }), ARGUMENT, /milliseconds/],
    [(m) => m.recordPermission("prm_none", "yes"), ARGUMENT, /granted .*true or false/],
    [(m) => m.recordPermission("prm_none", true), NOT_FOUND, /prm_none/],
    [(m) => m.removePermissionRule("prm_none"), NOT_FOUND, /prm_none/],
    [(m) => m.checkPermission("edit"), ARGUMENT, /target/],
    [(m) => m.checkPermission("edit", "a", { risk: -1 }), ARGUMENT, /risk/],
    [(m) => m.permissionRules({ sessionId: "ses_none" }), NOT_FOUND, /ses_none/],
    [(m) => m.addReminder("x"), ARGUMENT, /due .*undefined/],
    [(m) => m.addReminder("x", new Date(NaN)), ARGUMENT, /due/],
    [(m) => m.addReminder("x", "tomorrow"), ARGUMENT, /due/],
    [(m) => m.addReminder("x", new Date(), { repeatDays: 0 }), ARGUMENT, /repeatDays/],
    [(m) => m.addReminder("x", new Date(), { taskId: "tsk_none" }), NOT_FOUND, /tsk_none/],
    [(m) => m.completeReminder("rem_none"), NOT_FOUND, /rem_none/],
    [(m) => m.cancelReminder("rem_none"), NOT_FOUND, /rem_none/],
    [(m) => m.dueReminders({}), ARGUMENT, /at /],
    [(m) => m.reminders({ status: "late" }), ARGUMENT, /pending/],
    [(m) => m.addJob("x"), ARGUMENT, /everySeconds/],
    [(m) => m.addJob("x", { everySeconds: 1, cron: "* * * * *" }), ARGUMENT, /everySeconds|cron/],
    [(m) => m.addJob("x", { cron: "* *" }), ARGUMENT, /cron|five/],
    [(m) => m.addJob("x", { cron: "0 0 30 2 *" }), ARGUMENT, /never/],
    [(m) => m.addJob("x", { everySeconds: 1, payload: { when: new Date() } }), ARGUMENT, /payload\.when .*Date/],
    [(m) => m.jobDone("job_none"), NOT_FOUND, /job_none/],
    [(m) => m.jobDone("job_none", { error: 5 }), ARGUMENT, /error .*string or an Error/],
    [(m) => m.pauseJob("job_none"), NOT_FOUND, /job_none/],
    [(m) => m.resumeJob("job_none"), NOT_FOUND, /job_none/],
    [(m) => m.removeJob("job_none"), NOT_FOUND, /job_none/],
    [(m) => m.dueJobs(5n), ARGUMENT, /at .*bigint/],
    [(m) => m.startSubagent("ses_none", "x"), NOT_FOUND, /ses_none/],
    [(m, s) => m.startSubagent(s, "x", { spawnDepth: -1 }), ARGUMENT, /spawnDepth/],
    [(m) => m.finishSubagent("sub_none"), NOT_FOUND, /sub_none/],
    [(m) => m.subagents("ses_none"), NOT_FOUND, /ses_none/],
    [(m, s) => m.subagents(s, { status: "done" }), ARGUMENT, /running/],
    [(m) => m.registerAgent("x", 5), ARGUMENT, /name/],
    [(m) => m.registerAgent("x", "X", { capabilities: {} }), ARGUMENT, /capabilities/],
    [(m) => m.sendMessage("a", "b"), ARGUMENT, /messageType/],
    [(m) => m.sendMessage("a", "b", "t", { f: () => 1 }), ARGUMENT, /payload\.f .*function/],
    [(m) => m.sendMessage("a", "b", "t", null, { replyTo: "msg_none" }), NOT_FOUND, /msg_none/],
    [(m) => m.claimMessage(), ARGUMENT, /agentId/],
    [(m) => m.completeMessage("msg_none", "a"), NOT_FOUND, /msg_none/],
    [(m) => m.releaseMessage("msg_none", "a"), NOT_FOUND, /msg_none/],
    [(m) => m.messages("a", { status: "read" }), ARGUMENT, /claimed/],
    [(m) => m.newMessages("a", -1), ARGUMENT, /limit/],
    [(m) => m.advanceMailbox("a", "msg_none"), NOT_FOUND, /msg_none/],
  ];

  it("are refused with the error that fits, and change nothing", () => {
    const { memory, sessionId } = talk();
    const tables = ["task", "permission_rule", "reminder", "scheduled_job", "subagent_run", "agent_registry", "agent_mailbox"];
    refusesAll(zengram, memory, CALLS, sessionId, () => tables.map((table) => memory.query(`select * from ${table}`).rows));
  });
});
