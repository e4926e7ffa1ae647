/** Runs a case for a subject that needs a worker: only there are files written synchronously. */
import { CASES } from "./cases.js";

const worker = /** @type {{postMessage(message: unknown): void, onmessage: ((event: MessageEvent) => void) | null}} */ (
  /** @type {unknown} */ (globalThis)
);

worker.onmessage = async ({ data }) => {
  if (data === "echo") {
    worker.postMessage(data);
    return;
  }
  try {
    const { subject } = await import(`./subjects/${data.subject}.js`);
    worker.postMessage({ ok: await CASES[data.case](subject, data.plan) });
  } catch (error) {
    worker.postMessage({ error: String(error instanceof Error ? error.stack : error) });
  }
};
worker.postMessage("ready");
