import assert from "node:assert/strict";

/**
 * Asserts that a call throws one of the library's errors, as a library's error.
 *
 * @param {{ZengramError: Function} & Record<string, any>} library
 * @param {() => unknown} call
 * @param {string} name
 * @param {string} code
 * @param {RegExp} [message]
 * @returns {any} the error
 */
export function throwsError(library, call, name, code, message) {
  /** @type {any} */
  let caught;
  assert.throws(call, (error) => {
    caught = error;
    return true;
  });
  assert.equal(caught.name, name, caught.stack);
  assert.equal(caught.code, code, caught.stack);
  assert.ok(caught instanceof library[name], `instanceof ${name}`);
  assert.ok(caught instanceof /** @type {any} */ (library.ZengramError));
  assert.ok(caught instanceof Error);
  assert.ok(caught.message.length > 10, "the message says something");
  if (message) assert.match(caught.message, message);
  return caught;
}
