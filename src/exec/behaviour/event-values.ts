/**
 * Numbers for the values of an event column in one shard: equal values have equal numbers, 0 = none. Strings have the
 * codes of their dictionary; other values are numbered in the order of their first use.
 */

import type { ValueColumn } from '../../ir/index.js';
import { textOfInteger, textOfPoint } from '../../schema/index.js';
import { type Dictionary, type DimensionShard, type EventSegment, readCodes } from '../../storage/index.js';

export class EventValueNumbers {
  readonly columnId: number;
  readonly #column: ValueColumn;
  readonly #shard: DimensionShard;
  readonly #numbers = new Map<bigint | number | string, number>();
  readonly #texts: string[] = [''];
  #byText: Map<string, number> | null = null;
  #byLink: Uint32Array | null = null;

  constructor(shard: DimensionShard, column: ValueColumn) {
    this.columnId = column.columnId;
    this.#column = column;
    this.#shard = shard;
  }

  /** A function from an event of the segment to the number of its value. */
  readerOf(segment: EventSegment): (event: number) => number {
    const { arena, kind, width, valuesAt, eventCount } = segment;
    if (kind === 'code') {
      const codes = readCodes(arena, valuesAt, width, eventCount);
      return (event) => codes[event];
    }
    if (kind === 'geo') {
      return (event) => {
        const at = (valuesAt >> 3) + event * 2;
        const text = textOfPoint({ longitude: arena.f64[at], latitude: arena.f64[at + 1] });
        return this.#numberOf(text, () => text);
      };
    }
    const asText = (value: number | bigint): string => textOfInteger(this.#column, BigInt(value));
    if (width === 8) {
      return (event) => {
        const word = (valuesAt >> 2) + event * 2;
        const value = (BigInt(arena.i32[word + 1]) << 32n) | BigInt(arena.u32[word]);
        return this.#numberOf(value, () => asText(value));
      };
    }
    const values = width === 1 ? arena.i8 : width === 2 ? arena.i16 : arena.i32;
    const first = valuesAt / width;
    return (event) => {
      const value = values[first + event];
      // A bigint, because segments of one column may have different widths.
      return this.#numberOf(BigInt(value), () => asText(value));
    };
  }

  #numberOf(value: bigint | string, text: () => string): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.#texts.length;
      this.#numbers.set(value, number);
      this.#texts.push(text());
    }
    return number;
  }

  /** One more than the greatest number of the values that were read. */
  get numberEnd(): number {
    return this.#dictionary?.codeCount ?? this.#texts.length;
  }

  /** The number of a value that was read, by its text; 0 = there is none. */
  numberOf(text: string): number {
    const dictionary = this.#dictionary;
    if (dictionary !== undefined) return dictionary.codeOf(text);
    if (this.#byText?.size !== this.#texts.length) {
      this.#byText = new Map(this.#texts.map((own, number) => [own, number]));
    }
    return this.#byText?.get(text) ?? 0;
  }

  get #dictionary(): Dictionary | undefined {
    return this.#column.type === 'string-event' ? this.#shard.dictionaries.get(this.columnId) : undefined;
  }

  /** The numbers of the column's values by link; `linkEnd` returns a number above every link. */
  byLink(linkEnd: () => number): Uint32Array {
    if (this.#byLink !== null) return this.#byLink;
    const numbers = new Uint32Array(linkEnd());
    for (const segment of this.#shard.events.get(this.columnId)?.segments ?? []) {
      const links = segment.links();
      if (links === null) continue;
      const read = this.readerOf(segment);
      for (let event = 0; event < links.length; event++) {
        if (links[event] !== 0) numbers[links[event]] = read(event);
      }
    }
    this.#byLink = numbers;
    return numbers;
  }

  /** Compares the texts of two numbers, which are not 0, by their bytes. */
  compare(a: number, b: number): number {
    const dictionary = this.#dictionary;
    if (dictionary === undefined) {
      return Buffer.compare(Buffer.from(this.#texts[a]), Buffer.from(this.#texts[b]));
    }
    const { offsets, bytes } = dictionary;
    return Buffer.compare(
      bytes.subarray(offsets[a], offsets[a + 1]),
      bytes.subarray(offsets[b], offsets[b + 1]),
    );
  }

  /** The text of a value's number, which is not 0. */
  textOf(number: number): string {
    const dictionary = this.#dictionary;
    if (dictionary === undefined) return this.#texts[number];
    const { offsets, bytes } = dictionary;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
      'utf8',
      offsets[number],
      offsets[number + 1],
    );
  }
}
