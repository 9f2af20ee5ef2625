/** A table as the user arranged it: filtered by a text, sorted by a column; and as CSV. */

import type { Json } from '../server/json.js';
import { cellText, type Table, type TableColumn } from './table.js';

export interface Sorting {
  /** Index of the column. */
  readonly column: number;
  readonly descending: boolean;
}

type Row = readonly Json[];

/** The rows in which any value contains the text, ignoring case. */
export function filteredRows(rows: readonly Row[], text: string): readonly Row[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return rows;
  return rows.filter((row) => row.some((value) => cellText(value).toLowerCase().includes(wanted)));
}

/** The rows by the values of a column: numbers by size, others as text; missing values are last in both directions. */
export function sortedRows(
  { columns }: Table,
  rows: readonly Row[],
  sorting: Sorting | null,
): readonly Row[] {
  if (sorting === null) return rows;
  const { column, descending } = sorting;
  const compare = columns[column]?.kind === 'number' ? compareNumbers : compareTexts;
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [one, other] = [a[column], b[column]];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * compare(one, other);
  });
}

function compareNumbers(a: Json, b: Json): number {
  const [one, other] = [exact(a), exact(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A number with all digits, as far as it can be compared. */
function exact(value: Json): number | bigint {
  if (typeof value === 'bigint') return value;
  return Number(value);
}

const compareTexts = (a: Json, b: Json): number => {
  const [one, other] = [cellText(a), cellText(b)];
  return one < other ? -1 : one > other ? 1 : 0;
};

/** A first character by which spreadsheets take a text for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function csvField(value: Json, { kind }: TableColumn): string {
  const text = cellText(value);
  // A number may begin with a minus.
  const safe = kind !== 'number' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** CSV as RFC 4180 has it, with a header line. Texts that a spreadsheet would run as formulas get an apostrophe. */
export function csvOf({ columns }: Table, rows: readonly Row[]): string {
  const head = columns.map((column) => csvField(column.title, { ...column, kind: 'text' }));
  const lines = rows.map((row) => columns.map((column, index) => csvField(row[index], column)).join(','));
  return `${[head.join(','), ...lines].join('\r\n')}\r\n`;
}

/** Text with a tab between values, as spreadsheets take it from the clipboard. */
export function tabbedOf({ columns }: Table, rows: readonly Row[]): string {
  const line = (texts: readonly string[]): string =>
    texts.map((text) => text.replace(/[\t\r\n]+/g, ' ')).join('\t');
  return [line(columns.map(({ title }) => title)), ...rows.map((row) => line(row.map(cellText)))].join('\n');
}
