/**
 * TO_DATE and TO_TIMESTAMP: the template patterns of PostgreSQL that determine a date. A blank or sign of the template matches any one
 * blank or sign, blanks before a field are skipped, other text matches itself.
 */
import { quoted } from '../../base/index.js';
import { checkFormat, dateError } from './date-fields.js';
import { type FieldReader, makeReader, type ReadDate } from './read-fields.js';

const PATTERNS: Readonly<Record<string, FieldReader>> = {
  'Y,YYY': { field: 'year', form: /\d,\d{3}/y },
  YYYY: { field: 'year', form: /\d{4}/y },
  YY: { field: 'year-of-century-70', form: /\d{2}/y },
  IYYY: { field: 'iso-year', form: /\d{4}/y },
  IW: { field: 'iso-week', form: /\d{1,2}/y },
  ID: { field: 'iso-weekday', form: /\d/y },
  MONTH: { field: 'month-name', form: /[a-z]+/iy },
  MON: { field: 'month-name', form: /[a-z]{3}/iy },
  MM: { field: 'month', form: /\d{1,2}/y },
  DDD: { field: 'day-of-year', form: /\d{1,3}/y },
  DD: { field: 'day', form: /\d{1,2}/y },
  DAY: { field: 'weekday-name', form: /[a-z]+/iy },
  DY: { field: 'weekday-name', form: /[a-z]{3}/iy },
  J: { field: 'julian-day', form: /\d{1,7}/y },
  HH24: { field: 'hour', form: /\d{1,2}/y },
  HH12: { field: 'hour12', form: /\d{1,2}/y },
  HH: { field: 'hour12', form: /\d{1,2}/y },
  MI: { field: 'minute', form: /\d{1,2}/y },
  SSSSS: { field: 'second-of-day', form: /\d{1,5}/y },
  SSSS: { field: 'second-of-day', form: /\d{1,5}/y },
  SS: { field: 'second', form: /\d{1,2}/y },
  MS: { field: 'fraction', form: /\d{1,3}/y },
  US: { field: 'fraction', form: /\d{1,6}/y },
  AM: { field: 'half-day', form: /[ap]m/iy },
  PM: { field: 'half-day', form: /[ap]m/iy },
  'A.M.': { field: 'half-day', form: /[ap]\.m\./iy },
  'P.M.': { field: 'half-day', form: /[ap]\.m\./iy },
  TZ: { field: 'offset', form: /[+-]\d{2}(?::?\d{2})?/y },
  OF: { field: 'offset', form: /[+-]\d{2}(?::?\d{2})?/y },
};
const LONGEST_FIRST = Object.keys(PATTERNS).sort((a, b) => b.length - a.length);
const SEPARATOR: FieldReader = { field: 'ignored', form: /[^A-Za-z0-9]/uy };
const ORDINAL: FieldReader = { field: 'ignored', form: /st|nd|rd|th/iy };

/** Patterns that contradict each other or give no date are refused as well. Throws 6000. */
function readersOf(template: string): readonly FieldReader[] {
  checkFormat(template);
  const readers: FieldReader[] = [];
  for (let at = 0; at < template.length; ) {
    const upper = template.slice(at, at + 5).toUpperCase();
    if (upper.startsWith('FM')) {
      at += 2;
      continue;
    }
    const pattern = LONGEST_FIRST.find((name) => upper.startsWith(name));
    if (pattern !== undefined) {
      readers.push({ ...PATTERNS[pattern], skipsBlanks: true } as FieldReader);
      at += pattern.length;
      if (/^th/i.test(template.slice(at, at + 2))) {
        readers.push(ORDINAL);
        at += 2;
      }
      continue;
    }
    const literal = /"([^"]*)"|([^A-Za-z0-9"])/uy;
    literal.lastIndex = at;
    const match = literal.exec(template);
    if (match === null) throw unknownPattern(template);
    readers.push(match[2] === undefined ? { field: 'literal', text: match[1] } : SEPARATOR);
    at = literal.lastIndex;
  }
  requireDate(template, readers);
  return readers;
}

function unknownPattern(template: string): Error {
  return dateError(
    `the format ${quoted(template)} may only contain ${Object.keys(PATTERNS).join(', ')} and text in double quotes`,
  );
}

function requireDate(template: string, readers: readonly FieldReader[]): void {
  const fields = readers.flatMap(({ field }) => (field === 'literal' || field === 'ignored' ? [] : [field]));
  const repeated = fields.find((field, index) => fields.indexOf(field) !== index);
  if (repeated !== undefined) {
    throw dateError(`the format ${quoted(template)} reads the ${repeated} twice`);
  }
  const years = ['year', 'year-of-century-70', 'iso-year', 'julian-day'] as const;
  const isoOnly = fields.includes('iso-week') || fields.includes('iso-weekday');
  if (isoOnly && !fields.includes('iso-year')) {
    throw dateError(`the format ${quoted(template)} has ISO weeks without their year IYYY`);
  }
  if (years.filter((year) => fields.includes(year)).length === 1) return;
  throw dateError(`the format ${quoted(template)} must contain exactly one year: YYYY, YY, IYYY or J`);
}

/** TO_TIMESTAMP(text, template): seconds since 1970-01-01. Throws 6000. */
export const makeReadTemplate = (): ReadDate => makeReader(readersOf, false);
