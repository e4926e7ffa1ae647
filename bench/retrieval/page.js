/**
 * The page of bench/retrieval/run.py: one case for one subject, ours or a peer, as the address says.
 *
 *     ?case=vectors&subject=hnswlib&data=vectors-10000
 *
 * A subject is a module of the folder peers/, with a function for each case that it takes part in. What was measured goes to
 * `report`, a function of the program that opened the page: a page whose thread is busy for a minute cannot be asked.
 */
import { described, tell } from "./measure.js";
import { CASES } from "./cases.js";

const query = new URLSearchParams(location.search);
const name = query.get("case") ?? "";
const subject = query.get("subject") ?? "";
const data = query.get("data") ?? "";

/** @type {(text: string) => Promise<void>} */
const report = Reflect.get(globalThis, "report");

try {
  const module = await import(`./peers/${subject}.js`);
  await report(JSON.stringify({ ok: await CASES[name](module, data) }));
} catch (error) {
  tell(`${subject}: ${error instanceof Error ? error.stack?.slice(0, 1000) : error}`);
  await report(JSON.stringify({ error: described(error) }));
}
