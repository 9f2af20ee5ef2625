/**
 * A sort key by a latest-value column of strings. A query that reads many rows computes the rank of every code first.
 * A query that reads few rows, or has too many codes, compares the strings' first bytes.
 */
import { hashBytes, SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { OrderValue, RowPosition } from '../../ir/index.js';
import { type Dictionary, type DimensionShard, type LatestColumn, readCodes } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import {
  compareBytes,
  countBefore,
  prefixOf,
  SORT_BYTES_PER_CODE,
  SORTED_CODES_MAX,
  sortedCodes,
} from '../sort/byte-order.js';
import { exactBound, type KeyBound, MISSING_ZONE, NO_ZONE, type OrderSortKey } from './sort-key.js';

type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Ranking a dictionary is worthwhile if the dictionary has at most this many codes per row. */
const CODES_PER_ROW = 4;

/** Whether ranking is worthwhile for an order over `rowCount` rows. */
export function ranksPay(dictionary: Dictionary | undefined, rowCount: number): boolean {
  return (
    dictionary !== undefined &&
    dictionary.codeCount <= SORTED_CODES_MAX &&
    dictionary.codeCount <= rowCount * CODES_PER_ROW
  );
}

interface Ranks {
  /** By code: the number of its rows. */
  readonly numbers: Float64Array;
  readonly sorted: Uint32Array;
}

export class TextKey implements OrderSortKey {
  readonly #shard: DimensionShard;
  readonly #columnId: number;
  readonly #dictionary: Dictionary | undefined;
  readonly #sign: 1 | -1;
  readonly #at: number;
  readonly #codes: (Codes | null | undefined)[];
  readonly #ranks: Ranks | null;

  /** `ranked`: see ranksPay. Throws 9006. */
  constructor(
    shard: DimensionShard,
    columnId: number,
    descending: boolean,
    at: number,
    ranked: boolean,
    run: QueryRun,
  ) {
    this.#shard = shard;
    this.#columnId = columnId;
    this.#dictionary = shard.dictionaries.get(columnId);
    this.#sign = descending ? -1 : 1;
    this.#at = at;
    this.#codes = new Array(shard.segments.length).fill(undefined);
    this.#ranks = ranked && this.#dictionary !== undefined ? rank(this.#dictionary, this.#sign, run) : null;
  }

  #codesOf(segmentIndex: number): Codes | null {
    let codes = this.#codes[segmentIndex];
    if (codes === undefined) {
      const segment = this.#shard.segments[segmentIndex];
      const column: LatestColumn | undefined = segment.latest(this.#columnId);
      codes =
        column === undefined
          ? null
          : readCodes(column.arena, column.valuesAt, column.width, segment.rowCount);
      this.#codes[segmentIndex] = codes;
    }
    return codes;
  }

  #codeOf(row: number): number {
    return this.#codesOf(row >>> SEGMENT_ROWS_SHIFT)?.[row & SEGMENT_ROWS_MASK] ?? 0;
  }

  zone(segmentIndex: number): { low: number; high: number } {
    return this.#codesOf(segmentIndex) === null ? MISSING_ZONE : NO_ZONE;
  }

  narrow(): void {}

  fill(segmentIndex: number, segmentRows: Uint32Array, count: number, numbers: Float64Array): void {
    const codes = this.#codesOf(segmentIndex);
    if (codes === null || this.#dictionary === undefined) numbers.fill(Number.POSITIVE_INFINITY, 0, count);
    else if (this.#ranks !== null) fillRanks(codes, this.#ranks.numbers, segmentRows, count, numbers);
    else for (let at = 0; at < count; at++) numbers[at] = this.#numberOf(codes[segmentRows[at]]);
  }

  #numberOf(code: number): number {
    if (code === 0 || this.#dictionary === undefined) return Number.POSITIVE_INFINITY;
    if (this.#ranks !== null) return this.#ranks.numbers[code];
    const { offsets, bytes } = this.#dictionary;
    return this.#sign * prefixOf(bytes, offsets[code], offsets[code + 1]);
  }

  number(row: number): number {
    return this.#numberOf(this.#codeOf(row));
  }

  compareTied(a: number, b: number): number {
    const [codeA, codeB] = [this.#codeOf(a), this.#codeOf(b)];
    if (this.#ranks !== null || codeA === codeB || this.#dictionary === undefined) return 0;
    const { offsets, bytes } = this.#dictionary;
    const order = compareBytes(
      bytes,
      offsets[codeA],
      offsets[codeA + 1],
      bytes,
      offsets[codeB],
      offsets[codeB + 1],
    );
    return this.#sign * order;
  }

  bound({ values }: RowPosition): KeyBound {
    const value = values[this.#at];
    const dictionary = this.#dictionary;
    if (typeof value !== 'string') return exactBound(Number.POSITIVE_INFINITY);
    // All rows lack a value and sort after any text.
    if (dictionary === undefined) return exactBound(0);
    const text = Buffer.from(value, 'utf8');
    if (this.#ranks !== null) return exactBound(this.#rankOf(dictionary, this.#ranks, text));
    const { offsets, bytes } = dictionary;
    const compareTied = (row: number): number => {
      const code = this.#codeOf(row);
      return this.#sign * compareBytes(bytes, offsets[code], offsets[code + 1], text, 0, text.length);
    };
    return { number: this.#sign * prefixOf(text, 0, text.length), compareTied };
  }

  /** The number of a string. If the string is not in the shard, a number between the numbers of its neighbors. */
  #rankOf(dictionary: Dictionary, { numbers, sorted }: Ranks, text: Uint8Array): number {
    const code = dictionary.find(hashBytes(text, 0, text.length), text, 0, text.length);
    return code === 0 ? this.#sign * (countBefore(dictionary, sorted, text) + 0.5) : numbers[code];
  }

  value(row: number): OrderValue {
    const code = this.#codeOf(row);
    return code === 0 || this.#dictionary === undefined ? null : textOfCode(this.#dictionary, code);
  }
}

function textOfCode({ offsets, bytes }: Dictionary, code: number): string {
  return Buffer.from(bytes.subarray(offsets[code], offsets[code + 1])).toString('utf8');
}

/** Ranks start at 1. */
function rank(dictionary: Dictionary, sign: number, run: QueryRun): Ranks {
  const { codeCount } = dictionary;
  run.reserve(codeCount * (8 + SORT_BYTES_PER_CODE));
  const sorted = sortedCodes(dictionary);
  const numbers = new Float64Array(codeCount);
  numbers[0] = Number.POSITIVE_INFINITY;
  for (let at = 1; at < codeCount; at++) numbers[sorted[at]] = sign * at;
  return { numbers, sorted };
}

function fillRanks(
  codes: Codes,
  ranks: Float64Array,
  segmentRows: Uint32Array,
  count: number,
  numbers: Float64Array,
): void {
  for (let at = 0; at < count; at++) numbers[at] = ranks[codes[segmentRows[at]]];
}
