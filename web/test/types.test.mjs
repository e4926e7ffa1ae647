/** The hand-written declarations: usable, complete, documented, and true to the JavaScript. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFile, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";

const WEB = fileURLToPath(new URL("../", import.meta.url));
const TSC = join(WEB, "node_modules", "typescript", "bin", "tsc");
const DECLARATIONS = ["zengram.d.ts", "records.d.ts", "context.d.ts", "work.d.ts", "code.d.ts"];
const COMMON = ["--ignoreConfig", "--strict", "--target", "es2024", "--module", "nodenext", "--lib", "es2024,dom,dom.iterable,dom.asynciterable"];

/** @param {string[]} args */
function tsc(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [TSC, ...COMMON, ...args], { cwd: WEB, encoding: "utf8" });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

it("pages and Node programs type-check against them, and mistakes do not", () => {
  // Without skipLibCheck, so the declarations themselves are checked too.
  const files = ["page.ts", "node.mts"].map((file) => join("test", "types", file));
  tsc("--noEmit", ...files);
});

it("they agree with what tsc derives from the JavaScript", async () => {
  const folder = await mkdtemp(join(tmpdir(), "zengram-"));
  try {
    tsc("--allowJs", "--declaration", "--emitDeclarationOnly", "--skipLibCheck", "--types", "node", "--outDir", folder, "src/zengram.js");
    await rename(join(folder, "zengram.d.ts"), join(folder, "implementation.d.ts"));
    for (const name of DECLARATIONS) await copyFile(join(WEB, "src", name), join(folder, name));
    await copyFile(join(WEB, "test", "types", "implementation.ts.txt"), join(folder, "compare.ts"));
    await copyFile(join(WEB, "src", "package.json"), join(folder, "package.json"));
    tsc("--noEmit", "--skipLibCheck", join(folder, "compare.ts"));
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("every value that is declared is exported, and the other way round", async () => {
  const declarations = await readFile(join(WEB, "src", "zengram.d.ts"), "utf8");
  const declared = [...declarations.matchAll(/^export declare (?:class|function|const) (\w+)/gm)].map((match) => match[1]);
  declared.push("default");
  assert.match(declarations, /^export default init;/m);
  const module = await import("../src/zengram.js");
  assert.deepEqual(Object.keys(module).sort(), declared.sort());
});

it("every exported name and every method has a comment", async () => {
  const texts = await Promise.all(DECLARATIONS.map((name) => readFile(join(WEB, "src", name), "utf8")));
  const lines = texts.join("\n").split("\n");
  const bare = lines.filter((line, i) => {
    const declares = /^export (declare|interface|type \w)|^  (static )?[\w.[\]]+\(.*;$/.test(line);
    return declares && !/^\s*(\*\/|\/\*\*.*\*\/)$/.test(lines[i - 1]) && !line.includes("constructor(");
  });
  assert.deepEqual(bare, []);
});
