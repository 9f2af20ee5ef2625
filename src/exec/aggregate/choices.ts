/**
 * The values that a decided level chose, as numbers 0..n-1 of this shard: equal values, which may stand in several
 * groups, have one number; those that the shard does not hold, or that fail the level's tests, have none.
 */
import { hashBytes, type MemoryAccount } from '../../base/index.js';
import type { ValueList, ValueTest } from '../../ir/index.js';
import type { ValueKind } from '../../schema/index.js';
import type { DimensionShard } from '../../storage/index.js';
import { PreparedTest } from '../condition/value-test.js';
import type { QueryRun } from '../query-run.js';
import {
  ABSENT,
  CodeNumbers,
  type ColumnSource,
  DirectNumbers,
  type HashedIntegers,
  type HashedPoints,
  type Numbering,
  numberingOf,
} from './numbering.js';
import type { ValueView } from './value-view.js';

export interface Choices {
  /** How many numbers there are. */
  readonly count: number;
  /** By place in the list of values: the number, or ABSENT. */
  readonly numberOf: Uint32Array;
}

export interface ColumnChoices extends Choices {
  readonly numbering: Numbering;
  /** Tests that every chosen value passes, and most others do not: they leave fewer values to be numbered. */
  readonly narrowing: readonly ValueTest[];
}

/** Whether an item passes every test, each looking at it alone. */
export function passesAll(
  tests: readonly PreparedTest[],
  kind: ValueKind,
  [first, second]: readonly [number, number],
): boolean {
  // Integers of all kinds come as words here.
  const as = kind === 'code' || kind === 'geo' ? kind : 'i64';
  return tests.every((test) => test.holdsFor(as, first, second) !== test.negated);
}

/** Throws 9006. */
export function choicesOf(
  shard: DimensionShard,
  source: ColumnSource,
  tests: readonly ValueTest[],
  values: ValueList,
  memory: MemoryAccount,
  run: QueryRun,
): ColumnChoices {
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
): ColumnChoices {
  const numbering = numberingOf(shard, source, memory);
  const { kind } = source;
  if (numbering instanceof CodeNumbers || numbering instanceof DirectNumbers) {
    const direct = new ChosenDirect(numbering, memory);
    const numberOf = numbersOf(values, memory, (first, second, at) => {
      const slot =
        numbering instanceof DirectNumbers
          ? slotOf(numbering, first, second)
          : (shard.dictionaries.get(source.columnId)?.find(...textAt(values, at)) ?? 0);
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

/** Above that many texts, finding them all in the dictionary costs more than it saves. */
const NARROWING_TEXTS_MAX = 4_096;
/** Each range is a scan of its own. */
const NARROWING_RANGES_MAX = 8;

function narrowingOf(values: ValueList): ValueTest[] {
  const count = valueCountOf(values);
  if (values.kind === 'geo' || count === 0) return [];
  if (values.kind === 'text') {
    if (count > NARROWING_TEXTS_MAX) return [];
    const { offsets, bytes } = values;
    const held = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const texts = Array.from({ length: count }, (_, at) =>
      held.toString('utf8', offsets[at], offsets[at + 1]),
    );
    return [{ kind: 'text', match: 'equals', texts: [...new Set(texts)], negated: false }];
  }
  const { words } = values;
  const integers = new BigInt64Array(count);
  for (let at = 0; at < count; at++) {
    integers[at] = (BigInt(words[at * 2 + 1] | 0) << 32n) | BigInt(words[at * 2]);
  }
  // No set: whoever chooses the integers could choose how it hashes them.
  const distinct = [...integers.sort().filter((value, at, sorted) => at === 0 || value !== sorted[at - 1])];
  const ranges =
    distinct.length <= NARROWING_RANGES_MAX
      ? distinct.map((value) => ({ low: value, high: value }))
      : [{ low: distinct[0], high: distinct[distinct.length - 1] }];
  return [{ kind: 'ranges', ranges, negated: false }];
}

const tableOf = (numbering: HashedIntegers | HashedPoints): { add(first: number, second: number): number } =>
  numbering.table;

/** How many values the list holds. */
export function valueCountOf(values: ValueList): number {
  if (values.kind === 'text') return values.offsets.length - 1;
  return (values.kind === 'i64' ? values.words.length : values.points.length) / 2;
}

/** `numberAt` for each value: its words or its point; of texts their place alone counts. */
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

/** What a dictionary or an index finds a text by: hash, bytes, where it starts and ends. */
export function textAt(values: ValueList, at: number): [number, Uint8Array, number, number] {
  if (values.kind !== 'text') return [0, new Uint8Array(0), 0, 0];
  const { offsets, bytes } = values;
  const [from, to] = [offsets[at], offsets[at + 1]];
  return [hashBytes(bytes, from, to), bytes, from, to];
}

/** The direct number of the integer with these words; null = it is out of bounds. */
function slotOf({ base, count }: DirectNumbers, low: number, high: number): number | null {
  const value = (BigInt(high | 0) << 32n) | BigInt(low);
  const slot = value - BigInt(base);
  return slot < 0n || slot >= BigInt(count) ? null : Number(slot);
}

/** Some of the values that have direct numbers, numbered anew. */
class ChosenDirect implements Numbering {
  readonly partial = true;
  readonly #direct: CodeNumbers | DirectNumbers;
  /** By direct number: the new one plus one; 0 = none. */
  readonly #chosen: Uint32Array;
  #count = 0;

  constructor(direct: CodeNumbers | DirectNumbers, memory: MemoryAccount) {
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
    // 0 less 1 is ABSENT in 32 bits.
    for (let at = 0; at < count; at++) out[at] = chosen[out[at]] - 1;
  }
}
