/** The groups of a breakdown to which an entity belongs, by the values of an attribute column. */
import { type MemoryAccount, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { ValueColumn } from '../../ir/index.js';
import { textOfInteger, textOfPoint } from '../../schema/index.js';
import { type DimensionShard, type LatestColumn, type ListColumn, readCodes } from '../../storage/index.js';

const NO_TEXTS: readonly string[] = [];

/** Memory of a text in a map, besides its characters. */
const ENTRY_BYTES = 64;
const entryBytes = (text: string): number => ENTRY_BYTES + text.length * 2;

export class EntityTexts {
  readonly #shard: DimensionShard;
  readonly #column: ValueColumn;
  readonly #isList: boolean;
  readonly #memory: MemoryAccount;
  readonly #texts = new Map<number, string>();

  constructor(shard: DimensionShard, column: ValueColumn, isList: boolean, memory: MemoryAccount) {
    this.#shard = shard;
    this.#column = column;
    this.#isList = isList;
    this.#memory = memory;
  }

  /** The distinct texts of the entity's values. Throws 9006. */
  of(row: number): readonly string[] {
    const segment = this.#shard.segments[row >>> SEGMENT_ROWS_SHIFT];
    const segmentRow = row & SEGMENT_ROWS_MASK;
    if (this.#isList) {
      const list = segment.list(this.#column.columnId);
      return list === undefined ? NO_TEXTS : this.#ofList(list, segmentRow);
    }
    const latest = segment.latest(this.#column.columnId);
    if (latest === undefined) return NO_TEXTS;
    const isPresent = (latest.arena.u8[latest.validityAt + (segmentRow >> 3)] >> (segmentRow & 7)) & 1;
    return isPresent === 0 ? NO_TEXTS : [this.#ofLatest(latest, segmentRow)];
  }

  #ofLatest({ arena, kind, width, valuesAt }: LatestColumn, row: number): string {
    switch (kind) {
      case 'code':
        return this.#ofCode(readCodes(arena, valuesAt, width, row + 1)[row]);
      case 'bits':
        return this.#ofInteger(BigInt((arena.u8[valuesAt + (row >> 3)] >> (row & 7)) & 1));
      case 'i32':
        return this.#ofInteger(BigInt(arena.i32[(valuesAt >> 2) + row]));
      case 'geo': {
        const at = (valuesAt >> 3) + row * 2;
        return textOfPoint({ longitude: arena.f64[at], latitude: arena.f64[at + 1] });
      }
      case 'i64':
        if (width === 1) return this.#ofInteger(BigInt(arena.i8[valuesAt + row]));
        if (width === 2) return this.#ofInteger(BigInt(arena.i16[(valuesAt >> 1) + row]));
        if (width === 4) return this.#ofInteger(BigInt(arena.i32[(valuesAt >> 2) + row]));
        return this.#ofInteger(wordsOf(arena.u32, (valuesAt >> 2) + row * 2));
    }
  }

  #ofList({ kind, items, starts, counts }: ListColumn, row: number): readonly string[] {
    const texts = new Set<string>();
    for (let item = starts[row]; item < starts[row] + counts[row]; item++) {
      if (kind === 'code') texts.add(this.#ofCode(items[item]));
      else if (kind === 'i64') texts.add(this.#ofInteger(wordsOf(items as Uint32Array, item * 2)));
      else if (kind === 'geo') {
        texts.add(textOfPoint({ longitude: items[item * 2], latitude: items[item * 2 + 1] }));
      } else texts.add(this.#ofInteger(BigInt(items[item])));
    }
    return [...texts];
  }

  #ofInteger(value: bigint): string {
    return textOfInteger(this.#column, value);
  }

  #ofCode(code: number): string {
    let text = this.#texts.get(code);
    if (text === undefined) {
      const dictionary = this.#shard.dictionaries.get(this.#column.columnId);
      const { offsets, bytes } = dictionary ?? {
        offsets: new Uint32Array(code + 2),
        bytes: new Uint8Array(0),
      };
      text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
        'utf8',
        offsets[code],
        offsets[code + 1],
      );
      this.#memory.reserve(entryBytes(text));
      this.#texts.set(code, text);
    }
    return text;
  }
}

const wordsOf = (words: Uint32Array, at: number): bigint =>
  (BigInt(words[at + 1] | 0) << 32n) | BigInt(words[at]);

/** Counts in groups: the whole, and those of a breakdown once its values were chosen. */
export class GroupNumbers {
  readonly #chosen: ReadonlyMap<string, number> | null;
  readonly #others: number;
  readonly #found = new Set<number>();

  constructor(values: readonly string[] | null) {
    this.#chosen = values === null ? null : new Map(values.map((value, index) => [value, index + 1]));
    this.#others = (values?.length ?? 0) + 1;
  }

  /** The groups besides the whole to which values with these texts belong, each once. */
  of(texts: readonly string[]): Iterable<number> {
    this.#found.clear();
    if (this.#chosen === null) return this.#found;
    if (texts.length === 0) this.#found.add(this.#others + 1);
    for (const text of texts) this.#found.add(this.#chosen.get(text) ?? this.#others);
    return this.#found;
  }
}

/** Counts values to choose those with a group. */
export class ValueRanking {
  readonly #memory: MemoryAccount;
  readonly #counts = new Map<string, number>();

  constructor(memory: MemoryAccount) {
    this.#memory = memory;
  }

  /** Throws 9006. */
  add(texts: readonly string[], by: number): void {
    for (const text of texts) {
      const count = this.#counts.get(text);
      if (count === undefined) this.#memory.reserve(entryBytes(text));
      this.#counts.set(text, (count ?? 0) + by);
    }
  }

  result(): { values: string[]; counts: Float64Array } {
    return { values: [...this.#counts.keys()], counts: Float64Array.from(this.#counts.values()) };
  }
}
