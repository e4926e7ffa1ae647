/**
 * Starts Python in the page (or in Node) and speaks to `zengram_py.bridge`.
 *
 * A visit starts in one of two ways (boot/interpreter.js has the difference):
 *
 *     first   files ─► Python starts ─► everything is imported and rehearsed ─► image taken ─► Bridge ─► image kept, when idle
 *     later   image ─► memory is copied in ─► new randomness ─► Bridge
 *
 * An image that is damaged, or of another build or browser, is dropped, and the visit is like a first one. Where nothing can
 * be kept (Node, no storage, `snapshot: false`, files from elsewhere, another tab that is at it), a start imports only what a
 * first call needs.
 *
 * Pyodide fetches its own files and says neither how far it is nor, for some of them, that they failed: a missing .wasm
 * only warns on the console and never settles. So what it fetches is also fetched here, through the same HTTP cache and
 * ahead of it, which gives real byte counts and a definite error; the browser downloads each file once. It compiles the
 * .wasm while it arrives. Nothing is patched, and a Content-Security-Policy of
 * `default-src 'self'; script-src 'self' 'wasm-unsafe-eval'` is enough.
 *
 * How long each step took is in the browser's performance timeline: the marks `zengram:runtime` (Python runs),
 * `zengram:restored` (it came from an image), `zengram:imported` and `zengram:ready`, and later `zengram:kept` (the image of
 * this visit is written).
 *
 * Crossing. Arguments and results are JSON text, vectors and snapshots are buffers, objects are integer handles.
 * The only Python objects that JavaScript holds are the three bridge functions of a `Bridge`.
 */
import { membersOf } from "./boot/archive.js";
import { findImage, keepImage } from "./boot/images.js";
import { SITE_PACKAGES, STDLIB, startPython } from "./boot/interpreter.js";
import { locate, sizeOfRuntimeFile, wheelsOf } from "./boot/places.js";
import { breathe } from "./boot/breathe.js";
import { isNode, sourceOf } from "./boot/source.js";
import { textOf } from "./describe.js";
import { BootError, ZengramError, errorFromPython } from "./errors.js";

/** @typedef {import("./zengram.js").InitOptions} InitOptions */
/** @typedef {import("./downloads.js").Progress} Progress */
/** @typedef {import("./boot/interpreter.js").Pyodide} Pyodide */
/** @typedef {import("./boot/interpreter.js").PyProxy} PyProxy */
/** @typedef {import("./boot/interpreter.js").Files} Files */
/** @typedef {import("./boot/image.js").Image} Image */
/** @typedef {import("./boot/places.js").LockFile} LockFile */
/** @typedef {import("./boot/places.js").Places} Places */
/** @typedef {import("./boot/source.js").Source} Source */
/** @typedef {import("./boot/images.js").Found} Found */
/** @typedef {import("./boot/images.js").Keeper} Keeper */
/** @typedef {{runtime: Promise<import("./boot/interpreter.js").Runtime>, arrived: Promise<unknown>}} Loading */

const BRIDGE_MODULE = "zengram_py.bridge";
const USUAL_LOCK_SIZE = 2_000;

/** How long the interpreter may take to start once everything has arrived; a slow phone needs about 30 seconds. */
const START_TIMEOUT_MS = 120_000;

/** Imports go on for so long before the page may paint and answer, and hears how far they are. */
const STEP_MS = 60;

/** The package's own code, which imports all that it offers, runs later: its parts are imported one by one before that. */
const BEGIN = `
import importlib.util, sys
sys.modules["zengram_py"] = importlib.util.module_from_spec(importlib.util.find_spec("zengram_py"))
from zengram_py import warm
`;

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
    const source = await sourceOf(progress, downloads.signal);
    const found = options.snapshot !== false && where.own && !isNode() ? findImage() : Promise.resolve(null);
    const pyodide = await startSomehow(found, where, source, loadRuntime(where, source, found), progress);
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

/**
 * @param {Promise<Found | null>} looking
 * @param {Places} where
 * @param {Source} source
 * @param {Loading} loading
 * @param {Progress} progress
 */
async function startSomehow(looking, where, source, loading, progress) {
  const found = await looking;
  if (found?.isThere) {
    try {
      return await restore(where, source, loading, found.read(), progress);
    } catch (error) {
      if (error instanceof BootError) throw error; // a file is missing, which a start anew would not find either
      console.debug("Zengram could not start from its image:", error);
      await found.drop();
    }
  }
  const keeper = (await found?.keeper()) ?? null;
  if (keeper) {
    try {
      return await start(where, source, loading, keeper, progress);
    } catch (error) {
      keeper.release();
      if (error instanceof BootError) throw error;
      console.debug("Zengram could not make an image:", error);
    }
  }
  return start(where, source, loading, null, progress);
}

/**
 * Pyodide and the Emscripten module, imported once they are known to be there: a module that failed to load may stay failed
 * for the life of the page.
 *
 * @param {Places} where
 * @param {Source} source
 * @param {Promise<Found | null>} found
 * @returns {Loading}
 */
function loadRuntime(where, source, found) {
  const modules = /** @type {const} */ (["pyodide.mjs", "pyodide.asm.mjs"]).map((name) => {
    const url = new URL(name, where.index);
    const { start, end } = source.expect(url, sizeOfRuntimeFile(name));
    return { end, module: start.then(() => import(/* webpackIgnore: true */ /* @vite-ignore */ url.href)) };
  });
  const wasm = new URL("pyodide.asm.wasm", where.index);
  // A visit that has an image has the file in its cache, and counting its bytes would only hold things up.
  const counted = found.then((it) => !it?.isThere);
  const { compiled, end } = source.compile(wasm, sizeOfRuntimeFile("pyodide.asm.wasm"), counted);
  const runtime = Promise.all(modules.map(({ module }) => module)).then(([{ loadPyodide }, { default: createModule }]) => ({
    loadPyodide,
    createModule,
    compiled,
  }));
  const arrived = Promise.all([...modules.map(({ end }) => end), end, compiled]);
  for (const promise of [runtime, arrived]) promise.catch(() => {}); // awaited further on
  return { runtime, arrived };
}

/**
 * Starts from an image.
 *
 * @param {Places} where
 * @param {Source} source
 * @param {Loading} loading
 * @param {Promise<Image>} image
 * @param {Progress} progress
 */
async function restore(where, source, { runtime, arrived }, image, progress) {
  const pause = () => {
    progress.restoring();
    return breathe();
  };
  const files = image.then((it) => it.files);
  for (const promise of [image, files]) promise.catch(() => {}); // awaited further on
  await pause();
  const how = { ...addresses(where, source), lock: where.lock, files, forImage: false, image, pause };
  const pyodide = await inTime(arrived, startPython(await runtime, how));
  performance.mark("zengram:runtime");
  pyodide.runPython("from zengram_py import warm; warm.restored()");
  performance.mark("zengram:restored");
  return pyodide;
}

/**
 * Starts anew.
 *
 * @param {Places} where
 * @param {Source} source
 * @param {Loading} loading
 * @param {Keeper | null} keeper who wants an image for the next visit
 * @param {Progress} progress
 */
async function start(where, source, { runtime, arrived }, keeper, progress) {
  const lock = readLock(where, source);
  const files = readFiles(lock, where, source);
  const everything = Promise.all([arrived, files]);
  everything.catch(() => {}); // awaited further on
  await files;
  const pause = () => {
    progress.starting();
    return breathe();
  };
  await pause();
  const how = { ...addresses(where, source), lock: await lock, files, forImage: keeper !== null, image: null, pause };
  const pyodide = await inTime(everything, startPython(await runtime, how));
  performance.mark("zengram:runtime");
  pyodide.runPython(BEGIN);
  pyodide.runPython(`warm.begin(everything=${keeper ? "True" : "False"})`);
  for (let done = 0; done < 1; ) {
    progress.importing(done);
    await breathe();
    done = /** @type {number} */ (pyodide.runPython(`warm.step(${STEP_MS})`));
  }
  performance.mark("zengram:imported");
  progress.importing(1);
  await breathe();
  if (keeper) takeImage(pyodide, keeper, await files);
  return pyodide;
}

/** @param {Pyodide} pyodide @param {Keeper} keeper @param {Files} files */
function takeImage(pyodide, keeper, files) {
  /** @type {Set<string>} */
  const loaded = new Set(JSON.parse(/** @type {string} */ (pyodide.runPython("warm.loaded_files()"))));
  const rest = new Map([...files].filter(([path]) => !loaded.has(path)));
  // No object of the page exists yet: this is what every visit may start from.
  const memory = pyodide.makeMemorySnapshot();
  void keepImage(keeper, memory, rest);
}

/**
 * @param {Promise<LockFile>} lock
 * @param {Places} where
 * @param {Source} source
 * @returns {Promise<Files>}
 */
async function readFiles(lock, where, source) {
  const stdlib = source.read(
    new URL("python_stdlib.zip", where.index), "runtime", sizeOfRuntimeFile("python_stdlib.zip"),
  );
  stdlib.catch(() => {}); // awaited further on
  const wheels = wheelsOf(await lock, where).map(async ({ name, url, size, sha256 }) =>
    membersOf(await source.read(url, "packages", size, sha256), name),
  );
  /** @type {Files} */
  const files = new Map();
  for (const members of await Promise.all(wheels)) {
    for (const [path, bytes] of members) {
      // Pyodide would keep a list of what is installed, and JavaScript objects in Python stand in the way of an image.
      if (!path.includes(".dist-info/")) files.set(`${SITE_PACKAGES}/${path}`, bytes);
    }
  }
  return files.set(STDLIB, await stdlib);
}

/** @param {Places} where @param {Source} source @returns {Promise<LockFile>} */
async function readLock(where, source) {
  if (where.lock) return where.lock;
  return JSON.parse(new TextDecoder().decode(await source.read(where.lockFile, "packages", USUAL_LOCK_SIZE)));
}

/** @param {Places} where @param {Source} source */
function addresses(where, source) {
  return { indexURL: source.pathOf(where.index), unusedURL: source.pathOf(new URL("pyodide.mjs", where.index)) };
}

/**
 * @template T
 * @param {Promise<unknown>} arrived fails with the first file that cannot be had; what starts would wait for it for ever
 * @param {Promise<T>} started
 * @returns {Promise<T>}
 */
async function inTime(arrived, started) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const tooLate = arrived.then(
    () =>
      new Promise((/** @type {(_: never) => void} */ _, reject) => {
        const seconds = START_TIMEOUT_MS / 1000;
        const error = new BootError(`Python did not start within ${seconds} seconds; the console may say why.`);
        timer = setTimeout(() => reject(error), START_TIMEOUT_MS);
      }),
  );
  try {
    return await Promise.race([started, tooLate]);
  } finally {
    clearTimeout(timer);
  }
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
