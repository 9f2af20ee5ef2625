/** Rows of one entity segment as a batch: what expressions read of them is worked out when it is first asked for. */
import { SEGMENT_ROWS_MAX } from '../../base/index.js';
import type { Input } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import type { InputReader, SegmentPlaces } from './input-reader.js';
import type { ShardJoins } from './joins.js';
import { findRows, picked, pickRows } from './pick-rows.js';
import type { RowBatch } from './row-batches.js';
import { pickPlaces, rowsOfPlaces } from './row-places.js';

/** What batches of one shard read from. */
export interface BatchSource {
  readonly inputs: readonly Input[];
  readonly reader: InputReader;
  readonly joins: ShardJoins;
}

/** A batch, and the positions of some of its rows. */
interface Part {
  readonly batch: SegmentBatch;
  readonly positions: Uint32Array;
}

export class SegmentBatch implements RowBatch {
  readonly count: number;
  readonly #source: BatchSource;
  readonly #rows: SegmentPlaces;
  readonly #inputs: (Vector | undefined)[] = [];
  readonly #found: (Int32Array | undefined)[] = [];
  /** Of which batch these are some rows; null = of none. */
  readonly #whole: Part | null;
  #entityRows: Uint32Array | null = null;

  constructor(source: BatchSource, rows: SegmentPlaces, whole: Part | null = null) {
    this.#source = source;
    this.#rows = rows;
    this.#whole = whole;
    this.count = rows.places.count;
  }

  get entityRows(): Uint32Array {
    this.#entityRows ??= rowsOfPlaces(this.#rows.places, this.#rows.segment * SEGMENT_ROWS_MAX);
    return this.#entityRows;
  }

  /** The event that each row is, as segment << 16 | place; null where rows are entities. */
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
    if (this.#whole !== null) {
      const known = this.#whole.batch.#inputs[index];
      if (known !== undefined) return pickRows(known, this.#whole.positions);
    }
    const input = this.#source.inputs[index];
    if (input.from !== 'joined') return this.#source.reader.read(index, this.#rows);
    const column = this.#source.joins.column(input.join, input.column);
    return findRows(column, this.joined(input.join), this.count);
  }

  /** The row of join `join` that each row finds, NOT_FOUND where there is none. */
  joined(join: number): Int32Array {
    let found = this.#found[join];
    if (found === undefined) {
      found = this.#find(join);
      this.#found[join] = found;
    }
    return found;
  }

  #find(join: number): Int32Array {
    if (this.#whole !== null) {
      const { batch, positions } = this.#whole;
      const known = batch.#found[join];
      if (known !== undefined) return picked(known, positions, new Int32Array(positions.length));
    }
    return this.#source.joins.find(join, this);
  }

  /** The rows at those positions, which ascend. */
  narrowed(positions: Uint32Array): SegmentBatch {
    const { segment, places, events } = this.#rows;
    const rows = {
      segment,
      places: pickPlaces(places, positions),
      events: events === null ? null : picked(events, positions, new Uint32Array(positions.length)),
    };
    return new SegmentBatch(this.#source, rows, { batch: this, positions });
  }
}
