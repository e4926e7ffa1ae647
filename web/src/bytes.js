/**
 * Parts one after the other, as one array; a single part is given back as it is.
 *
 * @param {readonly Uint8Array[]} parts
 * @returns {Uint8Array}
 */
export function joined(parts) {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
