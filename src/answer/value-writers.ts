/** Functions that write the values of a column in text formats, one per representation. The function is chosen once per part. */
import { invariant } from '../base/index.js';
import { formatInterval } from '../schema/index.js';
import { type SqlType, type Vector, vectorKindOf, type WideIntegers } from '../vector/index.js';
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

/** Writes the value of a row, which must not be missing. */
export type ValueWriter = (out: ByteWriter, row: number) => void;

/** Writes the text bytes[from, to) as a value. */
export type PutText = (out: ByteWriter, bytes: Uint8Array, from: number, to: number) => void;

/** Returns the function that writes values of `vector`, whose kind must fit `type`; it writes texts with `putText`. */
export function valueWriterOf(type: SqlType, vector: Vector, putText: PutText): ValueWriter {
  invariant(vector.kind === vectorKindOf(type), `a vector of kind ${vector.kind} cannot hold ${type.type}`);
  switch (vector.kind) {
    case 'exact':
      if (vector.numbers !== null) return exactWriter(type, vector.numbers);
      return vector.wide === null ? noWriter : wideWriter(type, vector.wide);
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

const noWriter: ValueWriter = () => invariant(false, 'an exact vector has neither numbers nor wide values');

function exactWriter(type: SqlType, numbers: Float64Array): ValueWriter {
  switch (type.type) {
    case 'decimal': {
      const { scale } = type;
      return (out, row) => putDecimal(out, numbers[row], scale);
    }
    case 'date':
      return (out, row) => putDate(out, numbers[row]);
    case 'datetime':
      if (type.local === true) return (out, row) => putLocalTime(out, numbers[row]);
      return (out, row) => putDateTime(out, numbers[row]);
    case 'interval':
      return (out, row) => out.ascii(formatInterval(numbers[row]));
    default:
      return (out, row) => putInteger(out, numbers[row]);
  }
}

/** YYYY-MM-DDThh:mm:ss */
function putLocalTime(out: ByteWriter, seconds: number): void {
  putDateTime(out, seconds);
  // Drops Z.
  out.at--;
}

function wideWriter(type: SqlType, wide: WideIntegers): ValueWriter {
  switch (type.type) {
    case 'decimal': {
      const { scale } = type;
      return (out, row) => putWideDecimal(out, wide[row], scale);
    }
    case 'date':
      return (out, row) => putDate(out, Number(wide[row]));
    case 'datetime':
      if (type.local === true) return (out, row) => putLocalTime(out, Number(wide[row]));
      return (out, row) => putDateTime(out, Number(wide[row]));
    case 'interval':
      return (out, row) => out.ascii(formatInterval(wide[row]));
    default:
      return (out, row) => putWideInteger(out, wide[row]);
  }
}
