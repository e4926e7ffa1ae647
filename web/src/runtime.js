/**
 * Starts Python in the page (or in Node) and speaks to `zengram_py.bridge`.
 *
 * Booting. Pyodide fetches its own files and says neither how far it is nor, for some of them, that they failed: a
 * missing .wasm only warns on the console and never settles. So every file is also fetched here, through the same
 * HTTP cache and ahead of Pyodide, which gives real byte counts and a definite error; the browser downloads each
 * file once. Nothing is patched, and a Content-Security-Policy of
 * `default-src 'self'; script-src 'self' 'wasm-unsafe-eval'` is enough.
 *
 *     lock file ──► wheels ──────────────┐
 *     pyodide.mjs, .asm.mjs, .wasm, zip ─┴─► interpreter + packages ─► import zengram_py ─► Bridge
 *
 * How long each step took is in the browser's performance timeline: the marks `zengram:runtime` (Python runs, packages
 * are unpacked), `zengram:numpy` (numpy is imported) and `zengram:ready`.
 *
 * Crossing. Arguments and results are JSON text, vectors and snapshots are buffers, objects are integer handles.
 * The only Python objects that JavaScript holds are the three bridge functions of a `Bridge`.
 */
import { textOf } from "./describe.js";
import { download, request } from "./downloads.js";
import { BootError, ZengramError, errorFromPython } from "./errors.js";

/** @typedef {import("./zengram.js").InitOptions} InitOptions */
/** @typedef {import("./downloads.js").Progress} Progress */
/** @typedef {{file_name: string, depends: string[]}} LockedPackage */
/** @typedef {{packages: Record<string, LockedPackage>}} LockFile */
/**
 * The few things of Pyodide that are used here.
 * @typedef {object} Pyodide
 * @property {Record<string, string>} loadedPackages
 * @property {(name: string) => PyModule} pyimport
 */
/** @typedef {Record<"call" | "set_function" | "export_bytes", {copy(): PyProxy}> & {destroy(): void}} PyModule */
/**
 * @typedef {((...args: unknown[]) => unknown) & {destroy(): void, getBuffer(type: string): {data: Uint8Array, release(): void}}} PyProxy
 */

/** The package that holds the bridge; the lock file says what it needs. */
const PACKAGE = "zengram-py";
const BRIDGE_MODULE = "zengram_py.bridge";

/** Pyodide's own files with their usual sizes: the total to show until the server has told the real ones. */
const RUNTIME_FILES = /** @type {const} */ ([
  ["pyodide.mjs", 18_000],
  ["pyodide.asm.mjs", 1_250_000],
  ["pyodide.asm.wasm", 9_600_000],
  ["python_stdlib.zip", 2_550_000],
]);
const USUAL_LOCK_SIZE = 2_000;
const USUAL_WHEEL_SIZE = 1_000_000;

/** How long the interpreter may take to start once everything has arrived; a slow phone needs about 30 seconds. */
const START_TIMEOUT_MS = 120_000;

/** An empty module: compiles wherever WebAssembly is allowed. */
const EMPTY_WASM = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);

/** The three bridge functions of a running interpreter. */
export class Bridge {
  #call;
  #setFunction;
  #exportBytes;
  /** The Python objects that are held now. @type {Set<unknown>} */
  #held;

  /** @param {{call: PyProxy, setFunction: PyProxy, exportBytes: PyProxy}} functions */
  constructor({ call, setFunction, exportBytes }) {
    this.#call = call;
    this.#setFunction = setFunction;
    this.#exportBytes = exportBytes;
    this.#held = new Set([call, setFunction, exportBytes]);
  }

  /** How many Python objects are held: the functions above, and in between what one of them gave. */
  get proxies() {
    return this.#held.size;
  }

  /**
   * @param {string} method
   * @param {number} handle 0 for calls that concern no object
   * @param {string} argsJson a JSON array
   * @param {Float32Array | Uint8Array} [buffer]
   * @returns {unknown}
   */
  call(method, handle, argsJson, buffer) {
    return this.#open(this.#run(method, () => this.#call(method, handle, argsJson, buffer)));
  }

  /**
   * @param {string} method which function Python is given
   * @param {number} handle
   * @param {((text: string) => unknown) | undefined} fn undefined takes it away
   * @param {readonly unknown[]} args what else the method takes
   */
  setFunction(method, handle, fn, args) {
    this.#open(this.#run(method, () => this.#setFunction(method, handle, fn, JSON.stringify(args))));
  }

  /**
   * @param {number} handle
   * @returns {Uint8Array} a copy that belongs to the caller
   */
  exportSnapshot(handle) {
    return this.bytes("exportSnapshot", handle);
  }

  /**
   * @param {string} method one whose result is bytes
   * @param {number} handle
   * @returns {Uint8Array} a copy that belongs to the caller
   */
  bytes(method, handle) {
    const answer = this.#run(method, () => this.#exportBytes(method, handle));
    if (typeof answer === "string") {
      this.#open(answer);
      throw new ZengramError(`${method} returned text instead of bytes.`);
    }
    const bytes = /** @type {PyProxy} */ (answer);
    this.#held.add(bytes);
    try {
      const view = bytes.getBuffer("u8");
      try {
        return view.data.slice();
      } finally {
        view.release();
      }
    } finally {
      bytes.destroy();
      this.#held.delete(bytes);
    }
  }

  /**
   * The bridge answers bad calls with an envelope, so an exception here means that the interpreter itself is in trouble.
   *
   * @param {string} method
   * @param {() => unknown} run
   */
  #run(method, run) {
    let answer;
    try {
      answer = run();
    } catch (cause) {
      const lines = textOf(cause instanceof Error ? cause.message : cause).trim().split("\n");
      // The message of a Python exception is its traceback, which ends with what happened.
      const reason = lines[0].startsWith("Traceback") ? lines.at(-1) : lines[0];
      throw new ZengramError(`${method} failed inside Python: ${reason}`, { cause });
    }
    if (answer === undefined) {
      throw new ZengramError(`${method} got no answer: Python has stopped, and the page has to be loaded again.`);
    }
    return answer;
  }

  /** @param {unknown} envelope */
  #open(envelope) {
    const { ok, error } = JSON.parse(/** @type {string} */ (envelope));
    if (error) throw errorFromPython(error);
    return ok;
  }
}

/**
 * Starts the interpreter once; call it again after a failure to try again.
 *
 * @param {InitOptions} options
 * @param {Progress} progress
 * @returns {Promise<Bridge>}
 */
export async function boot(options, progress) {
  const downloads = new AbortController();
  try {
    requireWasm();
    const where = locate(options);
    const files = isNode() ? await filesOnDisk(where) : filesOnServer(where, progress, downloads);
    await files.runtimeArrives;
    const { loadPyodide } = await import(/* webpackIgnore: true */ /* @vite-ignore */ files.moduleURL);
    const starting = /** @type {Promise<Pyodide>} */ (
      loadPyodide({
        indexURL: files.indexURL,
        lockFileContents: files.lock,
        packageBaseUrl: files.indexURL,
        packages: [PACKAGE],
      })
    );
    const pyodide = await Promise.race([starting, files.failure]);
    await files.lock.then((lock) => requirePackages(pyodide, lock));
    performance.mark("zengram:runtime");
    progress.importing();
    await paint();
    pyodide.pyimport("numpy").destroy();
    performance.mark("zengram:numpy");
    await paint();
    const bridge = importBridge(pyodide);
    performance.mark("zengram:ready");
    progress.ready();
    return bridge;
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BootError(`The Python runtime did not start: ${reason}`, { cause });
  } finally {
    downloads.abort();
  }
}

/** Importing holds the thread: lets the page paint and answer in between. */
function paint() {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** @param {Pyodide} pyodide */
function importBridge(pyodide) {
  const module = pyodide.pyimport(BRIDGE_MODULE);
  try {
    // An attribute is only borrowed from the proxy it was read from; a copy outlives that.
    return new Bridge({
      call: module.call.copy(),
      setFunction: module.set_function.copy(),
      exportBytes: module.export_bytes.copy(),
    });
  } finally {
    module.destroy();
  }
}

/** Pyodide would wait for ever where a page's policy forbids WebAssembly. */
function requireWasm() {
  try {
    new WebAssembly.Module(EMPTY_WASM);
  } catch (cause) {
    throw new BootError(
      "This page may not run WebAssembly: add 'wasm-unsafe-eval' to the script-src of its Content-Security-Policy.",
      { cause },
    );
  }
}

/** @param {Pyodide} pyodide @param {LockFile} lock */
function requirePackages(pyodide, lock) {
  // Pyodide only logs a package that it could not fetch or whose hash differs from the lock file's.
  const loaded = new Set(Object.keys(pyodide.loadedPackages).map(normalName));
  const missing = neededPackages(lock).filter((name) => !loaded.has(normalName(name)));
  if (missing.length > 0) {
    throw new BootError(`Not loaded: ${missing.join(", ")}. The file is missing or is not the one in the lock file.`);
  }
}

/** @param {string} name */
function normalName(name) {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}

/**
 * Our package and everything it depends on, as keys of the lock file.
 *
 * @param {LockFile} lock
 * @returns {string[]}
 */
function neededPackages(lock) {
  const keys = new Map(Object.keys(lock.packages).map((key) => [normalName(key), key]));
  const needed = new Set([PACKAGE]);
  for (const name of needed) {
    const key = keys.get(name);
    if (key === undefined) throw new BootError(`The lock file has no package ${name}.`);
    for (const dependency of lock.packages[key].depends) needed.add(normalName(dependency));
  }
  return [...needed].map((name) => /** @type {string} */ (keys.get(name)));
}

/**
 * @typedef {object} Places
 * @property {URL} index folder of the runtime
 * @property {URL} lockFile
 * @property {URL} platformWheels folder of the wheels that are built for one Pyodide version, such as numpy
 */

/**
 * The runtime and numpy may come from elsewhere; the lock file and our own wheels lie beside this module unless the
 * lock file's place is given too.
 *
 * @param {InitOptions} options
 * @returns {Places}
 */
function locate({ indexURL, lockFileURL, packageBaseUrl }) {
  const page = globalThis.location?.href;
  const ours = new URL("./pyodide/", import.meta.url);
  const index = indexURL === undefined ? ours : folder(new URL(indexURL, page));
  return {
    index,
    lockFile: lockFileURL === undefined ? new URL("pyodide-lock.json", ours) : new URL(lockFileURL, page),
    platformWheels: packageBaseUrl === undefined ? index : folder(new URL(packageBaseUrl, page)),
  };
}

/** @param {URL} url */
function folder(url) {
  return url.pathname.endsWith("/") ? url : new URL(`${url.pathname}/${url.search}`, url);
}

/**
 * Makes every file name of the lock file absolute.
 *
 * @param {LockFile} lock
 * @param {Places} where
 * @param {(url: URL) => string} toAddress
 * @returns {LockFile}
 */
function absoluteLock(lock, where, toAddress) {
  const packages = Object.entries(lock.packages).map(([name, entry]) => {
    const base = entry.file_name.endsWith("wasm32.whl") ? where.platformWheels : where.lockFile;
    return [name, { ...entry, file_name: toAddress(new URL(entry.file_name, base)) }];
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}

/**
 * @typedef {object} Files
 * @property {string} indexURL what Pyodide takes: an address in the page, a path in Node
 * @property {string} moduleURL
 * @property {Promise<LockFile>} lock
 * @property {Promise<unknown>} runtimeArrives the server has the runtime's files
 * @property {Promise<never>} failure rejects when a file cannot be had or the start takes too long
 */

/** @returns {boolean} */
function isNode() {
  return typeof process === "object" && typeof process.versions?.node === "string" && globalThis.document === undefined;
}

/**
 * @param {Places} where
 * @returns {Promise<Files>}
 */
async function filesOnDisk(where) {
  const { readFile, access } = await import("node:fs/promises");
  const { fileURLToPath } = await import("node:url");
  const lock = absoluteLock(JSON.parse(await readFile(where.lockFile, "utf8")), where, fileURLToPath);
  await Promise.all(RUNTIME_FILES.map(([name]) => access(new URL(name, where.index))));
  await Promise.all(neededPackages(lock).map((key) => access(lock.packages[key].file_name)));
  return {
    indexURL: fileURLToPath(where.index),
    moduleURL: new URL("pyodide.mjs", where.index).href,
    lock: Promise.resolve(lock),
    runtimeArrives: Promise.resolve(),
    failure: new Promise(() => {}),
  };
}

/**
 * @param {Places} where
 * @param {Progress} progress
 * @param {AbortController} abort
 * @returns {Files}
 */
function filesOnServer(where, progress, abort) {
  const runtime = RUNTIME_FILES.map(([name, size]) => {
    const url = new URL(name, where.index).href;
    progress.add(url, "runtime", size);
    return download(url, progress, abort.signal);
  });
  progress.add(where.lockFile.href, "packages", USUAL_LOCK_SIZE);
  const lock = fetchLock(where, progress, abort.signal);
  const wheels = lock.then((contents) => {
    const started = neededPackages(contents).map((key) => {
      const url = contents.packages[key].file_name;
      progress.add(url, "packages", USUAL_WHEEL_SIZE);
      return download(url, progress, abort.signal);
    });
    return Promise.all(started.map((file) => file.end));
  });
  const everything = Promise.all([...runtime.map((file) => file.end), wheels]);
  const failure = everything.then(() => tooLate(abort.signal));
  // Each of these is awaited further on, or another one has failed first and its error is the one that is reported.
  for (const promise of [failure, lock, ...runtime.map((file) => file.start)]) promise.catch(() => {});
  return {
    indexURL: where.index.href,
    moduleURL: new URL("pyodide.mjs", where.index).href,
    lock,
    // A module that failed to load may stay failed for the life of the page, so import only what is there.
    runtimeArrives: Promise.all([lock, ...runtime.map((file) => file.start)]),
    failure,
  };
}

/** @param {AbortSignal} signal @returns {Promise<never>} */
function tooLate(signal) {
  return new Promise((_, reject) => {
    const seconds = START_TIMEOUT_MS / 1000;
    const error = new BootError(`Python did not start within ${seconds} seconds; the console may say why.`);
    const timer = setTimeout(() => reject(error), START_TIMEOUT_MS);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}

/**
 * @param {Places} where
 * @param {Progress} progress
 * @param {AbortSignal} signal
 * @returns {Promise<LockFile>}
 */
async function fetchLock(where, progress, signal) {
  const url = where.lockFile.href;
  const response = await request(url, signal);
  const text = await response.text();
  progress.received(url, text.length);
  progress.finished(url);
  return absoluteLock(JSON.parse(text), where, (address) => address.href);
}
