/** The CRC-32 of zlib and of the engine's files (polynomial 0xEDB88320, a table of 256 entries). */

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/**
 * @param {Uint8Array} bytes
 * @param {number} [before] the checksum of the bytes before these
 * @returns {number}
 */
export function crc32(bytes, before = 0) {
  let crc = ~before;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}
