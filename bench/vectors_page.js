// The page of bench/vectors.py: vectors_cases.py inside Pyodide.
import { loadPyodide } from "../pyodide/pyodide.mjs";

const query = new URLSearchParams(location.search);
const pyodide = await loadPyodide({ indexURL: "/pyodide/" });
await pyodide.loadPackage("zengram-py", { messageCallback: () => {} });
pyodide.FS.writeFile("vectors_cases.py", await (await fetch("./vectors_cases.py")).text());
const cases = pyodide.pyimport("vectors_cases");
const tell = (text) => console.log(`${text} done`);
const sizes = pyodide.toPy(query.get("sizes").split(",").map(Number));
globalThis.benchResult = JSON.parse(cases.measure_json(sizes, Number(query.get("sweep")), tell));
