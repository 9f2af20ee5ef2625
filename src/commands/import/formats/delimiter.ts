/**
 * Detects the delimiter of CSV from the beginning of a file: the one that divides every row into as many fields as the first row.
 */
import { readQuotedRow } from '../../../base/index.js';
import { ImportError } from './row-block.js';

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Rows that are looked at. */
const ROWS_MAX = 100;

interface Division {
  /** Fields of the first row. */
  readonly width: number;
  /** Rows with as many fields. */
  readonly fittingCount: number;
}

/**
 * `isWhole` means that no text follows `head`. `usual` is the delimiter of files of this name: it is the result if no other one divides
 * more rows, or as many into more fields. Throws an ImportError that names the file if two delimiters divide alike, unless one is a
 * tab that the file's name promises: a comma is usual for too many files.
 */
export function detectDelimiter(head: string, isWhole: boolean, usual: string, name: string): string {
  let best = usual;
  let found = divided(head, isWhole, usual);
  let equal: string | null = null;
  for (const delimiter of DELIMITERS) {
    if (delimiter === usual) continue;
    const division = divided(head, isWhole, delimiter);
    if (isBetter(division, found)) {
      best = delimiter;
      found = division;
      equal = null;
    } else if (division.width >= 2 && !isBetter(found, division)) equal ??= delimiter;
  }
  if (equal === null || (best === usual && usual !== ',')) return best;
  const [one, other] = [best, equal].map((delimiter) => (delimiter === '\t' ? 'a tab' : delimiter));
  throw new ImportError(
    `${name}: ${one} and ${other} divide the first rows into equally many fields: name the delimiter with --delimiter`,
  );
}

function isBetter(a: Division, b: Division): boolean {
  if (a.width < 2) return false;
  if (b.width < 2) return true;
  return a.fittingCount === b.fittingCount ? a.width > b.width : a.fittingCount > b.fittingCount;
}

function divided(head: string, isWhole: boolean, delimiter: string): Division {
  let [width, fittingCount] = [0, 0];
  let at = head.startsWith('\uFEFF') ? 1 : 0;
  for (let rows = 0; rows < ROWS_MAX && at < head.length; ) {
    const newline = head.indexOf('\n', at);
    const row = readQuotedRow(head, at, delimiter, isWhole);
    if ('unfinished' in row) break;
    const lineEnd = newline < 0 ? head.length : newline + 1;
    at = 'end' in row ? row.end : lineEnd;
    const count = 'fields' in row ? row.fields.length : 0;
    if (count === 1 && 'fields' in row && row.fields[0] === '') continue;
    if (rows++ === 0) width = count;
    if (count === width) fittingCount++;
  }
  return { width, fittingCount };
}
