import { onBackend } from "./zengram.js";

export const subject = onBackend("indexeddb");
