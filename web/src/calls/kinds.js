/**
 * What the tables of calls are made of. `takes` are the arguments of a call in their order, `options` what its last argument, an object, may
 * hold.
 */

/** @typedef {import("../inputs.js").OptionKind} OptionKind */
/** Behind `|null`, null says something: that a field is emptied. @typedef {Record<string, OptionKind | `${OptionKind}|null`>} Options */
/**
 * `?` ends the kind of an argument that may be left out. A call that writes leaves work for idle time.
 *
 * @typedef {object} Call
 * @property {Record<string, OptionKind | `${OptionKind}?` | "vectors">} takes
 * @property {Options} [options]
 * @property {boolean} [writes]
 */

/** @type {Options} */
export const PAGE = { limit: "count", offset: "count" };
