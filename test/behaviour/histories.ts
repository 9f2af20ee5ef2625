/**
 * Generated histories of few entities and events: attributes of all kinds, related event columns (also with values that
 * are missing or have other dates than the value beside them), events of one second, repeated events, ends of local
 * days, clocks that are set, skipped dates, year ends, and entities without events.
 */
import type { Prng } from '../../src/base/index.js';
import { historyOf } from './model/conditions.js';
import type { DatedValue, Entity, History, Scalar, Segment, StoredEvent } from './model/history.js';
import { dayBegin, dayOf, localClock } from './model/local-time.js';

/** Attribute columns by name, as POST /v1/column takes them, and their values. */
const ATTRIBUTES: Readonly<Record<string, { type: string; storage?: string; values: readonly Scalar[] }>> = {
  plan: { type: 'string', values: ['free', 'pro', 'team', 'trial'] },
  age: { type: 'integer', values: [9, 10, 11, 100] },
  score: { type: 'decimal', values: [0.5, 2, 2.25, 10] },
  vip: { type: 'boolean', values: [true, false] },
  joined: { type: 'date', values: ['2023-12-31', '2024-01-01', '2024-02-29'] },
  tags: { type: 'string', storage: 'list-of-values', values: ['blue', 'green', 'red', 'white'] },
};

/** Event columns by name, and their values. */
export const EVENT_COLUMNS: Readonly<Record<string, { type: string; values: readonly Scalar[] }>> = {
  act: { type: 'string-event', values: ['a', 'b', 'c', 'd'] },
  page: { type: 'string-event', values: ['home', 'help', 'shop', '10', '9'] },
  price: { type: 'decimal-event', values: [1, 2.5, 9, 10] },
  amount: { type: 'integer-event', values: [1, 2, 10] },
};
export const ATTRIBUTE_COLUMNS: readonly string[] = Object.keys(ATTRIBUTES);
export const valuesOf = (column: string): readonly Scalar[] =>
  (EVENT_COLUMNS[column] ?? ATTRIBUTES[column]).values;

const RELATED: readonly (readonly string[])[] = [
  ['page', 'price'],
  ['page', 'amount', 'price'],
  ['act', 'page'],
];

/** A zone, and an instant near which its calendar has something to get wrong. */
const SCENES: readonly (readonly [zone: string, instant: string])[] = [
  ['UTC', '2023-12-31T23:59:59Z'],
  ['UTC', '2024-02-29T00:00:00Z'],
  ['Europe/Berlin', '2024-03-31T01:00:00Z'],
  ['Europe/Berlin', '2024-10-27T01:00:00Z'],
  ['America/New_York', '2024-03-10T07:00:00Z'],
  ['America/New_York', '2023-11-05T06:00:00Z'],
  ['America/Sao_Paulo', '2017-10-15T03:00:00Z'],
  ['America/Sao_Paulo', '2018-02-18T02:00:00Z'],
  ['America/St_Johns', '2005-10-30T02:31:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['Pacific/Auckland', '2024-04-06T14:00:00Z'],
  ['Australia/Lord_Howe', '2024-04-06T15:00:00Z'],
  ['Asia/Kathmandu', '2023-12-31T18:15:00Z'],
  ['Africa/Casablanca', '2024-03-10T02:00:00Z'],
];
export const ZONES: readonly string[] = [...new Set(SCENES.map(([zone]) => zone))];

const SPREADS = [5, 600, 5 * 3600, 4 * 86_400, 40 * 86_400, 400 * 86_400];
const ENTITIES = 24;
const EVENTS_MAX = 7;

export interface GeneratedHistory {
  readonly dimension: string;
  readonly zone: string;
  /** Instants at and near which events are, ascending. */
  readonly instants: readonly number[];
  /** Whether values that are tied may have different dates. */
  readonly hasTiedDates: boolean;
  readonly related: readonly string[];
  readonly history: History;
}

function instantsOf(prng: Prng, zone: string, base: number): number[] {
  const spread = prng.pick(SPREADS);
  const near = Array.from({ length: 6 }, () => base + prng.between(-spread, spread));
  const midnights = near.slice(0, 2).map((instant) => dayBegin(dayOf(localClock(instant, zone)), zone));
  return [base, base + 1, ...near, ...midnights, ...midnights.map((instant) => instant - 1)].sort(
    (a, b) => a - b,
  );
}

/** The columns of one event: one that is not related, or most of the related ones. */
function columnsOfEvent(prng: Prng, related: readonly string[]): string[] {
  const column = prng.pick(Object.keys(EVENT_COLUMNS));
  if (!related.includes(column)) return [column];
  const some = related.filter(() => prng.chance(0.85));
  return some.length === 0 ? [column] : some;
}

function storedEvent(
  prng: Prng,
  world: Pick<GeneratedHistory, 'instants' | 'related' | 'hasTiedDates'>,
): StoredEvent {
  const date = (): number => prng.pick(world.instants) + (prng.chance(0.2) ? prng.below(3) : 0);
  const common = date();
  const values = columnsOfEvent(prng, world.related).map((column): [string, DatedValue] => [
    column,
    {
      value: prng.pick(valuesOf(column)),
      seconds: world.hasTiedDates && prng.chance(0.3) ? date() : common,
    },
  ]);
  return { values: new Map(values) };
}

function attributesOf(prng: Prng): Map<string, Scalar | readonly Scalar[]> {
  const attributes = new Map<string, Scalar | readonly Scalar[]>();
  for (const [name, { storage, values }] of Object.entries(ATTRIBUTES)) {
    if (prng.chance(0.2)) continue;
    if (storage === undefined) attributes.set(name, prng.pick(values));
    else
      attributes.set(
        name,
        values.filter((_, index) => index === 0 || prng.chance(0.4)),
      );
  }
  if (attributes.size === 0) attributes.set('age', prng.pick(ATTRIBUTES.age.values));
  return attributes;
}

/** A history of a dimension of that name. */
export function generateHistory(prng: Prng, dimension: string): GeneratedHistory {
  const [zone, base] = prng.pick(SCENES);
  const instants = instantsOf(prng, zone, Date.parse(base) / 1000);
  const related = prng.pick(RELATED);
  const hasTiedDates = prng.chance(0.3);
  const entities = Array.from({ length: ENTITIES }, (_, index): Entity => {
    const count = prng.chance(0.1) ? 0 : prng.between(1, EVENTS_MAX);
    const events = Array.from({ length: count }, () =>
      storedEvent(prng, { instants, related, hasTiedDates }),
    );
    const repeated = events.length > 0 && prng.chance(0.2) ? [prng.pick(events)] : [];
    const copies = repeated.map(({ values }): StoredEvent => ({ values: new Map(values) }));
    return {
      id: `e${index}`,
      attributes: attributesOf(prng),
      events: [...events, ...copies].slice(0, EVENTS_MAX),
    };
  });
  const history = historyOf({
    entities,
    relations: new Map([[relationOf(dimension), related]]),
    eventColumns: Object.keys(EVENT_COLUMNS),
    segments: new Map<string, Segment>(),
  });
  return { dimension, zone, instants, hasTiedDates, related, history };
}

/** A body of POST /v1/column that creates the columns of the history. */
export function columnsBody({ dimension }: GeneratedHistory): object[] {
  const all = { ...ATTRIBUTES, ...EVENT_COLUMNS } as typeof ATTRIBUTES;
  return Object.entries(all).map(([name, { type, storage }]) => ({
    name,
    'api-name': name,
    dimension,
    type,
    ...(storage !== undefined && { storage }),
    ...(type.startsWith('decimal') && { 'decimal-places': 2 }),
  }));
}

/** The name of the relation of a dimension. */
export const relationOf = (dimension: string): string => `views-of-${dimension}`;

/** A body of POST /v1/column/relation. */
export const relationBody = ({ dimension, related }: GeneratedHistory): object => ({
  name: relationOf(dimension),
  dimension,
  columns: related,
});

/**
 * Bodies of POST /v1/insert. Values are tied by their number in an insert, so that events of different columns are in
 * different bodies.
 */
export function insertBodies({ dimension, history }: GeneratedHistory): object[] {
  const bodies: Record<string, object>[] = [];
  for (const { id, attributes, events } of history.entities) {
    const parts: object[] = attributes.size === 0 ? [] : [Object.fromEntries(attributes)];
    const columnSets = new Set(events.map(({ values }) => [...values.keys()].join()));
    for (const columns of columnSets) {
      const same = events.filter(({ values }) => [...values.keys()].join() === columns);
      const listOf = (column: string): object[] =>
        same.map(({ values }) => {
          const { value, seconds } = values.get(column)!;
          return { value, date: `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z` };
        });
      parts.push(Object.fromEntries(columns.split(',').map((column) => [column, listOf(column)])));
    }
    for (const [index, part] of parts.entries()) {
      bodies[index] ??= {};
      bodies[index][id] = { dimension, ...part };
    }
  }
  return bodies;
}
