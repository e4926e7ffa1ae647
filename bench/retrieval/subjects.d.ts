/** What a module of the folder peers/ offers: a function for each case that it takes part in. */

type Maybe<T> = T | Promise<T>;

export interface Document {
  title: string;
  text: string;
}

/** How many rows there are, and how many will be added one by one. */
export interface Size {
  count: number;
  later: number;
}

/** What `save` gives: its size, and the way back, which gives an index that answers. */
export interface Saved<Q> {
  bytes: number;
  restore?: () => Maybe<{ search(query: Q): Maybe<number[]> }>;
}

/** What can be added to, saved and restored; T is one row, Q is what one asks with. */
export interface Kept<T, Q> {
  insert?(row: T, number: number): unknown;
  save?(): Maybe<Saved<Q>>;
}

export interface VectorIndex extends Kept<Float32Array, Float32Array> {
  /** Gets the vectors one by one and as one matrix, for either may be what the peer wants. */
  build(vectors: Float32Array[], matrix: Float32Array): unknown;
  /** Gives the numbers of the ten nearest, best first. */
  search(vector: Float32Array): Maybe<number[]>;
}

export interface TextIndex extends Kept<Document, string> {
  build(documents: Document[]): unknown;
  search(question: string): Maybe<number[]>;
}

export interface HybridIndex {
  build(documents: Document[], vectors: Float32Array[], matrix: Float32Array): unknown;
  ways: Record<string, (question: string, vector: Float32Array) => Maybe<number[]>>;
}

export interface Subject {
  vectors?(size: Size): Maybe<VectorIndex>;
  text?(): Maybe<TextIndex>;
  hybrid?(size: Size): Maybe<HybridIndex>;
  /** Instead of these: measurements that a subject makes itself. */
  measureVectors?(data: string): Promise<object>;
  measureText?(data: string): Promise<object>;
  measureHybrid?(data: string): Promise<object>;
  measureStack?(data: string): Promise<object>;
  measureMaintenance?(data: string): Promise<object>;
}
