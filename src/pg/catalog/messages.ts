/** Messages between the main thread and a catalog thread. */

/** The thread's workerData. */
export interface CatalogStart {
  /** A data directory of Postgres as a gzipped tar file. */
  readonly template: Uint8Array;
  /** Memory limit of the Postgres in the thread. */
  readonly memoryBytesMax: number;
  /** Size limit of one reply. */
  readonly answerBytesMax: number;
}

export type CatalogRequest =
  /** Replaces the tables of the catalog. */
  | { readonly is: 'show'; readonly databaseName: string; readonly tables: string }
  /** Runs a batch of protocol messages that ends with Sync, in a read-only transaction of its own. */
  | {
      readonly is: 'run';
      readonly messages: Uint8Array;
      readonly userName: string;
      /** See CatalogView. */
      readonly activity: string;
    };

export type CatalogReply =
  | { readonly is: 'ready' }
  | {
      readonly is: 'done';
      readonly bytes: Uint8Array;
      readonly memoryBytes: number;
      /** The query would have read one of the tables in the catalog. */
      readonly readsRows: boolean;
    }
  /** The thread cannot continue. */
  | {
      readonly is: 'failed';
      readonly why: string;
      /** The query needs too much memory, or too much of the stack; other = a bug. */
      readonly limit: 'memory' | 'stack' | 'other';
    };
