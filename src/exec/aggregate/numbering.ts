/**
 * Dense numbers for the distinct values of a column within one shard and query, so that counts are arrays.
 * Codes and integers of a small range are numbered directly; other integers and points through a hash table.
 */
import type { MemoryAccount } from '../../base/index.js';
import type { ValueList, ValueSource } from '../../ir/index.js';
import type { Dictionary, DimensionShard } from '../../storage/index.js';
import { PointTable, WordTable } from './value-table.js';
import { textsOf } from './value-texts.js';
import { offsetsOf, type ValueView, wordsOf } from './value-view.js';

/** Marks a value without a number. */
export const ABSENT = 0xffffffff;
/** Integers of a range up to this size are numbered directly, regardless of the number of rows. */
const SPAN_MIN = 2 ** 17;
/** The number of values that are looked up in a table at a time. */
const STEP = 1_024;

export type ColumnSource = Exclude<ValueSource, { from: 'entity-id' }>;

export interface Numbering {
  /** Exclusive upper limit of the numbers; `number` may raise it. */
  readonly count: number;
  /** Whether values may be ABSENT. */
  readonly isPartial: boolean;
  /** out[i] = the number of value indices[i]. Throws 9006. */
  number(values: ValueView, indices: Uint32Array, count: number, out: Uint32Array): void;
}

/** Numbers every value and can return the value of a number. */
export interface ReversibleNumbering extends Numbering {
  /** Value `number` as the two numbers of an item (PreparedTest.holdsFor): code, words or point. */
  itemOf(number: number): readonly [number, number];
  /** The values with the given numbers. Reserves their memory. Throws 9006. */
  valuesOf(numbers: Uint32Array, memory: MemoryAccount): ValueList;
}

/** The code is the number; 0 is the missing value and never counted. */
export class CodeNumbering implements ReversibleNumbering {
  readonly isPartial = false;
  readonly #dictionary: Dictionary | undefined;

  constructor(dictionary: Dictionary | undefined) {
    this.#dictionary = dictionary;
  }

  get count(): number {
    return this.#dictionary?.codeCount ?? 1;
  }

  number(values: ValueView, indices: Uint32Array, count: number, out: Uint32Array): void {
    if (values.as !== 'points') offsetsOf(values, 0, indices, count, out);
  }

  itemOf(number: number): readonly [number, number] {
    return [number, 0];
  }

  valuesOf(numbers: Uint32Array, memory: MemoryAccount): ValueList {
    const { offsets, bytes } = this.#dictionary ?? { offsets: new Uint32Array(2), bytes: new Uint8Array(0) };
    return textsOf(numbers, offsets, bytes, memory);
  }
}

/** Integers in [base, base + count): the number is the distance from `base`. */
export class DirectNumbering implements ReversibleNumbering {
  readonly isPartial = false;
  readonly base: number;
  readonly count: number;

  /** Both ends of the range must be safe integers. */
  constructor(base: number, count: number) {
    this.base = base;
    this.count = count;
  }

  number(values: ValueView, indices: Uint32Array, count: number, out: Uint32Array): void {
    if (values.as !== 'points') offsetsOf(values, this.base, indices, count, out);
  }

  itemOf(number: number): readonly [number, number] {
    const value = this.base + number;
    return [value >>> 0, Math.floor(value / 2 ** 32) >>> 0];
  }

  valuesOf(numbers: Uint32Array, memory: MemoryAccount): ValueList {
    memory.reserve(numbers.length * 8);
    const words = new Uint32Array(numbers.length * 2);
    for (let at = 0; at < numbers.length; at++) {
      const value = this.base + numbers[at];
      words[at * 2] = value;
      words[at * 2 + 1] = Math.floor(value / 2 ** 32);
    }
    return { kind: 'i64', words };
  }
}

export class HashedIntegers implements ReversibleNumbering {
  readonly table: WordTable;
  readonly #words = new Int32Array(STEP * 2);
  #partial = false;

  constructor(memory: MemoryAccount) {
    this.table = new WordTable(memory);
  }

  get count(): number {
    return this.table.count;
  }
  get isPartial(): boolean {
    return this.#partial;
  }

  /** After this call, values without a number are ABSENT. */
  close(): void {
    this.#partial = true;
  }

  number(values: ValueView, indices: Uint32Array, count: number, out: Uint32Array): void {
    for (let from = 0; from < count; from += STEP) {
      const to = Math.min(count, from + STEP);
      wordsOf(values, indices.subarray(from, to), to - from, this.#words);
      if (this.#partial) this.#find(from, to, out);
      else this.#add(from, to, out);
    }
  }

  #add(from: number, to: number, out: Uint32Array): void {
    const { table } = this;
    const words = this.#words;
    for (let at = from, word = 0; at < to; at++, word += 2) out[at] = table.add(words[word], words[word + 1]);
  }

  #find(from: number, to: number, out: Uint32Array): void {
    const { table } = this;
    const words = this.#words;
    for (let at = from, word = 0; at < to; at++, word += 2)
      out[at] = table.find(words[word], words[word + 1]);
  }

  itemOf(number: number): readonly [number, number] {
    const { keys } = this.table;
    return [keys[number * 2], keys[number * 2 + 1]];
  }

  valuesOf(numbers: Uint32Array, memory: MemoryAccount): ValueList {
    memory.reserve(numbers.length * 8);
    const { keys } = this.table;
    const words = new Uint32Array(numbers.length * 2);
    for (let at = 0; at < numbers.length; at++) {
      words[at * 2] = keys[numbers[at] * 2];
      words[at * 2 + 1] = keys[numbers[at] * 2 + 1];
    }
    return { kind: 'i64', words };
  }
}

export class HashedPoints implements ReversibleNumbering {
  readonly table: PointTable;
  #partial = false;

  constructor(memory: MemoryAccount) {
    this.table = new PointTable(memory);
  }

  get count(): number {
    return this.table.count;
  }
  get isPartial(): boolean {
    return this.#partial;
  }

  /** After this call, points without a number are ABSENT. */
  close(): void {
    this.#partial = true;
  }

  number(values: ValueView, indices: Uint32Array, count: number, out: Uint32Array): void {
    if (values.as !== 'points') return;
    const { points } = values;
    const { table } = this;
    if (this.#partial) {
      for (let at = 0; at < count; at++) {
        out[at] = table.find(points[indices[at] * 2], points[indices[at] * 2 + 1]);
      }
    } else {
      for (let at = 0; at < count; at++) {
        out[at] = table.add(points[indices[at] * 2], points[indices[at] * 2 + 1]);
      }
    }
  }

  itemOf(number: number): readonly [number, number] {
    const { keys } = this.table;
    return [keys[number * 2], keys[number * 2 + 1]];
  }

  valuesOf(numbers: Uint32Array, memory: MemoryAccount): ValueList {
    memory.reserve(numbers.length * 16);
    const { keys } = this.table;
    const points = new Float64Array(numbers.length * 2);
    for (let at = 0; at < numbers.length; at++) {
      points[at * 2] = keys[numbers[at] * 2];
      points[at * 2 + 1] = keys[numbers[at] * 2 + 1];
    }
    return { kind: 'geo', points };
  }
}

/** Chooses the numbering for the column. Throws 9006. */
export function numberingOf(
  shard: DimensionShard,
  source: ColumnSource,
  memory: MemoryAccount,
): CodeNumbering | DirectNumbering | HashedIntegers | HashedPoints {
  switch (source.kind) {
    case 'code':
      return new CodeNumbering(shard.dictionaries.get(source.columnId));
    case 'geo':
      return new HashedPoints(memory);
    case 'bits':
      return new DirectNumbering(0, 2);
    default: {
      const bounds = source.from === 'events' ? eventBounds(shard, source) : attributeBounds(shard, source);
      if (bounds === null) return new HashedIntegers(memory);
      const span = bounds.max - bounds.min + 1;
      // The counts then take at most 8 bits per row.
      const direct = span <= SPAN_MIN || span <= shard.rowEnd / 4;
      return direct ? new DirectNumbering(bounds.min, span) : new HashedIntegers(memory);
    }
  }
}

interface IntegerBounds {
  readonly min: number;
  readonly max: number;
}

/** The range of all values of a latest-value column; null = unknown, or not safe integers. */
function attributeBounds(shard: DimensionShard, { columnId }: ColumnSource): IntegerBounds | null {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const segment of shard.segments) {
    if (segment.list(columnId) !== undefined) return null;
    const column = segment.latest(columnId);
    if (column === undefined || column.presentCount === 0) continue;
    min = Math.min(min, column.min);
    max = Math.max(max, column.max);
  }
  return Number.isSafeInteger(min) && Number.isSafeInteger(max) ? { min, max } : null;
}

/** The range of 8-bit or 16-bit values, if all events are that narrow; null = some are wider. */
function eventBounds(shard: DimensionShard, { columnId }: ColumnSource): IntegerBounds | null {
  const table = shard.events.get(columnId);
  const narrow = table?.kind === 'i64' && table.segments.every(({ width }) => width <= 2);
  return narrow ? { min: -32_768, max: 32_767 } : null;
}
