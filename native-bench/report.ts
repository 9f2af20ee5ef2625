/** The tables of a run as data, and how they are printed. */
import type { Comparison } from './comparison.js';
import type { Machine } from './machine.js';
import type { Spread } from './measure.js';

export type Cell = string | number | Spread | null;

export interface Table {
  /** Short name, as for --only. */
  readonly line: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly notes: readonly string[];
}

export interface Report {
  readonly scale: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** Number of checked answers; one wrong answer ends a run without a report. */
  readonly answersChecked: number;
  readonly tables: readonly Table[];
  /** Tables of the lines that were run, in their order. */
  readonly comparisons: readonly Comparison[];
}

function numberText(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

export function cellText(cell: Cell): string {
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
