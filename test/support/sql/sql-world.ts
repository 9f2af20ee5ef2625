/**
 * Tables for generated SQL: columns of every type of the interface, and rows with missing values, ties, extreme values
 * and letters beyond ASCII. The same rows are sent to Quarry through its JSON interface and to the other engines as
 * tables.
 */
import type { Prng } from '../../../src/base/index.js';
import { lower } from '../model.js';
import {
  BOOLEAN,
  DATE,
  DATETIME,
  decimal,
  integer,
  JSON_TEXT,
  type Kind,
  TEXT,
  unitsText,
} from './sql-piece.js';

/** Exact numbers in stored form; lists as the JSON text that answers show. */
export type Value = bigint | string | boolean | null;

export interface TableColumn {
  readonly name: string;
  readonly kind: Kind;
  /** Fields of POST /v1/column, except name and dimension. */
  readonly model: Readonly<Record<string, unknown>>;
  /** Returns a random value. Letters that are written may be in either case. */
  draw(prng: Prng): Value;
}

export interface EventColumn {
  readonly name: string;
  readonly kind: Kind;
  readonly model: Readonly<Record<string, unknown>>;
  draw(prng: Prng): Value;
}

export interface Row {
  readonly id: string;
  readonly values: readonly Value[];
  /** By event column. */
  readonly events: readonly (readonly { readonly value: Value; readonly date: string }[])[];
}

/** A column of the first table that holds IDs of another one. */
export interface Link {
  readonly column: string;
  readonly table: string;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly events: readonly EventColumn[];
  readonly links: readonly Link[];
  readonly rows: readonly Row[];
}

/** The first table is the one that is queried; it links to others, which may link to one another. */
export type World = readonly Table[];

export const WORDS = [
  ...[
    'red',
    'green',
    'Blue',
    'a',
    'ab',
    'abc',
    'b',
    'x y',
    ' lead',
    'trail ',
    '%',
    '_',
    'a_b',
    '50%',
    "it's",
  ],
  ...['ΣΑΣ', 'σας', 'σασ', 'İstanbul', '😀 smile', '😀', '日本語', '日本', 'é', 'e\u0301', 'K', '\u{10400}x'],
  ...[
    '19',
    '-5',
    '2.50',
    'true',
    '2016-01-01',
    '10',
    '9',
    '\uff41bc',
    '\ufffd',
    'null',
    'back\\slash',
    '"q"',
  ],
];
const SMALL = [0n, 1n, -1n, 2n, 3n, 5n, 7n, 10n, -10n, 19n, 100n];
const EDGES = [
  2n ** 63n - 1n,
  2n ** 63n - 2n,
  -(2n ** 63n),
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  0n,
  1n,
];
export const DAYS = [
  ...['2016-01-01', '2016-02-29', '2015-12-31', '2017-07-17', '1969-12-31', '1970-01-01', '1999-12-31'],
  ...['2000-02-29', '2018-01-01', '2020-06-15', '1960-03-05'],
];
const FAR_DAYS = ['0001-01-01', '9999-12-31', '1582-10-15', '1900-02-28', '2016-01-01'];
const TIMES = ['00:00:00', '10:00:00', '23:59:59', '12:30:45', '00:00:01'];
const BOUNDS = [-10n, 0n, 5n, 18n, 100n];

const draws = {
  small: (prng: Prng): bigint => (prng.chance(0.6) ? prng.pick(SMALL) : BigInt(prng.between(-30, 120))),
  wide: (prng: Prng): bigint =>
    prng.chance(0.7) ? prng.pick(EDGES) : BigInt(prng.between(-(2 ** 50), 2 ** 50)) * 1000n,
  units: (prng: Prng): bigint =>
    prng.chance(0.4) ? prng.pick(SMALL) * 50n : BigInt(prng.between(-20_000, 100_000)),
  day: (prng: Prng): string => prng.pick(DAYS),
  time: (prng: Prng): string => `${prng.pick(DAYS)}T${prng.pick(TIMES)}Z`,
  word: (prng: Prng): string => prng.pick(WORDS),
};

function bandOf(value: bigint): bigint {
  return BOUNDS.reduce((found, bound) => (bound <= value ? bound : found), BOUNDS[0]);
}

function listOf(prng: Prng): string {
  const items = Array.from({ length: prng.between(1, 3) }, () => lower(prng.pick(WORDS)));
  return JSON.stringify(items);
}

/** The columns of one table in the order of their creation; some names require brackets. */
function columnsOf(prng: Prng, first: boolean): TableColumn[] {
  const scale = prng.pick([1, 2, 2, 3]);
  const fine = prng.pick([4, 6, 9]);
  const all: TableColumn[] = [
    { name: 'word', kind: TEXT, model: { type: 'string', cardinality: 'low' }, draw: draws.word },
    {
      name: 'full-name',
      kind: TEXT,
      model: { type: 'string', cardinality: 'high' },
      draw: (prng) => `${draws.word(prng)}${prng.chance(0.7) ? prng.below(400) : ''}`,
    },
    { name: 'n', kind: integer(3), model: { type: 'integer' }, draw: draws.small },
    { name: 'big', kind: integer(19), model: { type: 'integer' }, draw: draws.wide },
    {
      name: 'price',
      kind: decimal(scale, 6),
      model: { type: 'decimal', 'decimal-places': scale },
      draw: draws.units,
    },
    {
      name: 'exact-rate',
      kind: decimal(fine, 19),
      model: { type: 'decimal', 'decimal-places': fine },
      draw: draws.wide,
    },
    { name: 'flag', kind: BOOLEAN, model: { type: 'boolean' }, draw: (prng) => prng.chance(0.4) },
    { name: 'day', kind: DATE, model: { type: 'date' }, draw: draws.day },
    {
      name: 'born',
      kind: { ...DATE, tame: false },
      model: { type: 'date' },
      draw: (prng) => prng.pick([...FAR_DAYS, ...DAYS]),
    },
    { name: 'at', kind: DATETIME, model: { type: 'datetime' }, draw: draws.time },
    {
      name: 'band',
      kind: integer(3),
      model: { type: 'enumerated', range: BOUNDS.map(Number) },
      draw: (prng) => bandOf(BigInt(prng.between(-10, 150))),
    },
    {
      name: 'tags',
      kind: JSON_TEXT,
      model: { type: 'string', storage: 'list-of-values' },
      draw: listOf,
    },
  ];
  return first ? all : all.filter(({ kind }) => kind.type !== 'json' && prng.chance(0.5));
}

function eventsOf(): EventColumn[] {
  return [
    {
      name: 'clicks',
      kind: TEXT,
      model: { type: 'string-event' },
      draw: (prng) => prng.pick(WORDS.slice(0, 8)),
    },
    { name: 'points', kind: integer(3), model: { type: 'integer-event' }, draw: draws.small },
    {
      name: 'spent',
      kind: decimal(2, 6),
      model: { type: 'decimal-event', 'decimal-places': 2 },
      draw: draws.units,
    },
  ];
}

function linkColumn(name: string, table: Table): TableColumn {
  const ids = [...table.rows.map(({ id }) => id), 'nobody', 'gone'];
  const draw = (prng: Prng): string => prng.pick(ids);
  return { name, kind: TEXT, model: { type: 'string', cardinality: 'low' }, draw };
}

function rowsOf(
  prng: Prng,
  name: string,
  count: number,
  columns: readonly TableColumn[],
  events: readonly EventColumn[],
): Row[] {
  const missing = columns.map(() => prng.pick([0, 0.05, 0.2, 0.6]));
  return Array.from({ length: count }, (_, index) => ({
    id: `${name}-${prng.chance(0.1) ? 'é😀' : ''}${index}`,
    // An entity has at least one value.
    values: columns.map((column, at) => (at > 0 && prng.chance(missing[at]) ? null : column.draw(prng))),
    events: events.map(({ draw }) =>
      Array.from({ length: prng.pick([0, 0, 1, 1, 2, 4]) }, () => ({
        value: draw(prng),
        // No event is before 1990.
        date: draws.time(prng).replace(/^19[67]/, '199'),
      })),
    ),
  }));
}

export function generateWorld(prng: Prng, prefix: string): World {
  const dimensions: Table[] = [];
  for (let index = prng.below(3); index > 0; index--) {
    const name = `${prefix}d${index}`;
    const links: Link[] = [];
    const columns = columnsOf(prng, false);
    const [before] = dimensions;
    if (before !== undefined) {
      links.push({ column: 'owner', table: before.name });
      columns.push(linkColumn('owner', before));
    }
    const rows = rowsOf(prng, name, prng.pick([1, 7, 30]), columns, []);
    dimensions.unshift({ name, columns, events: [], links, rows });
  }
  const name = `${prefix}t`;
  const links = dimensions.map((table, index) => ({ column: `ref${index}`, table: table.name }));
  const linked = dimensions.map((table, index) => linkColumn(`ref${index}`, table));
  const columns = [...columnsOf(prng, true), ...linked];
  const events = eventsOf();
  const rows = rowsOf(prng, name, prng.pick([8, 60, 150, 300, 700]), columns, events);
  return [{ name, columns, events, links, rows }, ...dimensions];
}

/** The JSON text of an insert body: numbers with all their digits. */
export function insertText(value: Value, kind: Kind): string {
  if (kind.type === 'json') return String(value);
  return typeof value === 'bigint' ? unitsText(value, kind.scale) : JSON.stringify(value);
}

/** The stored form, which answers contain: lower-case. */
export function storedValue(value: Value, kind: Kind): Value {
  return kind.type === 'text' && typeof value === 'string' ? lower(value) : value;
}
