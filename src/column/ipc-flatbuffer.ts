/**
 * Reads flatbuffers tables from bytes that may be damaged. Invariants: every read is within the bytes (otherwise a
 * RangeError is thrown), and the length of a vector is checked against the bytes before it is iterated, so that damage
 * cannot make a reader crash or hang.
 * Layout  a table starts with the signed distance back to its vtable; vtable: u16 own bytes, u16 table bytes, then one
 *         u16 per slot: the field's offset in the table (0 = absent). References are u32 forward distances.
 */

export class FlatTable {
  readonly #view: DataView;
  readonly #at: number;

  constructor(view: DataView, at: number) {
    this.#view = view;
    this.#at = at;
  }

  /** The root table of a flatbuffer. */
  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, view.getUint32(0, true));
  }

  /** Position of a slot's field, or 0 when it is absent. */
  #field(slot: number): number {
    const vtable = this.#at - this.#view.getInt32(this.#at, true);
    if (4 + slot * 2 >= this.#view.getUint16(vtable, true)) return 0;
    const offset = this.#view.getUint16(vtable + 4 + slot * 2, true);
    return offset === 0 ? 0 : this.#at + offset;
  }

  #reference(slot: number): number {
    const field = this.#field(slot);
    return field === 0 ? 0 : field + this.#view.getUint32(field, true);
  }

  u8(slot: number, absent: number): number {
    const field = this.#field(slot);
    return field === 0 ? absent : this.#view.getUint8(field);
  }

  i16(slot: number, absent: number): number {
    const field = this.#field(slot);
    return field === 0 ? absent : this.#view.getInt16(field, true);
  }

  i32(slot: number, absent: number): number {
    const field = this.#field(slot);
    return field === 0 ? absent : this.#view.getInt32(field, true);
  }

  /** Reads a 64-bit count or offset. Throws a RangeError when it is negative or above 2^53. */
  size(slot: number): number {
    const field = this.#field(slot);
    return field === 0 ? 0 : readSize(this.#view, field);
  }

  table(slot: number): FlatTable | null {
    const at = this.#reference(slot);
    return at === 0 ? null : new FlatTable(this.#view, at);
  }

  text(slot: number): string {
    const at = this.#reference(slot);
    if (at === 0) return '';
    const start = this.#view.byteOffset + at + 4;
    const length = this.#count(at, 1);
    return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(this.#view.buffer, start, length));
  }

  tables(slot: number): FlatTable[] {
    const at = this.#reference(slot);
    if (at === 0) return [];
    const positions = Array.from({ length: this.#count(at, 4) }, (_, index) => at + 4 + index * 4);
    return positions.map(
      (position) => new FlatTable(this.#view, position + this.#view.getUint32(position, true)),
    );
  }

  /** Reads a vector of structs of `bytes` bytes each; `read` is called with the offset of each struct. */
  structs<T>(slot: number, bytes: number, read: (view: DataView, at: number) => T): T[] {
    const at = this.#reference(slot);
    if (at === 0) return [];
    return Array.from({ length: this.#count(at, bytes) }, (_, index) =>
      read(this.#view, at + 4 + index * bytes),
    );
  }

  /** The number of elements of the vector at `at`, whose elements take `bytes` bytes each. */
  #count(at: number, bytes: number): number {
    const count = this.#view.getUint32(at, true);
    if (at + 4 + count * bytes > this.#view.byteLength)
      throw new RangeError('a vector reaches past its bytes');
    return count;
  }
}

/** Reads a 64-bit count or offset at `at`. Throws a RangeError when it is negative or above 2^53. */
export function readSize(view: DataView, at: number): number {
  const value = Number(view.getBigInt64(at, true));
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a valid count`);
  return value;
}
