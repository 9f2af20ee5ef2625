/** Formats the error of a statement with its position. */
import { printable } from '../printable.js';
import { RemoteError } from '../remote/index.js';
import { cutTo, widthOf } from './text-width.js';

/** Indentation of the shown line of the statement. */
const INDENT = '  ';
/** Maximum code points shown before the position, to keep a long line short. */
const BEFORE_MAX = 60;

/** Returns lines with line ends. Throws errors that are not the server's. */
export function errorText(error: unknown, statement: string, width: number): string {
  if (!(error instanceof RemoteError)) throw error;
  const { code, reason, status, more } = error;
  const { line, column, suggestion } = more;
  let text = code === null ? `error: HTTP ${status}` : `error ${code}`;
  text += `: ${printable(reason)}\n`;
  if (typeof line === 'number' && typeof column === 'number') {
    text += positionText(statement.split('\n')[line - 1] ?? '', line, column, width);
  }
  if (typeof suggestion === 'string') text += `${INDENT}did you mean ${printable(suggestion)}?\n`;
  return text;
}

/** The line with a caret below `column`, which is counted in code points from 1. */
function positionText(lineText: string, line: number, column: number, width: number): string {
  const points = Array.from(lineText);
  const from = Math.max(0, column - 1 - BEFORE_MAX);
  const before = `${from > 0 ? '…' : ''}${printable(points.slice(from, column - 1).join(''))}`;
  const label = `${INDENT}line ${line}: `;
  const widthLeft = Math.max(BEFORE_MAX, width - label.length);
  const shown = cutTo(before + printable(points.slice(column - 1).join('')), widthLeft);
  return `${label}${shown}\n${' '.repeat(label.length + widthOf(before))}^\n`;
}
