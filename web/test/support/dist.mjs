/** Where the built bundle is; ZENGRAM_DIST names another one. */
import { readdir } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const given = process.env.ZENGRAM_DIST;

export const DIST = given ? pathToFileURL(`${given}/`) : new URL("../../../dist/", import.meta.url);

/** @returns {Promise<typeof import("../../src/node.mjs")>} */
export function importNode() {
  return import(new URL("node.mjs", DIST).href);
}

/** @returns {Promise<typeof import("../../src/zengram.js")>} */
export function importPage() {
  return import(new URL("zengram.js", DIST).href);
}

/** The folder of the Pyodide runtime; its name carries a hash. @returns {Promise<URL>} */
export async function runtimeFolder() {
  const assets = new URL("assets/", DIST);
  const [name] = (await readdir(assets)).filter((entry) => entry.startsWith("pyodide-"));
  return new URL(`${name}/`, assets);
}
