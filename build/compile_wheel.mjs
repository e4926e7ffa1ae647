// Compiles the modules of a wheel with the Python of the Pyodide runtime.
//   node compile_wheel.mjs RUNTIME_FOLDER WHEEL RESULT
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [runtime, wheel, result] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(join(runtime, "pyodide.mjs")).href);
// Places within lines would make the bytecode a third larger.
const env = { PYTHONNODEBUGRANGES: "1", HOME: "/home/pyodide" };
const pyodide = await loadPyodide({ indexURL: runtime, env });
const here = dirname(fileURLToPath(import.meta.url));
pyodide.FS.writeFile("compile_modules.py", readFileSync(join(here, "compile_modules.py"), "utf8"));
pyodide.FS.writeFile("given.whl", readFileSync(wheel));
pyodide.runPython("import compile_modules; open('made.whl', 'wb').write(compile_modules.compiled(open('given.whl', 'rb').read()))");
writeFileSync(result, pyodide.FS.readFile("made.whl"));
