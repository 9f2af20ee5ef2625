/** Parses INTERVAL literals: INTERVAL '3' month, INTERVAL '1 year 2 months', INTERVAL '1 day 04:05:06'. */
import { quoted } from '../base/index.js';
import { readIntervalText } from '../schema/index.js';
import { sqlError } from './sql-error.js';
import type { TokenReader } from './token-reader.js';
import { type Token, unexpected } from './tokens.js';
import type { Span } from './tree.js';

const UNITS: ReadonlyMap<string, string> = new Map(
  (
    [
      ['YEAR', 'YR', 'Y'],
      ['QUARTER'],
      ['MONTH', 'MON'],
      ['WEEK', 'W'],
      ['DAY', 'D'],
      ['HOUR', 'HR', 'H'],
      ['MINUTE', 'MIN', 'M'],
      ['SECOND', 'SEC', 'S'],
    ] as const
  ).flatMap(([unit, ...short]) => [unit, ...short].map((name) => [name, unit] as const)),
);
/** '7 days' in '1 month 7 days'. */
const SPAN = /\s*([+-]?\d{1,9})\s*([a-z]+)\s*/iy;
const COUNT = /^\s*([+-]?\d{1,9})\s*$/;

function unitNamed(name: string): string | undefined {
  const upper = name.toUpperCase();
  return UNITS.get(upper) ?? (upper.endsWith('S') ? UNITS.get(upper.slice(0, -1)) : undefined);
}

export function isIntervalAhead(reader: TokenReader): boolean {
  const { kind } = reader.peek(1);
  return reader.isKeyword('INTERVAL') && (kind === 'single' || kind === 'number');
}

/** Parses INTERVAL '3' month, INTERVAL 3 month, INTERVAL '3 months' or INTERVAL '1 year 2 months'. */
export function readInterval(reader: TokenReader): readonly Span[] {
  reader.next();
  const text = reader.next();
  const count = COUNT.exec(text.text);
  if (count === null) return spansIn(text);
  const unit = reader.next();
  const name = unit.kind === 'word' ? unitNamed(unit.text) : undefined;
  if (name === undefined) throw unexpected(unit, 'a unit from second to year');
  if (reader.isKeyword('TO')) throw refused(text);
  // The number of digits, as in INTERVAL '90' DAY (3).
  if (reader.isSign('(') && reader.peek(1).kind === 'number' && reader.isSign(')', 2)) reader.at += 3;
  return [{ count: Number(count[1]), unit: name }];
}

/** The spans of '1 year 2 months'. Throws 6000. */
export function spansIn(token: Pick<Token, 'text' | 'position'>): readonly Span[] {
  const spans = writtenSpans(token.text);
  if (spans !== null) return spans;
  const read = readIntervalText(token.text);
  if (read === null) throw refused(token);
  return [
    { count: read.months, unit: 'MONTH' },
    { count: read.seconds, unit: 'SECOND' },
  ].filter(({ count }, index) => count !== 0 || (index === 1 && read.months === 0));
}

/** The units in the order in which they are written; null if the text has another form or a unit twice. */
function writtenSpans(text: string): readonly Span[] | null {
  const spans: Span[] = [];
  const span = new RegExp(SPAN);
  for (let found = span.exec(text); found !== null; found = span.exec(text)) {
    const unit = unitNamed(found[2]);
    if (unit === undefined || spans.some((before) => before.unit === unit)) return null;
    spans.push({ count: Number(found[1]), unit });
    if (span.lastIndex === text.length) return spans;
  }
  return null;
}

const refused = ({ text, position }: Pick<Token, 'text' | 'position'>): Error =>
  sqlError(
    `INTERVAL ${quoted(text)}: an interval is '1 year 2 months', '3 days 04:05:06' or alike, in whole seconds`,
    position,
  );
