/** Formats lists as JSON arrays: strings and dates in quotes, numbers as tokens. */
import { formatDate, formatDateTime, formatDecimal, textOfPoint } from '../../schema/index.js';
import type { ListColumn } from '../../storage/index.js';
import { type SqlType, Texts, type TextVector } from '../../vector/index.js';
import type { RowSet } from './row-set.js';

/** Formats item `item` of a list's heap as JSON. */
export type WriteItem = (item: number) => string;

/** The lists of the rows as texts; an empty list is missing. `texts`: the column's dictionary if items are strings. */
export function readLists(
  column: ListColumn,
  itemType: SqlType,
  rowSet: RowSet,
  texts: Texts | null,
): TextVector {
  return listTexts(column, rowSet, itemWriter(column, itemType, texts));
}

/** The lists of the rows as texts, item by item; an empty list is missing. */
export function listTexts({ starts, counts }: ListColumn, rowSet: RowSet, write: WriteItem): TextVector {
  const { list, from, count } = rowSet;
  const valid = new Uint8Array(count);
  const written = new Array<string>(count);
  for (let at = 0; at < count; at++) {
    const row = list === null ? from + at : list[at];
    const items = counts[row];
    valid[at] = items === 0 ? 0 : 1;
    let text = '';
    for (let item = starts[row]; item < starts[row] + items; item++) {
      text += text === '' ? `[${write(item)}` : `,${write(item)}`;
    }
    written[at] = items === 0 ? '' : `${text}]`;
  }
  return { kind: 'text', count, valid, codes: null, texts: Texts.ofStrings(written) };
}

function itemWriter({ kind, items }: ListColumn, itemType: SqlType, texts: Texts | null): WriteItem {
  switch (kind) {
    case 'bits':
      return (item) => (items[item] === 0 ? 'false' : 'true');
    case 'geo':
      return (item) => textOfPoint({ longitude: items[item * 2], latitude: items[item * 2 + 1] });
    case 'code':
      return (item) => JSON.stringify(texts?.text(items[item]) ?? '');
    case 'i32':
      return (item) => JSON.stringify(formatDate(items[item]));
    case 'i64':
      return (item) =>
        integerItem((BigInt(items[item * 2 + 1] | 0) << 32n) | BigInt(items[item * 2]), itemType);
  }
}

function integerItem(value: bigint, type: SqlType): string {
  if (type.type === 'datetime') return JSON.stringify(formatDateTime(Number(value)));
  if (type.type !== 'decimal') return String(value);
  const text = formatDecimal(value, type.scale);
  return text.includes('.') ? text : `${text}.0`;
}
