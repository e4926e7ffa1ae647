/**
 * The quickstart: remember facts, ask in other words, and find everything again after a reload.
 *
 * Two things start side by side (the memory, for which Python starts and the store in the browser is read, and the language
 * model), and the page is usable before they are there: what is submitted early waits for them. The memory is synchronous and
 * stores itself; only embedding takes time, and every change runs through one queue, so that changes never overlap.
 */

import * as view from "./view.js";

/** @typedef {import("../zengram.js").ZengramMemory} ZengramMemory */
/** @typedef {import("../embedders.js").Embedder} Embedder */
/** @import { PersistOptions } from "../zengram.js" */

const DIMENSIONS = 384;
const STORE = "quickstart";
const SCOPE = "/quickstart";
const PAGE = 100;

const SAMPLES = [
  { subject: "drinks", content: "user drinks green tea" },
  { subject: "car", content: "user drives a red Toyota" },
  { subject: "food", content: "user is allergic to peanuts" },
  { subject: "pets", content: "user has a dog named Rex" },
  { subject: "work", content: "user is a software engineer in Berlin" },
  { subject: "habit", content: "The user enjoys a cup of coffee every morning" },
];
const QUESTIONS = ["what hot beverage do I like?", "what can't I eat?", "do I own any animals?", "which city am I in?"];

/** What the page holds; `null` until it is there. */
const app = {
  /** @type {ZengramMemory | null} */ memory: null,
  /** @type {Embedder | null} */ embed: null,
  /** Facts to show at most; grows by a page a click. */ shown: PAGE,
  /** What is the matter with the stored memory; set until the person decides to go on with what can be read. */
  /** @type {string | null} */ damaged: null,
};

/* ---- starting ---- */

/** How far each part is. */
const parts = {
  runtime: { fraction: 0, text: "Python runtime" },
  model: { fraction: 0, text: "language model" },
};

/** @param {keyof typeof parts} part */
function track(part) {
  return (/** @type {{fraction: number, message: string}} */ { fraction, message }) => {
    parts[part] = { fraction, text: fraction < 1 ? `${message} ${Math.floor(fraction * 100)}%` : message };
    // Weights: what each part takes of the time on a machine that has the files already.
    const whole = 0.7 * parts.runtime.fraction + 0.3 * parts.model.fraction;
    view.status.progress(whole, `${parts.runtime.text} · ${parts.model.text}`);
  };
}

/**
 * Runs `work` until it has succeeded once; calls meanwhile share one try.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {() => Promise<T>}
 */
function once(work) {
  /** @type {Promise<T> | null} */
  let running = null;
  return () => {
    running ??= work().catch((error) => {
      running = null;
      throw error;
    });
    return running;
  };
}

// Imported here and not at the top: a file that is missing is then an error that the page can show.
const startMemory = once(() => openMemory());
const startModel = once(async () => {
  const { createMiniLM } = await import("../embedders.js");
  app.embed = await createMiniLM({ onProgress: track("model") });
});

async function start() {
  view.status.show("booting", "Starting in this tab", "Asking for the Python runtime and the language model…");
  try {
    await Promise.all([startMemory(), startModel()]);
  } catch (error) {
    const { name, message } = problem(error);
    view.status.show("failed", "Zengram could not start", `${name}: ${message}`, { label: "Try again", run: restart });
    throw error;
  }
  showState();
}

/** Settles once everything has started; each new try replaces it. @type {Promise<void>} */
let started;

function restart() {
  started = start();
  started.catch(alreadyShown);
}

/** @param {unknown} error */
function alreadyShown(error) {
  console.error(error);
}

/**
 * Opens the memory that is stored, or a new one; called again, it shows what is stored by now.
 *
 * @param {PersistOptions} [how]
 */
async function openMemory(how) {
  const { openMemory: open } = await import("../zengram.js");
  const before = app.memory;
  app.memory = null;
  await before?.persistence?.close();
  before?.free();
  const given = { name: STORE, dim: DIMENSIONS, onProgress: track("runtime") };
  app.damaged = null;
  try {
    app.memory = await open({ ...given, persist: { whenLocked: "read", onStatus: showState, ...how } });
  } catch (error) {
    const { code, message } = problem(error);
    if (code === "STORAGE_DAMAGED") app.damaged = message;
    else if (code !== "STORAGE_DENIED" && code !== "STORAGE_UNAVAILABLE") throw error;
    app.memory = await open({ ...given, persist: { backend: "memory", onStatus: showState } });
  }
  showFacts();
  showState();
}

/* ---- what the person does ---- */

/** @type {Promise<unknown>} */
let queue = Promise.resolve();

/**
 * Runs one change after the other, each after the start.
 *
 * @param {"tell-message" | "ask-message"} line  Where the outcome is told.
 * @param {(memory: ZengramMemory, embed: Embedder) => Promise<string>} work  Gives the sentence to show.
 * @returns {Promise<boolean>} Whether it worked.
 */
function enqueue(line, work) {
  const turn = queue.then(async () => {
    try {
      if (!app.embed) view.message(line, "One moment: this runs as soon as everything has started.");
      await started;
      if (!app.memory || !app.embed) throw new Error("Zengram has not started.");
      view.message(line, await work(app.memory, app.embed));
      return true;
    } catch (error) {
      const { name, message } = problem(error);
      view.message(line, `${name}: ${message}`, "error");
      return false;
    }
  });
  queue = turn;
  return turn;
}

/** @param {{subject: string, content: string}[]} facts */
function remember(facts) {
  return enqueue("tell-message", async (memory, embed) => {
    if (!isWritable()) return "This tab is read-only, so nothing was remembered.";
    const before = new Map(memory.facts(SCOPE, { limit: app.shown }).map((fact) => [fact.subject, fact]));
    let id = "";
    for (const { subject, content } of facts) {
      const vector = await embed(`${subject}: ${content}`);
      id = memory.rememberWithVector(subject, content, SCOPE, vector);
    }
    showFacts(id);
    if (facts.length > 1) return `Remembered ${facts.length} facts.`;
    const old = before.get(facts[0].subject);
    if (!old) return `Remembered “${facts[0].subject}”.`;
    return old.id === id ? "It knew that already." : `Remembered. It replaces “${old.content}”.`;
  });
}

/** @param {string} question */
function ask(question) {
  return enqueue("ask-message", async (memory, embed) => {
    if (!memory.facts(SCOPE, { limit: 1 }).length) {
      view.showPlaceholder("There is nothing to recall yet.", "Tell it a fact first, or add the samples.");
      return "";
    }
    const vector = await embed(question);
    const start = performance.now();
    const hits = memory.recallWithVector(question, SCOPE, vector);
    const took = performance.now() - start;
    view.showHits(hits);
    return `${hits.length} ${hits.length === 1 ? "answer" : "answers"} in ${took.toFixed(1)} ms.`;
  });
}

/* ---- keeping ---- */

function status() {
  return app.memory?.persistence?.status ?? null;
}

function isLocked() {
  return status()?.state === "locked";
}

function isWritable() {
  return !isLocked() && app.damaged === null;
}

function isWithoutStorage() {
  return status()?.backend === "memory";
}

/** What could not be stored is not lost by a closed tab without a word. @param {BeforeUnloadEvent} event */
function guard(event) {
  const now = status();
  if (now?.state === "error" && now.pendingBytes > 0) event.preventDefault();
}

async function saveAgain() {
  await app.memory?.persistence?.flush().catch(alreadyShown); // the status has told it
}

/* ---- showing ---- */

/** The strip and the form follow what is stored. */
function showState() {
  const now = status();
  if (!app.embed || now === null) return; // the strip still tells the start
  const { state, backend, lastSaved, error } = now;
  /** @type {HTMLFieldSetElement} */ (view.byId("tell-fields")).disabled = !isWritable();

  if (isLocked()) {
    view.status.show(
      "locked",
      "Read-only: this memory is open in another tab",
      "You can ask here. Close the other tab to remember here, or try again to see its newest facts.",
      { label: "Try again", run: reopen },
    );
  } else if (app.damaged !== null) {
    view.status.show(
      "damaged",
      "The stored memory is damaged",
      `${app.damaged.split(" Open it with ")[0]} What is damaged is kept.`,
      { label: "Go on with what can be read", run: recover },
    );
  } else if (isWithoutStorage()) {
    view.status.show(
      "memory",
      "Not kept: this browser lets the page store nothing",
      "Everything works, but is forgotten when this tab closes. Private windows and blocked site data do this.",
      { label: "Try again", run: reopen },
    );
  } else if (state === "error") {
    view.status.show("unsaved", "The last change is not saved", error?.message ?? "The browser refused to write.", {
      label: "Save again",
      run: () => void saveAgain(),
    });
  } else {
    const saved = lastSaved === null ? "nothing saved yet" : `saved at ${view.timeOfDay(lastSaved)}`;
    const place = backend === "opfs" ? "Private storage of this site (OPFS" : "Storage of this site (IndexedDB";
    view.status.show("ready", "Kept in this browser", `${place}, “${STORE}”): ${state === "saving" ? "saving…" : saved}`);
  }
}

/** @param {string | null} [freshId] */
function showFacts(freshId = null) {
  if (!app.memory) return;
  const found = app.memory.facts(SCOPE, { limit: app.shown + 1 });
  const facts = found.slice(0, app.shown);
  const subjects = new Set(facts.map((fact) => fact.subject));
  view.showFacts({
    facts,
    more: found.length > app.shown,
    samples: facts.length < 12 ? SAMPLES.filter((sample) => !subjects.has(sample.subject)) : [],
    freshId,
    readOnly: !isWritable(),
    emptyText: emptyText(),
    onAdd: remember,
    onMore: () => {
      app.shown += PAGE;
      showFacts();
    },
  });
}

function emptyText() {
  if (app.damaged !== null) return "What was remembered cannot be read.";
  if (isLocked()) return "Nothing is remembered yet.";
  return "Nothing yet. Write a fact above, or begin with one of these.";
}

/** Takes the store if it is free by now, and shows what is stored now in any case. */
function reopen() {
  return enqueue("tell-message", async () => {
    await openMemory();
    return isLocked() ? "Still open in another tab; the facts shown are up to date." : "";
  });
}

function recover() {
  return enqueue("tell-message", async () => {
    await openMemory({ recover: true });
    view.byId("subject").focus();
    return "";
  });
}

/**
 * @param {unknown} error
 * @returns {{name: string, code: string, message: string}}
 */
function problem(error) {
  if (!(error instanceof Error)) return { name: "Error", code: "", message: String(error) };
  return { name: error.name, code: "code" in error ? String(error.code) : "", message: error.message };
}

/* ---- wiring ---- */

const tellForm = view.byId("tell-form");
const subject = /** @type {HTMLInputElement} */ (view.byId("subject"));
const content = /** @type {HTMLInputElement} */ (view.byId("content"));
const question = /** @type {HTMLInputElement} */ (view.byId("question"));

tellForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const fact = { subject: subject.value.trim(), content: content.value.trim() };
  if (!fact.subject || !fact.content) {
    view.message("tell-message", "A fact needs a subject and a sentence.", "error");
    return;
  }
  subject.value = "";
  content.value = "";
  subject.focus();
  void remember([fact]).then((remembered) => {
    if (remembered || subject.value || content.value) return;
    subject.value = fact.subject;
    content.value = fact.content;
  });
});

view.byId("ask-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (question.value.trim()) void ask(question.value.trim());
});

view.showQuestions(QUESTIONS, (sample) => {
  question.value = sample;
  void ask(sample);
});

addEventListener("beforeunload", guard);
restart();
