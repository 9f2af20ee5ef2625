/** A batch of rows of one entity segment; inputs are read on first access. */
import { SEGMENT_ROWS_MAX } from '../../base/index.js';
import type { Input } from '../../ir/index.js';
import { gather, gatherArray, gatherOrMissing, type Vector } from '../../vector/index.js';
import type { ShardJoins } from '../join/joins.js';
import type { InputReader, SegmentRowSet } from './input-reader.js';
import type { RowBatch } from './row-batches.js';
import { gatherRowSet, shardRowsOf } from './row-set.js';

/** The sources that batches of one shard read from. */
export interface BatchSource {
  readonly inputs: readonly Input[];
  readonly reader: InputReader;
  readonly joins: ShardJoins;
}

/** A batch and the positions of some of its rows. */
interface BatchSubset {
  readonly batch: SegmentBatch;
  readonly positions: Uint32Array;
}

export class SegmentBatch implements RowBatch {
  readonly count: number;
  readonly scannedRows: number;
  readonly #source: BatchSource;
  readonly #rows: SegmentRowSet;
  readonly #inputs: (Vector | undefined)[] = [];
  readonly #found: (Int32Array | undefined)[] = [];
  /** The batch of which these rows are a subset, if any. */
  readonly #parent: BatchSubset | null;
  #entityRows: Uint32Array | null = null;

  /** `scannedRows`: see RowSource; 0 = not known. */
  constructor(
    source: BatchSource,
    rows: SegmentRowSet,
    scannedRows: number,
    whole: BatchSubset | null = null,
  ) {
    this.#source = source;
    this.#rows = rows;
    this.#parent = whole;
    this.count = rows.rowSet.count;
    this.scannedRows = scannedRows;
  }

  get entityRows(): Uint32Array {
    this.#entityRows ??= shardRowsOf(this.#rows.rowSet, this.#rows.segment * SEGMENT_ROWS_MAX);
    return this.#entityRows;
  }

  /** For each row, its event as segment << 16 | row in the segment; null if rows are entities. */
  get events(): Uint32Array | null {
    return this.#rows.events;
  }

  input(index: number): Vector {
    let vector = this.#inputs[index];
    if (vector === undefined) {
      vector = this.#read(index);
      this.#inputs[index] = vector;
    }
    return vector;
  }

  #read(index: number): Vector {
    if (this.#parent !== null) {
      const known = this.#parent.batch.#inputs[index];
      if (known !== undefined) return gather(known, this.#parent.positions, this.count);
    }
    const input = this.#source.inputs[index];
    if (input.from !== 'joined') return this.#source.reader.read(index, this.#rows);
    const column = this.#source.joins.column(input.join, input.column);
    return gatherOrMissing(column, this.joined(input.join), this.count);
  }

  /** For each row, the row that join `join` finds, or NOT_FOUND. */
  joined(join: number): Int32Array {
    let found = this.#found[join];
    if (found === undefined) {
      found = this.#find(join);
      this.#found[join] = found;
    }
    return found;
  }

  #find(join: number): Int32Array {
    if (this.#parent !== null) {
      const { batch, positions } = this.#parent;
      const known = batch.#found[join];
      if (known !== undefined) return gatherArray(known, positions, new Int32Array(positions.length));
    }
    return this.#source.joins.find(join, this);
  }

  /** The subset of rows at the given ascending positions. */
  narrowed(positions: Uint32Array): SegmentBatch {
    const { segment, rowSet, events } = this.#rows;
    const rows = {
      segment,
      rowSet: gatherRowSet(rowSet, positions),
      events: events === null ? null : gatherArray(events, positions, new Uint32Array(positions.length)),
    };
    const scannedRows = (this.scannedRows * positions.length) / this.count;
    return new SegmentBatch(this.#source, rows, scannedRows, { batch: this, positions });
  }
}
