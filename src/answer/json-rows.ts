/**
 * Rows as JSON objects: in a list that stands in an answer's object, or one a line. A missing value is null. Parts of a list
 * that are not the first begin with the comma before their first row.
 */
import type { Field, Vector } from '../vector/index.js';
import { ByteWriter } from './byte-writer.js';
import { cellsOf, type PutCell, type PutText } from './cells.js';
import type { Room } from './room.js';
import type { RowEncoder } from './row-encoder.js';
import { putBytes, putJsonText } from './text-bytes.js';

const QUOTE = 0x22;
const NULL = Uint8Array.from(Buffer.from('null'));
const EMPTY = new Uint8Array(0);
const encoder = new TextEncoder();

const quoted =
  (put: PutCell): PutCell =>
  (out, row) => {
    out.byte(QUOTE);
    put(out, row);
    out.byte(QUOTE);
  };

export function jsonEncoder(fields: readonly Field[], lines: boolean, room: Room): RowEncoder {
  const out = new ByteWriter(room);
  /** What stands before each value: its name, and what ends the value or the row before. */
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
      const cells = columns.map((vector, index) => {
        const { type } = fields[index];
        const put = cellsOf(type, vector, putTexts[index]);
        return type.type === 'date' || type.type === 'datetime' ? quoted(put) : put;
      });
      for (let row = from; row < to; row++) {
        for (let column = 0; column < cells.length; column++) {
          out.put(names[column]);
          const valid = valids[column];
          if (valid === null || valid[row] === 1) cells[column](out, row);
          else out.put(NULL);
        }
        out.put(end);
      }
      // No comma stands before the very first row.
      return out.take(first && !lines ? 1 : 0);
    },
    asFirst: (bytes) => (lines ? bytes : bytes.subarray(1)),
    tail: (rowCount) => (lines ? EMPTY : encoder.encode(`],"count":${rowCount}`)),
  };
}
