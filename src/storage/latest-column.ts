/**
 * One attribute column (latest-value) within one segment: a value per row in the arena, in Arrow's layout.
 * Invariants: values and validity lie in one arena; a row without a value has validity 0 and value 0; codes use
 * the narrowest of 8, 16 and 32 bits that holds the greatest code seen; capacity is a multiple of 128 rows, so
 * kernels may read to the end of the last vector. The zone map only ever widens; it is used only to skip.
 */
import { invariant } from '../base/index.js';
import { bitmapBytes } from '../kernels/index.js';
import type { ValueKind } from '../schema/index.js';
import type { Arena, ArenaPool, Block } from './arena.js';

export type CodeBytes = 1 | 2 | 4;

/** Bytes of `rows` values. */
export function valueBytes(kind: ValueKind, codeBytes: CodeBytes, rows: number): number {
  switch (kind) {
    case 'bits':
      return bitmapBytes(rows);
    case 'i32':
      return rows * 4;
    case 'i64':
      return rows * 8;
    case 'geo':
      return rows * 16;
    case 'code':
      return rows * codeBytes;
  }
}

export function codeBytesFor(code: number): CodeBytes {
  return code < 0x100 ? 1 : code < 0x10000 ? 2 : 4;
}

/** Rewrites `count` codes that lie at `from` with `fromBytes` each to `to` with `toBytes` each. */
export function widenCodes(
  from: Block,
  fromBytes: CodeBytes,
  to: Block,
  toBytes: CodeBytes,
  count: number,
): void {
  const source = fromBytes === 1 ? from.arena.u8 : from.arena.u16;
  const target = toBytes === 2 ? to.arena.u16 : to.arena.u32;
  const sourceAt = from.at / fromBytes;
  const targetAt = to.at / toBytes;
  for (let row = 0; row < count; row++) target[targetAt + row] = source[sourceAt + row];
}

export class LatestColumn {
  readonly kind: ValueKind;
  readonly #pool: ArenaPool;
  #values: Block;
  #validity: Block;
  #capacity: number;
  #codeBytes: CodeBytes = 1;
  #presentCount = 0;
  /** Zone map: bounds of all values ever set, i64 as the nearest double; codes and days as they are. */
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  constructor(pool: ArenaPool, near: Arena | null, kind: ValueKind, capacity: number, firstCode = 0) {
    this.#pool = pool;
    this.kind = kind;
    this.#capacity = capacity;
    this.#codeBytes = codeBytesFor(firstCode);
    [this.#values, this.#validity] = pool.allocate(this.#sizes(capacity), near);
  }

  get arena(): Arena {
    return this.#values.arena;
  }
  /** Byte offset of the values in the arena. */
  get valuesAt(): number {
    return this.#values.at;
  }
  /** Byte offset of the validity bitmap in the arena. */
  get validityAt(): number {
    return this.#validity.at;
  }
  get codeBytes(): CodeBytes {
    return this.#codeBytes;
  }
  get presentCount(): number {
    return this.#presentCount;
  }
  get min(): number {
    return this.#min;
  }
  get max(): number {
    return this.#max;
  }

  #sizes(capacity: number): number[] {
    return [valueBytes(this.kind, this.#codeBytes, capacity), bitmapBytes(capacity)];
  }

  /** Makes room for `capacity` rows. */
  reserve(capacity: number): void {
    if (capacity <= this.#capacity) return;
    [this.#values, this.#validity] = this.#pool.grow([this.#values, this.#validity], this.#sizes(capacity));
    this.#capacity = capacity;
  }

  release(): void {
    this.#values.arena.release(this.#values);
    this.#validity.arena.release(this.#validity);
  }

  has(row: number): boolean {
    return (this.#validity.arena.u8[this.#validity.at + (row >> 3)] & (1 << (row & 7))) !== 0;
  }

  #mark(row: number): void {
    const { u8 } = this.#validity.arena;
    const at = this.#validity.at + (row >> 3);
    const bit = 1 << (row & 7);
    if ((u8[at] & bit) === 0) {
      u8[at] |= bit;
      this.#presentCount++;
    }
  }

  /** Takes the row's value away. */
  remove(row: number): void {
    if (!this.has(row)) return;
    const { arena, at } = this.#values;
    switch (this.kind) {
      case 'bits':
        arena.u8[at + (row >> 3)] &= ~(1 << (row & 7));
        break;
      case 'i32':
        arena.i32[(at >> 2) + row] = 0;
        break;
      case 'i64':
        arena.u32.fill(0, (at >> 2) + row * 2, (at >> 2) + row * 2 + 2);
        break;
      case 'geo':
        arena.f64.fill(0, (at >> 3) + row * 2, (at >> 3) + row * 2 + 2);
        break;
      case 'code':
        this.#writeCode(row, 0);
        break;
    }
    this.#validity.arena.u8[this.#validity.at + (row >> 3)] &= ~(1 << (row & 7));
    this.#presentCount--;
  }

  setI64(row: number, low: number, high: number): void {
    const { arena, at } = this.#values;
    const word = (at >> 2) + row * 2;
    arena.u32[word] = low;
    arena.u32[word + 1] = high;
    this.#mark(row);
    this.#widenZone((high | 0) * 2 ** 32 + low);
  }

  setI32(row: number, value: number): void {
    this.#values.arena.i32[(this.#values.at >> 2) + row] = value;
    this.#mark(row);
    this.#widenZone(value);
  }

  setBit(row: number, value: number): void {
    const { arena, at } = this.#values;
    const bit = 1 << (row & 7);
    if (value === 0) arena.u8[at + (row >> 3)] &= ~bit;
    else arena.u8[at + (row >> 3)] |= bit;
    this.#mark(row);
  }

  setPoint(row: number, longitude: number, latitude: number): void {
    const index = (this.#values.at >> 3) + row * 2;
    this.#values.arena.f64[index] = longitude;
    this.#values.arena.f64[index + 1] = latitude;
    this.#mark(row);
  }

  setCode(row: number, code: number): void {
    if (codeBytesFor(code) > this.#codeBytes) this.#widen(codeBytesFor(code));
    this.#writeCode(row, code);
    this.#mark(row);
    this.#widenZone(code);
  }

  #writeCode(row: number, code: number): void {
    const { arena, at } = this.#values;
    if (this.#codeBytes === 1) arena.u8[at + row] = code;
    else if (this.#codeBytes === 2) arena.u16[(at >> 1) + row] = code;
    else arena.u32[(at >> 2) + row] = code;
  }

  #widenZone(value: number): void {
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  #widen(codeBytes: CodeBytes): void {
    invariant(this.kind === 'code', 'only codes have a width');
    const [values] = this.#pool.allocate([valueBytes('code', codeBytes, this.#capacity)], this.arena);
    widenCodes(this.#values, this.#codeBytes, values, codeBytes, this.#capacity);
    const old = this.#values;
    this.#values = values;
    this.#codeBytes = codeBytes;
    old.arena.release(old);
    if (values.arena !== this.#validity.arena) {
      // Kernels need both in one arena: when only the wider values found no room beside, the pair moves.
      [this.#values, this.#validity] = this.#pool.grow(
        [this.#values, this.#validity],
        this.#sizes(this.#capacity),
      );
    }
  }
}
