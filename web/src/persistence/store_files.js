/**
 * The files of one store: generations of a snapshot and the log since, whatever back end they lie in.
 *
 *     snapshot-00000007                  everything up to some record (recovered-…: what could be read of a damaged store)
 *     log-00000007-00000001              the records since, one segment after the other
 *     log-00000007-00000002
 *     log-00000008-00000001              begun while snapshot-00000008 is being written
 *     manifest-0.json, manifest-1.json   the one in force says 7
 *     key.json                           of an encrypted store: what its key is derived with, and no key
 *     damaged-<time>-<file>              kept for a person to look at
 *
 * The log of generation g is every segment of g or later: which of their records a snapshot covers, the records' numbers say. So a
 * snapshot that was not finished costs nothing, and once it is finished and the manifest names it, what is older is removed. A segment
 * ends between two records; only the last one may end within a record, when the page died while it was written.
 */
import { StorageError } from "../errors.js";
import { decodeManifest, encodeManifest, manifestFile, MANIFESTS } from "./manifest.js";
import { SHORTEST_FRAME, isSealed } from "./sealing.js";

/** @import { Backend, Codec } from "./types.js" */
/** @typedef {import("./manifest.js").Manifest} Manifest */
/** @typedef {{file: string, generation: number, bytes: number}} StoredFile */

const SNAPSHOT = /^(?:snapshot|recovered)-(\d{8})$/;
const RECOVERED = "recovered-";
const SEGMENT = /^log-(\d{8})-(\d{8})$/;
export const DAMAGED = "damaged-";
export const KEY_FILE = "key.json";
/** The manifest of a byte store, which holds whole snapshots. */
const OLD_MANIFEST = "manifest.json";
/** What the name of a damaged file begins with. */
const STAMP = /^damaged-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-/;

/** @param {number} number */
function digits(number) {
  return String(number).padStart(8, "0");
}

/** Of a snapshot or a segment; NaN for other files. @param {string} name */
function generationOf(name) {
  return Number((SNAPSHOT.exec(name) ?? SEGMENT.exec(name))?.[1]);
}

export class StoreFiles {
  /** What is appended to. @type {{file: string, bytes: number} | null} */
  #segment = null;
  /** The generation of the next segment, and its number in it. */
  #generation = 1;
  #number = 0;
  /** A segment behind whose end an append that failed may have left something. @type {{file: string, bytes: number} | null} */
  #torn = null;
  /** @type {Manifest | null} */
  #manifest = null;
  #logBytes = 0;
  #logFiles = 0;
  /** Whether there were files of generations before the one in force. */
  #hasOlder = false;
  /** @type {StorageError | null} */
  #stopped = null;
  #isRecovering = false;
  /** @type {{name: string, contents: Uint8Array | undefined, record: Manifest["setAside"][number]}[]} */
  #aside = [];

  /** @param {Backend} backend @param {Codec} codec */
  constructor(backend, codec) {
    this.backend = backend;
    this.codec = codec;
  }

  /** The bytes in the log of the generation in force. */
  get logBytes() {
    return this.#logBytes;
  }

  /** How many segments that log has. */
  get logFiles() {
    return this.#logFiles;
  }

  get manifest() {
    return this.#manifest;
  }

  /**
   * Looks at what is there.
   *
   * @returns {Promise<{snapshots: StoredFile[], segments: StoredFile[], damagedManifests: string[], old: {file: string, bytes: Uint8Array | null} | null}>}
   * newest snapshots first, segments in their order, and `old`: what a byte store kept (bytes null: it is missing), if there is nothing newer
   */
  async look() {
    const files = await this.backend.list();
    const names = new Set(files.map((file) => file.name));
    /** @type {Manifest[]} */
    const manifests = [];
    const damagedManifests = [];
    for (const name of MANIFESTS.filter((one) => names.has(one))) {
      const bytes = await this.backend.read(name);
      // A file is created empty a moment before its first contents are there.
      const manifest = bytes === null || bytes.length === 0 ? null : decodeManifest(bytes);
      if (manifest !== null) manifests.push(manifest);
      else if (bytes !== null && bytes.length > 0) damagedManifests.push(name);
    }
    this.#manifest = manifests.sort((a, b) => b.generation - a.generation)[0] ?? null;
    const inForce = this.#manifest?.generation ?? 0;
    /** @type {StoredFile[]} */
    const snapshots = [];
    const segments = [];
    for (const { name, bytes } of files) {
      const snapshot = SNAPSHOT.exec(name);
      if (snapshot) snapshots.push({ file: name, generation: Number(snapshot[1]), bytes });
      const segment = SEGMENT.exec(name);
      if (segment) segments.push({ file: name, generation: Number(segment[1]), bytes });
    }
    snapshots.sort((a, b) => b.generation - a.generation);
    segments.sort((a, b) => (a.file < b.file ? -1 : 1));
    const generations = [...snapshots, ...segments].map((file) => file.generation);
    this.#generation = Math.max(1, this.#manifest?.generation ?? 0, ...generations);
    this.#hasOlder = generations.some((generation) => generation < inForce);
    const last = segments.at(-1);
    this.#number = last?.generation === this.#generation ? Number(SEGMENT.exec(last.file)?.[2]) : 0;
    this.#logBytes = 0;
    const isNew = this.#manifest === null && damagedManifests.length === 0 && generations.length === 0;
    const old = isNew && names.has(OLD_MANIFEST) ? await this.#readOld(files) : null;
    // What a recovery made whose page died counts for nothing: it would stand for the damaged store, of which it has a part.
    const counting = snapshots.filter(({ file, generation }) => {
      if (!file.startsWith(RECOVERED)) return true;
      return this.#manifest === null ? Math.min(...generations) === generation : generation <= inForce;
    });
    return { snapshots: counting, segments, damagedManifests, old };
  }

  /** What a byte store saved last; null when it had nothing to save. @param {{name: string, bytes: number}[]} files */
  async #readOld(files) {
    const named = parseOld(await this.backend.read(OLD_MANIFEST));
    if (named === null) return null;
    const byGeneration = files
      .map((file) => ({ ...file, numbers: /\.(\d+)\.(\d+)$/.exec(file.name) }))
      .filter(({ bytes, numbers }) => numbers !== null && Number(numbers[2]) === bytes)
      .sort((a, b) => Number(b.numbers?.[1]) - Number(a.numbers?.[1]));
    const chosen = byGeneration.find((file) => file.name === named) ?? byGeneration[0];
    if (chosen === undefined) return { file: named || OLD_MANIFEST, bytes: null };
    return { file: chosen.name, bytes: await this.backend.read(chosen.name) };
  }

  /**
   * Goes on with the log behind what was replayed of it, in a new segment: what the page before began to write as it died may still be put
   * in place, and must not take anything away that is appended from now on.
   *
   * @param {StoredFile[]} segments those that count
   * @param {number | null} end how much of the last one is whole; null: nothing is to be cut
   */
  async resume(segments, end) {
    const last = segments.at(-1);
    this.#logBytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    this.#logFiles = segments.length;
    if (last === undefined || end === null || end === last.bytes) return;
    await this.backend.truncate(last.file, end);
    this.#logBytes += end - last.bytes;
  }

  /**
   * Appends records; they are stored when this resolves, and what was stored before is in any case.
   *
   * @param {Uint8Array} bytes whole records, sealed if they are to be
   */
  async append(bytes) {
    this.#refuseIfStopped();
    if (this.#torn !== null) {
      const { file, bytes: sound } = this.#torn;
      await (sound === 0 ? this.backend.remove(file) : this.backend.truncate(file, sound));
      this.#torn = null;
    }
    let segment = this.#segment;
    if (segment === null || (segment.bytes > 0 && segment.bytes + bytes.length > this.backend.segmentBytes)) {
      this.#number += 1;
      segment = { file: `log-${digits(this.#generation)}-${digits(this.#number)}`, bytes: 0 };
      this.#segment = segment;
      this.#logFiles += 1;
    }
    try {
      await this.backend.append(segment.file, segment.bytes, bytes);
    } catch (error) {
      // Taken back before anything comes behind it: only the last segment may end within a record.
      this.#torn = { ...segment };
      throw error;
    }
    segment.bytes += bytes.length;
    this.#logBytes += bytes.length;
    // The manifest comes second: one without a log would say that records are missing.
    // It is of the first generation, also when a fold has begun another: the log counts from its beginning.
    if (this.#manifest === null) await this.#writeManifest(null, 1);
  }

  /**
   * Begins the next generation: what is appended from now on belongs to it. `finish` puts it in force once its snapshot is written.
   *
   * @returns {Promise<{write: (part: Uint8Array) => Promise<void>, finish: (lsn: number) => Promise<void>, abort: () => Promise<void>}>}
   */
  async beginGeneration() {
    // One after a fold that failed would write over the manifest in force.
    const isTurnOfOther = this.#manifest === null || (this.#generation - this.#manifest.generation) % 2 === 0;
    this.#generation += isTurnOfOther ? 1 : 2;
    this.#number = 0;
    this.#segment = null;
    const generation = this.#generation;
    const [bytesBefore, filesBefore] = [this.#logBytes, this.#logFiles];
    const file = `${this.#isRecovering ? RECOVERED : "snapshot-"}${digits(generation)}`;
    const writer = await this.backend.create(file);
    let bytes = 0;
    return {
      write: async (part) => {
        const sealed = await this.codec.seal(part, "snapshot");
        await writer.write(sealed);
        bytes += sealed.length;
      },
      finish: async (lsn) => {
        await writer.finish();
        this.#refuseIfStopped();
        await this.#copyAside();
        await this.#writeManifest({ file, bytes, lsn }, generation);
        this.#isRecovering = false;
        for (const { name } of this.#aside.splice(0)) {
          if (MANIFESTS.includes(name) && name !== manifestFile(generation)) await this.backend.remove(name);
        }
        this.#logBytes -= bytesBefore;
        this.#logFiles -= filesBefore;
        this.#refuseIfStopped();
        await this.removeBefore(generation);
        if (this.#torn !== null && generationOf(this.#torn.file) < generation) this.#torn = null;
      },
      abort: () => writer.abort(),
    };
  }

  /** @param {Manifest["snapshot"]} snapshot @param {number} [generation] */
  async #writeManifest(snapshot, generation = this.#generation) {
    const setAside = [...(this.#manifest?.setAside ?? []), ...this.#aside.map((one) => one.record)];
    await this.#putManifest({ generation, snapshot, encrypted: this.codec.encrypted, savedAt: Date.now(), setAside });
  }

  /** @param {Manifest} manifest */
  async #putManifest(manifest) {
    await this.backend.write(manifestFile(manifest.generation), encodeManifest(manifest));
    this.#manifest = manifest;
  }

  /**
   * Removes what generations before this one left, and what a byte store did; what is damaged is renamed. A page that dies in between leaves
   * the rest to the next fold.
   *
   * @param {number} generation
   */
  async removeBefore(generation) {
    const names = (await this.backend.list()).map(({ name }) => name);
    const damaged = new Map((this.#manifest?.setAside ?? []).map(({ file }) => [file.replace(STAMP, ""), file]));
    for (const name of names) {
      const numbers = generationOf(name);
      const isOldStore = name === OLD_MANIFEST || (/\.\d+\.\d+$/.test(name) && !name.startsWith(DAMAGED));
      if (Number.isNaN(numbers) ? !isOldStore : numbers >= generation) continue;
      const aside = damaged.get(name);
      if (aside !== undefined && !names.includes(aside)) await this.backend.rename(name, aside);
      else await this.backend.remove(name);
    }
  }

  /** Does what a page that died at the end of a fold had left to do. */
  async finishFold() {
    if (this.#manifest === null || !this.#hasOlder) return;
    try {
      await this.removeBefore(this.#manifest.generation);
    } catch (error) {
      // They cost space, and the next fold removes them.
      console.debug("zengram: what an earlier fold left stays for now:", error);
    }
  }

  /** @param {string} file @returns {Promise<Uint8Array | null>} */
  async readSnapshot(file) {
    const bytes = await this.backend.read(file);
    return bytes === null ? null : (await this.unseal(bytes, "snapshot")).bytes;
  }

  /**
   * Opens what was sealed, and leaves what was not: a store that is to be encrypted from now on still has files that are not.
   *
   * @param {Uint8Array} bytes
   * @param {string} label
   * @returns {Promise<{bytes: Uint8Array, end: number}>}
   */
  async unseal(bytes, label) {
    if (isSealed(bytes)) return this.codec.unseal(bytes, label);
    // A frame of which not even the beginning was written.
    if (this.codec.encrypted && bytes.length < SHORTEST_FRAME) return { bytes: new Uint8Array(), end: 0 };
    if (this.#manifest?.encrypted && bytes.length > 0) {
      throw new StorageError("It is not encrypted, and the store is.", { code: "STORAGE_DAMAGED" });
    }
    return { bytes, end: bytes.length };
  }

  /**
   * Keeps damaged files under other names once the next generation is in force; until then they stay what they are.
   *
   * @param {readonly {file: string, reason: string, contents?: Uint8Array}[]} damaged `contents` of what is no file yet
   * @param {boolean} isLossless whether the next generation is all that was stored
   */
  async setAsideLater(damaged, isLossless) {
    this.#isRecovering = !isLossless;
    const setAsideAt = Date.now();
    const stamp = new Date(setAsideAt).toISOString().replaceAll(/[:.]/g, "-");
    const sizes = new Map((await this.backend.list()).map(({ name, bytes }) => [name, bytes]));
    for (const { file: name, reason, contents } of damaged) {
      const bytes = contents?.length ?? sizes.get(name);
      if (bytes !== undefined) this.#aside.push({ name, contents, record: { file: `${DAMAGED}${stamp}-${name}`, bytes, setAsideAt, reason } });
    }
  }

  /** Keeps what `removeBefore` does not find: what is no file, and manifests, whose names are used again. */
  async #copyAside() {
    for (const { name, contents, record } of this.#aside) {
      const bytes = contents ?? (MANIFESTS.includes(name) ? await this.backend.read(name) : null);
      if (bytes !== null) await this.backend.write(record.file, bytes);
    }
  }

  /** The damaged files that were kept, oldest first. */
  async listSetAside() {
    const known = new Map((this.#manifest?.setAside ?? []).map((record) => [record.file, record]));
    const kept = (await this.backend.list()).filter(({ name }) => name.startsWith(DAMAGED));
    const copies = kept.map(({ name, bytes }) => known.get(name) ?? { file: name, bytes, setAsideAt: 0, reason: "" });
    return copies.sort((a, b) => (a.file < b.file ? -1 : 1));
  }

  /** The files are another page's: nothing more is begun. @param {StorageError} reason */
  stop(reason) {
    this.#stopped = reason;
  }

  #refuseIfStopped() {
    if (this.#stopped !== null) throw this.#stopped;
  }

  /** Removes everything. */
  async clear() {
    for (const { name } of await this.backend.list()) await this.backend.remove(name);
    this.#manifest = null;
  }
}

/** The file that a byte store's manifest names: null when it names none, nothing when it cannot be read. @param {Uint8Array | null} bytes */
function parseOld(bytes) {
  try {
    const { current } = JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array()));
    return current === null ? null : String(current?.file ?? "");
  } catch (error) {
    if (error instanceof SyntaxError) return bytes?.length ? "" : null;
    throw error;
  }
}
