/**
 * Parses INTERVAL literals, which may be added to and subtracted from dates: `d + INTERVAL '3' month` and
 * `d - INTERVAL '1 year 2 months'` become calls of DATEADD.
 */
import { quoted } from '../base/index.js';
import { sqlError } from './sql-error.js';
import type { TokenReader } from './token-reader.js';
import { type Token, unexpected } from './tokens.js';
import type { SourcePosition, Span, SqlNode } from './tree.js';

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
  const { text } = token;
  const spans: Span[] = [];
  const span = new RegExp(SPAN);
  for (let found = span.exec(text); found !== null; found = span.exec(text)) {
    const unit = unitNamed(found[2]);
    if (unit === undefined || spans.some((before) => before.unit === unit)) throw refused(token);
    spans.push({ count: Number(found[1]), unit });
    if (span.lastIndex === text.length) return spans;
  }
  throw refused(token);
}

const refused = ({ text, position }: Pick<Token, 'text' | 'position'>): Error =>
  sqlError(
    `INTERVAL ${quoted(text)}: an interval is one number with a unit from second to year, or several such`,
    position,
  );

/** The calls of DATEADD that add the spans to a date, or subtract them. */
export function addedIntervals(
  of: SqlNode,
  spans: readonly Span[],
  operator: '+' | '-',
  position: SourcePosition,
): SqlNode {
  const at = { position, parenthesized: false } as const;
  return spans.reduce((date: SqlNode, { count, unit }): SqlNode => {
    const signed = operator === '-' && count !== 0 ? -count : count;
    const args: readonly SqlNode[] = [
      { is: 'string', text: unit, quotes: 'single', ...at },
      { is: 'number', text: String(signed), ...at },
      date,
    ];
    return { is: 'call', name: 'dateadd', args, distinct: false, ...at };
  }, of);
}
