// A benchmark that is a Python module: ?module=name&runs=n calls name.measure(runs) inside Pyodide.
import { loadPyodide } from "../pyodide/pyodide.mjs";

const query = new URLSearchParams(location.search);
const pyodide = await loadPyodide({ indexURL: "/pyodide/" });
await pyodide.loadPackage("zengram-py", { messageCallback: () => {} });
const name = query.get("module");
pyodide.FS.writeFile(`${name}.py`, await (await fetch(`./${name}.py`)).text());
const text = pyodide.runPython(`
import json, ${name}
json.dumps(${name}.measure(${Number(query.get("runs"))}))`);
globalThis.benchResult = JSON.parse(text);
