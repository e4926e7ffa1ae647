/**
 * The page of bench/persistence.py: one case for one subject, as the address says.
 *
 *     ?case=commits&subject=sqlite&plan={"from": 0, "to": 1000, …}
 *
 * A subject that needs a worker runs in one, and so do its clocks; `echo` is what a page waits more there, for a message
 * to a worker and back. What was measured goes to `globalThis.benchResult`.
 */
import { CASES } from "./cases.js";

const query = new URLSearchParams(location.search);
const name = query.get("subject") ?? "";
const told = { case: query.get("case") ?? "", subject: name, plan: JSON.parse(query.get("plan") ?? "{}") };
const ECHOES = 1000;

/** @param {Worker} worker @param {unknown} message @returns {Promise<any>} */
function ask(worker, message) {
  return new Promise((resolve) => {
    worker.addEventListener("message", ({ data }) => resolve(data), { once: true });
    worker.postMessage(message);
  });
}

async function inWorker() {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  await new Promise((resolve) => worker.addEventListener("message", resolve, { once: true })); // it says that it is there
  const start = performance.now();
  for (let i = 0; i < ECHOES; i++) await ask(worker, "echo");
  const echo = (performance.now() - start) / ECHOES; // each alone is too short for the clock
  const answer = await ask(worker, told);
  worker.terminate();
  return { ...answer, echo };
}

async function run() {
  const { subject } = await import(`./subjects/${name}.js`);
  return subject.inWorker ? inWorker() : { ok: await CASES[told.case](subject, told.plan) };
}

Reflect.set(globalThis, "benchResult", await run().catch((error) => ({ error: String(error?.stack ?? error) })));
