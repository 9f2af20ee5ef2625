/** Conditions and queries that SQL and the JSON interface can both express, in both forms. */
import type { Prng } from '../../../src/base/index.js';
import { quoted } from './sql-piece.js';
import {
  type EventColumn,
  insertText,
  type Table,
  type TableColumn,
  type Value,
  WORDS,
} from './sql-world.js';

/** `json` is the text of a condition, or of a list of them; `sql` is in parentheses unless it is a single comparison. */
export interface Pair {
  readonly json: string;
  readonly sql: string;
}

/** The first and the last instant, both included. */
export type Window = readonly [string, string];

/** `events` is the window of all events, as in an extraction; null = each condition has its own. */
interface Dates {
  readonly events: Window | null;
}

const OPERATORS = { equals: '=', 'not-equals': '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
const ORDERED = ['equals', 'not-equals', 'gt', 'gte', 'lt', 'lte', 'range', 'in', 'not-in'] as const;
const LIKES = [
  'contains',
  'starts-with',
  'ends-with',
  'not-contains',
  'not-starts-with',
  'not-ends-with',
] as const;
const TEXTS = ['equals', 'not-equals', 'in', 'not-in', ...LIKES] as const;
const DATES = [
  '1990-01-01',
  '1999-12-31',
  '2000-02-29',
  '2015-12-31',
  '2016-02-29',
  '2018-01-01',
  '2020-06-15',
];

const escaped = (text: string): string => text.replace(/[%_!]/g, (letter) => `!${letter}`);

export function window(prng: Prng): Window {
  const [a, b] = [prng.pick(DATES), prng.pick(DATES)].sort();
  return [`${a}T00:00:00Z`, `${b}T${prng.pick(['00:00:00', '10:00:00', '23:59:59'])}Z`];
}

function valueSql(value: Value, column: TableColumn | EventColumn): string {
  return typeof value === 'string' ? quoted(value) : insertText(value, column.kind);
}

/** A predicate on a column's value, which SQL calls `name`. */
function predicate(prng: Prng, column: TableColumn | EventColumn, name: string): Pair {
  const { kind } = column;
  const draw = (): Value => column.draw(prng);
  const one = draw();
  const json = (value: Value): string => insertText(value, kind);
  const sql = (value: Value): string => valueSql(value, column);
  const words: readonly string[] =
    kind.type === 'text' ? TEXTS : kind.type === 'boolean' ? ['equals', 'not-equals'] : ORDERED;
  const word = prng.pick(words);
  if (word in OPERATORS) {
    return {
      json: `"${word}":${json(one)}`,
      sql: `${name} ${OPERATORS[word as keyof typeof OPERATORS]} ${sql(one)}`,
    };
  }
  if (word === 'range') {
    const [low, high] = [one, draw()];
    return {
      json: `"range":[${json(low)},${json(high)}]`,
      sql: `${name} BETWEEN ${sql(low)} AND ${sql(high)}`,
    };
  }
  const not = word.startsWith('not-') ? 'NOT ' : '';
  if (word === 'in' || word === 'not-in') {
    const values = [one, draw(), draw()];
    return {
      json: `"${word}":[${values.map(json).join(',')}]`,
      sql: `${name} ${not}IN (${values.map(sql).join(', ')})`,
    };
  }
  const text = prng.pick(WORDS);
  const pattern = `${word.endsWith('starts-with') ? '' : '%'}${escaped(text)}${word.endsWith('ends-with') ? '' : '%'}`;
  return {
    json: `"${word}":${JSON.stringify(text)}`,
    sql: `${name} ${not}LIKE ${quoted(pattern)} ESCAPE '!'`,
  };
}

/** A condition on an attribute. */
export function attributePair(prng: Prng, { columns }: Table): Pair {
  const column = prng.pick(columns.filter(({ kind }) => kind.type !== 'json'));
  const pair = predicate(prng, column, `[${column.name}]`);
  return { json: `{"${column.name}":{${pair.json}}}`, sql: pair.sql };
}

/** A condition on one event in a window. `sql` has no parentheses, which would require a separate event. */
export function eventPair(prng: Prng, event: EventColumn, [from, to]: Window, minfreq: number | null): Pair {
  const { name } = event;
  const pair = predicate(prng, event, `[${name}.value]`);
  const times = minfreq === null ? '' : `,"minfreq":${minfreq}`;
  return {
    json: `{"${name}":{${pair.json},"between":["${from}","${to}"]${times}}}`,
    sql: `${pair.sql} AND [${name}.date] BETWEEN '${from}' AND '${to}'`,
  };
}

function leaf(prng: Prng, table: Table, { events }: Dates): Pair {
  if (prng.chance(0.7)) return attributePair(prng, table);
  const { json, sql } = eventPair(prng, prng.pick(table.events), events ?? window(prng), null);
  return { json, sql: `(${sql})` };
}

/** Members joined by one operator, as a list without brackets and as conditions without parentheses. */
export function listPair(
  prng: Prng,
  table: Table,
  depth: number,
  word: 'and' | 'or',
  dates: Dates = { events: null },
): Pair {
  const members = Array.from({ length: prng.between(1, 3) }, () => memberPair(prng, table, depth, dates));
  return {
    json: members.map(({ json }) => json).join(`,"${word}",`),
    sql: members.map(({ sql }) => sql).join(` ${word.toUpperCase()} `),
  };
}

function memberPair(prng: Prng, table: Table, depth: number, dates: Dates): Pair {
  if (depth === 0 || prng.chance(0.5)) return leaf(prng, table, dates);
  const { json, sql } = listPair(prng, table, depth - 1, prng.pick(['and', 'or']), dates);
  if (prng.chance(0.3)) return { json: `["not",[${json}]]`, sql: `(NOT (${sql}))` };
  return { json: `[${json}]`, sql: `(${sql})` };
}
