import { onBackend } from "./zengram.js";

export const subject = onBackend("opfs", { logOnly: true });
