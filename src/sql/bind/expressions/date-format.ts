/** Parses dates by the formats of TO_DATE and TO_TIMESTAMP: YYYY-MM-DD HH24:MI:SS.US, in any order, with any text in between. */
import { quoted } from '../../../base/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition } from '../../tree.js';

/** The parts of a format, and the text that each matches. */
const PARTS: Readonly<Record<string, RegExp>> = {
  YYYY: /\d{4}/y,
  MM: /\d{1,2}/y,
  DD: /\d{1,2}/y,
  HH24: /\d{1,2}/y,
  MI: /\d{1,2}/y,
  SS: /\d{1,2}/y,
  MS: /\d{1,3}/y,
  US: /\d{1,6}/y,
};
/** A part, a literal text in double quotes, or a literal character. */
const TOKEN = /(YYYY|HH24|MM|DD|MI|SS|MS|US)|"([^"]*)"|([^A-Z0-9"])/iy;
const FORMAT_CHARS_MAX = 100;

/** Parses `text` by `format` and returns it as YYYY-MM-DD HH:MM:SS.ffffff. Throws 6000 at `position`. */
export function readFormatted(text: string, format: string, position: SourcePosition): string {
  const found = new Map<string, string>();
  let at = 0;
  for (const { part, literal } of tokensOf(format, position)) {
    const taken = part === null ? literal : matchAt(PARTS[part], text, at);
    if (taken === null || !text.startsWith(taken, at)) throw unfit(text, format, position);
    if (part !== null) found.set(part, taken);
    at += taken.length;
  }
  if (at !== text.length || !found.has('YYYY')) throw unfit(text, format, position);
  const two = (part: string, absent: string): string => (found.get(part) ?? absent).padStart(2, '0');
  const fraction = found.get('US') ?? found.get('MS') ?? '0';
  const date = `${found.get('YYYY')}-${two('MM', '01')}-${two('DD', '01')}`;
  return `${date} ${two('HH24', '00')}:${two('MI', '00')}:${two('SS', '00')}.${fraction.padEnd(6, '0')}`;
}

interface FormatToken {
  /** null = a literal text. */
  readonly part: string | null;
  readonly literal: string;
}

function tokensOf(format: string, position: SourcePosition): FormatToken[] {
  const tokens: FormatToken[] = [];
  for (let at = 0; at < format.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = format.length > FORMAT_CHARS_MAX ? null : TOKEN.exec(format);
    if (match === null) {
      const parts = Object.keys(PARTS).join(', ');
      throw sqlError(
        `the format ${quoted(format)} may only contain ${parts} and text between them`,
        position,
      );
    }
    const [, part, inQuotes, literal] = match;
    tokens.push({ part: part?.toUpperCase() ?? null, literal: inQuotes ?? literal ?? '' });
  }
  return tokens;
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

function unfit(text: string, format: string, position: SourcePosition): Error {
  return sqlError(`${quoted(text)} does not match the format ${quoted(format)}`, position);
}
