/** Encryption at rest: what comes back, what is refused, and in which order. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";

import { InvalidArgumentError } from "../src/errors.js";
import { openSealed, plainCodec } from "../src/persistence/sealing.js";
import { refuses } from "./support/refuses.mjs";

/** @import { Codec } from "../src/persistence/types.js" */

/** @param {string} text */
const bytesOf = (text) => new TextEncoder().encode(text);
/** @param {Uint8Array} bytes */
const textOf = (bytes) => new TextDecoder().decode(bytes);
/** @param {Uint8Array[]} parts */
const joined = (...parts) => new Uint8Array(Buffer.concat(parts));

/** @type {Codec} */
let codec;
/** @type {Uint8Array} */
let keyFile;
before(async () => {
  ({ codec, keyFile } = await openSealed("correct horse", null));
});

describe("a sealed store", () => {
  it("gives back what was sealed, with the same passphrase and key file", async () => {
    const contents = [bytesOf("first"), bytesOf(""), crypto.getRandomValues(new Uint8Array(50_000))];
    const frames = [];
    for (const content of contents) frames.push(await codec.seal(content, "log-1"));
    const again = await openSealed("correct horse", keyFile);
    assert.deepEqual(again.keyFile, keyFile);
    assert.ok(again.codec.encrypted);
    const sealed = joined(...frames);
    const { bytes, end } = await again.codec.unseal(sealed, "log-1");
    assert.equal(end, sealed.length);
    assert.equal(Buffer.compare(bytes, joined(...contents)), 0);
    assert.deepEqual(await codec.unseal(new Uint8Array(0), "x"), { bytes: new Uint8Array(0), end: 0 });
    // In the middle of another buffer.
    const shifted = joined(Uint8Array.of(1, 2, 3), sealed).subarray(3);
    assert.equal((await again.codec.unseal(shifted, "log-1")).end, sealed.length);
  });

  it("shows nothing of it, and never the same bytes twice", async () => {
    const one = await codec.seal(bytesOf("user drinks green tea"), "log-1");
    const two = await codec.seal(bytesOf("user drinks green tea"), "log-1");
    assert.equal(Buffer.from(one).includes("green tea"), false);
    assert.notDeepEqual(one.slice(8), two.slice(8));
    assert.equal(textOf(keyFile).includes("correct"), false);
  });

  it("tells a wrong passphrase before anything is read", async () => {
    for (const wrong of ["correct horsE", "x"]) {
      await refuses(openSealed(wrong, keyFile), "STORAGE_PASSPHRASE", /passphrase/);
    }
    for (const none of /** @type {any[]} */ (["", null, 5])) {
      await assert.rejects(openSealed(none, keyFile), InvalidArgumentError);
    }
  });

  it("takes composed and decomposed letters for the same passphrase", async () => {
    const made = await openSealed("\u00e9t\u00e9", null);
    await openSealed("e\u0301te\u0301", made.keyFile);
  });

  it("has a key of its own each time it is made", async () => {
    const other = await openSealed("correct horse", null);
    assert.notDeepEqual(other.keyFile, keyFile);
    const { end } = await other.codec.unseal(await codec.seal(bytesOf("x"), "log"), "log");
    assert.equal(end, 0);
  });

  it("says so when its key file is damaged or newer", async () => {
    const good = JSON.parse(textOf(keyFile));
    assert.equal(good.rounds, 600_000);
    const changed = (/** @type {object} */ change) => bytesOf(JSON.stringify({ ...good, ...change }));
    for (const bad of [
      bytesOf(""), bytesOf("{"), bytesOf("null"), bytesOf("[]"), Uint8Array.of(255), changed({ format: 0 }),
      changed({ kdf: "none" }), changed({ rounds: 0 }), changed({ rounds: 1e12 }), changed({ salt: "xyz" }), changed({ check: 7 }),
    ]) {
      await refuses(openSealed("correct horse", bad), "STORAGE_DAMAGED", /key file/);
    }
    await refuses(openSealed("correct horse", changed({ format: 2 })), "STORAGE_VERSION", /newer/);
    await refuses(openSealed("correct horse", changed({ rounds: 1000 })), "STORAGE_PASSPHRASE");
    await refuses(openSealed("x", null, /** @type {any} */ ({})), "STORAGE_UNAVAILABLE", /WebCrypto/);
  });

  it("seals at once, and settles in the order of calls", async () => {
    /** @type {number[]} */
    const settled = [];
    const sizes = [4_000_000, 10, 1_000_000, 1, 0];
    const contents = sizes.map((size, i) => new Uint8Array(size).fill(i + 1));
    const sealing = contents.map((content, i) =>
      codec.seal(content, "log").then((frame) => {
        settled.push(i);
        return frame;
      }),
    );
    for (const content of contents) content.fill(99); // taken when it was called
    const { bytes } = await codec.unseal(joined(...(await Promise.all(sealing))), "log");
    assert.deepEqual(settled, [0, 1, 2, 3, 4]);
    assert.equal(bytes[0], 1);
    assert.equal(bytes[4_000_000], 2);
    assert.equal(bytes.at(-1), 4);
  });

  it("goes on after one that could not be sealed", async () => {
    const bad = codec.seal(/** @type {any} */ ({ length: 3 }), "log");
    const good = codec.seal(bytesOf("good"), "log");
    await assert.rejects(bad, TypeError);
    assert.equal(textOf((await codec.unseal(await good, "log")).bytes), "good");
  });
});

describe("sealed frames", () => {
  /** @type {Uint8Array[]} */
  let frames;
  before(async () => {
    frames = await Promise.all(["one", "two", "three"].map((text) => codec.seal(bytesOf(text), "log-1")));
  });

  it("are cut wherever a write ended, and the whole ones before stay", async () => {
    const sealed = joined(...frames);
    const start = sealed.length - frames[2].length;
    for (let cut = start; cut < sealed.length; cut++) {
      const { bytes, end } = await codec.unseal(sealed.subarray(0, cut), "log-1");
      assert.equal(end, start);
      assert.equal(textOf(bytes), "onetwo");
    }
  });

  it("with any byte changed are not opened: the last is cut off, one that others follow is damage", async () => {
    const last = joined(...frames);
    const start = last.length - frames[2].length;
    for (let at = 0; at < last.length; at++) {
      const changed = last.slice();
      changed[at] ^= 0x41;
      if (at >= start) assert.equal((await codec.unseal(changed, "log-1")).end, start);
      else await refuses(codec.unseal(changed, "log-1"), "STORAGE_DAMAGED", /log-1 is damaged/);
    }
  });

  it("of another file are not opened", async () => {
    assert.equal((await codec.unseal(frames[0], "log-2")).end, 0);
  });
});

describe("without encryption", () => {
  it("bytes are what they are", async () => {
    assert.equal(plainCodec.encrypted, false);
    const bytes = bytesOf("abc");
    assert.equal(await plainCodec.seal(bytes, "x"), bytes);
    assert.deepEqual(await plainCodec.unseal(bytes, "x"), { bytes, end: 3 });
  });
});
