/**
 * Numbers the values that a decided level chose 0..n-1 within this shard. Equal values, which may occur in several
 * groups, share a number. Values that are not in the shard or fail the level's tests have no number.
 */
import { hashBytes, type MemoryAccount } from '../../base/index.js';
import type { ValueList, ValueTest } from '../../ir/index.js';
import type { ValueKind } from '../../schema/index.js';
import type { DimensionShard } from '../../storage/index.js';
import { PreparedTest } from '../condition/value-test.js';
import type { QueryRun } from '../query-run.js';
import {
  ABSENT,
  CodeNumbering,
  type ColumnSource,
  DirectNumbering,
  type HashedIntegers,
  type HashedPoints,
  type Numbering,
  numberingOf,
} from './numbering.js';
import type { ValueView } from './value-view.js';

export interface ChosenNumbers {
  /** Number of value numbers. */
  readonly count: number;
  /** By position in the list of values: the number, or ABSENT. */
  readonly numberOf: Uint32Array;
}

export interface ChosenColumnValues extends ChosenNumbers {
  readonly numbering: Numbering;
  /** Tests that every chosen value passes and most others fail. They reduce the number of values to look up. */
  readonly narrowing: readonly ValueTest[];
}

/** Whether an item passes every test on its own. */
export function passesAll(
  tests: readonly PreparedTest[],
  kind: ValueKind,
  [first, second]: readonly [number, number],
): boolean {
  // Integers of every kind are passed as words here.
  const as = kind === 'code' || kind === 'geo' ? kind : 'i64';
  return tests.every((test) => test.holdsFor(as, first, second) !== test.negated);
}

/** Throws 9006. */
export function chosenValues(
  shard: DimensionShard,
  source: ColumnSource,
  tests: readonly ValueTest[],
  values: ValueList,
  memory: MemoryAccount,
  run: QueryRun,
): ChosenColumnValues {
  const dictionary = shard.dictionaries.get(source.columnId);
  const prepared = tests.map((test) => new PreparedTest(test, dictionary, run));
  try {
    return choose(shard, source, prepared, values, memory);
  } finally {
    for (const test of prepared) test.release();
  }
}

function choose(
  shard: DimensionShard,
  source: ColumnSource,
  prepared: readonly PreparedTest[],
  values: ValueList,
  memory: MemoryAccount,
): ChosenColumnValues {
  const numbering = numberingOf(shard, source, memory);
  const { kind } = source;
  if (numbering instanceof CodeNumbering || numbering instanceof DirectNumbering) {
    const direct = new ChosenDirectNumbers(numbering, memory);
    const numberOf = numbersOf(values, memory, (first, second, at) => {
      const slot =
        numbering instanceof DirectNumbering
          ? slotOf(numbering, first, second)
          : (shard.dictionaries.get(source.columnId)?.find(...textRangeAt(values, at)) ?? 0);
      if (slot === null || (kind === 'code' && slot === 0)) return ABSENT;
      const item = numbering.itemOf(slot);
      return passesAll(prepared, kind, item) ? direct.choose(slot) : ABSENT;
    });
    return { count: direct.count, numberOf, numbering: direct, narrowing: narrowingOf(values) };
  }
  const numberOf = numbersOf(values, memory, (first, second) =>
    passesAll(prepared, kind, [first, second]) ? tableOf(numbering).add(first, second) : ABSENT,
  );
  numbering.close();
  return { count: numbering.count, numberOf, numbering, narrowing: narrowingOf(values) };
}

/** With more texts, finding them in the dictionary costs more than it saves. */
const NARROWING_TEXTS_MAX = 4_096;
/** Each range is a separate scan. */
const NARROWING_RANGES_MAX = 8;

function narrowingOf(values: ValueList): ValueTest[] {
  const count = valueCountOf(values);
  if (values.kind === 'geo' || count === 0) return [];
  if (values.kind === 'text') {
    if (count > NARROWING_TEXTS_MAX) return [];
    const { offsets, bytes } = values;
    const textBytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const texts = Array.from({ length: count }, (_, at) =>
      textBytes.toString('utf8', offsets[at], offsets[at + 1]),
    );
    return [{ kind: 'text', match: 'equals', texts: [...new Set(texts)], negated: false }];
  }
  const { words } = values;
  const integers = new BigInt64Array(count);
  for (let at = 0; at < count; at++) {
    integers[at] = (BigInt(words[at * 2 + 1] | 0) << 32n) | BigInt(words[at * 2]);
  }
  // Sorted instead of hashed, because clients choose the integers and could cause hash collisions.
  const distinct = [...integers.sort().filter((value, at, sorted) => at === 0 || value !== sorted[at - 1])];
  const ranges =
    distinct.length <= NARROWING_RANGES_MAX
      ? distinct.map((value) => ({ low: value, high: value }))
      : [{ low: distinct[0], high: distinct[distinct.length - 1] }];
  return [{ kind: 'ranges', ranges, negated: false }];
}

const tableOf = (numbering: HashedIntegers | HashedPoints): { add(first: number, second: number): number } =>
  numbering.table;

/** Number of values in the list. */
export function valueCountOf(values: ValueList): number {
  if (values.kind === 'text') return values.offsets.length - 1;
  return (values.kind === 'i64' ? values.words.length : values.points.length) / 2;
}

/** Calls `numberAt` for each value with its words or point; for texts only the position is used. */
function numbersOf(
  values: ValueList,
  memory: MemoryAccount,
  numberAt: (first: number, second: number, at: number) => number,
): Uint32Array {
  const count = valueCountOf(values);
  const numbers = memory.u32(count);
  const pairs = values.kind === 'text' ? null : values.kind === 'i64' ? values.words : values.points;
  for (let at = 0; at < count; at++) {
    numbers[at] = pairs === null ? numberAt(0, 0, at) : numberAt(pairs[at * 2], pairs[at * 2 + 1], at);
  }
  return numbers;
}

/** The arguments by which a dictionary or an index finds a text: hash, bytes, start and end. */
export function textRangeAt(values: ValueList, at: number): [number, Uint8Array, number, number] {
  if (values.kind !== 'text') return [0, new Uint8Array(0), 0, 0];
  const { offsets, bytes } = values;
  const [from, to] = [offsets[at], offsets[at + 1]];
  return [hashBytes(bytes, from, to), bytes, from, to];
}

/** The direct number of the integer with these words; null = it is out of range. */
function slotOf({ base, count }: DirectNumbering, low: number, high: number): number | null {
  const value = (BigInt(high | 0) << 32n) | BigInt(low);
  const slot = value - BigInt(base);
  return slot < 0n || slot >= BigInt(count) ? null : Number(slot);
}

/** A subset of directly numbered values, renumbered. */
class ChosenDirectNumbers implements Numbering {
  readonly isPartial = true;
  readonly #direct: CodeNumbering | DirectNumbering;
  /** By direct number: the new number plus 1; 0 = none. */
  readonly #chosen: Uint32Array;
  #count = 0;

  constructor(direct: CodeNumbering | DirectNumbering, memory: MemoryAccount) {
    this.#direct = direct;
    this.#chosen = memory.u32(direct.count);
  }

  get count(): number {
    return this.#count;
  }

  choose(slot: number): number {
    if (this.#chosen[slot] === 0) this.#chosen[slot] = ++this.#count;
    return this.#chosen[slot] - 1;
  }

  number(values: ValueView, indices: Uint32Array, count: number, out: Uint32Array): void {
    this.#direct.number(values, indices, count, out);
    const chosen = this.#chosen;
    // 0 - 1 is ABSENT in 32 bits.
    for (let at = 0; at < count; at++) out[at] = chosen[out[at]] - 1;
  }
}
