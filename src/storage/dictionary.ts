/**
 * The distinct strings of one column in one shard.
 * Invariants: codes ascend from 1 in the order of first use and never change (`keeping` makes a new dictionary); code 0 means a
 * missing value; strings are UTF-8 and not empty. Open addressing with linear probing over typed arrays.
 */
import { grown, hashBytes, longerCopy } from '../base/index.js';

const SLOTS_MIN = 16;
const CODES_MIN = 16;
const BYTES_MIN = 256;

export class Dictionary {
  #slots = new Uint32Array(SLOTS_MIN);
  #hashes = new Uint32Array(CODES_MIN);
  #offsets = new Uint32Array(CODES_MIN + 1);
  #bytes = new Uint8Array(BYTES_MIN);
  /** Codes in use, including code 0; also the next code. */
  #count = 1;

  /** The number of codes including code 0; the greatest code is one less. */
  get codeCount(): number {
    return this.#count;
  }

  /** Start of each code's bytes; code c spans [offsets[c], offsets[c + 1]). Valid until the next intern. */
  get offsets(): Uint32Array {
    return this.#offsets;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** The hash of each code's string (hashBytes); that of code 0 is 0. Valid until the next intern. */
  get hashes(): Uint32Array {
    return this.#hashes;
  }

  /** Total bytes of all strings. */
  get byteCount(): number {
    return this.#offsets[this.#count];
  }

  get memoryBytes(): number {
    return (
      this.#slots.byteLength + this.#hashes.byteLength + this.#offsets.byteLength + this.#bytes.byteLength
    );
  }

  /** Returns the code of a string, or 0 if it is unknown. */
  codeOf(text: string): number {
    const bytes = Buffer.from(text, 'utf8');
    return this.find(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length);
  }

  /** Returns the code of bytes[from, to), whose hash is given, or 0 if the string is unknown. */
  find(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const code = slots[slot];
      if (code === 0) return 0;
      if (this.#hashes[code] === hash && this.#equals(code, bytes, from, to)) return code;
    }
  }

  /** Returns the code of bytes[from, to); a new string gets the next code. */
  intern(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    const hashes = this.#hashes;
    let slot = hash & last;
    for (let code = slots[slot]; code !== 0; code = slots[slot]) {
      if (hashes[code] === hash && this.#equals(code, bytes, from, to)) return code;
      slot = (slot + 1) & last;
    }
    const code = this.#append(hash, bytes, from, to);
    if (this.#count * 4 > slots.length * 3) this.#rehash();
    else slots[slot] = code;
    return code;
  }

  /**
   * Returns the codes of `count` strings; string i is bytes[offsets[i], offsets[i + 1]) with hashes[i]; new strings get codes.
   * Lookups are issued for all strings before their results are used, so that memory latencies overlap.
   */
  internAll(hashes: Uint32Array, bytes: Uint8Array, offsets: Uint32Array, count: number): Uint32Array {
    const codes = new Uint32Array(count);
    this.#guess(hashes, codes);
    for (let index = 0; index < count; index++) {
      const [from, to] = [offsets[index], offsets[index + 1]];
      const code = codes[index];
      if (code !== 0 && this.#equals(code, bytes, from, to)) continue;
      codes[index] = this.intern(hashes[index], bytes, from, to);
    }
    return codes;
  }

  /** Sets codes[i] to the code at which the search for hashes[i] starts if its string has that hash, otherwise to 0. */
  #guess(hashes: Uint32Array, codes: Uint32Array): void {
    const slots = this.#slots;
    const last = slots.length - 1;
    const own = this.#hashes;
    for (let index = 0; index < codes.length; index++) {
      const hash = hashes[index];
      const code = slots[hash & last];
      codes[index] = own[code] === hash ? code : 0;
    }
  }

  /**
   * Returns a dictionary of only the strings whose codes are marked with 1 in `used`, in the same order. `codes` maps each old
   * code to the new one, which is never greater; 0 for removed strings.
   */
  keeping(used: Uint8Array): { readonly dictionary: Dictionary; readonly codes: Uint32Array } {
    const codes = new Uint32Array(this.#count);
    let count = 1;
    let bytes = 0;
    for (let code = 1; code < this.#count; code++) {
      if (used[code] === 0) continue;
      codes[code] = count++;
      bytes += this.#offsets[code + 1] - this.#offsets[code];
    }
    const dictionary = new Dictionary();
    dictionary.#reserve(count, bytes);
    for (let code = 1; code < this.#count; code++) {
      if (codes[code] !== 0) {
        dictionary.#append(this.#hashes[code], this.#bytes, this.#offsets[code], this.#offsets[code + 1]);
      }
    }
    dictionary.#fillSlots();
    return { dictionary, codes };
  }

  /** Allocates `count` codes, including code 0, and `bytes` of strings; the slots must be filled afterwards. */
  #reserve(count: number, bytes: number): void {
    const capacity = Math.max(CODES_MIN, count + 1);
    this.#offsets = new Uint32Array(capacity + 1);
    this.#hashes = new Uint32Array(capacity);
    this.#bytes = new Uint8Array(Math.max(BYTES_MIN, bytes));
    let slots = SLOTS_MIN;
    while (count * 4 > slots * 3) slots *= 2;
    this.#slots = new Uint32Array(slots);
  }

  #equals(code: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#offsets[code];
    const length = to - from;
    if (this.#offsets[code + 1] - start !== length) return false;
    const own = this.#bytes;
    for (let index = 0; index < length; index++) if (own[start + index] !== bytes[from + index]) return false;
    return true;
  }

  #append(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const code = this.#count++;
    if (code + 1 >= this.#offsets.length) {
      this.#offsets = longerCopy(this.#offsets, this.#offsets.length * 2);
      this.#hashes = longerCopy(this.#hashes, this.#offsets.length);
    }
    const start = this.#offsets[code];
    const end = start + to - from;
    if (end > this.#bytes.length) this.#bytes = grown(this.#bytes, end);
    for (let index = from, at = start; index < to; index++, at++) this.#bytes[at] = bytes[index];
    this.#offsets[code + 1] = end;
    this.#hashes[code] = hash;
    return code;
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    this.#fillSlots();
  }

  /** Enters all codes into the empty slots. */
  #fillSlots(): void {
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let code = 1; code < this.#count; code++) {
      let slot = this.#hashes[code] & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = code;
    }
  }
}
