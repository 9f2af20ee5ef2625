/**
 * Reads what only extractions read of entities: written values, scores, ranks and distances.
 * Invariant: events are scanned once for all rows that `expect` announces.
 */
import { SEGMENT_ROWS_MAX } from '../../base/index.js';
import type { ExtractInput, NearPlan, OutputColumn } from '../../ir/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import {
  type ExactVector,
  type FloatVector,
  Texts,
  type TextVector,
  type Vector,
} from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { listTexts } from '../scan/list-texts.js';
import { type RowSet, shardRowsOf } from '../scan/row-set.js';
import { ShardIds } from '../scan/shard-ids.js';
import { eventLists } from './event-lists.js';
import { type NearEvents, nearestEventsOf } from './nearest-events.js';
import { type NearestOf, NearestValues } from './nearest-points.js';
import { Scores } from './scores.js';
import { ValueWriter } from './written-values.js';

/** Reads stored values. */
export interface StoredValues {
  ids(segment: number, rowSet: RowSet): Vector;
  /** The latest values of a column; null if the segment has none. */
  latest(index: number, columnId: number, segment: number, rowSet: RowSet): Vector | null;
  /** The dictionary of a column; null if it has none. */
  textsOf(columnId: number): Texts | null;
}

export class ExtractInputs {
  readonly #shard: DimensionShard;
  readonly #values: StoredValues;
  readonly #scratch: Arena;
  readonly #run: QueryRun;
  readonly #ids: ShardIds;
  /** By index of the input. */
  readonly #scores = new Map<number, Scores>();
  readonly #writers = new Map<number, ValueWriter>();
  readonly #points = new Map<NearPlan, NearestValues>();
  /** The nearest events of rows that are sorted by them. */
  #sortedBy: NearestOf | null = null;
  /** Rows that will be read; null = unknown. */
  #expected: Uint32Array | null = null;
  /** What was read of the events of the expected rows, and its memory. */
  readonly #lists = new Map<number, ReadonlyMap<number, string>>();
  readonly #eventPoints = new Map<NearPlan, NearestOf>();
  readonly #memory: QueryRun;

  /** `release` must be called at the end. */
  constructor(shard: DimensionShard, values: StoredValues, scratch: Arena, run: QueryRun) {
    this.#shard = shard;
    this.#values = values;
    this.#scratch = scratch;
    this.#run = run;
    this.#ids = new ShardIds(shard);
    this.#memory = run.child();
  }

  /** Reads input `index`. Throws 9005, 9006. */
  read(index: number, input: ExtractInput, segment: number, rowSet: RowSet): Vector {
    switch (input.from) {
      case 'written':
        return this.#written(index, input.column, segment, rowSet);
      case 'score':
        return this.#scoresOf(index, input.conditions).read(segment, rowSet);
      case 'rank':
        return this.#ranks(segment, rowSet);
      case 'nearest':
        return this.#nearest(input, segment, rowSet);
    }
  }

  /** From now on, until the next call, only these rows are read; null = any rows. */
  expect(rows: Uint32Array | null): void {
    this.#expected = rows;
    this.#lists.clear();
    this.#eventPoints.clear();
    this.#memory.releaseAll();
  }

  /** Provides the nearest events of the rows that are read from now on. */
  sortedBy(nearest: NearestOf): void {
    this.#sortedBy = nearest;
  }

  #written(index: number, column: OutputColumn, segment: number, rowSet: RowSet): TextVector | Vector {
    if (column.from === 'entity-id') return this.#values.ids(segment, rowSet);
    const writer = this.#writerOf(index, column);
    if (column.from === 'events') {
      const lists = this.#listsOf(index, column, writer, segment, rowSet);
      return textsOfRows(lists, segment, rowSet);
    }
    const latest = this.#values.latest(index, column.columnId, segment, rowSet);
    if (latest !== null) return writer.vector(latest);
    const list = this.#shard.segments[segment].list(column.columnId);
    if (list === undefined) return textsOfRows(NO_LISTS, segment, rowSet);
    return listTexts(list, rowSet, writer.items(list));
  }

  #writerOf(index: number, column: Exclude<OutputColumn, { readonly from: 'entity-id' }>): ValueWriter {
    let writer = this.#writers.get(index);
    if (writer === undefined) {
      writer = new ValueWriter(column, this.#values.textsOf(column.columnId));
      this.#writers.set(index, writer);
    }
    return writer;
  }

  #listsOf(
    index: number,
    column: Extract<OutputColumn, { readonly from: 'events' }>,
    writer: ValueWriter,
    segment: number,
    rowSet: RowSet,
  ): ReadonlyMap<number, string> {
    const known = this.#lists.get(index);
    if (known !== undefined) return known;
    const rows = this.#expected ?? shardRowsOf(rowSet, segment * SEGMENT_ROWS_MAX);
    const lists = eventLists(this.#shard, column, rows, writer, this.#memory);
    if (this.#expected !== null) this.#lists.set(index, lists);
    return lists;
  }

  #scoresOf(index: number, conditions: Extract<ExtractInput, { from: 'score' }>['conditions']): Scores {
    let scores = this.#scores.get(index);
    if (scores === undefined) {
      scores = new Scores(this.#shard, conditions, this.#scratch, this.#run);
      this.#scores.set(index, scores);
    }
    return scores;
  }

  #ranks(segment: number, { list, from, count }: RowSet): ExactVector {
    const first = segment * SEGMENT_ROWS_MAX;
    const numbers = new Float64Array(count);
    for (let at = 0; at < count; at++) {
      numbers[at] = this.#ids.rank(first + (list === null ? from + at : list[at]));
    }
    return { kind: 'exact', count, valid: null, numbers, wide: null };
  }

  #nearest({ near, part }: NearestInput, segment: number, rowSet: RowSet): FloatVector {
    if (near.from === 'events') {
      const nearestOf = this.#sortedBy ?? this.#eventPointsOf(near, segment, rowSet);
      return partsOfRows(nearestOf, part, segment, rowSet);
    }
    let values = this.#points.get(near);
    if (values === undefined) {
      values = new NearestValues(this.#shard, near, this.#run);
      this.#points.set(near, values);
    }
    const own = values;
    const distances = part === 'distance' ? own.distances(segment, rowSet) : null;
    return distances ?? partsOfRows((row) => own.of(row), part, segment, rowSet);
  }

  #eventPointsOf(near: NearEvents, segment: number, rowSet: RowSet): NearestOf {
    const known = this.#eventPoints.get(near);
    if (known !== undefined) return known;
    const rows = this.#expected ?? shardRowsOf(rowSet, segment * SEGMENT_ROWS_MAX);
    const found = nearestEventsOf(this.#shard, near, rows, this.#memory);
    const nearestOf: NearestOf = (row) => found.get(row);
    if (this.#expected !== null) this.#eventPoints.set(near, nearestOf);
    return nearestOf;
  }

  /** See SegmentRows. */
  settle(from: number): void {
    for (const scores of this.#scores.values()) scores.settle(from);
  }

  release(): void {
    for (const scores of this.#scores.values()) scores.release();
    this.#scores.clear();
    this.#memory.releaseAll();
  }
}

type NearestInput = Extract<ExtractInput, { readonly from: 'nearest' }>;

const NO_LISTS: ReadonlyMap<number, string> = new Map();

function partsOfRows(
  nearestOf: NearestOf,
  part: NearestInput['part'],
  segment: number,
  { list, from, count }: RowSet,
): FloatVector {
  const first = segment * SEGMENT_ROWS_MAX;
  const numbers = new Float64Array(count);
  const valid = new Uint8Array(count);
  for (let at = 0; at < count; at++) {
    const point = nearestOf(first + (list === null ? from + at : list[at]));
    if (point === undefined) continue;
    valid[at] = 1;
    numbers[at] = part === 'distance' ? point.distanceKm : point[part];
  }
  return { kind: 'float', count, valid, numbers };
}

/** The texts of rows by row of the shard; a row that is not in `texts` has none. */
function textsOfRows(
  texts: ReadonlyMap<number, string>,
  segment: number,
  { list, from, count }: RowSet,
): TextVector {
  const first = segment * SEGMENT_ROWS_MAX;
  const valid = new Uint8Array(count);
  const written = new Array<string>(count);
  for (let at = 0; at < count; at++) {
    const text = texts.get(first + (list === null ? from + at : list[at]));
    valid[at] = text === undefined ? 0 : 1;
    written[at] = text ?? '';
  }
  return { kind: 'text', count, valid, codes: null, texts: Texts.ofStrings(written) };
}
