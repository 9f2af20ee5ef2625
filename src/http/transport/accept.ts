/** In which form a client wants rows, by its Accept header: in JSON unless it asks for another one that there is. */
import type { RowFormat } from '../../answer/index.js';

/** Of each format, as an answer's Content-Type tells it. */
export const ROW_TYPES: Readonly<Record<RowFormat, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  arrow: 'application/vnd.apache.arrow.stream',
  // Of another protocol: no header asks for it.
  postgres: 'application/octet-stream',
};

/** Whoever takes anything gets JSON. */
const ANSWERED_TYPES: ReadonlyMap<string, RowFormat> = new Map([
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['*/*', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['text/csv', 'csv'],
  ['application/vnd.apache.arrow.stream', 'arrow'],
]);

/**
 * The format with the highest q-value, the first of those with the same one; json where the header names none or is absent.
 * Whatever it says, it is never refused.
 */
export function formatOf(acceptHeader: string): RowFormat {
  if (acceptHeader === '') return 'json';
  let best: RowFormat = 'json';
  let bestWeight = 0;
  for (const range of acceptHeader.split(',')) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const format = ANSWERED_TYPES.get(type);
    const weight = weightOf(parameters);
    if (format === undefined || weight <= bestWeight) continue;
    best = format;
    bestWeight = weight;
  }
  return best;
}

/** 0 to 1; a `q` that is no such number says nothing. */
export function weightOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => /^q\s*=/.test(parameter));
  const value = q === undefined ? 1 : Number(q.slice(q.indexOf('=') + 1).trim() || Number.NaN);
  return value >= 0 && value <= 1 ? value : 1;
}
