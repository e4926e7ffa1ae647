import { onFiles } from "./pglite.js";

export const subject = onFiles("opfs-ahp", false);
