/**
 * Encodes rows as CSV (RFC 4180): a header line of names, and CRLF after every line. A missing value is an empty field, an
 * empty text is "". JSON values are quoted.
 */
import type { Field, Vector } from '../vector/index.js';
import type { Allocator } from './allocator.js';
import { ByteWriter } from './byte-writer.js';
import type { RowEncoder } from './row-encoder.js';
import { putCsvText } from './text-bytes.js';
import { type PutText, valueWriterOf } from './value-writers.js';

const COMMA = 0x2c;
const LINE_END = Uint8Array.of(0x0d, 0x0a);
const EMPTY = new Uint8Array(0);
const encoder = new TextEncoder();

const putText: PutText = (out, bytes, from, to) => putCsvText(out, bytes, from, to, false);
const putJson: PutText = (out, bytes, from, to) => putCsvText(out, bytes, from, to, true);

export function csvEncoder(fields: readonly Field[], allocate: Allocator): RowEncoder {
  const out = new ByteWriter(allocate);
  return {
    head() {
      fields.forEach(({ name }, index) => {
        if (index > 0) out.byte(COMMA);
        const bytes = encoder.encode(name);
        putText(out, bytes, 0, bytes.length);
      });
      out.put(LINE_END);
      return out.take();
    },
    rows(columns: readonly Vector[], from: number, to: number): Uint8Array {
      const valids = columns.map(({ valid }) => valid);
      const writers = columns.map((vector, index) => {
        const { type } = fields[index];
        return valueWriterOf(type, vector, type.type === 'json' ? putJson : putText);
      });
      for (let row = from; row < to; row++) {
        for (let column = 0; column < writers.length; column++) {
          if (column > 0) out.byte(COMMA);
          const valid = valids[column];
          if (valid === null || valid[row] === 1) writers[column](out, row);
        }
        out.put(LINE_END);
      }
      return out.take();
    },
    asFirst: (bytes) => bytes,
    tail: () => EMPTY,
  };
}
