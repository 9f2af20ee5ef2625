/**
 * Dense numbers for the values of a shard's event column, so that counts are arrays: codes of strings, the distance from
 * the least integer of 16 bits, or numbers of a hash table for larger integers and points.
 */
import type { MemoryAccount } from '../../base/index.js';
import { textOfPoint } from '../../schema/index.js';
import { type Dictionary, type DimensionShard, type EventSegment, readCodes } from '../../storage/index.js';
import { exactVector64, halvesOf, toWire, vectorOf, type WireVector } from '../../vector/index.js';
import { numberAt } from '../scan/stored-values.js';
import { PointTable, WordTable } from './value-table.js';
import { textsOf } from './value-texts.js';

const NARROW_LEAST = -32_768;
const NARROW_COUNT = 65_536;
/** Approximate bytes of the text of a point. */
const POINT_BYTES = 48;

export class EventNumbers {
  readonly #dictionary: Dictionary | null;
  /** null = values are codes or have at most 16 bits. */
  readonly #table: WordTable | PointTable | null;

  private constructor(dictionary: Dictionary | null, table: WordTable | PointTable | null) {
    this.#dictionary = dictionary;
    this.#table = table;
  }

  /** null if the column has no events. Throws 9006. */
  static of(shard: DimensionShard, columnId: number, memory: MemoryAccount): EventNumbers | null {
    const table = shard.events.get(columnId);
    if (table === undefined) return null;
    if (table.kind === 'code') {
      const dictionary = shard.dictionaries.get(columnId);
      return dictionary === undefined ? null : new EventNumbers(dictionary, null);
    }
    if (table.kind === 'geo') return new EventNumbers(null, new PointTable(memory));
    const isNarrow = table.segments.every(({ width }) => width <= 2);
    return new EventNumbers(null, isNarrow ? null : new WordTable(memory));
  }

  /** Exclusive upper limit of the numbers; `number` may raise it. */
  get count(): number {
    return this.#dictionary?.codeCount ?? this.#table?.count ?? NARROW_COUNT;
  }

  /** out[i] = the number of the value of event events[i]. Throws 9006. */
  number(segment: EventSegment, events: Uint32Array, count: number, out: Uint32Array): void {
    const { arena, width, valuesAt, eventCount } = segment;
    if (this.#dictionary !== null)
      gather(readCodes(arena, valuesAt, width, eventCount), events, count, 0, out);
    else if (this.#table === null) {
      const values =
        width === 1
          ? arena.i8.subarray(valuesAt, valuesAt + eventCount)
          : arena.i16.subarray(valuesAt >> 1, (valuesAt >> 1) + eventCount);
      gather(values, events, count, NARROW_LEAST, out);
    } else if (this.#table instanceof PointTable) addPoints(segment, events, count, this.#table, out);
    else addWords(segment, events, count, this.#table, out);
  }

  /** The values whose count is above 0. Their memory is reserved in `memory`. Throws 9006. */
  found(
    counts: Uint32Array,
    memory: MemoryAccount,
  ): { readonly values: WireVector; readonly counts: Float64Array } {
    let count = 0;
    for (let number = 0; number < counts.length; number++) if (counts[number] > 0) count++;
    memory.reserve(count * 20);
    const numbers = new Uint32Array(count);
    for (let number = 0, at = 0; at < count; number++) if (counts[number] > 0) numbers[at++] = number;
    const found = Float64Array.from(numbers, (number) => counts[number]);
    if (this.#dictionary !== null) {
      const texts = textsOf(numbers, this.#dictionary.offsets, this.#dictionary.bytes, memory);
      return {
        values: { kind: 'text', count, valid: null, codes: null, ...texts, distinct: true },
        counts: found,
      };
    }
    if (this.#table === null) {
      const values = Float64Array.from(numbers, (number) => number + NARROW_LEAST);
      return { values: { kind: 'exact', count, valid: null, numbers: values, wide: null }, counts: found };
    }
    const { keys } = this.#table;
    if (keys instanceof Float64Array) {
      const texts = Array.from(numbers, (number) =>
        textOfPoint({ longitude: keys[number * 2], latitude: keys[number * 2 + 1] }),
      );
      memory.reserve(count * POINT_BYTES);
      return { values: toWire(vectorOf({ type: 'json' }, texts)), counts: found };
    }
    const wide = new BigInt64Array(count);
    const halves = halvesOf(wide);
    for (let at = 0; at < count; at++) {
      halves[at * 2] = keys[numbers[at] * 2];
      halves[at * 2 + 1] = keys[numbers[at] * 2 + 1];
    }
    return { values: exactVector64(null, wide), counts: found };
  }
}

function gather(
  values: Uint8Array | Uint16Array | Uint32Array | Int8Array | Int16Array,
  events: Uint32Array,
  count: number,
  least: number,
  out: Uint32Array,
): void {
  for (let at = 0; at < count; at++) out[at] = values[events[at]] - least;
}

function addPoints(
  { arena: { f64 }, valuesAt }: EventSegment,
  events: Uint32Array,
  count: number,
  table: PointTable,
  out: Uint32Array,
): void {
  for (let at = 0; at < count; at++) {
    const first = (valuesAt >> 3) + events[at] * 2;
    out[at] = table.add(f64[first], f64[first + 1]);
  }
}

function addWords(
  segment: EventSegment,
  events: Uint32Array,
  count: number,
  table: WordTable,
  out: Uint32Array,
): void {
  const { arena, width, valuesAt } = segment;
  for (let at = 0; at < count; at++) {
    if (width === 8) {
      const word = (valuesAt >> 2) + events[at] * 2;
      out[at] = table.add(arena.i32[word], arena.i32[word + 1]);
    } else {
      const value = numberAt(segment, events[at]);
      out[at] = table.add(value, value >> 31);
    }
  }
}
