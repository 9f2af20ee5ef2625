/** Tables of benchmark results as data, and their text. */
import type { Spread } from './measure.js';

export type TableCell = string | number | Spread | null;

export interface Table {
  /** Name of the line in --only. */
  readonly line: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
  readonly notes: readonly string[];
}

function numberText(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

export function cellText(cell: TableCell): string {
  if (cell === null) return '-';
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number') return numberText(cell);
  if (cell.min === cell.max) return numberText(cell.median);
  return `${numberText(cell.median)} [${numberText(cell.min)}..${numberText(cell.max)}]`;
}

/** The table as lines of text; the first column to the left, the others to the right. */
export function tableText({ title, columns, rows, notes }: Table): string {
  const lines = [columns, ...rows.map((row) => row.map(cellText))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
      .join('  '),
  );
  const rule = '-'.repeat(text[0].length);
  return [title, rule, text[0], rule, ...text.slice(1), ...notes.map((note) => `  ${note}`), ''].join('\n');
}
