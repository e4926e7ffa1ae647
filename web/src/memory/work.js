/** A memory's calls on the work of agents. */
import { call } from "./base.js";
import { Contexts } from "./context.js";

/**
 * @import {
 *   Agent, AgentOptions, Job, JobsOptions, Message, MessagesOptions, NewJob, NewMessageOptions, NewPermissionRuleOptions,
 *   NewReminderOptions, NewTaskOptions, PermissionAction, PermissionContext, PermissionDecision, PermissionRule, PermissionRulesOptions,
 *   Reminder, RemindersOptions, SubagentRun, SubagentStatus, Task, TaskChanges, TaskStatus, TasksOptions, Time
 * } from "../zengram.js"
 */

/** A memory's calls on the work of agents. */
export class Work extends Contexts {
  // -- tasks ----------------------------------------------------------------------------------------------------------

  /** @param {string} title @param {NewTaskOptions} [options] @returns {string} */
  addTask(title, options) {
    return call(this, "addTask", [title], options);
  }

  /** @param {string} taskId @param {TaskChanges} changes @returns {void} */
  updateTask(taskId, changes) {
    call(this, "updateTask", [taskId], changes);
  }

  /** @param {string} taskId @param {TaskStatus} status @param {{turnId?: string}} [options] @returns {void} */
  setTaskStatus(taskId, status, options) {
    call(this, "setTaskStatus", [taskId, status], options);
  }

  /** @param {string} taskId @param {string} dependsOn @param {{type?: "blocks" | "relates"}} [options] @returns {void} */
  addTaskDependency(taskId, dependsOn, options) {
    call(this, "addTaskDependency", [taskId, dependsOn], options);
  }

  /** @param {string} taskId @param {string} dependsOn @returns {void} */
  removeTaskDependency(taskId, dependsOn) {
    call(this, "removeTaskDependency", [taskId, dependsOn]);
  }

  /** @param {string} taskId @param {string} path @param {{role?: string}} [options] @returns {void} */
  addTaskFile(taskId, path, options) {
    call(this, "addTaskFile", [taskId, path], options);
  }

  /** @param {string} taskId @param {string} path @returns {void} */
  removeTaskFile(taskId, path) {
    call(this, "removeTaskFile", [taskId, path]);
  }

  /** @param {string} taskId @returns {Task | null} */
  task(taskId) {
    return call(this, "task", [taskId]);
  }

  /** @param {TasksOptions} [options] @returns {Task[]} */
  tasks(options) {
    return call(this, "tasks", [], options);
  }

  /** @param {{sessionId?: string; projectId?: string; limit?: number}} [options] @returns {Task[]} */
  readyTasks(options) {
    return call(this, "readyTasks", [], options);
  }

  // -- permissions ----------------------------------------------------------------------------------------------------

  /**
   * @param {string} permission
   * @param {string} pattern
   * @param {PermissionAction} action
   * @param {NewPermissionRuleOptions} [options]
   * @returns {string}
   */
  addPermissionRule(permission, pattern, action, options) {
    return call(this, "addPermissionRule", [permission, pattern, action], options);
  }

  /** @param {string} ruleId @returns {void} */
  removePermissionRule(ruleId) {
    call(this, "removePermissionRule", [ruleId]);
  }

  /** @param {string} ruleId @param {boolean} granted @returns {void} */
  recordPermission(ruleId, granted) {
    call(this, "recordPermission", [ruleId, granted]);
  }

  /** @param {string} permission @param {string} target @param {PermissionContext} [options] @returns {PermissionDecision} */
  checkPermission(permission, target, options) {
    return call(this, "checkPermission", [permission, target], options);
  }

  /** @param {string} ruleId @returns {PermissionRule | null} */
  permissionRule(ruleId) {
    return call(this, "permissionRule", [ruleId]);
  }

  /** @param {PermissionRulesOptions} [options] @returns {PermissionRule[]} */
  permissionRules(options) {
    return call(this, "permissionRules", [], options);
  }

  // -- reminders and jobs ---------------------------------------------------------------------------------------------

  /** @param {string} content @param {Time} due @param {NewReminderOptions} [options] @returns {string} */
  addReminder(content, due, options) {
    return call(this, "addReminder", [content, due], options);
  }

  /** @param {string} reminderId @returns {void} */
  completeReminder(reminderId) {
    call(this, "completeReminder", [reminderId]);
  }

  /** @param {string} reminderId @returns {void} */
  cancelReminder(reminderId) {
    call(this, "cancelReminder", [reminderId]);
  }

  /**
   * @param {Time | null} [at]
   * @param {{projectId?: string; sessionId?: string; limit?: number}} [options]
   * @returns {Reminder[]}
   */
  dueReminders(at, options) {
    return call(this, "dueReminders", [at], options);
  }

  /** @param {string} reminderId @returns {Reminder | null} */
  reminder(reminderId) {
    return call(this, "reminder", [reminderId]);
  }

  /** @param {RemindersOptions} [options] @returns {Reminder[]} */
  reminders(options) {
    return call(this, "reminders", [], options);
  }

  /** @param {string} name @param {NewJob} options @returns {string} */
  addJob(name, options) {
    return call(this, "addJob", [name], options);
  }

  /** @param {string} jobId @param {{error?: string | Error}} [options] @returns {void} */
  jobDone(jobId, options) {
    call(this, "jobDone", [jobId], options);
  }

  /** @param {string} jobId @returns {void} */
  pauseJob(jobId) {
    call(this, "pauseJob", [jobId]);
  }

  /** @param {string} jobId @returns {void} */
  resumeJob(jobId) {
    call(this, "resumeJob", [jobId]);
  }

  /** @param {string} jobId @returns {void} */
  removeJob(jobId) {
    call(this, "removeJob", [jobId]);
  }

  /** @param {Time | null} [at] @param {number} [limit] @returns {Job[]} */
  dueJobs(at, limit) {
    return call(this, "dueJobs", [at, limit]);
  }

  /** @param {string} jobId @returns {Job | null} */
  job(jobId) {
    return call(this, "job", [jobId]);
  }

  /** @param {JobsOptions} [options] @returns {Job[]} */
  jobs(options) {
    return call(this, "jobs", [], options);
  }

  // -- subagents and mailboxes ----------------------------------------------------------------------------------------

  /**
   * @param {string} parentSession
   * @param {string} agentType
   * @param {{childSession?: string; spawnDepth?: number}} [options]
   * @returns {string}
   */
  startSubagent(parentSession, agentType, options) {
    return call(this, "startSubagent", [parentSession, agentType], options);
  }

  /** @param {string} runId @param {{result?: string; error?: string | Error}} [options] @returns {void} */
  finishSubagent(runId, options) {
    call(this, "finishSubagent", [runId], options);
  }

  /** @param {string} runId @returns {SubagentRun | null} */
  subagent(runId) {
    return call(this, "subagent", [runId]);
  }

  /** @param {string} parentSession @param {{status?: SubagentStatus}} [options] @returns {SubagentRun[]} */
  subagents(parentSession, options) {
    return call(this, "subagents", [parentSession], options);
  }

  /** @param {string} agentId @param {string | null} [name] @param {AgentOptions} [options] @returns {void} */
  registerAgent(agentId, name, options) {
    call(this, "registerAgent", [agentId, name], options);
  }

  /** @returns {Agent[]} */
  agents() {
    return call(this, "agents", []);
  }

  /**
   * @param {string} fromAgent
   * @param {string} toAgent
   * @param {string} messageType
   * @param {unknown} [payload]
   * @param {NewMessageOptions} [options]
   * @returns {string}
   */
  sendMessage(fromAgent, toAgent, messageType, payload, options) {
    return call(this, "sendMessage", [fromAgent, toAgent, messageType, payload], options);
  }

  /** @param {string} agentId @param {{messageType?: string}} [options] @returns {Message | null} */
  claimMessage(agentId, options) {
    return call(this, "claimMessage", [agentId], options);
  }

  /** @param {string} messageId @param {string} agentId @returns {void} */
  completeMessage(messageId, agentId) {
    call(this, "completeMessage", [messageId, agentId]);
  }

  /** @param {string} messageId @param {string} agentId @returns {void} */
  releaseMessage(messageId, agentId) {
    call(this, "releaseMessage", [messageId, agentId]);
  }

  /** @param {string} messageId @returns {Message | null} */
  message(messageId) {
    return call(this, "message", [messageId]);
  }

  /** @param {string} agentId @param {MessagesOptions} [options] @returns {Message[]} */
  messages(agentId, options) {
    return call(this, "messages", [agentId], options);
  }

  /** @param {string} agentId @param {number} [limit] @returns {Message[]} */
  newMessages(agentId, limit) {
    return call(this, "newMessages", [agentId, limit]);
  }

  /** @param {string} agentId @returns {number} */
  unreadCount(agentId) {
    return call(this, "unreadCount", [agentId]);
  }

  /** @param {string} agentId @param {string} messageId @returns {void} */
  advanceMailbox(agentId, messageId) {
    call(this, "advanceMailbox", [agentId, messageId]);
  }
}
