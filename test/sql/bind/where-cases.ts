/**
 * Generated WHERE clauses and their meaning for each user, written only from the rules of three-valued logic and of
 * events.
 */
import type { Prng } from '../../../src/base/index.js';
import { formatDate, formatDateTime } from '../../../src/schema/index.js';
import { INTEGERS, SECOND_0, TEXTS, type User } from './where-rows.js';

export type Truth = boolean | null;

export type Case =
  /** A condition that is not on events. */
  | { readonly is: 'leaf'; readonly sql: string; readonly holds: (user: User) => Truth }
  | {
      readonly is: 'value';
      readonly column: 'clicks' | 'spent';
      readonly sql: string;
      readonly passes: (value: string | bigint) => boolean;
      /** Whether the condition has its own parentheses. */
      readonly own: boolean;
    }
  | {
      readonly is: 'date';
      readonly column: 'clicks' | 'spent';
      readonly sql: string;
      readonly window: Span;
    }
  | { readonly is: 'not'; readonly of: Case }
  | { readonly is: 'and' | 'or'; readonly members: readonly Case[] };

type Span = readonly [from: number, to: number];
type Spans = ReadonlyMap<string, Span>;

const ALL: Span = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const COLUMNS = ['clicks', 'spent'] as const;

export function sqlOf(node: Case, nested = false): string {
  switch (node.is) {
    case 'leaf':
    case 'date':
      return node.sql;
    case 'value':
      return node.own ? `(${node.sql})` : node.sql;
    case 'not':
      return `NOT ${node.of.is === 'and' || node.of.is === 'or' ? sqlOf(node.of, true) : `(${sqlOf(node.of)})`}`;
    default: {
      const text = node.members.map((member) => sqlOf(member, true)).join(` ${node.is.toUpperCase()} `);
      return nested ? `(${text})` : text;
    }
  }
}

const every = (truths: readonly Truth[]): Truth =>
  truths.includes(false) ? false : truths.includes(null) ? null : true;
const some = (truths: readonly Truth[]): Truth =>
  truths.includes(true) ? true : truths.includes(null) ? null : false;

/** Whether an event of the column in the span passes; unknown if the column has no event. */
function hasEvent(
  user: User,
  column: 'clicks' | 'spent',
  [from, to]: Span,
  tests: readonly ((value: string | bigint) => boolean)[],
): Truth {
  const events: readonly { readonly seconds: number; readonly value: string | bigint }[] = user[column];
  if (events.length === 0) return null;
  return events.some(
    ({ seconds, value }) => seconds >= from && seconds <= to && tests.every((passes) => passes(value)),
  );
}

export function judge(node: Case, user: User, around: Spans = new Map()): Truth {
  switch (node.is) {
    case 'leaf':
      return node.holds(user);
    case 'not': {
      const truth = judge(node.of, user, around);
      return truth === null ? null : !truth;
    }
    case 'or':
      return some(node.members.map((member) => judge(member, user, around)));
    default:
      return every(listTruths(node.is === 'and' ? node.members : [node], user, around));
  }
}

/** The truth values of the members of one AND list; members on one event are combined. */
function listTruths(members: readonly Case[], user: User, around: Spans): Truth[] {
  const spans = spansIn(members, around);
  const truths: Truth[] = [];
  for (const column of COLUMNS) {
    const tests = members.filter((member) => isListed(member, column));
    const values = tests.flatMap((member) => (member.is === 'value' ? [member.passes] : []));
    if (tests.length > 0) truths.push(hasEvent(user, column, spans.get(column) ?? ALL, values));
  }
  for (const member of members) {
    if (member.is === 'value' && member.own) {
      truths.push(hasEvent(user, member.column, spans.get(member.column) ?? ALL, [member.passes]));
    } else if (member.is !== 'value' && member.is !== 'date') truths.push(judge(member, user, spans));
  }
  return truths;
}

function spansIn(members: readonly Case[], around: Spans): Spans {
  const own = new Map<string, Span>();
  for (const member of members) {
    if (member.is !== 'date') continue;
    const [from, to] = own.get(member.column) ?? ALL;
    own.set(member.column, [Math.max(from, member.window[0]), Math.min(to, member.window[1])]);
  }
  return new Map([...around, ...own]);
}

const isListed = (node: Case, column: string): boolean =>
  (node.is === 'date' || (node.is === 'value' && !node.own)) && node.column === column;

/** The score of a user that satisfies the clause: the points of the top-level members. */
export function scoreOf(root: Case, user: User): number {
  const lists = root.is === 'or' ? root.members : [root];
  const around: Spans = new Map();
  let [points, counted] = [0, 0];
  for (const list of lists) {
    // A nested AND in an OR is parenthesized here and is one member.
    const members = list.is === 'and' && root.is !== 'or' ? list.members : [list];
    const spans = spansIn(members, around);
    for (const column of COLUMNS) {
      const values = members.flatMap((member) =>
        member.is === 'value' && !member.own && member.column === column ? [member.passes] : [],
      );
      if (values.length === 0) continue;
      counted++;
      if (hasEvent(user, column, spans.get(column) ?? ALL, values) === true) points++;
    }
    for (const member of members) {
      if (member.is === 'date' || (member.is === 'value' && !member.own)) continue;
      const [found, of] = pointsOf(member, user, spans);
      points += found;
      counted += of;
    }
  }
  return counted === 0 ? 1 : points;
}

/** The points of an independent condition, and their maximum number. */
function pointsOf(node: Case, user: User, spans: Spans): readonly [number, number] {
  if (node.is === 'or') {
    const all = node.members.map((member) => pointsOf(member, user, spans));
    return [all.reduce((sum, [found]) => sum + found, 0), all.reduce((sum, [, of]) => sum + of, 0)];
  }
  if (node.is === 'date') return [0, 0];
  if (node.is === 'and' && node.members.every((member) => member.is === 'date')) {
    // Dates of one column are one window without a test; dates of two columns are a list of two conditions.
    if (new Set(node.members.map((member) => (member.is === 'date' ? member.column : ''))).size === 1)
      return [0, 0];
  }
  return [judge(node, user, spans) === true ? 1 : 0, 1];
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';
const COMPARISONS: readonly Comparison[] = ['=', '<>', '<', '<=', '>', '>='];

function compares(order: number, comparison: Comparison): boolean {
  switch (comparison) {
    case '=':
      return order === 0;
    case '<>':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** A constant in SQL notation, and its value in millionths. */
interface Expected {
  readonly sql: string;
  readonly value: bigint;
}

const order = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

function number(prng: Prng): Expected {
  const whole = prng.pick([...INTEGERS, 2n ** 63n, -(2n ** 63n) - 1n, 10n ** 25n]);
  const [fraction, parts] = prng.pick([
    ['', 0n],
    ['', 0n],
    ['.5', 500_000n],
    ['.05', 50_000n],
    ['.0001', 100n],
    ['.00', 0n],
  ] as const);
  const text = `${whole}${fraction}`;
  const value = whole * 1_000_000n + (whole < 0n ? -parts : parts);
  return { sql: prng.chance(0.25) ? quote(text) : text, value };
}

/** A date or a datetime, in microseconds. */
function instant(prng: Prng): Expected {
  const seconds = SECOND_0 + prng.pick([0, 1, 86_400, 86_401, 172_800, -1]);
  const isDate = seconds % 86_400 === 0 && prng.chance(0.6);
  const text = isDate ? formatDate(seconds / 86_400) : formatDateTime(seconds);
  const shown = !isDate && prng.chance(0.3) ? text.replace('T', ' ').replace('Z', '') : text;
  return { sql: quote(shown), value: BigInt(seconds) * 1_000_000n };
}

/** Comparisons of an ordered value, in millionths; null = missing. */
function ordered(
  prng: Prng,
  column: string,
  makeExpected: (prng: Prng) => Expected,
): { readonly sql: string; readonly holds: (value: bigint | null) => Truth } {
  const kind = prng.below(4);
  if (kind === 0) {
    const [low, high] = [makeExpected(prng), makeExpected(prng)];
    const negated = prng.chance(0.3);
    return {
      sql: `${column} ${negated ? 'NOT ' : ''}BETWEEN ${low.sql} AND ${high.sql}`,
      holds: (value) =>
        value === null ? null : (order(value, low.value) >= 0 && order(value, high.value) <= 0) !== negated,
    };
  }
  if (kind === 1) {
    const values = Array.from({ length: prng.between(1, 4) }, () => makeExpected(prng));
    const withNull = prng.chance(0.25);
    const negated = prng.chance(0.4);
    const texts = [...values.map(({ sql }) => sql), ...(withNull ? ['NULL'] : [])];
    return {
      sql: `${column} ${negated ? 'NOT ' : ''}IN (${texts.join(', ')})`,
      holds: (value) => {
        if (value === null) return null;
        if (values.some((expected) => expected.value === value)) return !negated;
        return withNull ? null : negated;
      },
    };
  }
  const comparison = prng.pick(COMPARISONS);
  const expected = makeExpected(prng);
  const mirrored = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
  return {
    sql: prng.chance(0.2)
      ? `${expected.sql} ${mirrored[comparison]} ${column}`
      : `${column} ${comparison} ${expected.sql}`,
    holds: (value) => (value === null ? null : compares(order(value, expected.value), comparison)),
  };
}

/** The simplest implementation, by code points. */
function isLike(text: readonly string[], pattern: readonly string[]): boolean {
  if (pattern.length === 0) return text.length === 0;
  const [head, ...rest] = pattern;
  if (head === '%') return text.some((_point, at) => isLike(text.slice(at), rest)) || isLike([], rest);
  return text.length > 0 && (head === '_' || head === text[0]) && isLike(text.slice(1), rest);
}

function textual(
  prng: Prng,
  column: string,
): { readonly sql: string; readonly holds: (value: string | null) => Truth } {
  const kind = prng.below(4);
  const negated = prng.chance(0.35);
  const word = negated ? 'NOT ' : '';
  if (kind === 0) {
    const pattern = prng.pick([
      'a%',
      '%b',
      '%b%',
      'abc',
      '%',
      '_',
      'a_',
      'a%b',
      '%_b%',
      '',
      '__%',
      'ß',
      '%😀%',
      'A%',
    ]);
    return {
      sql: `${column} ${word}LIKE ${quote(pattern)}`,
      holds: (value) =>
        value === null ? null : isLike(Array.from(value), Array.from(pattern.toLowerCase())) !== negated,
    };
  }
  const texts = Array.from({ length: kind === 1 ? prng.between(1, 3) : 1 }, () =>
    prng.pick([...TEXTS, 'AB', 'Zz', '']),
  );
  const expected = texts.map((text) => text.toLowerCase());
  if (kind === 1) {
    return {
      sql: `${column} ${word}IN (${texts.map(quote).join(', ')})`,
      holds: (value) => (value === null ? null : expected.includes(value) !== negated),
    };
  }
  return {
    sql: `${column} ${negated ? '<>' : '='} ${quote(texts[0])}`,
    holds: (value) => (value === null ? null : (value === expected[0]) !== negated),
  };
}

const scaled = (value: bigint | null, factor: bigint): bigint | null =>
  value === null ? null : value * factor;

const CONSTANTS: readonly (readonly [sql: string, truth: Truth])[] = [
  ['TRUE', true],
  ['1 = 2', false],
  ['NULL', null],
];

function attributeLeaf(prng: Prng): Case {
  const made = (sql: string, holds: (user: User) => Truth): Case => ({ is: 'leaf', sql, holds });
  switch (prng.below(13)) {
    case 0:
    case 1: {
      const { sql, holds } = ordered(prng, 'age', number);
      return made(sql, ({ age }) => holds(scaled(age, 1_000_000n)));
    }
    case 2: {
      const { sql, holds } = ordered(prng, 'salary', number);
      return made(sql, ({ salary }) => holds(scaled(salary, 10_000n)));
    }
    case 3: {
      const { sql, holds } = ordered(prng, 'admission', instant);
      return made(sql, ({ admission }) => holds(scaled(admission, 86_400_000_000n)));
    }
    case 4: {
      const { sql, holds } = ordered(prng, 'seen', instant);
      return made(sql, ({ seen }) => holds(scaled(seen, 1_000_000n)));
    }
    case 5:
    case 6: {
      const { sql, holds } = textual(prng, 'name');
      return made(sql, ({ name }) => holds(name));
    }
    case 7: {
      const column = prng.pick(['name', 'age', 'active', 'seen'] as const);
      const negated = prng.chance(0.5);
      return made(`${column} IS ${negated ? 'NOT ' : ''}NULL`, (user) => (user[column] === null) !== negated);
    }
    case 8: {
      const expected = prng.chance(0.5);
      const sql = prng.pick(expected ? ['active', 'active = true', "active <> 'false'"] : ['active = FALSE']);
      return made(sql, ({ active }) => (active === null ? null : active === expected));
    }
    case 9:
      return listLeaf(prng);
    case 10: {
      const { sql, holds } = textual(prng, '[entity-id]');
      return prng.chance(0.5)
        ? made(sql, ({ id }) => holds(id))
        : made("[entity-id] = 'USER-3'", ({ id }) => id === 'user-3');
    }
    case 11:
      return prng.chance(0.5)
        ? made('salary * 2 > salary + 1', ({ salary }) => (salary === null ? null : salary > 100n))
        : made("name < 'b'", ({ name }) => (name === null ? null : name < 'b'));
    default: {
      const least = prng.between(0, 4);
      if (prng.chance(0.7)) {
        const sql = `LENGTH(name) > ${least}`;
        return made(sql, ({ name }) => (name === null ? null : Array.from(name).length > least));
      }
      const [sql, truth] = prng.pick(CONSTANTS);
      return made(sql, () => truth);
    }
  }
}

/** Tests whether an item passes; a negated predicate requires that no item passes. */
function listLeaf(prng: Prng): Case {
  const of = <T>(
    column: 'tags' | 'marks',
    sql: string,
    isNegated: boolean,
    passes: (item: T) => Truth,
  ): Case => ({
    is: 'leaf',
    sql,
    holds: (user) => {
      const items = user[column] as readonly T[];
      if (items.length === 0) return null;
      return isNegated
        ? items.every((item) => passes(item) === true)
        : items.some((item) => passes(item) === true);
    },
  });
  for (;;) {
    const isText = prng.chance(0.5);
    const { sql, holds } = isText ? textual(prng, 'tags') : ordered(prng, 'marks', number);
    if (sql.includes('NULL')) continue;
    const isNegated = / NOT |<>/.test(sql);
    return isText
      ? of<string>('tags', sql, isNegated, holds as (item: string) => Truth)
      : of<bigint>('marks', sql, isNegated, (item) => (holds as (item: bigint) => Truth)(item * 1_000_000n));
  }
}

function eventLeaf(prng: Prng): Case {
  const column = prng.pick(COLUMNS);
  const kind = prng.below(8);
  if (kind === 0) {
    const negated = prng.chance(0.5);
    return {
      is: 'leaf',
      sql: `[${column}.value] IS ${negated ? 'NOT ' : ''}NULL`,
      holds: (user) => (user[column].length === 0) !== negated,
    };
  }
  if (kind <= 3) {
    const comparison = prng.pick(['=', '<', '<=', '>', '>='] as const);
    const { sql, value } = instant(prng);
    const seconds = Number(value / 1_000_000n);
    const window: Span = [
      comparison === '>' ? seconds + 1 : comparison.startsWith('<') ? ALL[0] : seconds,
      comparison === '<' ? seconds - 1 : comparison.startsWith('>') ? ALL[1] : seconds,
    ];
    return { is: 'date', column, sql: `[${column}.date] ${comparison} ${sql}`, window };
  }
  const own = prng.chance(0.2);
  if (column === 'clicks') {
    const { sql, holds } = textual(prng, '[clicks.value]');
    return { is: 'value', column, sql, own, passes: (value) => holds(value as string) === true };
  }
  const { sql, holds } = ordered(prng, '[spent.value]', number);
  return { is: 'value', column, sql, own, passes: (value) => holds((value as bigint) * 10_000n) === true };
}

/** Whether the parentheses have no effect: around dates of one column, or around values of one column joined by OR. */
function isOfList(node: Case): boolean {
  if (node.is !== 'and' && node.is !== 'or') return false;
  const kind = node.is === 'and' ? 'date' : 'value';
  return node.members.every((member) => member.is === kind);
}

export function generateCase(prng: Prng, depth: number): Case {
  if (depth > 0 && prng.chance(0.55)) {
    if (prng.chance(0.2)) return { is: 'not', of: generateCase(prng, depth - 1) };
    const is = prng.pick(['and', 'or'] as const);
    const member = (): Case => {
      const made = generateCase(prng, depth - 1);
      return isOfList(made) ? member() : made;
    };
    return { is, members: Array.from({ length: prng.between(2, 4) }, member) };
  }
  return prng.chance(0.4) ? eventLeaf(prng) : attributeLeaf(prng);
}
