/**
 * From the files of a store to a database in Python: the newest snapshot that can be read, the log since, and what the last page kept
 * when it was hidden.
 *
 *     snapshot ──► durableRestore ──► log segments ──► durableReplay ──► tail ──► durableReplay
 *
 * Damage is never passed over in silence. Where nothing is lost (a snapshot that cannot be read, and one before it with the whole log
 * since) it is put aside and told; where something is, opening is refused, unless the caller asked to recover what can be read.
 */
import { joined } from "../bytes.js";
import { SnapshotError, StorageError, ZengramError } from "../errors.js";
import { running } from "../python.js";
import { tooNew } from "./manifest.js";
import { isSealed } from "./sealing.js";
import { gone } from "./storage_errors.js";

/** @typedef {import("./store_files.js").StoreFiles} StoreFiles */
/** @typedef {import("./store_files.js").StoredFile} StoredFile */
/** @typedef {{file: string, reason: string}} Damage */
/**
 * @typedef {object} Contents what was read before Python ran
 * @property {Base[]} bases by which one might begin, the one in force first
 * @property {{file: StoredFile, bytes: Uint8Array, end: number, isSealed: boolean, failed: StorageError | null}[]} segments `end`: behind the last part that
 * was written whole
 * @property {string[]} damagedManifests
 * @property {{bytes: Uint8Array | null, reason: string, sealed: Uint8Array[]} | null} tail bytes null: it cannot be read
 * @property {boolean} isOld whether a byte store left it
 */
/** @typedef {{generation: number, file: string | null, bytes: Uint8Array | null, failed: string}} Base */
/**
 * @typedef {object} Restored
 * @property {number} handle
 * @property {number} lsn
 * @property {StoredFile[]} segments those that were replayed
 * @property {number | null} end how much of the last one is whole; null when another one is to be begun
 * @property {Damage[]} damage
 * @property {boolean} isLossless whether all that was stored is there
 * @property {number} cut bytes of a record that was not written to its end
 * @property {number} replayed records
 * @property {number} fromTail records that came from the tail
 */

/** While another page writes, a file may go between being listed and being read. */
const READ_ATTEMPTS = 3;
const RECORD_HEADER = 64;

/**
 * Reads what is stored; Python need not run yet.
 *
 * @param {StoreFiles} files
 * @param {{parts: Uint8Array[]} | null} tail
 * @returns {Promise<Contents>}
 */
export async function readStore(files, tail) {
  for (let attempt = 1; ; attempt++) {
    const contents = await readOnce(files, tail);
    const isWhole = [...contents.bases, ...contents.segments].every(({ failed }) => failed === "" || failed === null);
    if (isWhole || attempt === READ_ATTEMPTS) return contents;
  }
}

/** @param {StoreFiles} files @param {{parts: Uint8Array[]} | null} tail @returns {Promise<Contents>} */
async function readOnce(files, tail) {
  const found = await files.look();
  const manifest = files.manifest;
  /** @type {Base[]} */
  const bases = [];
  if (found.old !== null) {
    const { file, bytes } = found.old;
    bases.push({ generation: 0, file, bytes, failed: bytes === null ? "it is missing or incomplete" : "" });
  }
  const inForce = manifest?.snapshot?.file ?? null;
  const order = [...found.snapshots].sort((a, b) => Number(b.file === inForce) - Number(a.file === inForce));
  if (inForce !== null && order[0]?.file !== inForce) {
    bases.push({ generation: manifest?.generation ?? 0, file: inForce, bytes: null, failed: "it is missing" });
  }
  for (const { file, generation } of order) bases.push({ generation, file, bytes: null, failed: "" });
  if (manifest?.snapshot === null) bases.unshift({ generation: manifest.generation, file: null, bytes: null, failed: "" });
  else if (found.segments.length > 0) bases.push({ generation: 0, file: null, bytes: null, failed: "" });
  const first = bases[0];
  if (first !== undefined && first.file !== null && first.failed === "" && first.bytes === null) await readBase(files, first);
  const segments = [];
  for (const file of found.segments) segments.push(await readSegment(files, file));
  return {
    bases,
    segments,
    damagedManifests: found.damagedManifests,
    tail: tail === null ? null : await readTail(files, tail.parts),
    isOld: found.old !== null,
  };
}

/** @param {StoreFiles} files @param {Base} base */
async function readBase(files, base) {
  try {
    base.bytes = await files.readSnapshot(/** @type {string} */ (base.file));
    if (base.bytes === null) base.failed = "it is missing";
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "STORAGE_DAMAGED") throw error;
    base.failed = error.message;
  }
}

/** @param {StoreFiles} files @param {StoredFile} file */
async function readSegment(files, file) {
  try {
    const stored = await files.backend.read(file.file);
    if (stored === null) throw gone(file.file);
    const { bytes, end } = await files.unseal(stored, "log");
    return { file: { ...file, bytes: stored.length }, bytes, end, isSealed: isSealed(stored), failed: null };
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "STORAGE_DAMAGED") throw error;
    return { file, bytes: new Uint8Array(), end: 0, isSealed: true, failed: error };
  }
}

/** @param {StoreFiles} files @param {Uint8Array[]} sealed */
async function readTail(files, sealed) {
  try {
    const parts = [];
    for (const part of sealed) {
      const { bytes, end } = await files.unseal(part, "log");
      if (end !== part.length || bytes.length < RECORD_HEADER) throw new StorageError("It is incomplete.", { code: "STORAGE_DAMAGED" });
      parts.push({ bytes, sealed: part, lsn: firstRecord(bytes) });
    }
    // Several pages may have kept some, and of the same records.
    parts.sort((a, b) => a.lsn - b.lsn || a.bytes.length - b.bytes.length);
    return { bytes: joined(parts.map(({ bytes }) => bytes)), reason: "", sealed: parts.map((part) => part.sealed) };
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "STORAGE_DAMAGED") throw error;
    return { bytes: null, reason: error.message, sealed };
  }
}

/** The number of the record that a part of the log begins with (docs/format.md). @param {Uint8Array} bytes */
function firstRecord(bytes) {
  return Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(24, true));
}

/**
 * Makes the database; Python has to run.
 *
 * @param {StoreFiles} files
 * @param {Contents} contents
 * @returns {Promise<Restored>}
 */
export async function restore(files, contents) {
  /** @type {Damage[]} */
  const damage = contents.damagedManifests.map((file) => ({ file, reason: "its checksum is wrong" }));
  const promised = files.manifest === null ? 0 : (files.manifest.snapshot?.lsn ?? 1);
  /** @type {Replayed | null} */
  let best = null;
  for (const base of contents.bases) {
    const found = await replayed(files, base, contents.segments, damage).catch((error) => {
      if (best !== null) free(best.handle);
      throw error;
    });
    if (found === null) continue;
    if (found.damage === null && found.lsn < promised) {
      found.damage = { file: "the log", reason: `records ${found.lsn + 1} to ${promised} are missing` };
    }
    if (found.damage !== null && found.lsn === 0 && damage.length > 0) found.damage.reason = "what it continues cannot be read";
    // Told also where a later base makes up for it.
    const fault = found.damage;
    if (fault !== null && damage.every(({ file }) => file !== fault.file)) damage.push(fault);
    // What reaches farthest counts: the manifest in force may be the older one if the newer is damaged.
    if (best === null || found.lsn > best.lsn) {
      if (best !== null) free(best.handle);
      best = found;
    } else free(found.handle);
    if (found.damage === null) break;
  }
  const isNew = contents.bases.length === 0 && damage.length === 0;
  const nothing = { segments: [], replayed: 0, lsn: 0, cut: 0, end: null, damage: null };
  const chosen = best ?? { ...nothing, handle: restored(undefined).handle };
  try {
    const fromTail = replayTail(chosen.handle, contents.tail, damage);
    const isLossless = (best !== null || isNew) && chosen.damage === null && fromTail !== null;
    return { ...chosen, damage, isLossless, fromTail: fromTail ?? 0 };
  } catch (error) {
    free(chosen.handle);
    throw error;
  }
}

/** @param {StoreFiles} files @param {Base} base @param {Contents["segments"]} segments @param {Damage[]} damage */
async function replayed(files, base, segments, damage) {
  const made = await begin(files, base, damage);
  if (made === null) return null;
  try {
    return replaySegments(made, segments.filter(({ file }) => file.generation >= base.generation));
  } catch (error) {
    free(made.handle);
    throw error;
  }
}

/** @param {number} handle */
function free(handle) {
  running().call("durableFree", handle, "[]");
}

/** @param {Uint8Array | undefined} snapshot */
function restored(snapshot) {
  return /** @type {{handle: number, lsn: number}} */ (running().call("durableRestore", 0, "[]", snapshot));
}

/** @param {StoreFiles} files @param {Base} base @param {Damage[]} damage */
async function begin(files, base, damage) {
  if (base.file === null) return restored(undefined);
  if (base.bytes === null && base.failed === "") await readBase(files, base);
  try {
    if (base.bytes !== null) return restored(base.bytes);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    if (error.code === "SNAPSHOT_VERSION") throw tooNew(error.message, error);
    base.failed = error.message;
  } finally {
    base.bytes = null; // Python has its copy
  }
  damage.push({ file: base.file, reason: base.failed });
  return null;
}

/**
 * @typedef {object} Replayed
 * @property {number} handle
 * @property {StoredFile[]} segments
 * @property {number} replayed
 * @property {number} lsn
 * @property {number} cut
 * @property {number | null} end
 * @property {Damage | null} damage
 */

/**
 * @param {{handle: number, lsn: number}} database
 * @param {Contents["segments"]} segments
 * @returns {Replayed}
 */
function replaySegments({ handle, lsn }, segments) {
  /** @type {Replayed} */
  const found = { handle, lsn, segments: [], replayed: 0, cut: 0, end: null, damage: null };
  for (const [i, { file, bytes, end, isSealed, failed }] of segments.entries()) {
    /** @param {string} reason */
    const broken = (reason) => ({ ...found, end: null, damage: { file: file.file, reason } });
    if (failed !== null) return broken(failed.message);
    const report = bytes.length > 0 ? replayPart(handle, bytes) : { applied: 0, end: 0, lsn: found.lsn };
    if (typeof report === "string") {
      found.lsn = /** @type {number} */ (running().call("durableLsn", handle, "[]"));
      return broken(report);
    }
    found.lsn = report.lsn;
    found.replayed += report.applied;
    const sound = isSealed ? end : report.end;
    if (isSealed ? report.end < bytes.length || (end < file.bytes && i < segments.length - 1) : sound < file.bytes && i < segments.length - 1) {
      return broken("it ends within a record, and others follow");
    }
    found.segments.push(file);
    found.cut = file.bytes - sound;
    found.end = sound;
  }
  return found;
}

/**
 * @param {number} handle
 * @param {Uint8Array} bytes records
 * @returns {{applied: number, end: number, lsn: number} | string} why it cannot be done, if it cannot
 */
function replayPart(handle, bytes) {
  try {
    return /** @type {{applied: number, end: number, lsn: number}} */ (running().call("durableReplay", handle, "[]", bytes));
  } catch (error) {
    if (!(error instanceof ZengramError) || !error.code.startsWith("LOG_")) throw error;
    if (error.code === "LOG_VERSION") throw tooNew(error.message, error);
    return error.message;
  }
}

/**
 * @param {number} handle
 * @param {Contents["tail"]} tail
 * @param {Damage[]} damage
 * @returns {number | null} how many records it added; null when they cannot be added
 */
function replayTail(handle, tail, damage) {
  if (tail === null) return 0;
  const what = { file: "the records kept when the page was hidden", reason: tail.reason };
  if (tail.bytes === null) {
    damage.push(what);
    return null;
  }
  const report = replayPart(handle, tail.bytes);
  if (typeof report !== "string" && report.end === tail.bytes.length) return report.applied;
  what.reason = typeof report === "string" ? report : "they are incomplete";
  damage.push(what);
  return null;
}
