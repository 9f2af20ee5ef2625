/** What a query on one worker needs to spill rows: its disk space, its files, and its share of memory in tests. */
import type { FileSystem, ScratchReader } from '../../io/index.js';
import type { OperatorStats, SpilledRows, SpillSpace } from '../../protocol/index.js';
import { SpillFile } from './spill-file.js';

export interface SpillStoreOptions {
  readonly fs: FileSystem;
  /** The folder of the files. */
  readonly dir: string;
  readonly workerIndex: number;
  /** Distinguishes the files of a worker from those of the one that it replaces. */
  readonly threadId: number;
  readonly space: SpillSpace;
  /** An operator that stores more bytes spills, however much memory is left: for tests. Default: unlimited. */
  readonly shareBytesMax?: number | undefined;
}

const NOTHING: SpilledRows = { bytes: 0, partitionCount: 0, runCount: 0 };

/** What the operator of a flat plan spilled since the last call. */
export function spilledStats(operator: string, spill: QuerySpill | null): OperatorStats[] {
  const spilled = spill?.takeStats() ?? null;
  return spilled === null ? [] : [{ operator, shard: null, rows: 0, milliseconds: 0, notes: [], spilled }];
}

/** The spill files of one worker. */
export class SpillStore {
  readonly options: SpillStoreOptions;
  #fileCount = 0;

  constructor(options: SpillStoreOptions) {
    this.options = options;
  }

  nextName(): string {
    const { dir, workerIndex, threadId } = this.options;
    return `${dir}/spill-${workerIndex}-${threadId}-${++this.#fileCount}`;
  }

  /** `slot`: see WorkerQueryLimits. */
  ofQuery(slot: number): QuerySpill {
    return new QuerySpill(this, slot);
  }
}

export class QuerySpill {
  readonly #store: SpillStore;
  readonly #slot: number;
  /** Since the start: bytes in files, the partitions in which they are, and the sorted runs. */
  readonly total = { bytes: 0, partitionCount: 0, runCount: 0 };
  #taken: SpilledRows = NOTHING;

  constructor(store: SpillStore, slot: number) {
    this.#store = store;
    this.#slot = slot;
  }

  /** See SpillStoreOptions. */
  get shareBytesMax(): number {
    return this.#store.options.shareBytesMax ?? Number.POSITIVE_INFINITY;
  }

  /** A new file, which the caller closes. Throws 189, 9002. */
  createFile(): SpillFile {
    const { fs, space, workerIndex } = this.#store.options;
    return new SpillFile(fs, this.#store.nextName(), { space, slot: this.#slot, workerIndex });
  }

  /** What was spilled since the last call; null = nothing. */
  takeStats(): SpilledRows | null {
    const { bytes, partitionCount, runCount } = this.total;
    const before = this.#taken;
    this.#taken = { ...this.total };
    if (bytes === before.bytes) return null;
    return {
      bytes: bytes - before.bytes,
      partitionCount: partitionCount - before.partitionCount,
      runCount: runCount - before.runCount,
    };
  }

  /** The file of another worker, while that worker has it open. */
  readerOf(handle: number): ScratchReader {
    return this.#store.options.fs.scratchOf(handle);
  }
}
