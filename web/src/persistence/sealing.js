/**
 * Encryption of what is stored: AES-GCM with a key that PBKDF2 makes of a passphrase.
 *
 * What is sealed is a sequence of frames, so that it can be appended to and cut off like what it holds:
 *
 *     "ZGs1" | length, 4 bytes, little-endian | IV, 12 random bytes | ciphertext with its tag
 *
 * The label (the file's name, say) is authenticated with each frame: one file cannot stand in for another. The order of frames
 * is not; what they hold has numbers and checksums of its own.
 *
 * The key file says how the key is made, and has a sealed word by which a wrong passphrase is told before anything is read.
 */
import { InvalidArgumentError, StorageError } from "../errors.js";
import { unavailable } from "./storage_errors.js";

/** @import { Codec } from "./types.js" */
/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

const MAGIC = [0x5a, 0x47, 0x73, 0x31];
const IV_AT = 8;
const SEALED_AT = 20;
const TAG_BYTES = 16;

const FORMAT = 1;
const KDF = "PBKDF2-SHA-256";
const ROUNDS = 600_000;
/** A damaged key file must not hold the page for hours. */
const MAX_ROUNDS = 100_000_000;
const SALT_BYTES = 16;
const CHECK_LABEL = "zengram key check";
const CHECK_WORD = "zengram";

/** Fewer bytes are no whole frame. */
export const SHORTEST_FRAME = SEALED_AT + TAG_BYTES;

/** Whether these are frames, or the beginning of one. @param {Uint8Array} bytes */
export function isSealed(bytes) {
  return bytes.length >= MAGIC.length && MAGIC.every((byte, i) => bytes[i] === byte);
}

/** @type {Codec} */
export const plainCodec = {
  encrypted: false,
  async seal(bytes) {
    return bytes;
  },
  async unseal(bytes) {
    return { bytes, end: bytes.length };
  },
};

/**
 * @param {string} passphrase
 * @param {Uint8Array | null} keyFile of the store; null makes a new one
 * @param {Crypto} [crypto]
 * @returns {Promise<{codec: Codec, keyFile: Uint8Array}>} `keyFile` is to be stored as it is before anything that is sealed
 */
export async function openSealed(passphrase, keyFile, crypto = globalThis.crypto) {
  if (typeof passphrase !== "string" || passphrase === "") {
    throw new InvalidArgumentError("The passphrase must be a string that is not empty.");
  }
  if (crypto?.subtle === undefined) throw unavailable("WebCrypto for this page, which encryption needs (an insecure origin?)");
  if (keyFile === null) {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
    const codec = new SealingCodec(await deriveKey(crypto, passphrase, salt, ROUNDS), crypto);
    const check = await codec.seal(new TextEncoder().encode(CHECK_WORD), CHECK_LABEL);
    const made = { format: FORMAT, kdf: KDF, rounds: ROUNDS, salt: toHex(salt), check: toHex(check) };
    return { codec, keyFile: new TextEncoder().encode(JSON.stringify(made)) };
  }
  const { salt, rounds, check } = readKeyFile(keyFile);
  const codec = new SealingCodec(await deriveKey(crypto, passphrase, salt, rounds), crypto);
  if ((await codec.openFrame(check, CHECK_LABEL)) === null) {
    throw new StorageError("The passphrase is not the one that this store was sealed with.", { code: "STORAGE_PASSPHRASE" });
  }
  return { codec, keyFile };
}

/** @param {Uint8Array} keyFile */
function readKeyFile(keyFile) {
  let found;
  try {
    found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(keyFile));
  } catch (cause) {
    throw damaged("The key file cannot be read", cause);
  }
  const { format, kdf, rounds, salt, check } = found ?? {};
  if (Number.isSafeInteger(format) && format > FORMAT) {
    throw new StorageError("The key file was written by a newer Zengram; load that version of the page.", {
      code: "STORAGE_VERSION",
    });
  }
  const whole = Number.isSafeInteger(rounds) && rounds > 0 && rounds <= MAX_ROUNDS && isHex(salt) && isHex(check);
  if (format !== FORMAT || kdf !== KDF || !whole) throw damaged("The key file cannot be read");
  return { rounds, salt: fromHex(salt), check: fromHex(check) };
}

/**
 * @param {Crypto} crypto
 * @param {string} passphrase
 * @param {Bytes} salt
 * @param {number} iterations
 */
async function deriveKey({ subtle }, passphrase, salt, iterations) {
  // The same letters may come composed or decomposed, as the keyboard has it.
  const secret = new TextEncoder().encode(passphrase.normalize("NFC"));
  const base = await subtle.importKey("raw", secret, "PBKDF2", false, ["deriveKey"]);
  const algorithm = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
  return subtle.deriveKey(algorithm, base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** @implements {Codec} */
class SealingCodec {
  encrypted = true;
  #key;
  #crypto;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** @param {CryptoKey} key @param {Crypto} crypto */
  constructor(key, crypto) {
    this.#key = key;
    this.#crypto = crypto;
  }

  /** @param {Uint8Array} bytes @param {string} label @returns {Promise<Uint8Array>} */
  async seal(bytes, label) {
    const sealing = this.#sealFrame(bytes, label);
    const ordered = this.#last.then(() => sealing);
    this.#last = Promise.allSettled([ordered, sealing]); // whoever asked for it is told
    return ordered;
  }

  /** @param {Uint8Array} bytes @param {string} label */
  async #sealFrame(bytes, label) {
    const frame = new Uint8Array(SEALED_AT + bytes.length + TAG_BYTES);
    frame.set(MAGIC);
    new DataView(frame.buffer).setUint32(MAGIC.length, bytes.length + TAG_BYTES, true);
    const iv = this.#crypto.getRandomValues(frame.subarray(IV_AT, SEALED_AT));
    const sealed = await this.#crypto.subtle.encrypt(algorithm(iv, label), this.#key, /** @type {Bytes} */ (bytes));
    frame.set(new Uint8Array(sealed), SEALED_AT);
    return frame;
  }

  /** @param {Uint8Array} bytes @param {string} label */
  async unseal(bytes, label) {
    const opened = [];
    let end = 0;
    while (end < bytes.length) {
      const frame = frameAt(bytes, end);
      const content = frame && (await this.openFrame(frame, label));
      if (frame === null || content === null) break;
      opened.push(content);
      end += frame.length;
    }
    if (end < bytes.length && (await this.#hasFrameBehind(bytes, end, label))) {
      throw damaged(`${label} is damaged: what is sealed at byte ${end} cannot be opened, and more follows`);
    }
    const whole = new Uint8Array(opened.reduce((sum, content) => sum + content.length, 0));
    let at = 0;
    for (const content of opened) {
      whole.set(content, at);
      at += content.length;
    }
    return { bytes: whole, end };
  }

  /** @param {Uint8Array} frame @param {string} label @returns {Promise<Bytes | null>} null when it is not what was sealed */
  async openFrame(frame, label) {
    const iv = /** @type {Bytes} */ (frame.subarray(IV_AT, SEALED_AT));
    const sealed = /** @type {Bytes} */ (frame.subarray(SEALED_AT));
    try {
      return new Uint8Array(await this.#crypto.subtle.decrypt(algorithm(iv, label), this.#key, sealed));
    } catch (error) {
      if (error instanceof Error && error.name === "OperationError") return null;
      throw error;
    }
  }

  /** Whether a frame that can be opened follows behind a place. @param {Uint8Array} bytes @param {number} place @param {string} label */
  async #hasFrameBehind(bytes, place, label) {
    for (let at = bytes.indexOf(MAGIC[0], place + 1); at >= 0; at = bytes.indexOf(MAGIC[0], at + 1)) {
      const frame = frameAt(bytes, at);
      if (frame !== null && (await this.openFrame(frame, label)) !== null) return true;
    }
    return false;
  }
}

/** @param {Bytes} iv @param {string} label @returns {AesGcmParams} */
function algorithm(iv, label) {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(label), tagLength: 8 * TAG_BYTES };
}

/**
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {Uint8Array | null} null when no whole frame begins there
 */
function frameAt(bytes, at) {
  if (bytes.length - at < SEALED_AT + TAG_BYTES || MAGIC.some((byte, i) => bytes[at + i] !== byte)) return null;
  const length = new DataView(bytes.buffer, bytes.byteOffset + at + MAGIC.length).getUint32(0, true);
  const end = at + SEALED_AT + length;
  return length < TAG_BYTES || end > bytes.length ? null : bytes.subarray(at, end);
}

/** @param {string} message @param {unknown} [cause] */
function damaged(message, cause) {
  return new StorageError(`${message}.`, { code: "STORAGE_DAMAGED", cause });
}

/** @param {Uint8Array} bytes */
function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {unknown} text @returns {text is string} */
function isHex(text) {
  return typeof text === "string" && /^([0-9a-f]{2})+$/.test(text);
}

/** @param {string} text @returns {Bytes} */
function fromHex(text) {
  return Uint8Array.from(/** @type {string[]} */ (text.match(/../g)), (pair) => Number.parseInt(pair, 16));
}
