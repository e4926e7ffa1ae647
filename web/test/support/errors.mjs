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

/**
 * Asserts that each of some calls is refused with its error and changes nothing, and that all are refused once the memory was freed.
 *
 * @template T
 * @param {{ZengramError: Function} & Record<string, any>} library
 * @param {{free(): void}} memory
 * @param {readonly [(memory: any, known: T) => unknown, readonly [string, string], RegExp][]} calls
 * @param {T} known what the calls need to know
 * @param {() => unknown} state what they may not change
 */
export function refusesAll(library, memory, calls, known, state) {
  const before = state();
  for (const [call, [name, code], message] of calls) throwsError(library, () => call(memory, known), name, code, message);
  assert.deepEqual(state(), before);
  memory.free();
  for (const [call] of calls) throwsError(library, () => call(memory, known), "ClosedError", "CLOSED");
}
