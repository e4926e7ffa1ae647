/** The pure parts of a start: images and their keys, archives, places, and what progress says. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deflateRawSync } from "node:zlib";

import { membersOf } from "../src/boot/archive.js";
import { joined } from "../src/bytes.js";
import { Checksum, decodeImage, describeBrowser, encodeImage, imageKey, readImage } from "../src/boot/image.js";
import { locate, wheelsOf } from "../src/boot/places.js";
import { openShelf } from "../src/boot/shelf.js";
import { Progress, fetchWhole } from "../src/downloads.js";
import { BootError } from "../src/errors.js";

const encoder = new TextEncoder();

/** @param {string} key @param {Uint8Array} memory @param {Map<string, Uint8Array>} files */
function imageFile(key, memory, files) {
  const parts = encodeImage(key, memory, files);
  const sum = new Checksum();
  for (const part of parts) sum.add(part);
  sum.writeTo(parts[0]);
  return /** @type {Uint8Array<ArrayBuffer>} */ (joined(parts));
}

describe("an image", () => {
  const memory = new Uint8Array(4096);
  for (let i = 0; i < 1000; i++) memory[i] = (i * 7) & 255;
  const files = new Map([
    ["/lib/a.pyc", encoder.encode("some code")],
    ["/lib/empty.pyc", new Uint8Array(0)],
    ["/lib/größer.pyc", new Uint8Array(33).fill(9)],
  ]);
  const file = imageFile("the key", memory, files);

  it("is added up while it arrives, in whatever pieces", async () => {
    const plain = { arrayBuffer: async () => file.slice().buffer };
    assert.ok(await readImage(plain).then((read) => decodeImage(read.file, "the key", read.sum)));
    for (const size of [1, 7, 16, 100, 1000, file.length]) {
      for (const damagedAt of [-1, 20, file.length - 1]) {
        const bytes = file.slice();
        if (damagedAt >= 0) bytes[damagedAt] ^= 4;
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
        const streamed = { ...plain, size: bytes.length, stream: () => /** @type {any} */ (ReadableStream).from(pieces) };
        const read = await readImage(streamed);
        assert.equal(decodeImage(read.file, "the key", read.sum) === null, damagedAt >= 0, `${size} ${damagedAt}`);
      }
    }
  });

  it("gives back the memory and the files, and keeps no zeros at the end", () => {
    assert.ok(file.length < 2048);
    const image = decodeImage(file.buffer, "the key");
    assert.ok(image);
    assert.equal(image.length, 4096);
    assert.deepEqual([...image.memory], [...memory.subarray(0, image.memory.length)]);
    assert.ok(memory.subarray(image.memory.length).every((byte) => byte === 0));
    assert.deepEqual([...image.files.keys()], [...files.keys()]);
    for (const [path, bytes] of files) assert.deepEqual(image.files.get(path), bytes);
  });

  it("is refused when any byte of it differs", () => {
    for (let at = 0; at < file.length; at += 1) {
      const damaged = file.slice();
      damaged[at] ^= 1 << at % 8;
      assert.equal(decodeImage(damaged.buffer, "the key"), null, `byte ${at}`);
    }
  });

  it("is refused when it is cut off or too long, at any length", () => {
    for (let length = 0; length < file.length; length += 1) {
      assert.equal(decodeImage(file.slice(0, length).buffer, "the key"), null, `length ${length}`);
    }
    assert.equal(decodeImage(/** @type {ArrayBuffer} */ (joined([file, new Uint8Array(16)]).buffer), "the key"), null);
  });

  it("is refused when two of its pieces have changed places", () => {
    const swapped = file.slice();
    swapped.copyWithin(512, 528, 544);
    swapped.set(file.subarray(512, 528), 528);
    assert.notDeepEqual(swapped, file);
    assert.equal(decodeImage(swapped.buffer, "the key"), null);
  });

  it("is refused under another key", () => {
    assert.equal(decodeImage(file.buffer, "another key"), null);
  });

  it("has a checksum that does not depend on the pieces in which it is taken", () => {
    const whole = new Checksum();
    whole.add(file);
    const pieces = new Checksum();
    for (let at = 0; at < file.length; at += 48) pieces.add(file.subarray(at, at + 48));
    assert.deepEqual(pieces.value(), whole.value());
  });
});

describe("the key of an image", () => {
  it("is another one for another build, browser, version, kind of page, or isolation", async () => {
    const browser = { agent: "Browser/1.0", versions: null, scope: "[object Window]", isolated: false };
    const keys = await Promise.all([
      imageKey("build", browser),
      imageKey("build2", browser),
      imageKey("build", { ...browser, agent: "Browser/1.1" }),
      imageKey("build", { ...browser, versions: [{ brand: "Browser", version: "1.0.1" }] }),
      imageKey("build", { ...browser, scope: "[object DedicatedWorkerGlobalScope]" }),
      imageKey("build", { ...browser, isolated: true }),
    ]);
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(await imageKey("build", { ...browser }), keys[0]);
    assert.match(keys[0], /^[0-9a-f]{32}$/);
  });

  it("takes the full versions where the browser tells them, and does without where it refuses", async () => {
    const list = [{ brand: "Browser", version: "1.2.3.4" }];
    const telling = { navigator: { userAgent: "B/1", userAgentData: { getHighEntropyValues: async () => ({ fullVersionList: list }) } } };
    assert.deepEqual((await describeBrowser(/** @type {any} */ (telling))).versions, list);
    const refusing = {
      navigator: { userAgent: "B/1", userAgentData: { getHighEntropyValues: async () => Promise.reject(new Error("no")) } },
    };
    assert.equal((await describeBrowser(/** @type {any} */ (refusing))).versions, null);
    assert.equal((await describeBrowser(/** @type {any} */ ({ navigator: { userAgent: "B/1" } }))).agent, "B/1");
  });
});

describe("a shelf for images", () => {
  it("is none where storage is denied or not there", async () => {
    const denied = async () => Promise.reject(new DOMException("denied", "SecurityError"));
    assert.equal(await openShelf("https://example.org/", {}), null);
    const environment = /** @type {any} */ ({ storage: { getDirectory: denied }, caches: { open: denied } });
    assert.equal(await openShelf("https://example.org/", environment), null);
  });
});

/**
 * A zip file as Python writes it.
 *
 * @param {[string, Uint8Array, number][]} members path, content, method
 */
function zip(members) {
  /** @type {Uint8Array[]} */
  const parts = [];
  /** @type {Uint8Array[]} */
  const directory = [];
  let at = 0;
  for (const [path, content, method] of members) {
    const name = encoder.encode(path);
    const data = method === 8 ? new Uint8Array(deflateRawSync(content)) : content;
    const local = new DataView(new ArrayBuffer(30));
    local.setUint32(0, 0x04034b50, true);
    local.setUint16(26, name.length, true);
    const central = new DataView(new ArrayBuffer(46));
    central.setUint32(0, 0x02014b50, true);
    central.setUint16(10, method, true);
    central.setUint32(20, data.length, true);
    central.setUint32(24, content.length, true);
    central.setUint16(28, name.length, true);
    central.setUint32(42, at, true);
    parts.push(new Uint8Array(local.buffer), name, data);
    directory.push(new Uint8Array(central.buffer), name);
    at += 30 + name.length + data.length;
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(10, members.length, true);
  end.setUint32(16, at, true);
  return joined([...parts, ...directory, new Uint8Array(end.buffer)]);
}

describe("an archive", () => {
  const text = encoder.encode("import this\n".repeat(50));

  it("gives its members, stored and deflated, without folders; stored ones are not copied", async () => {
    const bytes = zip([["a/", new Uint8Array(0), 0], ["a/b.pyc", text, 0], ["a/c.py", text, 8], ["ä.py", new Uint8Array(0), 0]]);
    const members = await membersOf(bytes, "x.whl");
    assert.deepEqual([...members.keys()], ["a/b.pyc", "a/c.py", "ä.py"]);
    assert.deepEqual(members.get("a/b.pyc"), text);
    assert.deepEqual(members.get("a/c.py"), text);
    assert.equal(members.get("a/b.pyc")?.buffer, bytes.buffer);
  });

  it("says which one cannot be read", async () => {
    const good = zip([["a.py", text, 0]]);
    const cut = good.slice(100);
    for (const bad of [new Uint8Array(0), encoder.encode("<!doctype html>"), good.slice(0, -1), cut, zip([["a.py", text, 12]])]) {
      await assert.rejects(membersOf(bad, "x.whl"), (error) => error instanceof BootError && /x\.whl/.test(error.message));
    }
  });
});

describe("places", () => {
  const where = locate({ lockFileURL: "https://cdn.example/lock/lock.json", packageBaseUrl: "https://cdn.example/full" });
  const lock = {
    packages: {
      "zengram-py": { file_name: "z-py3-none-any.whl", sha256: "1", depends: ["NumPy"] },
      numpy: {
        file_name: "../a/numpy-wasm32.whl", sha256: "2", depends: [], size: 5,
        upstream: { file_name: "numpy-wasm32.whl", sha256: "3" },
      },
      other: { file_name: "other.whl", sha256: "4", depends: [] },
    },
  };

  it("name what the library needs, and numpy as published where the page says so", () => {
    const wheels = wheelsOf(lock, where).map(({ name, url, sha256 }) => [name, url.href, sha256]);
    assert.deepEqual(wheels, [
      ["zengram-py", "https://cdn.example/lock/z-py3-none-any.whl", "1"],
      ["numpy", "https://cdn.example/full/numpy-wasm32.whl", "3"],
    ]);
    const [, numpy] = wheelsOf(lock, { ...where, platformWheels: null });
    assert.deepEqual([numpy.url.href, numpy.sha256, numpy.size], ["https://cdn.example/a/numpy-wasm32.whl", "2", 5]);
  });
});

describe("progress of a start", () => {
  it("rises with every step of which nobody knows how long it takes, and stays below what follows", () => {
    const progress = new Progress();
    /** @type {number[]} */
    const fractions = [];
    progress.listen(({ fraction }) => fractions.push(fraction));
    for (let i = 0; i < 20; i++) progress.restoring();
    for (let i = 0; i < 20; i++) progress.starting();
    const last = fractions[fractions.length - 1];
    for (let i = 1; i < fractions.length; i++) assert.ok(fractions[i] > fractions[i - 1]);
    progress.importing(0);
    assert.ok(fractions[fractions.length - 1] >= last);
    progress.importing(0.5);
    assert.ok(fractions[fractions.length - 1] < 1);
  });
});

describe("a file whose hash is known", () => {
  it("is asked for with it", async () => {
    const real = globalThis.fetch;
    /** @type {any[]} */
    const asked = [];
    globalThis.fetch = async (_, options) => {
      asked.push(options?.integrity);
      return new Response(new Uint8Array([1, 2, 3]));
    };
    try {
      const progress = new Progress();
      const sha256 = "00ff10" + "ab".repeat(29);
      const bytes = await fetchWhole("/a.whl", progress, AbortSignal.timeout(1000), sha256);
      assert.deepEqual([...bytes], [1, 2, 3]);
      assert.equal(asked[0], `sha256-${Buffer.from(sha256, "hex").toString("base64")}`);
    } finally {
      globalThis.fetch = real;
    }
  });
});
