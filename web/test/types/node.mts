// What a Node program may write. It is type-checked, never run.
import init, { type Hit, ZengramMemory } from "../../src/node.mjs";

const memory = ZengramMemory.open(3);
export const hits: Hit[] = memory.recallWithVector("query", "/", [1, 2, 3]);
await init();
