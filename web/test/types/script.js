// What a page's checked JavaScript may write. It is type-checked, never run.
import init, { ZengramMemory } from "../../src/zengram.js";

await init();
const memory = ZengramMemory.open(3);
/** @type {import("../../src/zengram.js").Hit[]} */
export const hits = memory.recallWithVector("query", "/", [1, 2, 3]);
// @ts-expect-error there is no such method
memory.forgetEverything();
