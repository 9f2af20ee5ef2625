/**
 * The values of a field, in the form in which a batch stores those of a column (column/batch.ts): an element per row, of which
 * those of rows without a value mean nothing.
 */
import type { ErrorCode } from '../../base/index.js';
import type { ArrowArray } from './arrow-array.js';

/** Concatenated texts in stored form: text i is bytes[offsets[i], offsets[i + 1]). */
export interface Texts {
  readonly hashes: Int32Array;
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

export type ElementValues =
  | { readonly kind: 'bits'; readonly bits: Uint8Array }
  /** `stride` words per row: 1 for days, 2 for 64-bit integers (low, high), 4 for points. */
  | { readonly kind: 'words'; readonly words: Int32Array; readonly stride: 1 | 2 | 4 }
  /** `codes`: by row the number of its text; null = text i is that of row i. */
  | { readonly kind: 'texts'; readonly texts: Texts; readonly codes: Int32Array | null };

export interface ColumnValues {
  readonly values: ElementValues;
  /** 1 = the row has a value; null = every row has one. */
  readonly present: Uint8Array | null;
}

/** A row whose value a column does not take. */
export class RowRefused {
  /** From 0; in a list, the index of the item. */
  readonly row: number;
  readonly code: ErrorCode;
  readonly text: string;

  constructor(row: number, code: ErrorCode, text: string) {
    this.row = row;
    this.code = code;
    this.text = text;
  }
}

/** By row: 1 = the array has a value; null = every row has one. */
export function presentRows({ validity, length, field }: ArrowArray): Uint8Array | null {
  if (field.type.is === 'null') return new Uint8Array(length);
  if (validity === null) return null;
  const present = new Uint8Array(length);
  for (let row = 0; row < length; row++) present[row] = (validity[row >> 3] >> (row & 7)) & 1;
  return present;
}

export const hasValue = (present: Uint8Array | null, row: number): boolean =>
  present === null || present[row] === 1;

/** The values of an array whose rows refer to those of a dictionary. Throws RowRefused for a code outside it. */
export function valuesByCode(codes: Int32Array, own: Uint8Array | null, of: ColumnValues): ColumnValues {
  const { values, present: inDictionary } = of;
  const count = values.kind === 'bits' ? values.bits.length : lengthOf(values);
  const present = own === null && inDictionary === null ? null : new Uint8Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    if (!hasValue(own, row)) continue;
    const code = codes[row];
    if (code < 0 || code >= count)
      throw new RowRefused(row, 1503, `the code ${code} is not in the dictionary`);
    if (present !== null) present[row] = inDictionary === null ? 1 : inDictionary[code];
  }
  return { values: gathered(values, codes, present), present };
}

function lengthOf(values: Exclude<ElementValues, { kind: 'bits' }>): number {
  if (values.kind === 'words') return values.words.length / values.stride;
  return values.codes === null ? values.texts.hashes.length : values.codes.length;
}

function gathered(values: ElementValues, codes: Int32Array, present: Uint8Array | null): ElementValues {
  switch (values.kind) {
    case 'bits': {
      const bits = new Uint8Array(codes.length);
      for (let row = 0; row < codes.length; row++) bits[row] = values.bits[codes[row]];
      return { kind: 'bits', bits };
    }
    case 'words': {
      const { stride } = values;
      const words = new Int32Array(codes.length * stride);
      for (let row = 0; row < codes.length; row++) {
        if (!hasValue(present, row)) continue;
        for (let word = 0; word < stride; word++)
          words[row * stride + word] = values.words[codes[row] * stride + word];
      }
      return { kind: 'words', words, stride };
    }
    case 'texts':
      return { kind: 'texts', texts: values.texts, codes };
  }
}
