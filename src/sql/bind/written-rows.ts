/** The rows of writes in the form in which they will be stored, as constants of queries. */
import { invariant } from '../../base/index.js';
import type { Batch, Section, Values } from '../../column/index.js';
import type { Condition, Constant } from '../../ir/index.js';
import type { Column } from '../../schema/index.js';
import { formatDate, formatDateTime, formatDecimal, lowerCase, textOfPoint } from '../../schema/index.js';

/** A value that was read from a batch, before its column is known. */
type Stored = { readonly values: Values; readonly from: number; readonly count: number } | null;

export interface WrittenRows {
  readonly ids: readonly string[];
  /** By column: the value of each row that was written. All rows write the same columns. */
  readonly byColumn: ReadonlyMap<number, readonly Stored[]>;
}

/** The entities of an insert. Events are not among the columns. */
export const rowsOfBatches = (batches: readonly Batch[]): WrittenRows =>
  concatenated(batches.map(rowsOfBatch));

function rowsOfBatch({ rowCount, idOffsets, idBytes, sections }: Batch): WrittenRows {
  const ids = Array.from({ length: rowCount }, (_, row) =>
    textOf(idBytes, idOffsets[row], idOffsets[row + 1]),
  );
  const byColumn = new Map<number, Stored[]>();
  for (const section of sections) {
    if (section.form === 'event') continue;
    const stored = byColumn.get(section.columnId) ?? new Array<Stored>(rowCount).fill(null);
    byColumn.set(section.columnId, stored);
    fill(stored, section);
  }
  return { ids, byColumn };
}

function fill(stored: Stored[], { form, rows, counts, values }: Section): void {
  let from = 0;
  rows.forEach((row, entry) => {
    const count = counts?.[entry] ?? 1;
    stored[row] = form === 'remove' || count === 0 ? null : { values, from, count };
    from += count;
  });
}

/** The entities of a condition that names them. */
export function rowsOfCondition(condition: Condition): WrittenRows {
  const test = condition.op === 'entity-id' ? condition.tests[0] : undefined;
  invariant(test?.kind === 'text', 'the condition of a write that was read names its entities');
  return { ids: test.texts, byColumn: new Map() };
}

export function concatenated(parts: readonly WrittenRows[]): WrittenRows {
  const columns = new Set(parts.flatMap(({ byColumn }) => [...byColumn.keys()]));
  return {
    ids: parts.flatMap(({ ids }) => ids),
    byColumn: new Map(
      [...columns].map((column) => [
        column,
        parts.flatMap(
          ({ ids, byColumn }) => byColumn.get(column) ?? new Array<Stored>(ids.length).fill(null),
        ),
      ]),
    ),
  };
}

/** The rows in the order of `ids`, which may have the same IDs in capitals. */
export function inOrder({ ids, byColumn }: WrittenRows, order: readonly string[]): WrittenRows {
  const positions = new Map(order.map((id, at) => [lowerCase(id), at]));
  for (const [at, id] of order.entries()) positions.set(id, at);
  const positionOf = (row: number): number => positions.get(ids[row]) ?? order.length;
  const rows = ids.map((_id, row) => row).sort((a, b) => positionOf(a) - positionOf(b));
  return {
    ids: rows.map((row) => ids[row]),
    byColumn: new Map([...byColumn].map(([column, values]) => [column, rows.map((row) => values[row])])),
  };
}

/** The value as a constant of the column's SQL type. */
export function constantIn(stored: Stored, column: Column): Constant['value'] {
  if (stored === null) return null;
  const { values, from, count } = stored;
  if (column.storage !== 'list-of-values') return itemOf(values, from);
  const items = Array.from({ length: count }, (_, index) => jsonOf(values, from + index, column));
  return `[${items.join(',')}]`;
}

function itemOf(values: Values, at: number): Constant['value'] {
  switch (values.kind) {
    case 'bits':
      return values.bits[at] !== 0;
    case 'i32':
      return BigInt(values.i32[at]);
    case 'i64':
      return integerAt(values.words, at);
    case 'geo':
      return pointAt(values.f64, at);
    case 'code':
      return textOf(values.bytes, values.offsets[at], values.offsets[at + 1]);
  }
}

/** An item of a list as SELECT returns it. */
function jsonOf(values: Values, at: number, { type, decimalPlaces }: Column): string {
  const item = itemOf(values, at);
  if (values.kind === 'geo') return String(item);
  if (values.kind === 'i32') return JSON.stringify(formatDate(Number(item)));
  if (type === 'datetime') return JSON.stringify(formatDateTime(Number(item)));
  if (type !== 'decimal') return typeof item === 'bigint' ? String(item) : JSON.stringify(item);
  const text = formatDecimal(item as bigint, decimalPlaces ?? 0);
  return text.includes('.') ? text : `${text}.0`;
}

const integerAt = (words: Uint32Array, at: number): bigint =>
  BigInt.asIntN(64, (BigInt(words[at * 2 + 1]) << 32n) | BigInt(words[at * 2]));

const pointAt = (f64: Float64Array, at: number): string =>
  textOfPoint({ longitude: f64[at * 2], latitude: f64[at * 2 + 1] });

const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8', from, to);
