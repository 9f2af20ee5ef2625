/** Where in a query its error is, from the position that the server reports. */
import { RequestError } from '../server/client.js';
import { isObject } from '../server/json.js';

export interface ErrorSpan {
  /** Offsets in the text; `to` is excluded. */
  readonly from: number;
  readonly to: number;
  readonly message: string;
  /** What the server proposes instead; null = nothing. */
  readonly suggestion: string | null;
}

/** The span of the first error with a position; null = no error says where it is. */
export function errorSpan(text: string, error: unknown): ErrorSpan | null {
  if (!(error instanceof RequestError)) return null;
  for (const { message, detail } of error.refusals) {
    const from = isObject(detail) ? offsetOf(text, detail.line, detail.column) : positionIn(message);
    if (from === null || from > text.length) continue;
    const suggestion = isObject(detail) && typeof detail.suggestion === 'string' ? detail.suggestion : null;
    return { from, to: endOf(text, from), message, suggestion };
  }
  return null;
}

/** The offset of a line and a column, both counted from 1. */
function offsetOf(text: string, line: unknown, column: unknown): number | null {
  if (typeof line !== 'number' || typeof column !== 'number') return null;
  const before = text.split('\n').slice(0, line - 1);
  if (before.length < line - 1) return null;
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}

/** The position of an error in JSON, counted from 0. */
function positionIn(message: string): number | null {
  const position = /\bat position (\d+)/.exec(message)?.[1];
  return position === undefined ? null : Number(position);
}

/** The end of the name, word or character that begins there. */
function endOf(text: string, from: number): number {
  const token = /^(\[[^\]\n]*\]|"[^"\n]*"|'[^'\n]*'|[\w-]+|\S)/.exec(text.slice(from))?.[0] ?? '';
  return from + Math.max(token.length, from < text.length ? 1 : 0);
}
