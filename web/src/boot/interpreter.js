/**
 * Starts Pyodide: anew, or from the image of an interpreter that has numpy and the library imported already.
 *
 *     anew       standard library, wheels ─► file system ─► numpy's dynamic libraries ─► Python starts ─► imports
 *     from image what was not imported    ─► file system ─► numpy's dynamic libraries ─► memory is copied in
 *
 * Both ways load the same dynamic libraries in the same order before Python does anything, so that their code and data
 * are at the same addresses: an image is full of such addresses. Pyodide has no option for that. But it lets a caller
 * bring the Emscripten module, and that is a function of settings, which are changed here on their way: who installs the
 * standard library (Pyodide would fetch it although an image does not need it), and what happens once the module is there.
 */

/** @typedef {Record<string, any> & {FS: any}} Module the Emscripten module, or its settings before it is there */
/** @typedef {(settings: Module) => Promise<Module>} CreateModule */
/**
 * The few things of Pyodide that are used here.
 * @typedef {object} Pyodide
 * @property {(name: string) => PyModule} pyimport
 * @property {(code: string) => unknown} runPython
 * @property {() => Uint8Array} makeMemorySnapshot
 */
/** @typedef {Record<"call" | "set_function" | "export_bytes", {copy(): PyProxy}> & {destroy(): void}} PyModule */
/**
 * @typedef {((...args: unknown[]) => unknown) & {destroy(): void, getBuffer(type: string): {data: Uint8Array, release(): void}}} PyProxy
 */
/**
 * @typedef {object} Runtime
 * @property {(options: object) => Promise<Pyodide>} loadPyodide
 * @property {CreateModule} createModule
 * @property {Promise<WebAssembly.Module> | null} compiled null: Pyodide compiles by itself
 */
/** @typedef {Map<string, Uint8Array>} Files by absolute path */

/**
 * @typedef {object} Start
 * @property {string} indexURL what Pyodide takes: an address in the page, a path in Node
 * @property {string} unusedURL a file that is there: Pyodide asks for one, and what it gets is not used
 * @property {Promise<Files>} files what the file system has to hold before Python runs
 * @property {unknown} lock the lock file: Pyodide checks that it is one of its version
 * @property {boolean} forImage whether `makeMemorySnapshot` is wanted
 * @property {Promise<{memory: Uint8Array, length: number}> | null} image the memory to start from, which was `length` bytes long; it is
 *   read while the module starts
 * @property {() => Promise<void>} pause called between steps: the page hears of them, paints and answers
 */

/** What Pyodide imports in one go when it has started, in pieces: the page would be silent for too long. */
const EARLY_IMPORTS = ["re, enum, typing", "inspect, traceback", "asyncio.events", "asyncio", "ast, tokenize, codeop, shutil, zipfile"];

/** What `import numpy` loads, in this order. */
const LIBRARIES = ["numpy/_core/_multiarray_umath", "numpy/linalg/_umath_linalg"];

/** The memory is somewhat larger than an image, since Python goes on allocating. */
const SLACK = 1 << 20;
const PLACEHOLDER = new Uint8Array(16);

/** Where wheels are unpacked. */
export const SITE_PACKAGES = "/lib/python3.14/site-packages";
export const STDLIB = "/lib/python314.zip";

/**
 * @param {Runtime} runtime
 * @param {Start} start
 * @returns {Promise<Pyodide>}
 */
export function startPython(runtime, start) {
  return new Promise((resolve, reject) => {
    // What Emscripten calls back has nobody to throw to: it would wait for ever.
    load(runtime, start, reject).then(resolve, reject);
  });
}

/**
 * @param {Runtime} runtime
 * @param {Start} start
 * @param {(error: unknown) => void} fail
 */
async function load({ loadPyodide, createModule, compiled }, { indexURL, unusedURL, files, lock, forImage, image, pause }, fail) {
  /** @type {CreateModule} */
  const create = async (settings) => {
    settings.preRun[0] = (/** @type {Module} */ module) => install(module, files, pause).catch(fail);
    if (compiled) settings.instantiateWasm = instantiator(compiled, pause, fail);
    const inherited = settings.onRuntimeInitialized;
    settings.onRuntimeInitialized = () => {
      try {
        loadLibraries(settings);
      } catch (error) {
        fail(error);
        throw error;
      }
      inherited?.call(settings);
    };
    await pause();
    const module = await createModule(settings);
    await pause();
    if (image) {
      const { memory, length } = await image;
      module.growMemory(length + SLACK);
      const restore = module.API.restoreSnapshot;
      module.API.restoreSnapshot = () => restore(memory);
      return module;
    }
    for (const names of EARLY_IMPORTS) {
      // A failure is left to Pyodide, which is going to import the same and to say what is wrong.
      module.API.rawRun(`import ${names}`);
      await pause();
    }
    return module;
  };
  image?.catch(fail);
  return loadPyodide({
    indexURL,
    stdLibURL: unusedURL,
    packageBaseUrl: indexURL,
    lockFileContents: lock,
    createPyodideModule: create,
    ...(forImage && { _makeSnapshot: true }),
    // Pyodide would wait for the memory before it does anything else; it gets it at the end.
    ...(image && { _loadSnapshot: PLACEHOLDER }),
  });
}

/**
 * What Pyodide's own function does, with a module whose compilation began earlier.
 *
 * @param {Promise<WebAssembly.Module>} compiled
 * @param {() => Promise<void>} pause
 * @param {(error: unknown) => void} fail
 */
function instantiator(compiled, pause, fail) {
  // An object of which Pyodide only asks whether a value is that one.
  const marker = Symbol("error marker");
  return (/** @type {any} */ imports, /** @type {(instance: WebAssembly.Instance, module: WebAssembly.Module) => void} */ done) => {
    imports.env.Jsv_GetError_import = () => marker;
    imports.env.JsvError_Check = (/** @type {unknown} */ value) => value === marker;
    const instantiate = async () => {
      const module = await compiled;
      const instance = await WebAssembly.instantiate(module, imports);
      await pause();
      done(instance, module);
    };
    instantiate().catch(fail);
    return {};
  };
}

/**
 * What Pyodide's own installer of the standard library does, with our files.
 *
 * @param {Module} module
 * @param {Promise<Files>} files
 * @param {() => Promise<void>} pause
 */
async function install(module, files, pause) {
  const version = module.HEAPU32[module._Py_Version >>> 2];
  module.API.pyVersionTuple = [version >>> 24, (version >>> 16) & 255, (version >>> 8) & 255];
  module.API.sitePackages = SITE_PACKAGES;
  module.FS.mkdirTree(SITE_PACKAGES);
  module.FS.mkdirTree(`${SITE_PACKAGES.slice(0, SITE_PACKAGES.lastIndexOf("/"))}/lib-dynload`);
  module.addRunDependency("zengram-files");
  writeFiles(module.FS, await files);
  await pause();
  module.removeRunDependency("zengram-files");
}

/** @param {any} FS @param {Files} files */
function writeFiles(FS, files) {
  const folders = new Set();
  for (const [path, bytes] of files) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!folders.has(folder)) FS.mkdirTree(folder);
    folders.add(folder);
    FS.writeFile(path, bytes, { canOwn: true });
  }
}

/** @param {Module} module */
function loadLibraries(module) {
  /** @type {string[]} */
  const there = LIBRARIES.map((name) => {
    const folder = `${SITE_PACKAGES}/${name.slice(0, name.lastIndexOf("/"))}`;
    const file = name.slice(name.lastIndexOf("/") + 1);
    const found = module.FS.readdir(folder).find((/** @type {string} */ entry) => entry.startsWith(`${file}.`));
    return `${folder}/${found}`;
  });
  for (const path of there) module.loadDynamicLibrary(path, { loadAsync: false, global: false, nodelete: true });
}
