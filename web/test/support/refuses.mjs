/** What the tests of persistence ask of rejections. */
import assert from "node:assert/strict";

import { StorageError } from "../../src/errors.js";

/** @param {Promise<unknown>} promise @param {string} code @param {RegExp} [message] */
export async function refuses(promise, code, message = /./) {
  await assert.rejects(promise, (/** @type {any} */ error) => {
    assert.ok(error instanceof StorageError, error.stack);
    assert.equal(error.code, code, error.stack);
    assert.match(error.message, message);
    return true;
  });
}
