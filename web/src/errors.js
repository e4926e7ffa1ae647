/**
 * Every error the library throws.
 *
 *     Error
 *      └─ ZengramError            code
 *          ├─ InvalidArgumentError   INVALID_ARGUMENT
 *          ├─ DimensionError         INVALID_DIMENSION
 *          ├─ VectorLengthError      VECTOR_LENGTH
 *          ├─ VectorZeroError        VECTOR_ZERO
 *          ├─ VectorNotFiniteError   VECTOR_NOT_FINITE
 *          ├─ VectorTypeError        VECTOR_TYPE
 *          ├─ EmbedderError          EMBEDDER_FAILED | EMBEDDER_ASYNC | EMBEDDER_MISSING
 *          ├─ SnapshotError          SNAPSHOT_DAMAGED | SNAPSHOT_DIMENSION
 *          ├─ NotFoundError          NOT_FOUND
 *          ├─ StateError             INVALID_STATE
 *          ├─ MigrationError         MIGRATION_CLASH | MIGRATION_UNKNOWN | MIGRATION_CHECKSUM
 *          ├─ TransactionError       TRANSACTION_STATE | TRANSACTION_TIMEOUT
 *          ├─ ConflictError          CONFLICT | SERIALIZATION
 *          ├─ ConstraintError        NOT_NULL | CHECK | FOREIGN_KEY | UNIQUE | PRIMARY_KEY
 *          ├─ SqlError               PostgreSQL's name of the condition, such as UNDEFINED_TABLE, DIVISION_BY_ZERO
 *          ├─ ClosedError            CLOSED
 *          ├─ NotInitializedError    NOT_INITIALIZED
 *          ├─ BusyError              BUSY
 *          ├─ BootError              BOOT_FAILED
 *          └─ StorageError           STORAGE_UNAVAILABLE | _DENIED | _QUOTA | _DAMAGED | _LOCKED | _NOT_LOADED |
 *                                     _PASSPHRASE | _VERSION | _NOT_EMPTY | _WRITE_FAILED | STORE_CLOSED
 *
 * `code` is the stable thing to test in programs; `message` is for people and may change.
 * The names and codes down to ClosedError are those of the Python side, which sends them as text; of its narrower kinds of
 * TransactionError, ConflictError and ConstraintError the code tells.
 */

/** @typedef {{code?: string, cause?: unknown}} ErrorDetails */

/** The base of every error of this library. */
export class ZengramError extends Error {
  /**
   * @param {string} message
   * @param {ErrorDetails} [details]
   */
  constructor(message, { code = "INTERNAL", cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ZengramError";
    /** A stable, machine-readable reason. @type {string} */
    this.code = code;
  }
}

/** An argument has the wrong type or value. */
export class InvalidArgumentError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "INVALID_ARGUMENT", ...details });
    this.name = "InvalidArgumentError";
  }
}

/** The number of dimensions is not a positive integer the memory can work with. */
export class DimensionError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "INVALID_DIMENSION", ...details });
    this.name = "DimensionError";
  }
}

/** A vector has another length than the memory's dimensions. */
export class VectorLengthError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "VECTOR_LENGTH", ...details });
    this.name = "VectorLengthError";
  }
}

/** A vector of zeros has no direction, so it is similar to nothing. */
export class VectorZeroError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "VECTOR_ZERO", ...details });
    this.name = "VectorZeroError";
  }
}

/** A vector holds NaN or an infinity. */
export class VectorNotFiniteError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "VECTOR_NOT_FINITE", ...details });
    this.name = "VectorNotFiniteError";
  }
}

/** A vector is none of Float32Array, Float64Array and array of numbers, or cannot be read. */
export class VectorTypeError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "VECTOR_TYPE", ...details });
    this.name = "VectorTypeError";
  }
}

/** The embedding function is missing, failed (see `cause`), or is not synchronous. */
export class EmbedderError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "EMBEDDER_FAILED", ...details });
    this.name = "EmbedderError";
  }
}

/** Bytes are not a snapshot, are damaged, or hold vectors of other dimensions. */
export class SnapshotError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "SNAPSHOT_DAMAGED", ...details });
    this.name = "SnapshotError";
  }
}

/** An id that names nothing here: no such fact, session, branch, turn or tool call. */
export class NotFoundError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "NOT_FOUND", ...details });
    this.name = "NotFoundError";
  }
}

/** What an id names is in a state that does not allow the call; the message names the state. */
export class StateError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "INVALID_STATE", ...details });
    this.name = "StateError";
  }
}

/** The tables of a database cannot become those of a memory; nothing was changed. */
export class MigrationError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "MIGRATION_CLASH", ...details });
    this.name = "MigrationError";
  }
}

/** A call that cannot be part of a batch, or a batch that cannot go on. */
export class TransactionError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "TRANSACTION_STATE", ...details });
    this.name = "TransactionError";
  }
}

/** Something else changed the same rows first; nothing was stored, and the same call may succeed now. */
export class ConflictError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "CONFLICT", ...details });
    this.name = "ConflictError";
  }
}

/** A change would break a constraint that was put on the memory's tables; nothing was stored. */
export class ConstraintError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "CONSTRAINT", ...details });
    this.name = "ConstraintError";
  }
}

/** A statement was refused, before or while it ran; nothing of it took effect. */
export class SqlError extends ZengramError {
  /** @param {string} message @param {ErrorDetails & {sqlstate?: string, position?: number | null, detail?: string, hint?: string}} [details] */
  constructor(message, { sqlstate = "XX000", position = null, detail = "", hint = "", ...details } = {}) {
    super(message, { code: "INTERNAL_ERROR", ...details });
    this.name = "SqlError";
    /** PostgreSQL's five characters for the condition. */
    this.sqlstate = sqlstate;
    /** Where in the statement, counted in characters from 1. */
    this.position = position;
    /** More about it. */
    this.detail = detail;
    /** What may help. */
    this.hint = hint;
  }
}

/** The object was freed or closed before this call. */
export class ClosedError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "CLOSED", ...details });
    this.name = "ClosedError";
  }
}

/** A call came before `await init()` had ended. */
export class NotInitializedError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "NOT_INITIALIZED", ...details });
    this.name = "NotInitializedError";
  }
}

/** A function that a memory or a database was given called the very one that is waiting for its answer. */
export class BusyError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "BUSY", ...details });
    this.name = "BusyError";
  }
}

/** The Python runtime did not start; `cause` says why. `init()` may be called again. */
export class BootError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "BOOT_FAILED", ...details });
    this.name = "BootError";
  }
}

/** The browser's storage refused, or what it holds is damaged. */
export class StorageError extends ZengramError {
  /** @param {string} message @param {ErrorDetails} [details] */
  constructor(message, details) {
    super(message, { code: "STORAGE_WRITE_FAILED", ...details });
    this.name = "StorageError";
  }
}

/** @type {Record<string, new (message: string, details?: ErrorDetails) => ZengramError>} */
const CLASSES = {
  InvalidArgumentError,
  DimensionError,
  VectorLengthError,
  VectorZeroError,
  VectorNotFiniteError,
  VectorTypeError,
  EmbedderError,
  SnapshotError,
  NotFoundError,
  StateError,
  MigrationError,
  TransactionError,
  TransactionTimeoutError: TransactionError,
  ConflictError,
  SerializationError: ConflictError,
  ConstraintError,
  NotNullError: ConstraintError,
  CheckError: ConstraintError,
  ForeignKeyError: ConstraintError,
  UniqueError: ConstraintError,
  PrimaryKeyError: ConstraintError,
  SqlError,
  ClosedError,
  StoreError: StorageError,
};

/**
 * Rebuilds an error that the Python side sent as text.
 *
 * @param {{name: string, code: string, message: string} & Record<string, unknown>} sent
 * @returns {ZengramError}
 */
export function errorFromPython({ name, message, ...details }) {
  const known = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  return new (known ?? ZengramError)(message, details);
}

/**
 * Hands the exception of a listener to the page's own error reporting, so that it is seen and yet cannot break us.
 *
 * @param {unknown} error
 */
export function reportListenerError(error) {
  if (typeof globalThis.reportError === "function") globalThis.reportError(error);
  else console.error(error);
}
