/**
 * Sentence embeddings in the tab: text in, unit vectors out, and nothing leaves the machine.
 *
 * `createMiniLM` runs all-MiniLM-L6-v2 (int8, 384 dimensions) with transformers.js on WebAssembly. The library, its
 * runtime and the model's weights are files beside this module; no other origin is ever asked for anything.
 *
 *     const embed = await createMiniLM();
 *     memory.rememberWithVector(subject, content, scope, await embed(`${subject}: ${content}`));
 *
 * Loading is asynchronous, so this is a partner of `rememberWithVector` and `recallWithVector`, not of `setEmbedFn`,
 * which wants a synchronous function.
 */

import { root } from "./boot/places.js";
import { BUILD } from "./build.js";
import { EmbedderError } from "./errors.js";

const MODEL = "all-MiniLM-L6-v2";
const DIMENSIONS = 384;

/** The large files and their sizes: known here, so that the fraction is true before a server has named any length. */
const FILE_BYTES = new Map([
  ["tokenizer.json", 466_247],
  ["model_quantized.onnx", 22_928_619],
  ["ort-wasm-simd-threaded.wasm", 14_264_838],
]);
const sum = (/** @type {Map<string, number>} */ sizes) => [...sizes.values()].reduce((a, b) => a + b, 0);
const TOTAL_BYTES = sum(FILE_BYTES);

/**
 * @typedef {object} EmbedderProgress
 * @property {"model" | "ready"} phase  `model` while files arrive and the session starts, then `ready`.
 * @property {number} fraction          0 to 1; the last tenth is the start of the session, after every byte is here.
 * @property {number} loadedBytes
 * @property {number} totalBytes
 * @property {string} message           A sentence for people.
 */

/**
 * @typedef {object} EmbedderOptions
 * @property {string | URL} [modelPath]    Folder that holds `all-MiniLM-L6-v2/`; the one of the build if not given.
 * @property {string | URL} [runtimePath]  Folder of transformers.js and its runtime; the one of the
 *   build if not given.
 * @property {(progress: EmbedderProgress) => void} [onProgress]
 */

/**
 * @callback EmbedText
 * @param {string} input
 * @returns {Promise<Float32Array>}
 */

/**
 * @callback EmbedTexts
 * @param {string[]} input
 * @returns {Promise<Float32Array[]>}
 */

/** @typedef {EmbedText & EmbedTexts & { readonly dim: number, dispose(): Promise<void> }} Embedder */

/**
 * Loads all-MiniLM-L6-v2 and gives the function that embeds with it. A failed load may simply be tried again.
 *
 * @param {EmbedderOptions} [options]
 * @returns {Promise<Embedder>} One text gives one Float32Array of 384 numbers and length 1; an array gives an array.
 * @throws {EmbedderError} `EMBEDDER_FAILED` when a file is missing or the runtime does not start.
 */
export async function createMiniLM({ modelPath, runtimePath, onProgress } = {}) {
  const models = folder(modelPath ?? new URL(BUILD?.models ?? "models/", root()));
  const runtime = folder(runtimePath ?? new URL(BUILD?.transformers ?? "vendor/transformers/", root()));
  const progress = new Progress(onProgress);

  let extract;
  try {
    // Both are asked for at once: without this the runtime would wait for the weights.
    const [library, wasmBinary] = await Promise.all([
      import(new URL("transformers.min.js", runtime).href),
      progress.fetch(new URL("ort-wasm-simd-threaded.wasm", runtime)).then(bytesOf),
    ]);
    configure(library.env, models, runtime, wasmBinary, progress);
    extract = await library.pipeline("feature-extraction", MODEL, { dtype: "q8", device: "wasm" });
    await extract("warm up", { pooling: "mean", normalize: true });
  } catch (cause) {
    throw new EmbedderError(
      `The embedding model ${MODEL} could not be loaded: ${progress.missing ?? reason(cause)}`,
      { code: "EMBEDDER_FAILED", cause },
    );
  }
  progress.finish();

  /** @param {string} text */
  const embedOne = async (text) => {
    if (typeof text !== "string") {
      throw new EmbedderError(`Only text can be embedded, not ${text === null ? "null" : typeof text}.`, {
        code: "EMBEDDER_FAILED",
      });
    }
    const tensor = await extract(text, { pooling: "mean", normalize: true });
    return Float32Array.from(tensor.data);
  };

  /** @param {string | string[]} input */
  const embed = async (input) => {
    if (!Array.isArray(input)) return embedOne(input);
    // One at a time on purpose: int8 activations are scaled over the whole batch, so in a batch a text's vector would
    // depend on its neighbours, and the same fact would not get the same vector twice.
    const vectors = [];
    for (const text of input) vectors.push(await embedOne(text));
    return vectors;
  };
  return /** @type {Embedder} */ (
    Object.assign(embed, { dim: DIMENSIONS, dispose: async () => void (await extract.dispose()) })
  );
}

/**
 * Keeps transformers.js to local files and to one thread, which needs no cross-origin isolation.
 *
 * @param {any} env
 * @param {URL} models
 * @param {URL} runtime
 * @param {Uint8Array} wasmBinary
 * @param {Progress} progress
 */
function configure(env, models, runtime, wasmBinary, progress) {
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = models.pathname; // a full URL would count as remote
  env.useBrowserCache = false; // the HTTP cache has these files already
  env.useWasmCache = false; // it would import the runtime from a blob: URL, which a strict CSP refuses
  // Counting here and not by the library's progress_callback, which asks for every file twice to learn its size.
  env.fetch = progress.fetch;
  env.backends.onnx.wasm.wasmPaths = { mjs: new URL("ort-wasm-simd-threaded.mjs", runtime).href };
  env.backends.onnx.wasm.wasmBinary = wasmBinary;
  env.backends.onnx.wasm.numThreads = 1;
}

/**
 * @param {string | URL} path
 * @returns {URL} A folder of this origin, with a slash at its end.
 */
function folder(path) {
  const url = new URL(path, globalThis.document?.baseURI ?? import.meta.url);
  if (url.origin !== new URL(import.meta.url).origin) {
    throw new EmbedderError(`The model's files must come from this page's own origin, not from ${url.origin}.`, {
      code: "EMBEDDER_FAILED",
    });
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/** @param {Response} response */
async function bytesOf(response) {
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** @param {unknown} cause */
function reason(cause) {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A `fetch` that counts what arrives and tells it, never running backwards. */
class Progress {
  /** @param {((progress: EmbedderProgress) => void) | undefined} tell */
  constructor(tell) {
    this.tell = tell;
    /** @type {Map<string, number>} */
    this.loaded = new Map();
    this.fraction = 0;
    /** @type {string | undefined} Says which file cannot be had: the messages of the library and of fetch do not. */
    this.missing = undefined;
  }

  /**
   * @param {RequestInfo | URL} input
   * @param {RequestInit} [init]
   * @returns {Promise<Response>}
   */
  fetch = async (input, init) => {
    const response = await fetch(input, init).catch((error) => {
      const url = new URL(input instanceof Request ? input.url : input, globalThis.document?.baseURI);
      this.missing ??= `${url.pathname} could not be fetched (${reason(error)})`;
      throw error;
    });
    if (!response.ok) this.missing ??= `${new URL(response.url).pathname} answered ${response.status}`;
    const file = [...FILE_BYTES.keys()].find((name) => response.url.endsWith(name));
    if (!file || !response.ok || !response.body) return response;
    let loaded = 0;
    const counted = response.body.pipeThrough(
      new TransformStream({
        transform: (chunk, controller) => {
          loaded += chunk.byteLength;
          this.add(file, loaded);
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, { status: response.status, headers: response.headers });
  };

  /**
   * @param {string} file
   * @param {number} loaded
   */
  add(file, loaded) {
    this.loaded.set(file, loaded);
    const loadedBytes = Math.min(sum(this.loaded), TOTAL_BYTES);
    this.fraction = Math.max(this.fraction, (0.9 * loadedBytes) / TOTAL_BYTES);
    this.report("model", loadedBytes, "Loading the language model");
  }

  finish() {
    this.fraction = 1;
    this.report("ready", TOTAL_BYTES, "The language model is ready");
  }

  /**
   * @param {"model" | "ready"} phase
   * @param {number} loadedBytes
   * @param {string} message
   */
  report(phase, loadedBytes, message) {
    this.tell?.({ phase, fraction: this.fraction, loadedBytes, totalBytes: TOTAL_BYTES, message });
  }
}
