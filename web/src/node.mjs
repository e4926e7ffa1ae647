/**
 * Zengram in Node: boots Python while this module loads, so there is nothing to wait for afterwards.
 *
 *     import { ZengramMemory } from "./node.mjs";
 *     const memory = ZengramMemory.open(384);
 *
 * The runtime lies on disk in ./pyodide/; nothing is downloaded.
 */
import { createRequire } from "node:module";

import init from "./zengram.js";

// Pyodide makes its own global `require` where there is none, and would import a websocket package for it that the
// library never uses; with a real one in place it does neither.
/** @type {any} */ (globalThis).require ??= createRequire(import.meta.url);

await init();

export * from "./zengram.js";
export { init as default };
