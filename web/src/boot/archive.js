/**
 * Reads zip files. Those of a build hold their members as they are, so that taking them out copies nothing; members that are
 * deflated, in wheels from elsewhere, are inflated by the browser.
 *
 *     end of the file:  "PK\5\6" … number of members, place of the directory
 *     directory:        "PK\1\2" … method, sizes, place of the member, name
 *     member:           "PK\3\4" … lengths of name and extra field, then the data
 */
import { BootError } from "../errors.js";

const END_LENGTH = 22;
const MAX_COMMENT = 65_535;
const STORED = 0;
const DEFLATED = 8;

/**
 * @param {Uint8Array} bytes
 * @param {string} name of the archive, for messages
 * @returns {Promise<Map<string, Uint8Array>>} the members by their paths; views of `bytes` where nothing was compressed
 */
export async function membersOf(bytes, name) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return await read(bytes, view);
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    throw new BootError(`${name} is not a zip file that can be read.`, { cause });
  }
}

/** @param {Uint8Array} bytes @param {DataView} view */
async function read(bytes, view) {
  const end = endOf(view);
  const decoder = new TextDecoder();
  /** @type {Map<string, Uint8Array>} */
  const members = new Map();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new RangeError("no entry of the directory");
    const method = view.getUint16(at + 10, true);
    const size = view.getUint32(at + 20, true);
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const local = view.getUint32(at + 42, true);
    const path = decoder.decode(bytes.subarray(at + 46, at + 46 + nameLength));
    at += 46 + nameLength + extraLength + commentLength;
    if (path.endsWith("/")) continue;
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    if (start + size > bytes.length) throw new RangeError("a member is cut off");
    const data = bytes.subarray(start, start + size);
    if (method !== STORED && method !== DEFLATED) throw new RangeError(`compression method ${method}`);
    members.set(path, method === STORED ? data : await inflated(data));
  }
  return members;
}

/** @param {DataView} view */
function endOf(view) {
  const last = view.byteLength - END_LENGTH;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at -= 1) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  throw new RangeError("no end of a zip file");
}

/** @param {Uint8Array} data */
async function inflated(data) {
  const stream = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (data)]).stream();
  return new Uint8Array(await new Response(stream.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer());
}
