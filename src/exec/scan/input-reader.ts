/**
 * Reads the inputs of expressions from a shard's segments, on demand.
 * Invariant  each column's dictionary has one Texts object for the reader's lifetime, because results computed from
 *            texts are cached by that object. Arrays are reused for the next batch.
 */
import { invariant } from '../../base/index.js';
import type { Input } from '../../ir/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import { missingRows, Texts, type Vector, vectorKindOf } from '../../vector/index.js';
import { ExtractInputs, type StoredValues } from '../extract/extract-inputs.js';
import type { NearestOf } from '../extract/nearest-points.js';
import type { QueryRun } from '../query-run.js';
import { ConditionInput } from './condition-input.js';
import { EventValues } from './event-values.js';
import { readLists } from './list-texts.js';
import type { RowSet } from './row-set.js';
import { type BatchArrays, bitsOf, NO_TEXTS, readValues } from './stored-values.js';

/** Rows of one entity segment and, if the rows are events, the event of each. */
export interface SegmentRowSet {
  readonly segment: number;
  readonly rowSet: RowSet;
  /** Events of the plan's event column, each as segment << 16 | row in the segment. */
  readonly events: Uint32Array | null;
}

export class InputReader {
  readonly #shard: DimensionShard;
  readonly #inputs: readonly Input[];
  readonly #scratch: Arena;
  readonly #run: QueryRun;
  readonly #texts = new Map<number, Texts>();
  readonly #arrays: (BatchArrays | undefined)[];
  readonly #conditions = new Map<number, ConditionInput>();
  readonly #events = new Map<number, EventValues>();
  #idSegment = -1;
  readonly #extracted: ExtractInputs;
  readonly #noTexts = NO_TEXTS();
  #idTexts = this.#noTexts;

  /** `release` must be called at the end. */
  constructor(shard: DimensionShard, inputs: readonly Input[], scratch: Arena, run: QueryRun) {
    this.#shard = shard;
    this.#inputs = inputs;
    this.#scratch = scratch;
    this.#run = run;
    this.#arrays = new Array(inputs.length).fill(undefined);
    const values: StoredValues = {
      ids: (segment, rowSet) => this.#ids(segment, rowSet),
      latest: (index, columnId, segment, rowSet) => this.#latest(index, columnId, segment, rowSet),
      textsOf: (columnId) => this.textsOf(columnId),
    };
    this.#extracted = new ExtractInputs(shard, values, scratch, run);
  }

  /** Reads input `index`, which must not be a joined column. Throws 9005, 9006. */
  read(index: number, { segment, rowSet, events }: SegmentRowSet): Vector {
    const input = this.#inputs[index];
    switch (input.from) {
      case 'entity-id':
        return this.#ids(segment, rowSet);
      case 'attribute':
        return (
          this.#latest(index, input.columnId, segment, rowSet) ??
          missingRows(vectorKindOf(input.type), rowSet.count, this.textsOf(input.columnId) ?? this.#noTexts)
        );
      case 'list': {
        const column = this.#shard.segments[segment].list(input.columnId);
        if (column === undefined) return missingRows(vectorKindOf(input.type), rowSet.count, this.#noTexts);
        return readLists(column, input.itemType, rowSet, this.textsOf(input.columnId));
      }
      case 'condition':
        return this.#conditionOf(index, input.condition).read(segment, rowSet);
      case 'event-value':
        invariant(events !== null, 'only event rows have an event value');
        return this.eventsOf(input.columnId).values(events, this.arraysOf(index));
      case 'event-date':
        invariant(events !== null, 'only event rows have an event date');
        return this.eventsOf(input.columnId).dates(events, this.arraysOf(index));
      case 'event-link':
        invariant(events !== null, 'only event rows have an event link');
        return this.eventsOf(input.columnId).links(events, this.arraysOf(index));
      case 'written':
      case 'score':
      case 'rank':
      case 'nearest':
        return this.#extracted.read(index, input, segment, rowSet);
      case 'joined':
      case 'item':
        invariant(false, 'joined columns and items are read by the batch');
    }
  }

  #ids(segment: number, { list, from, count }: RowSet): Vector {
    if (list === null) {
      const { offsets, bytes } = this.#shard.segments[segment].ids();
      const texts = Texts.ofBytes({ offsets: offsets.subarray(from, from + count + 1), bytes }, count, true);
      return { kind: 'text', count, valid: null, codes: null, texts };
    }
    if (segment !== this.#idSegment) {
      const { rowCount } = this.#shard.segments[segment];
      this.#idTexts = Texts.ofBytes(this.#shard.segments[segment].ids(), rowCount, true);
      this.#idSegment = segment;
    }
    return { kind: 'text', count, valid: null, codes: list, texts: this.#idTexts };
  }

  /** The latest values of a column; null if the segment has none. */
  #latest(index: number, columnId: number, segmentIndex: number, rowSet: RowSet): Vector | null {
    const segment = this.#shard.segments[segmentIndex];
    const column = segment.latest(columnId);
    if (column === undefined || column.presentCount === 0) return null;
    const living = segment.rowCount - segment.deadCount;
    const valid =
      column.presentCount === living
        ? null
        : bitsOf(column.arena.u8, column.validityAt, rowSet, new Uint8Array(rowSet.count));
    return readValues(column, rowSet, valid, this.textsOf(columnId), this.arraysOf(index));
  }

  /** The dictionary of a column; null if it has none. */
  textsOf(columnId: number): Texts | null {
    let texts = this.#texts.get(columnId);
    if (texts !== undefined) return texts;
    const dictionary = this.#shard.dictionaries.get(columnId);
    if (dictionary === undefined) return null;
    const { codeCount, offsets, bytes, hashes } = dictionary;
    // Code 0 is the missing value and spans no bytes.
    texts = Texts.ofBytes({ offsets: offsets.subarray(0, codeCount + 1), bytes }, codeCount, true, hashes);
    this.#texts.set(columnId, texts);
    return texts;
  }

  /** The events of a column. */
  eventsOf(columnId: number): EventValues {
    let events = this.#events.get(columnId);
    if (events === undefined) {
      events = new EventValues(this.#shard.events.get(columnId), this.textsOf(columnId));
      this.#events.set(columnId, events);
    }
    return events;
  }

  #conditionOf(
    index: number,
    condition: Extract<Input, { readonly from: 'condition' }>['condition'],
  ): ConditionInput {
    let input = this.#conditions.get(index);
    if (input === undefined) {
      input = new ConditionInput(this.#shard, condition, this.#scratch, this.#run);
      this.#conditions.set(index, input);
    }
    return input;
  }

  arraysOf(index: number): BatchArrays {
    let arrays = this.#arrays[index];
    if (arrays === undefined) {
      arrays = reusedArrays();
      this.#arrays[index] = arrays;
    }
    return arrays;
  }

  /** See ExtractInputs. */
  expect(rows: Uint32Array | null): void {
    this.#extracted.expect(rows);
  }

  /** See ExtractInputs. */
  sortedBy(nearest: NearestOf): void {
    this.#extracted.sortedBy(nearest);
  }

  /** See SegmentRows.settle; `from` = the first segment that is still to be read. */
  settle(from: number): void {
    for (const condition of this.#conditions.values()) condition.settle(from);
    this.#extracted.settle(from);
  }

  release(): void {
    for (const condition of this.#conditions.values()) condition.release();
    this.#conditions.clear();
    this.#extracted.release();
  }
}

function reusedArrays(): BatchArrays {
  let numbers = new Float64Array(0);
  let codes = new Uint32Array(0);
  let bits = new Uint8Array(0);
  return {
    numbers: (count) => {
      if (numbers.length < count) numbers = new Float64Array(count);
      return numbers;
    },
    codes: (count) => {
      if (codes.length < count) codes = new Uint32Array(count);
      return codes;
    },
    bits: (count) => {
      if (bits.length < count) bits = new Uint8Array(count);
      return bits;
    },
  };
}
