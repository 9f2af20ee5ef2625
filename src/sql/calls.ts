/**
 * Parses function calls, including those with special argument syntax: CAST(x AS type), EXTRACT(unit FROM x),
 * POSITION(a IN b), SUBSTRING(x FROM 1 FOR 2), TRIM(LEADING a FROM b), date units as bare words, COUNT(*), DISTINCT and ORDER BY.
 */
import { readOrderBy } from './query/order-keys.js';
import { itemsQuery, positionQuery } from './query/unnest.js';
import { NO_STAR, refuseGeolocation } from './refusals.js';
import { sqlError } from './sql-error.js';
import type { TokenReader } from './token-reader.js';
import { type Token, unexpected } from './tokens.js';
import type { CallNode, SourcePosition, SqlNode } from './tree.js';
import { zoneCall } from './zone-call.js';

/** Functions whose first argument may be a date unit as a bare word. */
const UNIT_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['DATEPART', 'DATENAME', 'DATEADD', 'DATEDIFF', 'DATETRUNC'],
  ...['DATE_PART', 'DATE_ADD', 'DATE_SUB', 'DATE_DIFF', 'DATE_TRUNC'],
]);

/** Functions of a date and an interval, or of a unit, a count and a date. */
const WITH_INTERVAL: ReadonlySet<string> = new Set(['DATE_ADD', 'DATE_SUB']);

const PRECISION_MAX = 1_000_000;

/** Parses a call that begins at the next token with a bare name and a parenthesis. */
export function readCall(reader: TokenReader): SqlNode {
  const name = reader.next();
  refuseGeolocation(name);
  const open = reader.next();
  const { upper } = name;
  if (upper === 'CAST' || upper === 'TRY_CAST') return castOf(reader, name, open.position);
  if (upper === 'EXTRACT') return extractOf(reader, name, open.position);
  if (upper === 'TRIM' && !reader.isSign(')')) return trimOf(reader, name, open.position);
  if (reader.isSign('*') && reader.isSign(')', 1)) return starOf(reader, name);
  const distinct = reader.acceptKeyword('DISTINCT');
  if (!distinct && isAllAhead(reader)) reader.next();
  const isRow = distinct && upper === 'COUNT' && isRowAhead(reader);
  const args = isRow ? [rowOf(reader)] : reader.isSign(')') ? [] : argumentsOf(reader, name);
  if (args.length === 0 && distinct) throw unexpected(reader.peek(), 'an argument');
  const call = { ...callOf(name, args), distinct };
  const orderBy = args.length > 0 && reader.isKeyword('ORDER') ? readOrderBy(reader) : null;
  reader.expectClosing(open.position);
  if (orderBy === null) return rewritten(call);
  return { is: 'ordered', call, orderBy, position: name.position, parenthesized: false };
}

/** Whether (a, b) follows as the only argument. */
function isRowAhead(reader: TokenReader): boolean {
  if (!reader.isSign('(') || reader.isQueryAhead()) return false;
  let depth = 0;
  let hasComma = false;
  for (let at = 0; ; at++) {
    if (reader.peek(at).kind === 'end') return false;
    if (reader.isSign('(', at)) depth++;
    if (reader.isSign(',', at) && depth === 1) hasComma = true;
    if (reader.isSign(')', at) && --depth === 0) return hasComma && reader.isSign(')', at + 1);
  }
}

/** Parses (a, b), whose distinct values are those of a JSON array. */
function rowOf(reader: TokenReader): SqlNode {
  const { position } = reader.next();
  const args = listOf(reader);
  reader.expectClosing(position);
  return { is: 'call', name: 'json_build_array', args, distinct: false, position, parenthesized: false };
}

/** Signs that begin an operand; after another sign, ALL is a column. */
const BEGINS_OPERAND: readonly string[] = ['-', '+', '('];

const CONTAINS: ReadonlySet<string> = new Set([
  ...['list_contains', 'array_contains', 'list_has', 'array_has'],
]);

/** LIST_CONTAINS(list, value) is COALESCE(value = ANY (list), FALSE). */
function containing(list: SqlNode, value: SqlNode, position: SourcePosition): SqlNode {
  const at = { position, parenthesized: false } as const;
  const found: SqlNode = {
    ...{ is: 'in-query', of: [value], comparison: '=', quantifier: 'any', negated: false },
    ...{ query: itemsQuery(list, 'item', false), ...at },
  };
  const args: readonly SqlNode[] = [found, { is: 'boolean', value: false, ...at }];
  return { is: 'call', name: 'coalesce', args, distinct: false, ...at };
}

const POSITIONS: ReadonlySet<string> = new Set([
  ...['array_position', 'list_position', 'array_indexof', 'list_indexof'],
]);

/** Calls that are other expressions. */
function rewritten(call: CallNode): SqlNode {
  const { name, args, position } = call;
  if (POSITIONS.has(name) && (args.length === 2 || args.length === 3)) {
    const [list, value, start = null] = args;
    return { is: 'subquery', query: positionQuery(list, value, start), position, parenthesized: false };
  }
  return args.length === 2 ? withTwoArguments(call) : call;
}

/** DATE_ADD(date, interval) is date + interval, and TIMEZONE(zone, date) is date AT TIME ZONE zone. */
function withTwoArguments(call: CallNode): SqlNode {
  const {
    name,
    args: [left, right],
    position,
  } = call;
  if (name === 'timezone') return zoneCall(right, left, position);
  if (CONTAINS.has(name)) return containing(left, right, position);
  if (!WITH_INTERVAL.has(name.toUpperCase())) return call;
  const operator = name === 'date_add' ? '+' : '-';
  return { is: 'arithmetic', operator, left, right, position, parenthesized: false };
}

/** Whether ALL before an argument follows, which is the opposite of DISTINCT. */
function isAllAhead(reader: TokenReader): boolean {
  const { kind, text } = reader.peek(1);
  return reader.isKeyword('ALL') && kind !== 'end' && (kind !== 'sign' || BEGINS_OPERAND.includes(text));
}

function callOf(name: Token, args: readonly SqlNode[]): CallNode {
  const call = { is: 'call', name: name.text.toLowerCase(), args, distinct: false } as const;
  return { ...call, position: name.position, parenthesized: false };
}

function argumentsOf(reader: TokenReader, name: Token): SqlNode[] {
  const { upper } = name;
  const withUnit = UNIT_FUNCTIONS.has(upper) && reader.peek().kind === 'word' && reader.isSign(',', 1);
  const begun = reader.at;
  const first = withUnit ? unitOf(reader) : upper === 'POSITION' ? reader.value() : reader.expression();
  if (upper === 'POSITION' && reader.acceptKeyword('IN')) return [first, reader.value()];
  if (upper === 'OVERLAY' && reader.acceptKeyword('PLACING')) return [first, ...placed(reader)];
  const slices = upper === 'SUBSTRING' || upper === 'SUBSTR';
  if (slices && (reader.isKeyword('FROM') || reader.isKeyword('FOR'))) return [first, ...fromFor(reader)];
  const args = [first, ...(reader.acceptSign(',') ? listOf(reader) : [])];
  // DATE_ADD(day, INTERVAL '1 week'): the word is a column.
  if (!withUnit || args.length !== 2 || !WITH_INTERVAL.has(upper)) return args;
  reader.at = begun;
  return listOf(reader);
}

function listOf(reader: TokenReader): SqlNode[] {
  const list = [reader.expression()];
  while (reader.acceptSign(',')) list.push(reader.expression());
  return list;
}

function starOf(reader: TokenReader, name: Token): SqlNode {
  const star = reader.next();
  if (name.upper !== 'COUNT') throw sqlError(NO_STAR, star.position);
  reader.next();
  return callOf(name, [{ is: 'star', table: null, position: star.position, parenthesized: false }]);
}

/** Parses a date unit, as a bare word or as a string. */
function unitOf(reader: TokenReader): SqlNode {
  const unit = reader.next();
  if (unit.kind !== 'word' && unit.kind !== 'single' && unit.kind !== 'double') {
    throw unexpected(unit, 'a unit such as year, month or day');
  }
  return { is: 'string', text: unit.text, quotes: 'single', position: unit.position, parenthesized: false };
}

function extractOf(reader: TokenReader, name: Token, open: SourcePosition): CallNode {
  const unit = unitOf(reader);
  reader.expectKeyword('FROM');
  const of = reader.expression();
  reader.expectClosing(open);
  return callOf(name, [unit, of]);
}

/** Parses `replacement FROM start FOR length`. */
function placed(reader: TokenReader): SqlNode[] {
  const replacement = reader.expression();
  if (!reader.isKeyword('FROM')) throw unexpected(reader.peek(), 'FROM');
  return [replacement, ...fromFor(reader)];
}

/** Parses `FROM start FOR length`; each part is optional. */
function fromFor(reader: TokenReader): SqlNode[] {
  const { position } = reader.peek();
  const start: SqlNode = reader.acceptKeyword('FROM')
    ? reader.expression()
    : { is: 'number', text: '1', position, parenthesized: false };
  return reader.acceptKeyword('FOR') ? [start, reader.expression()] : [start];
}

const TRIM_SIDES: ReadonlyMap<string, string> = new Map([
  ['BOTH', 'trim'],
  ['LEADING', 'ltrim'],
  ['TRAILING', 'rtrim'],
]);

/** Parses `TRIM([LEADING] [characters] FROM x)` to the equivalent call: ltrim(x, characters). */
function trimOf(reader: TokenReader, name: Token, open: SourcePosition): SqlNode {
  const called = TRIM_SIDES.get(reader.peek().upper);
  const sided =
    called !== undefined && !reader.isSign(')', 1) && !reader.isSign(',', 1) && !reader.isSign('.', 1);
  if (sided) reader.next();
  const characters = reader.isKeyword('FROM') ? [] : [reader.expression()];
  if (sided && !reader.isKeyword('FROM')) throw unexpected(reader.peek(), 'FROM');
  if (reader.acceptKeyword('FROM')) characters.unshift(reader.expression());
  else if (reader.acceptSign(',')) characters.push(...listOf(reader));
  reader.expectClosing(open);
  return { ...callOf(name, characters), name: sided ? called : 'trim' };
}

function castOf(reader: TokenReader, name: Token, open: SourcePosition): SqlNode {
  const of = reader.expression();
  reader.expectKeyword('AS');
  const type = readType(reader, false);
  reader.expectClosing(open);
  const cast = { is: 'cast', of, ...type, lenient: name.upper === 'TRY_CAST' } as const;
  return { ...cast, position: name.position, parenthesized: false };
}

interface TypeName {
  readonly typeName: string;
  readonly precision: number | null;
  readonly scale: number | null;
}

/** Parses a type. `open`: anything may follow; otherwise all words up to ( or ) belong to the name. */
export function readType(reader: TokenReader, open: boolean): TypeName {
  const words = [typeToken(reader)];
  const continues = (): boolean =>
    open ? typeContinues(reader, words.length) : reader.peek().kind === 'word';
  while (continues()) words.push(reader.next().text.toLowerCase());
  return { typeName: words.join(' '), ...digitsOf(reader) };
}

/** Whether the next word continues a type's name of `count` words: double precision, timestamp with time zone. */
function typeContinues(reader: TokenReader, count: number): boolean {
  const { upper } = reader.peek();
  if (upper === 'WITH' || upper === 'WITHOUT') return reader.areKeywords(upper, 'TIME', 'ZONE');
  if (upper === 'PRECISION' || upper === 'VARYING') return count === 1;
  return count > 1 && (upper === 'TIME' || upper === 'ZONE');
}

function typeToken(reader: TokenReader): string {
  const token = reader.next();
  if (token.kind !== 'word' && token.kind !== 'bracketed') throw unexpected(token, "a type's name");
  return token.text.toLowerCase();
}

/** Parses `(10, 2)`, `(10)`, `(MAX)` or nothing. */
function digitsOf(reader: TokenReader): { precision: number | null; scale: number | null } {
  const open = reader.peek();
  if (!reader.acceptSign('(')) return { precision: null, scale: null };
  const precision = reader.acceptKeyword('MAX') ? null : wholeNumber(reader);
  const scale = reader.acceptSign(',') ? wholeNumber(reader) : null;
  reader.expectClosing(open.position);
  return { precision, scale };
}

function wholeNumber(reader: TokenReader): number {
  const token = reader.next();
  const value = Number(token.text);
  if (token.kind === 'number' && /^\d+$/.test(token.text) && value <= PRECISION_MAX) return value;
  throw unexpected(token, `a whole number up to ${PRECISION_MAX}`);
}
