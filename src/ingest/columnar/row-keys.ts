/** The keys of the rows of a record batch, by which a row that is sent again is recognized, as lines of records have them. */
import { LINE_KEY_BYTES, lineKeyOf } from '../../base/index.js';
import { clearRepeats, type LineKeyList, type LineKeySettings } from '../records/keyed-lines.js';
import type { ArrowArray } from './arrow-array.js';
import { hasValue, RowRefused } from './column-values.js';
import { readTexts } from './read-column.js';
import type { ShardRows } from './sections.js';

/** The keys and the repeats of the rows. Throws RowRefused for a row without a value, and FieldRefused. */
export function rowKeysOf(
  field: ArrowArray,
  scope: readonly (string | number)[],
  { keys: known, omitted }: LineKeySettings,
): LineKeyList {
  const keys = known === null ? keysOf(field, scope) : new Uint8Array(known);
  return { keys, omitted: [...omitted, ...clearRepeats(keys)] };
}

function keysOf(field: ArrowArray, scope: readonly (string | number)[]): Uint8Array {
  const { values, present } = readTexts(field, {
    textCase: 'preserve',
    tooLong: [2008, 'the value of "dedupe"'],
  });
  if (values.kind !== 'texts') throw new TypeError('keys are made of texts');
  const { texts, codes } = values;
  const bytes = Buffer.from(texts.bytes.buffer, texts.bytes.byteOffset, texts.bytes.length);
  const keys = new Uint8Array(field.length * LINE_KEY_BYTES);
  for (let row = 0; row < field.length; row++) {
    if (!hasValue(present, row)) {
      throw new RowRefused(row, 2003, 'the field, which recognizes repeats, has no value');
    }
    const text = codes === null ? row : codes[row];
    const value = bytes.toString('utf8', texts.offsets[text], texts.offsets[text + 1]);
    keys.set(lineKeyOf(scope, value), row * LINE_KEY_BYTES);
  }
  return keys;
}

/** The rows without those that are left out. */
export function withoutRows(rows: ShardRows, omitted: ReadonlySet<number>): ShardRows {
  return omitted.size === 0 ? rows : rows.map((own) => own.filter((row) => !omitted.has(row)));
}
