/**
 * `openMemory` and `openDb`: a memory and a database that restore and store themselves. How, is in persistence/.
 */
import { checkDim, checkOptions } from "./inputs.js";
import { ZengramMemory, adoptMemory } from "./memory.js";
import { openStored } from "./persistence/open.js";
import { running } from "./python.js";
import { ZetaDb, adoptDb } from "./zeta.js";
import { init } from "./zengram.js";

/** @import { OpenDbOptions, OpenMemoryOptions } from "./zengram.js" */

/** @param {OpenMemoryOptions} options @returns {Promise<ZengramMemory>} */
export async function openMemory(options) {
  checkOptions(options, "openMemory");
  const { name, dim, persist, ...boot } = options ?? {};
  const dimensions = checkDim(dim);
  const start = () => init(boot);
  if (persist === false) {
    await start();
    return ZengramMemory.open(dimensions);
  }
  const make = (/** @type {number} */ handle) =>
    /** @type {number} */ (running().call("durableMemory", handle, JSON.stringify([dimensions])));
  const opened = await openStored({ name, persist, make, start, owner: "openMemory" });
  return adoptMemory(opened.handle, opened.persistence);
}

/** @param {OpenDbOptions} options @returns {Promise<ZetaDb>} */
export async function openDb(options) {
  checkOptions(options, "openDb");
  const { name, persist, ...boot } = options ?? {};
  const start = () => init(boot);
  if (persist === false) {
    await start();
    return ZetaDb.open();
  }
  const make = (/** @type {number} */ handle) => /** @type {number} */ (running().call("durableZeta", handle, "[]"));
  const opened = await openStored({ name, persist, make, start, owner: "openDb" });
  return adoptDb(opened.handle, opened.persistence);
}
