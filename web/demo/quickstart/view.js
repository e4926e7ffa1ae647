/**
 * What the quickstart shows: everything that touches the document, and nothing that knows Zengram.
 *
 * Text from people only ever becomes a text node, so a fact cannot be markup.
 */

/** @typedef {{id: string, subject: string, content: string, timeCreated: number}} Fact */
/** @typedef {{knowledgeId: string, subject: string, content: string, score: number, similarity: number}} Hit */
/** @typedef {{subject: string, content: string}} Sample */

/**
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element #${id}`);
  return /** @type {T} */ (element);
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const calendar = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

/** @param {number} bytes */
export function size(bytes) {
  return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** @param {number} ms Milliseconds since the epoch. */
export function timeOfDay(ms) {
  return new Date(ms).toLocaleTimeString();
}

/** @param {string} text Said to screen readers; the same sentence twice is said twice. */
export function announce(text) {
  byId("announcer").replaceChildren(element("span", {}, text));
}

/** The one strip that tells where the memory stands. */
export const status = {
  /**
   * @param {"booting" | "ready" | "memory" | "unsaved" | "locked" | "newer" | "damaged" | "failed"} state
   * @param {string} title
   * @param {string} detail
   * @param {{label: string, run: () => void}} [action]
   */
  show(state, title, detail, action) {
    const changed = byId("status").dataset.state !== state;
    byId("status").dataset.state = state;
    byId("status-title").textContent = title;
    byId("status-detail").textContent = detail;
    const button = byId("status-action");
    button.hidden = !action;
    if (action) {
      button.textContent = action.label;
      button.onclick = action.run;
    }
    if (!changed) return;
    announce(`${title}. ${detail}`);
    // Trouble is not left out of sight, where a reload may have scrolled to.
    if (action) byId("status").scrollIntoView({ block: "nearest" });
  },

  /**
   * @param {number} fraction
   * @param {string} detail
   */
  progress(fraction, detail) {
    if (byId("status").dataset.state !== "booting") return; // the other part may go on after one has failed
    /** @type {HTMLProgressElement} */ (byId("boot-progress")).value = fraction;
    byId("status-detail").textContent = detail;
  },
};

/** The lines that tell how something went. @typedef {"tell-message" | "ask-message" | "files-message"} Line */

/**
 * @param {Line} id
 * @param {string} text
 * @param {"note" | "error"} [kind]
 */
export function message(id, text, kind = "note") {
  const line = byId(id);
  line.dataset.kind = kind;
  line.replaceChildren(text ? element("span", {}, text) : "");
}

/** @param {Fact} fact */
function day(fact) {
  const date = new Date(fact.timeCreated / 1000);
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (date.toDateString() === today.toDateString()) return "Today";
  if (date.toDateString() === yesterday.toDateString()) return "Yesterday";
  return calendar.format(date);
}

/**
 * @param {object} shown
 * @param {Fact[]} shown.facts          Newest first.
 * @param {boolean} shown.more          There are older ones still.
 * @param {Sample[]} shown.samples      Samples not yet remembered.
 * @param {string | null} shown.freshId The fact that has just come.
 * @param {boolean} shown.readOnly
 * @param {string} shown.emptyText      Said when there are no facts.
 * @param {(samples: Sample[]) => void} shown.onAdd
 * @param {() => void} shown.onMore
 */
export function showFacts({ facts, more, samples, freshId, readOnly, emptyText, onAdd, onMore }) {
  const known = byId("known");
  const hadFocus = known.contains(document.activeElement);
  const parts = [];

  for (const [name, group] of Map.groupBy(facts, day)) {
    const rows = group.map((fact) => {
      const date = new Date(fact.timeCreated / 1000);
      const row = element(
        "li",
        { "data-id": fact.id },
        element("span", { class: "subject-name" }, fact.subject),
        element("span", { class: "text" }, fact.content),
        element("time", { datetime: date.toISOString() }, clock.format(date)),
      );
      if (fact.id === freshId) row.classList.add("fresh");
      return row;
    });
    parts.push(element("h3", { class: "group-name" }, name), element("ul", { class: "facts" }, ...rows));
  }
  if (more) {
    const button = element("button", { type: "button", class: "button quiet small" }, "Show older facts");
    button.onclick = onMore;
    parts.push(button);
  }
  if (!facts.length) parts.push(element("p", { class: "hint" }, emptyText));
  if (samples.length && !readOnly) parts.push(...sampleRows(samples, onAdd, facts.length === 0));

  known.replaceChildren(...parts);
  known.removeAttribute("aria-busy");
  byId("known-count").textContent = facts.length ? `${facts.length}${more ? "+" : ""}` : "";
  // The button that was pressed has left the document: the next one takes the focus, or else the heading's region.
  if (hadFocus) /** @type {HTMLElement} */ (known.querySelector(".samples button") ?? byId("subject")).focus();
}

/**
 * @param {Sample[]} samples
 * @param {(samples: Sample[]) => void} onAdd
 * @param {boolean} first
 */
function sampleRows(samples, onAdd, first) {
  const rows = samples.map((sample) => {
    const button = element(
      "button",
      { type: "button", "aria-label": `Add the sample ${sample.subject}: ${sample.content}` },
      element("span", { class: "subject-name" }, sample.subject),
      element("span", { class: "text" }, sample.content),
    );
    button.onclick = () => onAdd([sample]);
    return element("li", {}, button);
  });
  const all = element("button", { type: "button", class: "button quiet small", id: "add-all" }, "Add all");
  all.onclick = () => onAdd(samples);
  return [
    element("div", { class: "samples-head" }, element("p", {}, first ? "Sample facts" : "More sample facts"), all),
    element("ul", { class: "facts samples" }, ...rows),
  ];
}

/**
 * @param {string[]} questions
 * @param {(question: string) => void} onAsk
 */
export function showQuestions(questions, onAsk) {
  const chips = questions.map((question) => {
    const button = element("button", { type: "button" }, question);
    button.onclick = () => onAsk(question);
    return element("li", {}, button);
  });
  byId("sample-questions").replaceChildren(...chips);
}

/**
 * A bar for a number from 0 to 1. An SVG, because a `<meter>` cannot be styled alike everywhere, and a width in a style
 * attribute is what a strict policy refuses.
 *
 * @param {number} share
 */
function bar(share) {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  const filled = document.createElementNS(namespace, "rect");
  const value = Math.min(Math.max(share, 0), 1).toFixed(3);
  const attributes = { class: "bar", viewBox: "0 0 1 1", preserveAspectRatio: "none", role: "meter" };
  const values = { "aria-label": "Similarity", "aria-valuemin": "0", "aria-valuemax": "1", "aria-valuenow": value };
  for (const [name, text] of Object.entries({ ...attributes, ...values })) svg.setAttribute(name, text);
  filled.setAttribute("width", value);
  filled.setAttribute("height", "1");
  svg.append(filled);
  return svg;
}

/** @param {Hit[]} hits Best first. */
export function showHits(hits) {
  if (!hits.length) {
    showPlaceholder("Nothing it remembers comes close.", "Ask in other words, or tell it more.");
    return;
  }
  const rows = hits.map((hit, index) => {
    const similarity = hit.similarity ?? 0;
    return element(
      "li",
      { class: "hit", "data-id": hit.knowledgeId },
      element("span", { class: "rank", "aria-hidden": true }, String(index + 1)),
      element("span", { class: "subject-name" }, hit.subject),
      element("span", { class: "figure score" }, `score ${hit.score.toFixed(2)}`),
      element("span", { class: "text" }, hit.content),
      element(
        "div",
        { class: "measure" },
        bar(similarity),
        element("span", { class: "figure similarity" }, `similarity ${similarity.toFixed(2)}`),
      ),
    );
  });
  byId("results").replaceChildren(
    element("ol", { class: "hits", "aria-label": "Answers, best first" }, ...rows),
    element(
      "p",
      { class: "legend" },
      "Similarity is the cosine of the two meanings. The score weighs it with age and importance.",
    ),
  );
}

/**
 * @param {string} title
 * @param {string} text
 */
export function showPlaceholder(title, text) {
  byId("results").replaceChildren(element("div", { class: "placeholder" }, element("p", {}, title), element("p", {}, text)));
}

/**
 * Asks inside the page; Escape says no. The focus goes back to where it was.
 *
 * @param {{title: string, detail: string, yes: string, no: string}} question
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, detail, yes, no }) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("question-dialog"));
  byId("question-title").textContent = title;
  byId("question-detail").textContent = detail;
  byId("question-yes").textContent = yes;
  byId("question-no").textContent = no;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/**
 * Gives the person a file.
 *
 * @param {Blob} contents
 * @param {string} name
 */
export function download(contents, name) {
  const url = URL.createObjectURL(contents);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // when a download has begun with it, nobody tells
}

/**
 * @param {readonly {file: string, bytes: number}[]} copies Damaged files that were kept.
 * @param {(file: string) => void} onDownload
 */
export function showCopies(copies, onDownload) {
  const rows = copies.map(({ file, bytes }) => {
    const button = element("button", { type: "button", class: "button quiet small" }, `Download (${size(bytes)})`);
    button.setAttribute("aria-label", `Download (${size(bytes)}) the damaged file ${file}`);
    button.onclick = () => onDownload(file);
    return element("li", {}, element("span", { class: "file-name" }, file), button);
  });
  byId("copies").hidden = copies.length === 0;
  byId("copies").replaceChildren(
    element("h3", { class: "group-name" }, "Damaged files that were kept"),
    element("ul", { class: "copies" }, ...rows),
  );
}
