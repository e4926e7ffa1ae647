import { onFiles } from "./pglite.js";

export const subject = onFiles("idb", false);
