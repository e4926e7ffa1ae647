/**
 * Keeps count of the memories of all WebAssembly in the page: what the browser tells of a page's memory leaves them out.
 * Has to run before any of it is compiled.
 */

/** @type {Set<WebAssembly.Memory>} */
const memories = new Set();

/** Bytes of all memories that WebAssembly has got here, used or not. */
export const wasmBytes = () => [...memories].reduce((sum, memory) => sum + memory.buffer.byteLength, 0);

/** @param {WebAssembly.Instance} instance */
function note(instance) {
  for (const value of Object.values(instance.exports)) if (value instanceof WebAssembly.Memory) memories.add(value);
  return instance;
}

const { instantiate, instantiateStreaming, Instance, Memory } = WebAssembly;

/** @param {any} answer a module was given: an instance; bytes: both @returns {any} */
const noted = (answer) => {
  note(answer instanceof Instance ? answer : answer.instance);
  return answer;
};

Object.assign(WebAssembly, {
  instantiate: async (/** @type {Parameters<typeof instantiate>} */ ...given) => noted(await instantiate(...given)),
  instantiateStreaming: async (/** @type {Parameters<typeof instantiateStreaming>} */ ...given) =>
    noted(await instantiateStreaming(...given)),
  Instance: new Proxy(Instance, {
    construct: (target, given) => note(Reflect.construct(target, given)),
  }),
  Memory: new Proxy(Memory, {
    construct(target, given) {
      const memory = Reflect.construct(target, given);
      memories.add(memory);
      return memory;
    },
  }),
});
