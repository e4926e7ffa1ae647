/**
 * A text-embedding model that runs in the tab: all-MiniLM-L6-v2 by way of transformers.js.
 */

/** How far the loading of a model is. */
export interface EmbedderProgress {
  /** `model` while files arrive and the session starts, then `ready`. */
  readonly phase: "model" | "ready";
  /** 0 to 1; never less than before. */
  readonly fraction: number;
  readonly loadedBytes: number;
  readonly totalBytes: number;
  /** What is happening, in words for a person. */
  readonly message: string;
}

export interface EmbedderOptions {
  /** Folder that holds `all-MiniLM-L6-v2/`; the one of the build if not given. */
  modelPath?: string | URL;
  /** Folder of transformers.js and its runtime; the one of the build if not given. */
  runtimePath?: string | URL;
  onProgress?: (progress: EmbedderProgress) => void;
}

/** Embeds one text, or each of several; vectors have 384 numbers and length 1. */
export interface Embedder {
  (input: string): Promise<Float32Array>;
  (input: string[]): Promise<Float32Array[]>;
  /** 384. */
  readonly dim: number;
  /** Gives the model's memory back. */
  dispose(): Promise<void>;
}

/**
 * Loads all-MiniLM-L6-v2 and gives the function that embeds with it. A failed load may simply be tried again.
 *
 * @throws {EmbedderError} `EMBEDDER_FAILED` when a file is missing or the runtime does not start.
 */
export declare function createMiniLM(options?: EmbedderOptions): Promise<Embedder>;
