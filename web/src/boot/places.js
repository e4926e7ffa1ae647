/**
 * Where the files of a start are: the runtime's folder and the wheels that a lock file names.
 *
 * A build knows its own lock file and runtime (build.js); a page may name others.
 */
import { BUILD } from "../build.js";
import { BootError } from "../errors.js";

/** @typedef {import("../zengram.js").InitOptions} InitOptions */
/** @typedef {{file_name: string, sha256: string, depends: string[], size?: number, upstream?: {file_name: string, sha256: string}}} LockedPackage */
/** @typedef {{packages: Record<string, LockedPackage>}} LockFile */
/**
 * @typedef {object} Wheel
 * @property {string} name
 * @property {URL} url
 * @property {string} sha256
 * @property {number} size usual one, if it is not known
 */
/**
 * @typedef {object} Places
 * @property {URL} index folder of the runtime
 * @property {URL} lockFile what the names in the lock file are relative to
 * @property {LockFile | null} lock if it is known already
 * @property {URL | null} platformWheels folder of the wheels as Pyodide publishes them, if the page named one
 * @property {boolean} own whether these are the files that belong to this build, all of them
 */

/** The package that holds the bridge; the lock file says what it needs. */
const PACKAGE = "zengram-py";

/** Pyodide's own files with their usual sizes: the total to show until the server has told the real ones. */
const RUNTIME_SIZES = {
  "pyodide.mjs": 18_000,
  "pyodide.asm.mjs": 1_250_000,
  "pyodide.asm.wasm": 9_600_000,
  "python_stdlib.zip": 6_400_000,
};
const USUAL_WHEEL_SIZE = 2_000_000;

/** @typedef {keyof typeof RUNTIME_SIZES} RuntimeFile */
export const RUNTIME_FILES = /** @type {RuntimeFile[]} */ (Object.keys(RUNTIME_SIZES));

/** @param {RuntimeFile} name */
export function sizeOfRuntimeFile(name) {
  return BUILD?.sizes[name] ?? RUNTIME_SIZES[name];
}

/** The folder of zengram.js, where everything else is found from. */
export function root() {
  // A module's address tells where the build is; the sources lie one folder above this one.
  return BUILD === null ? new URL("../", import.meta.url) : new URL(`../${BUILD.root}`, import.meta.url);
}

/**
 * @param {InitOptions} options
 * @returns {Places}
 */
export function locate({ indexURL, lockFileURL, packageBaseUrl }) {
  const page = globalThis.location?.href;
  const beside = new URL("pyodide/", root());
  return {
    index: indexURL == null ? new URL(BUILD?.index ?? "pyodide/", root()) : folder(new URL(indexURL, page)),
    lockFile: lockFileURL == null ? new URL("pyodide-lock.json", beside) : new URL(lockFileURL, page),
    lock: lockFileURL == null ? (BUILD?.lock ?? null) : null,
    platformWheels: packageBaseUrl == null ? null : folder(new URL(packageBaseUrl, page)),
    own: BUILD !== null && indexURL == null && lockFileURL == null && packageBaseUrl == null,
  };
}

/** @param {URL} url */
function folder(url) {
  return url.pathname.endsWith("/") ? url : new URL(`${url.pathname}/${url.search}`, url);
}

/**
 * Our wheel and those of everything it depends on.
 *
 * @param {LockFile} lock
 * @param {Places} where
 * @returns {Wheel[]}
 */
export function wheelsOf(lock, where) {
  const keys = new Map(Object.keys(lock.packages).map((key) => [normalName(key), key]));
  const needed = new Set([PACKAGE]);
  /** @type {Wheel[]} */
  const wheels = [];
  for (const name of needed) {
    const key = keys.get(name);
    if (key === undefined) throw new BootError(`The lock file has no package ${name}.`);
    const entry = lock.packages[key];
    for (const dependency of entry.depends) needed.add(normalName(dependency));
    wheels.push(wheelOf(name, entry, where));
  }
  return wheels;
}

/** @param {string} name @param {LockedPackage} entry @param {Places} where @returns {Wheel} */
function wheelOf(name, entry, where) {
  const size = entry.size ?? USUAL_WHEEL_SIZE;
  if (where.platformWheels === null || !entry.file_name.endsWith("wasm32.whl")) {
    return { name, url: new URL(entry.file_name, where.lockFile), sha256: entry.sha256, size };
  }
  // Elsewhere lies the wheel as it was published, not as the build made it smaller.
  const { file_name, sha256 } = entry.upstream ?? entry;
  return { name, url: new URL(/** @type {string} */ (file_name.split("/").at(-1)), where.platformWheels), sha256, size };
}

/** @param {string} name */
function normalName(name) {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}
