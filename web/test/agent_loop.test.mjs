/** The whole loop of an agent; e2e/test_agent_loop.py runs the same checks in a page. */
import assert from "node:assert/strict";
import { it } from "node:test";

import { agentLoop } from "./support/agent_loop.mjs";
import { importNode } from "./support/dist.mjs";

const { ZengramMemory, ZetaDb } = await importNode();

/** @type {Map<string, boolean>} */
const checks = new Map();
agentLoop(ZengramMemory, ZetaDb, (name, holds) => checks.set(name, holds));

it("every check was made", () => assert.ok(checks.size >= 90, `${checks.size}`));
for (const [name, holds] of checks) it(name, () => assert.ok(holds));
