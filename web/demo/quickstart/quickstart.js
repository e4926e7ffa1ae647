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
/** @typedef {{code: string, message: string}} Refusal why what is stored was not opened */

const DIMENSIONS = 384;
const STORE = "quickstart";
const SCOPE = "/quickstart";
const PAGE = 100;
/** What stands in the way of the stored memory, and not of the page. */
const STAND_IN_FOR = ["STORAGE_DAMAGED", "STORAGE_VERSION", "STORAGE_DENIED", "STORAGE_UNAVAILABLE"];

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
  /** Set while the memory shown is a stand-in that is stored nowhere. */
  /** @type {Refusal | null} */ refused: null,
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
  app.refused = null;
  try {
    app.memory = await open({ ...given, persist: { whenLocked: "read", onStatus: showState, ...how } });
  } catch (error) {
    const { code, message } = problem(error);
    if (!STAND_IN_FOR.includes(code)) throw error;
    app.refused = { code, message };
    app.memory = await open({ ...given, persist: { backend: "memory", onStatus: showState } });
  }
  showFacts();
  showState();
  await showCopies();
}

/** Opens it anew, after a start that succeeded; what goes wrong stays on the strip. @param {PersistOptions} [how] */
async function openAgain(how) {
  try {
    await openMemory(how);
  } catch (error) {
    const { name, message } = problem(error);
    showFacts();
    view.status.show("failed", "The memory could not be opened", `${name}: ${message}`, { label: "Try again", run: reopen });
    throw error;
  }
}

/* ---- what the person does ---- */

/** @type {Promise<unknown>} */
let queue = Promise.resolve();

/**
 * Runs one change after the other, each after the start.
 *
 * @param {view.Line} line  Where the outcome is told.
 * @param {() => Promise<string>} work  Gives the sentence to show.
 * @returns {Promise<boolean>} Whether it worked.
 */
function enqueue(line, work) {
  const turn = queue.then(async () => {
    try {
      if (!app.embed) view.message(line, "One moment: this runs as soon as everything has started.");
      await started;
      view.message(line, await work());
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

function running() {
  if (!app.memory || !app.embed) throw new Error("The memory is not open; the line at the top says why.");
  return { memory: app.memory, embed: app.embed };
}

/** @param {{subject: string, content: string}[]} facts */
function remember(facts) {
  return enqueue("tell-message", async () => {
    const { memory, embed } = running();
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
  return enqueue("ask-message", async () => {
    const { memory, embed } = running();
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
  return app.memory !== null && !isLocked() && !isUnread();
}

/** Something is stored that this page cannot read: nothing may look as if it took its place. */
function isUnread() {
  return app.refused !== null && ["STORAGE_DAMAGED", "STORAGE_VERSION"].includes(app.refused.code);
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

/* ---- files ---- */

function exportMemory() {
  return enqueue("files-message", async () => {
    const { memory } = running();
    const contents = await persistenceOf(memory).exportFile();
    const name = `zengram-${STORE}-${new Date().toISOString().slice(0, 10)}.zengram`;
    view.download(contents, name);
    return `Exported as ${name} (${view.size(contents.size)}).`;
  });
}

/** @param {File} file */
function importMemory(file) {
  return enqueue("files-message", async () => {
    const { memory } = running();
    const { ZengramMemory: Memory, importStore } = await import("../zengram.js");
    const bytes = new Uint8Array(await file.arrayBuffer());
    const found = Memory.openFromSnapshot(bytes, DIMENSIONS); // throws for a file that is none, before anything is replaced
    const offered = countFacts(found);
    found.free();
    const yes = await view.confirmed({
      title: "Replace what it remembers?",
      detail: `“${file.name}” holds ${offered}. It takes the place of the ${countFacts(memory)} here, which are gone then unless you export them first.`,
      yes: "Replace",
      no: "Keep what is here",
    });
    if (!yes) return "Nothing was replaced.";
    await persistenceOf(memory).flush(); // a store that cannot be written keeps what it has
    app.memory = null;
    await persistenceOf(memory).close();
    memory.free();
    try {
      await importStore(STORE, bytes, { replace: true });
    } finally {
      await openAgain();
    }
    return `Imported ${offered} from “${file.name}”.`;
  });
}

/** @param {ZengramMemory} memory */
function countFacts(memory) {
  const most = 1000;
  const count = memory.facts(SCOPE, { limit: most + 1 }).length;
  return count === 1 ? "1 fact" : count > most ? `more than ${most} facts` : `${count} facts`;
}

/** @param {ZengramMemory} memory */
function persistenceOf(memory) {
  if (memory.persistence === null) throw new Error("The memory has no store.");
  return memory.persistence;
}

/** Damaged files that are kept can be taken along. */
async function showCopies() {
  const persistence = app.memory?.persistence;
  const copies = (await persistence?.listSetAside().catch(alreadyShown)) ?? [];
  view.showCopies(copies, (file) => {
    void enqueue("files-message", async () => {
      const bytes = await persistenceOf(running().memory).readSetAside(file);
      view.download(new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)]), file);
      return `Downloaded ${file}.`;
    });
  });
}

/* ---- showing ---- */

/** The strip and the form follow what is stored. */
function showState() {
  const now = status();
  if (!app.embed || now === null) return; // the strip still tells the start
  const { state, backend, lastSaved, error, persisted } = now;
  /** @type {HTMLFieldSetElement} */ (view.byId("tell-fields")).disabled = !isWritable();
  /** @type {HTMLButtonElement} */ (view.byId("export")).disabled = isUnread();
  /** @type {HTMLButtonElement} */ (view.byId("import")).disabled = !isWritable() || isWithoutStorage();

  if (isLocked()) {
    view.status.show(
      "locked",
      "Read-only: this memory is open in another tab",
      "You can ask here. Close the other tab to remember here, or try again to see its newest facts.",
      { label: "Try again", run: reopen },
    );
  } else if (app.refused?.code === "STORAGE_DAMAGED") {
    view.status.show(
      "damaged",
      "The stored memory is damaged",
      `${app.refused.message.split(" Open it with ")[0]} What is damaged is kept.`,
      { label: "Go on with what can be read", run: recover },
    );
  } else if (app.refused?.code === "STORAGE_VERSION") {
    view.status.show("newer", "The stored memory needs a newer version of this page", app.refused.message, {
      label: "Reload",
      run: () => location.reload(),
    });
  } else if (isWithoutStorage()) {
    view.status.show(
      "memory",
      "Not kept: this page cannot store anything here",
      `Everything works, but what you tell it is forgotten when this tab closes. ${app.refused?.message ?? error?.message ?? ""}`,
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
    const risk = persisted === false ? " · the browser may clear it when the disk is full" : "";
    view.status.show("ready", "Kept in this browser", `${place}, “${STORE}”): ${state === "saving" ? "saving…" : saved}${risk}`);
  }
}

/** @param {string | null} [freshId] */
function showFacts(freshId = null) {
  const found = app.memory?.facts(SCOPE, { limit: app.shown + 1 }) ?? [];
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
  if (isUnread() || app.memory === null) return "What was remembered cannot be read.";
  if (isLocked()) return "Nothing is remembered yet.";
  return "Nothing yet. Write a fact above, or begin with one of these.";
}

/** Takes the store if it is free by now, and shows what is stored now in any case. */
function reopen() {
  return enqueue("tell-message", async () => {
    await openAgain();
    return isLocked() ? "Still open in another tab; the facts shown are up to date." : "";
  });
}

function recover() {
  return enqueue("tell-message", async () => {
    await openAgain({ recover: true });
    view.byId("subject").focus();
    return `${countFacts(running().memory)} could be read. The damaged files are kept, and listed below.`;
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

view.byId("export").addEventListener("click", () => void exportMemory());
const importFile = /** @type {HTMLInputElement} */ (view.byId("import-file"));
view.byId("import").addEventListener("click", () => importFile.click());
importFile.addEventListener("change", () => {
  const file = importFile.files?.[0];
  if (file) void importMemory(file);
  importFile.value = ""; // the same file may be chosen again
});

addEventListener("beforeunload", guard);
restart();
