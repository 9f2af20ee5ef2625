/** Functions of PostgreSQL on single strings: parts, replaced characters, capitals, quotes. Positions count code points from 1. */
import { lowerCase } from '../../schema/index.js';
import { expressionError } from '../error.js';
import { limitLength, pointsBetween, upper } from './text-functions.js';

const LAST_POINT = 0x10ffff;
const isSurrogate = (point: number): boolean => point >= 0xd800 && point <= 0xdfff;

/** Field `index` of a text that is divided by `delimiter`, from 1; negative: from the end. A field that does not exist is ''. */
export function splitPart(text: string, delimiter: string, index: number): string {
  if (index === 0) throw expressionError('the field of SPLIT_PART must not be 0; fields count from 1');
  if (delimiter === '') return index === 1 || index === -1 ? text : '';
  return index > 0 ? partFromStart(text, delimiter, index) : partFromEnd(text, delimiter, -index);
}

function partFromStart(text: string, delimiter: string, index: number): string {
  let from = 0;
  for (let left = index; left > 1; left--) {
    const at = text.indexOf(delimiter, from);
    if (at === -1) return '';
    from = at + delimiter.length;
  }
  const end = text.indexOf(delimiter, from);
  return end === -1 ? text.slice(from) : text.slice(from, end);
}

/** Fields are divided from the start, so that overlapping delimiters give the same fields from both ends. */
function partFromEnd(text: string, delimiter: string, index: number): string {
  let fields = 1;
  for (let at = text.indexOf(delimiter); at !== -1; at = text.indexOf(delimiter, at + delimiter.length)) {
    fields++;
  }
  return index > fields ? '' : partFromStart(text, delimiter, fields - index + 1);
}

/** Replaces each code point of `from` by the one at its position in `to`, and removes those without one. */
export function makeTranslate(): (text: string, from: string, to: string) => string {
  let known: { from: string; to: string; map: ReadonlyMap<string, string> } | null = null;
  return (text, from, to) => {
    if (known === null || known.from !== from || known.to !== to) {
      known = { from, to, map: translationOf(from, to) };
    }
    let made = '';
    for (const point of text) made += known.map.get(point) ?? (known.map.has(point) ? '' : point);
    return made;
  };
}

function translationOf(from: string, to: string): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  const targets = Array.from(to);
  Array.from(from).forEach((point, index) => {
    if (!map.has(point)) map.set(point, targets[index] ?? '');
  });
  return map;
}

const ALPHANUMERIC = /[\p{L}\p{N}]/u;

/** The first letter of each word in upper case, the others in lower case; words are letters and digits. */
export function initialCapitals(text: string): string {
  let made = '';
  let inWord = false;
  for (const point of lowerCase(text)) {
    made += inWord ? point : upper(point);
    inWord = ALPHANUMERIC.test(point);
  }
  return made;
}

/** The character of a code point. */
export function characterOf(point: number): string {
  if (point < 1 || point > LAST_POINT || isSurrogate(point)) {
    throw expressionError(`CHR takes a code point of Unicode from 1 to ${LAST_POINT}, not ${point}`);
  }
  return String.fromCodePoint(point);
}

/** The code point of the first character; 0 for an empty text. */
export const firstPoint = (text: string): number => text.codePointAt(0) ?? 0;

/** Replaces `length` code points (default: as many as `by` has) from position `from`. */
export function overlay(text: string, by: string, from: number, length?: number): string {
  if (from < 1) throw expressionError(`the position of OVERLAY must be at least 1, not ${from}`);
  const removed = length ?? Array.from(by).length;
  limitLength(text.length + by.length);
  const rest = from - 1 + removed;
  return pointsBetween(text, 0, from - 1) + by + pointsBetween(text, rest, Math.max(rest, 0) + text.length);
}

/** The text as a literal of SQL. */
export function quotedLiteral(text: string): string {
  const inside = text.replaceAll("'", "''");
  return text.includes('\\') ? `E'${inside.replaceAll('\\', '\\\\')}'` : `'${inside}'`;
}

/** The text as a name of SQL, in double quotes unless it is a plain word in lower case. */
export const quotedName = (text: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(text) && !RESERVED_NAMES.has(text) ? text : `"${text.replaceAll('"', '""')}"`;

/** The reserved words of PostgreSQL 15, which names in SQL must quote. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(
  `all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case cast char
  character check coalesce collate collation column concurrently constraint create cross current_catalog current_date
  current_role current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct do
  else end except exists extract false fetch float for foreign freeze from full grant greatest group grouping having ilike in
  initially inner inout int integer intersect interval into is isnull join lateral leading least left like limit localtime
  localtimestamp national natural nchar none normalize not notnull null nullif numeric offset on only or order out outer
  overlaps overlay placing position precision primary real references returning right row select session_user setof similar
  smallint some substring symmetric table tablesample then time timestamp to trailing treat trim true union unique user using
  values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces
  xmlparse xmlpi xmlroot xmlserialize xmltable`.split(/\s+/),
);

const INT64_END = 2n ** 63n;

/** The digits of the 64 bits of an integer, in two's complement. Throws 6000 for an integer of more bits. */
export function inBase(integer: string, base: number): string {
  const value = BigInt(integer);
  if (value < -INT64_END || value >= INT64_END) throw expressionError(`${integer} has more than 64 bits`);
  return BigInt.asUintN(64, value).toString(base);
}
