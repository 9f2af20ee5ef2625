/** What goes between the host of the catalog and its thread. */

/** Given to the thread when it starts. */
export interface CatalogStart {
  /** A data directory of Postgres as a tar file, packed by gzip. */
  readonly template: Uint8Array;
  /** That the thread's Postgres may have. */
  readonly memoryBytesMax: number;
  /** Of one answer. */
  readonly answerBytesMax: number;
}

export type CatalogRequest =
  /** Shows these tables instead of those before. */
  | { readonly asks: 'show'; readonly databaseName: string; readonly tables: string }
  /** A batch of the protocol of Postgres, ended by Sync, in a transaction of its own that writes nothing. */
  | { readonly asks: 'run'; readonly messages: Uint8Array; readonly userName: string };

export type CatalogReply =
  | { readonly is: 'ready' }
  | {
      readonly is: 'done';
      readonly bytes: Uint8Array;
      readonly memoryBytes: number;
      /** Whether a table that is shown was to be read. */
      readonly readsRows: boolean;
    }
  /** The thread is of no use any more. */
  | { readonly is: 'failed'; readonly why: string; readonly tooMuch: boolean };
