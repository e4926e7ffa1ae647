/** What a module of the folder subjects/ offers. */
import type { Row } from "./rows.js";

type Maybe<T> = T | Promise<T>;

export interface Opened {
  /** Adds many rows as quickly as the subject can; all are durable when it is done. */
  fill(rows: Iterable<Row>): Maybe<void>;
  /** Adds one row in a transaction of its own, as an application would. */
  write(row: Row): Maybe<void>;
  /**
   * Waits until what was written is durable. Without it, `write` has waited already; null: there is no moment at which
   * the caller gets to know.
   */
  durable?: (() => Promise<void>) | null;
  /** Answers the first question: the content of one row, by its key. */
  read(row: Row): Maybe<string>;
  /** Answers with the ten nearest, where a subject can: the number of hits. */
  nearest?(vector: Float32Array): Maybe<number>;
  /** How many rows there are. */
  count(): Maybe<number>;
  close(): Maybe<void>;
}

export interface Subject {
  /** Whether it needs a worker. What runs in one is timed there: no message takes part. */
  inWorker: boolean;
  /** Loads the runtime, as far as this is possible without a database. */
  load(): Promise<void>;
  open(name: string): Promise<Opened>;
  /** Folds the log of what is stored into a snapshot, and closes: the milliseconds of folding. */
  fold?(name: string): Promise<number>;
}

export interface Times {
  median: number;
  late: number;
  count: number;
}
