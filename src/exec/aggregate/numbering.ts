/**
 * Dense numbers for the distinct values of a column within one shard and query, so that counts lie in arrays.
 * Codes and narrow integers are numbered by what they are; other integers and points through a hash table.
 */
import type { MemoryAccount } from '../../base/index.js';
import type { ValueList, ValueSource } from '../../ir/index.js';
import type { Dictionary, DimensionShard } from '../../storage/index.js';
import { PointTable, WordTable } from './value-table.js';
import { textsOf } from './value-texts.js';
import { offsetsOf, type ValueView, wordsOf } from './value-view.js';

/** In place of a number: the value has none. */
export const ABSENT = 0xffffffff;
/** Integers whose least and greatest are closer than that are numbered directly, whatever the number of rows. */
const SPAN_MIN = 2 ** 17;
/** Values that are numbered through a table at a time. */
const STEP = 1_024;

export type ColumnSource = Exclude<ValueSource, { from: 'entity-id' }>;

export interface Numbering {
  /** All numbers lie below it; it may grow with `number`. */
  readonly count: number;
  /** Whether values may be ABSENT. */
  readonly partial: boolean;
  /** out[i] = the number of value indices[i]. Throws 9006. */
  number(values: ValueView, indices: Uint32Array, count: number, out: Uint32Array): void;
}

/** Numbers every value; what it has numbered can be told again. */
export interface OpenNumbering extends Numbering {
  /** Value `number` as the two numbers of an item (PreparedTest.holdsFor): code, words or point. */
  itemOf(number: number): readonly [number, number];
  /** The values with numbers[i]. Takes memory for them. Throws 9006. */
  valuesOf(numbers: Uint32Array, memory: MemoryAccount): ValueList;
}

/** The code is the number; 0, which is a missing value, stands for nothing. */
export class CodeNumbers implements OpenNumbering {
  readonly partial = false;
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
export class DirectNumbers implements OpenNumbering {
  readonly partial = false;
  readonly base: number;
  readonly count: number;

  /** Both ends are safe integers. */
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

export class HashedIntegers implements OpenNumbering {
  readonly table: WordTable;
  readonly #words = new Int32Array(STEP * 2);
  #partial = false;

  constructor(memory: MemoryAccount) {
    this.table = new WordTable(memory);
  }

  get count(): number {
    return this.table.count;
  }
  get partial(): boolean {
    return this.#partial;
  }

  /** From now on values that have no number are ABSENT. */
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

export class HashedPoints implements OpenNumbering {
  readonly table: PointTable;
  #partial = false;

  constructor(memory: MemoryAccount) {
    this.table = new PointTable(memory);
  }

  get count(): number {
    return this.table.count;
  }
  get partial(): boolean {
    return this.#partial;
  }

  /** From now on points that have no number are ABSENT. */
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

/** The numbering that fits the column. Throws 9006. */
export function numberingOf(
  shard: DimensionShard,
  source: ColumnSource,
  memory: MemoryAccount,
): CodeNumbers | DirectNumbers | HashedIntegers | HashedPoints {
  switch (source.kind) {
    case 'code':
      return new CodeNumbers(shard.dictionaries.get(source.columnId));
    case 'geo':
      return new HashedPoints(memory);
    case 'bits':
      return new DirectNumbers(0, 2);
    default: {
      const bounds = source.from === 'events' ? eventBounds(shard, source) : attributeBounds(shard, source);
      if (bounds === null) return new HashedIntegers(memory);
      const span = bounds.max - bounds.min + 1;
      // The counts of so many values take no more than 8 bits per row.
      const direct = span <= SPAN_MIN || span <= shard.rowEnd / 4;
      return direct ? new DirectNumbers(bounds.min, span) : new HashedIntegers(memory);
    }
  }
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Of all values of a latest-value column; null = not known, or they are too great to be told exactly. */
function attributeBounds(shard: DimensionShard, { columnId }: ColumnSource): Bounds | null {
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

/** What values of 8 or 16 bits can be, when all events have such; null = there are wider ones. */
function eventBounds(shard: DimensionShard, { columnId }: ColumnSource): Bounds | null {
  const table = shard.events.get(columnId);
  const narrow = table?.kind === 'i64' && table.segments.every(({ width }) => width <= 2);
  return narrow ? { min: -32_768, max: 32_767 } : null;
}
