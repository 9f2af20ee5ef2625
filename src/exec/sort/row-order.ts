/** The order of the rows of several shards, found part by part. */
import type { IsOver } from '../../base/index.js';
import type { ShardRows } from '../scan/shard-rows.js';
import type { WorkerShards } from '../scan/worker-shards.js';

/** In order, each row's shard, and its row in the shard or its event. */
export interface Order {
  readonly shards: Uint32Array;
  readonly rows: Uint32Array;
}

export interface RowOrder {
  readonly isDone: boolean;
  /** The next rows, at most `rowCount`; null = the slice ended first. Throws 6000, 9005, 9006. */
  next(rowCount: number, isOver: IsOver): Order | null;
  release(): void;
}

/** The rows of shards that are open until the end. */
export class OpenShards {
  readonly #workerShards: WorkerShards;
  readonly #shards: ShardRows[] = [];

  constructor(workerShards: WorkerShards) {
    this.#workerShards = workerShards;
  }

  /** Opens shard `index`, which must not be more than one after the last open one. */
  at(index: number): ShardRows {
    if (index === this.#shards.length) {
      this.#shards.push(this.#workerShards.rows(this.#workerShards.all[index]));
    }
    return this.#shards[index];
  }

  /** See ShardRows.rest. */
  rest(): void {
    for (const rows of this.#shards) rows.rest(true);
  }

  release(): void {
    for (const rows of this.#shards) rows.release();
    this.#shards.length = 0;
  }
}
