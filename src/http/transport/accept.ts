/** The format of rows by the client's Accept header: JSON unless the header names another supported format. */
import type { RowFormat } from '../../answer/index.js';

/** The Content-Type of each format. */
export const ROW_TYPES: Readonly<Record<RowFormat, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  arrow: 'application/vnd.apache.arrow.stream',
  // A format of the Postgres protocol; no Accept header names it.
  postgres: 'application/octet-stream',
};

/** Wildcards mean JSON. */
const ANSWERED_TYPES: ReadonlyMap<string, RowFormat> = new Map([
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['*/*', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['text/csv', 'csv'],
  ['application/vnd.apache.arrow.stream', 'arrow'],
]);

/**
 * The format with the highest q-value, the first one among equals; json if the header is missing or names no supported
 * format. The header never leads to a refusal.
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

/** The q-value, 0 to 1; 1 if it is missing or not such a number. */
export function weightOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => /^q\s*=/.test(parameter));
  const value = q === undefined ? 1 : Number(q.slice(q.indexOf('=') + 1).trim() || Number.NaN);
  return value >= 0 && value <= 1 ? value : 1;
}
