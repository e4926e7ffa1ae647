/** SQLite with a write-ahead log, which without shared memory needs the database for itself. */
import { onPool } from "./sqlite.js";

export const subject = onPool(["locking_mode = exclusive", "journal_mode = wal"]);
