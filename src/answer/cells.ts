/** A column of vectors as the cells of text formats, a function per way in which values lie: chosen once a part. */
import { invariant } from '../base/index.js';
import { type SqlType, type Vector, vectorKindOf } from '../vector/index.js';
import type { ByteWriter } from './byte-writer.js';
import {
  putBoolean,
  putDate,
  putDateTime,
  putDecimal,
  putFloat,
  putInteger,
  putWideDecimal,
  putWideInteger,
} from './number-bytes.js';

/** Writes the cell of a row that has a value. */
export type PutCell = (out: ByteWriter, row: number) => void;

/** Writes the text bytes[from, to) as a cell. */
export type PutText = (out: ByteWriter, bytes: Uint8Array, from: number, to: number) => void;

/** What writes values of `vector`, which is one of the type's; texts are written by `putText`. */
export function cellsOf(type: SqlType, vector: Vector, putText: PutText): PutCell {
  invariant(vector.kind === vectorKindOf(type), `a ${type.type} does not lie as ${vector.kind}`);
  switch (vector.kind) {
    case 'exact':
      if (vector.numbers !== null) return exactCells(type, vector.numbers);
      return vector.wide === null ? noCells : wideCells(type, vector.wide);
    case 'float': {
      const { numbers } = vector;
      return (out, row) => putFloat(out, numbers[row]);
    }
    case 'boolean': {
      const { bits } = vector;
      return (out, row) => putBoolean(out, bits[row]);
    }
    case 'text': {
      const { codes } = vector;
      const { offsets, bytes } = vector.texts.utf8;
      if (codes === null) return (out, row) => putText(out, bytes, offsets[row], offsets[row + 1]);
      return (out, row) => {
        const code = codes[row];
        putText(out, bytes, offsets[code], offsets[code + 1]);
      };
    }
  }
}

const noCells: PutCell = () => invariant(false, 'an exact vector has neither numbers nor wide ones');

function exactCells(type: SqlType, numbers: Float64Array): PutCell {
  switch (type.type) {
    case 'decimal': {
      const { scale } = type;
      return (out, row) => putDecimal(out, numbers[row], scale);
    }
    case 'date':
      return (out, row) => putDate(out, numbers[row]);
    case 'datetime':
      return (out, row) => putDateTime(out, numbers[row]);
    default:
      return (out, row) => putInteger(out, numbers[row]);
  }
}

function wideCells(type: SqlType, wide: readonly bigint[]): PutCell {
  switch (type.type) {
    case 'decimal': {
      const { scale } = type;
      return (out, row) => putWideDecimal(out, wide[row], scale);
    }
    case 'date':
      return (out, row) => putDate(out, Number(wide[row]));
    case 'datetime':
      return (out, row) => putDateTime(out, Number(wide[row]));
    default:
      return (out, row) => putWideInteger(out, wide[row]);
  }
}
