/** @import { Backend } from "./types.js" */

/**
 * Writes a file at once, for the back ends that can write one in parts.
 *
 * @param {Pick<Backend, "create">} backend
 * @param {string} name
 * @param {Uint8Array} bytes
 */
export async function writeWhole(backend, name, bytes) {
  const writer = await backend.create(name);
  try {
    await writer.write(bytes);
    await writer.finish();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
