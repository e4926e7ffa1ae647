// Compiles the modules of archives with the Python of the Pyodide runtime.
//   node compile_archives.mjs RUNTIME_FOLDER JOBS
// where JOBS is a JSON file: [{"given": PATH, "made": PATH, "drop": REGULAR EXPRESSION, "keep_empty": BOOLEAN, "keep_docs": REGULAR EXPRESSION}, ...]
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [runtime, jobs] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(join(runtime, "pyodide.mjs")).href);
// Places within lines would make the bytecode a third larger.
const env = { PYTHONNODEBUGRANGES: "1", HOME: "/home/pyodide" };
const pyodide = await loadPyodide({ indexURL: runtime, env });
const here = dirname(fileURLToPath(import.meta.url));
pyodide.FS.writeFile("compile_modules.py", readFileSync(join(here, "compile_modules.py"), "utf8"));
for (const { given, made, drop, keep_empty, keep_docs } of JSON.parse(readFileSync(jobs, "utf8"))) {
  pyodide.FS.writeFile("given.zip", readFileSync(given));
  pyodide.globals.set("drop", drop);
  pyodide.globals.set("keep_empty", keep_empty);
  pyodide.globals.set("keep_docs", keep_docs);
  pyodide.runPython(`
import compile_modules
with open("given.zip", "rb") as given, open("made.zip", "wb") as made:
    made.write(compile_modules.compiled(given.read(), drop=drop, keep_empty=keep_empty, keep_docs=keep_docs))`);
  writeFileSync(made, pyodide.FS.readFile("made.zip"));
}
