/**
 * Draws rows for a terminal: as a table that fits its width, or one value per line.
 * Invariant: all texts pass through `printable`, so that data cannot control the terminal.
 */
import { printable } from '../printable.js';
import { cutTo, padTo, widthOf } from './text-width.js';

export interface TableCell {
  readonly text: string;
  readonly is: 'number' | 'text' | 'missing';
}

export interface Rows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
}

export interface Terminal {
  /** Width in columns; Infinity if the output is not a terminal. */
  readonly width: number;
  /** Whether missing values are drawn dim. */
  readonly styled: boolean;
}

/** Minimum width of a column. */
const COLUMN_WIDTH_MIN = 5;
/** Width of " | " between two columns. */
const BETWEEN = 3;
/** Characters of a value that are used, so that a long value is not measured as a whole. */
const CELL_CHARS = 4_000;

const MISSING: TableCell = { text: 'NULL', is: 'missing' };

/** Converts the JSON text of a value to a table cell. */
export function tableCellOf(json: string): TableCell {
  if (json === 'null') return MISSING;
  if (json.startsWith('"')) return { text: shown(JSON.parse(json)), is: 'text' };
  const isNumber = /^-?\d/.test(json);
  return { text: isNumber ? json : shown(json), is: isNumber ? 'number' : 'text' };
}

const shown = (text: string): string => printable(text.slice(0, CELL_CHARS));

/** Whether each column can have its minimum width. */
export const fitsAcross = ({ names }: Rows, { width }: Terminal): boolean =>
  names.length * (COLUMN_WIDTH_MIN + BETWEEN) - BETWEEN <= width;

export function drawTable({ names, rows }: Rows, terminal: Terminal): string {
  const heads = names.map(printable);
  const natural = heads.map((head, at) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[at].text)), widthOf(head)),
  );
  const widths = narrowed(natural, terminal.width - BETWEEN * (names.length - 1));
  const rightAligned = heads.map((_, at) => rows.some((row) => row[at].is === 'number'));
  const lineOf = (cells: readonly string[]): string => `${cells.join(' | ').trimEnd()}\n`;
  const cellText = ({ text, is }: TableCell, at: number): string => {
    const padded = padTo(cutTo(text, widths[at]), widths[at], rightAligned[at] ? 'left' : 'right');
    return is === 'missing' && terminal.styled ? `\x1b[2m${padded}\x1b[22m` : padded;
  };
  let text = lineOf(heads.map((head, at) => padTo(cutTo(head, widths[at]), widths[at], 'right')));
  text += `${widths.map((width) => '-'.repeat(width)).join('-+-')}\n`;
  for (const row of rows) text += lineOf(row.map(cellText));
  return text;
}

/** Reduces the widest columns until all fit. */
function narrowed(natural: readonly number[], width: number): number[] {
  const most = (limit: number): number => natural.reduce((sum, one) => sum + Math.min(one, limit), 0);
  if (most(Number.POSITIVE_INFINITY) <= width) return [...natural];
  let limit = Math.max(...natural);
  while (limit > COLUMN_WIDTH_MIN && most(limit) > width) limit--;
  return natural.map((one) => Math.min(one, limit));
}

/** Draws each row as lines of name and value. */
export function drawVertical({ names, rows }: Rows, terminal: Terminal): string {
  const heads = names.map(printable);
  const nameWidth = Math.min(Math.max(0, ...heads.map(widthOf)), 40);
  const widthLeft = Math.max(COLUMN_WIDTH_MIN, terminal.width - nameWidth - BETWEEN);
  return rows
    .map((row, index) => {
      const lines = row.map(({ text, is }, at) => {
        const value = is === 'missing' && terminal.styled ? `\x1b[2m${text}\x1b[22m` : cutTo(text, widthLeft);
        return `${padTo(cutTo(heads[at], nameWidth), nameWidth, 'right')} | ${value}\n`;
      });
      return `-- row ${index + 1}\n${lines.join('')}`;
    })
    .join('');
}
