/**
 * Encodes rows as JSON objects: as elements of a list within the answer's object, or one per line. A missing value is null.
 * Each part of a list except the first starts with a comma.
 */
import type { Field, SqlType, Vector } from '../vector/index.js';
import type { Allocator } from './allocator.js';
import { ByteWriter } from './byte-writer.js';
import type { RowEncoder } from './row-encoder.js';
import { putBytes, putJsonText } from './text-bytes.js';
import { type PutText, type ValueWriter, valueWriterOf } from './value-writers.js';

const QUOTE = 0x22;
const NULL = Uint8Array.from(Buffer.from('null'));
const EMPTY = new Uint8Array(0);
const encoder = new TextEncoder();

const quoted =
  (put: ValueWriter): ValueWriter =>
  (out, row) => {
    out.byte(QUOTE);
    put(out, row);
    out.byte(QUOTE);
  };

/** Types whose values are written by `valueWriterOf` without the quotes that JSON requires. */
const QUOTED: ReadonlySet<SqlType['type']> = new Set(['date', 'datetime', 'interval']);

export function jsonEncoder(fields: readonly Field[], lines: boolean, allocate: Allocator): RowEncoder {
  const out = new ByteWriter(allocate);
  /** The bytes before each value: the separator from the previous value or row, and the name. */
  const names = fields.map(({ name }, index) => {
    const before = index > 0 ? ',' : lines ? '{' : ',{';
    return encoder.encode(`${before}${JSON.stringify(name)}:`);
  });
  const end = encoder.encode(lines ? '}\n' : '}');
  const putTexts: readonly PutText[] = fields.map(({ type }) =>
    type.type === 'json' ? putBytes : putJsonText,
  );
  return {
    head: () => (lines ? EMPTY : encoder.encode('"result":[')),
    rows(columns: readonly Vector[], from: number, to: number, first: boolean): Uint8Array {
      const valids = columns.map(({ valid }) => valid);
      const writers = columns.map((vector, index) => {
        const { type } = fields[index];
        const put = valueWriterOf(type, vector, putTexts[index]);
        return QUOTED.has(type.type) ? quoted(put) : put;
      });
      for (let row = from; row < to; row++) {
        for (let column = 0; column < writers.length; column++) {
          out.put(names[column]);
          const valid = valids[column];
          if (valid === null || valid[row] === 1) writers[column](out, row);
          else out.put(NULL);
        }
        out.put(end);
      }
      // The first row of the answer has no comma before it.
      return out.take(first && !lines ? 1 : 0);
    },
    asFirst: (bytes) => (lines ? bytes : bytes.subarray(1)),
    tail: (rowCount) => (lines ? EMPTY : encoder.encode(`],"count":${rowCount}`)),
  };
}
