/**
 * Calls of the storage back ends for test_backends.py, the same in the page and in a module worker:
 * `call(kind, method, ...args)`, where bytes are given as text and told as text.
 */
import { openIndexedDb } from "./persistence/indexeddb.js";
import { openOpfs } from "./persistence/opfs.js";

const STORE = "e2e";
const OPENERS = { opfs: openOpfs, indexeddb: openIndexedDb };

/** @type {Map<string, any>} */
const backends = new Map();

/** A text of so many bytes, different for each seed. */
export function textOf(length, seed = 0) {
  let text = "";
  for (let i = 0; text.length < length; i++) text += `${seed}:${i},`;
  return text.slice(0, length);
}

async function perform(kind, method, args) {
  if (!backends.has(kind)) backends.set(kind, await OPENERS[kind](STORE));
  const backend = backends.get(kind);
  const bytesOf = (text) => new TextEncoder().encode(typeof text === "string" ? text : textOf(...text));
  switch (method) {
    case "close":
      backends.delete(kind);
      return backend.close();
    case "read": {
      const bytes = await backend.read(...args);
      return bytes === null ? null : new TextDecoder().decode(bytes);
    }
    case "list":
      return (await backend.list()).map(({ name, bytes }) => `${name} ${bytes}`).sort();
    case "write":
      return backend.write(args[0], bytesOf(args[1]));
    case "append":
      return backend.append(args[0], args[1], bytesOf(args[2]));
    case "createInParts": {
      const writer = await backend.create(args[0]);
      for (const part of args.slice(1)) await writer.write(bytesOf(part));
      return writer.finish();
    }
    case "fill": {
      // Appends records of so many bytes until one is refused; tells how many bytes were acknowledged.
      const [name, size, most] = args;
      let at = 0;
      try {
        for (; at < most; at += size) await backend.append(name, at, bytesOf([size, at]));
      } catch (error) {
        return { at, code: error.code, message: error.message };
      }
      return { at };
    }
    case "acknowledge": {
      // Appends without an end, and notes each acknowledged length where it outlives the page.
      const [name, size, told] = args;
      for (let at = 0; ; at += size) {
        await backend.append(name, at, bytesOf([size, at]));
        await told(at + size);
      }
    }
    default:
      return backend[method](...args);
  }
}

export async function call(kind, method, ...args) {
  try {
    return { value: (await perform(kind, method, args)) ?? null };
  } catch (error) {
    const { name, code, message } = error;
    return { name, code, message };
  }
}

if (typeof globalThis.DedicatedWorkerGlobalScope === "function") {
  globalThis.onmessage = async ({ data: { id, args } }) => {
    if (args[1] === "acknowledge") args.push((at) => globalThis.postMessage({ told: at }));
    globalThis.postMessage({ id, answer: await call(...args) });
  };
}
