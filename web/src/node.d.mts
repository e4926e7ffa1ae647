/**
 * Zengram in Node: the same names as `zengram.js`. Python boots while this module loads, so `init` need not be called;
 * it exists so that code written for the page runs unchanged.
 */
export * from "./zengram.js";
export { default } from "./zengram.js";
